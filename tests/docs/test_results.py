# SPDX-License-Identifier: Apache-2.0
"""sim/bench/results.json has the cycles that the chip takes now.

    python -m pytest -c tests/pytest.ini tests/docs/test_results.py --sim SIM [--int8 SIM] --programs FOLDER --compiler GCC [--all]

The simulator is the timing model or one of the RTL. sim/bench/judge.py has the rule. Without --all those commands run that
workloads.toml marks as quick.
"""

import copy

import pytest

from sim.bench import judge, results, workloads
from sim.bench.accept import measured
from sim.bench.judge import LEAST, moved
from sim.bench.programs import Simulators
from tests.conftest import Bench
from tools.accept import expectations

WANTED = workloads.load()


def test_results(bench: Bench, every: bool, request: pytest.FixtureRequest) -> None:
    """A figure that is one larger than its bound is found."""
    option = request.config.getoption
    file = results.load(results.COMMITTED, WANTED)
    simulators = Simulators({"": option("--sim"), "int8": option("--int8")}, option("--programs"))
    commands = WANTED.commands() if every else WANTED.quick()
    within = judge.within(file, option("--compiler"))
    new = measured(simulators, commands)
    old = {name: expectations.figures(file["rows"][name]) for name in new if name in file["rows"]}
    found = moved(old, new, within)
    text = expectations.complaint(results.KIND, found)
    for name, row in new.items():
        bench.check(f"{name}\n{text}", not any(one.row == name for one in found))
        if name not in old:
            continue
        other = copy.deepcopy(old)
        if "cycles" in row:
            other[name]["cycles"] += 1 + int(within.accelerator * old[name]["cycles"])
        else:
            other[name]["core_cycles"] += LEAST + 1 + int(within.core * old[name]["core_cycles"])
        bench.check(f"a seeded fault of {name} is not found", moved(old, other, within))
