# SPDX-License-Identifier: Apache-2.0
"""Networks for elements of INT8: random ones, as test_random.py compares them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from fp8net import lower, quantize, shapes
from fp8net.errors import Refused
from graphs import Builder, random_model, random_recurrent
from graphs_moving import random_moving
from test_random import RUNS, _check
from test_sequences import BATCH, TOKENS, biases, interleaved

INT8 = quantize.Options("int8", "int8")
LEAST_DB = 16.0


def _quantised(model: onnx.ModelProto, path: Path, rng, options=INT8) -> tuple:
    onnx.save(model, path)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    runs = [{"x": rng.normal(size=shape).astype(np.float32)} for _ in range(RUNS)]
    return quantize.quantize(path, runs, options)[0], runs


def test_random(bench, seed, count, compiler, work, request) -> None:
    chip = request.config.getoption("--chip")
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        kind = (random_model, random_moving)[number % 2]
        case = _quantised(kind(rng, f"int8_{number}"), work / f"int8_{number}.onnx", rng)
        beat = 16 if chip else int(rng.choice([8, 16, 32]))
        _check(bench, f"int8 {number}", work / f"net{number}", LEAST_DB, case, compiler, chip, beat)


@pytest.mark.parametrize("make", (biases, interleaved), ids=lambda make: make.__name__)
def test_sequences(bench, rng, compiler, work, make) -> None:
    b = Builder(rng, (BATCH, TOKENS, 12))
    make(b)
    case = _quantised(b.model(make.__name__, 23), work / "net.onnx", rng)
    _check(bench, make.__name__, work / "net", LEAST_DB, case, compiler, False)


def test_pools(bench, rng, compiler, work) -> None:
    """Maxima of negative numbers, averages of windows and of images, and a table"""
    b = Builder(rng, (2, 6, 9, 8))
    b.node("Sub", ["x", b.constant(np.float32(1.5))], b.shape)
    b.node("MaxPool", [b.last], (2, 6, 4, 4), kernel_shape=[2, 2], strides=[2, 2])
    b.node("AveragePool", [b.last], (2, 6, 3, 3), kernel_shape=[2, 2])
    b.node("Sigmoid", [b.last], b.shape)
    b.node("GlobalAveragePool", [b.last], (2, 6, 1, 1))
    case = _quantised(b.model("pools", 19), work / "pools.onnx", rng)
    _check(bench, "pools", work / "net", LEAST_DB, case, compiler, False)


def test_refused(bench, rng, work) -> None:
    for model, options, what in (
        (random_recurrent(rng, "recurrent"), INT8, "has no INT8"),
        (random_model(rng, "mixed"), quantize.Options("int8", "e4m3fn"), "beside INT8"),
        (random_model(rng, "mixed"), quantize.Options("e4m3fn", "int8"), "beside INT8"),
    ):
        quantised, _ = _quantised(model, work / "refused.onnx", rng, options)
        try:
            lower.lower_model(shapes.infer(quantised))
            text = ""
        except Refused as error:
            text = str(error)
        bench.check(f"{what}: {text}", what in text)
