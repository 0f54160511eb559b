# SPDX-License-Identifier: Apache-2.0
"""Row commands, and functions of float32."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Flags, codes, contiguous, float32, single, whole
from ._environment import own_environment
from ._formats import FormatLike, as_result, refuse
from ._gemm import D_FORMATS, GemmResult, _activation, _scale_vector, output_format
from ._operations import _mode, _table
from ._tensors import is_typed
from .register_codes import RowsOperation

REDUCTIONS = ("sum", "sum-of-squares", "maximum", "argmax", "magnitude")
NORMS = ("rms-norm", "layer-norm")


def _function(name: str, x: ArrayLike) -> NDArray[np.float32]:
    values = contiguous(float32("x", x))
    out = np.empty(values.shape, np.float32)
    _core.function(name, out, values)
    return out


@own_environment
def exp2(x: ArrayLike) -> NDArray[np.float32]:
    """2**x of float32, with an error of at most 2.5 units in the last place."""
    return _function("exp2", x)


@own_environment
def exp(x: ArrayLike) -> NDArray[np.float32]:
    """e**x of float32, with an error of at most 2.6 units in the last place."""
    return _function("exp", x)


@own_environment
def reciprocal(x: ArrayLike) -> NDArray[np.float32]:
    """1/x of float32, with an error of at most 1.7 units in the last place."""
    return _function("reciprocal", x)


@own_environment
def rsqrt(x: ArrayLike) -> NDArray[np.float32]:
    """1/sqrt(x) of float32, with an error of at most 1.6 units in the last place."""
    return _function("rsqrt", x)


@own_environment
def sigmoid(x: ArrayLike) -> NDArray[np.float32]:
    """1 / (1 + e**-x) of float32, with an absolute error of at most 2**-14.5."""
    return _function("sigmoid", x)


@own_environment
def tanh(x: ArrayLike) -> NDArray[np.float32]:
    """tanh(x) of float32, with an absolute error of at most 2**-13.5."""
    return _function("tanh", x)


def _columns(name: str, x: ArrayLike | None, cols: int) -> NDArray[np.float32] | None:
    if x is None:
        return None
    array = contiguous(float32(name, x))
    if array.shape != (cols,):
        raise refuse("SHAPE", f"{name} has the shape {array.shape} and must have ({cols},)")
    return array


def _matrix(x: ArrayLike, format: FormatLike) -> tuple[np.ndarray, Any]:
    values, known = codes("x", x if is_typed(x) else np.asarray(x, np.float32), format)
    if known not in D_FORMATS:
        good = ", ".join(good.name for good in D_FORMATS)
        raise refuse("FORMAT", f"x holds {known.name} and must hold one of {good}")
    if values.ndim != 2 or 0 in values.shape:
        raise refuse("SHAPE", f"x has the shape {values.shape} and must be a matrix")
    return contiguous(values), known


@overload
def rows(
    operation: str, x: ArrayLike, *, return_result: Literal[False] = False, **others: Any
) -> NDArray[Any]: ...
@overload
def rows(
    operation: str, x: ArrayLike, *, return_result: Literal[True], **others: Any
) -> GemmResult: ...
@overload
def rows(
    operation: str, x: ArrayLike, *, return_result: bool, **others: Any
) -> NDArray[Any] | GemmResult: ...
@own_environment
def rows(
    operation: str,
    x: ArrayLike,
    *,
    format: FormatLike = None,
    seen: int | None = None,
    causal: bool = False,
    factor: float = 1.0,
    eps: float | None = None,
    gamma: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    activation: str | None = None,
    clamp: tuple[float, float] | None = None,
    d_format: FormatLike = "float32",
    scale_d: float = 1.0,
    rounding: str = "nearest-even",
    overflow: str = "saturate",
    d_table: ArrayLike | None = None,
    return_result: bool = False,
) -> NDArray[Any] | GemmResult:
    """Reduces or normalises each row of a matrix. Every operation is one float32 operation, in a fixed order.

    operation  "sum", "sum-of-squares", "maximum", "argmax", "magnitude": one result for each row;
               "rms-norm", "layer-norm", "softmax", "sigmoid", "tanh", "quantise": a matrix
               magnitude: the largest |x|, at least 2**-100. quantise: x / magnitude; scale_d is the largest code
               "quantise-mx": a matrix of MX codes in d_format, an FP8 format, and E8M0 scales, one for each 32 columns of
               a row: `scales` of the GemmResult, so it needs return_result
    x          float32, or any format that gemm's D may have: an array of its type, or codes with `format`
    seen       columns that the first row sees; all of them by default. causal: each row sees one more than the row
               before it. Not for norms, sigmoid, tanh, quantise and quantise-mx. Softmax gives 0 in the other
               columns
    factor     finite, > 0: multiplies the result of a reduction, and what softmax, sigmoid and tanh are taken of
    eps        norms: finite, >= 0, in units of x squared (1e-5 by default); gamma, beta: a float32 for each column
    activation, clamp, d_format, scale_d, rounding, overflow, d_table    as in gemm. Argmax has none of them; its result
               is uint32. Quantise-mx has d_format alone

    With return_result, the result is a GemmResult instead of D.
    """
    if operation not in RowsOperation.words():
        good = ", ".join(RowsOperation.words())
        raise refuse("UNSUPPORTED", f"operation is {operation!r} and must be one of {good}")
    values, x_known = _matrix(x, format)
    height, width = values.shape
    norm = operation in NORMS
    eps = (1e-5 if norm else 0.0) if eps is None else eps
    scales = [_scale_vector(n, [v], (), 1) for n, v in (("factor", factor), ("scale_d", scale_d))]
    assert scales[0] is not None and scales[1] is not None
    d_known = output_format(d_format)
    argmax, reduces = operation == "argmax", operation in REDUCTIONS
    if argmax and (d_known.name != "float32" or float(scales[1][0]) != 1):
        raise refuse("UNSUPPORTED", "argmax has neither d_format nor scale_d")
    d = np.empty(height if reduces else values.shape, np.uint32 if argmax else d_known.code_dtype)
    mx = np.empty((height, -(-width // 32)), np.uint8) if operation == "quantise-mx" else None
    if mx is not None and not return_result:
        raise refuse("UNSUPPORTED", "quantise-mx gives scales beside codes: it needs return_result")
    amax, nonfinite, flags = _core.rows(
        RowsOperation.of(operation),
        (height, width),
        values,
        x_known._entry,
        (
            0 if seen is None else whole("seen", seen, 1, width),
            bool(causal),
            float(scales[0][0]),
            single("eps", eps),
        ),
        _columns("gamma", gamma, width),
        _columns("beta", beta, width),
        _activation(activation, clamp),
        d,
        d_known._entry,
        _mode(rounding, overflow, None),
        float(scales[1][0]),
        _table(d_table),
        mx,
    )
    out = d if argmax else as_result(d, d_format, d_known, x)
    if return_result:
        return GemmResult(out, np.float32(amax), nonfinite, Flags(flags), mx)
    return out
