# SPDX-License-Identifier: Apache-2.0
"""What becomes of an output after the epilogue's arithmetic: stochastic rounding with either generator, and the table."""

import ctypes as ct

import clib
import numpy as np
from oracle import definition, exact

GEMMS = 60
STOCHASTIC = clib.enum("ROUND_STOCHASTIC")
THREEFRY, SIMON = 0, 1


def drawn(generator, seed, m, n, bits, use):
    if generator == SIMON:
        return definition.simon_bits(seed, m, n, bits)
    return definition.draw_bits(seed, m, n, 0, use, bits)


def test_generator(bench, lib, rng):
    """The cipher's own test vector with its own key schedule is not ours, so the oracle is a second implementation."""
    for _ in range(3000):
        seed = int(rng.integers(0, 1 << 63)) >> int(rng.integers(0, 63))
        m, n = (int(rng.integers(0, 1 << 32)) >> int(rng.integers(0, 32)) for _ in range(2))
        bits = int(rng.integers(1, 17))
        want = definition.simon_bits(seed, m, n, bits)
        bench.check(
            "the accelerator's generator",
            lib.simon_bits(seed, m, n, bits),
            want,
            (seed, m, n, bits),
        )


def test_uniform(bench, lib):
    """Over neighbouring places and seeds, sums of r have the mean and the variance of independent uniform numbers."""
    count = 64
    for name, place in (
        ("rows", lambda i, j: (7, i, j)),
        ("columns", lambda i, j: (7, j, i)),
        ("seeds", lambda i, j: (64 * i + j, 5, 6)),
    ):
        r = np.array(
            [[lib.simon_bits(*place(i, j), 16) for j in range(count)] for i in range(count)]
        )
        r = r / 65536.0
        z = (r.mean() - 0.5) * np.sqrt(12 * r.size)
        bench.check(f"{name}: the mean", abs(z) < 4, True, z)
        for axis in (0, 1):
            spread = r.mean(axis).var() * 12 * count
            bench.check(f"{name}: the spread of means", 0.4 < spread < 2, True, (axis, spread))
        shifted = np.corrcoef(r[:, :-1].ravel(), r[:, 1:].ravel())[0, 1] * count
        bench.check(f"{name}: neighbours are independent", abs(shifted) < 4, True, shifted)


def run_gemm(lib, case, **changes):
    """(status, D as codes, result)"""
    m, n, k = case["shape"]
    row = exact.ARRAY_FORMATS[changes.get("d_name", "float32")]
    d = np.zeros((m, n), {8: np.uint8, 16: np.uint16, 32: np.uint32}[exact.width(row)])
    e4m3fn = lib.by_name["e4m3fn"]
    desc = clib.GemmDesc(m, n, k, clib.DotConfig((e4m3fn,), (e4m3fn,), clib.enum("ACC_FP32"), 16))
    desc.dot.seed = case["seed"]
    desc.a.codes, desc.a.stride = case["a"].ctypes.data, k
    desc.b.codes, desc.b.stride = case["b"].ctypes.data, k
    scale = np.array([1.0], np.float32)
    desc.a.scale = desc.b.scale = clib.Scale(clib.enum("SCALE_NONE"), None)
    desc.d, desc.ldd, desc.d_format = d.ctypes.data, n, lib.by_name[row.name]
    desc.scale_d = scale.ctypes.data
    table = changes.get("table")
    desc.d_table = None if table is None else table.ctypes.data
    desc.origin_m, desc.origin_n = changes.get("origin", (0, 0))
    desc.d_mode = clib.ConvertMode(changes.get("rounding", 0), 0)
    desc.d_random_bits, desc.d_generator = (
        changes.get("bits", 0),
        changes.get("generator", THREEFRY),
    )
    for name in ("m", "n"):
        setattr(desc, name, changes.get(name, getattr(desc, name)))
    first = changes.get("first", (0, 0))
    desc.a.codes += first[0] * k
    desc.b.codes += first[1] * k
    result = clib.GemmResult()
    status = lib.gemm(ct.byref(desc), ct.byref(result))
    return status, d, result


def draw_case(rng):
    m, n, k = (int(x) for x in rng.integers(1, 14, 3))
    codes = [rng.integers(0, 0x60, (rows, k), dtype=np.uint8) for rows in (m, n)]
    codes = [c | rng.integers(0, 2, c.shape, dtype=np.uint8) << 7 for c in codes]
    return {"shape": (m, n, k), "a": codes[0], "b": codes[1], "seed": int(rng.integers(0, 1 << 63))}


def test_gemm(bench, lib, rng):
    for _ in range(GEMMS):
        case = draw_case(rng)
        m, n, _k = case["shape"]
        _, wide, _ = run_gemm(lib, case)
        d_name = list(exact.ARRAY_FORMATS)[rng.integers(0, 6)]
        generator = int(rng.integers(0, 2))
        bits = int(rng.integers(1, 17 if generator == SIMON else 25))
        origin = tuple(int(x) for x in rng.integers(0, 1 << 31, 2))
        how = {"d_name": d_name, "rounding": STOCHASTIC, "bits": bits, "generator": generator}
        status, d, result = run_gemm(lib, case, origin=origin, **how)
        bench.check("a GEMM with drawn bits: status", status, clib.OK)
        row = lib.by_name[d_name]
        want = [
            [
                lib.encode_stochastic(
                    row,
                    lib.decode(lib.by_name["float32"], int(wide[i, j])),
                    0,
                    drawn(generator, case["seed"], origin[0] + i, origin[1] + j, bits, "OUTPUT"),
                    bits,
                    None,
                )
                for j in range(n)
            ]
            for i in range(m)
        ]
        bench.arrays(f"a GEMM with drawn bits, generator {generator}", d, np.array(want, d.dtype))
        i, j = int(rng.integers(0, m)), int(rng.integers(0, n))
        _, one, _ = run_gemm(
            lib, case, origin=(origin[0] + i, origin[1] + j), first=(i, j), m=1, n=1, **how
        )
        bench.check("tiling changes no bit", int(one[0, 0]), int(d[i, j]))
        if exact.width(exact.ARRAY_FORMATS[d_name]) == 8:
            table = rng.integers(0, 256, 256, dtype=np.uint8)
            status, mapped, also = run_gemm(lib, case, origin=origin, table=table, **how)
            bench.arrays("the table maps D", mapped, table[d])
            bench.check(
                "the table changes neither amax nor flags",
                (status, also.amax, also.flags),
                (clib.OK, result.amax, result.flags),
            )
            mapped = run_gemm(lib, case, d_name=d_name, table=table)[1]
            plain = run_gemm(lib, case, d_name=d_name)[1]
            bench.arrays("the table without drawn bits", mapped, table[plain])


def test_special_outputs(bench, lib):
    """NaN and overflow take the ways of the kernels that finish outputs singly."""
    table = np.arange(255, -1, -1, dtype=np.uint8)
    for k in (1, 40):
        a = np.full((5, k), 0x7E, np.uint8)
        a[1], a[3, 0] = 0, 0x7F
        case = {"shape": (5, 9, k), "a": a, "b": np.full((9, k), 0x7E, np.uint8), "seed": 0}
        for d_name in exact.FP8:
            plain = run_gemm(lib, case, d_name=d_name)[1]
            mapped = run_gemm(lib, case, d_name=d_name, table=table)[1]
            bench.arrays(
                f"the table maps NaN and the largest codes of {d_name}", mapped, table[plain]
            )


def test_convert(bench, lib, rng):
    x = (rng.normal(size=500) * 8).astype(np.float32)
    for d_name in ("e4m3fn", "e5m2fnuz", "float16"):
        row, out = exact.ARRAY_FORMATS[d_name], np.zeros(x.size, np.uint16)
        bytes_of = exact.width(row) // 8
        out = out.astype(np.uint8) if bytes_of == 1 else out
        source = clib.RandomSource(None, 16, 99, 3, 2**32 - 100, 0, SIMON)
        status = lib.convert_stochastic(
            lib.by_name[d_name], out.ctypes.data, lib.by_name["float32"],
            x.ctypes.data, x.size, 0, ct.byref(source), None,
        )  # fmt: skip
        want = []
        for i, code in enumerate(x.view(np.uint32)):
            place = (3 << 32 | 2**32 - 100) + i
            r = definition.simon_bits(99, place >> 32, place & 0xFFFFFFFF, 16)
            value = lib.decode(lib.by_name["float32"], int(code))
            want.append(lib.encode_stochastic(lib.by_name[d_name], value, 0, r, 16, None))
        bench.check("an array conversion: status", status, clib.OK)
        bench.arrays(f"an array conversion to {d_name}", out, np.array(want, out.dtype))


def test_refusals(bench, lib):
    case = draw_case(np.random.default_rng(1))
    table = np.zeros(256, np.uint8)
    how = {"rounding": STOCHASTIC, "d_name": "e4m3fn"}
    for name, want, changes in (
        (
            "17 bits of the accelerator's generator",
            "ERR_ROUNDING",
            {**how, "bits": 17, "generator": SIMON},
        ),
        ("no bits", "ERR_ROUNDING", {**how, "bits": 0, "generator": SIMON}),
        ("an unknown generator", "ERR_ROUNDING", {**how, "bits": 8, "generator": 2}),
        ("a generator without stochastic rounding", "ERR_ROUNDING", {"generator": SIMON}),
        ("a table for float16", "ERR_FORMAT", {"d_name": "float16", "table": table}),
    ):
        bench.check(f"refused: {name}", run_gemm(lib, case, **changes)[0], clib.enum(want))
    x, out = np.ones(4, np.float32), np.zeros(4, np.uint8)
    for name, source in (
        ("17 bits", clib.RandomSource(None, 17, 0, 0, 0, 0, SIMON)),
        ("a step", clib.RandomSource(None, 16, 0, 0, 0, 1, SIMON)),
        ("an unknown generator", clib.RandomSource(None, 16, 0, 0, 0, 0, 7)),
    ):
        status = lib.convert_stochastic(
            lib.by_name["e4m3fn"], out.ctypes.data, lib.by_name["float32"],
            x.ctypes.data, 4, 0, ct.byref(source), None,
        )  # fmt: skip
        bench.check(f"refused conversion: {name}", status, clib.enum("ERR_ROUNDING"))
