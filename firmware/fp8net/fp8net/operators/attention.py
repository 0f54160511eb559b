# SPDX-License-Identifier: Apache-2.0
"""Attention as products of computed matrices with a softmax between, for all heads of all sequences.

A mask is added to the scores, and a causal one is a number of columns that each row of the softmax sees.
"""

from __future__ import annotations

import numpy as np

from ..ir import View, product
from . import constants
from .layout import _unsupported, reshaped, turn
from .moving import arrange, plain, repeat, reshape
from .registry import handles

_FORMS = (
    "Q, K, V of three or four sizes, grouped heads, causal; a mask of constant truths or of numbers; "
    "no past, no softcap"
)
_MASK, _OTHERS = 3, range(4, 7)  # places of operands


def heads_of(importer, node, place: int, attribute: str) -> View:
    """Sequences, heads, tokens, size."""
    view = plain(importer, node, importer.view(node, place))
    if len(view.shape) == 4:
        return view
    heads = node.attribute(attribute, 0)
    if len(view.shape) != 3 or not heads or view.shape[2] % heads:
        raise _unsupported(f"input {place} has the shape {view.shape}, {attribute} {heads}")
    shape = (*view.shape[:2], heads, view.shape[2] // heads)
    apart = reshaped(view, shape) or reshape(importer, node, view, shape)
    axes = tuple((0, 2, 1, 3).index(a) for a in apart.axes)
    return View(apart.tensor, (shape[0], shape[2], shape[1], shape[3]), axes)


def _check(importer, node) -> None:
    for place in _OTHERS:
        if node.operand(place):
            raise _unsupported(f"input {place} ({node.operand(place)!r}) is given", _FORMS)
    for name in ("softcap", "qk_matmul_output_mode"):
        if node.attribute(name, 0):
            raise _unsupported(f"{name} is {node.attribute(name)}", _FORMS)
    for name in ("left_window_size", "right_window_size"):
        if node.attribute(name, -1) >= 0:
            raise _unsupported(f"{name} is {node.attribute(name)}", _FORMS)


def _masked(importer, node, scores: View) -> View:
    """Scores with the mask added to them: truths become 0 and -Inf."""
    name = node.operand(_MASK)
    if not name:
        return scores
    mask = importer.constant(name)
    if mask is None:
        return _with_computed(importer, node, scores)
    if mask.dtype == bool:
        mask = np.where(mask, 0, -np.inf).astype(np.float32)
    if mask.dtype.kind != "f" or np.isnan(mask).any() or np.isposinf(mask).any():
        raise _unsupported(f"its mask {name!r} is neither truths nor floats without NaN and +Inf")
    if not constants.fits(scores, mask):
        raise _unsupported(f"its mask of {mask.shape} does not fit scores of {scores.shape}")
    if _hides_row(mask, scores, node.attribute("is_causal", 0)):
        raise _unsupported(f"its mask {name!r} hides all of a row", _FORMS)
    return constants.combine_inner(importer, node, "add", scores, mask, "masked")


def _with_computed(importer, node, scores: View) -> View:
    """A row of -Inf alone is 0 by the standard, and NaN on the chip: an input may not have -Inf."""
    name = importer.view(node, _MASK).tensor
    if any(view.tensor == name for view in importer.graph.inputs.values()):
        importer.graph.finite.add(name)
    view = plain(importer, node, importer.view(node, _MASK))
    shape = (1,) * (len(scores.shape) - len(view.shape)) + view.shape
    if any(size not in (1, s) for size, s in zip(shape, scores.shape)):
        raise _unsupported(f"its mask of {shape} does not fit scores of {scores.shape}")
    if view.shape == scores.shape:
        view = arrange(importer, node, view, scores.axes)
    else:
        view = repeat(importer, node, view, scores.shape, scores.axes)
    layer = importer.layer(node, "add", [scores.tensor, view.tensor])
    layer.output = importer.fresh(f"{node.name}_masked")
    importer.add_inner(layer, scores.of(layer.output), scores.shape[-1])
    return importer.graph.views[layer.output]


def _hides_row(mask: np.ndarray, scores: View, causal: bool) -> bool:
    """Such a row is 0 by the standard, and NaN on the chip."""
    every = np.broadcast_to(mask, scores.shape)
    if causal:
        every = np.where(np.tri(*scores.shape[2:], dtype=bool), every, -np.inf)
    return bool(np.isneginf(every).all(axis=-1).any())


@handles("Attention", "fp8rt_linear, fp8rt_softmax", _FORMS)
def attention(importer, node) -> None:
    _check(importer, node)
    q = heads_of(importer, node, 0, "q_num_heads")
    k, v = (heads_of(importer, node, place, "kv_num_heads") for place in (1, 2))
    causal = bool(node.attribute("is_causal", 0))
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or k.shape[:3] != v.shape[:3]:
        raise _unsupported(f"its operands of {q.shape}, {k.shape} and {v.shape} do not fit")
    if q.shape[1] % k.shape[1]:
        raise _unsupported(f"{q.shape[1]} heads of Q share {k.shape[1]} of K and V")
    # Heads of Q that share a head of K follow each other: together they are one matrix.
    natural, pairs = (0, 1, 2, 3), product(k.shape[:2])
    q, k = arrange(importer, node, q, natural), arrange(importer, node, k, natural)
    scale = float(node.attribute("scale", 0.0) or q.shape[3] ** -0.5)
    scores = importer.layer(node, "matmul", [q.tensor, k.tensor], images=pairs, factor=scale)
    shape = (*q.shape[:3], k.shape[2])
    scores.output = importer.fresh(f"{node.name}_scores")
    importer.add_inner(scores, View(scores.output, shape, natural), shape[3])
    seen = _masked(importer, node, importer.graph.views[scores.output])
    weights = importer.layer(node, "softmax", [seen.tensor])
    if causal:
        weights.seen, weights.causal, weights.images = 1, True, product(q.shape[:2])
    weights.output = importer.fresh(f"{node.name}_weights")
    importer.add_inner(weights, View(weights.output, shape, natural), shape[3], 1.0)
    v = arrange(importer, node, v, (0, 1, 3, 2))
    sums = importer.layer(node, "matmul", [weights.output, v.tensor], images=pairs)
    importer.add(node, sums, (*q.shape[:3], v.shape[3]), natural, v.shape[3])
    if len(importer.view(node).shape) == 3:
        join_heads(importer, node)


def join_heads(importer, node) -> None:
    """Sequences, tokens, all heads beside each other."""
    name = node.outputs[0]
    turn(importer, name, [0, 2, 1, 3])
    view = importer.views[name]
    shape = (*view.shape[:2], view.shape[2] * view.shape[3])
    importer.views[name] = reshaped(view, shape) or reshape(importer, node, view, shape)
