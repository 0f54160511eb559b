# SPDX-License-Identifier: Apache-2.0
"""Conversions and dot products."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._arrays import Flags, as_array, codes, contiguous, operand, several, single, whole
from ._config import Config, make_config
from ._environment import own_environment
from ._formats import (
    Format,
    FormatLike,
    _from_entry,
    as_result,
    as_tensor,
    format_of,
    refuse,
    torch_of,
)
from ._tensors import Held, TorchDtype, held, is_typed

U64 = 2**64 - 1
COUNTER_LIMITS = (2**32 - 1, 2**32 - 1, 2**60 - 1)
GENERATORS = ("threefry", "simon")


def _mode(
    rounding: str,
    overflow: str,
    random_bits: int | None,
    inexact_flags: bool = False,
    generator: str = "threefry",
) -> tuple[str, str, int, bool, int]:
    if any(not isinstance(name, str) or "\0" in name for name in (rounding, overflow)):
        raise refuse("ROUNDING", "rounding and overflow are names: 'nearest-even', 'saturate'")
    if random_bits is None:
        random_bits = 16 if rounding == "stochastic" else 0
    bits = whole("random_bits", random_bits, 0, 24, "ROUNDING")
    if generator not in GENERATORS:
        raise refuse("ROUNDING", f"generator is {generator!r} and must be one of {GENERATORS}")
    return rounding, overflow, bits, bool(inexact_flags), GENERATORS.index(generator)


def _random(random: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.uint32] | None:
    if random is None:
        return None
    array = as_array("random", random)
    if array.dtype.kind not in "iu" or array.shape != shape:
        raise refuse(
            "ROUNDING",
            f"random holds {array.dtype.name} of shape {array.shape} and must hold whole numbers of "
            f"shape {shape}",
        )
    if array.size and (int(array.min()) < 0 or int(array.max()) >= 2**24):
        raise refuse("ROUNDING", "random must be in 0..2**random_bits - 1")
    return contiguous(array.astype(np.uint32))


def _table(table: ArrayLike | None) -> NDArray[np.uint8] | None:
    if table is None:
        return None
    codes = as_array("d_table", table)
    if codes.shape != (256,) or codes.dtype.itemsize != 1:
        raise refuse("SHAPE", f"d_table has shape {codes.shape} and must be 256 codes of one byte")
    return contiguous(codes.view(np.uint8))


def _values(x: ArrayLike, source: FormatLike) -> tuple[np.ndarray, Format | None]:
    """What is to be converted: codes with their format, or float64 with None."""
    array, own, kind = held("x", x)
    if source is None and own is None:
        if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
            return contiguous(array.astype(np.float64)), None
        if not is_typed(x) and array.dtype.kind in "iu":  # Python's own numbers
            return contiguous(array.astype(np.float64)), None
        raise refuse(
            "FORMAT",
            f"x holds {kind}; give float16, float32, float64, a type of ml_dtypes, or codes "
            "and their format as source",
        )
    return codes("x", Held(array, own, kind), source)


def _is_float64(what: FormatLike) -> bool:
    return (
        what is float
        or (torch_of(what) is not None and str(what) == "torch.float64")
        or (isinstance(what, str) and what == "float64")
        or (not isinstance(what, (str, Format)) and what is not None and _dtype(what) == np.float64)
    )


def _dtype(what: Any) -> np.dtype | None:
    try:
        return np.dtype(what).newbyteorder("=")
    except TypeError:
        return None


def _as_values(x: np.ndarray, what: Any, like: Any) -> Any:
    """float32 or float64 as the type that was asked for: a tensor if that is a dtype of PyTorch."""
    torch = torch_of(what)
    if torch is not None:
        return as_tensor(torch, x, what, like)
    return x.astype(np.dtype(what), copy=False)


def _value_dtype(what: Any) -> np.dtype:
    """The type in NumPy of values that are asked for as a dtype of NumPy or PyTorch."""
    try:
        found = np.dtype(str(what).removeprefix("torch.") if torch_of(what) else what)
    except TypeError:
        raise refuse("FORMAT", f"dtype is {what!r} and must be float32 or float64") from None
    return found.newbyteorder("=")


def _shaped(out: Any, flags: int, return_flags: bool) -> Any:
    return (out, Flags(flags)) if return_flags else out


class CastOptions(TypedDict, total=False):
    """The arguments of cast that do not decide the type of its result."""

    source: FormatLike
    scale: float | None
    rounding: str
    overflow: str
    random_bits: int | None
    seed: int
    random: ArrayLike | None
    counter: tuple[int, int, int]
    generator: str
    inexact_flags: bool


def _as_float64(values: NDArray[Any], known: Format | None) -> NDArray[Any]:
    out = np.empty(values.shape, np.float64)
    if known is None:
        out[...] = values
    else:
        _core.convert_to_double(out, known._entry, values)
    return out


def _as_float32(values: NDArray[Any], known: Format | None) -> NDArray[Any]:
    if known is None:
        raise refuse(
            "FORMAT",
            "x holds float64, and a scale multiplies float32: x must be float32 or narrower",
        )
    if known.name == "float32":
        return values
    wide, plain = np.empty(values.shape, np.uint32), ("nearest-even", "saturate", 0)
    _core.convert("float32", wide, known._entry, values, plain, None, 0, 0, 0, 0)
    return wide


@overload
def cast(
    x: ArrayLike, format: TorchDtype, *, return_flags: bool = False, **options: Unpack[CastOptions]
) -> Any: ...
@overload
def cast(
    x: ArrayLike,
    format: FormatLike,
    *,
    return_flags: Literal[False] = False,
    **options: Unpack[CastOptions],
) -> NDArray[Any]: ...
@overload
def cast(
    x: ArrayLike,
    format: FormatLike,
    *,
    return_flags: Literal[True],
    **options: Unpack[CastOptions],
) -> tuple[NDArray[Any], Flags]: ...
@overload
def cast(
    x: ArrayLike, format: FormatLike, *, return_flags: bool, **options: Unpack[CastOptions]
) -> NDArray[Any] | tuple[NDArray[Any], Flags]: ...
@own_environment
def cast(
    x: ArrayLike,
    format: FormatLike,
    *,
    source: FormatLike = None,
    scale: float | None = None,
    rounding: str = "nearest-even",
    overflow: str = "saturate",
    random_bits: int | None = None,
    seed: int = 0,
    random: ArrayLike | None = None,
    counter: tuple[int, int, int] = (0, 0, 0),
    generator: str = "threefry",
    return_flags: bool = False,
    inexact_flags: bool = False,
) -> NDArray[Any] | tuple[NDArray[Any], Flags]:
    """Converts to a format and rounds once.

    x         values (float16, float32, float64, Python's numbers), an array of an ml_dtypes type, or codes with `source`;
              a tensor of PyTorch, or an object with __dlpack__
    format    a name, a Format, or a dtype; the package's documentation says which type the result then has. A dtype of
              PyTorch gives a tensor, on the device of x if that is a tensor
    scale     x is multiplied by it first, in one float32 product; x must then be float32 or narrower
    rounding  "nearest-even", "toward-zero" or "stochastic"
    overflow  "saturate", "saturate-finite" or "ieee"
    inexact_flags  the flags, which return_flags returns, are to have INEXACT and UNDERFLOW; this is slower
    For stochastic rounding:
    random_bits  bits of one rounding (16)
    seed         the generator's key
    random       the random bits themselves, one number for each element
    counter      (m, n, step), the generator's counter of the first element
    generator    "threefry", or "simon", the accelerator's generator: at most 16 random bits, step 0
    """
    how = _mode(rounding, overflow, random_bits, inexact_flags, generator)
    values, known = _values(x, source)
    factor = None if scale is None else single("scale", scale)
    if _is_float64(format):
        if scale is not None or rounding != "nearest-even":
            raise refuse(
                "FORMAT",
                "float64 holds every value as it is: neither scale nor rounding can be given",
            )
        return _shaped(_as_values(_as_float64(values, known), format, x), 0, return_flags)
    if random is not None and rounding != "stochastic":
        raise refuse("ROUNDING", f"random is for stochastic rounding, and rounding is {rounding!r}")
    to = format_of(format)
    out = np.empty(values.shape, to.code_dtype)
    place = tuple(
        whole("counter", number, 0, limit, "ROUNDING")
        for number, limit in zip(several("counter", counter, 3, "ROUNDING"), COUNTER_LIMITS)
    )
    draw = (_random(random, values.shape), whole("seed", seed, 0, U64, "ROUNDING"), *place)
    flags = 0
    if factor is not None:
        values = _as_float32(values, known)
        if rounding != "stochastic":
            flags = _core.quantize(to._entry, out, values, factor, how)
            return _shaped(as_result(out, format, to, x), flags, return_flags)
        product = np.empty(values.shape, np.uint32)
        plain = _mode("nearest-even", "saturate", 0, inexact_flags)
        flags = _core.quantize("float32", product, values, factor, plain)
        values, known = product, format_of("float32")
    if known is None:
        flags |= _core.convert_from_double(to._entry, out, values, how, *draw)
    else:
        flags |= _core.convert(to._entry, out, known._entry, values, how, *draw)
    return _shaped(as_result(out, format, to, x), flags, return_flags)


@overload
def decode(
    x: ArrayLike, format: FormatLike = None, *, scale: float | None = None, dtype: TorchDtype
) -> Any: ...
@overload
def decode(
    x: ArrayLike,
    format: FormatLike = None,
    *,
    scale: float | None = None,
    dtype: DTypeLike = np.float32,
) -> NDArray[Any]: ...
@own_environment
def decode(
    x: ArrayLike,
    format: FormatLike = None,
    *,
    scale: float | None = None,
    dtype: DTypeLike | TorchDtype = np.float32,
) -> NDArray[Any]:
    """The values of codes, times `scale` (one float32 product), as float32 or float64.

    x is an array or a tensor, of a type that is a format, or of codes with `format`. A dtype of PyTorch gives a tensor.

    Without a scale the result is exact, except that float32 cannot hold every value of a format with a far bias.
    """
    values, known = codes("x", x, format)
    kind = _value_dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise refuse("FORMAT", f"dtype is {kind.name} and must be float32 or float64")
    if kind == np.float64 and scale is None:
        out = np.empty(values.shape, np.float64)
        _core.convert_to_double(out, known._entry, values)
        return _as_values(out, dtype, x)
    product = np.empty(values.shape, np.float32)
    if scale is None:
        _core.convert(
            "float32",
            product,
            known._entry,
            values,
            ("nearest-even", "saturate", 0),
            None,
            0,
            0,
            0,
            0,
        )
    else:
        _core.dequantize(product, known._entry, values, single("scale", scale))
    return _as_values(product.astype(kind), dtype, x)


def _operand_formats(
    a: Held, b: Held, a_format: FormatLike, b_format: FormatLike, both: FormatLike
) -> tuple[FormatLike, FormatLike]:
    """The formats of both operands. One that is not given is that of the array's type, if a code has at most 8 bits."""
    own_a, own_b = (x.own if x.array.dtype.itemsize == 1 else None for x in (a, b))
    first = a_format if a_format is not None else both if both is not None else own_a
    second = b_format if b_format is not None else both if both is not None else own_b
    return first, second


def _spread(array: np.ndarray, shape: tuple[int, ...], fixed: int) -> np.ndarray | None:
    """The array broadcast to a shape whose last `fixed` dimensions it must have, or None."""
    if array.shape[-fixed:] != shape[-fixed:]:
        return None
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        return None


def _scales(
    name: str, x: ArrayLike | None, shape: tuple[int, ...], fixed: int
) -> NDArray[np.uint8] | None:
    """E8M0 block scales. The dimensions before the last `fixed` are those of the batch."""
    if x is None:
        return None
    array = codes(name, x, "e8m0fnu")[0]
    spread = _spread(array, shape, fixed)
    if spread is None:
        raise refuse(
            "SHAPE",
            f"{name} has the shape {array.shape} and must have {shape}, one scale for every 32 terms",
        )
    return contiguous(spread)


def _accumulators(x: ArrayLike | None, how: Config, shape: tuple[int, ...]) -> np.ndarray | None:
    """Codes of the accumulators to begin with: of every output, or one for all."""
    if x is None:
        return None
    entry = _core.acc_format(how._capsule)
    if entry is None:
        raise refuse("ACCUMULATOR", "fixed and int32 accumulators cannot be loaded")
    known, array = _from_entry(entry), as_array("acc", x)
    if not (is_typed(x) or isinstance(x, np.generic)) or array.dtype.kind == "f":
        values = contiguous(array.astype(np.float64))
        array = np.empty(values.shape, known.code_dtype)
        plain = _mode("nearest-even", "saturate", 0, True)
        draw = (None, 0, 0, 0, 0)
        flags = Flags(_core.convert_from_double(known._entry, array, values, plain, *draw))
        if Flags.INEXACT in flags:
            raise refuse("FORMAT", f"acc holds values that {known.name} cannot hold")
    array = codes("acc", array, known)[0]
    try:
        return contiguous(np.broadcast_to(array, shape))
    except ValueError:
        raise refuse(
            "SHAPE", f"acc has the shape {array.shape} and must have {shape}, or one value"
        ) from None


DotResult: TypeAlias = NDArray[np.float32] | np.float32


# `others` are the other arguments of the function, among them the settings of a Config.
@overload
def dot(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    dtype: TorchDtype,
    return_flags: bool = False,
    **others: Any,
) -> Any: ...
@overload
def dot(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    return_flags: Literal[False] = False,
    **others: Any,
) -> DotResult: ...
@overload
def dot(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    return_flags: Literal[True],
    **others: Any,
) -> tuple[DotResult, Flags]: ...
@overload
def dot(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    return_flags: bool,
    **others: Any,
) -> DotResult | tuple[DotResult, Flags]: ...
@own_environment
def dot(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    preset: str | None = None,
    format: FormatLike = None,
    a_format: FormatLike = None,
    b_format: FormatLike = None,
    acc: ArrayLike | None = None,
    mx_a: ArrayLike | None = None,
    mx_b: ArrayLike | None = None,
    origin: tuple[int, int] = (0, 0),
    dtype: DTypeLike | TorchDtype = np.float32,
    return_flags: bool = False,
    inexact_flags: bool = False,
    **settings: Any,
) -> DotResult | tuple[DotResult, Flags]:
    """Dot products of vectors of codes as float32, bit for bit as a configuration computes them.

    a, b      vectors, or batches of them: K is the last dimension, the others are broadcast as NumPy's are
    acc       the accumulators to begin with, the C operand of a matrix instruction: codes of the accumulator's format
              (float32 for e8m13 and with `promote`), or values that it holds; +0 by default
    mx_a, mx_b     E8M0 block scales, one for every 32 terms: of each vector, or the same for all
    origin    (m, n) for the generator of stochastic rounding; the next product of a batch has m + 1
    dtype     np.float32, or torch.float32: the result is then a tensor
    inexact_flags  the flags, which return_flags returns, are to have INEXACT and UNDERFLOW

    The configuration is a Config or the name of a preset. Settings (see Config) change it, or stand alone. The result
    is a float32, or an array with the batch's shape.
    """
    given = held("a", a), held("b", b)
    both_formats = _operand_formats(*given, a_format, b_format, format)
    how = make_config(config, preset, settings, *both_formats)
    first, second = operand("a", given[0], how.a_format), operand("b", given[1], how.b_format)
    if first.ndim < 1 or second.ndim < 1:
        raise refuse("SHAPE", "a and b must have one dimension at least")
    k = first.shape[-1]
    if k != second.shape[-1]:
        raise refuse("SHAPE", f"the lengths disagree: a has {k} terms and b {second.shape[-1]}")
    try:
        shape = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
    except ValueError:
        raise refuse(
            "SHAPE", f"the shapes disagree: a is {first.shape} and b {second.shape}"
        ) from None
    if k == 0 or 0 in shape:
        raise refuse("SHAPE", "a and b have no terms; one is the least")
    if _value_dtype(dtype) != np.float32:
        raise refuse("FORMAT", f"dtype is {dtype} and must be float32")
    blocks = (*shape, -(-k // 32))
    m, n = (whole("origin", number, 0, 2**32 - 1) for number in several("origin", origin, 2))
    every = [contiguous(np.broadcast_to(x, (*shape, k))) for x in (first, second)]
    out = np.empty(shape, np.float32)
    flags = _core.dot(
        config=how._capsule,
        count=out.size,
        k=k,
        a=(every[0], None, _scales("mx_a", mx_a, blocks, 1)),
        b=(every[1], None, _scales("mx_b", mx_b, blocks, 1)),
        acc=_accumulators(acc, how, shape),
        m=m,
        n=n,
        out=out,
        inexact=bool(inexact_flags),
    )
    result = _as_values(out, dtype, a)
    return _shaped(result[()] if isinstance(result, np.ndarray) else result, flags, return_flags)
