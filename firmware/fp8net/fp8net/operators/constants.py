# SPDX-License-Identifier: Apache-2.0
"""Constants of several axes: tensors of float32 numbers, which the program has beside its weights."""

from __future__ import annotations

import numpy as np

from ..ir import Tensor, View, product
from .moving import plain, repeat

MOST_PARTS = 64  # calls that take the same numbers


def fits(view: View, array: np.ndarray) -> bool:
    """Whether the constant is broadcast to the view's shape, and not the view to the constant's."""
    try:
        return np.broadcast_shapes(view.shape, array.shape) == view.shape
    except ValueError:
        return False


def widened(importer, node, view: View, array: np.ndarray) -> View:
    """The view, repeated where the constant has more indices. Shapes that do not fit stay as they are."""
    try:
        shape = np.broadcast_shapes(view.shape, array.shape)
    except ValueError:
        return view
    return view if shape == view.shape else repeat(importer, node, view, shape, range(len(shape)))


def beside(importer, node, view: View, array: np.ndarray, whole: bool = False) -> tuple[str, int]:
    """A constant that lies as the view, which is plain: its tensor, and how many parts of the view have it one after the other.

    `whole`: it is as large as the view.
    """
    shape = (1,) * (len(view.shape) - array.ndim) + array.shape
    cols = importer.tensor_of(view).cols
    stored = array.reshape(shape).transpose(view.axes)
    parts, rows = 1, product(view.shape) // cols
    sizes = [view.shape[a] for a in view.axes]
    full = list(sizes)
    for place, size in enumerate(sizes):
        if whole or stored.shape[place] != 1 or rows % (parts * size) or parts * size > MOST_PARTS:
            break
        parts *= size
        full[place] = 1
    values = np.broadcast_to(stored, full).astype(np.float32).reshape(-1, cols)
    return add(importer, node, values), parts


def add(importer, node, values: np.ndarray) -> str:
    """The name of a tensor with these rows."""
    name = importer.fresh(f"{node.name}_constant")
    rows, cols = values.shape
    importer.graph.tensors[name] = Tensor(name, rows, cols, fixed=True, inner=True)
    importer.graph.constants[name] = np.ascontiguousarray(values)
    return name


def combine(importer, node, op: str, view: View, array: np.ndarray, factor: float = 1.0) -> View:
    """A layer `op` of the view and the constant; its output is the node's."""
    view = plain(importer, node, view)
    name, parts = beside(importer, node, view, array)
    layer = importer.layer(node, op, [view.tensor, name], factor=factor, images=parts)
    importer.add_like(node, layer, view)
    return importer.views[node.outputs[0]]


def combine_inner(importer, node, op: str, view: View, array: np.ndarray, what: str) -> View:
    """The same, and the file has no value of it."""
    view = plain(importer, node, view)
    name, parts = beside(importer, node, view, array)
    layer = importer.layer(node, op, [view.tensor, name], images=parts)
    layer.output = importer.fresh(f"{node.name}_{what}")
    importer.add_inner(layer, view.of(layer.output), importer.tensor_of(view).cols)
    return importer.graph.views[layer.output]
