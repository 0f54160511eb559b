# SPDX-License-Identifier: Apache-2.0
"""The energy of the accelerator, and of its array alone, while networks run on the simulated chip.

The netlists are those of `python -m synth accel` and of the table's arrays: one of everything that stands once, and one of
each block that stands many times. Memories and clock gates are not netlists; a memory's accesses are counted. Cycles count
in which the accelerator holds a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..flow import recipe
from ..flow.boxes import Box
from ..flow.errors import FlowError
from ..flow.runs import Design, Synthesiser, instances
from ..flow.sta import CLOCK, GATED
from ..study import accel, wires
from ..study.elements import CLOCK_GATE, array_of, block, feed_of, int8_array, needed
from . import clock, power
from .circuit import ENABLES, GLITCHES, SETTLED, Circuit, Mode
from .power_tables import Tables
from .replay import Part, replay
from .waveform import ACCEL, IDLE, Recording, cycles_of, record, simulate


@dataclass(frozen=True)
class Chip:
    """One size of the accelerator. `set`: the folder of its simulator (sim/ports)."""

    name: str
    rows: int
    columns: int
    lanes: int
    element: str

    @property
    def set(self) -> str:
        spec = "int8" if self.element == "int8" else f"{self.element}_f19"
        return f"{self.rows}_{self.columns}_{self.lanes}_128-{spec}"

    @property
    def config(self) -> str:
        return f"ROWS={self.rows} COLS={self.columns} LANES={self.lanes} ELEMENT={self.element}"


CHIPS = {
    one.name: one
    for one in (
        Chip("default", 4, 4, 16, "block"),
        Chip("default_int8", 4, 4, 16, "int8"),
        Chip("small", 2, 2, 4, "block"),
    )
}


@dataclass(frozen=True)
class Program:
    """What runs, and how many inferences it makes"""

    network: str
    words: tuple[str, ...]
    inferences: int


PROGRAMS = {
    "digits": Program("digits, perceptron, an image", ("digits", "IMAGES=64", "BATCH=64"), 64),
    "transformer": Program(
        "digits, transformer, an image",
        ("digits", "NET=transformer", "IMAGES=4", "BATCH=4", "HASHES=0"),
        4,
    ),
    "vad": Program("speech, a frame of 32 ms", ("vad", "RECORDINGS=1", "FRAMES=2"), 2),
}


@dataclass(frozen=True)
class Memory:
    """An instance of a memory, with the signals of its accesses and the bits of a word"""

    kind: str
    path: str
    width: int
    depth: int
    strobes: tuple[tuple[str, int], ...]  # signals and their widths


STROBES = {
    "fp8mac_ram": ("en_i",),
    "fp8mac_byte_ram": ("write_i", "read_i"),
    "fp8mac_two_port_ram": ("write_i", "read_i"),
    "fp8mac_acc_memory": ("write_i", "read_i"),
    "fp8mac_vector_buffer": ("write_i",),
}


def memory_of(box: Box, start: str) -> Memory:
    parameters = dict(box.parameters)
    widths = {pin.name: pin.width for pin in box.pins}
    bits = parameters.get("WIDTH", 8 * parameters.get("BYTES", parameters.get("BEAT", 0)))
    strobes = tuple((f"{start}_{box.port(pin)}", widths[pin]) for pin in STROBES[box.module])
    return Memory(box.module, box.path, bits, parameters["DEPTH"], strobes)


class Scope:
    """A design with black boxes, and the netlists of those that are netlists. `start`: of its signals' names"""

    def __init__(
        self, flow: Synthesiser, period: float, start: str, design: Design, inner: list[Design]
    ):
        self.flow, self.period, self.start, self.design = flow, period, start, design
        self.boxes = instances(flow.front(design)[0])
        gates = [box for box in self.boxes if box.module == CLOCK_GATE]
        if any(box.clock != CLOCK for box in gates):
            raise FlowError("energy knows no clock gate behind another one")
        self.memories = [memory_of(box, start) for box in self.boxes if box.module in STROBES]
        taken = self._taken(inner)
        self.parts = [self._part(design, [])]
        self.parts += [self._part(one, its) for one, its in taken if its]

    def _taken(self, inner: list[Design]) -> list[tuple[Design, list[Box]]]:
        """Which black boxes each netlist is for"""
        left = [box for box in self.boxes if box.module not in (*STROBES, CLOCK_GATE)]
        found = []
        for one in inner:
            fits = [
                box
                for box in left
                if box.module == one.top
                and all(dict(box.parameters)[key] == value for key, value in one.parameters)
            ]
            left = [box for box in left if box not in fits]
            found.append((one, fits))
        if left:
            raise FlowError(f"{left[0].path} has other parameters than its netlist")
        return found

    def _part(self, design: Design, boxes: list[Box]) -> Part:
        effort, seed = recipe.EFFORTS[0], recipe.SEEDS[0]
        made = self.flow.run(design, self.period, effort, seed)
        path = Path(made.netlist, "netlist.json")
        if not boxes:
            return Part(design.top, path, design.top, (self.start,))
        gated = [box.clock for box in boxes if box.clock not in (CLOCK, "")]  # or without a clock
        if gated and len(gated) != len(boxes):
            raise FlowError(f"some of {design.top} have a clock gate")
        enables = tuple(f"{self.start}_{clock.removesuffix(GATED)}{ENABLES}" for clock in gated)
        # A pin's port begins with the instance's name.
        names = tuple(f"{self.start}_{re.sub(chr(92) + 'W', '_', box.path)}" for box in boxes)
        title = design.top if dict(design.parameters).get("SIDE_A", 1) else f"{design.top}_b"
        return Part(title, path, design.top, names, enables)


def scopes(flow: Synthesiser, period: float, chip: Chip, build: Path) -> Iterator[tuple[str, Scope]]:
    """The accelerator, and the array alone"""
    parameters = accel.parameters(chip.config, build=build)
    design, inner = accel.design_of(parameters, flow.files)
    yield "accelerator", Scope(flow, period, ACCEL, design, list(inner.values()))


# Of the accelerator's array. A waveform whose ports have other widths is refused.
INSIDE = {"TILES": 256, "META_W": 21}


def array_scope(flow: Synthesiser, period: float, chip: Chip) -> Scope:
    if chip.element == "int8":
        entry = int8_array(chip.lanes, chip.rows, chip.columns)
    else:
        inner = block(chip.lanes, 19, "both", mx=True)
        feeds = ((feed_of("block", chip.lanes, 19, mx=True), chip.rows + chip.columns),)
        entry = array_of(inner, feeds, None, chip.rows, chip.columns)
    designs = [one.design for one in needed(entry)[1:]]
    sides = [
        Design(one.top, tuple((k, side if k == "SIDE_A" else v) for k, v in one.parameters))
        for one in designs
        for side in ((1, 0) if "SIDE_A" in dict(one.parameters) and chip.element != "int8" else (None,))
        if side is not None
    ]
    parameters = {**dict(entry.design.parameters), **INSIDE}
    design = replace(entry.design, parameters=tuple(parameters.items()))
    return Scope(flow, period, f"{ACCEL}_u_array", design, [*designs, *sides])


@dataclass
class Measured:
    title: str
    instances: int
    energy: power.Energy  # pJ of all instances, in all cycles that count
    idle: float  # pJ of a cycle without a command: clocks alone
    compared: int
    differing: int
    transitions: float
    settled: float | None = None


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
    def __init__(self, scope: Scope, binary: Path, reader: Path, folder: Path, factor: float = 1.0):
        library = scope.flow.library
        self.scope, self.binary, self.reader, self.folder = scope, binary, reader, folder
        self.tables = Tables(library)
        wire = factor * wires.pf_of_sink(library)
        self.circuits = {
            part: Circuit.read(
                part.netlist, part.top, library, scope.period, wire, gated=part.gated
            )
            for part in scope.parts
        }

    def widths(self) -> dict[str, int]:
        found = {f"{ACCEL}_{IDLE}": 1}
        for part, circuit in self.circuits.items():
            found |= part.widths(circuit)
        return found | {
            name: width for one in self.scope.memories for name, width in one.strobes
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
        counted = recording.level(f"{ACCEL}_{IDLE}") == 0
        for part, circuit in self.circuits.items():
            done = replay(part, circuit, recording, counted, self.binary, self.folder, mode, self.unread())
            once = power.of_cycle(circuit, done.activity, self.tables)
            number = len(part.instances)
            yield Measured(
                part.title,
                number,
                once.scaled(done.activity.cycles * number),
                number * clock.idle(circuit, self.tables),
                done.compared,
                done.differing,
                number * done.activity.cycles * sum(done.activity.per_cycle.values()),
            )

    def accesses(self, recording: Recording) -> Iterator[tuple[Memory, int]]:
        """Of each memory, in the cycles that count: a byte that is written of a byte_ram is a part of one"""
        counted = recording.level(f"{ACCEL}_{IDLE}") == 0
        for one in self.scope.memories:
            found = 0.0
            for name, width in one.strobes:
                for place in range(width):
                    mine = recording.cycle[recording.bit == recording.first[name] + place]
                    level = np.cumsum(np.bincount(mine, minlength=recording.cycles)) & 1
                    found += level[counted].sum() / width
            yield one, found
