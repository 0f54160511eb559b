# SPDX-License-Identifier: Apache-2.0
"""From an imported graph to one that can run: every tensor has a format that its layers take, every weight has codes."""

from __future__ import annotations

import pathlib

import onnx

from . import formats, fuse, importer, logarithm, mx, powers, shapes, slices, weights
from .errors import Problem, Refused
from .ir import FORMATS, FP8_OPERANDS, INT8, WIDE_OPERANDS, Graph, Layer

_RUN = "run `fp8net quantize` first"
_RUNS = "QuantizeLinear and DequantizeLinear in front of whoever reads it"


def load(path: str | pathlib.Path, given: dict[str, tuple[int, ...]] | None = None) -> Graph:
    """The graph of a quantised file, ready for planner, executor and writer."""
    return lower_model(shapes.prepare(path, given))


def lower_model(model: onnx.ModelProto) -> Graph:
    graph = fuse.fuse(importer.load(model))
    graph.mx = mx.of(model)
    graph.powers = powers.of(model)
    return lower(graph)


def lower(graph: Graph) -> Graph:
    problems = problems_of(graph)
    if problems:
        raise Refused(problems)
    for layer in graph.layers:
        for each in layer.all_weights:
            if layer.mx:
                mx.quantise(each, graph.mx[1])
            else:
                weights.quantise(each, INT8 if graph.is_int8 else "e4m3fn", graph.powers)
    fuse.fuse_tables(graph)
    slices.split(graph)
    if graph.powers:
        powers.fold_factors(graph)
        problems = powers.problems(graph)
        if problems:
            raise Refused(problems)
    return graph


def problems_of(graph: Graph) -> list[Problem]:
    """Tensors of a quantised graph whose formats their layers do not take."""
    formats.settle(graph)
    mx.use(graph)
    logarithm.use(graph)
    problems = [p for layer in graph.layers for p in _check(graph, layer)]
    if graph.is_int8:
        problems += [p for layer in graph.layers for p in _check_int8(graph, layer)]
    return problems


def _check_int8(graph: Graph, layer: Layer) -> list[Problem]:
    """Elements of INT8 have no other operands."""
    where = graph.label(layer)
    if layer.recurrent is not None:
        return [Problem(where, "has no INT8", "FP8")]
    others = {graph.tensors[name].format for name in layer.writes} & set(FORMATS) - {INT8}
    if layer.op in FP8_OPERANDS:
        others |= {graph.tensors[name].format for name in layer.inputs} - {INT8}
        others |= {w.format for w in layer.all_weights if w.codes is not None} - {INT8}
    return [Problem(where, f"has {name} beside INT8", "one of both") for name in sorted(others)]


def _missing(graph: Graph) -> str:
    """What a tensor without a scale needs: `fp8net quantize` refuses a file that has some already."""
    return (
        _RUNS
        if any(tensor.fixed and tensor.has_codes for tensor in graph.tensors.values())
        else _RUN
    )


def _check(graph: Graph, layer: Layer) -> list[Problem]:
    where = graph.label(layer)
    source, out = graph.tensors[layer.inputs[0]], graph.tensors[layer.output]
    problems = []
    operands = (
        layer.inputs if layer.op in FP8_OPERANDS else layer.inputs[: bool(layer.fused.function)]
    )
    for name in operands:
        if not graph.tensors[name].has_codes:
            text = f"its input {name} has no FP8 scale"
            problems.append(Problem(where, text, _missing(graph)))
    if layer.fused.function and not out.has_codes:
        problems.append(Problem(where, f"its output {out.name} has no FP8 scale", _missing(graph)))
    if layer.fused.function and source.has_codes and out.has_codes and source.format != out.format:
        text = f"its input has the format {source.format}, its output {out.format}"
        problems.append(Problem(where, text, "one format before and behind a table"))
    if layer.op in WIDE_OPERANDS and source.has_codes:
        text = f"its input {source.name} is rounded to {source.format}"
        problems.append(Problem(where, text, "float32"))
    if layer.op == "max_pool" and (out.format, out.scale) != (source.format, source.scale):
        problems.append(
            Problem(
                where,
                f"its output {out.name} has the scale {out.scale}",
                f"its input's: {source.scale}",
            )
        )
    return problems
