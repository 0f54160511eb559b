# SPDX-License-Identifier: Apache-2.0
"""Formats and scales of tensors that the file does not decide, and conversions between those that it does.

follows    a tensor that has the values of another one has its format and scale
move       copies codes, so all tensors of a move agree: a layer in front of it writes what the output has, or a
           conversion is put between
softmax    chooses its scale; another one that the file wants is a conversion behind it
"""

from __future__ import annotations

import numpy as np

from .ir import FORMAT_MAX, FORMATS, INT8, Graph, Layer, Tensor

SOFTMAX_UNIT = {
    **{"e4m3fn": 2.0**-8, "e5m2": 2.0**-15, "e4m3fnuz": 2.0**-7, "e5m2fnuz": 2.0**-15},
    INT8: float(np.float32(1) / np.float32(127)),
}
# Layers that write codes of their input.
_KEEP_CODES = ("move", "max_pool")


def settle(graph: Graph) -> None:
    if graph.is_int8:
        _make_int8(graph)
    for layer in reversed(graph.layers):
        _ask_before(graph, layer)
    for layer in list(graph.layers):
        _follow(graph, layer)
        if layer.op == "move":
            _convert_inputs(graph, layer)
        if layer.op == "softmax":
            _convert_output(graph, layer)


def _make_int8(graph: Graph) -> None:
    """Tensors that the file does not have, but whose largest value is known."""
    for layer in graph.layers:
        out = graph.tensors[layer.output]
        if out.inner and not out.fixed and out.has_codes and layer.recurrent is None:
            out.scale *= FORMAT_MAX[out.format] / FORMAT_MAX[INT8]
            out.format = INT8


def _of(tensor: Tensor) -> tuple[str, float]:
    return tensor.format, tensor.scale


def _ask_before(graph: Graph, layer: Layer) -> None:
    """A layer that only this move reads writes what the move's output has."""
    out = graph.tensors[layer.output]
    if layer.op not in _KEEP_CODES or not out.fixed:
        return
    for name in set(layer.inputs):
        source, writer = graph.tensors[name], graph.writer(name)
        alone = all(reader is layer for reader in graph.readers(name))
        free = writer is not None and not source.fixed and not graph.is_output(name)
        if not free or not alone or writer.op == "softmax" or name in writer.extra.values():
            continue
        if writer.fused.function is None or out.has_codes:
            source.format, source.scale, source.fixed = out.format, out.scale, True


def _follow(graph: Graph, layer: Layer) -> None:
    out = graph.tensors[layer.output]
    if out.fixed:
        return
    sources = [graph.tensors[name] for name in layer.inputs]
    if layer.op == "max_pool" or (out.follows is not None and layer.op != "move"):
        name = out.follows or layer.inputs[0]
        out.format, out.scale = _of(graph.tensors[name])
    elif layer.op == "move":
        kinds = {source.format for source in sources}
        if len(kinds) == 1 and kinds <= set(FORMATS):
            out.format, out.scale = kinds.pop(), max(source.scale for source in sources)
        elif len({_of(source) for source in sources}) == 1:
            out.format, out.scale = _of(sources[0])
        else:
            out.format, out.scale = "float32", 1.0


def _between(graph: Graph, name: str, like: Tensor) -> Tensor:
    unique, number = f"{name}_converted", 2
    while unique in graph.tensors:
        unique, number = f"{name}_converted_{number}", number + 1
    graph.tensors[unique] = Tensor(unique, like.rows, like.cols, inner=True)
    return graph.tensors[unique]


def _convert_inputs(graph: Graph, layer: Layer) -> None:
    out = graph.tensors[layer.output]
    for place, name in enumerate(layer.inputs):
        source = graph.tensors[name]
        if _of(source) == _of(out):
            continue
        between = _between(graph, name, source)
        between.format, between.scale = _of(out)
        convert = Layer("convert", f"{layer.name}_convert", [name], between.name, layer.nodes)
        graph.layers.insert(graph.layers.index(layer), convert)
        layer.inputs[place] = between.name


def _convert_output(graph: Graph, layer: Layer) -> None:
    out = graph.tensors[layer.output]
    unit = SOFTMAX_UNIT.get(out.format, 1.0)
    if not out.fixed:
        out.scale = unit
    if out.scale == unit:
        return
    between = _between(graph, layer.output, out)
    _insert_behind(graph, layer, between)


def convert_behind(graph: Graph, layer: Layer) -> None:
    """The layer writes float32, and a conversion its output."""
    _insert_behind(graph, layer, _between(graph, layer.output, graph.tensors[layer.output]))


def _insert_behind(graph: Graph, layer: Layer, between: Tensor) -> None:
    convert = Layer("convert", f"{layer.name}_convert", [between.name], layer.output, layer.nodes)
    graph.layers.insert(graph.layers.index(layer) + 1, convert)
    layer.output = between.name
