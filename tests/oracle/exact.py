# SPDX-License-Identifier: Apache-2.0
"""The arithmetic from its definition: exact integers times powers of two, rounded once.

A value is a tuple (class, sign, number, exponent): (-1)^sign * number * 2^exponent. Nothing here knows the library.
"""

from collections import namedtuple

import numpy as np

from oracle.formats import (
    ARRAY_FORMATS,
    EXTREMES,
    FINITE,
    FP8,
    INF,
    INVALID,
    NAN,
    NAN_FLAG,
    OVERFLOW,
    SATURATED,
    ZERO,
    decode,
    inf_code,
    is_nan_code,
    max_code,
    nan_code,
    sign_bit,
    width,
)

NEAREST_EVEN, TOWARD_ZERO = "NEAREST_EVEN", "TOWARD_ZERO"
SATURATE, SATURATE_FINITE, IEEE = "SATURATE", "SATURATE_FINITE", "IEEE"

FP16, BF16, FP32 = (ARRAY_FORMATS[name] for name in ("float16", "bfloat16", "float32"))
NAN32 = 0x7FC00000


def from_double(x):
    sign = 1 if np.signbit(x) else 0
    if x != x:
        return (NAN, sign, 0, 0)
    if x in (float("inf"), float("-inf")):
        return (INF, sign, 0, 0)
    if x == 0:
        return (ZERO, sign, 0, 0)
    number, denominator = abs(float(x)).as_integer_ratio()
    return (FINITE, sign, number, 1 - denominator.bit_length())


def round_to_quantum(row, number, exponent, toward_zero):
    """(units, quantum): number * 2^exponent rounded to units * 2^quantum, the exponent unbounded above."""
    leading = exponent + number.bit_length() - 1
    quantum = max(leading, 1 - row.bias) - row.mantissa_bits
    shift = quantum - exponent
    if shift <= 0:
        return number << -shift, quantum
    units, rest = number >> shift, number & ((1 << shift) - 1)
    half = 1 << (shift - 1)
    if not toward_zero and (rest > half or (rest == half and units & 1)):
        units += 1
    return units, quantum


def magnitude_code(row, units, quantum):
    """The code of units * 2^quantum, or None if it is larger than the largest finite value."""
    if units >> (row.mantissa_bits + 1):  # the rounding carried into the next binade
        units, quantum = units >> 1, quantum + 1
    if not units >> row.mantissa_bits:
        return units  # zero or subnormal: the quantum is the fixed one
    code = (
        (quantum + row.mantissa_bits + row.bias) * (1 << row.mantissa_bits)
        + units
        - (1 << row.mantissa_bits)
    )
    return code if code <= max_code(row) else None


def special(row, sign, inf):
    """Inf where there is one, else NaN, with the sign where there is one; or NaN."""
    if row.nan == "negative_zero":
        return sign_bit(row)
    return sign * sign_bit(row) | (inf_code(row) if inf and row.has_inf else nan_code(row))


def convert(row, value, rounding=NEAREST_EVEN, overflow=SATURATE):
    """(code, flags)"""
    cls, sign, number, exponent = value
    if width(row) > 8:
        overflow = IEEE
    largest = sign * sign_bit(row) | max_code(row)
    if cls is NAN:
        return special(row, sign, False), 0
    if cls is INF:
        return (largest, SATURATED) if overflow == SATURATE else (special(row, sign, True), 0)
    code = 0
    if cls is FINITE:
        units, quantum = round_to_quantum(row, number, exponent, rounding == TOWARD_ZERO)
        code = magnitude_code(row, units, quantum)
        if code is None:
            if overflow != IEEE or rounding == TOWARD_ZERO:
                return largest, SATURATED
            return special(row, sign, True), OVERFLOW
    if code == 0 and not row.has_negative_zero:
        sign = 0
    return sign * sign_bit(row) | code, 0


# ---- one step of the dot product -------------------------------------------------------------------------------

UNIT = 17  # every FP8 value is an integer times 2^-17


def _operands(row):
    """code -> (class, sign, signed integer in units of 2^-UNIT)"""
    table = []
    for code in range(256):
        cls, sign, number, exponent = decode(row, code)
        table.append(
            (cls, sign, (-number if sign else number) * (1 << (exponent + UNIT)) if number else 0)
        )
    return table


OPERANDS = {name: _operands(ARRAY_FORMATS[name]) for name in FP8}

# The exact sum of some terms and their special values: `infinities` has bit 0 for +Inf and bit 1 for -Inf.
Terms = namedtuple("Terms", "total nan infinities all_negative_zero flags")


def multiply(a_name, b_name, a, b):
    """The products of a step, summed exactly in units of 2^(-2 UNIT)."""
    a_table, b_table = OPERANDS[a_name], OPERANDS[b_name]
    total, nan, infinities, all_negative_zero, flags = 0, False, 0, True, 0
    for x, y in zip(a, b):
        x_cls, x_sign, x_number = a_table[x]
        y_cls, y_sign, y_number = b_table[y]
        total += x_number * y_number
        if (x_cls is not ZERO and y_cls is not ZERO) or x_sign == y_sign:
            all_negative_zero = False
        if x_cls is NAN or y_cls is NAN:
            nan, flags = True, flags | NAN_FLAG
        elif x_cls is INF or y_cls is INF:
            if x_cls is ZERO or y_cls is ZERO:
                nan, flags = True, flags | INVALID
            else:
                infinities |= 1 << (x_sign ^ y_sign)
    return Terms(total, nan, infinities, all_negative_zero, flags)


def step(a_name, b_name, acc_row, acc_code, a, b, scale=0, saturate=False):
    """acc' = round(acc + 2^scale * sum a_i b_i) for an FP32 or FP16 accumulator: (code, flags)"""
    terms = multiply(a_name, b_name, a, b)
    cls, sign, number, exponent = decode(acc_row, acc_code)
    flags, infinities = terms.flags, terms.infinities
    if cls is INF:
        infinities |= 1 << sign
    if infinities == 3:
        flags |= INVALID
    if terms.nan or cls is NAN or infinities == 3:
        return nan_code(acc_row), flags
    if infinities:
        return (infinities >> 1) * sign_bit(acc_row) | inf_code(acc_row), flags
    unit = scale - 2 * UNIT
    if cls is FINITE:
        common = min(unit, exponent)
        total = (terms.total << (unit - common)) + (
            (-number if sign else number) << (exponent - common)
        )
    else:
        common, total = unit, terms.total
    if total == 0:
        negative_zero = terms.all_negative_zero and cls is ZERO and sign
        return sign_bit(acc_row) if negative_zero else 0, flags
    return round_sum(acc_row, total, common, flags, saturate)


def round_sum(row, total, exponent, flags, saturate):
    sign, (units, quantum) = int(total < 0), round_to_quantum(row, abs(total), exponent, False)
    code = magnitude_code(row, units, quantum)
    if code is None:
        code, raised = (max_code(row), SATURATED) if saturate else (inf_code(row), OVERFLOW)
        flags |= raised
    return sign * sign_bit(row) | code, flags


def dot(a_name, b_name, acc_row, acc_code, a, b, group, scale=0, saturate=False):
    """The steps of a whole K: (code, flags)"""
    flags = 0
    for k in range(0, len(a), group):
        acc_code, raised = step(
            a_name, b_name, acc_row, acc_code, a[k : k + group], b[k : k + group], scale, saturate
        )
        flags |= raised
    return acc_code, flags


class Fixed:
    """The `fixed` accumulator: an exact sum of products and three sticky bits."""

    NAN, POS_INF, NEG_INF = 1, 2, 4

    def __init__(self, a_name, b_name):
        self.names = a_name, b_name
        self.unit = int(np.log2(EXTREMES[a_name][2] * EXTREMES[b_name][2]))
        self.total = self.sticky = self.terms = self.flags = 0

    def accumulate(self, a, b):
        terms = multiply(*self.names, a, b)
        units, rest = divmod(terms.total, 1 << (self.unit + 2 * UNIT))
        assert rest == 0
        self.total, self.terms, self.flags = (
            self.total + units,
            self.terms + len(a),
            self.flags | terms.flags,
        )
        self.sticky |= (self.NAN if terms.nan else 0) | terms.infinities << 1
        if self.sticky & 6 == 6:
            self.flags |= INVALID

    def read_out(self, scale):
        """(FP32 code, flags so far and of the read-out)"""
        if self.sticky & self.NAN or self.sticky & 6 == 6:
            return NAN32, self.flags
        if self.sticky:
            return inf_code(FP32) | (
                sign_bit(FP32) if self.sticky & self.NEG_INF else 0
            ), self.flags
        if self.total == 0:
            return 0, self.flags
        return round_sum(FP32, self.total, self.unit + scale, self.flags, False)


# ---- epilogue ---------------------------------------------------------------------------------------------------


def bits(x):
    """FP32 code of a float32; any NaN gives the canonical one."""
    return NAN32 if x != x else int(np.float32(x).view(np.uint32))


def f32(code):
    return np.uint32(code).view(np.float32)


class Fp32Unit:
    """FP32 operations by NumPy, each rounded to nearest even; collects the flags."""

    def __init__(self):
        self.flags = 0

    def _finish(self, x, y, result):
        if np.isnan(result) and not (np.isnan(x) or np.isnan(y)):
            self.flags |= INVALID
        if np.isinf(result) and np.isfinite(x) and np.isfinite(y):
            self.flags |= OVERFLOW
        return f32(bits(result))

    def mul(self, x, y):
        return self._finish(x, y, np.multiply(x, y, dtype=np.float32))

    def add(self, x, y):
        return self._finish(x, y, np.add(x, y, dtype=np.float32))


Epilogue = namedtuple(
    "Epilogue",
    "bias activation lo hi beta d_row rounding overflow scale_d maximum",
    defaults=[False],
)


def larger(a, b):
    """NaN if one of them is; +0 is larger than -0."""
    if a == 0 and b == 0:
        return a if np.signbit(b) else b
    return np.maximum(a, b)


def activate(t, e):
    if np.isnan(t) or e.activation == "NONE":
        return t
    if e.activation == "RELU":
        return np.float32(0.0) if np.signbit(t) else t
    return e.lo if t < e.lo else e.hi if t > e.hi else t


def epilogue(e, t0, scale_a, scale_b, bias, c):
    """All float32; (code of D, T, flags)"""
    unit = Fp32Unit()
    t = unit.mul(t0, unit.mul(scale_a, scale_b))
    inputs = [scale_a, scale_b]
    if e.bias:
        t, inputs = unit.add(t, bias), inputs + [bias]
    if e.beta != 0:
        term, inputs = unit.mul(e.beta, c), inputs + [e.beta, c]
        t = larger(t, term) if e.maximum else unit.add(t, term)
    t = activate(t, e)
    scaled = unit.mul(t, e.scale_d)
    code, raised = convert(e.d_row, decode(FP32, bits(scaled)), e.rounding, e.overflow)
    if is_nan_code(e.d_row, code):
        code = nan_code(e.d_row)  # the epilogue writes every NaN without a sign
    nan = NAN_FLAG if any(np.isnan(x) for x in inputs) else 0
    return code, t, unit.flags | raised | nan
