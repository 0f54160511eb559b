# SPDX-License-Identifier: Apache-2.0
"""The `fixed` accumulator against exact integers: its state, its read-out, its limits."""

import itertools

import clib
import corners
from draw import Codes, draw_k, draw_long, draw_scale
from oracle import exact
from test_dot import PAIRS, Dot, describe


def two_halves(x):
    x &= (1 << 128) - 1
    return x & (1 << 64) - 1, x >> 64


def fixed_state(acc):
    return acc.fixed_lo, acc.fixed_hi, acc.fixed_sticky, acc.fixed_terms


def test_fixed_random(bench, lib, rng, count=60):
    codes = {name: Codes(name) for name in exact.FP8}
    for (a_name, b_name), _ in itertools.product(PAIRS, range(count)):
        group, k, scale = int(rng.integers(1, 17)), draw_k(rng), draw_scale(rng, exact.FP32)
        a, b = draw_long(rng, codes[a_name], k), draw_long(rng, codes[b_name], k)
        if rng.integers(0, 4) == 0:  # every term comes back negated: an exact zero
            a, b = a + bytes(x ^ 128 if x & 127 else x for x in a), b + b
        want, dot = exact.Fixed(a_name, b_name), Dot(lib, a_name, b_name, "FIXED", group, scale)
        cut = group * (len(a) // group // 2)
        for lo, hi in ((0, cut), (cut, len(a))):
            if lo < hi:
                bench.check("fixed: status", dot.run(a[lo:hi], b[lo:hi]), clib.OK)
                want.accumulate(a[lo:hi], b[lo:hi])
                bench.check(
                    "fixed: state",
                    fixed_state(dot.acc),
                    (*two_halves(want.total), want.sticky, want.terms),
                    lambda: describe(a_name, b_name, "FIXED", 0, a[:hi], b[:hi], scale),
                )
        bench.check(
            "fixed: read-out and flags",
            (dot.read_out(), dot.flags.value),
            want.read_out(sum(scale)),
            lambda: describe(a_name, b_name, "FIXED", 0, a, b, scale),
        )


def test_fixed_corners(bench, lib):
    for name, (a_name, b_name), scale, a, b, code, flags in corners.FIXED:
        a, b = bytes.fromhex(a), bytes.fromhex(b)
        split = max(-32, min(32, scale))
        dot, own = (
            Dot(lib, a_name, b_name, "FIXED", 4, (split, scale - split)),
            exact.Fixed(a_name, b_name),
        )
        bench.check("fixed corners: status", dot.run(a, b), clib.OK, name)
        own.accumulate(a, b)
        got, want = (dot.read_out(), dot.flags.value), own.read_out(scale)
        bench.check(f"fixed corners: {name}", got, want, name)
        bench.check("fixed corners: the oracle itself", want, (code, flags), name)


def test_fixed_read_out_overflow(bench, lib):
    """To Inf exactly from the halfway point on. A K that gets there is long, so the state is loaded directly."""
    dot = Dot(lib, "e5m2", "e5m2", "FIXED", 1, (32, 32), guard_bits=40)
    shift = 128 + 32 - 64  # 2^128 in units of 2^-32, less the scale
    half_ulp = 1 << (shift - 25)
    for total, code, flags in (
        (1 << shift, 0x7F800000, exact.OVERFLOW),
        ((1 << shift) - half_ulp, 0x7F800000, exact.OVERFLOW),
        ((1 << shift) - half_ulp - 1, 0x7F7FFFFF, 0),
        (-(1 << shift), 0xFF800000, exact.OVERFLOW),
        (-(1 << shift) + half_ulp + 1, 0xFF7FFFFF, 0),
    ):
        lo, hi = two_halves(total)
        dot.acc.fixed_lo, dot.acc.fixed_hi, dot.flags.value = lo, hi, 0
        dot.acc.fixed_terms, dot.acc.fixed_scale = 1 << 40, 64
        bench.check(
            "fixed: overflow of the read-out",
            (dot.read_out(), dot.flags.value),
            (code, flags),
            hex(total),
        )


def test_fixed_limits(bench, lib):
    """K <= 2^G and one scale per output are checked; a refused call leaves the state alone."""
    one, limit = bytes([0x38]), clib.enum("ERR_K_LIMIT")
    for guard_bits in (1, 4, 16, 0):
        k = 1 << (guard_bits or 16)
        dot = Dot(lib, "e4m3fn", "e4m3fn", "FIXED", 4, guard_bits=guard_bits)
        bench.check(
            "fixed: K above 2^G refused", dot.run(one * (k + 1), one * (k + 1)), limit, guard_bits
        )
        bench.check(
            "fixed: refused call changes nothing", fixed_state(dot.acc), (0, 0, 0, 0), guard_bits
        )
        bench.check("fixed: K of 2^G accepted", dot.run(one * k, one * k), clib.OK, guard_bits)
        state = fixed_state(dot.acc)
        bench.check("fixed: full accumulator", state, (k << 18, 0, 0, k), guard_bits)
        bench.check("fixed: one term more refused", dot.run(one, one), limit, guard_bits)
        bench.check(
            "fixed: one step more refused",
            dot.lib.dot_step(*dot.p[:2], one, one, 1, dot.p[2]),
            limit,
        )
        bench.check("fixed: refused call changes nothing", fixed_state(dot.acc), state, guard_bits)
    dot = Dot(lib, "e4m3fn", "e4m3fn", "FIXED", 2, (3, -1))
    bench.check("fixed: first scale accepted", dot.run(one, one), clib.OK)
    dot.config.a.scale_exp = 4
    state = fixed_state(dot.acc)
    for b, want in ((-1, "ERR_SCALE_EXPONENT"), (-2, "OK")):  # sa + sb is what counts
        dot.config.b.scale_exp = b
        bench.check("fixed: change of sa+sb refused", dot.run(one, one), clib.enum(want), b)
        bench.check(
            "fixed: refused call changes nothing", fixed_state(dot.acc) == state, want != "OK", b
        )
