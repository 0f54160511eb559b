# SPDX-License-Identifier: Apache-2.0
"""Reads an ONNX file and refuses what could harm or mislead: whoever comes later sees a sound graph of bounded size."""

from __future__ import annotations

import collections
import pathlib

import numpy as np
import onnx
import onnx.version_converter
from google.protobuf.message import DecodeError
from onnx import TensorProto, numpy_helper

from . import old_resizes, tflite
from .errors import Problem, Refused, refuse, words

FILE_BYTES = 1 << 30
ELEMENTS = 1 << 28  # of one tensor
NODES = 100_000
OPSET_OLDEST, OPSET_FIRST, OPSET_LAST = 6, 13, onnx.defs.onnx_opset_version()
IR_FIRST = 4  # since then constants need be no inputs
DOMAINS = ("", "ai.onnx")
LABEL = tflite.LABEL


def read(path: str | pathlib.Path) -> onnx.ModelProto:
    """The file as a model that the checks of this module have passed."""
    path = pathlib.Path(path)
    data = read_bytes(path)
    model = tflite.convert(data, str(path)) if tflite.is_tflite(data) else parse(data, path)
    if not model.HasField("graph") or not model.graph.node:
        raise refuse(str(path), "has no graph with a node: it is empty, truncated or no ONNX file")
    check(model, str(path))
    _fix_constants(model)
    return _raise_opset(model)


def read_bytes(path: pathlib.Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > FILE_BYTES:
            raise refuse(str(path), f"it has {size} bytes", f"{FILE_BYTES} at most")
        return path.read_bytes()
    except OSError as error:
        raise refuse(str(path), f"cannot be read: {error.strerror}") from None


def parse(data: bytes, path: pathlib.Path) -> onnx.ModelProto:
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except (DecodeError, ValueError):
        raise refuse(str(path), "is no ONNX file, or is truncated") from None
    return model


def _fix_constants(model: onnx.ModelProto) -> None:
    """An input with an initialiser is a constant: nobody overrides it here."""
    constants = {t.name for t in model.graph.initializer}
    kept = [i for i in model.graph.input if i.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.ir_version = max(model.ir_version, IR_FIRST)


def _raise_opset(model: onnx.ModelProto) -> onnx.ModelProto:
    """Old files, as far as ONNX converts them. Its converter gives old resizes the coordinates of new ones: these are ours."""
    version = opset(model)
    if not OPSET_OLDEST <= version < OPSET_FIRST:
        return model
    olds = old_resizes.take(model) if version < old_resizes.NEW else {}
    try:
        raised = onnx.version_converter.convert_version(model, OPSET_FIRST)
        old_resizes.give(raised, olds)
        return raised
    except (RuntimeError, ValueError) as error:
        raise refuse(
            "opset", f"{opset(model)} cannot be raised to {OPSET_FIRST}: {words(error)}"
        ) from None


def opset(model: onnx.ModelProto) -> int:
    return max((o.version for o in model.opset_import if o.domain in DOMAINS), default=0)


def name_of(node: onnx.NodeProto, index: int) -> str:
    """What a node is called in messages and in generated code."""
    return node.name or f"{node.op_type}_{index}"


def label(model: onnx.ModelProto) -> None:
    """Notes in each node what the user's file calls it, for messages: rewrites make other nodes, but few change these words."""
    taken = {node.name for node in model.graph.node}
    for index, node in enumerate(model.graph.node):
        if not node.doc_string or not node.doc_string.startswith(LABEL):
            node.doc_string = f"{LABEL}{name_of(node, index)} ({node.op_type})"
        if not node.name and name_of(node, index) not in taken:
            node.name = name_of(node, index)


def labels_of(model: onnx.ModelProto) -> dict[str, str]:
    """By the names of nodes. A node that a rewrite made is called by the next one behind it that the file has, or before it."""
    own = [
        n.doc_string.removeprefix(LABEL) if n.doc_string.startswith(LABEL) else ""
        for n in model.graph.node
    ]
    near = ["" for _ in own]
    by_value: dict[str, str] = {}
    for index in reversed(range(len(own))):  # readers come later
        node = model.graph.node[index]
        near[index] = own[index] or next((by_value[n] for n in node.output if n in by_value), "")
        by_value |= dict.fromkeys(node.input, near[index]) if near[index] else {}
    by_value = {}
    for index, node in enumerate(model.graph.node):
        near[index] = near[index] or next((by_value[n] for n in node.input if n in by_value), "")
        by_value |= dict.fromkeys(node.output, near[index]) if near[index] else {}
    names = {}
    for index, node in enumerate(model.graph.node):
        name = name_of(node, index)
        names[name] = own[index] or (
            f"near {near[index]}" if near[index] else f"{name} ({node.op_type})"
        )
    return names


def check(model: onnx.ModelProto, where: str) -> None:
    """Raises Refused with all that is wrong. Outputs without a shape get the one that follows from the graph."""
    graph = model.graph
    _check_text(graph, where)
    problems = [*_check_header(model, where), *_check_tensors(graph), *_check_nodes(graph)]
    if not problems:
        problems = _check_order(graph)
    if problems:
        raise Refused(problems)
    open_outputs = [output for output in graph.output if not _has_shape(output)]
    checked = model
    if open_outputs:  # ONNX's checker wants a shape, but compares it with nothing
        checked = onnx.ModelProto()
        checked.CopyFrom(model)
        for output in checked.graph.output:
            output.type.tensor_type.shape.SetInParent()
    try:
        onnx.checker.check_model(checked)
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        raise refuse(where, f"is not a valid model: {words(error)}") from None
    if open_outputs:
        _complete(model, open_outputs)


def _has_shape(value: onnx.ValueInfoProto) -> bool:
    kind = value.type
    return not kind.HasField("tensor_type") or kind.tensor_type.HasField("shape")


def _complete(model: onnx.ModelProto, outputs: list[onnx.ValueInfoProto]) -> None:
    """Shapes of outputs that the file leaves out. Sizes may stay open until those of the inputs are fixed."""
    try:
        known = onnx.shape_inference.infer_shapes(model)
    except (onnx.shape_inference.InferenceError, ValueError, RuntimeError) as error:
        raise refuse("shapes", f"do not fit each other: {words(error)}") from None
    found = {output.name: output for output in known.graph.output}
    problems = []
    for output in outputs:
        if _has_shape(found[output.name]):
            output.CopyFrom(found[output.name])
        else:
            text = "has no shape, and none follows from the graph"
            problems.append(Problem(f"output {output.name}", text, "its sizes"))
    if problems:
        raise Refused(problems)


def _check_text(graph: onnx.GraphProto, where: str) -> None:
    """Protobuf hands out text that is no UTF-8 as bytes."""
    texts = [graph.name, *(v.name for v in [*graph.input, *graph.output, *graph.initializer])]
    for node in graph.node:
        texts += [node.name, node.op_type, node.domain, *node.input, *node.output]
        texts += [attribute.name for attribute in node.attribute]
    bad = [text for text in texts if isinstance(text, bytes)]
    if bad:
        raise refuse(where, f"has the name {bad[0]!r}, which is no UTF-8: the file is damaged")


def _check_header(model: onnx.ModelProto, where: str) -> list[Problem]:
    problems = []
    version = opset(model)
    if not OPSET_OLDEST <= version <= OPSET_LAST:
        problems.append(
            Problem(where, f"has opset {version}", f"{OPSET_OLDEST} to {OPSET_LAST} are supported")
        )
    for kind, values in (("input", model.graph.input), ("output", model.graph.output)):
        for value in values:
            if not value.HasField("type"):
                problems.append(
                    Problem(f"{kind} {value.name}", "has no type", "FLOAT with a shape")
                )
            elif kind == "input" and not _has_shape(value):
                problems.append(Problem(f"{kind} {value.name}", "has no shape", "its sizes"))
    if model.functions:
        problems.append(Problem(where, "has functions of its own", "inline them"))
    if len(model.graph.node) > NODES:
        problems.append(Problem(where, f"has {len(model.graph.node)} nodes", f"{NODES} at most"))
    return problems


def _check_tensors(graph: onnx.GraphProto) -> list[Problem]:
    problems = []
    constants = [(f"initialiser {t.name}", t) for t in graph.initializer]
    for index, node in enumerate(graph.node):
        for attribute in node.attribute:
            if attribute.HasField("t"):
                constants.append(
                    (f"{name_of(node, index)}, attribute {attribute.name}", attribute.t)
                )
    if graph.sparse_initializer:
        problems.append(Problem("graph", "has sparse initialisers", "make them dense"))
    for where, tensor in constants:
        problem = _check_constant(where, tensor)
        if problem is not None:
            problems.append(problem)
    return problems


def _check_constant(where: str, tensor: TensorProto) -> Problem | None:
    if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
        return Problem(where, "its data are in another file", "save the model as one file")
    count = 1
    for size in tensor.dims:
        count *= size
        if size < 0 or count > ELEMENTS:
            return Problem(where, f"has shape {list(tensor.dims)}", f"{ELEMENTS} elements at most")
    try:
        array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError, onnx.checker.ValidationError) as error:
        return Problem(where, f"its data do not fit its shape {list(tensor.dims)}: {error}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        return Problem(where, f"has {int(np.isnan(array).sum())} values that are NaN")
    return None


def _check_nodes(graph: onnx.GraphProto) -> list[Problem]:
    problems = []
    learning = ""  # what helps with nodes of ai.onnx.ml
    for index, node in enumerate(graph.node):
        where = f"{name_of(node, index)} ({node.op_type})"
        if node.domain not in DOMAINS:
            nearest = "export the network with operators of the standard"
            if node.domain == "ai.onnx.ml":
                learning = learning or _instead(graph)
                nearest = learning
            text = f"is of the domain {node.domain!r}, which is not supported"
            problems.append(Problem(where, text, nearest))
        for attribute in node.attribute:
            if attribute.HasField("g") or attribute.graphs:
                problems.append(
                    Problem(
                        where, f"attribute {attribute.name} is a graph", "networks without branches"
                    )
                )
    return problems


FRONT = ("Scaler", "Normalizer", "Imputer")  # of ai.onnx.ml: what prepares an input


def _instead(graph: onnx.GraphProto) -> str:
    """What helps with nodes of ai.onnx.ml: the network without such nodes in front of it and behind it"""
    begins: dict[str, onnx.ValueInfoProto] = {}
    behind = False
    inputs = {value.name: value for value in graph.input}
    for other in (n for n in graph.node if n.domain not in DOMAINS):
        if other.op_type in FRONT and other.input and other.input[0] in inputs and other.output:
            begins[other.output[0]] = inputs[other.input[0]]
        else:
            behind = True
    end = _last_standard(graph) if behind else ""
    if behind and not end:
        return "it is no network, but what fp8net has no layers for"
    places = ["behind the scaling, which your own program then does"] if begins else []
    places += ["at the logits, from which your own program then decides"] if behind else []
    parts = [f"--input {name}={_sizes(value)}" for name, value in begins.items()]
    parts += [f"--output {end}"] if end else []
    return f"cut the network {' and '.join(places)}: fp8net cut FILE -o NEW {' '.join(parts)}"


def _sizes(value: onnx.ValueInfoProto) -> str:
    """As --shape takes them, 1 where they are open"""
    return ",".join(str(d.dim_value or 1) for d in value.type.tensor_type.shape.dim)


def _last_standard(graph: onnx.GraphProto) -> str:
    """The last float value, of a product or what stands behind it, before operators that decide: the logits. "": there is none."""
    products = {"Gemm", "MatMul", "Conv", "Softmax", "Sigmoid", "Add", "Relu", "Tanh"}
    makers = {name: node for node in graph.node for name in node.output}
    waiting = collections.deque(
        name for node in graph.node if node.domain not in DOMAINS for name in node.input
    )
    seen: set[str] = set()
    while waiting:
        name = waiting.popleft()
        node = makers.get(name)
        if name in seen or node is None:
            continue
        seen.add(name)
        if node.domain in DOMAINS and node.op_type in products:
            return name
        waiting += node.input
    return ""


def _check_order(graph: onnx.GraphProto) -> list[Problem]:
    """Each value is written once, and before it is read: so there is no cycle."""
    known = {t.name for t in graph.initializer} | {i.name for i in graph.input} | {""}
    problems = []
    for index, node in enumerate(graph.node):
        where = f"{name_of(node, index)} ({node.op_type})"
        for name in node.input:
            if name not in known:
                problems.append(
                    Problem(
                        where,
                        f"reads {name!r}, which no node before it writes: a cycle, or an unknown name",
                    )
                )
        for name in filter(None, node.output):
            if name in known:
                problems.append(
                    Problem(where, f"writes {name!r}, which something else has written")
                )
            known.add(name)
    inputs = {value.name for value in graph.input}
    for output in graph.output:
        if output.name not in known:
            problems.append(Problem(f"output {output.name}", "nothing writes it"))
        elif output.name in inputs:
            problems.append(
                Problem(
                    f"output {output.name}",
                    "is an input of the network, too",
                    "take it from the outputs, as its values are those of the input",
                )
            )
    return problems
