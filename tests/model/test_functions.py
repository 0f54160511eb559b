# SPDX-License-Identifier: Apache-2.0
"""exp2, exp, reciprocal, rsqrt, sigmoid and tanh: bits of the definition, errors against decimal arithmetic, tables, special values."""

import ctypes as ct
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from checks import RANDOM_STEPS
from oracle import exact, functions

SAMPLES, DECIMALS = 60_000 * RANDOM_STEPS, 1_500 * RANDOM_STEPS
each_function = pytest.mark.parametrize("name", functions.ULP_BOUNDS)
CORNERS = np.array(
    [
        s << 31 | e << 23 | f
        for s in (0, 1)
        for e in range(256)
        for f in (0, 1, 2, 0x400000, 0x7FFFFF)
    ]
    + [s << 31 | 1 << n for s in (0, 1) for n in range(23)],
    np.uint32,
)
ENDS = {  # where results become 0, subnormal, the largest number, Inf: what lies around them is tried
    "exp2": (-150, -149, -126, -1, 1, 127, 128, 129, -151),
    "exp": (-103.97208, -103.2789, -87.33655, -0.6931472, 0.6931472, 88.72284, 89.4),
    "reciprocal": (2.0**-128, 2.0**-127, 2.0**126, 2.0**127),
    "rsqrt": (2.0**-149, 2.0**-126, 1, 2, 4),
}


def patterns(rng, name):
    """Any pattern; numbers whose result is neither 0 nor Inf; the corners; 200 patterns on both sides of each end."""
    some = rng.integers(0, 1 << 32, SAMPLES // 4, dtype=np.uint32)
    middle = rng.uniform(*(0.2, 8) if name in ("reciprocal", "rsqrt") else (-30, 3), SAMPLES)
    ends = np.array(ENDS[name], np.float32).view(np.uint32)
    around = ends[:, None] + np.arange(-200, 201).astype(np.uint32)
    return np.concatenate(
        [some, middle.astype(np.float32).view(np.uint32), CORNERS, around.ravel()]
    )


def apply(lib, name, x):
    """(codes, flags)"""
    function, flags = getattr(lib, "fp32_" + name), ct.c_uint32()
    at, got = ct.byref(flags), np.empty((2, x.size), np.uint32)
    for i, code in enumerate(x.tolist()):
        flags.value = 0
        got[0, i] = function(code, at)
        got[1, i] = flags.value
    return got


@each_function
def test_bits(bench, lib, rng, name):
    x = patterns(rng, name)
    values = x.view(np.float32)
    with np.errstate(all="ignore"):
        want = getattr(functions, name)(values)
    flags = np.where(np.isinf(want) & np.isfinite(values), exact.OVERFLOW, 0)
    flags |= np.where(np.isnan(want) & ~np.isnan(values), exact.INVALID, 0)
    got = apply(lib, name, x)
    bench.arrays(f"{name}: bits", got[0], want.view(np.uint32), lambda i: hex(x[i]))
    bench.arrays(f"{name}: flags", got[1].astype(np.int64), flags, lambda i: hex(x[i]))


@each_function
def test_error(bench, lib, rng, name):
    """In units in the last place of the exact result. A sample of every exponent and of the middle."""
    x = patterns(rng, name)
    x = x[rng.permutation(x.size)[:DECIMALS]]
    codes = apply(lib, name, x)[0]
    worst = Decimal(0)
    for code, result in zip(x, codes):
        value, y = code.view(np.float32), result.view(np.float32)
        if not np.isfinite(value) or (value <= 0 and name == "rsqrt") or value == 0:
            continue
        if not np.isfinite(y) or (name.startswith("exp") and abs(value) > 200):
            continue
        want = functions.exact(name, value)
        exponent = max(int(abs(want).logb() * Decimal("3.3219281")) - 2, -126)
        while exponent < 128 and Decimal(2) ** (exponent + 1) <= abs(want):
            exponent += 1
        error = abs(Decimal(float(y)) - want) / Decimal(2) ** (exponent - 23)
        worst = max(worst, error)
        bench.check(
            f"{name}: error", error <= Decimal(str(functions.ULP_BOUNDS[name])), True, hex(code)
        )
    bench.check(f"{name}: the sample has large errors, too", worst > 1, True, worst)


def test_exact_results(bench, lib):
    def one(name, x):
        return np.uint32(apply(lib, name, np.array([x], np.float32).view(np.uint32))[0, 0]).view(
            np.float32
        )

    for n in range(-149, 128):
        bench.check("exp2 of an integer", one("exp2", n), np.float32(2.0**n), n)
        if n >= -127:
            bench.check(
                "reciprocal of a power of two", one("reciprocal", 2.0**n), np.float32(2.0**-n), n
            )
        if n % 2 == 0:
            bench.check(
                "rsqrt of a power of four", one("rsqrt", 2.0**n), np.float32(2.0 ** (-n // 2)), n
            )
    for zero in (0.0, -0.0):
        bench.check("exp of a zero", one("exp", zero), np.float32(1))


@each_function
def test_without_flags(bench, lib, name):
    got = getattr(lib, "fp32_" + name)(0x80000000, None)
    want = 0x3F800000 if name.startswith("exp") else 0xFF800000
    bench.check("flags may be NULL", got, want, name)


# ---- tables -------------------------------------------------------------------------------------


def test_tables_in_c(bench):
    """The C file is what the script prints."""
    printed = subprocess.run(
        [sys.executable, functions.SCRIPT], capture_output=True, text=True, check=True
    ).stdout
    bench.check(
        "function_tables.c", printed == functions.SCRIPT.with_suffix(".c").read_text(), True
    )


def test_tables_in_the_rtl(bench):
    """So are the modules of the hardware's tables."""
    made = functions.script()
    for name, text in (
        ("fp8mac_exp2_table.sv", made.exp2_module()),
        ("fp8mac_newton_table.sv", made.newton_module()),
        ("fp8mac_tanh_table.sv", made.tanh_module()),
    ):
        bench.check(name, text == (made.RTL / name).read_text(), True)


def test_exp2_tables(bench):
    ln2 = Decimal(2).ln()
    tables = {name: (bits, x) for name, _, bits, x in functions.script().tables()}
    for j in range(32):
        coarse = (-ln2 * j / 32).exp() * 2**24
        bench.check(
            "exp2_coarse", abs(tables["exp2_coarse"][1][j] - coarse) <= Decimal("0.5"), True, j
        )
        fine = (-ln2 * j / 1024).exp()
        middle = 1 - (ln2 / 1024) ** 2 / 16 if j else 1
        off = abs(tables["exp2_value"][1][j] - fine * middle * 2**24)
        bench.check("exp2_value", off <= Decimal("0.5"), True, j)
        chord = fine * (1 - (-ln2 / 1024).exp()) * 1024
        off = abs(tables["exp2_slope"][1][j] - chord * 2**14)
        bench.check("exp2_slope", off <= Decimal("0.5"), True, j)


@pytest.mark.parametrize("name", ("reciprocal", "root"))
def test_lines(bench, name):
    """Over dense points of its interval, no value one unit away has an error that is smaller by a thousandth."""
    tables = {name: (bits, x) for name, _, bits, x in functions.script().tables()}
    (value_bits, values), (slope_bits, slopes) = tables[name + "_value"], tables[name + "_slope"]
    for i, (value, slope) in enumerate(zip(values, slopes)):
        low = (1 + i % 32 / 32) * (2 if i >= 32 else 1)
        m = np.linspace(low, low + (2 if i >= 32 else 1) / 32, 20001)
        wanted = 2 / m if name == "reciprocal" else 2 / np.sqrt(m)

        def error(a):
            return np.abs((a / 2**value_bits - slope / 2**slope_bits * m) / wanted - 1).max()

        least = min(error(value - 1), error(value + 1))
        bench.check(f"{name}: the best value", error(value) <= least * 1.001, True, i)
        bench.check(f"{name}: its error", error(value) < 2**-12, True, i)


def curve_patterns(rng):
    """Every number of the argument's unit and its neighbours, ties between two of them, any pattern, the corners."""
    steps = np.arange(2**17 + 8, dtype=np.float64)
    ties = np.concatenate([(steps + half) * 2.0**-unit for unit in (13, 14) for half in (0, 0.5)])
    ties = ties.astype(np.float32).view(np.uint32)
    x = np.concatenate(
        [ties, ties - 1, ties + 1, rng.integers(0, 1 << 31, SAMPLES, dtype=np.uint32)]
    )
    x = x[rng.permutation(x.size)[: 8 * SAMPLES]]
    return np.concatenate([x, x | np.uint32(1 << 31), CORNERS])


@pytest.mark.parametrize("name", functions.CURVE_BOUNDS)
def test_curves(bench, lib, rng, name):
    """sigmoid and tanh: bits, no flags, error, and no decrease."""
    x = curve_patterns(rng)
    with np.errstate(all="ignore"):
        want = getattr(functions, name)(x.view(np.float32))
    got = apply(lib, name, x)
    bench.arrays(f"{name}: bits", got[0], want.view(np.uint32), lambda i: hex(x[i]))
    bench.arrays(f"{name}: flags", got[1], np.zeros(x.size, np.uint32), lambda i: hex(x[i]))
    values = np.sort(x.view(np.float32)[np.isfinite(x.view(np.float32))])
    y = apply(lib, name, values.view(np.uint32))[0].view(np.float32).astype(np.float64)
    exact_y = np.tanh(values.astype(np.float64) / (2 if name == "sigmoid" else 1))
    exact_y = (1 + exact_y) / 2 if name == "sigmoid" else exact_y
    error = np.abs(y - exact_y)
    bound = functions.CURVE_BOUNDS[name]
    bench.arrays(f"{name}: error", error <= bound, np.ones(y.size, bool), lambda i: values[i])
    bench.check(f"{name}: the bound is near", error.max() > 0.9 * bound, True, error.max())
    bench.check(f"{name}: no decrease", (np.diff(y) >= 0).all(), True)


def test_tanh_points(bench):
    """Each is tanh, or above it by less than its chords are below."""
    made = functions.script()
    points, ends = made.tanh_points(), made.tanh_ends()
    bench.check("tanh: ends", (float(ends[0]), float(ends[-1]), len(ends)), (0, 8, 129))
    for point, x in zip(points, ends):
        off = point / 2**15 - np.tanh(float(x))
        bench.check("tanh: a point", -(2.0**-16) <= off <= 0.77 * 2.0**-14 + 2.0**-16, True, x)


def test_numerics_page(bench):
    """NUMERICS.md has the bounds that are tested."""
    page = Path("model/NUMERICS.md").read_text()
    for name, bound in functions.ULP_BOUNDS.items():
        bench.check("NUMERICS.md", f"| `{name}` | {bound} |" in page, True, name)
    for name, bound in functions.CURVE_BOUNDS.items():
        row = f"| `{name}` | 2^{np.log2(bound):g} |"
        bench.check("NUMERICS.md", row in page, True, name)
