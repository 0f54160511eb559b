# SPDX-License-Identifier: Apache-2.0
"""Steps of the quantiser: bias correction by NumPy's arithmetic, inputs in two codes behind moves, which steps are kept."""

from __future__ import annotations

import json
import re

import ml_dtypes
import numpy as np
import onnx
from fp8net import (
    equalise,
    judge,
    lower,
    mend,
    quantize,
    recipe,
    report,
    rounding,
    shapes,
    split,
    steps,
    writer,
)
from fp8net.cli import main
from fp8net.executor import Executor
from graphs import Builder
from onnx import numpy_helper
from programs import run

RUNS = 16
NONE = ["--no-equalisation", "--no-weight-rounding", "--no-bias-correction", "--no-input-split"]
LARGEST = {"e4m3fn": 448.0, "int8": 127.0}


def _round(values: np.ndarray, scale, format: str) -> np.ndarray:
    """By ml_dtypes, or by NumPy for INT8"""
    codes = values.astype(np.float64) / scale
    if format == "int8":
        return np.clip(np.rint(codes), -128, 127) * scale
    return codes.astype(np.float32).astype(ml_dtypes.float8_e4m3fn).astype(np.float64) * scale


def _perceptron(rng: np.random.Generator):
    """Two products: one has a bias, and one has none."""
    b = Builder(rng, (4, 12))
    first, offset, second = b.normal(12, 24, by=12), b.normal(24), b.normal(24, 8, by=24)
    b.node("Gemm", ["x", b.constant(first), b.constant(offset)], (4, 24))
    b.node("Relu", [b.last], b.shape)
    b.node("MatMul", [b.last, b.constant(second)], (4, 8))
    return b.model("perceptron", 19), (first, offset, second)


def _positive(rng: np.random.Generator, shape, count: int = RUNS) -> list[dict]:
    return [{"x": rng.gamma(2.0, size=shape).astype(np.float32)} for _ in range(count)]


def _expected(runs: list, weights, format: str):
    """The biases after correction, and the dB without and with it: all in NumPy"""
    first, offset, second = (w.astype(np.float64) for w in weights)
    x = np.concatenate([r["x"] for r in runs]).astype(np.float64)
    hidden = np.maximum(x @ first + offset, 0)
    truth = hidden @ second
    top = LARGEST[format]

    def scale(values, axis=None):
        return (np.abs(values).max(axis=axis).astype(np.float32) / np.float32(top)).astype(float)

    q1, q2 = (_round(w, scale(w, 0), format) for w in (first, second))
    plain = _round(x, scale(x), format) @ q1 + offset
    own = offset - (plain - (x @ first + offset)).mean(axis=0)

    def rest(sums):
        return _round(np.maximum(sums, 0), scale(hidden), format) @ q2

    corrected = rest(plain - offset + own)
    new = -(corrected - truth).mean(axis=0)
    errors = [report.sqnr(truth, y) for y in (rest(plain), corrected + new)]
    return own, new, errors


def test_bias(bench, seed, work) -> None:
    """Both biases are NumPy's, and so is what they gain."""
    for format in LARGEST:
        rng = np.random.default_rng([seed, len(format)])
        model, weights = _perceptron(rng)
        path = work / "perceptron.onnx"
        onnx.save(model, path)
        runs = _positive(rng, (4, 12))
        options = quantize.Options(format, format)
        plain, _, coded = quantize.quantise_coded(path, runs, options)
        reference = shapes.prepare(path)
        outcome = mend.mend(plain, coded, reference, runs, rounds=False)
        bench.check(f"{format}: {outcome}", len(outcome.corrected) == 2 and not outcome.left)
        constants = {t.name: numpy_helper.to_array(t) for t in outcome.model.graph.initializer}
        found = [v for n, v in constants.items() if n.endswith("_bias")]
        own, new, errors = _expected(runs, weights, format)
        sizes = {v.size: v for v in found}
        for name, mine, wanted in (("old", sizes.get(24), own), ("new", sizes.get(8), new)):
            near = mine is not None and np.allclose(mine, wanted, rtol=0, atol=2e-5)
            bench.check(f"{format}: the {name} bias is {mine}, NumPy's {wanted}", near)
        for kind, file, wanted in zip(("plain", "corrected"), (plain, outcome.model), errors):
            got = _sqnr(path, file, runs)
            bench.check(f"{format} {kind}: {got:.3f} dB, {wanted:.3f}", abs(got - wanted) < 0.01)
        bench.check(f"{format}: gains: {errors}", errors[1] > errors[0] + 0.3)


def _sqnr(path, model: onnx.ModelProto, runs: list) -> float:
    sessions = shapes.session(shapes.prepare(path)), shapes.session(model)
    return report.sqnr(*(np.stack([s.run(None, r)[0] for r in runs]) for s in sessions))


def test_whole_recipe(bench, seed, work, compiler, monkeypatch) -> None:
    """An image with channels last, behind Pad and Reshape: its two codes are worth 20 dB, and the program has the executor's
    bytes. Depthwise, grouped and transposed convolutions and a residual sum get their biases."""
    rng = np.random.default_rng([seed, 3])
    b = Builder(rng, (1, 64, 4))
    b.node("Reshape", ["x", b.constant(np.array([1, 8, 8, 4], np.int64))], (1, 8, 8, 4))
    pads = b.constant(np.array([0, 1, 1, 0, 0, 1, 1, 0], np.int64))
    b.node("Pad", [b.last, pads], (1, 10, 10, 4))
    b.node("Transpose", [b.last], (1, 4, 10, 10), perm=[0, 3, 1, 2])
    place = b.last
    exact = (2.0 ** rng.integers(-2, 3, (8, 4, 3, 3))).astype(np.float32)
    b.node("Conv", [b.last, b.constant(exact)], (1, 8, 8, 8))
    head, nodes = b.last, list(b.nodes)
    path = work / "head.onnx"
    onnx.save(b.model("head", 19), path)
    runs = [{"x": rng.normal(size=(1, 64, 4)).astype(np.float32)} for _ in range(RUNS)]
    found = split.inputs(shapes.prepare(path))
    bench.check(f"{place}: {found}", found == ["x"])
    plain, both = (
        _sqnr(path, quantize.quantize(path, runs, quantize.Options(split=names))[0], runs)
        for names in ((), ("x",))
    )
    bench.check(f"two codes: {both:.1f} dB, {plain:.1f} without", both > plain + 20)
    bench.check("as in the head", head == b.last and nodes == b.nodes)
    _tail(b, head)
    path = work / "image.onnx"
    onnx.save(b.model("image", 19), path)
    monkeypatch.setattr(recipe, "COSTLY_DB", 0.5)  # this network has little to gain
    result = recipe.quantise(path, runs, quantize.Options())
    kinds = [s.name.partition(" ")[0] for s in result.steps]
    bench.check(f"{result.steps}", kinds[:3] == ["weights", "bias", "input"])
    bench.check(f"{result.steps}", result.steps[2].applied and result.options.split == ("x",))
    graph = lower.lower_model(shapes.infer(result.model))
    writer.write(work / "net", writer.prepare(graph, work / "net", "image", runs[:4]), {})
    outcome = run(compiler.build(work / "net"))
    equal = outcome.compared > 0 and outcome.different == 0
    bench.check(f"bytes: {outcome.text}", equal)
    executor, session = Executor(graph), shapes.session(shapes.prepare(path))
    name = next(iter(graph.outputs))
    values = [[session.run([name], r)[0] for r in runs], [executor.run(r)[name] for r in runs]]
    got = report.sqnr(*(np.stack([v.reshape(-1) for v in column]) for column in values))
    least = result.steps[0].before
    bench.check(f"chip: {got:.1f} dB, {least:.1f} without the steps", got > least + 0.5)


def _tail(b: Builder, value: str) -> None:
    """From 8 channels of 8 x 8"""
    b.node("Conv", [value, b.constant(b.normal(32, 8, 3, 3, by=72))], (1, 32, 6, 6))
    wide = b.last
    weights = [b.constant(b.normal(32, 1, 3, 3, by=9))]
    b.node("Conv", [wide, *weights], b.shape, group=32, pads=[1] * 4)
    b.node("Add", [wide, b.last], b.shape)
    b.node("Relu", [b.last], b.shape)
    weights = [b.constant(b.normal(32, 8, 3, 3, by=72)), b.constant(b.normal(32))]
    b.node("Conv", [b.last, *weights], (1, 32, 4, 4), group=4)
    b.node("ConvTranspose", [b.last, b.constant(b.normal(32, 8, 2, 2, by=32))], (1, 8, 5, 5))


WINDOWS = (  # of a convolution: channels, outputs, kernel, attributes
    (4, 6, (3, 2), {"pads": [1, 0, 2, 1], "strides": [2, 1], "group": 2}),
    (3, 4, (2, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    (3, 4, (2, 2), {"auto_pad": "SAME_LOWER"}),
    (4, 4, (3, 3), {"dilations": [2, 1], "group": 4}),
    (2, 4, (5,), {"pads": [2, 1], "strides": [2]}),
)


def test_weights_by_results(bench, rng, work) -> None:
    """Operands are those of ONNX Runtime's products. No other code makes the error smaller alone, and it is smaller than that of the
    nearest codes."""
    for channels, outputs, kernel, attributes in WINDOWS:
        image = (7, 8)[: len(kernel)]
        shape = (2, channels, *image)
        b = Builder(rng, shape)
        values = b.normal(outputs, channels // attributes.get("group", 1), *kernel)
        b.node("Conv", ["x", b.constant(values)], shape, **attributes)
        node = b.nodes[-1]
        given = [rng.normal(size=shape).astype(np.float32) for _ in range(3)]
        wide = shapes.session(_open(node, values, shape)).run
        _operands_are_right(
            bench, rng, node, values, given, [wide(None, {"x": x})[0] for x in given]
        )
    for format in LARGEST:
        rows = rng.normal(size=(2, 3, 10))
        x = rng.normal(size=(2, 40, 10)) @ rng.normal(size=(2, 10, 10)) + 1
        square = x.transpose(0, 2, 1) @ x
        first = rounding.nearest(rows * 40, format)
        last = rounding.descend(rows * 40, first, square, square, format)

        def loss(codes, rows=rows, square=square):
            away = codes - rows * 40
            return np.einsum("gnk,gkl,gnl->gn", away, square, away)

        bench.check(f"{format}: gains", bool(loss(last).sum() < 0.5 * loss(first).sum()))
        every = np.unique(
            np.append(rounding.nearest(np.linspace(-500, 500, 1 << 14), format), last)
        )
        place = np.searchsorted(every, last)
        for k, step in np.ndindex(10, 2):
            other = last.copy()
            there = np.clip(place[:, :, k] + 2 * step - 1, 0, len(every) - 1)
            other[:, :, k] = every[there]
            bench.check(
                f"{format} {k} {step}", bool((loss(other) >= loss(last) - 1e-6 * loss(first)).all())
            )


def _open(node, values: np.ndarray, shape) -> onnx.ModelProto:
    """The node alone, whose result has any shape"""
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [node],
        "conv",
        [onnx.helper.make_tensor_value_info("x", kind, shape)],
        [onnx.helper.make_tensor_value_info(node.output[0], kind, None)],
        [numpy_helper.from_array(values, node.input[1])],
    )
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 19)], ir_version=9
    )


def _operands_are_right(bench, rng, node, values, given: list, wanted: list) -> None:
    none = onnx.TensorProto(), np.ones(len(values), np.float32), "e4m3fn", 0
    product = rounding.Product(node, values, *none)
    rows = product.rows()
    for x, y in zip(given, wanted):
        places = rounding.Places(product, x.shape)
        at = rng.permutation(places.count)
        operands = places.operands(x, at)
        mine = (operands @ rows.transpose(0, 2, 1)).transpose(1, 0, 2).reshape(len(at), -1)
        theirs = np.moveaxis(y, 1, -1).reshape(-1, y.shape[1])[at]
        near = mine.shape == theirs.shape and np.allclose(mine, theirs, rtol=0, atol=1e-4)
        bench.check(f"{node.attribute}: {mine.shape}, {theirs.shape}", near)


def test_equal_channels(bench, rng, work) -> None:
    """Channels of very different ranges between convolutions become equal: float values stay, and INT8 loses less. ReLU6, and a value
    with two readers, are left."""
    spread = (2.0 ** rng.uniform(-5, 0, 16)).astype(np.float32)
    b = Builder(rng, (1, 4, 9, 9))
    first = b.normal(16, 4, 3, 3, by=36) * spread.reshape(-1, 1, 1, 1)
    b.node("Conv", ["x", b.constant(first), b.constant(b.normal(16) * spread)], (1, 16, 7, 7))
    slopes = b.constant(b.normal(16, 1, 1))
    b.node("PRelu", [b.last, slopes], b.shape)
    b.node("MaxPool", [b.last], (1, 16, 5, 5), kernel_shape=[3, 3])
    deep = b.normal(16, 1, 3, 3, by=9) / spread.reshape(-1, 1, 1, 1)
    b.node("Conv", [b.last, b.constant(deep)], b.shape, group=16, pads=[1] * 4)
    limits = [b.constant(np.float32(v)) for v in (0, 6)]
    b.node("Clip", [b.last, *limits], b.shape)
    b.node("Conv", [b.last, b.constant(b.normal(8, 8, 1, 1, by=8))], (1, 8, 5, 5), group=2)
    shared = b.last
    b.node("Conv", [shared, b.constant(b.normal(8, 8, 1, 1, by=8))], b.shape)
    b.node("Add", [shared, b.last], b.shape)
    path = work / "equal.onnx"
    onnx.save(b.model("equal", 19), path)
    runs = [{"x": rng.normal(size=(1, 4, 9, 9)).astype(np.float32)} for _ in range(RUNS)]
    source = quantize.Source(path, runs)
    model, count = equalise.equalise(source.new, runs)
    found = [(a.output[0], c.output[0]) for a, _, c in equalise.pairs(source.new.graph)]
    bench.check(f"{found}", found == [("v0", "v3")] and count == 1)
    truth, mine = (
        np.stack([shapes.session(m).run(None, r)[0] for r in runs]) for m in (source.new, model)
    )
    bench.check("the same numbers", bool((truth == mine).all()) and bool(truth.any()))
    options = quantize.Options("int8", "int8")
    errors = [
        _sqnr(path, quantize.quantise_source(its, options)[0], runs)
        for its in (source, source.rewritten(model))
    ]
    bench.check(f"INT8: {errors}", errors[1] > errors[0] + 3)
    recipes = [recipe.Recipe(equal, False, False, False) for equal in (False, True)]
    results = [recipe.quantise(path, runs, options, recipe=r) for r in recipes]
    bench.check(f"{results[1].steps}", results[1].steps[0].applied and not results[0].steps)
    recipe.proved(results[1], path, runs)


def test_judged_values(bench, rng) -> None:
    """What a last softmax or sigmoid reads is compared, without the mean of a row that a softmax does not see."""
    for op, shape, mean in (
        ("Softmax", (6, 4), True),
        ("Sigmoid", (24,), False),
        ("Relu", None, None),
    ):
        b = Builder(rng, (6, 4))
        b.node("MatMul", ["x", b.constant(b.normal(4, 4))], (6, 4))
        b.node(op, [b.last], (6, 4))
        if shape is not None:
            b.node("Reshape", [b.last, b.constant(np.array(shape, np.int64))], shape)
        model = b.model("judged", 19)
        (found,) = judge.values(model, model)
        wanted = "v0" if shape is not None else b.last
        bench.check(f"{op}: {found}", found.name == wanted)
        values = rng.normal(size=(5, 6, 4))
        same = bool(np.allclose(found.of(values + 3.0), found.of(values)))
        bench.check(f"{op}: mean", same == bool(mean))


def test_judgement(bench, rng) -> None:
    """The gain is that of all runs, and its standard error that of gains of other runs of the same kind."""
    gains, said = [], []
    for _ in range(200):
        truth = [rng.normal(size=(20, 50))]
        near, far = (
            truth[0] + rng.normal(size=(20, 50)) * f * rng.gamma(2.0, size=(20, 1))
            for f in (0.1, 0.12)
        )
        its = judge.Judge(truth, False)
        found = its.gain(its.errors([far]), its.errors([near]))
        direct = report.sqnr(truth[0], near) - report.sqnr(truth[0], far)
        bench.check(f"{found}, {direct}", abs(found.db - direct) < 1e-6)
        gains.append(found.db)
        said.append(found.error)
    ratio = np.sqrt(np.mean(np.square(said))) / np.std(gains)
    bench.check(f"standard error: {ratio:.2f} of the true one", 0.8 < ratio < 1.3)
    rough = judge.Judge(truth, True)
    bench.check("runs in order are blocks", len(set(rough.block)) == judge.BLOCKS)


def test_a_loss_is_left(bench, rng, work, monkeypatch) -> None:
    """A correction that is wrong for data that it has not seen is not applied; the file is as without the step."""
    model, _ = _perceptron(rng)
    path = work / "loss.onnx"
    onnx.save(model, path)
    runs = _positive(rng, (4, 12))
    right = mend.mend

    def wrong(quantised, coded, reference, fitted, **more):
        """Right for all data, wrong for a part"""
        part = fitted[:1] if len(fitted) < len(runs) else fitted
        return right(quantised, coded, reference, part, **more)

    monkeypatch.setattr(mend, "mend", wrong)
    few = [{"x": runs[0]["x"] * np.float32(1 + 20 * (i == 0))} for i in range(RUNS)]
    only = recipe.Recipe(equalise=False, rounding=False, split=False)
    result = recipe.quantise(path, few, quantize.Options(), recipe=only)
    plain, _ = quantize.quantize(path, few, quantize.Options())
    lost = [s for s in result.steps if s.after is not None and s.after < s.before]
    bench.check(f"{result.steps}", len(lost) == 1 and not lost[0].applied)
    bench.check("the graph is the plain one", result.model.graph == plain.graph)


def test_parts(bench) -> None:
    """Each run is judged once, by runs that are others."""
    for count in (8, 11, 40):
        for in_order in (False, True):
            found, _ = recipe.folds(count, in_order)
            held = sorted(r for _, its in found for r in its)
            bench.check(f"{count}: {found}", len(found) == 4 and held == list(range(count)))
            apart = all(sorted([*a, *b]) == held and a and b for a, b in found)
            bench.check(f"{count}: apart", apart)
            if in_order:
                bench.check("in order", [r for _, its in found for r in its] == held)
    found, rule = recipe.folds(3, False)
    bench.check(rule, found == [([0, 1, 2], [0, 1, 2])] and "too few" in rule)


def test_command(bench, rng, work, capsys) -> None:
    """The steps are printed and in the report; options turn them off; scales are powers of two where they are asked for."""
    model, _ = _perceptron(rng)
    onnx.save(model, work / "net.onnx")
    data = work / "data.npz"
    np.savez(data, x=np.stack([r["x"] for r in _positive(rng, (4, 12))]))
    out = work / "q.onnx"
    command = ["quantize", str(work / "net.onnx"), "--data", str(data), "-o", str(out)]
    command.append("--no-proposals")
    scales = {}
    for name, more in (("float", []), ("power", ["--scales", "power-of-two"])):
        bench.check(f"{more}", main([*command, *more]) == 0)
        said = capsys.readouterr().out
        bench.check(said, "bias correction of 2 products" in said and "16 runs in 4 parts" in said)
        bench.check(said, ("powers of two: " in said) == bool(more))
        scales[name] = _scales(onnx.load(out))
    bench.check(f"{scales}", scales["float"].keys() == scales["power"].keys() != set())
    for name, wide in scales["power"].items():
        ratio = wide / scales["float"][name]
        bench.check(f"{name}: {wide}", bool((np.frexp(wide)[0] == 0.5).all()))
        bench.check(f"{name}: {ratio}", bool(((ratio >= 1) & (ratio < 2)).all()))
    bench.check(
        "generate", main(["generate", str(out), "-o", str(work / "n"), "--data", str(data)]) == 0
    )
    text = (work / "n" / "report.md").read_text()
    found = json.loads((work / "n" / "report.json").read_text())["quantiser"]
    bench.check(text, "| bias correction of 2 products |" in text and len(found["steps"]) == 4)
    capsys.readouterr()
    bench.check("off", main([*command, *NONE]) == 0)
    bench.check("it says nothing", "dB" not in capsys.readouterr().out)
    bench.check("and writes nothing", steps.of(onnx.load(out)) == {})


def _averages(rng: np.random.Generator):
    """Averages of 60, 6 and 10 values, each in another form, with squeeze and excitation; 2^k / 60 is in several products."""
    b = Builder(rng, (1, 3, 6, 10))
    b.node("Conv", ["x", b.constant(b.normal(8, 3, 3, 3, by=27))], (1, 8, 6, 10), pads=[1] * 4)
    b.node("Relu", [b.last], b.shape)
    image = b.last
    b.node("GlobalAveragePool", [image], (1, 8, 1, 1))
    b.node("Conv", [b.last, b.constant(b.normal(8, 8, 1, 1, by=8))], b.shape)
    b.node("Sigmoid", [b.last], b.shape)
    b.node("Mul", [image, b.last], (1, 8, 6, 10))
    whole = b.last
    size = {"kernel_shape": [2, 3], "strides": [2, 3]}
    b.node("AveragePool", [whole], (1, 8, 3, 3), **size)
    b.node("Conv", [b.last, b.constant(b.normal(6, 8, 3, 3, by=72))], (1, 6, 1, 1))
    b.node("Reshape", [b.last, b.constant(np.array([1, 6], np.int64))], (1, 6))
    first = b.last
    factors = b.constant(b.rng.uniform(0.5, 1, (1, 8, 1, 1)).astype(np.float32))
    b.node("Mul", [whole, factors], (1, 8, 6, 10))  # weights that lowering makes
    b.node("Reshape", [b.last, b.constant(np.array([1, 48, 10], np.int64))], (1, 48, 10))
    b.node("ReduceMean", [b.last, b.constant(np.array([-1], np.int64))], (1, 48), keepdims=0)
    b.node("Gemm", [b.last, b.constant(b.normal(48, 6, by=48))], (1, 6))
    b.node("Add", [b.last, first], (1, 6))
    return b


def test_powers(bench, seed, work, compiler) -> None:
    """Each scale of a program is a power of two: sign and fraction 0, exponent field 1 to 254. Averages stay averages."""
    b = _averages(np.random.default_rng([seed, 5]))
    onnx.save(b.model("averages", 19), work / "net.onnx")
    runs = _positive(b.rng, (1, 3, 6, 10))
    options = quantize.Options(powers=True)
    result = recipe.quantise(work / "net.onnx", runs, options)
    model, _, graph = recipe.proved(result, work / "net.onnx", runs)
    left = [x.name for x in graph.layers if x.op == "global_average"]
    bench.check(f"averages that divide: {left}", not left)
    writer.write(work / "net", writer.prepare(graph, work / "net", "net", runs[:2]), {})
    text = "".join((work / "net" / f"net{part}.c").read_text() for part in ("", "_weights"))
    found = re.findall(r"scale = (0x[^,;} ]+)f", text)
    for values in re.findall(r"float net_scales\w+\[\d+\] = \{([^}]*)\}", text):
        found += re.findall(r"(0x[^,]+)f", values)
    tensors = re.findall(r"FP8MAC_E4M3FN, (0x[^,]+)f", text)
    bits = np.array([float.fromhex(x) for x in found + tensors], np.float32).view(np.uint32)
    bench.check(
        f"{len(found)} scales, {len(tensors)} tensors", len(found) > 40 and len(tensors) > 5
    )
    rule = (bits & 0x807FFFFF == 0) & (bits >> 23 >= 1) & (bits >> 23 <= 254)
    bench.check(f"no powers of two: {bits[~rule].view(np.float32)}", bool(rule.all()))
    outcome = run(compiler.build(work / "net"))
    bench.check(f"bytes: {outcome.text}", outcome.compared > 0 and outcome.different == 0)
    executor, name = Executor(graph), next(iter(graph.outputs))
    session = shapes.session(shapes.prepare(work / "net.onnx"))
    pairs = [(session.run([name], r)[0], executor.run(r)[name]) for r in runs]
    got = report.sqnr(*(np.stack(column) for column in zip(*pairs)))
    bench.check(f"{got:.1f} dB", got > 18)
    again = lower.lower_model(shapes.infer(model))
    bench.check("a file that is read again keeps the rule", again.powers)


def test_power_of_scores(bench, seed, work, compiler) -> None:
    """The factor of scores, 12^-1/2, is a power of two before the softmax, which takes the rest."""
    b = Builder(np.random.default_rng([seed, 6]), (2, 5, 12))
    q, k, v = (_matrix(b, "x", 12) for _ in range(3))
    b.node("Transpose", [k], (2, 12, 5), perm=[0, 2, 1])
    b.node("MatMul", [q, b.last], (2, 5, 5))
    b.node("Mul", [b.last, b.constant(np.float32(12**-0.5))], b.shape)
    mask = np.where(np.tri(5, dtype=bool), 0, -1e30).astype(np.float32)  # a call for each image
    b.node("Add", [b.last, b.constant(mask)], b.shape)
    b.node("Softmax", [b.last], b.shape, axis=-1)
    b.node("MatMul", [b.last, v], (2, 5, 12))
    onnx.save(b.model("scores", 19), work / "net.onnx")
    runs = [{"x": b.rng.normal(size=(2, 5, 12)).astype(np.float32)} for _ in range(RUNS)]
    found = {}
    for powers in (False, True):
        result = recipe.quantise(work / "net.onnx", runs, quantize.Options(powers=powers))
        _, _, graph = recipe.proved(result, work / "net.onnx", runs)
        executor, name = Executor(graph), next(iter(graph.outputs))
        session = shapes.session(shapes.prepare(work / "net.onnx"))
        pairs = [(session.run([name], r)[0], executor.run(r)[name]) for r in runs]
        found[powers] = report.sqnr(*(np.stack(column) for column in zip(*pairs)))
        factors = [x.factor for x in graph.layers if x.op in ("matmul", "softmax")]
        power = [0.25, 12**-0.5 * 4, 1.0] if powers else [12**-0.5, 1.0, 1.0]
        bench.check(f"{factors}", np.allclose(factors, power))
    bench.check(f"dB: {found}", found[True] > found[False] - 2)
    writer.write(work / "net", writer.prepare(graph, work / "net", "net", runs[:2]), {})
    outcome = run(compiler.build(work / "net"))
    bench.check(f"bytes: {outcome.text}", outcome.compared > 0 and outcome.different == 0)


def _matrix(b: Builder, x: str, width: int) -> str:
    weights = b.constant(b.normal(b.input[-1], width, by=b.input[-1]))
    b.node("MatMul", [x, weights], b.input)
    return b.last


def test_no_power(bench, rng, work, capsys) -> None:
    """What has no such scale is refused by name: an average that is an output, a factor of a sum."""
    for name, op, shape in (("average", "GlobalAveragePool", (1, 4, 1, 1)), ("factor", "", (1, 4))):
        b = Builder(rng, (1, 4, 3, 5) if op else (1, 4))
        if op:
            b.node(op, ["x"], shape)
        else:
            b.node("Gemm", ["x", b.constant(b.normal(4, 4))], shape)
            once = b.last
            b.node("MatMul", [once, b.constant(b.normal(4, 4))], shape)
            b.node("Reshape", [b.last, b.constant(np.array([4, 1], np.int64))], (4, 1))
            b.node("MatMul", [b.last, once], (4, 4))
            b.node("Mul", [b.last, b.constant(np.float32(0.3))], (4, 4))
        path, data = work / f"{name}.onnx", work / "data.npz"
        onnx.save(b.model(name, 19), path)
        np.savez(data, x=rng.normal(size=(8, *b.input)).astype(np.float32))
        command = ["quantize", str(path), "--data", str(data), "-o", str(work / "q.onnx")]
        bench.check(f"{name} runs", main([*command, "--no-proposals"]) == 0)
        capsys.readouterr()
        bench.check(name, main([*command, "--no-proposals", "--scales", "power-of-two"]) == 1)
        said = capsys.readouterr().err
        wanted = (
            "GlobalAveragePool_v0 (GlobalAveragePool): 1 / 15 is" if op else "its factor is 0.3"
        )
        bench.check(said, wanted in said and "no power of two" in said)


def _scales(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    names = {n.input[1] for n in model.graph.node if n.op_type == "DequantizeLinear"}
    found = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    return {n: found[n].astype(np.float64) for n in names}
