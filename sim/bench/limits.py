# SPDX-License-Identifier: Apache-2.0
"""What an array and its bus allow for a GEMM, in cycles. D has one byte an output."""

import functools
from dataclasses import dataclass

from rtl.catalogue import catalogue

Shape = tuple[int, int, int]  # m, n, k


@dataclass(frozen=True)
class Chip:
    """An array of `kind`, as the simulated chip prints it, and the bytes of a bus beat."""

    rows: int
    cols: int
    lanes: int
    kind: str
    beat: int

    @property
    def macs(self) -> int:
        """Multiply-accumulates a cycle."""
        return self.rows * self.cols * self.lanes


DEFAULT = Chip(rows=4, cols=4, lanes=16, kind="block", beat=16)


@functools.cache
def block_of(kind: str) -> int:
    """Products that join an accumulator together, or 0 for those of a step."""
    return catalogue.load()[kind].block


def round_up(x: int, unit: int) -> int:
    return -(-x // unit) * unit


def bounds(shape: Shape, chip: Chip) -> dict[str, float]:
    """Cycles that the array, the read channel and the write channel need at least."""
    m, n, k = shape
    row = -(-k // chip.beat)
    return {
        "array": m * n * k / chip.macs,
        "read": (m + n) * row,
        "write": m * -(-n // chip.beat),
    }


def array_cycles(shape: Shape, chip: Chip) -> int:
    """Cycles in which the array can issue m x n x k at best. It computes tiles of rows x cols outputs, block by block.
    A block takes at least as many cycles as elements share an accumulate unit."""
    m, n, k = shape
    block = block_of(chip.kind) or chip.lanes
    share = min(block // chip.lanes, chip.rows)
    whole, rest = divmod(k, block)
    last = max(-(-rest // chip.lanes), share) if rest else 0
    steps = whole * max(block // chip.lanes, share) + last
    return -(-m // chip.rows) * -(-n // chip.cols) * steps


def baseline(shape: Shape, of: str, chip: Chip) -> float:
    """The cycles with which a group of workloads.toml is compared."""
    m, n, k = shape
    if of == "rounded":
        return round_up(m, 8) * round_up(n, 8) * round_up(k, 16) / chip.macs
    limit = bounds(shape, chip)
    return limit["array"] if of == "peak" else max(limit.values())


def ratio_limit(shape: Shape, of: str, chip: Chip) -> float:
    """The ratio that array and bus could reach if a GEMM's start and end took no cycle."""
    least = bounds(shape, chip) | {"array": array_cycles(shape, chip)}
    return baseline(shape, of, chip) / max(least.values())
