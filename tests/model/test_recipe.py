# SPDX-License-Identifier: Apache-2.0
"""Scaling recipes: each formula against exact fractions rounded once per operation, delayed scaling against Transformer
Engine's own bookkeeping (a history that is rolled by one, index 0 the current step), refusals and what they leave."""

import ctypes as ct
import itertools
import math
import pathlib
from fractions import Fraction

import clib
import ml_dtypes
import numpy as np
import pytest

SOURCE, IEEE = (clib.enum("RECIPE_DIVISION_" + name) for name in ("SOURCE", "IEEE"))
RATIO, POWER_OF_TWO = (clib.enum("RECIPE_" + name) for name in ("RATIO", "POWER_OF_TWO"))
MAX, MOST_RECENT = (clib.enum("RECIPE_" + name) for name in ("MAX", "MOST_RECENT"))
ERR = {
    name: clib.enum("ERR_" + name)
    for name in ("NULL", "SCALE", "SCALE_EXPONENT", "SHAPE", "UNSUPPORTED")
}
FORMS = RATIO, POWER_OF_TWO

F32 = np.float32
INF, NAN = math.inf, math.nan
LARGEST, SMALLEST = float(np.finfo(F32).max), 2.0**-149
SMALLEST_NORMAL = 2.0**-126
EDGES = (
    0.0,
    -0.0,
    SMALLEST,
    3 * SMALLEST,
    SMALLEST_NORMAL - SMALLEST,
    SMALLEST_NORMAL,
    2.0**-120,
    2.0**-119 * 1.5,
    1.0,
    1.75,
    448.0,
    float(np.nextafter(F32(448), F32(INF))),
    float(np.nextafter(F32(448), F32(0))),
    449.0,
    2.0**127,
    LARGEST,
    INF,
    NAN,
)
FP8_MAXIMA = (448.0, 57344.0, 240.0, 1.0, 1.75, SMALLEST, LARGEST)
MARGINS = (0, 1, 2, 7, 23, 32, -1, -32)


# ---- the definition -----------------------------------------------------------------------------------------------


def fp32(x):
    """The float32 nearest to the positive fraction x, ties to even; infinity where the rounded value exceeds them."""
    if x == 0:
        return 0.0
    leading = x.numerator.bit_length() - x.denominator.bit_length()
    leading -= Fraction(2) ** leading > x
    quantum = Fraction(2) ** (max(leading, -126) - 23)
    units = round(x / quantum)  # of a fraction: exact, ties to even
    return INF if units * quantum > Fraction(LARGEST) else float(units * quantum)


def floor_log2(x):
    x, result = Fraction(x), 0
    while x >= 2:
        x, result = x / 2, result + 1
    while x < 1:
        x, result = x * 2, result - 1
    return result


def scale_oracle(fp8_max, margin, form, amax, previous, division=SOURCE, zero_stays=False):
    amax = abs(amax)
    if amax == 0 or math.isinf(amax) or math.isnan(amax):
        return previous
    if division == IEEE:
        ratio = fp32(Fraction(fp8_max) / Fraction(amax))
    else:
        reciprocal = fp32(1 / Fraction(amax))
        ratio = INF if reciprocal == INF else fp32(Fraction(reciprocal) * Fraction(fp8_max))
    if ratio not in (0.0, INF):
        if form == RATIO:
            ratio = fp32(Fraction(ratio) / Fraction(2) ** margin)
        else:
            exponent = floor_log2(ratio) - margin
            ratio = (
                INF
                if exponent > 127
                else fp32(Fraction(2) ** exponent)
                if exponent >= -149
                else 0.0
            )
    return min(ratio if zero_stays else max(ratio, SMALLEST), LARGEST)


class TransformerEngine:
    """amax_history[0] is the step's amax; after the scale is computed the history is rolled by -1 and [0] cleared."""

    def __init__(self, length, interval, window, scale, compute):
        self.history, self.interval, self.window = [0.0] * length, interval, window
        self.scale, self.compute = scale, compute
        self.step = 0

    def update(self, amax):
        self.history[0] = amax
        if self.step % self.interval == 0:
            values = [abs(x) for x in (self.history if self.window == MAX else self.history[:1])]
            chosen = NAN if any(map(math.isnan, values)) else max(values)
            self.scale = self.compute(chosen, self.scale)
        self.history = self.history[1:] + self.history[:1]
        self.history[0] = 0.0
        self.step += 1
        return self.scale


# ---- the library --------------------------------------------------------------------------------------------------


class Formula(ct.Structure):
    _fields_ = [
        ("fp8_max", ct.c_float),
        ("margin", ct.c_int),
        ("form", ct.c_uint),
        ("division", ct.c_uint),
        ("underflow", ct.c_uint),
    ]


FLOAT_P = ct.POINTER(ct.c_float)
AMAX_FN = ct.CFUNCTYPE(ct.c_float, FLOAT_P, ct.c_size_t, ct.c_void_p)
SCALE_FN = ct.CFUNCTYPE(ct.c_float, ct.c_float, ct.c_float, Formula, ct.c_void_p)


class Config(ct.Structure):
    _fields_ = [
        ("formula", Formula),
        ("interval", ct.c_size_t),
        ("window", ct.c_uint),
        ("amax_fn", AMAX_FN),
        ("scale_fn", SCALE_FN),
        ("context", ct.c_void_p),
        ("history", ct.c_void_p),
        ("history_length", ct.c_size_t),
    ]


class Delayed(ct.Structure):
    _fields_ = [("config", Config), ("scale", ct.c_float), ("updates", ct.c_size_t)]


class Recipes:
    SIGNATURES = {
        "format_max": (ct.c_float, [ct.POINTER(clib.Format)]),
        "floor_log2": (ct.c_int, [ct.c_float]),
        "power_of_two": (ct.c_float, [ct.c_int]),
        "inverse": (ct.c_float, [ct.c_float]),
        "reduce": (ct.c_float, [ct.c_void_p, ct.c_size_t]),
        "formula_validate": (ct.c_int, [Formula]),
        "scale": (ct.c_float, [Formula, ct.c_float, ct.c_float]),
        "static": (ct.c_int, [ct.c_float, FLOAT_P]),
        "dynamic": (ct.c_int, [Formula, ct.c_float, ct.c_bool, FLOAT_P]),
        "delayed_init": (ct.c_int, [ct.POINTER(Delayed), Config, ct.c_float]),
        "delayed_update": (ct.c_float, [ct.POINTER(Delayed), ct.c_float, ct.c_bool]),
    }

    def __init__(self, path):
        dll = ct.CDLL(str(pathlib.Path(path).resolve()))
        for name, (result, args) in self.SIGNATURES.items():
            function = getattr(dll, "fp8mac_recipe_" + name)
            function.restype, function.argtypes = result, args
            setattr(self, name, function)


def bits(x):
    """NaN compares equal to itself, -0 differs from +0."""
    return int(F32(x).view(np.uint32)) if x == x else "nan"


def random_floats(rng, n):
    """Positive and finite, every exponent alike."""
    patterns = rng.integers(1, 0x7F800000, n, dtype=np.uint32)
    return [float(x) for x in patterns.view(F32)]


def every_binade(rng):
    fractions = [0, 1, 0x7FFFFF, 0x600000, int(rng.integers(1 << 23))]
    patterns = [field << 23 | fraction for field in range(255) for fraction in fractions]
    return [float(np.uint32(p).view(F32)) for p in patterns if p]


@pytest.fixture(scope="module")
def recipes(build):
    return Recipes(build / "model" / "libfp8mac.so")


@pytest.fixture(autouse=True)
def quiet():
    """NaN, Inf and overflow are among the values."""
    with np.errstate(all="ignore"):
        yield


# ---- tests --------------------------------------------------------------------------------------------------------


def test_parts(bench, lib, recipes, rng):
    for name, dtype in (
        ("e4m3fn", ml_dtypes.float8_e4m3fn),
        ("e5m2", ml_dtypes.float8_e5m2),
        ("e4m3fnuz", ml_dtypes.float8_e4m3fnuz),
        ("e5m2fnuz", ml_dtypes.float8_e5m2fnuz),
        ("float16", np.float16),
        ("bfloat16", ml_dtypes.bfloat16),
        ("float32", F32),
    ):
        bench.check(
            "format_max: largest finite value",
            recipes.format_max(lib.by_name[name]),
            float(ml_dtypes.finfo(dtype).max),
            name,
        )
    for e in range(-149, 128):
        bench.check("power_of_two: every exponent", recipes.power_of_two(e), 2.0**e, e)
    for x in every_binade(rng) + random_floats(rng, 2000) + [2.0**e for e in range(-149, -126)]:
        bench.check(
            "floor_log2: every binade, subnormals too", recipes.floor_log2(x), floor_log2(x), x
        )
        bench.check(
            "inverse: one division", bits(recipes.inverse(x)), bits(fp32(1 / Fraction(x))), x
        )


def test_reduce(bench, recipes, rng):
    for length, _ in itertools.product((0, 1, 2, 3, 8, 33), range(100)):
        values = rng.choice([*EDGES[:-2], -3.0, *random_floats(rng, 8)], length)
        for special in (INF, -INF, NAN):
            if length and rng.random() < 0.2:
                values[rng.integers(length)] = special
        memory = values.astype(F32)
        magnitudes = [abs(float(x)) for x in memory]
        want = NAN if any(map(math.isnan, magnitudes)) else max(magnitudes, default=0.0)
        bench.check(
            "reduce: largest magnitude, Inf above, NaN above all",
            bits(recipes.reduce(memory.ctypes.data, length)),
            bits(want),
            memory.tolist(),
        )


def test_formula(bench, recipes, rng):
    settings = itertools.product(FP8_MAXIMA, MARGINS, FORMS, (SOURCE, IEEE))
    for index, (fp8_max, margin, form, division) in enumerate(settings):
        underflow = index // 2 % 2
        name = f"scale: {'ratio' if form == RATIO else 'power of two'}, corners and every binade"
        amaxes = [*EDGES, -1.5, -INF, *random_floats(rng, 150)]
        if margin in (0, 2) and fp8_max in (448.0, 57344.0):
            amaxes += every_binade(rng)
        for amax in amaxes:
            formula = Formula(fp8_max, margin, form, division, underflow)
            got = recipes.scale(formula, amax, 0.375)
            bench.check(
                name,
                bits(got),
                bits(scale_oracle(fp8_max, margin, form, amax, 0.375, division, underflow == 1)),
                (fp8_max, margin, division, underflow, amax),
            )


def test_static_dynamic(bench, recipes, rng):
    for given in [*EDGES, -1.0, -INF, *random_floats(rng, 50)]:
        scale = ct.c_float(0.625)
        usable = 0 < given < INF
        bench.check(
            "static: takes what is finite and > 0",
            (recipes.static(given, ct.byref(scale)), scale.value),
            (clib.OK, given) if usable else (ERR["SCALE"], 0.625),
            given,
        )
    for amax, nonfinite, form in itertools.product(
        [*EDGES, *random_floats(rng, 200)], (False, True), FORMS
    ):
        scale = ct.c_float(0.625)
        status = recipes.dynamic(Formula(448, 1, form), amax, nonfinite, ct.byref(scale))
        want = scale_oracle(448, 1, form, INF if nonfinite else amax, 0.625)
        bench.check(
            "dynamic: from this amax; not finite keeps the scale",
            (status, bits(scale.value)),
            (clib.OK, bits(want)),
            (amax, nonfinite),
        )


def delayed(
    recipes,
    formula,
    length,
    interval=0,
    window=MAX,
    scale=1.0,
    amax_fn=None,
    scale_fn=None,
    context=None,
):
    """(status, recipe, history): the history's memory must outlive the recipe."""
    history = np.full(length + 1, 77, F32)  # one beyond the end, to be left alone
    recipe = Delayed()
    config = Config(
        formula,
        interval,
        window,
        amax_fn or AMAX_FN(),
        scale_fn or SCALE_FN(),
        context,
        history.ctypes.data,
        length,
    )
    return recipes.delayed_init(ct.byref(recipe), config, scale), recipe, history


def amax_sequence(rng, n):
    specials = rng.choice([0.0, INF, NAN, SMALLEST, LARGEST], n)
    return [
        float(s) if rng.random() < 0.15 else float(F32(x))
        for s, x in zip(specials, rng.lognormal(0, 3, n))
    ]


def test_delayed(bench, recipes, rng):
    for length, interval, window, form, margin in itertools.product(
        (1, 2, 3, 16), (0, 1, 2, 5), (MAX, MOST_RECENT), FORMS, (0, 2)
    ):
        formula = Formula(448, margin, form)
        status, recipe, history = delayed(recipes, formula, length, interval, window, 0.5)
        bench.check(
            "delayed: initial state",
            (status, recipe.scale, history.tolist()),
            (clib.OK, 0.5, [0.0] * length + [77]),
        )
        engine = TransformerEngine(
            length,
            interval or 1,
            window,
            0.5,
            lambda amax, scale: scale_oracle(448, margin, form, amax, scale),
        )
        for step, amax in enumerate(amax_sequence(rng, 60)):
            nonfinite = bool(rng.random() < 0.03)
            got = recipes.delayed_update(ct.byref(recipe), amax, nonfinite)
            want = engine.update(INF if nonfinite else amax)
            bench.check(
                "delayed: as Transformer Engine rolls its history",
                (bits(got), bits(recipe.scale)),
                (bits(want), bits(want)),
                (length, interval, window, form, margin, step),
            )
        bench.check("delayed: nothing beyond the history is written", history[length], 77.0)


def test_functions(bench, recipes):
    seen = []

    def second_largest(history, length, context):
        seen.append(("amax", history[:length], context))
        return sorted(history[:length])[-2]

    def scripted(amax, previous, formula, context):
        seen.append(("scale", amax, previous, formula.fp8_max, formula.margin, context))
        return answers.pop(0)

    answers = [3.0, INF, NAN, 0.0, -2.0, 5.0]
    functions = (
        AMAX_FN(second_largest),
        SCALE_FN(scripted),
    )  # kept for as long as they may be called
    status, recipe, _history = delayed(
        recipes,
        Formula(240, 3, RATIO),
        3,
        amax_fn=functions[0],
        scale_fn=functions[1],
        context=4711,
    )
    scales = [
        recipes.delayed_update(ct.byref(recipe), float(amax), False) for amax in (7, 2, 9, 4, 1, 5)
    ]
    bench.check(
        "functions: what becomes of their results",
        (status, scales),
        (clib.OK, [3.0, LARGEST, LARGEST, LARGEST, LARGEST, 5.0]),
    )
    histories = [[7, 0, 0], [2, 7, 0], [9, 2, 7], [4, 9, 2], [1, 4, 9], [5, 1, 4]]
    previous = [1.0, 3.0, LARGEST, LARGEST, LARGEST, LARGEST]
    want = [
        call
        for h, p in zip(histories, previous)
        for call in (("amax", h, 4711), ("scale", sorted(h)[-2], p, 240.0, 3, 4711))
    ]
    bench.check("functions: what they are given, the newest amax first", seen, want)


def test_refusals(bench, recipes):
    good = Formula(448, 0, RATIO)
    bad_formulas = [(Formula(x, 0, RATIO), ERR["SCALE"]) for x in (0.0, -448.0, INF, NAN)]
    bad_formulas += [
        (Formula(448, margin, RATIO), ERR["SCALE_EXPONENT"]) for margin in (-33, 33, 1 << 30)
    ]
    bad_formulas += [
        (Formula(448, 0, *unknown), ERR["UNSUPPORTED"])
        for unknown in ((2,), (RATIO, 2), (RATIO, IEEE, 2))
    ]
    name = "refusals: the status, and nothing written"
    bench.check(name, recipes.formula_validate(good), clib.OK)
    for formula, error in bad_formulas:
        about = (formula.fp8_max, formula.margin, formula.form)
        scale = ct.c_float(0.5)
        bench.check(name, recipes.formula_validate(formula), error, about)
        bench.check(
            name,
            (recipes.dynamic(formula, 1.0, False, ct.byref(scale)), scale.value),
            (error, 0.5),
            about,
        )
        status, recipe, history = delayed(recipes, formula, 2)
        bench.check(
            name,
            (status, bytes(recipe), history.tolist()),
            (error, bytes(Delayed()), [77] * 3),
            about,
        )
    bench.check(name, recipes.static(1.0, None), ERR["NULL"])
    bench.check(name, recipes.dynamic(good, 1.0, False, None), ERR["NULL"])
    for previous in (0.0, -1.0, INF, NAN):
        scale = ct.c_float(previous)
        bench.check(
            name,
            (recipes.dynamic(good, 1.0, False, ct.byref(scale)), bits(scale.value)),
            (ERR["SCALE"], bits(previous)),
        )
        bench.check(name, delayed(recipes, good, 2, scale=previous)[0], ERR["SCALE"])
    bench.check(name, delayed(recipes, good, 0)[0], ERR["SHAPE"])
    bench.check(name, delayed(recipes, good, 2, window=2)[0], ERR["UNSUPPORTED"])
    bench.check(name, recipes.delayed_init(None, Config(formula=good), 1.0), ERR["NULL"])
    bench.check(
        name,
        recipes.delayed_init(ct.byref(Delayed()), Config(formula=good, history_length=4), 1.0),
        ERR["NULL"],
    )
