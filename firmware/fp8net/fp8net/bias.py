# SPDX-License-Identifier: Apache-2.0
"""Bias correction: the mean error of each output channel of a product, over the data, goes into its bias.

    bias[n] -= mean(quantised product[n]) - mean(float product[n])

Products are corrected in the order of the file. Each one reads what the corrected products before it have written, so the
quantised network runs once, in parts that end at a product.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import shapes
from .qdq import Writer
from .quantize import Probe

PRODUCTS = {"Conv": 1, "ConvTranspose": 1, "Gemm": -1, "MatMul": -1}  # and the axis of channels


@dataclasses.dataclass
class Target:
    """A product, where its sum with the bias is, and what the float file calls that."""

    product: onnx.NodeProto
    written: onnx.NodeProto  # the product, or the sum with its bias or its other half
    reference: str

    @property
    def result(self) -> str:
        return self.written.output[0]

    @property
    def axis(self) -> int:
        return PRODUCTS[self.product.op_type]


@dataclasses.dataclass
class Outcome:
    model: onnx.ModelProto
    corrected: list[str]  # names of products
    left: list[str]  # products that have no counterpart in the float file, or no finite error


def correct(quantised: onnx.ModelProto, reference: onnx.ModelProto, runs: list) -> Outcome:
    """`reference` is the float file, prepared; `runs` are the data to correct with."""
    writer = Writer(quantised)
    targets, left = find(writer.graph, reference)
    if not targets:
        return Outcome(writer.model, [], left)
    means, inputs = _reference(reference, targets, runs)
    corrected = []
    for target, values in _walk(writer, targets, inputs):
        error = _channels(values, target.axis) - means[target.reference]
        name = target.product.name or target.result
        if np.isfinite(error).all():
            _add(writer, target, -error)
            _shift(values, target.axis, -error)
            corrected.append(name)
        else:
            left.append(name)
    return Outcome(writer.model, corrected, left)


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
        written = node
        if _half(graph, node, products):
            written = _readers(graph, result)[0]
            halves |= set(written.input)
        elif node.op_type == "MatMul":
            written = _sum(graph, node) or node
        name = _called(graph, written.output[0], known)
        if name is None:
            left.append(node.name or result)
        else:
            targets.append(Target(node, written, name))
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


def _channels(values: list[np.ndarray], axis: int) -> np.ndarray:
    """The mean of each channel, over all runs and places"""
    each = [np.moveaxis(v, axis, -1).reshape(-1, v.shape[axis]) for v in values]
    return np.mean([e.mean(axis=0, dtype=np.float64) for e in each], axis=0)


def _shift(values: list[np.ndarray], axis: int, change: np.ndarray) -> None:
    for value in values:
        shape = [1] * value.ndim
        shape[axis] = -1
        value += change.reshape(shape).astype(np.float32)


def _reference(model: onnx.ModelProto, targets: list[Target], runs: list) -> tuple[dict, list]:
    """Means of the float file's channels, and its inputs in each run, with states."""
    names = list(dict.fromkeys(t.reference for t in targets))
    probe = Probe(model, names)
    axes = {t.reference: t.axis for t in targets}
    sums = dict.fromkeys(names, 0.0)
    inputs = []
    for run in runs:
        inputs.append({**run, **probe.session.kept})
        for name, value in probe.run(run).items():
            sums[name] = sums[name] + _channels([np.asarray(value)], axes[name])
    return {name: total / len(runs) for name, total in sums.items()}, inputs


def _walk(writer: Writer, targets: list[Target], inputs: list):
    """Each target with its values in all runs. The values may be changed; what follows reads them so."""
    graph = writer.graph
    kinds = _kinds(writer.model)
    made = {o: n for n in graph.node for o in n.output}
    constant = {t.name for t in graph.initializer}
    for node in graph.node:
        if all(name in constant for name in node.input if name):
            constant |= set(node.output)
    moving = [n for n in graph.node if n.output[0] not in constant]
    place = {n.output[0]: i for i, n in enumerate(moving)}
    live = [dict(run) for run in inputs]
    begin = 0
    for target in targets:
        end = place[target.result] + 1
        part, rest = moving[begin:end], moving[end:]
        wanted = {n for node in rest for n in node.input} | {target.result}
        names = [o for node in part for o in node.output if o in wanted]
        session = _part(writer, part, made, constant, names, kinds)
        read = {i.name for i in session.get_inputs()}
        for values in live:
            found = shapes.run(session, names, {n: v for n, v in values.items() if n in read})
            values |= {n: np.array(v) for n, v in zip(names, found)}
            for name in values.keys() - wanted:
                del values[name]
        begin = end
        yield target, [values[target.result] for values in live]


def _kinds(model: onnx.ModelProto) -> dict[str, int]:
    inferred = onnx.shape_inference.infer_shapes(model).graph
    values = [*inferred.value_info, *inferred.input, *inferred.output]
    return {v.name: v.type.tensor_type.elem_type for v in values}


def _part(writer: Writer, part: list, made: dict, constant: set, names: list, kinds: dict):
    """A session of these nodes, with the constants that they read."""
    written = {o for node in part for o in node.output}
    wanted = {n for node in part for n in node.input if n}
    before: list[onnx.NodeProto] = []
    pending = [n for n in wanted if n in constant and n in made]
    while pending:
        node = made[pending.pop()]
        if node not in before:
            before.insert(0, node)
            wanted |= set(node.input)
            pending += [n for n in node.input if n in made]
    constants = [t for t in writer.graph.initializer if t.name in wanted]
    inputs = sorted(n for n in wanted - written - constant if n)

    def info(name: str):
        return helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), None)

    graph = helper.make_graph(
        [*before, *part], "part", [info(n) for n in inputs], [info(n) for n in names], constants
    )
    model = helper.make_model(graph, opset_imports=writer.model.opset_import)
    model.ir_version = writer.model.ir_version
    return shapes.session(model).session


# ---- the bias -----------------------------------------------------------------------------------


def _add(writer: Writer, target: Target, change: np.ndarray) -> None:
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
