# SPDX-License-Identifier: Apache-2.0
"""exp2, exp, reciprocal, rsqrt, sigmoid and tanh as model/NUMERICS.md defines them, on arrays of float32; and their exact values.

Every operation on float32 arrays is one rounding to nearest even. The tables come from the script that prints them;
test_functions.py checks them against what they are said to hold.
"""

import importlib.util
from decimal import Decimal, getcontext
from pathlib import Path

import numpy as np

SCRIPT = Path(__file__).resolve().parents[2] / "model/src/core/function_tables.py"
ULP_BOUNDS = {"exp2": 2.5, "exp": 2.6, "reciprocal": 1.7, "rsqrt": 1.6}
CURVE_BOUNDS = {"sigmoid": 2**-14.5, "tanh": 2**-13.5}  # of the absolute error
F = np.float32
LOG2_E, LN2_HIGH = F(1.4426950408889634), F(45426 / 65536)
LN2_LOW = F(0.6931471805599453094 - 45426 / 65536)
NAN = np.array(0x7FC00000, np.uint32).view(F)


def script():
    spec = importlib.util.spec_from_file_location("function_tables", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES = {
    name: np.array([x / 2**bits for x in integers], F)
    for name, _, bits, integers in script().tables()
}


def scaled(significand, exponent):
    """significand * 2^exponent, rounded once."""
    return np.ldexp(significand.astype(np.float64), exponent).astype(F)


def power(t):
    """(significand, exponent) of 2^t, for finite t. The significand is an exact product."""
    whole = np.where(t > 0, np.ceil(t), F(0)).astype(F)
    u = np.where(t > 0, t - whole, t).astype(F)
    steps = np.floor(-u * F(1024)).astype(np.int64)
    r = u + (steps / 1024).astype(F)
    line = TABLES["exp2_value"][steps % 32] + TABLES["exp2_slope"][steps % 32] * r
    coarse = TABLES["exp2_coarse"][steps // 32 % 32].astype(np.float64)
    return coarse * line, whole.astype(np.int64) - steps // 1024


def select(x, log, result):
    """exp2 and exp, where the result is neither 0 nor Inf by far."""
    result = np.where(log >= 129, F(np.inf), np.where(log <= -151, F(0), result))
    return np.where(np.isnan(x), NAN, result).astype(F)


def exp2(x):
    x = np.asarray(x, F)
    inside = np.where(np.abs(x) < 200, x, F(0)).astype(F)
    return select(x, x, scaled(*power(inside)))


def exp(x):
    x = np.asarray(x, F)
    log = x * LOG2_E
    inside = np.where(np.abs(log) < 200, x, F(0)).astype(F)
    whole = np.ceil(inside * LOG2_E).astype(F)
    rest = (inside - whole * LN2_HIGH) - whole * LN2_LOW
    significand, exponent = power(rest * LOG2_E)
    return select(x, log, scaled(significand, exponent + whole.astype(np.int64)))


def split(x):
    """x = m * 2^e of finite magnitudes, with m from 1 up to 2; 1 for others."""
    usable = np.isfinite(x) & (x != 0)
    m, e = np.frexp(np.where(usable, np.abs(x), F(1)).astype(np.float64))
    return (2 * m).astype(F), e - 1


def interval(m):
    return (np.floor(m * F(32)) % 32).astype(np.int64)


def reciprocal(x):
    x = np.asarray(x, F)
    m, e = split(x)
    first = TABLES["reciprocal_value"][interval(m)] - TABLES["reciprocal_slope"][interval(m)] * m
    error = F(1) - (first * F(0.5)) * m
    result = np.copysign(scaled(first + first * error, -e - 1), x)
    result = np.where(x == 0, np.copysign(F(np.inf), x), result)
    result = np.where(np.isinf(x), np.copysign(F(0), x), result)
    return np.where(np.isnan(x), NAN, result).astype(F)


def rsqrt(x):
    x = np.asarray(x, F)
    m, e = split(x)
    odd = e % 2
    i = interval(m) + 32 * odd
    m = np.where(odd == 1, m * F(2), m)
    first = TABLES["root_value"][i] - TABLES["root_slope"][i] * m
    half = first * F(0.5)
    error = F(1) - half * (half * m)
    result = scaled(first + half * error, -((e - odd) // 2) - 1)
    result = np.where(x == F(np.inf), F(0), result)
    result = np.where(x < 0, NAN, result)
    result = np.where(x == 0, np.copysign(F(np.inf), x), result)
    return np.where(np.isnan(x), NAN, result).astype(F)


# ---- sigmoid and tanh: a line between two points of tanh ------------------------------------------
POINTS = np.array(script().tanh_points(), np.int64)


def nearest(x, ulp):
    """x as a multiple of 2^-ulp below 8 * 2^(14 - ulp) in magnitude: what an addition of 1.5 * 2^(23 - ulp) leaves."""
    inside = np.where(np.abs(x) < 32, x, F(0)).astype(F)
    origin = F(1.5 * 2.0 ** (23 - ulp))
    number = ((inside + origin) - origin).astype(np.float64) * 2.0**ulp
    number = np.where(np.abs(x) < 32, number, np.copysign(2.0**17, x))
    return np.clip(number, -(2**17), 2**17).astype(np.int64)


def line(argument):
    """(tanh at the beginning of the interval, growth, position in it), of argument * 2^-14 from 0 on"""
    kept = np.minimum(argument, 2**17 - 1)
    dropped = np.where(kept >= 2**16, 2, np.where(kept >= 2**15, 1, 0))
    kept = kept >> dropped
    begin = (kept >> 9) + 32 * dropped
    rest = np.where(argument < 2**17, kept & 511, 0)
    begin = np.where(argument < 2**17, begin, 127)
    return POINTS[begin], POINTS[begin + 1] - POINTS[begin], rest


def tanh(x):
    x = np.asarray(x, F)
    number = nearest(np.where(np.isnan(x), F(0), x), 14)
    first, growth, rest = line(np.abs(number))
    result = np.ldexp(first.astype(F), -15) + growth.astype(F) * np.ldexp(rest.astype(F), -24)
    return np.where(np.isnan(x), NAN, np.where(number < 0, -result, result)).astype(F)


def sigmoid(x):
    x = np.asarray(x, F)
    number = nearest(np.where(np.isnan(x), F(0), x), 13)
    first, growth, rest = line(np.abs(number))
    sign = np.where(number < 0, -1, 1)
    value = np.ldexp((32768 + sign * first).astype(F), -16)
    result = value + (sign * growth).astype(F) * np.ldexp(rest.astype(F), -25)
    return np.where(np.isnan(x), NAN, result).astype(F)


def exact(name, x):
    """The value for a finite x, in decimal arithmetic of 40 digits or more."""
    getcontext().prec = max(40, getcontext().prec)
    x = Decimal(float(x))
    if name == "exp2":
        return (x * Decimal(2).ln()).exp()
    return {"exp": x.exp, "reciprocal": lambda: 1 / x, "rsqrt": lambda: 1 / x.sqrt()}[name]()
