# SPDX-License-Identifier: Apache-2.0
"""The operators of TensorFlow Lite that are supported, each as nodes of ONNX. Numbers are those of its schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from .flatbuffer import Table
from .tflite import _TO_FIRST, _TO_LAST, Converter, Unsupported

BECOMES: dict[str, str] = {}  # the operators of ONNX, by the operator's name
HANDLERS: dict[int | str, Callable[[Call], None]] = {}


@dataclasses.dataclass
class Call:
    """An operator with its tensors."""

    c: Converter
    inputs: list[int]
    outputs: list[int]
    options: Table | None

    def number(self, field: int, kind: str, default=0):
        return default if self.options is None else self.options.number(field, kind, default)

    def text(self, place: int) -> str:
        return self.c.read(self.inputs[place])

    def shape(self, place: int) -> tuple[int, ...]:
        return self.c.value(self.inputs[place]).shape

    @property
    def output(self) -> str:
        return self.c.value(self.outputs[0]).name

    def constant(self, place: int) -> np.ndarray | None:
        """None: the input is absent."""
        if place >= len(self.inputs) or self.inputs[place] < 0:
            return None
        if not self.c.value(self.inputs[place]).data.size:
            raise Unsupported(f"input {place} is not constant")
        return self.c.numbers(self.inputs[place])


def handles(number: int, name: str, becomes: str):
    def register(function: Callable[[Call], None]):
        BECOMES[name], HANDLERS[number] = becomes, function
        return function

    return register


# ---- convolutions and matrices ------------------------------------------------------------------


def _window(call: Call, dilations: tuple[int, int]) -> dict:
    padding = call.number(0, "b")
    strides = [call.number(2, "i", 1), call.number(1, "i", 1)]
    steps = [call.number(dilations[1], "i", 1), call.number(dilations[0], "i", 1)]
    how = {"auto_pad": ("SAME_UPPER", "VALID")[padding] if padding in (0, 1) else "?"}
    if padding == 0 and max(steps) > 1:  # ONNX Runtime computes these with numbers alone
        how = {"pads": _same_pads(call.shape(0)[1:3], call.shape(1)[1:3], strides, steps)}
    return {**how, "strides": strides, "dilations": steps}


def _same_pads(sizes, kernel, strides, steps) -> list[int]:
    """The beginnings of both axes, then the ends"""
    totals = [
        max((-(-size // stride) - 1) * stride + step * (k - 1) + 1 - size, 0)
        for size, k, stride, step in zip(sizes, kernel, strides, steps)
    ]
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


def _convolve(call: Call, weights: np.ndarray, activation: int, **attributes) -> None:
    """Weights have outputs and inputs first, as ONNX's."""
    c, near = call.c, call.output
    inputs = [c.between("Transpose", [call.text(0)], near, perm=_TO_FIRST)]
    inputs.append(c.constant(f"{near}/weights", np.ascontiguousarray(weights)))
    bias = call.constant(2)
    if bias is not None:
        inputs.append(c.constant(f"{near}/bias", bias.astype(np.float32)))
    made = c.between("Conv", inputs, near, **attributes)
    c.activate(activation, c.between("Transpose", [made], near, perm=_TO_LAST), near)


@handles(3, "CONV_2D", "Conv")
def convolution(call: Call) -> None:
    weights = call.constant(1)
    channels = call.shape(0)[-1]
    if weights.ndim != 4 or channels % weights.shape[3]:
        raise Unsupported(f"its weights are {weights.shape}")
    _convolve(
        call,
        weights.transpose(0, 3, 1, 2),
        call.number(3, "b"),
        group=channels // weights.shape[3],
        **_window(call, (4, 5)),
    )


@handles(4, "DEPTHWISE_CONV_2D", "Conv")
def depthwise(call: Call) -> None:
    weights = call.constant(1)
    if weights.ndim != 4 or weights.shape[3] % call.shape(0)[-1]:
        raise Unsupported(f"its weights are {weights.shape}")
    _convolve(
        call,
        weights.transpose(3, 0, 1, 2),
        call.number(4, "b"),
        group=call.shape(0)[-1],
        **_window(call, (5, 6)),
    )


@handles(9, "FULLY_CONNECTED", "Gemm; constant weights")
def fully_connected(call: Call) -> None:
    c, near, weights = call.c, call.output, call.constant(1)
    if weights.ndim != 2 or call.number(1, "b"):
        raise Unsupported(f"its weights are {weights.shape}, weights_format {call.number(1, 'b')}")
    x = call.text(0)
    if len(call.shape(0)) != 2:
        x = c.between("Reshape", [x, _ints(c, near, [-1, weights.shape[1]])], near)
    inputs = [x, c.constant(f"{near}/weights", weights)]
    bias = call.constant(2)
    if bias is not None:
        inputs.append(c.constant(f"{near}/bias", bias.astype(np.float32)))
    made = c.between("Gemm", inputs, near, transB=1)
    shape = c.value(call.outputs[0]).shape
    if len(shape) != 2:
        made = c.between("Reshape", [made, _ints(c, near, shape)], near)
    c.activate(call.number(0, "b"), made, near)


def _ints(c: Converter, near: str, numbers) -> str:
    return c.constant(f"{near}/numbers", np.array(list(numbers), np.int64))


# ---- pools and reductions -----------------------------------------------------------------------


def _pool(call: Call, op: str) -> None:
    c, near = call.c, call.output
    window = _window(call, (99, 99))
    del window["dilations"]
    size = [call.number(4, "i", 1), call.number(3, "i", 1)]
    first = c.between("Transpose", [call.text(0)], near, perm=_TO_FIRST)
    made = c.between(op, [first], near, kernel_shape=size, **window)
    c.activate(call.number(5, "b"), c.between("Transpose", [made], near, perm=_TO_LAST), near)


@handles(1, "AVERAGE_POOL_2D", "AveragePool")
def average_pool(call: Call) -> None:
    _pool(call, "AveragePool")


@handles(17, "MAX_POOL_2D", "MaxPool")
def max_pool(call: Call) -> None:
    _pool(call, "MaxPool")


def _reduce(number: int, name: str, op: str) -> None:
    @handles(number, name, op)
    def reduce(call: Call) -> None:
        axes = [int(a) % len(call.shape(0)) for a in call.constant(1).reshape(-1)]
        inputs = [call.text(0), _ints(call.c, call.output, axes)]
        call.c.add(op, inputs, call.output, keepdims=int(call.number(0, "b")))


_reduce(40, "MEAN", "ReduceMean")
_reduce(74, "SUM", "ReduceSum")
_reduce(82, "REDUCE_MAX", "ReduceMax")


# ---- element by element -------------------------------------------------------------------------


def _binary(number: int, name: str, op: str) -> None:
    @handles(number, name, op)
    def binary(call: Call) -> None:
        made = call.c.between(op, [call.text(0), call.text(1)], call.output)
        call.c.activate(call.number(0, "b"), made, call.output)


for _number, _name, _op in (
    (0, "ADD", "Add"),
    (18, "MUL", "Mul"),
    (41, "SUB", "Sub"),
    (42, "DIV", "Div"),
):
    _binary(_number, _name, _op)


def _same(number: int, name: str, op: str) -> None:
    """An operator without options."""

    @handles(number, name, op)
    def same(call: Call) -> None:
        call.c.add(op, [call.text(i) for i in range(len(call.inputs))], call.output)


_SAME = {
    **{6: ("DEQUANTIZE", "Identity"), 14: ("LOGISTIC", "Sigmoid"), 19: ("RELU", "Relu")},
    **{28: ("TANH", "Tanh"), 47: ("EXP", "Exp"), 54: ("PRELU", "PRelu"), 55: ("MAXIMUM", "Max")},
    **{57: ("MINIMUM", "Min"), 59: ("NEG", "Neg"), 73: ("LOG", "Log"), 75: ("SQRT", "Sqrt")},
    **{101: ("ABS", "Abs"), 111: ("ELU", "Elu"), 114: ("QUANTIZE", "Identity")},
    **{117: ("HARD_SWISH", "HardSwish")},
}
for _number, (_name, _op) in _SAME.items():
    _same(_number, _name, _op)


@handles(20, "RELU_N1_TO_1", "Clip")
def relu_one(call: Call) -> None:
    call.c.activate(2, call.text(0), call.output)


@handles(21, "RELU6", "Clip")
def relu_six(call: Call) -> None:
    call.c.activate(3, call.text(0), call.output)


@handles(98, "LEAKY_RELU", "LeakyRelu")
def leaky_relu(call: Call) -> None:
    call.c.add("LeakyRelu", [call.text(0)], call.output, alpha=float(call.number(0, "f")))


@handles(25, "SOFTMAX", "Softmax; beta 1")
def softmax(call: Call) -> None:
    beta = call.number(0, "f")
    if beta != 1.0:
        raise Unsupported(f"beta is {beta}, not 1")
    call.c.add("Softmax", [call.text(0)], call.output, axis=-1)


# ---- places -------------------------------------------------------------------------------------


def _shaped(call: Call) -> None:
    shape = call.c.value(call.outputs[0]).shape
    call.c.add("Reshape", [call.text(0), _ints(call.c, call.output, shape)], call.output)


for _number, _name in ((22, "RESHAPE"), (43, "SQUEEZE"), (70, "EXPAND_DIMS")):
    handles(_number, _name, "Reshape")(_shaped)


@handles(2, "CONCATENATION", "Concat")
def concatenation(call: Call) -> None:
    names = [call.text(i) for i in range(len(call.inputs))]
    made = call.c.between("Concat", names, call.output, axis=call.number(0, "i"))
    call.c.activate(call.number(1, "b"), made, call.output)


@handles(34, "PAD", "Pad; constant sizes")
def pad(call: Call) -> None:
    pads = call.constant(1).T.reshape(-1)
    call.c.add("Pad", [call.text(0), _ints(call.c, call.output, pads)], call.output)


@handles(39, "TRANSPOSE", "Transpose; a constant order")
def transpose(call: Call) -> None:
    perm = [int(p) for p in call.constant(1).reshape(-1)]
    call.c.add("Transpose", [call.text(0)], call.output, perm=perm)


@handles(65, "SLICE", "Slice; constant places")
def slice_(call: Call) -> None:
    begins, sizes = call.constant(1).reshape(-1), call.constant(2).reshape(-1)
    ends = [s if n < 0 else int(b) + int(n) for s, b, n in zip(call.shape(0), begins, sizes)]
    places = [_ints(call.c, call.output, values) for values in (begins, ends, range(len(ends)))]
    call.c.add("Slice", [call.text(0), *places], call.output)


@handles(97, "RESIZE_NEAREST_NEIGHBOR", "Resize; constant sizes")
def resize(call: Call) -> None:
    """The line of each output is a Gather of the input's. Sizes that are multiples are a Resize, which repeats."""
    c, near = call.c, call.output
    corners, half = (bool(call.number(field, "b")) for field in (0, 1))
    before = call.shape(0)[1:3]
    sizes = [int(n) for n in call.constant(1).reshape(-1)]
    places = [nearest(*pair, corners, half) for pair in zip(before, sizes, strict=True)]
    scales = [n // size for n, size in zip(sizes, before)]
    whole = [np.repeat(np.arange(size), scale) for size, scale in zip(before, scales)]
    if all(np.array_equal(a, b) for a, b in zip(places, whole)):
        first = c.between("Transpose", [call.text(0)], near, perm=_TO_FIRST)
        factors = c.constant(f"{near}/scales", np.array([1, 1, *scales], np.float32))
        options = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        made = c.between("Resize", [first, "", factors], near, mode="nearest", **options)
        c.add("Transpose", [made], near, perm=_TO_LAST)
        return
    line = c.between("Gather", [call.text(0), c.constant(f"{near}/lines", places[0])], near, axis=1)
    c.add("Gather", [line, c.constant(f"{near}/pixels", places[1])], near, axis=2)


def nearest(size: int, count: int, corners: bool, half: bool) -> np.ndarray:
    """The input of each output, in single precision, as TensorFlow Lite computes it: a quotient of sizes, and one product."""
    if count < 1:
        raise Unsupported(f"its size is {count}")
    ends = corners and count > 1
    scale = (
        np.float32(size - 1) / np.float32(count - 1)
        if ends
        else np.float32(size) / np.float32(count)
    )
    x = np.arange(count, dtype=np.float32)
    at = (x + np.float32(0.5 if half else 0)) * scale
    at = np.floor(at + np.float32(0.5)) if corners else np.floor(at)  # halves go up
    return np.clip(at.astype(np.int64), 0, size - 1)
