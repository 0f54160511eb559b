# SPDX-License-Identifier: Apache-2.0
"""Finds the steps of a move: from indices of the file's arrays to rows and columns of two tensors.

An index goes from `start` by `step` along an axis of each side's array. In memory it goes by a number of values, and so by
whole rows, or by columns within a row. An axis that goes through the end of a row becomes two: columns of a row, and rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from .ir import FORMAT_BYTES, Axis, Graph, Layer, Move, View, product

MOST_AXES = 6  # FP8RT_MOVE_AXES


@dataclasses.dataclass
class Index:
    """One index of a move. A side without an axis stays where it is."""

    count: int
    x_axis: int | None
    out_axis: int | None
    x_step: int = 1
    out_step: int = 1


class Impossible(ValueError):
    """The values of a row do not lie so that steps reach them."""


def strides_of(view: View) -> list[int]:
    """Values from one index of each axis to the next."""
    strides, after = [0] * len(view.shape), 1
    for axis in reversed(view.axes):
        strides[axis] = after
        after *= view.shape[axis]
    return strides


def make(
    place: int,
    x: tuple[View, int],
    out: tuple[View, int],
    indices: list[Index],
    x_start: list[int],
    out_start: list[int],
) -> Move:
    """The move of an input between two views, each with the columns of its tensor."""
    sides = [(strides_of(view), cols) for view, cols in (x, out)]
    firsts = [
        divmod(sum(s * at for s, at in zip(strides, start)), cols)
        for (strides, cols), start in zip(sides, (x_start, out_start))
    ]
    axes: list[tuple[int, int, int]] = []  # count, values from index to index on both sides
    for index in indices:
        if index.count > 1:
            steps = (
                0 if index.x_axis is None else index.x_step * sides[0][0][index.x_axis],
                0 if index.out_axis is None else index.out_step * sides[1][0][index.out_axis],
            )
            axes += _split(index.count, steps, (x[1], out[1]))
    widths = x[1], out[1]
    pieces = [_axis(count, steps, widths) for count, *steps in _joined(_ordered(axes), widths)]
    move = Move(place, *firsts[0], *firsts[1], pieces)
    _check(move, x, out)
    return move


def diagonal(cols: int, group: int, standing: bool) -> list[Move]:
    """A vector to the diagonals of matrices of group x group, one below the other. Its values are a row, or stand in a column."""
    moves = []
    for first, matrices, size in (
        (0, cols // group, group),
        (cols - cols % group, 1, cols % group),
    ):
        if matrices * size:
            steps = [(matrices, group, group, 0), (size, 1, 1, 1)]
            axes = [
                Axis(n, x if standing else 0, 0 if standing else x, row, col)
                for n, x, row, col in steps
                if n > 1
            ]
            x = (first, 0) if standing else (0, first)
            moves.append(Move(0, *x, first, 0, axes))
    return moves


def _split(count: int, steps: tuple[int, int], cols: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Two or three indices in place of one that goes through the end of a row."""
    ends = set()
    for step, width in zip(steps, cols):
        if step % width and abs(step) * count > width:
            if width % step:
                raise Impossible
            ends.add(width // abs(step))
    axes, units, left = [], 1, count
    for end in sorted(ends):
        if end % units or left % (end // units):
            raise Impossible
        axes.append((end // units, steps[0] * units, steps[1] * units))
        left //= end // units
        units = end
    return [(left, steps[0] * units, steps[1] * units), *reversed(axes)]


def _ordered(axes: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The smallest steps last, so that values beside each other are copied together."""
    return sorted((a for a in axes if a[0] > 1), key=lambda a: (-abs(a[2]), -abs(a[1])))


def _joined(axes: list[tuple[int, int, int]], cols: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Two neighbours whose steps are those of one index, unless it goes through the end of a row."""
    joined: list[tuple[int, int, int]] = []
    for count, x, out in axes:
        if joined and joined[-1][1] == x * count and joined[-1][2] == out * count:
            both = joined[-1][0] * count
            if all(s % w == 0 or abs(s) * both <= w for s, w in zip((x, out), cols)):
                joined.pop()
                count = both
        joined.append((count, x, out))
    return joined


def _axis(count: int, steps: list[int], cols: tuple[int, int]) -> Axis:
    (from_rows, from_cols), (to_rows, to_cols) = (
        (step // width, 0) if step % width == 0 else (0, step) for step, width in zip(steps, cols)
    )
    return Axis(count, from_rows, from_cols, to_rows, to_cols)


def _check(move: Move, x: tuple[View, int], out: tuple[View, int]) -> None:
    """No index leaves its tensor. As the steps add up to the values between, each value is then the right one."""
    if len(move.axes) > MOST_AXES:
        raise Impossible
    limits = [
        (move.x_row, product(x[0].shape) // x[1], "from_rows"),
        (move.x_col, x[1], "from_cols"),
        (move.out_row, product(out[0].shape) // out[1], "to_rows"),
        (move.out_col, out[1], "to_cols"),
    ]
    for first, size, name in limits:
        ways = [(axis.count - 1) * getattr(axis, name) for axis in move.axes]
        low = first + sum(min(way, 0) for way in ways)
        high = first + sum(max(way, 0) for way in ways)
        if low < 0 or high >= size:
            raise Impossible


# ---- commands ------------------------------------------------------------------------------------

_LEAST_VALUES, _MOST_COMMANDS, _MOST_COUNT = 256, 64, 65535  # firmware/layers/move_matrices.h


Steps = tuple[int, int, int, int]  # of x's rows and columns, then those of the output


def _sorted(
    move: Move, unit: int, is_columns: Callable[[Steps], bool], is_rows: Callable[[Steps], bool]
) -> tuple[Axis | None, Axis | None, list[Axis]] | None:
    """The first axes that are columns and rows, and others. None: one is none of them and steps within a beat of
    `unit` values."""
    columns = rows = None
    others = []
    for axis in move.axes:
        if axis.count <= 1:
            continue
        steps = axis.from_rows, axis.from_cols, axis.to_rows, axis.to_cols
        if columns is None and is_columns(steps):
            columns = axis
        elif rows is None and is_rows(steps):
            rows = axis
        elif steps[1] % unit == 0 and steps[3] % unit == 0:
            others.append(axis)
        else:
            return None
    return columns, rows, others


@dataclasses.dataclass
class Copies:
    """A move that fp8rt_move makes element-wise commands: matrices of equal shape."""

    rows: int  # of each
    columns: int
    others: list[Axis]  # where one matrix lies beside another

    @property
    def commands(self) -> int:
        return product([axis.count for axis in self.others])


def copies_of(move: Move, format: str, beat: int) -> Copies | None:
    """The rule of fp8rt/move.h for `by_value`: strided copies."""
    if format == "int32":
        return None
    unit = beat // FORMAT_BYTES[format]  # values of a beat
    found = _sorted(
        move,
        unit,
        lambda steps: steps == (0, 1, 0, 1),
        lambda steps: steps[0] > 0 and steps[2] > 0 and steps[1] == steps[3] == 0,
    )
    if found is None:
        return None
    columns, rows, others = found
    counts = [1 if axis is None else axis.count for axis in (rows, columns)]
    copies = Copies(*counts, others)
    possible = (
        columns is not None
        and move.x_col % unit == 0
        and move.out_col % unit == 0
        and max(counts) <= _MOST_COUNT
        and product(counts) >= _LEAST_VALUES
        and copies.commands <= _MOST_COMMANDS
    )
    return copies if possible else None


# ---- transpositions as products ------------------------------------------------------------------

TURN_COLUMNS = 32  # FP8RT_TURN_COLUMNS
TURN_FORMATS = ("e4m3fn", "e4m3fnuz")


@dataclasses.dataclass
class Turn:
    """A move that fp8rt_move makes products with the identity: transpositions of equal shape."""

    columns: Axis  # of the input, which become rows
    rows: Axis
    others: list[Axis]  # where one transposition lies beside another

    @property
    def blocks(self) -> list[range]:
        """Columns of each command of one transposition."""
        count = self.columns.count
        return [
            range(first, min(first + TURN_COLUMNS, count))
            for first in range(0, count, TURN_COLUMNS)
        ]

    @property
    def commands(self) -> int:
        return product([len(self.blocks), *(axis.count for axis in self.others)])


def turn_of(move: Move, format: str, beat: int) -> Turn | None:
    """The rule of fp8rt/move.h for `by_value`, without that about elements."""
    found = _sorted(
        move,
        beat,
        lambda steps: steps[:2] == (0, 1) and steps[2] > 0 and steps[3] == 0,
        lambda steps: steps[0] > 0 and steps[1:] == (0, 0, 1),
    )
    if found is None:
        return None
    columns, rows, others = found
    if columns is None or rows is None or format not in TURN_FORMATS:
        return None
    turn = Turn(columns, rows, others)
    possible = (
        move.x_col % beat == 0
        and move.out_col % beat == 0
        and max(columns.count, rows.count) <= _MOST_COUNT
        and turn.commands <= _MOST_COMMANDS
        and columns.count * rows.count >= len(turn.blocks) * _LEAST_VALUES
    )
    return turn if possible else None


def turns_of(graph: Graph, layer: Layer, beat: int) -> list[Turn | Copies | None]:
    """Of each move: the transpositions or copies that are commands. None: the core moves, as beside the requantiser, which
    has no element-wise commands."""
    format = graph.tensors[layer.output].format
    if graph.requantises:
        return [None] * len(layer.moves)
    return [turn_of(move, format, beat) or copies_of(move, format, beat) for move in layer.moves]
