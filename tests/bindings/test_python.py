# SPDX-License-Identifier: Apache-2.0
"""The Python package: formats, conversions, dot products and their settings, against ml_dtypes, NumPy, exact fractions or the
published formulas, and every refusal. tests/bindings/python.sh installs the package and runs the tests away from its sources."""

import importlib.metadata
import importlib.util
import math
import sys
import unittest.mock
from fractions import Fraction

import fp8mac
import ml_dtypes
import numpy as np
from fp8mac import Config, Flags, Format, recipes
from python_values import F32, FP8, ML, bits_of, nearest_single, quiet, refused, swapped

__all__ = ["quiet", "refused"]


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


def test_formats(check, arrays):
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


def test_own_formats(check, refused):
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
        "format 'e4m4' is unknown; choose from e4m3fn", "FORMAT", lambda: fp8mac.format_of("e4m4")
    )
    refused("is unknown; choose from e4m3fn", "FORMAT", lambda: fp8mac.format_of(np.complex64))
    refused("is unknown; choose from e4m3fn", "FORMAT", lambda: fp8mac.format_of(object()))


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


def test_cast_rounding(check, arrays, rng):
    singles = rng.integers(0, 2**32, 20000, dtype=np.uint64).astype(np.uint32).view(F32)
    mixed = np.concatenate([singles, rng.normal(0, 50, 20000).astype(F32)])
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


def test_stochastic(check, arrays, rng):
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


def test_simon(check, arrays, refused, rng):
    x = rng.uniform(-400, 400, 3000).astype(F32)
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


def test_stochastic_refusals(refused):
    simon = {"rounding": "stochastic", "generator": "simon", "seed": 5}
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


def test_dot_examples(check, rng):
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


def test_dot_refusals(refused):
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


def test_dot_setting_refusals(refused):
    good = np.uint8([1, 2, 3])
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
        "preset 'volta' is unknown; choose from ieee-fma",
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
        "there is no setting 'groop'; choose from",
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
