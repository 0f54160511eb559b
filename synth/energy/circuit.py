# SPDX-License-Identifier: Apache-2.0
"""A flat netlist as toggles.cpp takes it, with loads, slews and delays from the Liberty tables, and its simulation."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from ..flow.errors import FlowError, RejectedNetlist
from ..flow.fit import fast_buffers
from ..flow.functions import evaluator
from ..flow.liberty import Library
from ..flow.recipe import INSERTED
from ..flow.spread import clocks_of, spread, stronger
from ..flow.sta import CLOCK, GATED, is_clock
from ..flow.timing import FALL, RISE, Graph, Timing

TICKS = 1000  # of a clock period
# Wires make netlists slower than the clock that they were made for. The energy of a cycle does not depend on the clock.
SLOWER = 2
COUNTED = np.uint64(1 << 63)  # of a cycle's count of changes: its transitions count
STREAMS = 64  # copies of the netlist that run side by side
ENABLE, ENABLES = (
    "enable",
    "_en_i",
)  # of a clock gate: outside, and the pin's end in the netlist's port
LOADED = 16  # sinks
SKIPPED = 16  # cycles at the start that are not counted: pipelines fill


def is_enable(port: str) -> bool:
    """Whether it is the enable of a clock gate that synthesis has inserted, of which the RTL knows nothing"""
    return re.fullmatch(f"{INSERTED}\\d+{ENABLES}", port) is not None


@dataclass(frozen=True)
class Mode:
    """How transitions are counted: None, no glitches; else what part of a gate's delay a pulse lasts to pass it."""

    name: str
    title: str
    shortest: float | None = None


MODES = (
    Mode("settled", "without glitches"),
    Mode("glitches", "with glitches", 1.0),
    Mode("short_glitches", "with shorter ones too", 0.5),
)
SETTLED, GLITCHES, SHORT_GLITCHES = MODES


@dataclass(frozen=True)
class Activity:
    """Transitions a cycle of every net, the part of time it is 1, and the sampled outputs."""

    per_cycle: dict[int | str, float]
    ones: dict[int | str, float]
    outputs: dict[str, np.ndarray]  # by port: [cycle, stream, bit]
    cycles: int


class Circuit:
    """`wire`: see Graph. `ticks`: those of a clock period, in which delays are counted. `gated`: the clock has a gate
    outside, whose enable is an input of its own, ENABLE. `buffered`: the netlist was not repaired, and gets trees of
    buffers on the nets with more than LOADED sinks."""

    def __init__(
        self,
        module: dict,
        library: Library,
        period_ns: float,
        wire: float = 0.0,
        ticks: int = TICKS,
        gated: bool = False,
        buffered: bool = False,
    ):
        self.module, self.library, self.period_ns = module, library, period_ns
        self.ticks, self.tick_ns = ticks, period_ns / ticks
        unknown = {cell["type"] for cell in module["cells"].values()} - {
            c.name for c in library.usable()
        }
        if unknown:
            raise RejectedNetlist(
                f"energy needs a flat netlist of library cells: {', '.join(sorted(unknown))}"
            )
        self.graph = Graph(module, library, period_ns, wire)
        if buffered:
            buffer = stronger(fast_buffers(self.graph))
            spread(self.graph, buffer, clocks_of(module), LOADED)
        self.enables = self._enables(gated)
        self.both = self._both(gated)
        self.enables |= {clock: self.net_of_both(clock) for clock in self.both}
        self.timing = Timing(self.graph)
        self.order = self.graph.order()
        combinational = set(self.order)
        self.flops = [name for name in self.graph.kind if name not in combinational]
        self.number: dict[int | str, int] = {"0": 0, "1": 1}
        for bit in (
            *self.graph.inputs,
            *(enable for enables in self.both.values() for enable in enables),
            *self.enables.values(),
            *(bit for pins in self.graph.pins.values() for bit in pins.values()),
        ):
            self.number.setdefault(bit, len(self.number))

    @classmethod
    def read(
        cls,
        path: Path,
        top: str,
        library: Library,
        period_ns: float,
        wire: float = 0.0,
        ticks: int = TICKS,
        gated: bool = False,
        buffered: bool = False,
    ) -> Circuit:
        modules = json.loads(path.read_text())["modules"]
        if top not in modules:
            raise RejectedNetlist(f"{path} has no module {top}")
        return cls(modules[top], library, period_ns, wire, ticks, gated, buffered)

    def _enables(self, gated: bool) -> dict[int | str, int | str]:
        """The net of each clock, and that of its gate's enable: 1 if it has no gate. The enable of a gate that the netlist
        leaves out is an output beside it."""
        ports, found = self.module["ports"], {}
        for name in filter(is_clock, ports):
            enable = ports.get(f"{name.removesuffix(GATED)}{ENABLES}", {"bits": ["1"]})
            found[ports[name]["bits"][0]] = enable["bits"][0] if name != CLOCK else "1"
        if gated:
            found[ports[CLOCK]["bits"][0]] = ENABLE
        return found

    def _both(self, gated: bool) -> dict[int | str, tuple[int | str, int | str]]:
        """The clocks of gates behind the one outside, with both enables"""
        if not gated:
            return {}
        return {
            clock: (ENABLE, enable)
            for clock, enable in self.enables.items()
            if clock not in (self.clock, None)
        }

    @staticmethod
    def net_of_both(clock: int | str) -> str:
        return f"{ENABLE} of {clock}"

    def ports(self, direction: str) -> dict[str, list[int | str]]:
        found = {
            name: port["bits"]
            for name, port in self.module["ports"].items()
            if port["direction"] == direction and not is_clock(name) and not is_enable(name)
        }
        has_enable = direction == "input" and (ENABLE in self.enables.values() or bool(self.both))
        return {**found, **({ENABLE: [ENABLE]} if has_enable else {})}

    @property
    def clock(self) -> int | str | None:
        """The net of the clock that no gate of the netlist's is before"""
        return self.module["ports"].get(CLOCK, {"bits": [None]})["bits"][0]

    def enable(self, flop: str) -> int | str:
        """The net that lets a flip-flop's clock through"""
        return self.enables.get(self.graph.pins[flop][self.graph.register.clock], "1")

    # ---- nets for toggles.cpp ----------------------------------------------------------------------------------------

    def load(self, bit: int | str) -> float:
        return self.graph.load(bit)

    def slew(self, bit: int | str) -> tuple[float, float]:
        """By the net's edge; a constant has none."""
        rise, fall = self.timing.slew.get(bit, (0.0, 0.0))
        return rise, fall

    def ticks_of(self, name: str, out: str) -> int:
        """The mean delay of all arcs to an output, at its load and its inputs' slews."""
        graph, pins = self.graph, self.graph.pins[name]
        model = graph.models[graph.kind[name]]
        load, delays = self.load(pins[out]), []
        for pin, _, froms, delay, _ in model.arcs[out]:
            clock = graph.register.clock_slew
            slews = (clock, clock) if model.cell.is_flip_flop else self.slew(pins[pin])
            delays += [delay(load, slews[source]) for source in froms]
        return max(1, round(sum(delays) / len(delays) / self.tick_ns)) if delays else 1

    def input_ticks(self, bit: int | str) -> int:
        """Inputs come from flip-flops."""
        if bit not in self.timing.arrival:
            return 1
        arrival = self.timing.arrival[bit]
        return max(1, round((arrival[RISE] + arrival[FALL]) / 2 / self.tick_ns))

    def _truth(self, kind: str, out: str) -> tuple[list[str], str]:
        pin = self.library.cells[kind].pins[out]
        value, names = evaluator(pin.function), self.library.cells[kind].inputs()
        rows = product((False, True), repeat=len(names))
        bits = [
            bool(value(dict(zip(reversed(names), row)))) for row in rows
        ]  # the first input is the lowest bit
        return names, "".join(str(int(bit)) for bit in bits)

    def _flop(self, name: str) -> list[str]:
        graph, pins = self.graph, self.graph.pins[name]
        register = graph.register
        if graph.kind[name] != register.cell:
            raise RejectedNetlist(
                f"energy knows the flip-flop {register.cell} alone, not {graph.kind[name]}"
            )
        if register.output not in pins:
            return []
        q, d = (self.number[pins[pin]] for pin in (register.output, register.data))
        ticks, enable = self.ticks_of(name, register.output), self.number[self.enable(name)]
        return [f"flop {q} {d} {ticks} {int(register.inverted)} {enable}"]

    def text(self, shortest: float = 1.0) -> str:
        lines = [f"nets {len(self.number)}", f"period {SLOWER * self.ticks}"]
        truths: dict[tuple[str, str], tuple[list[str], str]] = {}
        for name in self.order:
            kind, pins = self.graph.kind[name], self.graph.pins[name]
            for out in self.graph.models[kind].outputs:
                if out not in pins:
                    continue
                if (kind, out) not in truths:
                    truths[kind, out] = self._truth(kind, out)
                names, truth = truths[kind, out]
                inputs = " ".join(str(self.number[pins[pin]]) for pin in names)
                ticks = self.ticks_of(name, out)
                lines.append(
                    f"gate {self.number[pins[out]]} {ticks} {round(ticks * shortest)} {truth} {inputs}"
                )
        for clock, enables in self.both.items():
            inputs = " ".join(str(self.number[bit]) for bit in enables)
            lines.append(f"gate {self.number[self.net_of_both(clock)]} 1 1 0001 {inputs}")
        for name in self.flops:
            lines += self._flop(name)
        lines += [
            f"input {self.number[bit]} {self.input_ticks(bit)}"
            for bits in self.ports("input").values()
            for bit in bits
        ]
        lines += [
            f"sample {self.number[bit]}" for bits in self.ports("output").values() for bit in bits
        ]
        return "\n".join(lines) + "\n"

    # ---- simulation --------------------------------------------------------------------------------------------------

    def simulate(
        self, binary: Path, folder: Path, inputs: dict[str, np.ndarray], mode: Mode
    ) -> Activity:
        """`inputs`: by port, [cycle, stream, bit], all of them."""
        ports = self.ports("input")
        if inputs.keys() != ports.keys():
            raise ValueError(f"inputs are {sorted(inputs)}, the netlist's are {sorted(ports)}")
        for name, bits in ports.items():
            if inputs[name].shape[1:] != (STREAMS, len(bits)):
                raise ValueError(f"{name} has {len(bits)} bits, not {inputs[name].shape}")
        cycles = len(next(iter(inputs.values())))
        stimulus = changes_of(words(np.concatenate([inputs[name] for name in ports], axis=2)))
        stimulus.counts[SKIPPED:] |= COUNTED
        counted = (cycles - SKIPPED) * STREAMS
        toggles, ones, samples = self.run(binary, folder, stimulus, mode)
        outputs, place = {}, 0
        values = samples.words(sum(len(bits) for bits in self.ports("output").values()))
        for name, bits in self.ports("output").items():
            outputs[name] = streams(values[:, place : place + len(bits)])
            place += len(bits)
        return Activity(
            *(self.by_net(found / counted) for found in (toggles, ones)), outputs, cycles - SKIPPED
        )

    def by_net(self, values: np.ndarray) -> dict[int | str, float]:
        return {bit: float(values[number]) for bit, number in self.number.items()}

    def run(
        self, binary: Path, folder: Path, stimulus: Changes, mode: Mode, used: int = STREAMS
    ) -> tuple[np.ndarray, np.ndarray, Changes]:
        """By net transitions and cycles in which it is 1, of the cycles that are COUNTED and of the first `used` streams together, and
        the outputs' changes"""
        how = "SETTLED" if mode.shortest is None else "TIMED"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            nets, given, result = (Path(name, part) for part in ("nets", "stimulus", "result"))
            nets.write_text(self.text(mode.shortest or 0.0))
            with given.open("wb") as file:
                np.array([len(stimulus.counts)], np.uint64).tofile(file)
                stimulus.counts.tofile(file)
                stimulus.pairs.tofile(file)
            done = subprocess.run(
                [binary, nets, given, result, how, str(used)],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise FlowError(
                    done.stderr.strip() or f"{binary} ended with status {done.returncode}"
                )
            found = np.fromfile(result, dtype=np.uint64)
        n, cycles = len(self.number), len(stimulus.counts)
        samples = Changes(found[2 * n : 2 * n + cycles], found[2 * n + cycles :].reshape(-1, 2))
        return found[:n], found[n : 2 * n], samples


@dataclass(frozen=True)
class Changes:
    """Of words, which are 0 before: how many in each cycle, and [change, 2] of a word's number and its new value"""

    counts: np.ndarray
    pairs: np.ndarray

    def words(self, count: int) -> np.ndarray:
        """[cycle, word]"""
        value, found = np.zeros(count, np.uint64), np.zeros((len(self.counts), count), np.uint64)
        ends = np.cumsum(self.counts).astype(int)
        for cycle, (end, its) in enumerate(zip(ends, self.counts.astype(int))):
            changed = self.pairs[end - its : end]
            value[changed[:, 0].astype(int)] = changed[:, 1]
            found[cycle] = value
        return found


def changes_of(words: np.ndarray) -> Changes:
    """Of words [cycle, word]"""
    before = np.vstack([np.zeros((1, words.shape[1]), np.uint64), words[:-1]])
    cycle, word = np.nonzero(words != before)
    counts = np.bincount(cycle, minlength=len(words)).astype(np.uint64)
    return Changes(counts, np.stack([word.astype(np.uint64), words[cycle, word]], axis=1))


def words(bits: np.ndarray) -> np.ndarray:
    """[cycle, stream, bit] of 0 and 1 to words [cycle, bit]: a stream is a bit of the word."""
    return np.packbits(bits.transpose(0, 2, 1), axis=2, bitorder="little").view("<u8")[:, :, 0]


def streams(these: np.ndarray) -> np.ndarray:
    """The inverse."""
    octets = np.ascontiguousarray(these).view(np.uint8).reshape(*these.shape, 8)
    return np.unpackbits(octets, axis=2, bitorder="little").transpose(0, 2, 1)
