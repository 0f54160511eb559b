# SPDX-License-Identifier: Apache-2.0
"""Files that are broken, hostile or not supported: each is refused in words, and nothing is written."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
from fp8net import analyze, cli, fold, lower, quantize, recipe, reserved, shapes, writer
from fp8net.cli import main
from fp8net.executor import Executor
from graphs import Builder
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
ROOT = Path(__file__).parents[2]


def value(name: str, shape) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, FLOAT, shape)


def model_of(nodes, constants=(), shape=(1, 4, 5, 5), opset=19) -> onnx.ModelProto:
    out = value("y", [None] * len(shape))
    graph = helper.make_graph(list(nodes), "net", [value("x", shape)], [out], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def convolution(weights: np.ndarray, **attributes) -> onnx.ModelProto:
    w = numpy_helper.from_array(weights.astype(np.float32), "w")
    return model_of([helper.make_node("Conv", ["x", "w"], ["y"], "conv", **attributes)], [w])


def small() -> onnx.ModelProto:
    return convolution(np.ones((3, 4, 3, 3)))


@pytest.fixture
def refuses(bench, work, capsys):
    """A file is refused with these words by analyze and quantize, which write nothing."""

    def check(
        name: str, data: bytes | onnx.ModelProto, *words: str, verbs=("analyze", "quantize")
    ) -> None:
        path = work / "hostile.onnx"
        path.write_bytes(data if isinstance(data, bytes) else data.SerializeToString())
        np.savez(work / "data.npz", x=np.ones((2, 4, 5, 5), np.float32))
        before = sorted(work.iterdir())
        for verb in verbs:
            more = ["--data", str(work / "data.npz"), "-o", str(work / "out.onnx")]
            status = main([verb, str(path), *(more if verb == "quantize" else [])])
            said = "".join(capsys.readouterr())
            bench.check(f"{name}: {verb} fails", status == 1)
            for word in words:
                bench.check(f"{name}: {verb} says {word!r}: {said}", word in said)
        bench.check(f"{name}: nothing was written", sorted(work.iterdir()) == before)

    return check


def test_truncated(refuses, bench, work, capsys) -> None:
    data = small().SerializeToString()
    refuses("empty", b"", "no graph")
    refuses("text", b"not a network\n" * 100, "ONNX")
    path = work / "cut.onnx"
    for size in range(0, len(data), 7):
        path.write_bytes(data[:size])
        bench.check(f"cut to {size} bytes", main(["analyze", str(path)]) == 1)
        bench.check(f"cut to {size} bytes: in words", "fp8net: " in capsys.readouterr().err)
    bench.check("no such file", main(["analyze", str(work / "none.onnx")]) == 1)


def test_damaged(bench, work, rng, capsys) -> None:
    """Bytes are changed: whatever comes of it, no other exception."""
    data = bytearray(small().SerializeToString())
    path = work / "damaged.onnx"
    for _ in range(150):
        copy = bytearray(data)
        for place in rng.integers(0, len(copy), 3):
            copy[place] = rng.integers(0, 256)
        path.write_bytes(copy)
        bench.check("a damaged file is refused or analysed", main(["analyze", str(path)]) in (0, 1))
    capsys.readouterr()


def test_text(bench, work, capsys) -> None:
    """Names that are no UTF-8."""
    nodes = [
        helper.make_node("Relu", ["x"], ["inner"], "namen"),
        helper.make_node("Relu", ["inner"], ["y"]),
    ]
    model = model_of(nodes)
    model.graph.name = "graphg"
    data = model.SerializeToString()
    for name in (b"namen", b"inner", b"graphg"):
        (work / "text.onnx").write_bytes(data.replace(name, b"\xff" + name[1:]))
        bench.check(f"{name}: refused", main(["analyze", str(work / "text.onnx")]) == 1)
        said = capsys.readouterr().err
        bench.check(f"{name}: in words: {said}", "UTF-8" in said)


def test_structure(refuses) -> None:
    relu = helper.make_node
    refuses(
        "cycle",
        model_of(
            [relu("Add", ["x", "b"], ["a"]), relu("Relu", ["a"], ["b"]), relu("Relu", ["b"], ["y"])]
        ),
        "'b'",
    )
    refuses("unknown value", model_of([relu("Relu", ["z"], ["y"])]), "'z'")
    refuses(
        "two writers", model_of([relu("Relu", ["x"], ["y"]), relu("Relu", ["x"], ["y"])]), "'y'"
    )
    refuses("no writer", model_of([relu("Relu", ["x"], ["z"])]), "output y")
    model = small()
    model.graph.initializer[0].data_location = TensorProto.EXTERNAL
    model.graph.initializer[0].external_data.add(key="location", value="/etc/passwd")
    refuses("external data", model, "another file", "w")
    refuses("opset", model_of([relu("Relu", ["x"], ["y"])], opset=5), "opset 5")
    refuses(
        "unknown domain",
        model_of([relu("Magic", ["x"], ["y"], "m", domain="com.example")]),
        "m (Magic)",
        "com.example",
    )
    branch = helper.make_graph([relu("Relu", ["x"], ["b"])], "branch", [], [value("b", [None] * 4)])
    refuses(
        "branches",
        model_of([relu("If", ["x"], ["y"], "if", then_branch=branch, else_branch=branch)]),
        "if (If)",
        "then_branch",
    )


def test_unshaped(refuses, bench, work) -> None:
    """An output without a shape gets that of the graph; an input without one is refused."""
    model = small()
    want = [o.shape for o in analyze.importer.load(shapes.infer(model)).outputs.values()]
    model.graph.output[0].type.tensor_type.ClearField("shape")
    onnx.save(model, work / "open.onnx")
    found = analyze.analyze(work / "open.onnx")
    bench.check(f"{found.problems}", not found.problems)
    got = [view.shape for view in found.graph.outputs.values()]
    bench.check(f"its shape follows: {got}", got == want == [(1, 3, 3, 3)])
    (work / "open.onnx").unlink()
    weights = numpy_helper.from_array(np.ones((3, 9, 3, 3), np.float32), "w")
    wrong = model_of([helper.make_node("Conv", ["x", "w"], ["y"], "conv")], [weights])
    wrong.graph.output[0].type.tensor_type.ClearField("shape")
    refuses("channels that do not fit", wrong, "conv")
    model.graph.output[0].ClearField("type")
    refuses("an output without a type", model, "output y: has no type")
    model = small()
    model.graph.input[0].type.tensor_type.ClearField("shape")
    refuses("an input without a shape", model, "input x: has no shape")
    model = model_of(
        [helper.make_node("NonZero", ["x"], ["n"]), helper.make_node("Reshape", ["x", "n"], ["y"])]
    )
    model.graph.output[0].type.tensor_type.ClearField("shape")
    refuses("a shape that depends on data", model, "output y", "none follows")


def test_tiny_weights(bench, work, capsys) -> None:
    """Rows of numbers near the smallest ones of float32 are not dropped, and nothing warns of overflow."""
    w = np.ones((3, 4, 1, 1), np.float32)
    w[1] *= 1e-37
    w[2] *= 3e38
    path = work / "tiny.onnx"
    onnx.save(convolution(w), path)
    runs = [{"x": np.ones((1, 4, 5, 5), np.float32) * 2}]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quantised, _ = quantize.quantize(path, runs, quantize.Options())
        (got,) = Executor(lower.lower_model(shapes.infer(quantised))).run(runs[0]).values()
    bench.check(f"1e-37 * 8 gives {got[0, 1, 0, 0]}", abs(got[0, 1, 0, 0] / 8e-37 - 1) < 2**-4)
    bench.check(f"an overflow gives {got[0, 2, 0, 0]}", np.isinf(got[0, 2, 0, 0]))
    capsys.readouterr()


def test_sizes(refuses) -> None:
    model = small()
    model.graph.initializer[0].dims[:] = [1 << 40, 1 << 40]
    refuses("enormous weights", model, "initialiser w", "elements at most")
    refuses(
        "enormous input",
        model_of([helper.make_node("Relu", ["x"], ["y"])], shape=(1 << 20, 1 << 20)),
        "input x",
    )
    model = small()
    model.graph.initializer[0].dims[:] = [3, 4, 3, 4]
    refuses("weights that do not fit", model, "initialiser w")
    shape = numpy_helper.from_array(np.array([1 << 30, 1 << 30]), "s")
    refuses(
        "enormous expansion",
        model_of([helper.make_node("Expand", ["x", "s"], ["y"])], [shape], shape=(1, 1)),
        "elements at most",
    )
    refuses(
        "open size",
        model_of([helper.make_node("Relu", ["x"], ["y"])], shape=(1, "height")),
        "height",
        "--shape x",
    )
    refuses(
        "negative size",
        model_of([helper.make_node("Relu", ["x"], ["y"])], shape=(1, -3)),
        "input x",
    )


def test_values(refuses) -> None:
    for bad in (np.nan, np.inf):
        weights = np.ones((3, 4, 3, 3))
        weights[1, 2, 0, 0] = bad
        refuses(f"weights of {bad}", convolution(weights), "w")
    refuses("padding below 0", convolution(np.ones((3, 4, 3, 3)), pads=[-1, 0, 0, 0]), "pads")
    refuses("stride 0", convolution(np.ones((3, 4, 3, 3)), strides=[0, 1]))
    refuses(
        "large stride",
        convolution(np.ones((3, 4, 3, 3)), strides=[300, 1]),
        "conv (Conv)",
        "strides: 300",
        "255",
    )
    refuses("large kernel", convolution(np.ones((3, 4, 9, 9))))


def test_all_at_once(bench, work, capsys) -> None:
    """Each unsupported node is named with its operator and what there is instead."""
    nodes = [
        helper.make_node("MaxPool", ["x"], ["a"], "pool", kernel_shape=[2, 2], dilations=[2, 2]),
        helper.make_node("Relu", ["a"], ["b"], "fine"),
        helper.make_node("LpPool", ["x"], ["c"], "norm", kernel_shape=[2, 2]),
        helper.make_node("LogSoftmax", ["x"], ["d"], "log"),
        helper.make_node("Sum", ["b", "b"], ["y"], "behind"),
    ]
    model = model_of(nodes)
    for name in ("c", "d"):
        model.graph.output.append(value(name, [None] * 4))
    path = work / "many.onnx"
    onnx.save(model, path)
    bench.check("many: refused", main(["analyze", str(path)]) == 1)
    said = capsys.readouterr().out
    for words in (
        "pool (MaxPool): dilations are (2, 2)",
        "norm (LpPool)",
        "log (LogSoftmax)",
        "behind (Sum)",
        "AveragePool",
    ):
        bench.check(f"many: says {words!r}: {said}", words in said)
    bench.check("many: what is fine is not named", "fine (Relu)" not in said)


def test_data(bench, work, capsys) -> None:
    """Calibration data that do not fit."""
    path, out = work / "small.onnx", work / "q.onnx"
    onnx.save(small(), path)
    good = np.ones((2, 1, 4, 5, 5), np.float32)
    bad = good.copy()
    bad[1, 0, 2, 2, 2] = np.nan
    cases = {
        "no such input": ({"z": good}, "no array 'x'"),
        "another shape": ({"x": good[..., :3]}, "has shape"),
        "NaN": ({"x": bad}, "finite"),
        "no runs": ({"x": good[:0]}, "has shape"),
        "text": ({"x": np.array(["a"])}, "finite"),
    }
    for name, (arrays, words) in cases.items():
        np.savez(work / "bad.npz", **arrays)
        status = main(["quantize", str(path), "--data", str(work / "bad.npz"), "-o", str(out)])
        said = capsys.readouterr().err
        bench.check(f"{name}: refused", status == 1 and not out.exists())
        bench.check(f"{name}: says {words!r}: {said}", words in said)
    (work / "bad.npz").write_bytes(b"PK\x03\x04 no archive")
    status = main(["quantize", str(path), "--data", str(work / "bad.npz"), "-o", str(out)])
    bench.check(f"no archive: {capsys.readouterr().err}", status == 1 and not out.exists())


def test_arguments(bench, work, capsys) -> None:
    """Arguments that do not fit are refused in words, and nothing is written."""
    path, ready, data = work / "small.onnx", work / "ready.onnx", work / "data.npz"
    onnx.save(small(), path)
    onnx.save(convolution(np.ones((2, 4, 3, 3))), work / "two.onnx")
    runs = [{"x": np.ones((1, 4, 5, 5), np.float32)}]
    onnx.save(quantize.quantize(path, runs, quantize.Options())[0], ready)
    np.savez(data, **runs[0])
    np.save(work / "one.npy", runs[0]["x"])
    other = small()
    other.graph.input[0].name = other.graph.node[0].input[0] = "z"
    onnx.save(other, work / "other.onnx")
    made = ["generate", ready, "-o", work / "net", "--data", data]
    checked = ["validate", ready, "--data", data]
    cases = [
        ([*made, "--element", "none"], 2, "--element none"),
        ([*made[:4], "--element", "none"], 2, "--element none"),
        ([*made, "--vectors", "-1"], 2, "--vectors"),
        ([*made[:4], "--reference", path], 2, "--data"),
        ([*made, "--reference", work / "other.onnx"], 1, "the reference: has no input 'x'"),
        ([*made, "--reference", work / "two.onnx"], 1, "the reference: has the shape"),
        ([*checked, "--element", "none"], 2, "--element none"),
        ([*checked, "--on", "host", "--runs", "0"], 2, "--runs"),
        ([*checked, "--reference", work / "other.onnx"], 1, "the reference: has an input 'z' more"),
        ([*checked, "--reference", work / "two.onnx"], 1, "the reference: has the shape"),
        (["quantize", path, "--data", work / "one.npy", "-o", work / "q.onnx"], 1, "one array"),
        (["quantize", path, "--data", data, "-o", work], 1, "is a folder"),
        (["quantize", path, "--data", data, "-o", ""], 1, "is a folder"),
        (["quantize", path, "--data", data, "-o", work / "no" / "q.onnx"], 1, "q.onnx: cannot be"),
    ]
    before = sorted(work.iterdir())
    for words, wanted, says in cases:
        try:
            status = main(list(map(str, words)))
        except SystemExit as error:
            status = error.code
        said = capsys.readouterr().err
        bench.check(f"{words}: status {status}", status == wanted)
        bench.check(f"{words}: says {says!r}: {said}", says in said)
    bench.check("nothing was written", sorted(work.iterdir()) == before)


def test_names(bench, work, rng) -> None:
    """Names that are no names in C, or that quantize would choose, and a weight along both of its axes."""
    shape, w = (1, 6), rng.normal(size=(6, 6)).astype(np.float32)
    nodes = [
        helper.make_node("Gemm", ["x", "w"], ["a??/"], "x_quantize"),
        helper.make_node("Tanh", ["a??/"], ["b\\"], "tanh??/"),
        helper.make_node("Gemm", ["b\\", "w"], ["c"], "\u00e9" * 60, transB=1),
        helper.make_node("Gemm", ["c", "w"], ["y"], "int\n#error\\"),
    ]
    model = model_of(nodes, [numpy_helper.from_array(w, "w")], shape)
    model.graph.name = "net\n#error\\"
    onnx.save(model, work / "names.onnx")
    np.savez(work / "data.npz", x=rng.normal(size=(4, *shape)).astype(np.float32))
    ready, folder, data = str(work / "q.onnx"), work / "net", ["--data", str(work / "data.npz")]
    status = main(["quantize", str(work / "names.onnx"), *data, "-o", ready])
    bench.check("quantize", status == 0)
    names = [n.name for n in onnx.load(ready).graph.node]
    bench.check(f"no two nodes have one name: {names}", len(set(names)) == len(names))
    bench.check(
        "validate", main(["validate", ready, *data, "--reference", str(work / "names.onnx")]) == 0
    )
    bench.check("generate", main(["generate", ready, *data, "-o", str(folder)]) == 0)
    for path in [*folder.glob("*.c"), *folder.glob("*.h")]:
        lines = path.read_text("utf-8").splitlines()
        for line in lines:
            comment = line.partition("//")[2]
            bad = "\\" in comment or "??/" in line or line.startswith("#error")
            bench.check(f"{path.name}: {line!r}", not bad)
            label = "fp8rt_run_label" in line
            bench.check(f"{path.name}: {line!r} is a label of bytes", not label or line.isascii())


def test_many_tensors(bench, work) -> None:
    """More than 256 tensors: no number of one is cut."""
    nodes = [helper.make_node("Softmax", [f"t{i}"], [f"t{i + 1}"]) for i in range(300)]
    nodes[0].input[0], nodes[-1].output[0] = "x", "y"
    onnx.save(model_of(nodes, shape=(1, 4)), work / "deep.onnx")
    runs = [{"x": np.ones((1, 4), np.float32)}]
    quantised, _ = quantize.quantize(work / "deep.onnx", runs, quantize.Options())
    onnx.save(quantised, work / "q.onnx")
    status = main(["generate", str(work / "q.onnx"), "-o", str(work / "deep")])
    text = (work / "deep" / "deep.c").read_text()
    bench.check("the output is tensor 300", status == 0 and "outputs[] = {300}" in text)
    bench.check("its number fits", "const uint32_t inputs[]" in text)


def test_ranks(bench, work, capsys) -> None:
    """A constant that adds a size is refused; a network of one number runs."""
    two = numpy_helper.from_array(np.full((1, 1, 1), 2, np.float32), "two")
    nodes = [
        helper.make_node("Mul", ["x", "two"], ["a"], "more"),
        helper.make_node("Transpose", ["a"], ["y"], "swap", perm=[0, 2, 1]),
    ]
    model = model_of(nodes, [two], (2, 6))
    model.graph.output[0].CopyFrom(value("y", [1, 6, 2]))
    onnx.save(model, work / "rank.onnx")
    bench.check("more sizes", main(["analyze", str(work / "rank.onnx")]) == 1)
    bench.check("more sizes: is said", "more (Mul)" in capsys.readouterr().out)
    onnx.save(model_of([helper.make_node("Relu", ["x"], ["y"])], shape=()), work / "one.onnx")
    np.savez(work / "one.npz", x=np.arange(1, 6, dtype=np.float32))
    data = ["--data", str(work / "one.npz")]
    bench.check(
        "one", main(["quantize", str(work / "one.onnx"), *data, "-o", str(work / "q.onnx")]) == 0
    )
    checked = ["validate", str(work / "q.onnx"), *data]
    beside = ["--reference", str(work / "one.onnx"), "--floor", "30"]
    bench.check("one runs", main([*checked, *beside]) == 0)


def test_transposed_codes(bench, work, rng) -> None:
    """ONNX Runtime does not move FP8 codes through a Transpose, which it could not run."""
    w = numpy_helper.from_array(rng.normal(size=(4, 4)).astype(np.float32), "w")
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["t", "w"], ["m"]),
        helper.make_node("Add", ["m", "t"], ["a"]),
        helper.make_node("Transpose", ["a"], ["u"], perm=[0, 3, 1, 2]),
        helper.make_node("Conv", ["u", "k"], ["y"]),
    ]
    k = numpy_helper.from_array(rng.normal(size=(3, 4, 2, 2)).astype(np.float32), "k")
    onnx.save(model_of(nodes, [w, k]), work / "t.onnx")
    np.savez(work / "t.npz", x=rng.normal(size=(3, 1, 4, 5, 5)).astype(np.float32))
    data = ["--data", str(work / "t.npz")]
    bench.check(
        "quantize", main(["quantize", str(work / "t.onnx"), *data, "-o", str(work / "q.onnx")]) == 0
    )
    beside = ["--reference", str(work / "t.onnx"), "--floor", "20"]
    bench.check("validate", main(["validate", str(work / "q.onnx"), *data, *beside]) == 0)


def test_partly_quantised(bench, work, rng, capsys) -> None:
    """A file of another tool that leaves out a scale: analyze and generate name the tensor, and what it needs."""
    w = numpy_helper.from_array(rng.normal(size=(4, 4)).astype(np.float32), "w")
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"], "first"),
        helper.make_node("Relu", ["m"], ["r"]),
        helper.make_node("MatMul", ["r", "w"], ["y"], "second"),
    ]
    onnx.save(model_of(nodes, [w], (2, 4)), work / "small.onnx")
    runs = [{"x": np.ones((2, 4), np.float32)}]
    model, _ = quantize.quantize(work / "small.onnx", runs, quantize.Options())
    pair = [n for n in model.graph.node if n.name in ("r_quantize", "r_dequantize")]
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            if name == pair[1].output[0]:
                node.input[place] = "r"
    for node in pair:
        model.graph.node.remove(node)
    onnx.save(model, work / "part.onnx")
    for verb, more in (("analyze", []), ("generate", ["-o", str(work / "net")])):
        status = main([verb, str(work / "part.onnx"), *more])
        said = "".join(capsys.readouterr())
        bench.check(f"{verb}: {said}", status == 1 and "second (MatMul)" in said)
        bench.check(f"{verb}: does not send back", "fp8net quantize" not in said)
        bench.check(f"{verb}: says what is missing", "QuantizeLinear" in said)


def test_gemm_factors(bench, work, rng, capsys) -> None:
    """Any finite alpha and beta of Gemm, also after quantize; others are refused."""
    w, b = rng.normal(size=(3, 4)).astype(np.float32), rng.normal(size=3).astype(np.float32)
    constants = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")]
    path, ready = work / "gemm.onnx", work / "q.onnx"
    runs = [{"x": x} for x in rng.normal(size=(4, 2, 4)).astype(np.float32)]
    for alpha in (-0.5, -0.0, 0.0, 3.0):
        node = helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1, alpha=alpha, beta=-2.0)
        onnx.save(model_of([node], constants, (2, 4)), path)
        onnx.save(quantize.quantize(path, runs, quantize.Options())[0], ready)
        graph = lower.load(ready)
        want = np.stack([alpha * run["x"] @ w.T - 2 * b for run in runs])
        have = np.stack([Executor(graph).run(run)["y"] for run in runs])
        bench.check(f"alpha {alpha}", np.abs(have - want).max() <= 0.1 * np.abs(want).max())
    for alpha in (np.inf, np.nan):
        node = helper.make_node("Gemm", ["x", "w", "b"], ["y"], "g", transB=1, alpha=alpha)
        onnx.save(model_of([node], constants, (2, 4)), path)
        status = main(["analyze", str(path)])
        said = capsys.readouterr().out
        bench.check(f"alpha {alpha} is refused: {said}", status == 1 and "alpha is" in said)


def test_report_of_overflow(bench, work) -> None:
    """Results that are infinite: report.json stays JSON."""
    runs = {"x": np.full((1, 4, 5, 5), 3e38, np.float32)}
    onnx.save(small(), work / "small.onnx")
    np.savez(work / "data.npz", **runs)
    model, _ = quantize.quantize(work / "small.onnx", [runs], quantize.Options())
    onnx.save(model, work / "q.onnx")
    more = ["--data", str(work / "data.npz"), "--reference", str(work / "small.onnx")]
    with np.errstate(all="ignore"):
        status = main(["generate", str(work / "q.onnx"), "-o", str(work / "net"), *more])
    text = (work / "net" / "report.json").read_text()
    bench.check("generated", status == 0)
    bad: list[str] = []
    sqnr = json.loads(text, parse_constant=bad.append)["layers"][0]["sqnr"]
    bench.check(f"only numbers and strings: {bad}, {sqnr!r}", not bad and sqnr is None)


def test_large_constants(bench) -> None:
    """What follows from constants is not computed where it is large: its node is named instead."""
    nodes = [
        helper.make_node("ConstantOfShape", ["size"], ["zeros"], "many"),
        helper.make_node("ReduceMax", ["zeros"], ["one"], "largest", keepdims=0),
        helper.make_node("Add", ["x", "one"], ["y"], "sum"),
    ]
    for count, good in ((1 << 10, True), (1 << 26, False)):
        size = numpy_helper.from_array(np.array([count], np.int64), "size")
        model = model_of(nodes, [size])
        constants = {"size": np.array([count], np.int64)}
        sizes = {"zeros": (count,), "one": ()}
        fold.fold(model, constants, sizes)
        bench.check(f"{count} zeros are computed: {good}", ("one" in constants) == good)


def test_not_quantised(bench, work, capsys) -> None:
    """A float file is not generated, and one of UINT8 or with zero points is refused by name."""
    onnx.save(small(), work / "small.onnx")
    folder = work / "nets" / "small"
    bench.check("float", main(["generate", str(work / "small.onnx"), "-o", str(folder)]) == 1)
    bench.check("float: says quantize", "fp8net quantize" in capsys.readouterr().err)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "quant"),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], "dequant"),
    ]
    one = numpy_helper.from_array(np.float32(0.1), "s")
    for point, what in ((np.uint8(0), "uint8"), (np.int8(3), "zero point is not 0")):
        constants = [one, numpy_helper.from_array(point, "z")]
        onnx.save(model_of(nodes, constants), work / "integers.onnx")
        bench.check(what, main(["generate", str(work / "integers.onnx"), "-o", str(folder)]) == 1)
        said = capsys.readouterr().err
        named = "quant (QuantizeLinear)" in said and what in said
        bench.check(f"{what}: is named: {said}", named)
    bench.check("nothing was written", not folder.exists() and not folder.parent.exists())
    onnx.save(small(), work / "small.onnx")
    runs = [{"x": np.ones((1, 4, 5, 5), np.float32)}]
    onnx.save(
        quantize.quantize(work / "small.onnx", runs, quantize.Options())[0], work / "ready.onnx"
    )
    headers = {
        path.stem
        for pattern in (
            "firmware/src",
            "firmware/layers",
            "firmware/driver",
            "firmware/port/*",
            "model/src",
        )
        for path in ROOT.glob(f"{pattern}/*.h")
        if not path.stem.startswith("fp8")
    }
    bench.check(
        f"headers that nobody refuses: {headers - reserved.RESERVED}",
        headers and headers <= reserved.RESERVED,
    )
    for bad in (
        "1net",
        "main",
        "fp8rt",
        "_",
        "stdio",
        "STRING",
        "int",
        "class",
        "sem",
        "layer",
        "n" * 64,
    ):
        words = ["generate", str(work / "ready.onnx"), "-o", str(work / bad)]
        bench.check(f"{bad} is no name in C", main(words) == 1 and not (work / bad).exists())
        bench.check(f"{bad}: is said", "its last part" in capsys.readouterr().err)


def test_input_as_output(refuses, bench, work, capsys) -> None:
    """An output that is an input is refused. With an Identity between them, as the message's neighbour, it is written."""
    relu = helper.make_node("Relu", ["x"], ["y"])
    model = model_of([relu])
    model.graph.output.append(value("x", [1, 4, 5, 5]))
    refuses(
        "an input as an output",
        model,
        "output x: is an input of the network, too",
        "take it from the outputs",
    )
    del model.graph.output[1]
    onnx.save(model, work / "mended.onnx")
    files = ["--data", str(work / "data.npz"), "-o", str(work / "mended.q.onnx")]
    bench.check("without it", main(["quantize", str(work / "mended.onnx"), *files]) == 0)


def test_read_back(bench, work, capsys, monkeypatch) -> None:
    """A file that generate cannot read is not written."""
    onnx.save(small(), work / "small.onnx")
    np.savez(work / "data.npz", x=np.ones((2, 4, 5, 5), np.float32))
    files = ["--data", str(work / "data.npz"), "-o", str(work / "q.onnx")]
    real = recipe.proved

    def spoils(*arguments):
        model, *others = real(*arguments)
        model.graph.initializer[0].dims[:] = [7]
        return model, *others

    monkeypatch.setattr(recipe, "proved", spoils)
    status = main(["quantize", str(work / "small.onnx"), *files])
    said = capsys.readouterr().err
    bench.check(
        f"{status}: {said}", status == 1 and said.startswith("fp8net: ") and ".part" not in said
    )
    left = [path.name for path in work.iterdir() if path.name == "q.onnx" or path.name[0] == "."]
    bench.check(f"nothing was written: {left}", not left)


def test_own_error(bench, work, capsys, monkeypatch) -> None:
    """An error of the tool itself is one line that says what to report. --debug gives the traceback."""

    def breaks(*_):
        return {}["no such\nkey"]

    monkeypatch.setattr(cli.analyze, "analyze", breaks)
    status = main(["analyze", "x.onnx"])
    said = capsys.readouterr().err
    wanted = ("KeyError", "report this line", "--debug", "line ")
    bench.check(
        f"{status}: {said}",
        status == 3 and said.count("\n") == 1 and all(w in said for w in wanted),
    )
    for arguments in (["--debug", "analyze", "x.onnx"], ["analyze", "x.onnx", "--debug"]):
        bench.raises(f"{arguments}", KeyError, "no such", lambda a=arguments: main(a))


def test_half_written(bench, work, monkeypatch) -> None:
    """A failure in the middle of writing leaves no file."""
    model = small()
    onnx.save(model, work / "small.onnx")
    runs = [{"x": np.ones((1, 4, 5, 5), np.float32)}]
    quantised, _ = quantize.quantize(work / "small.onnx", runs, quantize.Options())
    graph = lower.lower_model(shapes.infer(quantised))
    sources = writer.prepare(graph, work / "net", "small.onnx", runs)
    real = Path.write_bytes

    def fails(path, data):
        if path.name == "main.c":
            raise OSError(28, "No space left on device", str(path))
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", fails)
    bench.raises("no space", OSError, "No space", lambda: writer.write(work / "net", sources, {}))
    bench.check("no folder is left", [p.name for p in work.iterdir()] == ["small.onnx"])


def test_one_layout(bench) -> None:
    """One of two transpositions is a view of the input, and the smaller one moves data."""
    b = Builder(np.random.default_rng(3), (1, 6, 7))
    b.node("Transpose", [b.last], (1, 7, 6), perm=[0, 2, 1])
    b.node("MatMul", [b.last, b.constant(b.normal(6, 5))], (1, 7, 5))
    b.node("Transpose", [b.last], (1, 5, 7), perm=[0, 2, 1])
    b.node("MatMul", [b.last, b.constant(b.normal(7, 3))], (1, 5, 3))
    from fp8net import importer

    model = shapes.infer(b.model("moves", 19))
    graph = importer.load(model)
    bench.check(f"{graph.moved()} values move", graph.moved() == 5 * 7)
    bench.check("analyze", analyze.__doc__ is not None)


def test_scales(bench, work, capsys) -> None:
    """Quantised files with scales and codes that are not possible."""
    onnx.save(small(), work / "small.onnx")
    runs = [{"x": np.ones((1, 4, 5, 5), np.float32)}]
    good, _ = quantize.quantize(work / "small.onnx", runs, quantize.Options())

    def change(name: str, array: np.ndarray) -> onnx.ModelProto:
        model = onnx.ModelProto()
        model.CopyFrom(good)
        tensor = next(t for t in model.graph.initializer if t.name == name)
        tensor.CopyFrom(numpy_helper.from_array(array, name))
        return model

    def attribute(name: str, number: int) -> onnx.ModelProto:
        model = onnx.ModelProto()
        model.CopyFrom(good)
        node = next(n for n in model.graph.node if n.op_type == "QuantizeLinear")
        node.attribute.append(helper.make_attribute(name, number))
        return model

    names = {t.name: numpy_helper.to_array(t) for t in good.graph.initializer}
    kind = names["x_zero"].dtype
    codes = names["w_codes"].copy()
    codes.view(np.uint8)[0, 0, 0, 0] = 0x7F  # NaN
    scales = names["w_scales"]
    cases = {
        "scale 0": (change("x_scale", np.float32(0)), "greater than 0"),
        "scale below 0": (change("x_scale", np.float32(-1)), "greater than 0"),
        "scale Inf": (change("x_scale", np.float32(np.inf)), "finite"),
        "scale NaN": (change("x_scale", np.float32(np.nan)), "NaN"),
        "scale without a reciprocal": (change("x_scale", np.float32(2.9e-39)), "2.9e-39"),
        "scale of weights 0": (change("w_scales", scales * 0), "greater than 0"),
        "two scales for three outputs": (change("w_scales", scales[:2]), "w_"),
        "zero point": (change("x_zero", np.ones((), kind)), "zero point"),
        "NaN among codes": (change("w_codes", codes), "NaN"),
        "no saturation": (attribute("saturate", 0), "saturate is 0"),
    }
    for name, (model, words) in cases.items():
        onnx.save(model, work / "bad.onnx")
        status = main(["generate", str(work / "bad.onnx"), "-o", str(work / "net")])
        said = capsys.readouterr().err
        bench.check(f"{name}: refused", status == 1 and not (work / "net").exists())
        bench.check(f"{name}: says {words!r}: {said}", words in said)
    onnx.save(good, work / "good.onnx")
    bench.check(
        "the file itself", main(["generate", str(work / "good.onnx"), "-o", str(work / "net")]) == 0
    )
    capsys.readouterr()
