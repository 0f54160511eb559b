# SPDX-License-Identifier: Apache-2.0
"""The Python package: GEMMs, rows, functions, recipes, batches, cycles, settings. See test_python.py."""

import math
import pickle

import fp8mac
import ml_dtypes
import numpy as np
from fp8mac import Config, Flags, recipes
from python_values import F32, FP8, ML, bits_of, quiet, refused

__all__ = ["quiet", "refused"]


def test_functions(check, arrays, refused, rng):
    x = rng.uniform(0.1, 60, 500).astype(F32)
    for name, want in (
        ("exp2", np.exp2(x.astype(float))),
        ("exp", np.exp(x.astype(float))),
        ("reciprocal", 1 / x.astype(float)),
        ("rsqrt", 1 / np.sqrt(x.astype(float))),
    ):
        got = getattr(fp8mac, name)(x)
        check(f"{name}: type", got.dtype, np.dtype(F32))
        off = np.abs(got - want) / np.spacing(want.astype(F32))
        check(f"{name}: within 3 units in the last place", bool(off.max() <= 3), True)
        check(f"{name}: not the nearest float each time", bool(off.max() > 0.5), True)
    x -= F32(30)
    check(
        "tanh: error",
        bool(np.abs(fp8mac.tanh(x) - np.tanh(x.astype(float))).max() < 2**-13.5),
        True,
    )
    check(
        "sigmoid: error",
        bool(np.abs(fp8mac.sigmoid(x) - 1 / (1 + np.exp(-x.astype(float)))).max() < 2**-14.5),
        True,
    )
    check("exp2: shape", fp8mac.exp2([[1, 2], [3, -1]]).tolist(), [[2, 4], [8, 0.5]])
    refused("x holds float64", "FORMAT", lambda: fp8mac.exp(np.zeros(2)))


def test_rows(check, arrays, refused, rng):
    x = rng.integers(-8, 9, (5, 37)).astype(F32)
    wide = x.astype(float)
    arrays("rows: sum", fp8mac.rows("sum", x), x.sum(1))
    arrays("rows: sum of squares", fp8mac.rows("sum-of-squares", x, factor=0.5), (x * x).sum(1) / 2)
    arrays("rows: maximum", fp8mac.rows("maximum", x, activation="relu"), x.max(1))
    arrays("rows: magnitude", fp8mac.rows("magnitude", x, factor=0.5), np.abs(x).max(1) / F32(2))
    arrays("rows: argmax", fp8mac.rows("argmax", x), x.argmax(1).astype(np.uint32))
    arrays("rows: seen", fp8mac.rows("argmax", x, seen=4), x[:, :4].argmax(1).astype(np.uint32))
    causal = [x[m, : 3 + m].sum() for m in range(5)]
    arrays("rows: causal", fp8mac.rows("sum", x, seen=3, causal=True), np.array(causal, F32))
    gamma, beta = rng.normal(size=(2, 37)).astype(F32)
    spread = wide - wide.mean(1, keepdims=True)
    layer = spread / np.sqrt((spread**2).mean(1, keepdims=True) + 0.25) * gamma + beta
    rms = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * gamma
    powers = np.exp((wide - wide.max(1, keepdims=True)) * 0.5)
    softmax = powers / powers.sum(1, keepdims=True)
    for name, want, how in (
        ("layer-norm", layer, {"gamma": gamma, "beta": beta, "eps": 0.25}),
        ("rms-norm", rms, {"gamma": gamma}),
        ("softmax", softmax, {"factor": 0.5}),
        ("quantise", wide / np.abs(wide).max(1, keepdims=True), {}),
    ):
        got = fp8mac.rows(name, x, **how)
        check(f"rows: {name}", bool(np.allclose(got, want, rtol=3e-6, atol=3e-6)), True)
        codes = fp8mac.rows(name, x, d_format=ML["e4m3fn"], scale_d=32.0, **how)
        arrays(f"rows: {name} to FP8", bits_of(codes), fp8mac.cast(got * F32(32), "e4m3fn"))
        packed = fp8mac.cast(x, "e4m3fn")
        again = fp8mac.rows(name, packed, format="e4m3fn", **how)
        arrays(f"rows: {name} from codes", bits_of(again), bits_of(got))
        table = rng.integers(0, 256, 256, dtype=np.uint8)
        mapped = fp8mac.rows(name, x, d_format="e4m3fn", scale_d=32.0, d_table=table, **how)
        arrays(f"rows: {name} by a table", mapped, table[bits_of(codes)])
    result = fp8mac.rows("sum", np.array([[3e38, 3e38], [1, np.nan]], F32), return_result=True)
    both = Flags.OVERFLOW | Flags.NAN
    check("rows: result", (result.amax_nonfinite, result.flags), (True, both))
    for name in ("e4m3fn", "e5m2fnuz"):
        blocks = np.ldexp(rng.normal(size=(5, 37)), rng.integers(-40, 40, (5, 37))).astype(F32)
        blocks[1, 33], blocks[2, :32] = np.inf, 0
        result = fp8mac.rows("quantise-mx", blocks, d_format=name, return_result=True)
        codes, scales = fp8mac.recipes.mx_quantize(blocks, name)
        arrays("rows: MX codes", bits_of(result.d), bits_of(codes))
        arrays("rows: MX scales", result.scales, scales)
        check("rows: an Inf in MX", result.amax_nonfinite, True)
    mx = {"d_format": "e4m3fn", "return_result": True}
    for wrong in ({"seen": 3}, {"factor": 2.0}, {"scale_d": 2.0}, {"activation": "relu"}):
        refused("", "UNSUPPORTED", lambda w=wrong: fp8mac.rows("quantise-mx", x, **mx, **w))
    refused("", "FORMAT", lambda: fp8mac.rows("quantise-mx", x, return_result=True))
    refused("it needs return_result", "UNSUPPORTED", lambda: fp8mac.rows("quantise-mx", x))
    refused("operation is 'mean'", "UNSUPPORTED", lambda: fp8mac.rows("mean", x))
    refused("x has the shape (37,)", "SHAPE", lambda: fp8mac.rows("sum", x[0]))
    refused("gamma has the shape (5,)", "SHAPE", lambda: fp8mac.rows("rms-norm", x, gamma=x[:, 0]))
    refused("seen is 38", "SHAPE", lambda: fp8mac.rows("sum", x, seen=38))
    refused("factor holds 0", "SCALE", lambda: fp8mac.rows("sum", x, factor=0))
    refused("argmax has neither", "UNSUPPORTED", lambda: fp8mac.rows("argmax", x, scale_d=2))
    refused("", "UNSUPPORTED", lambda: fp8mac.rows("softmax", x, gamma=gamma))
    refused("d_format is e2m1fn", "FORMAT", lambda: fp8mac.rows("sum", x, d_format="e2m1fn"))
    fp4 = np.zeros((2, 3), np.uint8)
    refused("x holds e2m1fn", "FORMAT", lambda: fp8mac.rows("sum", fp4, format="e2m1fn"))


def test_gemm(check, arrays, rng):
    a, b = (
        fp8mac.cast(rng.normal(size=shape).astype(F32), "e4m3fn") for shape in ((9, 70), (11, 70))
    )
    one_by_one = np.array([[fp8mac.dot(x, y) for y in b] for x in a])
    arrays("gemm: its outputs are dots", fp8mac.gemm(a, b), one_by_one)
    for preset in ("hopper-fp8", "cdna3-fp8", "arm-fdot2", "kulisch", "blackwell-fp8-fp16"):
        want = np.array([[fp8mac.dot(x, y, preset, format="e4m3fn") for y in b] for x in a])
        arrays("gemm: its outputs are dots", fp8mac.gemm(a, b, preset, format="e4m3fn"), want)
    scale_a, scale_b = (rng.uniform(0.5, 2, n).astype(F32) for n in (9, 11))
    bias, c = rng.normal(size=11).astype(F32), rng.normal(size=(9, 11)).astype(F32)
    scaled = one_by_one * (scale_a[:, None] * scale_b[None, :])
    whole = (scaled + bias) + F32(0.75) * c
    arrays("gemm: epilogue in float32", fp8mac.gemm(a, b, scale_a=scale_a, scale_b=scale_b), scaled)
    arrays(
        "gemm: epilogue in float32",
        fp8mac.gemm(a, b, scale_a=scale_a, scale_b=scale_b, bias=bias, beta=0.75, c=c),
        whole,
    )
    arrays("gemm: c is used once if beta is not given", fp8mac.gemm(a, b, c=c), one_by_one + c)
    arrays(
        "gemm: c in float16",
        fp8mac.gemm(a, b, c=c.astype(np.float16)),
        one_by_one + c.astype(np.float16).astype(F32),
    )
    arrays(
        "gemm: c in bfloat16",
        fp8mac.gemm(a, b, c=c.astype(ml_dtypes.bfloat16)),
        one_by_one + c.astype(ml_dtypes.bfloat16).astype(F32),
    )
    arrays("gemm: one scale", fp8mac.gemm(a, b, scale_a=0.5, scale_b=[4.0]), one_by_one * F32(2))
    arrays("gemm: relu", fp8mac.gemm(a, b, activation="relu"), np.maximum(one_by_one, F32(0)))
    arrays("gemm: clamp", fp8mac.gemm(a, b, clamp=(-1, 2)), np.clip(one_by_one, F32(-1), F32(2)))
    for name in FP8:
        got = fp8mac.gemm(a, b, d_format=ML[name], scale_d=3.0, overflow="ieee")
        arrays("gemm: D in FP8", bits_of(got), bits_of((one_by_one * F32(3)).astype(ML[name])))
        check(
            "gemm: D's type",
            (got.dtype, fp8mac.gemm(a, b, d_format=name).dtype),
            (np.dtype(ML[name]), np.dtype(np.uint8)),
        )
    arrays(
        "gemm: D in float16", fp8mac.gemm(a, b, d_format="float16"), one_by_one.astype(np.float16)
    )
    arrays(
        "gemm: D in bfloat16",
        fp8mac.gemm(a, b, d_format=ml_dtypes.bfloat16),
        one_by_one.astype(ml_dtypes.bfloat16),
    )


def test_gemm_results(check, arrays, rng):
    a, b = (
        fp8mac.cast(rng.normal(size=shape).astype(F32), "e4m3fn") for shape in ((9, 70), (11, 70))
    )
    one_by_one = np.array([[fp8mac.dot(x, y) for y in b] for x in a])
    result = fp8mac.gemm(a, b, return_result=True)
    check(
        "gemm: amax",
        (result.amax, result.amax_nonfinite, result.flags),
        (np.abs(one_by_one).max(), False, Flags(0)),
    )
    result = fp8mac.gemm(a, b, d_format="e5m2", scale_d=1e30, return_result=True)
    check("gemm: flags", result.flags, Flags.SATURATED)
    mx = [rng.integers(120, 134, (n, 3)).astype(np.uint8) for n in (9, 11)]
    want = np.array(
        [[fp8mac.dot(x, y, mx_a=s, mx_b=t) for y, t in zip(b, mx[1])] for x, s in zip(a, mx[0])]
    )
    arrays("gemm: block scales", fp8mac.gemm(a, b, mx_a=mx[0], mx_b=mx[1]), want)
    left, right = rng.integers(-128, 128, (2, 8, 50)).astype(np.int8)
    arrays(
        "gemm: int8",
        fp8mac.gemm(left, right, acc_format="int32"),
        (left.astype(np.int32) @ right.astype(np.int32).T).astype(F32),
    )
    arrays(
        "gemm: strided operands",
        fp8mac.gemm(a[::2, ::-1], b[1:, ::-1]),
        fp8mac.gemm(np.ascontiguousarray(a[::2, ::-1]), np.ascontiguousarray(b[1:, ::-1])),
    )
    full = fp8mac.gemm(a, b, d_format="e4m3fn", rounding="stochastic", seed=3)
    part = fp8mac.gemm(
        a[4:], b[3:], d_format="e4m3fn", rounding="stochastic", seed=3, origin=(4, 3)
    )
    arrays("gemm: stochastic D, tiled", part, full[4:, 3:])


def test_gemm_refusals(refused, rng):
    a, b = (
        fp8mac.cast(rng.normal(size=shape).astype(F32), "e4m3fn") for shape in ((9, 70), (11, 70))
    )
    c = rng.normal(size=(9, 11)).astype(F32)
    mx = [rng.integers(120, 134, (n, 3)).astype(np.uint8) for n in (9, 11)]
    refused(
        "the shapes disagree: a is (9, 70) and b (11, 69)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b[:, 1:]),
    )
    refused("a has the shape (70,)", "SHAPE", lambda: fp8mac.gemm(a[0], b))
    refused("a has the shape (0, 70)", "SHAPE", lambda: fp8mac.gemm(a[:0], b))
    refused(
        "scale_a holds nan; a scale must be finite",
        "SCALE",
        lambda: fp8mac.gemm(a, b, scale_a=math.nan),
    )
    refused("scale_b holds 0.0", "SCALE", lambda: fp8mac.gemm(a, b, scale_b=np.zeros(11, F32)))
    refused("scale_d holds inf", "SCALE", lambda: fp8mac.gemm(a, b, scale_d=math.inf))
    refused(
        "scale_a has the shape (2,) and must have one value or (9,)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b, scale_a=[1, 2]),
    )
    refused(
        "bias has the shape (9,) and must have (11,)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b, bias=np.ones(9, F32)),
    )
    refused(
        "bias holds float64 and must hold float32",
        "FORMAT",
        lambda: fp8mac.gemm(a, b, bias=np.ones(11)),
    )
    refused("c has the shape (11, 9)", "SHAPE", lambda: fp8mac.gemm(a, b, c=c.T))
    refused(
        "c holds e4m3fn and must hold float16",
        "FORMAT",
        lambda: fp8mac.gemm(a, b, c=a[:, :11], c_format="e4m3fn"),
    )
    refused("beta needs c", "NULL", lambda: fp8mac.gemm(a, b, beta=1.0))
    refused(
        "activation 'gelu' is unknown", "ACTIVATION", lambda: fp8mac.gemm(a, b, activation="gelu")
    )
    refused("needs clamp=(low, high)", "ACTIVATION", lambda: fp8mac.gemm(a, b, activation="clamp"))
    refused("the lower one first", "ACTIVATION", lambda: fp8mac.gemm(a, b, clamp=(2, 1)))
    refused("the lower one first", "ACTIVATION", lambda: fp8mac.gemm(a, b, clamp=(math.nan, 1)))
    refused(
        "mx_b has the shape (9, 3) and must have (11, 3)",
        "SHAPE",
        lambda: fp8mac.gemm(a, b, mx_b=mx[0]),
    )
    refused(
        "overflow mode 'wrap' is unknown",
        "OVERFLOW_MODE",
        lambda: fp8mac.gemm(a, b, overflow="wrap"),
    )


def test_recipes(check, rng):
    def single(x):
        return float(F32(x))

    for name, want in [("e4m3fn", 448), ("e5m2", 57344), ("e4m3fnuz", 240), ("e5m2fnuz", 57344)]:
        check(
            "recipes: format_max",
            (recipes.format_max(name), recipes.format_max(ML[name])),
            (want, want),
        )
    for amax in [3.0, 448.0, 1e-30, 0.1, *rng.lognormal(0, 5, 200).astype(F32).tolist()]:
        divided, ratio = F32(448) / F32(amax), F32(448) * (F32(1) / F32(amax))
        clamped = max(F32(amax), F32(1e-12))
        check("recipes: scale", recipes.scale(448.0, amax, margin=1), single(ratio / F32(2)))
        check(
            "recipes: scale, IEEE division",
            recipes.scale(448.0, amax, division="ieee"),
            single(divided),
        )
        check(
            "recipes: autofp8",
            [float(recipes.autofp8(448.0, amax, division=d)[0]) for d in ("source", "ieee")],
            [single(F32(448) * (F32(1) / clamped)), single(F32(448) / clamped)],
        )
        check(
            "recipes: flax_scale",
            recipes.flax_scale("e4m3fn", amax, 0.5, margin=1),
            single(F32(1) / (divided / F32(2))),
        )
        check(
            "recipes: xla_example_next",
            recipes.xla_example_next("e4m3fn", amax),
            single(F32(1.1) * max(F32(amax), F32(2**-10)) / F32(448)),
        )
        check(
            "recipes: msamp_scale",
            recipes.msamp_scale("e4m3fn", amax, 1.0, margin=3),
            2.0 ** (math.floor(F32(math.log2(ratio))) - 3),
        )
        check(
            "recipes: scale",
            recipes.scale("e4m3fn", amax, power_of_two=True),
            2.0 ** math.floor(math.log2(ratio)),
        )
        check("recipes: floor_log2", recipes.floor_log2(amax), math.frexp(single(amax))[1] - 1)
        check("recipes: inverse", recipes.inverse(amax), single(F32(1) / F32(amax)))
        check(
            "recipes: xla_next",
            recipes.xla_next("e4m3fn", amax, 7.0),
            single(F32(1.1) * (F32(amax) / F32(448))),
        )
        check(
            "recipes: pytorch_scale",
            recipes.pytorch_scale("e4m3fn", amax),
            single(448.0 * (1 / max(single(amax), 1e-12))),
        )
        bias = max(-32, min(32, math.floor(math.log2(divided))))
        check("recipes: graphcore", recipes.graphcore_amax_bias("e4m3fn", amax), bias)
        check(
            "recipes: mx_scale",
            recipes.mx_scale("e4m3fn", amax),
            min(254, max(0, math.frexp(single(amax))[1] - 1 - 8 + 127)),
        )


def test_recipe_scales(check, rng):
    def single(x):
        return float(F32(x))

    for amax in (0.0, math.inf, math.nan):
        check(
            "recipes: an amax of 0, Inf or NaN keeps the scale",
            (
                recipes.scale(448.0, amax, previous=5.0),
                recipes.xla_next(448.0, amax, 5.0),
                recipes.graphcore_amax_bias(448.0, amax, 5),
            ),
            (5.0, 5.0, 5),
        )
    check(
        "recipes: an infinite scale is the largest float",
        recipes.scale(448.0, 1e-40),
        float(np.finfo(F32).max),
    )
    check(
        "recipes: reduce",
        (recipes.reduce([1, -3, 2]), recipes.reduce([]), recipes.reduce([1, math.inf])),
        (3.0, 0.0, math.inf),
    )
    check("recipes: reduce", math.isnan(recipes.reduce([math.inf, math.nan])), True)
    x = rng.normal(size=1000).astype(F32)
    largest = np.abs(x).max()
    check(
        "recipes: dynamic",
        [recipes.dynamic(x, "e4m3fn", division=d) for d in ("source", "ieee")],
        [single(F32(448) * (F32(1) / largest)), single(F32(448) / largest)],
    )
    check(
        "recipes: an amax of Inf or NaN in the originals",
        [
            recipes.torchao_scale("e4m3fn", math.inf),
            math.isnan(recipes.torchao_scale("e4m3fn", math.nan)),
            recipes.msamp_scale("e4m3fn", math.inf, 4.0),
            recipes.msamp_scale("e4m3fn", math.nan, 4.0),
            recipes.flax_scale("e4m3fn", math.inf, 4.0),
            recipes.xla_example_next("e4m3fn", math.inf),
        ],
        [0.0, True, 0.25, 4.0, 4.0, math.inf],
    )
    check(
        "recipes: a scale that underflows",
        [recipes.scale(2.0**-60, 2.0**120, underflow=u) for u in ("smallest", "zero")],
        [2.0**-149, 0.0],
    )
    check("recipes: static", recipes.static(0.1), single(0.1))


def test_delayed_recipes(check, rng):
    delayed, history, previous = recipes.Delayed("e4m3fn", 4), [], 1.0
    for amax in rng.lognormal(0, 2, 50).astype(F32).tolist() + [math.inf, 1.0, 1.0, 1.0, 1.0, 1.0]:
        history = [amax, *history][:4]
        previous = recipes.scale(448.0, max(history), previous=previous)
        check("recipes: delayed", delayed.update(amax), previous)
    recent = recipes.Delayed("e4m3fn", 4, window="most-recent", interval=2)
    check(
        "recipes: delayed, most recent, every second",
        [recent.update(v) for v in (1.0, 2.0, 4.0, 8.0)],
        [448.0, 448.0, 112.0, 112.0],
    )
    own = recipes.Delayed(448.0, 4, window=min, scale_fn=lambda amax, old: old + amax)
    check(
        "recipes: delayed, the caller's functions",
        [own.update(v, nonfinite=v > 3) for v in (1.0, 2.0, 3.0, 4.0, 5.0)],
        [1.0, 1.0, 1.0, 2.0, 4.0],
    )

    def fails(history):
        raise ZeroDivisionError(len(history))

    for changes in ({"window": fails}, {"scale_fn": lambda amax, old: fails([amax, old])}):
        broken = recipes.Delayed(448.0, 2, **changes)
        try:
            broken.update(3.0)
            check("recipes: delayed, an exception is passed on", "none", "ZeroDivisionError")
        except ZeroDivisionError as error:
            check("recipes: delayed, an exception is passed on", error.args, (2,))
        check("recipes: delayed, then keeps its scale", broken.scale, 1.0)
    saved = pickle.loads(pickle.dumps(recent))
    check("recipes: delayed, saved and restored", saved.history, [8.0, 4.0, 2.0, 1.0])
    check("recipes: delayed, goes on", saved.update(16.0), recent.update(16.0))


def test_published_recipes(check):
    def single(x):
        return float(F32(x))

    check(
        "recipes: graphcore_cscale_bias",
        [recipes.graphcore_cscale_bias(b) for b in (-40, -3, 40)],
        [-32, -3, 32],
    )
    check(
        "recipes: te_operand",
        [
            recipes.te_operand("HYBRID", g, i)
            for g in ("fprop", "dgrad", "wgrad")
            for i in (False, True)
        ][2:],
        ["e4m3fn", "e5m2", "e4m3fn", "e5m2"],
    )
    check(
        "recipes: xla",
        fp8mac.decode(
            recipes.xla_quantize(F32([2**-14, 2, 7]), "e4m3fn", 1 / 64), "e4m3fn"
        ).tolist(),
        [2.0**-8, 128.0, 448.0],
    )
    check(
        "recipes: xla_mode",
        [recipes.xla_mode(f, g) for f in ("e4m3fn", "e5m2") for g in (False, True)],
        ["saturate", "saturate", "saturate", "ieee"],
    )
    check(
        "recipes: scale_exponent",
        [recipes.scale_exponent(b) for b in (-99, -3, 0, 40)],
        [32, 3, 0, -32],
    )
    check(
        "recipes: fp8lm_mu",
        (recipes.fp8lm_mu(8.0, 2, 100000), recipes.fp8lm_mu(8.0, 1, 100000)),
        (4.0, single(F32(8) * F32(1.00069344))),
    )
    check("recipes: fp8lm_shared_scale", recipes.fp8lm_shared_scale([4, 2, 8]), 2.0)
    check(
        "recipes: fp8lm_reduction_factors",
        [recipes.fp8lm_reduction_factors(r, 4, 2.0) for r in recipes.REDUCTIONS],
        [(0.25, 1.0), (1.0, 0.25), (2.0, 0.125)],
    )


def test_block_recipes(check, arrays, rng):
    x = rng.normal(size=1000).astype(F32)
    y = rng.normal(size=(3, 70)).astype(F32)
    codes, scales = recipes.mx_quantize(y, ML["e4m3fn"])
    check(
        "recipes: mx_quantize",
        (codes.shape, scales.shape, codes.dtype),
        ((3, 70), (3, 3), np.dtype(ML["e4m3fn"])),
    )
    for i, block in np.ndindex(3, 3):
        part = y[i, 32 * block : 32 * block + 32]
        exponent = math.frexp(float(np.abs(part).max()))[1] - 1 - 8
        check("recipes: mx_quantize", int(scales[i, block]), exponent + 127)
        want = np.clip(part / F32(2.0**exponent), -448, 448).astype(ML["e4m3fn"])
        arrays(
            "recipes: mx_quantize", bits_of(codes[i, 32 * block : 32 * block + 32]), bits_of(want)
        )
    errors = [
        float(
            np.sum(
                (
                    x.astype(float)
                    - fp8mac.decode(fp8mac.cast(x, f"qc_e4m3:{b}"), f"qc_e4m3:{b}", dtype=float)
                )
                ** 2
            )
        )
        for b in range(0, 16)
    ]
    check(
        "recipes: qualcomm_bias", recipes.qualcomm_bias(x, "qc_e4m3", 0, 15), int(np.argmin(errors))
    )
    amaxes = rng.lognormal(0, 3, 20).astype(F32)
    quantise, dequantise = recipes.autofp8("e4m3fn", amaxes)
    arrays("recipes: autofp8", quantise, F32(448) * (F32(1) / np.maximum(amaxes, F32(1e-12))))
    arrays("recipes: autofp8", dequantise, F32(1) / quantise)
    arrays(
        "recipes: vllm",
        recipes.vllm("e4m3fn", amaxes)[1],
        np.maximum(amaxes / F32(448), F32(1) / (F32(448) * F32(512))),
    )
    arrays("recipes: tensorrt_llm", recipes.tensorrt_llm("e4m3fn", amaxes)[1], amaxes / F32(448))


def test_recipe_refusals(refused, rng):
    x = rng.normal(size=1000).astype(F32)
    refused(
        "margin must be in -32..32", "SCALE_EXPONENT", lambda: recipes.scale(448.0, 1.0, margin=33)
    )
    refused("margin is 1.5", "SCALE_EXPONENT", lambda: recipes.scale(448.0, 1.0, margin=1.5))
    refused("fp8_max must be finite", "SCALE", lambda: recipes.scale(math.nan, 1.0))
    refused("previous is nan", "SCALE", lambda: recipes.scale(448.0, 1.0, previous=math.nan))
    refused("x must be finite", "SCALE", lambda: recipes.floor_log2(0.0))
    refused("given is inf", "SCALE", lambda: recipes.static(math.inf))
    refused(
        "window 'median' is unknown",
        "UNSUPPORTED",
        lambda: recipes.Delayed("e4m3fn", 4, window="median"),
    )
    refused("length is 0", "SHAPE", lambda: recipes.Delayed("e4m3fn", 0))
    refused(
        "format 'E3M4' is unknown; choose from HYBRID",
        "UNSUPPORTED",
        lambda: recipes.te_operand("E3M4", "fprop", False),
    )
    refused("scale is nan", "SCALE", lambda: recipes.xla_quantize(x, "e4m3fn", math.nan))
    refused("scales must have one element", "SHAPE", lambda: recipes.fp8lm_shared_scale([]))
    refused("ranks is 0", "SHAPE", lambda: recipes.fp8lm_reduction_factors("automatic", 0))
    refused("element is float16", "FORMAT", lambda: recipes.mx_quantize(x, "float16"))
    refused("format must be qc_e5m2", "FORMAT", lambda: recipes.qualcomm_bias(x, "e4m3fn", 0, 3))
    refused("lowest <= highest", "SHAPE", lambda: recipes.qualcomm_bias(x, "qc_e4m3", 4, 3))
    refused("must be finite", "SCALE", lambda: recipes.qualcomm_bias([math.nan], "qc_e4m3", 0, 3))
    refused("every amax", "SCALE", lambda: recipes.autofp8("e4m3fn", [math.inf]))
    refused("amaxes holds float64", "FORMAT", lambda: recipes.reduce(np.ones(3)))


def test_batches(check, arrays, refused, rng):
    """A batch is a loop of GEMMs, bit for bit."""
    cases = [((4,), (4,)), ((4,), ()), ((), (4,)), ((2, 1), (3,)), ((1,), (4,))]
    m, n, k = 3, 5, 64
    for a_batch, b_batch in cases:
        batch = np.broadcast_shapes(a_batch, b_batch)
        a, b = (
            fp8mac.cast(rng.normal(size=(*lead, rows, k)), "e4m3fn")
            for lead, rows in ((a_batch, m), (b_batch, n))
        )
        tails = {
            "scale_a": [(), (m,), (*batch, m), (*batch, 1)],
            "scale_b": [(), (n,), (*batch, n), (*batch, 1)],
            "bias": [(n,), (*batch, n)],
            "c": [(m, n), (*batch, m, n)],
            "acc": [(), (m, n), (*batch, m, n)],
            "mx_a": [(m, 2), (*batch, m, 2)],
            "mx_b": [(n, 2), (*batch, n, 2)],
        }
        fixed = {"scale_a": 1, "scale_b": 1, "bias": 1, "c": 2, "acc": 2, "mx_a": 2, "mx_b": 2}
        for choice in range(4):
            more = {}
            for name, shapes in tails.items():
                shape = shapes[choice % len(shapes)]
                values = rng.uniform(0.5, 2, shape).astype(F32)
                blocks = rng.integers(120, 134, shape).astype(np.uint8)
                more[name] = blocks if name.startswith("mx") else values
            how = dict(format="e4m3fn", preset="blackwell-fp8", return_result=True)
            how |= dict(d_format="e5m2", rounding="stochastic", seed=choice, origin=(1, 2))
            got = fp8mac.gemm(a, b, **more, **how)
            ones = []
            left, right = (np.broadcast_to(x, batch + x.shape[-2:]) for x in (a, b))
            for at in np.ndindex(batch):
                own = {
                    name: value[at] if value.ndim == len(batch) + fixed[name] else value
                    for name, value in more.items()
                }
                ones.append(fp8mac.gemm(left[at], right[at], **own, **how))
            want = np.array([one.d for one in ones]).reshape(*batch, m, n)
            arrays("batches: D", got.d, want)
            check("batches: amax", got.amax, max(one.amax for one in ones))
            flags = Flags(0)
            for one in ones:
                flags |= one.flags
            check("batches: flags", got.flags, flags)
    a = np.uint8([[[0x38]], [[0x7F]], [[0x40]]])
    got = fp8mac.gemm(a, a[0], format="e4m3fn", return_result=True)
    check(
        "batches: a NaN in one",
        (got.amax, got.amax_nonfinite, got.flags),
        (F32(2), True, Flags.NAN),
    )
    a, b = np.ones((2, 3, 8), np.uint8), np.ones((3, 5, 8), np.uint8)
    gemm = fp8mac.gemm
    refused("the batches disagree", "SHAPE", lambda: gemm(a, b))
    refused("a batch of them", "SHAPE", lambda: gemm(a[:0], b))
    for name, shape in (("scale_a", (2,)), ("bias", (2, 1)), ("c", (2, 5)), ("mx_a", (2, 1))):
        wrong = np.ones(shape, np.uint8 if name == "mx_a" else F32)
        refused(f"{name} has the shape {shape}", "SHAPE", lambda: gemm(a, b[0], **{name: wrong}))


# ---- clock cycles ------------------------------------------------------------------------------------------------


def test_cycles(check, refused):
    """Those of docs/CYCLES.md. bindings_cycles compares the command line, which has the same C function, with the chip."""
    got = fp8mac.cycles(64, 64, 64)
    want = dict(compute=1024, results=4, spacing=0, first_load=134, load=24, command=32, store=47)
    want |= dict(idle=0, macs=64**3, read_beats=1029, write_beats=256)
    for name, value in want.items():
        check(f"cycles: {name}", getattr(got, name), value)
    check("cycles: their sum", got.cycles, 1265)
    check("cycles: utilisation", got.utilisation, 1024 / 1265)
    check("cycles: of the roofline", got.roofline, 1024 / 1265)
    wide = fp8mac.cycles(64, 64, 64, d_format="float32")
    check("cycles: a wider D", (wide.write_beats, wide.compute), (1024, 1024))
    vector = fp8mac.cycles(1, 64, 64, axi_data_w=256, latency=3, memory="ideal", element="late")
    check("cycles: beats of 32 bytes", vector.read_beats, 65 * 64 // 32 + 3)
    large = fp8mac.cycles(8, 8, 8, rows=8, cols=8)
    check("cycles: a larger array", (large.compute, large.macs), (1, 512))
    cycles = fp8mac.cycles
    stalled = [cycles(64, 64, 64, stall_permille=200, seed=seed) for seed in (1, 1, 2)]
    check("cycles: equal seeds", stalled[0], stalled[1])
    check("cycles: another seed", stalled[0].cycles != stalled[2].cycles, True)
    check("cycles: stalls", stalled[0].cycles > got.cycles, True)
    refused("stall_permille is not", "CONFIG", lambda: cycles(1, 1, 1, stall_permille=901))
    refused("rows is not possible; a power of two", "CONFIG", lambda: cycles(1, 1, 1, rows=3))
    refused("rows is -1 and must be in 0..", "CONFIG", lambda: cycles(1, 1, 1, rows=-1))
    refused("memory is 'fast' and must be", "CONFIG", lambda: cycles(1, 1, 1, memory="fast"))
    refused("d_format is 'e3m2fn'", "CONFIG", lambda: cycles(1, 1, 1, d_format="e3m2fn"))
    refused("kind of element does not", "PRESET", lambda: cycles(1, 1, 1, element="fast"))
    refused("element is not possible", "CONFIG", lambda: cycles(1, 1, 1, element="static"))
    refused("m, n and k are at least 1", "SHAPE", lambda: cycles(1, 0, 1))
    refused("fit 4 GiB", "SHAPE", lambda: cycles(70000, 70000, 1))


def test_layer_cycles(check, refused):
    """Convolutions are those of `fp8mac cycles`, which bindings_cycles compares with the chip. What commands of other kinds
    take in the chip is compared by networks-chip."""
    convolution, rows, elementwise = (
        fp8mac.convolution_cycles,
        fp8mac.rows_cycles,
        fp8mac.elementwise_cycles,
    )
    pads = {"pads": (1, 1), "vectors": True}
    full = convolution((1, 28, 28, 8), 16, (3, 3), **pads)
    depthwise = convolution((1, 14, 14, 64), 64, (3, 3), groups=64, **pads)
    check("cycles: convolutions of docs/CYCLES.md", (full, depthwise), (5249, 3316))
    point = convolution((1, 8, 8, 80), 48)
    check("cycles: pixels are a matrix", point, fp8mac.cycles(64, 48, 80).cycles)
    residual = convolution((1, 8, 8, 80), 48, c_format="e4m3fn")
    check("cycles: a residual", residual > point, True)
    wide = convolution((1, 8, 8, 80), 48, d_format="float32")
    check("cycles: a wider D", wide > point, True)
    check("cycles: INT8", convolution((1, 8, 8, 80), 48, element="int8", d_format="int8") > 0, True)
    add = elementwise("add", 64, 64)
    check("cycles: a conversion reads no C", elementwise("add", 64, 64, c_format=None) < add, True)
    check("cycles: a wider X", elementwise("multiply", 64, 64, x_format="float32") > add, True)
    every = ("sum", "argmax", "rms-norm", "layer-norm", "softmax", "sigmoid", "quantise")
    for operation in every:
        few, many = (rows(operation, m, 64, d_format="float32") for m in (4, 64))
        check("cycles: more rows", 0 < few < many, True, operation)
    check("cycles: gamma", rows("rms-norm", 8, 64, vectors=True) > rows("rms-norm", 8, 64), True)
    check("cycles: phases", rows("softmax", 8, 64) > rows("sigmoid", 8, 64), True)
    refused("no outputs", "SHAPE", lambda: convolution((1, 2, 2, 8), 8, (3, 3)))
    refused("no outputs", "SHAPE", lambda: convolution((1, 2, 2, 8), 8, stride=(0, 1)))
    refused("groups must divide", "SHAPE", lambda: convolution((1, 2, 2, 9), 8, groups=2))
    refused("operation is 'power'", "CONFIG", lambda: elementwise("power", 1, 1))
    refused("operation is 'mean'", "CONFIG", lambda: rows("mean", 1, 1))
    refused("refuses", "COMMAND", lambda: rows("sum", 0, 8))
    refused("refuses", "COMMAND", lambda: rows("sigmoid", 8, 8, causal=True))
    refused("fit 4 GiB", "SHAPE", lambda: elementwise("add", 2**31, 2**31))
    refused("axi_data_w is not", "CONFIG", lambda: rows("sum", 1, 1, axi_data_w=100))


def test_config(check):
    for name, preset in fp8mac.presets.items():
        check("presets", bool(preset.summary and preset.source), True, name)
        if preset.config is None:
            continue
        check("presets", Config(name), preset.config, name)
        rebuilt = Config(
            a_format=preset.config.a_format,
            b_format=preset.config.b_format,
            **preset.config.settings,
        )
        check(
            "config: rebuilt from its settings",
            (rebuilt, hash(rebuilt)),
            (preset.config, hash(preset.config)),
            name,
        )
        check(
            "config: replace",
            preset.config.replace(group=preset.config.settings.get("group", 1)),
            preset.config,
            name,
        )
        check("config: pickle", pickle.loads(pickle.dumps(preset.config)), preset.config, name)
    check(
        "presets: hopper",
        fp8mac.presets["hopper-fp8"].config.settings,
        {
            "acc_format": "e8m13",
            "group": "32",
            "acc_rounding": "toward-zero",
            "frac_bits": "13",
            "nan_code": "0x7fffffff",
        },
    )
    check(
        "config: formats",
        (Config(format="e5m2").a_format.name, Config("cdna3-fp8").b_format.name),
        ("e5m2", "e4m3fnuz"),
    )
    check("config: changes", Config("hopper-fp8", frac_bits=20).settings["frac_bits"], "20")
    check(
        "presets: an element",
        Config("late_fp16_f13_l16").settings,
        {
            "acc_format": "fp16",
            "group": "16",
            "frac_bits": "13",
            "align_by": "operands",
            "acc_late": "true",
            "late_bits_sum": "13",
            "late_bits_acc": "13",
            "late_round": "odd",
        },
    )
    check("presets: an element's lanes", Config("exact_l2"), Config(group=2))


def test_config_settings(check, refused):
    static = Config(acc_format="fixed", frac_bits=20, static_exponent=-5)
    check(
        "config: static",
        static.settings,
        {"acc_format": "fixed", "frac_bits": "20", "static_exponent": "-5"},
    )
    check("config: pickle", pickle.loads(pickle.dumps(static)), static)
    check(
        "config: align_by",
        Config(frac_bits=9, align_by="operands").settings,
        {"frac_bits": "9", "align_by": "operands"},
    )
    check("config: differ", Config() == Config(group=2), False)
    for settings, sentence, status in [
        ({"acc_late": True, "frac_bits": 9, "late_bits_acc": 3}, "or both 0", "ACCUMULATOR"),
        ({"acc_rounding": "stochastic"}, "random-bits is 1..24", "ROUNDING"),
        ({"acc_rounding": "up"}, "there are nearest-even", "ROUNDING"),
        ({"promote": 6, "group": 4}, "multiples of group", "GROUP"),
        ({"align_by": "operands"}, "need frac-bits", "ACCUMULATOR"),
        ({"align_by": "sums", "frac_bits": 9}, "there are products, operands", "ACCUMULATOR"),
        (
            {"static_exponent": 3, "frac_bits": 9},
            "static-exponent is for the fixed accumulator alone",
            "ACCUMULATOR",
        ),
        (
            {"static_exponent": 3, "acc_format": "fixed"},
            "static-exponent needs frac-bits",
            "ACCUMULATOR",
        ),
        ({"a_format": "e8m0fnu"}, "no wider range", "FORMAT"),
        ({"flush": "perhaps"}, "neither true nor false", "ACCUMULATOR"),
        ({"acc_format": "int32"}, "two int8 operands", "FORMAT"),
    ]:
        refused(sentence, status, lambda: Config(**settings))
