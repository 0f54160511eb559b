# SPDX-License-Identifier: Apache-2.0
"""Refusals name what the user's file has, say what helps, and refuse only what changes the result."""

from __future__ import annotations

import re

import numpy as np
import onnx
import onnxruntime
import pytest
from fp8net import importer as importers
from fp8net import shapes, tflite_names, tflite_operators
from fp8net.cli import main
from onnx import TensorProto, helper, numpy_helper


def model_of(nodes, shape, constants=(), domains=(("", 19),), out=None) -> onnx.ModelProto:
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
        for n, s in (("x", shape), ("y", out))
    ]
    graph = helper.make_graph(list(nodes), "net", ends[:1], ends[1:], list(constants))
    opsets = [helper.make_opsetid(*domain) for domain in domains]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


@pytest.fixture
def says(work, capsys):
    """The exit status and words of a verb"""

    def call(model: onnx.ModelProto | bytes, verb: str = "analyze", *options) -> tuple[int, str]:
        path = work / "net.onnx"
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        status = main([verb, str(path), *map(str, options)])
        return status, "".join(capsys.readouterr())

    return call


def test_supported(bench, capsys) -> None:
    """TensorFlow Lite's operators stand there by name, with the numbers of its schema."""
    from ai_edge_litert.schema_py_generated import BuiltinOperator

    numbers = {n: v for n, v in vars(BuiltinOperator).items() if not n.startswith("_")}
    bench.check(
        "names of the schema", {n: i for i, n in enumerate(tflite_names.BUILTIN)} == numbers
    )
    for number, name in zip(tflite_operators.HANDLERS, tflite_operators.BECOMES, strict=True):
        bench.check(f"{name} is {number}", tflite_names.BUILTIN[number] == name)
    main(["supported-ops"])
    text = capsys.readouterr().out
    for name, becomes in (
        ("CONV_2D", "Conv"),
        ("HARD_SWISH", "HardSwish"),
        ("MEAN", "ReduceMean"),
        ("Conv", "fp8rt_conv"),
    ):
        bench.check(f"{name}: {becomes}", re.search(rf"^{name} +{becomes}", text, re.M))
    bench.check("integers", text.rstrip().endswith("SOFTMAX") and "--requantise" in text)
    for name in tflite_names.NEAREST:
        bench.check(
            f"{name} is an operator that is not supported",
            name in numbers and name not in tflite_operators.BECOMES,
        )


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
def test_pools(bench, rng, op) -> None:
    """Every size, stride and padding of a line: computed as ONNX Runtime does, or refused where the result would be another."""
    refused, quiet = 0, onnxruntime.SessionOptions()
    quiet.log_severity_level = 4
    for size in range(3, 8):
        for kernel in (1, 2, 3):
            for stride in (1, 2, 3):
                for pads in ((0, 0), (0, 1), (1, 0), (1, 1)):
                    for ceil in (0, 1):
                        for counts in (0, 1) if op == "AveragePool" else (0,):
                            if max(pads) >= kernel:
                                continue
                            options = {
                                "kernel_shape": [1, kernel],
                                "strides": [1, stride],
                                "pads": [0, pads[0], 0, pads[1]],
                            }
                            options |= {"ceil_mode": ceil} | (
                                {"count_include_pad": 1} if counts else {}
                            )
                            model = model_of(
                                [helper.make_node(op, ["x"], ["y"], "pool", **options)],
                                (1, 3, 2, size),
                            )
                            case = f"{op} of {size}: {kernel}, {stride}, {pads}, ceil_mode {ceil}, counts {counts}"
                            x = rng.normal(size=(1, 3, 2, size)).astype(np.float32)
                            (want,) = onnxruntime.InferenceSession(
                                model.SerializeToString(), quiet
                            ).run(None, {"x": x})
                            graph, problems = importers.attempt(shapes.infer(model))
                            if problems:
                                reach = (want.shape[3] - 1) * stride + kernel - pads[0] - size
                                needed = (
                                    op == "AveragePool"
                                    and (max(reach, pads[0]) > 0)
                                    and (not counts or reach > pads[1])
                                )
                                bench.check(f"{case}: refused without need: {problems}", needed)
                                refused += 1
                                continue
                            view = next(iter(graph.outputs.values()))
                            bench.check(
                                f"{case}: {view.shape}, not {want.shape}", view.shape == want.shape
                            )
                            layer = graph.layers[0]
                            got = _pooled(op, x, layer.window, stride)
                            bench.check(
                                f"{case}: {got}, not {want}", np.allclose(got, want, atol=1e-6)
                            )
    bench.check(f"{op}: {refused} refused", (refused > 0) == (op == "AveragePool"))


def _pooled(op: str, x: np.ndarray, window, stride: int) -> np.ndarray:
    """By the layer's window: what is beyond the image is left out of a maximum, and 0 in an average."""
    pads = window.pads
    wide = np.pad(
        x,
        ((0, 0), (0, 0), (0, 0), (pads[1], pads[3])),
        constant_values=-np.inf if op == "MaxPool" else 0,
    )
    parts = np.lib.stride_tricks.sliding_window_view(wide, window.kernel[1], 3)[..., ::stride, :]
    return parts.max(-1) if op == "MaxPool" else parts.mean(-1)


def test_dilations(bench, says) -> None:
    pool = {"kernel_shape": [1, 1], "dilations": [2, 2], "strides": [2, 2]}
    status, said = says(
        model_of([helper.make_node("MaxPool", ["x"], ["y"], "pool", **pool)], (1, 4, 5, 5))
    )
    bench.check(f"a kernel of one point has no dilation: {said}", status == 0)
    status, said = says(
        model_of(
            [helper.make_node("MaxPool", ["x"], ["y"], "pool", **pool | {"kernel_shape": [2, 1]})],
            (1, 4, 5, 5),
        )
    )
    bench.check(f"one of two has: {said}", status == 1 and "pool (MaxPool): dilations" in said)


def test_scikit_learn(bench, says, work) -> None:
    """A pipeline as scikit-learn's converters write it. The cut that the message gives is taken, and leaves a network."""
    ml = {"domain": "ai.onnx.ml"}
    scaler = helper.make_node(
        "Scaler", ["x"], ["scaled"], "scale", offset=[1.0] * 4, scale=[2.0] * 4, **ml
    )
    product = [
        helper.make_node("MatMul", ["scaled", "w"], ["product"], "first"),
        helper.make_node("Softmax", ["product"], ["shares"], "softmax"),
    ]
    decides = [
        helper.make_node("ArgMax", ["shares"], ["best"], "best", axis=1),
        helper.make_node("ArrayFeatureExtractor", ["classes", "best"], ["label"], "label", **ml),
        helper.make_node("Normalizer", ["label"], ["y"], "last", **ml),
    ]
    w = numpy_helper.from_array(np.ones((4, 3), np.float32), "w")
    classes = numpy_helper.from_array(np.arange(3, dtype=np.float32), "classes")
    named = {"scale (Scaler)", "label (ArrayFeatureExtractor)", "last (Normalizer)"}
    cases = (
        ("both", [scaler, *product, *decides], named, ["--input", "scaled=1,4", "--output", "shares"]),
        ("a scaler alone", [scaler, product[0], helper.make_node("Softmax", ["product"], ["y"])], {"scale (Scaler)"}, ["--input", "scaled=1,4"]),
    )  # fmt: skip
    for name, nodes, names, ends in cases:
        model = model_of(nodes, (1, 4), (w, classes), (("", 19), ("ai.onnx.ml", 3)), (1, 3))
        status, said = says(model)
        bench.check(f"{name}: {said}", status == 1 and all(n in said for n in names))
        advice = re.search(r"fp8net cut FILE -o NEW(( --(in|out)put \S+)+)", said)
        got = advice.group(1).split() if advice else []
        bench.check(f"{name}: the cut {got}", got == ends)
        onnx.save(model, work / "whole.onnx")
        status = main(["cut", str(work / "whole.onnx"), "-o", str(work / "cut.onnx"), *got])
        bench.check(f"{name}: is taken", status == 0)
        status, said = says((work / "cut.onnx").read_bytes())
        bench.check(f"{name}: what is left is a network: {said}", status == 0)
    status, said = says(
        model_of(
            [helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], "trees", **ml)],
            (1, 4),
            (),
            (("", 19), ("ai.onnx.ml", 3)),
        )
    )
    bench.check(
        f"trees are no network: {said}",
        status == 1 and "no network" in said and "fp8net cut" not in said,
    )
    status = main(
        ["cut", str(work / "whole.onnx"), "-o", str(work / "no.onnx"), "--output", "none"]
    )
    bench.check("a value that is not there", status == 1 and not (work / "no.onnx").exists())


def test_nodes(bench, says) -> None:
    """Messages name nodes of the file: with its numbers where they have no names, and never one that a rewrite made."""
    w = numpy_helper.from_array(np.ones((4, 4), np.float32), "w")
    b = numpy_helper.from_array(np.ones(4, np.float32), "b")
    product = [
        helper.make_node("MatMul", ["x", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["s"]),
    ]
    dead = helper.make_node("Identity", ["x"], ["i"])
    status, said = says(
        model_of([dead, *product, helper.make_node("Floor", ["s"], ["y"])], (2, 4), (w, b))
    )
    bench.check(
        f"the number of the file: {said}",
        status == 1 and "Floor_3 (Floor): is not supported" in said,
    )
    status, said = says(
        model_of([*product, helper.make_node("Relu", ["s"], ["y"])], (2, 4), (w, b)),
        "generate",
        "-o",
        "net",
    )
    bench.check(
        f"a fused product: {said}", status == 1 and ("MatMul_0 (MatMul)" in said or "near " in said)
    )
    bench.check(f"no layer's name: {said}", "(linear)" not in said)
