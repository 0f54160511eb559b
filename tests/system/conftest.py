# SPDX-License-Identifier: Apache-2.0
"""Options of the tests of programs on the chip."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    add = parser.addoption
    add("--sim", type=Path, help="a simulator of the default chip")
    add("--size", help="the cross compiler's program `size`")
    add("--programs", type=Path, help="the folder of the chip's programs")
    add("--compiler", help="the compiler of these programs")
