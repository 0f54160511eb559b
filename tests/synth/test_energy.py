# SPDX-License-Identifier: Apache-2.0
"""Energy from counted transitions: netlists that can be worked out by hand.

python -m pytest -c tests/pytest.ini tests/synth/test_energy.py --toggles TOGGLES --folder FOLDER

TOGGLES is the compiled simulator
"""

from __future__ import annotations

import numpy as np
import pytest

from synth.energy import circuit, clock, power_tables
from synth.energy.circuit import COUNTED, ENABLE, MODES, SKIPPED, STREAMS, Changes, Circuit
from synth.flow.errors import FlowError, RejectedNetlist, UsageError
from synth.flow.liberty import Library
from tests.synth.compared import Compared
from tests.synth.hand import (
    CYCLES,
    FLOP,
    LONG,
    PERIOD,
    SETTLED,
    TEXT,
    TREE,
    Hand,
    flat,
    gate,
    internal,
    passive,
)

TREE_OF_1 = 4 * 10  # a buffer's input of 10 fF, up and down at 2 V, without wires


@pytest.fixture
def bench() -> Compared:
    return Compared()


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


def test_many_inputs(bench: Compared, hand: Hand) -> None:
    """A gate of seven inputs, every row; one of nine is refused."""
    names = "A B D E F G H"
    text = gate("seven", 8, names, "A & B & D | E & F & G | !H")
    made = hand.circuit(
        list(range(3, 10)),
        [10],
        [("seven", {**{name: 3 + i for i, name in enumerate(names.split())}, "Y": 10})],
        library=hand.variant("seven", (), text),
    )
    rows = (np.arange(128)[:, None] >> np.arange(7) & 1).astype(np.uint8)
    inputs = {"x_i": np.broadcast_to(rows[:, None, :], (128, STREAMS, 7))}
    for mode in (SETTLED, LONG):
        found = made.simulate(hand.toggles, hand.folder, inputs, mode).outputs["y_o"][:, 0, 0]
        wanted = rows[:, :3].all(axis=1) | rows[:, 3:6].all(axis=1) | (rows[:, 6] == 0)
        bench.check(f"{mode.name}: all rows", found.tolist(), wanted.astype(int).tolist())
    names = "A B D E F G H I J"
    text = gate("nine", 8, names, " & ".join(names.split()))
    pins = {name: 3 + i for i, name in enumerate(names.split())}
    nine = hand.circuit(
        list(range(3, 12)),
        [12],
        [("nine", {**pins, "Y": 12})],
        library=hand.variant("nine", (), text),
    )
    bench.raises("too many inputs", FlowError, lambda: hand.run(nine, [[0] * 9], LONG))


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


def gated(
    hand: Hand, outside: bool = False, inside: bool = True, library: Library | None = None
) -> Circuit:
    """Two flip-flops: one behind a clock gate, whose enable is the second input, and one behind it. Without that gate, or with
    it, there may be one outside."""
    cells = {
        "held": {"C": 8 if inside else 2, "D": 3, "Q": 5},
        "free": {"C": 2, "D": 5, "Q": 6},
    }
    ports = {
        "clk_i": {"direction": "input", "bits": [2]},
        "x_i": {"direction": "input", "bits": [3, 4]},
        "y_o": {"direction": "output", "bits": [5, 6]},
    }
    if inside:
        ports["u_gate_clk_o"] = {"direction": "input", "bits": [8]}
        ports["u_gate_en_i"] = {"direction": "output", "bits": [4]}
    module = {
        "ports": ports,
        "cells": {
            name: {"type": "flop", "connections": {pin: [bit] for pin, bit in pins.items()}}
            for name, pins in cells.items()
        },
    }
    return Circuit(module, library or hand.library, PERIOD, gated=outside)


def test_gated(bench: Compared, hand: Hand) -> None:
    """A clock gate: the flip-flop holds, and its clock costs nothing, while the enable was 0 before the edge."""
    made = gated(hand)
    rows = [[0, 1], [1, 1], [0, 0], [1, 0]]
    for mode in (SETTLED, LONG):
        activity = hand.run(made, rows, mode)
        found = activity.outputs["y_o"][4:12, 0, 0].tolist()
        bench.check(f"{mode.name}: taken after an enable alone", found, [1, 0, 1, 1, 1, 0, 1, 1])
        energy = hand.energy(made, activity)
        each = 2 * 2 * 30 + 50 + 70
        bench.near(
            f"{mode.name}: one clock, half of one, and a gate like a flip-flop",
            energy["clock"],
            2.5 * each,
        )
        bench.near(
            f"{mode.name}: a tree before the gate, and half of one behind it",
            energy["tree"],
            TREE_OF_1 + 0.5 * TREE_OF_1,
        )
    bench.near(
        "idle: the clock without a gate, and the gate's",
        1000 * clock.idle(made, hand.tables),
        2 * each + TREE_OF_1,
    )
    outside = gated(hand, outside=True, inside=False)
    bench.check("the enable is an input", list(outside.ports("input")), ["x_i", ENABLE])
    bits = {
        "x_i": np.zeros((CYCLES, STREAMS, 2), np.uint8),
        ENABLE: np.zeros((CYCLES, STREAMS, 1), np.uint8),
    }
    bits["x_i"][::2, :, 0] = 1
    still = outside.simulate(hand.toggles, hand.folder, bits, LONG)
    bench.check("nothing is taken", still.outputs["y_o"].any(), False)
    bench.near("both clocks are behind the gate", hand.energy(outside, still)["clock"], 0)


def test_gates(bench: Compared, hand: Hand) -> None:
    """A clock-gating cell has energies of its own: of its clock pin, and of its output if it is open. Behind a gate outside
    the clock comes through both."""
    pins = (
        f"pin (C) {{ direction : input; capacitance : 15; clock_gate_clock_pin : true; {passive(30, 50)} }}"
        "pin (E) { direction : input; capacitance : 10; clock_gate_enable_pin : true; }"
        f"pin (G) {{ direction : output; clock_gate_out_pin : true; {internal('C', 5, 7)} }}"
    )
    kind = "clock_gating_integrated_cell : latch_posedge;"
    library = hand.variant("gates", (), f"cell (icg) {{ area : 8; {kind} {pins} }}")
    each, closed, opened = 2 * 2 * 30 + 50 + 70, 2 * 2 * 15 + 30 + 50, 5 + 7
    made = gated(hand, outside=True, library=library)
    rows = {
        "x_i": np.zeros((CYCLES, STREAMS, 2), np.uint8),
        ENABLE: np.zeros((CYCLES, STREAMS, 1), np.uint8),
    }
    rows["x_i"][:, :, 0] = np.arange(CYCLES)[:, None] % 3 == 0
    rows["x_i"][:, :, 1] = np.arange(CYCLES)[:, None] % 4 < 2
    rows[ENABLE][:, :, 0] = np.arange(CYCLES)[:, None] % 2
    found = made.simulate(hand.toggles, hand.folder, rows, LONG)
    held, wanted = 0, []
    for cycle in range(CYCLES):
        if cycle % 4 == 2:  # after a cycle in which both are open
            held = int((cycle - 1) % 3 == 0)
        wanted.append(held)
    values = found.outputs["y_o"][:, 0, 0].tolist()
    bench.check(
        "taken if both are open", values, wanted[SKIPPED:] if len(values) < CYCLES else wanted
    )
    energy = hand.energy(made, found)
    pins = 0.5 * each + 0.25 * each + 0.5 * closed + 0.25 * opened
    bench.near("a clock half of the time, and a quarter behind both", energy["clock"], pins)
    bench.near("the trees", energy["tree"], (0.5 + 0.25) * TREE_OF_1)


def test_counted(bench: Compared, hand: Hand) -> None:
    """Transitions of the cycles that are marked, and of the streams that are used."""
    made = hand.circuit([3], [4], [("inv", {"A": 3, "Y": 4})])
    counts = np.ones(10, np.uint64)
    counts[[2, 3, 7]] |= COUNTED
    pairs = np.array([[0, 3 * (i % 2 == 0)] for i in range(10)], np.uint64)
    for mode in (SETTLED, LONG):
        for used in (1, 2):
            toggles, ones, samples = made.run(
                hand.toggles, hand.folder, Changes(counts, pairs), mode, used
            )
            place = made.number[4]
            bench.check(f"{mode.name}, {used}: transitions", int(toggles[place]), 3 * used)
            bench.check(f"{mode.name}, {used}: ones", int(ones[place]), 2 * used)
            value = samples.words(1)[:3, 0].tolist()
            mask = (1 << used) - 1
            bench.check(f"{mode.name}, {used}: samples", value, [0, mask, 0])
