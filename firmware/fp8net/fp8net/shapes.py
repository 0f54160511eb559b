# SPDX-License-Identifier: Apache-2.0
"""Fixes the shapes of inputs and simplifies the graph; opens and runs models in ONNX Runtime.

The runtime never optimises: several of its rewrites change values. Its default level drops a Relu in front of
QuantizeLinear(e4m3fn), so -2 becomes -1.92. Its level BASIC makes INT32 of a bias behind FP8 weights, with the product of both
scales, which saturates large biases; and it takes (mean - x) / sd for a layer norm.
"""

from __future__ import annotations

import pathlib

import numpy as np
import onnx
import onnxruntime

from . import loader, mx, states
from . import simplify as simplify_graph
from .errors import Problem, Refused, refuse, words
from .ir import product
from .loader import name_of

REPLACED = "fp8net.replaced"  # nodes that may have become others


def session_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return options


def session(model: onnx.ModelProto) -> states.Session:
    return states.Session(model, _session(model), run)


def _session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(),
            session_options(),
            providers=["CPUExecutionProvider"],
        )
    except Exception as error:  # the runtime's exceptions have no common class of their own
        raise refuse("ONNX Runtime", f"refuses the model: {words(error)}") from None


def run(
    session: onnxruntime.InferenceSession, names: list[str], values: dict[str, np.ndarray]
) -> list[np.ndarray]:
    """The values of these names."""
    try:
        return session.run(names, values)
    except Exception as error:
        raise refuse("ONNX Runtime", f"does not run the model: {words(error)}") from None


def parse_shapes(texts: list[str]) -> dict[str, tuple[int, ...]]:
    """--shape NAME=1,64,21"""
    shapes = {}
    for text in texts:
        name, _, sizes = text.rpartition("=")
        try:
            shapes[name] = tuple(int(size) for size in sizes.split(","))
        except ValueError:
            raise refuse(f"--shape {text}", "is not NAME=SIZE,SIZE,...") from None
        if not name or min(shapes[name]) < 1 or product(shapes[name]) > loader.ELEMENTS:
            raise refuse(f"--shape {text}", "has no name, or a size that is not possible")
    return shapes


def real_inputs(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    constants = {t.name for t in graph.initializer}
    return [i for i in graph.input if i.name not in constants]


def data_inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """Inputs that each run gets: states are kept."""
    return [i for i in real_inputs(model.graph) if i.name not in states.of(model)]


def is_quantised(model: onnx.ModelProto) -> bool:
    rounds = ("QuantizeLinear", "DequantizeLinear")
    return mx.of(model) is not None or any(node.op_type in rounds for node in model.graph.node)


def fix_inputs(model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]]) -> None:
    """Writes --shape into the inputs. A first size that is open becomes 1; any other has to be given."""
    names = [i.name for i in real_inputs(model.graph)]
    problems = [
        Problem(f"--shape {name}", "is no input", f"inputs are {', '.join(names)}")
        for name in shapes
        if name not in names
    ]
    for value in real_inputs(model.graph):
        if not value.type.HasField("tensor_type"):
            problems.append(Problem(f"input {value.name}", "is no tensor"))
            continue
        dims = value.type.tensor_type.shape.dim
        given = shapes.get(value.name)
        if given is not None and len(given) != len(dims):
            problems.append(Problem(f"--shape {value.name}", f"the input has {len(dims)} sizes"))
            continue
        problems += _fix_dims(value.name, dims, given)
    if problems:
        raise Refused(problems)


def _fix_dims(name: str, dims, given: tuple[int, ...] | None) -> list[Problem]:
    problems = []
    for place, dim in enumerate(dims):
        size = dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else None
        if given is not None and size is not None and size != given[place]:
            problems.append(Problem(f"--shape {name}", f"size {place} of the input is {size}"))
        if given is None and size is None and place > 0:
            text = dim.dim_param or "not given"
            problems.append(
                Problem(f"input {name}", f"size {place} is {text}", f"give --shape {name}=SIZE,...")
            )
        dim.dim_value = given[place] if given is not None else size if size is not None else 1
        if dim.dim_value == 0:
            problems.append(Problem(f"input {name}", f"size {place} is 0", "1 and more"))
    count = product(dim.dim_value for dim in dims)
    if not problems and count > loader.ELEMENTS:
        problems.append(
            Problem(f"input {name}", f"has {count} elements", f"{loader.ELEMENTS} at most")
        )
    return problems


def infer(model: onnx.ModelProto) -> onnx.ModelProto:
    """With the shape of each value. A value that is too large is refused, before anybody makes it."""
    try:
        known = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        raise refuse("shapes", f"do not fit each other: {words(error)}") from None
    for value in [*known.graph.value_info, *known.graph.output]:
        dims = value.type.tensor_type.shape.dim
        sizes = [d.dim_value for d in dims if d.HasField("dim_value")]
        if len(sizes) == len(dims) and (
            product(sizes) > loader.ELEMENTS or min(sizes, default=1) < 0
        ):
            raise refuse(
                f"value {value.name}", f"has shape {sizes}", f"{loader.ELEMENTS} elements at most"
            )
    for value in known.graph.output:
        if 0 in [d.dim_value for d in value.type.tensor_type.shape.dim if d.HasField("dim_value")]:
            raise refuse(f"output {value.name}", "has a size of 0", "outputs with values")
    return known


def prepare(
    path: str | pathlib.Path,
    shapes: dict[str, tuple[int, ...]] | None = None,
    kept: dict[str, str] | None = None,
) -> onnx.ModelProto:
    """The file, checked, with fixed shapes and its states, and simplified if it is not quantised yet."""
    model = loader.read(path)
    loader.label(model)
    known = states.of(model)
    if known and kept and kept != known:
        raise refuse("--state", f"the file keeps {known}")
    fix_inputs(model, shapes or {})
    del model.graph.value_info[:]
    _open_outputs(model)
    model = infer(model)
    if is_quantised(model):
        return model
    simple = infer(simplify(model))
    if not known:
        states.write(simple, kept or {})
    left = {n.name for n in simple.graph.node} | {n.op_type for n in simple.graph.node}
    replaced = [
        f"{name_of(n, i)} ({n.op_type})"
        for i, n in enumerate(model.graph.node)
        if _is_function(n) and n.name not in left and n.op_type not in left
    ]
    if replaced:
        simple.metadata_props.add(key=REPLACED, value=", ".join(replaced)[:1000])
    return simple


def _open_outputs(model: onnx.ModelProto) -> None:
    """Some files write -1 for a size that is open."""
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            if dim.HasField("dim_value") and dim.dim_value < 0:
                dim.Clear()


def _is_function(node: onnx.NodeProto) -> bool:
    """An operator that the standard defines by others: ONNX Runtime may put these in its place."""
    try:
        schema = onnx.defs.get_schema(node.op_type)
    except onnx.defs.SchemaError:
        return False
    return schema.has_function or schema.has_context_dependent_function


def replaced_nodes(model: onnx.ModelProto) -> str:
    return next((p.value for p in model.metadata_props if p.key == REPLACED), "")


def simplify(model: onnx.ModelProto) -> onnx.ModelProto:
    """Without the functions that ONNX Runtime has no kernel for, then by the rewrites of simplify.py."""
    plain = infer(simplify_graph.inline(model, session_options()))
    return simplify_graph.run(plain, known(plain))


def known(model: onnx.ModelProto) -> dict[str, tuple[int, ...] | None]:
    """Shapes by name; None: not all sizes are known."""
    found = {}
    for value in [*model.graph.input, *model.graph.value_info, *model.graph.output]:
        kind = value.type.tensor_type
        whole = kind.HasField("shape") and all(d.HasField("dim_value") for d in kind.shape.dim)
        found[value.name] = tuple(d.dim_value for d in kind.shape.dim) if whole else None
    return found
