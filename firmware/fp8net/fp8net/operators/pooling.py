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
    kernel = tuple(node.attribute("kernel_shape"))
    window = window_of(node, kernel, size)
    if node.attribute("ceil_mode", 0):
        raise _unsupported("ceil_mode is 1", "ceil_mode 0 with padding")
    if max(window.dilation) > 1:
        raise _unsupported(f"dilations are {window.dilation}", "dilations of 1")
    if any(pad >= window.kernel[axis % 2] for axis, pad in enumerate(window.pads)):
        raise _unsupported(f"pads are {window.pads}", "pads below the kernel's sizes")
    check_window(window, size, channels)
    return window


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


@handles("MaxPool", "fp8rt_max_pool", "ceil_mode 0, dilations 1, pads below the kernel's sizes")
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
    "ceil_mode 0, dilations 1; without padding, or count_include_pad 1",
)
def average_pool(importer, node) -> None:
    view = channels_last(importer, node)
    _, height, width = image_of(importer, view)
    window = _window(node, (height, width), view.shape[1])
    if max(window.pads) and not node.attribute("count_include_pad", 0):
        raise _unsupported(
            "count_include_pad is 0 with padding", "count_include_pad 1, or no padding"
        )
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
