# SPDX-License-Identifier: Apache-2.0
"""Scales of numbers, codes of weights, and weights of small groups joined to whole beats."""

from __future__ import annotations

import dataclasses
import math

import fp8mac
import numpy as np
from fp8mac.layers import Pointer

from .device import device_of
from .ir import FORMAT_BYTES, FORMAT_C, FORMAT_MAX, INT8, Graph, Layer, Weights

LEAST_SCALE = 2.0**-126  # the smallest normal number: its inverse is finite
METHODS = ("max", "percentile", "mse")
_STEPS = 40  # candidates of the smallest squared error, from 0.4 to 1 of the largest magnitude


def scale_for(amax: float, format: str) -> float:
    """What makes `amax` the format's largest number, 2^-126 at least; 1 for zeros."""
    scale = float(np.float32(amax) / np.float32(FORMAT_MAX[format]))
    return max(scale, LEAST_SCALE) if math.isfinite(scale) and amax > 0 else 1.0


def power_of_two(scale: float) -> float:
    """The next power of two, with which nothing saturates that did not before: 2^-126 to 2^127"""
    mantissa, exponent = math.frexp(scale)
    return 2.0 ** min(exponent - (mantissa == 0.5), 127)


def are_powers(scales) -> bool:
    return bool((np.frexp(np.asarray(scales, np.float64))[0] == 0.5).all())


def rounded(values: np.ndarray, format: str, scale: float) -> np.ndarray:
    return fp8mac.decode(fp8mac.cast(values.astype(np.float64) / scale, format), format) * scale


def amax_of(values: np.ndarray, format: str, method: str, percentile: float) -> float:
    """The magnitude that becomes the format's largest number."""
    magnitudes = np.abs(values)
    largest = float(magnitudes.max(initial=0.0))
    if method == "percentile":
        return float(np.percentile(magnitudes, percentile)) or largest
    if method == "max" or largest == 0.0:
        return largest
    candidates = largest * np.linspace(0.4, 1.0, _STEPS)
    errors = [
        float(np.square(rounded(values, format, scale_for(c, format)) - values).sum())
        for c in candidates
    ]
    return float(candidates[int(np.argmin(errors))])


def row_scales(values: np.ndarray, format: str, method: str = "max", percentile: float = 99.9):
    """A scale for each row of n x k values."""
    return np.array(
        [scale_for(amax_of(row, format, method, percentile), format) for row in values], np.float32
    )


def quantise(weights: Weights, format: str, powers: bool = False) -> None:
    """Codes and row_scale, if the file has none: the row's largest magnitude is the format's largest number; with `powers` the
    scale is the next power of two."""
    if weights.codes is None:
        weights.format, weights.made = format, True
        if weights.unit is not None and format != INT8:
            weights.row_scale = np.full(len(weights.values), weights.unit, np.float32)
        else:
            weights.row_scale = row_scales(weights.values, format)
        if powers:
            each = [power_of_two(scale) for scale in weights.row_scale]
            weights.row_scale = np.array(each, np.float32)
        scaled = weights.values.astype(np.float64) / weights.row_scale[:, None].astype(np.float64)
        weights.codes = fp8mac.cast(scaled, format)


# ---- groups -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Grouped:
    """Weights as fp8rt_convolution takes them: `group_in` and `group_out` of 0 stand for one group."""

    codes: np.ndarray  # n x columns; the rows of the last group may be shorter
    group_in: int
    group_out: int
    count: int  # groups
    pairs: bool = False  # as fp8rt_pair_lines packs them: of `parts` the codes are not to be used

    def part(self, group: int, points: int, channels: int) -> tuple[slice, slice, np.ndarray]:
        """Input channels, output channels and codes of a group."""
        if self.group_in == 0:
            return slice(0, channels), slice(0, self.codes.shape[0]), self.codes
        inputs = slice(group * self.group_in, min((group + 1) * self.group_in, channels))
        outputs = slice(
            group * self.group_out, min((group + 1) * self.group_out, self.codes.shape[0])
        )
        columns = points * (inputs.stop - inputs.start)
        return inputs, outputs, self.codes[outputs, :columns]


def together(layer: Layer, graph: Graph, beat: int, each_out: int) -> int:
    """The fewest groups whose outputs, and residuals, are whole beats."""
    written = [layer.output, *([layer.residual] if layer.residual else [])]
    least = min((graph.tensors[n].format for n in written), key=FORMAT_BYTES.__getitem__)
    return device_of(graph, beat).ask("fp8rt_groups_to_join", FORMAT_C[least], each_out)


def are_quads(channels: int, graph: Graph) -> bool:
    """Whether a product for each channel is depthwise commands, for a beat of channels each"""
    joined = device_of(graph).ask("fp8rt_channels_to_join", "FP8MAC_E4M3FN", channels)
    return joined == graph.columns


def has_quads(layer: Layer, graph: Graph) -> bool:
    each = layer.weights is None or layer.weights.codes.shape[0] == layer.groups
    return each and are_quads(layer.groups, graph)


def has_pairs(layer: Layer, graph: Graph) -> bool:
    """Whether a depthwise convolution gives two output lines at once: fp8rt_takes_pairs, and what such commands need"""
    window = layer.window
    if layer.op not in ("convolution", "int_convolution") or layer.residual is not None:
        return False
    written = (
        layer.fused.table_format if layer.fused.function else graph.tensors[layer.output].format
    )
    deep = layer.weights.codes.shape == (layer.groups, window.kernel[0] * window.kernel[1])
    if not deep or FORMAT_BYTES[written] != 1:
        return False
    fields = {"kernel_h": window.kernel[0], "stride_y": window.stride[0]}
    fields["dilation_y"] = window.dilation[0]
    asked = (layer.groups, Pointer("fp8rt_window", fields), layer.out_size[0])
    return bool(device_of(graph).ask("fp8rt_takes_pairs", *asked) & 1)


def pair_lines(layer: Layer, graph: Graph) -> np.ndarray:
    """The rows of weights of fp8rt_pair_lines"""
    codes, window = layer.weights.codes, layer.window
    points, each = codes.shape[1], graph.columns // 2
    # From the pixels of a line's outputs to those of the next line's
    shift = window.stride[0] * window.kernel[1]
    wide = np.zeros((len(codes) // each, 2, each, points + shift, each), np.uint8)
    for channel, row in enumerate(codes):
        group, place = divmod(channel, each)
        for second in range(2):
            at = second * shift
            wide[group, second, place, at : at + points, place] = row
    return wide.reshape(2 * len(codes), -1)


def of_pairs(layer: Layer) -> Layer:
    """The convolution whose outputs are two lines of the layer's"""
    window = layer.window
    stride, kernel = 2 * window.stride[0], window.kernel[0] + window.stride[0]
    lines = -(-layer.out_size[0] // 2)
    top, left, _, right = window.pads
    bottom = max(0, (lines - 1) * stride + kernel - layer.height - top)
    wide = dataclasses.replace(
        window,
        kernel=(kernel, window.kernel[1]),
        stride=(stride, window.stride[1]),
        pads=(top, left, bottom, right),
    )
    return dataclasses.replace(layer, window=wide)


MOST_WIDTH, MOST_CODES = 255, 65535  # of the kernel of a global average


def averages_quads(layer: Layer, graph: Graph) -> bool:
    """Whether a global average is depthwise commands, as firmware/layers/pooling.c says"""
    columns, channels = graph.columns, graph.tensors[layer.inputs[0]].cols
    codes = layer.height * layer.width * columns
    return (
        bool(columns)
        and channels % columns == 0
        and layer.width <= MOST_WIDTH
        and codes <= MOST_CODES
    )


def ones_of(layer: Layer, graph: Graph, beat: int) -> np.ndarray:
    """The codes of fp8rt_global_average_ones: row n adds channel n of a beat, and has a quad of channels of each pixel."""
    source, columns, pixels = (
        graph.tensors[layer.inputs[0]],
        graph.columns,
        layer.height * layer.width,
    )
    codes = np.zeros((min(beat, source.cols), pixels, columns), np.uint8)
    for row, places in enumerate(codes):
        places[:, row % columns] = 1 if source.format == INT8 else 0x38
    return codes.reshape(len(codes), -1)


def join(layer: Layer, graph: Graph, beat: int) -> Grouped:
    """The fewest neighbouring groups together whose outputs, and residuals, are whole beats; zeros between them. Of depthwise
    commands those of as many channels as the array has columns, or of half as many with pairs."""
    codes, groups = layer.weights.codes, layer.groups
    if groups == 1:
        return Grouped(codes, 0, 0, 1)
    if has_pairs(layer, graph):
        each = graph.columns // 2
        return Grouped(pair_lines(layer, graph), each, each, -(-groups // beat), True)
    quads = has_quads(layer, graph)
    points = layer.window.kernel[0] * layer.window.kernel[1]
    n = codes.shape[0]
    each_in, each_out = codes.shape[1] // points, n // groups
    joined = graph.columns if quads else min(together(layer, graph, beat, each_out), groups)
    wide = np.zeros((n, points * each_in * joined), np.uint8)
    for row in range(n):
        group = row // each_out
        first = group - group % joined
        present = min(joined, groups - first)
        place = wide[row, : points * each_in * present].reshape(points, present, each_in)
        place[:, group - first] = codes[row].reshape(points, each_in)
    if quads:
        return Grouped(wide, joined, joined, -(-groups // beat))
    if joined == groups:
        return Grouped(wide, 0, 0, 1)
    return Grouped(wide, each_in * joined, each_out * joined, -(-groups // joined))
