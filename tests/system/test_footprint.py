# SPDX-License-Identifier: Apache-2.0
"""Bytes of programs on the chip, and the core's cycles of short runs, beside those of sim/bench/sizes.json; and what the
simulator says of the stack.

    python -m pytest -c tests/pytest.ini tests/system/test_footprint.py --sim SIM --size PROGRAM --programs FOLDER --compiler GCC
"""

import copy

import pytest

from sim.bench import sizes
from sim.bench.results import same_compiler
from tests.conftest import Bench
from tools.accept import expectations

# The application `deep` has 50 frames with an array of 1,000 bytes each. Saved registers, main and printf add to them.
DEEP_KB = 50
OTHERS = 6000
OTHER_COMPILER = 0.1  # by which its programs may be larger than those of the file, and take more cycles of the core


def test_sizes(bench: Bench, request: pytest.FixtureRequest) -> None:
    """None is worse by more than 1 %, or OTHER_COMPILER. One that is worse by twice as much is found."""
    option = request.config.getoption
    file = expectations.read(sizes.KIND)
    same = same_compiler(file["compiler"], option("--compiler"))
    limit = expectations.LIMIT if same else OTHER_COMPILER
    new = sizes.measured(option("--sim"), option("--size"), option("--programs"))
    bench.check("the file has each program", set(new) == set(file["rows"]))
    for name, row in new.items():
        print(f"{name}: {', '.join(f'{value:,} {figure}' for figure, value in row.items())}")
        bench.check(f"{name}: all bytes are counted", min(row.values()) > 0)
        other = copy.deepcopy(file["rows"])
        other[name]["code"] *= 1 + 2 * limit
        bench.check("a seeded fault", expectations.worse(sizes.KIND, file["rows"], other, limit))
    found = expectations.worse(sizes.KIND, file["rows"], new, limit)
    bench.check(expectations.complaint(sizes.KIND, found), not found)


def test_stack(bench: Bench, request: pytest.FixtureRequest) -> None:
    option = request.config.getoption
    program = option("--programs") / "deep.elf"
    used = sizes.row(option("--sim"), option("--size"), program, [f"KB={DEEP_KB}"])["stack"]
    text = f"a recursion of {DEEP_KB} kB uses {used} bytes of stack"
    bench.check(text, 1000 * DEEP_KB <= used <= 1000 * DEEP_KB + OTHERS)
