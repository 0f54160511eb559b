# SPDX-License-Identifier: Apache-2.0
"""Integer requantisation from TensorFlow Lite's definition, in exact rational arithmetic. Each function has the name of the
reference kernels' (tensorflow/lite/kernels/internal/common.h, gemmlowp's fixedpoint.h), with TFLITE_SINGLE_ROUNDING = 0."""

from __future__ import annotations

import math
from fractions import Fraction


def wrap(x: int) -> int:
    """Two's complement of 32 bits"""
    return (x + 2**31) % 2**32 - 2**31


def quantize_multiplier(factor: float) -> tuple[int, int]:
    """(multiplier, shift)"""
    if factor == 0:
        return 0, 0
    fraction, shift = math.frexp(factor)
    multiplier = math.floor(Fraction(fraction) * 2**31 + Fraction(1, 2))  # std::round
    if multiplier == 2**31:
        multiplier, shift = multiplier // 2, shift + 1
    return (0, 0) if shift < -31 else (multiplier, shift)


def doubling_high_mul(a: int, b: int) -> int:
    """SaturatingRoundingDoublingHighMul: a nudge of the product's sign, and a division that truncates"""
    if a == b == -(2**31):
        return 2**31 - 1
    product = a * b
    nudge = 2**30 if product >= 0 else 1 - 2**30
    return math.trunc(Fraction(product + nudge, 2**31))


def divide_by_pot(x: int, exponent: int) -> int:
    """RoundingDivideByPOT: to nearest, ties away from zero"""
    quotient = Fraction(abs(x), 2**exponent)
    return int(math.copysign(1, x)) * math.floor(quotient + Fraction(1, 2))


def multiply(x: int, multiplier: int, shift: int) -> int:
    """MultiplyByQuantizedMultiplier"""
    shifted = wrap(x * 2 ** max(shift, 0))
    return divide_by_pot(doubling_high_mul(shifted, multiplier), max(-shift, 0))


def output(total: int, bias: int, scale: tuple[int, int], zero_point: int, lo: int, hi: int) -> int:
    return max(lo, min(hi, multiply(wrap(total + bias), *scale) + zero_point))
