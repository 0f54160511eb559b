# SPDX-License-Identifier: Apache-2.0
"""FP8 mma.sync of H100, H200 (FP16 output) and B200 from its definition, in exact rational numbers.

One instruction, m16n8k32, computes D = C + A B. Two steps take 16 products each: first those with k mod 4 < 2, then
the others. The first step starts from zero. In a step the products, and what the step before it left, are truncated
toward zero 25 bits below the largest exponent among them and added. The sum is rounded: to FP32 toward zero, or to FP16
to nearest even. C is added to the last sum with one rounding to nearest even, in the same format. Nothing here knows the
library or the other oracle's settings.
"""

from fractions import Fraction

FRACTION_BITS, STEPS = 25, 2


class Binary:
    """A binary format: precision in bits, smallest and largest exponent."""

    def __init__(self, precision, least, most):
        self.precision, self.least, self.most = precision, least, most

    def exponent(self, x):
        """floor(log2 |x|), at least the smallest exponent."""
        x, e = abs(x), self.least
        while x >= Fraction(2) ** (e + 1):
            e += 1
        return e

    def round(self, x, toward_zero):
        """x as a number of the format, or None if it overflows."""
        quantum = Fraction(2) ** (self.exponent(x) - self.precision + 1)
        units = abs(x) / quantum
        low = units.numerator // units.denominator
        rest = units - low
        if not toward_zero and (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2)):
            low += 1
        rounded = low * quantum
        if rounded > (2 - Fraction(2) ** (1 - self.precision)) * Fraction(2) ** self.most:
            return None
        return -rounded if x < 0 else rounded


FP32, FP16 = Binary(24, -126, 127), Binary(11, -14, 15)
E4M3, E5M2 = Binary(4, -6, 8), Binary(3, -14, 15)


def truncated(x, exponent):
    """x toward zero to a multiple of 2^(exponent - 25)."""
    quantum = Fraction(2) ** (exponent - FRACTION_BITS)
    units = abs(x) / quantum
    kept = units.numerator // units.denominator * quantum
    return -kept if x < 0 else kept


def instruction(a, b, c, a_format, b_format, result):
    """D for 32 pairs of numbers and the number c; None if something overflows."""
    total = Fraction(0)
    for part in range(STEPS):
        places = [k for k in range(len(a)) if k % 4 // 2 == part]
        terms = [
            (a[k] * b[k], a_format.exponent(a[k]) + b_format.exponent(b[k]))
            for k in places
            if a[k] * b[k] != 0
        ]
        if total != 0:
            terms.append((total, result.exponent(total)))
        largest = max([-126] + [exponent for _, exponent in terms])
        exact = sum((truncated(x, largest) for x, _ in terms), Fraction(0))
        total = result.round(exact, toward_zero=result is FP32)
        if total is None:
            return None
    return result.round(total + c, toward_zero=False)
