# SPDX-License-Identifier: Apache-2.0
"""Attention as products of computed matrices with a softmax between, for all heads of all sequences."""

from __future__ import annotations

from ..ir import View, product
from ..moves import Index
from .layout import _unsupported, reshaped, turn
from .moving import Mover, arrange, plain, reshape
from .registry import handles

_FORMS = "Q, K, V of three or four sizes, grouped heads; no mask, no past, not causal, no softcap"


def _heads(importer, node, place: int, attribute: str) -> View:
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


def _shared(importer, node, view: View, heads: int) -> View:
    """Each head as often as heads of Q share it."""
    images, own, tokens, size = view.shape
    if own == heads:
        return view
    if heads % own:
        raise _unsupported(f"{heads} heads of Q share {own} of K and V")
    mover = Mover(
        importer, node, (images, own, heads // own, tokens, size), range(5), inner="shared"
    )
    indices = [Index(images, 0, 0), Index(own, 1, 1), Index(heads // own, None, 2)]
    mover.add(view, [*indices, Index(tokens, 2, 3), Index(size, 3, 4)])
    made = mover.finish()
    return View(made.tensor, (images, heads, tokens, size), (0, 1, 2, 3))


def _check(importer, node) -> None:
    for place, name in enumerate(node.inputs[3:], 3):
        if name:
            raise _unsupported(f"input {place} ({name!r}) is given", _FORMS)
    for name in ("is_causal", "softcap", "qk_matmul_output_mode"):
        if node.attribute(name, 0):
            raise _unsupported(f"{name} is {node.attribute(name)}", _FORMS)


@handles("Attention", "fp8rt_linear, fp8rt_softmax", _FORMS)
def attention(importer, node) -> None:
    _check(importer, node)
    q = _heads(importer, node, 0, "q_num_heads")
    k, v = (_heads(importer, node, place, "kv_num_heads") for place in (1, 2))
    k, v = (_shared(importer, node, view, q.shape[1]) for view in (k, v))
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or k.shape[:3] != v.shape[:3]:
        raise _unsupported(f"its operands of {q.shape}, {k.shape} and {v.shape} do not fit")
    natural, pairs = (0, 1, 2, 3), product(q.shape[:2])
    q, k = arrange(importer, node, q, natural), arrange(importer, node, k, natural)
    scale = float(node.attribute("scale", 0.0) or q.shape[3] ** -0.5)
    scores = importer.layer(node, "matmul", [q.tensor, k.tensor], images=pairs, factor=scale)
    shape = (*q.shape[:3], k.shape[2])
    scores.output = importer.fresh(f"{node.name}_scores")
    importer.add_inner(scores, View(scores.output, shape, natural), shape[3])
    weights = importer.layer(node, "softmax", [scores.output])
    weights.output = importer.fresh(f"{node.name}_weights")
    importer.add_inner(weights, View(weights.output, shape, natural), shape[3], 1.0)
    v = arrange(importer, node, v, (0, 1, 3, 2))
    sums = importer.layer(node, "matmul", [weights.output, v.tensor], images=pairs)
    importer.add(node, sums, (*q.shape[:3], v.shape[3]), natural, v.shape[3])
    if len(importer.view(node).shape) == 3:
        _join_heads(importer, node)


def _join_heads(importer, node) -> None:
    """Sequences, tokens, all heads beside each other."""
    name = node.outputs[0]
    turn(importer, name, [0, 2, 1, 3])
    view = importer.views[name]
    shape = (*view.shape[:2], view.shape[2] * view.shape[3])
    importer.views[name] = reshaped(view, shape) or reshape(importer, node, view, shape)
