# SPDX-License-Identifier: Apache-2.0
"""Counting of checks: each comparison is one, and a compared array counts its elements."""

import os
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

SHOWN_PER_NAME = 3  # failures printed in full under one name
# How many times the random steps of `make test` a test runs: `make test-long` sets it.
RANDOM_STEPS = int(os.environ.get("RANDOM_STEPS", "1"))


class Checks:
    """Counts by the name of a check. `passed` and `failed` are the sums that tests/conftest.py adds up."""

    def __init__(self):
        self.good, self.bad = Counter(), Counter()

    @property
    def passed(self):
        return self.good.total()

    @property
    def failed(self):
        return self.bad.total()

    def check(self, name, got, want, about=""):
        """One comparison; `about` is text, or a function that makes it when the check fails."""
        if got == want:
            self.good[name] += 1
        else:
            self._fail(name, got, want, about() if callable(about) else about)

    def arrays(self, name, got, want, about=str):
        """Element by element; `about(i)` describes element i."""
        assert got.shape == want.shape, (name, got.shape, want.shape)
        wrong = np.flatnonzero(got != want)
        self.good[name] += got.size - wrong.size
        for i in wrong:
            self._fail(name, got.flat[i], want.flat[i], about(i))

    def _fail(self, name, got, want, about):
        self.bad[name] += 1
        if self.bad[name] <= SHOWN_PER_NAME:
            print(f"FAIL {name}: {about}: got {show(got)}, want {show(want)}")

    def report(self):
        """What was counted under each name."""
        for name in sorted({*self.good, *self.bad}):
            print(f"{name:<58} {self.good[name]:>9} {self.bad[name]:>7}")


@pytest.fixture
def bench() -> Iterator[Checks]:
    counted = Checks()
    yield counted
    counted.report()


def show(x):
    """Integers, also within tuples, in hexadecimal; the rest as Python prints it."""
    if isinstance(x, tuple):
        return "(" + ", ".join(show(y) for y in x) + ")"
    return hex(x) if isinstance(x, (int, np.integer)) and not isinstance(x, bool) else repr(x)
