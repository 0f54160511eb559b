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
_SHIFTS = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric")
_WHOLE = {
    ("asymmetric", "floor"),
    ("half_pixel", "round_prefer_floor"),
    ("half_pixel", "round_prefer_ceil"),
}
_ROUNDINGS = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
}


def _scales(importer, node, view: View) -> list[float]:
    """Of all axes."""
    rank = len(view.shape)
    axes = [a % rank for a in node.attribute("axes") or range(rank)]
    given = importer.constant(node.operand(2)) if node.operand(2) else None
    if given is not None and given.size:
        values = [float(s) for s in given.reshape(-1)]
    else:
        sizes = _constant_ints(importer, node, 3)
        if sizes is None:
            raise _unsupported("neither scales nor sizes are constant", _FORMS)
        if node.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
            raise _unsupported("keep_aspect_ratio_policy is not stretch", "stretch")
        values = [n / view.shape[a] for n, a in zip(sizes, axes)]
    if len(values) != len(axes) or min(values, default=1.0) <= 0:
        raise _unsupported(f"its scales are {values} for {len(axes)} axes", _FORMS)
    scales = dict(zip(axes, values))
    return [scales.get(a, 1.0) for a in range(rank)]


def _places(node, size: int, scale: float) -> np.ndarray:
    """Where each output lies on an axis of `size` values."""
    where = node.attribute("coordinate_transformation_mode", "half_pixel")
    exact = size * scale
    # A quotient of sizes times a size may be a bit less than whole.
    count = round(exact) if abs(exact - round(exact)) < 1e-6 * exact else math.floor(exact)
    x = np.arange(count)
    if count < 1:
        raise _unsupported(f"leaves nothing of {size} values")
    if where == "align_corners":
        if count != exact:
            raise _unsupported(f"makes {exact} of {size} values with {where}", "a whole size")
        return x * (size - 1) / (count - 1) if count > 1 else np.zeros(1)
    if where not in _SHIFTS:
        raise _unsupported(f"coordinates are {where}", f"align_corners, {', '.join(_SHIFTS)}")
    if where == "asymmetric":
        return x / scale
    places = (x + 0.5) / scale - 0.5
    if where == "half_pixel_symmetric":
        return places + size / 2 * (1 - count / exact)
    return np.zeros(1) if where == "pytorch_half_pixel" and count == 1 else places


def _matrix(node, size: int, scale: float) -> np.ndarray:
    """Weights of the inputs for each output of an axis."""
    places, last = _places(node, size, scale), size - 1
    matrix = np.zeros((len(places), size), np.float32)
    if node.attribute("mode", "nearest") == "nearest":
        rounding = _ROUNDINGS[node.attribute("nearest_mode", "round_prefer_floor")]
        nearest = np.clip(rounding(places), 0, last).astype(int)
        matrix[np.arange(len(places)), nearest] = 1
        return matrix
    below = np.floor(places)
    for at, weight in ((below, below + 1 - places), (below + 1, places - below)):
        np.add.at(matrix, (np.arange(len(places)), np.clip(at, 0, last).astype(int)), weight)
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
    scales = _scales(importer, node, view)
    factors = [round(s) for s in scales]
    whole = all(f >= 1 and abs(s - f) <= 1e-6 for f, s in zip(factors, scales))
    where = node.attribute("coordinate_transformation_mode", "half_pixel")
    rounding = node.attribute("nearest_mode", "round_prefer_floor")
    repeats = mode == "nearest" and whole and (where, rounding) in _WHOLE
    if repeats or all(s == 1 for s in scales):
        repeated(importer, node, view, factors, False)
        return
    axes = [a for a, s in enumerate(scales) if s != 1]
    # An axis that lies last in memory is the first one: it need not be moved.
    axes.sort(key=lambda a: -view.axes.index(a))
    for axis in axes:
        matrix = _matrix(node, view.shape[axis], scales[axis])
        view = _multiply(importer, node, view, axis, matrix, axis == axes[-1])
