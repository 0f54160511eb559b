# SPDX-License-Identifier: Apache-2.0
"""Options of the tests of the files by which other tools know the project."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    add = parser.addoption
    add("--version-h", type=Path, help="the header with the version")
    add("--regs-h", type=Path, help="the header of the registers")
    add("--sources", nargs="+", help="the RTL in the order of compilation")
