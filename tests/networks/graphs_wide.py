# SPDX-License-Identifier: Apache-2.0
"""Random graphs of all opsets from 7 on, by ONNX's own helpers: negative axes, broadcasts, dropped axes, odd sizes, and groups of
nodes that look like a norm, a softmax or an activation, or nearly so."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = (7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, onnx.defs.onnx_opset_version())
MOST_VALUES = 3000  # of a tensor


class Graph:
    """A chain with side branches; `last` has the shape `shape`."""

    def __init__(self, rng: np.random.Generator):
        self.rng, self.opset = rng, int(rng.choice(OPSETS))
        rank = int(rng.choice([2, 3, 4, 4]))
        self.input = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 5, 7, 9], rank))
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.last, self.shape = "x", self.input
        self.older = [("x", self.input)]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def constant(self, array) -> str:
        name = f"k{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def number(self, value: float) -> str:
        return self.constant(np.float32(value))

    def normal(self, *shape: int) -> np.ndarray:
        return self.rng.normal(size=shape).astype(np.float32)

    def one(self, op: str, inputs: list[str], **attributes) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], f"{op}_{name}", **attributes))
        return name

    def add(self, op: str, inputs: list[str], shape, **attributes) -> None:
        self.take(self.one(op, inputs, **attributes), shape)

    def take(self, name: str, shape) -> None:
        self.last, self.shape = name, tuple(int(n) for n in shape)
        self.older.append((self.last, self.shape))

    def axis(self, low: int = 0) -> int:
        """An axis, negative where the opset has these"""
        axis = int(self.rng.integers(low, len(self.shape)))
        return axis - len(self.shape) if self.opset >= 11 and self.chance(0.5) else axis

    def axes(self, op: str, name: str, axes: list[int], since: int, **more) -> str:
        """A node with axes as an attribute, or as an operand from opset `since` on"""
        if self.opset < since:
            return self.one(op, [name], axes=axes, **more)
        return self.one(op, [name, self.constant(np.array(axes, np.int64))], **more)

    def reduce(self, op: str, name: str, axes: list[int], keep: int) -> str:
        return self.axes(op, name, axes, 13 if op == "ReduceSum" else 18, keepdims=keep)

    def model(self) -> onnx.ModelProto:
        def value(name: str, shape) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        graph = helper.make_graph(
            self.nodes,
            "wide",
            [value("x", self.input)],
            [value(self.last, self.shape)],
            self.constants,
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8
        )


# ---- value by value -----------------------------------------------------------------------------


def unary(g: Graph) -> None:
    op = g.pick(
        "Relu", "Sigmoid", "Tanh", "Abs", "Neg", "LeakyRelu", "Elu", "Softplus", "HardSigmoid"
    )
    more = {"alpha": float(g.rng.uniform(0.1, 0.5))} if op in ("LeakyRelu", "Elu") else {}
    g.add(op, [g.last], g.shape, **more)


def limits(g: Graph) -> None:
    low, high = -float(g.rng.uniform(0, 1)), float(g.rng.uniform(0, 2))
    if g.opset < 11:
        g.add("Clip", [g.last], g.shape, min=low, max=high)
    else:
        g.add("Clip", [g.last, g.pick("", g.number(low)), g.number(high)], g.shape)


def binary(g: Graph) -> None:
    """With a constant that is broadcast, or another value"""
    others = [n for n, s in g.older if s == g.shape]
    op = g.pick("Add", "Sub", "Mul", "Div", "Max", "Min")
    if op in ("Max", "Min") and g.opset < 8:
        op = "Add"
    if g.chance(0.4) and op != "Div":
        operands = [g.last, g.pick(*others)]
    else:
        shape = [n if g.chance(0.5) else 1 for n in g.shape][
            int(g.rng.integers(0, len(g.shape) + 1)) :
        ]
        away = np.abs(g.normal(*shape)) + np.float32(0.3)
        operands = [g.last, g.constant((away * g.rng.choice([-1, 1], shape)).astype(np.float32))]
    swap = op != "Div" and g.chance(0.5)
    g.add(op, operands[::-1] if swap else operands, g.shape)


def curve(g: Graph) -> None:
    """GELU by its error function or tanh, HardSwish, Swish, and forms near to them"""
    x, kind = g.last, g.pick("erf", "swish", "hard", "power")
    if kind == "erf" and g.opset >= 9:
        e = g.one("Erf", [g.one("Div", [x, g.number(g.pick(1.4142135, 1.3))])])
        e = g.one("Mul", [x, g.one("Add", [e, g.number(g.pick(1.0, 1.0, 0.5))])])
        g.add("Mul", [e, g.number(0.5)], g.shape)
    elif kind == "swish":
        g.add("Mul", [x, g.one("Sigmoid", [x])], g.shape)
    elif kind == "hard" and g.opset >= 11:
        s = g.one("Add", [x, g.number(g.pick(3.0, 3.0, 2.0))])
        s = g.one("Clip", [s, g.number(0), g.number(g.pick(6.0, 6.0, 5.0))])
        g.add("Div", [g.one("Mul", [x, s]), g.number(6)], g.shape)
    else:
        g.add("Pow", [g.one("Abs", [x]), g.number(g.pick(0.5, 2.0, 3.0))], g.shape)


# ---- rows ---------------------------------------------------------------------------------------


def reduction(g: Graph) -> None:
    op, keep = g.pick("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"), g.pick(0, 1)
    count = 1 if len(g.shape) < 3 else g.pick(1, 1, 2)
    axes = [int(a) for a in g.rng.choice(len(g.shape), count, replace=False)]
    left = [1 if a in axes else n for a, n in enumerate(g.shape) if keep or a not in axes]
    if g.opset >= 11 and g.chance(0.5):
        axes = [a - len(g.shape) for a in axes]
    if left:
        g.take(g.reduce(op, g.last, axes, keep), left)


def softmax(g: Graph) -> None:
    """Before opset 13 it takes all axes from its own on together."""
    g.add("Softmax", [g.last], g.shape, axis=g.axis())


def written_softmax(g: Graph) -> None:
    x, axis, other = g.last, int(g.rng.integers(len(g.shape))), int(g.rng.integers(len(g.shape)))
    other = g.pick(axis, axis, other)
    top = g.reduce("ReduceMax", x, [axis], 1)
    power = g.one("Exp", [g.one("Sub", [x, top])])
    g.add("Div", [power, g.reduce("ReduceSum", power, [other], 1)], g.shape)


def norm(g: Graph) -> None:
    """(x - mean) / sqrt(mean of squares + eps), and what is only near to it"""
    x, axis = g.last, len(g.shape) - 1 if g.chance(0.7) else int(g.rng.integers(len(g.shape)))
    right = g.chance(0.5)
    keep = 1 if right or len(set(g.shape)) > 1 else 0
    other = axis if right else int(g.rng.integers(len(g.shape)))
    mean = g.reduce("ReduceMean", x, [axis], keep)
    away = g.one("Sub", [x, mean] if right or g.chance(0.5) else [mean, x])
    power = 2.0 if right else g.pick(2.0, 3.0, 4.0)
    square = g.pick("Mul", "Pow") if power == 2 else "Pow"
    square = g.one(square, [away, away if square == "Mul" else g.number(power)])
    if power == 3:
        square = g.one("Abs", [square])
    root = g.reduce("ReduceMean", square, [other], keep)
    root = g.one("Sqrt", [g.one("Add", [root, g.number(g.pick(1e-5, 0.1))])])
    result = g.one("Div", [away, root])
    if g.chance(0.5):
        result = g.one("Mul", [result, g.constant(g.normal(g.shape[-1]))])
        result = g.one("Add", [result, g.constant(g.normal(g.shape[-1]))])
    g.take(result, g.shape)


# ---- places -------------------------------------------------------------------------------------


def transpose(g: Graph) -> None:
    perm = [int(p) for p in g.rng.permutation(len(g.shape))]
    g.add("Transpose", [g.last], [g.shape[p] for p in perm], perm=perm)


def reshape(g: Graph) -> None:
    shape = list(g.shape)
    place = int(g.rng.integers(len(shape)))
    if len(shape) > 1 and g.chance(0.6):
        place = min(place, len(shape) - 2)
        shape[place : place + 2] = [shape[place] * shape[place + 1]]
    elif len(shape) < 4:
        factor = next((f for f in (3, 2) if shape[place] % f == 0), 1)
        shape[place : place + 1] = [factor, shape[place] // factor]
    sizes = list(shape)
    if g.chance(0.4):
        sizes[int(g.rng.integers(len(sizes)))] = -1
    g.add("Reshape", [g.last, g.constant(np.array(sizes, np.int64))], shape)


def unsqueeze(g: Graph) -> None:
    if len(g.shape) < 4:
        axis = int(g.rng.integers(len(g.shape) + 1))
        shape = [*g.shape[:axis], 1, *g.shape[axis:]]
        axis = axis - len(shape) if g.opset >= 11 and g.chance(0.5) else axis
        g.take(g.axes("Unsqueeze", g.last, [axis], 13), shape)


def concat(g: Graph) -> None:
    others = [n for n, s in g.older if s == g.shape]
    axis, shape = g.axis(), list(g.shape)
    shape[axis] *= 2
    g.add("Concat", [g.last, g.pick(*others)][:: g.pick(1, -1)], shape, axis=axis)


def part(g: Graph) -> None:
    axis = g.axis()
    size = g.shape[axis]
    first = int(g.rng.integers(size))
    last = int(g.rng.integers(first + 1, size + 1))
    step = g.pick(1, 1, 2) if g.opset >= 10 else 1
    shape = list(g.shape)
    shape[axis] = len(range(first, last, step))
    starts, ends = (
        [first - size if g.chance(0.5) else first],
        [last if g.chance(0.5) else last + 99],
    )
    if ends[0] > size:
        shape[axis] = len(range(first, size, step))
    if g.opset < 10:
        g.add("Slice", [g.last], shape, starts=starts, ends=ends, axes=[axis])
    else:
        more = [g.constant(np.array([v], np.int64)) for v in (starts[0], ends[0], axis, step)]
        g.add("Slice", [g.last, *more], shape)


def pad(g: Graph) -> None:
    before, after = (g.rng.integers(0, 3, len(g.shape)) for _ in range(2))
    mode = g.pick("constant", "constant", "reflect", "edge")
    if mode == "reflect":
        before, after = (np.minimum(p, np.array(g.shape) - 1) for p in (before, after))
    pads = [int(p) for p in (*before, *after)]
    shape = np.array(g.shape) + before + after
    if g.opset < 11:
        g.add("Pad", [g.last], shape, pads=pads, mode=mode)
    else:
        g.add("Pad", [g.last, g.constant(np.array(pads, np.int64))], shape, mode=mode)


def gather(g: Graph) -> None:
    axis, shape = g.axis(), list(g.shape)
    low = -shape[axis] if g.opset >= 11 else 0
    index = g.rng.integers(low, shape[axis], int(g.rng.integers(1, 5)))
    shape[axis] = len(index)
    g.add("Gather", [g.last, g.constant(index)], shape, axis=axis)


# ---- products and images ------------------------------------------------------------------------


def product(g: Graph) -> None:
    columns, n = g.shape[-1], int(g.rng.integers(1, 9))
    w = g.normal(columns, n) / np.float32(np.sqrt(columns))
    if len(g.shape) == 2 and g.chance(0.6):
        turned = g.pick(0, 1)
        bias = g.constant(g.pick(g.normal(n), g.normal(1, n), g.normal(1)))
        more = {"alpha": float(g.pick(1.0, 0.5)), "beta": float(g.pick(1.0, 2.0)), "transB": turned}
        g.add("Gemm", [g.last, g.constant(w.T if turned else w), bias], (g.shape[0], n), **more)
    else:
        g.add("MatMul", [g.last, g.constant(w)], (*g.shape[:-1], n))
        if g.chance(0.5):
            g.add("Add", [g.last, g.constant(g.normal(n))], g.shape)


def convolution(g: Graph) -> None:
    if len(g.shape) != 4:
        return
    images, channels, *sizes = g.shape
    groups, kernel = g.pick(1, channels), [min(n, g.pick(1, 2, 3)) for n in sizes]
    stride, out = [g.pick(1, 2) for _ in sizes], groups * g.pick(1, 2)
    w = g.normal(out, channels // groups, *kernel)
    more: dict = {"strides": stride, "group": groups, "kernel_shape": kernel}
    if g.chance(0.4):
        more["auto_pad"] = g.pick("SAME_UPPER", "SAME_LOWER")
        shape = [-(-n // s) for n, s in zip(sizes, stride)]
    else:
        pads = [g.pick(0, k // 2) for k in kernel + kernel]
        more["pads"] = pads
        shape = [
            (n + pads[a] + pads[a + 2] - kernel[a]) // stride[a] + 1 for a, n in enumerate(sizes)
        ]
    g.add("Conv", [g.last, g.constant(w)], (images, out, *shape), **more)
    if g.chance(0.4):
        values = [g.normal(out), g.normal(out), g.normal(out), np.abs(g.normal(out)) + 0.1]
        inputs = [g.last, *(g.constant(v.astype(np.float32)) for v in values)]
        g.add("BatchNormalization", inputs, g.shape, epsilon=g.pick(1e-5, 1e-3))


def pool(g: Graph) -> None:
    if len(g.shape) != 4:
        return
    images, channels, *sizes = g.shape
    op = g.pick("MaxPool", "AveragePool", "GlobalAveragePool")
    if op == "GlobalAveragePool":
        g.add(op, [g.last], (images, channels, 1, 1))
        return
    kernel, stride = [min(n, g.pick(1, 2, 3)) for n in sizes], [g.pick(1, 2) for _ in sizes]
    pads = [g.pick(0, k // 2) for k in kernel + kernel]
    shape = [(n + pads[a] + pads[a + 2] - kernel[a]) // stride[a] + 1 for a, n in enumerate(sizes)]
    more = {"count_include_pad": g.pick(0, 1)} if op == "AveragePool" else {}
    shape = (images, channels, *shape)
    g.add(op, [g.last], shape, kernel_shape=kernel, strides=stride, pads=pads, **more)


def resize(g: Graph) -> None:
    if len(g.shape) != 4:
        return
    old, mode = g.opset < 11, g.pick("nearest", "linear")
    scales = [1.0, 1.0, *(float(g.pick(0.5, 1.0, 1.5, 2.0, 7 / 3)) for _ in range(2))]
    if g.opset < 10:
        scales = [max(s, 1.0) for s in scales]
    scales = np.array(scales, np.float32)
    shape = [int(np.floor(np.float32(n) * s)) for n, s in zip(g.shape, scales)]
    if min(shape) < 1:
        return
    if g.opset < 9:
        g.add("Upsample", [g.last], shape, mode=mode, scales=[float(s) for s in scales])
    elif old:
        op = "Upsample" if g.opset < 10 else "Resize"
        g.add(op, [g.last, g.constant(scales)], shape, mode=mode)
    else:
        roi = g.constant(np.zeros(0, np.float32)) if g.opset < 13 else ""
        where = g.pick("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
        more = {"coordinate_transformation_mode": where, "mode": mode}
        if mode == "nearest":
            more["nearest_mode"] = g.pick(
                "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"
            )
        g.add("Resize", [g.last, roi, g.constant(scales)], shape, **more)


STEPS = (
    *(unary, limits, binary, binary, curve, reduction, softmax, written_softmax, norm, norm),
    *(transpose, reshape, unsqueeze, concat, part, pad, gather, product, convolution, pool, resize),
)


def random_wide(rng: np.random.Generator) -> tuple[onnx.ModelProto, np.ndarray]:
    """A model and an input, half of whose values are ties"""
    g = Graph(rng)
    while len(g.nodes) < 2 or (len(g.nodes) < 14 and g.chance(0.85)):
        step = STEPS[rng.integers(len(STEPS))]
        if np.prod(g.shape) <= MOST_VALUES:
            step(g)
        else:
            unary(g)
    x = rng.normal(size=g.input).astype(np.float32)
    return g.model(), np.rint(2 * x) / 2 if g.chance(0.5) else x
