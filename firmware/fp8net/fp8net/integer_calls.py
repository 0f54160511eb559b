# SPDX-License-Identifier: Apache-2.0
"""Integer layers: their constants, and the fields of their calls of fp8rt/integer.h."""

from __future__ import annotations

import numpy as np

from . import integer_layers
from .calls import Array, At, Fields, InOrder, Local, Matrix, up
from .ir import Graph, Layer
from .weights import join

_BIAS_ROW = 8  # values: a multiple of the widest beat


def codes_of(graph: Graph, beat: int, layer: Layer) -> np.ndarray:
    if layer.op == "int_convolution":
        return join(layer, graph, beat).codes
    return layer.weights.codes


def biases_of(graph: Graph, layer: Layer) -> np.ndarray:
    """Rows at beats"""
    rows = integer_layers.biases(layer, graph)
    wide = np.zeros((len(rows), up(rows.shape[1], _BIAS_ROW)), np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide


def window_of(layer: Layer) -> Fields:
    w = layer.window
    return {
        **{"kernel_h": w.kernel[0], "kernel_w": w.kernel[1]},
        **{"stride_y": w.stride[0], "stride_x": w.stride[1]},
        **{"dilation_y": w.dilation[0], "dilation_x": w.dilation[1]},
        **{"pad_top": w.pads[0], "pad_left": w.pads[1]},
        **{"pad_bottom": w.pads[2], "pad_right": w.pads[3]},
    }


def _image(layer: Layer) -> Fields:
    return {"height": layer.height, "width": layer.width, "window": window_of(layer)}


def _factor(layer: Layer, place: int) -> Fields:
    integer = layer.integer
    return InOrder(multiplier=int(integer.multipliers[place]), shift=int(integer.shifts[place]))


def _limits(layer: Layer) -> Fields:
    return {"lo": int(layer.integer.low), "hi": int(layer.integer.high)}


def _product(graph: Graph, beat: int, prefix: str, index: int, layer: Layer):
    rows, cols = codes_of(graph, beat, layer).shape
    biases, integer = biases_of(graph, layer), layer.integer
    codes = Array(f"{prefix}_codes{index}", rows * up(cols, beat))
    fields: Fields = {"weights": Local("weights")}
    if layer.op == "int_convolution":
        grouped = join(layer, graph, beat)
        fields |= _image(layer)
        if grouped.group_in:
            fields |= {"group_in": grouped.group_in, "group_out": grouped.group_out}
        if grouped.pairs:
            fields["pairs"] = True
    factors = np.stack([integer.multipliers, integer.shifts], 1).astype(np.int32)
    finish: Fields = {
        "scales": Array(f"{prefix}_scales{index}", factors.nbytes, factors),
        "bias": Array(f"{prefix}_bias{index}", 4 * biases.size),
    }
    if len(biases) > 1:
        finish["bias_stride"] = biases.shape[1]
    finish |= {"zero_point": graph.tensors[layer.output].zero, **_limits(layer)}
    weights = Matrix(codes, rows, cols, up(cols, beat), "int8")
    return {"weights": weights}, fields | {"finish": finish}


def _sum(graph: Graph, layer: Layer):
    x, y, out = (graph.tensors[name].zero for name in (*layer.inputs, layer.output))
    fields = {
        **{"y": Local("y"), "x_zero": x, "y_zero": y},
        **{"x_scale": _factor(layer, 0), "y_scale": _factor(layer, 1)},
        **{"out_scale": _factor(layer, 2), "zero_point": out, **_limits(layer)},
    }
    return {"y": At(layer.inputs[1])}, fields


def own(graph: Graph, beat: int, prefix: str, index: int, layer: Layer):
    """The structures and fields between x and out"""
    if layer.weights is not None:
        return _product(graph, beat, prefix, index, layer)
    if layer.op == "int_add":
        return _sum(graph, layer)
    if layer.op in ("int_average", "int_max"):
        return {}, _image(layer) | _limits(layer)
    if layer.op == "int_pad":
        sides = dict(zip(("top", "left", "bottom", "right"), layer.window.pads))
        sizes = {"height": layer.height, "width": layer.width}
        return {}, {**sizes, **sides, "code": int(layer.integer.low)}
    return {}, {"scale": _factor(layer, 0), "least": int(layer.integer.least)}
