# SPDX-License-Identifier: Apache-2.0
"""Rounds the weights of a product by the error of its results, not by their own.

    least |x' W' - x W|^2 + strength |W' - W|^2    over codes W', scales as they are

x are operands of the float file in a sample of places, x' those that the quantised network has there: W' also takes away what it can
of the error of x'. One code after the other gets its best value while the others stay, until few change. The second term, in units
of the mean square of x', keeps weights near that the data say little about.
"""

from __future__ import annotations

import dataclasses
import functools

import fp8mac
import numpy as np
import onnx
from onnx import helper, numpy_helper

from .ir import FORMAT_MAX
from .operators.quantisation import FORMAT_OF_TYPE
from .qdq import Writer

# Places that are looked at, of all runs, and their operands together
LEAST_ROWS, MOST_ROWS, MOST_OPERANDS = 512, 4096, 1 << 22
TOGETHER = 16  # runs
STRENGTH = 0.3
SWEEPS = 5
FEW = 0.001  # of the codes: when so few change in a sweep, it was the last one


@dataclasses.dataclass
class Product:
    """A product whose weights are codes that only it reads"""

    node: onnx.NodeProto
    weights: np.ndarray  # what the codes stand for
    codes: onnx.TensorProto
    scales: np.ndarray  # of each output
    format: str
    axis: int  # of outputs

    @property
    def attributes(self) -> dict:
        return {a.name: helper.get_attribute_value(a) for a in self.node.attribute}

    @property
    def groups(self) -> int:
        return self.attributes.get("group", 1) if self.node.op_type == "Conv" else 1

    def rows(self) -> np.ndarray:
        """groups x outputs x operands"""
        first = np.moveaxis(self.weights, self.axis, 0)
        return first.reshape(self.groups, len(first) // self.groups, -1).astype(np.float64)

    def write(self, rows: np.ndarray) -> None:
        """Rows that are numbers of the format"""
        shape = np.moveaxis(self.weights, self.axis, 0).shape
        values = np.ascontiguousarray(np.moveaxis(rows.reshape(shape), 0, self.axis))
        self.codes.raw_data = fp8mac.cast(values, self.format).tobytes()


def improve(product: Product, given: list[np.ndarray], wanted: list[np.ndarray]) -> int:
    """The operand of the product in each run, quantised and not. Returns how many codes changed."""
    rows = product.rows()
    groups, _, size = rows.shape
    share = int(np.clip(MOST_OPERANDS // (groups * size), LEAST_ROWS, MOST_ROWS)) // len(given)
    share = max(share, 1)
    places = Places(product, given[0].shape)
    generator = np.random.default_rng(0)
    own, cross = np.zeros((2, groups, size, size), np.float32)
    count = 0
    for first in range(0, len(given), TOGETHER):
        chosen = [(i, places.some(share, generator)) for i in range(len(given))[first:][:TOGETHER]]
        x, y = (
            np.concatenate([places.operands(v[i], at) for i, at in chosen], axis=1)
            for v in (given, wanted)
        )
        own += x.transpose(0, 2, 1) @ x
        cross += y.transpose(0, 2, 1) @ x
        count += x.shape[1]
    own, cross = (z.astype(np.float64) / count for z in (own, cross))
    near = STRENGTH * np.trace(own, axis1=1, axis2=2) / size
    near = np.where(near > 0, near, 1.0)[:, None, None] * np.eye(size)
    scales = product.scales.astype(np.float64).reshape(groups, -1, 1)
    first = nearest(rows / scales, product.format)
    last = descend(rows / scales, first, own + near, cross + near, product.format)
    product.write(last)
    return int((first != last).sum())


def descend(rows, codes, own, cross, format: str) -> np.ndarray:
    """Numbers of the format, from `codes` on, that make r own r' - 2 r cross' rows' small: each is best while the others stay."""
    found = codes.copy()
    slope = found @ own - rows @ cross
    curve = np.einsum("gkk->gk", own)
    for _ in range(SWEEPS):
        changed = 0
        for k in range(found.shape[2]):
            best = nearest(found[:, :, k] - slope[:, :, k] / curve[:, None, k], format)
            step = best - found[:, :, k]
            group, row = np.nonzero(step)
            if len(group):
                found[:, :, k] = best
                slope[group, row] += step[group, row, None] * own[group, k]
                changed += len(group)
        if changed <= FEW * found.size:
            break
    return found


@functools.cache
def _numbers(format: str) -> tuple[np.ndarray, np.ndarray]:
    """Of the format, and the middles between them"""
    every = fp8mac.decode(np.arange(256, dtype=np.uint8), format, dtype=np.float64)
    every = np.unique(every[np.abs(every) <= FORMAT_MAX[format]])
    return every, (every[1:] + every[:-1]) / 2


def nearest(values: np.ndarray, format: str) -> np.ndarray:
    every, middles = _numbers(format)
    return every[np.searchsorted(middles, values)]


# ---- operands -----------------------------------------------------------------------------------


def takes(node: onnx.NodeProto, shape: tuple[int, ...]) -> bool:
    """Whether the operands of the product can be found"""
    if node.op_type == "Conv":
        return len(shape) in (3, 4)
    attributes = {a.name: a.i for a in node.attribute}
    return node.op_type in ("Gemm", "MatMul") and len(shape) == 2 and not attributes.get("transA")


class Places:
    """The results of a product, numbered over images and places, and their operands"""

    def __init__(self, product: Product, shape: tuple[int, ...]):
        self.groups, self.convolves = product.groups, product.node.op_type == "Conv"
        self.results: tuple[int, ...] = (int(np.prod(shape[:-1])),)
        if self.convolves:
            window = _window(product, shape)
            sizes, self.kernel, self.strides, self.dilations, self.pads = window
            self.results = (
                shape[0],
                *(
                    (size + sum(pad) - (k - 1) * d - 1) // s + 1
                    for size, k, s, d, pad in zip(sizes, *window[1:])
                ),
            )
        self.count = int(np.prod(self.results))

    def some(self, share: int, generator) -> np.ndarray:
        if self.count <= share:
            return np.arange(self.count)
        return generator.choice(self.count, share, replace=False)

    def operands(self, x: np.ndarray, at: np.ndarray) -> np.ndarray:
        """groups x places x operands of an output, in the order of the weights"""
        if not self.convolves:
            return x.reshape(1, -1, x.shape[-1])[:, at]
        image, *first = np.unravel_index(at, self.results)
        axes = len(self.kernel)
        if any(p != (0, 0) for p in self.pads):
            x = np.pad(x, [(0, 0), (0, 0), *self.pads])
        index = [image.reshape(-1, *[1] * axes)]
        for axis in range(axes):
            shape = [1] * axes
            shape[axis] = -1
            steps = (np.arange(self.kernel[axis]) * self.dilations[axis]).reshape(1, *shape)
            index.append(first[axis].reshape(-1, *[1] * axes) * self.strides[axis] + steps)
        found = x.reshape(len(x), self.groups, -1, *x.shape[2:])
        found = np.moveaxis(found, 0, 2)
        found = found[(slice(None), slice(None), *index)]
        found = np.moveaxis(found, 1, 2)
        return np.ascontiguousarray(found).reshape(self.groups, len(at), -1)


def _window(product: Product, shape: tuple):
    """Sizes of the image; kernel, strides, dilations and pads for each axis"""
    at, axes = product.attributes, len(shape) - 2
    sizes, kernel = shape[2:], product.weights.shape[2:]
    strides, dilations = at.get("strides", [1] * axes), at.get("dilations", [1] * axes)
    pads = at.get("pads", [0] * 2 * axes)
    pads = list(zip(pads[:axes], pads[axes:]))
    how = at.get("auto_pad", b"NOTSET")
    if how.startswith(b"SAME"):
        pads = []
        for size, k, s, d in zip(sizes, kernel, strides, dilations):
            total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
            less = total // 2
            pads.append((less, total - less) if how == b"SAME_UPPER" else (total - less, less))
    elif how == b"VALID":
        pads = [(0, 0)] * axes
    return sizes, kernel, strides, dilations, pads


def product_of(
    writer: Writer, node: onnx.NodeProto, coded: dict, readers: int = 1
) -> Product | None:
    """None: its weights are no codes, or others read them, or its operands cannot be found"""
    graph, name = writer.graph, node.input[1]
    decoder = next((n for n in graph.node if n.output[0] == name), None)
    if decoder is None or name not in coded or not takes(node, coded[name].shape):
        return None
    if sum(name in n.input for n in graph.node) != readers:
        return None
    constants = {t.name: t for t in graph.initializer}
    codes, scales = (constants[n] for n in decoder.input[:2])
    axis = next((a.i for a in decoder.attribute if a.name == "axis"), 1)
    scales = numpy_helper.to_array(scales)
    return Product(node, coded[name], codes, scales, FORMAT_OF_TYPE[codes.data_type], axis)
