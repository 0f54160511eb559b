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
LEAST_DB = 16.0  # a requirement, as in test_random.py; codes of INT8 round less


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


def _rounded(b: Builder, scale: float, zero: int = 0) -> None:
    """The last value by INT8 codes"""
    pair = [b.constant(np.float32(scale)), b.constant(np.int8(zero))]
    b.node("QuantizeLinear", [b.last, *pair], b.shape)
    b.node("DequantizeLinear", [b.last, *pair], b.shape)


def _codes(b: Builder, codes: np.ndarray, scales: np.ndarray) -> str:
    """A constant that the file dequantises"""
    last, shape = b.last, b.shape
    zeros = b.constant(np.zeros(len(scales), codes.dtype))
    b.node("DequantizeLinear", [b.constant(codes), b.constant(scales), zeros], codes.shape, axis=0)
    name, b.last, b.shape = b.last, last, shape
    return name


def _layer(b: Builder, before: float, channels: int, kernel: int) -> None:
    """A convolution with codes of weights and biases, as ONNX Runtime's quantiser writes them"""
    rng = b.rng
    scales = rng.uniform(0.002, 0.02, channels).astype(np.float32)
    weights = rng.integers(-127, 128, (channels, b.shape[1], kernel)).astype(np.int8)
    biases = rng.integers(-3000, 3000, channels).astype(np.int32)
    operands = [_codes(b, weights, scales), _codes(b, biases, scales * np.float32(before))]
    pads = [kernel // 2] * 2
    b.node("Conv", [b.last, *operands], (1, channels, b.shape[2]), pads=pads)


@pytest.mark.parametrize("other", (1.0, 1.3))
def test_own_codes(bench, rng, compiler, work, other) -> None:
    """A file of another quantiser: biases have codes. A ReLU between two equal roundings needs no layer of its own."""
    b = Builder(rng, (1, 12, 21))
    scale = 0.03
    _rounded(b, scale)
    for channels, kernel in ((16, 3), (8, 1), (5, 5)):
        _layer(b, scale, channels, kernel)
        scale *= float(rng.uniform(15, 25))
        _rounded(b, scale)
        b.node("Relu", [b.last], b.shape)
        scale *= other
        _rounded(b, scale)
    model = shapes.prepare(_saved(b.model("codes", 19), work / "codes.onnx"))
    runs = [{"x": rng.normal(size=b.input).astype(np.float32)} for _ in range(RUNS)]
    graph = lower.lower_model(model)
    bench.check("layers", len(graph.layers) == (3 if other == 1.0 else 6))
    _check(bench, f"codes {other}", work / "net", 40.0, (model, runs), compiler, False)


def _saved(model: onnx.ModelProto, path: Path) -> Path:
    onnx.save(model, path)
    return path


def test_zero_points(bench, rng, work) -> None:
    """Of activations and of weights: refused by name"""
    for which in ("activations", "weights"):
        b = Builder(rng, (1, 12, 21))
        _rounded(b, 0.03, 3 if which == "activations" else 0)
        _layer(b, 0.03, 8, 3)
        zeros = [n.input[2] for n in b.nodes if n.op_type == "DequantizeLinear"][1]
        if which == "weights":
            b.constants = [c for c in b.constants if c.name != zeros]
            b.constants.append(onnx.numpy_helper.from_array(np.full(8, 3, np.int8), zeros))
        path = _saved(b.model("zeros", 19), work / "zeros.onnx")
        bench.raises(
            which, Refused, "zero point is not 0", lambda: lower.lower_model(shapes.prepare(path))
        )


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
