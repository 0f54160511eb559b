# SPDX-License-Identifier: Apache-2.0
"""Softmax as fp8rt_softmax computes it: fixed-point logarithms to base 2, a polynomial for powers of two, in integers."""

from __future__ import annotations

import numpy as np

F32 = np.float32
LOG_BITS, ONE_BITS, MANTISSA_BITS, TOP = (
    12,
    20,
    3,
    15,
)  # e4m3fn: 256 stands for 1, its exponent field is 15
FACTOR = F32(5909.278887481194)  # 2^12 / ln 2
LIMIT = F32(4194303.0)
OFFSET = F32(12582912.0)  # 1.5 * 2^23: its FP32 word is that of fixed point 0


def rows(numbers: np.ndarray, scale: float) -> np.ndarray:
    """e4m3fn codes of the softmax of each row of scale * numbers."""
    words = logarithms(numbers, scale)
    return np.stack([_row(word) for word in words])


def logarithms(numbers: np.ndarray, scale: float) -> np.ndarray:
    """Words of 2^12 * log2(e^x): one addition of 1.5 * 2^23 rounds to them."""
    factor = F32(scale) * FACTOR
    total = factor * numbers + OFFSET * F32(1)
    total = np.clip(total, OFFSET - LIMIT, OFFSET + LIMIT).astype(F32)
    return total.view(np.int32).astype(np.int64)


def _exp2(fraction: np.ndarray) -> np.ndarray:
    """2^(fraction / 2^12) * 2^20"""
    y = 237301 + ((82070 * fraction) >> 12)
    y = 729205 + ((y * fraction) >> 12)
    return (1 << ONE_BITS) + ((y * fraction) >> 12)


def _row(words: np.ndarray) -> np.ndarray:
    top = words.max()
    _, total = _codes(words - top)
    codes, _ = _codes(words - top - _logarithm(total))
    return codes


def _codes(x: np.ndarray) -> tuple[np.ndarray, int]:
    whole, fraction = x >> LOG_BITS, x & ((1 << LOG_BITS) - 1)
    significand = _exp2(fraction)
    shift = np.minimum(-whole, 63)
    total = int(np.where(whole < -(ONE_BITS + 1), 0, significand >> shift).sum())
    return _encode(significand, TOP + whole).astype(np.uint8), total


def _encode(significand: np.ndarray, field: np.ndarray) -> np.ndarray:
    """The code of significand * 2^(field - TOP); ties go up."""
    drop = ONE_BITS - MANTISSA_BITS
    normal = ((field - 1) << MANTISSA_BITS) + ((significand + (1 << (drop - 1))) >> drop)
    shift = np.minimum(drop + 1 - np.minimum(field, 0), 62)
    small = np.where(shift > ONE_BITS + 1, 0, (significand + (1 << (shift - 1))) >> shift)
    return np.where(field > 0, normal, small)


def _logarithm(total: int) -> int:
    """log2(total / 2^20) * 2^12 by squaring, a bit at a time."""
    log = 0
    while total >> (ONE_BITS + 1):
        total = (total + 1) >> 1
        log += 1 << LOG_BITS
    x = total << (31 - ONE_BITS)
    bit = 1 << (LOG_BITS - 1)
    while bit:
        x = (x * x) >> 31
        if x >> 32:
            x >>= 1
            log += bit
        bit >>= 1
    return log
