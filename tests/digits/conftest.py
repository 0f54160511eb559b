# SPDX-License-Identifier: Apache-2.0
"""What the digits' tests take: the library and counter of the model's tests, the committed arrays, the application."""

from __future__ import annotations

import ctypes as ct
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "model"), str(HERE.parents[1] / "firmware" / "apps" / "digits")]
import clib
from checks import bench

__all__ = ["bench"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--data", type=Path, help="the committed arrays as a library")
    parser.addoption("--program", type=Path, help="the application on the host")


@pytest.fixture(scope="session")
def lib(build: Path) -> clib.Library:
    return clib.Library(build / "model" / "libfp8mac.so")


@pytest.fixture(scope="session")
def dll(request: pytest.FixtureRequest) -> ct.CDLL:
    return ct.CDLL(str(request.config.getoption("--data").resolve()))


@pytest.fixture(scope="session")
def program(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--program").resolve()
