# SPDX-License-Identifier: Apache-2.0
"""Bit-accurate FP8 arithmetic on NumPy arrays.

Codes are arrays of uint8 (uint16 or uint32 for wide formats), together with a format. Arrays of ml_dtypes' types, and
NumPy's float16 and float32, are codes too: their type is their format. The type of a result depends on how its format
was asked for. A name ("e4m3fn") or a Format gives codes. An ml_dtypes type gives an array of that type. "float16",
"float32" and "float64" give NumPy's own types. A dtype of PyTorch gives a tensor.

Tensors of PyTorch and objects with __dlpack__ are taken wherever arrays are.

rows reduces and normalises the rows of a matrix: sum, sum of squares, maximum, magnitude, argmax, RMS norm, layer norm,
softmax; it also divides a row by its magnitude, and takes sigmoid or tanh of each value. exp2, exp, reciprocal, rsqrt, sigmoid and tanh are its functions, on float32.

cycles counts the accelerator's clock cycles for a GEMM, convolution_cycles, elementwise_cycles and rows_cycles those for
other layers.

scaled_mm takes the arguments of torch._scaled_mm, on tensors of PyTorch and on arrays.

The C library libfp8mac computes everything. If it refuses an argument, the call raises Error.
"""

from . import recipes
from ._arrays import Flags
from ._config import Config, Preset, presets
from ._core import Error
from ._core import version as __version__
from ._cycles import CycleCounts, cycles
from ._formats import Format, Record, format_of, formats
from ._gemm import GemmResult, gemm
from ._layers import convolution_cycles, elementwise_cycles, rows_cycles
from ._operations import cast, decode, dot
from ._rows import exp, exp2, reciprocal, rows, rsqrt, sigmoid, tanh
from ._scaled_mm import scaled_mm

__all__ = [
    "Config",
    "CycleCounts",
    "Error",
    "Flags",
    "Format",
    "GemmResult",
    "Preset",
    "Record",
    "__version__",
    "cast",
    "convolution_cycles",
    "cycles",
    "decode",
    "dot",
    "elementwise_cycles",
    "exp",
    "exp2",
    "format_of",
    "formats",
    "gemm",
    "presets",
    "recipes",
    "reciprocal",
    "rows",
    "rows_cycles",
    "rsqrt",
    "scaled_mm",
    "sigmoid",
    "tanh",
]
