# SPDX-License-Identifier: Apache-2.0
"""Embeddings: rows of a constant table by computed indices, which a file may write as products with one-hot codes."""

from __future__ import annotations

import numpy as np

from ..ir import View
from .layout import _unsupported, reshaped
from .registry import handles
from .weights import bias_of


def embed(importer, node, indices: View, table: np.ndarray) -> None:
    """The node's output has a row of the table for each index."""
    if table.ndim != 2 or table.dtype.kind != "f" or not np.isfinite(table).all():
        raise _unsupported(f"its table of shape {table.shape} is not rows of finite floats")
    if indices.tensor not in importer.indices:
        raise _unsupported("its indices are computed", "an input of INT32 or INT64")
    if indices.base is not None or indices.axes != tuple(range(len(indices.shape))):
        raise _unsupported("its indices are transposed", "indices in their own order")
    layer = importer.layer(node, "embedding", [indices.tensor], table=table.astype(np.float32))
    shape = (*indices.shape, table.shape[1])
    importer.add(node, layer, shape, tuple(range(len(shape))), table.shape[1])


def gather(importer, node) -> None:
    """Gather of a constant."""
    if node.attribute("axis", 0) != 0:
        raise _unsupported(f"axis is {node.attribute('axis', 0)}", "axis 0 of a constant table")
    embed(importer, node, importer.view(node, 1), importer.constant(node.inputs[0]))


@handles("Equal", "fp8rt_embedding", "indices and 0, 1, 2, ... before a MatMul with a constant")
def equal(importer, node) -> None:
    """indices[..., 1] == [0 .. n - 1]: a one-hot code"""
    constants = [importer.constant(name) for name in node.inputs]
    place = next((i for i, c in enumerate(constants) if c is not None), None)
    if place is None:
        raise _unsupported("both operands are computed", "a constant 0, 1, 2, ...")
    numbers, view = constants[place].reshape(-1), importer.view(node, 1 - place)
    if view.tensor not in importer.indices:
        raise _unsupported("it compares floats", "indices")
    good = numbers.dtype.kind in "iu" and np.array_equal(numbers, np.arange(numbers.size))
    if not good or constants[place].shape[-1:] != numbers.shape or view.shape[-1] != 1:
        raise _unsupported(
            f"it compares {view.shape} with a constant of {constants[place].shape}",
            "indices of a last size 1 with 0, 1, 2, ...",
        )
    indices = View(view.tensor, view.shape[:-1], tuple(a for a in view.axes[:-1]))
    if constants[place].ndim > len(view.shape) or view.base is not None or not indices.shape:
        raise _unsupported(f"it makes more sizes of {view.shape}", "indices of as many sizes")
    importer.one_hot[node.outputs[0]] = indices, numbers.size


@handles(
    "OneHot", "fp8rt_embedding", "the last axis, values 0 and 1, before a MatMul with a constant"
)
def one_hot(importer, node) -> None:
    depth, values = importer.constant(node.inputs[1]), importer.constant(node.inputs[2])
    view = importer.view(node)
    if view.tensor not in importer.indices:
        raise _unsupported("its indices are computed", "an input of INT32 or INT64")
    if depth is None or values is None or values.reshape(-1).tolist() != [0, 1]:
        raise _unsupported("its depth or values are not constant 0 and 1", "constants")
    if node.attribute("axis", -1) not in (-1, len(view.shape)):
        raise _unsupported(f"axis is {node.attribute('axis', -1)}", "the last axis")
    importer.one_hot[node.outputs[0]] = view, int(depth.reshape(-1)[0])


def reshape(importer, node, shape: tuple[int, ...]) -> None:
    """Of a one-hot code: its last size stays."""
    indices, words = importer.one_hot[node.inputs[0]]
    changed = reshaped(indices, shape[:-1]) if shape and shape[-1] == words else None
    if changed is None:
        raise _unsupported(f"makes {shape} of a one-hot code", "a shape whose last size stays")
    importer.one_hot[node.outputs[0]] = changed, words


def multiply(importer, node) -> bool:
    """A product of one-hot codes with a constant: MatMul, or Gemm with its offset."""
    if node.inputs[0] not in importer.one_hot:
        return False
    indices, words = importer.one_hot[node.inputs[0]]
    table = importer.constant(node.inputs[1])
    if table is None or table.ndim != 2:
        raise _unsupported("multiplies a one-hot code", "by a constant of as many rows")
    if node.op == "Gemm":
        table = _with_offset(importer, node, table)
    if len(table) != words:
        raise _unsupported("multiplies a one-hot code", "by a constant of as many rows")
    embed(importer, node, indices, table)
    return True


def _with_offset(importer, node, table: np.ndarray) -> np.ndarray:
    if node.attribute("transA", 0):
        raise _unsupported("transA is 1", "transA 0")
    table = (table.T if node.attribute("transB", 0) else table) * node.attribute("alpha", 1.0)
    bias = bias_of(importer, node.operand(2), table.shape[1])
    return table if bias is None else table + bias * node.attribute("beta", 1.0)
