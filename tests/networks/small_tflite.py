# SPDX-License-Identifier: Apache-2.0
"""Writes small TensorFlow Lite files with the package flatbuffers: field numbers are those of TensorFlow's schema."""

from __future__ import annotations

import dataclasses

import flatbuffers
import numpy as np

FLOAT32, INT32, INT8 = 0, 2, 9
NUMBERS = {"float32": FLOAT32, "int32": INT32, "int8": INT8}


@dataclasses.dataclass
class Tensor:
    name: str
    shape: tuple[int, ...]
    data: np.ndarray | None = None  # None: computed, or an input
    scales: np.ndarray | None = None
    zeros: np.ndarray | None = None
    axis: int = 0
    kind: int = FLOAT32

    @staticmethod
    def constant(name: str, data: np.ndarray, **others) -> Tensor:
        return Tensor(name, data.shape, data, kind=NUMBERS[data.dtype.name], **others)


@dataclasses.dataclass
class Operator:
    code: int
    inputs: list[int]
    outputs: list[int]
    options: dict[int, tuple[str, float]] = dataclasses.field(default_factory=dict)
    options_type: int | None = (
        None  # the number of the options in the schema's union; None: not said
    )


def _table(b: flatbuffers.Builder, fields: dict[int, tuple[str, object]]) -> int:
    """Fields by number: kind "ref" is an offset, others are numbers."""
    b.StartObject(max(fields, default=-1) + 1)
    for number, (kind, value) in fields.items():
        if kind == "ref":
            b.PrependUOffsetTRelativeSlot(number, value, 0)
        else:
            names = {"b": "Int8", "i": "Int32", "I": "Uint32", "f": "Float32"}
            getattr(b, f"Prepend{names[kind]}Slot")(number, value, None)
    return b.EndObject()


def _tables(b: flatbuffers.Builder, offsets: list[int]) -> int:
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return b.EndVector()


def _numbers(b: flatbuffers.Builder, values, kind: str) -> tuple[str, int]:
    return "ref", b.CreateNumpyVector(np.asarray(values, kind))


def _tensor(b: flatbuffers.Builder, tensor: Tensor, buffer: int) -> int:
    fields = {
        0: _numbers(b, tensor.shape, "<i4"),
        1: ("b", tensor.kind),
        2: ("I", buffer),
        3: ("ref", b.CreateString(tensor.name)),
    }
    if tensor.scales is not None:
        quantisation = {
            2: _numbers(b, tensor.scales, "<f4"),
            3: _numbers(b, tensor.zeros, "<i8"),
            6: ("i", tensor.axis),
        }
        fields[4] = ("ref", _table(b, quantisation))
    return _table(b, fields)


def _operator(b: flatbuffers.Builder, operator: Operator, codes: list[int]) -> int:
    fields = {
        0: ("I", codes.index(operator.code)),
        1: _numbers(b, operator.inputs, "<i4"),
        2: _numbers(b, operator.outputs, "<i4"),
        4: ("ref", _table(b, operator.options)),
    }
    if operator.options_type is not None:
        fields[3] = ("b", operator.options_type)
    return _table(b, fields)


def write(
    tensors: list[Tensor], operators: list[Operator], inputs: list[int], outputs: list[int]
) -> bytes:
    b = flatbuffers.Builder(1024)
    buffers, places = [_table(b, {})], []
    for tensor in tensors:
        places.append(0)
        if tensor.data is not None:
            places[-1] = len(buffers)
            data = _numbers(b, np.frombuffer(tensor.data.tobytes(), np.uint8), "u1")
            buffers.append(_table(b, {0: data}))
    codes = sorted({operator.code for operator in operators})
    kinds = [_table(b, {0: ("b", min(code, 127)), 3: ("i", code)}) for code in codes]
    graph = {
        0: ("ref", _tables(b, [_tensor(b, t, p) for t, p in zip(tensors, places)])),
        1: _numbers(b, inputs, "<i4"),
        2: _numbers(b, outputs, "<i4"),
        3: ("ref", _tables(b, [_operator(b, o, codes) for o in operators])),
    }
    model = {
        0: ("I", 3),
        1: ("ref", _tables(b, kinds)),
        2: ("ref", _tables(b, [_table(b, graph)])),
        4: ("ref", _tables(b, buffers)),
    }
    b.Finish(_table(b, model), file_identifier=b"TFL3")
    return bytes(b.Output())
