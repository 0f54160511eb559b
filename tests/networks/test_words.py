# SPDX-License-Identifier: Apache-2.0
"""Networks whose inputs are numbers of words, and norms, softmax and quotients that a file writes out in several nodes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from fp8net import lower, quantize, shapes, writer
from fp8net.errors import Refused
from fp8net.executor import Executor
from graphs import Builder
from onnx import TensorProto, helper
from programs import run
from test_random import LEAST_DB, _check

WORDS, WIDTH, TOKENS = 19, 24, 6
RUNS = 3


def embedded(rng: np.random.Generator, form: str) -> tuple[onnx.ModelProto, list[dict]]:
    """Rows of a table with an offset and a function, then a product. The table is read by number, or by a one-hot code."""
    kind = TensorProto.INT32 if form == "Equal" else TensorProto.INT64
    b = Builder(rng, (1, TOKENS))
    table = b.constant(b.normal(WORDS, WIDTH))
    if form == "Gather":
        b.node("Gather", [table, "x"], (1, TOKENS, WIDTH))
    else:
        if form == "Equal":
            numbers = b.constant(np.arange(WORDS, dtype=np.int32).reshape(1, 1, -1))
            shape = b.constant(np.array([1, TOKENS, 1], np.int64))
            b.node("Reshape", ["x", shape], (1, TOKENS, 1))
            b.node("Equal", [b.last, numbers], (1, TOKENS, WORDS))
            b.node("Cast", [b.last], (1, TOKENS, WORDS), to=TensorProto.FLOAT)
        else:
            values = b.constant(np.array([0, 1], np.float32))
            depth = b.constant(np.array(WORDS, np.int64))
            b.node("OneHot", ["x", depth, values], (1, TOKENS, WORDS))
        b.node("MatMul", [b.last, table], (1, TOKENS, WIDTH))
    b.node("Add", [b.last, b.constant(b.normal(WIDTH))], b.shape)
    b.node("Tanh", [b.last], b.shape)
    b.node("MatMul", [b.last, b.constant(b.normal(WIDTH, 7, by=WIDTH))], (1, TOKENS, 7))
    model = b.model("words", 19, check=False)
    model.graph.input[0].type.tensor_type.elem_type = kind
    onnx.checker.check_model(model, full_check=True)
    numbers = np.int32 if form == "Equal" else np.int64
    runs = [{"x": rng.integers(0, WORDS, (1, TOKENS)).astype(numbers)} for _ in range(RUNS)]
    runs[0]["x"][0, :2] = 0, WORDS - 1
    return model, runs


@pytest.mark.parametrize("form", ("Gather", "Equal", "OneHot"))
@pytest.mark.parametrize("beat", (8, 16, 32))
def test_words(bench, seed, compiler, work, form, beat) -> None:
    rng = np.random.default_rng([seed, len(form), beat])
    model, runs = embedded(rng, form)
    path = work / "words.onnx"
    onnx.save(model, path)
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    case = quantised, runs
    _check(bench, f"{form}, {beat}", work / "text", LEAST_DB, case, compiler, False, beat)
    graph = lower.lower_model(shapes.infer(quantised))
    layers = [layer.op for layer in graph.layers]
    bench.check(f"{form}: one table: {layers}", layers == ["embedding", "linear"])
    if beat == 16:
        _check_numbers(bench, graph, runs, compiler, work)
        wrong = {"x": np.full((1, TOKENS), WORDS)}
        bench.raises("no such word", Refused, "index", lambda: Executor(graph).run(wrong))


DRIVER = r"""
#include "net.h"
#include "fp8rt/app.h"
#include <stdio.h>
static const float values[] = {VALUES};
int main(void)
{
    static fp8rt_device dev;
    static net_net n;
    static float results[RESULTS];
    static _Alignas(NET_ARENA_ALIGN) uint8_t arena[NET_ARENA_BYTES];
    float wrong[TOKENS] = {0};
    int bad = fp8rt_device_open(&dev, &fp8rt_app_port) || net_open(&n, &dev, arena, sizeof arena);
    bad = bad || net_set_input(&n, 0, values) || net_run(&n) || net_get_output(&n, 0, results);
    for (int i = 0; i < RESULTS; i++) {
        printf("%a\n", (double)results[i]);
    }
    wrong[1] = 0.5f;
    bad = bad || net_set_input(&n, 0, wrong) != FP8RT_ERR_SHAPE;
    wrong[1] = -1.0f;
    bad = bad || net_set_input(&n, 0, wrong) != FP8RT_ERR_SHAPE;
    wrong[1] = WORDS;
    bad = bad || net_set_input(&n, 0, wrong) || net_run(&n) != FP8RT_ERR_SHAPE;
    return bad;
}
"""


def _check_numbers(bench, graph, runs, compiler, work) -> None:
    """The interface with floats: numbers of words become integers, and others are refused."""
    folder = work / "net"
    writer.write(folder, writer.prepare(graph, folder, "words", runs), {})
    (name, out) = next(iter(graph.outputs.items()))
    results = Executor(graph).run(runs[0])[name]
    values = ", ".join(f"{int(v)}.0f" for v in runs[0]["x"].reshape(-1))
    text = DRIVER.replace("VALUES", values).replace("RESULTS", str(results.size))
    text = text.replace("TOKENS", str(TOKENS)).replace("WORDS;", f"{WORDS}.0f;")
    (folder / "main.c").write_text(text)
    outcome = run(compiler.build(folder))
    bench.check(f"numbers of words: {outcome.text[:200]}", outcome.status == 0)
    got = np.array([float.fromhex(line) for line in outcome.text.split()], np.float32)
    want = out.to_rows(results, graph.tensors[out.tensor].cols).reshape(-1)
    bench.check("outputs are the executor's", np.array_equal(got, want))


def test_refused_words(bench, rng, work) -> None:
    """Integers elsewhere, and tables that are no constants."""
    model, _ = embedded(rng, "Gather")
    gather = model.graph.node[0]

    def refuses(what: str, words: str, *nodes: onnx.NodeProto) -> None:
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        del model.graph.output[:]
        model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, None))
        path = work / "refused.onnx"
        onnx.save(model, path)
        bench.raises(what, Refused, words, lambda: lower.lower_model(shapes.prepare(path)))

    cast = helper.make_node("Cast", ["x"], ["f"], "cast", to=TensorProto.FLOAT)
    relu = helper.make_node("Relu", ["f"], ["y"], "relu")
    refuses("integers become floats", "(Cast)", cast, relu)
    gather.output[0] = "y"
    gather.attribute.append(helper.make_attribute("axis", 1))
    refuses("another axis", "axis is 1", gather)


FORMS = ("mean", "sum", "other axis", "no gamma")


def fast_norm(rng: np.random.Generator, form: str) -> onnx.ModelProto:
    """A norm from the means of x and x^2, as Flax writes it, without epsilon's being small beside the variance."""
    b = Builder(rng, (2, 9, 14))
    axis = 1 if form == "other axis" else 2
    size, x = b.shape[axis], b.last
    small = tuple(1 if a == axis else s for a, s in enumerate(b.shape))
    flat = tuple(s for a, s in enumerate(b.shape) if a != axis)

    def mean(of: str) -> str:
        axes = b.constant(np.array([axis], np.int64))
        if form == "mean":
            b.node("ReduceMean", [of, axes], flat, keepdims=0)
        else:
            b.node("ReduceSum", [of, axes], flat, keepdims=0)
            b.node("Mul", [b.last, b.constant(np.float32(1 / size))], flat)
        return b.last

    def kept(value: str) -> str:
        b.node("Reshape", [value, b.constant(np.array(small, np.int64))], small)
        return b.last

    average = mean(x)
    b.node("Sub", [x, kept(average)], b.input)
    minus = b.last
    b.node("Mul", [average, average], flat)
    squared = b.last
    b.node("Mul", [x, x], b.input)
    b.node("Sub", [mean(b.last), squared], flat)
    b.node("Max", [b.constant(np.float32(0)), b.last], flat)
    b.node("Add", [kept(b.last), b.constant(np.float32(0.3))], small)
    b.node("Sqrt", [b.last], small)
    b.node("Reciprocal", [b.last], small)
    if form != "no gamma":
        along = [1, 1, 1]
        along[axis] = size
        b.node("Mul", [b.last, b.constant(b.normal(*along))], tuple(np.maximum(small, along)))
    b.node("Mul", [minus, b.last], b.input)
    if form != "no gamma":
        b.node("Add", [b.last, b.constant(b.normal(*along))], b.input)
    b.node("Add", [b.last, x], b.input)
    return b.model("fast", 19)


@pytest.mark.parametrize("form", FORMS)
def test_fast_norm(bench, seed, compiler, work, form) -> None:
    rng = np.random.default_rng([seed, FORMS.index(form)])
    path = work / "fast.onnx"
    onnx.save(fast_norm(rng, form), path)
    runs = [{"x": rng.normal(size=(2, 9, 14)).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, form, work / "fast", LEAST_DB, (quantised, runs), compiler, False)
    layers = [layer.op for layer in lower.lower_model(shapes.infer(quantised)).layers]
    one = layers.count("normalise") == 1 and set(layers) <= {"normalise", "move", "add"}
    bench.check(f"{form}: {layers}", one)


def test_many_quotients(bench, seed, compiler, work) -> None:
    """More values than one call of a list computes."""
    rng = np.random.default_rng(seed)
    b = Builder(rng, (1, 90, 100))
    b.node("MatMul", ["x", b.constant(b.normal(100, 100, by=100))], b.shape)
    b.node("Abs", [b.last], b.shape)
    b.node("Add", [b.last, b.constant(np.float32(0.5))], b.shape)
    b.node("Div", ["x", b.last], b.shape)
    path = work / "many.onnx"
    onnx.save(b.model("many", 19), path)
    runs = [{"x": rng.normal(size=b.input).astype(np.float32)} for _ in range(2)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, "many", work / "many", LEAST_DB, (quantised, runs), compiler, False)
    sources = writer.prepare(lower.lower_model(shapes.infer(quantised)), work / "many", "many", [])
    calls = sum(asked.pauses for asked in sources.plan.layers)
    bench.check(f"two calls: {calls}", calls == 2)


def quotients(rng: np.random.Generator, form: str) -> onnx.ModelProto:
    """softmax written out; x / its largest value, and 0 where that is 0; a quotient of two tensors; logarithms"""
    b = Builder(rng, (2, 5, 12))
    x, few = b.last, (2, 5, 1)
    if form == "softmax":
        b.node("ReduceMax", [x], few, axes=[2], keepdims=1)
        b.node("Max", [b.constant(np.float32(-np.inf)), b.last], few)
        b.node("Sub", [x, b.last], b.input)
        b.node("Exp", [b.last], b.input)
        power = b.last
        b.node("ReduceSum", [power, b.constant(np.array([2], np.int64))], few, keepdims=1)
        b.node("Div", [power, b.last], b.input)
        return b.model("quotients", 17)
    if form == "least":
        b.node("ReduceMin", [x, b.constant(np.array([2], np.int64))], few, keepdims=1)
        b.node("Sub", [x, b.last], b.input)
    elif form == "quotient":
        b.node("MatMul", [x, b.constant(b.normal(12, 12, by=12))], b.input)
        b.node("Abs", [b.last], b.input)
        b.node("Add", [b.last, b.constant(np.float32(0.5))], b.input)
        b.node("Div", [x, b.last], b.input)
    else:
        b.node("ReduceMax", [x, b.constant(np.array([1, 2], np.int64))], (2, 1, 1), keepdims=1)
        largest, zero = b.last, b.constant(np.float32(0))
        b.nodes.append(helper.make_node("Equal", [largest, zero], ["none"], "none"))
        b.node("Div", [x, largest], b.input)
        b.node("Where", ["none", zero, b.last], b.input)
    return b.model("quotients", 18)


@pytest.mark.parametrize("form", ("softmax", "least", "quotient", "safe"))
def test_quotients(bench, seed, compiler, work, form) -> None:
    rng = np.random.default_rng([seed, len(form)])
    path = work / "quotients.onnx"
    onnx.save(quotients(rng, form), path)
    runs = [{"x": np.abs(rng.normal(size=(2, 5, 12))).astype(np.float32)} for _ in range(RUNS)]
    if form == "safe":
        runs[1]["x"][0] = 0
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, form, work / "quotients", LEAST_DB, (quantised, runs), compiler, False)
    layers = [layer.op for layer in lower.lower_model(shapes.infer(quantised)).layers]
    needed = {"softmax": "softmax", "least": "reduce"}.get(form, "reciprocal")
    bench.check(f"{form}: {layers}", layers.count(needed) == 1)
    bench.check(f"{form}: {layers}", form != "softmax" or set(layers) <= {"softmax", "convert"})


@pytest.mark.parametrize("taps,stride", ((256, 1), (300, 7), (512, 3)))
def test_long_line(bench, seed, compiler, work, taps, stride) -> None:
    """A kernel that is longer than a line of the accelerator's, in strides that do not divide it, or one by one."""
    rng = np.random.default_rng([seed, taps])
    b = Builder(rng, (1, 2, 700))
    count = (700 - taps) // stride + 1
    inputs = [b.last, b.constant(b.normal(5, 2, taps, by=2 * taps)), b.constant(b.normal(5))]
    b.node("Conv", inputs, (1, 5, count), strides=[stride])
    path = work / "line.onnx"
    onnx.save(b.model("line", 19), path)
    runs = [{"x": rng.normal(size=b.input).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, f"{taps}", work / "line", LEAST_DB, (quantised, runs), compiler, False)


def test_logarithm(bench, seed, compiler, work) -> None:
    """A power of wide range: with its operand in float32 its logarithm is nearly exact, with codes it is not."""
    rng = np.random.default_rng(seed)
    b = Builder(rng, (1, 6, 40))
    b.node("Mul", ["x", "x"], b.shape)
    b.node("ReduceSum", [b.last, b.constant(np.array([1], np.int64))], (1, 1, 40), keepdims=1)
    power = b.last
    b.node("Sqrt", [power], b.shape)
    b.node("Mul", [b.last, b.last], b.shape)
    b.node("Transpose", [b.last], (1, 40, 1), perm=[0, 2, 1])
    b.node("Add", [b.last, b.constant(np.float32(1e-10))], b.shape)
    b.node("Log", [b.last], b.shape)
    b.node("Mul", [b.last, b.constant(np.float32(4.3429446))], b.shape)
    path = work / "log.onnx"
    onnx.save(b.model("log", 19), path)
    size = 10.0 ** rng.uniform(-4, 0, (RUNS, 1, 1, 40))
    runs = [{"x": (s * rng.normal(size=b.input)).astype(np.float32)} for s in size]
    found = {}
    squared = b.nodes[3].output[0]
    for keep in ((), (squared, b.last)):
        quantised, _ = quantize.quantize(path, runs, quantize.Options(keep=keep))
        graph = lower.lower_model(shapes.infer(quantised))
        found[keep] = [layer.op for layer in graph.layers]
        least = 30.0 if keep else 5.0
        _check(bench, f"{keep}", work / "log", least, (quantised, runs), compiler, False)
    bench.check(f"{found}", all(("logarithm" in ops) == bool(keep) for keep, ops in found.items()))
    alone = quantize.Options(keep=(b.last,))
    bench.raises("only its result", Refused, "--keep", lambda: quantize.quantize(path, runs, alone))
