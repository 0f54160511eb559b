# SPDX-License-Identifier: Apache-2.0
"""Functions of one value: activations of the epilogue, and those that a table of 256 codes computes, in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import fp8mac
import numpy as np

F32 = np.float32

# ---- activations --------------------------------------------------------------------------------

# Activations of the epilogue without bounds: ONNX's operator, and the function of float32
ACTIVATIONS: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "relu": ("Relu", lambda t: np.where(np.signbit(t) & ~np.isnan(t), F32(0), t)),
}


def activate(total: np.ndarray, fused) -> np.ndarray:
    """What the epilogue makes of float32: fused.activation is one of these, clamp or none."""
    if fused.activation == "clamp":
        lo, hi = map(F32, fused.clamp)
        return np.where(total < lo, lo, np.where(hi < total, hi, total))
    return total if fused.activation == "none" else ACTIVATIONS[fused.activation][1](total)


# ---- functions by tables ------------------------------------------------------------------------


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


# ONNX's operators of one input: the function, and the attributes that are its arguments, with their defaults
OPERATORS: dict[str, tuple[Callable[..., float], dict[str, float]]] = {
    "Sigmoid": (_sigmoid, {}),
    "Tanh": (math.tanh, {}),
    "HardSigmoid": (_hard_sigmoid, {"alpha": 0.2, "beta": 0.5}),
    "HardSwish": (lambda x: x * _hard_sigmoid(x, 1 / 6, 0.5), {}),
    "LeakyRelu": (lambda x, alpha: x if x >= 0 else alpha * x, {"alpha": 0.01}),
    "Elu": (_elu, {"alpha": 1.0}),
    "Softplus": (_softplus, {}),
    "Erf": (math.erf, {}),
    "Abs": (abs, {}),
    "Gelu": (lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2.0)), {}),
    "Exp": (lambda x: math.exp(min(x, 700.0)), {}),
    "Sqrt": (lambda x: math.sqrt(x) if x >= 0 else math.nan, {}),
    "Log": (lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan, {}),
    "Reciprocal": (lambda x: 1.0 / x if x else math.copysign(math.inf, x), {}),
    "Mish": (lambda x: x * math.tanh(_softplus(x)), {}),
    "Selu": (_selu, {"alpha": 1.6732632423543772, "gamma": 1.0507009873554805}),
    "Celu": (lambda x, alpha: x if x > 0 else alpha * math.expm1(x / alpha), {"alpha": 1.0}),
    "Softsign": (lambda x: x / (1.0 + abs(x)), {}),
    "Swish": (_swish, {"alpha": 1.0}),
}

FUNCTIONS: dict[str, Callable[..., float]] = {
    **{name: function for name, (function, _) in OPERATORS.items()},
    "GeluTanh": _gelu_tanh,
    "Pow": _power,
    "Silu": lambda x: x * _sigmoid(x),
}


# ---- expressions --------------------------------------------------------------------------------


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _largest(a: float, b: float) -> float:
    return a if math.isnan(a) or a > b else b


_PAIRS: dict[str, Callable[[float, float], float]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": _divide,
    "Pow": _power,
    "Max": _largest,
    "Min": lambda a, b: -_largest(-a, -b),
}


def _step(op: str, operands: tuple[float | None, ...], attributes: dict) -> float:
    x = operands[0]
    if op in _PAIRS:
        return _PAIRS[op](x, operands[1])
    if op == "Neg":
        return -x
    if op == "Relu":
        return _largest(x, 0.0)
    if op == "Clip":
        low, high = (*operands[1:], None, None)[:2]
        x = x if low is None else _largest(x, low)
        return x if high is None else -_largest(-x, -high)
    name = "GeluTanh" if attributes.get("approximate") == "tanh" else op
    if math.isnan(x):
        return x
    arguments = OPERATORS[op][1] if op in OPERATORS else {}
    values = [float(attributes.get(n, default)) for n, default in arguments.items()]
    return FUNCTIONS[name](math.copysign(min(abs(x), 1e30), x), *values)


def _expression(x: float, *steps) -> float:
    """What recognise.Group has as its steps."""
    results: list[float] = []
    for op, operands, attributes in steps:
        values = tuple(
            o if not isinstance(o, tuple) else x if o[0] == "x" else results[o[1]] for o in operands
        )
        try:
            results.append(_step(op, values, dict(attributes)))
        except (OverflowError, ValueError):
            results.append(math.nan)
    return results[-1]


FUNCTIONS["Expression"] = _expression


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


def apply(function: str, arguments: tuple[float, ...], values: np.ndarray) -> np.ndarray:
    """The function of each value, in double precision."""
    results = [
        FUNCTIONS[function](float(x), *arguments)
        if math.isfinite(x)
        else _beyond(function, arguments, float(x))
        for x in values.reshape(-1)
    ]
    return np.array(results).reshape(values.shape)


def _beyond(function: str, arguments: tuple[float, ...], x: float) -> float:
    """Inf as a very large value; NaN stays NaN."""
    return x if math.isnan(x) else FUNCTIONS[function](math.copysign(1e30, x), *arguments)
