# SPDX-License-Identifier: Apache-2.0
"""The scaling recipes against what their originals computed, bit for bit. tests/model/recorded holds the recorded
outputs, each with its original's version, and record.py, which made them. NaN is compared as NaN."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Iterator
from pathlib import Path

import clib
import numpy as np
import pytest
from checks import Checks
from test_recipe import AMAX_FN, IEEE, MAX, RATIO, SCALE_FN, Config, Delayed, Formula, Recipes

RECORDED = Path(__file__).parent / "recorded"
INTEGERS = {"margin", "step", "window", "length", "power_of_two", "format"}
ZERO_STAYS = 1  # FP8MAC_RECIPE_UNDERFLOW_ZERO
TINY = 2.0**-126


@pytest.fixture(scope="module")
def recipes(build: Path) -> Recipes:
    return Recipes(build / "model" / "libfp8mac.so")


def floats(fields: list[str]) -> np.ndarray:
    return np.array([int(field, 16) for field in fields], np.uint32).view(np.float32)


def rows(name: str) -> Iterator[dict[str, float]]:
    """The rows of a recorded file by column."""
    lines = (RECORDED / f"{name}.csv").read_text().splitlines()
    heads = [line for line in lines if line.startswith("#")]
    columns = heads[-1][2:].split()
    for line in lines[len(heads) :]:
        fields = line.split(",")
        assert len(fields) == len(columns), line
        yield {
            column: int(field) if column in INTEGERS else float(floats([field])[0])
            for column, field in zip(columns, fields)
        }


def bits(x: float) -> int:
    return 0x7FC00000 if np.isnan(x) else int(np.float32(x).view(np.uint32))


def test_transformer_engine(bench: Checks, recipes: Recipes) -> None:
    apart = 0
    for row in rows("transformer_engine"):
        formula = Formula(row["fp8_max"], row["margin"], RATIO, underflow=ZERO_STAYS)
        got = recipes.scale(formula, row["amax"], row["previous"])
        bench.check("Transformer Engine: scale", bits(got), bits(row["scale"]), str(row))
        formula.division = IEEE
        divided = recipes.scale(formula, row["amax"], row["previous"])
        apart += bits(divided) != bits(got)
        if min(row["amax"], 1 / row["amax"] if row["amax"] else 1) >= TINY:
            near = abs(bits(divided) - bits(got)) <= 1
            bench.check("Transformer Engine: IEEE division is 1 ulp away at most", near, True, row)
    bench.check("Transformer Engine: IEEE division differs somewhere", apart > 100, True, apart)


def test_transformer_engine_delayed(bench: Checks, recipes: Recipes) -> None:
    state, history = Delayed(), np.zeros(16, np.float32)
    for row in rows("transformer_engine_delayed"):
        if row["step"] == 0:
            config = Config(
                Formula(448, 0, RATIO),
                0,
                (MAX, clib.enum("RECIPE_MOST_RECENT"))[int(row["window"])],
                AMAX_FN(),
                SCALE_FN(),
                None,
                history.ctypes.data,
                int(row["length"]),
            )
            assert recipes.delayed_init(ct.byref(state), config, 1.0) == clib.OK
        got = recipes.delayed_update(ct.byref(state), row["amax"], False)
        bench.check("Transformer Engine: delayed", bits(got), bits(row["scale"]), str(row))


def test_flax(bench: Checks, lib: clib.Library) -> None:
    for row in rows("flax"):
        got = lib.recipe_flax_scale(row["fp8_max"], row["margin"], row["amax"], row["scale"])
        bench.check("Flax", bits(got), bits(row["next"]), str(row))


def test_xla(bench: Checks, lib: clib.Library) -> None:
    for row in rows("xla_example"):
        got = lib.recipe_xla_example_next(row["fp8_max"], row["amax"])
        bench.check("XLA, examples", bits(got), bits(row["next"]), str(row))
    for row in rows("xla_rfc"):
        usable = 0 < row["next"] < np.inf  # otherwise the RFC's rule keeps the scale
        got = lib.recipe_xla_next(row["fp8_max"], row["amax"], 3.5)
        bench.check("XLA, RFC", bits(got), bits(row["next"] if usable else 3.5), str(row))


def test_torchao(bench: Checks, lib: clib.Library) -> None:
    for row in rows("torchao"):
        power, want = bool(row["power_of_two"]), row["scale"]
        got = lib.recipe_torchao_scale(row["fp8_max"], row["amax"], power)
        bench.check("torchao", bits(got), bits(want), str(row))
        usable = 0 < want < np.inf
        got = lib.recipe_pytorch_scale(row["fp8_max"], row["amax"], power, 3.5)
        bench.check("torchao, usable", bits(got), bits(want if usable else 3.5), str(row))


def test_msamp(bench: Checks, lib: clib.Library) -> None:
    for row in rows("msamp"):
        got = lib.recipe_msamp_scale(row["fp8_max"], row["margin"], row["amax"], row["previous"])
        bench.check("MS-AMP", bits(got), bits(row["scale"]), str(row))


@pytest.mark.parametrize("name", ["autofp8", "vllm", "tensorrt_llm"])
def test_static(bench: Checks, lib: clib.Library, name: str) -> None:
    scheme = clib.enum("SCHEME_" + name.upper())
    for row in rows(name):
        amax, scales = np.float32([row["amax"]]), np.zeros(2, np.float32)
        status = lib.recipe_static_scales(
            scheme,
            row["fp8_max"],
            amax.ctypes.data,
            1,
            scales[:1].ctypes.data,
            scales[1:].ctypes.data,
        )
        want = (clib.OK, bits(row["quantise"]), bits(row["dequantise"]))
        if np.isinf(row["quantise"]):  # the library refuses what cannot quantise
            want = (clib.enum("ERR_SCALE"), 0, 0)
        bench.check(name, (status, bits(scales[0]), bits(scales[1])), want, str(row))


def test_mx(bench: Checks, lib: clib.Library) -> None:
    for line in (RECORDED / "mx.csv").read_text().splitlines():
        if line.startswith("#"):
            continue
        kind, *fields = line.split(",")
        element = lib.by_name[("e4m3fn", "e5m2")[int(kind)]]
        values, want = floats(fields[:32]), floats(fields[32:])
        codes, scale = np.zeros(32, np.uint8), np.zeros(1, np.uint8)
        status = lib.recipe_mx_quantize(
            element, codes.ctypes.data, scale.ctypes.data, values.ctypes.data, 32, None
        )
        bench.check("microxcaling: status", status, clib.OK)
        for code, value, quantised in zip(codes, values, want):
            got = lib.value_to_double(lib.decode(element, int(code))) * 2.0 ** (int(scale[0]) - 127)
            bench.check("microxcaling: value", got, float(quantised), repr(value))


def test_qualcomm(bench: Checks, lib: clib.Library) -> None:
    names = {5: "QC_E5M2", 4: "QC_E4M3", 3: "QC_E3M4", 2: "QC_E2M5"}
    for line in (RECORDED / "qualcomm.csv").read_text().splitlines():
        if line.startswith("#"):
            continue
        exponent_bits, lowest, highest, *fields, want = line.split(",")
        values, bias = floats(fields), ct.c_int()
        status = lib.recipe_qualcomm_bias(
            clib.enum(names[int(exponent_bits)]),
            values.ctypes.data,
            values.size,
            int(lowest),
            int(highest),
            ct.byref(bias),
        )
        bench.check("Qualcomm: bias", (status, bias.value), (clib.OK, int(want)), line[:40])
