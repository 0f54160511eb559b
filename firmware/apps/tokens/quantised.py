# SPDX-License-Identifier: Apache-2.0
"""The network of `tokens` with rounded operands, in NumPy: FP8 as the chip has it, INT8 and MX.

    build/venv/bin/python firmware/apps/tokens/quantised.py      the perplexity of the text that is held out

FP8   e4m3fn: weights have a scale for each row, activations a static one from the calibration's largest magnitude
INT8  the same with codes from -127 to 127
MX    e4m3fn elements with an E8M0 scale for each 32 values along the sums, of both operands of each product

Sums are float32 here. The application computes FP8 as the chip does; both perplexities are nearly the same.
"""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import stored

import model

F32 = np.float32
FP8, FP8_MAX, FP8_EXPONENT = ml_dtypes.float8_e4m3fn, F32(448), 8
INT8_MAX = F32(127)
MX_BLOCK = 32
HERE = Path(__file__).parent


def read(path: Path = HERE / "weights.npz"):
    """Parameters in float32, the vocabulary, tokens of the test and of the calibration."""
    with np.load(path) as data:
        arrays = {name: data[name] for name in data.files}
    pieces = arrays.pop("pieces").tobytes().decode().split("\0")
    test, calibration = (arrays.pop(n).astype(np.int64) for n in ("test", "calibration"))
    return {name: stored.values(x) for name, x in arrays.items()}, pieces, test, calibration


def code(values: np.ndarray) -> np.ndarray:
    """The nearest e4m3fn; larger ones saturate."""
    return np.clip(values, -FP8_MAX, FP8_MAX).astype(FP8)


def integer(values: np.ndarray) -> np.ndarray:
    """The nearest integer of INT8, halves to the even one; larger ones saturate."""
    return np.clip(np.rint(values), -INT8_MAX, INT8_MAX)


def rows(weights: np.ndarray, code=code, largest: np.float32 = FP8_MAX):
    """Codes, and a scale for each row."""
    scale = (np.abs(weights).max(axis=1) / largest).astype(F32)
    return code(weights / scale[:, None]), scale


def scales(p: dict, calibration: np.ndarray, largest: np.float32 = FP8_MAX) -> dict:
    """Of each activation: what makes its largest magnitude the format's largest number."""
    count = len(calibration) // model.CONTEXT
    _, (_, last, _, kept) = model.forward(p, calibration.reshape(count, model.CONTEXT))
    found = {"last": last}
    for i, ((a, _, q, k, v, _, mixed), (b, _, hidden)) in enumerate(kept):
        parts = {"in1": a, "asked": q, "keys": k, "values": v, "mixed": mixed}
        found |= {f"{i}.{name}": x for name, x in (parts | {"in2": b, "hidden": hidden}).items()}
    return {name: F32(np.abs(x).max()) / largest for name, x in found.items()}


class Fp8:
    """Operands of products as the chip has them."""

    code, largest = staticmethod(code), FP8_MAX
    unit = F32(2.0**-8)  # the scale of a softmax

    def __init__(self, p: dict, calibration: np.ndarray):
        self.scales = scales(p, calibration, self.largest)
        products = [n for n, x in p.items() if x.ndim == 2 and n not in ("position", "embed")]
        self.p = p | {name: self._rows(p[name]) for name in products}
        self.words = self._rows(p["embed"])  # for the logits

    def _rows(self, weights: np.ndarray) -> np.ndarray:
        codes, scale = rows(weights, self.code, self.largest)
        return codes.astype(F32) * scale[:, None]

    def _rounded(self, x: np.ndarray, scale: np.float32) -> np.ndarray:
        return self.code(x / scale).astype(F32) * scale

    def operand(self, x: np.ndarray, name: str) -> np.ndarray:
        return self._rounded(x, self.scales[name])

    def product(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return x @ weights.T

    def each(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """A product for each head of each sequence. The rows of y are its columns."""
        return x @ y.swapaxes(-1, -2)

    def shares(self, x: np.ndarray) -> np.ndarray:
        return self._rounded(x, self.unit)


class Int8(Fp8):
    """The same recipe with the codes of an array with INT8 elements. Attention on the chip has no INT8."""

    code, largest = staticmethod(integer), INT8_MAX
    unit = 1 / INT8_MAX


def mx(x: np.ndarray) -> np.ndarray:
    """Blocks of 32 along the last axis, each with a power of two."""
    columns = x.shape[-1]
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -columns % MX_BLOCK)])
    blocks = padded.reshape(*x.shape[:-1], -1, MX_BLOCK)
    largest = np.abs(blocks).max(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log2(largest)) - FP8_EXPONENT
    scale = np.where(largest > 0, np.exp2(np.maximum(exponent, -127)), 1).astype(F32)
    rounded = code(blocks / scale).astype(F32) * scale
    return rounded.reshape(padded.shape)[..., :columns]


class Mx:
    """All operands of products in MX."""

    def __init__(self, p: dict, calibration: np.ndarray):
        self.p, self.words = p, p["embed"]

    def operand(self, x: np.ndarray, name: str) -> np.ndarray:
        return x

    def product(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return mx(x) @ mx(weights).swapaxes(-1, -2)

    each = product

    def shares(self, x: np.ndarray) -> np.ndarray:
        return x


def _norm(x: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + model.EPSILON) * gamma


def logits(n, tokens: np.ndarray) -> np.ndarray:
    """Of sequences x tokens, by the rounding `n`."""
    p = n.p
    x = p["embed"][tokens] + p["position"][: tokens.shape[1]]
    for i in range(model.LAYERS):
        a = n.operand(_norm(x, p[f"{i}.norm1"]), f"{i}.in1")
        q, k, v = (
            model.heads(n.operand(n.product(a, p[f"{i}.{weights}"]), f"{i}.{name}"))
            for weights, name in (("query", "asked"), ("key", "keys"), ("value", "values"))
        )
        scores = n.each(q, k) * model.FACTOR + model.later(tokens.shape[1])
        mixed = n.each(n.shares(model.softmax(scores)), v.swapaxes(-1, -2))
        mixed = n.operand(model.beside(mixed), f"{i}.mixed")
        x = x + n.product(mixed, p[f"{i}.output"])
        b = n.operand(_norm(x, p[f"{i}.norm2"]), f"{i}.in2")
        hidden = n.operand(np.maximum(n.product(b, p[f"{i}.up"]), 0), f"{i}.hidden")
        x = x + n.product(hidden, p[f"{i}.down"])
    return n.product(n.operand(_norm(x, p["norm"]), "last"), n.words)


def perplexity(n, tokens: np.ndarray) -> float:
    count = (len(tokens) - 1) // model.CONTEXT
    x = tokens[: count * model.CONTEXT].reshape(count, model.CONTEXT)
    y = tokens[1 : count * model.CONTEXT + 1].reshape(count, model.CONTEXT)
    losses = [model.loss(logits(n, x[i : i + 1]), y[i : i + 1])[0] for i in range(count)]
    return float(np.exp(np.mean(losses)))


def main() -> None:
    p, pieces, test, calibration = read()
    found = {
        "float32": float(np.exp(model.evaluate(p, test))),
        "FP8": perplexity(Fp8(p, calibration), test),
        "INT8": perplexity(Int8(p, calibration), test),
        "MX": perplexity(Mx(p, calibration), test),
    }
    print(
        f"{sum(x.size for x in p.values()):,} parameters, {len(pieces)} pieces, {len(test) - 1} tokens"
    )
    for name, value in found.items():
        print(f"perplexity {name:8} {value:.3f}")


if __name__ == "__main__":
    main()
