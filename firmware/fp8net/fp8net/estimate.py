# SPDX-License-Identifier: Apache-2.0
"""Cycles of layers before anything runs.

The accelerator's are those of the golden model's timing (fp8mac.convolution_cycles, elementwise_cycles, rows_cycles): of the
commands that the layer library issues, each alone, on the array of 4 x 4 elements of 16 lanes with the network's bus. In a list,
commands overlap and share vectors, so a list may take less, and a layer of many small commands more.

The core's are what a layer does times constants that were measured on the simulated chip: those of a list, of a pause for a part
of the core and of a table in CORE, of values in VALUES. They say how long a network takes within a quarter or so.

MX products, transposed convolutions, LSTM, GRU, and layers of whole numbers have no estimate of the accelerator; embeddings and
reciprocals none of the core.
"""

from __future__ import annotations

import dataclasses

import fp8mac

from . import max_pool, weights
from .ir import Graph, Layer, Tensor
from .moves import Copies
from .plan import REPEATED, Plan, commands_of, turns_of, up

KINDS = {"block_f19_l16": "block", "int8_l16": "int8"}  # elements that both know
# Cycles of the core
CORE = {
    "list": 600,  # make bench-core
    "pause": 1000,  # of pulsevad_2.1k.onnx and fashion.onnx: their run less the accelerator and the list, of two pauses
    "table": 900,  # of the network of the test networks-chip, likewise
}
VALUES = {
    "move": 6.0,  # 2 to 10: fp8rt/move.h
    "logarithm": 300.0,  # docs/NETWORKS.md
}


@dataclasses.dataclass
class _Chip:
    element: str
    beat: int

    @property
    def options(self) -> dict:
        return {"element": self.element, "axi_data_w": 8 * self.beat}


def cycles(graph: Graph, layer: Layer, element: str, beat: int) -> int | None:
    """Of the accelerator. None: there is no estimate."""
    estimate = _ACCELERATOR.get(layer.op)
    if element not in KINDS or layer.mx or estimate is None:
        return None
    return estimate(graph, layer, _Chip(KINDS[element], beat))


def core_cycles(graph: Graph, layer: Layer, beat: int) -> int | None:
    """Of the core, in the pauses of a list. None: there is no estimate."""
    calls = commands_of(graph, layer, beat)[1]
    if layer.op in VALUES:
        values = graph.tensors[layer.inputs[0]].rows * graph.tensors[layer.inputs[0]].cols
        if layer.op == "move":
            turns = zip(layer.moves, turns_of(graph, layer, beat))
            values = sum(move.values for move, turn in turns if turn is None)
        return round(calls * CORE["pause"] + VALUES[layer.op] * values)
    if layer.op in ("embedding", "reciprocal") or layer.integer is not None:
        return None
    return calls * CORE["pause"]


def rest(plan: Plan) -> int:
    """Of the core, beside its parts of layers: lists that start, and tables that no list loads."""
    lists = sum(segment.recorded for segment in plan.segments)
    loads = sum(
        s.first <= layer < s.first + s.count and not s.recorded
        for s in plan.segments
        for layer in plan.loads
    )
    return lists * CORE["list"] + loads * CORE["table"]


# ---- products -----------------------------------------------------------------------------------


def _written(layer: Layer, out: Tensor) -> str:
    return layer.fused.table_format if layer.fused.function else out.format


def _finish(graph: Graph, layer: Layer, chip: _Chip) -> dict:
    residual = None if layer.residual is None else graph.tensors[layer.residual].format
    d = _written(layer, graph.tensors[layer.output])
    return {"d_format": d, "c_format": residual, **chip.options}


def _linear(graph: Graph, layer: Layer, chip: _Chip) -> int:
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    image = (1, 1, source.rows, source.cols)
    finish = _finish(graph, layer, chip)
    return fp8mac.convolution_cycles(image, out.cols, vectors=True, **finish)


def _matmul(graph: Graph, layer: Layer, chip: _Chip) -> int:
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    image = (1, 1, source.rows // layer.images, source.cols)
    one = fp8mac.convolution_cycles(image, out.cols, **_finish(graph, layer, chip))
    return layer.images * one


def _convolution(graph: Graph, layer: Layer, chip: _Chip) -> int:
    source, window = graph.tensors[layer.inputs[0]], layer.window
    grouped = weights.join(layer, graph, chip.beat)
    channels, filters, groups = source.cols, layer.weights.codes.shape[0], grouped.count
    if weights.has_quads(layer, graph) or grouped.pairs:
        groups = layer.groups
    elif groups > 1:  # the last group may be smaller
        channels, filters = groups * grouped.group_in, groups * grouped.group_out
    height, width = (
        _size(window, axis, layer.out_size[axis], size)
        for axis, size in enumerate((layer.height, layer.width))
    )
    return fp8mac.convolution_cycles(
        (layer.images, height, width, channels),
        filters,
        window.kernel,
        stride=window.stride,
        dilation=window.dilation,
        pads=window.pads[:2],
        groups=groups,
        vectors=True,
        **_finish(graph, layer, chip),
    )


def _size(window, axis: int, outputs: int, size: int) -> int:
    """The lines or pixels with which as much padding behind as in front gives so many outputs."""
    if window.pads[axis] == window.pads[axis + 2]:
        return size
    return (outputs - 1) * window.stride[axis] + window.extent(axis) - 2 * window.pads[axis]


def _scale_channels(graph: Graph, layer: Layer, chip: _Chip) -> int:
    source, matrix = (graph.tensors[name] for name in layer.inputs[:2])
    count = -(-layer.groups // matrix.cols)
    return fp8mac.convolution_cycles(
        (1, 1, source.rows, count * matrix.cols),
        count * matrix.cols,
        groups=layer.groups if weights.has_quads(layer, graph) else count,
        **_finish(graph, layer, chip),
    )


# Of a list, between two small commands that find their weights in the buffers, as measured
_SMALL_COMMAND = 80


def _global_average(graph: Graph, layer: Layer, chip: _Chip) -> int:
    """By depthwise commands the first one reads the codes of 1, and all others a beat for each pixel. Else a channel of all
    pixels is a row of the operand."""
    source = graph.tensors[layer.inputs[0]]
    pixels = source.rows // layer.images
    if weights.averages_quads(layer, graph):
        channels = min(chip.beat, source.cols)
        image, kernel = (1, layer.height, layer.width, channels), (layer.height, layer.width)
        first = fp8mac.convolution_cycles(
            image, channels, kernel, groups=channels, **_finish(graph, layer, chip)
        )
        commands = weights.average_commands(layer, graph, chip.beat)
        return first + (commands - 1) * max(_SMALL_COMMAND, pixels)
    image, finish = (1, pixels, source.cols, 1), _finish(graph, layer, chip)
    return layer.images * fp8mac.convolution_cycles(image, 1, (pixels, 1), pixel_bytes=1, **finish)


def _move(graph: Graph, layer: Layer, chip: _Chip) -> int:
    """Transpositions are products with the identity, and copies conversions to the same format."""
    format = graph.tensors[layer.output].format
    finish, total = {"d_format": format, **chip.options}, 0
    for turn in turns_of(graph, layer, chip.beat):
        if isinstance(turn, Copies):
            total += turn.commands * fp8mac.elementwise_cycles(
                "add", turn.rows, turn.columns, x_format=format, c_format=None, **finish
            )
        elif turn is not None:
            blocks = [
                fp8mac.cycles(len(block), turn.rows.count, len(block), **finish).cycles
                for block in turn.blocks
            ]
            total += turn.commands // len(blocks) * sum(blocks)
    return total


# ---- values and rows ----------------------------------------------------------------------------


def _elementwise(graph: Graph, layer: Layer, chip: _Chip) -> int:
    tensors = [graph.tensors[name] for name in layer.inputs]
    out = graph.tensors[layer.output]
    parts = layer.images if layer.op in REPEATED else 1
    one = fp8mac.elementwise_cycles(
        "multiply" if layer.op == "multiply" else "add",
        out.rows // parts,
        out.cols,
        x_format=tensors[0].format,
        c_format=tensors[1].format if len(tensors) > 1 else None,
        d_format=_written(layer, out),
        **chip.options,
    )
    return parts * one


def _rows(graph: Graph, layer: Layer, chip: _Chip) -> int:
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    parts = layer.images if layer.op in REPEATED else 1
    operation = layer.op if layer.op == "softmax" else layer.reduction
    if layer.norm is not None:
        operation = "rms-norm" if layer.norm.rms else "layer-norm"
    one = fp8mac.rows_cycles(
        operation,
        source.rows // parts,
        source.cols,
        x_format=source.format,
        d_format=out.format,
        vectors=layer.norm is not None and layer.norm.gamma is not None,
        causal=layer.causal,
        **chip.options,
    )
    return parts * one


def _max_pool(graph: Graph, layer: Layer, chip: _Chip) -> int:
    """Each command compares two taps; those of pixels have the output's size."""
    out = graph.tensors[layer.output]
    count = max_pool.commands(layer, out.cols, up(out.cols, chip.beat))
    if count == 0:
        return 0
    rows = max_pool.compared(layer) // count
    formats = {"x_format": out.format, "c_format": out.format, "d_format": out.format}
    one = fp8mac.elementwise_cycles("add", max(rows, 1), out.cols, **formats, **chip.options)
    return count * one


def _to_mx(graph: Graph, layer: Layer, chip: _Chip) -> int:
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    formats = {"x_format": source.format, "d_format": out.format}
    return fp8mac.rows_cycles("quantise-mx", source.rows, source.cols, **formats, **chip.options)


def _none(graph: Graph, layer: Layer, chip: _Chip) -> int:
    return 0


_ACCELERATOR = {
    "convolution": _convolution,
    "linear": _linear,
    "matmul": _matmul,
    "scale_channels": _scale_channels,
    "global_average": _global_average,
    "move": _move,
    "add": _elementwise,
    "multiply": _elementwise,
    "convert": _elementwise,
    "softmax": _rows,
    "normalise": _rows,
    "reduce": _rows,
    "max_pool": _max_pool,
    "to_mx": _to_mx,
    **dict.fromkeys(("embedding", "reciprocal", "logarithm"), _none),
}
