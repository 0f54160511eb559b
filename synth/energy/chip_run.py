# SPDX-License-Identifier: Apache-2.0
"""The energy of netlists of the chip while a program runs on its RTL, in the cycles in which the accelerator holds a command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..study import wires
from . import clock, power
from .chip import Memory, Scope
from .circuit import GLITCHES, Circuit, Mode
from .power_tables import Tables
from .replay import replay
from .waveform import ACCEL, IDLE, WRITES, Recording, cycles_of, record, simulate


@dataclass
class Measured:
    """Of a part of the chip"""

    title: str
    instances: int
    energy: power.Energy  # pJ of all instances, in all cycles that count
    idle: float  # pJ of a cycle in which nothing but clocks changes
    compared: int  # changes of outputs
    transitions: float

    def plus(self, other: Measured, times: int) -> Measured:
        """With another run, which counts so often"""
        return replace(
            self,
            energy=self.energy.plus(other.energy.scaled(times)),
            compared=self.compared + other.compared,
            transitions=self.transitions + times * other.transitions,
        )


class Run:
    """One program on one chip"""

    def __init__(self, simulator: Path, elf: Path, words: tuple[str, ...], folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.waveform = folder / "ports.fst"
        self.printed = simulate(simulator, [str(elf), *words], self.waveform)
        self.cycles = cycles_of(self.printed)

    def record(self, reader: Path, widths: dict[str, int]) -> Recording:
        return record(reader, self.waveform, widths, self.cycles)


class Replay:
    """The netlists of a scope, on what a program did"""

    def __init__(self, scope: Scope, binary: Path, reader: Path, folder: Path, factor: float = 1.0):
        library = scope.flow.library
        self.scope, self.binary, self.reader, self.folder = scope, binary, reader, folder
        self.tables = Tables(library)
        wire = factor * wires.pf_of_sink(library)
        self.circuits = {
            part: Circuit.read(
                part.netlist,
                part.top,
                library,
                scope.period,
                wire,
                gated=part.gated,
                buffered=not part.repaired,
            )
            for part in scope.parts
        }

    def widths(self) -> dict[str, int]:
        found = {f"{ACCEL}_{name}": 1 for name in (IDLE, WRITES)}
        for part, circuit in self.circuits.items():
            found |= part.widths(circuit)
        return found | {
            name: width for one in self.scope.memories for _, name, width in one.strobes
        }

    def unread(self) -> frozenset[str]:
        """Ports of the first part's netlist that lead to inputs that no other netlist reads. Sources may say x there."""
        start = len(self.scope.start) + 1
        return frozenset(
            f"{instance[start:]}_{port}"
            for part, circuit in self.circuits.items()
            for port, bits in circuit.ports("input").items()
            for instance in part.instances
            if not any(bit in circuit.graph.sinks or bit in circuit.graph.outputs for bit in bits)
        )

    def measure(self, recording: Recording, mode: Mode = GLITCHES) -> Iterator[Measured]:
        """Outputs are compared from the first result that is written. Before it registers without a reset may hold other
        values in a netlist, which begins with zeros, and pass them on."""
        counted = recording.level(f"{ACCEL}_{IDLE}") == 0
        first = int(np.argmax(counted & (recording.level(f"{ACCEL}_{WRITES}") == 1)))
        for part, circuit in self.circuits.items():
            done = replay(
                part,
                circuit,
                recording,
                counted,
                first,
                self.binary,
                self.folder,
                mode,
                self.unread(),
            )
            once = power.of_cycle(circuit, done.activity, self.tables)
            number = len(part.instances)
            yield Measured(
                part.title,
                number,
                once.scaled(done.activity.cycles * number),
                number * (0.0 if part.gated else clock.idle(circuit, self.tables)),
                done.compared,
                number * done.activity.cycles * sum(done.activity.per_cycle.values()),
            )

    def accesses(self, recording: Recording) -> Iterator[tuple[Memory, dict[str, float]]]:
        """Of each memory reads and writes in the cycles that count. A byte that is written is a part of a write."""
        counted = recording.level(f"{ACCEL}_{IDLE}") == 0
        for one in self.scope.memories:
            levels = {
                kind: sum(recording.bit_level(name, place) for place in range(width)) / width
                for kind, name, width in one.strobes
            }
            if "access" in levels:
                levels["write"] = levels["write"] * levels["access"]
                levels["read"] = levels.pop("access") - levels["write"]
            levels.setdefault("read", np.ones(recording.cycles))
            yield one, {kind: float(its[counted].sum()) for kind, its in levels.items()}


@dataclass
class Total:
    """Of the runs of a program, each as often as it counts"""

    busy: int = 0  # cycles in which the accelerator holds a command
    cycles: int = 0
    parts: list[Measured] = field(default_factory=list)
    memories: list[tuple[Memory, dict[str, float]]] = field(default_factory=list)

    def add(self, replay: Replay, run: Run, times: int) -> None:
        recording = run.record(replay.reader, replay.widths())
        self.busy += times * int((recording.level(f"{ACCEL}_{IDLE}") == 0).sum())
        self.cycles += times * run.cycles
        parts = list(replay.measure(recording))
        none = [replace(one, energy=power.Energy(), compared=0, transitions=0.0) for one in parts]
        self.parts = [
            before.plus(one, times) for before, one in zip(self.parts or none, parts, strict=True)
        ]
        accesses = list(replay.accesses(recording))
        if not self.memories:
            self.memories = [(memory, dict.fromkeys(its, 0.0)) for memory, its in accesses]
        for (_, sums), (_, its) in zip(self.memories, accesses, strict=True):
            for kind, count in its.items():
                sums[kind] += times * count
