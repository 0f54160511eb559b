# SPDX-License-Identifier: Apache-2.0
"""Published scaling recipes. They compute the scale of a tensor from its largest magnitude (amax).

A quantising scale multiplies on the way into FP8. A dequantising scale multiplies on the way back; gemm takes it as
scale_a and scale_b. Floats are float32, and each operation is one nearest-even operation. The C headers recipe.h and
recipe_published.h give the formulas, their sources and their edge cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Flags, contiguous, float32, single, whole
from ._environment import own_environment
from ._formats import FormatLike, as_result, format_of, refuse
from .register_codes import Overflow

__all__ = [
    "Delayed",
    "autofp8",
    "dynamic",
    "flax_scale",
    "floor_log2",
    "format_max",
    "fp8lm_mu",
    "fp8lm_reduction_factors",
    "fp8lm_shared_scale",
    "graphcore_amax_bias",
    "graphcore_cscale_bias",
    "inverse",
    "msamp_scale",
    "mx_quantize",
    "mx_scale",
    "pytorch_scale",
    "qualcomm_bias",
    "reduce",
    "scale",
    "scale_exponent",
    "static",
    "te_operand",
    "tensorrt_llm",
    "torchao_scale",
    "vllm",
    "xla_example_next",
    "xla_mode",
    "xla_next",
    "xla_quantize",
]

OVERFLOWS = Overflow.words()
WINDOWS = ("max", "most-recent")
DIVISIONS = ("source", "ieee")
UNDERFLOWS = ("smallest", "zero")
TE_FORMATS = ("HYBRID", "E4M3", "E5M2")
TE_GEMMS = ("fprop", "dgrad", "wgrad")
REDUCTIONS = ("pre-scaling", "post-scaling", "automatic")


def _choice(what: str, name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise refuse("UNSUPPORTED", f"{what} {name!r} is unknown; choose from {', '.join(names)}")
    return names.index(name)


def _fp8_max(fp8_max: float | FormatLike) -> float:
    """A number, or the largest value of a format."""
    return float(fp8_max) if isinstance(fp8_max, (int, float, np.floating)) else format_max(fp8_max)


def _int32(name: str, x: int) -> int:
    return whole(name, x, -(2**31), 2**31 - 1, "SCALE_EXPONENT")


@own_environment
def format_max(format: FormatLike) -> float:
    """The largest finite value: 448 for e4m3fn."""
    return _core.recipe_format_max(format_of(format)._entry)


@own_environment
def floor_log2(x: float) -> int:
    """floor(log2(x)) from the exponent field, x finite and greater than zero."""
    return _core.recipe_floor_log2(x)


@own_environment
def inverse(scale: float) -> float:
    """1 / scale, one float32 division."""
    return _core.recipe_inverse(scale)


@own_environment
def reduce(amaxes: ArrayLike) -> float:
    """The maximum of magnitudes: NaN if any is NaN, else Inf if any is Inf, +0 if there is none."""
    return _core.recipe_reduce(float32("amaxes", amaxes))


@own_environment
def scale(
    fp8_max: float | FormatLike,
    amax: float,
    *,
    margin: int = 0,
    power_of_two: bool = False,
    previous: float = 1.0,
    division: str = "source",
    underflow: str = "smallest",
) -> float:
    """Transformer Engine's scale: (fp8_max / amax) / 2^margin, or 2^(floor(log2(fp8_max / amax)) - margin).

    An amax of 0, Inf or NaN keeps the previous scale; an infinite scale becomes the largest float. division is
    "source" (fp8_max * (1 / amax), as PyTorch computes it) or "ieee". A scale that underflows becomes the "smallest"
    float, or "zero" as in Transformer Engine.
    """
    return _core.recipe_scale(
        _fp8_max(fp8_max),
        _int32("margin", margin),
        bool(power_of_two),
        amax,
        previous,
        _choice("division", division, DIVISIONS),
        _choice("underflow", underflow, UNDERFLOWS),
    )


@own_environment
def static(given: float) -> float:
    """The scale given, which must be finite and greater than zero."""
    given = float(np.float32(single("given", given)))
    if not (given > 0 and math.isfinite(given)):
        raise refuse("SCALE", f"given is {given}; a scale must be finite and greater than zero")
    return given


@own_environment
def dynamic(
    x: ArrayLike,
    format: FormatLike,
    *,
    margin: int = 0,
    power_of_two: bool = False,
    previous: float = 1.0,
    division: str = "source",
) -> float:
    """scale() from the amax of the tensor itself."""
    return scale(
        format,
        reduce(x),
        margin=margin,
        power_of_two=power_of_two,
        previous=previous,
        division=division,
    )


class Delayed:
    """Transformer Engine's DelayedScaling: the scale for a step comes from the amaxes of the steps before it.

    window is "max" (of the whole history), "most-recent", or a function of the history, newest first.
    scale_fn(amax, previous) replaces the formula. The first update recomputes the scale, and then every interval-th.
    Both functions are called in the library's floating-point environment: to nearest even, subnormals kept.
    """

    @own_environment
    def __init__(
        self,
        fp8_max: float | FormatLike,
        length: int,
        *,
        margin: int = 0,
        power_of_two: bool = False,
        interval: int = 1,
        window: str | Callable[[Sequence[float]], float] = "max",
        scale_fn: Callable[[float, float], float] | None = None,
        initial: float = 1.0,
        division: str = "source",
    ):
        own = callable(window)
        self._formula = (
            _fp8_max(fp8_max),
            _int32("margin", margin),
            bool(power_of_two),
            whole("interval", interval, 1, 2**31),
            0 if callable(window) else _choice("window", window, WINDOWS),
            _choice("division", division, DIVISIONS),
        )
        self._functions = (window if own else None, scale_fn)
        self._history = np.zeros(whole("length", length, 1, 2**31), np.float32)
        self.scale, self._updates = _core.recipe_delayed(
            self._formula, *self._functions, self._history, static(initial), 0, None
        )

    @property
    @own_environment
    def history(self) -> list[float]:
        """The amaxes, the newest first. Entries not yet filled are 0."""
        return self._history.tolist()

    @own_environment
    def update(self, amax: float, nonfinite: bool = False) -> float:
        """Takes the amax of the finished step and returns the scale for the next one."""
        self.scale, self._updates = _core.recipe_delayed(
            self._formula,
            *self._functions,
            self._history,
            self.scale,
            self._updates,
            (amax, bool(nonfinite)),
        )
        return self.scale


@own_environment
def te_operand(format: str, gemm: str, is_gradient: bool) -> str:
    """Transformer Engine: the format of an operand of "fprop", "dgrad" or "wgrad" under HYBRID, E4M3 or E5M2."""
    return _core.recipe_te_operand(
        _choice("format", format, TE_FORMATS), _choice("gemm", gemm, TE_GEMMS), is_gradient
    )


@own_environment
def xla_next(fp8_max: float | FormatLike, amax: float, scale: float) -> float:
    """XLA's dequantising scale for the next step, 1.1f * (amax / fp8_max)."""
    return _core.recipe_xla_next(_fp8_max(fp8_max), amax, scale)


@own_environment
def xla_example_next(fp8_max: float | FormatLike, amax: float) -> float:
    """The dequantising scale of examples for JAX and TensorFlow, (1.1f * max(amax, 2^-10)) / fp8_max."""
    return _core.recipe_xla_example_next(_fp8_max(fp8_max), amax)


@own_environment
def flax_scale(fp8_max: float | FormatLike, amax: float, scale: float, *, margin: int = 0) -> float:
    """Flax's dequantising scale, 1 / ((fp8_max / amax) / 2^margin); amax is reduce() of the history.

    For an amax of 0, Inf or NaN it is 1 / (1 / scale). Nothing is clamped: it may be 0 or Inf.
    """
    return _core.recipe_flax_scale(_fp8_max(fp8_max), _int32("margin", margin), amax, scale)


@own_environment
def xla_mode(format: FormatLike, loss_scaled_gradient: bool) -> str:
    """XLA's overflow mode: "saturate", but "ieee" for E5M2 gradients under loss scaling."""
    return OVERFLOWS[_core.recipe_xla_mode(format_of(format)._entry, bool(loss_scaled_gradient))]


@own_environment
def xla_quantize(
    x: ArrayLike, format: FormatLike, scale: float, *, overflow: str = "saturate"
) -> NDArray:
    """convert(x / scale); XLA's scale dequantises."""
    values, to = float32("x", x), format_of(format)
    out = np.empty(values.shape, to.code_dtype)
    _core.recipe_xla_quantize(
        to._entry, out, values, single("scale", scale), ("nearest-even", overflow, 0)
    )
    return as_result(out, format, to)


@own_environment
def pytorch_scale(
    fp8_max: float | FormatLike, amax: float, *, power_of_two: bool = False, previous: float = 1.0
) -> float:
    """torchao's quantising scale, float64(fp8_max) / max(amax, 1e-12); an amax of Inf or NaN keeps the previous one."""
    return _core.recipe_pytorch_scale(_fp8_max(fp8_max), amax, power_of_two, previous)


@own_environment
def torchao_scale(fp8_max: float | FormatLike, amax: float, *, power_of_two: bool = False) -> float:
    """torchao's own result for every amax: 0 for Inf, and NaN for NaN."""
    return _core.recipe_torchao_scale(_fp8_max(fp8_max), amax, bool(power_of_two))


@own_environment
def graphcore_amax_bias(fp8_max: float | FormatLike, amax: float, previous: int = 0) -> int:
    """FP8-AMAX: b = floor(log2(fp8_max / amax)) clamped to -32..32; x * 2^b is converted, and used as 2^-b * code."""
    return _core.recipe_graphcore_amax_bias(_fp8_max(fp8_max), amax, _int32("previous", previous))


@own_environment
def graphcore_cscale_bias(bias: int) -> int:
    """FP8-CSCALE: one constant bias for all tensors of a kind, clamped to -32..32."""
    return _core.recipe_graphcore_cscale_bias(_int32("bias", bias))


@own_environment
def scale_exponent(bias: int) -> int:
    """-bias, clamped to the range of scale_exp_a and scale_exp_b."""
    return _core.recipe_scale_exponent(_int32("bias", bias))


@own_environment
def msamp_scale(
    fp8_max: float | FormatLike, amax: float, previous: float, *, margin: int = 0
) -> float:
    """MS-AMP's own result: a power of two, previous for an amax of 0 or NaN, 1 / previous for Inf."""
    return _core.recipe_msamp_scale(_fp8_max(fp8_max), _int32("margin", margin), amax, previous)


@own_environment
def fp8lm_mu(mu: float, saturated: int, total: int) -> float:
    """FP8-LM's automatic factor: halved when more than 0.001 % of the values saturated, else times 1.00069344."""
    return _core.recipe_fp8lm_mu(
        mu, whole("saturated", saturated, 0, 2**64 - 1), whole("total", total, 0, 2**64 - 1)
    )


@own_environment
def fp8lm_shared_scale(scales: ArrayLike) -> float:
    """The smallest of the ranks' scales, with which a sum over ranks is computed."""
    return _core.recipe_fp8lm_shared_scale(float32("scales", scales))


@own_environment
def fp8lm_reduction_factors(reduction: str, ranks: int, mu: float = 1.0) -> tuple[float, float]:
    """The factor of each rank's values before a sum, and the factor of the sum."""
    return _core.recipe_reduction_factors(
        _choice("reduction", reduction, REDUCTIONS), whole("ranks", ranks, 1, 2**32 - 1), mu
    )


@own_environment
def mx_scale(element: FormatLike, amax: float) -> int:
    """The E8M0 code of 2^(floor(log2 amax) - emax)."""
    return _core.recipe_mx_scale(format_of(element)._entry, amax)


@overload
def mx_quantize(
    x: ArrayLike, element: FormatLike, *, return_flags: Literal[False] = False
) -> tuple[NDArray[Any], NDArray[np.uint8]]: ...
@overload
def mx_quantize(
    x: ArrayLike, element: FormatLike, *, return_flags: Literal[True]
) -> tuple[NDArray[Any], NDArray[np.uint8], Flags]: ...
@overload
def mx_quantize(
    x: ArrayLike, element: FormatLike, *, return_flags: bool
) -> tuple[NDArray[Any], NDArray[np.uint8]] | tuple[NDArray[Any], NDArray[np.uint8], Flags]: ...
@own_environment
def mx_quantize(
    x: ArrayLike, element: FormatLike, *, return_flags: bool = False
) -> tuple[NDArray[Any], NDArray[np.uint8]] | tuple[NDArray[Any], NDArray[np.uint8], Flags]:
    """Codes, and E8M0 scales: one for every 32 elements along the last axis."""
    values, to = np.atleast_1d(float32("x", x)), format_of(element)
    if to.bytes != 1:
        raise refuse("FORMAT", f"element is {to.name} and must have at most 8 bits")
    blocks = -(-values.shape[-1] // 32)
    out = np.empty(values.shape, np.uint8)
    scales = np.empty((*values.shape[:-1], blocks), np.uint8)
    flags = 0
    for index in np.ndindex(values.shape[:-1]):
        flags |= _core.recipe_mx_quantize(
            to._entry, out[index], scales[index], contiguous(values[index])
        )
    result = (as_result(out, element, to), scales)
    return (*result, Flags(flags)) if return_flags else result


@own_environment
def qualcomm_bias(x: ArrayLike, format: FormatLike, lowest: int, highest: int) -> int:
    """The bias of a qc_* format with the least squared error over x. The smallest bias wins a tie."""
    return _core.recipe_qualcomm_bias(
        format_of(format).name,
        float32("x", x),
        _int32("lowest", lowest),
        _int32("highest", highest),
    )


def _static_scales(
    scheme: int, fp8_max: float | FormatLike, amaxes: ArrayLike
) -> tuple[NDArray, NDArray]:
    values = float32("amaxes", amaxes)
    quantise, dequantise = np.empty_like(values), np.empty_like(values)
    _core.recipe_static_scales(scheme, _fp8_max(fp8_max), values, quantise, dequantise)
    return quantise, dequantise


@own_environment
def autofp8(
    fp8_max: float | FormatLike, amaxes: ArrayLike, *, division: str = "source"
) -> tuple[NDArray, NDArray]:
    """AutoFP8's quantising and dequantising scales of calibrated amaxes. division is that of scale()."""
    scheme = (0, 3)[_choice("division", division, DIVISIONS)]  # FP8MAC_SCHEME_AUTOFP8, _IEEE
    return _static_scales(scheme, fp8_max, amaxes)


@own_environment
def vllm(fp8_max: float | FormatLike, amaxes: ArrayLike) -> tuple[NDArray, NDArray]:
    """vLLM's quantising and dequantising scales of calibrated amaxes."""
    return _static_scales(1, fp8_max, amaxes)


@own_environment
def tensorrt_llm(fp8_max: float | FormatLike, amaxes: ArrayLike) -> tuple[NDArray, NDArray]:
    """TensorRT-LLM's quantising and dequantising scales of calibrated amaxes."""
    return _static_scales(2, fp8_max, amaxes)
