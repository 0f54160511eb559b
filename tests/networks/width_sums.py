# SPDX-License-Identifier: Apache-2.0
"""Dot products of operands that are drawn, for the study of widths (widths.py).

    normal       normally distributed
    outliers     every 64th column of A is 60 times as large, and that of B 60 times smaller: the products are as before, but A
                 has few codes for the other columns, and the window reaches less far below the largest operands
    same sign    magnitudes of normal ones: truncation, which always goes toward zero, adds up
    adversarial  in each block of 64 one column of A and another one of B have the largest code, 448, and the other operand is
                 zero there. All other values are about 1, so no product is near the product of the largest operands

A has one scale and B one for each row, which make the largest magnitude the format's largest number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import fp8mac
import numpy as np

F32 = np.float32
SEED = 11
SIDE = 32  # rows of A and of B
PERIOD, FACTOR, LARGEST = 64, F32(60), F32(448)
KINDS = ("normal", "outliers", "same sign", "adversarial")
FP16_MOST, HEADROOM = 65504.0, 4.0


@dataclass(frozen=True)
class Arithmetic:
    """Blocks of `block` products, whose sums have `bits` fraction bits (None: exact), and the accumulator's format"""

    block: int
    acc: str
    bits: int | None

    @property
    def preset(self) -> str:
        if self.bits is None:
            return f"exact_l{self.block}"
        return {32: "block_f19", 64: "block64_f19"}[self.block]

    @property
    def settings(self) -> dict:
        """Beside the preset's: a study has widths that no catalogue offers"""
        return {"acc_format": self.acc} | ({} if self.bits is None else {"frac_bits": self.bits})


def exponent_for(largest: float) -> int:
    """sa + sb that brings sums of at most HEADROOM * largest into FP16's range, as large as possible"""
    if not largest > 0:
        return 0
    return math.floor(math.log2(FP16_MOST / (HEADROOM * largest)))


def split(exponent: int) -> dict:
    """sa and sb"""
    return {"scale_exp_a": exponent // 2, "scale_exp_b": exponent - exponent // 2}


def operands(kind: str, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng((SEED, KINDS.index(kind), k))
    a, b = (rng.standard_normal((SIDE, k)).astype(F32) for _ in range(2))
    if kind == "outliers":
        a[:, ::PERIOD] *= FACTOR
        b[:, ::PERIOD] /= FACTOR
    elif kind == "same sign":
        a, b = np.abs(a), np.abs(b)
    elif kind == "adversarial":
        a[:, ::PERIOD], b[:, ::PERIOD] = LARGEST, 0
        a[:, 1::PERIOD], b[:, 1::PERIOD] = 0, LARGEST
    return a, b


@dataclass(frozen=True)
class Products:
    """Codes and scales of the operands, and their products in double precision before and after rounding to codes"""

    format: str
    a: np.ndarray
    b: np.ndarray
    scale_a: np.ndarray
    scale_b: np.ndarray
    truth: np.ndarray
    exact: np.ndarray

    def sums(self, how: Arithmetic) -> np.ndarray:
        exponent = 0
        if how.acc == "fp16":
            scales = self.scale_a * self.scale_b
            exponent = exponent_for(float(np.abs(self.exact / scales).max()))
        return fp8mac.gemm(
            self.a,
            self.b,
            preset=how.preset,
            format=self.format,
            scale_a=float(self.scale_a) * 2.0**-exponent,
            scale_b=self.scale_b,
            **how.settings,
            **split(exponent),
        ).astype(np.float64)


def products(kind: str, k: int, format: str) -> Products:
    a, b = operands(kind, k)
    most = float(
        fp8mac.decode(np.array([0x7E if format == "e4m3fn" else 0x7B], np.uint8), format)[0]
    )
    scale_a = F32(np.abs(a).max() / most)
    scale_b = (np.abs(b).max(axis=1) / F32(most)).astype(F32)
    codes = fp8mac.cast(a / scale_a, format), fp8mac.cast(b / scale_b[:, None], format)
    rounded = [fp8mac.decode(x, format).astype(np.float64) for x in codes]
    exact = rounded[0] @ rounded[1].T * (np.float64(scale_a) * scale_b.astype(np.float64))
    truth = a.astype(np.float64) @ b.astype(np.float64).T
    return Products(format, *codes, scale_a, scale_b, truth, exact)


def decibels(reference: np.ndarray, values: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        noise = np.square(reference - values).sum()
        found = 10 * np.log10(np.square(reference).sum() / noise)
    return round(float(found), 2) if np.isfinite(found) else -99.0


def figures(kind: str, k: int, format: str, block: int, acc: str, widths: tuple) -> dict:
    """SQNR to the sums before rounding to codes, and for operands of one sign how far sums are off on average, in parts of a
    million."""
    drawn = products(kind, k, format)
    found: dict[str, float] = {}
    for bits in widths:
        name = "exact" if bits is None else f"f{bits}"
        sums = drawn.sums(Arithmetic(block, acc, bits))
        found[f"{name}_db"] = decibels(drawn.truth, sums)
        if kind == "same sign":
            off = float((sums / drawn.exact - 1).mean())
            found[f"{name}_ppm"] = round(1e6 * off, 1) if math.isfinite(off) else -1e6
    return found
