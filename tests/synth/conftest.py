# SPDX-License-Identifier: Apache-2.0
"""Options of the synthesis tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.synth.hand import Hand


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--toggles", type=Path, help="the compiled simulator of synth/energy")
    parser.addoption("--all-formats", action="store_true", help="all elements for one format")
    parser.addoption("--ports", type=Path, help="the compiled reader of waveforms of synth/energy")


@pytest.fixture(scope="session")
def hand(request: pytest.FixtureRequest, folder: Path) -> Hand:
    from tests.synth.hand import Hand  # what most tests here do not need

    return Hand(request.config.getoption("--toggles").resolve(), folder)
