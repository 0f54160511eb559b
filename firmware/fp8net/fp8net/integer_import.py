# SPDX-License-Identifier: Apache-2.0
"""A full INT8 file of TensorFlow Lite as integer layers: its codes, scales and zero points stay as they are.

Each tensor has a row for each pixel and a column for each channel. What such a layer cannot do is refused by name.
"""

from __future__ import annotations

import dataclasses
import math
import pathlib

import numpy as np

from . import integers, loader, quantize, tflite_names
from .errors import Problem, Refused, refuse
from .flatbuffer import Damaged, Table
from .ir import INT8, Graph, Integer, Layer, Tensor, View, Weights, Window
from .tflite import Converter, Unsupported, Value, is_tflite

_INT8, _INT32 = 9, 2
_LIMITS = {0: (None, None), 1: (0.0, None), 2: (-1.0, 1.0), 3: (0.0, 6.0)}
_NEAREST = "without --requantise it becomes a network of FP8"


@dataclasses.dataclass
class _Call:
    """An operator of the file"""

    values: list[Value]
    inputs: list[int]
    output: int
    options: Table | None

    def number(self, field: int, kind: str, default=0):
        return default if self.options is None else self.options.number(field, kind, default)

    def value(self, place: int) -> Value:
        return self.values[self.inputs[place]]

    def constant(self, place: int) -> Value | None:
        """None: the input is absent."""
        if place >= len(self.inputs) or self.inputs[place] < 0:
            return None
        if not self.value(place).data.size:
            raise Unsupported(f"input {place} is not constant")
        return self.value(place)

    @property
    def out(self) -> Value:
        return self.values[self.output]


def _quantised(value: Value) -> tuple[np.float32, int]:
    """Scale and zero point of a tensor that is computed"""
    if value.type != _INT8 or value.scales.size != 1:
        raise Unsupported(f"{value.name} is no tensor of INT8 with one scale")
    zero = int(value.zeros[0])
    scale = np.float32(value.scales[0])
    if not (-128 <= zero <= 127 and math.isfinite(scale) and scale > 0):
        raise Unsupported(f"{value.name} has the scale {scale} and the zero point {zero}")
    return scale, zero


def _factor(real: float) -> tuple[int, int]:
    try:
        return integers.factor(real)
    except ValueError as error:
        raise Unsupported(f"its scales are not possible: {error}") from None


def _size(value: Value) -> tuple[int, int]:
    """Rows and columns"""
    shape = value.shape or (1,)
    return math.prod(shape[:-1]), shape[-1]


class _Importer:
    def __init__(self, data: bytes, name: str):
        self.file = Converter(data)
        self.graph = Graph(name)
        self.alias: dict[int, str] = {}  # tensors of the graph by the file's number

    def tensor(self, index: int) -> str:
        value = self.file.value(index)
        if index not in self.alias:
            scale, zero = _quantised(value)
            rows, cols = _size(value)
            self.graph.tensors[value.name] = Tensor(
                value.name, rows, cols, INT8, float(scale), fixed=True, integer=True, zero=zero
            )
            self.alias[index] = value.name
        return self.alias[index]

    def limits(self, call: _Call, activation: int) -> tuple[int, int]:
        """Codes that the activation leaves"""
        if activation not in _LIMITS:
            raise Unsupported(f"fused_activation_function is {activation}")
        scale, zero = _quantised(call.out)

        def code(value: float) -> int:
            ratio = float(np.float32(value) / scale)
            return zero + int(math.copysign(math.floor(abs(ratio) + 0.5), ratio))

        low, high = _LIMITS[activation]
        return (
            -128 if low is None else min(max(-128, code(low)), 127),
            127 if high is None else max(min(127, code(high)), -128),
        )

    def add(self, op: str, call: _Call, places: list[int], **fields) -> None:
        inputs = [self.tensor(call.inputs[place]) for place in places]
        name = call.out.name
        self.graph.layers.append(
            Layer(op, name, inputs, self.tensor(call.output), [name], **fields)
        )

    # ---- products

    def weights(self, call: _Call, codes: np.ndarray, axis: int) -> tuple[Weights, np.ndarray]:
        """Weights as rows of codes, and their scales"""
        value = call.constant(1)
        if value is None or value.type != _INT8 or not value.scales.size:
            raise Unsupported("its weights are not INT8")
        if value.zeros.any():
            raise Unsupported("its weights have a zero point")
        if value.scales.size > 1 and value.axis != axis:
            raise Unsupported(f"its weights have scales along the axis {value.axis}")
        rows = np.ascontiguousarray(codes)
        scales = np.broadcast_to(value.scales, len(rows))
        w = Weights(rows.astype(np.float32), format=INT8, codes=rows.view(np.uint8))
        return w, scales

    def finish(self, call: _Call, scales: np.ndarray, activation: int, product=None) -> Integer:
        x, _ = _quantised(call.value(0))
        y, _ = _quantised(call.out)
        products = [float(x) * float(w) if product is None else product for w in scales]
        pairs = [_factor(one / float(y)) for one in products]
        bias = call.constant(2)
        if bias is not None and (bias.type != _INT32 or bias.data.size != 4 * len(scales)):
            raise Unsupported("its bias is not INT32")
        low, high = self.limits(call, activation)
        multipliers, shifts = np.array(pairs, np.int64).T
        return Integer(
            multipliers, shifts, low, high, None if bias is None else bias.data.view("<i4").copy()
        )

    def window(self, call: _Call, kernel: tuple[int, int], dilations: tuple[int, int]) -> Window:
        stride = call.number(2, "i", 1), call.number(1, "i", 1)
        dilation = call.number(dilations[1], "i", 1), call.number(dilations[0], "i", 1)
        if min(*stride, *dilation, *kernel) < 1:
            raise Unsupported("a size of its window is below 1")
        window = Window(kernel, stride, dilation)
        sizes, counts = call.value(0).shape[1:3], call.out.shape[1:3]
        padding, pads = call.number(0, "b"), []
        for axis, size in enumerate(sizes):
            total = 0
            if padding == 0:  # SAME
                total = max((counts[axis] - 1) * stride[axis] + window.extent(axis) - size, 0)
            pads.append((total // 2, total - total // 2))
        window.pads = (pads[0][0], pads[1][0], pads[0][1], pads[1][1])
        if padding not in (0, 1) or any(
            window.count(size, axis) != counts[axis] for axis, size in enumerate(sizes)
        ):
            raise Unsupported(f"its output of {list(call.out.shape)} does not fit its window")
        return window

    def convolution(self, call: _Call, depthwise: bool) -> None:
        x, value = call.value(0), call.constant(1)
        if len(x.shape) != 4 or x.shape[0] != 1 or value is None or len(value.shape) != 4:
            raise Unsupported(f"its input is {list(x.shape)}, not one image")
        codes = value.data.view(np.int8).reshape(value.shape)
        if depthwise:
            if value.shape[3] != x.shape[3]:
                raise Unsupported("a channel has several outputs")
            kernel, codes = value.shape[1:3], codes[0].transpose(2, 0, 1).reshape(x.shape[3], -1)
        else:
            if value.shape[3] != x.shape[3]:
                raise Unsupported("it has groups")
            kernel, codes = value.shape[1:3], codes.reshape(value.shape[0], -1)
        w, scales = self.weights(call, codes, 3 if depthwise else 0)
        self.add(
            "int_convolution",
            call,
            [0],
            weights=w,
            height=x.shape[1],
            width=x.shape[2],
            window=self.window(call, kernel, (5, 6) if depthwise else (4, 5)),
            groups=x.shape[3] if depthwise else 1,
            integer=self.finish(call, scales, call.number(4 if depthwise else 3, "b")),
        )

    def linear(self, call: _Call) -> None:
        value = call.constant(1)
        if value is None or len(value.shape) != 2 or call.number(1, "b"):
            raise Unsupported("its weights are no matrix")
        codes = value.data.view(np.int8).reshape(value.shape)
        w, scales = self.weights(call, codes, 0)
        if _size(call.value(0))[1] != value.shape[1]:
            raise Unsupported(f"its input is {list(call.value(0).shape)}")
        product = None
        if value.scales.size == 1:  # a product of FP32 there
            product = float(_quantised(call.value(0))[0] * np.float32(value.scales[0]))
        integer = self.finish(call, scales, call.number(0, "b"), product)
        self.add("int_linear", call, [0], weights=w, integer=integer)

    # ---- others

    def sum(self, call: _Call) -> None:
        sizes = {call.value(0).shape, call.value(1).shape, call.out.shape}
        if len(sizes) != 1 or call.value(0).data.size or call.value(1).data.size:
            raise Unsupported("its operands are not two tensors of one shape")
        scales = [float(_quantised(call.value(place))[0]) for place in (0, 1)]
        twice = 2 * max(scales)
        out = 2.0**integers.ADD_BITS * float(_quantised(call.out)[0])
        pairs = [_factor(real) for real in (*(s / twice for s in scales), twice / out)]
        if pairs[2][1] > 0:
            raise Unsupported("its output has a scale far below its operands'")
        multipliers, shifts = np.array(pairs, np.int64).T
        low, high = self.limits(call, call.number(0, "b"))
        self.add("int_add", call, [0, 1], integer=Integer(multipliers, shifts, low, high))

    def pool(self, call: _Call, op: str) -> None:
        x = call.value(0)
        if len(x.shape) != 4 or x.shape[0] != 1:
            raise Unsupported(f"its input is {list(x.shape)}, not one image")
        if _quantised(x) != _quantised(call.out):
            raise Unsupported("its output has another scale")
        kernel = call.number(4, "i", 1), call.number(3, "i", 1)
        low, high = self.limits(call, call.number(5, "b"))
        none = np.zeros(0, np.int64)
        self.add(
            op,
            call,
            [0],
            height=x.shape[1],
            width=x.shape[2],
            window=self.window(call, kernel, (99, 99)),
            integer=Integer(none, none, low, high),
        )

    def pad(self, call: _Call) -> None:
        """Lines and pixels of the zero point, or of a constant, around an image"""
        x, sizes = call.value(0), call.constant(1)
        if len(x.shape) != 4 or x.shape[0] != 1 or sizes is None or sizes.data.size != 32:
            raise Unsupported(f"its input is {list(x.shape)}, not one image")
        if sizes.type != _INT32:
            raise Unsupported("its paddings are not INT32")
        if _quantised(x) != _quantised(call.out):
            raise Unsupported("its output has another scale")
        pads = sizes.data.view("<i4").reshape(4, 2).tolist()
        if any(pads[0] + pads[3]) or min(pads[1] + pads[2]) < 0:
            raise Unsupported(f"its paddings are {pads}: of lines and of pixels alone")
        (top, bottom), (left, right) = pads[1:3]
        if call.out.shape != (1, top + x.shape[1] + bottom, left + x.shape[2] + right, x.shape[3]):
            raise Unsupported(f"its output of {list(call.out.shape)} does not fit its paddings")
        code = _quantised(x)[1]
        value = call.constant(2)
        if value is not None:
            if value.type != _INT8 or value.data.size != 1 or _quantised(value) != _quantised(x):
                raise Unsupported("its constant has another scale")
            code = int(value.data.view(np.int8)[0])
        none = np.zeros(0, np.int64)
        self.add(
            "int_pad",
            call,
            [0],
            height=x.shape[1],
            width=x.shape[2],
            window=Window((1, 1), pads=(top, left, bottom, right)),
            integer=Integer(none, none, code, code),
        )

    def reshape(self, call: _Call) -> None:
        """The same memory"""
        x, out = call.value(0), call.out
        if _size(x) != _size(out) or _quantised(x) != _quantised(out):
            raise Unsupported(f"it moves values, from {list(x.shape)} to {list(out.shape)}")
        self.alias[call.output] = self.tensor(call.inputs[0])

    def softmax(self, call: _Call) -> None:
        scale, _ = _quantised(call.value(0))
        if _quantised(call.out) != (np.float32(2.0**-8), -128):
            raise Unsupported("its output has not the scale 1 / 256 and the zero point -128")
        if call.value(0).shape != call.out.shape:
            raise Unsupported("its output has another shape")
        try:
            multiplier, shift, least = integers.softmax_parameters(
                float(scale), call.number(0, "f")
            )
        except ValueError as error:
            raise Unsupported(f"its scale is not possible: {error}") from None
        integer = Integer(np.array([multiplier]), np.array([shift]), least=least)
        self.add("int_softmax", call, [0], integer=integer)

    # ---- the walk

    def operator(self, code, call: _Call) -> None:
        name = tflite_names.name_of(code)
        if name not in OPERATORS:
            raise Unsupported("is not supported in integers; without --requantise it may be")
        OPERATORS[name](self, call)

    def run(self) -> Graph:
        problems = []
        graph, values = self.file.graph, self.file.values
        for index in graph.numbers(1, "i"):
            self.tensor(int(index))
        for table in graph.tables(3):
            index = table.number(0, "I")
            inputs, outputs = ([int(i) for i in table.numbers(f, "i")] for f in (1, 2))
            if index >= len(self.file.codes) or len(outputs) != 1:
                raise Damaged(f"an operator of kind {index} with {len(outputs)} outputs")
            if any(not -1 <= i < len(values) for i in inputs) or not 0 <= outputs[0] < len(values):
                raise Damaged(f"an operator with the inputs {inputs} and the output {outputs[0]}")
            code = self.file.codes[index]
            where = f"{values[outputs[0]].name} ({tflite_names.name_of(code)})"
            try:
                self.operator(code, _Call(values, inputs, outputs[0], table.table(4)))
            except Unsupported as error:
                problems.append(Problem(where, str(error), _NEAREST))
            except (AttributeError, IndexError, TypeError, ValueError):  # of damaged files alone
                problems.append(Problem(where, "its operands and options do not fit each other"))
        if problems:
            raise Refused(problems)
        if not self.graph.layers:
            raise Unsupported("it has no layers")
        for field, views in ((1, self.graph.inputs), (2, self.graph.outputs)):
            for index in graph.numbers(field, "i"):
                value = self.file.value(int(index))
                axes = tuple(range(len(value.shape)))
                views[value.name] = View(self.tensor(int(index)), value.shape, axes)
        _fold_pads(self.graph)
        return self.graph


OPERATORS = {
    "ADD": _Importer.sum,
    "AVERAGE_POOL_2D": lambda i, c: i.pool(c, "int_average"),
    "CONV_2D": lambda i, c: i.convolution(c, False),
    "DEPTHWISE_CONV_2D": lambda i, c: i.convolution(c, True),
    "FULLY_CONNECTED": _Importer.linear,
    "MAX_POOL_2D": lambda i, c: i.pool(c, "int_max"),
    "PAD": _Importer.pad,
    "PADV2": _Importer.pad,
    "RESHAPE": _Importer.reshape,
    "SOFTMAX": _Importer.softmax,
}


def _takes_pad(graph: Graph, pad: Layer, layer: Layer) -> bool:
    """Whether the zeros of `pad` may be padding of the convolution: every window then sees a part of the image."""
    if layer.op != "int_convolution" or graph.tensors[pad.output].zero != pad.integer.low:
        return False
    pads = [a + b for a, b in zip(pad.window.pads, layer.window.pads)]
    return all(count < layer.window.extent(place % 2) for place, count in enumerate(pads))


def _fold_pads(graph: Graph) -> None:
    """A convolution pads its image itself."""
    for pad in [layer for layer in graph.layers if layer.op == "int_pad"]:
        readers = graph.readers(pad.output)
        if len(readers) != 1 or graph.is_output(pad.output):
            continue
        layer = readers[0]
        if not _takes_pad(graph, pad, layer):
            continue
        pads = tuple(a + b for a, b in zip(pad.window.pads, layer.window.pads))
        layer.window = dataclasses.replace(layer.window, pads=pads)
        layer.height, layer.width = pad.height, pad.width
        layer.inputs = list(pad.inputs)
        layer.nodes = [*pad.nodes, *layer.nodes]
        graph.layers.remove(pad)
        del graph.tensors[pad.output]


def read(path: pathlib.Path, columns: int = 0) -> Graph:
    """The network of a file; `columns` as in Graph"""
    data = loader.read_bytes(path)
    if not is_tflite(data):
        raise refuse(str(path), "is no file of TensorFlow Lite", _NEAREST)
    graph = load(data, str(path))
    graph.columns = columns
    return graph


def read_data(path: str, graph: Graph) -> list[dict[str, np.ndarray]]:
    """Runs of an .npz: codes of INT8, or float32 values"""
    wanted = {name: view.shape for name, view in graph.inputs.items()}
    return quantize.read_runs(path, wanted, dict.fromkeys(wanted))


def load(data: bytes, where: str) -> Graph:
    """The network of a file, or Refused with all that is not supported."""
    try:
        return _Importer(data, "tflite").run()
    except Damaged as error:
        raise refuse(where, f"is damaged: it has {error}") from None
    except Unsupported as error:
        raise refuse(where, str(error), _NEAREST) from None
