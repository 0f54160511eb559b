# SPDX-License-Identifier: Apache-2.0
"""What is measured: the netlists of area.json, each beside its INT8 baseline, on every data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from flow.runs import Synthesiser

from . import edges, power
from .circuit import MODES, SETTLED, Circuit
from .data import COLUMNS, ROWS, Data
from .drive import Drive

LANES = (1, 4, 16)
GROUPS = ("main",)
INT8_TOP = "fp8mac_element_int8"

Row = dict


def baseline_of(row: Row) -> Row:
    return {
        **row,
        "name": f"int8_{row['lanes']}",
        "top": INT8_TOP,
        "accumulator": "int32",
        "frac_bits": "exact",
        "kind": "",
        "netlist": row["int8_netlist"],
        "area": row["int8_area"],
        "parameters": {},
    }


def elements(rows: list[Row], library: str, period_ns: float) -> list[Row]:
    """Of area.json."""
    return [
        row
        for row in rows
        if row["library"] == library
        and row["period_ns"] == period_ns
        and row["group"] in GROUPS
        and row["lanes"] in LANES
    ]


@dataclass
class Measured:
    """pJ a cycle of one netlist on one data set, by mode."""

    row: Row
    data: Data
    results: int  # how many were compared
    cycles: int
    energy: dict[str, power.Energy]
    edge: float = 0.0  # an element's share of its row's and its column's edge, without glitches

    def per_mac(self, mode: str) -> float:
        return self.energy[mode].total / self.row["lanes"]

    @property
    def edge_per_mac(self) -> float:
        return self.edge / self.row["lanes"]


class Study:
    """`synthesiser` makes the edges."""

    def __init__(self, synthesiser: Synthesiser, period_ns: float, binary: Path, folder: Path):
        self.synthesiser, self.library, self.period_ns = synthesiser, synthesiser.library, period_ns
        self.binary, self.folder = binary, folder
        self.tables = power.Tables(self.library)
        self.edge_key: tuple | None = None
        self.edge_value: tuple = ()

    def circuit(self, row: Row) -> Circuit:
        return Circuit.read(
            Path(row["netlist"]).with_name("netlist.json"), row["top"], self.library, self.period_ns
        )

    def measure(self, row: Row, data: Data) -> Measured:
        drive = Drive(row, data)
        outputs, edge = self._edges(drive)
        circuit = self.circuit(row)
        inputs = drive.element_inputs(*outputs, circuit.ports("input"))
        measured = Measured(row, data, 0, 0, {}, edge=edge)
        for mode in MODES:
            activity = circuit.simulate(self.binary, self.folder / "run", inputs, mode)
            measured.results, measured.cycles = drive.check(activity.outputs), activity.cycles
            measured.energy[mode.name] = power.of_cycle(circuit, activity, self.tables)
        return measured

    def _edges(self, drive: Drive) -> tuple[list[dict[str, np.ndarray]], float]:
        """Both edges' outputs, and what they cost an element."""
        key = drive.kind, drive.lanes, drive.data.name, drive.base
        if key != self.edge_key:
            self.edge_key, self.edge_value = key, self._simulate_edges(drive)
        return self.edge_value

    def _simulate_edges(self, drive: Drive) -> tuple[list[dict[str, np.ndarray]], float]:
        outputs, share = [], 0.0
        for side, sharers in (("a", COLUMNS), ("b", ROWS)):
            design = drive.kind.edge(side, drive.lanes)
            path = edges.netlist(self.synthesiser, design, self.period_ns)
            circuit = Circuit.read(path, design.top, self.library, self.period_ns)
            activity = circuit.simulate(
                self.binary,
                self.folder / "run",
                drive.edge_inputs(side, circuit.ports("input")),
                SETTLED,
            )
            share += power.of_cycle(circuit, activity, self.tables).total / sharers
            outputs.append(activity.outputs)
        return outputs, share

    def run(self, rows: list[Row], sets: list[Data]) -> Iterator[tuple[Measured, Measured]]:
        """Every element with its baseline."""
        for data in sets:
            baselines: dict[int, Measured] = {}
            for row in sorted(rows, key=lambda row: (row["lanes"], row["kind"], row["name"])):
                if row["lanes"] not in baselines:
                    baselines[row["lanes"]] = self.measure(baseline_of(row), data)
                yield self.measure(row, data), baselines[row["lanes"]]


def entry(measured: Measured, baseline: Measured, library: str, period_ns: float) -> Row:
    """A line of energy.json."""
    row = measured.row
    return {
        "name": row["name"],
        "lanes": row["lanes"],
        "accumulator": row["accumulator"],
        "frac_bits": row["frac_bits"],
        "kind": row["kind"],
        "library": library,
        "period_ns": period_ns,
        "data": measured.data.name,
        "indicative": True,
        "area_ratio": row["ratio"],
        "cycles": measured.cycles,
        "results_checked": measured.results,
        "fp8": side(measured),
        "int8": side(baseline),
        "ratio": {
            mode.name: round(measured.per_mac(mode.name) / baseline.per_mac(mode.name), 4)
            for mode in MODES
        },
        "netlist": row["netlist"],
        "int8_netlist": row["int8_netlist"],
    }


def side(measured: Measured) -> Row:
    lanes = measured.row["lanes"]
    per_mac = lambda energy: {part: round(pj / lanes, 5) for part, pj in asdict(energy).items()}
    return {
        "pj_per_mac": {mode.name: round(measured.per_mac(mode.name), 5) for mode in MODES},
        "parts_pj_per_mac": {mode: per_mac(energy) for mode, energy in measured.energy.items()},
        "edge_pj_per_mac": round(measured.edge_per_mac, 5),
    }
