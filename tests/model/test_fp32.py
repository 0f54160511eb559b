# SPDX-License-Identifier: Apache-2.0
"""FP32 multiplication and addition on bit patterns against NumPy's: results, canonical NaN, flags."""

import ctypes as ct

import numpy as np
import pytest
from oracle import exact

RANDOM_PAIRS = 300_000
FRACTIONS = (0, 1, 2, 0x3FFFFF, 0x400000, 0x400001, 0x555555, 0x7FFFFE, 0x7FFFFF)
EXPONENTS = (
    0,
    1,
    2,
    23,
    24,
    63,
    64,
    102,
    103,
    104,
    126,
    127,
    128,
    150,
    151,
    152,
    190,
    191,
    230,
    253,
    254,
    255,
)
CORNERS = np.array(
    [s << 31 | e << 23 | f for s in (0, 1) for e in EXPONENTS for f in FRACTIONS], np.uint32
)


def random_pairs(rng, n):
    """Any two patterns; two of like size, where sums cancel; two whose product is about to leave the range."""
    a, b = rng.integers(0, 1 << 32, (2, n), dtype=np.uint32)
    third, sign = n // 3, rng.integers(0, 2, n, dtype=np.uint32) << np.uint32(31)
    apart = rng.integers(-26, 27, third) << 23
    near = (a[:third] & 0x7FFFFFFF).astype(np.int64) + apart + rng.integers(-3, 4, third)
    b[:third] = sign[:third] | np.clip(near, 0, 0x7FFFFFFF).astype(np.uint32)
    middle = slice(third, 2 * third)
    field = (a[middle] >> np.uint32(23) & np.uint32(255)).astype(np.int64)
    at_the_bottom = rng.integers(0, 2, third)  # else at the top
    total = np.where(
        at_the_bottom, 127 + rng.integers(-26, 4, third), 127 + 254 + rng.integers(-3, 4, third)
    )
    b[middle] = b[middle] & np.uint32(0x807FFFFF) | np.clip(total - field, 0, 254).astype(
        np.uint32
    ) << np.uint32(23)
    return a, b


def expected(operation, a, b):
    """(codes, flags) by NumPy; any NaN gives the canonical one."""
    with np.errstate(all="ignore"):
        x, y = a.view(np.float32), b.view(np.float32)
        result = operation(x, y)
    nan_operand = np.isnan(x) | np.isnan(y)
    flags = np.where(np.isnan(result) & ~nan_operand, exact.INVALID, 0)
    flags |= np.where(np.isinf(result) & np.isfinite(x) & np.isfinite(y), exact.OVERFLOW, 0)
    return np.where(np.isnan(result), np.uint32(exact.NAN32), result.view(np.uint32)).astype(
        np.int64
    ), flags


OPERATIONS = {"multiply": ("fp32_mul", np.multiply), "add": ("fp32_add", np.add)}
each_operation = pytest.mark.parametrize("name", OPERATIONS)


def compare(bench, lib, name, a, b, source):
    function, operation = getattr(lib, OPERATIONS[name][0]), OPERATIONS[name][1]
    flags = ct.c_uint32()
    at, got = ct.byref(flags), np.empty((2, a.size), np.int64)
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist())):
        flags.value = 0
        got[0, i] = function(x, y, at)
        got[1, i] = flags.value
    codes, raised = expected(operation, a, b)
    bench.arrays(f"{name}, {source}: result", got[0], codes, lambda i: f"{a[i]:#x}, {b[i]:#x}")
    bench.arrays(f"{name}, {source}: flags", got[1], raised, lambda i: f"{a[i]:#x}, {b[i]:#x}")


@each_operation
def test_corners(bench, lib, name):
    a, b = (x.ravel().copy() for x in np.meshgrid(CORNERS, CORNERS))
    compare(bench, lib, name, a, b, "every two corners")


@each_operation
def test_random(bench, lib, rng, name):
    compare(bench, lib, name, *random_pairs(rng, RANDOM_PAIRS), "random")


@pytest.mark.parametrize(("name", "want"), [("fp32_mul", 0xFF800000), ("fp32_add", exact.NAN32)])
def test_without_flags(bench, lib, name, want):
    got = getattr(lib, name)(0x7F800000, 0xFF800000, None)
    bench.check("flags may be NULL", got, want, name)
