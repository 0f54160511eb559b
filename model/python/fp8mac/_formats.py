# SPDX-License-Identifier: Apache-2.0
"""Formats as data, and their names in NumPy and ml_dtypes."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from . import _core
from ._core import Error
from ._environment import own_environment

NAN_ENCODINGS = ("none", "ieee", "all-ones", "negative-zero")
EXPONENT_ZEROS = ("subnormal", "at-bias", "normal")
ML_DTYPES_PREFIXES = ("float8_", "float6_", "float4_")
NUMPY_NAMES = ("float16", "float32", "float64")


def refuse(status: str, message: str) -> Error:
    """The Error to raise for an argument that is refused before it reaches the library."""
    error = Error(f"{message}.")
    error.status = "FP8MAC_ERR_" + status
    return error


@dataclasses.dataclass(frozen=True)
class Record:
    """One code taken apart: (-1)^sign * significand * 2^(exponent - mantissa_bits) if it is finite."""

    code: int
    cls: str  # "zero", "finite", "inf", "nan"
    sign: bool
    subnormal: bool
    exponent: int
    significand: int
    value: float  # exact
    text: str  # every digit


@dataclasses.dataclass(frozen=True)
class Format:
    """One format. Layout of a code, from the top: sign, exponent, mantissa. An impossible format is refused with the reason."""

    name: str
    is_signed: bool
    exponent_bits: int
    mantissa_bits: int
    bias: int
    has_inf: bool
    has_negative_zero: bool
    nan_encoding: str = "ieee"
    exponent_zero: str = "subnormal"

    @own_environment
    def __post_init__(self) -> None:
        if self.nan_encoding not in NAN_ENCODINGS:
            raise refuse(
                "FORMAT",
                f"nan_encoding {self.nan_encoding!r} is unknown; choose from {', '.join(NAN_ENCODINGS)}",
            )
        if self.exponent_zero not in EXPONENT_ZEROS:
            raise refuse(
                "FORMAT",
                f"exponent_zero {self.exponent_zero!r} is unknown; choose from {', '.join(EXPONENT_ZEROS)}",
            )
        if not isinstance(self.name, str) or not self.name.isprintable():
            raise refuse("FORMAT", f"name is {self.name!r} and must be text")
        try:
            _core.format(self._entry)
        except (TypeError, OverflowError) as error:
            raise refuse("FORMAT", f"a field of the format is wrong: {error}") from None

    @functools.cached_property
    def _entry(self) -> tuple[Any, ...]:
        return (
            self.name,
            self.is_signed,
            self.exponent_bits,
            self.mantissa_bits,
            self.bias,
            self.has_inf,
            self.has_negative_zero,
            NAN_ENCODINGS.index(self.nan_encoding),
            EXPONENT_ZEROS.index(self.exponent_zero),
        )

    @functools.cached_property
    def _facts(self) -> tuple[int, int, int, int]:
        return _core.format_facts(self._entry)

    @property
    def bits(self) -> int:
        """Width of a code."""
        return self._facts[0]

    @property
    def bytes(self) -> int:
        """Size of a code's container: 1, 2 or 4."""
        return self._facts[1]

    @property
    def max_code(self) -> int:
        """Code of the largest finite value."""
        return self._facts[2]

    @property
    def nan_code(self) -> int:
        """Code of the positive NaN that is written; 0 if the format has none."""
        return self._facts[3]

    @property
    def max(self) -> float:
        """The largest finite value."""
        return self.record(self.max_code).value

    @property
    def code_dtype(self) -> np.dtype:
        """The unsigned integer that holds a code."""
        return np.dtype(f"u{self.bytes}")

    @own_environment
    def record(self, code: int) -> Record:
        """Takes one code apart."""
        if not 0 <= int(code) < 1 << self.bits:
            raise refuse(
                "FORMAT", f"code {code} is no code of {self.name}, which has {self.bits} bits"
            )
        return Record(*_core.record(self._entry, int(code)))

    @own_environment
    def with_bias(self, bias: int) -> Format:
        """The format with another bias, if its bias is flexible."""
        return _from_entry(_core.format(f"{self.name}:{int(bias)}"))


FormatLike: TypeAlias = Any  # a name, a Format, what numpy.dtype takes, or a dtype of PyTorch


def _from_entry(entry: tuple[Any, ...]) -> Format:
    fields = {field.name: value for field, value in zip(dataclasses.fields(Format), entry)}
    names = {
        "nan_encoding": NAN_ENCODINGS[fields["nan_encoding"]],
        "exponent_zero": EXPONENT_ZEROS[fields["exponent_zero"]],
    }
    return Format(**(fields | names))


#: Every built-in format by name.
formats: Mapping[str, Format] = MappingProxyType(
    {entry[0]: _from_entry(entry) for entry in _core.formats()}
)


def torch_of(*things: Any) -> Any:
    """The module torch if one of these is its tensor or its dtype, else None. A program that has one has imported it."""
    torch = sys.modules.get("torch")
    kinds = (torch.Tensor, torch.dtype) if torch is not None else ()
    return torch if any(isinstance(thing, kinds) for thing in things) else None


def format_of_dtype(dtype: np.dtype) -> Format | None:
    """The format whose codes an array of that type holds, or None for integers and others."""
    name = dtype.name
    for prefix in ML_DTYPES_PREFIXES:
        name = name.removeprefix(prefix)
    if name in formats and (dtype.kind != "i" or name == "int8"):
        return formats[name]
    return None


@own_environment
def format_of(what: FormatLike) -> Format:
    """The Format that a name ("e4m3fn", "cfloat8_e4m3:9"), a Format, or a dtype of NumPy or PyTorch stands for."""
    if isinstance(what, Format):
        return what
    if torch_of(what):
        what = str(what).removeprefix("torch.")
    if isinstance(what, str) and what.isascii() and what.isprintable():
        for prefix in ML_DTYPES_PREFIXES:
            what = what.removeprefix(prefix)
        return formats[what] if what in formats else _from_entry(_core.format(what))
    try:
        found = None if isinstance(what, str) else format_of_dtype(np.dtype(what))
    except TypeError:
        found = None
    if found is None:
        raise refuse(
            "FORMAT",
            f"format {what!r} is unknown; choose from {', '.join(formats)}, and ml_dtypes' types of these",
        )
    return found


def as_tensor(torch: Any, x: np.ndarray, dtype: Any, like: Any) -> Any:
    """A tensor with the bytes of an array, on the device of `like` if that is a tensor."""
    raw = torch.from_numpy(np.ascontiguousarray(x).reshape(x.shape).view(f"i{x.dtype.itemsize}"))
    device = like.device if isinstance(like, torch.Tensor) else "cpu"
    return raw.view(dtype).to(device)


def as_result(codes: np.ndarray, what: FormatLike, entry: Format, like: Any = None) -> Any:
    """Codes as the type of a result whose format was asked for as `what`; `like` is an operand.

    NumPy has no bfloat16: it is ml_dtypes' where that is installed, else float32, which holds every bfloat16.
    """
    torch = torch_of(what)
    if torch is not None:
        return as_tensor(torch, codes, what, like)
    if not isinstance(what, (str, Format)):
        dtype = np.dtype(what)
        return codes.view(dtype.newbyteorder("=")).astype(dtype, copy=False)
    if entry == formats["bfloat16"]:
        try:
            return codes.view(np.dtype(importlib.import_module("ml_dtypes").bfloat16))
        except ImportError:
            return (codes.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return codes.view(entry.name) if entry.name in NUMPY_NAMES else codes
