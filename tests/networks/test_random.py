# SPDX-License-Identifier: Apache-2.0
"""Random networks: the program on the host gives the bytes of the executor, and ONNX Runtime nearly the same values.

The program compares each byte of its outputs with the executor's. ONNX Runtime runs the quantised file, which rounds where
the chip does. So a wrong import shows there, though executor and program would agree about it.
"""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from fp8net import lower, quantize, report, shapes, validate, writer
from fp8net.errors import Refused
from fp8net.executor import Executor
from fp8net.plan import make
from fp8net.weights import join
from graphs import Builder, long_kernel, random_model, random_recurrent, stateful
from graphs_moving import norms, random_moving
from programs import run

RUNS = 3
# Of the executor beside ONNX Runtime on the quantised file. A requirement: above it lies what FP8 rounds in several layers,
# below it a wrong operand, scale or state, as a check of states shows.
LEAST_DB = 14.0


def _network(rng: np.random.Generator, number: int, work):
    """A quantised model with its data."""
    kind = (random_model, random_moving, random_model, random_recurrent)[number % 4]
    model = kind(rng, f"random{number}")
    path = work / f"random{number}.onnx"
    onnx.save(model, path)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    size = float(10.0 ** rng.uniform(-2, 2))
    runs = [{"x": (size * rng.normal(size=shape)).astype(np.float32)} for _ in range(RUNS)]
    options = quantize.Options(
        format=str(rng.choice(["e4m3fn", "e4m3fn", "e5m2", "e4m3fnuz"])),
        weights_format=str(rng.choice(["e4m3fn", "e4m3fn", "e5m2fnuz"])),
        method=str(rng.choice(["max", "max", "percentile", "mse"])),
    )
    quantised, _ = quantize.quantize(path, runs, options)
    return quantised, runs, options


def _row_bytes(graph, plan, name: str) -> int:
    """With the MX scales of a row, which are whole beats too."""
    blocks = -(-graph.tensors[name].cols // 32) if graph.tensors[name].mx else 0
    return plan.strides[name] + -(-blocks // plan.beat) * plan.beat


def _check_memory(bench, name: str, graph, plan) -> None:
    """No two tensors that are needed at a time share a byte, and the arena holds the most that is."""
    steps = len(graph.layers)
    born = {view.tensor: -1 for view in graph.inputs.values()}
    last = dict.fromkeys((view.tensor for view in graph.outputs.values()), steps)
    for step, layer in enumerate(graph.layers):
        for tensor in layer.writes:
            born[tensor] = -1 if tensor in layer.states else step
            last[tensor] = max(last.get(tensor, step), step)
        for tensor in set(layer.reads) - graph.constants.keys():
            last[tensor] = max(last.get(tensor, step), step)
    placed = [t for t in graph.tensors if t not in graph.constants]
    ends = {t: plan.offsets[t] + _row_bytes(graph, plan, t) * graph.tensors[t].rows for t in placed}
    for a, b in itertools.combinations(placed, 2):
        together = born[a] <= last.get(b, born[b]) and born[b] <= last.get(a, born[a])
        apart = ends[a] <= plan.offsets[b] or ends[b] <= plan.offsets[a]
        bench.check(f"{name}: {a} and {b} share memory", apart or not together)
    bench.check(f"{name}: the arena holds all tensors", max(ends.values()) <= plan.activations)


def _check(
    bench, name: str, folder: Path, least: float, case, compiler, chip: bool, beat=16
) -> None:
    """With a bus of 16 bytes the program has depthwise commands."""
    quantised, runs = case
    graph = lower.lower_model(shapes.infer(quantised))
    graph.columns = 4 if beat == 16 else 0
    sources = writer.prepare(graph, folder, "random", runs, beat=beat)
    writer.write(folder, sources, {})
    program, plan = compiler.build(folder), sources.plan
    bus = {"FP8RT_AXI_DATA_W": str(8 * beat)}
    if graph.is_int8:
        bus["FP8RT_ELEMENT"] = "int8"
    outcome = run(program, **bus)
    _check_memory(bench, name, graph, plan)
    bench.check(f"{name} runs: {outcome.text}", outcome.status == 0)
    bench.check(f"{name} compares bytes: {outcome.text}", outcome.compared > 0)
    bench.check(f"{name} equals the executor: {outcome.text}", outcome.different == 0)
    scratch = outcome.number(r"scratch (\d+)")
    bench.check(f"{name} needs the planned scratch", plan.scratch - 32 < scratch <= plan.scratch)
    lists = outcome.number(r"lists (\d+)")
    bench.check(f"{name} needs the planned lists", lists == plan.lists)
    less = run(program, f"ARENA={plan.arena - 1}", **bus)
    bench.check(f"{name} needs its arena", less.status != 0 and "scratch" in less.text)
    value = _beside_runtime(graph, quantised, runs)
    bench.check(f"{name} is near ONNX Runtime: {value:.1f} dB of {least}", value >= least)
    if chip:
        text = validate.run_program(Path.cwd(), folder, "chip", int8=graph.is_int8)
        equal = re.search(r"[1-9]\d* bytes compared, 0 differ$", text, re.M) is not None
        bench.check(f"{name} equals the executor on the chip: {text}", equal)


def test_random(bench, seed, count, compiler, work, request) -> None:
    chip = request.config.getoption("--chip")
    operators: set[str] = set()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        quantised, runs, options = _network(rng, number, work)
        operators |= {node.op_type for node in quantised.graph.node}
        coarse = "e5m2" in options.format + options.weights_format
        least = LEAST_DB - (6.0 if coarse else 0.0)
        beat = 16 if chip else int(rng.choice([8, 16, 16, 32]))
        name = f"network {number}"
        case = quantised, runs
        _check(bench, name, work / f"net{number}", least, case, compiler, chip, beat)
    print(f"{count} networks, {len(operators)} operators: {', '.join(sorted(operators))}")


@pytest.mark.parametrize("kind", ("Relu", "Clip", "Sigmoid", "HardSwish"))
def test_apart(bench, rng, compiler, work, kind) -> None:
    """Activations behind sums and products, and behind layers that have none."""
    b = Builder(rng, (1, 5, 6, 6))

    def activate() -> None:
        limits = [b.constant(np.float32(-0.25)), b.constant(np.float32(0.75))]
        b.node(kind, [b.last, *(limits if kind == "Clip" else [])], b.shape)

    pool = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    for op in ("Sub", "Add", "Mul"):
        b.node("MaxPool", [b.last], b.shape, **pool)
        activate()
        b.node(op, ["x", b.last], b.shape)
        activate()
    path = work / "apart.onnx"
    onnx.save(b.model("apart", 19), path)
    runs = [{"x": rng.normal(size=b.input).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, kind, work / "apart", LEAST_DB, (quantised, runs), compiler, False)


def test_depthwise_point(bench, rng, compiler, work) -> None:
    """A depthwise convolution of one pixel has weights of its own: it is not folded into the product before it."""
    b = Builder(rng, (1, 4, 5, 5))
    for channels, groups in ((6, 1), (6, 6), (8, 1)):
        weights = b.normal(channels, b.shape[1] // groups, 1, 1, by=b.shape[1] // groups)
        b.node("Conv", [b.last, b.constant(weights)], (1, channels, 5, 5), group=groups)
    path = work / "point.onnx"
    onnx.save(b.model("point", 19), path)
    runs = [{"x": rng.normal(size=b.input).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, "point", work / "point", LEAST_DB, (quantised, runs), compiler, False)


def test_quads(bench, rng, compiler, work) -> None:
    """Depthwise commands of a convolution and of a product with a vector, and groups of a beat. Another array refuses the first."""
    b = Builder(rng, (2, 20, 9, 7))
    b.node("Conv", ["x", b.constant(b.normal(20, 1, 3, 3, by=9))], b.shape, group=20, pads=[1] * 4)
    image, shape = b.last, b.shape
    b.node("GlobalAveragePool", [image], (2, 20, 1, 1))
    b.node("Mul", [image, b.last], shape)
    path = work / "quads.onnx"
    onnx.save(b.model("quads", 19), path)
    runs = [{"x": rng.normal(size=b.input).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, "quads", work / "quads", LEAST_DB, (quantised, runs), compiler, False)
    for columns, commands in ((4, 4), (0, 4)):
        graph = lower.lower_model(shapes.infer(quantised))
        graph.columns = columns
        folder = work / f"columns{columns}"
        sources = writer.prepare(graph, folder, "quads", runs)
        writer.write(folder, sources, {})
        found = sources.plan.layers[0].commands
        bench.check(f"{found} commands of {columns} columns", found == commands)
        codes = join(graph.layers[0], graph, 16).codes
        bench.check(f"codes of {columns} columns", codes.shape[1] == (24 if columns else 9 * 16))
        for array in ("4x4x16", "4x8x16"):
            outcome = run(compiler.build(folder), FP8RT_ARRAY=array)
            equal = outcome.status == 0 and outcome.compared > 0 and outcome.different == 0
            wanted = columns == 0 or array == "4x4x16"
            bench.check(f"{columns} columns on {array}: {outcome.text}", equal == wanted)


@pytest.mark.parametrize("op", ("Concat", "MaxPool"))
def test_other_scales(bench, rng, compiler, work, op) -> None:
    """Files of other quantisers: what only moves has another scale before and behind."""
    b = Builder(rng, (1, 6, 5, 5))
    b.node("Conv", [b.last, b.constant(b.normal(6, 6, 3, 3, by=54))], b.shape, pads=[1, 1, 1, 1])
    if op == "Concat":
        b.node("Concat", [b.last, "x"], (1, 12, 5, 5), axis=1)
    else:
        b.node("MaxPool", [b.last], (1, 6, 4, 4), kernel_shape=[2, 2])
    moved = b.last
    b.node("Conv", [b.last, b.constant(b.normal(7, b.shape[1], 1, 1, by=6))], (1, 7, *b.shape[2:]))
    path = work / "scales.onnx"
    onnx.save(b.model("scales", 19), path)
    runs = [{"x": rng.normal(size=b.input).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    for tensor in quantised.graph.initializer:
        for name, factor in (("x", 0.8), ("v0", 1.7)) if op == "Concat" else ():
            if tensor.name == f"{name}_scale":
                scale = onnx.numpy_helper.to_array(tensor) * np.float32(factor)
                tensor.CopyFrom(onnx.numpy_helper.from_array(scale, tensor.name))
    if op == "MaxPool":  # only the result is rounded
        _forget(quantised, "v0")
    _check(bench, op, work / "scales", LEAST_DB, (quantised, runs), compiler, False)
    graph = lower.lower_model(shapes.infer(quantised))
    converts = sum(layer.op == "convert" for layer in graph.layers)
    bench.check(
        f"{op}: {converts} conversions of {moved}", converts == (2 if op == "Concat" else 0)
    )


def _forget(model: onnx.ModelProto, name: str) -> None:
    """Without the rounding of a value."""
    pair = [n for n in model.graph.node if n.name in (f"{name}_quantize", f"{name}_dequantize")]
    for node in pair:
        model.graph.node.remove(node)
    for node in model.graph.node:
        for i, read in enumerate(node.input):
            if read == pair[1].output[0]:
                node.input[i] = name


FORMS = ("LayerNormalization", "RMSNormalization", "groups", "written", "other axis", "turned")


@pytest.mark.parametrize("form", FORMS)
def test_norms(bench, seed, compiler, work, form) -> None:
    """Norms, and those that are written out, are one layer."""
    rng = np.random.default_rng([seed, len(form)])
    path = work / "norms.onnx"
    onnx.save(norms(rng, form), path)
    runs = [{"x": (0.3 * rng.normal(size=(2, 9, 7))).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, form, work / "norms", LEAST_DB, (quantised, runs), compiler, False)
    layers = [layer.op for layer in lower.lower_model(shapes.infer(quantised)).layers]
    others = {"convolution"} if form == "groups" else set()
    one = layers.count("normalise") == 1 and set(layers) <= {"normalise", "move", "add", *others}
    bench.check(f"{form}: {layers}", one)


# Shape and order; commands of each transposition, for beats of 16 bytes. The last one is concatenated with another
# tensor, whose copy is a command if it begins at a beat.
TURNED = {
    "one": ((1, 48, 70), (0, 2, 1), [3, 2, 2 + 1]),
    "batch": ((3, 40, 32), (0, 2, 1), [3, 6, 6]),
    "small": ((2, 9, 7), (0, 2, 1), [0, 0, 0]),
    "image": ((1, 20, 5, 16), (0, 2, 3, 1), [5, 5, 5]),
}


@pytest.mark.parametrize("name", TURNED)
def test_turned(bench, rng, compiler, work, name) -> None:
    """Products along one axis, another one, and the first one: transpositions of enough values are commands."""
    shape, perm, commands = TURNED[name]
    b = Builder(rng, shape)
    turned = tuple(shape[axis] for axis in perm)
    for order, size in ((None, shape), (perm, turned), (np.argsort(perm), shape)):
        if order is not None:
            b.node("Transpose", [b.last], size, perm=order)
        # Results of small weights are 0 or -0.
        weights = b.normal(size[-1], size[-1]) * 10.0 ** rng.uniform(-6, 0, size=size[-1])
        b.node("MatMul", [b.last, b.constant(weights.astype(np.float32))], size)
    # An output that shows -0: the last product beside the one before, transposed
    second = b.nodes[2].output[0]
    b.node("Transpose", [b.last], turned, perm=perm)
    b.node("Concat", [b.last, second], (*turned[:-1], 2 * turned[-1]), axis=-1)
    path = work / "turned.onnx"
    onnx.save(b.model("turned", 19), path)
    runs = [{"x": rng.normal(size=shape).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, name, work / "turned", LEAST_DB, (quantised, runs), compiler, False)
    graph = lower.lower_model(shapes.infer(quantised))
    found = [
        asked.commands
        for layer, asked in zip(graph.layers, make(graph).layers, strict=True)
        if layer.op == "move"
    ]
    bench.check(f"{name}: {found} commands", found == commands)
    zeros = 0
    executor = Executor(graph)
    for values in runs:
        executor.run(values)
        moved = [layer.inputs[0] for layer in graph.layers if layer.op == "move"]
        zeros += sum(int((executor.codes[tensor] == 0x80).sum()) for tensor in moved)
    bench.check(f"{name}: {zeros} codes of -0 are moved", zeros > 0)


@pytest.mark.parametrize("op", ("LSTM", "GRU"))
def test_states(bench, rng, compiler, work, op) -> None:
    """Three runs of two steps are one run of six: ONNX Runtime has no part in keeping the states then."""
    gates = 4 if op == "LSTM" else 3
    units = 9
    shapes_of = (
        (1, gates * units, 7),
        (1, gates * units, units),
        (1, 2 * gates * units),
        (units, 5),
    )
    weights = [(rng.normal(size=shape) / 2).astype(np.float32) for shape in shapes_of]
    model, kept = stateful(rng, op, 2, weights)
    path = work / "states.onnx"
    onnx.save(model, path)
    runs = [{"x": rng.normal(size=(2, 2, 7)).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options(), None, kept)
    _check(bench, op, work / "states", LEAST_DB, (quantised, runs), compiler, False)
    graph = lower.lower_model(shapes.infer(quantised))
    bench.check("states are no inputs", list(graph.inputs) == ["x"] and len(graph.outputs) == 1)
    long, _ = stateful(rng, op, 2 * RUNS, weights)
    states = {name: np.zeros((1, 2, units), np.float32) for name in kept}
    together = {"x": np.concatenate([run["x"] for run in runs]), **states}
    name = next(iter(graph.outputs))
    want = onnxruntime.InferenceSession(long.SerializeToString()).run([name], together)[0]
    executor = Executor(graph)
    got = np.concatenate([executor.run(run)[name] for run in runs])
    bench.check(f"{op}: like one long run", report.sqnr(want, got) > LEAST_DB)
    apart = np.concatenate([Executor(graph).run(run)[name] for run in runs])
    bench.check(f"{op}: the states matter", report.sqnr(want, apart) < LEAST_DB)
    _check_refused_states(bench, path)


def _check_refused_states(bench, path) -> None:
    for pairs, words in (
        ({"q": "hn"}, "no input 'q'"),
        ({"h": "q"}, "no output 'q'"),
        ({"x": "hn"}, "shapes"),
    ):
        bench.raises(f"{pairs}", Refused, words, lambda p=pairs: shapes.prepare(path, None, p))
    model = shapes.prepare(path)
    bench.raises("without --state", Refused, "--state", lambda: lower.lower_model(model))


def test_long_kernel(bench, rng, compiler, work) -> None:
    """Kernels that are longer than a line of the accelerator's kernel can be."""
    model = long_kernel(rng)
    path = work / "long.onnx"
    onnx.save(model, path)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    runs = [{"x": rng.normal(size=shape).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    _check(bench, "long", work / "strided", LEAST_DB, (quantised, runs), compiler, False)


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
    int bad = fp8rt_device_open(&dev, &fp8rt_app_port) || net_open(&n, &dev, arena, sizeof arena);
    for (int i = 0; i < 2; i++) { // the second run begins as the first one did
        bad = bad || net_set_input(&n, 0, values) || net_run(&n) || net_get_output(&n, 0, results);
    }
    for (int i = 0; i < RESULTS; i++) {
        printf("%a\n", (double)results[i]);
    }
    return bad;
}
"""


@pytest.mark.parametrize("number", (0, 3, 5))
def test_floats(bench, seed, compiler, work, number) -> None:
    """The interface with floats: inputs are rounded, and outputs decoded, as the executor does it."""
    quantised, runs, _ = _network(np.random.default_rng([seed, number]), number, work)
    graph = lower.lower_model(shapes.infer(quantised))
    folder = work / "net"
    writer.write(folder, writer.prepare(graph, folder, "floats", runs), {})
    (view,), (name, out) = graph.inputs.values(), next(iter(graph.outputs.items()))
    rows = view.to_rows(runs[0]["x"], graph.tensors[view.tensor].cols)
    results = Executor(graph).run(runs[0])[name]
    text = DRIVER.replace("VALUES", ", ".join(f"{float(v).hex()}f" for v in rows.reshape(-1)))
    (folder / "main.c").write_text(text.replace("RESULTS", str(results.size)))
    outcome = run(compiler.build(folder))
    bench.check(f"it runs: {outcome.text[:200]}", outcome.status == 0)
    got = np.array([float.fromhex(line) for line in outcome.text.split()], np.float32)
    cols = graph.tensors[out.tensor].cols
    bench.check(
        "outputs are the executor's", np.array_equal(got, out.to_rows(results, cols).reshape(-1))
    )


def _beside_runtime(graph, quantised, runs) -> float:
    session, executor = shapes.session(quantised), Executor(graph)
    name = next(iter(graph.outputs))
    truth = np.stack([session.run([name], values)[0] for values in runs])
    mine = np.stack([executor.run(values)[name] for values in runs])
    return min(report.sqnr(truth, mine), 200.0) if np.any(truth) else math.inf
