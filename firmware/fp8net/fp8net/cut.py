# SPDX-License-Identifier: Apache-2.0
"""A part of an ONNX file: what is between some values. Operators that fp8net does not have may stand in front of it and behind it."""

from __future__ import annotations

import pathlib

import onnx
from onnx import TensorProto, helper

from . import loader
from .errors import Problem, Refused


def cut(path: pathlib.Path, begins: dict[str, tuple[int, ...]], ends: list[str]) -> bytes:
    """A file whose inputs are these values of float32, with their shapes, and whose outputs are these. Without any: those of
    the file."""
    model = loader.parse(loader.read_bytes(path), path)
    graph = model.graph
    known = {name for node in graph.node for name in node.output} | {v.name for v in graph.input}
    unknown = [name for name in [*begins, *ends] if name not in known]
    if unknown:
        raise Refused(
            [Problem(f"value {name}", "is not in the file", f"{path}") for name in unknown]
        )
    ends = ends or [value.name for value in graph.output]
    nodes = _between(graph, set(begins), ends)
    read = {name for node in nodes for name in node.input}
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in begins.items()]
    inputs += [value for value in graph.input if value.name in read - set(begins)]
    outputs = {value.name: value for value in graph.output}
    open_type = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for field in ("node", "input", "output", "initializer", "value_info"):
        result.graph.ClearField(field)
    result.graph.node.extend(nodes)
    result.graph.input.extend(inputs)
    result.graph.output.extend(outputs.get(n) or helper.make_value_info(n, open_type) for n in ends)
    result.graph.initializer.extend(t for t in graph.initializer if t.name in read)
    used = {node.domain for node in nodes} | {""}
    del result.opset_import[:]
    result.opset_import.extend(o for o in model.opset_import if o.domain in used)
    return result.SerializeToString()


def _between(graph: onnx.GraphProto, begins: set[str], ends: list[str]) -> list[onnx.NodeProto]:
    """The nodes from which the ends follow, in their order"""
    makers = {name: index for index, node in enumerate(graph.node) for name in node.output}
    waiting, needed = list(ends), set()
    while waiting:
        name = waiting.pop()
        index = makers.get(name)
        if name in begins or index is None or index in needed:
            continue
        needed.add(index)
        waiting += graph.node[index].input
    return [graph.node[index] for index in sorted(needed)]
