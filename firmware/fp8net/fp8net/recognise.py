# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes that are one layer: functions of one value, and norms, softmax and quotients that are written out.

An expression is a group of element-wise nodes with one operand and numbers, such as GELU by its error function. A table
computes it, as it does a single function, and only its result is rounded.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
from onnx import numpy_helper

from . import functions, patterns

# Functions that need a table: an expression has one of them, or its operand twice.
CURVES = {*functions.OPERATORS, "Pow"}
STEPS = CURVES | {"Add", "Sub", "Mul", "Div", "Neg", "Relu", "Clip", "Max", "Min"}
MOST_NODES = 64  # of an expression
BINARY = {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min"}


@dataclasses.dataclass
class Group:
    """The nodes by index, the last one of which has the result."""

    operand: str
    kind: str = "expression"  # or norm, softmax, quotient
    steps: tuple = ()  # (operator, operands, attributes); an operand is a number, or a step by ("step", index)
    axes: tuple[int, ...] = ()
    eps: float = 0.0
    perm: tuple[int, ...] = ()  # of the axes, behind the norm
    gamma: np.ndarray | None = None
    divisor: str = ""  # quotient; the result is 0 where it is 0


class Recogniser:
    def __init__(self, model: onnx.ModelProto, constants: dict[str, np.ndarray], shapes: dict):
        self.nodes = list(model.graph.node)
        self.constants, self.shapes = dict(constants), shapes
        for node in self.nodes:
            if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
                self.constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        self.writer = {o: i for i, node in enumerate(self.nodes) for o in node.output if o}
        self.readers: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            for name in node.input:
                self.readers.setdefault(name, []).append(index)
        self.results = {o.name for o in model.graph.output}
        self.taken: set[int] = set()
        self.groups: dict[int, Group] = {}

    def run(self) -> None:
        for index in reversed(range(len(self.nodes))):
            if index not in self.taken:
                self._norm(index)
            if index not in self.taken:
                self._pattern(index)
        for index in reversed(range(len(self.nodes))):
            if index not in self.taken and self.nodes[index].op_type in STEPS:
                self._expression(index)

    def number(self, name: str) -> float | None:
        """A constant of one finite value that broadcasts without another size."""
        value = self.constants.get(name)
        if value is None or value.size != 1 or value.dtype.kind != "f":
            return None
        number = float(value.reshape(()))
        return number if np.isfinite(number) else None

    def attributes(self, node: onnx.NodeProto) -> dict:
        return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}

    def _take(self, end: int, inner: set[int], group: Group) -> None:
        self.taken |= inner | {end}
        self.groups[end] = group

    # ---- expressions

    def _expression(self, end: int) -> None:
        """The largest group that ends here: it grows backwards over nodes that only the group reads."""
        inside = {end}
        grown = True
        while grown and len(inside) < MOST_NODES:
            grown = False
            for index in sorted(inside, reverse=True):
                for name in self.nodes[index].input:
                    before = self.writer.get(name)
                    if before is None or before in inside or before in self.taken:
                        continue
                    if len(inside) < MOST_NODES and self._joins(before, name, inside):
                        inside.add(before)
                        grown = True
        while len(inside) > 1:
            operands = self._operands(inside)
            if len(operands) == 1 and self._is_worth(inside, operands):
                steps = self._steps(sorted(inside), next(iter(operands)))
                if steps is not None:
                    self._take(end, inside - {end}, Group(next(iter(operands)), steps=steps))
                return
            inside.remove(min(inside))  # the first node may bring the second operand

    def _joins(self, index: int, name: str, inside: set[int]) -> bool:
        node = self.nodes[index]
        alone = set(self.readers.get(name, [])) <= inside and name not in self.results
        return alone and node.op_type in STEPS and len([o for o in node.output if o]) == 1

    def _operands(self, inside: set[int]) -> set[str]:
        written = {o for i in inside for o in self.nodes[i].output}
        return {
            name
            for i in inside
            for name in self.nodes[i].input
            if name and name not in written and self.number(name) is None
        }

    def _is_worth(self, inside: set[int], operands: set[str]) -> bool:
        (operand,) = operands
        used = sum(list(self.nodes[i].input).count(operand) for i in inside)
        shape = self.shapes.get(operand)
        same = all(self.shapes.get(self.nodes[i].output[0]) == shape for i in inside)
        known = operand not in self.constants and shape is not None
        curved = used > 1 or any(self.nodes[i].op_type in CURVES for i in inside)
        return known and same and curved

    def _steps(self, order: list[int], operand: str) -> tuple | None:
        """None: an attribute that no step has."""
        place: dict[str, object] = {operand: ("x",)}
        steps = []
        for index in order:
            node = self.nodes[index]
            operands = [
                None if not n else place[n] if n in place else self.number(n) for n in node.input
            ]
            if node.op_type in BINARY and len(operands) != 2:
                return None
            attributes = self.attributes(node)
            attributes = {
                k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()
            }
            steps.append((node.op_type, tuple(operands), tuple(sorted(attributes.items()))))
            place[node.output[0]] = ("step", len(steps) - 1)
        return tuple(steps)

    # ---- patterns of several nodes

    def _pattern(self, end: int) -> None:
        norm, soft = patterns.fast_norm(self, end), patterns.softmax(self, end)
        quotient = patterns.safe_quotient(self, end)
        if norm is not None:
            x, axis, eps, gamma, inner = norm
            order = tuple(range(len(self.shapes[x])))
            self._take(end, inner, Group(x, "norm", axes=(axis,), eps=eps, perm=order, gamma=gamma))
        elif soft is not None:
            x, axis, inner = soft
            self._take(end, inner, Group(x, "softmax", axes=(axis,)))
        elif quotient is not None:
            x, y, inner = quotient
            self._take(end, inner, Group(x, "quotient", divisor=y))

    # ---- layer norms

    def _alone(self, name: str, op: str, readers: int = 1) -> int | None:
        """The node that writes the name, if it is this operator, and is read only so many times."""
        index = self.writer.get(name)
        if index is None or self.nodes[index].op_type != op or index in self.taken:
            return None
        good = len(self.readers.get(name, [])) == readers and name not in self.results
        return index if good else None

    def _axes(self, index: int) -> tuple[int, ...] | None:
        """Of a mean that keeps its axes."""
        node, values = self.nodes[index], self.attributes(self.nodes[index])
        rank = len(self.shapes.get(node.input[0]) or ())
        axes = values.get("axes")
        if axes is None and len(node.input) > 1 and node.input[1] in self.constants:
            axes = self.constants[node.input[1]].reshape(-1)
        if axes is None or not values.get("keepdims", 1) or not rank:
            return None
        return tuple(sorted(int(a) % rank for a in axes))

    def _norm(self, end: int) -> None:
        """(x - mean) / sqrt(mean of (x - mean)^2 + eps)"""
        node = self.nodes[end]
        if node.op_type != "Div":
            return
        root = self._alone(node.input[1], "Sqrt")
        total = None if root is None else self._alone(self.nodes[root].input[0], "Add")
        if total is None:
            return
        for place in (0, 1):
            mean = self._alone(self.nodes[total].input[place], "ReduceMean")
            eps = self.number(self.nodes[total].input[1 - place])
            if mean is not None and eps is not None:
                self._norm_of(end, {root, total, mean}, node.input[0], mean, eps)

    def _norm_of(self, end: int, inner: set[int], name: str, mean: int, eps: float) -> None:
        square = self.writer.get(self.nodes[mean].input[0])
        if (
            square is None
            or self._alone(self.nodes[mean].input[0], self.nodes[square].op_type) is None
        ):
            return
        node = self.nodes[square]
        power = node.op_type == "Pow" and node.input[0] == name and self.number(node.input[1]) == 2
        if not power and not (node.op_type == "Mul" and list(node.input) == [name, name]):
            return
        readers = set(self.readers.get(name, []))
        turned, perm = self._before_transpose(name, readers, {end, square})
        minus = self.writer.get(turned)
        if minus is None or self.nodes[minus].op_type != "Sub" or turned in self.results:
            return
        x, average = self.nodes[minus].input
        first = self._alone(average, "ReduceMean")
        if first is None or self.nodes[first].input[0] != x or name in self.results:
            return
        axes, its = self._axes(first), self._axes(mean)
        if axes is None or its is None or len(axes) != 1 or axes[0] != perm[its[0]]:
            return
        inner |= {square, minus, first} | ({self.writer[name]} if turned != name else set())
        self._take(end, inner, Group(x, "norm", axes=axes, eps=eps, perm=perm))

    def _before_transpose(self, name: str, readers: set[int], wanted: set[int]):
        """The operand of a Transpose that only these nodes read, with its order of axes."""
        order = tuple(range(len(self.shapes.get(name) or ())))
        index = self.writer.get(name)
        if index is None or self.nodes[index].op_type != "Transpose" or readers != wanted:
            return (name, order) if readers == wanted else ("", order)
        source = self.nodes[index].input[0]
        if self.readers.get(source) != [index]:
            return "", order
        perm = self.attributes(self.nodes[index]).get("perm", order[::-1])
        return source, tuple(perm)
