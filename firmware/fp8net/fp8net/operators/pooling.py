# SPDX-License-Identifier: Apache-2.0
"""Maxima and averages of windows."""

from __future__ import annotations

import numpy as np

from ..ir import Weights, Window
from .layout import _unsupported
from .registry import handles
from .windows import add_image, channels_last, check_window, image_of, window_of

# From here on one product with a row of ones takes fewer cycles than a depthwise convolution.
MANY_PIXELS = 96


def _window(node, size: tuple[int, int], channels: int) -> Window:
    """Its padding at the end is what windows reach. What changes no result is not refused."""
    kernel = tuple(node.attribute("kernel_shape"))
    window = window_of(node, kernel, size)
    dilation = [d for d, points in zip(window.dilation, window.kernel) if points > 1]
    if max(dilation, default=1) > 1:
        raise _unsupported(f"dilations are {window.dilation}", "dilations of 1")
    window.dilation = (1, 1)
    if min(window.stride) > 0 and node.attribute("auto_pad", "NOTSET") in ("NOTSET", ""):
        window.pads = _reached(window, size, bool(node.attribute("ceil_mode", 0)))
    if any(pad >= window.kernel[axis % 2] for axis, pad in enumerate(window.pads)):
        raise _unsupported(f"pads are {window.pads}", "pads below the kernel's sizes")
    check_window(window, size, channels)
    return window


def _reached(window: Window, size: tuple[int, int], ceil: bool) -> tuple[int, int, int, int]:
    """The pads with as much at the end as the last window has there. With ceil_mode one more begins within the image."""
    ends = []
    for axis in range(2):
        first, stride = window.pads[axis], window.stride[axis]
        count = window.count(size[axis], axis)
        if ceil:
            left = size[axis] + first + window.pads[axis + 2] - window.extent(axis)
            count = -(-left // stride) + 1
            count -= (count - 1) * stride >= size[axis] + first
        ends.append(max(0, (count - 1) * stride + window.extent(axis) - size[axis] - first))
    return window.pads[0], window.pads[1], *ends


def _add(importer, node, view, op: str, window: Window | None = None, **fields) -> None:
    images, height, width = image_of(importer, view)
    spatial = len(view.shape) - 2
    window = window or Window((height, width))
    layer = importer.layer(
        node,
        op,
        [view.tensor],
        images=images,
        height=height,
        width=width,
        window=window,
        **fields,
    )
    add_image(importer, node, layer, (images, view.shape[1], *layer.out_size[-spatial:]))


@handles("MaxPool", "fp8rt_max_pool", "dilations 1, pads below the kernel's sizes")
def max_pool(importer, node) -> None:
    view = channels_last(importer, node)
    _, height, width = image_of(importer, view)
    _add(importer, node, view, "max_pool", _window(node, (height, width), view.shape[1]))


@handles("GlobalMaxPool", "fp8rt_max_pool", "any size")
def global_max_pool(importer, node) -> None:
    view = channels_last(importer, node)
    _add(importer, node, view, "max_pool")


@handles(
    "AveragePool",
    "fp8rt_convolution with weights of 1, fp8rt_global_average",
    "dilations 1; windows within the image, or count_include_pad 1 and ceil_mode 0",
)
def average_pool(importer, node) -> None:
    view = channels_last(importer, node)
    _, height, width = image_of(importer, view)
    window = _window(node, (height, width), view.shape[1])
    counts = bool(node.attribute("count_include_pad", 0))
    if max(window.pads) and not counts:
        raise _unsupported(
            f"windows reach beyond the image by {window.pads}, which count_include_pad 0 leaves out of the average",
            "count_include_pad 1, or sizes whose windows end within the image",
        )
    declared = window_of(node, tuple(node.attribute("kernel_shape")), (height, width)).pads
    if counts and any(reached > pad for reached, pad in zip(window.pads, declared)):
        raise _unsupported("ceil_mode is 1, and windows reach beyond the padding", "ceil_mode 0")
    whole = window.kernel == (height, width) and not max(window.pads)
    if whole and height * width >= MANY_PIXELS:
        _check_global(height * width, view.shape[1])
        _add(importer, node, view, "global_average")
        return
    points = window.kernel[0] * window.kernel[1]
    weights = Weights(np.full((view.shape[1], points), 1.0 / points, np.float32))
    _add(importer, node, view, "convolution", window, weights=weights, groups=view.shape[1])


def _check_global(pixels: int, channels: int) -> None:
    if max(pixels, channels) > 65535:
        raise _unsupported(f"has {pixels} pixels and {channels} channels", "65,535")


@handles("GlobalAveragePool", "fp8rt_global_average", "65,535 pixels at most")
def global_average_pool(importer, node) -> None:
    view = channels_last(importer, node)
    _, height, width = image_of(importer, view)
    _check_global(height * width, view.shape[1])
    _add(importer, node, view, "global_average")
