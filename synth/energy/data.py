"""Operands of a matrix product as FP8 and as INT8 codes, in the order in which an array's elements receive them.

A is the activations, B the weights. FP8 is e4m3fn, or e5m2 where the name ends so: x * top / amax, to the nearest even,
with the largest finite value as top. INT8 is symmetric: x * 127 / amax, to the nearest even. Both sides have the same amax:
that of a row of B, and of all of A. K is filled with zeros to a multiple of 32.

With MX scales each 32 values along K have a power of two of their own, so that the largest is in the format's largest
binade: 2^(floor(log2 amax) - emax), and values beyond the largest one saturate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import ml_dtypes
import numpy as np

GROUPS, COLUMNS = 8, 8  # netlists of the array, one for each of the simulation's streams
SNAKE = (
    (0, 0),
    (0, 1),
    (1, 1),
    (1, 0),
)  # accumulators, in the order of their turns: which block of rows, of columns
BLOCK = 32
INT8_MAX = np.float32(127)
SCALE_BIAS = 127  # of E8M0
TYPES = {"e4m3fn": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}


@dataclass(frozen=True)
class Data:
    """D = 2^scale * A B^T, A of m x k and B of n x k codes. a_mx and b_mx: the exponent of each block's scale, if there
    are scales."""

    name: str
    title: str
    a_fp8: np.ndarray
    b_fp8: np.ndarray
    a_int8: np.ndarray
    b_int8: np.ndarray
    scale: int
    format: str = "e4m3fn"
    a_mx: np.ndarray | None = None
    b_mx: np.ndarray | None = None

    def values(self, side: str) -> np.ndarray:
        """Of the FP8 operands, with their scales"""
        codes, mx = (self.a_fp8, self.a_mx) if side == "a" else (self.b_fp8, self.b_mx)
        value = value_of(codes, self.format)
        return value if mx is None else value * np.repeat(np.exp2(mx), BLOCK, axis=1)


def quantise_fp8(x: np.ndarray, amax: np.ndarray, name: str = "e4m3fn") -> np.ndarray:
    kind = TYPES[name]
    top = np.float32(ml_dtypes.finfo(kind).max)
    return (x.astype(np.float32) * (top / amax).astype(np.float32)).astype(kind).view(np.uint8)


def quantise_mx(x: np.ndarray, name: str = "e4m3fn") -> tuple[np.ndarray, np.ndarray]:
    """Codes, and the exponents of the blocks' scales"""
    kind = TYPES[name]
    top = float(ml_dtypes.finfo(kind).max)
    blocks = x.astype(np.float64).reshape(len(x), -1, BLOCK)
    amax = np.abs(blocks).max(axis=2)
    exponent = np.floor(np.log2(np.where(amax > 0, amax, 1))) - np.floor(np.log2(top))
    exponent = np.where(amax > 0, np.maximum(exponent, -SCALE_BIAS), -SCALE_BIAS)
    scaled = np.clip(blocks / np.exp2(exponent)[..., None], -top, top)
    codes = scaled.astype(np.float32).astype(kind).view(np.uint8)
    return codes.reshape(x.shape), exponent.astype(int)


def quantise_int8(x: np.ndarray, amax: np.ndarray) -> np.ndarray:
    return np.rint(x.astype(np.float32) * (INT8_MAX / amax).astype(np.float32)).astype(np.int8)


def value_of(codes: np.ndarray, name: str = "e4m3fn") -> np.ndarray:
    """FP8 codes' values."""
    return codes.view(TYPES[name]).astype(np.float64)


def filled(matrix: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.pad(matrix, ((0, 0), (0, -matrix.shape[1] % BLOCK))))


def of_floats(name: str, title: str, a: np.ndarray, b: np.ndarray, kind: str = "e4m3fn") -> Data:
    tops = np.abs(a).max(keepdims=True), np.maximum(np.abs(b).max(axis=1, keepdims=True), 1e-30)
    sides = (filled(a.astype(np.float32)), filled(b.astype(np.float32)))
    # The largest values are of the size 1.
    scale = -2 * int(np.log2(float(ml_dtypes.finfo(TYPES[kind]).max)))
    return Data(
        name if kind == "e4m3fn" else f"{name}_{kind}",
        title,
        *(quantise_fp8(x, top, kind) for x, top in zip(sides, tops)),
        *(quantise_int8(x, top) for x, top in zip(sides, tops)),
        scale,
        kind,
    )


def with_scales(one: Data, a: np.ndarray, b: np.ndarray) -> Data:
    """The same operands with MX scales. The largest values stay of the size 1."""
    tops = np.abs(a).max(keepdims=True), np.maximum(np.abs(b).max(axis=1, keepdims=True), 1e-30)
    made = [
        quantise_mx(filled((x / top).astype(np.float32)), one.format)
        for x, top in zip((a, b), tops)
    ]
    (a_codes, a_mx), (b_codes, b_mx) = made
    return replace(one, a_fp8=a_codes, b_fp8=b_codes, a_mx=a_mx, b_mx=b_mx, scale=0)


# ---- the order -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """How an array of GROUPS x COLUMNS netlists takes the outputs. A netlist has `share` elements, which are rows of one
    column. Each accumulator has its turn of `turn` steps: a block, or one step."""

    lanes: int
    share: int = 1
    turn: int = 1
    banks: int = 4

    @property
    def rows(self) -> int:
        """Of the array"""
        return GROUPS * self.share

    @property
    def snake(self) -> tuple[tuple[int, int], ...]:
        """Which block of rows and of columns each accumulator has: neighbours share one of them."""
        return SNAKE[: self.banks]


@dataclass(frozen=True)
class Steps:
    """For each cycle: the first row and column of D that the array works on, the first k; the first and the last step of
    a turn; whether the turn is an output's first and last one."""

    row: np.ndarray
    column: np.ndarray
    k: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    first: np.ndarray
    last: np.ndarray

    def __len__(self) -> int:
        return len(self.k)


def steps(m: int, n: int, k: int, order: Order, most: int | None = None) -> Steps:
    """Passes over all of D, columns first, each of as many outputs of an element as it has accumulators; in a pass a
    turn for each of them. No pass starts once there are `most` steps."""
    length = order.lanes * order.turn
    if k % length or order.banks not in (1, 2, 4):
        raise ValueError(f"{k} products in turns of {length}, {order.banks} accumulators")
    high, wide = (1 + max(place[side] for place in order.snake) for side in (0, 1))
    issued: list[tuple[int, int, int]] = []
    for m0 in range(0, m, high * order.rows):
        for n0 in range(0, n, wide * COLUMNS):
            if most is not None and len(issued) >= most:
                break
            issued += [
                (m0 + im * order.rows, n0 + jn * COLUMNS, k0 + step * order.lanes)
                for k0 in range(0, k, length)
                for im, jn in order.snake
                for step in range(order.turn)
            ]
    row, column, start = (np.array(part) for part in zip(*issued))
    within = start % length
    return Steps(
        row,
        column,
        start,
        within == 0,
        within == length - order.lanes,
        start < length,
        start >= k - length,
    )


def operands(codes: np.ndarray, where: np.ndarray, start: np.ndarray, lanes: int) -> np.ndarray:
    """[cycle, row, lane] of the rows `where` [cycle, row]; a matrix with fewer rows starts again at its first."""
    return codes[where[:, :, None] % len(codes), start[:, None, None] + np.arange(lanes)]
