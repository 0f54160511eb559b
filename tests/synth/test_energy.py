# SPDX-License-Identifier: Apache-2.0
"""Energy from counted transitions: netlists that can be worked out by hand, and transitions and power in other programs.

python -m pytest -c tests/pytest.ini tests/synth/test_energy.py --toggles TOGGLES --folder FOLDER

TOGGLES is the compiled simulator
"""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from synth.energy import circuit, power, power_tables, sta_power, vcd
from synth.energy.circuit import MODES, SKIPPED, STREAMS, Circuit
from synth.flow import recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import FlowError, RejectedNetlist, UsageError
from synth.flow.liberty import Library
from synth.study import libraries, wires
from tests.synth.compared import Compared

SETTLED, LONG, SHORTER = MODES
PERIOD = 6.0
HERE = Path(__file__).resolve().parent
GOOD = runs.Design("fp8mac_flow_good", (("WIDTH", 8),))
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


def test_by_hand(bench: Compared, hand: Hand) -> None:
    """A flip-flop and an inverter behind it, the input changing every cycle: 1/2 C V^2 is 2 C."""
    made = hand.circuit([3], [5], [("flop", {"C": 2, "D": 3, "Q": 4}), ("inv", {"A": 4, "Y": 5})])
    for mode in MODES:
        energy = hand.energy(made, hand.run(made, [[0], [1]], mode))
        bench.near(
            f"{mode.name}: Q drives 10 fF, the output a flip-flop's 20 fF",
            energy["pins"],
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
    alone = {part for part, fj in idle.items() if fj}
    bench.check("idle: the clock alone", alone, {"clock", "tree"})
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
    # B is 1 for three quarters. Y follows A then, and it follows B while A is 1, which is half of the time.
    energy = hand.energy(made, hand.run(made, [[0, 0], [1, 1], [0, 1], [1, 1]], SETTLED))
    bench.near("as far as the output depends on them", energy["internal"], 0.75 * 100 + 0.25 * 500)


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
    # A pulse of 0.1 ns does not pass a gate of 0.3 ns if it must last 0.3 or 0.15.
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
    # A pulse of 0.2 ns passes where 0.15 are enough.
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
    chain = [("slow", {"A": 3 + i, "Y": 4 + i}) for i in range(45)]
    slow = hand.circuit([3], [48], chain)
    bench.raises(
        "a path longer than two periods", FlowError, lambda: hand.run(slow, [[0], [1]], LONG)
    )
    path = hand.folder / "no_voltage.lib"
    path.write_text(TEXT.replace("nom_voltage : 2.0;", ""))
    bench.raises(
        "a library without a voltage", UsageError, lambda: power_tables.Tables(Library(path))
    )


def test_wires(bench: Compared, hand: Hand) -> None:
    """7 fF for each sink: a net with two, an output, and an input."""
    cells = [
        ("flop", {"C": 2, "D": 3, "Q": 4}),
        ("inv", {"A": 4, "Y": 5}),
        ("inv", {"A": 4, "Y": 6}),
    ]
    made = hand.circuit([3], [5, 6], cells, wire=0.007)
    energy = hand.energy(made, hand.run(made, [[0], [1]], LONG))
    bench.near("wires: two sinks, two outputs", energy["wires"], 2 * (2 * 7 + 2 * 7))
    bench.near("pins are counted apart", energy["pins"], 2 * (2 * 10 + 2 * 20))
    bench.near("an input has both", energy["inputs"], 2 * (20 + 7))


def test_clock_tree(bench: Compared, hand: Hand) -> None:
    """17 flip-flops: two buffers, and one that drives them."""
    cells = [("flop", {"C": 2, "D": 3, "Q": 4 + i}) for i in range(17)]
    made = hand.circuit([3], list(range(4, 21)), cells, wire=0.007)
    tree = hand.energy(made, hand.run(made, [[0]], LONG))["tree"]
    cell = min((c for c in hand.library.usable() if c.is_buffer), key=lambda c: (c.area, c.name))
    bench.check("the smallest buffer", cell.name, "slow")
    wires, pins = (17 + 2 + 1) * 7 * 4, (2 + 1) * 10 * 4  # V^2 is 4, an edge up and one down
    bench.near("wires and pins", tree, wires + pins)
    other = hand.variant("tree_alone", ("slow", "steep", "inv"), TREE)
    made = hand.circuit([3], list(range(4, 21)), cells, wire=0.007, library=other)
    tree = hand.energy(made, hand.run(made, [[0]], LONG))["tree"]
    bench.near("and the mean of 40 and 60, twice a cycle", tree, wires + pins + 3 * 2 * 50)


def test_conditions(bench: Compared, hand: Hand) -> None:
    """`when`, a group for the rest, and the ground pin, whose tables are left out."""
    groups = (
        ("B", 100, "A"),
        ("", 500, "A"),
        ("", 9000, "B"),
    )
    said = "".join(
        f'internal_power () {{ related_pin : "{pin}"; {f"when : {chr(34)}{when}{chr(34)};" if when else ""} '
        f"{flat('rise_power', 'e', fj)} {flat('fall_power', 'e', fj)} }}"
        for when, fj, pin in groups
    )
    ground = said.replace("related_pin", 'related_pg_pin : "VSS"; related_pin').replace("00", "70")
    supply = "pg_pin (VSS) { pg_type : primary_ground; }"
    text = gate("either", 7, "A B", "A ^ B", energy=ground + said).replace(
        "area : 7;", f"area : 7; {supply}"
    )
    made = hand.circuit(
        [3, 4], [5], [("either", {"A": 3, "B": 4, "Y": 5})], library=hand.variant("when", (), text)
    )
    # A changes every cycle, and B is 1 half of the time but never changes while it is counted.
    rows = np.zeros((CYCLES, STREAMS, 2), np.uint8)
    rows[::2, :, 0] = 1
    rows[:, : STREAMS // 2, 1] = 1
    found = made.simulate(hand.toggles, hand.folder, {"x_i": rows}, LONG)
    bench.near("half 100, half 500, nothing of B", hand.energy(made, found)["internal"], 300)
    bench.near("the output changes with A", found.per_cycle[5], 1)


def test_inverted(bench: Compared, hand: Hand) -> None:
    """A flip-flop that has only an inverted output"""
    text = FLOP.replace('function : "s"', 'function : "n"')
    library = hand.variant("inverted", ("flop",), text)
    made = hand.circuit([3], [4], [("flop", {"C": 2, "D": 3, "Q": 4})], library=library)
    found = hand.run(made, [[0], [1], [1]], LONG).outputs["y_o"][:, 0, 0].tolist()
    bench.check("inverted, a cycle later", found[4:10], [1, 0, 0, 1, 0, 0])


def random_cells(draw: np.random.Generator, inputs: int, count: int) -> list[tuple[str, dict]]:
    """Gates and flip-flops, each with inputs of its own choice among earlier nets"""
    cells = []
    for net in range(3 + inputs, 3 + inputs + count):
        a, b, d = (int(bit) for bit in draw.integers(max(3, net - 12), net, 3))
        kind = str(draw.choice(["inv", "slow", "differ", "odd", "two", "flop"]))
        pins = {"flop": {"C": 2, "D": a, "Q": net}, "odd": {"A": a, "B": b, "D": d, "Y": net}}
        one = {"A": a, "Y": net} if kind in ("inv", "slow") else {"A": a, "B": b, "Y": net}
        cells.append((kind, pins.get(kind, one)))
    return cells


def random_circuit(hand: Hand) -> tuple[Circuit, np.ndarray]:
    draw = np.random.default_rng(7)
    made = hand.circuit(list(range(3, 11)), [130], random_cells(draw, 8, 120), wire=0.003)
    return made, draw.integers(0, 2, (CYCLES + 40, 8)).astype(np.uint8)


def test_icarus(bench: Compared, hand: Hand) -> None:
    """Icarus Verilog counts the same transitions of every net."""
    made, rows = random_circuit(hand)
    for mode in (SETTLED, LONG):
        inputs = np.broadcast_to(rows[:, None, :], (len(rows), STREAMS, 8))
        activity = made.simulate(hand.toggles, hand.folder, {"x_i": inputs}, mode)
        ours = {bit: round(n * activity.cycles) for bit, n in activity.per_cycle.items()}
        theirs = vcd.count(made, hand.folder, {"x_i": rows}, mode is LONG)
        for bit, count in theirs.items():
            bench.check(f"{mode.name}: net {bit}", ours[bit], count)
        total = sum(theirs.values())
        bench.check(f"{mode.name}: {total} transitions", total > 1000)


def test_opensta(bench: Compared, hand: Hand) -> None:
    """OpenSTA's report_power of the same activity of a netlist of OSU018: switching of all cells, internal energy of the
    simple ones."""
    library = Library(libraries.LIBRARIES[libraries.FIRST][0], power=True)
    flow = runs.Synthesiser(library, [HERE], Cache(hand.folder))
    made = flow.run(GOOD, PERIOD, recipe.EFFORTS[0], recipe.SEEDS[0])
    wire = wires.pf_of_sink(library)
    netlist = Path(made.netlist, "netlist.json")
    circuit = Circuit.read(netlist, GOOD.top, library, PERIOD, wire)
    draw = np.random.default_rng(3)
    inputs = {
        name: draw.integers(0, 2, (CYCLES, STREAMS, len(bits))).astype(np.uint8)
        for name, bits in circuit.ports("input").items()
    }
    activity = circuit.simulate(hand.toggles, hand.folder, inputs, LONG)
    found = sta_power.run(circuit, activity, power_tables.Tables(library), hand.folder / "sta")
    for name in ("switching", "internal"):
        theirs, ours = getattr(found, name), getattr(found, f"wanted_{name}")
        bench.check(f"{name}: {theirs:g} {ours:g}", ours > 0.1 and abs(theirs / ours - 1) < 0.01)
    found.judge()
    off = replace(found, switching=1.01 * found.switching)
    bench.raises("a difference of a percent", FlowError, off.judge)
