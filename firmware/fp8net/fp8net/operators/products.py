# SPDX-License-Identifier: Apache-2.0
"""Gemm and MatMul, factors and offsets of channels, batch norms."""

from __future__ import annotations

import numpy as np

from ..fuse import scale_codes
from ..ir import Weights, Window, product
from . import embedding
from .layout import _unsupported
from .moving import arrange, plain
from .registry import handles
from .weights import bias_of, weights_of
from .windows import MOST_LINE_BYTES, MOST_LINES, MOST_PIXELS


@handles("Gemm", "fp8rt_linear", "transA 0; constant B and C; behind an image: fp8rt_convolution")
def gemm(importer, node) -> None:
    if embedding.multiply(importer, node):
        return
    if node.attribute("transA", 0):
        raise _unsupported("transA is 1", "transA 0")
    transposed = node.attribute("transB", 0)
    weights = weights_of(
        importer, node.inputs[1], 0 if transposed else 1, lambda w: w if transposed else w.T
    )
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    weights.values = weights.values * np.float32(alpha)
    if not np.isfinite(weights.values).all() or not np.isfinite(beta):
        raise _unsupported(f"alpha is {alpha} and beta {beta}", "finite products with them")
    if weights.codes is not None and alpha != 1.0:
        scale_codes(weights, np.full(len(weights.codes), alpha, np.float32))
    bias = bias_of(importer, node.operand(2), weights.values.shape[0])
    weights.bias = None if bias is None else bias * np.float32(beta)
    _multiply(importer, node, importer.view(node), weights)


@handles("MatMul", "fp8rt_linear", "a constant second operand with two sizes, or two computed ones")
def matmul(importer, node) -> None:
    if embedding.multiply(importer, node):
        return
    constant = importer.constant(node.inputs[1])
    if constant is None:
        if importer.constant(node.inputs[0]) is not None:
            raise _unsupported("its first operand is a constant", "a constant second operand")
        _multiply_pairs(importer, node)
        return
    if constant.ndim != 2:
        raise _unsupported(f"its second operand has shape {constant.shape}", "two sizes")
    view = importer.view(node)
    if len(view.shape) < 2:
        raise _unsupported(f"its first operand has shape {view.shape}", "two sizes and more")
    _multiply(importer, node, view, weights_of(importer, node.inputs[1], 1, lambda w: w.T))


def _multiply_pairs(importer, node) -> None:
    """Products of computed matrices. The second operand's rows are its columns here."""
    x, y = (plain(importer, node, importer.view(node, place)) for place in (0, 1))
    rank = len(x.shape)
    if rank < 2 or len(y.shape) != rank or x.shape[:-2] != y.shape[:-2]:
        raise _unsupported(f"multiplies {x.shape} by {y.shape}", "equal sizes before the last two")
    if x.shape[-1] != y.shape[-2]:
        raise _unsupported(f"its operands of {x.shape} and {y.shape} do not fit")
    first = tuple(range(rank - 2))
    x = arrange(importer, node, x, (*first, rank - 2, rank - 1))
    y = arrange(importer, node, y, (*first, rank - 1, rank - 2))
    layer = importer.layer(node, "matmul", [x.tensor, y.tensor], images=product(x.shape[:-2]))
    shape = (*x.shape[:-1], y.shape[-1])
    importer.add(node, layer, shape, tuple(range(rank)), y.shape[-1])


def _multiply(importer, node, view, weights: Weights) -> None:
    n, k = weights.values.shape
    if view.shape[-1] != k:
        raise _unsupported(f"its operands have {view.shape[-1]} and {k} columns")
    last = len(view.shape) - 1
    shape = (*view.shape[:-1], n)
    if not _lies_in_rows(importer, view):
        size = _image_size(importer, view, k)
        if size is not None:
            _multiply_images(importer, node, view, weights, shape, size)
            return
        view = plain(importer, node, view)
        view = arrange(importer, node, view, tuple(a for a in view.axes if a != last) + (last,))
    layer = importer.layer(node, "linear", [view.tensor], weights=weights)
    axes = tuple(a for a in view.axes if a != last) + (last,)
    importer.add(node, layer, shape, axes, n)


def _lies_in_rows(importer, view) -> bool:
    """Whether the last axis of the array is a row of the tensor."""
    last, k = len(view.shape) - 1, view.shape[-1]
    whole = importer.tensor_of(view).cols == k and view.base is None
    return whole and (k == 1 or view.axes[-1] == last)


def _image_size(importer, view, k: int) -> tuple[int, int] | None:
    """Height and width, if each row of k values is an image that lies whole in memory; None: it is not."""
    tensor, base = importer.tensor_of(view), view.base
    images, pixels = product(view.shape[:-1]), k // tensor.cols
    if k % tensor.cols or pixels * images != tensor.rows:
        return None
    size = (pixels, 1)
    if base is not None:
        if base.axes[0] != 0 or base.shape[0] != images or base.shape[base.axes[-1]] != tensor.cols:
            return None
        sizes = [base.shape[a] for a in base.axes[1:-1]]
        if len(sizes) > 1:
            size = (product(sizes[:-1]), sizes[-1])
    elif view.axes != tuple(sorted(view.axes)):
        return None
    fits = size[1] <= MOST_PIXELS and size[1] * tensor.cols <= MOST_LINE_BYTES
    return size if fits and size[0] <= MOST_LINES else None


def _multiply_images(importer, node, view, weights: Weights, shape, size) -> None:
    """A flattened image is multiplied in place: a convolution whose kernel is as large as the image."""
    if view.base is not None:
        _reorder(weights, view.base)
    layer = importer.layer(
        node,
        "convolution",
        [view.tensor],
        weights=weights,
        images=product(view.shape[:-1]),
        height=size[0],
        width=size[1],
        window=Window(size),
    )
    importer.add(node, layer, shape, tuple(range(len(shape))), weights.values.shape[0])


def _reorder(weights: Weights, base) -> None:
    """The columns in the order of memory."""
    n = weights.values.shape[0]
    order = base.axes[1:]

    def arrange(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.reshape(n, *base.shape[1:]).transpose(0, *order)).reshape(
            n, -1
        )

    weights.values = arrange(weights.values)
    if weights.codes is not None:
        weights.codes = arrange(weights.codes)


# ---- a factor and an offset for each channel ----------------------------------------------------


def add_affine(importer, node, view, factor: np.ndarray, offset: np.ndarray | None) -> None:
    """out = x * factor + offset: a depthwise convolution of one pixel. Often the layer before it takes it in."""
    tensor = importer.tensor_of(view)
    weights = Weights(factor.reshape(-1, 1).astype(np.float32), offset)
    if not np.isfinite(weights.values).all() or (
        offset is not None and not np.isfinite(offset).all()
    ):
        raise _unsupported("a factor or offset is not finite")
    layer = importer.layer(
        node,
        "convolution",
        [view.tensor],
        weights=weights,
        height=tensor.rows,
        groups=tensor.cols,
        affine=True,
    )
    importer.add_like(node, layer, view)


@handles("BatchNormalization", "the layer before it, or fp8rt_convolution", "inference")
def batch_normalization(importer, node) -> None:
    if node.attribute("training_mode", 0):
        raise _unsupported("training_mode is 1", "training_mode 0")
    view = plain(importer, node, importer.view(node))
    rank = len(view.shape)
    channels = view.shape[1] if rank > 1 else 1
    if channels > 1:
        view = arrange(importer, node, view, tuple(a for a in view.axes if a != 1) + (1,))
    elif importer.tensor_of(view).cols != 1:
        raise _unsupported(f"its input of shape {view.shape} has one channel and long rows")
    values = [importer.constant(name) for name in node.inputs[1:5]]
    if any(v is None or v.size != channels for v in values):
        raise _unsupported(
            "scale, bias, mean and variance are not constants of one value a channel"
        )
    gamma, beta, mean, variance = (v.astype(np.float64).reshape(-1) for v in values)
    epsilon = node.attribute("epsilon", 1e-5)
    if not (variance + epsilon > 0).all():
        raise _unsupported("variance + epsilon is not greater than 0")
    factor = gamma / np.sqrt(variance + epsilon)
    add_affine(
        importer, node, view, factor.astype(np.float32), (beta - mean * factor).astype(np.float32)
    )
