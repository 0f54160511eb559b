# SPDX-License-Identifier: Apache-2.0
"""Networks with MX: random ones, as test_random.py compares them, a product by its definition, and what stays FP8."""

from __future__ import annotations

from pathlib import Path

import block_scaled
import fp8mac
import ml_dtypes
import numpy as np
import onnx
import pytest
from fp8mac import recipes
from fp8net import cli, fuse, importer, lower, mx, quantize, report, shapes
from fp8net.errors import Refused
from fp8net.executor import Executor
from fp8net.ir import Graph
from graphs import Builder, random_model, random_recurrent
from graphs_moving import random_moving
from test_random import RUNS, _check
from test_sequences import BATCH, TOKENS, biases, causal

LEAST_DB = 9.0  # a requirement, as in test_random.py; in the quantised file MX layers are float32
BLOCK = 32


def _quantised(model: onnx.ModelProto, path: Path, rng, weights: str = "e4m3fn") -> tuple:
    onnx.save(model, path)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    runs = [{"x": rng.normal(size=shape).astype(np.float32)} for _ in range(RUNS)]
    options = quantize.Options(weights_format=weights, mx=True)
    return quantize.quantize(path, runs, options)[0], runs


def _dense(rng: np.random.Generator, name: str) -> onnx.ModelProto:
    """Products of matrices whose widths are no whole blocks, with what fits between them"""
    b = Builder(rng, (int(rng.integers(1, 9)), int(rng.integers(1, 100))))
    for _ in range(3):
        rows, width = b.shape
        columns = int(rng.integers(1, 90))
        weights = b.constant(b.normal(width, columns, by=width))
        b.node("Gemm", [b.last, weights, b.constant(b.normal(columns))], (rows, columns))
        if rng.random() < 0.6:
            b.node(b.pick("Relu", "Relu", "Sigmoid"), [b.last], b.shape)
    return b.model(name, 19)


def _graph(model: onnx.ModelProto) -> Graph:
    return lower.lower_model(shapes.infer(model))


def _products(graph: Graph) -> tuple[int, int]:
    """How many are MX, and how many there are."""
    found = [layer.mx for layer in mx.products(graph)]
    return sum(found), len(found)


def test_random(bench, seed, count, compiler, work, request) -> None:
    chip = request.config.getoption("--chip")
    done = 0
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        kind = (_dense, random_model, random_moving, random_recurrent)[number % 4]
        weights = "e5m2" if number % 8 == 4 else "e4m3fn"
        path = work / f"mx{number}.onnx"
        case = _quantised(kind(rng, f"mx{number}"), path, rng, weights)
        done += _products(_graph(case[0]))[0]
        beat = 16 if chip else int(rng.choice([8, 16, 32]))
        _check(bench, f"MX {number}", work / f"net{number}", LEAST_DB, case, compiler, chip, beat)
    bench.check(f"{done} products are MX", done >= count // 2)


def test_attention(bench, rng, compiler, work) -> None:
    """All products of an attention with shared heads are MX: scores and sums, whose operands are computed."""
    for make in (causal, biases):
        b = Builder(rng, (BATCH, TOKENS, 40))
        make(b)
        case = _quantised(b.model(make.__name__, 23), work / "net.onnx", rng)
        done, all_ = _products(_graph(case[0]))
        bench.check(f"{make.__name__}: {done} of {all_} products are MX", done == all_ > 3)
        _check(bench, make.__name__, work / "net", LEAST_DB, case, compiler, False)


def _rounded(x: np.ndarray) -> np.ndarray:
    """MX of e4m3fn by OCP's definition, in double precision: rows in blocks of 32."""
    out = np.zeros(x.shape)
    for row, values in enumerate(x.astype(np.float64)):
        for first in range(0, len(values), BLOCK):
            block = values[first : first + BLOCK]
            largest = np.abs(block).max()
            scale = 2.0 ** (np.floor(np.log2(largest)) - 8) if largest else 1.0
            codes = np.clip(block / scale, -448, 448).astype(ml_dtypes.float8_e4m3fn)
            out[row, first : first + BLOCK] = codes.astype(np.float64) * scale
    return out


def test_definition(bench, rng, work) -> None:
    """Two products with ReLU between. Blocks differ by 2^10, so a scale in a wrong place would show."""
    first, second = rng.normal(size=(75, 70)), rng.normal(size=(9, 75))
    bias = rng.normal(size=75).astype(np.float32)
    powers = np.exp2(10.0 * (np.arange(70) // BLOCK))
    x = (rng.normal(size=(5, 70)) * powers).astype(np.float32)
    first, second = (first / powers).astype(np.float32), second.astype(np.float32)
    b = Builder(rng, (5, 70))
    b.node("Gemm", ["x", b.constant(first), b.constant(bias)], (5, 75), transB=1)
    b.node("Relu", [b.last], b.shape)
    b.node("Gemm", [b.last, b.constant(second)], (5, 9), transB=1)
    path = work / "two.onnx"
    onnx.save(b.model("two", 19), path)
    model, chosen = quantize.quantize(path, [{"x": x}], quantize.Options(mx=True))
    bench.check(f"nothing is calibrated: {chosen}", not chosen)
    hidden = np.maximum(_rounded(x) @ _rounded(first).T + bias, 0)
    want = _rounded(hidden.astype(np.float32)) @ _rounded(second).T
    got = next(iter(Executor(_graph(model)).run({"x": x}).values()))
    error = np.abs(got - want).max() / np.abs(want).max()
    bench.check(f"the error is {error:.2g} of the largest output", error < 1e-3)
    exact = np.maximum(x.astype(np.float64) @ first.T + bias, 0) @ second.T
    bench.check("MX is not exact", np.abs(want - exact).max() / np.abs(exact).max() > 5e-3)


def test_named(bench, rng, work) -> None:
    """What keeps a product from MX is said, and the other products have it."""
    b = Builder(rng, (1, 8, 6, 6))
    weights = [b.constant(b.normal(8, 8, k, k, by=8 * k * k)) for k in (3, 1, 1, 1)]
    b.node("Conv", ["x", weights[0]], b.shape, pads=[1, 1, 1, 1])
    b.node("Sigmoid", [b.last], b.shape)
    b.node("Conv", [b.last, weights[1]], b.shape)
    b.node("Conv", [b.last, weights[2]], b.shape)
    b.node("Conv", [b.last, weights[3]], b.shape)
    graph = _graph(_quantised(b.model("named", 19), work / "named.onnx", rng)[0])
    text = "\n".join(mx.summary(graph))
    bench.check(text, text.startswith("2 of 4 products are MX"))
    bench.check(f"image: {text}", "Conv_v0: FP8, because it reads an image: kernel (3, 3)" in text)
    bench.check(f"table: {text}", "Conv_v2: FP8, because v1 is rounded by Conv_v0, which" in text)
    for weights, what, shape, attributes in (
        (b.normal(8, 4, 1, 1), "it has 2 groups", b.shape, {"group": 2}),
        (b.normal(8, 8, 1, 1), "strides (2, 2)", (1, 8, 3, 3), {"strides": [2, 2]}),
        (b.normal(8, 8, 1, 1), "it reads an image", (1, 8, 8, 8), {"pads": [1, 1, 1, 1]}),
    ):
        one = Builder(rng, (1, 8, 6, 6))
        one.node("Conv", ["x", one.constant(weights)], shape, **attributes)
        graph = _graph(_quantised(one.model("one", 19), work / "one.onnx", rng)[0])
        text = "\n".join(mx.summary(graph))
        bench.check(text, "0 of 1" in text and what in text)


def test_file(bench, rng, work) -> None:
    """The file says that it has MX; one that says something else is refused, and so is quantising it again."""
    model, runs = _quantised(_dense(rng, "file"), work / "file.onnx", rng, "e5m2")
    path = work / "file.q.onnx"
    onnx.save(model, path)
    bench.check(f"{mx.of(onnx.load(path))}", mx.of(onnx.load(path)) == ("e4m3fn", "e5m2"))
    bench.check("it has MX when it is read", _products(lower.load(path))[0] > 0)
    again = quantize.Options()
    bench.raises("again", Refused, "already", lambda: quantize.quantize(path, runs, again))
    for text in ("e4m3fn", "int8 int8", ""):
        model.metadata_props[0].value = text
        bench.raises(f"{text!r}", Refused, "metadata", lambda: lower.lower_model(model))


def test_command(bench, rng, work, capsys) -> None:
    """`quantize --format mx` says what is MX, and refuses weights of INT8."""
    file, data, out = (str(work / name) for name in ("net.onnx", "net.npz", "net.q.onnx"))
    model = _dense(rng, "command")
    onnx.save(model, file)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    np.savez(data, x=rng.normal(size=(2, *shape)).astype(np.float32))
    command = ["quantize", file, "--data", data, "-o", out, "--format", "mx"]
    status = cli.main([*command, "--weights-format", "int8"])
    text = capsys.readouterr().err
    bench.check(f"{status}: {text}", status == 2 and "--weights-format int8" in text)
    bench.check("nothing is written", not Path(out).exists())
    status, text = cli.main(command), capsys.readouterr().out
    bench.check(f"{status}: {text}", status == 0 and "of 3 products are MX" in text)
    bench.check("no proposals by ONNX Runtime", "ONNX Runtime" not in text)


# ---- formats and layers of the model alone ------------------------------------------------------


def _model_values(x: np.ndarray, format: str) -> np.ndarray:
    """By the model's recipe, a row at a time"""
    codes, scales = recipes.mx_quantize(x.astype(np.float32), format)
    powers = np.repeat(np.exp2(scales.astype(np.float64) - 127), BLOCK, axis=-1)
    return fp8mac.decode(codes, format, dtype=np.float64) * powers[..., : x.shape[-1]]


def test_blocks(bench, rng) -> None:
    """Many rows at once are as of the model's recipe: all magnitudes, zeros, rows that are no whole blocks."""
    for format in ("e4m3fn", "mxint8"):
        for width in (1, 31, 32, 70):
            x = rng.normal(size=(60, width)) * 2.0 ** rng.integers(-40, 40, (60, 1))
            x[rng.random(x.shape) < 0.2] = 0
            x[3] = 0
            found = block_scaled.rounded(x.astype(np.float32), format)
            bench.check(f"{format}, {width}", np.array_equal(found, _model_values(x, format)))


def test_model_only(bench, seed, work) -> None:
    """With E4M3 a network whose products are all MX is the executor's, but for its sums; a convolution is its definition's in
    both formats; bias correction takes the mean error away."""
    rng = np.random.default_rng([seed, 11])
    b = Builder(rng, (6, 70))
    for columns in (45, 64, 8):
        weights = b.constant(b.normal(b.shape[1], columns, by=b.shape[1]))
        b.node("Gemm", [b.last, weights, b.constant(b.normal(columns))], (6, columns))
        if columns != 8:
            b.node("Relu", [b.last], b.shape)
    path = work / "dense.onnx"
    model, runs = _quantised(b.model("dense", 19), path, rng)
    lowered = _graph(model)
    bench.check("all are MX", _products(lowered) == (3, 3))
    float_graph = fuse.fuse(importer.load(shapes.prepare(path)))
    name = next(iter(lowered.outputs))
    executor = Executor(lowered)
    chip = np.stack([executor.run(run)[name] for run in runs])
    mine = block_scaled.BlockScaled(float_graph, "e4m3fn").all(runs)[0]
    truth = block_scaled.BlockScaled(float_graph, None).all(runs)[0]
    near, far = report.sqnr(chip, mine), report.sqnr(truth, chip)
    bench.check(f"{near:.1f} dB apart, {far:.1f} dB from float32", near > far + 20)
    fine = report.sqnr(truth, block_scaled.BlockScaled(float_graph, "mxint8").all(runs)[0])
    bench.check(f"MXINT8: {fine:.1f} dB", fine > far + 8)
    means: dict = {}
    exact = block_scaled.BlockScaled(float_graph, None)
    exact.all(runs, lambda layer, _: means.update({layer.output: exact.means}))
    net = block_scaled.BlockScaled(float_graph, "e4m3fn")
    net.correct(runs, means)
    off = [
        np.abs(y.mean(axis=(0, 1)) - truth.mean(axis=(0, 1))).max()
        for y in (mine, net.all(runs)[0])
    ]
    bench.check(f"means are off by {off}", off[1] < 1e-4 < off[0])


@pytest.mark.parametrize("channels", (7, 32))
def test_model_only_image(bench, seed, work, channels: int) -> None:
    """Blocks of a convolution are along the places of its kernel, then along channels."""
    rng = np.random.default_rng([seed, 12])
    kernel = rng.normal(size=(5, channels, 3, 3)).astype(np.float32)
    b = Builder(rng, (1, channels, 5, 6))
    b.node("Conv", ["x", b.constant(kernel)], (1, 5, 5, 6), pads=[1] * 4)
    onnx.save(b.model("image", 19), work / "image.onnx")
    graph = fuse.fuse(importer.load(shapes.prepare(work / "image.onnx")))
    x = rng.normal(size=(1, channels, 5, 6)).astype(np.float32)
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))[0]
    rows = np.stack(
        [
            wide[:, y : y + 3, z : z + 3].transpose(1, 2, 0).reshape(-1)
            for y in range(5)
            for z in range(6)
        ]
    )
    columns = kernel.transpose(0, 2, 3, 1).reshape(5, -1)
    for format in ("e4m3fn", "mxint8"):
        wanted = _model_values(rows, format) @ _model_values(columns, format).T
        found = block_scaled.BlockScaled(graph, format).all([{"x": x}])[0][0, 0]
        off = np.abs(found.reshape(5, -1).T - wanted).max()
        bench.check(f"{format}: {off}", off < 1e-5)
