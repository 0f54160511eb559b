# SPDX-License-Identifier: Apache-2.0
"""A library that can be worked out by hand, and small netlists of its cells, for the energy tests."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import numpy as np

from synth.energy import circuit, power, power_tables
from synth.energy.circuit import MODES, SKIPPED, STREAMS, Circuit
from synth.flow.liberty import Library

SETTLED, LONG, SHORTER = MODES
PERIOD = 6.0
DELAY = "0.10"  # of every gate but `slow`
CYCLES = SKIPPED + 8

# 2 V; capacitances in fF, internal energies in fJ by fF V^2. Energies do not depend on load or slew, but `steep`'s.
HEAD = """library (hand) { time_unit : "1ns"; capacitive_load_unit (1, ff); voltage_unit : "1V"; nom_voltage : 2.0;
  lu_table_template (d) { variable_1 : total_output_net_capacitance; variable_2 : input_net_transition;
    index_1 ("0, 100"); index_2 ("0, 1"); }
  power_lut_template (e) { variable_1 : total_output_net_capacitance; variable_2 : input_transition_time;
    index_1 ("0, 100"); index_2 ("0, 1"); }
  power_lut_template (p) { variable_1 : input_transition_time; index_1 ("0, 1"); }
"""


def table(kind: str, template: str, *rows: str) -> str:
    return (
        f"{kind} ({template}) {{ values ({', '.join(chr(34) + row + chr(34) for row in rows)}); }}"
    )


def flat(kind: str, template: str, value: float | str) -> str:
    return table(kind, template, *[f"{value}, {value}"] * (1 if template == "p" else 2))


def arcs(pins: str, delay: str, kind: str = "combinational") -> str:
    tables = (
        flat("cell_rise", "d", delay),
        flat("cell_fall", "d", delay),
        flat("rise_transition", "d", 0.05),
        flat("fall_transition", "d", 0.05),
    )
    return "".join(
        f'timing () {{ related_pin : "{pin}"; timing_type : {kind}; {" ".join(tables)} }}'
        for pin in pins.split()
    )


def internal(pins: str, rise: float, fall: float) -> str:
    return "".join(
        f'internal_power () {{ related_pin : "{pin}"; {flat("rise_power", "e", rise)} '
        f"{flat('fall_power', 'e', fall)} }}"
        for pin in pins.split()
    )


def passive(rise: float, fall: float) -> str:
    return (
        f"internal_power () {{ {flat('rise_power', 'p', rise)} {flat('fall_power', 'p', fall)} }}"
    )


def gate(
    name: str, area: int, inputs: str, function: str, delay: str = DELAY, energy: str = ""
) -> str:
    pins = "".join(
        f"pin ({pin}) {{ direction : input; capacitance : 10; }}" for pin in inputs.split()
    )
    return (
        f'cell ({name}) {{ area : {area}; {pins} pin (Y) {{ direction : output; function : "{function}"; '
        f"{arcs(inputs, delay)} {energy} }} }}\n"
    )


FLOP = f"""cell (flop) {{ area : 9; ff (s, n) {{ clocked_on : "C"; next_state : "D"; }}
  pin (C) {{ direction : input; capacitance : 30; clock : true; {passive(50, 70)} }}
  pin (D) {{ direction : input; capacitance : 20; {passive(200, 400)}
    timing () {{ related_pin : "C"; timing_type : setup_rising; {flat("rise_constraint", "d", 0.1)}
      {flat("fall_constraint", "d", 0.1)} }} }}
  pin (Q) {{ direction : output; function : "s"; {arcs("C", DELAY, "rising_edge")} {internal("C", 500, 700)} }} }}
"""
# A buffer for the clock tree, whose internal energy is 40 + 60 for both edges
TREE = gate("tree", 3, "A", "A", energy=internal("A", 40, 60))
STEEP = (
    f'internal_power () {{ related_pin : "A"; {table("rise_power", "e", "0, 0", "100, 100")} '
    f"{table('fall_power', 'e', '0, 0', '100, 100')} }}"
)
TEXT = (
    HEAD
    + FLOP
    + gate("inv", 2, "A", "!A", energy=internal("A", 300, 100))
    + gate("slow", 3, "A", "A", "0.30")
    + gate("steep", 4, "A", "A", energy=STEEP)
    + gate("differ", 5, "A B", "A ^ B")
    + gate("odd", 6, "A B D", "A & !B | B & !A & D")
    + gate("two", 7, "A B", "A & B", energy=internal("A", 100, 100) + internal("B", 500, 500))
    + "}\n"
)


class Hand:
    """Small netlists: cells as (kind, pins by net), nets are numbers."""

    def __init__(self, toggles: Path, folder: Path):
        self.toggles, self.folder = toggles, folder
        path = folder / "hand.lib"
        path.write_text(TEXT)
        self.library = Library(path, power=True)
        self.tables = power_tables.Tables(self.library)

    def variant(self, name: str, without: tuple[str, ...], more: str) -> Library:
        """The library without some cells, and with others"""
        cells = re.split(r"(?m)^(?=cell )", TEXT)
        kept = [
            cell for cell in cells if not cell.startswith(tuple(f"cell ({one})" for one in without))
        ]
        path = self.folder / f"{name}.lib"
        path.write_text("".join(kept).rstrip().removesuffix("}") + more + "}\n")
        return Library(path, power=True)

    def circuit(
        self,
        inputs: list[int],
        outputs: list[int],
        cells: list[tuple[str, dict]],
        wire: float = 0.0,
        library: Library | None = None,
    ) -> Circuit:
        ports = {
            "clk_i": {"direction": "input", "bits": [2]},
            "x_i": {"direction": "input", "bits": inputs},
            "y_o": {"direction": "output", "bits": outputs},
        }
        module = {
            "ports": ports,
            "cells": {
                f"c{i}": {"type": kind, "connections": {p: [b] for p, b in pins.items()}}
                for i, (kind, pins) in enumerate(cells)
            },
        }
        return Circuit(module, library or self.library, PERIOD, wire)

    def run(self, made: Circuit, rows: list[list[int]], mode: circuit.Mode) -> circuit.Activity:
        """`rows`: inputs by cycle, the same for all streams, repeated."""
        cycles = np.array([rows[i % len(rows)] for i in range(CYCLES)], np.uint8)
        inputs = np.broadcast_to(cycles[:, None, :], (CYCLES, STREAMS, cycles.shape[1]))
        return made.simulate(self.toggles, self.folder, {"x_i": inputs}, mode)

    def energy(self, made: Circuit, activity: circuit.Activity) -> dict[str, float]:
        """fJ a cycle."""
        tables = self.tables
        if made.library is not self.library:
            tables = power_tables.Tables(made.library)
        return {
            part: 1000 * pj for part, pj in asdict(power.of_cycle(made, activity, tables)).items()
        }
