# SPDX-License-Identifier: Apache-2.0
"""Memory of a network: buffers by lifetime, scratch, lists of commands, tables.

0 .. activations       tensors; two have the same memory if no layer needs both
.. scratch             of the layer that runs
.. lists               the lists of commands, one behind the other
"""

from __future__ import annotations

import dataclasses

import numpy as np

from . import executor, integer_layers, max_pool, moves, mx, weights
from .ir import ALONE, FORMAT_BYTES, WIDE_OPERANDS, Graph, Layer

ALIGN = 32  # FP8RT_NETWORK_ALIGN, the widest beat
TABLES = 2  # FP8RT_TABLES
# fp8rt_record_count, fp8rt_record_bytes, fp8rt_layer_core: what a query adds up.
LIST_BYTES = (8 + 16 * 8) * 4
COMMAND_WORDS, COMMAND_ADDRESSES = 36, 10
WORDS_OF_CALL = 8192  # FP8RT_WORDS_OF_CALL
# Layers that are a call for each image.
REPEATED = {"matmul", "add", "multiply", "softmax"}
CALL_BYTES = 2 * 4 + 128 + 8  # with a pointer of 8 bytes, as the host has


@dataclasses.dataclass
class Segment:
    """Layers that run one after the other as one list, or one by one."""

    first: int
    count: int
    recorded: bool
    list_bytes: int = 0
    calls: int = 0


@dataclasses.dataclass
class Plan:
    beat: int
    offsets: dict[str, int]
    strides: dict[str, int]
    activations: int
    scratch: int
    lists: int
    calls: int
    tables: list[np.ndarray]
    slots: dict[int, int]  # layer -> the table of the accelerator that it uses, 1 or 2
    loads: dict[int, int]  # layer -> which of `tables` is loaded before it
    segments: list[Segment]

    @property
    def arena(self) -> int:
        return self.activations + self.scratch + self.lists


def up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def stride_of(graph: Graph, name: str, beat: int) -> int:
    tensor = graph.tensors[name]
    return up(tensor.cols * FORMAT_BYTES[tensor.format], beat)


def mx_stride_of(graph: Graph, name: str, beat: int) -> int:
    """Bytes from row to row of MX scales, which lie behind the codes; 0: the tensor has none."""
    tensor = graph.tensors[name]
    return up(mx.blocks(tensor.cols), beat) if tensor.mx else 0


def lifetimes(graph: Graph) -> dict[str, tuple[int, int]]:
    """The first and the last layer that needs a tensor. Inputs are there before, outputs stay to the end."""
    end = len(graph.layers)
    life = {view.tensor: (-1, -1) for view in graph.inputs.values()}
    for index, layer in enumerate(graph.layers):
        for name in layer.reads:
            if name not in graph.constants:
                life[name] = (life[name][0], index)
        for name in layer.writes:
            life[name] = (index, index)
    for layer in graph.layers:
        for name in layer.states:  # 0 when the network starts
            life[name] = (-1, end if layer.keeps else life[name][1])
    for view in graph.outputs.values():
        life[view.tensor] = (life[view.tensor][0], end)
    return life


def place(sizes: dict[str, int], life: dict[str, tuple[int, int]]) -> tuple[dict[str, int], int]:
    """Offsets: the largest first, each at the lowest place that is free while it lives."""
    offsets: dict[str, int] = {}
    for name in sorted(sizes, key=lambda n: (-sizes[n], life[n], n)):
        first, last = life[name]
        taken = sorted(
            (offsets[o], offsets[o] + sizes[o])
            for o in offsets
            if life[o][0] <= last and first <= life[o][1]
        )
        at = 0
        for start, end in taken:
            if at + sizes[name] <= start:
                break
            at = max(at, end)
        offsets[name] = at
    return offsets, max((offsets[n] + sizes[n] for n in sizes), default=0)


def scratch_of(graph: Graph, layer: Layer, beat: int) -> int:
    """What the layer takes from its run: run.peak of a query."""
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    if layer.op == "global_average" and weights.averages_quads(layer, graph):
        return 0
    if layer.op == "global_average":
        column = source.cols * up(FORMAT_BYTES[out.format], beat)
        return up(layer.height * layer.width, beat) + column
    if layer.op == "transposed":
        (height, width), (sy, sx) = layer.upsampled, layer.window.stride
        if is_direct(layer):
            return 0
        row = up(out.cols * FORMAT_BYTES[out.format], beat)
        return -(-height // sy) * -(-width // sx) * sx * row
    if layer.op in ("lstm", "gru"):
        return _recurrent_scratch(graph, layer, beat)
    if layer.op == "int_linear":  # sums
        return out.rows * up(4 * out.cols, beat)
    if layer.op == "int_add":  # what the codes of both operands stand for
        return 2 * 256 * 4
    if layer.op == "max_pool":
        return max_pool.scratch(layer, out.cols, up(out.cols, beat))
    return 0


def is_direct(layer: Layer) -> bool:
    """A transposed convolution whose commands write the output in turns."""
    return layer.window.stride[0] == 1 and layer.upsampled[1] % layer.window.stride[1] == 0


def _recurrent_scratch(graph: Graph, layer: Layer, beat: int) -> int:
    """As firmware/layers/recurrent.c takes it: the input's part, gates, a term, gates apart, h."""
    rows, batch = graph.tensors[layer.output].rows, layer.images
    units = graph.tensors[layer.extra["hidden"]].cols
    gates = 4 if layer.op == "lstm" else 3
    wide, narrow = up(4 * gates * units, beat), up(4 * units, beat)
    taken = rows * wide + batch * wide + batch * narrow + rows * narrow
    if 4 * units % beat:
        taken += batch * gates * narrow * (1 if layer.op == "lstm" else 2)
    return taken


def commands_of(graph: Graph, layer: Layer, beat: int) -> tuple[int, int]:
    """Commands and calls of a layer that is recorded."""
    if layer.op == "global_average" and weights.averages_quads(layer, graph):
        return weights.average_commands(layer, graph, beat), 0
    if layer.op == "global_average":
        return layer.images, layer.images + 1
    if layer.op == "move":
        turns = turns_of(graph, layer, beat)
        return sum(t.commands for t in turns if t), turns.count(None) + layer.clear
    if layer.op == "int_convolution":
        groups = weights.join(layer, graph, beat).count
        return groups * integer_layers.commands(layer, graph), 0
    if layer.integer is not None:
        return int(layer.op == "int_linear"), 1
    if layer.op == "max_pool":
        channels = graph.tensors[layer.output].cols
        count = max_pool.commands(layer, channels, up(channels, beat))
        return count, 0 if count else 1
    if layer.op in WIDE_OPERANDS:
        source = graph.tensors[layer.inputs[0]]
        return 0, -(-source.rows // max(1, WORDS_OF_CALL // source.cols))
    if layer.op == "transposed":
        sy, sx = layer.window.stride
        if is_direct(layer):
            return layer.images * sx, 0
        return layer.images * min(sy, layer.upsampled[0]) * (sx + 1), layer.images
    if layer.op in ("lstm", "gru"):
        return _recurrent_commands(graph, layer, beat)
    if layer.op == "scale_channels":
        each = graph.tensors[layer.inputs[1]].cols
        return -(-layer.groups // (beat if weights.has_quads(layer, graph) else each)), 0
    if layer.op != "convolution":
        return layer.images if layer.op in REPEATED else 1, 0
    w = layer.window
    merged = (
        w.kernel[0] == 1
        and w.stride[0] == 1
        and w.pads[0] == 0
        and layer.images * layer.height <= 65535
    )
    images = 1 if merged else layer.images
    return images * weights.join(layer, graph, beat).count, 0


def _recurrent_commands(graph: Graph, layer: Layer, beat: int) -> tuple[int, int]:
    """As firmware/layers/recurrent.c records them: gates of the input, the steps, the output."""
    steps = graph.tensors[layer.output].rows // layer.images
    apart = 4 * graph.tensors[layer.extra["hidden"]].cols % beat != 0
    commands, calls = (10, 1) if layer.op == "lstm" else (11, 2)
    return 2 + steps * commands, steps * calls * apart


def turns_of(graph: Graph, layer: Layer, beat: int) -> list[moves.Turn | moves.Copies | None]:
    """Of each move: the transpositions or copies that are commands. None: the core moves, as beside the requantiser, which
    has no element-wise commands."""
    format = graph.tensors[layer.output].format
    if graph.requantises:
        return [None] * len(layer.moves)
    return [
        moves.turn_of(move, format, beat) or moves.copies_of(move, format, beat)
        for move in layer.moves
    ]


def labels_of(layer: Layer) -> int:
    """Calls of fp8rt that a layer consists of: each has the layer's name."""
    if layer.op in REPEATED:
        return layer.images
    return len(layer.moves) if layer.op == "move" else 1


def name_of(layer: Layer) -> str:
    """The layer's name in lists and messages: a byte for each character."""
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in layer.name).strip("_")
    return (text or layer.op)[:48]


def _list_bytes(graph: Graph, layers: list[Layer], beat: int) -> tuple[int, int]:
    total, all_calls = LIST_BYTES, 0
    for layer in layers:
        commands, calls = commands_of(graph, layer, beat)
        total += commands * (up(COMMAND_WORDS * 4, beat) + COMMAND_ADDRESSES * 4)
        total += calls * CALL_BYTES + labels_of(layer) * (len(name_of(layer)) // 4 + 3) * 4
        all_calls += calls
    return total, all_calls


def _tables(graph: Graph) -> tuple[list[np.ndarray], dict[int, int]]:
    """The tables that differ, and which one each layer uses."""
    tables: list[np.ndarray] = []
    used: dict[int, int] = {}
    for index, layer in enumerate(graph.layers):
        table = executor.table_of(layer, graph.tensors[layer.output])
        if table is not None:
            match = next((i for i, t in enumerate(tables) if (t == table).all()), len(tables))
            if match == len(tables):
                tables.append(table)
            used[index] = match
    return tables, used


class _Slots:
    """Which tables the accelerator has, when at most TABLES are resident. The one that was used longest ago goes."""

    def __init__(self) -> None:
        self.slot_of: dict[int, int] = {}
        self.order: list[int] = []

    def use(self, table: int) -> tuple[int, bool]:
        """The table's slot, and whether it has to be loaded."""
        load = table not in self.slot_of
        if load and len(self.slot_of) == TABLES:
            self.slot_of[table] = self.slot_of.pop(self.order.pop(0))
        elif load:
            self.slot_of[table] = len(self.slot_of) + 1
        self.order = [t for t in self.order if t != table] + [table]
        return self.slot_of[table], load


def _places(used: dict[int, int]) -> tuple[dict[int, int], dict[int, int]]:
    """The slot of each layer's table, and the layers before which a table is loaded."""
    slots: dict[int, int] = {}
    loads: dict[int, int] = {}
    tables = _Slots()
    for index, table in used.items():
        slots[index], load = tables.use(table)
        if load:
            loads[index] = table
    return slots, loads


def segments_of(graph: Graph) -> list[Segment]:
    """A new segment begins where a list has to end."""
    segments: list[Segment] = []
    for index, layer in enumerate(graph.layers):
        recorded = layer.op not in ALONE
        if segments and segments[-1].recorded == recorded:
            segments[-1].count += 1
        else:
            segments.append(Segment(index, 1, recorded))
    return segments


def set_diagonals(graph: Graph, beat: int) -> None:
    """Vectors of channels become diagonals of the fewest channels that are whole beats."""
    for layer in graph.layers:
        if layer.op != "scale_channels":
            continue
        matrix, turned = graph.tensors[layer.inputs[1]], graph.writer(layer.inputs[1])
        vector = graph.tensors[turned.inputs[0]]
        channels = layer.groups
        quads = weights.has_quads(layer, graph)
        joined = graph.columns if quads else weights.together(layer, graph, beat, 1)
        matrix.cols = min(joined, channels)
        turned.moves = moves.diagonal(channels, matrix.cols, vector.cols < channels)


def make(graph: Graph, beat: int = 16) -> Plan:
    set_diagonals(graph, beat)
    strides = {name: stride_of(graph, name, beat) for name in graph.tensors}
    sizes = {
        n: up((strides[n] + mx_stride_of(graph, n, beat)) * t.rows, ALIGN)
        for n, t in graph.tensors.items()
        if n not in graph.constants
    }
    offsets, activations = place(sizes, lifetimes(graph))
    tables, used = _tables(graph)
    slots, loads = _places(used)
    segments = segments_of(graph)
    for segment in segments:
        layers = graph.layers[segment.first : segment.first + segment.count]
        # A list has a command. Transpositions are none with elements that do not keep their values.
        segment.recorded &= any(
            commands_of(graph, layer, beat)[0] for layer in layers if layer.op != "move"
        )
        if segment.recorded:
            bytes_, segment.calls = _list_bytes(graph, layers, beat)
            segment.list_bytes = up(bytes_, ALIGN)
    return Plan(
        beat,
        offsets,
        strides,
        activations,
        up(max(scratch_of(graph, layer, beat) for layer in graph.layers), ALIGN),
        sum(s.list_bytes for s in segments),
        sum(s.calls for s in segments),
        tables,
        slots,
        loads,
        segments,
    )
