# SPDX-License-Identifier: Apache-2.0
"""Options of the documents' tests."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    add = parser.addoption
    add("--pages", default="", help="the pages")
    add("--possible", action="store_true", help="only ask make about the pages' commands")
    add("--all", action="store_true", help="repeat every command")
    add("--sim", type=Path, help="a simulator of the default chip")
    add("--int8", type=Path, help="a simulator of the same chip with int8 elements")
    add("--program", type=Path, help="the test of the model's kernels")
    add("--programs", type=Path, help="the folder of the chip's programs")
    add("--compiler", help="the compiler of these programs")


@pytest.fixture(scope="session")
def every(request: pytest.FixtureRequest) -> bool:
    return request.config.getoption("--all")
