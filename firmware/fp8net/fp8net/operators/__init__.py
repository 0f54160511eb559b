# SPDX-License-Identifier: Apache-2.0
"""The operators of ONNX that are supported, a handler each."""

from . import (  # noqa: F401: each module registers its handlers
    elementwise,
    layout,
    pooling,
    products,
    quantisation,
    recurrent,
)
from .registry import HANDLERS, nearest

__all__ = ["HANDLERS", "nearest"]
