# SPDX-License-Identifier: Apache-2.0
"""The operators of ONNX that are supported, a handler each."""

# Each module registers its handlers.
from . import elementwise, layout, pooling, products, quantisation, recurrent
from .registry import HANDLERS, nearest

__all__ = [
    "HANDLERS",
    "elementwise",
    "layout",
    "nearest",
    "pooling",
    "products",
    "quantisation",
    "recurrent",
]
