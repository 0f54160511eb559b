# SPDX-License-Identifier: Apache-2.0
"""Clock cycles of commands other than GEMMs, as the firmware's layer library issues them."""

from __future__ import annotations

from . import _core
from ._cycles import D_FORMATS, _chosen, _number
from ._environment import own_environment
from ._rows import OPERATIONS

ELEMENTWISE = ("add", "multiply")
ROWS = (*OPERATIONS, "quantise-mx")  # the codes of fp8mac_rows_operation
_ROWS = 3  # fp8mac_cycles_operation


def _config(element: str, axi_data_w: int) -> tuple[int, int]:
    return _core.element(element), _number("axi_data_w", axi_data_w)


def _format(name: str, x: str) -> int:
    return _chosen(name, x, D_FORMATS)


@own_environment
def convolution_cycles(
    image: tuple[int, int, int, int],
    filters: int,
    kernel: tuple[int, int] = (1, 1),
    *,
    stride: tuple[int, int] = (1, 1),
    dilation: tuple[int, int] = (1, 1),
    pads: tuple[int, int] = (0, 0),
    groups: int = 1,
    pixel_bytes: int = 0,
    vectors: bool = False,
    d_format: str = "e4m3fn",
    c_format: str | None = None,
    element: str = "block",
    axi_data_w: int = 128,
) -> int:
    """Clock cycles that the RTL has for a convolution: the sum of its commands, each from an idle accelerator.

    The array has 4 x 4 elements of 16 lanes, on the simulated chip's memory.

    image      images, lines, pixels, channels
    pixel_bytes   from pixel to pixel; 0: a pixel begins at each beat that it can
    pads       lines and pixels of zeros on each side
    groups     divide channels and filters; as many as channels: depthwise
    vectors    a scale for each filter, and a bias
    d_format   of D, as in `cycles`; c_format of a residual that is added
    """
    numbers = (*image, filters, *kernel, *stride, *dilation, *pads, groups, pixel_bytes)
    layer = tuple(_number("a size", x) for x in numbers)
    adds = c_format is not None
    c = _format("c_format", c_format if c_format is not None else d_format)
    work = (bool(vectors), _format("d_format", d_format), adds, c)
    return _core.convolution_cycles(layer, work, _config(element, axi_data_w))


@own_environment
def elementwise_cycles(
    operation: str,
    m: int,
    n: int,
    *,
    x_format: str = "e4m3fn",
    c_format: str | None = "e4m3fn",
    d_format: str = "e4m3fn",
    element: str = "block",
    axi_data_w: int = 128,
) -> int:
    """Clock cycles that the RTL has for an element-wise command of m x n values, from an idle accelerator.

    operation   "add": X + beta * C, where c_format None leaves C out (a conversion); "multiply"
    """
    number = _chosen("operation", operation, ELEMENTWISE) + 1
    formats = (x_format, c_format if c_format is not None else d_format, d_format)
    command = (
        number,
        0,
        _number("m", m),
        _number("n", n),
        *(_format("format", x) for x in formats),
    )
    options = (c_format is not None, False, False)
    return _core.command_cycles(command, options, _config(element, axi_data_w))


@own_environment
def rows_cycles(
    operation: str,
    m: int,
    n: int,
    *,
    x_format: str = "e4m3fn",
    d_format: str = "e4m3fn",
    vectors: bool = False,
    causal: bool = False,
    element: str = "block",
    axi_data_w: int = 128,
) -> int:
    """Clock cycles that the RTL has for a row command of m x n values, from an idle accelerator.

    operation   as in `rows`, or "quantise-mx": MX codes and their scales
    vectors     a norm has gamma and beta
    causal      a row of a softmax sees one column more than the one before, the first one sees one
    """
    row = _chosen("operation", operation, ROWS)
    formats = (x_format, d_format, d_format)
    command = (
        _ROWS,
        row,
        _number("m", m),
        _number("n", n),
        *(_format("format", x) for x in formats),
    )
    options = (False, bool(vectors), bool(causal))
    return _core.command_cycles(command, options, _config(element, axi_data_w))
