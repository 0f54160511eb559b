# SPDX-License-Identifier: Apache-2.0
"""From ONNX to the intermediate representation.

Each value of the file is a constant, or a View of a tensor. A handler for each operator (operators/) adds layers, or makes
another view. What it does not support it reports and goes on, so that all of it is said at once. Inputs of three and more
sizes may lie with channels last or as they are in the file: the importer takes what gets furthest and moves least. Values
that do not lie as a layer reads them are moved.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import onnx
from onnx import numpy_helper

from . import fold, operators, shapes, states
from .errors import Problem, Refused
from .ir import Graph, Layer, Tensor, View, product
from .loader import labels_of, name_of
from .recognise import Recogniser
from .weights import scale_for

MOST_LAYOUTS = 16
INTEGERS = (onnx.TensorProto.INT32, onnx.TensorProto.INT64)
# Operators that read indices.
TAKE_INDICES = {
    *(
        "Gather",
        "OneHot",
        "Equal",
        "Cast",
        "Identity",
        "Reshape",
        "Flatten",
        "Squeeze",
        "Unsqueeze",
    ),
}
INNER_FORMAT = "e4m3fn"
CHANNELS_FIRST = {
    *("Conv", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "BatchNormalization"),
    *("ConvTranspose", "InstanceNormalization", "Resize"),
}


@dataclasses.dataclass
class Node:
    """A node as a handler sees it."""

    proto: onnx.NodeProto
    name: str
    op: str
    inputs: list[str]
    outputs: list[str]

    def operand(self, place: int) -> str:
        """The name of an operand that may be left out, which has none then."""
        return self.inputs[place] if place < len(self.inputs) else ""

    def attribute(self, name: str, default=None):
        for attribute in self.proto.attribute:
            if attribute.name == name:
                value = onnx.helper.get_attribute_value(attribute)
                return value.decode() if isinstance(value, bytes) else value
        return default


class Unsupported(Exception):
    """A handler's refusal of one node."""

    def __init__(self, what: str, nearest: str = ""):
        super().__init__(what)
        self.what, self.nearest = what, nearest


class Importer:
    def __init__(self, model: onnx.ModelProto, layouts: dict[str, bool]):
        self.model = model
        self.graph = Graph(model.graph.name or "net")
        self.graph.labels = labels_of(model)
        self.problems: list[Problem] = []
        self.constants: dict[str, np.ndarray] = {
            t.name: numpy_helper.to_array(t) for t in model.graph.initializer
        }
        self.views: dict[str, View] = {}
        self.quantised_from: dict[str, str] = {}  # the output of a QuantizeLinear -> its input
        self.weights_of: dict[
            str, tuple
        ] = {}  # a dequantised constant -> codes, scales, axis, format
        self.indices: set[str] = set()  # inputs that are integers
        self.one_hot: dict[
            str, tuple[View, int]
        ] = {}  # codes of one 1 -> indices, and how many words
        self.states = states.of(model)
        self.broken: set[str] = set()  # values behind an unsupported node
        self.values = {o for n in model.graph.node for o in n.output}  # names of the file
        self.names: set[str] = set()
        self.kept: set[str] = set()  # outputs that layers keep as their states
        self.shapes = shapes.known(model)
        fold.fold(model, self.constants, self.shapes)
        self.groups = Recogniser(model, self.constants, self.shapes)
        self.groups.run()
        for value in shapes.data_inputs(model):
            self._add_input(value, layouts.get(value.name, False))

    # ---- what handlers use

    def constant(self, name: str) -> np.ndarray | None:
        return self.constants.get(name)

    def view(self, node: Node, place: int = 0) -> View:
        name = node.inputs[place]
        if name in self.views:
            view = self.views[name]
            if view.tensor in self.indices and node.op not in TAKE_INDICES:
                raise Unsupported(f"input {place} are integers", "Gather of a constant table")
            return view
        if name in self.one_hot:
            raise Unsupported(f"input {place} is a one-hot code", "MatMul with a constant table")
        if name in self.constants:
            raise Unsupported(f"input {place} is a constant", "a value that the network computes")
        raise _Broken(name)

    def tensor_of(self, view: View) -> Tensor:
        return self.graph.tensors[view.tensor]

    def add(
        self, node: Node, layer: Layer, shape: tuple[int, ...], axes: tuple[int, ...], cols: int
    ):
        """The layer's output is the node's, with this shape."""
        view = View(layer.output, tuple(shape), tuple(axes))
        self.graph.tensors[layer.output] = Tensor(layer.output, product(shape) // cols, cols)
        self.graph.layers.append(layer)
        self.views[node.outputs[0]] = self.graph.views[layer.output] = view

    def add_like(self, node: Node, layer: Layer, view: View) -> None:
        """The layer's output lies as a view of its input does."""
        source = self.tensor_of(view)
        self.graph.tensors[layer.output] = Tensor(layer.output, source.rows, source.cols)
        self.graph.layers.append(layer)
        self.views[node.outputs[0]] = self.graph.views[layer.output] = view.of(layer.output)

    def add_inner(self, layer: Layer, view: View, cols: int, largest: float | None = None) -> None:
        """The layer's output is no value of the file. Where a layer reads FP8, `largest` gives its scale."""
        tensor = Tensor(layer.output, product(view.shape) // cols, cols, inner=True)
        if largest is not None:
            tensor.format, tensor.scale = INNER_FORMAT, scale_for(largest, INNER_FORMAT)
        self.graph.tensors[layer.output] = tensor
        self.graph.layers.append(layer)
        self.graph.views[layer.output] = view

    def layer(self, node: Node, op: str, inputs: list[str], **fields) -> Layer:
        return Layer(op, self._unique(node.name), inputs, node.outputs[0], [node.name], **fields)

    def _unique(self, name: str) -> str:
        unique, number = name, 2
        while unique in self.names:
            unique, number = f"{name}_{number}", number + 1
        self.names.add(unique)
        return unique

    def fresh(self, name: str) -> str:
        """A name for a tensor that the file does not have."""
        unique, number = name, 2
        while unique in self.values or unique in self.graph.tensors:
            unique, number = f"{name}_{number}", number + 1
        return unique

    def is_read(self, name: str) -> bool:
        return any(name in n.input for n in self.model.graph.node) or any(
            name == o.name for o in self.model.graph.output
        )

    def only_read_by(self, name: str, op: str, **attributes: int) -> bool:
        """By nodes of this operator with these attributes; the value is no output."""
        readers = [n for n in self.model.graph.node if name in n.input]
        same = [
            n.op_type == op
            and all(
                any(a.name == k and a.i == v for a in n.attribute) for k, v in attributes.items()
            )
            for n in readers
        ]
        return bool(readers) and all(same) and all(o.name != name for o in self.model.graph.output)

    # ---- the walk

    def _add_input(self, value: onnx.ValueInfoProto, channels_last: bool) -> None:
        kind = value.type.tensor_type
        shape = tuple(d.dim_value for d in kind.shape.dim)
        shape = shape or (1,)
        if kind.elem_type in INTEGERS:
            self._add_indices(value.name, shape)
            return
        if kind.elem_type != onnx.TensorProto.FLOAT:
            name = onnx.TensorProto.DataType.Name(kind.elem_type)
            nearest = "FLOAT, or INT32 and INT64 for indices"
            self.problems.append(Problem(f"input {value.name}", f"has type {name}", nearest))
            self.broken.add(value.name)
            return
        axes = tuple(range(len(shape)))
        if channels_last:
            axes = (0, *range(2, len(shape)), 1)
        cols = shape[axes[-1]]
        self.graph.tensors[value.name] = Tensor(value.name, product(shape) // cols, cols)
        view = View(value.name, shape, axes)
        self.graph.inputs[value.name] = self.graph.views[value.name] = self.views[value.name] = view

    def _add_indices(self, name: str, shape: tuple[int, ...]) -> None:
        """Numbers of 32 bits that lie in one row, one after the other."""
        size = product(shape)
        self.graph.tensors[name] = Tensor(name, 1, size, "int32", fixed=True)
        view = View(name, shape, tuple(range(len(shape))))
        self.graph.inputs[name] = self.graph.views[name] = self.views[name] = view
        self.indices.add(name)

    def run(self) -> Graph:
        for index, proto in enumerate(self.model.graph.node):
            node = Node(
                proto, name_of(proto, index), proto.op_type, list(proto.input), list(proto.output)
            )
            group = self.groups.groups.get(index)
            if group is not None:
                self._take(node, lambda _, node, group=group: operators.group(self, node, group))
            elif index not in self.groups.taken and not self._is_folded(node):
                self._take(node)
        self._finish()
        return self.graph

    def _is_folded(self, node: Node) -> bool:
        return any(node.outputs) and all(n in self.constants for n in node.outputs if n)

    def _take(self, node: Node, function=None) -> None:
        """By the operator's handler, or by another function."""
        handler = operators.HANDLERS.get(node.op)
        problem = None
        try:
            if handler is None and function is None:
                raise Unsupported("is not supported", operators.nearest(node.op))
            if function is None and any(name in self.broken for name in node.inputs):
                raise _Broken("")
            used = [name for name in node.outputs[1:] if name and self.is_read(name)]
            if used and (handler is None or not handler.many):
                raise Unsupported(f"output {used[0]!r} is used", "the first output alone")
            (function or handler.function)(self, node)
        except _Broken:
            self.broken.update(node.outputs)
            return
        except Unsupported as error:
            where = self.graph.labels.get(node.name, f"{node.name} ({node.op})")
            problem = Problem(where, error.what, error.nearest)
        if problem is not None:
            self.problems.append(problem)
            self.broken.update(node.outputs)

    def _finish(self) -> None:
        self.graph.values = dict(self.views)
        for output in self.model.graph.output:
            if output.name in self.kept:
                continue
            if output.name in self.states.values() and not self.problems:
                text = "is kept by no layer"
                self.problems.append(
                    Problem(f"state {output.name}", text, "--state of LSTM or GRU")
                )
            if output.name in self.one_hot or (
                output.name in self.views and self.views[output.name].tensor in self.indices
            ):
                self.problems.append(Problem(f"output {output.name}", "are integers", "FLOAT"))
            elif output.name in self.views:
                self.graph.outputs[output.name] = self._written(output.name)
            elif output.name in self.constants:
                self.problems.append(Problem(f"output {output.name}", "is a constant"))
        used = {name for layer in self.graph.layers for name in layer.reads}
        used |= {view.tensor for view in self.graph.outputs.values()}
        for name in list(self.graph.inputs):
            if name not in used and not self.problems:
                self.problems.append(Problem(f"input {name}", "no layer reads it"))
        if not self.problems and not self.graph.layers:
            self.problems.append(Problem("graph", "has no layer"))

    def _written(self, name: str) -> View:
        """The view of an output. An input that only changes its shape is copied."""
        view = self.views[name]
        if self.graph.writer(view.tensor) is not None:
            return view
        node = Node(onnx.NodeProto(), name, "Identity", [name], [name])
        self.add_like(node, self.layer(node, "convert", [view.tensor]), view)
        return self.views[name]


class _Broken(Exception):
    """The node reads what another node would have written that is not supported."""


def attempt(model: onnx.ModelProto) -> tuple[Graph, list[Problem]]:
    """The graph and all problems, with the layout of inputs that gets furthest, and then moves fewest values."""
    high = [v.name for v in shapes.data_inputs(model) if len(v.type.tensor_type.shape.dim) > 2]
    best, rank = None, None
    images = any(n.op_type in CHANNELS_FIRST for n in model.graph.node)
    layouts = itertools.product((images, not images), repeat=len(high))
    for choice in itertools.islice(layouts, MOST_LAYOUTS):
        importer = Importer(model, dict(zip(high, choice)))
        graph = importer.run()
        # What is behind a problem is not looked at: the more layers, the further it went.
        moved = graph.moved()
        own = (
            bool(importer.problems),
            moved if not importer.problems else -len(graph.layers),
            len(importer.problems),
        )
        if rank is None or own < rank:
            best, rank = (graph, importer.problems), own
        if not importer.problems and moved == 0:
            break
    graph, problems = best
    replaced = shapes.replaced_nodes(model)
    if problems and replaced:
        text = "may have become several nodes, some of which are not supported"
        problems = [Problem(replaced, text), *problems]
    return graph, problems


def load(model: onnx.ModelProto) -> Graph:
    """The graph, or Refused with everything that is not supported."""
    graph, problems = attempt(model)
    if problems:
        raise Refused(problems)
    return graph
