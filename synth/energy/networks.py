# SPDX-License-Identifier: Apache-2.0
"""Multiplications of an inference of the networks, by product of matrices, and the operands with which each is measured.

Padding of K is not counted. Layers whose operands were not measured take those of a layer of the same kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Product:
    name: str
    macs: int
    data: str  # of tensors.py


@dataclass(frozen=True)
class Gemm:
    """A command of the accelerator, or `times` of them"""

    m: int
    n: int
    k: int
    times: int = 1

    @property
    def macs(self) -> int:
        return self.times * math.prod((self.m, self.n, self.k))


def perceptron() -> tuple[Product, ...]:
    return (
        Product("64 - 96", 64 * 96, "digits_1"),
        Product("96 - 64", 96 * 64, "digits_2"),
        Product("64 - 10", 64 * 10, "digits_2"),
    )


def transformer() -> tuple[Product, ...]:
    """8 tokens of 32, two heads of 32, 64 hidden units"""
    tokens, width, inner, hidden = 8, 32, 64, 64
    dense = "transformer_up"
    return (
        Product("embedding of 24 pixels", tokens * 24 * width, "digits_1"),
        Product("queries, keys, values", 3 * tokens * width * inner, dense),
        Product("scores and their values", 2 * tokens * tokens * inner, dense),
        Product("output", tokens * inner * width, dense),
        Product("up", tokens * width * hidden, dense),
        Product("down", tokens * hidden * width, "transformer_down"),
        Product("classes", tokens * width * 10, dense),
    )


def speech() -> tuple[Product, ...]:
    """A frame of 32 ms: 4 columns of a Fourier basis, whose FP8 parts are three products for each of its own, convolutions
    of width 3, an LSTM of 128 units. INT8 is given the same parts."""
    bins, columns = 258, (4, 4, 2, 1, 1)
    sizes = ((129, 128), (128, 64), (64, 64), (64, 128))
    convolutions = tuple(
        Product(f"convolution {i}", 3 * inputs * outputs * columns[i], "vad_conv2")
        for i, (inputs, outputs) in enumerate(sizes, 1)
    )
    return (
        Product("Fourier basis", 3 * bins * 256 * columns[0], "vad_lstm"),
        *convolutions,
        Product("LSTM", 4 * 128 * (128 + 128), "vad_lstm"),
        Product("output", 128, "vad_lstm"),
    )


NETWORKS = {
    "digits, perceptron, an image": perceptron(),
    "digits, transformer, an image": transformer(),
    "speech, a frame of 32 ms": speech(),
}

ALONE = ", its products alone"  # behind a network's name
# The same products as commands of the accelerator: of four images in a batch, and of a frame
TRANSFORMER_GEMMS = (
    Gemm(32, 32, 24),
    Gemm(32, 64, 32, 4),  # queries, keys, values, up
    Gemm(8, 8, 32, 8),  # scores of two heads of each image
    Gemm(8, 32, 8, 8),
    Gemm(32, 32, 64, 2),  # output, down
    Gemm(4, 10, 256),
)
SPEECH_GEMMS = (
    Gemm(4, 258, 3 * 256),
    Gemm(4, 128, 3 * 129),
    Gemm(2, 64, 3 * 128),
    Gemm(1, 64, 3 * 64),
    Gemm(1, 128, 3 * 64),
    Gemm(1, 4 * 128, 2 * 128),
    Gemm(1, 1, 128),
)
