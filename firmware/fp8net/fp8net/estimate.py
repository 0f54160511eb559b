# SPDX-License-Identifier: Apache-2.0
"""Cycles of layers before anything runs.

The accelerator's are those of the golden model's timing for the commands that the layer library records for a layer, one by one, on
the array of 4 x 4 elements of 16 lanes with the network's bus. In a list commands overlap, so a list may take less.

The core's are what a layer does times constants that were measured on the simulated chip: those of a list, of a pause for a part
of the core and of a table in CORE, of values in VALUES. They say how long a network takes within a quarter or so. Embeddings,
reciprocals and layers of whole numbers have none.
"""

from __future__ import annotations

from .ask import ask
from .ir import ALONE, Graph, Layer
from .moves import turns_of
from .plan import Plan

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


def cycles(graph: Graph, plan: Plan, element: str) -> list[int | None]:
    """Of the accelerator for each layer. None: there is no estimate."""
    if element not in KINDS:
        return [None] * len(graph.layers)
    answers = ask(graph, plan, KINDS[element])
    return [
        0 if layer.op in ALONE else answers.record(index).cycles()
        for index, layer in enumerate(graph.layers)
    ]


def core_cycles(graph: Graph, layer: Layer, pauses: int, beat: int) -> int | None:
    """Of the core, in the pauses of a list. None: there is no estimate."""
    if layer.op in VALUES:
        values = graph.tensors[layer.inputs[0]].rows * graph.tensors[layer.inputs[0]].cols
        if layer.op == "move":
            turns = zip(layer.moves, turns_of(graph, layer, beat))
            values = sum(move.values for move, turn in turns if turn is None)
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
