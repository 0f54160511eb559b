# SPDX-License-Identifier: Apache-2.0
"""What layers become: the firmware's layer library answers for the calls that the program will make."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from fp8mac.layers import LayerError, Run

from .calls import Memory, up
from .device import device_of
from .errors import refuse
from .ir import ALONE, Graph, name_of
from .layer_calls import calls_of


@dataclasses.dataclass
class Asked:
    """A layer on its own"""

    commands: int = 0
    pauses: int = 0  # parts of the core, for which a list pauses


class Answers:
    def __init__(self, graph: Graph, plan, element: str | None) -> None:
        self.graph, self.plan = graph, plan
        self.memory = Memory(graph.tensors, plan, graph.constants)
        self.calls = [
            calls_of(graph, plan, "", index, layer) for index, layer in enumerate(graph.layers)
        ]
        self.device = device_of(graph, plan.beat, element)

    def _make(self, run: Run, index: int) -> None:
        layer = self.graph.layers[index]
        if index in self.plan.loads:
            run.load_table(self.plan.slots[index], Memory.ARENA)
        try:
            for call in self.calls[index]:
                self.memory.make(run, call, name_of(layer))
        except LayerError as error:
            raise refuse(layer.name, f"is no layer of fp8rt: {error}") from None

    def query(self, layers: Iterable[int]) -> tuple[int, int]:
        """Bytes of scratch and of a recording, if these layers run one after the other"""
        run = self.device.query()
        for index in layers:
            self._make(run, index)
        return run.scratch, run.list_bytes

    def record(self, index: int) -> Run:
        scratch, list_bytes = self.query([index])
        run = self.device.record(up(list_bytes, 32), up(self.memory.next, 4096), scratch)
        self._make(run, index)
        return run

    def alone(self, index: int) -> Asked:
        if self.graph.layers[index].op in ALONE:
            return Asked()
        run = self.record(index)
        return Asked(run.commands, run.pauses)


def ask(graph: Graph, plan, element: str | None = None) -> Answers:
    """`plan` has places of tensors and slots of tables."""
    return Answers(graph, plan, element)
