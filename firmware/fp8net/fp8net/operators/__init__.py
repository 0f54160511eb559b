# SPDX-License-Identifier: Apache-2.0
"""The operators of ONNX that are supported, a handler each."""

# Each module registers its handlers.
from . import (
    attention,
    convolutions,
    elementwise,
    embedding,
    layout,
    moving,
    pooling,
    products,
    quantisation,
    recurrent,
    rows,
)
from .groups import group
from .registry import HANDLERS, nearest

__all__ = [
    "HANDLERS",
    "attention",
    "convolutions",
    "elementwise",
    "embedding",
    "group",
    "layout",
    "moving",
    "nearest",
    "pooling",
    "products",
    "quantisation",
    "recurrent",
    "rows",
]
