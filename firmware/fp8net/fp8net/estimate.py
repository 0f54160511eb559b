# SPDX-License-Identifier: Apache-2.0
"""Cycles of layers before anything runs.

The accelerator's are those of the golden model's timing for the commands that the layer library records for a layer, one by one, on
the array of 4 x 4 elements of 16 lanes with the network's bus. In a list commands overlap, so a list may take less.

The core's are what a layer does times constants that were measured on the simulated chip: those of a list, of a pause for a part
of the core and of a table in CORE, of a logarithm's values in VALUES, of moves in core_moves.py, which are within a tenth. All
together say how long a network takes within a quarter or so. Embeddings, reciprocals and integer layers have none.
"""

from __future__ import annotations

import dataclasses

from . import core_moves
from .ask import ask
from .ir import ALONE, Graph, Layer
from .plan import Plan

KINDS = {"block_f19_l16": "block", "int8_l16": "int8"}  # elements that both know
# Cycles of the core
CORE = {
    "list": 600,  # make bench-core
    "pause": 1000,  # of pulsevad_2.1k.onnx and fashion.onnx: their run less the accelerator and the list, of two pauses
    "stop": 300,  # a list that pauses for moves, and goes on: tests/networks/core_moves.py
    "table": 900,  # of the network of the test networks-chip, likewise
}
VALUES = {"logarithm": 300.0}  # docs/NETWORKS.md
# What nothing takes longer than: for the limit of a run alone
MOST = {
    "open": 50_000,
    "value": 1000,
    "mac": 2,
}  # a command that is planned; a value of a layer; a product
TIMES = 4  # of an estimate
LEAST_SILENCE = 20_000_000  # the simulator's own limit


@dataclasses.dataclass
class Estimate:
    """Cycles of a layer. None: there is no estimate."""

    accelerator: int | None
    core: int | None


def layers(graph: Graph, plan: Plan, element: str) -> list[Estimate]:
    found = []
    for index, accelerator in enumerate(cycles(graph, plan, element)):
        # Moves behind one another share a pause.
        stops = (
            index == 0
            or graph.layers[index - 1].op != "move"
            or bool(plan.layers[index - 1].commands)
        )
        pauses = plan.layers[index].pauses
        found.append(
            Estimate(accelerator, core_cycles(graph, graph.layers[index], pauses, plan.beat, stops))
        )
    return found


def silence(graph: Graph, plan: Plan, estimates: list[Estimate], runs: int) -> int:
    """Cycles after which a program that has opened the network and has run it so often hangs, as it prints nothing before"""
    commands = sum(asked.commands + asked.pauses + 1 for asked in plan.layers)
    run = rest(plan)
    for layer, estimate in zip(graph.layers, estimates, strict=True):
        values = max(
            graph.tensors[n].rows * graph.tensors[n].cols for n in [*layer.reads, layer.output]
        )
        points = layer.window.kernel[0] * layer.window.kernel[1]
        most = MOST["value"] * values * points + MOST["mac"] * graph.macs(layer)
        for part in (estimate.accelerator, estimate.core):
            run += most if part is None else part
    return max(LEAST_SILENCE, TIMES * (MOST["open"] * commands + (runs + 1) * run))


def cycles(graph: Graph, plan: Plan, element: str) -> list[int | None]:
    """Of the accelerator for each layer. None: there is no estimate."""
    if element not in KINDS:
        return [None] * len(graph.layers)
    answers = ask(graph, plan, KINDS[element])
    return [
        0 if layer.op in ALONE else answers.record(index).cycles()
        for index, layer in enumerate(graph.layers)
    ]


def core_cycles(
    graph: Graph, layer: Layer, pauses: int, beat: int, stops: bool = True
) -> int | None:
    """Of the core, in the pauses of a list. None: there is no estimate. `stops`: a move is the first one of its pause."""
    if layer.op == "move":
        return core_moves.cycles(graph, layer, beat) + (CORE["stop"] if pauses and stops else 0)
    if layer.op in VALUES:
        values = graph.tensors[layer.inputs[0]].rows * graph.tensors[layer.inputs[0]].cols
        return round(pauses * CORE["pause"] + VALUES[layer.op] * values)
    if layer.op in ("embedding", "reciprocal") or layer.integer is not None:
        return None
    return pauses * CORE["pause"]


def rest(plan: Plan) -> int:
    """Of the core, beside its parts of layers: lists that start, and tables that no list loads."""
    lists = sum(segment.recorded for segment in plan.segments)
    loads = sum(
        s.first <= layer < s.first + s.count and not s.recorded
        for s in plan.segments
        for layer in plan.loads
    )
    return lists * CORE["list"] + loads * CORE["table"]
