# SPDX-License-Identifier: Apache-2.0
"""The Python package: every function against ml_dtypes, NumPy, exact fractions or the published formulas, and every
refusal. tests/bindings/python.sh installs the package and runs them away from its sources."""

import ctypes
import dataclasses
import importlib.metadata
import importlib.util
import math
import os
import pickle
import platform
import re
import runpy
import struct
import subprocess
import sys
import threading
import unittest.mock
from fractions import Fraction
from pathlib import Path

import fp8mac
import ml_dtypes
import numpy as np
import pytest
from fp8mac import Config, Error, Flags, Format, recipes

FP8 = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]
ML = {
    **{
        n: getattr(ml_dtypes, f"float8_{n}")
        for n in FP8 + ["e4m3", "e3m4", "e4m3b11fnuz", "e8m0fnu"]
    },
    "e3m2fn": ml_dtypes.float6_e3m2fn,
    "e2m3fn": ml_dtypes.float6_e2m3fn,
    "e2m1fn": ml_dtypes.float4_e2m1fn,
}
F32 = np.float32


@pytest.fixture(autouse=True)
def quiet():
    """NaN, Inf and overflow are among the values."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def refused(check):
    """Error is a ValueError, names the status, and says what is wrong, once."""

    def compare(sentence, status, call):
        try:
            got = (None, None, f"returned {call()!r}")
        except ValueError as error:
            own, general = str(error), fp8mac._core.status_text(status)
            once = own == general or (general not in own and not own.endswith(".."))
            got = (
                type(error),
                getattr(error, "status", None),
                sentence if sentence in own and once else own,
            )
        except Exception as error:
            got = (type(error), None, str(error))
        check("refusals", got, (Error, f"FP8MAC_ERR_{status}", sentence))

    return compare


def bits_of(x):
    """Patterns, a NaN being any NaN."""
    x = np.asarray(x)
    bits = x.view(f"u{x.dtype.itemsize}").copy()
    return np.where(np.isnan(x.astype(np.float64)), np.uint64(2**63), bits.astype(np.uint64))


def test_metadata(check):
    print(f"fp8mac {fp8mac.__version__} in {fp8mac.__file__}")
    about = importlib.metadata.metadata("fp8mac")
    check("metadata", about["Name"], "fp8mac")
    check(
        "metadata", (about["Version"], fp8mac.__version__), (fp8mac.__version__, about["Version"])
    )
    check("metadata", about["License-Expression"], "Apache-2.0")
    check("metadata", about["Requires-Python"], ">=3.11")
    check("metadata", "numpy>=1.24" in about.get_all("Requires-Dist"), True)
    wheel = importlib.metadata.distribution("fp8mac").read_text("WHEEL")
    check(
        "metadata: the wheel is for this platform and every Python from 3.11",
        ("Root-Is-Purelib: false" in wheel, "Tag: cp311-abi3-linux" in wheel),
        (True, True),
    )
    files = {str(path) for path in importlib.metadata.files("fp8mac")}
    check(
        "metadata: types and licence are there, sources are not",
        (
            "fp8mac/py.typed" in files,
            any("LICENSE" in f for f in files),
            any(f.endswith((".c", ".h")) for f in files),
        ),
        (True, True, False),
    )
    for name in sorted({*fp8mac.__all__} - {"formats", "presets"}) + [
        f"recipes.{n}" for n in recipes.__all__
    ]:
        thing = fp8mac
        for part in name.split("."):
            thing = getattr(thing, part)
        check("everything public is documented", bool(getattr(thing, "__doc__", "")), True, name)


def test_formats(check, arrays, refused):
    for name, dtype in ML.items():
        row, info = fp8mac.formats[name], ml_dtypes.finfo(dtype)
        check("formats against ml_dtypes", (row.bits, row.max), (info.bits, float(info.max)), name)
        check("formats against ml_dtypes", fp8mac.format_of(dtype), row, name)
        check("formats against ml_dtypes", fp8mac.format_of(np.dtype(dtype).name), row, name)
        codes = np.arange(1 << row.bits, dtype=np.uint8)
        values = codes.view(dtype)
        for kind in (np.float32, np.float64):
            arrays(
                "decode: every code",
                bits_of(fp8mac.decode(codes, name, dtype=kind)),
                bits_of(values.astype(kind)),
            )
            arrays(
                "decode: every code",
                bits_of(fp8mac.decode(values, dtype=kind)),
                bits_of(values.astype(kind)),
            )
        for code in codes.tolist():
            record, value = row.record(code), float(values[code])
            check(
                "record",
                (record.code, record.cls == "nan", record.value if value == value else 0),
                (code, math.isnan(value), value if value == value else 0),
                name,
            )
            if record.cls == "finite":
                power = Fraction(2) ** (record.exponent - row.mantissa_bits)
                check(
                    "record",
                    (-1) ** record.sign * record.significand * power,
                    Fraction(value),
                    name,
                )
    for name, row in fp8mac.formats.items():
        again = Format(
            row.name,
            row.is_signed,
            row.exponent_bits,
            row.mantissa_bits,
            row.bias,
            row.has_inf,
            row.has_negative_zero,
            row.nan_encoding,
            row.exponent_zero,
        )
        check(
            "formats: a format of the caller's own",
            (again, again.max, again.max_code),
            (row, row.max, row.max_code),
            name,
        )
    for bias in (0, 9, 63):
        row = fp8mac.formats["cfloat8_e4m3"].with_bias(bias)
        check("formats: bias", fp8mac.decode(np.uint8([0x38]), row)[0], F32(2.0 ** (7 - bias)))
        check(
            "formats: bias",
            fp8mac.decode(np.uint8([0x38]), f"cfloat8_e4m3:{bias}")[0],
            F32(2.0 ** (7 - bias)),
        )
    check("formats: float16", fp8mac.format_of(np.float16).name, "float16")
    check("formats: bfloat16", fp8mac.format_of(ml_dtypes.bfloat16).name, "bfloat16")
    check("formats: int8", fp8mac.format_of(np.int8).name, "int8")
    own = Format("e5m2b20", True, 5, 2, 20, False, False, "negative-zero")
    check(
        "formats: a format of the caller's own",
        fp8mac.decode(fp8mac.cast([2.0**-20], own), own)[0],
        F32(2.0**-20),
    )
    refused(
        "neither infinity", "OVERFLOW_MODE", lambda: fp8mac.cast([1.0], "qc_e4m3", overflow="ieee")
    )
    refused(
        "nan_encoding 'x' is unknown",
        "FORMAT",
        lambda: Format("x", True, 4, 3, 7, False, True, "x"),
    )
    refused(
        "exponent_zero 'x' is unknown",
        "FORMAT",
        lambda: Format("x", True, 4, 3, 7, False, True, "ieee", "x"),
    )
    refused("More than 8 exponent bits", "FORMAT", lambda: Format("x", True, 9, 3, 7, True, True))
    refused("out of range", "FORMAT", lambda: Format("x", True, 900, 3, 7, True, True))
    refused("The bias is not one", "FORMAT", lambda: fp8mac.formats["e4m3fn"].with_bias(3))
    refused("no code of e2m1fn", "FORMAT", lambda: fp8mac.formats["e2m1fn"].record(16))
    refused(
        "format 'e4m4' is unknown; there are e4m3fn", "FORMAT", lambda: fp8mac.format_of("e4m4")
    )
    refused("is unknown; there are e4m3fn", "FORMAT", lambda: fp8mac.format_of(np.complex64))
    refused("is unknown; there are e4m3fn", "FORMAT", lambda: fp8mac.format_of(object()))


def test_cast(check, arrays, rng):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    singles = rng.integers(0, 2**32, 20000, dtype=np.uint64).astype(np.uint32).view(F32)
    mixed = np.concatenate([singles, rng.normal(0, 50, 20000).astype(F32)])
    for name in FP8 + ["e4m3", "e3m4", "e4m3b11fnuz"]:
        for x in (halves, mixed, mixed.reshape(200, 200)[::2, 5:9]):
            want = np.asarray(x).astype(ML[name])
            got = fp8mac.cast(x, name, overflow="ieee")
            check("cast: codes are uint8", (got.dtype, got.shape), (np.dtype(np.uint8), x.shape))
            arrays("cast against ml_dtypes", bits_of(got.view(ML[name])), bits_of(want))
            typed = fp8mac.cast(x, ML[name], overflow="ieee")
            check("cast: a dtype gives its array", typed.dtype, np.dtype(ML[name]))
            arrays("cast against ml_dtypes", bits_of(typed), bits_of(want))
        from_double = fp8mac.cast(mixed.astype(np.float64), name, overflow="ieee")
        arrays(
            "cast: float64", bits_of(from_double.view(ML[name])), bits_of(mixed.astype(ML[name]))
        )
        limit = float(ml_dtypes.finfo(ML[name]).max)
        clipped = np.clip(mixed, -limit, limit)
        arrays(
            "cast: saturate",
            bits_of(fp8mac.cast(mixed, name).view(ML[name])),
            bits_of(clipped.astype(ML[name])),
        )
        codes = np.arange(256, dtype=np.uint8)
        for other in FP8:
            arrays(
                "cast between formats",
                bits_of(fp8mac.cast(codes, other, source=name, overflow="ieee").view(ML[other])),
                bits_of(codes.view(ML[name]).astype(np.float32).astype(ML[other])),
            )
            arrays(
                "cast between formats",
                bits_of(fp8mac.cast(codes.view(ML[name]), ML[other], overflow="ieee")),
                bits_of(codes.view(ML[name]).astype(np.float32).astype(ML[other])),
            )
    arrays(
        "cast: bfloat16",
        bits_of(fp8mac.cast(mixed, ml_dtypes.bfloat16)),
        bits_of(mixed.astype(ml_dtypes.bfloat16)),
    )
    arrays(
        "cast: float16", bits_of(fp8mac.cast(mixed, "float16")), bits_of(mixed.astype(np.float16))
    )
    arrays(
        "cast: float64", bits_of(fp8mac.cast(mixed, "float64")), bits_of(mixed.astype(np.float64))
    )
    arrays(
        "cast: float64",
        bits_of(fp8mac.cast(halves, np.float64)),
        bits_of(halves.astype(np.float64)),
    )
    for scale in (0.25, 3.0, 1e-3):
        product = mixed * F32(scale)
        product[np.isnan(product)] = np.nan  # the product's NaN has no sign
        arrays("cast: scale", fp8mac.cast(mixed, "e5m2", scale=scale), fp8mac.cast(product, "e5m2"))
        arrays(
            "cast: scale",
            fp8mac.cast(halves, "e5m2", scale=scale),
            fp8mac.cast(
                np.where(np.isnan(halves), F32(np.nan), halves.astype(F32) * F32(scale)), "e5m2"
            ),
        )
        arrays(
            "decode: scale",
            bits_of(fp8mac.decode(np.arange(256, dtype=np.uint8), "e5m2", scale=scale)),
            bits_of(np.arange(256, dtype=np.uint8).view(ML["e5m2"]).astype(F32) * F32(scale)),
        )
    finite = np.linspace(-440, 440, 5001, dtype=F32)
    down = fp8mac.decode(fp8mac.cast(finite, "e4m3fn", rounding="toward-zero"), "e4m3fn")
    check("cast: toward zero", bool(np.all(np.abs(down) <= np.abs(finite))), True)
    codes = fp8mac.cast(finite, "e4m3fn", rounding="toward-zero")
    above = fp8mac.decode(codes + np.uint8(1), "e4m3fn")
    check(
        "cast: toward zero is the nearest below", bool(np.all(np.abs(above) > np.abs(finite))), True
    )
    check("cast: flags", fp8mac.cast([1e9], "e4m3fn", return_flags=True)[1], Flags.SATURATED)
    check(
        "cast: flags",
        fp8mac.cast([1e9], "e4m3fn", overflow="ieee", return_flags=True)[1],
        Flags.OVERFLOW,
    )
    check("cast: flags", fp8mac.cast([np.nan], "qc_e4m3", return_flags=True)[1], Flags.INVALID)
    check("cast: flags", fp8mac.cast([1.0], "float64", return_flags=True)[1], Flags(0))
    check(
        "cast: a number",
        (fp8mac.cast(448, "e4m3fn").shape, int(fp8mac.cast(448, "e4m3fn"))),
        ((), 0x7E),
    )
    check("cast: none", fp8mac.cast(np.empty((0, 3), F32), "e5m2").shape, (0, 3))
    check(
        "cast: as printed",
        fp8mac.decode(fp8mac.cast(np.arange(16.0), "e5m2fnuz"), "e5m2fnuz").tolist(),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 12, 12, 12, 14, 16],
    )
    big = mixed.astype(">f4")
    arrays(
        "cast: foreign byte order",
        fp8mac.cast(big.astype(">f8"), "e5m2"),
        fp8mac.cast(mixed, "e5m2"),
    )


def swapped(x):
    """The same values in the other byte order."""
    x = np.asarray(x)
    return x.astype(x.dtype.newbyteorder())


def test_byte_order(check, arrays, rng):
    """Arrays in the other byte order give what native ones give, wherever an array is taken."""
    x = rng.normal(size=(3, 8)).astype(F32)
    halves, draws = x.astype(np.float16), rng.integers(0, 2**16, (3, 8)).astype(np.uint32)
    for values in (x, halves, x.astype(np.float64)):
        arrays("byte order: x", fp8mac.cast(swapped(values), "e5m2"), fp8mac.cast(values, "e5m2"))
    for values, name in ((x.view(np.uint32), "float32"), (halves.view(np.uint16), "float16")):
        for call in (
            lambda codes: fp8mac.decode(codes, name),
            lambda codes: fp8mac.decode(codes, name, scale=3.0),
            lambda codes: fp8mac.cast(codes, "e5m2", source=name),
        ):
            arrays("byte order: codes", call(swapped(values)), call(values))
        arrays("byte order: decode", fp8mac.decode(swapped(values.view(name))), values.view(name))
    random = dict(format="e5m2", rounding="stochastic")
    arrays(
        "byte order: random",
        fp8mac.cast(x, random=swapped(draws), **random),
        fp8mac.cast(x, random=draws, **random),
    )
    for kind in (">f4", "<f4", ">f2", "<f8", ">f8"):
        dtype = np.dtype(kind)
        got = fp8mac.cast(x, dtype)
        check("byte order: the result's type", got.dtype, dtype)
        arrays("byte order: result", got, x.astype(dtype))
        if dtype.itemsize > 2:
            codes = fp8mac.cast(x, "e5m2")
            got = fp8mac.decode(codes, "e5m2", dtype=dtype)
            check("byte order: the result's type", got.dtype, dtype)
            arrays("byte order: result", got, codes.view(ML["e5m2"]).astype(F32))
    a, b = (fp8mac.cast(rng.normal(size=(n, 64)), "e4m3fn") for n in (3, 8))
    bias, rows = (rng.uniform(1, 2, n).astype(F32) for n in (8, 3))
    for name, value, more in (
        ("bias", bias, {}),
        ("scale_a", rows, {}),
        ("scale_b", bias, {}),
        ("c", x, {}),
        ("c", halves, {}),
        ("c", halves.view(np.uint16), {"c_format": "float16"}),
        ("acc", x, {}),
        ("acc", x.view(np.uint32), {}),
        ("acc", halves, {"acc_format": "fp16"}),
        ("d_table", np.arange(256, dtype=np.uint8)[::-1], {"d_format": "e5m2"}),
    ):
        got, want = (
            fp8mac.gemm(a, b, format="e4m3fn", **{name: given}, **more)
            for given in (swapped(value), value)
        )
        arrays(f"byte order: {name}", got, want)
    arrays(
        "byte order: dot",
        fp8mac.dot(a, b[0], acc=swapped(rows), format="e4m3fn"),
        fp8mac.dot(a, b[0], acc=rows, format="e4m3fn"),
    )
    x, y = a.view(ML["e4m3fn"]), b.T.view(ML["e4m3fn"])
    got, want = (
        fp8mac.scaled_mm(
            x, y, how(rows[:, None]), how(bias[None]), bias=how(bias), out_dtype=np.dtype(">f4")
        )
        for how in (swapped, np.asarray)
    )
    arrays("byte order: scaled_mm", got, want)
    arrays(
        "byte order: recipes",
        F32([recipes.reduce(swapped(bias)), recipes.fp8lm_shared_scale(swapped(bias))]),
        F32([bias.max(), bias.min()]),
    )


def test_stochastic(check, arrays, refused, rng):
    """|x| in units of the last place plus r / 2^n, truncated."""
    x = rng.uniform(-400, 400, 3000).astype(F32)
    low = np.abs(fp8mac.decode(fp8mac.cast(x, "e4m3fn", rounding="toward-zero"), "e4m3fn")).astype(
        np.float64
    )
    high = np.abs(
        fp8mac.decode(fp8mac.cast(x, "e4m3fn", rounding="toward-zero") + np.uint8(1), "e4m3fn")
    ).astype(np.float64)
    for n in (1, 8, 24):
        r = rng.integers(0, 2**n, x.size).astype(np.uint32)
        for source in (x, x.astype(np.float64)):
            got = np.abs(
                fp8mac.decode(
                    fp8mac.cast(source, "e4m3fn", rounding="stochastic", random_bits=n, random=r),
                    "e4m3fn",
                )
            )
            up = [
                Fraction(float(abs(v)))
                - Fraction(lo)
                + (Fraction(hi) - Fraction(lo)) * Fraction(int(b), 2**n)
                >= Fraction(hi) - Fraction(lo)
                for v, lo, hi, b in zip(x, low, high, r)
            ]
            arrays("stochastic against fractions", got.astype(np.float64), np.where(up, high, low))
    first = fp8mac.cast(x, "e4m3fn", rounding="stochastic", seed=5)
    arrays(
        "stochastic: the same from float64",
        fp8mac.cast(x.astype(np.float64), "e4m3fn", rounding="stochastic", seed=5),
        first,
    )
    check(
        "stochastic: another seed",
        bool(np.all(fp8mac.cast(x, "e4m3fn", rounding="stochastic", seed=6) == first)),
        False,
    )
    tail = fp8mac.cast(x[100:], "e4m3fn", rounding="stochastic", seed=5, counter=(0, 100, 0))
    arrays("stochastic: cutting changes nothing", tail, first[100:])
    simon = {"rounding": "stochastic", "generator": "simon", "seed": 5}
    first = fp8mac.cast(x, "e4m3fn", **simon)
    arrays(
        "simon: the same from float64", fp8mac.cast(x.astype(np.float64), "e4m3fn", **simon), first
    )
    tail = fp8mac.cast(x[100:], "e4m3fn", counter=(0, 100, 0), **simon)
    arrays("simon: cutting changes nothing", tail, first[100:])
    check(
        "simon: other bits",
        bool(np.all(fp8mac.cast(x, "e4m3fn", rounding="stochastic", seed=5) == first)),
        False,
    )
    a, b = (rng.integers(0, 0x60, (rows, 40), dtype=np.uint8) for rows in (6, 9))
    table = rng.permutation(256).astype(np.uint8)
    how = {
        "format": "e4m3fn",
        "preset": "ieee-fma",
        "d_format": "e4m3fn",
        "rounding": "stochastic",
        "scale_d": 0.01,
    }
    one = fp8mac.gemm(a, b, d_generator="simon", **how)
    part = fp8mac.gemm(a[2:], b[3:], d_generator="simon", origin=(2, 3), **how)
    arrays("simon: a part of a GEMM", part, one[2:, 3:])
    arrays("table", fp8mac.gemm(a, b, d_generator="simon", d_table=table, **how), table[one])
    refused("d_table has shape (4,)", "SHAPE", lambda: fp8mac.gemm(a, b, d_table=table[:4], **how))
    refused(
        "random-bits is 1..16",
        "ROUNDING",
        lambda: fp8mac.cast([1.0], "e5m2", random_bits=17, **simon),
    )
    refused("must be one of", "ROUNDING", lambda: fp8mac.cast([1.0], "e5m2", generator="mt"))
    refused(
        "random must be in",
        "ROUNDING",
        lambda: fp8mac.cast([1.0], "e5m2", rounding="stochastic", random=[2**24]),
    )
    refused(
        "random bits are out of range",
        "ROUNDING",
        lambda: fp8mac.cast([1.0], "e5m2", rounding="stochastic", random_bits=3, random=[8]),
    )
    refused(
        "random holds int64 of shape (2,)",
        "ROUNDING",
        lambda: fp8mac.cast([1.0], "e5m2", rounding="stochastic", random=[1, 2]),
    )
    refused(
        "random_bits is 25",
        "ROUNDING",
        lambda: fp8mac.cast([1.0], "e5m2", rounding="stochastic", random_bits=25),
    )
    refused("random-bits is 1..24", "ROUNDING", lambda: fp8mac.cast([1.0], "e5m2", random_bits=4))


def nearest_single(x):
    """The float32 nearest to a fraction, ties to even."""
    if x == 0:
        return F32(0)
    exponent = max(math.frexp(float(abs(x)))[1] - 24, -149)
    for step in (exponent - 1, exponent, exponent + 1):
        units = abs(x) / Fraction(2) ** step
        if units < 2**24 or step == exponent + 1:
            whole = round(units)  # to nearest, ties to even
            return F32(math.copysign(math.ldexp(whole, step), x))


def test_loaded_accumulators(check, arrays, rng):
    """Each result continues the one before it, as the C operand of a matrix instruction does."""
    for preset in ("hopper-fp8", "hopper-fp8-fp16", "cdna3-fp8", "blackwell-fp8", "aligned_fp16"):
        a, b = (
            fp8mac.cast(rng.normal(size=(5, 128)), "e4m3fn", overflow="saturate") for _ in range(2)
        )
        how = fp8mac.Config(preset, format="e4m3fn")
        whole = np.array([fp8mac.dot(x, y, how) for x, y in zip(a, b)])
        arrays("dot: batch", bits_of(fp8mac.dot(a, b, how)), bits_of(whole))
        first = fp8mac.dot(a[:, :64], b[:, :64], how)
        arrays(
            "dot: loaded accumulators",
            bits_of(fp8mac.dot(a[:, 64:], b[:, 64:], how, acc=first)),
            bits_of(whole),
        )
        half = fp8mac.gemm(a[:, :64], b[:, :64], how)
        arrays(
            "gemm: loaded accumulators",
            bits_of(fp8mac.gemm(a[:, 64:], b[:, 64:], how, acc=half)),
            bits_of(fp8mac.gemm(a, b, how)),
        )
    check("dot: batch against one vector", fp8mac.dot(a, b[0], how)[3], fp8mac.dot(a[3], b[0], how))
    blocks = rng.integers(120, 130, (5, 4)).astype(np.uint8)
    arrays(
        "dot: batch with block scales",
        bits_of(fp8mac.dot(a, b, "blackwell-fp8", mx_a=blocks, mx_b=blocks[0])),
        bits_of(
            [
                fp8mac.dot(x, y, "blackwell-fp8", mx_a=s, mx_b=blocks[0])
                for x, y, s in zip(a, b, blocks)
            ]
        ),
    )
    random = dict(config="ibm-stochastic", format="e4m3fn", seed=7)
    arrays(
        "dot: a batch draws as a column of outputs",
        fp8mac.dot(a, b[1], **random, origin=(3, 9)),
        fp8mac.gemm(a, b[1:2], **random, origin=(3, 9))[:, 0],
    )
    one = fp8mac.cast(np.ones(2), "e4m3fn")
    for acc, acc_format in (
        (np.uint16(0x4100), "fp16"),
        (np.float16(2.5), "fp16"),
        (2.5, "bf16"),
        (np.array(2.5, ml_dtypes.bfloat16), "bf16"),
        (np.uint32(0x40200000), "e8m13"),
        (F32(2.5), "fp32"),
    ):
        got = fp8mac.dot(one, one, acc_format=acc_format, acc=acc)
        check("dot: acc as a code or a value", got, F32(4.5))
    # 2048 is the second accumulator's first value; 1 + 1 is added to it once.
    check(
        "dot: promoted", fp8mac.dot(one, one, acc_format="fp16", promote=2, acc=2048.0), F32(2050)
    )
    check("dot: in chunks", fp8mac.dot(one, one, acc_format="fp16", chunk=1, acc=2048.0), F32(2048))


def test_inexact_flags(check):
    """The definition of both flags is compared with the library in tests/model; here they only travel."""
    both = Flags.INEXACT | Flags.UNDERFLOW
    asked = dict(return_flags=True, inexact_flags=True)
    for x, want in (
        (0.5, 0),
        (0.1, Flags.INEXACT),
        (1e-5, both),
        (500.0, Flags(4) | Flags.INEXACT),
    ):
        for kind in (np.float64, F32):
            value = np.full(3, x, kind)
            check("cast: inexact", fp8mac.cast(value, "e4m3fn", **asked)[1], Flags(want))
            plain = fp8mac.cast(value, "e4m3fn", return_flags=True)[1]
            check("cast: not asked", plain, Flags(want) & Flags(15))
    stochastic = fp8mac.cast(F32([0.1]), "e4m3fn", rounding="stochastic", **asked)[1]
    check("cast: inexact, stochastic", stochastic, Flags.INEXACT)
    check(
        "cast: inexact product", fp8mac.cast(F32([3]), "float32", scale=0.1, **asked)[1], Flags(16)
    )
    one = fp8mac.cast(np.ones(2), "e4m3fn")
    check("dot: exact", fp8mac.dot(one, one, **asked)[1], Flags(0))
    large = dict(acc_format="fp16", acc=4096.0)
    check("dot: inexact", fp8mac.dot(one, one, **large, **asked)[1], Flags.INEXACT)
    check("dot: not asked", fp8mac.dot(one, one, **large, return_flags=True)[1], Flags(0))
    result = fp8mac.gemm(one[None], one[None], **large, inexact_flags=True, return_result=True)
    check("gemm: inexact", (result.flags, result.d[0, 0]), (Flags.INEXACT, F32(4096)))
    tiny = fp8mac.gemm(
        one[None], one[None], d_format="e5m2", scale_d=1e-7, inexact_flags=True, return_result=True
    )
    check("gemm: underflow", tiny.flags, both)


def test_bfloat16_values(check, rng):
    """A name gives values where NumPy or ml_dtypes has the type."""
    x = rng.normal(size=50).astype(F32)
    got, want = fp8mac.cast(x, "bfloat16"), x.astype(ml_dtypes.bfloat16)
    check(
        "cast: bfloat16 by name",
        (got.dtype, bits_of(got).tolist()),
        (want.dtype, bits_of(want).tolist()),
    )
    one = fp8mac.cast(np.ones((1, 3)), "e4m3fn")
    check("gemm: bfloat16 by name", fp8mac.gemm(one, one, d_format="bfloat16").dtype, want.dtype)
    with unittest.mock.patch.dict(sys.modules, {"ml_dtypes": None}):
        got = fp8mac.cast(x, "bfloat16")
    check(
        "cast: bfloat16 without ml_dtypes",
        (got.dtype, got.tolist()),
        (np.dtype(F32), want.astype(F32).tolist()),
    )


def test_dot(check, refused, rng):
    for a_name in FP8:
        for b_name in FP8:
            a, b = (
                fp8mac.cast(rng.normal(0, 4, 70).astype(F32), name) for name in (a_name, b_name)
            )
            va, vb = fp8mac.decode(a, a_name, dtype=float), fp8mac.decode(b, b_name, dtype=float)
            exact = sum((Fraction(x) * Fraction(y) for x, y in zip(va, vb)), Fraction(0))
            kwargs = {"a_format": a_name, "b_format": b_name}
            check(
                "dot: fixed against fractions",
                fp8mac.dot(a, b, acc_format="fixed", **kwargs),
                nearest_single(exact),
            )
            top = max(math.frexp(x)[1] + math.frexp(y)[1] - 2 for x, y in zip(va, vb) if x * y)
            unit = Fraction(2) ** (top - 11)
            cut = sum(int(Fraction(x) * Fraction(y) / unit) for x, y in zip(va, vb)) * unit
            static = {"acc_format": "fixed", "frac_bits": 11, **kwargs}
            check(
                "dot: static against fractions",
                fp8mac.dot(a, b, static_exponent=top, **static),
                nearest_single(cut),
            )
            refused(
                "a product exceeds the static exponent",
                "SCALE_EXPONENT",
                lambda: fp8mac.dot(a, b, static_exponent=top - 1, **static),
            )
            check(
                "dot: one step against fractions",
                fp8mac.dot(a, b, group=70, **kwargs),
                nearest_single(exact),
            )
            acc = Fraction(0)
            for x, y in zip(va, vb):
                acc = Fraction(float(nearest_single(acc + Fraction(x) * Fraction(y))))
            check("dot: in order against fractions", fp8mac.dot(a, b, **kwargs), F32(float(acc)))
            check(
                "dot: typed arrays",
                fp8mac.dot(a.view(ML[a_name]), b.view(ML[b_name])),
                F32(float(acc)),
            )
            check(
                "dot: scale exponents",
                fp8mac.dot(a, b, scale_exp_a=3, scale_exp_b=-5, **kwargs),
                F32(float(acc) / 4),
            )
    x = fp8mac.cast(np.arange(16.0), "e5m2fnuz")
    check("dot: as printed", fp8mac.dot(x, x, format="e5m2fnuz"), F32(1252))
    check(
        "dot: as printed", float(fp8mac.decode(fp8mac.cast(1252.0, "e5m2fnuz"), "e5m2fnuz")), 1280.0
    )
    ones = np.full(65536, fp8mac.cast(1.0, "e5m2"), np.uint8)
    check("dot: 1-6-9 freezes", fp8mac.dot(ones, ones, format="e5m2", acc_format="e6m9"), F32(1024))
    check("dot: chunks repair it", fp8mac.dot(ones, ones, "ibm-chunk"), F32(65536))
    big = fp8mac.cast(np.array([256.0, 2.0**-6, -256.0]), "e4m3fn")
    other = fp8mac.cast(np.array([1.0, 1.0, 1.0]), "e4m3fn")
    check(
        "dot: hopper loses what is 14 bits down",
        fp8mac.dot(big, other, preset="hopper-fp8"),
        F32(0),
    )
    check(
        "dot: hopper keeps 13",
        fp8mac.dot(fp8mac.cast(np.array([128.0, 2.0**-6, -128.0]), "e4m3fn"), other, "hopper-fp8"),
        F32(2.0**-6),
    )
    a, b = (fp8mac.cast(rng.normal(size=96).astype(F32), "e4m3fn") for _ in range(2))
    sa, sb = rng.integers(120, 134, (2, 3)).astype(np.uint8)
    exact = sum(
        (
            Fraction(float(x))
            * Fraction(float(y))
            * Fraction(2) ** (int(sa[i // 32]) + int(sb[i // 32]) - 254)
            for i, (x, y) in enumerate(zip(fp8mac.decode(a, "e4m3fn"), fp8mac.decode(b, "e4m3fn")))
        ),
        Fraction(0),
    )
    check("dot: block scales", fp8mac.dot(a, b, mx_a=sa, mx_b=sb, group=96), nearest_single(exact))
    check(
        "dot: block scales typed",
        fp8mac.dot(a, b, mx_a=sa.view(ML["e8m0fnu"]), mx_b=sb, group=96),
        nearest_single(exact),
    )
    nan = np.uint8([0x7F])
    value, flags = fp8mac.dot(nan, nan, return_flags=True)
    check("dot: flags", (bool(np.isnan(value)), flags), (True, Flags.NAN))
    check(
        "dot: int8",
        fp8mac.dot(np.int8([-128, 127]), np.int8([-128, -128]), acc_format="int32"),
        F32(16384 - 16256),
    )
    good = np.uint8([1, 2, 3])
    refused(
        "the lengths disagree: a has 3 terms and b 2", "SHAPE", lambda: fp8mac.dot(good, good[:2])
    )
    refused("no terms", "SHAPE", lambda: fp8mac.dot(good[:0], good[:0]))
    refused("one dimension at least", "SHAPE", lambda: fp8mac.dot(good[0], good[0]))
    refused(
        "the shapes disagree",
        "SHAPE",
        lambda: fp8mac.dot(np.tile(good, (2, 1)), np.tile(good, (3, 1))),
    )
    limit = np.ones(131072, np.int8)
    refused(
        "K is 131072, and int32 sums at most 131071",
        "K_LIMIT",
        lambda: fp8mac.dot(limit, limit, acc_format="int32"),
    )
    refused(
        "K is 131072, and int32 sums at most 131071",
        "K_LIMIT",
        lambda: fp8mac.gemm(limit[None], limit[None], acc_format="int32"),
    )
    for fixed in ("fixed", "int32"):
        one = np.ones(2, np.int8)
        refused(
            "cannot be loaded",
            "ACCUMULATOR",
            lambda: fp8mac.dot(one, one, acc_format=fixed, acc=1.0),
        )
    refused("cannot hold", "FORMAT", lambda: fp8mac.dot(good, good, acc_format="fp16", acc=0.1))
    refused(
        "acc has the shape (2,)",
        "SHAPE",
        lambda: fp8mac.dot(good, good, acc=np.zeros(2, F32)),
    )
    refused(
        "a holds float32; codes of e4m3fn are uint8",
        "FORMAT",
        lambda: fp8mac.dot(good.astype(F32), good),
    )
    refused(
        "a holds int64; codes of e4m3fn are uint8", "FORMAT", lambda: fp8mac.dot([1, 2, 3], good)
    )
    refused(
        "a holds float8_e5m2, and its format was given as e4m3fn",
        "FORMAT",
        lambda: fp8mac.dot(good.view(ML["e5m2"]), good, a_format="e4m3fn"),
    )
    refused(
        "must have at most 8 bits",
        "FORMAT",
        lambda: fp8mac.dot(good.astype(np.uint16), good, a_format="float16"),
    )
    refused(
        "0x20, which is no code of e2m1fn",
        "FORMAT",
        lambda: fp8mac.dot(np.uint8([32]), np.uint8([1]), format="e2m1fn"),
    )
    refused(
        "mx_a has the shape (2,)", "SHAPE", lambda: fp8mac.dot(good, good, mx_a=np.uint8([1, 2]))
    )
    refused(
        "The accumulator is unknown",
        "ACCUMULATOR",
        lambda: fp8mac.dot(good, good, mx_a=np.uint8([1]), acc_format="fixed"),
    )
    refused(
        "K is 3, and fixed",
        "K_LIMIT",
        lambda: fp8mac.dot(good, good, acc_format="fixed", guard_bits=1),
    )
    refused("group '1025'", "GROUP", lambda: fp8mac.dot(good, good, group=1025))
    refused(
        "scale_exp_a '33' is not a whole number in -32..32".replace("_", "-"),
        "SCALE_EXPONENT",
        lambda: fp8mac.dot(good, good, scale_exp_a=33),
    )
    refused(
        "preset 'volta' is unknown; there are ieee-fma",
        "ACCUMULATOR",
        lambda: fp8mac.dot(good, good, "volta"),
    )
    refused(
        "has fraction bits that its kind does not have",
        "ACCUMULATOR",
        lambda: fp8mac.dot(good, good, preset="late_fp16_f8"),
    )
    refused("not in 1..1024", "ACCUMULATOR", lambda: fp8mac.dot(good, good, preset="exact_l2000"))
    refused("no configuration", "ACCUMULATOR", lambda: fp8mac.dot(good, good, preset="gaudi2-fp8"))
    refused(
        "there is no setting 'groop'; there are",
        "ACCUMULATOR",
        lambda: fp8mac.dot(good, good, groop=2),
    )
    refused(
        "group is 1.5 and must be a whole number",
        "ACCUMULATOR",
        lambda: fp8mac.dot(good, good, group=1.5),
    )
    refused(
        "config and preset exclude each other",
        "ACCUMULATOR",
        lambda: fp8mac.dot(good, good, Config(), preset="kulisch"),
    )
    refused(
        "must be a Config or the name of a preset", "ACCUMULATOR", lambda: fp8mac.dot(good, good, 7)
    )


def test_config(check, refused):
    for name, preset in fp8mac.presets.items():
        check("presets", bool(preset.summary and preset.source), True, name)
        if preset.config is None:
            continue
        check("presets", Config(name), preset.config, name)
        rebuilt = Config(
            a_format=preset.config.a_format,
            b_format=preset.config.b_format,
            **preset.config.settings,
        )
        check(
            "config: rebuilt from its settings",
            (rebuilt, hash(rebuilt)),
            (preset.config, hash(preset.config)),
            name,
        )
        check(
            "config: replace",
            preset.config.replace(group=preset.config.settings.get("group", 1)),
            preset.config,
            name,
        )
        check("config: pickle", pickle.loads(pickle.dumps(preset.config)), preset.config, name)
    check(
        "presets: hopper",
        fp8mac.presets["hopper-fp8"].config.settings,
        {
            "acc_format": "e8m13",
            "group": "32",
            "acc_rounding": "toward-zero",
            "frac_bits": "13",
            "nan_code": "0x7fffffff",
        },
    )
    check(
        "config: formats",
        (Config(format="e5m2").a_format.name, Config("cdna3-fp8").b_format.name),
        ("e5m2", "e4m3fnuz"),
    )
    check("config: changes", Config("hopper-fp8", frac_bits=20).settings["frac_bits"], "20")
    check(
        "presets: an element",
        Config("late_fp16_f13_l16").settings,
        {
            "acc_format": "fp16",
            "group": "16",
            "frac_bits": "13",
            "align_by": "operands",
            "acc_late": "true",
            "late_bits_sum": "13",
            "late_bits_acc": "13",
            "late_round": "odd",
        },
    )
    check("presets: an element's lanes", Config("exact_l2"), Config(group=2))
    static = Config(acc_format="fixed", frac_bits=20, static_exponent=-5)
    check(
        "config: static",
        static.settings,
        {"acc_format": "fixed", "frac_bits": "20", "static_exponent": "-5"},
    )
    check("config: pickle", pickle.loads(pickle.dumps(static)), static)
    check(
        "config: align_by",
        Config(frac_bits=9, align_by="operands").settings,
        {"frac_bits": "9", "align_by": "operands"},
    )
    check("config: differ", Config() == Config(group=2), False)
    for settings, sentence, status in [
        ({"acc_late": True, "frac_bits": 9, "late_bits_acc": 3}, "or both 0", "ACCUMULATOR"),
        ({"acc_rounding": "stochastic"}, "random-bits is 1..24", "ROUNDING"),
        ({"acc_rounding": "up"}, "there are nearest-even", "ROUNDING"),
        ({"promote": 6, "group": 4}, "multiples of group", "GROUP"),
        ({"align_by": "operands"}, "need frac-bits", "ACCUMULATOR"),
        ({"align_by": "sums", "frac_bits": 9}, "there are products, operands", "ACCUMULATOR"),
        (
            {"static_exponent": 3, "frac_bits": 9},
            "static-exponent is for the fixed accumulator alone",
            "ACCUMULATOR",
        ),
        (
            {"static_exponent": 3, "acc_format": "fixed"},
            "static-exponent needs frac-bits",
            "ACCUMULATOR",
        ),
        ({"a_format": "e8m0fnu"}, "no wider range", "FORMAT"),
        ({"flush": "perhaps"}, "neither true nor false", "ACCUMULATOR"),
        ({"acc_format": "int32"}, "two int8 operands", "FORMAT"),
    ]:
        refused(sentence, status, lambda: Config(**settings))


def test_functions(check, arrays, refused, rng):
    x = rng.uniform(0.1, 60, 500).astype(F32)
    for name, want in (
        ("exp2", np.exp2(x.astype(float))),
        ("exp", np.exp(x.astype(float))),
        ("reciprocal", 1 / x.astype(float)),
        ("rsqrt", 1 / np.sqrt(x.astype(float))),
    ):
        got = getattr(fp8mac, name)(x)
        check(f"{name}: type", got.dtype, np.dtype(F32))
        off = np.abs(got - want) / np.spacing(want.astype(F32))
        check(f"{name}: within 3 units in the last place", bool(off.max() <= 3), True)
        check(f"{name}: not the nearest float each time", bool(off.max() > 0.5), True)
    x -= F32(30)
    check(
        "tanh: error",
        bool(np.abs(fp8mac.tanh(x) - np.tanh(x.astype(float))).max() < 2**-13.5),
        True,
    )
    check(
        "sigmoid: error",
        bool(np.abs(fp8mac.sigmoid(x) - 1 / (1 + np.exp(-x.astype(float)))).max() < 2**-14.5),
        True,
    )
    check("exp2: shape", fp8mac.exp2([[1, 2], [3, -1]]).tolist(), [[2, 4], [8, 0.5]])
    refused("x holds float64", "FORMAT", lambda: fp8mac.exp(np.zeros(2)))


def test_rows(check, arrays, refused, rng):
    x = rng.integers(-8, 9, (5, 37)).astype(F32)
    wide = x.astype(float)
    arrays("rows: sum", fp8mac.rows("sum", x), x.sum(1))
    arrays("rows: sum of squares", fp8mac.rows("sum-of-squares", x, factor=0.5), (x * x).sum(1) / 2)
    arrays("rows: maximum", fp8mac.rows("maximum", x, activation="relu"), x.max(1))
    arrays("rows: magnitude", fp8mac.rows("magnitude", x, factor=0.5), np.abs(x).max(1) / F32(2))
    arrays("rows: argmax", fp8mac.rows("argmax", x), x.argmax(1).astype(np.uint32))
    arrays("rows: seen", fp8mac.rows("argmax", x, seen=4), x[:, :4].argmax(1).astype(np.uint32))
    causal = [x[m, : 3 + m].sum() for m in range(5)]
    arrays("rows: causal", fp8mac.rows("sum", x, seen=3, causal=True), np.array(causal, F32))
    gamma, beta = rng.normal(size=(2, 37)).astype(F32)
    spread = wide - wide.mean(1, keepdims=True)
    layer = spread / np.sqrt((spread**2).mean(1, keepdims=True) + 0.25) * gamma + beta
    rms = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * gamma
    powers = np.exp((wide - wide.max(1, keepdims=True)) * 0.5)
    softmax = powers / powers.sum(1, keepdims=True)
    for name, want, how in (
        ("layer-norm", layer, {"gamma": gamma, "beta": beta, "eps": 0.25}),
        ("rms-norm", rms, {"gamma": gamma}),
        ("softmax", softmax, {"factor": 0.5}),
        ("quantise", wide / np.abs(wide).max(1, keepdims=True), {}),
    ):
        got = fp8mac.rows(name, x, **how)
        check(f"rows: {name}", bool(np.allclose(got, want, rtol=3e-6, atol=3e-6)), True)
        codes = fp8mac.rows(name, x, d_format=ML["e4m3fn"], scale_d=32.0, **how)
        arrays(f"rows: {name} to FP8", bits_of(codes), fp8mac.cast(got * F32(32), "e4m3fn"))
        packed = fp8mac.cast(x, "e4m3fn")
        again = fp8mac.rows(name, packed, format="e4m3fn", **how)
        arrays(f"rows: {name} from codes", bits_of(again), bits_of(got))
        table = rng.integers(0, 256, 256, dtype=np.uint8)
        mapped = fp8mac.rows(name, x, d_format="e4m3fn", scale_d=32.0, d_table=table, **how)
        arrays(f"rows: {name} by a table", mapped, table[bits_of(codes)])
    result = fp8mac.rows("sum", np.array([[3e38, 3e38], [1, np.nan]], F32), return_result=True)
    both = Flags.OVERFLOW | Flags.NAN
    check("rows: result", (result.amax_nonfinite, result.flags), (True, both))
    for name in ("e4m3fn", "e5m2fnuz"):
        blocks = np.ldexp(rng.normal(size=(5, 37)), rng.integers(-40, 40, (5, 37))).astype(F32)
        blocks[1, 33], blocks[2, :32] = np.inf, 0
        result = fp8mac.rows("quantise-mx", blocks, d_format=name, return_result=True)
        codes, scales = fp8mac.recipes.mx_quantize(blocks, name)
        arrays("rows: MX codes", bits_of(result.d), bits_of(codes))
        arrays("rows: MX scales", result.scales, scales)
        check("rows: an Inf in MX", result.amax_nonfinite, True)
    mx = {"d_format": "e4m3fn", "return_result": True}
    for wrong in ({"seen": 3}, {"factor": 2.0}, {"scale_d": 2.0}, {"activation": "relu"}):
        refused("", "UNSUPPORTED", lambda w=wrong: fp8mac.rows("quantise-mx", x, **mx, **w))
    refused("", "FORMAT", lambda: fp8mac.rows("quantise-mx", x, return_result=True))
    refused("it needs return_result", "UNSUPPORTED", lambda: fp8mac.rows("quantise-mx", x))
    refused("operation is 'mean'", "UNSUPPORTED", lambda: fp8mac.rows("mean", x))
    refused("x has the shape (37,)", "SHAPE", lambda: fp8mac.rows("sum", x[0]))
    refused("gamma has the shape (5,)", "SHAPE", lambda: fp8mac.rows("rms-norm", x, gamma=x[:, 0]))
    refused("seen is 38", "SHAPE", lambda: fp8mac.rows("sum", x, seen=38))
    refused("factor holds 0", "SCALE", lambda: fp8mac.rows("sum", x, factor=0))
    refused("argmax has neither", "UNSUPPORTED", lambda: fp8mac.rows("argmax", x, scale_d=2))
    refused("", "UNSUPPORTED", lambda: fp8mac.rows("softmax", x, gamma=gamma))
    refused("d_format is e2m1fn", "FORMAT", lambda: fp8mac.rows("sum", x, d_format="e2m1fn"))
    fp4 = np.zeros((2, 3), np.uint8)
    refused("x holds e2m1fn", "FORMAT", lambda: fp8mac.rows("sum", fp4, format="e2m1fn"))


def test_gemm(check, arrays, refused, rng):
    a, b = (
        fp8mac.cast(rng.normal(size=shape).astype(F32), "e4m3fn") for shape in ((9, 70), (11, 70))
    )
    one_by_one = np.array([[fp8mac.dot(x, y) for y in b] for x in a])
    arrays("gemm: its outputs are dots", fp8mac.gemm(a, b), one_by_one)
    for preset in ("hopper-fp8", "cdna3-fp8", "arm-fdot2", "kulisch", "blackwell-fp8-fp16"):
        want = np.array([[fp8mac.dot(x, y, preset, format="e4m3fn") for y in b] for x in a])
        arrays("gemm: its outputs are dots", fp8mac.gemm(a, b, preset, format="e4m3fn"), want)
    scale_a, scale_b = (rng.uniform(0.5, 2, n).astype(F32) for n in (9, 11))
    bias, c = rng.normal(size=11).astype(F32), rng.normal(size=(9, 11)).astype(F32)
    scaled = one_by_one * (scale_a[:, None] * scale_b[None, :])
    whole = (scaled + bias) + F32(0.75) * c
    arrays("gemm: epilogue in float32", fp8mac.gemm(a, b, scale_a=scale_a, scale_b=scale_b), scaled)
    arrays(
        "gemm: epilogue in float32",
        fp8mac.gemm(a, b, scale_a=scale_a, scale_b=scale_b, bias=bias, beta=0.75, c=c),
        whole,
    )
    arrays("gemm: c is used once if beta is not given", fp8mac.gemm(a, b, c=c), one_by_one + c)
    arrays(
        "gemm: c in float16",
        fp8mac.gemm(a, b, c=c.astype(np.float16)),
        one_by_one + c.astype(np.float16).astype(F32),
    )
    arrays(
        "gemm: c in bfloat16",
        fp8mac.gemm(a, b, c=c.astype(ml_dtypes.bfloat16)),
        one_by_one + c.astype(ml_dtypes.bfloat16).astype(F32),
    )
    arrays("gemm: one scale", fp8mac.gemm(a, b, scale_a=0.5, scale_b=[4.0]), one_by_one * F32(2))
    arrays("gemm: relu", fp8mac.gemm(a, b, activation="relu"), np.maximum(one_by_one, F32(0)))
    arrays("gemm: clamp", fp8mac.gemm(a, b, clamp=(-1, 2)), np.clip(one_by_one, F32(-1), F32(2)))
    for name in FP8:
        got = fp8mac.gemm(a, b, d_format=ML[name], scale_d=3.0, overflow="ieee")
        arrays("gemm: D in FP8", bits_of(got), bits_of((one_by_one * F32(3)).astype(ML[name])))
        check(
            "gemm: D's type",
            (got.dtype, fp8mac.gemm(a, b, d_format=name).dtype),
            (np.dtype(ML[name]), np.dtype(np.uint8)),
        )
    arrays(
        "gemm: D in float16", fp8mac.gemm(a, b, d_format="float16"), one_by_one.astype(np.float16)
    )
    arrays(
        "gemm: D in bfloat16",
        fp8mac.gemm(a, b, d_format=ml_dtypes.bfloat16),
        one_by_one.astype(ml_dtypes.bfloat16),
    )
    result = fp8mac.gemm(a, b, return_result=True)
    check(
        "gemm: amax",
        (result.amax, result.amax_nonfinite, result.flags),
        (np.abs(one_by_one).max(), False, Flags(0)),
    )
    result = fp8mac.gemm(a, b, d_format="e5m2", scale_d=1e30, return_result=True)
    check("gemm: flags", result.flags, Flags.SATURATED)
    mx = [rng.integers(120, 134, (n, 3)).astype(np.uint8) for n in (9, 11)]
    want = np.array(
        [[fp8mac.dot(x, y, mx_a=s, mx_b=t) for y, t in zip(b, mx[1])] for x, s in zip(a, mx[0])]
    )
    arrays("gemm: block scales", fp8mac.gemm(a, b, mx_a=mx[0], mx_b=mx[1]), want)
    left, right = rng.integers(-128, 128, (2, 8, 50)).astype(np.int8)
    arrays(
        "gemm: int8",
        fp8mac.gemm(left, right, acc_format="int32"),
        (left.astype(np.int32) @ right.astype(np.int32).T).astype(F32),
    )
    arrays(
        "gemm: strided operands",
        fp8mac.gemm(a[::2, ::-1], b[1:, ::-1]),
        fp8mac.gemm(np.ascontiguousarray(a[::2, ::-1]), np.ascontiguousarray(b[1:, ::-1])),
    )
    full = fp8mac.gemm(a, b, d_format="e4m3fn", rounding="stochastic", seed=3)
    part = fp8mac.gemm(
        a[4:], b[3:], d_format="e4m3fn", rounding="stochastic", seed=3, origin=(4, 3)
    )
    arrays("gemm: stochastic D, tiled", part, full[4:, 3:])
    refused(
        "the shapes disagree: a is (9, 70) and b (11, 69)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b[:, 1:]),
    )
    refused("a has the shape (70,)", "SHAPE", lambda: fp8mac.gemm(a[0], b))
    refused("a has the shape (0, 70)", "SHAPE", lambda: fp8mac.gemm(a[:0], b))
    refused(
        "scale_a holds nan; a scale must be finite",
        "SCALE",
        lambda: fp8mac.gemm(a, b, scale_a=math.nan),
    )
    refused("scale_b holds 0.0", "SCALE", lambda: fp8mac.gemm(a, b, scale_b=np.zeros(11, F32)))
    refused("scale_d holds inf", "SCALE", lambda: fp8mac.gemm(a, b, scale_d=math.inf))
    refused(
        "scale_a has the shape (2,) and must have one value or (9,)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b, scale_a=[1, 2]),
    )
    refused(
        "bias has the shape (9,) and must have (11,)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b, bias=np.ones(9, F32)),
    )
    refused(
        "bias holds float64 and must hold float32",
        "FORMAT",
        lambda: fp8mac.gemm(a, b, bias=np.ones(11)),
    )
    refused("c has the shape (11, 9)", "SHAPE", lambda: fp8mac.gemm(a, b, c=c.T))
    refused(
        "c holds e4m3fn and must hold float16",
        "FORMAT",
        lambda: fp8mac.gemm(a, b, c=a[:, :11], c_format="e4m3fn"),
    )
    refused("beta needs c", "NULL", lambda: fp8mac.gemm(a, b, beta=1.0))
    refused(
        "activation 'gelu' is unknown", "ACTIVATION", lambda: fp8mac.gemm(a, b, activation="gelu")
    )
    refused("needs clamp=(low, high)", "ACTIVATION", lambda: fp8mac.gemm(a, b, activation="clamp"))
    refused("the lower one first", "ACTIVATION", lambda: fp8mac.gemm(a, b, clamp=(2, 1)))
    refused("the lower one first", "ACTIVATION", lambda: fp8mac.gemm(a, b, clamp=(math.nan, 1)))
    refused(
        "mx_b has the shape (9, 3) and must have (11, 3)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b, mx_b=mx[0]),
    )
    refused(
        "overflow mode 'wrap' is unknown",
        "OVERFLOW_MODE",
        lambda: fp8mac.gemm(a, b, overflow="wrap"),
    )


def test_recipes(check, arrays, refused, rng):
    def single(x):
        return float(F32(x))

    for name, want in [("e4m3fn", 448), ("e5m2", 57344), ("e4m3fnuz", 240), ("e5m2fnuz", 57344)]:
        check(
            "recipes: format_max",
            (recipes.format_max(name), recipes.format_max(ML[name])),
            (want, want),
        )
    for amax in [3.0, 448.0, 1e-30, 0.1, *rng.lognormal(0, 5, 200).astype(F32).tolist()]:
        divided, ratio = F32(448) / F32(amax), F32(448) * (F32(1) / F32(amax))
        clamped = max(F32(amax), F32(1e-12))
        check("recipes: scale", recipes.scale(448.0, amax, margin=1), single(ratio / F32(2)))
        check(
            "recipes: scale, IEEE division",
            recipes.scale(448.0, amax, division="ieee"),
            single(divided),
        )
        check(
            "recipes: autofp8",
            [float(recipes.autofp8(448.0, amax, division=d)[0]) for d in ("source", "ieee")],
            [single(F32(448) * (F32(1) / clamped)), single(F32(448) / clamped)],
        )
        check(
            "recipes: flax_scale",
            recipes.flax_scale("e4m3fn", amax, 0.5, margin=1),
            single(F32(1) / (divided / F32(2))),
        )
        check(
            "recipes: xla_example_next",
            recipes.xla_example_next("e4m3fn", amax),
            single(F32(1.1) * max(F32(amax), F32(2**-10)) / F32(448)),
        )
        check(
            "recipes: msamp_scale",
            recipes.msamp_scale("e4m3fn", amax, 1.0, margin=3),
            2.0 ** (math.floor(F32(math.log2(ratio))) - 3),
        )
        check(
            "recipes: scale",
            recipes.scale("e4m3fn", amax, power_of_two=True),
            2.0 ** math.floor(math.log2(ratio)),
        )
        check("recipes: floor_log2", recipes.floor_log2(amax), math.frexp(single(amax))[1] - 1)
        check("recipes: inverse", recipes.inverse(amax), single(F32(1) / F32(amax)))
        check(
            "recipes: xla_next",
            recipes.xla_next("e4m3fn", amax, 7.0),
            single(F32(1.1) * (F32(amax) / F32(448))),
        )
        check(
            "recipes: pytorch_scale",
            recipes.pytorch_scale("e4m3fn", amax),
            single(448.0 * (1 / max(single(amax), 1e-12))),
        )
        bias = max(-32, min(32, math.floor(math.log2(divided))))
        check("recipes: graphcore", recipes.graphcore_amax_bias("e4m3fn", amax), bias)
        check(
            "recipes: mx_scale",
            recipes.mx_scale("e4m3fn", amax),
            min(254, max(0, math.frexp(single(amax))[1] - 1 - 8 + 127)),
        )
    for amax in (0.0, math.inf, math.nan):
        check(
            "recipes: an amax of 0, Inf or NaN keeps the scale",
            (
                recipes.scale(448.0, amax, previous=5.0),
                recipes.xla_next(448.0, amax, 5.0),
                recipes.graphcore_amax_bias(448.0, amax, 5),
            ),
            (5.0, 5.0, 5),
        )
    check(
        "recipes: an infinite scale is the largest float",
        recipes.scale(448.0, 1e-40),
        float(np.finfo(F32).max),
    )
    check(
        "recipes: reduce",
        (recipes.reduce([1, -3, 2]), recipes.reduce([]), recipes.reduce([1, math.inf])),
        (3.0, 0.0, math.inf),
    )
    check("recipes: reduce", math.isnan(recipes.reduce([math.inf, math.nan])), True)
    x = rng.normal(size=1000).astype(F32)
    largest = np.abs(x).max()
    check(
        "recipes: dynamic",
        [recipes.dynamic(x, "e4m3fn", division=d) for d in ("source", "ieee")],
        [single(F32(448) * (F32(1) / largest)), single(F32(448) / largest)],
    )
    check(
        "recipes: an amax of Inf or NaN in the originals",
        [
            recipes.torchao_scale("e4m3fn", math.inf),
            math.isnan(recipes.torchao_scale("e4m3fn", math.nan)),
            recipes.msamp_scale("e4m3fn", math.inf, 4.0),
            recipes.msamp_scale("e4m3fn", math.nan, 4.0),
            recipes.flax_scale("e4m3fn", math.inf, 4.0),
            recipes.xla_example_next("e4m3fn", math.inf),
        ],
        [0.0, True, 0.25, 4.0, 4.0, math.inf],
    )
    check(
        "recipes: a scale that underflows",
        [recipes.scale(2.0**-60, 2.0**120, underflow=u) for u in ("smallest", "zero")],
        [2.0**-149, 0.0],
    )
    check("recipes: static", recipes.static(0.1), single(0.1))
    delayed, history, previous = recipes.Delayed("e4m3fn", 4), [], 1.0
    for amax in rng.lognormal(0, 2, 50).astype(F32).tolist() + [math.inf, 1.0, 1.0, 1.0, 1.0, 1.0]:
        history = [amax, *history][:4]
        previous = recipes.scale(448.0, max(history), previous=previous)
        check("recipes: delayed", delayed.update(amax), previous)
    recent = recipes.Delayed("e4m3fn", 4, window="most-recent", interval=2)
    check(
        "recipes: delayed, most recent, every second",
        [recent.update(v) for v in (1.0, 2.0, 4.0, 8.0)],
        [448.0, 448.0, 112.0, 112.0],
    )
    own = recipes.Delayed(448.0, 4, window=min, scale_fn=lambda amax, old: old + amax)
    check(
        "recipes: delayed, the caller's functions",
        [own.update(v, nonfinite=v > 3) for v in (1.0, 2.0, 3.0, 4.0, 5.0)],
        [1.0, 1.0, 1.0, 2.0, 4.0],
    )

    def fails(history):
        raise ZeroDivisionError(len(history))

    for changes in ({"window": fails}, {"scale_fn": lambda amax, old: fails([amax, old])}):
        broken = recipes.Delayed(448.0, 2, **changes)
        try:
            broken.update(3.0)
            check("recipes: delayed, an exception is passed on", "none", "ZeroDivisionError")
        except ZeroDivisionError as error:
            check("recipes: delayed, an exception is passed on", error.args, (2,))
        check("recipes: delayed, then keeps its scale", broken.scale, 1.0)
    saved = pickle.loads(pickle.dumps(recent))
    check("recipes: delayed, saved and restored", saved.history, [8.0, 4.0, 2.0, 1.0])
    check("recipes: delayed, goes on", saved.update(16.0), recent.update(16.0))
    check(
        "recipes: graphcore_cscale_bias",
        [recipes.graphcore_cscale_bias(b) for b in (-40, -3, 40)],
        [-32, -3, 32],
    )
    check(
        "recipes: te_operand",
        [
            recipes.te_operand("HYBRID", g, i)
            for g in ("fprop", "dgrad", "wgrad")
            for i in (False, True)
        ][2:],
        ["e4m3fn", "e5m2", "e4m3fn", "e5m2"],
    )
    check(
        "recipes: xla",
        fp8mac.decode(
            recipes.xla_quantize(F32([2**-14, 2, 7]), "e4m3fn", 1 / 64), "e4m3fn"
        ).tolist(),
        [2.0**-8, 128.0, 448.0],
    )
    check(
        "recipes: xla_mode",
        [recipes.xla_mode(f, g) for f in ("e4m3fn", "e5m2") for g in (False, True)],
        ["saturate", "saturate", "saturate", "ieee"],
    )
    check(
        "recipes: scale_exponent",
        [recipes.scale_exponent(b) for b in (-99, -3, 0, 40)],
        [32, 3, 0, -32],
    )
    check(
        "recipes: fp8lm_mu",
        (recipes.fp8lm_mu(8.0, 2, 100000), recipes.fp8lm_mu(8.0, 1, 100000)),
        (4.0, single(F32(8) * F32(1.00069344))),
    )
    check("recipes: fp8lm_shared_scale", recipes.fp8lm_shared_scale([4, 2, 8]), 2.0)
    check(
        "recipes: fp8lm_reduction_factors",
        [recipes.fp8lm_reduction_factors(r, 4, 2.0) for r in recipes.REDUCTIONS],
        [(0.25, 1.0), (1.0, 0.25), (2.0, 0.125)],
    )
    y = rng.normal(size=(3, 70)).astype(F32)
    codes, scales = recipes.mx_quantize(y, ML["e4m3fn"])
    check(
        "recipes: mx_quantize",
        (codes.shape, scales.shape, codes.dtype),
        ((3, 70), (3, 3), np.dtype(ML["e4m3fn"])),
    )
    for i, block in np.ndindex(3, 3):
        part = y[i, 32 * block : 32 * block + 32]
        exponent = math.frexp(float(np.abs(part).max()))[1] - 1 - 8
        check("recipes: mx_quantize", int(scales[i, block]), exponent + 127)
        want = np.clip(part / F32(2.0**exponent), -448, 448).astype(ML["e4m3fn"])
        arrays(
            "recipes: mx_quantize", bits_of(codes[i, 32 * block : 32 * block + 32]), bits_of(want)
        )
    errors = [
        float(
            np.sum(
                (
                    x.astype(float)
                    - fp8mac.decode(fp8mac.cast(x, f"qc_e4m3:{b}"), f"qc_e4m3:{b}", dtype=float)
                )
                ** 2
            )
        )
        for b in range(0, 16)
    ]
    check(
        "recipes: qualcomm_bias", recipes.qualcomm_bias(x, "qc_e4m3", 0, 15), int(np.argmin(errors))
    )
    amaxes = rng.lognormal(0, 3, 20).astype(F32)
    quantise, dequantise = recipes.autofp8("e4m3fn", amaxes)
    arrays("recipes: autofp8", quantise, F32(448) * (F32(1) / np.maximum(amaxes, F32(1e-12))))
    arrays("recipes: autofp8", dequantise, F32(1) / quantise)
    arrays(
        "recipes: vllm",
        recipes.vllm("e4m3fn", amaxes)[1],
        np.maximum(amaxes / F32(448), F32(1) / (F32(448) * F32(512))),
    )
    arrays("recipes: tensorrt_llm", recipes.tensorrt_llm("e4m3fn", amaxes)[1], amaxes / F32(448))
    refused(
        "margin must be in -32..32", "SCALE_EXPONENT", lambda: recipes.scale(448.0, 1.0, margin=33)
    )
    refused("margin is 1.5", "SCALE_EXPONENT", lambda: recipes.scale(448.0, 1.0, margin=1.5))
    refused("fp8_max must be finite", "SCALE", lambda: recipes.scale(math.nan, 1.0))
    refused("previous is nan", "SCALE", lambda: recipes.scale(448.0, 1.0, previous=math.nan))
    refused("x must be finite", "SCALE", lambda: recipes.floor_log2(0.0))
    refused("given is inf", "SCALE", lambda: recipes.static(math.inf))
    refused(
        "window 'median' is unknown",
        "UNSUPPORTED",
        lambda: recipes.Delayed("e4m3fn", 4, window="median"),
    )
    refused("length is 0", "SHAPE", lambda: recipes.Delayed("e4m3fn", 0))
    refused(
        "format 'E3M4' is unknown; there are HYBRID",
        "UNSUPPORTED",
        lambda: recipes.te_operand("E3M4", "fprop", False),
    )
    refused("scale is nan", "SCALE", lambda: recipes.xla_quantize(x, "e4m3fn", math.nan))
    refused("scales must have one element", "SHAPE", lambda: recipes.fp8lm_shared_scale([]))
    refused("ranks is 0", "SHAPE", lambda: recipes.fp8lm_reduction_factors("automatic", 0))
    refused("element is float16", "FORMAT", lambda: recipes.mx_quantize(x, "float16"))
    refused("format must be qc_e5m2", "FORMAT", lambda: recipes.qualcomm_bias(x, "e4m3fn", 0, 3))
    refused("lowest <= highest", "SHAPE", lambda: recipes.qualcomm_bias(x, "qc_e4m3", 4, 3))
    refused("must be finite", "SCALE", lambda: recipes.qualcomm_bias([math.nan], "qc_e4m3", 0, 3))
    refused("every amax", "SCALE", lambda: recipes.autofp8("e4m3fn", [math.inf]))
    refused("amaxes holds float64", "FORMAT", lambda: recipes.reduce(np.ones(3)))


def test_wrong_types(check, refused):
    x = np.ones(4, F32)
    refused("format 'nope' is unknown", "FORMAT", lambda: fp8mac.cast(x, "nope"))
    refused(
        "scale is nan; a scale must be finite",
        "SCALE",
        lambda: fp8mac.cast(x, "e4m3fn", scale=math.nan),
    )
    refused("scale is 0", "SCALE", lambda: fp8mac.decode(np.uint8([1]), "e4m3fn", scale=0.0))
    refused(
        "x holds float64, and a scale multiplies float32",
        "FORMAT",
        lambda: fp8mac.cast(x.astype(float), "e4m3fn", scale=2.0),
    )
    refused("x holds int64; give float16", "FORMAT", lambda: fp8mac.cast(np.arange(3), "e4m3fn"))
    refused("x holds complex64", "FORMAT", lambda: fp8mac.cast(x.astype(np.complex64), "e4m3fn"))
    refused("x holds uint8; give", "FORMAT", lambda: fp8mac.cast(np.uint8([1]), "e4m3fn"))
    refused("x holds uint8, which says no format", "FORMAT", lambda: fp8mac.decode(np.uint8([1])))
    refused(
        "codes of float16 are uint16", "FORMAT", lambda: fp8mac.decode(np.uint8([1]), "float16")
    )
    refused(
        "x holds float8_e5m2, and its format was given as e4m3fn",
        "FORMAT",
        lambda: fp8mac.cast(x.astype(ML["e5m2"]), "e5m2", source="e4m3fn"),
    )
    refused(
        "dtype is int32 and must be float32 or float64",
        "FORMAT",
        lambda: fp8mac.decode(np.uint8([1]), "e5m2", dtype=np.int32),
    )
    refused("neither scale nor rounding", "FORMAT", lambda: fp8mac.cast(x, "float64", scale=2.0))
    refused("rounding 'up' is unknown", "ROUNDING", lambda: fp8mac.cast(x, "e5m2", rounding="up"))
    refused(
        "rounding and overflow are names", "ROUNDING", lambda: fp8mac.cast(x, "e5m2", rounding=3)
    )
    refused("seed is -1", "ROUNDING", lambda: fp8mac.cast(x, "e5m2", seed=-1))
    try:
        Config().group = 3
        check("a Config does not change", "changed", "refused")
    except AttributeError:
        check("a Config does not change", "refused", "refused")


# MXCSR of x86-64: masks of the traps in 0x1f80, rounding in 0x6000, flush to zero 0x8000, subnormals are zero 0x0040,
# exception flags in 0x003f.
ENVIRONMENTS = {
    "subnormals flushed": 0x9FC0,
    "downward": 0x3F80,
    "upward": 0x5F80,
    "toward zero": 0x7F80,
    "traps": 0x0000,
    "exception flags": 0x1FBF,
}
MXCSR = """
#include <xmmintrin.h>
unsigned get(void) { return _mm_getcsr(); }
void set(unsigned mxcsr) { _mm_setcsr(mxcsr); }
"""


@pytest.fixture(scope="module")
def mxcsr(tmp_path_factory):
    """Functions that read and write MXCSR."""
    if platform.machine() != "x86_64":
        pytest.skip("MXCSR is a register of x86-64")
    folder = tmp_path_factory.mktemp("mxcsr")
    (folder / "mxcsr.c").write_text(MXCSR)
    library = folder / "mxcsr.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "mxcsr.c"], check=True)
    return ctypes.CDLL(str(library))


def result_bytes(x):
    """Type and bits of a result. There is no arithmetic, which an environment could change."""
    if isinstance(x, (np.ndarray, np.generic)):
        return str(x.dtype), x.shape, x.tobytes()
    if isinstance(x, float):
        return struct.pack("d", x)
    if isinstance(x, (tuple, list)):
        return [result_bytes(one) for one in x]
    if dataclasses.is_dataclass(x):
        return [result_bytes(getattr(x, field.name)) for field in dataclasses.fields(x)]
    return repr(x)


def calls_of_everything():
    """Each public name as a list of calls. Operands have subnormals, and results that are not exact."""
    tiny = 1e-41  # subnormal in float32
    floats = [0.1, 0.3, -1 / 3, tiny, 7.7, 1e-5, 1 / 7, -2.7]
    # Halfway between two float32, and near it: every direction of rounding goes another way.
    numbers = [1 + 2.0**-24, 1 + 3 * 2.0**-24, -1 - 2.0**-25, 3.1, 1e-3]
    singles, halves = F32(floats), np.float16([6e-8, 1e-7, 0.1, 3.0, -6e-6])
    codes, small = np.arange(1, 9, dtype=np.uint8), np.uint32([1, 3, 0x7FFFFF, 0x80000001])
    a, b = np.uint8([[0x01, 0x3A, 0x55], [0x31, 0x81, 0x7E]]), np.uint8([[0x39, 0x03, 0x4B]])
    e4m3 = dict(format="e4m3fn")
    loads = dict(acc_format="fp32", **e4m3)

    def scaled(**how):
        x, y = a.view(ML["e4m3fn"]), b.T.view(ML["e4m3fn"])
        return fp8mac.scaled_mm(x, y, 0.1, 0.3, out_dtype="float32", **how)

    def delayed(call):
        """A recipe that has seen three amaxes."""
        made = recipes.Delayed(448.00001, 4, initial=1 / 3)
        for amax in (numbers[0], 0.3, tiny):
            made.update(amax)
        return call(made)

    calls = {
        "cast": [
            lambda: fp8mac.cast(floats, "bfloat16"),
            lambda: fp8mac.cast(halves, "float64"),
            lambda: fp8mac.cast(floats, "e4m3fn", rounding="stochastic", return_flags=True),
            lambda: fp8mac.cast(singles, "float32", scale=numbers[1]),
            lambda: fp8mac.cast(singles, "float16", scale=0.1, rounding="stochastic"),
        ],
        "decode": [
            lambda: fp8mac.decode(small, "float32", dtype=float),
            lambda: fp8mac.decode(small, "float32", scale=numbers[1], dtype=float),
            lambda: fp8mac.decode(codes, "e5m2", scale=0.1),
        ],
        "dot": [
            lambda: fp8mac.dot(a, b[0], acc=halves[:2], **loads),
            lambda: fp8mac.dot(a, b[0], acc=small[:2].view(F32), **loads),
            lambda: fp8mac.dot(a, b[0], acc=0.5, preset="hopper-fp8", **e4m3),
        ],
        "gemm": [
            lambda: fp8mac.gemm(a, b, scale_a=numbers[:2], scale_b=0.1, **e4m3),
            lambda: fp8mac.gemm(a, b, bias=[tiny], beta=numbers[1], c=[[tiny], [0.1]], **e4m3),
            lambda: fp8mac.gemm(a, b, clamp=(-0.1, numbers[1]), return_result=True, **e4m3),
            lambda: fp8mac.gemm(a, b, scale_d=0.3, bias=halves[:1], acc=small[0:2, None], **loads),
        ],
        "rows": [
            lambda: fp8mac.rows("softmax", halves[None], factor=numbers[1], return_result=True),
            lambda: fp8mac.rows("layer-norm", singles[None], eps=tiny, scale_d=0.3),
            lambda: fp8mac.rows("sum", [[tiny, 0.1], [0.3, tiny]], factor=0.1),
        ],
        **{
            name: [
                lambda name=name: getattr(fp8mac, name)(singles),
                lambda name=name: getattr(fp8mac, name)([tiny, 0.1, -87.7, 88.1]),
            ]
            for name in ("exp", "exp2", "reciprocal", "rsqrt", "sigmoid", "tanh")
        },
        "scaled_mm": [
            lambda: scaled(),
            lambda: scaled(bias=halves[:1]),
            lambda: scaled(use_fast_accum=True),
        ],
        "format_of": [lambda: fp8mac.format_of("cfloat8_e4m3:9"), lambda: fp8mac.format_of(0.1)],
        "Format": [
            lambda: Format("own", True, 5, 2, 120, False, False, "negative-zero"),
            lambda: fp8mac.formats["float32"].max,
            lambda: [fp8mac.formats["float32"].record(code) for code in (1, 0x7FFFFF)],
            lambda: Format("own", True, 5, 2, 20, False, False, 0.1),
            lambda: fp8mac.formats["float32"].record(-0.3),
            lambda: fp8mac.formats["cfloat8_e4m3"].with_bias(3.4),
        ],
        "Record": [lambda: fp8mac.formats["float16"].record(1)],
        "Config": [
            lambda: Config("hopper-fp8", promote=128),
            lambda: Config(frac_bits=0.1),
            lambda: Config().replace(group=0.1),
        ],
        "Preset": [lambda: fp8mac.Preset("name", "", "", "", None)],
        "cycles": [lambda: fp8mac.cycles(7, 9, 33), lambda: fp8mac.cycles(49, 3, 5, rows=8)],
        "convolution_cycles": [lambda: fp8mac.convolution_cycles((1, 5, 6, 8), 9, (3, 3))],
        "elementwise_cycles": [lambda: fp8mac.elementwise_cycles("add", 7, 9)],
        "rows_cycles": [lambda: fp8mac.rows_cycles("softmax", 7, 9)],
        "CycleCounts": [lambda: fp8mac.CycleCounts(*range(12), 0.1, tiny)],
        "GemmResult": [lambda: fp8mac.GemmResult(a, singles[0], False, Flags(0))],
        "Flags": [lambda: Flags(5)],
        "Error": [lambda: Error("what")],
        "Delayed": [
            lambda: recipes.Delayed(numbers[0], 4, initial=numbers[1]).scale,
            lambda: recipes.Delayed(0.1, 4, initial=tiny).scale,
            lambda: delayed(lambda made: (made.scale, made.update(numbers[1]), made.scale)),
            lambda: delayed(lambda made: made.history),
            lambda: recipes.Delayed(448.0, 2, scale_fn=lambda x, y: x / 3 + y).update(0.1),
        ],
        "format_max": [lambda: recipes.format_max("e4m3fn"), lambda: recipes.format_max("f8")],
        "floor_log2": [lambda: recipes.floor_log2(2 - 2.0**-25), lambda: recipes.floor_log2(tiny)],
        "inverse": [lambda x=x: recipes.inverse(x) for x in numbers],
        "reduce": [lambda: recipes.reduce(floats), lambda: recipes.reduce([tiny])],
        "scale": [lambda x=x: recipes.scale(448.0, x, margin=1, previous=0.1) for x in numbers],
        "static": [lambda: recipes.static(numbers[0]), lambda: recipes.static(tiny)],
        "dynamic": [
            lambda: recipes.dynamic([1 / 3, 0.1], "e5m2"),
            lambda: recipes.dynamic([tiny], "e5m2", previous=numbers[1]),
            lambda: recipes.dynamic(singles, "e5m2", previous=numbers[1]),
        ],
        "te_operand": [
            lambda: recipes.te_operand("HYBRID", "dgrad", True),
            lambda: recipes.te_operand(0.1, "dgrad", True),
        ],
        "xla_next": [lambda x=x: recipes.xla_next(448.0, x, 1.0) for x in numbers],
        "xla_mode": [lambda: recipes.xla_mode("e5m2", True)],
        "xla_quantize": [
            lambda: recipes.xla_quantize(floats, "bfloat16", 1.0),
            lambda: recipes.xla_quantize(numbers, "float32", numbers[1]),
        ],
        "pytorch_scale": [lambda x=x: recipes.pytorch_scale(448.0, x) for x in numbers],
        "graphcore_amax_bias": [
            lambda: recipes.graphcore_amax_bias(448.0, 448 * (1 + 2.0**-25)),
            lambda: recipes.graphcore_amax_bias(tiny, 0.1),
        ],
        "graphcore_cscale_bias": [lambda x=x: recipes.graphcore_cscale_bias(x) for x in (40, 0.1)],
        "scale_exponent": [lambda x=x: recipes.scale_exponent(x) for x in (40, 0.1)],
        "fp8lm_mu": [lambda x=x: recipes.fp8lm_mu(x, 1, 1000000) for x in numbers],
        "xla_example_next": [lambda x=x: recipes.xla_example_next(448.0, x) for x in numbers],
        "flax_scale": [lambda x=x: recipes.flax_scale(448.0, x, 1.0) for x in numbers],
        "torchao_scale": [lambda x=x: recipes.torchao_scale(448.0, x) for x in numbers],
        "msamp_scale": [lambda x=x: recipes.msamp_scale(448.0, x, 1.0) for x in numbers],
        "fp8lm_shared_scale": [lambda: recipes.fp8lm_shared_scale(numbers[:2])],
        "fp8lm_reduction_factors": [
            lambda x=x: recipes.fp8lm_reduction_factors("automatic", 3, x) for x in numbers
        ],
        "mx_scale": [
            lambda: recipes.mx_scale("e4m3fn", 2 - 2.0**-25),
            lambda: recipes.mx_scale("e4m3fn", 1e-39),
        ],
        "mx_quantize": [
            lambda: recipes.mx_quantize([2 - 2.0**-25, 0.1], "e4m3fn"),
            lambda: recipes.mx_quantize([1e-39], "e2m1fn", return_flags=True),
        ],
        "qualcomm_bias": [
            lambda: recipes.qualcomm_bias(floats, "qc_e4m3", 0, 15),
            lambda: recipes.qualcomm_bias([2.0**100 * (1 + 2.0**-25)], "qc_e4m3", -128, 255),
        ],
        **{
            name: [
                lambda name=name: getattr(recipes, name)(numbers[1], floats[:3]),
                lambda name=name: getattr(recipes, name)(448.0, numbers),
            ]
            for name in ("autofp8", "vllm", "tensorrt_llm")
        },
    }
    computes = ("cast", "decode", "dot", "gemm", "rows", "scaled_mm")
    computes += ("exp", "exp2", "reciprocal", "rsqrt", "sigmoid", "tanh")
    for name in (*computes, *recipes.__all__):
        function = getattr(fp8mac if hasattr(fp8mac, name) else recipes, name)
        calls[name].append(lambda function=function: function(*3 * [object()]))
    return calls


def outcome(call):
    """The result of a call, or its exception."""
    try:
        return call()
    except (Error, TypeError) as error:
        return type(error), re.sub("0x[0-9a-f]+", "", str(error))


def test_environment(check, mxcsr):
    """Results are those of the default environment, and the caller's environment is as before."""
    calls = calls_of_everything()
    public = {name for name in fp8mac.__all__ if callable(getattr(fp8mac, name))}
    check("environment: every public name", set(calls), public | set(recipes.__all__))
    for name, some in calls.items():
        for number, call in enumerate(some):
            want = result_bytes(outcome(call))
            for environment, own in ENVIRONMENTS.items():

                def run(seen):
                    before = mxcsr.get()
                    mxcsr.set(own)
                    got = outcome(call)
                    after = mxcsr.get()
                    mxcsr.set(before)
                    seen += [result_bytes(got), after]

                here, there = [], []
                run(here)
                worker = threading.Thread(target=run, args=(there,))
                worker.start()
                worker.join()
                for where, seen in (("main thread", here), ("worker thread", there)):
                    about = f"{name}, call {number}, {environment}, {where}"
                    check("environment: results", seen[:1], [want], about)
                    check("environment: restored", seen[1:], [own], about)


def test_environment_of_functions(check, mxcsr):
    """All that computes enters the library's environment, and so do the functions given to Delayed."""
    functions = [fp8mac.cast, fp8mac.decode, fp8mac.dot, fp8mac.gemm, fp8mac.scaled_mm]
    functions += [
        fp8mac.rows,
        fp8mac.exp,
        fp8mac.exp2,
        fp8mac.reciprocal,
        fp8mac.rsqrt,
        fp8mac.sigmoid,
        fp8mac.tanh,
    ]
    functions += [
        fp8mac.cycles,
        fp8mac.convolution_cycles,
        fp8mac.elementwise_cycles,
        fp8mac.rows_cycles,
        fp8mac.format_of,
        Format.__post_init__,
        Format.record,
        Format.with_bias,
    ]
    functions += [Config.__init__]
    functions += [getattr(recipes, name) for name in recipes.__all__ if name != "Delayed"]
    functions += [recipes.Delayed.__init__, recipes.Delayed.update, recipes.Delayed.history.fget]
    for function in functions:
        check("environment: entered", hasattr(function, "__wrapped__"), True, function.__name__)
    seen = []

    def window(history):
        seen.append(mxcsr.get() & 0xFFC0)
        return max(history)

    own = recipes.Delayed(448.0, 2, window=window, scale_fn=lambda x, y: window([x, y]))
    mxcsr.set(0x9FC0)
    own.update(1.0)
    mxcsr.set(0x1F80)
    check("environment: of the caller's functions", seen, [0x1F80] * 2)


def test_bad_input(check, refused):
    """What was a raw TypeError, or was taken in silence."""
    x, a = np.ones(4, F32), np.ones((2, 3), np.uint8)
    b, c = a.view(ML["e5m2"]), np.ones((2, 2), F32)
    cast, dot, gemm = fp8mac.cast, fp8mac.dot, fp8mac.gemm
    refused("dtype is <object", "FORMAT", lambda: fp8mac.decode(b, dtype=object()))
    refused("dtype is <object", "FORMAT", lambda: dot(b, b, dtype=object()))
    for counter in ((1, 2), (1, 2, 3, 4), 5, "123"):
        refused("must be 3 numbers", "ROUNDING", lambda: cast(x, "e5m2", counter=counter))
    refused("counter is -1", "ROUNDING", lambda: cast(x, "e5m2", counter=(0, -1, 0)))
    for origin in ((1,), (1, 2, 3), 4, "12"):
        refused("must be 2 numbers", "SHAPE", lambda: gemm(a, a, origin=origin))
        refused("must be 2 numbers", "SHAPE", lambda: dot(a, a, origin=origin))
    for clamp in ((2,), (1, 2, 3), 2.0, "12"):
        refused("must be 2 numbers", "ACTIVATION", lambda: gemm(a, a, clamp=clamp))
    refused("must be a number", "ACTIVATION", lambda: gemm(a, a, clamp=("1", "2")))
    refused("too large for float32", "ACTIVATION", lambda: gemm(a, a, clamp=(0, 1e300)))
    for preset in (3, b"late_fp16", "late_fp16\0"):
        refused("preset is", "ACCUMULATOR", lambda: dot(a, a, preset=preset))
    refused("must be a whole number", "ACCUMULATOR", lambda: Config(acc_format="fp16\0"))
    for scale in ("2", b"2", None.__class__, [1, 2], 1j):
        refused("scale is", "SCALE", lambda: cast(x, "e5m2", scale=scale))
        refused("scale is", "SCALE", lambda: fp8mac.decode(b, scale=scale))
        refused("scale is", "SCALE", lambda: recipes.xla_quantize(x, "e5m2", scale))
        refused("given is", "SCALE", lambda: recipes.static(scale))
        refused("beta is", "SCALE", lambda: gemm(a, a, beta=scale, c=c))
    for large in (1e300, 10**400, -1e300, 3.4028236e38):
        refused("too large for float32", "SCALE", lambda: cast(x, "e5m2", scale=large))
        refused("too large for float32", "SCALE", lambda: fp8mac.decode(b, scale=large))
        refused("too large for float32", "SCALE", lambda: gemm(a, a, beta=large, c=c))
    for infinite in (math.inf, math.nan):
        refused("must be finite", "SCALE", lambda: gemm(a, a, beta=infinite, c=c))
    limit = float(np.finfo(F32).max)
    check("the largest float32", float(cast(F32(1), "float32", scale=limit)), limit)
    for name in ("bias", "scale_d", "scale_a"):
        value = 1e300 if name == "scale_d" else [1e300, 1.0]
        refused("too large for float32", "FORMAT", lambda: gemm(a, a, **{name: value}))
    refused("scale_d holds str32", "FORMAT", lambda: gemm(a, a, scale_d="2"))
    for name in ("e4m3fn\0x", "e4m3fn\0", "e4m3fn\ud800", "float32\0"):
        refused("is unknown", "FORMAT", lambda: cast(x, name))
        refused("is unknown", "FORMAT", lambda: Config(a_format=name))
        refused("name is", "FORMAT", lambda: Format(name, True, 4, 3, 7, False, True))
    refused("wrong: ", "FORMAT", lambda: Format("x", True, "4", 3, 7, False, True))
    refused("are names", "ROUNDING", lambda: cast(x, "e5m2", rounding="stochastic\0"))
    refused("are names", "ROUNDING", lambda: cast(x, "e5m2", overflow="ieee\0"))
    for rounding in ("nearest-even", "toward-zero"):
        refused(
            "random is for stochastic",
            "ROUNDING",
            lambda: cast(x, "e5m2", rounding=rounding, random=[1, 2, 3, 4]),
        )
    whole, holes = (np.ma.masked_array(x, mask) for mask in (False, [0, 1, 0, 0]))
    check("masks: nothing is masked", cast(whole, "e5m2").tolist(), cast(x, "e5m2").tolist())
    refused("x has masked", "FORMAT", lambda: cast(holes, "e5m2"))
    refused("amaxes has masked", "FORMAT", lambda: recipes.reduce(holes))
    codes = np.ma.masked_array(a, a > 0)
    refused("a has masked", "FORMAT", lambda: gemm(codes, a))
    refused("b has masked", "FORMAT", lambda: dot(a, codes))
    refused("x has masked", "FORMAT", lambda: fp8mac.decode(codes, "e5m2"))
    scores = np.ma.masked_array(c, c > 0)
    for name in ("bias", "scale_a", "c", "acc"):
        given = scores if name in ("c", "acc") else scores[0]
        refused(f"{name} has masked", "FORMAT", lambda: gemm(a, a, **{name: given}))
    masked = np.ma.masked_array(b, a > 0)
    refused("input has masked", "FORMAT", lambda: fp8mac.scaled_mm(masked, b.T, 1.0, 1.0))


def test_types(check):
    """mypy sees the types that typed.py asserts, and nothing wrong in the package."""
    typed = Path(__file__).with_name("typed.py")
    runpy.run_path(str(typed))
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir", os.devnull]
    for what in ([str(typed)], ["-p", "fp8mac"]):
        run = subprocess.run([*command, *what], capture_output=True, text=True)
        check("types", (run.returncode, run.stderr), (0, ""), run.stdout)


class Foreign:
    """An array of another library: it has DLPack's two methods, and nothing else."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, *arguments, **keywords):
        return self.x.__dlpack__(*arguments, **keywords)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class Unreadable(Foreign):
    def __dlpack__(self, *arguments, **keywords):
        raise BufferError("it is on a GPU")


def test_dlpack(check, arrays, refused, rng):
    """Objects with __dlpack__ give what NumPy's arrays give, and their types are as strict."""
    x, codes = rng.normal(size=(3, 8)).astype(F32), rng.integers(0, 96, (3, 64)).astype(np.uint8)
    for values in (x, x.astype(np.float16), x.astype(float), x.T):
        arrays("dlpack: cast", fp8mac.cast(Foreign(values), "e5m2"), fp8mac.cast(values, "e5m2"))
    arrays("dlpack: codes", fp8mac.decode(Foreign(codes), "e4m3fn"), fp8mac.decode(codes, "e4m3fn"))
    bias, blocks = x[0, :3].copy(), np.full((3, 2), 126, np.uint8)
    for name, given in (("bias", bias), ("scale_a", abs(bias)), ("c", x[:, :3]), ("acc", x[:, :3])):
        got, want = (
            fp8mac.gemm(a, a, format="e4m3fn", **{name: value})
            for a, value in ((Foreign(codes), Foreign(given)), (codes, given))
        )
        arrays(f"dlpack: gemm, {name}", got, want)
    got, want = (
        fp8mac.dot(a, a, "blackwell-fp8", format="e4m3fn", mx_a=mx, mx_b=mx)
        for a, mx in ((Foreign(codes), Foreign(blocks)), (codes, blocks))
    )
    arrays("dlpack: dot", got, want)
    check("dlpack: recipes", recipes.reduce(Foreign(x)), recipes.reduce(x))
    refused("x holds int64; give", "FORMAT", lambda: fp8mac.cast(Foreign(np.arange(3)), "e5m2"))
    refused(
        "bias holds float64",
        "FORMAT",
        lambda: fp8mac.gemm(codes, codes, bias=Foreign(bias.astype(float))),
    )
    refused("it is on a GPU", "FORMAT", lambda: fp8mac.cast(Unreadable(x), "e5m2"))


def test_batches(check, arrays, refused, rng):
    """A batch is a loop of GEMMs, bit for bit."""
    cases = [((4,), (4,)), ((4,), ()), ((), (4,)), ((2, 1), (3,)), ((1,), (4,))]
    m, n, k = 3, 5, 64
    for a_batch, b_batch in cases:
        batch = np.broadcast_shapes(a_batch, b_batch)
        a, b = (
            fp8mac.cast(rng.normal(size=(*lead, rows, k)), "e4m3fn")
            for lead, rows in ((a_batch, m), (b_batch, n))
        )
        tails = {
            "scale_a": [(), (m,), (*batch, m), (*batch, 1)],
            "scale_b": [(), (n,), (*batch, n), (*batch, 1)],
            "bias": [(n,), (*batch, n)],
            "c": [(m, n), (*batch, m, n)],
            "acc": [(), (m, n), (*batch, m, n)],
            "mx_a": [(m, 2), (*batch, m, 2)],
            "mx_b": [(n, 2), (*batch, n, 2)],
        }
        fixed = {"scale_a": 1, "scale_b": 1, "bias": 1, "c": 2, "acc": 2, "mx_a": 2, "mx_b": 2}
        for choice in range(4):
            more = {}
            for name, shapes in tails.items():
                shape = shapes[choice % len(shapes)]
                values = rng.uniform(0.5, 2, shape).astype(F32)
                blocks = rng.integers(120, 134, shape).astype(np.uint8)
                more[name] = blocks if name.startswith("mx") else values
            how = dict(format="e4m3fn", preset="blackwell-fp8", return_result=True)
            how |= dict(d_format="e5m2", rounding="stochastic", seed=choice, origin=(1, 2))
            got = fp8mac.gemm(a, b, **more, **how)
            ones = []
            left, right = (np.broadcast_to(x, batch + x.shape[-2:]) for x in (a, b))
            for at in np.ndindex(batch):
                own = {
                    name: value[at] if value.ndim == len(batch) + fixed[name] else value
                    for name, value in more.items()
                }
                ones.append(fp8mac.gemm(left[at], right[at], **own, **how))
            want = np.array([one.d for one in ones]).reshape(*batch, m, n)
            arrays("batches: D", got.d, want)
            check("batches: amax", got.amax, max(one.amax for one in ones))
            flags = Flags(0)
            for one in ones:
                flags |= one.flags
            check("batches: flags", got.flags, flags)
    a = np.uint8([[[0x38]], [[0x7F]], [[0x40]]])
    got = fp8mac.gemm(a, a[0], format="e4m3fn", return_result=True)
    check(
        "batches: a NaN in one",
        (got.amax, got.amax_nonfinite, got.flags),
        (F32(2), True, Flags.NAN),
    )
    a, b = np.ones((2, 3, 8), np.uint8), np.ones((3, 5, 8), np.uint8)
    gemm = fp8mac.gemm
    refused("the batches disagree", "SHAPE", lambda: gemm(a, b))
    refused("a batch of them", "SHAPE", lambda: gemm(a[:0], b))
    for name, shape in (("scale_a", (2,)), ("bias", (2, 1)), ("c", (2, 5)), ("mx_a", (2, 1))):
        wrong = np.ones(shape, np.uint8 if name == "mx_a" else F32)
        refused(f"{name} has the shape {shape}", "SHAPE", lambda: gemm(a, b[0], **{name: wrong}))


# ---- clock cycles ------------------------------------------------------------------------------------------------


def test_cycles(check, refused):
    """Those of docs/CYCLES.md. bindings_cycles compares the command line, which has the same C function, with the chip."""
    got = fp8mac.cycles(64, 64, 64)
    want = dict(compute=1024, results=4, spacing=0, first_load=134, load=24, command=32, store=47)
    want |= dict(idle=0, macs=64**3, read_beats=1029, write_beats=256)
    for name, value in want.items():
        check(f"cycles: {name}", getattr(got, name), value)
    check("cycles: their sum", got.cycles, 1265)
    check("cycles: utilisation", got.utilisation, 1024 / 1265)
    check("cycles: of the roofline", got.roofline, 1024 / 1265)
    wide = fp8mac.cycles(64, 64, 64, d_format="float32")
    check("cycles: a wider D", (wide.write_beats, wide.compute), (1024, 1024))
    vector = fp8mac.cycles(1, 64, 64, axi_data_w=256, latency=3, memory="ideal", element="late")
    check("cycles: beats of 32 bytes", vector.read_beats, 65 * 64 // 32 + 3)
    large = fp8mac.cycles(8, 8, 8, rows=8, cols=8)
    check("cycles: a larger array", (large.compute, large.macs), (1, 512))
    cycles = fp8mac.cycles
    stalled = [cycles(64, 64, 64, stall_permille=200, seed=seed) for seed in (1, 1, 2)]
    check("cycles: equal seeds", stalled[0], stalled[1])
    check("cycles: another seed", stalled[0].cycles != stalled[2].cycles, True)
    check("cycles: stalls", stalled[0].cycles > got.cycles, True)
    refused("stall_permille is not", "CONFIG", lambda: cycles(1, 1, 1, stall_permille=901))
    refused("rows is not possible; a power of two", "CONFIG", lambda: cycles(1, 1, 1, rows=3))
    refused("rows is -1 and must be in 0..", "CONFIG", lambda: cycles(1, 1, 1, rows=-1))
    refused("memory is 'fast' and must be", "CONFIG", lambda: cycles(1, 1, 1, memory="fast"))
    refused("d_format is 'e3m2fn'", "CONFIG", lambda: cycles(1, 1, 1, d_format="e3m2fn"))
    refused("kind of element does not", "PRESET", lambda: cycles(1, 1, 1, element="fast"))
    refused("element is not possible", "CONFIG", lambda: cycles(1, 1, 1, element="static"))
    refused("m, n and k are at least 1", "SHAPE", lambda: cycles(1, 0, 1))
    refused("fit 4 GiB", "SHAPE", lambda: cycles(70000, 70000, 1))


def test_layer_cycles(check, refused):
    """Convolutions are those of `fp8mac cycles`, which bindings_cycles compares with the chip. What commands of other kinds
    take in the chip is compared by networks-chip."""
    convolution, rows, elementwise = (
        fp8mac.convolution_cycles,
        fp8mac.rows_cycles,
        fp8mac.elementwise_cycles,
    )
    pads = {"pads": (1, 1), "vectors": True}
    full = convolution((1, 28, 28, 8), 16, (3, 3), **pads)
    depthwise = convolution((1, 14, 14, 64), 64, (3, 3), groups=64, **pads)
    check("cycles: convolutions of docs/CYCLES.md", (full, depthwise), (5249, 3316))
    point = convolution((1, 8, 8, 80), 48)
    check("cycles: pixels are a matrix", point, fp8mac.cycles(64, 48, 80).cycles)
    residual = convolution((1, 8, 8, 80), 48, c_format="e4m3fn")
    check("cycles: a residual", residual > point, True)
    wide = convolution((1, 8, 8, 80), 48, d_format="float32")
    check("cycles: a wider D", wide > point, True)
    check("cycles: INT8", convolution((1, 8, 8, 80), 48, element="int8", d_format="int8") > 0, True)
    add = elementwise("add", 64, 64)
    check("cycles: a conversion reads no C", elementwise("add", 64, 64, c_format=None) < add, True)
    check("cycles: a wider X", elementwise("multiply", 64, 64, x_format="float32") > add, True)
    every = ("sum", "argmax", "rms-norm", "layer-norm", "softmax", "sigmoid", "quantise")
    for operation in every:
        few, many = (rows(operation, m, 64, d_format="float32") for m in (4, 64))
        check("cycles: more rows", 0 < few < many, True, operation)
    check("cycles: gamma", rows("rms-norm", 8, 64, vectors=True) > rows("rms-norm", 8, 64), True)
    check("cycles: phases", rows("softmax", 8, 64) > rows("sigmoid", 8, 64), True)
    refused("no outputs", "SHAPE", lambda: convolution((1, 2, 2, 8), 8, (3, 3)))
    refused("no outputs", "SHAPE", lambda: convolution((1, 2, 2, 8), 8, stride=(0, 1)))
    refused("groups divide", "SHAPE", lambda: convolution((1, 2, 2, 9), 8, groups=2))
    refused("operation is 'power'", "CONFIG", lambda: elementwise("power", 1, 1))
    refused("operation is 'mean'", "CONFIG", lambda: rows("mean", 1, 1))
    refused("refuses", "COMMAND", lambda: rows("sum", 0, 8))
    refused("refuses", "COMMAND", lambda: rows("sigmoid", 8, 8, causal=True))
    refused("fit 4 GiB", "SHAPE", lambda: elementwise("add", 2**31, 2**31))
    refused("axi_data_w is not", "CONFIG", lambda: rows("sum", 1, 1, axi_data_w=100))
