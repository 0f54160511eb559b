# SPDX-License-Identifier: Apache-2.0
"""Transposed convolutions as fp8rt_transposed_convolution computes them: a convolution for each sub-grid of outputs.

Outputs whose line and pixel have the same remainders by the strides see the same positions of the kernel, in reverse.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from .ir import Layer


@dataclasses.dataclass
class Side:
    """One dimension of a sub-grid: `taps` positions of the kernel, from the last one to `first`."""

    first: int
    stride: int
    taps: int
    padding: int  # zeros before the image
    skipped: int  # lines of the image that none sees

    def kernel(self) -> list[int]:
        return [self.first + self.stride * (self.taps - 1 - t) for t in range(self.taps)]


def side_of(layer: Layer, axis: int, remainder: int) -> Side:
    kernel, stride = layer.window.kernel[axis], layer.window.stride[axis]
    whole, first = divmod(remainder + layer.window.pads[axis], stride)
    taps = -(-kernel // stride)
    return Side(first, stride, taps, max(taps - 1 - whole, 0), max(whole - taps + 1, 0))


def subgrids(layer: Layer) -> list[tuple[int, int, Side, Side]]:
    return [
        (py, px, side_of(layer, 0, py), side_of(layer, 1, px))
        for py in range(layer.window.stride[0])
        for px in range(layer.window.stride[1])
    ]


def split(layer: Layer) -> np.ndarray:
    """The codes as fp8rt_split_kernel arranges them: rows of each sub-grid, 0 behind the kernel."""
    codes = layer.weights.codes
    height, width = layer.window.kernel
    kernel = codes.reshape(len(codes), height, width, -1)
    parts = []
    for _, _, y, x in subgrids(layer):
        part = np.zeros((len(codes), y.taps, x.taps, kernel.shape[3]), np.uint8)
        for ty, ky in enumerate(y.kernel()):
            for tx, kx in enumerate(x.kernel()):
                if ky < height and kx < width:
                    part[:, ty, tx] = kernel[:, ky, kx]
        parts.append(part.reshape(len(codes), -1))
    return np.concatenate(parts)


def run(executor, layer: Layer, x: np.ndarray, tensor, out: dict) -> np.ndarray:
    height, width = layer.upsampled
    stride = layer.window.stride
    codes = split(layer).reshape(len(subgrids(layer)), len(layer.weights.codes), -1)
    image = x.reshape(layer.images, layer.height, layer.width, -1)
    every = slice(0, codes.shape[1])
    result = None
    for (py, px, y, z), part in zip(subgrids(layer), codes):
        lines, pixels = -(-(height - py) // stride[0]), -(-width // stride[1])
        if lines < 1:
            continue
        rows = _windows(image[:, y.skipped :, z.skipped :], y, z, (lines, pixels))
        made = executor.gemm(rows, tensor, layer.weights, part, every, **out)
        made = made.reshape(layer.images, lines, pixels, -1)
        if result is None:
            result = np.zeros((layer.images, height, width, made.shape[3]), made.dtype)
        place = result[:, py :: stride[0], px :: stride[1]]
        place[...] = made[:, :, : place.shape[2]]
    return result.reshape(layer.images * height * width, -1)


def _windows(image: np.ndarray, y: Side, x: Side, size: tuple[int, int]) -> np.ndarray:
    """What each output sees, 0 around the image."""
    need = [s + side.taps - 1 for s, side in zip(size, (y, x))]
    wide = np.zeros((len(image), *need, image.shape[3]), image.dtype)
    part = image[:, : max(need[0] - y.padding, 0), : max(need[1] - x.padding, 0)]
    wide[:, y.padding : y.padding + part.shape[1], x.padding : x.padding + part.shape[2]] = part
    points = [
        wide[:, ty : ty + size[0], tx : tx + size[1]]
        for ty in range(y.taps)
        for tx in range(x.taps)
    ]
    return np.concatenate(points, axis=3).reshape(len(image) * size[0] * size[1], -1)
