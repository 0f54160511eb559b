# SPDX-License-Identifier: Apache-2.0
"""The dot product against exact integers: single steps, whole K, directed corners."""

import ctypes as ct
import itertools

import clib
import corners
import numpy as np
from checks import RANDOM_STEPS, show
from draw import Codes, draw_acc, draw_k, draw_long, draw_scale
from oracle import exact
from test_formats import DTYPES

PAIRS = list(itertools.product(exact.FP8, exact.FP8))
ACC_ROWS = {"FP32": exact.FP32, "FP16": exact.FP16}
GROUPS = (*range(1, 17), 31, 32, 100, 1024)
STEPS_PER_CONFIG = (
    600 * RANDOM_STEPS
)  # random steps for each pair of formats, group and accumulator format


class Dot:
    """One configuration of the library, with an accumulator and flags of its own."""

    def __init__(
        self, lib, a_name, b_name, acc="FP32", group=1, scale=(0, 0), saturate=False, guard_bits=0
    ):
        self.lib, self.acc, self.flags = lib, clib.Acc(), ct.c_uint32()
        self.config = clib.DotConfig(
            (lib.by_name[a_name], scale[0]),
            (lib.by_name[b_name], scale[1]),
            clib.enum("ACC_" + acc),
            group,
            guard_bits,
            saturate,
        )
        self.p = [ct.addressof(x) for x in (self.config, self.acc, self.flags)]

    def step(self, code, a, b):
        """(code, flags) of one step from an accumulator that holds `code`."""
        self.acc.code, self.flags.value = code, 0
        config, acc, flags = self.p
        status = self.lib.dot_step(config, acc, a, b, len(a), flags)
        assert status == clib.OK, self.lib.status_string(status)
        return self.acc.code, self.flags.value

    def run(self, a, b):
        config, acc, flags = self.p
        return self.lib.dot(config, acc, a, b, len(a), flags)

    def read_out(self):
        return self.lib.acc_to_fp32(self.p[0], self.p[1], self.p[2])


# ---- random steps -----------------------------------------------------------------------------------------------


def random_steps(bench, lib, rng, a_name, b_name, acc, codes, count):
    row = ACC_ROWS[acc]
    for group in GROUPS:
        dot, done = Dot(lib, a_name, b_name, acc, group), 0
        while done < (count if group <= 16 else count // group):
            sa, sb = draw_scale(rng, row)
            dot.config.a.scale_exp, dot.config.b.scale_exp = sa, sb
            dot.config.acc_saturate = saturate = bool(rng.integers(0, 4) == 0)
            n = group if rng.integers(0, 4) else int(rng.integers(1, group + 1))
            a, b = codes[a_name].draw(rng, n), codes[b_name].draw(rng, n)
            a, b = a.tobytes(), b.tobytes()
            total = exact.multiply(a_name, b_name, a, b).total
            for _ in range(4):
                acc_code = draw_acc(rng, row, total, sa + sb)
                want = exact.step(a_name, b_name, row, acc_code, a, b, sa + sb, saturate)
                bench.check(
                    f"random steps, {acc}",
                    dot.step(acc_code, a, b),
                    want,
                    lambda: describe(a_name, b_name, acc, acc_code, a, b, (sa, sb), saturate),
                )
            done += 4


def describe(a_name, b_name, acc, acc_code, a, b, scale, saturate=False):
    return (
        f"{a_name} x {b_name} {acc} acc {show(acc_code)} a {a.hex(' ')} b {b.hex(' ')} "
        f"scale {scale}{' saturate' if saturate else ''}"
    )


def test_random_steps(bench, lib, rng):
    codes = {name: Codes(name) for name in exact.FP8}
    for (a_name, b_name), acc in itertools.product(PAIRS, ACC_ROWS):
        random_steps(bench, lib, rng, a_name, b_name, acc, codes, STEPS_PER_CONFIG)


# ---- every pair of codes ----------------------------------------------------------------------------------------


def products(a_name, b_name, dtype):
    """The 256 x 256 products by NumPy: codes of `dtype`, canonical NaN, and the flags."""
    every = np.arange(256, dtype=np.uint8)
    with np.errstate(all="ignore"):
        a = every.view(DTYPES[a_name]).astype(np.float64)[:, None]
        b = every.view(DTYPES[b_name]).astype(np.float64)[None, :]
        product = a * b
        rounded = product.astype(dtype)
    nan_in = np.isnan(a) | np.isnan(b)
    flags = np.where(nan_in, exact.NAN_FLAG, 0) | np.where(
        np.isnan(product) & ~nan_in, exact.INVALID, 0
    )
    flags |= np.where(np.isinf(rounded) & np.isfinite(product), exact.OVERFLOW, 0)
    return rounded, flags


def test_every_pair(bench, lib):
    """-0 + a * b, which is the product itself, and +0 + a * b, for every pair of codes of every pair of formats."""
    byte = [bytes([i]) for i in range(256)]
    for (a_name, b_name), (acc, dtype, code_type) in itertools.product(
        PAIRS, (("FP32", np.float32, np.uint32), ("FP16", np.float16, np.uint16))
    ):
        rounded, flags = products(a_name, b_name, dtype)
        row, dot = ACC_ROWS[acc], Dot(lib, a_name, b_name, acc)
        plus = acc == "FP16"
        if plus:
            rounded = np.where((rounded == 0) & exact_zero(a_name, b_name), dtype(0), rounded)
        want = np.where(np.isnan(rounded), code_type(exact.nan_code(row)), rounded.view(code_type))
        start = 0 if plus else exact.sign_bit(row)
        got = [dot.step(start, byte[i], byte[j]) for i in range(256) for j in range(256)]
        got = np.array(got, dtype=np.int64)
        bench.arrays(
            f"every pair of codes, {acc}: product",
            got[:, 0],
            want.ravel().astype(np.int64),
            lambda i: f"{a_name} {i >> 8:#x} x {b_name} {i & 255:#x}",
        )
        bench.arrays(
            f"every pair of codes, {acc}: flags",
            got[:, 1],
            flags.ravel().astype(np.int64),
            lambda i: f"{a_name} {i >> 8:#x} x {b_name} {i & 255:#x}",
        )


def exact_zero(a_name, b_name):
    """Where the exact product is zero; a product that only rounds to zero does not count."""
    every = np.arange(256, dtype=np.uint8)
    a = every.view(DTYPES[a_name]).astype(np.float64)[:, None]
    return (a == 0) | (every.view(DTYPES[b_name]).astype(np.float64)[None, :] == 0)


# ---- directed corners -------------------------------------------------------------------------------------------


def test_corners(bench, lib):
    """Both the library and the oracle against results written by hand."""
    for name, (a_name, b_name), acc, scale, saturate, code, a, b, want, flags in corners.STEPS:
        a, b = bytes.fromhex(a), bytes.fromhex(b)
        split = max(-32, min(32, scale))
        row, sizes = ACC_ROWS[acc], {len(a), 1024}
        by_oracle = exact.step(a_name, b_name, row, code, a, b, scale, bool(saturate))
        bench.check("corners: the oracle itself", by_oracle, (want, flags), name)
        for group in sizes:  # a short step is the same as a full one
            dot = Dot(lib, a_name, b_name, acc, group, (split, scale - split), bool(saturate))
            bench.check(
                f"corners: {name}",
                dot.step(code, a, b),
                (want, flags),
                lambda: describe(a_name, b_name, acc, code, a, b, scale, saturate),
            )


# ---- whole dot products -----------------------------------------------------------------------------------------


def test_whole_k(bench, lib, rng, count=100):
    """fp8mac_dot in one call, and in two that meet at a multiple of the group, the state copied out and back."""
    codes = {name: Codes(name) for name in exact.FP8}
    for (a_name, b_name), acc, _ in itertools.product(PAIRS, ACC_ROWS, range(count)):
        row, group, k = ACC_ROWS[acc], int(rng.integers(1, 17)), draw_k(rng)
        scale, saturate = draw_scale(rng, row), bool(rng.integers(0, 2))
        a, b = draw_long(rng, codes[a_name], k), draw_long(rng, codes[b_name], k)
        start = int(
            rng.choice([0, 0, exact.sign_bit(row), int(rng.integers(0, exact.inf_code(row)))])
        )
        want = exact.dot(a_name, b_name, row, start, a, b, group, sum(scale), saturate)
        cut = group * int(rng.integers(1, 1 + k // group)) if k > group else k
        dot = Dot(lib, a_name, b_name, acc, group, scale, saturate)
        for parts in ([(0, k)], [(0, cut), (cut, k)]):
            dot.acc, dot.flags.value = clib.Acc(code=start), 0
            for lo, hi in parts:
                dot.acc = clib.Acc.from_buffer_copy(bytes(dot.acc))
                dot.p[1] = ct.addressof(dot.acc)
                if lo < hi:
                    bench.check("whole K: status", dot.run(a[lo:hi], b[lo:hi]), clib.OK)
            bench.check(
                f"whole K, {acc}, {len(parts)} part(s)",
                (dot.acc.code, dot.flags.value),
                want,
                lambda: (
                    describe(a_name, b_name, acc, start, a, b, scale, saturate) + f" group {group}"
                ),
            )
        check_read_out_exact(bench, dot, row)


def check_read_out_exact(bench, dot, row):
    before = dot.flags.value
    cls, sign, number, exponent = exact.decode(row, dot.acc.code)
    want = (
        exact.NAN32
        if cls is exact.NAN
        else exact.convert(exact.FP32, (cls, sign, number, exponent), overflow=exact.IEEE)[0]
    )
    bench.check(
        "read-out of FP32 and FP16 is exact", (dot.read_out(), dot.flags.value), (want, before)
    )


def test_read_out_nan(bench, lib):
    for acc, code in (
        ("FP32", 0xFFC12345),
        ("FP32", 0x7F800001),
        ("FP16", 0xFE01),
        ("FP16", 0x7C01),
    ):
        dot = Dot(lib, "e4m3fn", "e4m3fn", acc)
        dot.acc.code = code
        bench.check("read-out: NaN is canonical", dot.read_out(), exact.NAN32, hex(code))


# ---- refusals ---------------------------------------------------------------------------------------------------


def test_refusals(bench, lib):
    one = b"\x38" * 8
    for name, want, change in (
        ("a scaling exponent above +32", "ERR_SCALE_EXPONENT", {"a.scale_exp": 33}),
        ("a scaling exponent below -32", "ERR_SCALE_EXPONENT", {"b.scale_exp": -33}),
        ("group above 1024", "ERR_GROUP", {"group": 1025}),
        ("unknown accumulator", "ERR_ACCUMULATOR", {"acc_format": 7}),
        ("guard bits of a floating accumulator", "ERR_ACCUMULATOR", {"guard_bits": 5}),
        (
            "saturation of a fixed accumulator",
            "ERR_ACCUMULATOR",
            {"acc_format": clib.enum("ACC_FIXED"), "acc_saturate": True},
        ),
        ("FP16 operand", "ERR_FORMAT", {"a.format": lib.by_name["float16"]}),
        ("FP32 operand", "ERR_FORMAT", {"b.format": lib.by_name["float32"]}),
        ("no format", "ERR_FORMAT", {"b.format": ct.POINTER(clib.Format)()}),
        ("guard bits above 40", None, {"guard_bits": 41, "acc_format": clib.enum("ACC_FIXED")}),
    ):
        dot = Dot(lib, "e4m3fn", "e4m3fn", "FP32", 4)
        for field, value in change.items():
            clib.set_field(dot.config, field, value)
        dot.acc.code = 0x3F800000
        for status in (
            lib.dot_config_validate(ct.byref(dot.config)),
            dot.run(one, one),
            lib.dot_step(*dot.p[:2], one, one, 4, dot.p[2]),
        ):
            ok = status == clib.enum(want) if want else status != clib.OK
            bench.check("refused: " + name, ok, True, status)
        bench.check(
            "refused: nothing changed", (dot.acc.code, dot.flags.value), (0x3F800000, 0), name
        )
    dot = Dot(lib, "e4m3fn", "e4m3fn", "FP32", 4)
    for n in (0, 5):
        bench.check(
            "refused: terms above the group or none",
            lib.dot_step(*dot.p[:2], one, one, n, dot.p[2]),
            clib.enum("ERR_GROUP" if n else "ERR_SHAPE"),
        )
    bench.check("refused: K of zero", dot.run(b"", b""), clib.enum("ERR_SHAPE"))
    for group in (0, 1, 1024):
        dot.config.group = group
        bench.check(
            "accepted: group 0 (1) to 1024",
            lib.dot_config_validate(ct.byref(dot.config)),
            clib.OK,
            group,
        )
    bench.check("refused: no config", lib.dot_config_validate(None), clib.enum("ERR_NULL"))
