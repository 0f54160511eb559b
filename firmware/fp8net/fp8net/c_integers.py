# SPDX-License-Identifier: Apache-2.0
"""Layers of whole numbers in C: their constants, and their calls of fp8rt/integer.h."""

from __future__ import annotations

import numpy as np

from . import integer_layers
from .c_text import array, plain
from .ir import Layer
from .plan import name_of, up
from .weights import join

_BIAS_ROW = 8  # values: a multiple of the widest beat


def _codes(s, layer: Layer) -> np.ndarray:
    if layer.op == "int_convolution":
        return join(layer, s.graph, s.plan.beat).codes
    return layer.weights.codes


def _biases(s, layer: Layer) -> np.ndarray:
    """Rows at beats"""
    rows = integer_layers.biases(layer, s.graph)
    wide = np.zeros((len(rows), up(rows.shape[1], _BIAS_ROW)), np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide


def declarations(s, index: int, layer: Layer) -> list[str]:
    if layer.weights is None:
        return []
    return [
        f"extern const uint8_t {s.name}_codes{index}[];",
        f"extern const fp8mac_int_scale {s.name}_scales{index}[];",
        f"extern const int32_t {s.name}_bias{index}[];",
    ]


def _int32(values: np.ndarray) -> list[str]:
    """-2^31 has no literal."""
    return [f"(-{2**31 - 1} - 1)" if x == -(2**31) else str(int(x)) for x in values.reshape(-1)]


def arrays(s, index: int, layer: Layer) -> list[str]:
    """Codes with rows at beats, factors, and a bias for each band"""
    if layer.weights is None:
        return []
    codes = _codes(s, layer)
    wide = np.zeros((len(codes), up(codes.shape[1], s.plan.beat)), np.uint8)
    wide[:, : codes.shape[1]] = codes
    pairs = zip(layer.integer.multipliers, layer.integer.shifts)
    scales = np.array([f"{{{m}, {e}}}" for m, e in pairs])
    return [
        f"// {plain(layer.name)}: {codes.shape[0]} x {codes.shape[1]}",
        array("uint8_t", f"{s.name}_codes{index}", wide),
        array("fp8mac_int_scale", f"{s.name}_scales{index}", scales, list),
        array("int32_t", f"{s.name}_bias{index}", _biases(s, layer), _int32),
    ]


def _pair(layer: Layer, place: int) -> str:
    return f"{{{layer.integer.multipliers[place]}, {layer.integer.shifts[place]}}}"


def _limits(layer: Layer) -> list[str]:
    return [f".lo = {layer.integer.low}", f".hi = {layer.integer.high}"]


def _finish(s, index: int, layer: Layer) -> str:
    bands = len(integer_layers.biases(layer, s.graph))
    fields = [f".scales = {s.name}_scales{index}", f".bias = {s.name}_bias{index}"]
    if bands > 1:
        fields.append(f".bias_stride = {_biases(s, layer).shape[1]}")
    zero = s.graph.tensors[layer.output].zero
    return f".finish = {{{', '.join([*fields, f'.zero_point = {zero}', *_limits(layer)])}}}"


def _window(layer: Layer) -> list[str]:
    w = layer.window
    values = {
        **{"kernel_h": w.kernel[0], "kernel_w": w.kernel[1]},
        **{"stride_y": w.stride[0], "stride_x": w.stride[1]},
        **{"dilation_y": w.dilation[0], "dilation_x": w.dilation[1]},
        **{"pad_top": w.pads[0], "pad_left": w.pads[1]},
        **{"pad_bottom": w.pads[2], "pad_right": w.pads[3]},
    }
    fields = ", ".join(f".{name} = {value}" for name, value in values.items())
    return [f".height = {layer.height}", f".width = {layer.width}", f".window = {{{fields}}}"]


def _product(s, index: int, layer: Layer) -> tuple[str, list[str]]:
    rows, cols = _codes(s, layer).shape
    text = (
        f"    const fp8rt_tensor weights = {{.data = (void *)(uintptr_t){s.name}_codes{index}, .rows = {rows},\n"
        f"                                  .cols = {cols}, .stride = {up(cols, s.plan.beat)}, .format = FP8MAC_INT8}};\n"
    )
    fields = [".weights = &weights"]
    if layer.op == "int_convolution":
        fields += _window(layer)
        grouped = join(layer, s.graph, s.plan.beat)
        if grouped.group_in:
            fields += [f".group_in = {grouped.group_in}", f".group_out = {grouped.group_out}"]
        if grouped.pairs:
            fields.append(".pairs = true")
    return text, [*fields, _finish(s, index, layer)]


def _sum(s, layer: Layer, ids: dict[str, int]) -> tuple[str, list[str]]:
    zeros = [s.graph.tensors[name].zero for name in (*layer.inputs, layer.output)]
    return f"    const fp8rt_tensor y = at(arena, {ids[layer.inputs[1]]});\n", [
        ".y = &y",
        f".x_zero = {zeros[0]}",
        f".y_zero = {zeros[1]}",
        f".x_scale = {_pair(layer, 0)}",
        f".y_scale = {_pair(layer, 1)}",
        f".out_scale = {_pair(layer, 2)}",
        f".zero_point = {zeros[2]}",
        *_limits(layer),
    ]


def _edge(layer: Layer) -> list[str]:
    sides = zip(("top", "left", "bottom", "right"), layer.window.pads)
    return [
        f".height = {layer.height}",
        f".width = {layer.width}",
        *(f".{side} = {count}" for side, count in sides),
        f".code = {layer.integer.low}",
    ]


_DESCRIPTORS = {
    "int_convolution": ("fp8rt_int_convolution_desc", "fp8rt_int_convolution"),
    "int_linear": ("fp8rt_int_linear_desc", "fp8rt_int_linear"),
    "int_add": ("fp8rt_int_add_desc", "fp8rt_int_add"),
    "int_average": ("fp8rt_int_pool_desc", "fp8rt_int_average_pool"),
    "int_max": ("fp8rt_int_pool_desc", "fp8rt_int_max_pool"),
    "int_pad": ("fp8rt_int_pad_desc", "fp8rt_int_pad"),
    "int_softmax": ("fp8rt_int_softmax_desc", "fp8rt_int_softmax"),
}


def body(s, index: int, layer: Layer, ids: dict[str, int]) -> str:
    """Of the layer's function"""
    text, fields = "", []
    if layer.weights is not None:
        text, fields = _product(s, index, layer)
    elif layer.op == "int_add":
        text, fields = _sum(s, layer, ids)
    elif layer.op in ("int_average", "int_max"):
        fields = [*_window(layer), *_limits(layer)]
    elif layer.op == "int_pad":
        fields = _edge(layer)
    else:
        fields = [f".scale = {_pair(layer, 0)}", f".least = {layer.integer.least}"]
    kind, call = _DESCRIPTORS[layer.op]
    lines = ",\n        ".join([".x = &x", *fields, ".out = &out"])
    return (
        f"    const fp8rt_tensor x = at(arena, {ids[layer.inputs[0]]});\n"
        f"    fp8rt_tensor out = at(arena, {ids[layer.output]});\n"
        f"{text}    const {kind} desc = {{\n        {lines}}};\n"
        f'    fp8rt_run_label(run, "{name_of(layer)}");\n'
        f"    return {call}(run, &desc);\n"
    )
