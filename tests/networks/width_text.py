# SPDX-License-Identifier: Apache-2.0
"""The language model of the application tokens with the accelerator's sums, for the study of widths (widths.py).

Products are GEMMs of the golden model. What stands between them is NumPy's float32, as in firmware/apps/tokens/quantised.py.
`amplified` makes the network with outlier channels: every 64th channel behind a norm, in the hidden units and in the attention's
values is 60 times as large, and the weights that read it are 60 times smaller. In float32 the network is the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

import fp8mac
import numpy as np
from width_sums import Arithmetic, exponent_for, split

sys.path.insert(0, str(Path(__file__).parents[2] / "firmware/apps/tokens"))

import quantised

import model

F32 = np.float32
PERIOD, FACTOR = 64, F32(60)


def amplified(p: dict) -> dict:
    p = {name: value.copy() for name, value in p.items()}
    for i in range(model.LAYERS):
        _amplify(p, [f"{i}.norm1"], [f"{i}.query", f"{i}.key", f"{i}.value"])
        _amplify(p, [f"{i}.norm2"], [f"{i}.up"])
        _amplify(p, [f"{i}.up"], [f"{i}.down"])
        _amplify(p, [f"{i}.value"], [f"{i}.output"])
    return p


def _amplify(p: dict, writers: list[str], readers: list[str]) -> None:
    for name in writers:
        p[name][::PERIOD] *= FACTOR
    for name in readers:
        p[name][:, ::PERIOD] /= FACTOR


class Coded(np.ndarray):
    """Values of codes, which remember their scale and the product's name."""

    scale: np.float32

    def __array_finalize__(self, other) -> None:
        self.scale = getattr(other, "scale", F32(1))

    def codes(self) -> np.ndarray:
        """The values are code * scale, rounded once; a code is far from the next one."""
        return quantised.code(np.asarray(self) / self.scale).view(np.uint8)


class Sums(quantised.Fp8):
    """FP8 with the sums of an element. `largest` collects the largest sums of each product while it is a dictionary."""

    def __init__(self, p: dict, calibration: np.ndarray, how: Arithmetic):
        super().__init__(p, calibration)
        self.how, self.exponents = how, {}
        self.largest: dict[int, float] | None = None
        kept = [(n, x) for n, x in p.items() if x.ndim == 2 and n not in ("position", "embed")]
        self.weights = {id(self.p[name]): quantised.rows(x) for name, x in kept}
        self.weights[id(self.words)] = quantised.rows(p["embed"])

    def _coded(self, x: np.ndarray, scale: np.float32) -> Coded:
        found = self._rounded(x, scale).view(Coded)
        found.scale = scale
        return found

    def operand(self, x: np.ndarray, name: str) -> Coded:
        return self._coded(np.asarray(x), self.scales[name])

    def shares(self, x: np.ndarray) -> Coded:
        return self._coded(np.asarray(x), self.unit)

    def product(self, x: Coded, weights: np.ndarray) -> np.ndarray:
        codes, scale = self.weights[id(weights)]
        rows = x.codes().reshape(-1, x.shape[-1])
        return self._gemm(id(weights), rows, codes.view(np.uint8), x.scale, scale).reshape(
            *x.shape[:-1], -1
        )

    def each(self, x: Coded, y: Coded) -> np.ndarray:
        """Of each head; products of one shape have one exponent."""
        return self._gemm(x.shape[-1], x.codes(), y.codes(), x.scale, y.scale)

    def _gemm(self, key: int, a: np.ndarray, b: np.ndarray, scale_a, scale_b) -> np.ndarray:
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        if self.largest is not None:
            sums = fp8mac.gemm(a, b, preset="exact_l64", format="e4m3fn")
            self.largest[key] = max(self.largest.get(key, 0.0), float(np.abs(sums).max()))
        exponent = self.exponents.get(key, 0)
        return fp8mac.gemm(
            a,
            b,
            preset=self.how.preset,
            format="e4m3fn",
            scale_a=float(scale_a) * 2.0**-exponent,
            scale_b=scale_b,
            **self.how.settings,
            **split(exponent),
        )


class Text:
    """The tokens that are held out, in windows"""

    def __init__(self, outliers: bool, windows: int):
        p, _, test, self.calibration = quantised.read()
        self.p = amplified(p) if outliers else p
        size = windows * model.CONTEXT
        self.x, self.y = (test[i : i + size].reshape(windows, model.CONTEXT) for i in (0, 1))
        self.truth, _ = model.forward(self.p, self.x)

    def logits(self, how: Arithmetic) -> tuple[np.ndarray, list[int]]:
        """With the exponents that FP16 needs, by the largest sums of the calibration"""
        sums = Sums(self.p, self.calibration, how)
        if how.acc == "fp16":
            exact = Sums(self.p, self.calibration, Arithmetic(how.block, "fp32", None))
            exact.largest = {}
            tokens = self.calibration[: 4 * model.CONTEXT].reshape(4, model.CONTEXT)
            quantised.logits(exact, tokens)
            found = dict(zip(exact.weights, sums.weights))  # weights have other identities there
            sums.exponents = {
                found.get(key, key): exponent_for(most) for key, most in exact.largest.items()
            }
        with np.errstate(all="ignore"):
            return quantised.logits(sums, self.x), sorted(sums.exponents.values())

    def perplexity(self, logits: np.ndarray) -> float:
        return float(np.exp(model.loss(logits, self.y)[0]))
