# SPDX-License-Identifier: Apache-2.0
"""Integer layers: their outputs, and how fp8rt_int_convolution divides its image.

The executor pads an image with its zero point, as TensorFlow Lite defines it. The accelerator pads with zeros, and the zero
point is in the bias. So outputs whose windows lie over the image's edges in the same way have a bias of their own: a band of
lines and a band of pixels.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from . import integers
from .ir import Graph, Layer, Tensor, Window


@dataclasses.dataclass
class Band:
    """Outputs of which the same positions of the kernel lie in the image"""

    first: int
    count: int
    begin: int
    end: int


def bands(window: Window, size: int, axis: int) -> list[Band]:
    """Of lines (axis 0) or of pixels. fp8rt_int_convolution finds the same."""
    stride, dilation = window.stride[axis], window.dilation[axis]
    found: list[Band] = []
    for place in range(window.count(size, axis)):
        start = place * stride - window.pads[axis]
        begin = min(-(min(start, 0) // dilation), window.kernel[axis])
        end = max(begin, min(window.kernel[axis], -(-(size - start) // dilation)))
        if found and (found[-1].begin, found[-1].end) == (begin, end):
            found[-1].count += 1
        else:
            found.append(Band(place, 1, begin, end))
    return found


def layer_bands(layer: Layer, x: Tensor) -> tuple[list[Band], list[Band]]:
    """Without a zero point all outputs have one bias."""
    window = layer.window
    if x.zero == 0:
        heights, widths = layer.out_size
        return [Band(0, heights, 0, window.kernel[0])], [Band(0, widths, 0, window.kernel[1])]
    return bands(window, layer.height, 0), bands(window, layer.width, 1)


def biases(layer: Layer, graph: Graph) -> np.ndarray:
    """bands x n: the file's bias without the zero point's share of each sum"""
    x = graph.tensors[layer.inputs[0]]
    codes = layer.weights.codes.view(np.int8).astype(np.int64)
    own = layer.integer.bias
    own = np.zeros(len(codes), np.int64) if own is None else own.astype(np.int64)
    if layer.op == "int_linear":
        return integers.wrap(own - x.zero * codes.sum(1))[None]
    kernel = codes.reshape(len(codes), *layer.window.kernel, -1)
    down, across = layer_bands(layer, x)
    rows = [
        own - x.zero * kernel[:, a.begin : a.end, b.begin : b.end].sum((1, 2, 3))
        for a in down
        for b in across
    ]
    return integers.wrap(np.stack(rows))


# ---- outputs ------------------------------------------------------------------------------------


def _clamped(layer: Layer, codes: np.ndarray, zero: int) -> np.ndarray:
    return np.clip(codes + zero, layer.integer.low, layer.integer.high).astype(np.int8)


def _sums(layer: Layer, x: np.ndarray, zero: int) -> np.ndarray:
    """Of pixels x outputs, and the bias"""
    codes = layer.weights.codes.view(np.int8).astype(np.int64)
    away = x.astype(np.int64) - zero
    if layer.op == "int_linear":
        sums = away @ codes.T
    else:
        w = layer.window
        pads = ((w.pads[0], w.pads[2]), (w.pads[1], w.pads[3]), (0, 0))
        image = np.pad(away.reshape(layer.height, layer.width, -1), pads)
        kernel = codes.reshape(len(codes), *w.kernel, -1)
        (lines, pixels), (sy, sx) = layer.out_size, w.stride
        sums = np.zeros((lines * pixels, len(codes)), np.int64)
        for ky in range(w.kernel[0]):
            for kx in range(w.kernel[1]):
                y, z = ky * w.dilation[0], kx * w.dilation[1]
                part = image[y : y + sy * (lines - 1) + 1 : sy, z : z + sx * (pixels - 1) + 1 : sx]
                part = part.reshape(lines * pixels, -1)
                taps = kernel[:, ky, kx]
                sums += part * taps[:, 0] if layer.groups > 1 else part @ taps.T
    return sums if layer.integer.bias is None else sums + layer.integer.bias


def _average(part: np.ndarray) -> np.ndarray:
    total, half = part.sum(0), len(part) // 2
    size = (np.abs(total) + half) // len(part)
    return np.where(total > 0, size, -size)


def _windows(layer: Layer, x: np.ndarray, find) -> np.ndarray:
    """A row for each window: what `find` makes of its pixels x channels"""
    image = x.astype(np.int64).reshape(layer.height, layer.width, -1)
    return np.stack(
        [
            find(image[a, b].reshape(-1, image.shape[2]))
            for a in bands_of(layer.window, layer.height, 0)
            for b in bands_of(layer.window, layer.width, 1)
        ]
    )


def _padded(layer: Layer, x: np.ndarray) -> np.ndarray:
    top, left, bottom, right = layer.window.pads
    image = x.reshape(layer.height, layer.width, -1)
    edges = ((top, bottom), (left, right), (0, 0))
    return np.pad(image, edges, constant_values=layer.integer.low).reshape(-1, image.shape[2])


def bands_of(window: Window, size: int, axis: int) -> list[slice]:
    """The inputs of each output along an axis"""
    starts = [i * window.stride[axis] - window.pads[axis] for i in range(window.count(size, axis))]
    return [slice(max(s, 0), min(s + window.kernel[axis], size)) for s in starts]


def compute(layer: Layer, codes: dict[str, np.ndarray], graph: Graph) -> np.ndarray:
    """The codes of the layer's output, from those of all tensors before"""
    x, out, whole = graph.tensors[layer.inputs[0]], graph.tensors[layer.output], layer.integer
    rows = codes[x.name]
    if layer.op == "int_softmax":
        return integers.softmax(rows, int(whole.multipliers[0]), int(whole.shifts[0]), whole.least)
    if layer.op in ("int_average", "int_max"):
        find = _average if layer.op == "int_average" else lambda part: part.max(0)
        return _clamped(layer, _windows(layer, rows, find), 0)
    if layer.op == "int_pad":
        return _padded(layer, rows)
    if layer.op == "int_add":
        total = np.zeros(rows.shape, np.int64)
        for name, multiplier, shift in zip(layer.inputs, whole.multipliers, whole.shifts):
            away = codes[name].astype(np.int64) - graph.tensors[name].zero
            total += integers.scaled(away << integers.ADD_BITS, multiplier, shift)
        return _clamped(
            layer, integers.scaled(total, whole.multipliers[2], whole.shifts[2]), out.zero
        )
    sums = integers.wrap(_sums(layer, rows, x.zero))
    how = integers.scaled_once if layer.op == "int_linear" else integers.scaled
    return _clamped(layer, how(sums, whole.multipliers, whole.shifts), out.zero)


def encode(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Codes of values: to nearest, a tie goes away from zero. Arrays of INT8 are codes already."""
    if values.dtype == np.int8:
        return values
    ratio = values.astype(np.float32) / np.float32(tensor.scale)
    codes = np.copysign(np.floor(np.abs(ratio) + np.float32(0.5)), ratio) + tensor.zero
    return np.clip(codes, -128, 127).astype(np.int8)
