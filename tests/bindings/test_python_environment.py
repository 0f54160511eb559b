# SPDX-License-Identifier: Apache-2.0
"""The Python package: wrong types, foreign arrays, and other floating-point environments. See test_python.py."""

import ctypes
import dataclasses
import importlib.metadata
import importlib.util
import math
import os
import platform
import re
import runpy
import struct
import subprocess
import sys
import threading
from pathlib import Path

import fp8mac
import numpy as np
import pytest
from fp8mac import Config, Error, Flags, Format, recipes
from python_values import F32, ML, quiet, refused

__all__ = ["quiet", "refused"]


def test_wrong_types(check, refused):
    x = np.ones(4, F32)
    refused("format 'nope' is unknown", "FORMAT", lambda: fp8mac.cast(x, "nope"))
    refused(
        "scale is nan; a scale must be finite",
        "SCALE",
        lambda: fp8mac.cast(x, "e4m3fn", scale=math.nan),
    )
    refused("scale is 0", "SCALE", lambda: fp8mac.decode(np.uint8([1]), "e4m3fn", scale=0.0))
    refused(
        "x holds float64, and a scale multiplies float32",
        "FORMAT",
        lambda: fp8mac.cast(x.astype(float), "e4m3fn", scale=2.0),
    )
    refused("x holds int64; give float16", "FORMAT", lambda: fp8mac.cast(np.arange(3), "e4m3fn"))
    refused("x holds complex64", "FORMAT", lambda: fp8mac.cast(x.astype(np.complex64), "e4m3fn"))
    refused("x holds uint8; give", "FORMAT", lambda: fp8mac.cast(np.uint8([1]), "e4m3fn"))
    refused("x holds uint8, which says no format", "FORMAT", lambda: fp8mac.decode(np.uint8([1])))
    refused(
        "codes of float16 are uint16", "FORMAT", lambda: fp8mac.decode(np.uint8([1]), "float16")
    )
    refused(
        "x holds float8_e5m2, and its format was given as e4m3fn",
        "FORMAT",
        lambda: fp8mac.cast(x.astype(ML["e5m2"]), "e5m2", source="e4m3fn"),
    )
    refused(
        "dtype is int32 and must be float32 or float64",
        "FORMAT",
        lambda: fp8mac.decode(np.uint8([1]), "e5m2", dtype=np.int32),
    )
    refused("neither scale nor rounding", "FORMAT", lambda: fp8mac.cast(x, "float64", scale=2.0))
    refused("rounding 'up' is unknown", "ROUNDING", lambda: fp8mac.cast(x, "e5m2", rounding="up"))
    refused(
        "rounding and overflow are names", "ROUNDING", lambda: fp8mac.cast(x, "e5m2", rounding=3)
    )
    refused("seed is -1", "ROUNDING", lambda: fp8mac.cast(x, "e5m2", seed=-1))
    try:
        Config().group = 3
        check("a Config does not change", "changed", "refused")
    except AttributeError:
        check("a Config does not change", "refused", "refused")


# MXCSR of x86-64: masks of the traps in 0x1f80, rounding in 0x6000, flush to zero 0x8000, subnormals are zero 0x0040,
# exception flags in 0x003f.
ENVIRONMENTS = {
    "subnormals flushed": 0x9FC0,
    "downward": 0x3F80,
    "upward": 0x5F80,
    "toward zero": 0x7F80,
    "traps": 0x0000,
    "exception flags": 0x1FBF,
}


MXCSR = """
#include <xmmintrin.h>
unsigned get(void) { return _mm_getcsr(); }
void set(unsigned mxcsr) { _mm_setcsr(mxcsr); }
"""


@pytest.fixture(scope="module")
def mxcsr(tmp_path_factory):
    """Functions that read and write MXCSR."""
    if platform.machine() != "x86_64":
        pytest.skip("MXCSR is a register of x86-64")
    folder = tmp_path_factory.mktemp("mxcsr")
    (folder / "mxcsr.c").write_text(MXCSR)
    library = folder / "mxcsr.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "mxcsr.c"], check=True)
    return ctypes.CDLL(str(library))


def result_bytes(x):
    """Type and bits of a result. There is no arithmetic, which an environment could change."""
    if isinstance(x, (np.ndarray, np.generic)):
        return str(x.dtype), x.shape, x.tobytes()
    if isinstance(x, float):
        return struct.pack("d", x)
    if isinstance(x, (tuple, list)):
        return [result_bytes(one) for one in x]
    if dataclasses.is_dataclass(x):
        return [result_bytes(getattr(x, field.name)) for field in dataclasses.fields(x)]
    return repr(x)


# Operands have subnormals, and results that are not exact.
TINY = 1e-41  # subnormal in float32
FLOATS = [0.1, 0.3, -1 / 3, TINY, 7.7, 1e-5, 1 / 7, -2.7]
# Halfway between two float32, and near it: every direction of rounding goes another way.
NUMBERS = [1 + 2.0**-24, 1 + 3 * 2.0**-24, -1 - 2.0**-25, 3.1, 1e-3]
SINGLES, HALVES = F32(FLOATS), np.float16([6e-8, 1e-7, 0.1, 3.0, -6e-6])
CODES, SMALL = np.arange(1, 9, dtype=np.uint8), np.uint32([1, 3, 0x7FFFFF, 0x80000001])
A, B = np.uint8([[0x01, 0x3A, 0x55], [0x31, 0x81, 0x7E]]), np.uint8([[0x39, 0x03, 0x4B]])
E4M3 = dict(format="e4m3fn")
LOADS = dict(acc_format="fp32", **E4M3)


def scaled(**how):
    x, y = A.view(ML["e4m3fn"]), B.T.view(ML["e4m3fn"])
    return fp8mac.scaled_mm(x, y, 0.1, 0.3, out_dtype="float32", **how)


def delayed(call):
    """A recipe that has seen three amaxes."""
    made = recipes.Delayed(448.00001, 4, initial=1 / 3)
    for amax in (NUMBERS[0], 0.3, TINY):
        made.update(amax)
    return call(made)


def calls_of_operations():
    return {
        "cast": [
            lambda: fp8mac.cast(FLOATS, "bfloat16"),
            lambda: fp8mac.cast(HALVES, "float64"),
            lambda: fp8mac.cast(FLOATS, "e4m3fn", rounding="stochastic", return_flags=True),
            lambda: fp8mac.cast(SINGLES, "float32", scale=NUMBERS[1]),
            lambda: fp8mac.cast(SINGLES, "float16", scale=0.1, rounding="stochastic"),
        ],
        "decode": [
            lambda: fp8mac.decode(SMALL, "float32", dtype=float),
            lambda: fp8mac.decode(SMALL, "float32", scale=NUMBERS[1], dtype=float),
            lambda: fp8mac.decode(CODES, "e5m2", scale=0.1),
        ],
        "dot": [
            lambda: fp8mac.dot(A, B[0], acc=HALVES[:2], **LOADS),
            lambda: fp8mac.dot(A, B[0], acc=SMALL[:2].view(F32), **LOADS),
            lambda: fp8mac.dot(A, B[0], acc=0.5, preset="hopper-fp8", **E4M3),
        ],
        "gemm": [
            lambda: fp8mac.gemm(A, B, scale_a=NUMBERS[:2], scale_b=0.1, **E4M3),
            lambda: fp8mac.gemm(A, B, bias=[TINY], beta=NUMBERS[1], c=[[TINY], [0.1]], **E4M3),
            lambda: fp8mac.gemm(A, B, clamp=(-0.1, NUMBERS[1]), return_result=True, **E4M3),
            lambda: fp8mac.gemm(A, B, scale_d=0.3, bias=HALVES[:1], acc=SMALL[0:2, None], **LOADS),
        ],
        "rows": [
            lambda: fp8mac.rows("softmax", HALVES[None], factor=NUMBERS[1], return_result=True),
            lambda: fp8mac.rows("layer-norm", SINGLES[None], eps=TINY, scale_d=0.3),
            lambda: fp8mac.rows("sum", [[TINY, 0.1], [0.3, TINY]], factor=0.1),
        ],
        **{
            name: [
                lambda name=name: getattr(fp8mac, name)(SINGLES),
                lambda name=name: getattr(fp8mac, name)([TINY, 0.1, -87.7, 88.1]),
            ]
            for name in ("exp", "exp2", "reciprocal", "rsqrt", "sigmoid", "tanh")
        },
        "scaled_mm": [
            lambda: scaled(),
            lambda: scaled(bias=HALVES[:1]),
            lambda: scaled(use_fast_accum=True),
        ],
        "format_of": [lambda: fp8mac.format_of("cfloat8_e4m3:9"), lambda: fp8mac.format_of(0.1)],
        "Format": [
            lambda: Format("own", True, 5, 2, 120, False, False, "negative-zero"),
            lambda: fp8mac.formats["float32"].max,
            lambda: [fp8mac.formats["float32"].record(code) for code in (1, 0x7FFFFF)],
            lambda: Format("own", True, 5, 2, 20, False, False, 0.1),
            lambda: fp8mac.formats["float32"].record(-0.3),
            lambda: fp8mac.formats["cfloat8_e4m3"].with_bias(3.4),
        ],
        "Record": [lambda: fp8mac.formats["float16"].record(1)],
        "Config": [
            lambda: Config("hopper-fp8", promote=128),
            lambda: Config(frac_bits=0.1),
            lambda: Config().replace(group=0.1),
        ],
        "Preset": [lambda: fp8mac.Preset("name", "", "", "", None)],
        "cycles": [lambda: fp8mac.cycles(7, 9, 33), lambda: fp8mac.cycles(49, 3, 5, rows=8)],
        "convolution_cycles": [lambda: fp8mac.convolution_cycles((1, 5, 6, 8), 9, (3, 3))],
        "elementwise_cycles": [lambda: fp8mac.elementwise_cycles("add", 7, 9)],
        "rows_cycles": [lambda: fp8mac.rows_cycles("softmax", 7, 9)],
        "CycleCounts": [lambda: fp8mac.CycleCounts(*range(12), 0.1, TINY)],
        "GemmResult": [lambda: fp8mac.GemmResult(A, SINGLES[0], False, Flags(0))],
        "Flags": [lambda: Flags(5)],
        "Error": [lambda: Error("what")],
    }


def calls_of_recipes():
    return {
        "Delayed": [
            lambda: recipes.Delayed(NUMBERS[0], 4, initial=NUMBERS[1]).scale,
            lambda: recipes.Delayed(0.1, 4, initial=TINY).scale,
            lambda: delayed(lambda made: (made.scale, made.update(NUMBERS[1]), made.scale)),
            lambda: delayed(lambda made: made.history),
            lambda: recipes.Delayed(448.0, 2, scale_fn=lambda x, y: x / 3 + y).update(0.1),
        ],
        "format_max": [lambda: recipes.format_max("e4m3fn"), lambda: recipes.format_max("f8")],
        "floor_log2": [lambda: recipes.floor_log2(2 - 2.0**-25), lambda: recipes.floor_log2(TINY)],
        "inverse": [lambda x=x: recipes.inverse(x) for x in NUMBERS],
        "reduce": [lambda: recipes.reduce(FLOATS), lambda: recipes.reduce([TINY])],
        "scale": [lambda x=x: recipes.scale(448.0, x, margin=1, previous=0.1) for x in NUMBERS],
        "static": [lambda: recipes.static(NUMBERS[0]), lambda: recipes.static(TINY)],
        "dynamic": [
            lambda: recipes.dynamic([1 / 3, 0.1], "e5m2"),
            lambda: recipes.dynamic([TINY], "e5m2", previous=NUMBERS[1]),
            lambda: recipes.dynamic(SINGLES, "e5m2", previous=NUMBERS[1]),
        ],
        "te_operand": [
            lambda: recipes.te_operand("HYBRID", "dgrad", True),
            lambda: recipes.te_operand(0.1, "dgrad", True),
        ],
        "xla_next": [lambda x=x: recipes.xla_next(448.0, x, 1.0) for x in NUMBERS],
        "xla_mode": [lambda: recipes.xla_mode("e5m2", True)],
        "xla_quantize": [
            lambda: recipes.xla_quantize(FLOATS, "bfloat16", 1.0),
            lambda: recipes.xla_quantize(NUMBERS, "float32", NUMBERS[1]),
        ],
        "pytorch_scale": [lambda x=x: recipes.pytorch_scale(448.0, x) for x in NUMBERS],
        "graphcore_amax_bias": [
            lambda: recipes.graphcore_amax_bias(448.0, 448 * (1 + 2.0**-25)),
            lambda: recipes.graphcore_amax_bias(TINY, 0.1),
        ],
        "graphcore_cscale_bias": [lambda x=x: recipes.graphcore_cscale_bias(x) for x in (40, 0.1)],
        "scale_exponent": [lambda x=x: recipes.scale_exponent(x) for x in (40, 0.1)],
        "fp8lm_mu": [lambda x=x: recipes.fp8lm_mu(x, 1, 1000000) for x in NUMBERS],
        "xla_example_next": [lambda x=x: recipes.xla_example_next(448.0, x) for x in NUMBERS],
        "flax_scale": [lambda x=x: recipes.flax_scale(448.0, x, 1.0) for x in NUMBERS],
        "torchao_scale": [lambda x=x: recipes.torchao_scale(448.0, x) for x in NUMBERS],
        "msamp_scale": [lambda x=x: recipes.msamp_scale(448.0, x, 1.0) for x in NUMBERS],
        "fp8lm_shared_scale": [lambda: recipes.fp8lm_shared_scale(NUMBERS[:2])],
        "fp8lm_reduction_factors": [
            lambda x=x: recipes.fp8lm_reduction_factors("automatic", 3, x) for x in NUMBERS
        ],
        "mx_scale": [
            lambda: recipes.mx_scale("e4m3fn", 2 - 2.0**-25),
            lambda: recipes.mx_scale("e4m3fn", 1e-39),
        ],
        "mx_quantize": [
            lambda: recipes.mx_quantize([2 - 2.0**-25, 0.1], "e4m3fn"),
            lambda: recipes.mx_quantize([1e-39], "e2m1fn", return_flags=True),
        ],
        "qualcomm_bias": [
            lambda: recipes.qualcomm_bias(FLOATS, "qc_e4m3", 0, 15),
            lambda: recipes.qualcomm_bias([2.0**100 * (1 + 2.0**-25)], "qc_e4m3", -128, 255),
        ],
        **{
            name: [
                lambda name=name: getattr(recipes, name)(NUMBERS[1], FLOATS[:3]),
                lambda name=name: getattr(recipes, name)(448.0, NUMBERS),
            ]
            for name in ("autofp8", "vllm", "tensorrt_llm")
        },
    }


def calls_of_everything():
    """Each public name as a list of calls."""
    calls = {**calls_of_operations(), **calls_of_recipes()}
    computes = ("cast", "decode", "dot", "gemm", "rows", "scaled_mm")
    computes += ("exp", "exp2", "reciprocal", "rsqrt", "sigmoid", "tanh")
    for name in (*computes, *recipes.__all__):
        function = getattr(fp8mac if hasattr(fp8mac, name) else recipes, name)
        calls[name].append(lambda function=function: function(*3 * [object()]))
    return calls


def outcome(call):
    """The result of a call, or its exception."""
    try:
        return call()
    except (Error, TypeError) as error:
        return type(error), re.sub("0x[0-9a-f]+", "", str(error))


def test_environment(check, mxcsr):
    """Results are those of the default environment, and the caller's environment is as before."""
    calls = calls_of_everything()
    public = {name for name in fp8mac.__all__ if callable(getattr(fp8mac, name))}
    check("environment: every public name", set(calls), public | set(recipes.__all__))
    for name, some in calls.items():
        for number, call in enumerate(some):
            want = result_bytes(outcome(call))
            for environment, own in ENVIRONMENTS.items():

                def run(seen):
                    before = mxcsr.get()
                    mxcsr.set(own)
                    got = outcome(call)
                    after = mxcsr.get()
                    mxcsr.set(before)
                    seen += [result_bytes(got), after]

                here, there = [], []
                run(here)
                worker = threading.Thread(target=run, args=(there,))
                worker.start()
                worker.join()
                for where, seen in (("main thread", here), ("worker thread", there)):
                    about = f"{name}, call {number}, {environment}, {where}"
                    check("environment: results", seen[:1], [want], about)
                    check("environment: restored", seen[1:], [own], about)


def test_environment_of_functions(check, mxcsr):
    """All that computes enters the library's environment, and so do the functions given to Delayed."""
    functions = [fp8mac.cast, fp8mac.decode, fp8mac.dot, fp8mac.gemm, fp8mac.scaled_mm]
    functions += [
        fp8mac.rows,
        fp8mac.exp,
        fp8mac.exp2,
        fp8mac.reciprocal,
        fp8mac.rsqrt,
        fp8mac.sigmoid,
        fp8mac.tanh,
    ]
    functions += [
        fp8mac.cycles,
        fp8mac.convolution_cycles,
        fp8mac.elementwise_cycles,
        fp8mac.rows_cycles,
        fp8mac.format_of,
        Format.__post_init__,
        Format.record,
        Format.with_bias,
    ]
    functions += [Config.__init__]
    functions += [getattr(recipes, name) for name in recipes.__all__ if name != "Delayed"]
    functions += [recipes.Delayed.__init__, recipes.Delayed.update, recipes.Delayed.history.fget]
    for function in functions:
        check("environment: entered", hasattr(function, "__wrapped__"), True, function.__name__)
    seen = []

    def window(history):
        seen.append(mxcsr.get() & 0xFFC0)
        return max(history)

    own = recipes.Delayed(448.0, 2, window=window, scale_fn=lambda x, y: window([x, y]))
    mxcsr.set(0x9FC0)
    own.update(1.0)
    mxcsr.set(0x1F80)
    check("environment: of the caller's functions", seen, [0x1F80] * 2)


def test_bad_input(check, refused):
    """What was a raw TypeError, or was taken in silence."""
    x, a = np.ones(4, F32), np.ones((2, 3), np.uint8)
    b, c = a.view(ML["e5m2"]), np.ones((2, 2), F32)
    cast, dot, gemm = fp8mac.cast, fp8mac.dot, fp8mac.gemm
    refused("dtype is <object", "FORMAT", lambda: fp8mac.decode(b, dtype=object()))
    refused("dtype is <object", "FORMAT", lambda: dot(b, b, dtype=object()))
    for counter in ((1, 2), (1, 2, 3, 4), 5, "123"):
        refused("must be 3 numbers", "ROUNDING", lambda: cast(x, "e5m2", counter=counter))
    refused("counter is -1", "ROUNDING", lambda: cast(x, "e5m2", counter=(0, -1, 0)))
    for origin in ((1,), (1, 2, 3), 4, "12"):
        refused("must be 2 numbers", "SHAPE", lambda: gemm(a, a, origin=origin))
        refused("must be 2 numbers", "SHAPE", lambda: dot(a, a, origin=origin))
    for clamp in ((2,), (1, 2, 3), 2.0, "12"):
        refused("must be 2 numbers", "ACTIVATION", lambda: gemm(a, a, clamp=clamp))
    refused("must be a number", "ACTIVATION", lambda: gemm(a, a, clamp=("1", "2")))
    refused("too large for float32", "ACTIVATION", lambda: gemm(a, a, clamp=(0, 1e300)))
    for preset in (3, b"late_fp16", "late_fp16\0"):
        refused("preset is", "ACCUMULATOR", lambda: dot(a, a, preset=preset))
    refused("must be a whole number", "ACCUMULATOR", lambda: Config(acc_format="fp16\0"))
    for scale in ("2", b"2", None.__class__, [1, 2], 1j):
        refused("scale is", "SCALE", lambda: cast(x, "e5m2", scale=scale))
        refused("scale is", "SCALE", lambda: fp8mac.decode(b, scale=scale))
        refused("scale is", "SCALE", lambda: recipes.xla_quantize(x, "e5m2", scale))
        refused("given is", "SCALE", lambda: recipes.static(scale))
        refused("beta is", "SCALE", lambda: gemm(a, a, beta=scale, c=c))
    for large in (1e300, 10**400, -1e300, 3.4028236e38):
        refused("too large for float32", "SCALE", lambda: cast(x, "e5m2", scale=large))
        refused("too large for float32", "SCALE", lambda: fp8mac.decode(b, scale=large))
        refused("too large for float32", "SCALE", lambda: gemm(a, a, beta=large, c=c))
    for infinite in (math.inf, math.nan):
        refused("must be finite", "SCALE", lambda: gemm(a, a, beta=infinite, c=c))
    limit = float(np.finfo(F32).max)
    check("the largest float32", float(cast(F32(1), "float32", scale=limit)), limit)
    for name in ("bias", "scale_d", "scale_a"):
        value = 1e300 if name == "scale_d" else [1e300, 1.0]
        refused("too large for float32", "FORMAT", lambda: gemm(a, a, **{name: value}))
    refused("scale_d holds str32", "FORMAT", lambda: gemm(a, a, scale_d="2"))
    for name in ("e4m3fn\0x", "e4m3fn\0", "e4m3fn\ud800", "float32\0"):
        refused("is unknown", "FORMAT", lambda: cast(x, name))
        refused("is unknown", "FORMAT", lambda: Config(a_format=name))
        refused("name is", "FORMAT", lambda: Format(name, True, 4, 3, 7, False, True))
    refused("wrong: ", "FORMAT", lambda: Format("x", True, "4", 3, 7, False, True))
    refused("are names", "ROUNDING", lambda: cast(x, "e5m2", rounding="stochastic\0"))
    refused("are names", "ROUNDING", lambda: cast(x, "e5m2", overflow="ieee\0"))
    for rounding in ("nearest-even", "toward-zero"):
        refused(
            "random is for stochastic",
            "ROUNDING",
            lambda: cast(x, "e5m2", rounding=rounding, random=[1, 2, 3, 4]),
        )
    whole, holes = (np.ma.masked_array(x, mask) for mask in (False, [0, 1, 0, 0]))
    check("masks: nothing is masked", cast(whole, "e5m2").tolist(), cast(x, "e5m2").tolist())
    refused("x has masked", "FORMAT", lambda: cast(holes, "e5m2"))
    refused("amaxes has masked", "FORMAT", lambda: recipes.reduce(holes))
    codes = np.ma.masked_array(a, a > 0)
    refused("a has masked", "FORMAT", lambda: gemm(codes, a))
    refused("b has masked", "FORMAT", lambda: dot(a, codes))
    refused("x has masked", "FORMAT", lambda: fp8mac.decode(codes, "e5m2"))
    scores = np.ma.masked_array(c, c > 0)
    for name in ("bias", "scale_a", "c", "acc"):
        given = scores if name in ("c", "acc") else scores[0]
        refused(f"{name} has masked", "FORMAT", lambda: gemm(a, a, **{name: given}))
    masked = np.ma.masked_array(b, a > 0)
    refused("input has masked", "FORMAT", lambda: fp8mac.scaled_mm(masked, b.T, 1.0, 1.0))


def test_types(check):
    """mypy sees the types that typed.py asserts, and nothing wrong in the package."""
    typed = Path(__file__).with_name("typed.py")
    runpy.run_path(str(typed))
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir", os.devnull]
    for what in ([str(typed)], ["-p", "fp8mac"]):
        run = subprocess.run([*command, *what], capture_output=True, text=True)
        check("types", (run.returncode, run.stderr), (0, ""), run.stdout)


class Foreign:
    """An array of another library: it has DLPack's two methods, and nothing else."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, *arguments, **keywords):
        return self.x.__dlpack__(*arguments, **keywords)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class Unreadable(Foreign):
    def __dlpack__(self, *arguments, **keywords):
        raise BufferError("it is on a GPU")


def test_dlpack(check, arrays, refused, rng):
    """Objects with __dlpack__ give what NumPy's arrays give, and their types are as strict."""
    x, codes = rng.normal(size=(3, 8)).astype(F32), rng.integers(0, 96, (3, 64)).astype(np.uint8)
    for values in (x, x.astype(np.float16), x.astype(float), x.T):
        arrays("dlpack: cast", fp8mac.cast(Foreign(values), "e5m2"), fp8mac.cast(values, "e5m2"))
    arrays("dlpack: codes", fp8mac.decode(Foreign(codes), "e4m3fn"), fp8mac.decode(codes, "e4m3fn"))
    bias, blocks = x[0, :3].copy(), np.full((3, 2), 126, np.uint8)
    for name, given in (("bias", bias), ("scale_a", abs(bias)), ("c", x[:, :3]), ("acc", x[:, :3])):
        got, want = (
            fp8mac.gemm(a, a, format="e4m3fn", **{name: value})
            for a, value in ((Foreign(codes), Foreign(given)), (codes, given))
        )
        arrays(f"dlpack: gemm, {name}", got, want)
    got, want = (
        fp8mac.dot(a, a, "blackwell-fp8", format="e4m3fn", mx_a=mx, mx_b=mx)
        for a, mx in ((Foreign(codes), Foreign(blocks)), (codes, blocks))
    )
    arrays("dlpack: dot", got, want)
    check("dlpack: recipes", recipes.reduce(Foreign(x)), recipes.reduce(x))
    refused("x holds int64; give", "FORMAT", lambda: fp8mac.cast(Foreign(np.arange(3)), "e5m2"))
    refused(
        "bias holds float64",
        "FORMAT",
        lambda: fp8mac.gemm(codes, codes, bias=Foreign(bias.astype(float))),
    )
    refused("it is on a GPU", "FORMAT", lambda: fp8mac.cast(Unreadable(x), "e5m2"))
