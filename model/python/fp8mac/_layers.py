# SPDX-License-Identifier: Apache-2.0
"""Clock cycles of commands other than GEMMs, as the firmware's layer library issues them."""

from __future__ import annotations

import ctypes
from typing import Any

from ._cycles import MOST, _chosen, _number
from ._environment import own_environment
from ._formats import refuse
from ._library import c, configured, library, run_workload
from ._rows import REDUCTIONS
from .layers import Device, LayerError
from .register_codes import DFormat, Operation, RowsOperation

ELEMENTWISE = (Operation.ADD, Operation.MULTIPLY)
PAGE = 4096


def _format(name: str, x: str) -> int:
    return _chosen(name, x, DFormat.words())


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
    names = ("images", "height", "width", "channels", "filters", "kernel_h", "kernel_w", "stride_y")
    names += ("stride_x", "dilation_y", "dilation_x", "pad_y", "pad_x", "groups", "pixel_bytes")
    numbers = (*image, filters, *kernel, *stride, *dilation, *pads, groups, pixel_bytes)
    x = c.convolution(**{n: _number("a size", v) for n, v in zip(names, numbers, strict=True)})
    config = configured(element, axi_data_w=_number("axi_data_w", axi_data_w))
    work = library.workload_usual(ctypes.byref(config))
    rows = x.images * _outputs(x, "height", "kernel_h", "stride_y", "dilation_y", "pad_y")
    rows *= _outputs(x, "width", "kernel_w", "stride_x", "dilation_x", "pad_x")
    depth = x.kernel_h * x.kernel_w * x.channels
    if not 0 < rows <= MOST or not 0 < depth <= MOST or x.groups == 0 or x.filters == 0:
        raise refuse("SHAPE", "the convolution has no outputs, or too many")
    work.m, work.n, work.k = rows, x.filters, x.kernel_h * x.kernel_w * (x.channels // x.groups)
    work.image, work.vectors, work.adds_c = x, bool(vectors), c_format is not None
    work.d_format = _format("d_format", d_format)
    work.c_format = _format("c_format", c_format if c_format is not None else d_format)
    return run_workload(config, work).counters.cycles


def _outputs(x: Any, *names: str) -> int:
    size, kernel, stride, dilation, pad = (getattr(x, name) for name in names)
    return (
        library.convolution_outputs(size, kernel, stride, dilation, pad) if kernel * stride else 0
    )


def _cycles(kind: str, fields: dict[str, Any], element: str, axi_data_w: int) -> int:
    """Of a command that is planned by itself; matrices are (rows, columns, format)."""
    configured(element, axi_data_w=_number("axi_data_w", axi_data_w))
    run = Device(element, axi_data_w).record(PAGE, 0, 0)
    place = PAGE
    for name, value in fields.items():
        if isinstance(value, tuple):
            rows, cols, width = value
            fields[name] = place
            beat = axi_data_w // 8
            place += -(-rows * (-(-cols * width // beat) * beat) // PAGE) * PAGE
    if place > MOST:
        raise refuse("SHAPE", "the matrices do not fit 4 GiB")
    try:
        run.plan(kind, fields)
        return run.cycles()
    except LayerError as error:
        raise refuse("COMMAND", f"the accelerator refuses the command: {error}") from None


def _width(format: str) -> int:
    return {"float16": 2, "bfloat16": 2, "float32": 4}.get(format, 1)


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
    number = ELEMENTWISE[_chosen("operation", operation, tuple(one.word for one in ELEMENTWISE))]
    m, n = _number("m", m), _number("n", n)
    formats = {"x_format": x_format, "d_format": d_format}
    formats |= {} if c_format is None else {"c_format": c_format}
    fields: dict[str, Any] = {"operation": number, "m": m, "n": n}
    fields |= {name: _format("format", value) for name, value in formats.items()}
    fields |= {name[0]: (m, n, _width(value)) for name, value in formats.items()}
    fields |= {"beta": 0.0 if c_format is None else 1.0}
    return _cycles("elementwise", fields, element, axi_data_w)


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
    row = _chosen("operation", operation, RowsOperation.words())
    m, n = _number("m", m), _number("n", n)
    fields: dict[str, Any] = {"operation": row, "m": m, "n": n, "causal": bool(causal)}
    reduces = operation in REDUCTIONS
    fields |= {"x_format": _format("format", x_format), "x": (m, n, _width(x_format))}
    fields |= {"seen": 1 if causal else 0, "d": (m, 1 if reduces else n, _width(d_format))}
    fields |= {"d_format": 0 if operation == "argmax" else _format("format", d_format)}
    fields |= {"gamma": (1, n, 4)} if vectors else {}
    fields |= {"beta": (1, n, 4)} if vectors and operation == "layer-norm" else {}
    fields |= {"scales": (m, -(-n // 32), 1)} if operation == "quantise-mx" else {}
    return _cycles("rows", fields, element, axi_data_w)
