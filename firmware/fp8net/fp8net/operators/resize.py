# SPDX-License-Identifier: Apache-2.0
"""Resize: values that are repeated, or products with a constant matrix along each axis, in powers of two where they fit."""

from __future__ import annotations

import math

import numpy as np

from ..ir import View, Weights
from .layout import _constant_ints, _unsupported
from .moving import arrange, plain, repeated
from .registry import handles

_FORMS = "modes nearest and linear; constant scales or sizes; no antialias, no crop"
_CODE_SCALE = 2.0**-8  # of weights from 0 to 1: quarters and eighths are exact
_ROUNDINGS = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
}


F32 = np.float32


def _sizes(importer, node, view: View) -> list[tuple[int, np.float32]]:
    """The size of each axis of the output, and its scale in single precision, as ONNX Runtime has them."""
    rank = len(view.shape)
    axes = [a % rank for a in node.attribute("axes") or range(rank)]
    given = importer.constant(node.operand(2)) if node.operand(2) else None
    if given is not None and given.size:
        scales = [F32(s) for s in given.reshape(-1)]
        counts = [math.floor(s * F32(view.shape[a])) for s, a in zip(scales, axes)]
    else:
        counts = _constant_ints(importer, node, 3)
        if counts is None:
            raise _unsupported("neither scales nor sizes are constant", _FORMS)
        if node.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
            raise _unsupported("keep_aspect_ratio_policy is not stretch", "stretch")
        scales = [F32(n) / F32(view.shape[a]) for n, a in zip(counts, axes)]
    if len(counts) != len(axes) or min(scales, default=1.0) <= 0:
        raise _unsupported(f"its scales are {scales} for {len(axes)} axes", _FORMS)
    for count, axis in zip(counts, axes):
        if count < 1:
            raise _unsupported(f"leaves nothing of {view.shape[axis]} values")
    found = dict(zip(axes, zip(counts, scales)))
    return [found.get(a, (size, F32(1))) for a, size in enumerate(view.shape)]


def _half_pixel_symmetric(x, scale, size: int, count: int):
    adjustment = F32(count) / (scale * F32(size))
    center = F32(size) / F32(2)
    return center * (1 - adjustment) + (x + F32(0.5)) / scale - F32(0.5)


_COORDINATES = {
    "half_pixel": lambda x, scale, *_: (x + F32(0.5)) / scale - F32(0.5),
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": lambda x, scale, _, count: (
        (x + F32(0.5)) / scale - F32(0.5) if count > 1 else F32(0) * x
    ),
    "asymmetric": lambda x, scale, *_: x / scale,
    "tf_half_pixel_for_nn": lambda x, scale, *_: (x + F32(0.5)) / scale,
    "align_corners": lambda x, _, size, count: x * F32(size - 1) / F32(max(count - 1, 1)),
}


def _places(node, size: int, count: int, scale: np.float32) -> np.ndarray:
    """Where each output lies on an axis of `size` values, in single precision: which of two values is nearer, or whether it is
    between two, depends on it."""
    where = node.attribute("coordinate_transformation_mode", "half_pixel")
    if where not in _COORDINATES:
        raise _unsupported(f"coordinates are {where}", ", ".join(_COORDINATES))
    x = np.arange(count, dtype=F32)
    return _COORDINATES[where](x, scale, size, count)


def _nearest(node, size: int, count: int, scale: np.float32) -> np.ndarray:
    """The index of the input for each output"""
    rounding = _ROUNDINGS[node.attribute("nearest_mode", "round_prefer_floor")]
    return np.clip(rounding(_places(node, size, count, scale)), 0, size - 1).astype(int)


def _matrix(node, size: int, count: int, scale: np.float32) -> np.ndarray:
    """Weights of the inputs for each output of an axis."""
    matrix = np.zeros((count, size), np.float32)
    rows = np.arange(count)
    if node.attribute("mode", "nearest") == "nearest":
        matrix[rows, _nearest(node, size, count, scale)] = 1
        return matrix
    places, last = _places(node, size, count, scale), size - 1
    below = np.floor(places)
    for at, weight in ((below, below + 1 - places), (below + 1, places - below)):
        np.add.at(matrix, (rows, np.clip(at, 0, last).astype(int)), weight)
    return matrix


def _multiply(importer, node, view: View, axis: int, matrix: np.ndarray, last: bool) -> View:
    """Products along an axis. They stay within their operands, and have the same scale."""
    axes = tuple(a for a in view.axes if a != axis) + (axis,)
    view = arrange(importer, node, view, axes)
    layer = importer.layer(node, "linear", [view.tensor])
    layer.weights = Weights(matrix, unit=_CODE_SCALE)
    shape = tuple(len(matrix) if a == axis else size for a, size in enumerate(view.shape))
    if last:
        importer.add(node, layer, shape, axes, len(matrix))
        return importer.views[node.outputs[0]]
    layer.output = importer.fresh(f"{node.name}_axis{axis}")
    importer.add_inner(layer, View(layer.output, shape, axes), len(matrix))
    importer.graph.tensors[layer.output].follows = view.tensor
    return importer.graph.views[layer.output]


@handles("Resize", "fp8rt_move, fp8rt_linear", _FORMS)
def resize(importer, node) -> None:
    view = plain(importer, node, importer.view(node))
    mode = node.attribute("mode", "nearest")
    if mode not in ("nearest", "linear"):
        raise _unsupported(f"mode is {mode}", _FORMS)
    if node.attribute("antialias", 0):
        raise _unsupported("antialias is 1", _FORMS)
    sizes = _sizes(importer, node, view)
    changed = [a for a, (count, scale) in enumerate(sizes) if (count, scale) != (view.shape[a], 1)]
    if changed and all(count == size for (count, _), size in zip(sizes, view.shape)):
        what = f"its scales {[float(scale) for _, scale in sizes]} leave all sizes as they are"
        raise _unsupported(what, "scales of 1: ONNX and ONNX Runtime differ about these")
    if mode == "nearest" and all(
        np.array_equal(
            _nearest(node, view.shape[a], *sizes[a]),
            np.repeat(np.arange(view.shape[a]), sizes[a][0] // view.shape[a]),
        )
        for a in changed
    ):
        factors = [count // size for (count, _), size in zip(sizes, view.shape)]
        repeated(importer, node, view, factors, False)
        return
    # An axis that lies last in memory is the first one: it need not be moved.
    axes = sorted(changed, key=lambda a: -view.axes.index(a))
    if not axes:
        repeated(importer, node, view, [1] * len(sizes), False)
    for axis in axes:
        matrix = _matrix(node, view.shape[axis], *sizes[axis])
        view = _multiply(importer, node, view, axis, matrix, axis == axes[-1])
