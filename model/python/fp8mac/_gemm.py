# SPDX-License-Identifier: Apache-2.0
"""GEMMs."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Flags, codes, contiguous, float32, operand, several, single, whole
from ._config import Config, make_config
from ._environment import own_environment
from ._formats import Format, FormatLike, as_result, format_of, formats, refuse
from ._operations import _accumulators, _mode, _operand_formats, _scales, _spread, _table
from ._tensors import TorchDtype, held, is_typed
from .register_codes import Activation, DFormat

D_FORMATS = tuple(formats[name] for name in DFormat.words())


@dataclasses.dataclass(frozen=True)
class GemmResult:
    """D, with its amax and flags."""

    d: NDArray[Any]
    amax: np.float32  # of the finite outputs before scale_d
    amax_nonfinite: bool  # some output was Inf or NaN
    flags: Flags
    scales: NDArray[np.uint8] | None = None  # of MX codes, where D has been given these


def _matrices(name: str, x: np.ndarray) -> np.ndarray:
    if x.ndim < 2 or 0 in x.shape:
        raise refuse(
            "SHAPE",
            f"{name} has the shape {x.shape} and must be a matrix with an element at least, or a batch of them",
        )
    return x


def _batch(a: np.ndarray, b: np.ndarray) -> tuple[int, ...]:
    """The dimensions before those of the matrices, broadcast as numpy.matmul does."""
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise refuse(
            "SHAPE", f"the batches disagree: a is {a.shape} and b {b.shape}, matrices last"
        ) from None


def _vector(
    name: str, x: ArrayLike | None, batch: tuple[int, ...], n: int, one_too: bool
) -> NDArray[np.float32] | None:
    """A vector for each matrix of the batch, or one for all; `one_too`: one value instead of n."""
    if x is None:
        return None
    array = float32(name, x)
    if one_too and array.size == 1:
        return np.broadcast_to(array.reshape(1), (*batch, 1))
    spread = _spread(array, (*batch, n), 1)
    if spread is None and one_too and batch:
        spread = _spread(array, (*batch, 1), 1)
    if spread is None:
        good = ("one value or " if one_too else "") + f"({n},)"
        good += f", or these for a batch of {batch}" if batch else ""
        raise refuse("SHAPE", f"{name} has the shape {array.shape} and must have {good}")
    return spread


def _scale_vector(
    name: str, x: ArrayLike | None, batch: tuple[int, ...], n: int
) -> NDArray[np.float32] | None:
    array = _vector(name, x, batch, n, True)
    if array is not None and not np.all((array > 0) & np.isfinite(array)):
        bad = array[~((array > 0) & np.isfinite(array))].flat[0]
        raise refuse("SCALE", f"{name} holds {bad}; a scale must be finite and greater than zero")
    return array


def _addend(
    c: ArrayLike | None, c_format: FormatLike, batch: tuple[int, ...], m: int, n: int
) -> tuple[np.ndarray | None, Format]:
    if c is None:
        return None, format_of("float32")
    array, known = codes("c", c if is_typed(c) else np.asarray(c, np.float32), c_format)
    if known not in (formats["float16"], formats["bfloat16"], formats["float32"]):
        raise refuse("FORMAT", f"c holds {known.name} and must hold float16, bfloat16 or float32")
    spread = _spread(array, (*batch, m, n), 2)
    if spread is None:
        good = f"({m}, {n})" + (f" or {(*batch, m, n)}" if batch else "")
        raise refuse("SHAPE", f"c has the shape {array.shape} and must have {good}")
    return spread, known


def _activation(
    activation: str | None, clamp: tuple[float, float] | None
) -> tuple[int, float, float]:
    name = activation or ("clamp" if clamp is not None else "none")
    if name not in Activation.words():
        raise refuse(
            "ACTIVATION",
            f"activation {activation!r} is unknown; choose from {', '.join(Activation.words())}",
        )
    if (name == "clamp") != (clamp is not None):
        raise refuse(
            "ACTIVATION", "the activation clamp needs clamp=(low, high), and no other takes it"
        )
    bounds = (0.0, 0.0) if clamp is None else several("clamp", clamp, 2, "ACTIVATION")
    low, high = (single("clamp", bound, "ACTIVATION") for bound in bounds)
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise refuse(
            "ACTIVATION",
            f"clamp is ({low}, {high}); both bounds must be finite, the lower one first",
        )
    return Activation.of(name), low, high


def output_format(d_format: FormatLike) -> Format:
    known = format_of(d_format)
    if known not in D_FORMATS:
        good = ", ".join(one.name for one in D_FORMATS)
        raise refuse("FORMAT", f"d_format is {known.name} and must be one of {good}")
    return known


def _product(
    a: ArrayLike,
    b: ArrayLike,
    formats: tuple[FormatLike, FormatLike, FormatLike],
    config: Config | str | None,
    preset: str | None,
    settings: dict[str, Any],
) -> tuple[Config, NDArray[Any], NDArray[Any]]:
    """The configuration, and both operands as matrices."""
    given = held("a", a), held("b", b)
    how = make_config(config, preset, settings, *_operand_formats(*given, *formats))
    first = _matrices("a", operand("a", given[0], how.a_format))
    second = _matrices("b", operand("b", given[1], how.b_format))
    if first.shape[-1] != second.shape[-1]:
        raise refuse(
            "SHAPE",
            f"the shapes disagree: a is {first.shape} and b {second.shape}, both with K last",
        )
    return how, first, second


def _source(
    c: ArrayLike | None,
    c_format: FormatLike,
    beta: float | None,
    batch: tuple[int, ...],
    m: int,
    n: int,
) -> tuple[NDArray[Any] | None, float, Format]:
    """C, its factor and its format"""
    addend, known = _addend(c, c_format, batch, m, n)
    if addend is None and beta:
        raise refuse("NULL", "beta needs c")
    factor = single("beta", beta) if beta is not None else float(addend is not None)
    if not np.isfinite(factor):
        raise refuse("SCALE", f"beta is {beta} and must be finite")
    return addend, factor, known


def _finish(
    activation: str | None,
    clamp: tuple[float, float] | None,
    scale_d: float,
    d_table: ArrayLike | None,
    origin: tuple[int, int],
) -> dict[str, Any]:
    """What becomes of an output before it is stored, and where it lies"""
    act, low, high = _activation(activation, clamp)
    scale = _scale_vector("scale_d", [scale_d], (), 1)
    assert scale is not None
    place = [whole("origin", number, 0, 2**32 - 1) for number in several("origin", origin, 2)]
    return dict(
        activation=act,
        clamp_lo=low,
        clamp_hi=high,
        scale_d=float(scale[0]),
        d_table=_table(d_table),
        origin_m=place[0],
        origin_n=place[1],
    )


def _side(
    name: str,
    codes: NDArray[Any],
    scale: ArrayLike | None,
    mx: ArrayLike | None,
    batch: tuple[int, ...],
) -> tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any] | None]:
    """Codes, scales of rows and scales of blocks of one operand, for the whole batch"""
    rows, k = codes.shape[-2:]
    return (
        np.broadcast_to(codes, (*batch, rows, k)),
        _scale_vector(f"scale_{name}", scale, batch, rows),
        _scales(f"mx_{name}", mx, (*batch, rows, -(-k // 32)), 2),
    )


def _products(
    how: Config, each: tuple[NDArray[Any] | None, ...], d: NDArray[Any], **common: Any
) -> tuple[np.float32, bool, Flags]:
    """Computes the matrices of a batch. Returns amax, whether it saw NaN or Inf, and the flags."""
    assert each[0] is not None
    m, n, k = *d.shape[-2:], each[0].shape[-1]
    amax, nonfinite, flags = np.float32(0), False, 0
    for at in np.ndindex(d.shape[:-2]):
        one = [None if x is None else contiguous(x[at]) for x in each]
        greatest, infinite, raised = _core.gemm(
            config=how._capsule,
            m=m,
            n=n,
            k=k,
            a=tuple(one[0:3]),
            b=tuple(one[3:6]),
            bias=one[6],
            c=one[7],
            acc=one[8],
            d=d[at],
            **common,
        )
        amax = max(amax, np.float32(greatest))
        nonfinite, flags = nonfinite or infinite, flags | raised
    return amax, nonfinite, Flags(flags)


@overload
def gemm(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    d_format: TorchDtype,
    return_result: bool = False,
    **others: Any,
) -> Any: ...
@overload
def gemm(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    return_result: Literal[False] = False,
    **others: Any,
) -> NDArray[Any]: ...
@overload
def gemm(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    return_result: Literal[True],
    **others: Any,
) -> GemmResult: ...
@overload
def gemm(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    return_result: bool,
    **others: Any,
) -> NDArray[Any] | GemmResult: ...
@own_environment
def gemm(
    a: ArrayLike,
    b: ArrayLike,
    config: Config | str | None = None,
    *,
    preset: str | None = None,
    format: FormatLike = None,
    a_format: FormatLike = None,
    b_format: FormatLike = None,
    scale_a: ArrayLike | None = None,
    scale_b: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    beta: float | None = None,
    c: ArrayLike | None = None,
    c_format: FormatLike = None,
    activation: str | None = None,
    clamp: tuple[float, float] | None = None,
    d_format: FormatLike = "float32",
    scale_d: float = 1.0,
    rounding: str = "nearest-even",
    overflow: str = "saturate",
    d_random_bits: int | None = None,
    d_generator: str = "threefry",
    d_table: ArrayLike | None = None,
    mx_a: ArrayLike | None = None,
    mx_b: ArrayLike | None = None,
    acc: ArrayLike | None = None,
    origin: tuple[int, int] = (0, 0),
    return_result: bool = False,
    inexact_flags: bool = False,
    **settings: Any,
) -> NDArray[Any] | GemmResult:
    """D = convert(act(a @ b.T * (scale_a * scale_b) + bias + beta * c) * scale_d)

    After the dot products, each operation is one float32 operation.

    a, b      M x K and N x K codes; a is multiplied by the transpose of b. Or batches of these matrices: the dimensions
              before the last two are broadcast as numpy.matmul does. Each matrix is computed as a call of its own, with
              the same origin. The arguments below may have the dimensions of the batch in front, and amax and flags are
              those of the whole batch
    scale_a   one value, or one for each row; scale_b likewise; all are finite and greater than zero. For a batch,
              (M,) is for all matrices, and B x 1 has one value for each
    bias      N float32 values
    c, beta   M x N float16, bfloat16 or float32; beta is 1 if c is given
    activation, clamp    "relu", or clamp=(low, high)
    d_format, rounding, overflow, d_random_bits, d_generator    as in cast; the seed is the setting `seed`; the format is
              e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, int8, float16, bfloat16 or float32. A dtype of PyTorch gives a tensor
    d_table   256 codes: D's code c becomes d_table[c]; D is then in one of the FP8 formats or int8
    acc       M x N accumulators to begin with, as in dot; c is added after the scales instead
    mx_a, mx_b           E8M0 block scales, M (N) x ceil(K / 32)
    origin    position of D[0, 0] in a larger output, for the generator of stochastic rounding

    The configuration is given as in dot. With return_result, the result is a GemmResult instead of D. With
    inexact_flags, its flags have INEXACT and UNDERFLOW too; this is slower.
    """
    how, first, second = _product(a, b, (a_format, b_format, format), config, preset, settings)
    m, n, batch = first.shape[-2], second.shape[-2], _batch(first, second)
    addend, factor, c_known = _source(c, c_format, beta, batch, m, n)
    d_known = output_format(d_format)
    mode = _mode(rounding, overflow, d_random_bits, False, d_generator)
    finish = _finish(activation, clamp, scale_d, d_table, origin)
    # Each with the dimensions of the batch first, so that one index selects a matrix's part of it.
    each = (
        *_side("a", first, scale_a, mx_a, batch),
        *_side("b", second, scale_b, mx_b, batch),
        _vector("bias", bias, batch, n, False),
        addend,
        _accumulators(acc, how, (*batch, m, n)),
    )
    d = np.empty((*batch, m, n), d_known.code_dtype)
    formats = dict(c_format=c_known._entry, d_format=d_known._entry, d_mode=mode)
    seen = _products(how, each, d, beta=factor, inexact=bool(inexact_flags), **formats, **finish)
    out = as_result(d, d_format, d_known, a)
    return GemmResult(out, *seen) if return_result else out
