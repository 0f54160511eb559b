# SPDX-License-Identifier: Apache-2.0
"""Functions of one value that a table of 256 codes computes, in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import fp8mac
import numpy as np


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _elu(x: float, alpha: float) -> float:
    return x if x > 0 else alpha * math.expm1(x)


def _hard_sigmoid(x: float, alpha: float, beta: float) -> float:
    return min(max(alpha * x + beta, 0.0), 1.0)


def _gelu_tanh(x: float) -> float:
    return 0.5 * x * (1.0 + math.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def _power(x: float, exponent: float) -> float:
    """As IEEE's pow: NaN for roots of negative numbers, Inf where a number is too large."""
    with np.errstate(all="ignore"):
        return float(np.power(np.float64(x), np.float64(exponent)))


def _selu(x: float, alpha: float, gamma: float) -> float:
    return gamma * (x if x > 0 else alpha * math.expm1(x))


def _swish(x: float, alpha: float) -> float:
    return x * _sigmoid(alpha * x)


FUNCTIONS: dict[str, Callable[..., float]] = {
    "Sigmoid": _sigmoid,
    "Tanh": math.tanh,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": lambda x: x * _hard_sigmoid(x, 1 / 6, 0.5),
    "LeakyRelu": lambda x, alpha: x if x >= 0 else alpha * x,
    "Elu": _elu,
    "Softplus": _softplus,
    "Erf": math.erf,
    "Gelu": lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2.0)),
    "GeluTanh": _gelu_tanh,
    "Pow": _power,
    "Mish": lambda x: x * math.tanh(_softplus(x)),
    "Selu": _selu,
    "Celu": lambda x, alpha: x if x > 0 else alpha * math.expm1(x / alpha),
    "Softsign": lambda x: x / (1.0 + abs(x)),
    "Swish": _swish,
    "Silu": lambda x: x * _sigmoid(x),
    "Exp": lambda x: math.exp(min(x, 700.0)),
    "Abs": abs,
    "Sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "Log": lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan,
    "Reciprocal": lambda x: 1.0 / x if x else math.copysign(math.inf, x),
}


def table(
    function: str,
    arguments: tuple[float, ...],
    source: str,
    source_scale: float,
    to: str,
    to_scale: float,
) -> np.ndarray:
    """The codes that stand for function(value) of each code: rounded to float32, then to the format, and saturated."""
    values = fp8mac.decode(np.arange(256, dtype=np.uint8), source, dtype=np.float64)
    with np.errstate(over="ignore"):
        results = [
            FUNCTIONS[function](x, *arguments)
            if math.isfinite(x)
            else _beyond(function, arguments, x)
            for x in values * source_scale
        ]
        numbers = np.array([y / to_scale for y in results]).astype(np.float32)
    return fp8mac.cast(numbers, to)


def _beyond(function: str, arguments: tuple[float, ...], x: float) -> float:
    """Inf as a very large value; NaN stays NaN."""
    return x if math.isnan(x) else FUNCTIONS[function](math.copysign(1e30, x), *arguments)
