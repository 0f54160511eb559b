# SPDX-License-Identifier: Apache-2.0
"""Row commands: bits, amax and flags of the definition, errors against exact arithmetic, masks, order, refusals."""

import ctypes as ct
import itertools

import clib
import numpy as np
import pytest
from checks import RANDOM_STEPS
from oracle import exact, rows
from oracle.formats import is_integer

CASES = 700 * RANDOM_STEPS
OPERATIONS = (
    "SUM",
    "SUM_OF_SQUARES",
    "MAXIMUM",
    "ARGMAX",
    "RMS_NORM",
    "LAYER_NORM",
    "SOFTMAX",
    *rows.CURVES,
    "MAGNITUDE",
    "QUANTISE",
    "QUANTISE_MX",
)
NORMS = ("RMS_NORM", "LAYER_NORM")
QUANTISE = ("QUANTISE", "QUANTISE_MX")
UNMASKED = (*NORMS, *rows.CURVES, *QUANTISE)
NO_FACTOR = (*NORMS, "ARGMAX", *QUANTISE)
FORMATS = tuple(exact.ARRAY_FORMATS)
FP8 = tuple(rows.EMAX)
CONTAINERS = {8: np.uint8, 16: np.uint16, 32: np.uint32}
F = np.float32
each_operation = pytest.mark.parametrize("operation", OPERATIONS)


def container(name):
    return CONTAINERS[exact.width(exact.ARRAY_FORMATS[name])]


# ---- cases --------------------------------------------------------------------------------------


def value_of(name, code):
    """The float32 of a code, which holds every value of X's formats."""
    wide, _ = exact.convert(exact.FP32, exact.decode(exact.ARRAY_FORMATS[name], int(code)))
    return exact.f32(exact.NAN32 if exact.f32(wide) != exact.f32(wide) else wide)


def codes_of(rng, name, shape, wild):
    """Any codes, or those of values of a normal distribution with another mean, some of them equal."""
    width = exact.width(exact.ARRAY_FORMATS[name])
    if wild:
        return rng.integers(0, 1 << width, shape, dtype=np.uint64).astype(container(name))
    x = rng.normal(rng.choice([0, 0, 3, -20]), rng.choice([0.01, 1, 8]), shape)
    x = np.where(rng.random(shape) < 0.1, x.flat[0], x)
    codes = [exact.convert(exact.ARRAY_FORMATS[name], exact.from_double(v))[0] for v in x.flat]
    return np.array(codes, container(name)).reshape(shape)


def plain_case(operation, x_codes, x_name, **changes):
    """A case without options: D in float32, or in e4m3fn where there are MX scales."""
    height, width = x_codes.shape
    case = {
        "operation": operation,
        "rows": height,
        "cols": width,
        "x_codes": x_codes,
        "x_name": x_name,
        "x": np.array([value_of(x_name, c) for c in x_codes.flat], F).reshape(x_codes.shape),
        "ldx_more": 0,
        "ldd_more": 0,
        "seen": 0,
        "causal": False,
        "factor": None,
        "eps": F(2.0**-10 if operation in NORMS else 0),
        "gamma": None,
        "beta": None,
        "activation": "NONE",
        "lo": F(0),
        "hi": F(0),
        "d_name": "e4m3fn" if operation == "QUANTISE_MX" else "float32",
        "rounding": "NEAREST_EVEN",
        "overflow": "SATURATE",
        "scale_d": None,
        "table": None,
        "lds_more": 0,
    }
    return case | changes


def scale(rng):
    return F(2.0 ** rng.integers(-8, 9) * rng.uniform(1, 2))


def draw_options(rng, operation, cols):
    o = {}
    if operation in NORMS:
        o["eps"] = F(rng.choice([0, 1e-5, 1, 3e38, 1e-40]))
        o["gamma"] = rng.normal(1, 2, cols).astype(F) if rng.integers(0, 2) else None
        if operation == "LAYER_NORM" and rng.integers(0, 2):
            o["beta"] = rng.normal(0, 1, cols).astype(F)
    elif operation not in UNMASKED:
        o["seen"] = int(rng.integers(0, cols + 1))
        o["causal"] = bool(rng.integers(0, 2))
    if operation == "ARGMAX":
        return o
    if operation == "QUANTISE_MX":
        return {"d_name": FP8[rng.integers(0, len(FP8))], "lds_more": int(rng.integers(0, 3))}
    if operation not in NO_FACTOR and rng.integers(0, 2):
        o["factor"] = scale(rng)
    o["activation"] = str(rng.choice(["NONE", "NONE", "RELU", "CLAMP"]))
    o["lo"], o["hi"] = F(rng.choice([-0.5, 0.25])), F(2)
    o["d_name"] = FORMATS[rng.integers(0, len(FORMATS))]
    o["rounding"] = str(rng.choice(["NEAREST_EVEN", "TOWARD_ZERO"]))
    if is_integer(exact.ARRAY_FORMATS[o["d_name"]]):
        o["overflow"] = "SATURATE"
    else:
        o["overflow"] = str(rng.choice(["SATURATE", "SATURATE_FINITE", "IEEE"]))
    o["scale_d"] = scale(rng) if rng.integers(0, 2) else None
    if container(o["d_name"]) is np.uint8 and rng.integers(0, 4) == 0:
        o["table"] = rng.integers(0, 256, 256, dtype=np.uint8)
    return o


def draw_case(rng, operation):
    height, width = int(rng.integers(1, 4)), int(rng.integers(1, [9, 30, 150][rng.integers(0, 3)]))
    name = FORMATS[rng.integers(0, len(FORMATS))]
    x = codes_of(rng, name, (height, width), wild=rng.integers(0, 3) == 0)
    pads = {"ldx_more": int(rng.integers(0, 3)), "ldd_more": int(rng.integers(0, 3))}
    return plain_case(operation, x, name, **draw_options(rng, operation, width), **pads)


# ---- the library --------------------------------------------------------------------------------


class Call:
    """The descriptor of a case, with the memory that it points to."""

    def __init__(self, lib, case):
        self.keep = []
        height, width = case["rows"], case["cols"]
        wide = np.zeros((height, width + case["ldx_more"]), case["x_codes"].dtype)
        wide[:, :width] = case["x_codes"]
        argmax = case["operation"] == "ARGMAX"
        self.used = 1 if case["operation"] in rows.REDUCTIONS else width
        ldd = self.used + case["ldd_more"]
        self.d = clib.blank(height * ldd, np.uint32 if argmax else container(case["d_name"]))
        self.d = self.d.reshape(height, ldd)
        mx = case["operation"] == "QUANTISE_MX"
        self.blocks = -(-width // 32) if mx else 0
        lds = self.blocks + case["lds_more"] if mx else 0
        self.scales = clib.blank(height * lds, np.uint8).reshape(height, lds)
        self.desc = clib.RowsDesc(
            clib.enum("ROWS_" + case["operation"]), height, width, self.at(wide),
            lib.by_name[case["x_name"]], wide.shape[1], case["seen"], case["causal"],
            self.at(case["factor"]), case["eps"], self.at(case["gamma"]), self.at(case["beta"]),
            clib.enum("ACT_" + case["activation"]), case["lo"], case["hi"], self.d.ctypes.data,
            None if argmax else lib.by_name[case["d_name"]], ldd,
            clib.mode(case["rounding"], case["overflow"]), self.at(case["scale_d"]),
            self.at(case["table"]), self.scales.ctypes.data if mx else None, lds,
        )  # fmt: skip
        self.lib, self.result = lib, clib.GemmResult(flags=0)

    def at(self, what):
        if what is None:
            return None
        self.keep.append(np.atleast_1d(what))
        return self.keep[-1].ctypes.data

    def run(self):
        return self.lib.rows(ct.byref(self.desc), ct.byref(self.result))


def expected(case):
    """(D, amax, nonfinite, flags)"""
    done = [rows.row(case, m) for m in range(case["rows"])]
    outputs = [abs(float(t)) for _, row, _ in done for t in row]
    finite = [t for t in outputs if np.isfinite(t)]
    flags = np.bitwise_or.reduce([flags for *_, flags in done])
    return (
        np.array([codes for codes, *_ in done]),
        max(finite, default=0),
        len(finite) < len(outputs),
        flags,
    )


def compare(bench, lib, case, name):
    call = Call(lib, case)
    status = call.run()
    bench.check(f"{name}: status", status, clib.OK, case)
    with np.errstate(all="ignore"):
        d, amax, nonfinite, flags = expected(case)
    got = call.d[:, : call.used].astype(np.int64)
    bench.arrays(f"{name}: D", got, d.astype(np.int64), lambda i: f"{i} of {case}")
    r = call.result
    bench.check(f"{name}: amax", (r.amax, r.amax_nonfinite), (amax, nonfinite), case)
    bench.check(f"{name}: flags", r.flags, flags, case)
    blank = clib.blank(call.d.size, call.d.dtype).reshape(call.d.shape)
    bench.arrays(f"{name}: behind D", call.d[:, call.used :], blank[:, call.used :])
    if case["operation"] == "QUANTISE_MX":
        want = clib.blank(call.scales.size, np.uint8).reshape(call.scales.shape)
        want[:, : call.blocks] = rows.mx_scales(case)
        bench.arrays(f"{name}: scales, and what is behind them", call.scales, want)


@each_operation
def test_random(bench, lib, rng, operation):
    for _ in range(CASES // len(OPERATIONS)):
        compare(bench, lib, draw_case(rng, operation), operation.lower())


@pytest.mark.parametrize("width", (1, 3, 4, 5, 15, 16, 17, 32, 33, 64, 512, 513, 1000))
def test_lengths(bench, lib, rng, width):
    """Around groups of 4 and rounds of 16."""
    for operation in OPERATIONS:
        x = codes_of(rng, "float32", (1, width), wild=False)
        compare(bench, lib, plain_case(operation, x, "float32"), f"{operation.lower()} of a length")


def test_special_values(bench, lib):
    """Every three of these values, as rows."""
    corners = [0.0, -0.0, -1.5, 3e38, 1e-45, np.inf, -np.inf, np.nan]
    x = np.array(list(itertools.product(corners, repeat=3)), F)
    for operation in OPERATIONS:
        for row in x:
            codes = row.view(np.uint32).reshape(1, 3)
            eps = F(0) if operation in NORMS and row[0] == 0 else F(1e-5) * (operation in NORMS)
            compare(
                bench,
                lib,
                plain_case(operation, codes, "float32", eps=F(eps)),
                f"{operation.lower()} special",
            )


def test_by_hand(bench, lib):
    """Results that were worked out on paper, without the oracle."""

    def one(operation, row, **changes):
        call = Call(
            lib, plain_case(operation, np.array([row], F).view(np.uint32), "float32", **changes)
        )
        bench.check("by hand: status", call.run(), clib.OK)
        return [x if operation == "ARGMAX" else float(exact.f32(x)) for x in call.d[0, : call.used]]

    big = 2.0**24
    # 1 is lost beside 2^24 in (0 + 1), and the other half of the tree sums to 2 first
    bench.check("the tree of the lanes", one("SUM", [big, 1, 1, 1]), [big + 2])
    # Values 4 and 8 join value 0 one after the other, values 1 and 17 each other first
    row = [0.0] * 72
    row[0], row[4], row[8] = big, 1, 1
    bench.check("partial sums of a lane", one("SUM", row), [big])
    row[4], row[8], row[16], row[32] = 0, 0, 1, 1
    bench.check("a partial sum", one("SUM", row), [big])
    row[16], row[32], row[1], row[17] = 0, 0, 1, 1
    bench.check("another lane", one("SUM", row), [big + 2])
    bench.check("argmax takes the first", one("ARGMAX", [1, 7, 7, 0]), [1])
    bench.check("argmax: -0 equals +0", one("ARGMAX", [-1, -0.0, 0.0]), [1])
    bench.check("argmax: the first NaN", one("ARGMAX", [9, np.nan, np.nan]), [1])
    bench.check("maximum: -0 is below +0", np.signbit(one("MAXIMUM", [-0.0, 0.0])), [False])
    bench.check("softmax of equal values", one("SOFTMAX", [5, 5, 5, 5]), [0.25] * 4)
    bench.check("softmax of one value", one("SOFTMAX", [-3e38]), [1.0])
    halves = one("SOFTMAX", [0, -np.inf, 0], seen=2)
    bench.check("softmax: -Inf, and a column that is not seen", halves, [1.0, 0.0, 0.0])
    bench.check("RMS norm", one("RMS_NORM", [1, -1, 1, -1], eps=F(3)), [0.5, -0.5, 0.5, -0.5])
    bench.check("tanh", one("TANH", [0, 9, -np.inf, 2.0**-14]), [0, 1, -1, 2.0**-14])
    bench.check("tanh of 1/32 and a factor", one("TANH", [1 / 64], factor=F(2)), [2.0**-5])
    bench.check("sigmoid", one("SIGMOID", [0, 17, -17, 2.0**-13]), [0.5, 1, 0, 0.5 + 2.0**-15])
    bench.check("magnitude", one("MAGNITUDE", [1, -3, 2], factor=F(0.5)), [1.5])
    bench.check("magnitude of zeros", one("MAGNITUDE", [0, -0.0]), [2.0**-100])
    bench.check("magnitude of a subnormal", one("MAGNITUDE", [-1e-45]), [2.0**-100])
    bench.check("magnitude of -Inf", one("MAGNITUDE", [1, -np.inf]), [np.inf])
    row = [1, -4, 0, 2]
    bench.check("quantise", one("QUANTISE", row, scale_d=F(448)), [112, -448, 0, 224])
    bench.check("quantise: zeros", one("QUANTISE", [0, 0, 0], scale_d=F(448)), [0] * 3)
    tiny = one("QUANTISE", [2.0**-101, -(2.0**-149)], scale_d=F(448))
    bench.check("quantise: below the least magnitude", tiny, [224, -448 * 2.0**-49])
    beside = one("QUANTISE", [1, -np.inf])
    bench.check("quantise: beside Inf", (beside[0], np.isnan(beside[1])), (0, True))
    bench.check("quantise: NaN", np.isnan(one("QUANTISE", [1, np.nan])).tolist(), [True] * 2)
    mx = Call(
        lib,
        plain_case("QUANTISE_MX", np.array([[1, -3, 0, 2.0**-9]], F).view(np.uint32), "float32"),
    )
    bench.check("MX: status", mx.run(), clib.OK)
    # 3 has the exponent 1, and e4m3fn the exponent 8: the scale is 2^-7
    bench.check("MX: scale", mx.scales[0].tolist(), [120])
    bench.check("MX: codes", mx.d[0].tolist(), [0x70, 0xFC, 0x00, 0x28])
    bench.check("layer norm", one("LAYER_NORM", [7, 5, 7, 5], eps=F(0)), [1, -1, 1, -1])


def test_masks(bench, lib, rng):
    """Codes that a row does not see change nothing."""
    x = codes_of(rng, "bfloat16", (6, 20), wild=False)
    for operation in (*rows.REDUCTIONS, "SOFTMAX"):
        case = plain_case(operation, x, "bfloat16", seen=3, causal=True)
        other = x.copy()
        for m in range(6):
            other[m, 3 + m :] = 0x7FC0
        first, second = (
            Call(lib, case),
            Call(lib, plain_case(operation, other, "bfloat16", seen=3, causal=True)),
        )
        bench.check("masks: status", (first.run(), second.run()), (clib.OK, clib.OK))
        bench.arrays(f"masks: {operation}", first.d, second.d)
        bench.check("masks: no NaN was read", second.result.flags, 0)


def test_in_place(bench, lib, rng):
    for operation in (*UNMASKED, "SOFTMAX"):
        name = "e4m3fn" if operation == "QUANTISE_MX" else "float32"
        x = codes_of(rng, name, (3, 70), wild=False)
        apart, inside = (Call(lib, plain_case(operation, x, name)) for _ in range(2))
        inside.desc.d = inside.desc.x
        bench.check("in place: status", (apart.run(), inside.run()), (clib.OK, clib.OK))
        bench.arrays(f"in place: {operation}", inside.keep[0].view(apart.d.dtype), apart.d)


# ---- errors against exact arithmetic ------------------------------------------------------------


def exact_of(case, values):
    if case["operation"] == "SOFTMAX":
        return rows.softmax(case, values)
    if case["operation"] == "QUANTISE":
        return rows.quantise(values)
    return rows.norm(case, values) if case["operation"] in NORMS else [rows.reduction(case, values)]


@pytest.mark.parametrize("operation", ("SUM", "SUM_OF_SQUARES", *NORMS, "SOFTMAX", "QUANTISE"))
def test_error(bench, lib, rng, operation):
    """T in float32 against the bounds of NUMERICS.md; at least a hundredth of a bound is used."""
    used = 0.0
    for i in range(14 * RANDOM_STEPS):
        width = int(rng.choice([1, 5, 64, 200, 1000])) if i % 8 else 3000
        name = str(rng.choice(["e4m3fn", "e5m2", "float16", "bfloat16", "float32"]))
        x = codes_of(rng, name, (1, width), wild=False)
        options = {}
        if operation in NORMS:
            options["gamma"] = rng.normal(0, 2, width).astype(F)
            options["beta"] = (
                rng.normal(0, 2, width).astype(F) if operation == "LAYER_NORM" else None
            )
        elif operation == "SOFTMAX":
            options["factor"] = scale(rng) / F(64)
        case = plain_case(operation, x, name, **options)
        if operation == "SOFTMAX" and (case["x"].max() - case["x"].min()) * options["factor"] > 80:
            continue  # results below 2^-126 have fewer bits
        call = Call(lib, case)
        bench.check("error: status", call.run(), clib.OK)
        for got, (want, bound) in zip(call.d[0], exact_of(case, case["x"][0])):
            error = abs(rows.Fraction(float(exact.f32(got))) - want)
            bench.check(f"{operation.lower()}: error", error <= bound, True, lambda c=case: c)
            used = max(used, float(error / bound) if bound else 0.0)
    bench.check(f"{operation.lower()}: the bound is near", used > 0.01, True, used)
    print(f"{operation}: {used:.2f} of its bound")


# ---- refusals -----------------------------------------------------------------------------------


def refusals(lib, keep):
    """(name, status, operation, changes of the descriptor)"""

    def scalar(value):
        keep.append(np.array([value, value, value, value], F))
        return keep[-1].ctypes.data

    null, fp4 = ct.POINTER(clib.Format)(), lib.by_name["e2m1fn"]
    for name in ("rows", "cols"):
        yield f"{name} of zero", "ERR_SHAPE", "SUM", {name: 0}
    yield "too many columns", "ERR_SHAPE", "SUM", {"cols": (1 << 24) + 1, "ldx": 1 << 25}
    yield "seen beyond cols", "ERR_SHAPE", "SOFTMAX", {"seen": 5}
    yield "short ldx", "ERR_STRIDE", "SUM", {"ldx": 3}
    yield "short ldd", "ERR_STRIDE", "SOFTMAX", {"ldd": 3}
    yield "no ldd", "ERR_STRIDE", "SUM", {"ldd": 0}
    for pointer, operation in itertools.product(("x", "d"), ("SUM", "ARGMAX")):
        yield f"NULL {pointer}", "ERR_NULL", operation, {pointer: None}
    for field in ("x_format", "d_format"):
        for what, name in ((null, "no"), (fp4, "FP4")):
            yield f"{name} {field}", "ERR_FORMAT", "SOFTMAX", {field: what}
    for value in (0.0, -0.0, -1.0, float("inf"), float("nan")):
        yield "factor", "ERR_SCALE", "SUM", {"factor": scalar(value)}
        yield "scale_d", "ERR_SCALE", "SUM", {"scale_d": scalar(value)}
    for value in (-0.0, -1.0, float("inf"), float("nan")):
        yield "eps", "ERR_SCALE", "RMS_NORM", {"eps": value}
    yield "unknown operation", "ERR_UNSUPPORTED", "SUM", {"operation": 12}
    for operation in NO_FACTOR:
        yield "factor", "ERR_UNSUPPORTED", operation, {"factor": scalar(1)}
    for operation in UNMASKED:
        yield "mask", "ERR_UNSUPPORTED", operation, {"seen": 2}
        yield "causal", "ERR_UNSUPPORTED", operation, {"causal": True}
    yield "beta of an RMS norm", "ERR_UNSUPPORTED", "RMS_NORM", {"beta": scalar(1)}
    for operation in (*rows.REDUCTIONS, "SOFTMAX", *rows.CURVES, *QUANTISE):
        yield "short lds", "ERR_STRIDE", "QUANTISE_MX", {"lds": 0}
        if operation != "QUANTISE_MX":
            yield "scales", "ERR_UNSUPPORTED", operation, {"scales": scalar(1)}
            yield "lds", "ERR_UNSUPPORTED", operation, {"lds": 4}
        for field in ("gamma", "beta"):
            yield f"{field} without a norm", "ERR_UNSUPPORTED", operation, {field: scalar(1)}
        yield "eps without a norm", "ERR_UNSUPPORTED", operation, {"eps": 1.0}
    for changes in (
        {"factor": scalar(1)}, {"scale_d": scalar(1)}, {"activation": clib.enum("ACT_RELU")}, {"d_table": scalar(1)},
        {"d_format": lib.by_name["float32"]}, {"d_mode": clib.ConvertMode(1, 0)},
        {"d_mode": clib.ConvertMode(0, 1)},
    ):  # fmt: skip
        yield f"{next(iter(changes))} of argmax", "ERR_UNSUPPORTED", "ARGMAX", changes
    yield "no scales", "ERR_NULL", "QUANTISE_MX", {"scales": None}
    for changes in (
        {"scale_d": scalar(1)}, {"activation": clib.enum("ACT_RELU")}, {"d_table": scalar(1)},
        {"d_mode": clib.ConvertMode(1, 0)}, {"d_mode": clib.ConvertMode(0, 1)},
    ):  # fmt: skip
        yield f"{next(iter(changes))} of MX", "ERR_UNSUPPORTED", "QUANTISE_MX", changes
    for name in ("float32", "float16", "int8"):
        yield f"MX in {name}", "ERR_FORMAT", "QUANTISE_MX", {"d_format": lib.by_name[name]}
    yield "stochastic", "ERR_ROUNDING", "SUM", {"d_mode": clib.ConvertMode(2, 0)}
    yield "overflow mode", "ERR_OVERFLOW_MODE", "SUM", {"d_mode": clib.ConvertMode(0, 9)}
    yield "table of a wide D", "ERR_FORMAT", "SUM", {"d_table": scalar(1)}
    yield "activation", "ERR_ACTIVATION", "SUM", {"activation": clib.enum("ACTIVATIONS")}
    yield (
        "clamp",
        "ERR_ACTIVATION",
        "SUM",
        {"activation": clib.enum("ACT_CLAMP"), "clamp_lo": 1.0, "clamp_hi": 0.0},
    )


def test_refusals(bench, lib):
    keep, x = [], np.arange(1, 9, dtype=F).reshape(2, 4).view(np.uint32)
    for operation in OPERATIONS:
        bench.check(
            "accepted", Call(lib, plain_case(operation, x, "float32")).run(), clib.OK, operation
        )
    for name, status, operation, changes in refusals(lib, keep):
        call = Call(lib, plain_case(operation, x, "float32"))
        before, call.result.flags = call.d.copy(), 0xAA
        for field, value in changes.items():
            clib.set_field(call.desc, field, value)
        bench.check(f"refused: {name}", call.run(), clib.enum(status), operation)
        bench.arrays("refused: D untouched", call.d, before)
        bench.check("refused: result untouched", call.result.flags, 0xAA, name)
    bench.check("refused: no descriptor", lib.rows(None, None), clib.enum("ERR_NULL"))


def test_overlap(bench, lib):
    x = np.arange(1, 9, dtype=F).reshape(2, 4).view(np.uint32)
    one = np.ones(16, F)
    for field in ("x", "gamma", "beta", "scale_d"):
        call = Call(lib, plain_case("LAYER_NORM", x, "float32"))
        setattr(call.desc, field, call.d.ctypes.data + 4)
        bench.check(f"overlap: {field}", call.run(), clib.enum("ERR_OVERLAP"))
    for field in ("x", "d"):
        call = Call(lib, plain_case("QUANTISE_MX", x, "float32"))
        call.desc.scales = getattr(call.desc, field) + 1
        bench.check(f"overlap: scales and {field}", call.run(), clib.enum("ERR_OVERLAP"))
    call = Call(lib, plain_case("SOFTMAX", x, "float32"))
    call.desc.factor = one.ctypes.data
    call.desc.d = one.ctypes.data
    bench.check("overlap: factor", call.run(), clib.enum("ERR_OVERLAP"))
    call = Call(lib, plain_case("SUM", x, "float32"))
    call.desc.d = call.desc.x
    bench.check("overlap: a reduction is not in place", call.run(), clib.enum("ERR_OVERLAP"))
