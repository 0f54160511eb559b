# SPDX-License-Identifier: Apache-2.0
"""Row commands: by their definition in single FP32 operations, and exactly.

A case is a dictionary with the members of fp8mac_rows_desc; X, gamma, beta and factor are float32 values.
"""

import functools
import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np

from oracle import exact, functions

F = np.float32
REDUCTIONS = ("SUM", "SUM_OF_SQUARES", "MAXIMUM", "ARGMAX", "MAGNITUDE")
CURVES = ("SIGMOID", "TANH")
LOG2_E = functions.LOG2_E
LEAST = F(2.0**-100)  # of a magnitude


class Unit(exact.Fp32Unit):
    """FP32 operations with the functions and the sum of a row."""

    def sub(self, x, y):
        return self.add(x, -y)

    def sum(self, values):
        partial = [F(-0.0)] * 16
        for i, x in enumerate(values):
            partial[i % 16] = self.add(partial[i % 16], x)
        a, b, c, d = (functools.reduce(self.add, partial[lane::4]) for lane in range(4))
        return self.add(self.add(a, b), self.add(c, d))

    def function(self, name, x):
        y = getattr(functions, name)(np.array([x], F))[0]
        if np.isnan(y) and not np.isnan(x):
            self.flags |= exact.INVALID
        if np.isinf(y) and np.isfinite(x):
            self.flags |= exact.OVERFLOW
        return y


def maximum(values):
    if any(np.isnan(x) for x in values):
        return functions.NAN[()]
    return max(values, key=lambda x: (float(x), not np.signbit(x)))


def magnitude(values):
    return maximum([LEAST, *(np.abs(x) for x in values)])


def argmax(values):
    for i, x in enumerate(values):
        if np.isnan(x):
            return i
    most = maximum(values)
    return next(i for i, x in enumerate(values) if x == most)


def columns(case, m):
    first = case["seen"] or case["cols"]
    return min(case["cols"], first + (m if case["causal"] else 0))


def terms(unit, case, values):
    """(t0 of each output, scale_a)"""
    operation, factor = case["operation"], F(1 if case["factor"] is None else case["factor"])
    nth = F(1) / F(case["cols"])
    if operation == "SUM":
        return [unit.sum(values)], factor
    if operation == "SUM_OF_SQUARES":
        return [unit.sum([unit.mul(x, x) for x in values])], factor
    if operation == "MAXIMUM":
        return [maximum(values)], factor
    if operation == "MAGNITUDE":
        return [magnitude(values)], factor
    if operation == "QUANTISE":
        return values, unit.function("reciprocal", magnitude(values))
    if operation == "SOFTMAX":
        most, scale = maximum(values), unit.mul(factor, LOG2_E)
        powers = [unit.mul(unit.sub(x, most), scale) for x in values]
        e = [unit.function("exp2", x) for x in powers]
        return e, unit.function("reciprocal", unit.sum(e))
    if operation in CURVES:
        return [unit.function(operation.lower(), unit.mul(x, factor)) for x in values], F(1)
    d = values
    if operation == "LAYER_NORM":
        mean = unit.mul(unit.sum(values), nth)
        d = [unit.sub(x, mean) for x in values]
    under = unit.add(unit.mul(unit.sum([unit.mul(x, x) for x in d]), nth), case["eps"])
    return d, unit.function("rsqrt", under)


EMAX = {"e4m3fn": 8, "e5m2": 15, "e4m3fnuz": 7, "e5m2fnuz": 15}


def mx_scale(name, block):
    """The E8M0 code of a block of float32 values: floor(log2(amax)) - emax, with the bias 127."""
    if not all(np.isfinite(x) for x in block):
        return 255
    amax = max(abs(Fraction(float(x))) for x in block)
    if amax == 0:
        return 0
    exponent = next(e for e in range(127, -150, -1) if amax >= Fraction(2) ** e)
    return max(0, exponent - EMAX[name] + 127)


def mx_scales(case):
    """rows x blocks E8M0 codes"""
    x, name = case["x"], case["d_name"]
    return [[mx_scale(name, row[i : i + 32]) for i in range(0, len(row), 32)] for row in x]


def mx_row(name, values, flags):
    """(codes, T of each output, flags) of a row that is quantised to MX"""
    codes, outputs = [], []
    for first in range(0, len(values), 32):
        block = values[first : first + 32]
        scale = mx_scale(name, block)
        for x in block:
            if scale == 255:
                codes, outputs = [*codes, 0], [*outputs, F(np.nan)]
                continue
            t = float(np.ldexp(np.float64(x), 127 - scale))  # exact
            code, raised = exact.convert(exact.ARRAY_FORMATS[name], exact.from_double(t))
            codes, outputs, flags = [*codes, code], [*outputs, F(t)], flags | raised
    return codes, outputs, flags


def epilogue_of(case):
    return exact.Epilogue(
        case["beta"] is not None,
        case["activation"],
        case["lo"],
        case["hi"],
        F(0),
        exact.ARRAY_FORMATS[case["d_name"]],
        case["rounding"],
        case["overflow"],
        F(1 if case["scale_d"] is None else case["scale_d"]),
    )


def row(case, m):
    """(codes of D, T of each output, flags) of row m"""
    values = case["x"][m, : columns(case, m)]
    if case["operation"] == "ARGMAX":
        nan = exact.NAN_FLAG if np.isnan(values).any() else 0
        return [argmax(values)], [], nan
    if case["operation"] == "QUANTISE_MX":
        nan = exact.NAN_FLAG if np.isnan(values).any() else 0
        return mx_row(case["d_name"], list(values), nan)
    unit, e = Unit(), epilogue_of(case)
    t0, scale = terms(unit, case, list(values))
    flags = unit.flags | (exact.NAN_FLAG if np.isnan(values).any() else 0)
    codes, outputs = [], []
    for i, x in enumerate(t0):
        gamma = F(1) if case["gamma"] is None else case["gamma"][i]
        beta = F(0) if case["beta"] is None else case["beta"][i]
        code, t, raised = exact.epilogue(e, x, scale, gamma, beta, F(0))
        codes, outputs, flags = [*codes, code], [*outputs, t], flags | raised
    unseen = case["cols"] - len(t0) if case["operation"] == "SOFTMAX" else 0
    codes, outputs = codes + [0] * unseen, outputs + [F(0)] * unseen
    if case["table"] is not None:
        codes = [int(case["table"][code]) for code in codes]
    return codes, outputs, flags


# ---- exact results and bounds, for finite values -------------------------------------------------
U = Fraction(1, 1 << 24)


def root(x):
    """The square root of a fraction to 50 digits, as a fraction."""
    getcontext().prec = 60
    return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


def reduction(case, values):
    """(exact T, bound of the error) of a sum, or of a sum of squares"""
    x = [Fraction(float(v)) for v in values]
    blocks = -(-len(x) // 16)
    if case["operation"] == "SUM_OF_SQUARES":
        total = sum(v * v for v in x)
        return total, (5 + blocks) * U * total * Fraction(1001, 1000)
    return sum(x), (4 + blocks) * U * sum(map(abs, x)) * Fraction(1001, 1000)


def norm(case, values):
    """(exact T, bound of the error) of each output"""
    x = [Fraction(float(v)) for v in values]
    n, blocks, eps = len(x), -(-len(x) // 16), Fraction(float(case["eps"]))
    layer = case["operation"] == "LAYER_NORM"
    mean = sum(x) / n if layer else Fraction(0)
    d = [v - mean for v in x]
    s = root(sum(v * v for v in d) / n + eps)
    rho = (7 + blocks) * U * sum(map(abs, x)) / n / s if layer else Fraction(0)
    results = []
    for i, v in enumerate(d):
        gamma = Fraction(1) if case["gamma"] is None else Fraction(float(case["gamma"][i]))
        beta = Fraction(0) if case["beta"] is None else Fraction(float(case["beta"][i]))
        t, z = v / s * gamma + beta, abs(v) / s
        if layer:
            relative = (12 + Fraction(blocks, 2)) * U + rho * rho / 2
            bound = abs(gamma) * (z * relative + rho) + U * abs(t)
        else:
            bound = abs(gamma) * z * (10 + Fraction(blocks, 2)) * U
        results.append((t, bound * Fraction(1001, 1000)))
    return results


def quantise(values):
    """(exact T, bound of the error) of each output"""
    x = [Fraction(float(v)) for v in values]
    most = max(Fraction(float(LEAST)), *(abs(v) for v in x))
    smallest = Fraction(1, 1 << 150)
    return [
        (v / most, abs(v / most) * Fraction(44, 10) * U * Fraction(1001, 1000) + smallest)
        for v in x
    ]


def softmax(case, values):
    """(exact T, bound of the error) of each output"""
    getcontext().prec = 50
    x = [Decimal(float(v)) for v in values]
    factor = Decimal(float(1 if case["factor"] is None else case["factor"]))
    most, blocks = max(x), -(-len(x) // 16)
    e = [((v - most) * factor).exp() for v in x]
    total, results = sum(e), []
    for v, each in zip(x, e):
        powers = (most - v) * factor / Decimal(2).ln()
        relative = 20 + blocks + Decimal("2.8") * (powers + Decimal(math.log2(len(x))))
        results.append((Fraction(each / total), Fraction(each / total * relative) * U))
    return results
