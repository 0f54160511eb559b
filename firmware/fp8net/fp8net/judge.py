# SPDX-License-Identifier: Apache-2.0
"""Whether one quantised network is better than another, by outputs that both were not fitted to.

    gain = dB of the worst output, after less before      error = its standard error, over runs

The standard error is that of the jackknife: the gain without one block of runs, for each block. A block is a run; of runs with
states, whose errors go on from run to run, it is an eighth of them in order.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

BLOCKS = 8  # of runs in order
LEAST = 1e-30  # of a signal and an error


@dataclasses.dataclass(frozen=True)
class Gain:
    before: float  # dB of the worst output
    after: float
    error: float | None  # None: there are too few runs

    @property
    def db(self) -> float:
        return self.after - self.before


class Judge:
    """`truth` has the runs of each output, those of the float file."""

    def __init__(self, truth: list[np.ndarray], in_order: bool):
        self.truth = truth
        self.signals = _energies(truth)
        count = self.signals.shape[1]
        blocks = min(BLOCKS, count) if in_order else count
        self.block = np.arange(count) * blocks // count

    def db(self, errors: np.ndarray, but: int = -1) -> float:
        """Of the worst output, without a block"""
        kept = self.block != but
        ratio = self.signals[:, kept].sum(axis=1) + LEAST
        return float((10 * np.log10(ratio / (errors[:, kept].sum(axis=1) + LEAST))).min())

    def errors(self, values: list[np.ndarray]) -> np.ndarray:
        """Their energy, for each output and run"""
        return _energies([v.astype(np.float64) - t for v, t in zip(values, self.truth)])

    def gain(self, before: np.ndarray, after: np.ndarray) -> Gain:
        """Of errors of the same runs"""
        count = int(self.block[-1]) + 1
        error = None
        if count > 2:
            each = [self.db(after, b) - self.db(before, b) for b in range(count)]
            error = math.sqrt((count - 1) * float(np.var(each)))
        return Gain(self.db(before), self.db(after), error)


def _energies(values: list[np.ndarray]) -> np.ndarray:
    return np.array(
        [np.square(v.reshape(len(v), -1), dtype=np.float64).sum(axis=1) for v in values]
    )
