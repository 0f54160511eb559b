# SPDX-License-Identifier: Apache-2.0
"""Bias correction: the mean error of each output channel of a product, over the data, goes into its bias.

bias[n] -= mean(quantised product[n]) - mean(float product[n])
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
from onnx import helper, numpy_helper

from .qdq import Writer

PRODUCTS = {"Conv": 1, "ConvTranspose": 1, "Gemm": -1, "MatMul": -1}  # and the axis of channels


@dataclasses.dataclass
class Target:
    """A product, where its sum with the bias is, and what the float file calls that."""

    product: onnx.NodeProto
    written: onnx.NodeProto  # the product, or the sum with its bias or its other half
    reference: str
    halves: bool  # of a value in two codes

    @property
    def result(self) -> str:
        return self.written.output[0]

    @property
    def axis(self) -> int:
        return PRODUCTS[self.product.op_type]


# ---- which products -----------------------------------------------------------------------------


def find(graph: onnx.GraphProto, reference: onnx.ModelProto) -> tuple[list[Target], list[str]]:
    """In the order of the graph; and the names of quantised products that are left."""
    known = {o for node in reference.graph.node for o in node.output}
    codes = {n.output[0] for n in graph.node if n.op_type == "DequantizeLinear"}
    products = {
        n.output[0]: n
        for n in graph.node
        if n.op_type in PRODUCTS and len(n.input) > 1 and n.input[1] in codes
    }
    targets, left, halves = [], [], set()
    for result, node in products.items():
        if result in halves:
            continue
        written, both = node, _half(graph, node, products)
        if both:
            written = _readers(graph, result)[0]
            halves |= set(written.input)
        elif node.op_type == "MatMul":
            written = _sum(graph, node) or node
        name = _called(graph, written.output[0], known)
        if name is None:
            left.append(node.name or result)
        else:
            targets.append(Target(node, written, name, both))
    place = {n.output[0]: i for i, n in enumerate(graph.node) if n.output}
    return sorted(targets, key=lambda t: place[t.result]), left


def _readers(graph: onnx.GraphProto, name: str) -> list[onnx.NodeProto]:
    return [n for n in graph.node if name in n.input]


def _half(graph: onnx.GraphProto, node: onnx.NodeProto, products: dict) -> bool:
    """One of two products with the same weights, whose sum is the product of a value in two codes"""
    readers = _readers(graph, node.output[0])
    if len(readers) != 1 or readers[0].op_type != "Add":
        return False
    both = [products.get(name) for name in readers[0].input]
    return None not in both and both[0].input[1] == both[1].input[1]


def _sum(graph: onnx.GraphProto, node: onnx.NodeProto) -> onnx.NodeProto | None:
    """The sum of a MatMul's result with one constant for each channel"""
    readers = _readers(graph, node.output[0])
    constants = {t.name: t for t in graph.initializer}
    if len(readers) != 1 or readers[0].op_type != "Add":
        return None
    others = [constants[n] for n in readers[0].input if n in constants]
    one = others[0].dims if others else (2, 2)
    return readers[0] if all(size == 1 for size in one[:-1]) else None


def _called(graph: onnx.GraphProto, name: str, known: set[str]) -> str | None:
    """A result that is rounded for an output of the graph has another name than in the float file."""
    if name in known:
        return name
    for reader in _readers(graph, name):
        if reader.op_type == "QuantizeLinear":
            for last in _readers(graph, reader.output[0]):
                if last.output[0] in known:
                    return last.output[0]
    return None


# ---- values -------------------------------------------------------------------------------------


def channels(values: list[np.ndarray], axis: int) -> np.ndarray:
    """The mean of each channel, over all runs and places"""
    each = [np.moveaxis(v, axis, -1).reshape(-1, v.shape[axis]) for v in values]
    return np.mean([e.mean(axis=0, dtype=np.float64) for e in each], axis=0)


def shift(values: list[np.ndarray], axis: int, change: np.ndarray) -> None:
    for value in values:
        shape = [1] * value.ndim
        shape[axis] = -1
        value += change.reshape(shape).astype(np.float32)


# ---- the bias -----------------------------------------------------------------------------------


def add(writer: Writer, target: Target, change: np.ndarray) -> None:
    """Into the bias that the product has, or into a new one. A bias may be another product's too, so it becomes one of its own."""
    node, graph = target.product, writer.graph
    constants = {t.name: t for t in graph.initializer}
    if node.op_type == "MatMul" and target.written is not node and target.written.op_type == "Add":
        sums = target.written if _sum(graph, node) is target.written else None
        if sums is not None:
            place = next(i for i, name in enumerate(sums.input) if name in constants)
            old = numpy_helper.to_array(constants[sums.input[place]])
            sums.input[place] = writer.constant(f"{target.result}_bias", _sum_of(old, change))
            return
    if node.op_type == "MatMul":
        result = node.output[0]
        node.output[0] = writer.fresh(f"{result}_product")
        bias = writer.constant(f"{result}_bias", change.astype(np.float32))
        sums = helper.make_node(
            "Add", [node.output[0], bias], [result], writer.fresh_node(f"{result}_bias")
        )
        graph.node.insert(list(graph.node).index(node) + 1, sums)
        return
    scale = next((a.f for a in node.attribute if a.name == "beta"), 1.0)
    old = np.zeros((), np.float32)
    if len(node.input) > 2 and node.input[2]:
        old = numpy_helper.to_array(constants[node.input[2]])
    name = writer.constant(f"{target.result}_bias", _sum_of(old, change / scale))
    del node.input[2:]
    node.input.append(name)


def _sum_of(old: np.ndarray, change: np.ndarray) -> np.ndarray:
    return (old.astype(np.float64) + change).astype(np.float32)
