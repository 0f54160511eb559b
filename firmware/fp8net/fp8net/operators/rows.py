# SPDX-License-Identifier: Apache-2.0
"""Softmax, norms and reductions: operators along axes, which become the rows of a tensor."""

from __future__ import annotations

import numpy as np

from ..ir import Norm, Tensor, View, Window, product
from .layout import _axes_of, _set_shape, _unsupported
from .moving import arrange, plain, reshape
from .products import add_affine
from .registry import handles

MOST_COLS = 1 << 24
LEAST_EPS = 2.0**-126
MOST_AVERAGED = 65535  # pixels, and channels


def _rows(importer, node, axis: int) -> View:
    """The operand with `axis` along the rows of its tensor."""
    view = plain(importer, node, importer.view(node))
    rank = len(view.shape)
    axis = axis + rank if axis < 0 else axis
    return arrange(importer, node, view, tuple(a for a in view.axes if a != axis) + (axis,))


@handles("Softmax", "fp8rt_softmax", "any axis")
def softmax(importer, node) -> None:
    softmax_axis(importer, node, node.attribute("axis", -1))


def softmax_axis(importer, node, axis: int) -> None:
    view = _rows(importer, node, axis)
    importer.add_like(node, importer.layer(node, "softmax", [view.tensor]), view)


# ---- norms --------------------------------------------------------------------------------------


def _normalise(importer, node, view: View, norm: Norm) -> None:
    if not LEAST_EPS <= norm.eps < np.inf:
        raise _unsupported(f"epsilon is {norm.eps}", "2^-126 and more")
    layer = importer.layer(node, "normalise", [view.tensor], norm=norm)
    importer.add_like(node, layer, view)


def normalise_axis(importer, node, axis: int, norm: Norm) -> None:
    _normalise(importer, node, _rows(importer, node, axis), norm)


def _vector(importer, node, place: int, size: int) -> np.ndarray | None:
    if len(node.inputs) <= place or not node.inputs[place]:
        return None
    values = importer.constant(node.inputs[place])
    if values is None or values.size != size or not np.isfinite(values).all():
        raise _unsupported(
            f"its input {node.inputs[place]!r} is no finite constant of {size} values"
        )
    return np.ascontiguousarray(values.reshape(-1).astype(np.float32))


def _norm_of_axes(importer, node, rms: bool) -> None:
    """Over the last axes, from attribute axis on."""
    view = importer.view(node)
    shape, rank = view.shape, len(view.shape)
    axis = node.attribute("axis", -1) % rank
    size = product(shape[axis:])
    if axis == rank - 1:
        rows = _rows(importer, node, axis)
    else:
        rows = reshape(importer, node, view, (*shape[:axis], size))
    norm = Norm(
        rms,
        float(node.attribute("epsilon", 1e-5)),
        _vector(importer, node, 1, size),
        None if rms else _vector(importer, node, 2, size),
    )
    _normalise(importer, node, rows, norm)
    _set_shape(importer, node, shape, node.outputs[0])


@handles("LayerNormalization", "fp8rt_normalise", "constant Scale and B; Y alone")
def layer_normalization(importer, node) -> None:
    _norm_of_axes(importer, node, False)


@handles("RMSNormalization", "fp8rt_normalise", "constant scale")
def rms_normalization(importer, node) -> None:
    _norm_of_axes(importer, node, True)


def _norm_of_groups(importer, node, groups: int) -> None:
    """Rows of the channels of a group, then a factor and an offset for each channel."""
    view = importer.view(node)
    shape = view.shape
    channels = shape[1]
    if len(shape) < 3 or channels % groups:
        raise _unsupported(f"normalises {groups} groups of {shape}", "images of channels")
    factor = _vector(importer, node, 1, channels)
    offset = _vector(importer, node, 2, channels)
    size = product(shape[1:]) // groups
    rows = reshape(importer, node, view, (shape[0], groups, size))
    name = importer.fresh(f"{node.name}_normalised")
    layer = importer.layer(
        node, "normalise", [rows.tensor], norm=Norm(False, float(node.attribute("epsilon", 1e-5)))
    )
    layer.output = name
    # No value of a row of n is above sqrt(n). FP8 keeps its precision over that range.
    importer.add_inner(layer, View(name, rows.shape, rows.axes), size, float(np.sqrt(size)))
    image = View(name, shape, tuple(range(len(shape))))
    order = (0, *range(2, len(shape)), 1)
    add_affine(importer, node, arrange(importer, node, image, order), factor, offset)


@handles("InstanceNormalization", "fp8rt_normalise, fp8rt_convolution", "constant scale and B")
def instance_normalization(importer, node) -> None:
    shape = importer.view(node).shape
    if len(shape) < 3:
        raise _unsupported(f"its input has shape {shape}", "pixels behind the channels")
    _norm_of_groups(importer, node, shape[1])


@handles(
    "GroupNormalization",
    "fp8rt_normalise, fp8rt_convolution",
    "constant scale and bias for each channel",
)
def group_normalization(importer, node) -> None:
    _norm_of_groups(importer, node, node.attribute("num_groups"))


# ---- reductions ---------------------------------------------------------------------------------


def _reduced_axes(importer, node) -> list[int]:
    rank = len(importer.view(node).shape)
    axes = node.attribute("axes")
    if axes is None:
        axes = _axes_of(importer, node, rank)
    if not axes:
        if node.attribute("noop_with_empty_axes", 0):
            raise _unsupported("noop_with_empty_axes is 1 without axes", "axes")
        axes = range(rank)
    return sorted(a % rank for a in axes)


def _kept(node, shape: tuple[int, ...], axes: list[int]) -> tuple[int, ...]:
    keep = node.attribute("keepdims", 1)
    return tuple(1 if a in axes else s for a, s in enumerate(shape) if keep or a not in axes)


def _averages_pixels(importer, view: View, axes: list[int]) -> bool:
    """All axes but that of the images and the one that is last in memory."""
    if view.base is not None or len(view.shape) < 3:
        return False
    left = [a for a in range(len(view.shape)) if a not in axes]
    tensor = importer.tensor_of(view)
    pixels = tensor.rows // view.shape[0]
    whole = tensor.cols == view.shape[view.axes[-1]]
    return (
        left == sorted({0, view.axes[-1]})
        and view.axes[0] == 0
        and whole
        and max(pixels, tensor.cols) <= MOST_AVERAGED
    )


def _reduce(importer, node, reduction: str, mean: bool) -> None:
    view, axes = importer.view(node), _reduced_axes(importer, node)
    shape = _kept(node, view.shape, axes)
    if len(axes) == 0 or all(view.shape[a] == 1 for a in axes):
        _set_shape(importer, node, shape)
        return
    if reduction == "sum" and mean and _averages_pixels(importer, view, axes):
        _average_pixels(importer, node, view, shape)
        return
    view = plain(importer, node, view)
    others = [a for a in view.axes if a not in axes]
    size = product(view.shape[a] for a in axes)
    if size > MOST_COLS:
        raise _unsupported(f"reduces {size} values", f"{MOST_COLS} at most")
    if len(axes) == 1:
        rows = arrange(importer, node, view, (*others, *axes))
    else:
        order = (*sorted(others), *axes)
        turned = View(
            view.tensor,
            tuple(view.shape[a] for a in order),
            tuple(order.index(a) for a in view.axes),
        )
        rows = reshape(importer, node, turned, (*(view.shape[a] for a in sorted(others)), size))
        others = sorted(others)
    factor = 1.0 / size if mean else 1.0
    layer = importer.layer(node, "reduce", [rows.tensor], reduction=reduction, factor=factor)
    # The output has the axes that are left, in the order of memory.
    left = sorted(others)
    small = View(
        layer.output, tuple(view.shape[a] for a in left), tuple(left.index(a) for a in others)
    )
    importer.graph.tensors[layer.output] = Tensor(layer.output, product(small.shape), 1)
    importer.graph.layers.append(layer)
    importer.views[node.outputs[0]] = importer.graph.views[layer.output] = small
    _set_shape(importer, node, shape, node.outputs[0])
    importer.graph.views[layer.output] = importer.views[node.outputs[0]]


def _average_pixels(importer, node, view: View, shape: tuple[int, ...]) -> None:
    tensor = importer.tensor_of(view)
    pixels = tensor.rows // view.shape[0]
    layer = importer.layer(
        node,
        "global_average",
        [view.tensor],
        images=view.shape[0],
        height=pixels,
        window=Window((pixels, 1)),
    )
    channel = view.axes[-1]
    small = (view.shape[0], tensor.cols)
    importer.add(node, layer, small, (0, 1), tensor.cols)
    if len(shape) != 2:
        kept = tuple(s if a in (0, channel) else 1 for a, s in enumerate(view.shape))
        others = [a for a in range(len(kept)) if a != channel]
        out = View(layer.output, kept, (*others, channel))
        importer.views[node.outputs[0]] = importer.graph.views[layer.output] = out


@handles("ReduceMean", "fp8rt_global_average, fp8rt_reduce", "constant axes")
def reduce_mean(importer, node) -> None:
    _reduce(importer, node, "sum", True)


@handles("ReduceSum", "fp8rt_reduce", "constant axes")
def reduce_sum(importer, node) -> None:
    _reduce(importer, node, "sum", False)


@handles("ReduceMax", "fp8rt_reduce", "constant axes")
def reduce_max(importer, node) -> None:
    _reduce(importer, node, "maximum", False)


@handles("ReduceMin", "fp8rt_add, fp8rt_reduce", "constant axes")
def reduce_min(importer, node) -> None:
    """-(maximum of -x). x - 2 x changes the sign alone."""
    below = _negative(importer, node, importer.view(node), "below")
    importer.graph.tensors[below.tensor].follows = importer.view(node).tensor
    source, name = f"{below.tensor}_of", importer.fresh(f"{node.name}_largest")
    importer.views[source] = below
    inner = type(node)(node.proto, node.name, node.op, [source, *node.inputs[1:]], [name])
    _reduce(importer, inner, "maximum", False)
    importer.graph.tensors[importer.views[name].tensor].inner = True
    largest = importer.views.pop(name)
    del importer.views[source]
    layer = importer.layer(node, "add", [largest.tensor, largest.tensor], factor=-2.0)
    importer.add_like(node, layer, largest)


def _negative(importer, node, view: View, what: str) -> View:
    layer = importer.layer(node, "add", [view.tensor, view.tensor], factor=-2.0)
    layer.output = importer.fresh(f"{node.name}_{what}")
    importer.add_inner(layer, view.of(layer.output), importer.tensor_of(view).cols)
    return importer.graph.views[layer.output]
