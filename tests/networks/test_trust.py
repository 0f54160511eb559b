# SPDX-License-Identifier: Apache-2.0
"""What fp8net makes of a file computes what the file computes, or is refused: seeded faults in each stage, resizes, norms that are
none, random graphs of all opsets. The reference is the file itself, in ONNX Runtime without optimisations or in LiteRT."""

from __future__ import annotations

import collections
import hashlib
import warnings

import numpy as np
import onnx
import pytest
from fp8net import (
    fold,
    fuse,
    importer,
    old_resizes,
    proof,
    qdq,
    quantize,
    recognise,
    reference,
    shapes,
    simplify,
    tflite_operators,
)
from fp8net.cli import main
from fp8net.errors import Refused
from fp8net.ir import Graph
from graphs_wide import random_wide
from onnx import TensorProto, helper, numpy_helper
from small_tflite import INT8, Operator, Tensor, write


def _model(nodes: list, constants: dict, shape, opset: int) -> onnx.ModelProto:
    """From x to y, whose shape is open"""
    graph = helper.make_graph(
        nodes,
        "trust",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def _graph(path) -> Graph:
    return fuse.fuse(importer.load(shapes.prepare(path)))


def _import(path, x: np.ndarray) -> Graph:
    """Refused unless the import computes what the file does"""
    graph = _graph(path)
    proof.check_import(graph, reference.read(path), [{"x": x}], str(path))
    return graph


def _truth(path, x: np.ndarray) -> np.ndarray:
    return reference.read(path).run(["y"], {"x": x})[0]


# ---- seeded faults ------------------------------------------------------------------------------


def _network(rng: np.random.Generator, opset: int) -> onnx.ModelProto:
    """Something for each stage: an old resize, a norm, a function, folded constants, a skip connection"""
    make = helper.make_node
    w = rng.normal(size=(4, 4, 1, 1)).astype(np.float32)
    constants = {
        "w": w,
        "w2": rng.normal(size=(3, 4, 1, 1)).astype(np.float32),
        "one": np.ones((4, 1, 1), np.float32),
        "two": np.float32(2),
        "scales": np.array([1, 1, 2, 2], np.float32),
    }
    sized = {"mode": "linear"}
    nodes = [
        make("Conv", ["x", "w"], ["a"], "first"),
        make("Relu", ["a"], ["r"], "limit"),
        make("Conv", ["r", "w"], ["b"], "second"),
        make("Add", ["b", "r"], ["e"], "skip"),
        make("Resize", ["e", "scales"], ["s"], "grow", **sized),
        make("Mul", ["one", "two"], ["k"], "fixed"),
        make("Mul", ["s", "k"], ["m"], "times"),
        make("Sigmoid", ["m"], ["g"], "gate"),
        make("Sub", ["two", "g"], ["h"], "rest"),
        make("Conv", ["h", "w2"], ["y"], "last"),
    ]
    return _model(nodes, constants, (1, 4, 5, 6), opset)


def _wrong_loader(patch) -> None:
    """ONNX's converter alone: resizes of opset 10 get the coordinates of opset 11."""
    patch.setattr(old_resizes, "take", lambda model: {})


def _wrong_quantize(patch) -> None:
    """Another opset in which a node subtracts in the other order"""
    right = quantize._new_enough

    def wrong(model):
        model = right(model)
        for node in model.graph.node:
            if node.op_type == "Sub":
                node.input[0], node.input[1] = node.input[1], node.input[0]
        return model

    patch.setattr(quantize, "_new_enough", wrong)


def _wrong_simplify(patch) -> None:
    """Without a Relu"""
    right = shapes.simplify

    def wrong(model):
        model = right(model)
        for node in model.graph.node:
            if node.op_type == "Relu":
                node.op_type = "Identity"
        return model

    patch.setattr(shapes, "simplify", wrong)


def _wrong_channels(patch) -> None:
    """A factor of a convolution is not that of its bias."""
    right = simplify._channels_of

    def wrong(*arguments):
        found = right(*arguments)
        return None if found is None else (found[0], found[1] + 0.25)

    patch.setattr(simplify, "_channels_of", wrong)


def _wrong_fold(patch) -> None:
    """A product of constants is their sum and more."""
    right = fold._run

    def wrong(node, operands, opsets, constants):
        right(node, operands, opsets, constants)
        if node.op_type == "Mul":
            constants[node.output[0]] = constants[node.output[0]] + np.float32(0.5)

    patch.setattr(fold, "_run", wrong)


def _wrong_recognise(patch) -> None:
    """An expression with the operands of a subtraction exchanged"""
    right = recognise.Recogniser._steps

    def wrong(self, order, operand):
        steps = right(self, order, operand)
        return tuple((op, o[::-1] if op == "Sub" else o, a) for op, o, a in steps)

    patch.setattr(recognise.Recogniser, "_steps", wrong)


def _wrong_fuse(patch) -> None:
    """A skip connection is forgotten."""
    right = fuse._residuals

    def wrong(graph, layer):
        made = right(graph, layer)
        for each in graph.layers:
            each.residual = None
        return made

    patch.setattr(fuse, "_residuals", wrong)


def _wrong_codes(patch) -> None:
    """Scales of weights of the wrong outputs"""
    right = qdq.Writer.codes

    def wrong(self, name, codes, scales, axis, format):
        return right(self, name, codes, scales[::-1].copy(), axis, format)

    patch.setattr(qdq.Writer, "codes", wrong)


def _wrong_pair(patch) -> None:
    """A rounded value is read in the place of another."""
    right = qdq.Writer.pair

    def wrong(self, name, format, scale):
        right(self, name, format, scale)
        for node in self.graph.node:
            if node.op_type == "Add" and node.input[0] != node.input[1]:
                node.input[0] = node.input[1]

    patch.setattr(qdq.Writer, "pair", wrong)


FAULTS = {
    "loader.py": (_wrong_loader, "s is the first tensor"),
    "quantize.py": (_wrong_quantize, "first tensor"),
    "shapes.simplify": (_wrong_simplify, "first tensor"),
    "simplify.py": (_wrong_channels, "first tensor"),
    "fold": (_wrong_fold, "m is the first tensor"),
    "recognise": (_wrong_recognise, "first tensor"),
    "fuse": (_wrong_fuse, "first tensor"),
    "qdq: codes": (_wrong_codes, "the codes w_codes are not those of its weights"),
    "qdq: pairs": (_wrong_pair, "first tensor"),
}


def _commands(work, rng) -> tuple[list[str], list[str]]:
    """quantize and generate of a network"""
    path, data = work / "net.onnx", work / "data.npz"
    onnx.save(_with_norm(_network(rng, 10)), path)
    np.savez(data, x=rng.normal(size=(3, 1, 4, 5, 6)).astype(np.float32))
    both = ["--data", str(data)]
    made = str(work / "q.onnx")
    return (
        ["quantize", str(path), *both, "-o", made, "--no-proposals"],
        ["generate", made, *both, "-o", str(work / "net")],
    )


def _with_norm(model: onnx.ModelProto) -> onnx.ModelProto:
    """A batch norm behind the first convolution"""
    values = {n: np.linspace(0.5, 1.5, 4).astype(np.float32) for n in ("n1", "n2", "n3", "n4")}
    model.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in values.items())
    node = helper.make_node("BatchNormalization", ["a0", *values], ["a"], "norm")
    model.graph.node[0].output[0] = "a0"
    model.graph.node.insert(1, node)
    return model


@pytest.mark.parametrize("stage", ("none", *FAULTS))
def test_faults(bench, rng, work, capsys, monkeypatch, stage) -> None:
    """A wrong rewrite in a stage is an error that names a tensor, and nothing is written."""
    command, _ = _commands(work, rng)
    if stage == "none":
        bench.check("right", main(command) == 0 and (work / "q.onnx").exists())
        return
    seed, words = FAULTS[stage]
    seed(monkeypatch)
    status = main(command)
    said = capsys.readouterr().err
    bench.check(f"{stage} is refused: {said}", status == 1 and words in said)
    bench.check(f"{stage}: nothing is written", not (work / "q.onnx").exists())


@pytest.mark.parametrize("stage", ("fold", "recognise", "fuse"))
def test_faults_of_generate(bench, rng, work, capsys, monkeypatch, stage) -> None:
    """The same when a quantised file is read"""
    quantised, command = _commands(work, rng)
    bench.check("quantize", main(quantised) == 0)
    model = onnx.load(work / "q.onnx")
    extra = helper.make_node("Mul", ["one_", "two_"], ["k_"], "again")
    model.graph.node.insert(0, extra)
    values = {"one_": np.ones((3, 1, 1), np.float32), "two_": np.float32(3)}
    model.graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in values.items())
    last = next(n for n in model.graph.node if n.name == "last")
    scaled = helper.make_node("Mul", [last.output[0], "k_"], ["y_"], "more")
    model.graph.node.append(scaled)
    model.graph.output[0].name = "y_"
    onnx.save(model, work / "q.onnx")
    FAULTS[stage][0](monkeypatch)
    status = main(command)
    said = capsys.readouterr().err
    bench.check(f"{stage} is refused: {said}", status == 1 and "first tensor" in said)
    bench.check("nothing is written", not (work / "net").exists())


# ---- resizes ------------------------------------------------------------------------------------


def _resize(opset: int, shape, scales, sizes=None, **more) -> onnx.ModelProto:
    """Upsample before opset 10"""
    op, constants = "Upsample" if opset < 10 else "Resize", {}
    if opset < 9:
        return _model([helper.make_node(op, ["x"], ["y"], scales=scales, **more)], {}, shape, opset)
    inputs = ["x"]
    if opset >= 11:
        constants["none"] = np.zeros(0, np.float32)
        inputs.append("none")
    if sizes is None:
        constants["scales"] = np.array(scales, np.float32)
        inputs.append("scales")
    else:
        constants["sizes"] = np.array(sizes, np.int64)
        inputs += ["none" if opset < 13 else "", "sizes"]
    return _model([helper.make_node(op, inputs, ["y"], **more)], constants, shape, opset)


def test_old_resize(bench, work) -> None:
    """Asymmetric coordinates, in all opsets before 11"""
    x = np.array([[[[0, 1, 2, 3]]]], np.float32)
    for opset in (7, 8, 9, 10):
        path = work / "resize.onnx"
        onnx.save(_resize(opset, x.shape, [1.0, 1.0, 1.0, 2.0], mode="linear"), path)
        graph = _import(path, x)
        (got,) = proof.Exact(graph).run({"x": x}).values()
        bench.check(f"{opset}: {got}", got.reshape(-1).tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3])


WHERE = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
MODES = [("linear", where, "") for where in (*WHERE, "tf_half_pixel_for_nn")]
MODES += [
    ("nearest", where, near) for where in (*WHERE, "tf_half_pixel_for_nn") for near in NEAREST
]


def test_resizes(bench, rng, work) -> None:
    """Each mode in each opset that has it, with scales and with sizes"""
    counts: collections.Counter = collections.Counter()
    path = work / "resize.onnx"
    for opset in (7, 8, 9, 10, 11, 12, 13, 18, 19, onnx.defs.onnx_opset_version()):
        for mode, where, near in (
            MODES if opset >= 11 else [("linear", "", ""), ("nearest", "", "")] * 8
        ):
            if where == "half_pixel_symmetric" and opset < 19:
                continue
            if where == "tf_half_pixel_for_nn" and opset >= 13:
                continue
            shape = (1, 2, *(int(n) for n in rng.integers(1, 9, 2)))
            sizes = [1, 2, *(int(n) for n in rng.integers(1, 15, 2))]
            scales = [n / size for n, size in zip(sizes, shape)]
            if rng.random() < 0.5:
                scales[2:] = [float(s) for s in rng.choice([0.5, 0.6, 1.5, 2, 2.5, 3], 2)]
            if opset < 10:
                scales = [max(s, 1.0) for s in scales]
            more = {"mode": mode}
            if where:
                more["coordinate_transformation_mode"] = where
            if near:
                more["nearest_mode"] = near
            given = sizes if opset >= 11 and rng.random() < 0.5 else None
            onnx.save(_resize(opset, shape, scales, given, **more), path)
            what = f"{opset} {mode} {where} {near} {shape} {scales} {given}"
            x = rng.normal(size=shape).astype(np.float32)
            try:
                _import(path, x)
                counts["right"] += 1
            except Refused as error:
                counts["refused"] += 1
                known = ("leaves nothing of", "leave all sizes", "a size of 0")
                known = any(words in str(error) for words in known)
                bench.check(f"{what}: {error}", known)
    bench.check(f"{counts}", counts["right"] > 150 and counts["refused"] < 30)


def test_other_resizes(bench, work) -> None:
    """What is refused is said."""
    path, shape = work / "resize.onnx", (1, 1, 3, 3)
    for more, words in (
        ({"mode": "cubic"}, "mode is cubic"),
        ({"coordinate_transformation_mode": "tf_crop_and_resize"}, "tf_crop_and_resize"),
        ({"keep_aspect_ratio_policy": "not_larger"}, "keep_aspect_ratio_policy"),
        ({"mode": "linear", "antialias": 1}, "antialias"),
    ):
        model = _resize(18, shape, None, [1, 1, 5, 6], **more)
        onnx.save(model, path)
        bench.raises(words, Refused, words, lambda: _import(path, np.zeros(shape, np.float32)))
    onnx.save(_resize(18, shape, [1, 1, 1.2, 1.2], mode="nearest"), path)
    bench.raises(
        "same sizes", Refused, "leave all sizes", lambda: _import(path, np.zeros(shape, np.float32))
    )


SIZES = range(2, 15)


@pytest.mark.parametrize(("corners", "half"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_nearest_neighbour(bench, work, corners, half) -> None:
    """TensorFlow Lite's RESIZE_NEAREST_NEIGHBOR of all sizes gives what its reference kernel gives."""
    options = {0: ("b", corners), 1: ("b", half)}
    path, right = work / "nearest.tflite", 0
    for size in SIZES:
        for count in SIZES:
            other = SIZES[(size + 3 * count) % len(SIZES)]  # of the other axis
            tensors = [
                Tensor("x", (1, size, other, 2)),
                Tensor.constant("sizes", np.array([count, size], np.int32)),
                Tensor("y", (1, count, size, 2)),
            ]
            path.write_bytes(write(tensors, [Operator(97, [0, 1], [2], options, 74)], [0], [2]))
            x = np.arange(2 * size * other, dtype=np.float32).reshape(1, size, other, 2)
            _import(path, x)
            at, beside = (
                tflite_operators.nearest(*pair, bool(corners), bool(half))
                for pair in ((size, count), (other, size))
            )
            right += np.array_equal(x[:, at][:, :, beside], _truth(path, x))
    bench.check(f"{right} of {len(SIZES) ** 2} sizes", right == len(SIZES) ** 2)


def test_nearest_examples(bench) -> None:
    found = [tflite_operators.nearest(*case, False, False).tolist() for case in ((6, 2), (3, 5))]
    bench.check(f"{found}", found == [[0, 3], [0, 0, 1, 1, 2]])


# ---- norms that are none ------------------------------------------------------------------------


def _norm(
    first: str, over: str, power: float, keep: int, shape, axes, opset: int
) -> onnx.ModelProto:
    """`first` is what the mean is subtracted from, or the mean; `over` is what is divided"""
    make, constants = helper.make_node, {"eps": np.float32(1e-5), "power": np.float32(power)}
    constants |= {"g": np.ones(shape[-1], np.float32), "b": np.zeros(shape[-1], np.float32)}

    def mean(name: str, result: str, axis: int):
        if opset < 18:
            return make("ReduceMean", [name], [result], axes=[axis], keepdims=keep)
        constants[f"{result}_axes"] = np.array([axis], np.int64)
        return make("ReduceMean", [name, f"{result}_axes"], [result], keepdims=keep)

    nodes = [
        mean("x", "mean", axes[0]),
        make("Sub", ["x", "mean"] if first == "x" else ["mean", "x"], ["away"]),
        make("Pow", ["away", "power"], ["square"]),
        mean("square", "variance", axes[1]),
        make("Add", ["variance", "eps"], ["more"]),
        make("Sqrt", ["more"], ["root"]),
        make("Div", ["away", "root"] if over == "away" else ["root", "away"], ["quotient"]),
        make("Mul", ["quotient", "g"], ["scaled"]),
        make("Add", ["scaled", "b"], ["y"]),
    ]
    return _model(nodes, constants, shape, opset)


def test_norms(bench, rng, work) -> None:
    """Only a norm becomes a norm; all others compute what they say."""
    counts: collections.Counter = collections.Counter()
    path = work / "norm.onnx"
    for opset in (13, 17, 18, onnx.defs.onnx_opset_version()):
        for first in ("x", "mean"):
            for over in ("away", "root"):
                for power in (2.0, 3.0, 4.0):
                    for keep, shape, axes in (
                        (1, (3, 4), (-1, -1)),
                        (1, (4, 4), (0, 0)),
                        (0, (4, 4), (1, 1)),
                        (0, (4, 4), (-1, 0)),
                        (1, (3, 5, 5), (-1, 1)),
                    ):
                        onnx.save(_norm(first, over, power, keep, shape, axes, opset), path)
                        x = rng.normal(size=shape).astype(np.float32)
                        graph = _import(path, x)
                        one = any(layer.op == "normalise" for layer in graph.layers)
                        is_norm = first == "x" and over == "away" and power == 2 and keep
                        counts[one] += 1
                        good = bool(is_norm) or not one
                        bench.check(f"{first} {over} {power} {keep} {axes} {one}", good)
    bench.check(f"{counts}", counts[True] >= 8)


def test_reversed_norm(bench, work) -> None:
    x = np.array([[0, 1, 2, 5]], np.float32)
    for opset in (17, 18):
        onnx.save(_norm("mean", "away", 2.0, 1, x.shape, (-1, -1), opset), work / "norm.onnx")
        graph = _graph(work / "norm.onnx")
        (got,) = proof.Exact(graph).run({"x": x}).values()
        bench.check(f"{got}", np.allclose(got, [[1.0690, 0.5345, 0, -1.6036]], atol=1e-4))


# ---- what is compared ---------------------------------------------------------------------------


def _linear(rng) -> onnx.ModelProto:
    w = rng.normal(size=(8, 5)).astype(np.float32)
    return _model([helper.make_node("MatMul", ["x", "w"], ["y"], "m")], {"w": w}, (1, 8), 19)


def test_source(bench, rng, work, capsys) -> None:
    """The quantised file has the hash of its source, and validate asks for the source."""
    path, ready = work / "m.onnx", str(work / "q.onnx")
    onnx.save(_linear(rng), path)
    np.savez(work / "d.npz", x=rng.normal(size=(4, 1, 8)).astype(np.float32))
    data = ["--data", str(work / "d.npz")]
    bench.check("quantize", main(["quantize", str(path), *data, "-o", ready]) == 0)
    hashed = hashlib.sha256(path.read_bytes()).hexdigest()
    bench.check("hash", reference.source_of(onnx.load(ready)) == hashed)
    capsys.readouterr()
    bench.check("validate", main(["validate", ready, *data]) == 0)
    first = capsys.readouterr().out.splitlines()[0]
    bench.check(f"says it: {first}", first.startswith("bit check, not quality"))
    bench.check("names the source", hashed[:12] in first)
    bench.check("no floor", main(["validate", ready, *data, "--floor", "10"]) == 2)
    bench.check("is said", f"begins with {hashed[:12]}" in capsys.readouterr().err)
    beside = ["--reference", str(path), "--floor", "20"]
    bench.check("with the source", main(["validate", ready, *data, *beside]) == 0)
    bench.check("says nothing else", "is not the file" not in capsys.readouterr().out)
    other = onnx.load(path)
    other.producer_name = "another"
    onnx.save(other, work / "other.onnx")
    beside[1] = str(work / "other.onnx")
    bench.check("another file", main(["validate", ready, *data, *beside]) == 0)
    bench.check("is said", "other.onnx is not the file" in capsys.readouterr().out)


def test_no_kernel(bench, work) -> None:
    """What ONNX Runtime cannot run is refused in words."""
    node = helper.make_node("Relu", ["x"], ["y"])
    onnx.save(_model([node], {}, (1, 4), 5), work / "five.onnx")
    bench.raises("opset 5", Refused, "has opset 5", lambda: shapes.prepare(work / "five.onnx"))
    nodes = [helper.make_node("Upsample", ["x"], ["y"], height_scale=2.0, width_scale=2.0)]
    model = _model(nodes, {}, (1, 1, 2, 2), 6)
    sizes = helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 1, 4, 4))
    model.graph.output[0].CopyFrom(sizes)
    onnx.save(model, work / "six.onnx")
    x = np.zeros((1, 1, 2, 2), np.float32)
    bench.raises(
        "opset 6", Refused, "has no kernel for Upsample", lambda: _truth(work / "six.onnx", x)
    )
    bench.raises(
        "import", Refused, "scales that are not constant", lambda: _import(work / "six.onnx", x)
    )


def test_int8_file(bench, rng, work, monkeypatch) -> None:
    """A TensorFlow Lite file of INT8 is compared tensor by tensor: a sum that is a difference is refused."""
    scale, zero = np.array([0.05]), np.array([3])
    tensors = [
        Tensor(name, (1, 6), kind=INT8, scales=scale, zeros=zero) for name in ("x", "a", "y")
    ]
    tensors.append(
        Tensor.constant("k", np.arange(-3, 3, dtype=np.int8)[None], scales=scale, zeros=zero)
    )
    adds = [Operator(0, [0, 3], [1], {}, 11), Operator(0, [1, 3], [2], {}, 11)]
    path = work / "int8.tflite"
    path.write_bytes(write(tensors, adds, [0], [2]))
    runs = [{"x": rng.uniform(-2, 2, (1, 6)).astype(np.float32)} for _ in range(2)]
    quantize.proved(path, runs, quantize.Options())
    right = tflite_operators.HANDLERS[0]

    def wrong(call):
        right(call)
        call.c.nodes[-1].op_type = "Sub"

    monkeypatch.setitem(tflite_operators.HANDLERS, 0, wrong)
    bench.raises(
        "a difference",
        Refused,
        "a is the first tensor",
        lambda: quantize.proved(path, runs, quantize.Options()),
    )


# ---- random graphs ------------------------------------------------------------------------------


def test_random(bench, seed, work, request) -> None:
    """Each computes what the file computes, or is refused."""
    count = request.config.getoption("--count")
    counts: collections.Counter = collections.Counter()
    operators: set[str] = set()
    path = work / "wide.onnx"
    for number in range(count):
        model, x = random_wide(np.random.default_rng([seed, number]))
        onnx.save(model, path)
        what = f"graph {number} of seed {seed}, opset {model.opset_import[0].version}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                source = reference.read(path)
                source.run([model.graph.output[0].name], {"x": x})
        except Refused:
            counts["not run by ONNX Runtime"] += 1
            continue
        try:
            graph = _graph(path)
        except Refused:
            counts["refused"] += 1
            continue
        counts["compared"] += 1
        operators |= {node.op_type for node in model.graph.node}
        try:
            proof.check_import(graph, source, [{"x": x}], what)
        except Refused as error:
            bench.check(str(error), False)
    print(f"{count} graphs: {dict(counts)}; operators: {', '.join(sorted(operators))}")
    bench.check(f"{counts}", counts["compared"] > 0.75 * count)
