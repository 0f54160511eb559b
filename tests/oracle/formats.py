# SPDX-License-Identifier: Apache-2.0
"""The formats, typed independently of the library, and what their codes mean.

A value is a tuple (class, sign, number, exponent): (-1)^sign * number * 2^exponent with an integer `number`.
"""

from collections import namedtuple

ZERO, FINITE, INF, NAN = "zero", "finite", "inf", "nan"
INVALID, OVERFLOW, SATURATED, NAN_FLAG = 1, 2, 4, 8

# `low` says what exponent field 0 means: "gradual", "at_bias" (CFloat8), "normal" (HFP8), "powers" (E8M0: no zero).
Format = namedtuple(
    "Format", "name signed exponent_bits mantissa_bits bias has_inf nan has_negative_zero low"
)


def _formats(*rows):
    return {row[0]: Format(*row) for row in rows}


FORMATS = _formats(
    ("e4m3fn", 1, 4, 3, 7, 0, "all_ones", 1, "gradual"),
    ("e5m2", 1, 5, 2, 15, 1, "ieee", 1, "gradual"),
    ("e4m3fnuz", 1, 4, 3, 8, 0, "negative_zero", 0, "gradual"),
    ("e5m2fnuz", 1, 5, 2, 16, 0, "negative_zero", 0, "gradual"),
    ("float16", 1, 5, 10, 15, 1, "ieee", 1, "gradual"),
    ("bfloat16", 1, 8, 7, 127, 1, "ieee", 1, "gradual"),
    ("float32", 1, 8, 23, 127, 1, "ieee", 1, "gradual"),
    ("int8", 1, 0, 7, -6, 0, None, 0, "gradual"),
    ("e4m3", 1, 4, 3, 7, 1, "ieee", 1, "gradual"),
    ("e3m4", 1, 3, 4, 3, 1, "ieee", 1, "gradual"),
    ("e4m3b11fnuz", 1, 4, 3, 11, 0, "negative_zero", 0, "gradual"),
    ("hfp8_e4m3", 1, 4, 3, 11, 0, None, 1, "normal"),
    ("cfloat8_e4m3", 1, 4, 3, 7, 0, None, 1, "at_bias"),
    ("cfloat8_e5m2", 1, 5, 2, 15, 0, None, 1, "at_bias"),
    ("qc_e5m2", 1, 5, 2, 15, 0, None, 1, "gradual"),
    ("qc_e4m3", 1, 4, 3, 7, 0, None, 1, "gradual"),
    ("qc_e3m4", 1, 3, 4, 3, 0, None, 1, "gradual"),
    ("qc_e2m5", 1, 2, 5, 1, 0, None, 1, "gradual"),
    ("gaudi_e4m3", 1, 4, 3, 7, 1, "ieee", 1, "gradual"),
    ("e3m2fn", 1, 3, 2, 3, 0, None, 1, "gradual"),
    ("e2m3fn", 1, 2, 3, 1, 0, None, 1, "gradual"),
    ("e2m1fn", 1, 2, 1, 1, 0, None, 1, "gradual"),
    ("mxint8", 1, 0, 7, 0, 0, None, 0, "gradual"),
    ("e8m0fnu", 0, 8, 0, 127, 0, "all_ones", 0, "powers"),
    ("e8m13", 1, 8, 13, 127, 1, "ieee", 1, "gradual"),
    ("e6m9", 1, 6, 9, 31, 1, "ieee", 1, "gradual"),
)

# Those that the array reads or writes, with the largest finite, least normal and least subnormal magnitude.
EXTREMES = {
    "e4m3fn": (448.0, 2.0**-6, 2.0**-9),
    "e5m2": (57344.0, 2.0**-14, 2.0**-16),
    "e4m3fnuz": (240.0, 2.0**-7, 2.0**-10),
    "e5m2fnuz": (57344.0, 2.0**-15, 2.0**-17),
    "float16": (65504.0, 2.0**-14, 2.0**-24),
    "bfloat16": ((2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133),
    "float32": ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149),
}
ARRAY_FORMATS = {name: FORMATS[name] for name in EXTREMES}
FP8 = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")


def width(fmt):
    return fmt.signed + fmt.exponent_bits + fmt.mantissa_bits


def sign_bit(fmt):
    return 1 << (fmt.exponent_bits + fmt.mantissa_bits)


def is_integer(fmt):
    return fmt.exponent_bits == 0


def inf_code(fmt):
    return ((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits


def max_code(fmt):
    """The largest finite magnitude code: the one below the first special."""
    ones = sign_bit(fmt) - 1
    return {"ieee": inf_code(fmt) - 1, "all_ones": ones - 1}.get(fmt.nan, ones)


def nan_code(fmt):
    """The NaN that is written: positive where there are two; 0 where there is none."""
    ones = sign_bit(fmt) - 1
    return {
        "all_ones": ones,
        "negative_zero": ones + 1,
        "ieee": inf_code(fmt) | (1 << fmt.mantissa_bits >> 1),
        None: 0,
    }[fmt.nan]


def is_nan_code(fmt, code):
    low_bits = code & (sign_bit(fmt) - 1)
    return {
        "all_ones": low_bits == sign_bit(fmt) - 1,
        "negative_zero": code == sign_bit(fmt),
        "ieee": low_bits >= inf_code(fmt) + bool(fmt.has_inf),
        None: False,
    }[fmt.nan]


def magnitude(fmt, code):
    """(number, exponent) of a magnitude code, the exponent field being unbounded above."""
    field, fraction = code >> fmt.mantissa_bits, code & ((1 << fmt.mantissa_bits) - 1)
    least = 1 - fmt.bias - fmt.mantissa_bits
    if is_integer(fmt):
        return code, least
    if field:
        return fraction + (1 << fmt.mantissa_bits), field - 1 + least
    if fmt.low == "gradual":
        return fraction, least
    if fmt.low == "at_bias" or (fmt.low == "normal" and code == 0):
        return fraction, least - 1
    return fraction + (1 << fmt.mantissa_bits), least - 1


def decode(fmt, code):
    """(class, sign, number, exponent); the number and exponent of a zero and of a special are 0."""
    sign = 1 if fmt.signed and code & sign_bit(fmt) else 0
    low_bits = code & (sign_bit(fmt) - 1)
    if is_integer(fmt) and sign:
        low_bits = sign_bit(fmt) - low_bits
    elif is_nan_code(fmt, code):
        return (NAN, sign, 0, 0)
    elif fmt.has_inf and low_bits == inf_code(fmt):
        return (INF, sign, 0, 0)
    number, exponent = magnitude(fmt, low_bits)
    return (FINITE, sign, number, exponent) if number else (ZERO, sign, 0, 0)
