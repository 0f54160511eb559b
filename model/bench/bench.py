# SPDX-License-Identifier: Apache-2.0
"""Speed of libfp8mac beside PyTorch, ml_dtypes, gfloat and NumPy with OpenBLAS: one core, one process.

Every round times each contender of a group once, so that all of them see the same machine. What is timed is the
thread's own processor time, in which other programs' turns do not count. A contender's time is its median over the
rounds, its ratio the median over the rounds of baseline time / own time: a disturbance of one round moves neither.
Every result is checked bit for bit in the same run: conversions against ml_dtypes, GEMMs against the definition in
scalar integers on sampled outputs. Exit status 1 if a bit differs; a missed target is only reported."""

import argparse
import ctypes as ct
import json
import os
import pathlib
import platform
import re
import statistics
import sys
import time

import gfloat
import gfloat.formats
import ml_dtypes
import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "model"))
import clib
from plot import write_svg

FP8 = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
SMALL, LARGE = 1 << 16, 1 << 24  # elements: 256 KiB and 64 MiB of float32
DEFINED, PORTABLE = (clib.enum("ISA_" + x) for x in ("DEFINED", "PORTABLE"))


class Run(ct.Structure):
    _fields_ = [("isa", ct.c_uint), ("threads", ct.c_uint)]


class Library(clib.Library):
    """The functions that say how work is carried out, besides the others."""

    def __init__(self, path):
        super().__init__(path)
        dll = ct.CDLL(str(pathlib.Path(path).resolve()))
        self.gemm_run, self.convert_run = dll.fp8mac_gemm_run, dll.fp8mac_convert_run
        self.gemm_run.argtypes = [ct.c_void_p] * 3
        self.convert_run.argtypes = [ct.c_void_p] * 4 + [
            ct.c_size_t,
            clib.ConvertMode,
            ct.c_void_p,
            ct.c_void_p,
        ]
        self.stochastic = dll.fp8mac_convert_stochastic
        self.stochastic.argtypes = [ct.c_void_p] * 4 + [
            ct.c_size_t,
            ct.c_uint,
            ct.c_void_p,
            ct.c_void_p,
        ]
        self.isa_name, self.isa_best = dll.fp8mac_isa_name, dll.fp8mac_isa_best
        self.isa_name.restype = ct.c_char_p
        self.isa_available = dll.fp8mac_isa_available
        self.isa_available.restype = ct.c_bool


class Bench:
    """Groups of contenders, what came of them, and what was checked."""

    def __init__(self, rounds):
        self.rounds, self.entries, self.wrong, self.checked = rounds, [], 0, 0

    def check(self, what, got, want):
        got, want = (
            np.ascontiguousarray(got).view(np.uint8),
            np.ascontiguousarray(want).view(np.uint8),
        )
        self.checked += 1
        if not np.array_equal(got, want):
            self.wrong += 1
            print(f"WRONG {what}: {np.count_nonzero(got != want)} bytes of {got.size} differ")

    def group(self, work, unit, contenders, targets):
        """contenders: {name: function}; targets: (name, baseline, ratio or None); a baseline may also be a number in
        `unit`. `work` is in units of 1e9."""
        times = {name: [] for name in contenders}
        for run in contenders.values():
            run()
        for _ in range(self.rounds):
            for name, run in contenders.items():
                start = time.thread_time()
                run()
                times[name].append(time.thread_time() - start)
        for name, baseline, target in targets:
            value = work / 1e9 / statistics.median(times[name])
            if isinstance(baseline, str):
                ratio = statistics.median(b / own for b, own in zip(times[baseline], times[name]))
            else:
                ratio, baseline = value / baseline, f"{baseline} {unit}"
            self.entries.append(
                {
                    "name": name,
                    "value": value,
                    "unit": unit,
                    "baseline": baseline,
                    "ratio": ratio,
                    "target": target,
                    "met": target is None or ratio >= target,
                }
            )
            self.print_entry(self.entries[-1])

    @staticmethod
    def print_entry(e):
        target = (
            "" if e["target"] is None else f"{e['target']:6.2f} {'met' if e['met'] else 'MISSED'}"
        )
        print(
            f"{e['name']:<46} {e['value']:9.3f} {e['unit']:<8} {e['ratio']:8.3f} x {e['baseline']:<34} {target}"
        )
        sys.stdout.flush()


def converter(lib, dst, dst_name, src, src_name, isa=0, overflow="SATURATE"):
    run, flags, mode = Run(isa, 1), ct.c_uint32(), clib.mode(overflow=overflow)
    to, source = lib.by_name[dst_name], lib.by_name[src_name]

    def convert():
        status = lib.convert_run(
            to,
            dst.ctypes.data,
            source,
            src.ctypes.data,
            src.size,
            mode,
            ct.byref(run),
            ct.byref(flags),
        )
        assert status == clib.OK, status

    return convert


def saturated(x, name):
    """ml_dtypes overflows to NaN or Inf; of finite values within range it is the oracle for both modes."""
    return x.astype(getattr(ml_dtypes, "float8_" + name)).view(np.uint8)


def bench_encode(bench, lib, rng, size):
    where = "in L2" if size == SMALL else "large"
    x = rng.standard_normal(size, dtype=np.float32)
    tensor, others = torch.from_numpy(x), {}
    contenders, targets = {}, []
    for name in FP8:
        out = torch.empty(size, dtype=getattr(torch, "float8_" + name))
        contenders[f"PyTorch {name} {where}"] = lambda out=out: out.copy_(tensor)
        for overflow in ("SATURATE", "IEEE"):
            codes, own = (
                clib.blank(size, np.uint8),
                f"float32 to {name}, {overflow.lower()}, {where}",
            )
            contenders[own] = converter(lib, codes, name, x, "float32", overflow=overflow)
            same = f"PyTorch {name} {where}"
            targets.append((own, same, 1.0))
            if size == SMALL:
                targets.append((own, f"PyTorch e4m3fn {where}", 1.2))
            others[own] = codes, saturated(x, name), out
    bench.group(size, "Gelem/s", contenders, targets)
    for own, (codes, want, out) in others.items():
        bench.check(own, codes, want)
        bench.check(own + " (PyTorch)", codes, out.view(torch.uint8).numpy())


def bench_slow_encoders(bench, lib, rng):
    """ml_dtypes and gfloat, and our own definition, on fewer elements: they take long."""
    size = 1 << 14
    x, codes = rng.standard_normal(size, dtype=np.float32), clib.blank(size, np.uint8)
    e4m3 = gfloat.formats.format_info_ocp_e4m3
    contenders = {
        "float32 to e4m3fn (16 Ki)": converter(lib, codes, "e4m3fn", x, "float32"),
        "ml_dtypes e4m3fn (16 Ki)": lambda: x.astype(ml_dtypes.float8_e4m3fn),
        "gfloat e4m3fn (16 Ki)": lambda: gfloat.round_ndarray(e4m3, x),
        "our definition, e4m3fn (16 Ki)": converter(
            lib, codes.copy(), "e4m3fn", x, "float32", DEFINED
        ),
    }
    names = list(contenders)
    bench.group(size, "Gelem/s", contenders, [(names[0], baseline, None) for baseline in names[1:]])
    bench.check(
        "gfloat's values",
        codes.view(ml_dtypes.float8_e4m3fn).astype(np.float64),
        gfloat.round_ndarray(e4m3, x).astype(np.float64),
    )


def bench_decode(bench, lib, rng, size):
    where = "in L2" if size == SMALL else "large"
    codes, out, table_out = (
        rng.integers(0, 256, size, dtype=np.uint8),
        np.empty(size, "f4"),
        np.empty(size, "f4"),
    )
    for name in FP8:
        table = (
            np.arange(256, dtype=np.uint8)
            .view(getattr(ml_dtypes, "float8_" + name))
            .astype(np.float32)
        )
        own, look_up = f"{name} to float32, {where}", f"NumPy table look-up, {name}, {where}"
        bench.group(
            size,
            "Gelem/s",
            {
                own: converter(lib, out, "float32", codes, name),
                look_up: lambda: np.take(table, codes, out=table_out, mode="clip"),
            },
            [(own, look_up, 1.0)],
        )
        bench.check(own, out, table_out)


def bench_stochastic(bench, lib, rng):
    size, bits = SMALL, 16
    x = rng.standard_normal(size, dtype=np.float32)
    nearest, codes = (clib.blank(size, np.uint8) for _ in range(2))
    r = rng.integers(0, 1 << bits, size, dtype=np.uint32)
    flags = ct.c_uint32()
    given, drawn = clib.RandomSource(r.ctypes.data, bits), clib.RandomSource(None, bits, 1)

    def stochastic(source, dst):
        status = lib.stochastic(
            lib.by_name["e4m3fn"],
            dst.ctypes.data,
            lib.by_name["float32"],
            x.ctypes.data,
            size,
            clib.enum("OVERFLOW_SATURATE"),
            ct.byref(source),
            ct.byref(flags),
        )
        assert status == clib.OK, status

    names = [
        "nearest even, e4m3fn",
        "stochastic, random bits given",
        "stochastic, random bits drawn (Threefry)",
    ]
    bench.group(
        size,
        "Gelem/s",
        {
            names[0]: converter(lib, nearest, "e4m3fn", x, "float32"),
            names[1]: lambda: stochastic(given, codes),
            names[2]: lambda: stochastic(drawn, codes.copy()),
        },
        [(names[1], names[0], 0.4), (names[2], names[0], 0.4)],
    )
    row = lib.by_name["e4m3fn"]
    defined = np.array(
        [
            lib.encode_stochastic(row, lib.value_from_double(float(v)), 0, int(word), bits, None)
            for v, word in zip(x[:4096], r)
        ],
        dtype=np.uint8,
    )
    bench.check(names[1], codes[:4096], defined)


# ---- GEMM -----------------------------------------------------------------------------------------------------------

SETTINGS = [  # name, accumulator, group, frac_bits, rounding, target
    ("FP32, in order", "FP32", 1, 0, "NEAREST_EVEN", 0.90),
    ("FP16, in order", "FP16", 1, 0, "NEAREST_EVEN", 0.20),
    ("FP32, 4 lanes fused exact", "FP32", 4, 0, "NEAREST_EVEN", 0.10),
    ("FP16, 4 lanes fused exact", "FP16", 4, 0, "NEAREST_EVEN", 0.10),
    ("fixed", "FIXED", 4, 0, "NEAREST_EVEN", 0.25),
    ("hopper-fp8", "E8M13", 32, 13, "TOWARD_ZERO", 0.08),
    ("blackwell-fp8", "FP32", 32, 25, "TOWARD_ZERO", 0.05),
]


# name, preset or accumulator and group, options of the configuration, what the GEMM has besides, format, GMAC/s wanted
# with AVX-512; with AVX2 it is two thirds
BLOCKS, LOADED, TRACKED, STOCHASTIC_D = "block scales", "loaded", "tracked", "stochastic D"
ANY_SETTINGS = [
    ("cdna3-fp8", "cdna3-fp8", {}, None, "e4m3fnuz", 0.5),
    ("riscv-fqbdot8f", "riscv-fqbdot8f", {}, None, "e4m3fn", 0.5),
    ("late_fp32, 4 lanes", "late_fp32", {}, None, "e4m3fn", 4),
    ("block, 19 bits", "block_f19", {}, None, "e4m3fn", 12),
    ("block, 19 bits, MX", "block_f19", {}, BLOCKS, "e4m3fn", 12),
    ("hopper-mma-fp8-fp16", "hopper-mma-fp8-fp16", {}, None, "e4m3fn", 0.5),
    ("blackwell-mma-fp8", "blackwell-mma-fp8", {}, None, "e4m3fn", 0.5),
    ("blackwell-mma-fp8-fp16", "blackwell-mma-fp8-fp16", {}, None, "e4m3fn", 0.5),
    ("int8", ("INT32", 4), {}, None, "int8", 30),
    ("FP32, in order, loaded accumulators", ("FP32", 1), {}, LOADED, "e4m3fn", 2),
    ("FP32, 4 lanes fused exact, tracked flags", ("FP32", 4), {}, TRACKED, "e4m3fn", 2),
    ("block, 19 bits, tracked flags", "block_f19", {}, TRACKED, "e4m3fn", 2),
    ("FP32, 4 lanes fused exact, stochastic D", ("FP32", 4), {}, STOCHASTIC_D, "e4m3fn", 4),
    ("ibm-chunk", "ibm-chunk", {}, None, "e5m2", 0.5),
    ("ibm-stochastic", "ibm-stochastic", {}, None, "e5m2", 0.5),
    ("blackwell-fp8, MX", "blackwell-fp8", {}, BLOCKS, "e4m3fn", 0.5),
    ("FP32, 4 lanes fused exact, MX", ("FP32", 4), {}, BLOCKS, "e4m3fn", 0.5),
    ("hopper-fp8, promote 128", "hopper-fp8", {"promote": 128}, None, "e4m3fn", 0.5),
    ("FP32, 4 lanes fused exact, chunk 64", ("FP32", 4), {"chunk": 64}, None, "e4m3fn", 0.5),
    ("BF16, in order", ("BF16", 1), {}, None, "e4m3fn", 0.5),
    ("E8M13, in order", ("E8M13", 1), {}, None, "e4m3fn", 0.5),
    ("1-6-9, in order", ("E6M9", 1), {}, None, "e4m3fn", 0.5),
]


def dot_of(lib, setting, formats):
    """A row of SETTINGS or of ANY_SETTINGS as a configuration."""
    row_a, row_b = (lib.by_name[name] for name in formats)
    if not isinstance(setting[2], dict):
        _, acc, group, frac_bits, rounding, _ = setting
        dot = clib.DotConfig((row_a,), (row_b,), clib.enum("ACC_" + acc), group)
        dot.frac_bits, dot.acc_rounding = frac_bits, clib.enum("ROUND_" + rounding)
        return dot
    _, base, options, *_ = setting
    if isinstance(base, str):
        preset = clib.Preset()
        assert lib.preset_by_name(base.encode(), ct.byref(preset)) == clib.OK, base
        dot = preset.config
        dot.a.format, dot.b.format = row_a, row_b
    else:
        dot = clib.DotConfig((row_a,), (row_b,), clib.enum("ACC_" + base[0]), base[1])
    for name, value in options.items():
        setattr(dot, name, value)
    return dot


class Gemm:
    """n x n x n, D in FP32; `scales` are the block scales of A's and B's rows."""

    def __init__(self, lib, a, b, formats, setting, isa=0, threads=1, scales=None, acc=None):
        self.lib, n, k = lib, a.shape[0], a.shape[1]
        stochastic = STOCHASTIC_D in setting
        self.d = np.empty((n, b.shape[0]), np.uint8 if stochastic else np.float32)
        self.keep, self.scales, self.acc = (a, b), scales, acc
        dot = dot_of(lib, setting, formats)
        self.desc = clib.GemmDesc(n, b.shape[0], k, dot, (a.ctypes.data, k), (b.ctypes.data, k))
        self.desc.d, self.desc.d_format, self.desc.ldd = (
            self.d.ctypes.data,
            lib.by_name["e4m3fn" if stochastic else "float32"],
            b.shape[0],
        )
        if stochastic:
            self.desc.d_mode.rounding, self.desc.d_random_bits = clib.enum("ROUND_STOCHASTIC"), 16
        self.desc.inexact_flags = TRACKED in setting
        if acc is not None:
            self.desc.acc, self.desc.ldacc = acc.ctypes.data, acc.shape[1]
        self.result = clib.GemmResult()
        if scales is not None:
            for operand, mx in zip((self.desc.a, self.desc.b), scales):
                operand.mx, operand.mx_stride = mx.ctypes.data, mx.shape[1]
        self.how = Run(isa, threads)

    def __call__(self):
        status = self.lib.gemm_run(ct.byref(self.desc), ct.byref(self.how), ct.byref(self.result))
        assert status == clib.OK, status


def check_gemm(bench, lib, gemm, formats, setting, what):
    """Against the definition: rows and columns here and there. Random bits depend on the position in D, so there it is
    the first rows and columns."""
    a, b = gemm.keep
    rows, columns = (
        np.arange(0, a.shape[0], a.shape[0] // 7),
        np.arange(0, b.shape[0], b.shape[0] // 5),
    )
    if gemm.desc.dot.random_bits != 0 or gemm.desc.d_random_bits != 0:
        rows, columns = np.arange(8), np.arange(6)
    scales = gemm.scales and tuple(
        np.ascontiguousarray(s[i]) for s, i in zip(gemm.scales, (rows, columns))
    )
    own = Gemm(
        lib,
        np.ascontiguousarray(a[rows]),
        np.ascontiguousarray(b[columns]),
        formats,
        setting,
        DEFINED,
        scales=scales,
        acc=None if gemm.acc is None else np.ascontiguousarray(gemm.acc[np.ix_(rows, columns)]),
    )
    own()
    bench.check(what, gemm.d[np.ix_(rows, columns)], own.d)


def codes_of(rng, n, name):
    if name == "int8":
        return rng.integers(-128, 128, (n, n), dtype=np.int8).view(np.uint8)
    return (
        rng.standard_normal((n, n), dtype=np.float32)
        .astype(getattr(ml_dtypes, "float8_" + name))
        .view(np.uint8)
    )


def bench_gemm(bench, lib, rng, n, formats, settings, targets=True, isa=0):
    x, y = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(2))
    z = np.empty((n, n), np.float32)
    a, b = codes_of(rng, n, formats[0]), codes_of(rng, n, formats[1])
    kind = "" if formats == ("e4m3fn", "e4m3fn") else f", {formats[0]} x {formats[1]}"
    path = "" if isa == 0 else ", " + lib.isa_name(isa).decode()
    sgemm = f"OpenBLAS SGEMM {n}^3"
    gemms = {f"{s[0]}, {n}^3{kind}{path}": (Gemm(lib, a, b, formats, s, isa), s) for s in settings}
    bench.group(
        n**3,
        "GMAC/s",
        {sgemm: lambda: np.matmul(x, y, out=z), **{k: g for k, (g, _) in gemms.items()}},
        [(sgemm, sgemm, None)] * (isa == 0 and kind == "")
        + [(name, sgemm, s[5] if targets else None) for name, (_, s) in gemms.items()],
    )
    for name, (gemm, setting) in gemms.items():
        check_gemm(bench, lib, gemm, formats, setting, name)


def bench_any(bench, lib, rng, n):
    """Settings that the kernel for every setting computes."""
    gemms = {}
    for setting in ANY_SETTINGS:
        name, _, _, extra, row, _ = setting
        a, b = codes_of(rng, n, row), codes_of(rng, n, row)
        shape = n, (n + 31) // 32
        scales = tuple(rng.integers(120, 135, shape, dtype=np.uint8) for _ in "ab")
        acc = rng.standard_normal((n, n), dtype=np.float32)
        gemm = Gemm(
            lib,
            a,
            b,
            (row, row),
            setting,
            scales=scales if extra == BLOCKS else None,
            acc=acc if extra == LOADED else None,
        )
        gemms[f"{name}, {n}^3"] = gemm, setting
    contenders = {name: gemm for name, (gemm, _) in gemms.items()}
    share = 2 / 3 if lib.isa_name(lib.isa_best()) == b"avx2" else 1
    wanted = [(name, round(setting[5] * share, 2), 1.0) for name, (_, setting) in gemms.items()]
    bench.group(n**3, "GMAC/s", contenders, wanted)
    for name, (gemm, setting) in gemms.items():
        check_gemm(bench, lib, gemm, (setting[4], setting[4]), setting, name)


def bench_threads(lib, rng, n, rounds):
    """One thread and two in turn, by the clock on the wall: the ratio of the medians."""
    a, b = codes_of(rng, n, "e4m3fn"), codes_of(rng, n, "e4m3fn")
    ratios = []
    for setting in SETTINGS[0], SETTINGS[2], SETTINGS[5]:
        gemms = [Gemm(lib, a, b, ("e4m3fn", "e4m3fn"), setting, threads=t) for t in (1, 2)]
        times = [[], []]
        for _ in range(rounds):
            for gemm, own in zip(gemms, times):
                start = time.perf_counter()
                gemm()
                own.append(time.perf_counter() - start)
        ratio = np.median(times[0]) / np.median(times[1])
        print(f"{setting[0]}, {n}^3: two threads are {ratio:.2f} times as fast as one")
        ratios.append(ratio)
    return ratios


def processor():
    """The processor's name."""
    names = re.findall(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return names[0] if names else platform.processor()


# E5M2 over its full range needs sums in two doubles.
WIDE_TARGETS = {"FP32, 4 lanes fused exact": 0.12, "FP16, 4 lanes fused exact": 0.12}


def full_range(rng, n):
    codes = rng.integers(0, 0x7C, (n, n), dtype=np.uint8)
    return codes | rng.integers(0, 2, (n, n), dtype=np.uint8) << 7


def bench_wide(bench, lib, rng, n):
    x, y, z = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(3))
    a, b, formats = full_range(rng, n), full_range(rng, n), ("e5m2", "e5m2")
    gemms = {}
    for setting in (s for s in SETTINGS if s[0] in WIDE_TARGETS):
        gemms[f"{setting[0]}, {n}^3, e5m2 full range"] = Gemm(lib, a, b, formats, setting), setting
    sgemm = f"OpenBLAS SGEMM {n}^3"
    bench.group(
        n**3,
        "GMAC/s",
        {sgemm: lambda: np.matmul(x, y, out=z), **{k: g for k, (g, _) in gemms.items()}},
        [(name, sgemm, WIDE_TARGETS[s[0]]) for name, (_, s) in gemms.items()],
    )
    for name, (gemm, setting) in gemms.items():
        check_gemm(bench, lib, gemm, formats, setting, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--isa", required=True, help="the path to measure, as FP8MAC_ISA has it")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument(
        "--only", choices=["settings"], help="the settings of the general kernels alone"
    )
    args = parser.parse_args()
    torch.set_num_threads(1)
    lib, bench, rng = Library(args.lib), Bench(args.rounds), np.random.default_rng(20240917)
    isa = lib.isa_name(lib.isa_best()).decode()
    if isa != args.isa:
        sys.exit(f"this processor and FP8MAC_ISA give {isa}, not {args.isa}")
    print(
        f"{processor()}, path {isa}, load {os.getloadavg()[0]:.1f}; PyTorch {torch.__version__} "
        f"({torch.backends.cpu.get_cpu_capability()}), NumPy {np.__version__}, "
        f"ml_dtypes {ml_dtypes.__version__}; medians of {args.rounds} rounds, N(0,1) data"
    )
    if args.only == "settings":
        both = ("e4m3fn", "e4m3fn")
        bench_gemm(bench, lib, rng, 256, both, SETTINGS, False)
        bench_any(bench, lib, rng, 256)
        return finish(bench, isa, args.out)
    bench_encode(bench, lib, rng, SMALL)
    bench_decode(bench, lib, rng, SMALL)
    bench_stochastic(bench, lib, rng)
    both = ("e4m3fn", "e4m3fn")
    bench_gemm(bench, lib, rng, 256, both, SETTINGS)
    bench.rounds = max(3, args.rounds // 4)
    bench_any(bench, lib, rng, 256)
    bench_wide(bench, lib, rng, 256)
    bench_slow_encoders(bench, lib, rng)
    bench_encode(bench, lib, rng, LARGE)
    bench_decode(bench, lib, rng, LARGE)
    bench_gemm(bench, lib, rng, 256, both, SETTINGS, False, PORTABLE)
    for formats in (("e4m3fn", "e5m2"), ("e5m2", "e5m2")):
        bench_gemm(bench, lib, rng, 256, formats, SETTINGS, False)
    bench_gemm(bench, lib, rng, 1024, both, SETTINGS)
    threads = bench_threads(lib, rng, 1024, args.rounds)
    return finish(bench, isa, args.out, threads)


def finish(bench, isa, out, threads=()):
    """Writes the results, and returns the exit status."""
    record = {"processor": processor(), "isa": isa, "entries": bench.entries}
    record["threads"] = list(threads)
    (out / f"{isa}.json").write_text(json.dumps(record, indent=1) + "\n")
    write_svg(out / f"{isa}.svg", bench.entries)
    missed = [e["name"] for e in bench.entries if not e["met"]]
    print(
        f"{bench.checked} results compared bit for bit, {bench.wrong} wrong; "
        f"{sum(e['target'] is not None for e in bench.entries)} targets, {len(missed)} missed"
    )
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
