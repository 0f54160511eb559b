# SPDX-License-Identifier: Apache-2.0
"""What of the chip is measured while networks run: the accelerator, or its array alone.

The netlists are those of `python -m synth accel` and of the table's arrays: one of everything that stands once, and one of
each block that stands many times. Memories and clock gates are not netlists.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..flow import recipe
from ..flow.boxes import Box
from ..flow.errors import FlowError
from ..flow.runs import Design, Synthesiser, instances
from ..flow.sta import CLOCK, GATED
from ..study import accel
from ..study.elements import CLOCK_GATE, array_of, block, feed_of, int8_array, needed
from .circuit import ENABLES
from .networks import ALONE, NETWORKS, SPEECH_GEMMS, TRANSFORMER_GEMMS, Gemm
from .replay import Part
from .waveform import ACCEL


@dataclass(frozen=True)
class Chip:
    """One size of the accelerator. `set`: the folder of its simulator (sim/ports). `images`: how many digits it sees."""

    name: str
    rows: int
    columns: int
    lanes: int
    element: str
    images: int = 64

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
        Chip("small", 2, 2, 4, "block", 8),
        Chip("small_int8", 2, 2, 4, "int8", 8),
    )
}


@dataclass(frozen=True)
class Program:
    """What runs, and how many inferences it makes; 0 for as many as the chip has images. `gemms`: the products of a program
    that is products of random matrices, each in a run of its own."""

    network: str
    words: tuple[str, ...]
    inferences: int
    int8: bool = False  # it runs with INT8 elements, too
    gemms: tuple[Gemm, ...] = ()

    def on(self, chip: Chip) -> Program:
        words = tuple(word.format(images=chip.images) for word in self.words)
        return replace(self, words=words, inferences=self.inferences or chip.images)

    @property
    def macs(self) -> int:
        """Of an inference"""
        if self.gemms:
            return sum(one.macs for one in self.gemms) // self.inferences
        return sum(one.macs for one in NETWORKS[self.network])

    @property
    def runs(self) -> list[tuple[tuple[str, ...], int]]:
        """The words of each run, and how often it counts"""
        if not self.gemms:
            return [(self.words, 1)]
        sizes = [(f"M={one.m}", f"N={one.n}", f"K={one.k}") for one in self.gemms]
        return [
            ((*self.words, *size), one.times) for size, one in zip(sizes, self.gemms, strict=True)
        ]


RANDOM = Gemm(64, 64, 128)


def random(title: str, *more: str, int8: bool = False) -> Program:
    size = f"{RANDOM.m} x {RANDOM.n} x {RANDOM.k}"
    return Program(f"{title}, {size}", ("gemm", *more), 1, int8, (RANDOM,))


def alone(network: str, inferences: int, gemms: tuple[Gemm, ...]) -> Program:
    """A network's products without all else, with INT8 elements too, which run no layers"""
    return Program(f"{network}{ALONE}", ("gemm",), inferences, True, gemms)


TRANSFORMER, SPEECH = list(NETWORKS)[1:]
PROGRAMS = {
    "random": random("random product", int8=True),
    "random_mx": random("random product with MX scales", "MX=1"),
    "digits": Program(
        "digits, perceptron, an image", ("digits", "IMAGES={images}", "BATCH={images}"), 0, True
    ),
    "transformer": Program(
        TRANSFORMER,
        ("digits", "NET=transformer", "IMAGES=4", "BATCH=4", "HASHES=0"),
        4,
    ),
    "vad": Program(SPEECH, ("vad", "RECORDINGS=1", "FRAMES=1"), 1),
    "transformer_products": alone(TRANSFORMER, 4, TRANSFORMER_GEMMS),
    "vad_products": alone(SPEECH, 1, SPEECH_GEMMS),
}


@dataclass(frozen=True)
class Memory:
    """An instance of a memory, with the signals of its accesses and the bits of a word"""

    kind: str
    path: str
    width: int
    depth: int
    strobes: tuple[tuple[str, str, int], ...]  # read or write, and the signals and their widths


# What says that a memory is read or written. A fp8mac_ram's `access` is a write if `write` is 1 too; a vector buffer is read
# in every cycle.
BOTH = {"write": "write_i", "read": "read_i"}
STROBES = {
    "fp8mac_ram": {"access": "en_i", "write": "write_i"},
    "fp8mac_byte_ram": BOTH,
    "fp8mac_two_port_ram": BOTH,
    "fp8mac_acc_memory": BOTH,
    "fp8mac_vector_buffer": {"write": "write_i"},
}


def memory_of(box: Box, start: str) -> Memory:
    parameters = dict(box.parameters)
    widths = {pin.name: pin.width for pin in box.pins}
    bits = parameters.get("WIDTH", 8 * parameters.get("BYTES", parameters.get("BEAT", 0)))
    strobes = tuple(
        (kind, f"{start}_{box.port(pin)}", widths[pin]) for kind, pin in STROBES[box.module].items()
    )
    return Memory(box.module, box.path, bits, parameters["DEPTH"], strobes)


class Scope:
    """A design with black boxes, and the netlists of those that are netlists. `start`: of its signals' names. Without
    `repaired` the design's own netlist is as it was mapped, with trees of buffers: the repair of so many cells takes hours."""

    def __init__(
        self,
        flow: Synthesiser,
        period: float,
        start: str,
        design: Design,
        inner: list[Design],
        repaired: bool = True,
    ):
        self.flow, self.period, self.start, self.design = flow, period, start, design
        self.boxes = instances(flow.front(design)[0])
        gates = [box for box in self.boxes if box.module == CLOCK_GATE]
        if any(box.clock != CLOCK for box in gates):
            raise FlowError("energy knows no clock gate behind another one")
        self.memories = [memory_of(box, start) for box in self.boxes if box.module in STROBES]
        taken = self._taken(inner)
        self.parts = [self._part(design, [], repaired)]
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

    def _part(self, design: Design, boxes: list[Box], repaired: bool = True) -> Part:
        effort, seed = recipe.EFFORTS[0], recipe.SEEDS[0]
        made = self.flow.run(design, self.period, effort, seed, repaired=repaired)
        path = Path(made.netlist, "netlist.json")
        if not boxes:
            return Part(design.top, path, design.top, (self.start,), repaired=repaired)
        gated = [box.clock for box in boxes if box.clock not in (CLOCK, "")]  # or without a clock
        if gated and len(gated) != len(boxes):
            raise FlowError(f"some of {design.top} have a clock gate")
        enables = tuple(f"{self.start}_{clock.removesuffix(GATED)}{ENABLES}" for clock in gated)
        # A pin's port begins with the instance's name.
        names = tuple(f"{self.start}_{box.port('')}".removesuffix("_") for box in boxes)
        title = design.top if dict(design.parameters).get("SIDE_A", 1) else f"{design.top}_b"
        return Part(title, path, design.top, names, enables)


def accelerator_scope(flow: Synthesiser, period: float, chip: Chip, build: Path) -> Scope:
    parameters = accel.parameters(chip.config, build=build)
    design, inner = accel.design_of(parameters, flow.files)
    return Scope(flow, period, ACCEL, design, list(inner.values()), repaired=False)


# Of the accelerator's array. A waveform whose ports have other widths is refused.
INSIDE = {"TILES": 256, "META_W": 21}


def array_scope(flow: Synthesiser, period: float, chip: Chip, _: Path) -> Scope:
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
        for side in (
            (1, 0) if "SIDE_A" in dict(one.parameters) and chip.element != "int8" else (None,)
        )
        if side is not None
    ]
    parameters = {**dict(entry.design.parameters), **INSIDE}
    design = replace(entry.design, parameters=tuple(parameters.items()))
    return Scope(flow, period, f"{ACCEL}_u_compute_path_u_array", design, [*designs, *sides])


SCOPES = {"array": array_scope, "accelerator": accelerator_scope}
