# SPDX-License-Identifier: Apache-2.0
"""The study of energy: the netlists of area.json, each beside its INT8 baseline, on every data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..flow.runs import Synthesiser
from ..study.elements import int8
from ..study.records import Record
from . import feeds, power
from .circuit import MODES, SETTLED, Circuit
from .data import COLUMNS, ROWS, Data
from .drive import Drive

LANES = (1, 4, 16)
GROUPS = ("main", "choice")
FAMILIES = ("late", "aligned", "static")  # drive.py knows their pipelines


def baseline_of(record: Record) -> Record:
    entry = int8(record["lanes"])
    return {
        **record,
        "name": entry.name,
        "kind": entry.kind,
        "family": entry.family,
        "acc": entry.acc,
        "frac_bits": entry.frac_bits,
        "top": entry.design.top,
        "parameters": dict(entry.design.parameters),
        "netlist": record["baseline_netlist"],
        "area": record["baseline_area"],
    }


def elements(every: list[Record], library: str, period_ns: float) -> list[Record]:
    """The records of area.json whose energy is measured."""
    return [
        record
        for record in every
        if record["library"] == library
        and record["period_ns"] == period_ns
        and record["group"] in GROUPS
        and record["family"] in FAMILIES
        and record["lanes"] in LANES
    ]


@dataclass
class Measured:
    """pJ a cycle of one netlist on one data set, by mode."""

    record: Record
    data: Data
    results: int  # how many were compared
    cycles: int
    energy: dict[str, power.Energy]
    feed: float = 0.0  # an element's share of the feeds of its row and its column, without glitches

    def per_mac(self, mode: str) -> float:
        return self.energy[mode].total / self.record["lanes"]

    @property
    def feed_per_mac(self) -> float:
        return self.feed / self.record["lanes"]


class Study:
    """`synthesiser` makes the netlists of the operand feeds."""

    def __init__(self, synthesiser: Synthesiser, period_ns: float, binary: Path, folder: Path):
        self.synthesiser, self.library, self.period_ns = synthesiser, synthesiser.library, period_ns
        self.binary, self.folder = binary, folder
        self.tables = power.Tables(self.library)
        self.feed_key: tuple | None = None
        self.feed_value: tuple = ()

    def circuit(self, record: Record) -> Circuit:
        path = Path(record["netlist"]).with_name("netlist.json")
        return Circuit.read(path, record["top"], self.library, self.period_ns)

    def measure(self, record: Record, data: Data) -> Measured:
        drive = Drive(record, data)
        outputs, feed = self._feeds(drive)
        circuit = self.circuit(record)
        inputs = drive.element_inputs(*outputs, circuit.ports("input"))
        measured = Measured(record, data, 0, 0, {}, feed=feed)
        for mode in MODES:
            activity = circuit.simulate(self.binary, self.folder / "run", inputs, mode)
            measured.results, measured.cycles = drive.check(activity.outputs), activity.cycles
            measured.energy[mode.name] = power.of_cycle(circuit, activity, self.tables)
        return measured

    def _feeds(self, drive: Drive) -> tuple[list[dict[str, np.ndarray]], float]:
        """The outputs of both feeds, and an element's share of their energy."""
        key = drive.kind, drive.lanes, drive.data.name, drive.base
        if key != self.feed_key:
            self.feed_key, self.feed_value = key, self._simulate_feeds(drive)
        return self.feed_value

    def _simulate_feeds(self, drive: Drive) -> tuple[list[dict[str, np.ndarray]], float]:
        outputs, share = [], 0.0
        for side, sharers in (("a", COLUMNS), ("b", ROWS)):
            design = drive.kind.feed(side, drive.lanes)
            path = feeds.netlist(self.synthesiser, design, self.period_ns)
            circuit = Circuit.read(path, design.top, self.library, self.period_ns)
            activity = circuit.simulate(
                self.binary,
                self.folder / "run",
                drive.feed_inputs(side, circuit.ports("input")),
                SETTLED,
            )
            share += power.of_cycle(circuit, activity, self.tables).total / sharers
            outputs.append(activity.outputs)
        return outputs, share

    def run(self, found: list[Record], sets: list[Data]) -> Iterator[tuple[Measured, Measured]]:
        """Every element with its baseline."""
        for data in sets:
            baselines: dict[int, Measured] = {}
            for record in sorted(found, key=lambda one: (one["lanes"], one["family"], one["name"])):
                if record["lanes"] not in baselines:
                    baselines[record["lanes"]] = self.measure(baseline_of(record), data)
                yield self.measure(record, data), baselines[record["lanes"]]


def entry(measured: Measured, baseline: Measured, library: str, period_ns: float) -> Record:
    """A record of energy.json."""
    record = measured.record
    same = ("name", "kind", "family", "acc", "frac_bits", "lanes")
    return {
        **{key: record[key] for key in same},
        "library": library,
        "period_ns": period_ns,
        "data": measured.data.name,
        "indicative": True,
        "area_ratio": record["ratio"],
        "cycles": measured.cycles,
        "results_checked": measured.results,
        "fp8": side(measured),
        "baseline": side(baseline),
        "ratio": {
            mode.name: round(measured.per_mac(mode.name) / baseline.per_mac(mode.name), 4)
            for mode in MODES
        },
        "netlist": record["netlist"],
        "baseline_netlist": record["baseline_netlist"],
    }


def side(measured: Measured) -> Record:
    lanes = measured.record["lanes"]
    per_mac = lambda energy: {part: round(pj / lanes, 5) for part, pj in asdict(energy).items()}
    return {
        "pj_per_mac": {mode.name: round(measured.per_mac(mode.name), 5) for mode in MODES},
        "parts_pj_per_mac": {mode: per_mac(energy) for mode, energy in measured.energy.items()},
        "feed_pj_per_mac": round(measured.feed_per_mac, 5),
    }
