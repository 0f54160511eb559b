# SPDX-License-Identifier: Apache-2.0
"""Operands of a matrix product as FP8 and as INT8 codes, in the order in which an array's elements receive them.

    digits 1   the digits network's first layer: 64 test images (pixels, many are 0) on 96 x 64 weights
    digits 2   its second layer: what the float32 network's first layer makes of these images (ReLU), on 64 x 96 weights
    normal     N(0,1) on N(0,1), K = 4096

FP8 is e4m3fn, as in the firmware. The weights are the committed codes of w * 448 / amax of their row. The activations of
the first layer are the pixels; those of the second are x * 448 / amax of the tensor. INT8 is symmetric: q is x * 127 /
amax, rounded to nearest even, with the same amax as FP8. N(0,1) has one amax for each tensor on both sides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np

DIGITS = Path("firmware/apps/digits")
DIGITS_FLOAT32 = Path("tests/digits/digits_float32.c")  # the network as it was trained
IMAGES, PIXELS, PIXEL_EXP, CODE_EXP = 64, 64, -4, -8
ROWS, COLUMNS = 8, 8  # elements of the array
SNAKE = (
    (0, 0),
    (0, 1),
    (1, 1),
    (1, 0),
)  # banks, in the order of their turns: which block of rows, of columns
NORMAL_K, SEED = 4096, 2026
FP8, FP8_MAX, INT8_MAX = ml_dtypes.float8_e4m3fn, np.float32(448), np.float32(127)
BLOCK_M, BLOCK_N = 2 * ROWS, 2 * COLUMNS  # outputs of a pass


@dataclass(frozen=True)
class Data:
    """D = 2^scale * A B^T, A of m x k and B of n x k codes."""

    name: str
    title: str
    a_fp8: np.ndarray
    b_fp8: np.ndarray
    a_int8: np.ndarray
    b_int8: np.ndarray
    scale: int


def quantise_fp8(x: np.ndarray, amax: np.ndarray) -> np.ndarray:
    return (x.astype(np.float32) * (FP8_MAX / amax).astype(np.float32)).astype(FP8).view(np.uint8)


def quantise_int8(x: np.ndarray, amax: np.ndarray) -> np.ndarray:
    return np.rint(x.astype(np.float32) * (INT8_MAX / amax).astype(np.float32)).astype(np.int8)


def value_of(codes: np.ndarray) -> np.ndarray:
    """FP8 codes' values."""
    return codes.view(FP8).astype(np.float64)


# ---- sources of the operands ------------------------------------------------------------------------------------------


def c_array(path: Path, name: str, kind: type) -> np.ndarray:
    """An array of a generated C source."""
    found = re.search(rf"\b{name}\[\] = {{(.*?)}};", path.read_text(), re.S)
    if found is None:
        raise ValueError(f"{path} has no array {name}")
    words = found[1].replace("\n", "").rstrip(", ").split(",")
    if kind is np.float32:
        return np.array([float.fromhex(word.strip().rstrip("f")) for word in words], np.float32)
    return np.array([int(word, 0) for word in words], kind)


def layer(number: int, outputs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Float32 weights, FP8 codes, bias."""
    net = DIGITS / "digits_net.c"
    weights = (
        c_array(DIGITS_FLOAT32, f"weights{number}", np.uint32).view(np.float32).reshape(outputs, -1)
    )
    codes = c_array(net, f"fp8_weights{number}", np.uint8).reshape(outputs, -1)
    return weights, codes, c_array(net, f"bias{number}", np.float32)


def digits() -> list[Data]:
    pixels = c_array(DIGITS / "digits_images.c", "digits_images", np.uint8).reshape(-1, PIXELS)[
        :IMAGES
    ]
    pixels = pixels.view(FP8).astype(np.float32)
    first, first_codes, bias = layer(0, 96)
    second, second_codes, _ = layer(1, 64)
    hidden = np.maximum(pixels * np.float32(2.0**PIXEL_EXP) @ first.T + bias, 0)
    rows = lambda w: np.abs(w).max(axis=1, keepdims=True)
    return [
        Data(
            "digits_1",
            "digits, first layer",
            pixels.astype(FP8).view(np.uint8),
            first_codes,
            quantise_int8(pixels, pixels.max()),
            quantise_int8(first, rows(first)),
            PIXEL_EXP + CODE_EXP,
        ),
        Data(
            "digits_2",
            "digits, second layer",
            quantise_fp8(hidden, hidden.max()),
            second_codes,
            quantise_int8(hidden, hidden.max()),
            quantise_int8(second, rows(second)),
            2 * CODE_EXP,
        ),
    ]


def normal(k: int = NORMAL_K) -> Data:
    draw = np.random.default_rng(SEED)
    a, b = (draw.standard_normal((n, k)).astype(np.float32) for n in (BLOCK_M, BLOCK_N))
    tops = np.abs(a).max(), np.abs(b).max()
    return Data(
        "normal",
        f"N(0,1), K = {k}",
        *(quantise_fp8(x, top) for x, top in zip((a, b), tops)),
        *(quantise_int8(x, top) for x, top in zip((a, b), tops)),
        2 * CODE_EXP,
    )


# ---- the order -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps:
    """Row and column of D that an element's step works on, [cycle, element], and its first k; `first` and `last` of an
    output. Elements count through the columns first."""

    row: np.ndarray
    column: np.ndarray
    k: np.ndarray
    first: np.ndarray
    last: np.ndarray


def steps(m: int, n: int, k: int, lanes: int) -> Steps:
    """Passes of 2 x 2 blocks of the array's size, columns first; in a pass LANES consecutive k for each bank in its
    turn."""
    if m % BLOCK_M or n % BLOCK_N or k % lanes:
        raise ValueError(f"{m} x {n} x {k} is not a multiple of {BLOCK_M} x {BLOCK_N} x {lanes}")
    issued = [
        (m0 + im * ROWS, n0 + jn * COLUMNS, k0)
        for m0 in range(0, m, BLOCK_M)
        for n0 in range(0, n, BLOCK_N)
        for k0 in range(0, k, lanes)
        for im, jn in SNAKE
    ]
    row, column, start = (np.array(part) for part in zip(*issued))
    element = np.arange(ROWS * COLUMNS)
    return Steps(
        row[:, None] + element // COLUMNS,
        column[:, None] + element % COLUMNS,
        start,
        start == 0,
        start == k - lanes,
    )


def operands(codes: np.ndarray, where: np.ndarray, start: np.ndarray, lanes: int) -> np.ndarray:
    """[cycle, element, lane]."""
    return codes[where[:, :, None], start[:, None, None] + np.arange(lanes)]
