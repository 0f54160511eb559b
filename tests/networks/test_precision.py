# SPDX-License-Identifier: Apache-2.0
"""Tensors outside FP8: those that stay float32, and those that are carried as two codes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from fp8net import ir, lower, propose, quantize, report, shapes, writer
from fp8net.cli import main
from fp8net.errors import Refused
from fp8net.executor import Executor
from graphs import Builder
from programs import run

RUNS = 4


def _network(rng: np.random.Generator, op: str) -> onnx.ModelProto:
    """A product of the input, a sum of its result with another one, and a norm."""
    b = Builder(rng, (1, 12, 9, 1) if op == "Conv" else (1, 9, 12))
    if op == "Conv":
        b.node("Conv", [b.last, b.constant(b.normal(16, 12, 3, 1, by=36))], (1, 16, 7, 1))
        b.node("Transpose", [b.last], (1, 7, 1, 16), perm=[0, 2, 3, 1])
    else:
        b.node("MatMul", [b.last, b.constant(b.normal(12, 16, by=12))], (1, 9, 16))
    value = b.last
    b.node("MatMul", [value, b.constant(b.normal(16, 16, by=16))], b.shape)
    b.node("Add", [value, b.last], b.shape)
    b.node("LayerNormalization", [b.last, b.constant(b.normal(16))], b.shape, epsilon=1e-3)
    return b.model("precision", 19)


def _error(bench, path, work, runs, compiler, options: quantize.Options) -> float:
    """SQNR of the output beside the float file; the program has the executor's bytes."""
    quantised, _ = quantize.quantize(path, runs, options)
    graph = lower.lower_model(shapes.infer(quantised))
    folder = work / "net"
    writer.write(folder, writer.prepare(graph, folder, "precision", runs), {})
    outcome = run(compiler.build(folder))
    equal = outcome.compared > 0 and outcome.different == 0
    bench.check(f"{options}: bytes: {outcome.text}", equal)
    session, executor = shapes.session(shapes.prepare(path)), Executor(graph)
    name = next(iter(graph.outputs))
    truth, mine = (
        np.stack([v.reshape(-1) for v in values])
        for values in (
            [session.run([name], values)[0] for values in runs],
            [executor.run(values)[name] for values in runs],
        )
    )
    return report.sqnr(truth, mine)


@pytest.mark.parametrize("op", ("Conv", "MatMul"))
def test_split_and_keep(bench, seed, work, compiler, op) -> None:
    rng = np.random.default_rng([seed, len(op)])
    model = _network(rng, op)
    path = work / "precision.onnx"
    onnx.save(model, path)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    runs = [{"x": rng.normal(size=shape).astype(np.float32)} for _ in range(RUNS)]
    simple = shapes.prepare(path)
    products = [n for n in simple.graph.node if n.op_type in ("Conv", "MatMul", "Gemm")]
    added = next(n for n in simple.graph.node if n.op_type == "Add").output[0]
    plain = _error(bench, path, work, runs, compiler, quantize.Options())
    options = quantize.Options(split=(products[0].input[0],))
    split = _error(bench, path, work, runs, compiler, options)
    bench.check(f"{op}: split {split:.1f} dB, {plain:.1f} without", split > plain + 0.5)
    kept = _error(bench, path, work, runs, compiler, quantize.Options(keep=(added,)))
    bench.check(f"{op}: kept {kept:.1f} dB, {plain:.1f} without", abs(kept - plain) < 6)


def test_split_is_exact(bench, rng, work, compiler) -> None:
    """With weights that are codes, two codes have twice the bits: the error falls by 24 dB and more."""
    b = Builder(rng, (4, 12))
    weights = (2.0 ** rng.integers(-2, 3, (12, 16))).astype(np.float32)
    b.node("MatMul", [b.last, b.constant(weights)], (4, 16))
    path = work / "exact.onnx"
    onnx.save(b.model("exact", 19), path)
    runs = [{"x": rng.normal(size=(4, 12)).astype(np.float32)} for _ in range(RUNS)]
    plain = _error(bench, path, work, runs, compiler, quantize.Options())
    split = _error(bench, path, work, runs, compiler, quantize.Options(split=("x",)))
    bench.check(f"split {split:.1f} dB, {plain:.1f} without", split > plain + 20)


def test_refusals(bench, rng, work, capsys) -> None:
    model = _network(rng, "MatMul")
    path, data = work / "net.onnx", work / "data.npz"
    onnx.save(model, path)
    np.savez(data, x=rng.normal(size=(2, 1, 9, 12)).astype(np.float32))
    names = [n.output[0] for n in model.graph.node]
    cases = (
        (["--keep", "x"], "reads FP8"),
        (["--keep", "none"], "is no tensor"),
        (["--split", "none"], "there is no such value"),
        (["--split", names[0]], "(Add) reads it"),
        (["--split", names[-1]], "no layer reads it"),
    )
    for more, words in cases:
        command = ["quantize", str(path), "--data", str(data), "-o", str(work / "q.onnx"), *more]
        status = main(command)
        said = capsys.readouterr().err
        bench.check(f"{more}: status {status}", status == 2 and not (work / "q.onnx").exists())
        bench.check(f"{more}: says {words!r}: {said}", words in said)
    options = quantize.Options(keep=("x",))
    runs = [{"x": np.ones((1, 9, 12), np.float32)}]
    bench.raises("keep", Refused, "--keep x", lambda: quantize.quantize(path, runs, options))


def test_half(bench, seed, work, compiler) -> None:
    """A tensor in float16 loses what its 11 bits lose: nearly nothing beside float32, and it takes half the memory."""
    rng = np.random.default_rng([seed, 16])
    path = work / "half.onnx"
    onnx.save(_network(rng, "MatMul"), path)
    runs = [{"x": rng.normal(size=(1, 9, 12)).astype(np.float32)} for _ in range(RUNS)]
    simple = shapes.prepare(path)
    added = next(n for n in simple.graph.node if n.op_type == "Add").output[0]
    sizes, errors = {}, {}
    for kind, options in (
        ("float16", quantize.Options(half=(added,))),
        ("float32", quantize.Options(keep=(added,))),
    ):
        errors[kind] = _error(bench, path, work, runs, compiler, options)
        graph = lower.lower_model(shapes.infer(quantize.quantize(path, runs, options)[0]))
        tensor = graph.tensors[added]
        bench.check(f"{kind}: {tensor.format}", tensor.format == kind)
        sizes[kind] = ir.FORMAT_BYTES[tensor.format]
    bench.check(f"{errors}", abs(errors["float16"] - errors["float32"]) < 0.5)
    bench.check("other bytes", errors["float16"] != errors["float32"])
    bench.check(f"{sizes}", 2 * sizes["float16"] == sizes["float32"])
    first = next(n for n in simple.graph.node if n.op_type in ("MatMul", "Gemm")).output[0]
    for name, words in (("x", "input or output"), (first, "reads FP8"), ("q", "no tensor")):
        half = quantize.Options(half=(name,))
        bench.raises(name, Refused, words, lambda o=half: quantize.quantize(path, runs, o))


def test_proposals(bench, seed, work, capsys) -> None:
    """One tensor has small values beside large ones: the tool finds it, and what it promises is what the option gives."""
    rng = np.random.default_rng([seed, 5])
    b = Builder(rng, (4, 12))
    spread = (10.0 ** np.linspace(-4, 0, 12)).astype(np.float32)
    b.node("MatMul", ["x", b.constant(np.diag(1 / spread))], (4, 12))
    b.node("Add", [b.last, b.constant(b.normal(12))], (4, 12))
    path = work / "proposals.onnx"
    onnx.save(b.model("proposals", 19), path)
    runs = [{"x": (spread * rng.normal(size=(4, 12))).astype(np.float32)} for _ in range(RUNS)]
    base, found = propose.find(quantize.Source(path, runs), quantize.Options())
    names = [(p.flag, p.names) for p in found]
    bench.check(f"{names}", names[:1] == [("--split", ("x",))])
    bench.check(f"{found[0].sqnr:.1f} dB, {base:.1f} without", found[0].sqnr > base + 3)
    np.savez(work / "data.npz", x=np.stack([run["x"] for run in runs]))
    command = ["quantize", str(path), "--data", str(work / "data.npz"), "-o", str(work / "q.onnx")]
    command += ["--no-weight-rounding", "--no-bias-correction", "--no-input-split"]
    bench.check("the command", main(command) == 0)
    bench.check("says it", f"--split x: {found[0].sqnr:.1f} dB" in capsys.readouterr().out)
    bench.check("the command with the option", main([*command, "--split", "x"]) == 0)
    session, truth = (
        shapes.session(onnx.load(work / "q.onnx")),
        shapes.session(shapes.prepare(path)),
    )
    values = [np.stack([s.run(None, run)[0] for run in runs]) for s in (truth, session)]
    got = report.sqnr(*values)
    bench.check(f"it gives {got:.1f} dB", abs(got - found[0].sqnr) < 0.01)
    bench.check("nothing is proposed twice", "--split x:" not in capsys.readouterr().out)
    bench.check("silent", main([*command, "--no-proposals"]) == 0)
    bench.check("it says nothing", "dB" not in capsys.readouterr().out)
