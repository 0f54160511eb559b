# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of full INT8 networks of TensorFlow Lite: what its reference kernels compute, in integers.

Codes stand for scale * (code - zero point). A factor is a pair of a multiplier and a shift: multiplier * 2^(shift - 31).
model/NUMERICS.md, "Integer requantisation", has the rules; fp8rt/integer.h says which layer computes what.
"""

from __future__ import annotations

import math

import numpy as np

I64 = np.int64
LEAST_SHIFT, MOST_SHIFT = -31, 30
ADD_BITS = 20  # of a sum's operands behind the point
DIFFERENCE_BITS, SUM_BITS = 5, 12  # of a softmax, in front of the point
MOST = 2**31 - 1


def factor(real: float) -> tuple[int, int]:
    """The pair nearest to a real factor: fp8mac_int_scale_of. ValueError: it has none."""
    if real == 0.0:
        return 0, 0
    if not (math.isfinite(real) and real > 0):
        raise ValueError(f"a factor of {real}")
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * 2.0**31 + 0.5)
    if multiplier == 2**31:
        multiplier, shift = 2**30, shift + 1
    if shift < LEAST_SHIFT:
        return 0, 0
    if shift > MOST_SHIFT:
        raise ValueError(f"a factor of {real}")
    return multiplier, shift


def high(x: np.ndarray, multiplier: np.ndarray | int) -> np.ndarray:
    """x * multiplier / 2^31 to nearest, a tie goes up"""
    return (x.astype(I64) * multiplier + 2**30) >> 31


def halve(x: np.ndarray, bits: np.ndarray | int) -> np.ndarray:
    """x / 2^bits to nearest, a tie goes away from zero"""
    bits = np.asarray(bits, I64)
    half = np.where(bits > 0, I64(1) << np.maximum(bits - 1, 0), 0)
    return np.where(x >= 0, (x + half) >> bits, -((-x + half) >> bits))


def scaled(x: np.ndarray, multiplier, shift) -> np.ndarray:
    """By a factor, rounded twice: fp8mac_int_scale_apply"""
    shift = np.asarray(shift, I64)
    wide = wrap(x.astype(I64) << np.maximum(shift, 0))
    return halve(high(wide, multiplier), np.maximum(-shift, 0))


def scaled_once(x: np.ndarray, multiplier, shift) -> np.ndarray:
    """By a factor, the product rounded once to nearest, a tie goes away from zero"""
    shift = np.asarray(shift, I64)
    return halve(x.astype(I64) * multiplier, 31 - shift)


def wrap(x: np.ndarray) -> np.ndarray:
    return ((x + 2**31) & (2**32 - 1)) - 2**31


# ---- softmax ------------------------------------------------------------------------------------

# exp(-2^k) for k = -2 .. 4, in units of 2^-31
_POWERS = [min(MOST, round(math.exp(-(2.0**k)) * 2**31)) for k in range(-2, 5)]
_EIGHTH = round(math.exp(-0.125) * 2**31)
_THIRD = round(2**31 / 3)


def _exp_quarter(a: int) -> int:
    """exp of a number from -1/4 up to 0, in units of 2^-31: a polynomial around -1/8"""
    x = a + 2**28
    x2 = _mul(x, x)
    x3 = _mul(x2, x)
    x4 = _half(_mul(x2, x2), 2)
    tail = _half(_mul(x4 + x3, _THIRD) + x2, 1)
    return _EIGHTH + _mul(_EIGHTH, x + tail)


def _mul(a: int, b: int) -> int:
    """A tie goes up."""
    return (a * b + 2**30) >> 31


def _half(a: int, bits: int) -> int:
    return (a + (1 << bits >> 1)) >> bits if a >= 0 else -((-a + (1 << bits >> 1)) >> bits)


def exp_negative(a: int) -> int:
    """exp of a number up to 0 with DIFFERENCE_BITS in front of the point, in units of 2^-31"""
    if a == 0:
        return MOST
    point = 31 - DIFFERENCE_BITS
    quarter = 1 << (point - 2)
    within = (a & (quarter - 1)) - quarter
    result = _exp_quarter(within << DIFFERENCE_BITS)
    rest = within - a
    for power, multiplier in zip(range(-2, 5), _POWERS):
        if rest & (1 << (point + power)):
            result = _mul(result, multiplier)
    return result


def reciprocal(total: int) -> tuple[int, int]:
    """1 / x of a sum with SUM_BITS in front of the point: (units of 2^-31, bits over one)"""
    zeros = 32 - total.bit_length()
    over = SUM_BITS - zeros
    minus_one = ((total << zeros) - 2**31) & (2**32 - 1)
    half = (minus_one + MOST + 1) >> 1  # (1 + x) / 2, from 1/2 to 1
    x = 1515870810 + _mul(
        half, -1010580540
    )  # 48/17 - 32/17 * half, with 2 bits in front of the point
    for _ in range(3):  # Newton-Raphson
        error = 2**29 - _mul(half, x)
        x += max(-(2**31), min(MOST, _mul(x, error) << 2))
    return max(-(2**31), min(MOST, x << 1)), over


def softmax_parameters(scale: float, beta: float) -> tuple[int, int, int]:
    """Multiplier and shift of differences, and the least difference that counts"""
    real = min(float(np.float32(beta)) * scale * 2.0 ** (31 - DIFFERENCE_BITS), MOST)
    multiplier, shift = factor(real)
    radius = (2**DIFFERENCE_BITS - 1) * 2.0 ** (31 - DIFFERENCE_BITS) / 2.0**shift
    return multiplier, shift, -math.floor(radius)


def softmax(rows: np.ndarray, multiplier: int, shift: int, least: int) -> np.ndarray:
    """Codes with the scale 1 / 256 and the zero point -128"""
    exps = {}
    for difference in range(-255, 1):
        if difference >= least:
            exps[difference] = exp_negative(_mul(difference << shift, multiplier))
    out = np.full(rows.shape, -128, np.int8)
    for row, codes in zip(out, rows.astype(int)):
        differences = codes - codes.max()
        total = sum(_half(exps[d], SUM_BITS) for d in differences.tolist() if d in exps)
        one, over = reciprocal(total)
        for i, d in enumerate(differences.tolist()):
            if d in exps:
                row[i] = max(-128, min(127, _half(_mul(one, exps[d]), over + 31 - 8) - 128))
    return out
