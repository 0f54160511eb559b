# SPDX-License-Identifier: Apache-2.0
"""Commands and scratch of a maximum of windows, as firmware/layers/max_pool_commands.c has them."""

from __future__ import annotations

import dataclasses

from .ir import Layer


@dataclasses.dataclass
class _Way:
    """Windows along lines or along pixels."""

    taps: int
    stride: int
    pad: int
    size: int
    count: int

    def windows(self, tap: int) -> int:
        """How many windows have the tap in the image."""
        first = -(-max(0, self.pad - tap) // self.stride)
        end = (self.size + self.pad - tap - 1) // self.stride + 1
        return max(0, min(end, self.count) - first)

    @property
    def common(self) -> list[int]:
        return [tap for tap in range(self.taps) if self.windows(tap) == self.count]

    @property
    def trivial(self) -> bool:
        return self.taps == self.stride == 1

    def spans(self) -> list[int]:
        """The windows that each comparison of two taps has."""
        joined = self.common[:2]
        rest = [self.windows(tap) for tap in range(self.taps) if tap not in joined]
        return [self.count, *(count for count in rest if count)]


def _ways(layer: Layer) -> tuple[_Way, _Way]:
    w = layer.window
    sizes = zip((layer.height, layer.width), layer.out_size)
    lines, pixels = (
        _Way(w.kernel[i], w.stride[i], w.pads[i], size, count)
        for i, (size, count) in enumerate(sizes)
    )
    return lines, pixels


def _is_global(lines: _Way, pixels: _Way) -> bool:
    return all(w.count == 1 and w.taps - w.pad >= w.size for w in (lines, pixels))


def _half(pixels: int) -> int:
    return pixels - pixels // 2


def _of_lines(lines: _Way, width: int, packed: bool) -> int:
    """Commands of windows along lines: a span is a matrix where lines or the pixels of all lines have one distance."""
    single = packed or lines.stride == 1 or width == 1
    return sum(1 if single or span == 1 else min(span, width) for span in lines.spans())


def _of_pixels(pixels: _Way, height: int, packed: bool) -> int:
    total = 0
    for span in pixels.spans():
        whole = span == pixels.count and pixels.size == span * pixels.stride
        single = height == 1 or span == 1 or whole or (packed and pixels.stride == 1)
        total += 1 if single else min(span, height)
    return total


def commands(layer: Layer, channels: int, row: int) -> int:
    """Commands of all images; 0 if the core computes, because no tap is common to all windows."""
    lines, pixels = _ways(layer)
    if _is_global(lines, pixels):
        count, left = 1, lines.size * pixels.size
        while left > 2:
            left, count = _half(left), count + 1
        return layer.images * count
    if not lines.common or not pixels.common:
        return 0
    packed = channels == row
    if lines.trivial:
        return layer.images * _of_pixels(pixels, lines.size, packed)
    total = _of_lines(lines, pixels.size, packed)
    if not pixels.trivial:
        total += _of_pixels(pixels, lines.count, packed)
    return layer.images * total


def compared(layer: Layer) -> int:
    """Pixels that the commands compare in all."""
    lines, pixels = _ways(layer)
    if _is_global(lines, pixels):
        total = left = _half(lines.size * pixels.size)
        while left > 1:
            left = _half(left)
            total += left
        return layer.images * total
    total = 0 if lines.trivial else sum(lines.spans()) * pixels.size
    total += 0 if pixels.trivial else sum(pixels.spans()) * lines.count
    return layer.images * total


def scratch(layer: Layer, channels: int, row: int) -> int:
    """Bytes: lines between the two ways, or two halves of an image."""
    lines, pixels = _ways(layer)
    if _is_global(lines, pixels):
        left = lines.size * pixels.size
        return row * sum(_half(x) for x in (left, _half(left)) if x > 2)
    if not commands(layer, channels, row) or lines.trivial or pixels.trivial:
        return 0
    return lines.count * pixels.size * row
