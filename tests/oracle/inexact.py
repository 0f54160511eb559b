# SPDX-License-Identifier: Apache-2.0
"""The flags inexact and underflow of IEEE 754 from their definition in exact numbers, without the library.

A result is inexact if it differs from the exact number. It underflows if it is inexact and the exact number, rounded to
the format's precision with an exponent that has no limits, is not zero and is below the smallest normal number.
"""

from fractions import Fraction

from oracle import definition as d

INEXACT, UNDERFLOW, TRACK = 16, 32, 1 << 30


def smallest_normal(row):
    """None for integers, which are never normal."""
    if not row.exponent_bits:
        return None
    if row.low in ("normal", "powers"):
        return d.magnitude_of(row, 1 if row.low == "normal" else 0)
    return d.power(1 - row.bias)


def rounded_without_limits(row, x, rounding, r=0, n=0):
    """x > 0 to mantissa_bits + 1 bits."""
    quantum = d.power(d.floor_log2(x) - row.mantissa_bits)
    units, rest = divmod(x, quantum)
    place = rest / quantum
    up = {
        "NEAREST_EVEN": place > Fraction(1, 2) or (place == Fraction(1, 2) and units % 2 == 1),
        "STOCHASTIC": place + Fraction(r, 1 << n) >= 1,
        "ODD": place != 0 and units % 2 == 0,
    }.get(rounding, False)
    return (units + (1 if up else 0)) * quantum


def number(value):
    """The signed number of (class, sign, magnitude, ...), or None for Inf and NaN."""
    cls, sign, x = value[:3]
    if cls in (d.INF, d.NAN):
        return None
    return -x if sign else x


def flags(row, exact, written, rounding="NEAREST_EVEN", r=0, n=0):
    """`exact` is a signed number, or None; `written` is the decoded result."""
    if exact is None or number(written) == exact:
        return 0
    least = smallest_normal(row)
    if exact == 0 or least is None:
        return INEXACT
    mode = "TOWARD_ZERO" if row.low == "powers" else rounding
    tiny = rounded_without_limits(row, abs(exact), mode, r, n) < least
    return INEXACT | (UNDERFLOW if tiny else 0)


def encode(row, value, rounding="NEAREST_EVEN", overflow="SATURATE", r=0, n=0, always=False):
    """The definition's encode with both flags."""
    code, raised = d.encode(row, value, rounding, overflow, r, n, always)
    if raised & d.INVALID:
        return code, raised
    return code, raised | flags(row, number(value), d.decode(row, code), rounding, r, n)


def exact_sum(s, code, a, b, mx=None):
    """acc + sum of the products, or None if a special is among them."""
    terms, _ = d.products(s, a, b, mx)
    terms.append(d.acc_term(s, code))
    if any(t.cls in (d.INF, d.NAN) for t in terms):
        return None
    return Fraction(sum(t.units for t in terms), 1 << d.SHIFT)


def step(s, code, a, b, mx=None, r=0):
    """The definition's step with both flags."""
    after, raised = d.step(s, code, a, b, mx, r)
    row = d.FORMATS[d.ACC_FORMATS[s.acc]]
    exact = exact_sum(s, code, a, b, mx)
    written = d.decode(d.kept_row(s), after)
    return after, raised | flags(row, exact, written, s.acc_rounding, r, s.random_bits)


class Accumulator(d.Accumulator):
    """The whole of K with both flags: of each step, and of each addition to the second accumulator."""

    def step(self, *arguments):
        return step(*arguments)

    def joined(self):
        s = self.s
        code, raised = super().joined()
        row = d.FORMATS["float32"] if s.promote else d.FORMATS[d.ACC_FORMATS[s.acc]]
        kept = d.FORMATS["float32"] if s.promote else d.kept_row(s)
        terms = (d.decode(kept, self.second), d.decode(d.kept_row(s), self.code))
        numbers = [number(t) for t in terms]
        exact = None if None in numbers else sum(numbers)
        rounding, r, n = (
            ("NEAREST_EVEN", 0, 0)
            if s.promote
            else (s.acc_rounding, self.draw("OUTER", self.steps - 1), s.random_bits)
        )
        return code, raised | flags(row, exact, d.decode(kept, code), rounding, r, n)
