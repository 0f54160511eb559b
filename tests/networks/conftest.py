# SPDX-License-Identifier: Apache-2.0
"""Options of the tests of fp8net."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--count", type=int, default=24, help="of random networks")
    parser.addoption("--compile", default="", help="the compiler of the host with its flags")
    parser.addoption("--objects", default="", help="what programs of the host are linked with")
    parser.addoption("--chip", action="store_true", help="run random networks on the chip, too")
    parser.addoption("--reference", action="store_true", help="also beside LiteRT")
    parser.addoption(
        "--only", default="", help="operators with commas: of ONNX's tests those with one of them"
    )
    parser.addoption("--all-cases", action="store_true", help="all operator tests of ONNX")


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("--count")


@pytest.fixture
def compiler(request: pytest.FixtureRequest):
    from programs import Compiler

    return Compiler(
        request.config.getoption("--compile").split(), request.config.getoption("--objects").split()
    )


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path
