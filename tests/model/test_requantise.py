# SPDX-License-Identifier: Apache-2.0
"""Integer requantisation against TensorFlow Lite's definition in rational arithmetic, and what is refused."""

import ctypes as ct

import clib
import numpy as np
import pytest
from checks import RANDOM_STEPS
from oracle import requantise

INT32 = (-(2**31), 2**31 - 1)


class IntScale(ct.Structure):
    _fields_ = [("multiplier", ct.c_int32), ("shift", ct.c_int32)]


class Requantise(ct.Structure):
    _fields_ = [("zero_point", ct.c_int32), ("lo", ct.c_int32), ("hi", ct.c_int32)]


class Desc(ct.Structure):
    _fields_ = [
        *((name, ct.c_size_t) for name in "mnk"),
        *(("a", ct.c_void_p), ("b", ct.c_void_p)),
        *(("lda", ct.c_size_t), ("ldb", ct.c_size_t)),
        *(("bias", ct.c_void_p), ("scales", ct.c_void_p), ("scale_per_column", ct.c_bool)),
        *(("to", Requantise), ("sums", ct.c_bool), ("d", ct.c_void_p), ("ldd", ct.c_size_t)),
    ]


@pytest.fixture(scope="module")
def dll(build):
    dll = ct.CDLL(str((build / "model/libfp8mac.so").resolve()))
    dll.fp8mac_int_scale_of.argtypes = [ct.c_double, ct.c_void_p]
    dll.fp8mac_int_scale_apply.argtypes = [ct.c_int32, IntScale]
    dll.fp8mac_requantise_apply.argtypes = [ct.c_void_p, ct.c_int32, ct.c_int32, IntScale]
    dll.fp8mac_requantise_apply.restype = ct.c_int8
    return dll


def some_scale(rng):
    """Any multiplier and shift, and those that make ties"""
    multiplier = int(rng.choice([0, 1, 2**30, 2**31 - 1, 2 ** rng.integers(0, 31), 0]))
    multiplier = multiplier or int(rng.integers(0, 2**31))
    return multiplier, int(rng.integers(-31, 31))


def some_int32(rng):
    small = int(rng.integers(*INT32)) >> int(rng.integers(0, 32))
    power = (1 << int(rng.integers(0, 32))) + int(rng.integers(-2, 3))
    return requantise.wrap(int(rng.choice([small, power, -power, *INT32, 0])))


def test_factor(bench, dll, rng):
    """Every power of two, neighbours of powers, and random factors"""
    powers = [2.0**e for e in range(-40, 30)]
    factors = [0.0, 0.25, 0.1, *powers, *(np.nextafter(powers, 0)), *(np.nextafter(powers, 9e9))]
    factors += list(rng.uniform(1, 2, 4000 * RANDOM_STEPS) * 2.0 ** rng.integers(-36, 28))
    # halfway between two multipliers
    factors += [(2**30 + i + 0.5) * 2.0**-31 for i in range(200)] + [(2**31 - 0.5) * 2.0**-31]
    for factor in factors:
        scale = IntScale()
        status = dll.fp8mac_int_scale_of(factor, ct.byref(scale))
        got = (status, scale.multiplier, scale.shift)
        want = requantise.quantize_multiplier(float(factor))
        bench.check("scale of a factor", got, (clib.OK, *want), factor)
    for factor in (-1.0, -5e-324, np.inf, np.nan, 2.0**30):
        status = dll.fp8mac_int_scale_of(factor, ct.byref(IntScale()))
        bench.check("refused factor", status, clib.enum("ERR_SCALE"), factor)
    bench.check("no scale", dll.fp8mac_int_scale_of(1.0, None), clib.enum("ERR_NULL"))


def test_multiply(bench, dll, rng):
    ties = 0
    for _ in range(30_000 * RANDOM_STEPS):
        x, scale = some_int32(rng), some_scale(rng)
        want = requantise.multiply(x, *scale)
        bench.check("multiply", dll.fp8mac_int_scale_apply(x, IntScale(*scale)), want, (x, scale))
        high = requantise.doubling_high_mul(requantise.wrap(x * 2 ** max(scale[1], 0)), scale[0])
        ties += scale[1] < 0 and high % 2 ** -scale[1] == 2 ** (-scale[1] - 1) and high < 0
    bench.check("negative ties of the division happened", ties > 50, True, ties)


def gemm(dll, rng, shape, per_column, with_bias, sums):
    """(status, D, the wanted D)"""
    m, n, k = shape
    a, b = (rng.integers(-128, 128, (rows, k + 3)).astype(np.int8) for rows in (m, n))
    bias = np.array([some_int32(rng) >> 8 for _ in range(n)], np.int32)
    scales = [
        (2**30 + int(rng.integers(0, 2**30)), int(rng.integers(-14, -3)))
        for _ in range(n if per_column else 1)
    ]
    lo, hi = sorted(int(x) for x in rng.integers(-128, 128, 2))
    zero = int(rng.integers(-128, 128))
    words = np.array(scales, np.int32)
    d = clib.blank(m * (n + 2), np.int32 if sums else np.int8).reshape(m, n + 2)
    want = d.copy()
    used = None if sums else words.ctypes.data
    desc = Desc(
        *shape, a.ctypes.data, b.ctypes.data, k + 3, k + 3, bias.ctypes.data if with_bias else None,
        used, per_column, Requantise(zero, lo, hi), sums, d.ctypes.data, n + 2,
    )  # fmt: skip
    status = dll.fp8mac_int8_gemm(ct.byref(desc))
    totals = a[:, :k].astype(np.int64) @ b[:, :k].astype(np.int64).T
    for i in range(m):
        for j in range(n):
            add = int(bias[j]) if with_bias else 0
            scale = scales[j if per_column else 0]
            total = int(totals[i, j])
            want[i, j] = (
                requantise.wrap(total + add)
                if sums
                else requantise.output(total, add, scale, zero, lo, hi)
            )
    return status, d.tolist(), want.tolist()


def test_gemm(bench, dll, rng):
    for case in range(40 * RANDOM_STEPS):
        shape = tuple(int(x) for x in rng.integers(1, 12, 2)) + (int(rng.integers(1, 90)),)
        choice = [bool(case >> bit & 1) for bit in range(3)]
        status, got, want = gemm(dll, rng, shape, *choice)
        bench.check("GEMM", (status, got), (clib.OK, want), (shape, choice))


def test_output(bench, dll, rng):
    """Sums and biases that wrap, and the sum with the zero point, which does not"""
    for _ in range(5_000 * RANDOM_STEPS):
        scale = some_scale(rng)
        lo, hi = sorted(int(x) for x in rng.integers(-128, 128, 2))
        to = Requantise(int(rng.integers(-128, 128)), lo, hi)
        total, bias = some_int32(rng), some_int32(rng)
        got = dll.fp8mac_requantise_apply(ct.byref(to), total, bias, IntScale(*scale))
        want = requantise.output(total, bias, scale, to.zero_point, lo, hi)
        bench.check("output", got, want, (total, bias, scale, to.zero_point, lo, hi))


def refused(dll, **changes):
    a, b, d = (np.zeros(64, np.int8) for _ in range(3))
    scales = np.array([2**30, 0] * 4, np.int32)
    desc = Desc(
        4, 4, 8, a.ctypes.data, b.ctypes.data, 8, 8, None, scales.ctypes.data, True,
        Requantise(0, -128, 127), False, d.ctypes.data, 4,
    )  # fmt: skip
    for name, value in changes.items():
        if name == "scale":
            scales[6:8] = value
        elif name == "d":
            desc.d = {"a": a, "b": b, "scales": scales}[value].ctypes.data
        else:
            clib.set_field(desc, name.replace("to_", "to."), value)
    return dll.fp8mac_int8_gemm(ct.byref(desc)), d


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "OK"),
        ({"m": 0}, "ERR_SHAPE"),
        ({"k": 131072}, "ERR_K_LIMIT"),
        ({"lda": 7}, "ERR_STRIDE"),
        ({"ldb": 7}, "ERR_STRIDE"),
        ({"ldd": 3}, "ERR_STRIDE"),
        ({"a": None}, "ERR_NULL"),
        ({"scales": None}, "ERR_NULL"),
        ({"scales": None, "sums": True, "to_lo": 5, "ldd": 4}, "OK"),
        ({"scale": (-1, 0)}, "ERR_SCALE"),
        ({"scale": (1, 31)}, "ERR_SCALE"),
        ({"scale": (1, -32)}, "ERR_SCALE"),
        ({"scale": (1, -32), "scale_per_column": False}, "OK"),
        ({"to_zero_point": 128}, "ERR_SCALE"),
        ({"to_zero_point": -129}, "ERR_SCALE"),
        ({"to_lo": -129}, "ERR_ACTIVATION"),
        ({"to_hi": 128}, "ERR_ACTIVATION"),
        ({"to_lo": 4, "to_hi": 3}, "ERR_ACTIVATION"),
        ({"d": "a"}, "ERR_OVERLAP"),
        ({"d": "b"}, "ERR_OVERLAP"),
        ({"d": "scales"}, "ERR_OVERLAP"),
    ],
)
def test_refused(bench, dll, changes, name):
    status, _ = refused(dll, **changes)
    bench.check("status", status, clib.enum(name), changes)
