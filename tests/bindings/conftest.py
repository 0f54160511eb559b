# SPDX-License-Identifier: Apache-2.0
"""The counter of compared values is that of the model's tests. Its methods are fixtures, too."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "model"))
from checks import Checks, bench

__all__ = ["bench"]


@pytest.fixture
def check(bench: Checks) -> Callable:
    return bench.check


@pytest.fixture
def arrays(bench: Checks) -> Callable:
    return bench.arrays
