# SPDX-License-Identifier: Apache-2.0
"""Norms, softmax and quotients that a file writes out in several nodes, as frameworks export them.

Each function looks backwards from a node, `end`, and gives the group that ends there with its inner nodes, or None. Names of
values are followed through nodes that only change sizes of 1.
"""

from __future__ import annotations

import math

import numpy as np

SIZES = ("Reshape", "Squeeze", "Unsqueeze", "Identity")


class Search:
    """Goes from values to the nodes that write them, and notes these."""

    def __init__(self, recogniser):
        self.r, self.inner = recogniser, set()

    def node(self, name: str, *ops: str):
        """The node that writes the name, if it is one of these operators."""
        index = self.r.writer.get(name)
        if index is None or index in self.r.taken or self.r.nodes[index].op_type not in ops:
            return None
        self.inner.add(index)
        return self.r.nodes[index]

    def behind_sizes(self, name: str) -> str:
        """The value before nodes that only add or remove sizes of 1."""
        index = self.r.writer.get(name)
        while index is not None and self.r.nodes[index].op_type in SIZES:
            before = self.r.nodes[index].input[0]
            if _long(self.r.shapes.get(before)) != _long(self.r.shapes.get(name)):
                break
            self.inner.add(index)
            name = before
            index = self.r.writer.get(name)
        return name

    def with_number(self, name: str, *ops: str):
        """The operand and the number of a sum or product."""
        node = self.node(name, *ops)
        for place in (0, 1) if node is not None else ():
            number = self.r.number(node.input[place])
            if number is not None and (place or node.op_type in ("Add", "Mul", "Max")):
                return node.input[1 - place], number
        return None

    def mean(self, name: str, source: str) -> int | None:
        """The axis, if the value is the mean of `source` along one axis."""
        node = self.node(name, "ReduceMean")
        if node is not None:
            return self._axis(node, source)
        scaled = self.with_number(name, "Mul", "Div")
        node = None if scaled is None else self.node(scaled[0], "ReduceSum")
        axis = None if node is None else self._axis(node, source)
        if axis is None:
            return None
        size, divides = self.r.shapes[source][axis], self.node(name, "Div") is not None
        count = scaled[1] if divides else 1 / scaled[1] if scaled[1] else math.inf
        return axis if math.isclose(count, size, rel_tol=1e-5) else None

    def reduced(self, name: str, op: str, source: str) -> int | None:
        """The axis, if the value is this reduction of `source`."""
        node = self.node(name, op)
        return None if node is None else self._axis(node, source)

    def _axis(self, node, source: str) -> int | None:
        shape = self.r.shapes.get(source)
        if node.input[0] != source or not shape:
            return None
        values = self.r.attributes(node)
        axes = values.get("axes")
        if axes is None and len(node.input) > 1 and node.input[1] in self.r.constants:
            axes = self.r.constants[node.input[1]].reshape(-1)
        return int(axes[0]) % len(shape) if axes is not None and len(axes) == 1 else None

    def is_square(self, name: str, of: str) -> bool:
        node = self.node(name, "Mul", "Pow")
        if node is None:
            return False
        if node.op_type == "Pow":
            return node.input[0] == of and self.r.number(node.input[1]) == 2
        return list(node.input) == [of, of]

    def broadcasts(self, name: str, source: str, axis: int) -> bool:
        """The value has the source's sizes, and 1 along the axis."""
        shape, its = self.r.shapes.get(source), self.r.shapes.get(name)
        if not shape or its is None:
            return False
        its = (1,) * (len(shape) - len(its)) + tuple(its)
        return its == tuple(1 if a == axis else s for a, s in enumerate(shape))

    def is_closed(self, end: int) -> bool:
        """Nobody else reads what the inner nodes write."""
        self.inner.discard(end)
        outputs = {o for i in self.inner for o in self.r.nodes[i].output if o}
        readers = {i for o in outputs for i in self.r.readers.get(o, [])}
        return readers <= self.inner | {end} and not outputs & self.r.results


def _long(shape) -> list[int] | None:
    return None if shape is None else [s for s in shape if s != 1]


# ---- norms --------------------------------------------------------------------------------------


def fast_norm(r, end: int):
    """(x - mean) * (gamma / sqrt(max(mean of x^2 - mean^2, 0) + eps)): operand, axis, eps, gamma, inner nodes"""
    if r.nodes[end].op_type != "Mul":
        return None
    for place in (0, 1):
        search = Search(r)
        names = r.nodes[end].input[place], r.nodes[end].input[1 - place]
        found = _fast_norm(search, *names)
        if found is not None and search.is_closed(end):
            return *found, search.inner
    return None


def _fast_norm(search: Search, left: str, right: str):
    minus = search.node(left, "Sub")
    if minus is None:
        return None
    x, mean = minus.input[0], search.behind_sizes(minus.input[1])
    axis = search.mean(mean, x)
    factor = _gamma_and_root(search, right, x, axis)
    if factor is None or not search.broadcasts(minus.input[1], x, axis):
        return None
    gamma, root = factor
    total = search.with_number(root, "Add")
    if total is None or not search.broadcasts(root, x, axis):
        return None
    variance = search.behind_sizes(total[0])
    limited = search.with_number(variance, "Max")
    variance = search.behind_sizes(limited[0]) if limited and limited[1] == 0 else variance
    difference = search.node(variance, "Sub")
    if difference is None or not search.is_square(difference.input[1], mean):
        return None
    return (x, axis, total[1], gamma) if _is_mean_of_square(search, difference, x, axis) else None


def _is_mean_of_square(search: Search, difference, x: str, axis: int) -> bool:
    """Some product of x with itself has this mean."""
    for index in search.r.readers.get(x, []):
        square = search.r.nodes[index].output[0]
        if search.is_square(square, x) and search.mean(difference.input[0], square) == axis:
            return True
    return False


def _gamma_and_root(search: Search, name: str, x: str, axis: int | None):
    """gamma / sqrt(v): gamma, and the name of v"""
    if axis is None:
        return None
    times, gamma = search.node(name, "Mul"), None
    for place in (0, 1) if times is not None else ():
        gamma = _along(search.r.constants.get(times.input[place]), search.r.shapes[x], axis)
        if gamma is not None:
            name = times.input[1 - place]
            break
    if times is not None and gamma is None:
        return None
    one = search.node(name, "Reciprocal")
    root = None if one is None else search.node(one.input[0], "Sqrt")
    return None if root is None else (gamma, root.input[0])


def _along(values: np.ndarray | None, shape, axis: int) -> np.ndarray | None:
    """A constant with a value for each index of the axis."""
    if values is None or values.dtype.kind != "f" or values.ndim > len(shape):
        return None
    its = (1,) * (len(shape) - values.ndim) + values.shape
    if its != tuple(s if a == axis else 1 for a, s in enumerate(shape)):
        return None
    return (
        np.ascontiguousarray(values.reshape(-1), np.float32) if np.isfinite(values).all() else None
    )


# ---- softmax ------------------------------------------------------------------------------------


def softmax(r, end: int):
    """e / sum of e, with e = exp(x - maximum of x): operand, axis, inner nodes"""
    if r.nodes[end].op_type != "Div":
        return None
    search, (top, below) = Search(r), r.nodes[end].input
    power = search.node(top, "Exp")
    minus = None if power is None else search.node(power.input[0], "Sub")
    if minus is None:
        return None
    x, largest = minus.input[0], search.behind_sizes(minus.input[1])
    axis = search.reduced(search.behind_sizes(below), "ReduceSum", top)
    limit = _with_infinity(search, largest)
    largest = largest if limit is None else search.behind_sizes(limit)
    if axis is None or search.reduced(largest, "ReduceMax", x) != axis:
        return None
    fits = search.broadcasts(below, x, axis) and search.broadcasts(minus.input[1], x, axis)
    return (x, axis, search.inner) if fits and search.is_closed(end) else None


def _with_infinity(search: Search, name: str) -> str | None:
    """The operand of a maximum with -Inf, which changes nothing."""
    node = search.node(name, "Max")
    for place in (0, 1) if node is not None and len(node.input) == 2 else ():
        value = search.r.constants.get(node.input[place])
        if value is not None and value.size == 1 and np.isneginf(value).all():
            return node.input[1 - place]
    return None


# ---- quotients ----------------------------------------------------------------------------------


def safe_quotient(r, end: int):
    """x / y, and 0 where y is 0: both operands, inner nodes"""
    node = r.nodes[end]
    if node.op_type != "Where" or r.number(node.input[1]) != 0:
        return None
    search = Search(r)
    compared, quotient = search.node(node.input[0], "Equal"), search.node(node.input[2], "Div")
    if compared is None or quotient is None:
        return None
    below = quotient.input[1]
    zero = [r.number(name) == 0 for name in compared.input]
    if below not in compared.input or not any(zero):
        return None
    same = r.shapes.get(node.output[0]) == r.shapes.get(quotient.output[0]) is not None
    return (*quotient.input, search.inner) if same and search.is_closed(end) else None
