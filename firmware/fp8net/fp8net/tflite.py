# SPDX-License-Identifier: Apache-2.0
"""From TensorFlow Lite to ONNX: the same network in float32, which the importer then takes as any other.

Images have channels last there. A convolution becomes one between two transpositions, which move no data. Tensors of INT8
files stand for scale * (code - zero point): weights and biases become these floats, and the codes of activations are gone.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import tflite_names
from .errors import Problem, Refused, refuse
from .flatbuffer import Damaged, File, Table

IDENTIFIER = b"TFL3"
LABEL = "fp8net: "  # begins what the user's file calls a node
OPSET, IR = 19, 9
MOST_TENSORS = 100_000
MOST_ELEMENTS = 1 << 28  # of one tensor
# tflite::TensorType -> NumPy
_TYPES = {0: "<f4", 1: "<f2", 2: "<i4", 3: "u1", 4: "<i8", 6: "?", 7: "<i2", 9: "i1"}
_QUANTISED = (3, 7, 9)
_ACTIVATIONS = {1: "Relu", 2: (-1.0, 1.0), 3: (0.0, 6.0), 4: "Tanh"}
_TO_FIRST, _TO_LAST = [0, 3, 1, 2], [0, 2, 3, 1]


@dataclasses.dataclass
class Value:
    """A tensor of the file."""

    name: str
    shape: tuple[int, ...]
    type: int
    scales: np.ndarray
    zeros: np.ndarray
    axis: int
    data: np.ndarray  # bytes; empty where it is computed


class Unsupported(Exception):
    pass


class Converter:
    def __init__(self, data: bytes):
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self.used: set[str] = set()
        model = File(data).root()
        graphs = model.tables(2)
        if len(graphs) != 1:
            raise Unsupported(f"it has {len(graphs)} subgraphs, not one")
        self.graph, buffers = graphs[0], model.tables(4)
        self.codes = [_code_of(table) for table in model.tables(1)]
        tables = self.graph.tables(0)
        if len(tables) > MOST_TENSORS:
            raise Unsupported(f"it has {len(tables)} tensors")
        self.values = [self._value(table, buffers) for table in tables]

    # ---- what handlers use

    def name(self, wanted: str) -> str:
        name, number = wanted or "value", 2
        while name in self.used:
            name, number = f"{wanted}_{number}", number + 1
        self.used.add(name)
        return name

    def constant(self, name: str, array: np.ndarray) -> str:
        name = self.name(name)
        self.constants[name] = array
        return name

    def numbers(self, index: int) -> np.ndarray:
        """A constant's values, as floats if it is quantised."""
        value = self.value(index)
        array = value.data.view(_TYPES[value.type]).reshape(value.shape)
        if not value.scales.size or (value.type not in _QUANTISED and value.type != 2):
            return array.astype(np.float32) if array.dtype.kind == "f" else array
        shape = [1] * array.ndim
        if value.scales.size > 1:
            shape[value.axis] = -1
        scales, zeros = value.scales.reshape(shape), value.zeros.reshape(shape)
        return ((array.astype(np.float64) - zeros) * scales).astype(np.float32)

    def value(self, index: int) -> Value:
        if not 0 <= index < len(self.values):
            raise Damaged(f"a tensor with the number {index}")
        return self.values[index]

    def read(self, index: int) -> str:
        """The name of a value: a constant becomes one of the model."""
        value = self.value(index)
        if value.data.size and value.name not in self.constants:
            self.constants[value.name] = self.numbers(index)
        return value.name

    def add(self, op: str, inputs: list[str], output: str, **attributes) -> str:
        name = self.name(f"{output}/{op}")
        self.nodes.append(helper.make_node(op, inputs, [output], name, **attributes))
        return output

    def between(self, op: str, inputs: list[str], near: str, **attributes) -> str:
        """A node with a value of its own."""
        return self.add(op, inputs, self.name(f"{near}/{op.lower()}"), **attributes)

    def activate(self, kind: int, name: str, output: str) -> None:
        """The activation that is fused in the file; without one, `name` gets its name from the output."""
        if kind == 0 and self.nodes and self.nodes[-1].output[0] == name:
            self.nodes[-1].output[0] = output
        elif kind == 0:
            self.add("Identity", [name], output)
        elif kind not in _ACTIVATIONS:
            raise Unsupported(f"fused_activation_function is {kind}")
        elif isinstance(_ACTIVATIONS[kind], str):
            self.add(_ACTIVATIONS[kind], [name], output)
        else:
            low, high = _ACTIVATIONS[kind]
            limits = [
                self.constant(f"{output}/{n}", np.float32(v))
                for n, v in (("low", low), ("high", high))
            ]
            self.add("Clip", [name, *limits], output)

    # ---- the walk

    def _value(self, table: Table, buffers: list[Table]) -> Value:
        shape = tuple(int(n) for n in table.numbers(0, "i"))
        count = int(np.prod(shape, dtype=object)) if shape else 1
        kind, quantisation = table.number(1, "b"), table.table(4)
        if min(shape, default=1) < 0 or count > MOST_ELEMENTS or kind not in _TYPES:
            raise Unsupported(
                f"tensor {table.text(3)!r} has the shape {list(shape)} and type {kind}"
            )
        number = table.number(2, "I")
        data = np.zeros(0, np.uint8)
        if number:
            if number >= len(buffers):
                raise Damaged(f"a buffer with the number {number}")
            data = buffers[number].numbers(0, "B")
        if data.size and data.size != count * np.dtype(_TYPES[kind]).itemsize:
            raise Damaged(f"tensor {table.text(3)!r} of {list(shape)} has {data.size} bytes")
        scales, zeros, axis = np.zeros(0), np.zeros(0), 0
        if quantisation is not None:
            scales = quantisation.numbers(2, "f").astype(np.float64)
            zeros = quantisation.numbers(3, "q").astype(np.float64)
            zeros = zeros if zeros.size == scales.size else np.zeros(scales.size)
            axis = quantisation.number(6, "i")
            if scales.size > 1 and not (0 <= axis < len(shape) and shape[axis] == scales.size):
                raise Damaged(f"tensor {table.text(3)!r} has {scales.size} scales")
        return Value(self.name(table.text(3)), shape, kind, scales, zeros, axis, data)

    def run(self) -> onnx.ModelProto:
        problems = []
        for number, operator in enumerate(self.graph.tables(3)):
            index = operator.number(0, "I")
            if index >= len(self.codes):
                raise Damaged(f"an operator of kind {index}")
            code, inputs, outputs = (
                self.codes[index],
                operator.numbers(1, "i"),
                operator.numbers(2, "i"),
            )
            kind = tflite_names.name_of(code)
            where = f"operator {number} ({kind})"
            if outputs.size and 0 <= outputs[0] < len(self.values):
                where = f"{self.values[outputs[0]].name} ({kind})"
            first = len(self.nodes)
            try:
                if code not in handlers.HANDLERS:
                    raise Unsupported("is not supported")
                call = handlers.Call(
                    self, [int(i) for i in inputs], [int(o) for o in outputs], operator.table(4)
                )
                handlers.HANDLERS[code](call)
            except Unsupported as error:
                problems.append(
                    Problem(where, str(error), tflite_names.NEAREST.get(kind, _NEAREST))
                )
            except Damaged:
                raise
            except (AttributeError, IndexError, TypeError, ValueError):  # of damaged files alone
                problems.append(Problem(where, "its operands and options do not fit each other"))
            for node in self.nodes[first:]:
                node.doc_string = LABEL + where
        if problems:
            raise Refused(problems)
        return self._model()

    def _model(self) -> onnx.ModelProto:
        inputs, outputs = (
            [
                helper.make_tensor_value_info(
                    self.value(int(i)).name, TensorProto.FLOAT, self.value(int(i)).shape
                )
                for i in self.graph.numbers(field, "i")
            ]
            for field in (1, 2)
        )
        constants = [numpy_helper.from_array(np.asarray(a), n) for n, a in self.constants.items()]
        graph = helper.make_graph(
            self.nodes, self.graph.text(4) or "tflite", inputs, outputs, constants
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR
        )


_NEAREST = "fp8net supported-ops lists what is"


def _code_of(table: Table) -> int | str:
    custom = table.text(1)
    return custom or max(table.number(0, "b"), table.number(3, "i"))


def is_tflite(data: bytes) -> bool:
    return data[4:8] == IDENTIFIER


def convert(data: bytes, where: str) -> onnx.ModelProto:
    """The network of a file, or Refused with all that is not supported."""
    try:
        return Converter(data).run()
    except Damaged as error:
        raise refuse(where, f"is damaged: it has {error}") from None
    except Unsupported as error:
        raise refuse(where, str(error)) from None


def values_of(data: bytes, where: str) -> list[Value]:
    """The file's tensors, by number, under the names that the converted model gives them."""
    try:
        return Converter(data).values
    except Damaged as error:
        raise refuse(where, f"is damaged: it has {error}") from None
    except Unsupported as error:
        raise refuse(where, str(error)) from None


from . import tflite_operators as handlers
