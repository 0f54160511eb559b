# SPDX-License-Identifier: Apache-2.0
"""Rotary positions: x * cos + y * sin, where y has the two values of each pair in each other's place.

A product with ones makes y, and it is exact: a row of the weights has one 1.
"""

from __future__ import annotations

import numpy as np

from ..ir import View, Weights
from . import constants
from .attention import heads_of, join_heads
from .layout import _unsupported
from .moving import arrange
from .registry import handles

_FORMS = "constant caches and positions; X of three or four sizes"


def _angles(importer, node, view: View) -> list[np.ndarray]:
    """Cosines and sines: sequences or 1, 1, tokens, pairs."""
    caches = [importer.constant(name) for name in node.inputs[1:3]]
    positions = importer.constant(node.operand(3)) if node.operand(3) else None
    if any(c is None or not np.isfinite(c).all() for c in caches):
        raise _unsupported("its caches are no finite constants", _FORMS)
    if node.operand(3):
        if positions is None:
            raise _unsupported("its positions are computed", _FORMS)
        if caches[0].ndim != 2 or positions.min() < 0 or positions.max() >= len(caches[0]):
            raise _unsupported("its positions are not within its caches", _FORMS)
        caches = [c[positions] for c in caches]
    pairs = (node.attribute("rotary_embedding_dim", 0) or view.shape[3]) // 2
    tokens = view.shape[0], view.shape[2]
    for cache in caches:
        if cache.ndim != 3 or cache.shape != (*tokens, pairs):
            raise _unsupported(f"its cache is {cache.shape}", f"{(*tokens, pairs)}")
    same = tokens[0] > 1 and all((c == c[:1]).all() for c in caches)
    return [(c[:1] if same else c)[:, None].astype(np.float32) for c in caches]


def _partners(size: int, pairs: int, interleaved: bool) -> np.ndarray:
    """Of each place: where the other value of its pair is."""
    other = np.arange(size)
    if interleaved:
        other[: 2 * pairs] ^= 1
    else:
        other[: 2 * pairs] = np.roll(other[: 2 * pairs], pairs)
    return other


def _spread(part: np.ndarray, size: int, interleaved: bool, signs, rest: float) -> np.ndarray:
    """A number for each value from one for each pair."""
    first, second = signs[0] * part, signs[1] * part
    both = np.stack([first, second], -1) if interleaved else np.concatenate([first, second], -1)
    both = both.reshape(*part.shape[:-1], -1)
    full = np.full((*part.shape[:-1], size), rest, np.float32)
    full[..., : both.shape[-1]] = both
    return full


@handles("RotaryEmbedding", "fp8rt_linear, fp8rt_multiply, fp8rt_add", _FORMS)
def rotary(importer, node) -> None:
    flat = len(importer.view(node).shape) == 3
    view = arrange(importer, node, heads_of(importer, node, 0, "num_heads"), (0, 1, 2, 3))
    size, interleaved = view.shape[3], bool(node.attribute("interleaved", 0))
    cosines, sines = _angles(importer, node, view)
    pairs = cosines.shape[-1]
    if 2 * pairs > size:
        raise _unsupported(f"it turns {2 * pairs} of {size} values", _FORMS)
    partners = _partners(size, pairs, interleaved)
    ones = (partners[:, None] == np.arange(size)).astype(np.float32)
    layer = importer.layer(node, "linear", [view.tensor], weights=Weights(ones, unit=1.0))
    layer.output = importer.fresh(f"{node.name}_partners")
    importer.add_inner(layer, view.of(layer.output), size)
    importer.graph.tensors[layer.output].follows = view.tensor
    turned = importer.graph.views[layer.output]
    factors = (
        (view, _spread(cosines, size, interleaved, (1, 1), 1.0)),
        (turned, _spread(sines, size, interleaved, (-1, 1), 0.0)),
    )
    parts = [
        constants.combine_inner(importer, node, "multiply", x, factor, "turned").tensor
        for x, factor in factors
    ]
    importer.add_like(node, importer.layer(node, "add", parts), view)
    if flat:
        join_heads(importer, node)
