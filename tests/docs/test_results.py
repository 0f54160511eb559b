# SPDX-License-Identifier: Apache-2.0
"""sim/bench/results.json has the cycles that the chip takes now.

    python -m pytest -c tests/pytest.ini tests/docs/test_results.py --sim SIM [--int8 SIM] --programs FOLDER --compiler GCC [--all]

The simulator is the timing model or one of the RTL. The accelerator's own cycles must be equal. The core's move with compiler
and layout of the code, so they may differ by CORE, and by any number if another compiler than the file's made the programs.
Without --all those commands run that workloads.toml marks as quick.
"""

import copy

import pytest

from sim.bench import results, workloads
from sim.bench.accept import measured
from sim.bench.programs import Row, Simulators
from tests.conftest import Bench
from tools.accept import expectations
from tools.accept.expectations import Move

WANTED = workloads.load()
CORE = 0.03  # of the cycles of the core
LEAST = 2  # cycles that may always differ


def without_core(row: Row) -> Row:
    """What the accelerator decides alone"""
    own = {key: value for key, value in row.items() if key not in results.OF_CORE}
    return own | ({"cycles": row["cycles"] - row.get("idle", 0)} if "cycles" in row else {})


def near(move: Move) -> bool:
    if move.old is None or move.new is None:
        return False
    return abs(move.new - move.old) <= max(LEAST, CORE * move.old)


def moved(old: dict[str, Row], new: dict[str, Row], same_compiler: bool) -> list[Move]:
    own = expectations.moves(
        *({n: without_core(r) for n, r in rows.items()} for rows in (old, new))
    )
    every = expectations.moves(old, new)
    core = [one for one in every if one.figure in results.OF_CORE and not near(one)]
    return own + (core if same_compiler else [])


def test_results(bench: Bench, every: bool, request: pytest.FixtureRequest) -> None:
    """A figure that is one larger is found."""
    option = request.config.getoption
    file = results.load(results.COMMITTED, WANTED)
    simulators = Simulators({"": option("--sim"), "int8": option("--int8")}, option("--programs"))
    commands = WANTED.commands() if every else WANTED.quick()
    same = results.compiler_version(option("--compiler")) == file["run"]["compiler"]
    if not same:
        print(
            f"The core's cycles are not compared: {file['run']['compiler']} made those of the file."
        )
    new = measured(simulators, commands)
    old = {name: expectations.figures(file["rows"][name]) for name in new if name in file["rows"]}
    found = moved(old, new, same)
    text = expectations.complaint(results.KIND, found)
    for name, row in new.items():
        bench.check(f"{name}\n{text}", not any(one.row == name for one in found))
        other = copy.deepcopy(new)
        key = "cycles" if "cycles" in row else "core_cycles"
        other[name][key] += 1 if key == "cycles" else LEAST + int(0.1 * row[key])
        known = key == "cycles" or same
        bench.check(f"a seeded fault of {name} is not found", moved(old, other, same) or not known)
