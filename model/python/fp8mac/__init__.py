# SPDX-License-Identifier: Apache-2.0
"""Bit-accurate FP8 arithmetic on NumPy arrays.

Codes are arrays of uint8 (uint16, uint32 for wide formats), together with a format; or arrays of ml_dtypes' types and
NumPy's float16 and float32, which are their own format. A result has the type that its format was asked for as: a name
("e4m3fn") or a Format gives codes, an ml_dtypes type gives an array of that type; "float16", "float32" and "float64"
give NumPy's own.

Everything is computed by the C library libfp8mac. What it refuses is an Error.
"""

from . import recipes
from ._arrays import Flags
from ._config import Config, Preset, presets
from ._core import Error
from ._core import version as __version__
from ._formats import Format, Record, format_of, formats
from ._operations import GemmResult, cast, decode, dot, gemm

__all__ = [
    "Config",
    "Error",
    "Flags",
    "Format",
    "GemmResult",
    "Preset",
    "Record",
    "__version__",
    "cast",
    "decode",
    "dot",
    "format_of",
    "formats",
    "gemm",
    "presets",
    "recipes",
]
