# SPDX-License-Identifier: Apache-2.0
"""Sums and products, activations, functions by tables."""

from __future__ import annotations

import numpy as np

from .. import fuse
from ..functions import ACTIVATIONS, OPERATORS
from ..ir import Fused, View
from ..moves import diagonal
from . import constants
from .layout import _unsupported, identity
from .moving import arrange, plain, repeat
from .products import add_affine
from .quantisation import round_to
from .registry import handles

LARGEST = float(np.finfo(np.float32).max)


# ---- sums and products --------------------------------------------------------------------------


def _with_channels(importer, node, view, constant: np.ndarray):
    """A view, and a value for each of its channels, from a constant that is broadcast."""
    if constant.dtype.kind != "f" or not np.isfinite(constant).all():
        raise _unsupported("its constant is not finite floats")
    if constant.size == 1 and constant.ndim <= len(view.shape):
        cols = importer.tensor_of(view).cols
        return view, np.broadcast_to(constant.reshape(-1), (cols,)).astype(np.float32)
    shape = (1,) * (len(view.shape) - constant.ndim) + constant.shape
    long = [a for a, size in enumerate(shape) if size > 1]
    if len(shape) != len(view.shape) or len(long) != 1 or shape[long[0]] != view.shape[long[0]]:
        raise _unsupported(
            f"its constant of shape {constant.shape} is not one value a channel of {view.shape}",
            "a constant for each index of one axis, or one value",
        )
    view = plain(importer, node, view)
    order = tuple(a for a in view.axes if a != long[0])
    return (
        arrange(importer, node, view, (*order, long[0])),
        constant.reshape(-1).astype(np.float32),
    )


def _with_constant(importer, node, place: int) -> None:
    """x op constant, or constant op x."""
    constant = importer.constant(node.inputs[place])
    view = importer.view(node, 1 - place)
    if _is_matrix(view, constant):
        _with_matrix(importer, node, place, view, constant)
        return
    view, values = _with_channels(importer, node, view, constant)
    ones, zeros = np.ones_like(values), None
    if node.op == "Add":
        add_affine(importer, node, view, ones, values)
    elif node.op == "Sub":
        add_affine(importer, node, view, ones if place else -ones, -values if place else values)
    elif node.op == "Mul":
        add_affine(importer, node, view, values, zeros)
    elif place == 0 or not values.all():
        raise _unsupported("divides a constant by a tensor, or by 0", "a divisor that is constant")
    else:
        add_affine(
            importer, node, view, (1.0 / values.astype(np.float64)).astype(np.float32), zeros
        )


def _is_matrix(view: View, constant: np.ndarray) -> bool:
    """Whether a constant has values for the indices of several axes, or makes the other operand larger."""
    if constant.dtype.kind != "f" or constant.size == 1 or np.isnan(constant).any():
        return False
    return sum(size > 1 for size in constant.shape) > 1 or not constants.fits(view, constant)


def _with_matrix(importer, node, place: int, view: View, constant: np.ndarray) -> None:
    """A tensor of numbers. -Inf may be added: it masks what a softmax sees."""
    allowed = np.isfinite(constant)
    if node.op == "Add":
        hidden = np.isneginf(constant)
        allowed |= hidden
        if hidden.all(axis=-1).any():  # the softmax of it is NaN
            raise _unsupported("its constant is -Inf for all of a row", "a number in each row")
    if not allowed.all():
        raise _unsupported("its constant is not finite floats")
    view = constants.widened(importer, node, view, constant)
    if not constants.fits(view, constant):
        raise _unsupported(f"its operands have the shapes {view.shape} and {constant.shape}")
    if node.op == "Add":
        constants.combine(importer, node, "add", view, constant)
    elif node.op == "Mul":
        constants.combine(importer, node, "multiply", view, constant)
    elif node.op == "Sub" and place == 1:
        constants.combine(importer, node, "add", view, constant, -1.0)
    elif node.op == "Sub":
        view = plain(importer, node, view)
        name, _ = constants.beside(importer, node, view, constant, whole=True)
        layer = importer.layer(node, "add", [name, view.tensor], factor=-1.0)
        importer.add_like(node, layer, view)
    elif place == 0 or not constant.all():
        raise _unsupported("divides a constant by a tensor, or by 0", "a divisor that is constant")
    else:
        inverse = (1.0 / constant.astype(np.float64)).astype(np.float32)
        constants.combine(importer, node, "multiply", view, inverse)


def _combine(importer, node) -> None:
    for place in (0, 1):
        if importer.constant(node.inputs[place]) is not None:
            if importer.constant(node.inputs[1 - place]) is not None:
                raise _unsupported("both operands are constants", "a file that was simplified")
            _with_constant(importer, node, place)
            return
    x, y = importer.view(node, 0), importer.view(node, 1)
    if node.op == "Div":
        quotient(importer, node)
        return
    if node.op == "Mul" and (_is_vector_of(importer, y, x) or _is_vector_of(importer, x, y)):
        _scale_channels(importer, node, *((x, y) if _is_vector_of(importer, y, x) else (y, x)))
        return
    _join(importer, node, *_alike(importer, node, x, y))


def _join(importer, node, x: View, y: View) -> None:
    layer = importer.layer(
        node,
        "add" if node.op in ("Add", "Sub") else "multiply",
        [x.tensor, y.tensor],
        factor=-1.0 if node.op == "Sub" else 1.0,
    )
    importer.add_like(node, layer, x)


def quotient(importer, node, zero: bool = False) -> None:
    """x * (1 / y), and 0 for a y of 0 if `zero`. Reciprocals are float32, and few if y is broadcast."""
    x, y = importer.view(node, 0), wide(importer, node, importer.view(node, 1))
    layer = importer.layer(node, "reciprocal", [y.tensor], zero=zero)
    layer.output = importer.fresh(f"{node.name}_reciprocal")
    source = importer.tensor_of(y)
    inverse = y.of(layer.output)
    importer.add_inner(layer, inverse, source.cols)
    _join(importer, node, *_alike(importer, node, x, inverse))


def wide(importer, node, view: View) -> View:
    """The view in float32: a tensor of its own, whose scale nobody chooses."""
    layer = importer.layer(node, "convert", [view.tensor])
    layer.output = importer.fresh(f"{node.name}_wide")
    importer.add_inner(layer, view.of(layer.output), importer.tensor_of(view).cols)
    return importer.graph.views[layer.output]


def _alike(importer, node, x: View, y: View) -> tuple[View, View]:
    """Two operands of one shape that lie alike: the smaller one is repeated, the second one moved."""
    if x.shape == y.shape and _lie_alike(importer, x, y):
        return x, y
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise _unsupported(f"its operands have the shapes {x.shape} and {y.shape}") from None
    x, y = plain(importer, node, x), plain(importer, node, y)
    if shape not in (x.shape, y.shape):
        raise _unsupported(
            f"broadcasts {x.shape} and {y.shape} to {shape}", "one of the two shapes"
        )
    whole = x if x.shape == shape else y
    axes = arrange(importer, node, whole, whole.axes)
    pair = [
        axes
        if view is whole
        else arrange(importer, node, view, axes.axes)
        if view.shape == shape
        else repeat(importer, node, view, shape, axes.axes)
        for view in (x, y)
    ]
    return pair[0], pair[1]


def _lie_alike(importer, x: View, y: View) -> bool:
    a, b = importer.tensor_of(x), importer.tensor_of(y)
    if (a.rows, a.cols) != (b.rows, b.cols):
        return False
    if x.base is None or y.base is None:
        return x.base == y.base and y.lies_as(x.axes)
    return x.base.axes == y.base.axes and x.base.shape == y.base.shape


def _is_vector_of(importer, vector, image) -> bool:
    """A value for each channel of an image, as squeeze-and-excitation has them."""
    if vector.base is not None or image.base is not None or len(vector.shape) != len(image.shape):
        return False
    channel = image.axes[-1]
    one = [s == 1 or axis == channel for axis, s in enumerate(vector.shape)]
    cols = importer.tensor_of(image).cols
    return (
        all(one)
        and vector.shape != image.shape
        and vector.shape[channel] == image.shape[channel] == cols
        and importer.tensor_of(vector).cols in (cols, 1)
    )


def _scale_channels(importer, node, image, vector) -> None:
    """A depthwise convolution of one pixel. Its weights are the vector's diagonal."""
    cols = importer.tensor_of(image).cols
    turned = importer.layer(node, "move", [vector.tensor], clear=True)
    turned.output = importer.fresh(f"{node.name}_diagonal")
    turned.moves = diagonal(cols, cols, importer.tensor_of(vector).cols < cols)
    importer.add_inner(turned, View(turned.output, (cols, cols), (0, 1)), cols)
    importer.graph.tensors[turned.output].follows = vector.tensor
    layer = importer.layer(
        node,
        "scale_channels",
        [image.tensor, turned.output],
        height=importer.tensor_of(image).rows,
        groups=cols,
    )
    importer.add_like(node, layer, image)


@handles("Add", "fp8rt_add", "two tensors, or a tensor and a constant")
def add(importer, node) -> None:
    _combine(importer, node)


@handles("Sub", "fp8rt_add", "as Add")
def sub(importer, node) -> None:
    _combine(importer, node)


@handles(
    "Mul",
    "fp8rt_multiply, fp8rt_convolution",
    "as Add, and an image by a computed vector of its channels",
)
def mul(importer, node) -> None:
    _combine(importer, node)


@handles(
    "Div",
    "fp8rt_convolution; fp8rt_reciprocal, fp8rt_multiply",
    "by a constant for each channel, or one value; two tensors",
)
def div(importer, node) -> None:
    _combine(importer, node)


_BRANCHES = "a constant condition, and a tensor or two tensors"


@handles("Where", "fp8rt_multiply, fp8rt_add", _BRANCHES)
def where(importer, node) -> None:
    """x where the constant condition is true, else y: products with 1 and 0, and their sum."""
    condition = importer.constant(node.inputs[0])
    if condition is None:
        raise _unsupported("its condition is computed", _BRANCHES)
    computed = [place for place in (1, 2) if importer.constant(node.inputs[place]) is None]
    if not computed:
        raise _unsupported("both its values are constants", "a file that was simplified")
    if condition.all() or not condition.any():
        _take_branch(importer, node, 1 if condition.any() else 2)
        return
    masks = {1: condition.astype(np.float32), 2: (~condition).astype(np.float32)}
    views = []
    for place in computed:
        shape = np.zeros(_shape_of_where(importer, node))
        views.append(constants.widened(importer, node, importer.view(node, place), shape))
    if len(computed) == 2:
        parts = [
            constants.combine_inner(importer, node, "multiply", view, masks[place], "branch")
            for place, view in zip(computed, _alike(importer, node, *views))
        ]
        layer = importer.layer(node, "add", [part.tensor for part in parts])
        importer.add_like(node, layer, parts[0])
        return
    other = importer.constant(node.inputs[3 - computed[0]])
    _choose(importer, node, views[0], masks[computed[0]], other)


def _take_branch(importer, node, place: int) -> None:
    """One of two branches, for all indices."""
    if importer.constant(node.inputs[place]) is not None:
        raise _unsupported("it is a constant", "a file that was simplified")
    view, shape = importer.view(node, place), _shape_of_where(importer, node)
    importer.views[node.outputs[0]] = constants.widened(importer, node, view, np.zeros(shape))


def _shape_of_where(importer, node) -> tuple[int, ...]:
    shapes = [
        importer.view(node, place).shape
        if importer.constant(name) is None
        else importer.constant(name).shape
        for place, name in enumerate(node.inputs)
    ]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise _unsupported(f"its operands have the shapes {shapes}") from None


def _choose(importer, node, view: View, mask: np.ndarray, other: np.ndarray) -> None:
    """The view where the mask is 1, else the constant. What a softmax does not see is added."""
    values, kept = np.broadcast_arrays(other, mask == 1)
    hidden = values[~kept]
    if other.dtype.kind != "f" or np.isnan(other).any() or np.isposinf(other).any():
        raise _unsupported("its constant is not finite floats")
    added = np.where(mask == 0, other, np.float32(0)).astype(np.float32)
    if hidden.size and hidden.max() <= fuse.MASKED:
        constants.combine(importer, node, "add", view, added)
        return
    if not np.isfinite(added).all():
        raise _unsupported("its constant is partly -Inf", "finite floats, or -Inf alone")
    branch = constants.combine_inner(importer, node, "multiply", view, mask, "branch")
    constants.combine(importer, node, "add", branch, added)


@handles("Neg", "fp8rt_convolution, or the layer before it", "any")
def neg(importer, node) -> None:
    view = importer.view(node)
    ones = np.ones(importer.tensor_of(view).cols, np.float32)
    add_affine(importer, node, view, -ones, None)


# ---- activations --------------------------------------------------------------------------------


def _activate(importer, node, fused: Fused) -> None:
    view = importer.view(node)
    layer = importer.layer(node, "convert", [view.tensor], fused=fused)
    importer.add_like(node, layer, view)


def _register_activation(op: str, activation: str) -> None:
    @handles(op, "the layer before it, or fp8rt_add", "any")
    def by_activation(importer, node) -> None:
        _activate(importer, node, Fused(activation))


for _activation, (_op, _) in ACTIVATIONS.items():
    _register_activation(_op, _activation)


@handles("Clip", "the layer before it, or fp8rt_add", "constant limits")
def clip(importer, node) -> None:
    limits = [-LARGEST, LARGEST]
    for place in (1, 2):
        if node.operand(place):
            limit = importer.constant(node.inputs[place])
            if limit is None or limit.size != 1 or limit.dtype.kind != "f" or np.isnan(limit).any():
                raise _unsupported(f"input {place} is not one constant float")
            limits[place - 1] = float(np.clip(np.float32(limit.reshape(())[()]), -LARGEST, LARGEST))
    if limits[0] > limits[1]:
        raise _unsupported(f"its limits are {limits}", "min <= max")
    _activate(importer, node, Fused("clamp", (limits[0], limits[1])))


@handles(
    "PRelu",
    "a table, or fp8rt_add and fp8rt_convolution",
    "constant slopes for each index of one axis",
)
def prelu(importer, node) -> None:
    slopes = importer.constant(node.inputs[1])
    if slopes is None:
        raise _unsupported("its slopes are not constant", "constant slopes")
    if slopes.size and (slopes == slopes.reshape(-1)[0]).all():
        slope = float(slopes.reshape(-1)[0])
        if not np.isfinite(slope):
            raise _unsupported("its slope is not finite")
        fused = Fused(function="LeakyRelu", arguments=(slope,), table_from=node.inputs[0])
        _activate(importer, node, fused)
        return
    view, values = _with_channels(importer, node, importer.view(node), slopes)
    below = _inner(importer, node, view, "below", Fused("clamp", (-LARGEST, 0.0)))
    above = _inner(importer, node, view, "above", Fused("relu"))
    add_affine(importer, node, below, values, None)
    importer.graph.layers[-1].residual = above.tensor


def _inner(importer, node, view, what: str, fused: Fused):
    """The view's values behind an activation that nearly no command adds: a tensor like it."""
    layer = importer.layer(node, "convert", [view.tensor], fused=fused)
    layer.output = importer.fresh(f"{node.name}_{what}")
    source = importer.tensor_of(view)
    importer.add_inner(layer, view.of(layer.output), source.cols)
    importer.graph.tensors[layer.output].follows = view.tensor
    return importer.graph.views[layer.output]


@handles("Pow", "fp8rt_multiply, or a table", "a constant exponent of one value")
def power(importer, node) -> None:
    exponent = importer.constant(node.inputs[1])
    if exponent is None or exponent.size != 1 or not np.isfinite(exponent).all():
        raise _unsupported("its exponent is not one finite constant", "one constant")
    value = float(exponent.reshape(()))
    if exponent.ndim > len(importer.view(node).shape):
        raise _unsupported(f"its exponent has the shape {exponent.shape}", "one number")
    if value == 1.0:
        identity(importer, node)
    elif value == 2.0:
        view = importer.view(node)
        importer.add_like(node, importer.layer(node, "multiply", [view.tensor, view.tensor]), view)
    else:
        fused = Fused(function="Pow", arguments=(value,), table_from=node.inputs[0])
        _activate(importer, node, fused)


def _limit(importer, node, lower: bool) -> None:
    """Max or Min of a tensor and one constant."""
    constants = [importer.constant(name) for name in node.inputs]
    if len(constants) != 2 or (constants[0] is None) == (constants[1] is None):
        raise _unsupported("its operands are not a tensor and a constant", "one constant value")
    place = 0 if constants[0] is not None else 1
    limit = constants[place]
    view = importer.view(node, 1 - place)
    if limit.size != 1 or limit.ndim > len(view.shape) or np.isnan(limit).any():
        raise _unsupported(f"its constant has the shape {limit.shape}", "one constant value")
    value = float(np.clip(np.float32(limit.reshape(())), -LARGEST, LARGEST))
    fused = Fused("clamp", (value, LARGEST) if lower else (-LARGEST, value))
    layer = importer.layer(node, "convert", [view.tensor], fused=fused)
    importer.add_like(node, layer, view)


@handles("Max", "the layer before it, or fp8rt_add", "a tensor and one constant value")
def maximum(importer, node) -> None:
    _limit(importer, node, True)


@handles("Min", "the layer before it, or fp8rt_add", "a tensor and one constant value")
def minimum(importer, node) -> None:
    _limit(importer, node, False)


def _register(op: str, arguments: dict[str, float]) -> None:
    form = "a table of codes: FP8 before and behind"

    @handles(op, "a table of the layer before it, or fp8rt_add", form)
    def by_table(importer, node) -> None:
        values = tuple(float(node.attribute(n, default)) for n, default in arguments.items())
        if not np.isfinite(values).all():
            raise _unsupported("an attribute is not finite")
        name = op
        if op == "Gelu" and node.attribute("approximate", "none") == "tanh":
            name = "GeluTanh"
        fused = Fused(function=name, arguments=values, table_from=node.inputs[0])
        _activate(importer, node, fused)


for _op, (_, _arguments) in OPERATORS.items():
    _register(_op, _arguments)


FLOAT, INTEGERS, FLOAT16 = 1, (6, 7), 10  # types of ONNX


@handles("Cast", "-", "FLOAT to FLOAT; of indices; FLOAT to FLOAT16, and at once back to FLOAT")
def cast(importer, node) -> None:
    to = node.attribute("to", 0)
    if node.inputs[0] in importer.one_hot and to == FLOAT:
        importer.one_hot[node.outputs[0]] = importer.one_hot[node.inputs[0]]
        return
    view = importer.view(node)
    if to == FLOAT16 and importer.only_read_by(node.outputs[0], "Cast", to=FLOAT):
        if view.tensor in importer.graph.inputs:
            raise _unsupported("it rounds an input to FLOAT16", "an input of FLOAT")
        round_to(importer, node, "float16", 1.0)
        return
    if to not in INTEGERS if view.tensor in importer.indices else to != FLOAT:
        raise _unsupported(f"to is {to}", "FLOAT to FLOAT")
    identity(importer, node)
