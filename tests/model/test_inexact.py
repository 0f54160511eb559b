# SPDX-License-Identifier: Apache-2.0
"""The flags inexact and underflow of conversions, steps, whole K and GEMMs, against exact numbers."""

import ctypes as ct
from fractions import Fraction

import clib
import numpy as np
from oracle import definition as d
from oracle import inexact
from test_settings import (
    about,
    dot_config,
    draw_acc_code,
    draw_codes,
    draw_mx,
    draw_settings,
    one_of,
)

CONVERSIONS, STEPS, WHOLE_K, GEMMS = 400, 2500, 300, 60
ROUNDINGS = ("NEAREST_EVEN", "TOWARD_ZERO")
OVERFLOWS = ("SATURATE", "SATURATE_FINITE", "IEEE")
FP32 = d.FORMATS["float32"]


def tracking():
    return ct.c_uint32(inexact.TRACK)


def raised(flags):
    """What was raised. The caller's request must still be there."""
    assert flags.value & inexact.TRACK
    return flags.value & ~inexact.TRACK


def around(rng, row):
    """Doubles that lie where the flags change: codes, ties, and values beside both, at both ends of the range."""
    codes = [int(c) for c in rng.integers(0, d.max_code(row) + 1, 4)]
    least = (row.low != "gradual") + (1 << row.mantissa_bits)
    codes += [0, 1, 2, max(least - 1, 0), least, d.max_code(row) - 1, d.max_code(row)]
    for code in codes:
        low, high = d.magnitude_of(row, code), d.magnitude_of(row, code + 1)
        for part in (
            0,
            Fraction(1, 4),
            Fraction(1, 2),
            Fraction(3, 4),
            Fraction(15, 16),
            Fraction(31, 32),
        ):
            x = low + (high - low) * part
            for near in (x, x * (1 + Fraction(1, 1 << 40)), x * (1 - Fraction(1, 1 << 40))):
                yield float(near)
    yield from (0.0, float("inf"), float("nan"))


def value_of(x):
    if x != x:
        return (d.NAN, int(np.signbit(x)), Fraction(0))
    if x in (float("inf"), float("-inf")):
        return (d.INF, int(x < 0), Fraction(0))
    return (d.FINITE if x else d.ZERO, int(np.signbit(x)), abs(Fraction(x)))


def test_conversions(bench, lib, rng):
    for name, row in d.FORMATS.items():
        p = lib.by_name[name]
        for magnitude in around(rng, row):
            x = magnitude if rng.integers(0, 4) else -magnitude
            for rounding in ROUNDINGS:
                overflow = one_of(rng, *OVERFLOWS) if row.has_inf or row.nan else "SATURATE"
                flags, mode = tracking(), clib.mode(rounding, overflow)
                code = lib.encode(p, lib.value_from_double(x), mode, ct.byref(flags))
                want = inexact.encode(row, value_of(x), rounding, overflow)
                if row.nan != "ieee" or not np.isnan(x):
                    bench.check(
                        f"conversion to {name}",
                        (code, raised(flags)),
                        want,
                        f"{x!r} {rounding} {overflow}",
                    )
                array, codes = np.full(3, x), clib.blank(3, f"u{lib.format_bytes(p)}")
                flags = tracking()
                status = lib.convert_from_double(
                    p, codes.ctypes.data, array.ctypes.data, 3, mode, ct.byref(flags)
                )
                bench.check("arrays of doubles", (status, raised(flags)), (clib.OK, want[1]), name)
                quiet = ct.c_uint32()
                lib.encode(p, lib.value_from_double(x), mode, ct.byref(quiet))
                bench.check("nothing where it is not asked for", quiet.value, want[1] & 15, name)
            n = int(rng.integers(1, 25))
            r = int(rng.integers(0, 1 << n))
            flags = tracking()
            code = lib.encode_stochastic(p, lib.value_from_double(x), 0, r, n, ct.byref(flags))
            want = inexact.encode(row, value_of(x), "STOCHASTIC", "SATURATE", r, n)
            if np.isfinite(x):
                bench.check(
                    f"stochastic, to {name}", (code, raised(flags)), want, f"{x!r} {r}/2^{n}"
                )


def product(x, y):
    """float32 x * y: the result and its flags."""
    exact = Fraction(float(x)) * Fraction(float(y))
    sign = int(np.signbit(x) != np.signbit(y))
    return inexact.encode(FP32, (d.FINITE if exact else d.ZERO, sign, abs(exact)), overflow="IEEE")


def test_float32_arrays(bench, lib, rng):
    """Arrays that the kernels convert as long as nobody asks; with a scale, the product's flags too."""
    for _ in range(CONVERSIONS):
        name = one_of(rng, "e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "float16", "bfloat16")
        row, p = d.FORMATS[name], lib.by_name[name]
        x = (rng.normal() * 2.0 ** rng.integers(-20, 12, 70)).astype(np.float32)
        x[rng.integers(0, 2, 70) == 0] = one_of(rng, 0.0, 1.0, 2.0**-9, 448.0, 2.0**-24)
        out, mode = clib.blank(70, f"u{lib.format_bytes(p)}"), clib.mode()
        flags, want = tracking(), 0
        fp32 = lib.by_name["float32"]
        lib.convert(p, out.ctypes.data, fp32, x.ctypes.data, x.size, mode, ct.byref(flags))
        for v in x:
            want |= inexact.encode(row, value_of(float(v)))[1]
        bench.check("arrays of float32", raised(flags), want, name)
        scale, flags, want = np.float32(one_of(rng, 2.0, 0.1, 1e-30)), tracking(), 0
        lib.quantize(p, out.ctypes.data, x.ctypes.data, x.size, float(scale), mode, ct.byref(flags))
        for v in x:
            code, own = product(v, scale)
            want |= own | inexact.encode(row, d.decode(FP32, code))[1]
        bench.check("arrays with a scale", raised(flags), want, f"{name} {scale}")
        source = clib.RandomSource(None, 8, 5, 0, 0, 0)
        flags, want = tracking(), 0
        lib.convert_stochastic(
            p, out.ctypes.data, fp32, x.ctypes.data, x.size, 0, ct.byref(source), ct.byref(flags)
        )
        for i, v in enumerate(x):
            r = d.draw_bits(5, 0, i, 0, "CONVERT", 8)
            want |= inexact.encode(row, value_of(float(v)), "STOCHASTIC", r=r, n=8)[1]
        bench.check("arrays, stochastic", raised(flags), want, name)


def test_steps(bench, lib, rng):
    for _ in range(STEPS):
        s = draw_settings(rng)._replace(promote=0, chunk=0)
        config, n = dot_config(lib, s), int(rng.integers(1, s.group + 1))
        a, b = draw_codes(rng, s.a_format, n), draw_codes(rng, s.b_format, n)
        start = draw_acc_code(rng, s, a, b)
        acc, flags = clib.Acc(code=start, m=1, n=2, steps=3), tracking()
        lib.dot_step(ct.byref(config), ct.byref(acc), a, b, n, ct.byref(flags))
        r = d.draw_bits(s.seed, 1, 2, 3, "STEP", s.random_bits) if s.random_bits else 0
        kind = "exact" if not s.frac_bits else "late" if s.late else "aligned"
        bench.check(
            f"steps, {kind}, {s.acc}, {s.acc_rounding.lower()}",
            (acc.code, raised(flags)),
            inexact.step(s, start, a, b, r=r),
            lambda: about(s, start, a, b),
        )


def test_whole_k(bench, lib, rng):
    for _ in range(WHOLE_K):
        s, k = draw_settings(rng), int(rng.integers(1, 150))
        a, b = draw_codes(rng, s.a_format, k), draw_codes(rng, s.b_format, k)
        mx = draw_mx(rng, k)
        pairs = None if mx is None else [(int(mx[i // 32]), 127) for i in range(k)]
        draw = lambda use, step: (
            d.draw_bits(s.seed, 7, 8, step, use, s.random_bits) if s.random_bits else 0
        )
        want = inexact.Accumulator(s, 0, draw)
        want.run(a, b, pairs)
        config, acc, flags = dot_config(lib, s), clib.Acc(m=7, n=8), tracking()
        terms = ((a, None if mx is None else mx.tobytes()), (b, None))
        terms = (clib.DotTerms(*x) for x in terms)
        lib.dot_mx(ct.byref(config), ct.byref(acc), *terms, k, ct.byref(flags))
        got = lib.acc_to_fp32(ct.byref(config), ct.byref(acc), ct.byref(flags))
        bench.check("whole K", (got, raised(flags)), want.read_out(), lambda: about(s, a, b))


def test_static(bench, lib, rng):
    """A static shared exponent truncates products; the read-out rounds."""
    row = d.FORMATS["e4m3fn"]
    for _ in range(300):
        frac_bits, k = int(rng.integers(1, 36)), int(rng.integers(1, 20))
        a, b = draw_codes(rng, "e4m3fn", k), draw_codes(rng, "e4m3fn", k)
        s = d.settings(group=k, frac_bits=frac_bits)
        config, acc, flags = dot_config(lib, s), clib.Acc(), tracking()
        config.acc_format, config.static_exponent = clib.enum("ACC_FIXED"), 16
        config.min_exponent = 0  # for floating-point accumulators
        lib.dot(ct.byref(config), ct.byref(acc), a, b, k, ct.byref(flags))
        code = lib.acc_to_fp32(ct.byref(config), ct.byref(acc), ct.byref(flags))
        want = d.Static(row, row, frac_bits, 16)
        want.accumulate(a, b)
        truncated = want.total * want.unit
        exact = inexact.exact_sum(s, 0, a, b)
        lost = inexact.INEXACT if exact is not None and exact != truncated else 0
        read, plain = want.read_out(0)
        final = 0 if want.sticky else inexact.flags(FP32, truncated, d.decode(FP32, read))
        bench.check(
            "static exponent",
            (code, raised(flags)),
            (read, plain | lost | final),
            (a, b, frac_bits),
        )


def test_gemm(bench, lib, rng):
    """The flags of a GEMM: those of every step, and of every operation of the epilogue."""
    for _ in range(GEMMS):
        m, n, k = (int(v) for v in rng.integers(1, 6, 3))
        s = one_of(
            rng,
            d.settings(group=4),
            d.settings(group=2, acc="FP16"),
            d.settings(group=32, frac_bits=13, acc="E8M13", acc_rounding="TOWARD_ZERO"),
        )
        powers = rng.integers(0, 2)
        low, high = (0x30, 0x50) if rng.integers(0, 2) else (0, 0x60)
        a, b = (rng.integers(low, high, (rows, k)).astype(np.uint8) for rows in (m, n))
        scale = lambda: np.float32(2.0 ** rng.integers(-3, 4) if powers else rng.uniform(0.1, 9))
        scale_a, scale_b, scale_d = (np.array([scale()]) for _ in range(3))
        if not rng.integers(0, 3):
            scale_d[0] = 1e-10
        bias = rng.integers(-4, 5, n).astype(np.float32)
        c = rng.integers(-4, 5, (m, n)).astype(np.float32)
        beta = np.float32(one_of(rng, 0, 1, 0.3))
        name = one_of(rng, "e4m3fn", "e5m2", "float16", "float32")
        row, want, codes = d.FORMATS[name], 0, []
        for i in range(m):
            for j in range(n):
                acc = inexact.Accumulator(s)
                acc.run(a[i].tobytes(), b[j].tobytes())
                t, own = acc.read_out()
                code, more = epilogue(
                    row, t, scale_a[0], scale_b[0], bias[j], beta, c[i, j], scale_d[0]
                )
                want |= own | more
                codes.append(code)
        d_out = clib.blank(m * n, f"u{lib.format_bytes(lib.by_name[name])}")
        desc = clib.GemmDesc(
            m, n, k, dot_config(lib, s), (a.ctypes.data, k), (b.ctypes.data, k),
            bias.ctypes.data, float(beta), c.ctypes.data, lib.by_name["float32"], n, 0, 0, 0,
            d_out.ctypes.data, lib.by_name[name], n, clib.mode(), scale_d.ctypes.data,
        )  # fmt: skip
        desc.a.scale = clib.Scale(1, scale_a.ctypes.data)
        desc.b.scale = clib.Scale(1, scale_b.ctypes.data)
        desc.inexact_flags = True
        result = clib.GemmResult()
        status = lib.gemm(ct.byref(desc), ct.byref(result))
        bench.check("GEMM: status", status, clib.OK)
        bench.arrays("GEMM: D", d_out.astype(np.int64), np.array(codes))
        bench.check("GEMM: flags", result.flags, want, lambda: about(s, name))
        desc.inexact_flags = False
        lib.gemm(ct.byref(desc), ct.byref(result))
        bench.check("GEMM: nothing where it is not asked for", result.flags, want & 15)


def epilogue(row, t0, scale_a, scale_b, bias, beta, c, scale_d):
    """D and its flags, one float32 operation after the other."""
    flags = 0

    def rounded(exact, zero_sign):
        nonlocal flags
        value = (d.FINITE if exact else d.ZERO, int(exact < 0 if exact else zero_sign), abs(exact))
        code, raised = inexact.encode(FP32, value, overflow="IEEE")
        flags |= raised
        return np.uint32(code).view(np.float32)

    def mul(x, y):
        return rounded(Fraction(float(x)) * Fraction(float(y)), np.signbit(x) != np.signbit(y))

    def add(x, y):
        return rounded(Fraction(float(x)) + Fraction(float(y)), np.signbit(x) and np.signbit(y))

    t = mul(np.uint32(t0).view(np.float32), mul(scale_a, scale_b))
    t = add(t, bias)
    if beta:
        t = add(t, mul(beta, c))
    t = mul(t, scale_d)
    code, raised = inexact.encode(row, d.decode(FP32, int(t.view(np.uint32))))
    return code, flags | raised
