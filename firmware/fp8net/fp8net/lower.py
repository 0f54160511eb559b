# SPDX-License-Identifier: Apache-2.0
"""From an imported graph to one that can run: every tensor has a format that its layers take, every weight has codes."""

from __future__ import annotations

import pathlib

import onnx

from . import fuse, importer, shapes, weights
from .errors import Problem, Refused
from .ir import FP8_OPERANDS, Graph, Layer, Tensor

WIDEST_BEAT = 32
_RUN = "run `fp8net quantize` first"
_RUNS = "QuantizeLinear and DequantizeLinear in front of whoever reads it"


def load(path: str | pathlib.Path, given: dict[str, tuple[int, ...]] | None = None) -> Graph:
    """The graph of a quantised file, ready for planner, executor and writer."""
    return lower_model(shapes.prepare(path, given))


def lower_model(model: onnx.ModelProto) -> Graph:
    return lower(fuse.fuse(importer.load(model)))


def lower(graph: Graph) -> Graph:
    problems = problems_of(graph)
    if problems:
        raise Refused(problems)
    for layer in graph.layers:
        for each in layer.all_weights:
            weights.quantise(each, "e4m3fn")
    fuse.fuse_tables(graph)
    for layer in graph.layers:
        if layer.op == "scale_channels":
            _add_diagonal(graph, layer)
    return graph


def problems_of(graph: Graph) -> list[Problem]:
    """Tensors of a quantised graph whose formats their layers do not take."""
    for layer in graph.layers:
        _follow(graph, layer)
    return [p for layer in graph.layers for p in _check(graph, layer)]


def _missing(graph: Graph) -> str:
    """What a tensor without a scale needs: `fp8net quantize` refuses a file that has some already."""
    return _RUNS if any(tensor.fixed for tensor in graph.tensors.values()) else _RUN


def _add_diagonal(graph: Graph, layer: Layer) -> None:
    """The weights that the vector becomes, with room for groups of the widest beat."""
    vector, cols = graph.tensors[layer.inputs[1]], graph.tensors[layer.inputs[0]].cols
    name = layer.extra["diagonal"]
    width = min(cols, WIDEST_BEAT)
    graph.tensors[name] = Tensor(name, cols, width, vector.format, vector.scale)


def _follow(graph: Graph, layer: Layer) -> None:
    """A maximum has the codes of its input, and softmax chooses its scale."""
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    if layer.op == "max_pool" and not out.fixed:
        out.format, out.scale = source.format, source.scale


def _check(graph: Graph, layer: Layer) -> list[Problem]:
    where = f"{layer.name} ({layer.op})"
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    problems = []
    if (layer.op in FP8_OPERANDS or layer.fused.function) and not source.is_fp8:
        problems.append(
            Problem(where, f"its input {source.name} has no FP8 scale", _missing(graph))
        )
    if layer.op == "scale_channels" and not graph.tensors[layer.inputs[1]].is_fp8:
        problems.append(
            Problem(where, f"its operand {layer.inputs[1]} has no FP8 scale", _missing(graph))
        )
    if layer.fused.function and not out.is_fp8:
        problems.append(Problem(where, f"its output {out.name} has no FP8 scale", _missing(graph)))
    if layer.fused.function and source.is_fp8 and out.is_fp8 and source.format != out.format:
        text = f"its input has the format {source.format}, its output {out.format}"
        problems.append(Problem(where, text, "one format before and behind a table"))
    if layer.op == "max_pool" and (out.format, out.scale) != (source.format, source.scale):
        problems.append(
            Problem(
                where,
                f"its output {out.name} has the scale {out.scale}",
                f"its input's: {source.scale}",
            )
        )
    if layer.op == "softmax" and (out.format, out.scale) != ("e4m3fn", 2.0**-8):
        problems.append(
            Problem(
                where, f"its output has the scale {out.scale} of {out.format}", "2^-8 of e4m3fn"
            )
        )
    return problems
