# SPDX-License-Identifier: Apache-2.0
"""Python tests count checks, not functions: what tests/run_test.sh reads is the last line, N passed, M failed.

A test that takes the fixture `bench` counts its checks with it. A failed check is printed, and the others follow; then
the test fails. A test without it is one check. One that ends in an exception is one more failure; one that is skipped
counts nothing.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # the import takes time, and most tests need no NumPy
    import numpy as np

CHECKS = pytest.StashKey["Bench"]()


class Bench:
    """Counts checks."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, name: str, good: object) -> None:
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {name}")

    def raises(
        self, name: str, kind: type[Exception], words: str, work: Callable[[], object]
    ) -> None:
        """`work` raises `kind`, and its message matches `words`."""
        try:
            work()
        except kind as error:
            self.check(f"{name}: {error}", re.search(words, str(error)) is not None)
        else:
            self.check(f"{name}: nothing was raised", False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--folder", type=Path, help="the folder to work in; it is emptied first")
    parser.addoption("--functions", nargs="+", help="parameters of functions that can be left out")
    parser.addoption("--released", type=Path, help="a file that make rtl-release wrote")
    parser.addoption("--bench", type=Path, help="a bench with seeded faults")
    parser.addoption("--build", type=Path, default=Path("build"), help="the build folder")
    parser.addoption("--seed", type=int, default=20240917, help="of random numbers")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CHECKS] = Bench()


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> Path:
    path = request.config.getoption("--folder").resolve()
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


@pytest.fixture(scope="session")
def build(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--build")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("--seed")


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """Each test has random numbers of its own, which are the same if it runs alone."""
    from numpy.random import default_rng

    return default_rng(seed)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    total, own = pyfuncitem.config.stash[CHECKS], pyfuncitem.funcargs.get("bench")
    try:
        result = yield
        total.passed += own is None
    except pytest.skip.Exception:
        raise
    except BaseException:
        total.failed += 1
        raise
    finally:
        if own:
            total.passed += own.passed
            total.failed += own.failed
    if own and own.failed:
        pytest.fail(f"{own.failed} checks failed", pytrace=False)
    return result


class Outside:
    """Failures outside the tests' own code: in the import of a file, and in a fixture."""

    def __init__(self, total: Bench) -> None:
        self.total = total

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.total.failed += report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.total.failed += report.failed and report.when != "call"


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.pluginmanager.register(Outside(session.config.stash[CHECKS]))


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """No letter for each test: with -s it would stand before what the test prints."""
    return (report.outcome, "", "") if report.when == "call" else None


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    total = config.stash[CHECKS]
    print(f"{total.passed} passed, {total.failed} failed")
