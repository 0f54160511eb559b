# SPDX-License-Identifier: Apache-2.0
"""The accelerator's bench passes without a fault, and finds each fault of faults.py.

python -m pytest -c tests/pytest.ini tests/rtl/test_faults.py --bench BENCH

BENCH is an accel_tb with all faults in it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import Bench
from tests.rtl.faults import FAULTS

BATCHES = {"--rows": 20, "--cycles": 30}
HOURS = 2 * 3600  # a run that hangs ends by the bench's own patience


@pytest.fixture
def accel_tb(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--bench")


def run(accel_tb: Path, part: str, fault: int) -> tuple[bool, str]:
    """Whether it passed, and what it said."""
    command = [accel_tb, part, "--batches", str(BATCHES.get(part, 1)), "--first-failure"]
    command += [f"+seeded-fault={fault}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HOURS)
    said = [line for line in done.stdout.splitlines() if "FAIL" in line or "Assertion" in line]
    return done.returncode == 0, "; ".join(said) or done.stdout[-200:]


@pytest.mark.parametrize("part", sorted({fault.part for fault in FAULTS}))
def test_without_a_fault(bench: Bench, accel_tb: Path, part: str) -> None:
    passed, said = run(accel_tb, part, 0)
    bench.check(f"it passes: {part}: {said}", passed)


@pytest.mark.parametrize("number", range(1, len(FAULTS) + 1))
def test_a_fault(bench: Bench, accel_tb: Path, number: int) -> None:
    fault = FAULTS[number - 1]
    passed, said = run(accel_tb, fault.part, number)
    print(f"{fault.file}: {fault.name}: {said}")
    bench.check(
        f"a check or an assertion finds: {fault.name}: {said}",
        not passed and ("FAIL" in said or "Assertion" in said),
    )
