# SPDX-License-Identifier: Apache-2.0
"""Softmax, norms and reductions as fp8rt computes them: row operations of the golden model, of codes with a scale."""

from __future__ import annotations

import fp8mac
import numpy as np

from .ir import Layer, Tensor

F32 = np.float32


def _run(operation: str, x: np.ndarray, tensor: Tensor, out: Tensor, **others) -> np.ndarray:
    """Results in the output's format, as a command writes them."""
    if tensor.has_codes:
        others["format"] = tensor.format
    scale_d = float(F32(1) / F32(out.scale))
    x = np.ascontiguousarray(x if tensor.has_codes else x.astype(F32))
    return fp8mac.rows(operation, x, d_format=out.format, scale_d=scale_d, **others)


def softmax(layer: Layer, x: np.ndarray, tensor: Tensor, out: Tensor) -> np.ndarray:
    """Each image begins with the first row of the mask."""
    mask = {"seen": layer.seen or None, "causal": layer.causal}
    factor = float(F32(tensor.scale) * F32(layer.factor))
    parts = np.split(x, layer.images)
    return np.concatenate([_run("softmax", p, tensor, out, factor=factor, **mask) for p in parts])


def normalise(layer: Layer, x: np.ndarray, tensor: Tensor, out: Tensor) -> np.ndarray:
    """Norms do not depend on x's scale, but their eps does: it is that of the codes."""
    norm = layer.norm
    inverse = F32(1) / F32(tensor.scale)
    options: dict = {"eps": float(F32(norm.eps) * inverse * inverse), "gamma": norm.gamma}
    if not norm.rms:
        options["beta"] = norm.beta
    return _run("rms-norm" if norm.rms else "layer-norm", x, tensor, out, **options)


def reduce(layer: Layer, x: np.ndarray, tensor: Tensor, out: Tensor) -> np.ndarray:
    factor = float(F32(tensor.scale) * F32(layer.factor))
    return _run(layer.reduction, x, tensor, out, factor=factor).reshape(-1, 1)


RUN = {"softmax": softmax, "normalise": normalise, "reduce": reduce}
