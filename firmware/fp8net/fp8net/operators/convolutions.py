# SPDX-License-Identifier: Apache-2.0
"""Conv and ConvTranspose."""

from __future__ import annotations

import numpy as np

from ..ir import Window, product
from ..moves import Index
from .layout import _unsupported
from .moving import Mover, plain
from .registry import handles
from .weights import bias_of, weights_of
from .windows import (
    MOST_PIXELS,
    _pair,
    add_image,
    channels_last,
    check_window,
    image_of,
    window_of,
)


@handles(
    "Conv",
    "fp8rt_convolution",
    "1-D and 2-D; constant weights; any stride, dilation, padding, group; auto_pad",
)
def conv(importer, node) -> None:
    if _by_phases(importer, node) or _by_shifts(importer, node):
        return
    view = channels_last(importer, node)
    images, height, width = image_of(importer, view)
    kernel = importer.constant(node.inputs[1])
    weights = weights_of(importer, node.inputs[1], 0, _channels_last)
    groups = node.attribute("group", 1)
    if kernel.ndim != len(view.shape) or kernel.shape[1] * groups != view.shape[1]:
        raise _unsupported(f"weights of {kernel.shape} in {groups} groups do not fit {view.shape}")
    if kernel.shape[0] % groups:
        raise _unsupported(f"{kernel.shape[0]} channels are no multiple of {groups} groups")
    given = node.attribute("kernel_shape")
    if given and tuple(given) != kernel.shape[2:]:
        raise _unsupported(f"kernel_shape {given} is not that of the weights {kernel.shape}")
    window = window_of(node, kernel.shape[2:], (height, width))
    check_window(window, (height, width), view.shape[1])
    weights.bias = bias_of(importer, node.operand(2), kernel.shape[0])
    layer = importer.layer(
        node,
        "convolution",
        [view.tensor],
        weights=weights,
        images=images,
        height=height,
        width=width,
        window=window,
        groups=groups,
    )
    sizes = layer.out_size[-(len(view.shape) - 2) :]
    add_image(importer, node, layer, (images, kernel.shape[0], *sizes))


def _by_phases(importer, node) -> bool:
    """A long kernel over a signal, in whole strides: pixels of a stride become channels of one pixel."""
    view, kernel = importer.view(node), importer.constant(node.inputs[1])
    rank = len(view.shape)
    signal = rank in (3, 4) and product(view.shape[2:]) == view.shape[-1] and kernel is not None
    if not signal or kernel.ndim != rank or product(kernel.shape[2:]) != kernel.shape[-1]:
        return False
    window = window_of(node, kernel.shape[2:], (1, view.shape[-1]))
    stride, taps = window.stride[1], kernel.shape[-1]
    plain_window = max(window.pads) == 0 and max(window.dilation) == 1 and window.stride[0] == 1
    lies = view.base is None and importer.tensor_of(view).cols == view.shape[1]
    if not plain_window or taps % stride or stride == 1 or node.attribute("group", 1) != 1:
        return False
    if kernel.shape[1] != view.shape[1] or (lies and taps <= MOST_PIXELS):
        return False
    count = window.count(view.shape[-1], 1)
    if count < 1:
        return False
    _add_phases(importer, node, plain(importer, node, view), stride, count)
    return True


def _add_phases(importer, node, view, stride: int, count: int) -> None:
    weights = weights_of(importer, node.inputs[1], 0, _channels_last)
    n, channels, rank = weights.values.shape[0], view.shape[1], len(view.shape)
    weights.bias = bias_of(importer, node.operand(2), n)
    taps = weights.values.shape[1] // channels // stride
    width = count - 1 + taps
    shape = (view.shape[0], width * stride, channels)
    mover = Mover(importer, node, shape, (0, 1, 2), inner="phases", cols=stride * channels)
    places = (0, rank - 1, 1)
    mover.add(view, [Index(size, a, i) for i, (size, a) in enumerate(zip(shape, places))])
    window = Window((1, taps))
    check_window(window, (1, width), stride * channels)
    layer = importer.layer(
        node,
        "convolution",
        [mover.finish().tensor],
        weights=weights,
        images=shape[0],
        width=width,
        window=window,
    )
    add_image(importer, node, layer, (shape[0], n, *(1,) * (rank - 3), count))


def _by_shifts(importer, node) -> bool:
    """A kernel over a signal that is longer than a line of the accelerator's can be, in any stride.

    Its parts are channels: channel j of the new signal is the old one from the first value of part j on.
    """
    view, kernel = importer.view(node), importer.constant(node.inputs[1])
    rank = len(view.shape)
    signal = rank in (3, 4) and product(view.shape[2:]) == view.shape[-1] and kernel is not None
    if not signal or kernel.ndim != rank or product(kernel.shape[2:]) != kernel.shape[-1]:
        return False
    window, taps = window_of(node, kernel.shape[2:], (1, view.shape[-1])), kernel.shape[-1]
    parts = next((n for n in range(1, taps) if taps % n == 0 and taps // n <= MOST_PIXELS), 0)
    plain_window = max(window.pads) == 0 and max(window.dilation) == 1 and window.stride[0] == 1
    good = plain_window and parts > 1 and node.attribute("group", 1) == 1
    if not good or kernel.shape[1] != view.shape[1] or view.shape[-1] < taps:
        return False
    _add_shifts(importer, node, plain(importer, node, view), window.stride[1], parts)
    return True


def _add_shifts(importer, node, view, stride: int, parts: int) -> None:
    channels, rank, taps = (
        view.shape[1],
        len(view.shape),
        importer.constant(node.inputs[1]).shape[-1],
    )
    each = taps // parts

    def arrange(kernel: np.ndarray) -> np.ndarray:
        apart = kernel.reshape(kernel.shape[0], channels, parts, each)
        return apart.transpose(0, 3, 2, 1).reshape(kernel.shape[0], -1)

    weights = weights_of(importer, node.inputs[1], 0, arrange)
    n = weights.values.shape[0]
    weights.bias = bias_of(importer, node.operand(2), n)
    width = view.shape[-1] - taps + each
    mover = Mover(
        importer,
        node,
        (view.shape[0], width, parts, channels),
        range(4),
        inner="shifts",
        cols=parts * channels,
    )
    for part in range(parts):
        indices = [Index(view.shape[0], 0, 0), Index(width, rank - 1, 1), Index(channels, 1, 3)]
        x_start = [part * each if a == rank - 1 else 0 for a in range(rank)]
        mover.add(view, indices, x_start, [0, 0, part, 0])
    window = Window((1, each), (1, stride))
    check_window(window, (1, width), parts * channels)
    layer = importer.layer(
        node,
        "convolution",
        [mover.finish().tensor],
        weights=weights,
        images=view.shape[0],
        width=width,
        window=window,
    )
    add_image(importer, node, layer, (view.shape[0], n, *(1,) * (rank - 3), layer.out_size[1]))


def _channels_last(weights: np.ndarray) -> np.ndarray:
    return weights.transpose(0, *range(2, weights.ndim), 1).reshape(weights.shape[0], -1)


def _upsampled(node, window: Window, size, spatial: int) -> tuple[int, int]:
    """Lines and pixels of the output. The padding in front becomes part of the window."""
    extra = _pair(node.attribute("output_padding"), spatial, 0)
    wanted = (
        _pair(node.attribute("output_shape"), spatial, 1)
        if node.attribute("output_shape")
        else None
    )
    auto = node.attribute("auto_pad", "NOTSET")
    whole = [window.stride[a] * (size[a] - 1) + window.kernel[a] + extra[a] for a in range(2)]
    if auto in ("SAME_UPPER", "SAME_LOWER") and wanted is None:
        wanted = size[0] * window.stride[0], size[1] * window.stride[1]
    if wanted is None:
        return tuple(whole[a] - window.pads[a] - window.pads[a + 2] for a in range(2))  # type: ignore[return-value]
    before = []
    for a in range(2):
        total = max(whole[a] - wanted[a], 0)
        before.append(total // 2 if auto == "SAME_UPPER" else total - total // 2)
    window.pads = (before[0], before[1], 0, 0)
    return wanted


@handles(
    "ConvTranspose",
    "fp8rt_transposed_convolution",
    "1-D and 2-D; constant weights; group 1, dilations 1; pads below the kernel's sizes",
)
def conv_transpose(importer, node) -> None:
    view = channels_last(importer, node)
    images, height, width = image_of(importer, view)
    kernel = importer.constant(node.inputs[1])
    weights = weights_of(importer, node.inputs[1], 1, _transposed_last)
    spatial = len(view.shape) - 2
    if node.attribute("group", 1) != 1 or kernel.shape[0] != view.shape[1]:
        raise _unsupported(f"group is {node.attribute('group', 1)}", "group 1")
    window = Window(
        _pair(kernel.shape[2:], spatial, 1),
        _pair(node.attribute("strides"), spatial, 1),
        _pair(node.attribute("dilations"), spatial, 1),
    )
    pads = list(node.attribute("pads") or [0] * (2 * spatial))
    window.pads = (*_pair(pads[:spatial], spatial, 0), *_pair(pads[spatial:], spatial, 0))
    size = _upsampled(node, window, (height, width), spatial)
    _check_transposed(window, (height, width), size)
    weights.bias = bias_of(importer, node.operand(2), kernel.shape[1])
    layer = importer.layer(
        node,
        "transposed",
        [view.tensor],
        weights=weights,
        images=images,
        height=height,
        width=width,
        window=window,
        upsampled=size,
    )
    add_image(importer, node, layer, (images, kernel.shape[1], *size[-spatial:]))


def _check_transposed(window: Window, size, out) -> None:
    if max(window.dilation) > 1:
        raise _unsupported(f"dilations are {window.dilation}", "dilations of 1")
    check_window(
        Window(window.kernel, window.stride),
        tuple(max(s, k) for s, k in zip(size, window.kernel)),
        1,
    )
    for a in range(2):
        pad, stride = window.pads[a], window.stride[a]
        skipped = (stride - 1 + pad) // stride - (-(-window.kernel[a] // stride) - 1)
        if not 0 <= pad < window.kernel[a] or skipped >= size[a] or out[a] < 1:
            raise _unsupported(
                f"pads are {window.pads}", "pads of 0 and more, below the kernel's sizes"
            )


def _transposed_last(weights: np.ndarray) -> np.ndarray:
    return weights.transpose(1, *range(2, weights.ndim), 0).reshape(weights.shape[1], -1)
