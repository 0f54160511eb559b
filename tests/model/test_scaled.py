# SPDX-License-Identifier: Apache-2.0
"""GEMMs beyond the array's: block scales, INT8, presets, stochastic accumulators and outputs, tiles of the output.

References: the definition's accumulators, NumPy's integers, and the epilogue's equations in NumPy float32.
"""

import ctypes as ct

import clib
import numpy as np
from oracle import definition as d
from oracle import exact
from test_settings import PRESETS, dot_config, draw_codes, draw_settings

CODES = {"float32": np.uint32, "float16": np.uint16, "bfloat16": np.uint16}
EPILOGUES = ("NONE", "RELU", "CLAMP")


class Gemm:
    """One GEMM's arrays and settings; `desc` for the library, `want` by the definition."""

    def __init__(self, lib, rng, s, d_name="float32", mx=(False, False), int8=False, shape=None):
        self.lib, self.s, self.d_name, self.int8 = lib, s, d_name, int8
        self.m, self.n, self.k = shape or (int(x) for x in rng.integers(1, (4, 4, 130)))
        self.a = np.stack(
            [np.frombuffer(draw_codes(rng, s.a_format, self.k), np.uint8) for _ in range(self.m)]
        )
        self.b = np.stack(
            [np.frombuffer(draw_codes(rng, s.b_format, self.k), np.uint8) for _ in range(self.n)]
        )
        blocks = -(-self.k // 32)
        self.mx = [
            rng.integers(110, 145, (rows, blocks)).astype(np.uint8) if used else None
            for rows, used in zip((self.m, self.n), mx)
        ]
        for codes in self.mx:
            if codes is not None and not rng.integers(0, 4):
                codes[0, int(rng.integers(0, blocks))] = 255
        self.scale_a = np.float32(rng.uniform(0.5, 2, self.m))
        self.scale_b = np.float32(rng.uniform(0.5, 2, self.n))
        self.bias = np.float32(rng.standard_normal(self.n)) if rng.integers(0, 2) else None
        self.beta = np.float32(rng.choice([0, 0, 1, -0.5, 1.7]))
        self.c = np.float16(rng.standard_normal((self.m, self.n)))
        self.activation = EPILOGUES[int(rng.integers(0, len(EPILOGUES)))]
        self.scale_d = np.float32(rng.uniform(0.25, 4))
        self.origin = tuple(int(x) for x in rng.integers(0, 1000, 2))
        self.d_bits = 0

    def desc(self, rows=slice(None)):
        """The descriptor of some rows of the output."""
        first = rows.indices(self.m)[0]
        a = self.a[rows]
        self.out = clib.blank(a.shape[0] * self.n, CODES.get(self.d_name, np.uint8))
        config = dot_config(self.lib, self.s)
        if self.int8:
            config.acc_format = clib.enum("ACC_INT32")
        mx_a = None if self.mx[0] is None else np.ascontiguousarray(self.mx[0][rows])
        c = np.ascontiguousarray(self.c[rows])
        scale_a = np.ascontiguousarray(self.scale_a[rows])
        self.kept = a = np.ascontiguousarray(a)
        self.alive = (a, mx_a, c, scale_a)
        pointer = lambda x: None if x is None else x.ctypes.data
        operand = lambda codes, scale, mx: clib.GemmOperand(
            pointer(codes),
            self.k,
            clib.Scale(2, pointer(scale)),
            pointer(mx),
            0 if mx is None else mx.shape[1],
        )
        rounding = "STOCHASTIC" if self.d_bits else "NEAREST_EVEN"
        return clib.GemmDesc(
            a.shape[0],
            self.n,
            self.k,
            config,
            operand(a, scale_a, mx_a),
            operand(self.b, self.scale_b, self.mx[1]),
            pointer(self.bias),
            self.beta,
            pointer(c),
            self.lib.by_name["float16"],
            self.n,
            clib.enum("ACT_" + self.activation),
            -1.5,
            2.5,
            self.out.ctypes.data,
            self.lib.by_name[self.d_name],
            self.n,
            clib.mode(rounding, "SATURATE"),
            ct.addressof(ct.c_float.from_buffer(self.scale_d_buffer())),
            self.origin[0] + first,
            self.origin[1],
            self.d_bits,
        )

    def scale_d_buffer(self):
        self.scale_d_bytes = bytearray(self.scale_d.tobytes())
        return self.scale_d_bytes

    def run(self, rows=slice(None)):
        """(status, codes, amax, amax_nonfinite, flags)"""
        desc, result = self.desc(rows), clib.GemmResult()
        status = self.lib.gemm(ct.byref(desc), ct.byref(result))
        return status, self.out.tolist(), result.amax, result.amax_nonfinite, result.flags

    def accumulated(self, i, j):
        """(t0 as an FP32 code, flags)"""
        if self.int8:
            total = int(
                self.a[i].view(np.int8).astype(np.int64) @ self.b[j].view(np.int8).astype(np.int64)
            )
            return int(np.float32(total).view(np.uint32)), 0
        place = (self.origin[0] + i, self.origin[1] + j)
        s = self.s
        draw = (
            (lambda use, step: d.draw_bits(s.seed, *place, step, use, s.random_bits))
            if s.random_bits
            else None
        )
        acc = d.Accumulator(s, 0, draw)
        scales = [None if m is None else m[r] for m, r in zip(self.mx, (i, j))]
        mx = None
        if any(x is not None for x in scales):
            mx = [
                tuple(127 if x is None else int(x[k // 32]) for x in scales) for k in range(self.k)
            ]
        acc.run(self.a[i].tobytes(), self.b[j].tobytes(), mx)
        return acc.read_out()

    def want(self):
        flags, codes, amax, nonfinite = 0, [], np.float32(0), False
        row = exact.ARRAY_FORMATS[self.d_name]
        e = exact.Epilogue(
            self.bias is not None,
            self.activation,
            np.float32(-1.5),
            np.float32(2.5),
            self.beta,
            row,
            "NEAREST_EVEN",
            "SATURATE",
            self.scale_d,
        )
        for i in range(self.m):
            for j in range(self.n):
                t0, raised = self.accumulated(i, j)
                bias = self.bias[j] if self.bias is not None else np.float32(0)
                with np.errstate(all="ignore"):
                    code, t, more = exact.epilogue(
                        e,
                        exact.f32(t0),
                        self.scale_a[i],
                        self.scale_b[j],
                        bias,
                        np.float32(self.c[i, j]),
                    )
                    if self.d_bits:
                        scaled = exact.Fp32Unit().mul(t, self.scale_d)
                        r = d.draw_bits(
                            self.s.seed,
                            self.origin[0] + i,
                            self.origin[1] + j,
                            0,
                            "OUTPUT",
                            self.d_bits,
                        )
                        definition_row = d.FORMATS[self.d_name]
                        code, more_d = d.encode(
                            definition_row,
                            d.decode(d.FORMATS["float32"], exact.bits(scaled)),
                            "STOCHASTIC",
                            "SATURATE",
                            r,
                            self.d_bits,
                        )
                        code = (
                            d.nan_code(definition_row)
                            if d.decode(definition_row, code)[0] == d.NAN
                            else code
                        )
                        more = more & ~(exact.SATURATED | exact.OVERFLOW) | more_d
                    if d.decode(d.FORMATS[self.d_name], code)[0] == d.NAN and self.own_nan():
                        code = self.s.nan_code
                flags |= raised | more
                nonfinite |= not np.isfinite(t)
                amax = max(amax, abs(t)) if np.isfinite(t) else amax
                codes.append(code)
        return clib.OK, codes, float(amax), bool(nonfinite), flags

    def own_nan(self):
        return self.s.nan_code and d.kept_row(self.s).name == self.d_name


def compare(bench, name, gemm):
    bench.check(
        name,
        gemm.run(),
        gemm.want(),
        lambda: f"{gemm.s} {gemm.m} x {gemm.n} x {gemm.k}, D {gemm.d_name}",
    )


def test_gemms(bench, lib, rng):
    for _ in range(150):
        s = draw_settings(rng)
        mx = (bool(rng.integers(0, 2)), bool(rng.integers(0, 2)))
        gemm = Gemm(
            lib,
            rng,
            s,
            str(rng.choice(["float32", "float16", "bfloat16", "e4m3fn", "e5m2fnuz"])),
            mx,
        )
        gemm.d_bits = (
            0 if rng.integers(0, 2) or gemm.d_name == "float32" else int(rng.integers(1, 25))
        )
        compare(bench, "GEMM with random settings" + (", MX" if any(mx) else ""), gemm)
        whole = gemm.run()[1]
        parts = [x for i in range(gemm.m) for x in gemm.run(slice(i, i + 1))[1]]
        bench.check("GEMM: rows one at a time, at their origin, are the same", parts, whole, str(s))


def test_preset_gemms(bench, lib, rng):
    for name in ("hopper-fp8", "blackwell-fp8", "cdna3-fp8", "ada-fp8-fp16", "ibm-stochastic"):
        for _ in range(4):
            mx = (True, True) if name == "blackwell-fp8" else (False, False)
            compare(
                bench,
                f"GEMM of preset {name}",
                Gemm(lib, rng, PRESETS[name], mx=mx, shape=(2, 3, 200)),
            )


def test_int8(bench, lib, rng):
    s = d.settings(a_format="int8", b_format="int8")
    for _ in range(100):
        compare(bench, "INT8 GEMM against NumPy", Gemm(lib, rng, s, int8=True))
    # The longest K with the largest products, which the sum just holds; one more is refused.
    config, acc = dot_config(lib, s), clib.Acc()
    config.acc_format = clib.enum("ACC_INT32")
    most, lowest = 131071, b"\x80" * 131072
    half = most // 2
    statuses = [
        lib.dot(ct.byref(config), ct.byref(acc), lowest, lowest, n, None)
        for n in (half, most - half)
    ]
    bench.check("INT8: K = 131071", (statuses, acc.code), ([clib.OK] * 2, most * 128 * 128))
    want = int(np.float32(most * 16384).view(np.uint32))
    bench.check(
        "INT8: nearest-even float of the sum",
        lib.acc_to_fp32(ct.byref(config), ct.byref(acc), None),
        want,
    )
    for total in (0, 1, -1, 2**24 + 1, -(2**24) - 1, 2**24 + 3, 2**31 - 1, -(2**31)):
        acc.code = total & 0xFFFFFFFF
        want = int(np.float32(total).view(np.uint32))
        bench.check(
            "INT8: nearest-even float of the sum",
            lib.acc_to_fp32(ct.byref(config), ct.byref(acc), None),
            want,
        )
    bench.check(
        "INT8: K above 131071 refused",
        lib.dot(ct.byref(config), ct.byref(acc), b"1", b"1", 1, None),
        clib.enum("ERR_K_LIMIT"),
    )
    fresh = clib.Acc()
    bench.check(
        "INT8: K above 131071 refused",
        lib.dot(ct.byref(config), ct.byref(fresh), lowest, lowest, 131072, None),
        clib.enum("ERR_K_LIMIT"),
    )
    for change, status in (
        ({"a.scale_exp": 1}, "ERR_SCALE_EXPONENT"),
        ({"frac_bits": 8}, "ERR_ACCUMULATOR"),
        ({"a.format": lib.by_name["e4m3fn"]}, "ERR_FORMAT"),
        ({"guard_bits": 3}, "ERR_ACCUMULATOR"),
        ({"a.format": lib.by_name["mxint8"]}, "ERR_FORMAT"),
    ):
        bad = clib.DotConfig.from_buffer_copy(config)
        for field, value in change.items():
            clib.set_field(bad, field, value)
        bench.check(
            "INT8: refused", lib.dot_config_validate(ct.byref(bad)), clib.enum(status), change
        )


def test_scales_factor_out(bench, lib, rng):
    """matmul_scaled(x, y) == (x @ y) * xs * ys, bit for bit where the scales are powers of two."""
    for _ in range(40):
        gemm = Gemm(lib, rng, d.settings(group=4), shape=(3, 3, 64))
        gemm.bias, gemm.beta, gemm.activation, gemm.scale_d = (
            None,
            np.float32(0),
            "NONE",
            np.float32(1),
        )
        xs, ys = (np.float32(2.0) ** np.float32(e) for e in rng.integers(-12, 13, 2))
        gemm.scale_a[:], gemm.scale_b[:] = 1, 1
        plain = np.array(gemm.run()[1], np.uint32).view(np.float32)
        gemm.scale_a[:], gemm.scale_b[:] = xs, ys
        scaled = np.array(gemm.run()[1], np.uint32).view(np.float32)
        bench.arrays("scales factor out", scaled.view(np.uint32), (plain * xs * ys).view(np.uint32))


def test_refused(bench, lib, rng):
    gemm = Gemm(lib, rng, d.settings(), mx=(True, True), shape=(2, 2, 70))
    for name, status, field, value in (
        ("a short stride of scales", "ERR_STRIDE", "a.mx_stride", 2),
        ("random bits without stochastic rounding", "ERR_ROUNDING", "d_random_bits", 3),
    ):
        desc = gemm.desc()
        clib.set_field(desc, field, value)
        bench.check(f"refused: {name}", lib.gemm(ct.byref(desc), None), clib.enum(status))
    desc = gemm.desc()
    desc.dot.acc_format = clib.enum("ACC_FIXED")
    bench.check(
        "refused: block scales with a fixed accumulator",
        lib.gemm(ct.byref(desc), None),
        clib.enum("ERR_ACCUMULATOR"),
    )
    desc = gemm.desc()
    desc.d_mode = clib.mode("STOCHASTIC")
    bench.check(
        "refused: stochastic D without bits",
        lib.gemm(ct.byref(desc), None),
        clib.enum("ERR_ROUNDING"),
    )
