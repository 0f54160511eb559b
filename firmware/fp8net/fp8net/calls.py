# SPDX-License-Identifier: Apache-2.0
"""The calls of a layer as data: c_layers.py writes them in C, and plan.py makes them in a query and in a recording.

A field has a number, a truth, a Constant, a dict or a list of structures, or what its address is: a Local, its Data, or an
Array.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from fp8mac.layers import Pointer

from . import mx
from .c_text import boolean, number
from .ir import FORMAT_C, Tensor, Weights


def up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


@dataclasses.dataclass(frozen=True)
class Constant:
    """A name of C with a value"""

    name: str


@dataclasses.dataclass(frozen=True)
class Array:
    """An array of the program's constants. `values`: what a layer checks"""

    name: str
    size: int  # bytes
    values: np.ndarray | None = dataclasses.field(default=None, compare=False, hash=False)


@dataclasses.dataclass(frozen=True)
class Local:
    """A structure before the descriptor"""

    name: str


@dataclasses.dataclass(frozen=True)
class Data:
    """What a Local's data points to"""

    name: str


class InOrder(dict):
    """A structure whose fields C gives in their order, without names"""


Fields = dict[str, Any]


def c_value(value: Any) -> str:
    """In C, on one line"""
    if isinstance(value, InOrder):
        return "{" + ", ".join(c_value(one) for one in value.values()) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(c_fields(value)) + "}"
    if isinstance(value, Local):
        return f"&{value.name}"
    if isinstance(value, Data):
        return f"{value.name}.data"
    if isinstance(value, (Constant, Array)):
        return value.name
    if isinstance(value, (bool, np.bool_)):
        return boolean(bool(value))
    return str(value) if isinstance(value, (int, np.integer)) else number(value)


def c_fields(fields: Fields) -> list[str]:
    return [f".{name} = {c_value(value)}" for name, value in fields.items()]


# ---- structures before the descriptor -----------------------------------------------------------


@dataclasses.dataclass
class At:
    """A tensor of the network"""

    tensor: str
    scale: Any = None  # another scale than its own
    constant: bool = True  # the text says const


@dataclasses.dataclass
class Matrix:
    """Rows of a constant array, at beats"""

    codes: Array
    rows: int
    cols: int
    stride: int
    format: str
    scale: Any = None
    mx: Array | None = None
    mx_stride: int = 0

    def fields(self) -> Fields:
        own: Fields = {"data": self.codes, "rows": self.rows, "cols": self.cols}
        own |= {"stride": self.stride, "format": Constant(FORMAT_C[self.format])}
        own |= {} if self.scale is None else {"scale": self.scale}
        return own | ({} if self.mx is None else {"mx": self.mx, "mx_stride": self.mx_stride})


@dataclasses.dataclass
class Product:
    """Weights: a matrix, or a tensor of the network"""

    codes: Matrix | At
    row_scale: Array | None = None
    bias: Array | None = None

    def vectors(self) -> Fields:
        both = {"row_scale": self.row_scale, "bias": self.bias}
        return {name: array for name, array in both.items() if array is not None}


@dataclasses.dataclass
class Call:
    """A call. With `parts` it is one for each part of the rows of these structures: rows of a part."""

    function: str
    kind: str
    locals: dict[str, At | Matrix | Product]
    fields: Fields
    images: int = 1
    parts: dict[str, int] = dataclasses.field(default_factory=dict)


def weights_of(prefix: str, suffix: str, w: Weights, codes: np.ndarray, beat: int) -> Product:
    rows, cols = codes.shape
    stride = up(cols, beat)
    array = Array(f"{prefix}_codes{suffix}", rows * stride)
    matrix = Matrix(array, rows, cols, stride, w.format, 1.0)
    if w.mx is not None:
        matrix.mx_stride = up(mx.blocks(cols), beat)
        matrix.mx = Array(f"{prefix}_mx{suffix}", rows * matrix.mx_stride)
    bias = None if w.bias is None else Array(f"{prefix}_bias{suffix}", 4 * w.bias.size)
    scales = None if w.mx is not None else Array(f"{prefix}_scales{suffix}", 4 * rows)
    return Product(matrix, scales, bias)


# ---- in a query and in a recording --------------------------------------------------------------


class Memory:
    """Addresses of tensors in the arena and of constant arrays. Nobody reads there, but for arrays that layers check."""

    ARENA = 1 << 16  # at a page

    def __init__(self, tensors: dict[str, Tensor], plan, constants: dict[str, np.ndarray]) -> None:
        self.tensors, self.plan = tensors, plan
        self.next = up(self.ARENA + plan.activations, 4096)
        self.arrays: dict[str, int] = {}
        self.kept: list[Any] = []
        self.constants = {
            name: self.place(Array(f"constant {name}", len(rows) * plan.strides[name]))
            for name, rows in constants.items()
        }

    def place(self, array: Array) -> int:
        if array.name not in self.arrays:
            if array.values is not None:
                wide = np.zeros(array.values.nbytes + 64, np.uint8)
                start = -wide.ctypes.data % 64
                wide[start : start + array.values.nbytes] = array.values.view(np.uint8).reshape(-1)
                self.kept.append(wide)
                self.arrays[array.name] = wide.ctypes.data + start
            else:
                self.arrays[array.name] = self.next
                self.next = up(self.next + array.size, 4096)
        return self.arrays[array.name]

    def tensor(self, at: At, part: tuple[int, int] | None = None) -> Fields:
        """All of a tensor, or part i of so many rows."""
        its, name = self.tensors[at.tensor], at.tensor
        stride = self.plan.strides[name]
        address = self.constants.get(name, self.ARENA + self.plan.offsets.get(name, 0))
        scale = its.scale if at.scale is None else at.scale
        fields: Fields = {"rows": its.rows, "cols": its.cols, "stride": stride, "scale": scale}
        scales, first = 0, 0
        if its.mx:
            scales = up(mx.blocks(its.cols), self.plan.beat)
        if part is not None:
            first, fields["rows"] = part[0] * part[1], part[1]
        fields |= {"data": address + first * stride, "format": FORMAT_C[its.format]}
        if scales:
            fields |= {
                "mx": address + its.rows * stride + first * scales,
                "mx_stride": scales,
            }
        return fields

    def _value(self, value: Any, own: dict[str, Pointer]) -> Any:
        if isinstance(value, dict):
            return {name: self._value(one, own) for name, one in value.items()}
        if isinstance(value, Local):
            return own[value.name]
        if isinstance(value, Data):
            return own[value.name].fields["data"]
        if isinstance(value, Array):
            return self.place(value)
        return value.name if isinstance(value, Constant) else value

    def _local(self, local: At | Matrix | Product, part: tuple[int, int] | None) -> Pointer:
        if isinstance(local, At):
            return Pointer("fp8rt_tensor", self.tensor(local, part))
        if isinstance(local, Matrix):
            return Pointer("fp8rt_tensor", self._value(local.fields(), {}))
        codes = self._local(local.codes, part).fields
        return Pointer("fp8rt_weights", {"codes": codes, **self._value(local.vectors(), {})})

    def make(self, run, call: Call, label: str) -> None:
        """The call in a run of fp8mac.layers, for each of its parts."""
        for i in range(call.images):
            own = {
                name: self._local(local, (i, call.parts[name]) if name in call.parts else None)
                for name, local in call.locals.items()
            }
            run.call(call.function, call.kind, self._value(call.fields, own), label)
