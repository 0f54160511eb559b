# SPDX-License-Identifier: Apache-2.0
"""Conversions: `ieee` nearest even against ml_dtypes and NumPy; every mode, with its flags, against exact integers."""

import ctypes as ct
import itertools

import clib
import numpy as np
import pytest
from oracle import exact
from test_formats import DTYPES, container

MODES = list(
    itertools.product(
        (exact.NEAREST_EVEN, exact.TOWARD_ZERO),
        (exact.SATURATE, exact.SATURATE_FINITE, exact.IEEE),
    )
)
RANDOM_BULK = 4_000_000  # float32 patterns against ml_dtypes, for each format
RANDOM_EXACT = 60_000  # float32 patterns against exact integers, for each format and mode


# ---- inputs -----------------------------------------------------------------------------------------------------


def finite_magnitudes(row):
    """Zero, every positive finite value in ascending order, and the next one if the exponent went on."""
    codes = np.arange(exact.max_code(row) + 1, dtype=np.uint32)
    values = codes.astype(container(row)).view(DTYPES[row.name]).astype(np.float64)
    return np.append(values, 2 * values[-1] - values[-2])


def float32_neighbours(x):
    """float32 values, those just below and just above, of both signs; the inputs must be exact in float32."""
    x32 = x.astype(np.float32)
    assert (x32.astype(np.float64) == x).all()
    with np.errstate(over="ignore"):
        around = np.concatenate(
            [x32, np.nextafter(x32, np.float32(-np.inf)), np.nextafter(x32, np.float32(np.inf))]
        )
    return np.concatenate([around, -around])


def boundaries(row):
    """Every value and every midpoint between adjacent values (the last: the overflow boundary), with neighbours."""
    values = finite_magnitudes(row)
    midpoints = (values[:-1] + values[1:]) / 2
    points = np.concatenate([values, midpoints])
    return float32_neighbours(points[points <= np.finfo(np.float32).max])


def float32_corners():
    exponents = np.arange(256, dtype=np.uint32) << 23
    fractions = np.array(
        [
            0,
            1,
            0x400000,
            0x7FFFFF,
            0x000FFF,
            0x001000,
            0x001001,
            0x0FFFFF,
            0x100000,
            0x100001,
            0x1FFFFF,
            0x200000,
            0x200001,
            0x7FEFFF,
            0x7FF000,
            0x7FF001,
        ],
        dtype=np.uint32,
    )
    patterns = (exponents[:, None] | fractions).ravel()
    return np.concatenate([patterns, patterns | 0x80000000]).view(np.float32)


def near_random(row, rng, n):
    """Random float32 patterns, half of them with exponents in and around the format's range."""
    patterns = rng.integers(0, 1 << 32, n, dtype=np.uint32)
    low = max(0, 127 + int(np.log2(exact.EXTREMES[row.name][2])) - 3)
    high = min(255, 127 + int(np.log2(exact.EXTREMES[row.name][0])) + 3)
    exponents = rng.integers(low, high, n // 2, dtype=np.uint32)
    patterns[: n // 2] = patterns[: n // 2] & np.uint32(0x807FFFFF) | exponents << np.uint32(23)
    return patterns.view(np.float32)


def all_float16():
    return np.arange(1 << 16, dtype=np.uint32).astype(np.uint16).view(np.float16)


# ---- against ml_dtypes and NumPy --------------------------------------------------------------------------------


def library_codes(lib, row, src, mode):
    name = {2: "float16", 4: "float32"}[src.itemsize]
    dtype = {2: np.uint16, 4: np.uint32}[src.itemsize]
    return lib.convert_array(row.name, container(row), name, src.view(dtype), mode)[0]


def beyond_largest(row, src):
    """Finite values that overflow: above the midpoint after the largest value, or on it where that is the odd one."""
    values = finite_magnitudes(row)
    limit = (values[-2] + values[-1]) / 2
    with np.errstate(invalid="ignore"):
        magnitude = np.abs(src.astype(np.float64))
    beyond = magnitude > limit if exact.max_code(row) % 2 == 0 else magnitude >= limit
    return beyond & np.isfinite(src)


# Named cases in which another library may write another code: (name, whether it applies, the rule's own code).
def special_cases(row, src, saturate):
    negative = np.signbit(src)
    sign = np.where(negative, exact.sign_bit(row), 0)
    nan = np.full(src.shape, exact.nan_code(row)) | (0 if row.nan == "negative_zero" else sign)
    inf = exact.inf_code(row) | sign if row.has_inf else nan
    if saturate:
        inf = exact.max_code(row) | sign
    yield "NaN: the sign is kept where there is one, the payload is not", np.isnan(src), nan
    yield "Inf", np.isinf(src), inf
    yield "finite overflow: as Inf", beyond_largest(row, src), inf
    to_zero = np.abs(src) <= exact.EXTREMES[row.name][2] / 2
    yield (
        "negative to zero: -0 where there is one, else 0",
        to_zero & negative,
        sign * row.has_negative_zero,
    )


def compare(bench, lib, row, src, source, saturate=False):
    """Equal to astype. Special cases are also compared with the rule, and those where astype differs are counted."""
    mode = "saturate" if saturate else "ieee"
    got = library_codes(lib, row, src, clib.mode(overflow=mode.upper()))
    with np.errstate(all="ignore"):
        want = src.astype(DTYPES[row.name]).view(container(row))
    ordinary = np.ones(src.size, dtype=bool)
    for name, applies, rule in special_cases(row, src, saturate):
        rule, values = rule.astype(want.dtype), src[applies]
        bench.arrays(
            f"{row.name} {mode}, by rule: {name}",
            got[applies],
            rule[applies],
            lambda i: repr(values[i]),
        )
        departs = applies & (want != rule)
        ordinary &= ~departs
        if departs.any() and not saturate:
            DEPARTURES[row.name, name] = DEPARTURES.get((row.name, name), 0) + np.count_nonzero(
                departs
            )
    values = src[ordinary]
    bench.arrays(
        f"{row.name} {mode}: {source} as astype",
        got[ordinary],
        want[ordinary],
        lambda i: repr(values[i]),
    )


DEPARTURES = {}  # (format, case) -> number of inputs for which astype and the rule differ


NAMED = [pytest.param(row, id=row.name) for row in exact.ARRAY_FORMATS.values()]


@pytest.mark.parametrize("row", [one for one in NAMED if one.id != "float32"])
def test_against_astype(bench, lib, rng, row):
    narrow = exact.width(row) == 8
    if row.name != "float16":
        compare(bench, lib, row, all_float16(), "every float16")
    compare(bench, lib, row, boundaries(row), "midpoints and neighbours")
    compare(bench, lib, row, float32_corners(), "float32 corners")
    for _ in range(RANDOM_BULK // 1_000_000 if narrow else 2):
        src = near_random(row, rng, 1_000_000)
        compare(bench, lib, row, src, "random float32")
        if narrow:
            compare(bench, lib, row, src, "random float32", saturate=True)
    report_departures(bench, row)


def report_departures(bench, row):
    found = {case: n for (name, case), n in DEPARTURES.items() if name == row.name}
    for case, n in sorted(found.items()):
        print(f"astype differs from the rule: {row.name:<10} {n:>8} x {case}")
    allowed = {"NaN: the sign is kept where there is one, the payload is not"}
    for case in found:
        bench.check(
            "astype differs only in a NaN's sign and payload",
            case in allowed,
            True,
            f"{row.name}: {case}",
        )


# ---- against exact integers -------------------------------------------------------------------------------------


def converter(lib, row, src_name, src, mode):
    """A function of i: (code, flags) of element i, converted alone."""
    dst, flags = np.zeros(1, container(row)), ct.c_uint32()
    row_p, src_p, flags_p, dst_p = (
        lib.by_name[row.name],
        lib.by_name[src_name],
        ct.addressof(flags),
        dst.ctypes.data,
    )
    base, size, view = src.ctypes.data, src.itemsize, memoryview(dst)

    def one(i):
        flags.value = 0
        if lib.convert(row_p, dst_p, src_p, base + i * size, 1, mode, flags_p):
            return None
        return view[0], flags.value

    return one


def check_exact(bench, lib, row, src_row, src, source, modes=MODES):
    """Code and flags of each element in each mode, one by one and as an array."""
    values = [exact.decode(src_row, code) for code in src.tolist()]
    label = f"{row.name} from {source}: "
    for rounding, overflow in modes:

        def about(i):
            return f"{src[i]:#x} {rounding} {overflow}"

        mode = clib.mode(rounding, overflow)
        one = converter(lib, row, src_row.name, src, mode)
        got, wanted = np.empty((2, src.size), np.int64), np.empty((2, src.size), np.int64)
        for i, value in enumerate(values):
            got[:, i] = one(i)
            wanted[:, i] = exact.convert(row, value, rounding, overflow)
        bench.arrays(label + "code", got[0], wanted[0], about)
        bench.arrays(label + "flags", got[1], wanted[1], about)
        bulk, flags = lib.convert_array(row.name, container(row), src_row.name, src, mode)
        bench.arrays(label + "code, as an array", bulk.astype(np.int64), wanted[0], about)
        bench.check(
            label + "flags, as an array",
            flags,
            int(np.bitwise_or.reduce(wanted[1])),
            (rounding, overflow),
        )
        quiet = src[wanted[1] == 0]
        bulk, flags = lib.convert_array(row.name, container(row), src_row.name, quiet, mode)
        bench.check(label + "flags, as an array", flags, 0, (rounding, overflow))


def test_odd_arrays(bench, lib, rng):
    """Every length up to 40 from every alignment: nothing missed, nothing written beyond, flags of the last too."""
    for name, length, offset in itertools.product(exact.ARRAY_FORMATS, range(41), range(4)):
        row, flags = exact.ARRAY_FORMATS[name], ct.c_uint32()
        src = near_random(row, rng, length + offset)[offset:]
        if length % 2:
            src[:-1] = 1.0
        dst = clib.blank(length + offset + 8, container(row))
        before = dst.copy()
        lib.convert(
            lib.by_name[name],
            dst.ctypes.data + offset * dst.itemsize,
            lib.by_name["float32"],
            src.ctypes.data,
            length,
            clib.mode(),
            ct.byref(flags),
        )
        want = [
            exact.convert(row, exact.decode(exact.FP32, c)) for c in src.view(np.uint32).tolist()
        ]
        before[offset : offset + length] = [code for code, _ in want]
        bench.arrays(
            "odd lengths and alignments: codes", dst, before, lambda i: f"{name} {length} {offset}"
        )
        raised = 0
        for _, flag in want:
            raised |= flag
        bench.check(
            "odd lengths and alignments: flags", flags.value, raised, f"{name} {length} {offset}"
        )


def test_exact(bench, lib, rng):
    float16 = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    for name in exact.FP8:
        row = exact.ARRAY_FORMATS[name]
        check_exact(bench, lib, row, exact.FP16, float16, "every float16")
        float32 = np.concatenate([boundaries(row), near_random(row, rng, RANDOM_EXACT)])
        check_exact(bench, lib, row, exact.FP32, float32.view(np.uint32), "float32")
        for src_name in exact.FP8:
            codes = np.arange(256, dtype=np.uint8)
            check_exact(bench, lib, row, exact.ARRAY_FORMATS[src_name], codes, src_name)
    for name, count in (("float16", 40000), ("bfloat16", 40000), ("float32", 40000)):
        row = exact.ARRAY_FORMATS[name]
        src = np.concatenate([float32_corners(), near_random(row, rng, count)]).view(np.uint32)
        # Wide formats are always `ieee`, whatever the mode says.
        check_exact(bench, lib, row, exact.FP32, src, "float32", [MODES[0], MODES[-1], MODES[3]])
    bfloat16 = float16.copy()
    check_exact(
        bench, lib, exact.FP16, exact.BF16, bfloat16, "every bfloat16", [MODES[2], MODES[5]]
    )
    check_exact(bench, lib, exact.BF16, exact.FP16, float16, "every float16", [MODES[2], MODES[5]])


def random_value(rng, row):
    """A value of up to 64 significant bits: anywhere, near the format's range, or close to a midpoint."""
    significand = int(rng.integers(1, 1 << 64, dtype=np.uint64)) >> int(rng.integers(0, 64))
    kind, significand = rng.integers(0, 4), significand or 1
    if kind == 0:
        return significand, int(rng.integers(-1200, 1200))
    span = (
        int(np.log2(exact.EXTREMES[row.name][2])) - 3,
        int(np.log2(exact.EXTREMES[row.name][0])) + 3,
    )
    leading = int(rng.integers(span[0], span[1] + 1))
    if kind == 1:
        return significand, leading - significand.bit_length() + 1
    # leading bit, mantissa, a half or nothing, and one of -1, 0, +1 at the far end
    head = int(rng.integers(1 << (row.mantissa_bits + 1), 1 << (row.mantissa_bits + 2)))
    tail = 62 - row.mantissa_bits - 1
    return (head << tail) + int(rng.integers(-1, 2)), leading - 62


def test_encode(bench, lib, rng):
    """fp8mac_encode of values that no array of a conversion can hold."""
    flags = ct.c_uint32()
    for row, (rounding, overflow) in itertools.product(exact.ARRAY_FORMATS.values(), MODES):
        p, mode = lib.by_name[row.name], clib.mode(rounding, overflow)
        values = [random_value(rng, row) for _ in range(2500)] + [
            (1, e) for e in (-(10**6), 10**6, -(2**30), 2**30)
        ]
        for i, (significand, exponent) in enumerate(values):
            value = (exact.FINITE, i & 1, significand, exponent)
            flags.value = 0
            code = lib.encode(
                p,
                clib.Value(clib.enum("CLASS_FINITE"), i & 1, exponent, significand),
                mode,
                ct.addressof(flags),
            )
            want = (
                exact.convert(row, value, rounding, overflow)
                if abs(exponent) < 10**7
                else exact.convert(
                    row, value[:3] + (10**4 if exponent > 0 else -(10**4),), rounding, overflow
                )
            )
            bench.check(
                "encode: values of 64 bits",
                (code, flags.value),
                want,
                f"{row.name} {rounding} {overflow} {'-' * (i & 1)}{significand:#x} * 2^{exponent}",
            )


def test_doubles(bench, lib, rng):
    """Double to FP8 rounds once: doubles that differ from an FP8 midpoint by less than float32's resolution."""
    for name in exact.FP8:
        row = exact.ARRAY_FORMATS[name]
        points = finite_magnitudes(row)
        points = np.concatenate([(points[:-1] + points[1:]) / 2, points])
        points = np.concatenate([points, np.nextafter(points, -1), np.nextafter(points, np.inf)])
        for x in np.concatenate([points, -points]):
            for rounding, overflow in MODES:
                code = lib.encode(
                    lib.by_name[name], lib.value_from_double(x), clib.mode(rounding, overflow), None
                )
                want = exact.convert(row, exact.from_double(x), rounding, overflow)[0]
                bench.check(
                    "encode: doubles next to midpoints",
                    code,
                    want,
                    f"{name} {x!r} {rounding} {overflow}",
                )


# ---- scaled conversions and refusals ----------------------------------------------------------------------------


def test_quantize(bench, lib, rng):
    """quantize: one FP32 multiplication, then the conversion. dequantize: the conversion, then the multiplication."""
    scales = [1.0, 0.5, 3.0, 1e-3, 2.0**-126, 2.0**-149, 2.0**127, float(np.float32(0.1))]
    for row, scale in itertools.product(exact.ARRAY_FORMATS.values(), scales):
        rounding, overflow = MODES[int(rng.integers(len(MODES)))]
        src = near_random(row, rng, 2000)
        with np.errstate(all="ignore"):
            product = (src if scale > 2 or scale < 0.1 else src / np.float32(scale)).astype(
                np.float32
            )
            src, product = product, product * np.float32(scale)
        flags, dst = ct.c_uint32(), clib.blank(src.size, container(row))
        status = lib.quantize(
            lib.by_name[row.name],
            dst.ctypes.data,
            src.ctypes.data,
            src.size,
            scale,
            clib.mode(rounding, overflow),
            ct.byref(flags),
        )
        bench.check("quantize: status", status, clib.OK, row.name)
        want = [
            exact.convert(row, exact.decode(exact.FP32, exact.bits(x)), rounding, overflow)
            for x in product
        ]
        bench.arrays(
            f"quantize to {row.name}",
            dst.astype(np.int64),
            np.array([w[0] for w in want]),
            lambda i: f"{src[i]!r} * {scale!r} {rounding} {overflow}",
        )
        overflowed = np.isinf(product) & np.isfinite(src)
        raised = np.bitwise_or.reduce([w[1] for w in want]) | (
            exact.OVERFLOW if overflowed.any() else 0
        )
        bench.check(
            "quantize: flags",
            flags.value,
            int(raised),
            f"{row.name} {scale!r} {rounding} {overflow}",
        )


def test_dequantize(bench, lib, rng):
    for row in exact.ARRAY_FORMATS.values():
        codes = rng.integers(0, 1 << exact.width(row), 1500, dtype=np.uint64).astype(container(row))
        if exact.width(row) == 8:
            codes = np.arange(256, dtype=np.uint8)
        for scale in (1.0, 0.3, 2.0**-140, 2.0**120, 3.4e38):
            dst = clib.blank(codes.size, np.float32)
            status = lib.dequantize(
                dst.ctypes.data, lib.by_name[row.name], codes.ctypes.data, codes.size, scale
            )
            bench.check("dequantize: status", status, clib.OK, row.name)
            with np.errstate(all="ignore"):
                want = codes.view(DTYPES[row.name]).astype(np.float32) * np.float32(scale)
            want = np.where(np.isnan(want), np.uint32(exact.NAN32), want.view(np.uint32))
            bench.arrays(
                f"dequantize {row.name}",
                dst.view(np.uint32),
                want,
                lambda i: f"{codes[i]:#x} * {scale}",
            )


def test_refusals(bench, lib):
    """A refused call writes nothing and says why."""
    src, e4m3fn, fp32 = np.ones(4, np.float32), lib.by_name["e4m3fn"], lib.by_name["float32"]

    def refused(name, want, call):
        dst = clib.blank(4, np.uint32)
        before = dst.copy()
        bench.check("refused: " + name, call(dst.ctypes.data), clib.enum(want))
        bench.arrays("refused: nothing written", dst, before)

    good, bad_rounding, bad_overflow = clib.mode(), clib.ConvertMode(7, 0), clib.ConvertMode(0, 7)
    for scale in (0.0, -0.0, -1.0, np.inf, -np.inf, np.nan):
        refused(
            "scale",
            "ERR_SCALE",
            lambda d: lib.quantize(e4m3fn, d, src.ctypes.data, 4, scale, good, None),
        )
        refused(
            "scale", "ERR_SCALE", lambda d: lib.dequantize(d, e4m3fn, src.ctypes.data, 4, scale)
        )
    refused(
        "rounding",
        "ERR_ROUNDING",
        lambda d: lib.convert(e4m3fn, d, fp32, src.ctypes.data, 4, bad_rounding, None),
    )
    refused(
        "overflow mode",
        "ERR_OVERFLOW_MODE",
        lambda d: lib.convert(e4m3fn, d, fp32, src.ctypes.data, 4, bad_overflow, None),
    )
    refused("NULL source", "ERR_NULL", lambda d: lib.convert(e4m3fn, d, fp32, None, 4, good, None))
    refused(
        "NULL format",
        "ERR_FORMAT",
        lambda d: lib.convert(None, d, fp32, src.ctypes.data, 4, good, None),
    )
    refused(
        "NULL format",
        "ERR_FORMAT",
        lambda d: lib.convert(e4m3fn, d, None, src.ctypes.data, 4, good, None),
    )
    for p, (rounding, overflow) in itertools.product(
        lib.formats[: len(exact.ARRAY_FORMATS)], MODES
    ):
        bench.check(
            "every mode is legal for every floating-point format",
            lib.convert_mode_validate(p, clib.mode(rounding, overflow)),
            clib.OK,
            p.contents.name,
        )
    bench.check(
        "mode: rounding", lib.convert_mode_validate(e4m3fn, bad_rounding), clib.enum("ERR_ROUNDING")
    )
    bench.check(
        "mode: overflow",
        lib.convert_mode_validate(e4m3fn, bad_overflow),
        clib.enum("ERR_OVERFLOW_MODE"),
    )
    flags = ct.c_uint32(8)
    status = lib.convert(e4m3fn, None, fp32, None, 0, good, ct.byref(flags))
    bench.check("no elements: nothing to do", (status, flags.value), (clib.OK, 8))


def test_no_nan_row(bench, lib):
    """A format without NaN and Inf takes only `saturate`; its NaN is +0 and raises `invalid`."""
    row = clib.Format.from_buffer_copy(lib.by_name["e4m3fn"].contents)
    row.name, row.nan_encoding = b"all_finite", clib.enum("NAN_NONE")
    p, flags = ct.byref(row), ct.c_uint32()
    bench.check("no NaN: format is valid", lib.format_validate(p), clib.OK)
    for overflow, want in (
        ("SATURATE", "OK"),
        ("SATURATE_FINITE", "ERR_OVERFLOW_MODE"),
        ("IEEE", "ERR_OVERFLOW_MODE"),
    ):
        bench.check(
            "no NaN: only `saturate`",
            lib.convert_mode_validate(p, clib.mode(overflow=overflow)),
            clib.enum(want),
            overflow,
        )
    cases = [
        (np.nan, 0, exact.INVALID),
        (-np.nan, 0, exact.INVALID),
        (np.inf, 0x7F, exact.SATURATED),
        (-np.inf, 0xFF, exact.SATURATED),
        (480.0, 0x7F, 0),
        (496.0, 0x7F, exact.SATURATED),
        (495.0, 0x7F, 0),
        (-0.0, 0x80, 0),
    ]
    for x, code, raised in cases:
        flags.value = 0
        got = lib.encode(p, lib.value_from_double(x), clib.mode(), ct.addressof(flags))
        bench.check("no NaN: codes and flags", (got, flags.value), (code, raised), repr(x))
