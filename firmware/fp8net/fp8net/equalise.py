# SPDX-License-Identifier: Apache-2.0
"""Cross-layer equalisation: the channels between two convolutions get factors that the second one takes away.

    y = W2 f(W1 x + b)  ->  (W2 s) f((W1 x + b) / s)      f(a / s) = f(a) / s

s = sqrt(range of the channel / largest weight that reads it), or the range alone where each channel has a convolution of its own: a
power of two from 1/64 to 1, so the network computes the same numbers. Between both are only functions with f(a / s) = f(a) / s, and
nobody else reads the values.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

from .qdq import Writer
from .quantize import Probe

HOMOGENEOUS = ("Relu", "LeakyRelu", "PRelu", "MaxPool", "Identity")
SMALLEST = 2.0**-6


def pairs(graph: onnx.GraphProto) -> list[tuple[onnx.NodeProto, str, onnx.NodeProto]]:
    """The first convolution, the value that the second one reads, and that one"""
    constants = {t.name for t in graph.initializer}
    results = {o.name for o in graph.output}
    readers: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)

    def is_product(node: onnx.NodeProto) -> bool:
        return node.op_type == "Conv" and all(n in constants for n in node.input[1:] if n)

    found = []
    for first in filter(is_product, graph.node):
        node = first
        while True:
            value = node.output[0]
            after = readers.get(value, [])
            if value in results or len(after) != 1 or after[0].input[0] != value:
                break
            if is_product(after[0]):
                found.append((first, value, after[0]))
                break
            if after[0].op_type not in HOMOGENEOUS or len(after[0].output) != 1:
                break
            node = after[0]
    return found


def equalise(model: onnx.ModelProto, runs: list) -> tuple[onnx.ModelProto, int]:
    """The same network, and how many pairs of convolutions have factors"""
    writer = Writer(model)
    found = pairs(writer.graph)
    if not found:
        return model, 0
    largest: dict[str, np.ndarray] = {}
    probe = Probe(model, list(dict.fromkeys(value for _, value, _ in found)))
    for run in runs:
        for name, values in probe.run(run).items():
            own = np.abs(np.moveaxis(np.asarray(values), 1, 0).reshape(values.shape[1], -1))
            largest[name] = np.maximum(largest.get(name, 0), own.max(axis=1))
    count = 0
    for first, value, second in found:
        weights = [_constant(writer, node.input[1]) for node in (first, second)]
        groups = next((a.i for a in second.attribute if a.name == "group"), 1)
        factors = _factors(largest[value], weights[1], groups)
        if not (factors < 1).any():
            continue
        count += 1
        _replace(writer, first, 1, weights[0] / factors.reshape(-1, *[1] * (weights[0].ndim - 1)))
        if len(first.input) > 2 and first.input[2]:
            _replace(writer, first, 2, _constant(writer, first.input[2]) / factors)
        _replace(writer, second, 1, _channels(weights[1], groups, factors))
    return writer.model, count


def _factors(ranges: np.ndarray, weights: np.ndarray, groups: int) -> np.ndarray:
    """1 for channels of zeros, and all 1 if a range is not finite"""
    each = np.abs(weights).reshape(groups, -1, *weights.shape[1:])
    read = np.moveaxis(each, 2, 1).reshape(len(ranges), -1).max(axis=1)
    good = (ranges > 0) & (read > 0)
    if not good.any() or not np.isfinite(ranges).all():
        return np.ones(len(ranges))
    wanted = ranges.astype(np.float64) / (read if groups == 1 else 1)
    wanted = np.sqrt(wanted, where=good, out=np.ones(len(ranges))) if groups == 1 else wanted
    wanted = np.where(good, wanted / wanted[good].max(), 1.0)
    return 2.0 ** np.rint(np.log2(np.clip(wanted, SMALLEST, 1.0)))


def _channels(weights: np.ndarray, groups: int, factors: np.ndarray) -> np.ndarray:
    """Weights that read channels which are divided by these factors"""
    each = weights.reshape(groups, -1, *weights.shape[1:])
    shape = groups, 1, weights.shape[1], *[1] * (weights.ndim - 2)
    return (each * factors.reshape(shape)).reshape(weights.shape)


def _constant(writer: Writer, name: str) -> np.ndarray:
    return numpy_helper.to_array(next(t for t in writer.graph.initializer if t.name == name))


def _replace(writer: Writer, node: onnx.NodeProto, place: int, values: np.ndarray) -> None:
    """Another node may read the constant, so this one gets its own."""
    node.input[place] = writer.constant(node.input[place], values.astype(np.float32))
