# SPDX-License-Identifier: Apache-2.0
"""The operators of ONNX that are supported, a handler each."""

# Each module registers its handlers.
from . import (
    attention,
    constants,
    convolutions,
    elementwise,
    embedding,
    layout,
    moving,
    pooling,
    products,
    quantisation,
    recurrent,
    resize,
    rotary,
    rows,
)
from .groups import group
from .registry import HANDLERS, nearest

__all__ = [
    "HANDLERS",
    "attention",
    "constants",
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
    "resize",
    "rotary",
    "rows",
]
