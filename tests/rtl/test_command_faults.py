# SPDX-License-Identifier: Apache-2.0
"""The bench of commands passes without a fault, and finds each fault of command_faults.py.

python -m pytest -c tests/pytest.ini tests/rtl/test_command_faults.py --bench FOLDER

FOLDER/SET/command_tb are benches of the parameters SET with all faults in the library.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Bench
from tests.rtl.command_faults import FAULTS

COMMANDS = 100000
MINUTES = 30 * 60  # a walk that does not end


@pytest.fixture
def benches(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--bench")


def run(bench: Path, fault: int) -> tuple[bool, str]:
    """Whether it passed, and what it said."""
    command = [bench, "--commands", str(COMMANDS), "--first-failure"]
    environment = {**os.environ, "SEEDED_FAULT": str(fault)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=MINUTES
    )
    said = [line for line in done.stdout.splitlines() if "FAIL" in line]
    return done.returncode == 0, "; ".join(said) or done.stdout[-200:]


@pytest.mark.parametrize("parameters", sorted({fault.part for fault in FAULTS}))
def test_without_a_fault(bench: Bench, benches: Path, parameters: str) -> None:
    passed, said = run(benches / parameters / "command_tb", 0)
    bench.check(f"it passes: {parameters}: {said}", passed)


@pytest.mark.parametrize("number", range(1, len(FAULTS) + 1))
def test_a_fault(bench: Bench, benches: Path, number: int) -> None:
    fault = FAULTS[number - 1]
    passed, said = run(benches / fault.part / "command_tb", number)
    print(f"{fault.file}: {fault.name}: {said}")
    bench.check(
        f"a comparison finds: {fault.name}: {said}",
        not passed and "FAIL" in said and "never happened" not in said,
    )
