# SPDX-License-Identifier: Apache-2.0
"""A convolution whose channels are sliced becomes one for each slice: then nothing is moved, and all codes are the same."""

from __future__ import annotations

import dataclasses

import numpy as np

from .ir import Graph, Layer, Weights

MOST = 8  # slices of one convolution


def split(graph: Graph) -> None:
    for layer in list(graph.layers):
        moves = graph.readers(layer.output)
        if not _is_whole(graph, layer) or not 0 < len(moves) <= MOST:
            continue
        firsts = [_first(graph, move) for move in moves]
        if all(first is not None for first in firsts):
            _replace(graph, layer, moves, firsts)


def _is_whole(graph: Graph, layer: Layer) -> bool:
    simple = layer.op in ("convolution", "linear") and layer.groups == 1
    return simple and layer.residual is None and not graph.is_output(layer.output)


def _first(graph: Graph, layer: Layer) -> int | None:
    """The first channel, if a layer takes neighbouring channels of all pixels; None: it does not."""
    if layer.op != "move" or len(layer.moves) != 1 or layer.clear:
        return None
    out, move = graph.tensors[layer.output], layer.moves[0]
    source = graph.tensors[layer.inputs[0]]
    if (out.format, out.scale) != (source.format, source.scale) or out.rows != source.rows:
        return None
    if move.x_row or move.out_row or move.out_col:
        return None
    steps = {(a.from_rows, a.from_cols, a.to_rows, a.to_cols): a.count for a in move.axes}
    wanted = {(1, 0, 1, 0): out.rows, (0, 1, 0, 1): out.cols}
    fits = steps == {step: count for step, count in wanted.items() if count > 1}
    return move.x_col if fits else None


def _replace(graph: Graph, layer: Layer, moves: list[Layer], firsts: list[int]) -> None:
    place = graph.layers.index(layer)
    del graph.tensors[layer.output]
    graph.layers.remove(layer)
    for number, (move, first) in enumerate(zip(moves, firsts)):
        cols = graph.tensors[move.output].cols
        part = dataclasses.replace(
            layer,
            name=move.name,
            output=move.output,
            nodes=layer.nodes + move.nodes,
            weights=_rows(layer.weights, slice(first, first + cols)),
        )
        graph.layers.remove(move)
        graph.layers.insert(place + number, part)


def _rows(weights: Weights, part: slice) -> Weights:
    def take(array: np.ndarray | None) -> np.ndarray | None:
        return None if array is None else np.ascontiguousarray(array[part])

    return dataclasses.replace(
        weights,
        **{
            name: take(getattr(weights, name))
            for name in ("values", "bias", "codes", "row_scale", "mx")
        },
    )
