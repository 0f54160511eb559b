# SPDX-License-Identifier: Apache-2.0
"""Sums and products, activations, functions by tables, softmax."""

from __future__ import annotations

import numpy as np

from ..ir import Fused
from .layout import _unsupported, identity
from .products import add_affine
from .registry import handles

LARGEST = float(np.finfo(np.float32).max)


# ---- sums and products --------------------------------------------------------------------------


def _channel_values(importer, view, constant: np.ndarray) -> np.ndarray:
    """A value for each channel of the tensor, from a constant that is broadcast."""
    tensor = importer.tensor_of(view)
    if constant.dtype.kind != "f" or not np.isfinite(constant).all():
        raise _unsupported("its constant is not finite floats")
    if constant.ndim > len(view.shape):
        raise _unsupported(
            f"its constant of shape {constant.shape} has more sizes than {view.shape}",
            "a constant with as many sizes at most",
        )
    if constant.size == 1:
        return np.broadcast_to(constant.reshape(-1), (tensor.cols,)).astype(np.float32)
    shape = (1,) * (len(view.shape) - constant.ndim) + constant.shape
    channel = view.axes[-1]
    if (
        view.base is not None
        or len(shape) != len(view.shape)
        or shape[channel] != tensor.cols
        or shape[channel] != constant.size
        or view.shape[channel] != tensor.cols
    ):
        raise _unsupported(
            f"its constant of shape {constant.shape} is not one value a channel of {view.shape}",
            "a constant for each channel, or one value",
        )
    return constant.reshape(-1).astype(np.float32)


def _with_constant(importer, node, place: int) -> None:
    """x op constant, or constant op x."""
    constant = importer.constant(node.inputs[place])
    view = importer.view(node, 1 - place)
    values = _channel_values(importer, view, constant)
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


def _combine(importer, node) -> None:
    for place in (0, 1):
        if importer.constant(node.inputs[place]) is not None:
            if importer.constant(node.inputs[1 - place]) is not None:
                raise _unsupported("both operands are constants", "a file that was simplified")
            _with_constant(importer, node, place)
            return
    x, y = importer.view(node, 0), importer.view(node, 1)
    if node.op == "Div":
        raise _unsupported("both operands are computed", "a divisor that is constant")
    if node.op == "Mul" and (_is_vector_of(importer, y, x) or _is_vector_of(importer, x, y)):
        _scale_channels(importer, node, *((x, y) if _is_vector_of(importer, y, x) else (y, x)))
        return
    if x.shape != y.shape:
        raise _unsupported(f"broadcasts {x.shape} and {y.shape}", "operands of the same shape")
    a, b = importer.tensor_of(x), importer.tensor_of(y)
    same = x.base == y.base if x.base is None or y.base is None else x.base.axes == y.base.axes
    if (
        (a.rows, a.cols) != (b.rows, b.cols)
        or not same
        or (x.base is None and not y.lies_as(x.axes))
    ):
        raise _unsupported(f"its operands of shape {x.shape} lie differently in memory")
    layer = importer.layer(
        node,
        "multiply" if node.op == "Mul" else "add",
        [x.tensor, y.tensor],
        factor=-1.0 if node.op == "Sub" else 1.0,
    )
    importer.add_like(node, layer, x)


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
    tensor = importer.tensor_of(image)
    layer = importer.layer(
        node,
        "scale_channels",
        [image.tensor, vector.tensor],
        height=tensor.rows,
        groups=tensor.cols,
    )
    layer.extra = {"diagonal": f"{layer.name}_diagonal"}
    importer.add_like(node, layer, image)


@handles("Add", "fp8rt_add", "two tensors of the same shape, or a constant for each channel")
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


@handles("Div", "fp8rt_convolution", "by a constant for each channel, or one value")
def div(importer, node) -> None:
    _combine(importer, node)


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


@handles("Relu", "the layer before it, or fp8rt_add", "any")
def relu(importer, node) -> None:
    _activate(importer, node, Fused("relu"))


@handles("Clip", "the layer before it, or fp8rt_add", "constant limits")
def clip(importer, node) -> None:
    limits = [-LARGEST, LARGEST]
    for place in (1, 2):
        if len(node.inputs) > place and node.inputs[place]:
            limit = importer.constant(node.inputs[place])
            if limit is None or limit.size != 1 or limit.dtype.kind != "f" or np.isnan(limit).any():
                raise _unsupported(f"input {place} is not one constant float")
            limits[place - 1] = float(np.clip(np.float32(limit.reshape(())[()]), -LARGEST, LARGEST))
    if limits[0] > limits[1]:
        raise _unsupported(f"its limits are {limits}", "min <= max")
    _activate(importer, node, Fused("clamp", (limits[0], limits[1])))


# The attributes that are arguments, with their defaults.
_TABLES = {
    "Sigmoid": {},
    "Tanh": {},
    "HardSigmoid": {"alpha": 0.2, "beta": 0.5},
    "HardSwish": {},
    "LeakyRelu": {"alpha": 0.01},
    "Elu": {"alpha": 1.0},
    "Softplus": {},
    "Erf": {},
    "Abs": {},
    "Gelu": {},
    "Exp": {},
    "Sqrt": {},
    "Log": {},
    "Reciprocal": {},
}


def _register(op: str, arguments: dict[str, float]) -> None:
    form = "a table of codes: FP8 before and behind"

    @handles(op, "a table of the layer before it, or fp8rt_add", form)
    def by_table(importer, node) -> None:
        if op == "Gelu" and node.attribute("approximate", "none") != "none":
            raise _unsupported("approximate is not none", "approximate none")
        values = tuple(float(node.attribute(n, default)) for n, default in arguments.items())
        if not np.isfinite(values).all():
            raise _unsupported("an attribute is not finite")
        _activate(importer, node, Fused(function=op, arguments=values, table_from=node.inputs[0]))


for _op, _arguments in _TABLES.items():
    _register(_op, _arguments)


@handles(
    "Softmax", "fp8rt_softmax", "along the channels; the output is FP8 with the scale 2^-8 (e4m3fn)"
)
def softmax(importer, node) -> None:
    view = importer.view(node)
    rank = len(view.shape)
    axis = node.attribute("axis", -1) % rank
    tensor = importer.tensor_of(view)
    if view.base is not None or view.axes[-1] != axis or tensor.cols != view.shape[axis]:
        raise _unsupported(
            f"axis {axis} of {view.shape} is not last in memory", "the channels' axis"
        )
    importer.add_like(node, importer.layer(node, "softmax", [view.tensor]), view)
    out = importer.graph.tensors[node.outputs[0]]
    out.format, out.scale, out.fixed = "e4m3fn", 2.0**-8, False


@handles("Cast", "-", "FLOAT to FLOAT")
def cast(importer, node) -> None:
    if node.attribute("to", 0) != 1:
        raise _unsupported(f"to is {node.attribute('to', 0)}", "FLOAT to FLOAT")
    identity(importer, node)
