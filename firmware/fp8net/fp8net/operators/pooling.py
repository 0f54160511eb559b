# SPDX-License-Identifier: Apache-2.0
"""Maxima and averages of windows."""

from __future__ import annotations

import numpy as np

from ..ir import Weights, Window
from .layout import _unsupported
from .products import check_window, image_of, window_of
from .registry import handles


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


def _add(importer, node, op: str, window: Window | None = None, **fields) -> None:
    view = importer.view(node)
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
    shape = (images, view.shape[1], *layer.out_size[-spatial:])
    importer.add(node, layer, shape, (0, *range(2, len(shape)), 1), view.shape[1])


@handles("MaxPool", "fp8rt_max_pool", "ceil_mode 0, dilations 1, pads below the kernel's sizes")
def max_pool(importer, node) -> None:
    view = importer.view(node)
    _, height, width = image_of(importer, view)
    _add(importer, node, "max_pool", _window(node, (height, width), view.shape[1]))


@handles("GlobalMaxPool", "fp8rt_max_pool", "any size")
def global_max_pool(importer, node) -> None:
    _add(importer, node, "max_pool")


@handles(
    "AveragePool",
    "fp8rt_convolution with weights of 1",
    "ceil_mode 0, dilations 1; without padding, or count_include_pad 1",
)
def average_pool(importer, node) -> None:
    view = importer.view(node)
    _, height, width = image_of(importer, view)
    window = _window(node, (height, width), view.shape[1])
    if max(window.pads) and not node.attribute("count_include_pad", 0):
        raise _unsupported(
            "count_include_pad is 0 with padding", "count_include_pad 1, or no padding"
        )
    points = window.kernel[0] * window.kernel[1]
    weights = Weights(np.full((view.shape[1], points), 1.0 / points, np.float32))
    _add(importer, node, "convolution", window, weights=weights, groups=view.shape[1])


@handles("GlobalAveragePool", "fp8rt_global_average", "65,535 pixels at most")
def global_average_pool(importer, node) -> None:
    view = importer.view(node)
    _, height, width = image_of(importer, view)
    if max(height * width, view.shape[1]) > 65535:
        raise _unsupported(f"has {height * width} pixels and {view.shape[1]} channels", "65,535")
    _add(importer, node, "global_average")


@handles("ReduceMean", "fp8rt_global_average", "over all axes but the first and the channels")
def reduce_mean(importer, node) -> None:
    view = importer.view(node)
    rank = len(view.shape)
    axes = node.attribute("axes")
    if len(node.inputs) > 1 and node.inputs[1]:
        constant = importer.constant(node.inputs[1])
        axes = None if constant is None else [int(a) for a in constant.reshape(-1)]
    if not axes:
        raise _unsupported("its axes are not constant, or all", "the axes of an image")
    axes = sorted(a % rank for a in axes)
    channel = view.axes[-1]
    images = [a for a in range(rank) if a not in axes and a != channel]
    if view.base is not None or channel in axes or images != [0] or view.axes[0] != 0:
        raise _unsupported(f"averages axes {axes} of {view.shape}", "the axes of an image")
    tensor = importer.tensor_of(view)
    pixels = tensor.rows // view.shape[0]
    if tensor.cols != view.shape[channel] or max(pixels, tensor.cols) > 65535:
        raise _unsupported(f"has {pixels} pixels", "65,535")
    layer = importer.layer(
        node,
        "global_average",
        [view.tensor],
        images=view.shape[0],
        height=pixels,
        window=Window((pixels, 1)),
    )
    keep = node.attribute("keepdims", 1)
    shape = tuple(1 if a in axes else s for a, s in enumerate(view.shape) if keep or a not in axes)
    importer.add(node, layer, shape, _axes(view, axes, keep), tensor.cols)


def _axes(view, gone: list[int], keep: int) -> tuple[int, ...]:
    if keep:
        return view.axes
    left = [a for a in view.axes if a not in gone]
    return tuple(sorted(left).index(a) for a in left)
