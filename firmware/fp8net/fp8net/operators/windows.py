# SPDX-License-Identifier: Apache-2.0
"""Images and windows over them: what convolutions and pools have in common."""

from __future__ import annotations

from ..ir import Window
from .layout import _unsupported
from .moving import arrange

MOST_PIXELS = 255  # of a line of the kernel, and of strides, dilations and padding
MOST_LINE_BYTES = 65535
MOST_LINES = 65535  # of an image


def _pair(values, spatial: int, default: int) -> tuple[int, int]:
    values = list(values) if values else [default] * spatial
    return tuple([default] * (2 - spatial) + values)  # type: ignore[return-value]


def image_of(importer, view, what: str = "its input") -> tuple[int, int, int]:
    """Images, height and width of a view whose channels are axis 1, and last in memory."""
    shape = view.shape
    if len(shape) not in (3, 4):
        raise _unsupported(f"{what} has shape {shape}", "one or two dimensions behind the channels")
    tensor = importer.tensor_of(view)
    if not view.lies_as((0, *range(2, len(shape)), 1)) or tensor.cols != shape[1]:
        raise _unsupported(f"{what} of shape {shape} has not its channels last in memory")
    return shape[0], *_pair(shape[2:], len(shape) - 2, 1)


def channels_last(importer, node, place: int = 0):
    """The node's operand as layers read images: arranged, if it does not lie so."""
    view = importer.view(node, place)
    if len(view.shape) not in (3, 4):
        return view
    return arrange(importer, node, view, (0, *range(2, len(view.shape)), 1))


def add_image(importer, node, layer, shape: tuple[int, ...]) -> None:
    """The output of a layer, whose channels are axis 1, and last in memory."""
    importer.add(node, layer, shape, (0, *range(2, len(shape)), 1), shape[1])


def window_of(node, kernel: tuple[int, ...], size: tuple[int, int]) -> Window:
    spatial = len(kernel)
    window = Window(
        _pair(kernel, spatial, 1),
        _pair(node.attribute("strides"), spatial, 1),
        _pair(node.attribute("dilations"), spatial, 1),
    )
    auto = node.attribute("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        window.pads = _same(window, size, auto == "SAME_UPPER")
    elif auto in ("NOTSET", ""):
        pads = list(node.attribute("pads") or [0] * (2 * spatial))
        window.pads = (
            *_pair(pads[:spatial], spatial, 0),
            *_pair(pads[spatial:], spatial, 0),
        )
    elif auto != "VALID":
        raise _unsupported(f"auto_pad is {auto}")
    return window


def _same(window: Window, size: tuple[int, int], upper: bool) -> tuple[int, int, int, int]:
    before, after = [], []
    for axis in range(2):
        outputs = -(-size[axis] // window.stride[axis])
        total = max((outputs - 1) * window.stride[axis] + window.extent(axis) - size[axis], 0)
        less, more = total // 2, total - total // 2
        before.append(less if upper else more)
        after.append(more if upper else less)
    return before[0], before[1], after[0], after[1]


def check_window(window: Window, size: tuple[int, int], channels: int) -> None:
    """What fp8rt_image can say."""
    limits = [
        ("kernel", window.kernel[1], MOST_PIXELS),
        ("strides", max(window.stride), MOST_PIXELS),
        ("dilations", max(window.dilation), MOST_PIXELS),
        ("pads", max(window.pads), MOST_PIXELS),
        ("bytes of the kernel's lines", window.kernel[1] * channels, MOST_LINE_BYTES),
        ("bytes of a stride", window.stride[1] * channels, MOST_LINE_BYTES),
        ("bytes of a dilation", window.dilation[1] * channels, MOST_LINE_BYTES),
        ("bytes of a padding", window.pads[1] * channels, MOST_LINE_BYTES),
        ("height", size[0], MOST_LINES),
        ("width", size[1], MOST_LINES),
    ]
    for what, value, most in limits:
        if value > most:
            raise _unsupported(f"{what}: {value}", f"{most} at most")
    if min(window.pads) < 0:
        raise _unsupported(f"pads are {window.pads}", "pads of 0 and more")
    for axis in range(2):
        if window.count(size[axis], axis) < 1:
            raise _unsupported(f"the kernel {window.kernel} does not fit into the image {size}")
