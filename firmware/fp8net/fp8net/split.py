# SPDX-License-Identifier: Apache-2.0
"""Carries a tensor as two FP8 codes: a product is then the sum of two.

    hi = round(x)    lo = x - hi    y = op(hi, w, bias) + op(lo, w)

x itself stays float32. The second product adds the first one's float32 results, so nothing else is rounded.
"""

from __future__ import annotations

import onnx
from onnx import helper

from .errors import Problem, Refused

PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
MOVES = ("Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Pad")


def place(model: onnx.ModelProto, name: str) -> str:
    """Where the value `name` is rounded: behind moves of all of it, which do not change its values"""
    outputs = {o.name for o in model.graph.output}
    while name not in outputs:
        readers = [n for n in model.graph.node if name in n.input]
        if len(readers) != 1 or readers[0].op_type not in MOVES or readers[0].input[0] != name:
            break
        name = readers[0].output[0]
    return name


def inputs(model: onnx.ModelProto) -> list[str]:
    """Inputs of float32 that can be split"""
    constants = {t.name for t in model.graph.initializer}
    found = []
    for value in model.graph.input:
        kind = value.type.tensor_type.elem_type
        if value.name in constants or kind != onnx.TensorProto.FLOAT:
            continue
        try:
            check(model, [place(model, value.name)])
        except Refused:
            continue
        found.append(value.name)
    return found


def check(model: onnx.ModelProto, names: list[str]) -> None:
    """Refused unless each name is a value that products alone read, as their first operand."""
    known = {i.name for i in model.graph.input} | {o for n in model.graph.node for o in n.output}
    problems = []
    for name in names:
        where = f"--split {name}"
        readers = [n for n in model.graph.node if name in n.input]
        bad = [n for n in readers if n.op_type not in PRODUCTS or list(n.input).index(name) != 0]
        if name not in known:
            problems.append(
                Problem(where, "there is no such value, after the graph was simplified")
            )
        elif bad or not readers:
            what = ", ".join(f"{n.name or n.output[0]} ({n.op_type})" for n in bad) or "no layer"
            problems.append(
                Problem(where, f"{what} reads it", f"what only {', '.join(PRODUCTS)} read")
            )
        elif any(o.name == name for o in model.graph.output):
            problems.append(Problem(where, "is an output"))
        constants = {t.name for t in model.graph.initializer}
        problems += [
            Problem(where, f"{n.name or n.output[0]} ({n.op_type}) has computed weights")
            for n in readers
            if n.op_type in PRODUCTS and n.input[1] not in constants
        ]
    if problems:
        raise Refused(problems)


def apply(writer, name: str, format: str, scale: float) -> tuple[str, list[str]]:
    """Rewrites all products that read `name`. Returns the node that rounds it, and the first results, which stay float32."""
    graph = writer.graph
    readers = [n for n in graph.node if n.input and n.input[0] == name]
    high, low = writer.fresh(f"{name}_high"), writer.fresh(f"{name}_low")
    first = list(graph.node).index(readers[0])
    nodes = writer.rounding(name, high, format, scale)
    nodes.append(helper.make_node("Sub", [name, high], [low], writer.fresh_node(low)))
    for offset, node in enumerate(nodes):
        graph.node.insert(first + offset, node)
    return nodes[0].name, [_twice(writer, node, high, low) for node in readers]


def _twice(writer, node: onnx.NodeProto, high: str, low: str) -> str:
    """The second product has no bias, and adds the first one, whose result has the returned name."""
    result = node.output[0]
    parts = [writer.fresh(f"{result}_high"), writer.fresh(f"{result}_low")]
    second = onnx.NodeProto()
    second.CopyFrom(node)
    node.input[0], node.output[0] = high, parts[0]
    second.input[0], second.output[0] = low, parts[1]
    del second.input[2:]
    second.name = writer.fresh_node(f"{node.name or result}_low")
    total = helper.make_node(
        "Add", parts, [result], writer.fresh_node(f"{node.name or result}_sum")
    )
    place = list(writer.graph.node).index(node)
    writer.graph.node.insert(place + 1, second)
    writer.graph.node.insert(place + 2, total)
    return parts[0]
