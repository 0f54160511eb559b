# SPDX-License-Identifier: Apache-2.0
"""Operators that move no data if they can: another view of the same tensor. And constants."""

from __future__ import annotations

import dataclasses

import numpy as np
from onnx import numpy_helper

from ..ir import View, product
from .registry import handles


def _unsupported(what: str, nearest: str = "") -> Exception:
    from ..importer import Unsupported

    return Unsupported(what, nearest)


@handles("Constant", "-", "value, value_float, value_floats, value_int, value_ints")
def constant(importer, node) -> None:
    for name in ("value_float", "value_floats", "value_int", "value_ints"):
        value = node.attribute(name)
        if value is not None:
            kind = np.float32 if "float" in name else np.int64
            importer.constants[node.outputs[0]] = np.asarray(value, kind)
            return
    tensor = node.attribute("value")
    if tensor is None:
        raise _unsupported("is neither numbers nor a dense tensor")
    importer.constants[node.outputs[0]] = numpy_helper.to_array(tensor)


@handles("Identity", "-", "any")
def identity(importer, node) -> None:
    if node.inputs[0] in importer.constants:
        importer.constants[node.outputs[0]] = importer.constants[node.inputs[0]]
        return
    importer.views[node.outputs[0]] = importer.view(node)


@handles("Dropout", "-", "inference, where it changes nothing")
def dropout(importer, node) -> None:
    training = importer.constant(node.operand(2)) if node.operand(2) else None
    if node.operand(2) and (training is None or training.any()):
        raise _unsupported("training_mode is not false", "inference")
    identity(importer, node)


# ---- reshapes -----------------------------------------------------------------------------------


def _blocks(old: tuple[int, ...], new: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """Neighbouring axes that have as many elements as neighbouring new ones, as few together as possible."""
    blocks, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        mine, its, left, right = [], [], 1, 1
        while not mine or not its or left != right:
            if i < len(old) and (left <= right or j == len(new)):
                mine.append(i)
                left *= old[i]
                i += 1
            elif j < len(new):
                its.append(j)
                right *= new[j]
                j += 1
            else:
                break
        blocks.append((mine, its))
    return blocks


def reshaped(view: View, shape: tuple[int, ...]) -> View | None:
    """The view with another shape, where memory allows it; None: rows of the new shape are not in its order."""
    if view.base is not None:
        if shape == view.base.shape:
            return view.base
        same = [s for s in shape if s != 1] == [s for s in view.shape if s != 1]
        return (
            dataclasses.replace(view, shape=shape, axes=tuple(range(len(shape)))) if same else None
        )
    axes: list[int] = []
    place = {axis: i for i, axis in enumerate(view.axes)}
    pieces = []
    for mine, its in _blocks(view.shape, shape):
        places = [place[a] for a in mine if view.shape[a] > 1]
        if places and places != list(range(places[0], places[0] + len(places))):
            between = view.axes[min(places) : max(places) + 1]
            if places != sorted(places) or any(
                view.shape[a] > 1 and a not in mine for a in between
            ):
                return _flattened(view, shape)
        pieces.append((min(places, default=len(view.axes)), its))
    for _, its in sorted(pieces, key=lambda piece: piece[0]):
        axes += its
    return View(view.tensor, shape, tuple(axes))


def _flattened(view: View, shape: tuple[int, ...]) -> View | None:
    """One vector for each first index."""
    rest = [s for s in shape[1:] if s != 1]
    if shape[0] != view.shape[0] or view.axes[0] != 0 or len(rest) != 1:
        return None
    return View(view.tensor, shape, tuple(range(len(shape))), view)


def _set_shape(importer, node, shape: tuple[int, ...], of: str | None = None) -> None:
    """The node's output is its input, or the value `of`, with another shape."""
    from .moving import reshape as move

    view = importer.view(node) if of is None else importer.views[of]
    if product(shape) != product(view.shape):
        raise _unsupported(f"makes {shape} of {view.shape}, which has another number of elements")
    changed = reshaped(view, shape)
    importer.views[node.outputs[0]] = changed or move(importer, node, view, shape)


@handles("Reshape", "-, or fp8rt_move", "constant shape")
def reshape(importer, node) -> None:
    wanted = importer.constant(node.inputs[1])
    if wanted is None:
        raise _unsupported(
            "its shape is not constant", "a constant shape, or --shape for the inputs"
        )
    from . import embedding

    one_hot = node.inputs[0] in importer.one_hot
    if one_hot:
        indices, words = importer.one_hot[node.inputs[0]]
        old = (*indices.shape, words)
    else:
        old = importer.view(node).shape
    keep = not node.attribute("allowzero", 0)
    sizes = [old[i] if s == 0 and keep and i < len(old) else int(s) for i, s in enumerate(wanted)]
    if sizes.count(-1) == 1:
        known = product(s for s in sizes if s != -1)
        sizes[sizes.index(-1)] = product(old) // known if known else 0
    if one_hot:
        embedding.reshape(importer, node, tuple(sizes))
        return
    _set_shape(importer, node, tuple(sizes))


@handles("Flatten", "-, or fp8rt_move", "any axis")
def flatten(importer, node) -> None:
    old = importer.view(node).shape
    axis = node.attribute("axis", 1)
    axis = axis + len(old) if axis < 0 else axis
    _set_shape(importer, node, (product(old[:axis]), product(old[axis:])))


def _constant_ints(importer, node, place: int) -> list[int] | None:
    """None: there is no such input."""
    if len(node.inputs) <= place or not node.inputs[place]:
        return None
    values = importer.constant(node.inputs[place])
    if values is None:
        raise _unsupported(f"its input {node.inputs[place]!r} is not constant", "a constant")
    return [int(v) for v in values.reshape(-1)]


def _axes_of(importer, node, rank: int) -> list[int] | None:
    if len(node.inputs) < 2 or not node.inputs[1]:
        return None
    axes = importer.constant(node.inputs[1])
    if axes is None:
        raise _unsupported("its axes are not constant", "constant axes")
    return [int(a) + rank if a < 0 else int(a) for a in np.atleast_1d(axes)]


@handles("Squeeze", "-", "any axes")
def squeeze(importer, node) -> None:
    old = importer.view(node).shape
    axes = _axes_of(importer, node, len(old))
    gone = [i for i, s in enumerate(old) if s == 1] if axes is None else axes
    _set_shape(importer, node, tuple(s for i, s in enumerate(old) if i not in gone))


@handles("Unsqueeze", "-", "any axes")
def unsqueeze(importer, node) -> None:
    old = importer.view(node).shape
    given = importer.constant(node.inputs[1])
    rank = len(old) + (0 if given is None else given.size)
    axes = _axes_of(importer, node, rank)
    if axes is None:
        raise _unsupported("its axes are not constant", "constant axes")
    rest = iter(old)
    _set_shape(importer, node, tuple(1 if i in axes else next(rest) for i in range(rank)))


@handles("Transpose", "-, or fp8rt_move in front of layers that read another order", "any")
def transpose(importer, node) -> None:
    from .moving import plain

    view = plain(importer, node, importer.view(node))
    perm = node.attribute("perm") or list(reversed(range(len(view.shape))))
    if sorted(perm) != list(range(len(view.shape))):
        raise _unsupported(f"perm is {perm} for an input of shape {view.shape}")
    importer.views[node.outputs[0]] = view
    turn(importer, node.outputs[0], perm)


def turn(importer, name: str, perm: list[int]) -> None:
    """The value's view with its axes in another order."""
    view = importer.views[name]
    shape = tuple(view.shape[p] for p in perm)
    axes = tuple(perm.index(a) for a in view.axes)
    importer.views[name] = View(view.tensor, shape, axes)
    if importer.graph.views.get(name) == view and view.tensor == name:
        importer.graph.views[name] = importer.views[name]
