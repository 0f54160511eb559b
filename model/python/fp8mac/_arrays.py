# SPDX-License-Identifier: Apache-2.0
"""Arrays as the library takes them: contiguous codes or values, and their format."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._formats import Format, FormatLike, format_of, refuse
from ._tensors import held, is_typed


class Flags(enum.IntFlag):
    """The exceptions that occurred in a call, over all elements."""

    INVALID = 1  # Inf * 0, Inf - Inf
    OVERFLOW = 2  # finite operands gave Inf, or NaN where there is no Inf
    SATURATED = 4  # the largest value was written for anything larger
    NAN = 8  # a NaN among the operands
    # Raised only with inexact_flags=True:
    INEXACT = 16  # what was written differs from the exact result
    UNDERFLOW = 32  # inexact, and below the smallest normal number after rounding


FLOAT32_LIMIT = 2.0**128 - 2.0**103  # what rounds to infinity in float32


def as_array(name: str, x: Any) -> NDArray[Any]:
    """Values. bfloat16, which NumPy does not have, becomes float32; FP8 of PyTorch has no values without its format."""
    array, own, kind = held(name, x)
    if own is None or array.dtype.kind != "u":
        return array
    if own.name != "bfloat16":
        raise refuse("FORMAT", f"{name} holds {kind}, and its values are wanted in a wider type")
    return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)


def contiguous(x: np.ndarray) -> np.ndarray:
    return np.require(x, requirements=["C", "A"])


def codes(name: str, x: Any, what: FormatLike) -> tuple[NDArray[Any], Format]:
    """An array of codes as unsigned integers, and its format: `what`, or the format of its type."""
    array, own, kind = held(name, x)
    known = format_of(what) if what is not None else own
    if known is None:
        raise refuse(
            "FORMAT",
            f"{name} holds {kind}, which says no format: give one, or an array of ml_dtypes' or PyTorch's types",
        )
    if own is not None and own.bytes == known.bytes:
        if own != known:
            raise refuse("FORMAT", f"{name} holds {kind}, and its format was given as {known.name}")
    elif own is not None or array.dtype.kind not in "iu" or array.dtype.itemsize != known.bytes:
        raise refuse(
            "FORMAT",
            f"{name} holds {kind}; codes of {known.name} are {known.code_dtype.name} or its own type",
        )
    # np.require keeps 0-dimensional arrays as they are, and a view needs only the type.
    array = contiguous(array).view(known.code_dtype)
    if known.bits < 8 * known.bytes and array.size and int(array.max()) >> known.bits:
        raise refuse(
            "FORMAT",
            f"{name} holds 0x{int(array.max()):x}, which is no code of {known.name}, which has {known.bits} bits",
        )
    return array, known


def operand(name: str, x: Any, known: Format) -> NDArray[np.uint8]:
    """Codes of a dot product's operand."""
    return codes(name, x, known)[0]


def float32(name: str, x: ArrayLike) -> NDArray[np.float32]:
    """Values as float32. Types that float32 cannot hold are refused; Python's numbers are rounded."""
    array = as_array(name, x)
    if array.dtype.kind not in "fiu" or (
        is_typed(x) and array.dtype not in (np.float32, np.float16)
    ):
        raise refuse("FORMAT", f"{name} holds {array.dtype.name} and must hold float32")
    if array.dtype.kind == "f" and array.dtype.itemsize > 4:
        far = array[np.isfinite(array) & (np.abs(array) >= FLOAT32_LIMIT)]
        if far.size:
            raise refuse("FORMAT", f"{name} holds {far.flat[0]}, which is too large for float32")
    return contiguous(array.astype(np.float32))


def single(name: str, x: Any, status: str = "SCALE") -> float:
    """A number that becomes a float32. Infinity and NaN are left to the function that takes it."""
    try:
        number = None if isinstance(x, (str, bytes, bytearray)) else float(x)
    except (TypeError, ValueError):
        number = None
    except OverflowError:
        number = FLOAT32_LIMIT
    if number is None:
        raise refuse(status, f"{name} is {x!r} and must be a number")
    if FLOAT32_LIMIT <= abs(number) < math.inf:
        raise refuse(status, f"{name} is {x!r}, which is too large for float32")
    return number


def several(name: str, x: Any, count: int, status: str = "SHAPE") -> tuple[Any, ...]:
    """So many numbers. The caller checks each."""
    try:
        numbers = () if isinstance(x, (str, bytes, bytearray)) else tuple(x)
    except TypeError:
        numbers = ()
    if len(numbers) != count:
        raise refuse(status, f"{name} is {x!r} and must be {count} numbers")
    return numbers


def whole(name: str, x: Any, low: int, high: int, status: str = "SHAPE") -> int:
    """A Python integer in a range."""
    try:
        number = x.__index__()
    except AttributeError:
        raise refuse(status, f"{name} is {x!r} and must be a whole number") from None
    if not low <= number <= high:
        raise refuse(status, f"{name} is {number} and must be in {low}..{high}")
    return number
