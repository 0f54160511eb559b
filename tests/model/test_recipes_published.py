# SPDX-License-Identifier: Apache-2.0
"""The published scaling recipes: formulas in NumPy at their stated precision, edge cases one by one."""

import ctypes as ct
import math
from fractions import Fraction

import clib
import ml_dtypes
import numpy as np
from oracle import definition as d

F = np.float32
LARGEST, SMALLEST = F(np.finfo(np.float32).max), F(2.0**-149)
MAXES = (448.0, 57344.0, 240.0)


def amaxes(rng, count=3000):
    """Any finite positive float, powers of two, ends of the range."""
    bits = rng.integers(1, 0x7F800000, count).astype(np.uint32)
    powers = [F(2.0**e) for e in range(-149, 128)]
    return (
        [F(x) for x in bits.view(np.float32)]
        + powers
        + [LARGEST, SMALLEST, F(448), F(1), F(1e-12), F(9.9e-13)]
    )


def bits_of(x):
    return int(F(x).view(np.uint32))


def floor_log2(x):
    return math.frexp(float(x))[1] - 1


def is_scale(x):
    return bool(np.isfinite(x) and x > 0)


NOT_AMAX = (F(0), F(-0.0), F(np.inf), F(-np.inf), F(np.nan))


def test_te(bench, lib):
    e4m3, e5m2 = b"e4m3fn", b"e5m2"
    table = {"TE_HYBRID": (e4m3, e5m2), "TE_E4M3": (e4m3, e4m3), "TE_E5M2": (e5m2, e5m2)}
    for name, (forward, gradient) in table.items():
        for kept in (None, 0, 1, 2):
            layer = clib.TeLayer(clib.enum(name), (ct.c_bool * 3)(*(i == kept for i in range(3))))
            for gemm in range(3):
                for is_gradient, want in ((False, forward), (True, gradient)):
                    p = lib.recipe_te_operand(ct.byref(layer), gemm, is_gradient)
                    got = p.contents.name if p else None
                    bench.check(
                        "TE: formats and overrides",
                        got,
                        None if gemm == kept else want,
                        f"{name} {gemm}",
                    )
    layer = clib.TeLayer(9)
    bench.check(
        "TE: unknown",
        [
            bool(lib.recipe_te_operand(ct.byref(layer), 0, False)),
            bool(lib.recipe_te_operand(ct.byref(clib.TeLayer()), 3, False)),
            bool(lib.recipe_te_operand(None, 0, False)),
        ],
        [False] * 3,
    )


def test_xla(bench, lib, rng):
    for fp8_max in MAXES:
        for amax in amaxes(rng):
            with np.errstate(all="ignore"):
                want = F(1.1) * (amax / F(fp8_max))
            want = want if is_scale(want) else F(3.5)
            for x in (amax, -amax):
                bench.check(
                    "XLA: next scale",
                    bits_of(lib.recipe_xla_next(fp8_max, x, 3.5)),
                    bits_of(want),
                    repr(amax),
                )
        for amax in NOT_AMAX:
            bench.check(
                "XLA: 0, Inf and NaN keep the scale",
                lib.recipe_xla_next(fp8_max, amax, 3.5),
                3.5,
                repr(amax),
            )
    for name, gradient, want in (
        ("E5M2", True, "IEEE"),
        ("E5M2", False, "SATURATE"),
        ("E4M3FN", True, "SATURATE"),
        ("E4M3FN", False, "SATURATE"),
    ):
        mode = lib.recipe_xla_mode(clib.enum(name), gradient)
        bench.check(
            "XLA: mode",
            (mode.rounding, mode.overflow),
            (0, clib.enum("OVERFLOW_" + want)),
            f"{name} {gradient}",
        )
    src, dst = np.array([2.0**-14, 2, 7], np.float32), clib.blank(3, np.uint8)
    status = lib.recipe_xla_quantize(
        lib.by_name["e4m3fn"], dst.ctypes.data, src.ctypes.data, 3, 1 / 64, clib.mode(), None
    )
    values = [lib.value_to_double(lib.decode(lib.by_name["e4m3fn"], int(c))) for c in dst]
    bench.check(
        "XLA: [2^-14, 2, 7] at scale 1/64", (status, values), (clib.OK, [2.0**-8, 128.0, 448.0])
    )
    src = rng.standard_normal(3000).astype(np.float32) * F(50)
    dst = clib.blank(3000, np.uint8)
    scale = F(0.173)
    lib.recipe_xla_quantize(
        lib.by_name["e4m3fn"], dst.ctypes.data, src.ctypes.data, 3000, scale, clib.mode(), None
    )
    want = np.clip(src / scale, -448, 448).astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    bench.arrays("XLA: quantise against ml_dtypes", dst, want, lambda i: repr(src[i]))
    for scale in (0.0, -1.0, np.inf, np.nan):
        bench.check(
            "XLA: refused scale",
            lib.recipe_xla_quantize(
                lib.by_name["e4m3fn"], dst.ctypes.data, src.ctypes.data, 1, scale, clib.mode(), None
            ),
            clib.enum("ERR_SCALE"),
        )


def test_pytorch(bench, lib, rng):
    for fp8_max in MAXES:
        for amax in [*amaxes(rng), F(0)]:
            want = F(np.float64(fp8_max) * (1 / max(np.float64(amax), 1e-12)))
            rounded = math.floor(F(np.log2(np.float64(want))))  # log2 is rounded to float32
            for power in (False, True):
                result = F(2.0**rounded) if power else want
                got = lib.recipe_pytorch_scale(fp8_max, amax, power, 3.5)
                bench.check(
                    f"PyTorch{', power of two' if power else ''}",
                    bits_of(got),
                    bits_of(result),
                    repr(amax),
                )
        for amax in NOT_AMAX[2:]:
            bench.check(
                "PyTorch: Inf and NaN keep the scale",
                lib.recipe_pytorch_scale(fp8_max, amax, False, 3.5),
                3.5,
            )


def test_graphcore(bench, lib, rng):
    clamp = lambda x: max(-32, min(32, x))
    for fp8_max in MAXES:
        for amax in amaxes(rng):
            with np.errstate(all="ignore"):
                ratio = F(fp8_max) / amax
            want = 32 if np.isinf(ratio) else -32 if ratio == 0 else clamp(floor_log2(ratio))
            got = lib.recipe_graphcore_amax_bias(fp8_max, amax, 5)
            bench.check("Graphcore: FP8-AMAX", got, want, repr(amax))
            if -32 < want < 32:
                scaled = Fraction(float(amax)) * d.power(want)
                bench.check(
                    "Graphcore: the largest value fits",
                    scaled <= Fraction(fp8_max) * (1 + d.power(-23)) < 2 * scaled * 2,
                    True,
                    repr(amax),
                )
        for amax in NOT_AMAX:
            bench.check(
                "Graphcore: 0, Inf and NaN keep the bias",
                lib.recipe_graphcore_amax_bias(fp8_max, amax, 5),
                5,
            )
    for bias in range(-100, 101):
        bench.check("Graphcore: FP8-CSCALE", lib.recipe_graphcore_cscale_bias(bias), clamp(bias))
        bench.check("Graphcore: s = -b", lib.recipe_scale_exponent(bias), -clamp(bias))


def test_fp8lm(bench, lib, rng):
    for _ in range(2000):
        mu, total = F(rng.uniform(1e-6, 1e6)), int(rng.integers(1, 1 << 50))
        limit = total // 100000
        saturated = max(0, limit + int(rng.integers(-2, 3)))
        want = mu * (F(0.5) if saturated * 100000 > total else F(1.00069344))
        bench.check(
            "FP8-LM: mu",
            bits_of(lib.recipe_fp8lm_mu(mu, saturated, total)),
            bits_of(want),
            f"{saturated} of {total}",
        )
    mu = F(1)
    for _ in range(1000):
        mu = F(lib.recipe_fp8lm_mu(mu, 0, 10))
    bench.check("FP8-LM: mu doubles in 1000 steps", abs(float(mu) - 2) < 1e-3, True, mu)
    for start, saturated in ((LARGEST, 0), (SMALLEST, 10)):
        bench.check(
            "FP8-LM: mu stays finite and above 0",
            bits_of(lib.recipe_fp8lm_mu(start, saturated, 10)),
            bits_of(start),
        )
    bench.check("FP8-LM: of no values", lib.recipe_fp8lm_mu(1.5, 0, 0), 1.5)
    scales = np.float32(rng.uniform(1, 9, 12))
    for n in range(1, 13):
        bench.check(
            "FP8-LM: the least scale",
            F(lib.recipe_fp8lm_shared_scale(scales.ctypes.data, n)),
            scales[:n].min(),
        )
    for ranks in (1, 2, 3, 7, 64, 1000):
        for kind, want in (
            (0, (F(1) / F(ranks), F(1))),
            (1, (F(1), F(1) / F(ranks))),
            (2, (F(0.7), F(1) / (F(ranks) * F(0.7)))),
        ):
            got = lib.recipe_reduction_factors(kind, ranks, F(0.7))
            bench.check(
                "FP8-LM: factors of a reduction",
                (F(got.before), F(got.after)),
                want,
                f"{kind} {ranks}",
            )


EMAX = {
    "e4m3fn": 8,
    "e5m2": 15,
    "e3m2fn": 4,
    "e2m3fn": 2,
    "e2m1fn": 2,
    "mxint8": 0,
}  # OCP MX v1.0, tables 2 to 6


def test_mx(bench, lib, rng):
    for name, emax in EMAX.items():
        p, row = lib.by_name[name], d.FORMATS[name]
        for amax in amaxes(rng, 400):
            want = max(-127, min(127, floor_log2(amax) - emax)) + 127
            bench.check("MX: scale", lib.recipe_mx_scale(p, amax), want, f"{name} {amax!r}")
        for amax, want in ((F(0), 0), (F(np.inf), 255), (F(np.nan), 255)):
            bench.check("MX: scale of 0, Inf and NaN", lib.recipe_mx_scale(p, amax), want, name)
        for n in (1, 31, 32, 33, 100):
            src = (rng.standard_normal(n) * 2.0 ** rng.integers(-140, 120)).astype(np.float32)
            src[rng.integers(0, n)] = rng.choice([0, np.inf, np.nan, -3, -3, -3])
            check_mx_blocks(bench, lib, p, row, emax, src)


def check_mx_blocks(bench, lib, p, row, emax, src):
    n, flags, want_flags = src.size, ct.c_uint32(), 0
    dst, scales = clib.blank(n, np.uint8), clib.blank(-(-n // 32), np.uint8)
    status = lib.recipe_mx_quantize(
        p, dst.ctypes.data, scales.ctypes.data, src.ctypes.data, n, ct.byref(flags)
    )
    want, want_scales = [], []
    for first in range(0, n, 32):
        block = src[first : first + 32]
        if not np.isfinite(block).all():
            code = 255
        elif not block.any():
            code = 0
        else:
            code = max(-127, min(127, floor_log2(np.abs(block).max()) - emax)) + 127
        want_scales.append(code)
        for x in block:
            want_flags |= clib.NAN if np.isnan(x) else 0
            if code == 255:
                want.append(0)
                continue
            exact = abs(Fraction(float(x))) / d.power(code - 127)
            element, raised = d.encode(row, (d.FINITE if x else d.ZERO, int(np.signbit(x)), exact))
            want.append(element)
            want_flags |= raised
    bench.check(
        "MX: blocks",
        (status, dst.tolist(), scales.tolist(), flags.value),
        (clib.OK, want, want_scales, want_flags),
        row.name,
    )


def test_qualcomm(bench, lib, rng):
    bias = ct.c_int()
    for name in ("QC_E5M2", "QC_E4M3", "QC_E3M4", "QC_E2M5"):
        base = d.FORMATS[name.lower()]
        for _ in range(4):
            x = (rng.standard_normal(40) * 2.0 ** rng.integers(-8, 9)).astype(np.float32)
            status = lib.recipe_qualcomm_bias(
                clib.enum(name), x.ctypes.data, x.size, -4, 24, ct.byref(bias)
            )
            errors = []
            for b in range(-4, 25):
                row, total = base._replace(bias=b), 0.0
                for value in x:
                    exact = abs(Fraction(float(value)))
                    code = d.encode(row, (d.FINITE if value else d.ZERO, 0, exact))[0]
                    error = abs(float(value)) - float(d.magnitude_of(row, code))
                    total = total + error * error
                errors.append(total)
            bench.check(
                "Qualcomm: bias of the least squared error",
                (status, bias.value),
                (clib.OK, -4 + errors.index(min(errors))),
                name,
            )
    x = np.array([1, np.nan], np.float32)
    for identifier, n, low, high, status in (
        (clib.enum("E4M3FN"), 1, 0, 9, "ERR_FORMAT"),
        (clib.enum("QC_E4M3"), 0, 0, 9, "ERR_SHAPE"),
        (clib.enum("QC_E4M3"), 1, 9, 0, "ERR_SHAPE"),
        (clib.enum("QC_E4M3"), 1, 0, 256, "ERR_SHAPE"),
        (clib.enum("QC_E4M3"), 2, 0, 9, "ERR_SCALE"),
    ):
        bench.check(
            "Qualcomm: refused",
            lib.recipe_qualcomm_bias(identifier, x.ctypes.data, n, low, high, ct.byref(bias)),
            clib.enum(status),
        )


def test_static(bench, lib, rng):
    x = np.concatenate([np.float32(rng.uniform(1e-9, 1e5, 300)), np.float32([0, 1e-13, 448])])
    with np.errstate(all="ignore"):
        for fp8_max in MAXES:
            top = F(fp8_max)
            clamped = np.maximum(x, F(1e-12))
            q, ieee = top * (F(1) / clamped), top / clamped
            v = np.maximum(x / top, F(1) / (top * F(512)))
            t = np.where(x == 0, F(1), x / top)
            want = {
                "AUTOFP8": (q, F(1) / q),
                "AUTOFP8_IEEE": (ieee, F(1) / ieee),
                "VLLM": (F(1) / v, v),
                "TENSORRT_LLM": (F(1) / t, t),
            }
            for name, pair in want.items():
                quantise, dequantise = (clib.blank(x.size, np.float32) for _ in range(2))
                status = lib.recipe_static_scales(
                    clib.enum("SCHEME_" + name),
                    top,
                    x.ctypes.data,
                    x.size,
                    quantise.ctypes.data,
                    dequantise.ctypes.data,
                )
                bench.check("static: status", status, clib.OK, name)
                for got, scales in zip((quantise, dequantise), pair):
                    bench.arrays(f"static: {name}", got, scales, lambda i: repr(x[i]))
    q = clib.blank(2, np.float32)
    for amax, scheme, top, status in (
        (np.inf, 0, 448, "ERR_SCALE"),
        (np.nan, 1, 448, "ERR_SCALE"),
        (1, 2, 0, "ERR_SCALE"),
        (1, 4, 448, "ERR_UNSUPPORTED"),
        (1, 0, np.inf, "ERR_SCALE"),
    ):
        src = np.float32([1, amax])
        before = q.tobytes()
        got = lib.recipe_static_scales(
            scheme, top, src.ctypes.data, 2, q.ctypes.data, q.ctypes.data
        )
        bench.check(
            "static: refused, nothing written",
            (got, q.tobytes() == before),
            (clib.enum(status), True),
        )
