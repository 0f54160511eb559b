# SPDX-License-Identifier: Apache-2.0
"""Networks whose scales are all powers of two: an accelerator whose epilogue has no multipliers takes no others.

    quantize   chooses such scales, and takes 1/count out of averages: they become sums times 2^-k, and 2^k/count goes into the
               weights of the products behind them
    lowering   gives such scales to the weights that the file has as numbers
    problems   each layer whose commands would have another scale. Factors of row commands (means, norms, softmax) may be any
               float32, and so may biases

A quantised file says in its metadata that its scales are such.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import onnx
from onnx import helper, numpy_helper

from .errors import Problem
from .fuse import is_plain
from .ir import Graph, Layer
from .qdq import Writer
from .split import MOVES
from .weights import are_powers, power_of_two

KEY, VALUE = "fp8net.scales", "power-of-two"
LEAST, MOST = 2.0**-126, 2.0**127  # exponent fields 1 to 254
_WEIGHTS = {"Conv": 1, "ConvTranspose": 0, "Gemm": None, "MatMul": 0}  # and the axis of inputs
_AVERAGES = ("GlobalAveragePool", "AveragePool", "ReduceMean")


def of(model: onnx.ModelProto) -> bool:
    return any(p.key == KEY and p.value == VALUE for p in model.metadata_props)


def write(model: onnx.ModelProto) -> None:
    model.metadata_props.add(key=KEY, value=VALUE)


# ---- averages -----------------------------------------------------------------------------------


def fold_averages(model: onnx.ModelProto) -> onnx.ModelProto:
    """Averages of a number of values that is no power of two, where only products with constant weights read them"""
    writer = Writer(model)
    inferred = onnx.shape_inference.infer_shapes(writer.model).graph
    sizes = {
        v.name: [d.dim_value for d in v.type.tensor_type.shape.dim]
        for v in [*inferred.value_info, *inferred.input]
    }
    for node in [n for n in writer.graph.node if n.op_type in _AVERAGES]:
        shape = sizes.get(node.input[0], [])
        kernel = _kernel(writer, node, shape)
        count = math.prod(kernel or [1])
        moves, products = _behind(writer, node.output[0])
        if are_powers([count]) or not products:
            continue
        unit = power_of_two(1 / count)
        for product in products:
            _scale_weights(writer, product, 1 / (unit * count))
        _sum(writer, node, shape, kernel, unit)
        _rename(writer, [node, *moves])
    return writer.model


def _attributes(node: onnx.NodeProto) -> dict:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def _kernel(writer: Writer, node: onnx.NodeProto, shape: list[int]) -> list[int] | None:
    """What is averaged, along all axes of an image; None: something else"""
    own, space = _attributes(node), shape[2:]
    if not space or not all(shape):
        return None
    if node.op_type == "GlobalAveragePool":
        return space
    if node.op_type == "AveragePool":
        padded = any(own.get("pads", [])) or own.get("auto_pad", b"").startswith(b"SAME")
        return None if padded or own.get("ceil_mode", 0) else list(own["kernel_shape"])
    axes = own.get("axes") if len(node.input) < 2 else _number(writer, node.input[1])
    whole = axes is not None and sorted(a % len(shape) for a in axes) == list(range(2, len(shape)))
    return space if whole else None


def _number(writer: Writer, name: str) -> list[int] | None:
    """The converter of opsets makes nodes of attributes."""
    found = [t for t in writer.graph.initializer if t.name == name]
    made = [n for n in writer.graph.node if n.op_type == "Constant" and name in n.output]
    found += [a.t for n in made for a in n.attribute if a.name == "value"]
    return numpy_helper.to_array(found[0]).reshape(-1).tolist() if found else None


def _behind(writer: Writer, name: str) -> tuple[list, list]:
    """Nodes that only move the value, and all products that read it then; no products if anything else does"""
    constants = {t.name for t in writer.graph.initializer}
    moves, products, open_ = [], [], [name]
    while open_:
        name = open_.pop()
        if any(o.name == name for o in writer.graph.output):
            return [], []
        for reader in [n for n in writer.graph.node if name in n.input]:
            first = list(reader.input).index(name) == 0
            if first and reader.op_type in _WEIGHTS and reader.input[1] in constants:
                products.append(reader)
            elif first and reader.op_type in MOVES:
                moves.append(reader)
                open_ += reader.output
            else:
                return [], []
    return moves, products


def _scale_weights(writer: Writer, node: onnx.NodeProto, factor: float) -> None:
    """Weights may be another product's too, so they become its own."""
    old = next(t for t in writer.graph.initializer if t.name == node.input[1])
    values = numpy_helper.to_array(old)
    wide = (values.astype(np.float64) * factor).astype(values.dtype)
    node.input[1] = writer.constant(f"{node.input[1]}_averaged", wide)


def _sum(writer: Writer, node: onnx.NodeProto, shape: list, kernel: list, unit: float) -> None:
    """The node becomes a convolution with weights of `unit`."""
    own, channels = _attributes(node), shape[1]
    weights = np.full((channels, 1, *kernel), unit, np.float32)
    given = [node.input[0], writer.constant(f"{node.output[0]}_ones", weights)]
    strides = own.get("strides", [1] * len(kernel))
    squeezed = node.op_type == "ReduceMean" and not own.get("keepdims", 1)
    result = writer.fresh(f"{node.output[0]}_kept") if squeezed else node.output[0]
    made = [helper.make_node("Conv", given, [result], node.name, group=channels, strides=strides)]
    if squeezed:
        axes = writer.constant(f"{node.output[0]}_axes", np.arange(2, len(shape), dtype=np.int64))
        name = writer.fresh_node(f"{node.name}_squeeze")
        made.append(helper.make_node("Squeeze", [result, axes], [node.output[0]], name))
    place = list(writer.graph.node).index(node)
    node.CopyFrom(made[0])
    for more in made[1:]:
        writer.graph.node.insert(place + 1, more)


def _rename(writer: Writer, nodes: list) -> None:
    """Sums are not what the file has by these names."""
    for old in {name for node in nodes for name in node.output}:
        new = writer.fresh(f"{old}_sum")
        for node in writer.graph.node:
            for names in (node.input, node.output):
                for i, name in enumerate(names):
                    if name == old:
                        names[i] = new


# ---- factors of scores --------------------------------------------------------------------------


def fold_factors(graph: Graph) -> None:
    """A product of computed matrices for a softmax alone, as in attention, takes the power of two below its factor; the softmax,
    whose factor may be any, takes the rest. The tensor between them is then not what the file has."""
    for layer in list(graph.layers):
        readers = graph.readers(layer.output)
        if layer.op != "matmul" or layer.factor <= 0 or are_powers(layer.factor):
            continue
        alone = len(readers) == 1 and readers[0].op == "softmax" and is_plain(layer)
        if not alone or graph.is_output(layer.output):
            continue
        power = power_of_two(layer.factor) / 2
        readers[0].factor *= layer.factor / power
        layer.factor = power
        _rename_tensor(graph, layer, readers[0])


def _rename_tensor(graph: Graph, writer: Layer, reader: Layer) -> None:
    """The report compares tensors with the file's values of their names."""
    old, new = writer.output, f"{writer.output}_scaled"
    graph.tensors[new] = dataclasses.replace(graph.tensors.pop(old), name=new, inner=True)
    graph.views[new] = graph.views.pop(old).of(new)
    graph.values = {name: view for name, view in graph.values.items() if view.tensor != old}
    writer.output = new
    reader.inputs = [new if name == old else name for name in reader.inputs]


# ---- the rule -----------------------------------------------------------------------------------


def _obeys(values) -> bool:
    values = np.abs(np.asarray(values, np.float64))
    return are_powers(values) and bool(((values >= LEAST) & (values <= MOST)).all())


def _scales(graph: Graph, layer: Layer) -> dict[str, object]:
    """What a layer's commands scale with, and what it is"""
    tensors, fused = graph.tensors, layer.fused
    found = {f"the scale of {name}": tensors[name].scale for name in (*layer.reads, *layer.writes)}
    for weights in layer.all_weights:
        if weights.row_scale is not None:
            found["the scales of its weights"] = weights.row_scale
    if fused.function is not None:
        found["the scale of its table"] = fused.table_scale
    if layer.op == "global_average":
        found[f"1 / {layer.height * layer.width}"] = 1 / (layer.height * layer.width)
    if layer.op in ("matmul", "add", "multiply"):
        found["its factor"] = layer.factor
    return found


def problems(graph: Graph) -> list[Problem]:
    """Scales that are no powers of two, with the layer that has them"""
    return [
        Problem(
            graph.label(layer),
            f"{what} is {np.ravel(value)[0]:.6g}, no power of two",
            "quantize without --scales power-of-two, for an accelerator that takes all scales",
        )
        for layer in graph.layers
        for what, value in _scales(graph, layer).items()
        if not _obeys(value)
    ]
