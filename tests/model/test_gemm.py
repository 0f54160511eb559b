# SPDX-License-Identifier: Apache-2.0
"""The scaled GEMM: the epilogue's corners, random whole GEMMs, all products of two codes, refusals."""

import ctypes as ct
import itertools
from collections import namedtuple

import clib
import corners
import numpy as np
from checks import RANDOM_STEPS
from draw import Codes
from oracle import exact
from test_dot import PAIRS, products
from test_formats import container

EPILOGUES = 75_000 * RANDOM_STEPS
GEMMS = 700 * RANDOM_STEPS
ACTIVATIONS = ("NONE", "RELU", "CLAMP")
ROUNDINGS = (exact.NEAREST_EVEN, exact.TOWARD_ZERO)
OVERFLOWS = (exact.SATURATE, exact.SATURATE_FINITE, exact.IEEE)

MAX32, LEAST, LEAST_NORMAL = 0x7F7FFFFF, 0x00000001, 0x00800000
# FP32 codes of either sign: zero, subnormals, the ends of the normal range, Inf, NaNs, and ordinary numbers.
CORNERS = [
    sign | code
    for sign in (0, 0x80000000)
    for code in (
        0,
        LEAST,
        0x00400000,
        0x007FFFFF,
        LEAST_NORMAL,
        0x00800001,
        MAX32,
        0x7F000000,
        0x7F800000,
        0x7FC00000,
        0x7F800001,
        0x7FFFFFFF,
        0x3F800000,
        0x3F800001,
        0x3F7FFFFF,
        0x40490FDB,
        0x43E00000,
        0x43E80000,
        0x43E80001,
        0x477FE000,
        0x477FEFFF,
        0x477FF000,
        0x47600000,
        0x47700000,
        0x3A800000,
        0x38000000,
        0x20000000,
        0x5F000000,
    )
]
SCALES = [c for c in CORNERS if 0 < c < 0x7F800000]


# ---- the epilogue alone -----------------------------------------------------------------------------------------


def draw_code(rng):
    """An FP32 code: a corner, any pattern, or a number of ordinary size."""
    kind = rng.integers(0, 3)
    if kind == 0:
        return int(rng.choice(CORNERS))
    if kind == 1:
        return int(rng.integers(0, 1 << 32))
    return exact.bits(np.float32(rng.normal() * 2.0 ** rng.integers(-12, 16)))


def draw_scale(rng):
    """Finite and greater than zero: mostly ordinary, at times so large or small that products leave FP32."""
    if rng.integers(0, 4) == 0:
        return int(rng.choice(SCALES))
    return exact.bits(np.float32(2.0 ** rng.uniform(-8, 8)))


def draw_bounds(rng):
    lo, hi = sorted((exact.f32(draw_code(rng)) for _ in range(2)), key=lambda x: (np.isnan(x), x))
    return (lo, hi) if np.isfinite(lo) and np.isfinite(hi) else (np.float32(-0.0), np.float32(6))


def draw_epilogue(rng, d_name=None):
    lo, hi = draw_bounds(rng)
    beta = 0 if rng.integers(0, 2) else int(rng.choice([0x3F800000, 0x80000000, draw_code(rng)]))
    scale_d = 0x3F800000 if rng.integers(0, 2) else draw_scale(rng)
    return exact.Epilogue(
        bool(rng.integers(0, 2)),
        ACTIVATIONS[rng.integers(0, len(ACTIVATIONS))],
        lo,
        hi,
        exact.f32(beta),
        exact.ARRAY_FORMATS[d_name or list(exact.ARRAY_FORMATS)[rng.integers(0, 7)]],
        ROUNDINGS[rng.integers(0, 2)],
        OVERFLOWS[rng.integers(0, 3)],
        exact.f32(scale_d),
    )


def to_c(lib, e):
    return clib.Epilogue(
        e.bias,
        clib.enum("ACT_" + e.activation),
        e.lo,
        e.hi,
        e.beta,
        False,
        e.maximum,
        lib.by_name[e.d_row.name],
        clib.mode(e.rounding, e.overflow),
        e.scale_d,
    )


def amax_after(t, amax, nonfinite):
    """(amax as a code, nonfinite) once the output T has been seen."""
    if not np.isfinite(t):
        return amax, True
    return max(amax, exact.bits(np.abs(t))), nonfinite


def apply(lib, e, operands, amax, nonfinite):
    """(code of D, amax, nonfinite, flags) by the library."""
    amax, nonfinite, flags = ct.c_uint32(amax), ct.c_bool(nonfinite), ct.c_uint32()
    code = lib.epilogue_apply(
        ct.byref(to_c(lib, e)), *operands, ct.byref(amax), ct.byref(nonfinite), ct.byref(flags)
    )
    return code, amax.value, nonfinite.value, flags.value


def test_epilogue(bench, lib, rng):
    for i in range(EPILOGUES):
        e = draw_epilogue(rng)
        operands = [
            draw_code(rng),
            draw_scale(rng),
            draw_scale(rng),
            draw_code(rng),
            draw_code(rng),
        ]
        if i % 16 == 0:
            operands[1 + i // 16 % 2] = int(rng.choice(CORNERS))
        if e.beta != 0 and i % 3 == 0:
            e = e._replace(maximum=True)
        amax, nonfinite = (
            (0, False) if i % 4 else (exact.bits(np.float32(abs(rng.normal()))), bool(i % 8))
        )
        with np.errstate(all="ignore"):
            code, t, flags = exact.epilogue(e, *(exact.f32(x) for x in operands))
        want = (code, *amax_after(t, amax, nonfinite), flags)
        bench.check(
            f"epilogue to {e.d_row.name}",
            apply(lib, e, operands, amax, nonfinite),
            want,
            lambda: f"{e} t0, scale_a, scale_b, bias, c = {[hex(x) for x in operands]}",
        )


def test_by_hand(bench, lib):
    """Both the library and the oracle against results written by hand."""
    for name, changes, operands, *want in corners.EPILOGUES:
        p = {**corners.EPILOGUE_BASE, **changes}
        e = exact.Epilogue(
            p["bias"],
            p["activation"],
            *(np.float32(p[x]) for x in ("lo", "hi", "beta")),
            exact.ARRAY_FORMATS[p["d"]],
            p["rounding"],
            p["overflow"],
            np.float32(p["scale_d"]),
        )
        with np.errstate(all="ignore"):
            code, t, flags = exact.epilogue(e, *(exact.f32(x) for x in operands))
        bench.check(
            "by hand: the oracle itself", (code, *amax_after(t, 0, False), flags), tuple(want), name
        )
        bench.check(f"by hand: {name}", apply(lib, e, operands, 0, False), tuple(want), name)


# ---- whole GEMMs ------------------------------------------------------------------------------------------------

Case = namedtuple(
    "Case", "m n k a_name b_name acc group scale_exp saturate a b scale_a scale_b bias c c_name e"
)


def draw_matrix(rng, codes, rows, k, wild):
    """rows x k codes inside a wider array whose other elements are NaN: reading one would show."""
    pad = int(rng.integers(0, 4))
    out = np.full((rows, k + pad), 0x80 if codes.name.endswith("fnuz") else 0x7F, np.uint8)
    if wild:
        out[:, :k] = rng.integers(0, 256, (rows, k), dtype=np.uint8)
    else:
        out[:, :k] = codes.finite[rng.integers(0, codes.finite.size, (rows, k))]
    return out


def draw_scale_vector(rng, n):
    """(mode, values): none, one for the tensor, one for each of n rows."""
    mode = ("NONE", "TENSOR", "VECTOR")[rng.integers(0, 3)]
    return mode, np.array(
        [draw_scale(rng) for _ in range(n if mode == "VECTOR" else 1)], np.uint32
    ).view(np.float32)


def draw_c(rng, name, m, n):
    row = exact.ARRAY_FORMATS[name]
    codes = rng.integers(
        0, 1 << exact.width(row), (m, n + int(rng.integers(0, 3))), dtype=np.uint64
    )
    if rng.integers(0, 2):  # exponents of ordinary size
        codes &= ~np.uint64(((1 << row.exponent_bits) - 1) << row.mantissa_bits)
        codes |= np.uint64(row.bias << row.mantissa_bits)
    codes[:, n:] = exact.nan_code(row)
    return codes.astype(container(row))


def draw_case(rng, codes):
    m, n, k = (int(rng.integers(1, limit)) for limit in (8, 8, 40))
    a_name, b_name = PAIRS[rng.integers(0, len(PAIRS))]
    acc = ("FP32", "FP16", "FIXED")[rng.integers(0, 3)]
    wild = rng.integers(0, 6) == 0
    scale_exp = (
        tuple(int(x) for x in rng.integers(-32, 33, 2))
        if rng.integers(0, 4) == 0
        else tuple(int(x) for x in rng.integers(-6, 5, 2))
    )
    e = draw_epilogue(rng)
    bias = np.array([draw_code(rng) for _ in range(n)], np.uint32)
    if not wild:
        bias = np.where(bias & 0x7F800000 == 0x7F800000, 0x3F800000, bias).astype(np.uint32)
    c_name = list(exact.ARRAY_FORMATS)[rng.integers(0, len(exact.ARRAY_FORMATS))]
    return Case(
        m,
        n,
        k,
        a_name,
        b_name,
        acc,
        int(rng.integers(1, 17)),
        scale_exp,
        acc != "FIXED" and bool(rng.integers(0, 2)),
        draw_matrix(rng, codes[a_name], m, k, wild),
        draw_matrix(rng, codes[b_name], n, k, wild),
        draw_scale_vector(rng, m),
        draw_scale_vector(rng, n),
        bias.view(np.float32),
        draw_c(rng, c_name, m, n),
        c_name,
        e,
    )


def accumulate(case, a, b):
    """(t0 as an FP32 code, flags)"""
    if case.acc == "FIXED":
        fixed = exact.Fixed(case.a_name, case.b_name)
        fixed.accumulate(a, b)
        return fixed.read_out(sum(case.scale_exp))
    row = exact.FP32 if case.acc == "FP32" else exact.FP16
    code, flags = exact.dot(
        case.a_name, case.b_name, row, 0, a, b, case.group, sum(case.scale_exp), case.saturate
    )
    value = exact.decode(row, code)
    return (exact.NAN32 if value[0] is exact.NAN else exact.convert(exact.FP32, value)[0]), flags


def scale_at(scale, i):
    mode, values = scale
    return np.float32(1) if mode == "NONE" else values[0 if mode == "TENSOR" else i]


def expected(case):
    """(codes of D, amax as a code, nonfinite, flags)"""
    d, amax, nonfinite, flags = np.empty((case.m, case.n), np.int64), 0, False, 0
    c_row, _c_cache = exact.ARRAY_FORMATS[case.c_name], {}
    for i, j in itertools.product(range(case.m), range(case.n)):
        t0, raised = accumulate(case, case.a[i, : case.k].tobytes(), case.b[j, : case.k].tobytes())
        flags |= raised
        c = exact.f32(exact.convert(exact.FP32, exact.decode(c_row, int(case.c[i, j])))[0])
        d[i, j], t, raised = exact.epilogue(
            case.e,
            exact.f32(t0),
            scale_at(case.scale_a, i),
            scale_at(case.scale_b, j),
            case.bias[j],
            c,
        )
        flags |= raised
        amax, nonfinite = amax_after(t, amax, nonfinite)
    return d, amax, nonfinite, flags


def scale_to_c(scale):
    mode, values = scale
    return clib.Scale(clib.enum("SCALE_" + mode), None if mode == "NONE" else values.ctypes.data)


def descriptor(lib, case, d, scale_d):
    e, (a_row, b_row) = case.e, (lib.by_name[case.a_name], lib.by_name[case.b_name])
    dot = clib.DotConfig(
        *zip((a_row, b_row), case.scale_exp),
        clib.enum("ACC_" + case.acc),
        case.group,
        0,
        case.saturate,
    )
    return clib.GemmDesc(
        case.m,
        case.n,
        case.k,
        dot,
        (case.a.ctypes.data, case.a.shape[1], scale_to_c(case.scale_a)),
        (case.b.ctypes.data, case.b.shape[1], scale_to_c(case.scale_b)),
        case.bias.ctypes.data if e.bias else None,
        e.beta,
        case.c.ctypes.data if e.beta else None,
        lib.by_name[case.c_name] if e.beta else None,
        case.c.shape[1] if e.beta else 0,
        clib.enum("ACT_" + e.activation),
        e.lo,
        e.hi,
        d.ctypes.data,
        lib.by_name[e.d_row.name],
        d.shape[1],
        clib.mode(e.rounding, e.overflow),
        None if e.scale_d == 1 else scale_d.ctypes.data,
    )


def about_case(case):
    return " ".join(
        f"{name}={value.tolist() if isinstance(value, np.ndarray) else value}"
        for name, value in case._asdict().items()
    )


def test_random(bench, lib, rng):
    codes = {name: Codes(name) for name in exact.FP8}
    for name, c in codes.items():
        c.name = name
    reached = 0
    for number in range(GEMMS):
        case = draw_case(rng, codes)
        with np.errstate(all="ignore"):
            d_want, amax, nonfinite, flags = expected(case)
        d = clib.blank(case.m * (case.n + number % 3), container(case.e.d_row)).reshape(case.m, -1)
        want = d.copy()
        want[:, : case.n] = d_want
        result, scale_d = clib.GemmResult(), np.array([case.e.scale_d], np.float32)
        status = lib.gemm(ct.byref(descriptor(lib, case, d, scale_d)), ct.byref(result))
        bench.check("random GEMM: status", status, clib.OK, lambda: about_case(case))
        bench.arrays(
            f"random GEMM: D, {case.acc}",
            d[:, : case.n],
            want[:, : case.n],
            lambda i: about_case(case),
        )
        bench.arrays(
            "random GEMM: elements between n and ldd are left alone",
            d[:, case.n :],
            want[:, case.n :],
        )
        got = exact.bits(np.float32(result.amax)), result.amax_nonfinite, result.flags
        bench.check(
            "random GEMM: amax, nonfinite, flags",
            got,
            (amax, nonfinite, flags),
            lambda: about_case(case),
        )
        again = d.copy()
        status = lib.gemm(ct.byref(descriptor(lib, case, d, scale_d)), None)
        bench.check("random GEMM: the result may be NULL", status, clib.OK)
        bench.arrays("random GEMM: the same again", d, again)
        reached |= flags
    bench.check("random GEMM: every flag was reached", reached, 15)


def plain_case(m, n, k, a_name="e4m3fn", b_name="e4m3fn", acc="FP32", group=1, a=None, b=None):
    """Ones times ones into FP32, with nothing in the epilogue."""
    e = exact.Epilogue(
        False,
        "NONE",
        np.float32(-1),
        np.float32(1),
        np.float32(0),
        exact.FP32,
        exact.NEAREST_EVEN,
        exact.SATURATE,
        np.float32(1),
    )
    ones = [
        np.full(shape, 0x38, np.uint8) if x is None else x
        for shape, x in (((m, k), a), ((n, k), b))
    ]
    none = ("NONE", np.ones(1, np.float32))
    return Case(
        m,
        n,
        k,
        a_name,
        b_name,
        acc,
        group,
        (0, 0),
        False,
        *ones,
        none,
        none,
        np.zeros(n, np.float32),
        np.zeros((m, n), np.float32),
        "float32",
        e,
    )


def test_every_pair(bench, lib):
    """256 x 256 x 1: every product of two codes, as +0 + a * b."""
    column = np.arange(256, dtype=np.uint8).reshape(256, 1)
    for a_name, b_name in PAIRS:
        rounded, flags = products(a_name, b_name, np.float32)
        want = np.where(
            np.isnan(rounded), np.uint32(exact.NAN32), (rounded + np.float32(0)).view(np.uint32)
        )
        for acc in ("FP32", "FIXED"):
            d, result = clib.blank(65536, np.uint32).reshape(256, 256), clib.GemmResult()
            case = plain_case(256, 256, 1, a_name, b_name, acc, a=column, b=column)
            status = lib.gemm(
                ct.byref(descriptor(lib, case, d, np.ones(1, np.float32))), ct.byref(result)
            )
            bench.check("every pair of codes: status", status, clib.OK, a_name + b_name)
            bench.arrays(
                f"every pair of codes, {acc}",
                d,
                want,
                lambda i: f"{a_name} {i >> 8:#x} x {b_name} {i & 255:#x}",
            )
            finite = np.isfinite(rounded)
            bench.check(
                "every pair of codes: amax, nonfinite, flags",
                (result.amax, result.amax_nonfinite, result.flags),
                (
                    float(np.abs(rounded[finite]).max()),
                    True,
                    int(np.bitwise_or.reduce(flags, None)),
                ),
            )


# ---- refusals ---------------------------------------------------------------------------------------------------


def refusal_changes(lib, keep):
    """(name, status, changes of the descriptor)"""

    def scale(*values):
        keep.append(np.array(values, np.float32))
        return clib.Scale(
            clib.enum("SCALE_VECTOR" if len(values) > 1 else "SCALE_TENSOR"), keep[-1].ctypes.data
        )

    def scalar(value):
        keep.append(np.array([value], np.float32))
        return keep[-1].ctypes.data

    fp16, fp8, fp4 = (lib.by_name[name] for name in ("float16", "e5m2", "e2m1fn"))
    null = ct.POINTER(clib.Format)()
    for dim in ("m", "n", "k"):
        yield f"{dim} of zero", "ERR_SHAPE", {dim: 0}
    for stride, size in (("a.stride", 3), ("b.stride", 3), ("ldd", 2)):
        yield f"short {stride}", "ERR_STRIDE", {stride: size - 1}
    yield "short ldc", "ERR_STRIDE", {"beta": 1.0, "c": scalar(0), "c_format": fp16, "ldc": 1}
    for value in (0.0, -0.0, -1.0, float("inf"), float("nan")):
        yield "scale of A", "ERR_SCALE", {"a.scale": scale(value)}
        yield "one scale of many", "ERR_SCALE", {"b.scale": scale(1.0, value)}
        yield "scale of D", "ERR_SCALE", {"scale_d": scalar(value)}
    yield (
        "scale without values",
        "ERR_NULL",
        {"a.scale": clib.Scale(clib.enum("SCALE_TENSOR"), None)},
    )
    clamp = clib.enum("ACT_CLAMP")
    for lo, hi in (
        (1, -1),
        (float("-inf"), 1),
        (0, float("inf")),
        (float("nan"), 1),
        (0, float("nan")),
    ):
        yield (
            "clamp bounds",
            "ERR_ACTIVATION",
            {"activation": clamp, "clamp_lo": lo, "clamp_hi": hi},
        )
    yield "unknown activation", "ERR_ACTIVATION", {"activation": clib.enum("ACTIVATIONS")}
    for pointer in ("a.codes", "b.codes", "d"):
        yield f"NULL {pointer}", "ERR_NULL", {pointer: None}
    yield "beta without C", "ERR_NULL", {"beta": 1.0, "c": None, "c_format": fp16, "ldc": 2}
    yield "C in FP4", "ERR_FORMAT", {"beta": 1.0, "c": scalar(0), "c_format": fp4, "ldc": 2}
    yield (
        "C without format",
        "ERR_FORMAT",
        {"beta": 1.0, "c": scalar(0), "c_format": null, "ldc": 2},
    )
    yield "D without format", "ERR_FORMAT", {"d_format": null}
    yield "unknown rounding of D", "ERR_ROUNDING", {"d_mode": clib.ConvertMode(9, 0)}
    yield (
        "unknown overflow of D",
        "ERR_OVERFLOW_MODE",
        {"d_format": fp8, "d_mode": clib.ConvertMode(0, 9)},
    )
    yield "A in FP16", "ERR_FORMAT", {"dot.a.format": fp16}
    yield "scaling exponent", "ERR_SCALE_EXPONENT", {"dot.a.scale_exp": 33}
    yield "group", "ERR_GROUP", {"dot.group": 1025}
    yield "accumulator", "ERR_ACCUMULATOR", {"dot.acc_format": 7}
    yield (
        "K above 2^G",
        "ERR_K_LIMIT",
        {"dot.acc_format": clib.enum("ACC_FIXED"), "dot.guard_bits": 1},
    )


def test_refusals(bench, lib):
    """Each refused with its status, and nothing written; first the same descriptor unchanged is accepted."""
    keep = []
    for name, status, changes in (("nothing wrong", "OK", {}), *refusal_changes(lib, keep)):
        d, result = clib.blank(6, np.uint32).reshape(2, 3), clib.GemmResult(flags=0xAA)
        before, one = d.copy(), np.ones(1, np.float32)
        case = plain_case(2, 2, 3)
        desc = descriptor(lib, case, d, one)
        for field, value in changes.items():
            clib.set_field(desc, field, value)
        bench.check(
            f"refused: {name}",
            lib.gemm(ct.byref(desc), ct.byref(result)),
            clib.enum(status),
            str(changes),
        )
        if status != "OK":
            bench.arrays("refused: D untouched", d, before)
            bench.check("refused: result untouched", result.flags, 0xAA, name)
    bench.check("refused: no descriptor", lib.gemm(None, None), clib.enum("ERR_NULL"))
