# SPDX-License-Identifier: Apache-2.0
"""Every setting of a step against the definition in exact integers: random settings, whole K in tiles, presets."""

import ctypes as ct
import itertools

import clib
import numpy as np
from oracle import definition as d
from oracle import mma_sync
from settings import (
    OPERANDS,
    about,
    dot_config,
    draw_acc_code,
    draw_codes,
    draw_mx,
    draw_settings,
    one_of,
)

RANDOM_SETTINGS, STEPS_EACH, WHOLE_K = 2500, 6, 500


def test_steps(bench, lib, rng):
    for _ in range(RANDOM_SETTINGS):
        s = draw_settings(rng)._replace(promote=0, chunk=0)
        config, flags = dot_config(lib, s), ct.c_uint32()
        bench.check(
            "steps: the settings are valid",
            lib.dot_config_validate(ct.byref(config)),
            clib.OK,
            about(s),
        )
        for _ in range(STEPS_EACH):
            n = s.group if rng.integers(0, 3) else int(rng.integers(1, s.group + 1))
            a, b = draw_codes(rng, s.a_format, n), draw_codes(rng, s.b_format, n)
            start = draw_acc_code(rng, s, a, b)
            acc = clib.Acc(
                code=start,
                m=int(rng.integers(0, 99)),
                n=int(rng.integers(0, 99)),
                steps=int(rng.integers(0, 1 << 40)),
            )
            r = (
                d.draw_bits(s.seed, acc.m, acc.n, acc.steps, "STEP", s.random_bits)
                if s.random_bits
                else 0
            )
            flags.value = 0
            status = lib.dot_step(ct.byref(config), ct.byref(acc), a, b, n, ct.byref(flags))
            kind = (
                "exact"
                if not s.frac_bits
                else "aligned"
                if not s.late
                else "late"
                if s.late_bits_sum
                else "apart"
            )
            kind += ", by operands" if s.align_by == "OPERANDS" else ""
            bench.check(
                f"steps, {kind}, {s.acc}, {s.acc_rounding.lower()}",
                (status, acc.code, flags.value),
                (clib.OK, *d.step(s, start, a, b, r=r)),
                lambda: about(s, start, a, b),
            )


def test_far_apart(bench, lib, rng):
    """The products' sum is a tie, and an accumulator of any size below it breaks the tie."""
    flags = ct.c_uint32()
    for rounding, exponent, sign in itertools.product(
        ("NEAREST_EVEN", "TOWARD_ZERO"), range(0, 100), (0, 1 << 31)
    ):
        s = d.settings(
            group=2, acc_rounding=rounding, nan_code=0x7FFFFFFF, sa=int(rng.integers(0, 33))
        )
        config = dot_config(lib, s)
        start = sign | (exponent << 23 | 0x400000 if exponent else 1)
        for a, b in (
            (b"\x58\x01", b"\x48\x01"),
            (b"\x58\x81", b"\x48\x01"),
            (b"\x58\x02", b"\x48\x01"),
        ):
            acc = clib.Acc(code=start)
            flags.value = 0
            lib.dot_step(ct.byref(config), ct.byref(acc), a, b, 2, ct.byref(flags))
            bench.check(
                "steps: a far accumulator breaks the tie",
                (acc.code, flags.value),
                d.step(s, start, a, b),
                lambda: about(s, start, a, b),
            )


# ---- the whole of K -------------------------------------------------------------------------------------------------


def run_library(lib, s, start, a, b, mx_a, mx_b, cuts, m, n):
    """(read-out, flags, state) of K in pieces, the state copied out and back between them."""
    config, acc, flags = dot_config(lib, s), clib.Acc(code=start, m=m, n=n), ct.c_uint32()
    for first, last in itertools.pairwise((0, *cuts, len(a))):
        state = clib.Acc.from_buffer_copy(bytes(acc))
        own, k = (ct.byref(config), ct.byref(state)), last - first
        if mx_a is None and mx_b is None:
            status = lib.dot(*own, a[first:last], b[first:last], k, ct.byref(flags))
        else:
            part = (None if x is None else x[first // 32 :].tobytes() for x in (mx_a, mx_b))
            terms = map(clib.DotTerms, (a[first:last], b[first:last]), part)
            status = lib.dot_mx(*own, *terms, k, ct.byref(flags))
        assert status == clib.OK, lib.status_string(status)
        acc = state
    state = bytes(acc)
    code = lib.acc_to_fp32(ct.byref(config), ct.byref(acc), ct.byref(flags))
    assert bytes(acc) == state, "the read-out changed the state"
    return code, flags.value, state


def draw_cuts(rng, s, k, scaled):
    block = 2 * s.group if s.k_order == "PAIRS" else s.group
    period = np.lcm.reduce([block, s.promote or 1, s.chunk or 1, 32 if scaled else 1])
    places = range(int(period), k, int(period))
    return (
        sorted(int(x) for x in rng.choice(places, min(len(places), 3), replace=False))
        if places
        else []
    )


def test_whole_k(bench, lib, rng):
    for _ in range(WHOLE_K):
        s, k = draw_settings(rng), int(rng.integers(1, 200))
        a, b = draw_codes(rng, s.a_format, k), draw_codes(rng, s.b_format, k)
        mx_a, mx_b = draw_mx(rng, k), draw_mx(rng, k)
        scaled = mx_a is not None or mx_b is not None
        start = one_of(rng, 0, 0, draw_acc_code(rng, s, a[:4], b[:4]))
        m, n = (int(x) for x in rng.integers(0, 1 << 32, 2))
        mx = (
            [tuple(127 if x is None else int(x[i // 32]) for x in (mx_a, mx_b)) for i in range(k)]
            if scaled
            else None
        )
        bits = (
            (lambda use, step: d.draw_bits(s.seed, m, n, step, use, s.random_bits))
            if s.random_bits
            else None
        )
        want = d.Accumulator(s, start, bits)
        want.run(a, b, mx)
        whole = run_library(lib, s, start, a, b, mx_a, mx_b, [], m, n)
        kind = "promoted" if s.promote else "in chunks" if s.chunk else "one accumulator"
        kind += ", by operands" if s.align_by == "OPERANDS" else ""
        kind += ", pairs" if s.k_order == "PAIRS" else ""
        bench.check(
            f"whole K, {kind}{', MX' if scaled else ''}",
            whole[:2],
            want.read_out(),
            lambda: about(s, start, a, b),
        )
        cuts = draw_cuts(rng, s, k, scaled)
        tiled = run_library(lib, s, start, a, b, mx_a, mx_b, cuts, m, n)
        bench.check(
            "whole K: tiles change nothing, state included", tiled, whole, lambda: about(s, cuts)
        )


# ---- aligned to the largest operands, late accumulation with rounding to odd: by hand -------------------------------

ALIGNED = dict(group=64, frac_bits=13)
ODD_16 = dict(
    ALIGNED,
    acc="FP16",
    late=True,
    late_bits_sum=13,
    late_bits_acc=13,
    late_round="ODD",
    min_exponent=-14,
)
ZERO_16 = dict(ODD_16, late_round="TOWARD_ZERO")
ODD_32 = dict(
    ALIGNED, sa=16, frac_bits=25, late=True, late_bits_sum=25, late_bits_acc=25, late_round="ODD"
)
LEAST = dict(ALIGNED, acc="FP16", frac_bits=3, align="ODD", min_exponent=-14)
# Name, settings, acc, A and B in e4m3fn, results by products and by operands.
BY_HAND = (
    # 256 beside a zero: 2^(8-9) is the bound and 2^-14 the quantum of 2^-18. By products it is 2^-25.
    ("an operand beside a zero counts", ALIGNED, 0, "78 01", "00 01", 0x36800000, 0),
    ("on either side", ALIGNED, 0, "00 01", "78 01", 0x36800000, 0),
    # 21 * 2^-18: the bound is -8 - 7. By products it is -6 - 6, the subnormals' own binade, and 20 is left.
    (
        "subnormals are normalised",
        dict(ALIGNED, frac_bits=4),
        0,
        "03",
        "07",
        0x38A00000,
        0x38A80000,
    ),
    # 2^-1 twice and 1.125 * 2^-12, with 2^(8+8) for a bound, so that 2 is the quantum.
    (
        "maxima of different terms",
        dict(ALIGNED, frac_bits=15),
        0,
        "78 01 09",
        "01 78 08",
        0x3F800800,
        0,
    ),
    # Every product is zero, the bound is 2^0 all the same, and acc = 2^-20 is below 2^-13.
    ("maxima without a product", ALIGNED, 0x35800000, "38 00", "00 38", 0x35800000, 0),
    ("no maximum, A is zero", ALIGNED, 0x35800000, "00 80", "7e 7e", 0x35800000, 0x35800000),
    ("no maximum, B is zero", ALIGNED, 0x35800000, "7e 7e", "80 00", 0x35800000, 0x35800000),
    # 2^-23 after scaling, the bound 2^-6.
    (
        "scaled, kept",
        dict(ALIGNED, sa=5, sb=-3, lscale=7, frac_bits=17),
        0,
        "78 01",
        "00 01",
        0x34000000,
        0x34000000,
    ),
    (
        "scaled, lost",
        dict(ALIGNED, sa=5, sb=-3, lscale=7, frac_bits=16),
        0,
        "78 01",
        "00 01",
        0x34000000,
        0,
    ),
    (
        "the accumulator is above the bound",
        ALIGNED,
        0x4B000000,
        "78 38",
        "00 38",
        0x4B000000,
        0x4B000000,
    ),
    ("NaN takes the result", ALIGNED, 0, "7f 38", "38 38", 0x7FC00000, 0x7FC00000),
    # -2^-18 to odd, at 2^(-14-3); by products at 2^(-12-3).
    ("the least exponent", LEAST, 0, "81", "01", 0x8200, 0x8080),
    # 1 + 2^-11 is a tie of FP16, and 2^-18 beside it a sticky bit at 2^-13 if it was not truncated before.
    ("late, a tie", ODD_16, 0x3C00, "10", "08", 0x3C00, 0x3C00),
    ("late, to odd", ODD_16, 0x3C00, "10 01", "08 01", 0x3C01, 0x3C01),
    ("late, toward zero", ZERO_16, 0x3C00, "10 01", "08 01", 0x3C00, 0x3C00),
    ("late, lost below the bound", ODD_16, 0x3C00, "10 01 78", "08 01 00", 0x3C01, 0x3C00),
    ("late, a tie of the products", ODD_16, 0, "38 10", "38 08", 0x3C00, 0x3C00),
    ("late, acc to odd", ODD_16, 0x0001, "38 10", "38 08", 0x3C01, 0x3C01),
    ("late, acc below zero to odd", ODD_16, 0x8001, "38 10", "38 08", 0x3C00, 0x3C00),
    # 2^24 + 1 is a tie of FP32, and acc = 2^-40 a sticky bit at 2^-1.
    ("late, FP32, a tie", ODD_32, 0, "78 01", "38 04", 0x4B800000, 0x4B800000),
    ("late, FP32, acc to odd", ODD_32, 0x2B800000, "78 01", "38 04", 0x4B800001, 0x4B800001),
    (
        "late, FP32, acc toward zero",
        dict(ODD_32, late_round="TOWARD_ZERO"),
        0x2B800000,
        "78 01",
        "38 04",
        0x4B800000,
        0x4B800000,
    ),
)


def test_aligned_by_hand(bench, lib):
    for (name, changes, start, a, b, *results), side in itertools.product(BY_HAND, (0, 1)):
        s = d.settings(**changes, align_by=("PRODUCTS", "OPERANDS")[side])
        a, b = bytes.fromhex(a), bytes.fromhex(b)
        config, acc = dot_config(lib, s), clib.Acc(code=start)
        status = lib.dot_step(ct.byref(config), ct.byref(acc), a, b, len(a), None)
        bench.check(
            "by hand: aligned",
            (status, acc.code),
            (clib.OK, results[side]),
            lambda: f"{name} {about(s)}",
        )
        bench.check(
            "by hand: the definition itself", d.step(s, start, a, b)[0], results[side], name
        )
    # 1.125^2 * 2^10 = 1296. B's second block, 2^10 * 1, is beside a zero; 2^20 is the bound and 2^7 the quantum.
    a, b = (bytes([0x39] + [0] * 31 + [other] + [0] * 31) for other in (0, 0x38))
    scales = [np.array(x, np.uint8) for x in ((137, 127), (127, 137))]
    for align_by, want in (("PRODUCTS", 0x44A20000), ("OPERANDS", 0x44A00000)):
        s = d.settings(**ALIGNED, align_by=align_by)
        got = run_library(lib, s, 0, a, b, *scales, [], 0, 0)[0]
        bench.check("by hand: block scales are their operands'", got, want, align_by)


# ---- late accumulation with rounding to odd, both alignments --------------------------------------------------------

LATE_ODD = (
    dict(frac_bits=25, late_bits_sum=25, late_bits_acc=25),
    dict(frac_bits=13, late_bits_sum=25, late_bits_acc=25),
    dict(acc="FP16", frac_bits=13, late_bits_sum=13, late_bits_acc=13, min_exponent=-14),
    dict(acc="FP16", frac_bits=25, late_bits_sum=13, late_bits_acc=13, min_exponent=-14),
    dict(acc="FP16", frac_bits=25, late_bits_sum=25, late_bits_acc=25, min_exponent=-14),
    dict(acc="E8M13", frac_bits=13, late_bits_sum=13, late_bits_acc=13),
)
LATE_EACH = 500


def test_late_odd(bench, lib, rng):
    """Steps from accumulators near the products' sum, in both alignments, which must not always agree."""
    for family in LATE_ODD:
        differ = 0
        for _ in range(LATE_EACH):
            scales = (
                dict(sa=int(rng.integers(-8, 9)), sb=int(rng.integers(-8, 9)))
                if rng.integers(0, 2)
                else {}
            )
            s = d.settings(
                **family,
                **scales,
                late=True,
                late_round="ODD",
                group=one_of(rng, 4, 8, 16, 32),
                a_format=one_of(rng, *OPERANDS[:4]),
                b_format=one_of(rng, *OPERANDS[:4]),
                align=one_of(rng, "TOWARD_ZERO", "TOWARD_ZERO", "ODD"),
            )
            n = int(rng.integers(1, s.group + 1))
            a, b = draw_codes(rng, s.a_format, n), draw_codes(rng, s.b_format, n)
            start, codes = draw_acc_code(rng, s, a, b), []
            for align_by in ("PRODUCTS", "OPERANDS"):
                s = s._replace(align_by=align_by)
                config, acc, flags = dot_config(lib, s), clib.Acc(code=start), ct.c_uint32()
                status = lib.dot_step(ct.byref(config), ct.byref(acc), a, b, n, ct.byref(flags))
                bench.check(
                    f"late to odd, {s.acc}, F {s.frac_bits}, {s.late_bits_sum} late, by {align_by.lower()}",
                    (status, acc.code, flags.value),
                    (clib.OK, *d.step(s, start, a, b)),
                    lambda: about(s, start, a, b),
                )
                codes.append(acc.code)
            differ += codes[0] != codes[1]
        bench.check("late to odd: the alignments differ", differ > 0, True, family)


# ---- presets: settings written here from the published tables, never read from the library --------------------------

TOWARD_ZERO = dict(acc_rounding="TOWARD_ZERO", nan_code=0x7FFFFFFF)
HALF = dict(acc="FP16", nan_code=0x7FFF)
PRESETS = {
    "ieee-fma": d.settings(),
    "hopper-fp8": d.settings(group=32, acc="E8M13", frac_bits=13, **TOWARD_ZERO),
    "hopper-fp8-fp16": d.settings(group=32, frac_bits=13, **HALF),
    "ada-fp8": d.settings(group=16, acc="E8M13", frac_bits=13, **TOWARD_ZERO),
    "ada-fp8-fp16": d.settings(group=16, frac_bits=13, **HALF),
    "blackwell-fp8": d.settings(group=32, frac_bits=25, **TOWARD_ZERO),
    "blackwell-fp8-fp16": d.settings(group=32, frac_bits=25, **HALF),
    "hopper-mma-fp8-fp16": d.settings(group=16, frac_bits=25, k_order="PAIRS", chunk=32, **HALF),
    "blackwell-mma-fp8": d.settings(
        group=16, frac_bits=25, k_order="PAIRS", promote=32, **TOWARD_ZERO
    ),
    "blackwell-mma-fp8-fp16": d.settings(group=16, frac_bits=25, k_order="PAIRS", chunk=32, **HALF),
    "cdna3-fp8": d.settings(
        a_format="e4m3fnuz",
        b_format="e4m3fnuz",
        group=16,
        frac_bits=24,
        late=True,
        even_odd=True,
        late_round="FLOOR",
        late_bits_sum=31,
        late_bits_acc=24,
        late_drop=25,
    ),
    "riscv-fqbdot8f": d.settings(
        group=32, frac_bits=28, align="ODD", late=True, acc_rounding="ODD"
    ),
    "arm-fdot2": d.settings(group=2, acc="FP16"),
    "arm-fdot4": d.settings(group=4),
    "ibm-chunk": d.settings(a_format="e5m2", b_format="e5m2", acc="E6M9", chunk=64),
    "ibm-stochastic": d.settings(
        a_format="e5m2", b_format="e5m2", acc="E6M9", acc_rounding="STOCHASTIC", random_bits=16
    ),
}
NOT_COVERED = ("gaudi2-fp8",)


def late(group, acc, frac_bits, late_bits):
    return d.settings(
        group=group, acc=acc, frac_bits=frac_bits, align_by="OPERANDS", late=True,
        late_round="ODD", late_bits_sum=late_bits, late_bits_acc=late_bits,
    )  # fmt: skip


# Our own elements by their spelling, typed here and not taken from the catalogue.
ELEMENTS = {
    "exact": d.settings(group=4),
    "exact_l16": d.settings(group=16),
    "aligned_fp32": d.settings(group=4, frac_bits=25),
    "aligned_fp32_f23_l8": d.settings(group=8, frac_bits=23),
    "aligned_fp16": d.settings(group=4, acc="FP16", frac_bits=13, min_exponent=-14),
    "aligned_fp16_f10_l1": d.settings(group=1, acc="FP16", frac_bits=10, min_exponent=-14),
    "late_fp32": late(4, "FP32", 25, 25),
    "late_fp32_f29": late(4, "FP32", 29, 29),
    "late_fp32_l1": d.settings(group=1),
    "late_fp16": late(4, "FP16", 13, 13),
    "late_fp16_f9_l2": late(2, "FP16", 9, 12),
    "late_fp16_f13_l16": late(16, "FP16", 13, 13),
    "late_fp16_l1": d.settings(group=1, acc="FP16"),
    "block": late(32, "FP32", 19, 25),
    "block_f13": late(32, "FP32", 13, 25),
    "block64": late(64, "FP32", 19, 25),
    "block64_f13_l16": late(64, "FP32", 13, 25),
    "block64_fp32": late(64, "FP32", 13, 25),
    "block64_fp32_f10_l16": late(64, "FP32", 10, 25),
    "late": late(4, "FP32", 25, 25),
    "late_f9_l2": late(2, "FP32", 9, 25),
    "late_l1": d.settings(group=1),
    "aligned": d.settings(group=4, frac_bits=25),
    "aligned_f23_l8": d.settings(group=8, frac_bits=23),
}
# The same of those whose accumulator is chosen, with FP16.
ELEMENTS_FP16 = {
    "exact": d.settings(group=4, acc="FP16"),
    "block": late(32, "FP16", 19, 25),
    "block64": late(64, "FP16", 19, 25),
    "late": late(4, "FP16", 25, 25),
    "late_f13_l16": late(16, "FP16", 13, 25),
    "late_l1": d.settings(group=1, acc="FP16"),
    "aligned": d.settings(group=4, acc="FP16", frac_bits=25, min_exponent=-14),
    "aligned_f29_l8": d.settings(group=8, acc="FP16", frac_bits=29, min_exponent=-14),
}
# Elements with an integer accumulator: format of the operands, then fields of the configuration.
INTEGER_ELEMENTS = {
    "kulisch": ("e4m3fn", dict(acc_format="FIXED", group=4, guard_bits=16)),
    "kulisch_l32": ("e4m3fn", dict(acc_format="FIXED", group=32, guard_bits=16)),
    "static": (
        "e4m3fn",
        dict(acc_format="FIXED", group=4, guard_bits=16, frac_bits=13, static_exponent=16),
    ),
    "static_f20_l8": (
        "e4m3fn",
        dict(acc_format="FIXED", group=8, guard_bits=16, frac_bits=20, static_exponent=16),
    ),
    "int8": ("int8", dict(acc_format="INT32", group=4)),
    "int8_l16": ("int8", dict(acc_format="INT32", group=16)),
}
KINDS = (
    "exact",
    "aligned_fp32",
    "aligned_fp16",
    "kulisch",
    "int8",
    "late_fp32",
    "late_fp16",
    "static",
    "block",
    "late",
    "aligned",
    "block64",
    "block64_fp32",
)
# Names that are refused, and the status of the refusal.
BAD_NAMES = {
    "h100": "PRESET", "": "PRESET", "late_fp16_": "PRESET", "late_fp16_f": "PRESET", "late_fp16_l": "PRESET",
    "late_fp16_f013": "PRESET", "late_fp16_l4_f13": "PRESET", "late_fp16_f13_l4x": "PRESET", "late_fp16f13": "PRESET",
    "late_fp16_f13_f13": "PRESET", "late_fp16_l99999": "PRESET", "late_fp16_f0": "PRESET", "hopper-fp8_l4": "PRESET",
    "late_fp16_f8": "ACCUMULATOR", "late_fp16_f30": "ACCUMULATOR", "late_fp16_f13_l1": "ACCUMULATOR",
    "exact_f13": "ACCUMULATOR", "kulisch_f34": "ACCUMULATOR", "int8_f8": "ACCUMULATOR", "exact_l1025": "GROUP",
}  # fmt: skip


def preset(lib, name):
    p = clib.Preset()
    if lib.preset_by_name(name.encode(), ct.byref(p)) != clib.OK:
        raise ValueError(f"preset {name} is refused")
    return p


def test_presets(bench, lib, rng, count=60):
    names = []
    for index in range(lib.preset_count()):
        p = clib.Preset()
        bench.check("presets: by index", lib.preset_get(index, ct.byref(p)), clib.OK, index)
        name = p.name.decode()
        names.append(name)
        bench.check("presets: by name", bytes(preset(lib, name)), bytes(p), name)
        bench.check("presets: documented", min(len(p.summary), len(p.source)) > 20, True, name)
        own = p.compared.decode()
        named = own == "nothing" if name in NOT_COVERED else own.startswith("tests/oracle")
        bench.check("presets: say what they were compared with", named, True, name)
        bench.check(
            "presets: covered ones are valid",
            lib.dot_config_validate(ct.byref(p.config)) == clib.OK,
            name not in NOT_COVERED,
            name,
        )
        bench.check("presets: covered", p.covered, name not in NOT_COVERED, name)
    bench.check("presets: all of them", sorted(names), sorted((*PRESETS, *KINDS, *NOT_COVERED)))
    p = clib.Preset()
    past = (lib.preset_count(), 2**32 - 1)
    bench.check(
        "presets: past the last", [lib.preset_get(i, ct.byref(p)) for i in past],
        [clib.enum("ERR_PRESET")] * 2,
    )  # fmt: skip
    bench.check(
        "presets: NULL",
        (
            lib.preset_get(0, None),
            lib.preset_by_name(b"exact", None),
            lib.preset_by_name(None, ct.byref(p)),
        ),
        (clib.enum("ERR_NULL"),) * 3,
    )
    for name, status in BAD_NAMES.items():
        got = lib.preset_by_name(name.encode(), ct.byref(p))
        bench.check("presets: refused", got, clib.enum("ERR_" + status), name)
    for name, (row, fields) in INTEGER_ELEMENTS.items():
        config = preset(lib, name).config
        bench.check("elements: valid", lib.dot_config_validate(ct.byref(config)), clib.OK, name)
        formats = {config.a.format.contents.name, config.b.format.contents.name}
        bench.check("elements: formats", formats, {row.encode()}, name)
        want = clib.DotConfig((config.a.format,), (config.b.format,))
        for field, value in fields.items():
            acc = field == "acc_format"
            setattr(want, field, clib.enum("ACC_" + value) if acc else value)
        bench.check("elements: settings", bytes(config), bytes(want), name)
    for name, s in [*PRESETS.items(), *ELEMENTS.items(), *ELEMENTS_FP16.items()]:
        config = preset(lib, name).config
        if s is ELEMENTS_FP16.get(name):
            config.acc_format = clib.enum("ACC_FP16")
        for i in range(count):
            k = s.group * int(rng.integers(1, 5)) if i % 3 else int(rng.integers(1, 150))
            a, b = draw_codes(rng, s.a_format, k), draw_codes(rng, s.b_format, k)
            start = draw_acc_code(rng, s, a[: s.group], b[: s.group])
            want = d.Accumulator(s, start, lambda use, step: d.draw_bits(0, 3, 4, step, use, 16))
            want.run(a, b)
            acc, flags = clib.Acc(code=start, m=3, n=4), ct.c_uint32()
            lib.dot(ct.byref(config), ct.byref(acc), a, b, k, ct.byref(flags))
            got = lib.acc_to_fp32(ct.byref(config), ct.byref(acc), ct.byref(flags))
            bench.check(
                f"preset {name}", (got, flags.value), want.read_out(), lambda: about(s, start, a, b)
            )


def mma_operands(rng, name):
    """32 numbers of a format and their codes; some sets are spread over all binades, some are close together."""
    row = d.FORMATS[name]
    finite = [c for c, t in enumerate(d.table(name)) if t[0] in (d.FINITE, d.ZERO)]
    low = int(rng.integers(0, d.max_code(row) - 8))
    kinds = {
        0: lambda: one_of(rng, *finite),
        1: lambda: int(rng.integers(low, low + 8)) | one_of(rng, 0, d.sign_bit(row)),
        2: lambda: one_of(rng, 0, 1, d.max_code(row), d.max_code(row) | d.sign_bit(row)),
    }
    draw = kinds[int(rng.integers(0, 3))]
    codes = [draw() for _ in range(32)]
    return bytes(codes), [(-1) ** sign * x for _, sign, x, _ in (d.decode(row, c) for c in codes)]


def test_mma_sync(bench, lib, rng, count=400):
    """The mma.sync presets against the instruction's definition; C is loaded."""

    operands = {"e4m3fn": mma_sync.E4M3, "e5m2": mma_sync.E5M2}
    for name, result, row in (
        ("hopper-mma-fp8-fp16", mma_sync.FP16, d.FORMATS["float16"]),
        ("blackwell-mma-fp8-fp16", mma_sync.FP16, d.FORMATS["float16"]),
        ("blackwell-mma-fp8", mma_sync.FP32, d.FORMATS["float32"]),
    ):
        for _ in range(count):
            config = preset(lib, name).config
            a_name, b_name = (one_of(rng, *operands) for _ in range(2))
            config.a.format, config.b.format = lib.by_name[a_name], lib.by_name[b_name]
            (a, x), (b, y) = mma_operands(rng, a_name), mma_operands(rng, b_name)
            total = sum(p * q for p, q in zip(x, y))
            near = (d.FINITE, int(total > 0), abs(total) * d.Fraction(int(rng.integers(1, 9)), 5))
            code = one_of(rng, 0, 1, d.encode(row, near, overflow="IEEE")[0] if total else 0)
            cls, sign, c, _ = d.decode(row, code)
            want = None
            if cls in (d.FINITE, d.ZERO):
                formats = operands[a_name], operands[b_name]
                want = mma_sync.instruction(x, y, -c if sign else c, *formats, result)
            acc, flags = clib.Acc(), ct.c_uint32()
            lib.acc_load(ct.byref(config), ct.byref(acc), code)
            lib.dot(ct.byref(config), ct.byref(acc), a, b, 32, ct.byref(flags))
            got = np.uint32(lib.acc_to_fp32(ct.byref(config), ct.byref(acc), None)).view(np.float32)
            about_it = f"{a_name} {a.hex()} {b_name} {b.hex()} C {code:#x}"
            if want is None:
                bench.check(f"{name}: overflow", np.isfinite(got), np.False_, about_it)
            else:
                bench.check(f"{name}: one instruction", d.Fraction(float(got)), want, about_it)


def test_preset_corners(bench, lib):
    """Results computed by hand; each one shows one setting."""
    one, tiny, minus_tiny, big, two = 0x38, 0x01, 0x81, 0x7E, 0x40  # 1, 2^-9, -2^-9, 448, 2
    inf32, nan32 = 0x7F800000, 0x7FFFFFFF
    cases = (
        # 2^-14 is below the 13th fraction bit of 1: lost, however often; 2^-13 stays.
        ("hopper-fp8", 0x3F800000, [(tiny, 0x10)] * 31, 0x3F800000),  # 2^-9 * 2^-5, 31 times
        ("hopper-fp8", 0x3F800000, [(tiny, 0x18)], 0x3F800400),  # 2^-9 * 2^-4
        ("hopper-fp8", 0x3F801FFF, [(0, 0)], 0x3F801C00),  # a loaded acc is truncated to 13 bits
        ("hopper-fp8", 0x3F800000, [(minus_tiny, 0x10)], 0x3F800000),  # toward zero, not down
        ("hopper-fp8", 0x80000000, [(0, 0x80)], 0x00000000),  # an aligned zero is +0
        ("hopper-fp8", 0x7F7FFC00, [(big, big)], 0x7F7FFC00),  # far below the accumulator
        ("hopper-fp8", inf32, [(one, one)], inf32),
        ("hopper-fp8", 0, [(0x7F, one)], nan32),
        ("blackwell-fp8", 0x3F800000, [(tiny, 0x10)] * 2, 0x3F800400),  # 25 fraction bits hold it
        ("cdna3-fp8", 0x3F800000, [(0x81, 0x08)], 0x3F7FFF80),  # fnuz: -2^-10 * 2^-7 = -2^-17
        ("cdna3-fp8", 0xB3000000, [(0x40, 0x40)], 0x3F7FFFFF),  # acc -2^-25 becomes -2^-24
        ("cdna3-fp8", 0xB2800000, [(0x40, 0x40)], 0x3F800000),  # acc -2^-26 is dropped
        ("cdna3-fp8", 0x3F800000, [(0xC0, 0x40), (0x40, 0x40)], 0x3F800000),
        ("riscv-fqbdot8f", 0x4B800000, [(one, one)], 0x4B800001),  # 2^24 + 1, to odd
        ("riscv-fqbdot8f", 0x4C000000, [(one, one)], 0x4C000001),  # 2^25 + 1, to odd
        ("riscv-fqbdot8f", 0x80000000, [(one, one), (one, 0xB8)], 0),
        ("arm-fdot4", 0x4B800000, [(one, one), (one, one)], 0x4B800001),  # fused: 2^24 + 2
        ("ieee-fma", 0x4B800000, [(one, one), (one, one)], 0x4B800000),  # two steps: 2^24 + 1 twice
    )
    for name, start, terms, want in cases:
        config, acc, flags = (
            preset(lib, name).config,
            clib.Acc(code=start),
            ct.c_uint32(),
        )
        a, b = (bytes(t[i] for t in terms) for i in (0, 1))
        lib.dot(ct.byref(config), ct.byref(acc), a, b, len(terms), ct.byref(flags))
        bench.check(f"by hand: {name}", acc.code, want, f"{start:#x} {terms}")
    # Arm's lscale: 3 * 2 * 2^-lscale.
    for lscale in range(128):
        config, acc = preset(lib, "arm-fdot4").config, clib.Acc()
        config = clib.DotConfig.from_buffer_copy(config)
        config.lscale = lscale
        lib.dot(ct.byref(config), ct.byref(acc), bytes([0x44]), bytes([two]), 1, None)
        want = np.float32(6 * 2.0**-lscale).view(np.uint32)
        bench.check("by hand: lscale", acc.code, int(want), lscale)


# ---- refusals -------------------------------------------------------------------------------------------------------

REFUSED = (
    ("ERR_ACCUMULATOR", {"align_round": 1}),
    ("ERR_ACCUMULATOR", {"min_exponent": -5}),
    ("ERR_ACCUMULATOR", {"acc_late": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 65}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "align_round": 3}),
    ("ERR_ACCUMULATOR", {"min_exponent": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "min_exponent": 2}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "min_exponent": -1101}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "even_odd": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "late_drop": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "late_bits_sum": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "acc_late": 1, "late_drop": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "acc_late": 1, "late_bits_sum": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "acc_late": 1, "late_bits_sum": 9, "late_bits_acc": 65}),
    (
        "ERR_ACCUMULATOR",
        {"frac_bits": 5, "acc_late": 1, "late_bits_sum": 9, "late_bits_acc": 9, "late_drop": 1001},
    ),
    ("ERR_ACCUMULATOR", {"align_by": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "align_by": 2}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "align_by": 0xFFFFFFFF}),
    ("ERR_ACCUMULATOR", {"acc_format": 2, "align_by": 1}),
    ("ERR_ACCUMULATOR", {"static_exponent": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "static_exponent": -1}),
    ("ERR_ACCUMULATOR", {"acc_format": 4, "static_exponent": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "align_by": 1, "acc_late": 1, "even_odd": 1}),
    ("ERR_ACCUMULATOR", {"frac_bits": 5, "late_round": 1}),
    ("ERR_ACCUMULATOR", {"nan_code": 0x3F800000}),
    ("ERR_ACCUMULATOR", {"nan_code": 0x7F800000}),
    ("ERR_ACCUMULATOR", {"acc_format": 1, "nan_code": 0x17FFF}),
    ("ERR_ACCUMULATOR", {"promote": 64, "chunk": 64}),
    ("ERR_GROUP", {"group": 4, "promote": 6}),
    ("ERR_GROUP", {"group": 4, "chunk": 6}),
    ("ERR_ROUNDING", {"acc_rounding": 4}),
    ("ERR_ROUNDING", {"acc_rounding": 2}),
    ("ERR_ROUNDING", {"acc_rounding": 2, "random_bits": 25}),
    ("ERR_ROUNDING", {"random_bits": 1}),
    ("ERR_SCALE_EXPONENT", {"lscale": 128}),
    ("ERR_SCALE_EXPONENT", {"acc_format": 1, "lscale": 16}),
    ("ERR_ACCUMULATOR", {"acc_format": 7}),
    ("ERR_ACCUMULATOR", {"acc_format": 2, "flush": 1}),
    ("ERR_ACCUMULATOR", {"acc_format": 2, "promote": 64}),
    ("ERR_ACCUMULATOR", {"acc_format": 2, "frac_bits": 9, "flush": 1}),
    ("ERR_FORMAT", {"acc_format": 6}),
)


def test_refusals(bench, lib):
    for status, changes in REFUSED:
        config, acc = dot_config(lib, d.settings()), clib.Acc(code=0x3F800000)
        for field, value in changes.items():
            setattr(config, field, value)
        bench.check(
            "refused", lib.dot_config_validate(ct.byref(config)), clib.enum(status), changes
        )
        bench.check(
            "refused: by the dot product",
            lib.dot(ct.byref(config), ct.byref(acc), b"8", b"8", 1, None),
            clib.enum(status),
            changes,
        )
        bench.check("refused: nothing written", acc.code, 0x3F800000, changes)
    for changes in (
        {"frac_bits": 5},
        {"frac_bits": 5, "acc_late": 1},
        {"frac_bits": 5, "group": 1024, "chunk": 1024},
    ):
        config = dot_config(lib, d.settings())
        for field, value in {**changes, "align_by": 1}.items():
            setattr(config, field, value)
        bench.check(
            "accepted: align_by operands",
            lib.dot_config_validate(ct.byref(config)),
            clib.OK,
            changes,
        )
    int8 = dot_config(lib, d.settings(a_format="int8", b_format="int8"))
    int8.acc_format, int8.align_by = clib.enum("ACC_INT32"), 1
    bench.check(
        "refused: align_by with INT32",
        lib.dot_config_validate(ct.byref(int8)),
        clib.enum("ERR_ACCUMULATOR"),
    )
    fixed = dot_config(lib, d.settings())
    fixed.acc_format = clib.enum("ACC_FIXED")
    terms, acc = clib.DotTerms(b"8", b"\x7f"), clib.Acc()
    bench.check(
        "refused: block scales with a fixed accumulator",
        lib.dot_mx(ct.byref(fixed), ct.byref(acc), terms, terms, 1, None),
        clib.enum("ERR_ACCUMULATOR"),
    )
