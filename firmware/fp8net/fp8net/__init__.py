# SPDX-License-Identifier: Apache-2.0
"""From an ONNX file to a C program over fp8rt: see the README of the package."""

from .version import VERSION as __version__

__all__ = ["__version__"]
