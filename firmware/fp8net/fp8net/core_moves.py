# SPDX-License-Identifier: Apache-2.0
"""Cycles that the core takes for a move: firmware/layers/move.c, with constants measured on the simulated chip.

`tests/networks/core_moves.py` makes random moves, runs them on the chip and compares. Its option --fit prints the constants.
"""

from __future__ import annotations

from collections import Counter

from .calls import up
from .ir import FORMAT_BYTES, Graph, Layer, Move
from .moves import turns_of

AXES, WORD, QUAD = 6, 4, 16  # FP8RT_MOVE_AXES; bytes that memcpy copies at once
Steps = tuple[int, int, int]  # how many, and bytes from one to the next of both tensors
COSTS = {
    "call": 365,  # a move, with the search for its shape
    "turn": 34,  # of the loops around copies and transpositions
    "aligned": 37,  # a call of memcpy whose ends lie within a word in the same way
    "unaligned": 14,  # another one
    "byte": 6,
    "word": 9,
    "quad": 12,  # four words
    "value": 7,  # of one or two bytes, one by one
    "wide": 8,  # of four bytes
    "block": 92,  # 4 x 4 codes of a transposition
    "columns": 32,  # four columns of a transposition
    "rest_column": 6,  # a column beside or below these blocks
    "rest": 10,  # a code there
    "clear": 150,  # a call that sets bytes to zero
    "cleared": 7 / 16,  # a byte
}


def cycles(graph: Graph, layer: Layer, beat: int) -> int:
    """Of a layer's moves that are no commands, each in its call."""
    counts: Counter[str] = Counter()
    if layer.clear:
        out = graph.tensors[layer.output]
        counts["clear"] = 1
        counts["cleared"] = out.rows * up(out.cols * FORMAT_BYTES[out.format], beat)
    for move, turn in zip(layer.moves, turns_of(graph, layer, beat), strict=True):
        if turn is None:
            cols = graph.tensors[layer.inputs[move.place]].cols, graph.tensors[layer.output].cols
            counts += parts_of(move, FORMAT_BYTES[graph.tensors[layer.output].format], cols, beat)
    return round(sum(COSTS[name] * count for name, count in counts.items()))


def parts_of(move: Move, size: int, cols: tuple[int, int], beat: int) -> Counter[str]:
    """How often the core does what has a cost, for values of `size` bytes."""
    from_row, to_row = (up(n * size, beat) for n in cols)
    axes = [
        (
            a.count,
            a.from_rows * from_row + a.from_cols * size,
            a.to_rows * to_row + a.to_cols * size,
        )
        for a in move.axes
        if a.count > 1
    ]
    axes = [(1, 0, 0)] * (AXES - len(axes)) + axes
    starts = move.x_col * size % WORD, move.out_col * size % WORD
    parts = Counter(call=1)
    turned = _transposition(axes, size, starts)
    loops = axes[:-2] if turned else axes[:-1]
    times = 1
    for count, _, _ in loops:
        times *= count
    parts["turn"] = times
    count, from_step, to_step = axes[-1]
    if turned:
        rows, columns = turned
        high, wide = rows % WORD, columns % WORD
        parts["block"] = times * (rows // WORD) * (columns // WORD)
        parts["columns"] = times * (columns // WORD)
        parts["rest_column"] = times * (columns + wide)
        parts["rest"] = times * (columns * high + wide * (rows - high))
    elif (from_step, to_step) == (size, size):
        for places, often in _places(loops, starts).items():
            for name, number in _copy(count * size, *places).items():
                parts[name] += often * number
    else:
        parts["wide" if size == WORD else "value"] = times * count
    return parts


def _transposition(axes: list[Steps], size: int, starts: tuple[int, int]) -> tuple[int, int] | None:
    """Its rows and columns, where the core moves 4 x 4 codes as words"""

    def is_rows(axis: Steps) -> bool:
        return axis[2] == 1 and axis[1] % WORD == 0

    def is_columns(axis: Steps) -> bool:
        return axis[1] == 1 and axis[2] % WORD == 0

    before, last = axes[-2:]
    forward = is_rows(last) and is_columns(before)
    rows, columns = (last, before) if forward else (before, last)
    words = all(n == 1 or (x % WORD == 0 and y % WORD == 0) for n, x, y in axes[:-2])
    if size != 1 or starts != (0, 0) or not words or abs(columns[2]) < rows[0]:
        return None
    return (rows[0], columns[0]) if forward or (is_rows(rows) and is_columns(columns)) else None


def _places(loops: list[Steps], starts: tuple[int, int]) -> Counter[tuple[int, int]]:
    """How often the loops come to each place within a word, of both tensors"""
    found = Counter({starts: 1})
    for count, from_step, to_step in loops:
        after: Counter[tuple[int, int]] = Counter()
        for first in range(min(count, WORD)):
            often = len(range(first, count, WORD))
            for (x, y), times in found.items():
                place = (x + first * from_step) % WORD, (y + first * to_step) % WORD
                after[place] += times * often
        found = after
    return found


def _copy(size: int, from_place: int, to_place: int) -> dict[str, int]:
    """memcpy of so many bytes: firmware/port/riscv/memory.c"""
    if from_place != to_place:
        return {"unaligned": 1, "byte": size}
    head = min(-to_place % WORD, size)
    rest = size - head
    bytes_ = head + rest % WORD
    return {"aligned": 1, "byte": bytes_, "quad": rest // QUAD, "word": rest % QUAD // WORD}
