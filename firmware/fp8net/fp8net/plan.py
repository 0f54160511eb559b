# SPDX-License-Identifier: Apache-2.0
"""Memory of a network: buffers by lifetime, scratch, lists of commands, tables.

0 .. activations       tensors; two have the same memory if no layer needs both
.. scratch             of the layer that runs
.. lists               the lists of commands, one behind the other
"""

from __future__ import annotations

import dataclasses

import numpy as np

from . import executor, moves, mx, weights
from .ask import Asked, ask
from .calls import up
from .ir import ALONE, FORMAT_BYTES, REPEATED, Graph, Layer

BEAT, COLUMNS = 16, 4  # of the default array

ALIGN = 32  # FP8RT_NETWORK_ALIGN, the widest beat
TABLES = 2  # FP8RT_TABLES


@dataclasses.dataclass
class Segment:
    """Layers that run one after the other as one list, or one by one."""

    first: int
    count: int
    recorded: bool
    list_bytes: int = 0


@dataclasses.dataclass
class Plan:
    beat: int
    offsets: dict[str, int]
    strides: dict[str, int]
    activations: int
    scratch: int
    lists: int
    tables: list[np.ndarray]
    slots: dict[int, int]  # layer -> the table of the accelerator that it uses, 1 or 2
    loads: dict[int, int]  # layer -> which of `tables` is loaded before it
    segments: list[Segment]
    layers: list[Asked]  # what each layer becomes

    @property
    def arena(self) -> int:
        return self.activations + self.scratch + self.lists


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


def labels_of(layer: Layer) -> int:
    """Calls of fp8rt that a layer consists of: each has the layer's name."""
    if layer.op in REPEATED:
        return layer.images
    return len(layer.moves) if layer.op == "move" else 1


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


def make(graph: Graph, beat: int = BEAT) -> Plan:
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
    plan = Plan(
        *(beat, offsets, strides, activations, 0, 0, tables, slots, loads, segments_of(graph), [])
    )
    answers = ask(graph, plan)
    plan.layers = [answers.alone(index) for index in range(len(graph.layers))]
    for segment in plan.segments:
        its = range(segment.first, segment.first + segment.count)
        # A list has a command. Transpositions are none with elements that do not keep their values.
        segment.recorded &= any(
            plan.layers[i].commands for i in its if graph.layers[i].op != "move"
        )
        scratch, list_bytes = answers.query(its)
        plan.scratch = max(plan.scratch, up(scratch, ALIGN))
        segment.list_bytes = up(list_bytes, ALIGN) if segment.recorded else 0
    plan.lists = sum(segment.list_bytes for segment in plan.segments)
    return plan
