# SPDX-License-Identifier: Apache-2.0
"""Energy from counted transitions: netlists that can be worked out by hand, and the operands' order and quantisation.

python -m pytest -c tests/pytest.ini tests/synth/test_energy.py --toggles TOGGLES --folder FOLDER

TOGGLES is the compiled simulator
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from synth.energy import circuit, data, drive, power
from synth.energy.circuit import MODES, SKIPPED, STREAMS, Circuit
from synth.flow.errors import FlowError, RejectedNetlist, UsageError
from synth.flow.liberty import Library
from tests.conftest import Bench

SETTLED, LONG, SHORTER = MODES
DELAY = "0.10"  # of every gate but `slow`: 10 ticks
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


class Compared(Bench):
    """A check names what it found."""

    def check(self, name: str, found: object, wanted: object = True) -> None:
        super().check(f"{name}: {found}, not {wanted}", found == wanted)

    def near(self, name: str, found: float, wanted: float) -> None:
        self.check(f"{name}: {found} is {wanted}", abs(found - wanted) < 1e-9)

    def raises(self, name: str, kind: type[Exception], work) -> None:
        super().raises(name, kind, "", work)


@pytest.fixture
def bench() -> Compared:
    return Compared()


@pytest.fixture(scope="session")
def hand(request: pytest.FixtureRequest, folder: Path) -> Hand:
    return Hand(request.config.getoption("--toggles").resolve(), folder)


class Hand:
    """Small netlists: cells as (kind, pins by net), nets are numbers."""

    def __init__(self, toggles: Path, folder: Path):
        self.toggles, self.folder = toggles, folder
        path = folder / "hand.lib"
        path.write_text(TEXT)
        self.library = Library(path, power=True)
        self.tables = power.Tables(self.library)

    def circuit(
        self, inputs: list[int], outputs: list[int], cells: list[tuple[str, dict]]
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
        return Circuit(module, self.library, 6.0)

    def run(self, made: Circuit, rows: list[list[int]], mode: circuit.Mode) -> circuit.Activity:
        """`rows`: inputs by cycle, the same for all streams, repeated."""
        cycles = np.array([rows[i % len(rows)] for i in range(CYCLES)], np.uint8)
        inputs = np.broadcast_to(cycles[:, None, :], (CYCLES, STREAMS, cycles.shape[1]))
        return made.simulate(self.toggles, self.folder, {"x_i": inputs}, mode)

    def energy(self, made: Circuit, activity: circuit.Activity) -> dict[str, float]:
        """fJ a cycle."""
        return {
            part: 1000 * pj
            for part, pj in asdict(power.of_cycle(made, activity, self.tables)).items()
        }


def test_by_hand(bench: Compared, hand: Hand) -> None:
    """A flip-flop and an inverter behind it, the input changing every cycle: 1/2 C V^2 is 2 C."""
    made = hand.circuit([3], [5], [("flop", {"C": 2, "D": 3, "Q": 4}), ("inv", {"A": 4, "Y": 5})])
    for mode in MODES:
        energy = hand.energy(made, hand.run(made, [[0], [1]], mode))
        bench.near(
            f"{mode.name}: Q drives 10 fF, the output a flip-flop's 20 fF",
            energy["switching"],
            2 * 10 + 2 * 20,
        )
        bench.near(f"{mode.name}: the input drives 20 fF", energy["inputs"], 2 * 20)
        bench.near(f"{mode.name}: the inverter's mean of 300 and 100", energy["internal"], 200)
        bench.near(
            f"{mode.name}: D's mean of 200 and 400, Q's of 500 and 700",
            energy["registers"],
            300 + 600,
        )
        bench.near(
            f"{mode.name}: clock, 30 fF up and down, 50 and 70",
            energy["clock"],
            2 * 2 * 30 + 50 + 70,
        )
    idle = hand.energy(made, hand.run(made, [[1]], LONG))
    bench.check("idle: the clock alone", {part for part, fj in idle.items() if fj}, {"clock"})
    half = hand.energy(made, hand.run(made, [[0], [0], [1], [1]], LONG))
    bench.near("every other cycle: half", half["registers"], 450)


def test_tables(bench: Compared, hand: Hand) -> None:
    made = hand.circuit([3], [5], [("steep", {"A": 3, "Y": 4}), ("slow", {"A": 4, "Y": 5})])
    bench.near(
        "internal power at the net's load",
        hand.energy(made, hand.run(made, [[0], [1]], LONG))["internal"],
        10,
    )
    # A changes every cycle, B every other one, Y is 1 once in four: each transition weighs A's 100 twice, B's 500 once
    made = hand.circuit([3, 4], [5], [("two", {"A": 3, "B": 4, "Y": 5})])
    energy = hand.energy(made, hand.run(made, [[0, 0], [1, 0], [0, 1], [1, 1]], SETTLED))
    bench.near(
        "related pins by their transitions", energy["internal"], 0.5 * (2 * 100 + 1 * 500) / 3
    )


def test_functions(bench: Compared, hand: Hand) -> None:
    made = hand.circuit([3, 4, 5], [6], [("odd", {"A": 3, "B": 4, "D": 5, "Y": 6})])
    rows = [[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]
    for mode in MODES:
        found = hand.run(made, rows, mode).outputs["y_o"][:8, :, 0]
        wanted = np.array([a & ~y & 1 | y & ~a & d for a, y, d in rows])[:, None]
        bench.check(f"{mode.name}: a gate of three inputs", (found == wanted).all())


def test_glitches(bench: Compared, hand: Hand) -> None:
    """x ^ x, one x through another gate, is 0, except for a pulse of that gate's delay if the XOR lets it pass."""
    for kind, counts in (("slow", (0, 2, 2)), ("inv", (0, 2, 2))):
        made = hand.circuit(
            [3], [5], [(kind, {"A": 3, "Y": 4}), ("differ", {"A": 3, "B": 4, "Y": 5})]
        )
        found = [hand.run(made, [[0], [1]], mode).per_cycle[5] for mode in MODES]
        bench.check(f"pulse behind {kind}", found, list(map(float, counts)))
    # A pulse of 10 ticks does not pass a gate of 30 ticks if it must last 30 or 15.
    made = hand.circuit(
        [3],
        [6],
        [
            ("inv", {"A": 3, "Y": 4}),
            ("differ", {"A": 3, "B": 4, "Y": 5}),
            ("slow", {"A": 5, "Y": 6}),
        ],
    )
    bench.check(
        "a short pulse does not pass",
        [hand.run(made, [[0], [1]], mode).per_cycle[6] for mode in MODES],
        [0, 0, 0],
    )
    # A pulse of 20 ticks passes where 15 are enough.
    made = hand.circuit(
        [3],
        [7],
        [
            ("inv", {"A": 3, "Y": 4}),
            ("inv", {"A": 4, "Y": 5}),
            ("differ", {"A": 3, "B": 5, "Y": 6}),
            ("slow", {"A": 6, "Y": 7}),
        ],
    )
    bench.check(
        "a longer one passes",
        [hand.run(made, [[0], [1]], mode).per_cycle[7] for mode in MODES],
        [0, 0, 2],
    )


def test_streams(bench: Compared, hand: Hand) -> None:
    """Every copy has inputs of its own, and flip-flops delay by a cycle; transitions against NumPy's count."""
    bits = np.random.default_rng(1).integers(0, 2, (CYCLES, STREAMS, 2)).astype(np.uint8)
    bench.check("words and back", (circuit.streams(circuit.words(bits)) == bits).all())
    made = hand.circuit(
        [3, 4],
        [6, 5, 7],
        [
            ("differ", {"A": 3, "B": 4, "Y": 5}),
            ("flop", {"C": 2, "D": 5, "Q": 6}),
            ("flop", {"C": 2, "D": 6, "Q": 7}),
        ],
    )
    wanted = bits[:, :, 0] ^ bits[:, :, 1]
    for mode in (SETTLED, LONG):
        activity = made.simulate(hand.toggles, hand.folder, {"x_i": bits}, mode)
        bench.check(f"{mode.name}: logic", (activity.outputs["y_o"][:, :, 1] == wanted).all())
        bench.check(
            f"{mode.name}: a cycle later", (activity.outputs["y_o"][1:, :, 0] == wanted[:-1]).all()
        )
        bench.check(
            f"{mode.name}: one more", (activity.outputs["y_o"][2:, :, 2] == wanted[:-2]).all()
        )
        changes = np.diff(wanted.astype(int), axis=0)[SKIPPED - 2 : -1]
        bench.near(
            f"{mode.name}: transitions a cycle", activity.per_cycle[6], np.abs(changes).mean()
        )


def test_rejected(bench: Compared, hand: Hand) -> None:
    bench.raises(
        "a cell that is not in the library",
        RejectedNetlist,
        lambda: hand.circuit([3], [4], [("gone", {"A": 3, "Y": 4})]),
    )
    chain = [("slow", {"A": 3 + i, "Y": 4 + i}) for i in range(25)]
    slow = hand.circuit([3], [28], chain)
    bench.raises(
        "a path longer than the period", FlowError, lambda: hand.run(slow, [[0], [1]], LONG)
    )
    path = hand.folder / "no_voltage.lib"
    path.write_text(TEXT.replace("nom_voltage : 2.0;", ""))
    bench.raises("a library without a voltage", UsageError, lambda: power.Tables(Library(path)))


def test_order(bench: Compared) -> None:
    """Every output gets every k once, LANES of them a step, and its turn every fourth cycle."""
    m, n, k, lanes = 32, 16, 8, 4
    s = data.steps(m, n, k, lanes)
    bench.check("cycles", len(s.k), m * n * k // (lanes * data.ROWS * data.COLUMNS))
    seen = list(zip(s.row.ravel(), s.column.ravel(), np.repeat(s.k, STREAMS)))
    bench.check("every step once", (len(set(seen)), len(seen)), (m * n * k // lanes,) * 2)
    cycles = {}
    for cycle in range(len(s.k)):
        cycles.setdefault((s.row[cycle, 0], s.column[cycle, 0]), []).append(cycle)
    bench.check(
        "steps of an output are four cycles apart",
        {tuple(np.diff(turns)) for turns in cycles.values()},
        {(4,)},
    )
    bench.check("first and last", (set(s.k[s.first]), set(s.k[s.last])), ({0}, {k - lanes}))
    bench.check(
        "an operand stays from a bank to the next",
        all(
            (s.row[i] == s.row[i + 1]).all() or (s.column[i] == s.column[i + 1]).all()
            for i in range(7)
        ),
    )
    codes = np.arange(m * k).reshape(m, k)
    bench.check(
        "lanes are consecutive k",
        data.operands(codes, s.row, s.k, lanes)[4, 9].tolist(),
        [12, 13, 14, 15],
    )


def test_quantised(bench: Compared) -> None:
    sets = [*data.digits(), data.normal(64)]
    weights, codes, _ = data.layer(0, 96)
    top = np.abs(weights).max(axis=1, keepdims=True)
    bench.check(
        "FP8 weights are the committed codes", (data.quantise_fp8(weights, top) == codes).all()
    )
    bench.check(
        "halves go to even",
        data.quantise_int8(np.array([0.5, 1.5, -2.5, 127]), np.float32(127)).tolist(),
        [0, 2, -2, 127],
    )
    for one in sets:
        bench.check(
            f"{one.name}: INT8 uses its range",
            (int(np.abs(one.a_int8.astype(int)).max()), int(np.abs(one.b_int8.astype(int)).max())),
            (127, 127),
        )
        bench.check(f"{one.name}: FP8 has no NaN", not np.isnan(data.value_of(one.a_fp8)).any())
        x, y = (
            (data.value_of(one.a_fp8) @ data.value_of(one.b_fp8).T).ravel(),
            (one.a_int8.astype(float) @ one.b_int8.astype(float).T).ravel(),
        )
        bench.check(f"{one.name}: both are quantised from the same", np.corrcoef(x, y)[0, 1] > 0.9)


def test_wrong_results(bench: Compared) -> None:
    """An element that answers wrongly is not quoted."""
    record = {
        "name": "int8_l4",
        "top": "fp8mac_element_int8",
        "lanes": 4,
        "acc": "int32",
        "parameters": {},
    }
    work = drive.Drive(record, data.normal(64))
    issued = np.flatnonzero(work.steps.last)
    right = work.a.astype(int) @ work.b.astype(int).T
    acc = np.zeros((work.total, STREAMS), np.int64)
    acc[issued + work.kind.result] = right[work.steps.row[issued], work.steps.column[issued]]
    bench.check("all results are compared", work.check({"acc_o": drive.bits_of(acc, 32)}), 256)
    acc[issued[0] + work.kind.result, 5] += 1
    bench.raises(
        "one result off by one", FlowError, lambda: work.check({"acc_o": drive.bits_of(acc, 32)})
    )
