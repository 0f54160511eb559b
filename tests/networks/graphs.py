# SPDX-License-Identifier: Apache-2.0
"""Random small networks as ONNX models, by ONNX's own helpers: they know nothing of fp8net."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

UNARY = ("Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "LeakyRelu", "Elu", "Erf", "Softplus")


class Builder:
    """A chain of operators with side branches. `shape` is that of the value `last`."""

    def __init__(self, rng: np.random.Generator, shape: tuple[int, ...]):
        self.rng = rng
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.input, self.last, self.shape = shape, "x", shape
        self.older: list[tuple[str, tuple[int, ...]]] = [("x", shape)]

    def constant(self, array: np.ndarray) -> str:
        name = f"k{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op: str, inputs: list[str], shape: tuple[int, ...], **attributes) -> None:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], f"{op}_{name}", **attributes))
        self.last, self.shape = name, shape
        self.older.append((name, shape))

    def normal(self, *shape: int, by: int = 1) -> np.ndarray:
        return (self.rng.normal(size=shape) / np.sqrt(by)).astype(np.float32)

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def model(self, name: str, opset: int, check: bool = True) -> onnx.ModelProto:
        def value(what: str, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(what, TensorProto.FLOAT, shape)

        graph = helper.make_graph(
            self.nodes,
            name,
            [value("x", self.input)],
            [value(self.last, self.shape)],
            self.constants,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9
        )
        if check:
            onnx.checker.check_model(model, full_check=True)
        return model


# ---- steps --------------------------------------------------------------------------------------


def _outputs(size: int, kernel: int, stride: int, dilation: int, pads: int) -> int:
    return (size + pads - dilation * (kernel - 1) - 1) // stride + 1


def convolution(b: Builder) -> None:
    images, channels, *sizes = b.shape
    groups = b.pick(1, 1, *(g for g in (2, 3, 4, channels) if channels % g == 0))
    out = groups * int(b.rng.integers(1, 24 // groups + 2))
    kernel = [int(b.rng.integers(min(s, b.pick(1, 2)), min(s, 4) + 1)) for s in sizes]
    stride = [int(b.rng.integers(1, 3)) for _ in sizes]
    dilation = [int(b.rng.integers(1, 3)) if k * 2 - 1 <= s else 1 for k, s in zip(kernel, sizes)]
    before = [int(b.rng.integers(0, k)) for k in kernel]
    after = [int(b.rng.integers(0, k)) for k in kernel]
    shape = [
        _outputs(s, k, t, d, x + y)
        for s, k, t, d, x, y in zip(sizes, kernel, stride, dilation, before, after)
    ]
    weights = b.normal(
        out, channels // groups, *kernel, by=channels // groups * int(np.prod(kernel))
    )
    inputs = [b.last, b.constant(weights)]
    if b.rng.random() < 0.5:
        inputs.append(b.constant(b.normal(out)))
    b.node(
        "Conv",
        inputs,
        (images, out, *shape),
        group=groups,
        strides=stride,
        dilations=dilation,
        pads=before + after,
    )


def activation(b: Builder) -> None:
    kind = b.pick("Relu", "Clip", "table", "table")
    if kind == "Relu":
        b.node("Relu", [b.last], b.shape)
    elif kind == "Clip":
        low, high = b.constant(np.float32(-0.5)), b.constant(np.float32(b.rng.uniform(0.5, 2)))
        b.node("Clip", [b.last, b.pick("", low), high], b.shape)
    else:
        b.node(b.pick(*UNARY), [b.last], b.shape)


def residual(b: Builder) -> None:
    """A convolution that keeps the shape, a skip connection, and mostly an activation."""
    before, shape, channels = b.last, b.shape, b.shape[1]
    sizes = [3 if s > 1 else 1 for s in shape[2:]]
    weights = b.normal(channels, channels, *sizes, by=channels * int(np.prod(sizes)))
    b.node("Conv", [before, b.constant(weights)], shape, pads=[k // 2 for k in sizes] * 2)
    b.node("Add", [b.last, before] if b.rng.random() < 0.5 else [before, b.last], shape)
    limit(b)


def limit(b: Builder) -> None:
    kind = b.pick("Relu", "Clip", "none")
    if kind == "Relu":
        b.node("Relu", [b.last], b.shape)
    elif kind == "Clip":
        span = float(b.rng.uniform(0.1, 0.6))
        limits = [b.constant(np.float32(-span)), b.constant(np.float32(span / 2))]
        b.node("Clip", [b.last, *limits], b.shape)


def gate(b: Builder) -> None:
    value = b.last
    b.node("Sigmoid", [value], b.shape)
    b.node("Mul", [value, b.last], b.shape)
    limit(b)


def combination(b: Builder) -> None:
    others = [name for name, shape in b.older[:-1] if shape == b.shape]
    if others:
        operands = [b.last, b.pick(*others)]
        b.node(
            b.pick("Add", "Sub", "Mul"),
            operands if b.rng.random() < 0.5 else operands[::-1],
            b.shape,
        )
        limit(b)


def squeeze(b: Builder) -> None:
    """Squeeze-and-excitation: the image times a vector of its channels."""
    images, channels, *sizes = b.shape
    if images != 1:
        return
    image, shape = b.last, b.shape
    one = (1, channels, *(1 for _ in sizes))
    b.node("GlobalAveragePool", [image], one)
    weights = b.normal(channels, channels, *(1 for _ in sizes), by=channels)
    b.node("Conv", [b.last, b.constant(weights)], one)
    b.node("HardSigmoid", [b.last], one)
    b.node("Mul", [image, b.last] if b.rng.random() < 0.5 else [b.last, image], shape)


def scaling(b: Builder) -> None:
    channels = b.shape[1]
    one = b.rng.random() < 0.3
    shape = () if one else (1, channels) + (1,) * (len(b.shape) - 2)
    value = (b.rng.uniform(0.5, 2, size=shape) * b.rng.choice([-1, 1], size=shape)).astype(
        np.float32
    )
    op = b.pick("Add", "Mul", "Sub", "Div")
    operands = [b.last, b.constant(value)]
    b.node(op, operands if op == "Div" or b.rng.random() < 0.7 else operands[::-1], b.shape)


def batch_norm(b: Builder) -> None:
    c = b.shape[1]
    values = [b.normal(c), b.normal(c), b.normal(c), b.rng.uniform(0.1, 2, c).astype(np.float32)]
    b.node("BatchNormalization", [b.last, *map(b.constant, values)], b.shape)


def pool(b: Builder) -> None:
    op = b.pick("MaxPool", "AveragePool")
    images, channels, *sizes = b.shape
    kernel = [int(b.rng.integers(1, min(s, 3) + 1)) for s in sizes]
    stride = [int(b.rng.integers(1, 3)) for _ in sizes]
    before = [int(b.rng.integers(0, k)) for k in kernel]
    after = [int(b.rng.integers(0, k)) for k in kernel]
    shape = [
        _outputs(s, k, t, 1, x + y) for s, k, t, x, y in zip(sizes, kernel, stride, before, after)
    ]
    more = {"count_include_pad": 1} if op == "AveragePool" else {}
    b.node(
        op,
        [b.last],
        (images, channels, *shape),
        kernel_shape=kernel,
        strides=stride,
        pads=before + after,
        **more,
    )


def long_kernel(rng: np.random.Generator) -> onnx.ModelProto:
    """A kernel of 512 values in strides of 128 over a signal, and one of 24 in strides of 8 over three channels."""
    b = Builder(rng, (2, 1, 1100))
    b.node("Conv", [b.last, b.constant(b.normal(24, 1, 512, by=512))], (2, 24, 5), strides=[128])
    b.node("Relu", [b.last], b.shape)
    shape = b.constant(np.array([2, 3, 40], np.int64))
    b.node("Reshape", [b.last, shape], (2, 3, 40))
    inputs = [b.last, b.constant(b.normal(9, 3, 24, by=72)), b.constant(b.normal(9))]
    b.node("Conv", inputs, (2, 9, 3), strides=[8])
    return b.model("long", 19)


def matrix(b: Builder) -> None:
    columns, n = b.shape[-1], int(b.rng.integers(1, 20))
    weights = b.normal(columns, n, by=columns)
    if len(b.shape) == 2 and b.rng.random() < 0.6:
        b.node(
            "Gemm",
            [b.last, b.constant(weights.T), b.constant(b.normal(n))],
            (b.shape[0], n),
            transB=1,
        )
    else:
        b.node("MatMul", [b.last, b.constant(weights)], (*b.shape[:-1], n))


def end(b: Builder) -> None:
    """From an image to a vector for each image."""
    kind = b.pick("flatten", "average", "mean", "transpose", "none")
    images, channels, *sizes = b.shape
    pixels = int(np.prod(sizes))
    if kind == "flatten":
        b.node("Flatten", [b.last], (images, channels * pixels))
    elif kind == "average":
        b.node("GlobalAveragePool", [b.last], (images, channels, *(1 for _ in sizes)))
        b.node("Reshape", [b.last, b.constant(np.array([0, -1]))], (images, channels))
    elif kind == "mean":
        axes = b.constant(np.arange(2, len(b.shape)))
        b.node("ReduceMean", [b.last, axes], (images, channels), keepdims=0)
    elif kind == "transpose":
        perm = [0, *range(2, len(b.shape)), 1]
        b.node("Transpose", [b.last], tuple(b.shape[p] for p in perm), perm=perm)
    else:
        return
    matrix(b)
    if b.rng.random() < 0.5:
        b.node("Relu", [b.last], b.shape)
        matrix(b)
    if b.rng.random() < 0.4:
        b.node("Softmax", [b.last], b.shape)


def random_model(rng: np.random.Generator, name: str) -> onnx.ModelProto:
    """Four to nine steps on a signal or image."""
    images, channels = int(rng.integers(1, 3)), int(rng.integers(1, 20))
    sizes = [int(rng.integers(3, 12)) for _ in range(rng.integers(1, 3))]
    b = Builder(rng, (images, channels, *sizes))
    convolution(b)
    steps = (convolution, activation, activation, gate, combination, residual, residual, scaling)
    for _ in range(rng.integers(2, 6)):
        b.pick(*steps, batch_norm, pool, squeeze)(b)
    end(b)
    return b.model(name, int(rng.choice([18, 19, 21, 23])))


# ---- recurrent networks -------------------------------------------------------------------------


def recurrent(b: Builder) -> None:
    """LSTM or GRU in some direction; goes on with all steps, or with the last one."""
    op = b.pick("LSTM", "GRU")
    gates = 4 if op == "LSTM" else 3
    steps, batch, columns = b.shape
    units = int(b.rng.integers(1, 24))
    direction = b.pick("forward", "forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    inputs = [
        b.last,
        b.constant(b.normal(ways, gates * units, columns, by=columns)),
        b.constant(b.normal(ways, gates * units, units, by=units)),
    ]
    if b.rng.random() < 0.7:
        inputs.append(b.constant(b.normal(ways, 2 * gates * units)))
    name = f"v{len(b.nodes)}"
    all_steps = b.rng.random() < 0.6
    outputs = [name, ""] if all_steps else ["", name]
    more = {} if op == "LSTM" else {"linear_before_reset": 1}
    b.nodes.append(
        helper.make_node(
            op, inputs, outputs, f"{op}_{name}", hidden_size=units, direction=direction, **more
        )
    )
    b.last = name
    if not all_steps:
        b.shape = (ways, batch, units)
    elif ways == 1:
        b.node("Squeeze", [name, b.constant(np.array([1]))], (steps, batch, units))
    else:
        b.node("Transpose", [name], (steps, batch, ways, units), perm=[0, 2, 1, 3])
        shape = b.constant(np.array([steps, batch, ways * units], np.int64))
        b.node("Reshape", [b.last, shape], (steps, batch, ways * units))


def stateful(rng: np.random.Generator, op: str, steps: int, weights: list[np.ndarray]):
    """A recurrent layer whose states are inputs and outputs, and a product behind it."""
    b = Builder(rng, (steps, 2, 7))
    units = weights[1].shape[2]
    names = ["h", "c"] if op == "LSTM" else ["h"]
    inputs = [b.last, *map(b.constant, weights[:3]), "", *names]
    outputs = ["y", *(f"{name}n" for name in names)]
    more = {} if op == "LSTM" else {"linear_before_reset": 1}
    b.nodes.append(helper.make_node(op, inputs, outputs, op, hidden_size=units, **more))
    b.last = "y"
    b.node("Squeeze", ["y", b.constant(np.array([1]))], (steps, 2, units))
    b.node("MatMul", [b.last, b.constant(weights[3])], (steps, 2, 5))
    model = b.model("stateful", 19, check=False)
    for name in names:
        shape = (1, 2, units)
        model.graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        model.graph.output.append(
            helper.make_tensor_value_info(f"{name}n", TensorProto.FLOAT, shape)
        )
    onnx.checker.check_model(model, full_check=True)
    return model, {name: f"{name}n" for name in names}


def random_recurrent(rng: np.random.Generator, name: str) -> onnx.ModelProto:
    """One or two recurrent layers between products."""
    shape = tuple(int(n) for n in rng.integers(1, (8, 4, 20)))
    b = Builder(rng, shape)
    if rng.random() < 0.4:
        matrix(b)
        b.node("Tanh", [b.last], b.shape)
    for _ in range(rng.integers(1, 3)):
        recurrent(b)
    if rng.random() < 0.7:
        matrix(b)
    return b.model(name, int(rng.choice([18, 19, 22])))
