# SPDX-License-Identifier: Apache-2.0
"""Counting of checks: each comparison is one, a compared array counts its elements, and a run of none fails."""

import argparse
import os
import sys

import numpy as np

SHOWN_PER_NAME = 3  # failures printed in full under one name
# How many times the random steps of `make test` a test runs: `make test-long` sets it.
RANDOM_STEPS = int(os.environ.get("RANDOM_STEPS", "1"))


class Checks:
    def __init__(self):
        self.passed = {}
        self.failed = {}

    def check(self, name, got, want, about=""):
        """One comparison; `about` is text, or a function that makes it when the check fails."""
        if got == want:
            self.passed[name] = self.passed.get(name, 0) + 1
        else:
            self._fail(name, got, want, about() if callable(about) else about)

    def arrays(self, name, got, want, about=str):
        """Element by element; `about(i)` describes element i."""
        assert got.shape == want.shape, (name, got.shape, want.shape)
        wrong = np.flatnonzero(got != want)
        self.passed[name] = self.passed.get(name, 0) + got.size - wrong.size
        for i in wrong:
            self._fail(name, got.flat[i], want.flat[i], about(i))

    def _fail(self, name, got, want, about):
        self.failed[name] = self.failed.get(name, 0) + 1
        if self.failed[name] <= SHOWN_PER_NAME:
            print(f"FAIL {name}: {about}: got {show(got)}, want {show(want)}")

    def finish(self):
        """Prints what was counted under each name and the total; returns the exit status."""
        for name in sorted({*self.passed, *self.failed}):
            print(f"{name:<58} {self.passed.get(name, 0):>9} {self.failed.get(name, 0):>7}")
        passed, failed = sum(self.passed.values()), sum(self.failed.values())
        print(f"{passed} passed, {failed} failed")
        return 1 if failed or not passed else 0


def show(x):
    """Integers, also within tuples, in hexadecimal; the rest as Python prints it."""
    if isinstance(x, tuple):
        return "(" + ", ".join(show(y) for y in x) + ")"
    return hex(x) if isinstance(x, (int, np.integer)) and not isinstance(x, bool) else repr(x)


def arguments(description, *extra):
    """--lib, --seed and what a test adds: (flag, default) pairs."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--lib", required=True, help="path of libfp8mac.so")
    parser.add_argument("--seed", type=int, default=20240917)
    for flag, default in extra:
        parser.add_argument(flag, default=default)
    args = parser.parse_args()
    print(f"{description}; seed {args.seed}")
    sys.stdout.flush()
    return args
