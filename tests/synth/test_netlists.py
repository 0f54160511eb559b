# SPDX-License-Identifier: Apache-2.0
"""Netlists of two units of the array run the vectors of the RTL's benches against the golden model: a small block cluster
and the INT8 baseline. A seeded fault in each is found. `make synth-check` does the same with the netlists of the area study.

python -m pytest -c tests/pytest.ini tests/synth/test_netlists.py --build BUILD --folder FOLDER

BUILD has what `make element-bench` makes
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth.flow import faults, liberty, recipe, runs
from synth.flow.cache import Cache
from synth.study import check, libraries
from synth.study.elements import block, int8, source_folders, unit
from tests.conftest import Bench

ROWS = 1  # elements of a column
STEPS = 40000  # random steps of a run
UNITS = {
    "block_f19_l4": unit(block(4, 19, "both"), ROWS).design,
    "int8_l4": unit(int8(4), ROWS).design,
}


def quoted(flow: runs.Synthesiser, name: str) -> check.Quoted:
    """The netlist of the headline period, as a record of area.json would quote it."""
    period = libraries.HEADLINE_PERIOD
    made = flow.run(UNITS[name], period, recipe.EFFORTS[0], recipe.SEEDS[0])
    path = Path(made.netlist, "netlist.v")
    return check.Quoted(path, UNITS[name], libraries.FIRST, period, made.area, (name,))


@pytest.fixture(scope="session")
def library() -> liberty.Library:
    return liberty.Library(libraries.LIBRARIES[libraries.FIRST][0])


@pytest.fixture(scope="session")
def flow(build: Path, folder: Path, library: liberty.Library) -> runs.Synthesiser:
    return runs.Synthesiser(library, source_folders(build), Cache(folder))


@pytest.fixture(scope="session")
def simulator(build: Path, folder: Path, library: liberty.Library) -> check.Simulator:
    return check.Simulator(build, {libraries.FIRST: library}, STEPS, folder / "check", pairs=False)


@pytest.mark.parametrize("name", UNITS)
def test_unit(bench: Bench, simulator: check.Simulator, flow: runs.Synthesiser, name: str) -> None:
    item = quoted(flow, name)
    outcome = simulator.check(item)
    print(f"{name}: {item.area:,.0f}, {outcome.passed} passed, {outcome.failed} failed")
    bench.passed += outcome.passed
    bench.failed += outcome.failed
    for note in outcome.notes:
        print(f"FAILED {name}: {note}")
    text, library = item.netlist.read_text(), simulator.libraries[item.library]
    for area, good in ((item.area * (1 + 1e-14), True), (item.area + 1, False)):
        found, _ = check.weighed(replace(item, area=area), text, library)
        bench.check(f"{name}: its area is {'' if good else 'not '}{area}", found == good)
    faulty = faults.other_gate(text, library)
    program = simulator.bench(item, faulty, f"{name}_fault")
    bench.check(f"{name}: a seeded fault is found", simulator.run(program, check.STARTS[0])[1] > 0)
