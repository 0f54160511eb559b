# SPDX-License-Identifier: Apache-2.0
"""Constant weights and biases of products."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir import Weights
from .layout import _unsupported


def weights_of(importer, name: str, axis: int, arrange: Callable) -> Weights:
    """The constant as n x k. `axis` has the outputs, `arrange` brings them first."""
    constant = importer.constant(name)
    if constant is None:
        raise _unsupported(f"its weights {name!r} are not constant", "constant weights")
    if constant.dtype.kind != "f" or not np.isfinite(constant).all():
        raise _unsupported(f"its weights {name!r} are {constant.dtype}", "finite floats")
    values = np.ascontiguousarray(arrange(constant.astype(np.float32)))
    codes = importer.weights_of.get(name)
    if codes is None:
        return Weights(values)
    if codes.scales.size > 1 and codes.axis != axis:
        raise _unsupported(
            f"its weights {name!r} have scales along axis {codes.axis}", f"along axis {axis}"
        )
    scale = np.broadcast_to(codes.scales, (values.shape[0],)).astype(np.float32)
    arranged = np.ascontiguousarray(arrange(codes.codes))
    return Weights(values, None, arranged, np.ascontiguousarray(scale), codes.format)


def bias_of(importer, name: str, count: int) -> np.ndarray | None:
    if not name:
        return None
    bias = importer.constant(name)
    if bias is None:
        raise _unsupported(f"its bias {name!r} is not constant", "a constant bias")
    if bias.dtype.kind != "f" or not np.isfinite(bias).all():
        raise _unsupported(f"its bias {name!r} is not finite floats")
    if bias.size not in (1, count) or (bias.ndim and bias.shape[-1] != bias.size):
        raise _unsupported(f"its bias {name!r} has shape {bias.shape}", f"{count} values")
    bias = np.broadcast_to(bias.reshape(-1), (count,)).astype(np.float32)
    return np.ascontiguousarray(bias) if bias.any() else None
