# SPDX-License-Identifier: Apache-2.0
"""Energy from counted transitions: the same transitions and the same power in programs that share no code with this one.

python -m pytest -c tests/pytest.ini tests/synth/test_energy_tools.py --toggles TOGGLES --folder FOLDER

TOGGLES is the compiled simulator
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.energy import power_tables, sta_power, vcd
from synth.energy.circuit import ENABLE, STREAMS, Circuit
from synth.flow import recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import FlowError
from synth.flow.liberty import Library
from synth.study import libraries, wires
from tests.synth.compared import Compared
from tests.synth.hand import CYCLES, LONG, PERIOD, SETTLED, Hand

HERE = Path(__file__).resolve().parent
GOOD = runs.Design("fp8mac_flow_good", (("WIDTH", 8),))


@pytest.fixture
def bench() -> Compared:
    return Compared()


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


def test_icarus_gated(bench: Compared, hand: Hand) -> None:
    """The same behind a clock gate, a third of whose cycles are open."""
    made, rows = random_circuit(hand)
    module = {
        "cells": made.module["cells"],
        "ports": {**made.module["ports"]},
    }
    made = Circuit(module, hand.library, PERIOD, 0.003, gated=True)
    enable = (np.arange(len(rows)) % 3 == 0).astype(np.uint8)[:, None]
    inputs = {"x_i": rows, ENABLE: enable}
    wide = {
        name: np.broadcast_to(bits[:, None, :], (len(rows), STREAMS, bits.shape[1]))
        for name, bits in inputs.items()
    }
    activity = made.simulate(hand.toggles, hand.folder, wide, LONG)
    ours = {bit: round(n * activity.cycles) for bit, n in activity.per_cycle.items()}
    theirs = vcd.count(made, hand.folder, inputs, True)
    bench.check("every net", {bit: ours[bit] for bit in theirs}, theirs)


def test_icarus_disagrees(bench: Compared, hand: Hand) -> None:
    """The comparison sees a netlist with another gate, and one with another delay."""
    made, rows = random_circuit(hand)
    theirs = vcd.count(made, hand.folder, {"x_i": rows}, True)
    inputs = np.broadcast_to(rows[:, None, :], (len(rows), STREAMS, 8))
    for kind, other in (("differ", "two"), ("slow", "steep")):
        cells = {name: dict(cell) for name, cell in made.module["cells"].items()}
        name = next(name for name, cell in cells.items() if cell["type"] == kind)
        cells[name]["type"] = other
        wrong = Circuit({**made.module, "cells": cells}, hand.library, PERIOD, 0.003)
        activity = wrong.simulate(hand.toggles, hand.folder, {"x_i": inputs}, LONG)
        ours = {bit: round(n * activity.cycles) for bit, n in activity.per_cycle.items()}
        count = sum(ours[bit] != count for bit, count in theirs.items())
        bench.check(f"{kind} in place of {other}: {count} nets differ", count > 0)


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
