# SPDX-License-Identifier: Apache-2.0
"""The study of energy: netlists of area.json and of their operand feeds, on operands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..flow import recipe
from ..flow.runs import Design, Synthesiser
from ..study import wires
from ..study.elements import KINDS
from ..study.records import Record
from ..study.table import ENERGY_GROUP
from . import power, sta_power, tensors
from .circuit import GLITCHES, STREAMS, Circuit, Mode
from .drive import Drive
from .power_tables import Tables

FAMILIES = ("block", "late", "aligned", "static")  # drive.py knows their pipelines
STEPS = 256  # of each netlist at least
SIDES = ("baseline", "single")  # of an element: INT8 with as many accumulators, and with one
KEPT = 3  # circuits
MANY = 16  # lanes
ARRAY = 256  # products a cycle of the array whose feeds are shared


@dataclass(frozen=True)
class Case:
    """One measurement of a netlist: operands, how transitions are counted, and how long wires are."""

    data: str
    format: str = "e4m3fn"
    mode: Mode = GLITCHES
    wires: float = 1.0

    @property
    def name(self) -> str:
        name = self.data if self.format == "e4m3fn" else f"{self.data}_{self.format}"
        return f"{name}, {self.mode.name}, wires x {self.wires:g}"

    def suits(self, record: Record) -> bool:
        """INT8 has one format, and evenly drawn codes have no MX scales. Assumptions vary for many lanes alone."""
        usual = self.mode == GLITCHES and self.wires == 1
        return (
            (record["kind"] != "int8" or self.format == "e4m3fn")
            and not (self.data == "uniform" and has_scales(record))
            and (usual or record["lanes"] == MANY)
        )


def has_scales(record: Record) -> bool:
    return bool(record["parameters"].get("MX"))


CHECKED = Case(tensors.SENSITIVE)  # where OpenSTA is asked, too


def side_of(record: Record, side: str) -> Record:
    """The record of an element's INT8 baseline"""
    return {
        "name": record[side],
        "kind": "int8",
        "family": "int8",
        "acc": KINDS["int8"].accumulators[0],
        "frac_bits": None,
        "lanes": record["lanes"],
        "top": "fp8mac_element_int8",
        "parameters": record[f"{side}_parameters"],
        "netlist": record[f"{side}_netlist"],
        "area": record[f"{side}_area"],
        "library": record["library"],
        "period_ns": record["period_ns"],
    }


def elements(every: list[Record]) -> list[Record]:
    """The elements of area.json whose energy can be measured and their baselines, each netlist once."""
    found: dict[str, Record] = {}
    for record in every:
        if (
            record["family"] in FAMILIES
            and record["group"] in ("main", "choice", ENERGY_GROUP)
            and record.get("single")
        ):
            for one in (record, *(side_of(record, side) for side in SIDES)):
                found.setdefault(one["netlist"], one)
    return sorted(found.values(), key=lambda one: -one["lanes"])


@dataclass
class Measured:
    """pJ a MAC of one netlist in one case"""

    record: Record
    case: Case
    results: int  # how many were compared
    cycles: int
    transitions: float  # of all nets in a cycle, a MAC
    element: power.Energy
    feeds: power.Energy  # the shares of a row's and of a column's feed
    checked: sta_power.Power | None = None  # the netlist in OpenSTA, pJ a cycle

    @property
    def total(self) -> float:
        return self.element.total + self.feeds.total


class Study:
    """`synthesiser` makes the netlists of the operand feeds."""

    def __init__(self, synthesiser: Synthesiser, period_ns: float, binary: Path, folder: Path):
        self.synthesiser, self.library, self.period_ns = synthesiser, synthesiser.library, period_ns
        self.binary, self.folder = binary, folder
        self.tables = Tables(self.library)
        self.kept: dict[tuple[Path, float], Circuit] = {}

    def circuit(self, path: Path, top: str, factor: float) -> Circuit:
        """A netlist and its feeds are kept."""
        key = path, factor
        if key not in self.kept:
            if len(self.kept) == KEPT:
                del self.kept[next(iter(self.kept))]
            wire = factor * wires.pf_of_sink(self.library)
            self.kept[key] = Circuit.read(path, top, self.library, self.period_ns, wire)
        return self.kept[key]

    def measure(self, record: Record, case: Case, steps: int = STEPS) -> Measured:
        drive = Drive(record, tensors.data(case.data, case.format, has_scales(record)), steps)
        inputs, feeds = self.inputs(drive, record, case)
        circuit = self.circuit(
            Path(record["netlist"]).with_name("netlist.json"), record["top"], case.wires
        )
        activity = circuit.simulate(self.binary, self.folder, inputs, case.mode)
        element = power.of_cycle(circuit, activity, self.tables)
        checked = None
        if case == CHECKED:
            checked = sta_power.run(circuit, activity, self.tables, self.folder / "sta")
            checked.judge()
        return Measured(
            record,
            case,
            drive.check(activity.outputs),
            activity.cycles,
            sum(activity.per_cycle.values()) / drive.macs,
            element.scaled(1 / drive.macs),
            feeds,
            checked,
        )

    # ---- operand feeds -----------------------------------------------------------------------------------------------

    def inputs(
        self, drive: Drive, record: Record, case: Case
    ) -> tuple[dict[str, np.ndarray], power.Energy]:
        """What the feeds send to the netlist, and a MAC's share of their energy"""
        outputs, energy = [], power.Energy()
        for side in "ab":
            found, its = self._feed(drive, side, case)
            outputs.append(found)
            energy = energy.plus(its)
        path = Path(record["netlist"]).with_name("netlist.json")
        ports = self.circuit(path, record["top"], case.wires).ports("input")
        return drive.element_inputs(*outputs, ports), energy

    def _feed(
        self, drive: Drive, side: str, case: Case
    ) -> tuple[dict[str, np.ndarray], power.Energy]:
        """The outputs of the feeds of all rows or columns, [cycle, feed, bit], and a MAC's share of their energy"""
        design = drive.kind.feed(side, drive.lanes)
        netlist = self.feed_netlist(design)
        circuit = self.circuit(netlist, design.top, case.wires)
        count, parts, energies = drive.where(side).shape[1], [], []
        for start in range(0, count, STREAMS):
            feeds = (start + np.arange(STREAMS)) % count
            inputs = drive.feed_inputs(side, circuit.ports("input"), feeds)
            activity = circuit.simulate(self.binary, self.folder, inputs, case.mode)
            parts.append(activity.outputs)
            energies.append(power.of_cycle(circuit, activity, self.tables))
        outputs = {
            name: np.concatenate([part[name] for part in parts], axis=1)[:, :count]
            for name in parts[0]
        }
        # A row of the array has as many elements as a column.
        sharers = round((ARRAY / drive.lanes) ** 0.5) * drive.lanes
        energy = power.Energy()
        for one in energies:
            energy = energy.plus(one.scaled(1 / len(energies) / sharers))
        return outputs, energy

    def feed_netlist(self, design: Design) -> Path:
        made = self.synthesiser.run(design, self.period_ns, recipe.EFFORTS[0], recipe.SEEDS[0])
        return Path(made.netlist) / "netlist.json"

    def run(self, found: list[Record], cases: list[Case]) -> Iterator[Measured]:
        for record in found:
            for case in cases:
                if case.suits(record):
                    yield self.measure(record, case)


def entry(measured: Measured) -> Record:
    """A record of energy.json."""
    record, case = measured.record, measured.case
    same = ("name", "kind", "acc", "frac_bits", "lanes", "library", "period_ns", "area", "netlist")
    parts = lambda energy: {part: round(pj, 6) for part, pj in asdict(energy).items()}
    return {
        **{key: record[key] for key in same},
        "parameters": record["parameters"],
        "data": case.data,
        "format": "int8" if record["kind"] == "int8" else case.format,
        "mode": case.mode.name,
        "wires": case.wires,
        "pj": round(measured.total, 6),
        "element_pj": round(measured.element.total, 6),
        "feeds_pj": round(measured.feeds.total, 6),
        "element": parts(measured.element),
        "feeds": parts(measured.feeds),
        "transitions": round(measured.transitions, 4),
        "cycles": measured.cycles,
        "results": measured.results,
        **({"opensta": asdict(measured.checked)} if measured.checked else {}),
    }
