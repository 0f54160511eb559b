# SPDX-License-Identifier: Apache-2.0
"""Operators that move data: fp8rt_move. And other places in memory for layers that read theirs in one order alone."""

from __future__ import annotations

import itertools

import numpy as np

from .. import moves
from ..ir import Tensor, View, product
from ..moves import Index
from . import embedding
from .layout import _constant_ints, _set_shape, _unsupported
from .registry import handles

MOST_MOVES = 64  # of one layer


# ---- layers -------------------------------------------------------------------------------------


class Mover:
    """A layer of moves into one tensor, whose axes are stored in the order `axes`.

    It is the node's first output, or `output`. With `inner` the file has no such value.
    """

    def __init__(
        self,
        importer,
        node,
        shape,
        axes,
        output: str | None = None,
        inner: str = "",
        cols: int | None = None,
    ):
        self.importer, self.inner = importer, bool(inner)
        self.layer = importer.layer(node, "move", [])
        name = importer.fresh(f"{node.name}_{inner}") if inner else output or node.outputs[0]
        self.layer.output = name
        self.view = View(name, tuple(shape), tuple(axes))
        self.cols = cols or (shape[axes[-1]] if axes else 1)
        self.covered = 0

    def add(self, view: View, indices: list[Index], x_start=None, out_start=None) -> None:
        """Values of one input. Starts are those of the whole arrays, 0 without them."""
        if view.tensor not in self.layer.inputs:
            self.layer.inputs.append(view.tensor)
        cols = self.importer.tensor_of(view).cols
        out = self.view, self.cols
        x_start = x_start or [0] * len(view.shape)
        out_start = out_start or [0] * len(self.view.shape)
        place = self.layer.inputs.index(view.tensor)
        try:
            move = moves.make(place, (view, cols), out, indices, x_start, out_start)
        except moves.Impossible:
            raise _unsupported(
                f"moves values of {view.shape} that lie across the rows of a tensor",
                "sizes that stay whole in memory",
            ) from None
        self.layer.moves.append(move)
        self.covered += move.values
        if len(self.layer.moves) > MOST_MOVES:
            raise _unsupported(f"consists of more than {MOST_MOVES} moves", "fewer parts")

    def finish(self) -> View:
        """The output's view, when all moves are there. What they leave out is 0."""
        importer, layer = self.importer, self.layer
        self.layer.clear = self.covered < product(self.view.shape)
        rows = product(self.view.shape) // self.cols
        importer.graph.tensors[layer.output] = Tensor(
            layer.output, rows, self.cols, inner=self.inner, follows=layer.inputs[0]
        )
        importer.graph.layers.append(layer)
        importer.graph.views[layer.output] = self.view
        if not self.inner:
            importer.views[layer.output] = self.view
        return self.view


def _same_indices(shape) -> list[Index]:
    return [Index(size, axis, axis) for axis, size in enumerate(shape)]


def plain(importer, node, view: View) -> View:
    """The view, with an order of its own axes in memory: what was flattened from images is moved."""
    if view.base is None:
        return view
    moved = arrange(importer, node, view.base, tuple(range(len(view.base.shape))))
    return View(moved.tensor, view.shape, tuple(range(len(view.shape))))


def arrange(importer, node, view: View, axes: tuple[int, ...]) -> View:
    """The same array with this order in memory, and rows along the last of them: moved, unless it lies so."""
    view = plain(importer, node, view)
    cols = view.shape[axes[-1]] if axes else 1
    if importer.tensor_of(view).cols == cols and view.lies_as(axes):
        return View(view.tensor, view.shape, axes)
    return _copy(importer, node, view, axes, cols)


def _copy(importer, node, view: View, axes: tuple[int, ...], cols: int) -> View:
    mover = Mover(importer, node, view.shape, axes, inner="arranged", cols=cols)
    mover.add(view, _same_indices(view.shape))
    return mover.finish()


def reshape(importer, node, view: View, shape: tuple[int, ...]) -> View:
    """Another shape for which values have to move: all of them into the order of their indices."""
    view = plain(importer, node, view)
    order = tuple(range(len(view.shape)))
    moved = _copy(importer, node, view, order, shape[-1] if shape else 1)
    return View(moved.tensor, shape, tuple(range(len(shape))))


def repeat(importer, node, view: View, shape, axes) -> View:
    """Broadcast to `shape`, with this order in memory."""
    view = plain(importer, node, view)
    lacking = len(shape) - len(view.shape)
    mover = Mover(importer, node, shape, axes, inner="repeated")
    indices = []
    for axis, size in enumerate(shape):
        mine = axis - lacking
        same = mine >= 0 and view.shape[mine] == size
        indices.append(Index(size, mine if same else None, axis))
    mover.add(view, indices)
    return mover.finish()


# ---- parts --------------------------------------------------------------------------------------


def _source(importer, node, place: int = 0) -> View:
    return plain(importer, node, importer.view(node, place))


@handles("Concat", "fp8rt_move", "any axis; all parts are computed")
def concat(importer, node) -> None:
    views = [_source(importer, node, place) for place in range(len(node.inputs))]
    axis = node.attribute("axis", 0)
    rank = len(views[0].shape)
    if not -rank <= axis < rank:
        raise _unsupported(f"axis is {axis}", f"an axis of {rank} sizes")
    axis %= rank
    shape = list(views[0].shape)
    shape[axis] = sum(view.shape[axis] for view in views)
    mover = Mover(importer, node, shape, views[0].axes)
    start = 0
    for view in views:
        out_start = [start if a == axis else 0 for a in range(rank)]
        mover.add(view, _same_indices(view.shape), None, out_start)
        start += view.shape[axis]
    mover.finish()


def take(
    importer, node, view: View, output: str, parts: dict[int, tuple[int, int, int]], inner: str = ""
) -> View:
    """For each axis of `parts`: first index, step, count."""
    shape = tuple(parts[a][2] if a in parts else size for a, size in enumerate(view.shape))
    if all(part == (0, 1, view.shape[a]) for a, part in parts.items()):
        if not inner:
            importer.views[output] = view
        return view
    mover = Mover(importer, node, shape, view.axes, output, inner)
    indices = [Index(size, a, a, parts[a][1] if a in parts else 1) for a, size in enumerate(shape)]
    mover.add(view, indices, [parts[a][0] if a in parts else 0 for a in range(len(shape))])
    return mover.finish()


@handles("Slice", "fp8rt_move", "constant starts, ends, axes and steps")
def slice_(importer, node) -> None:
    view = _source(importer, node)
    rank = len(view.shape)
    starts, ends = (_constant_ints(importer, node, place) for place in (1, 2))
    axes = _constant_ints(importer, node, 3) or list(range(len(starts)))
    steps = _constant_ints(importer, node, 4) or [1] * len(starts)
    parts = {}
    for start, end, axis, step in zip(starts, ends, axes, steps):
        axis %= rank
        first, last, step = slice(start, end, step).indices(view.shape[axis])
        if step < 0 and end < -view.shape[axis]:
            last = -1
        count = len(range(first, last, step))
        if count == 0:
            raise _unsupported(f"takes nothing of axis {axis} of {view.shape}", "one index or more")
        parts[axis] = (first, step, count)
    take(importer, node, view, node.outputs[0], parts)


@handles("Split", "fp8rt_move", "constant sizes", many=True)
def split(importer, node) -> None:
    view = _source(importer, node)
    axis = node.attribute("axis", 0) % len(view.shape)
    size = view.shape[axis]
    sizes = _constant_ints(importer, node, 1)
    if sizes is None:
        count = node.attribute("num_outputs", len(node.outputs))
        each = -(-size // count)
        sizes = [min(each, size - i * each) for i in range(count)]
    if sum(sizes) != size or min(sizes) < 1:
        raise _unsupported(f"splits {size} into {sizes}", "sizes of 1 and more")
    start = 0
    for output, part in zip(node.outputs, sizes):
        if output and importer.is_read(output):
            take(importer, node, view, output, {axis: (start, 1, part)})
        start += part


@handles(
    "Gather",
    "fp8rt_move, fp8rt_embedding",
    "constant indices that have one distance, or few of them; rows of a constant by an input of indices",
)
def gather(importer, node) -> None:
    if importer.constant(node.inputs[0]) is not None:
        embedding.gather(importer, node)
        return
    indices = importer.constant(node.inputs[1])
    if indices is None:
        raise _unsupported("its indices are not constant", "constant indices")
    view = _source(importer, node)
    axis = node.attribute("axis", 0) % len(view.shape)
    size, rest = view.shape[axis], view.shape
    order = [int(i) % size for i in indices.reshape(-1)]
    if any(not -size <= int(i) < size for i in indices.reshape(-1)) or not order:
        raise _unsupported(f"an index is not within {size}", "indices of the axis")
    shape = (*rest[:axis], len(order), *rest[axis + 1 :])
    mover = Mover(importer, node, shape, view.axes)
    place = 0
    while place < len(order):
        step = order[place + 1] - order[place] if place + 1 < len(order) else 0
        end = place + 1
        while end < len(order) and order[end] - order[end - 1] == step:
            end += 1
        own = [Index(s, a, a) for a, s in enumerate(shape)]
        own[axis] = Index(end - place, axis, axis, step)
        starts = [
            [at if a == axis else 0 for a in range(len(shape))] for at in (order[place], place)
        ]
        mover.add(view, own, *starts)
        place = end
    mover.finish()
    _set_shape(importer, node, (*rest[:axis], *indices.shape, *rest[axis + 1 :]), node.outputs[0])


# ---- more than there was ------------------------------------------------------------------------


def _pad_pieces(size: int, before: int, after: int, mode: str) -> list[tuple[int, int, int, int]]:
    """What an axis consists of: first index and step in x, first index in out, count."""
    first, last = max(-before, 0), size - max(-after, 0)
    if last <= first:
        raise _unsupported(f"leaves nothing of {size} values")
    before, after = max(before, 0), max(after, 0)
    pieces = [(first, 1, before, last - first)]
    if mode == "constant":
        return pieces
    most = {"reflect": last - first - 1, "edge": before + after, "wrap": last - first}[mode]
    if max(before, after) > most:
        raise _unsupported(f"pads {size} values by {before} and {after} with mode {mode}")
    end = before + last - first
    if mode == "reflect":
        pieces += [(first + before, -1, 0, before), (last - 2, -1, end, after)]
    elif mode == "edge":
        pieces += [(first, 0, 0, before), (last - 1, 0, end, after)]
    else:
        pieces += [(last - before, 1, 0, before), (first, 1, end, after)]
    return [piece for piece in pieces if piece[3]]


@handles("Pad", "fp8rt_move", "constant pads; constant (0), reflect, edge, wrap")
def pad(importer, node) -> None:
    view = _source(importer, node)
    rank, mode = len(view.shape), node.attribute("mode", "constant")
    pads = _constant_ints(importer, node, 1)
    axes = [a % rank for a in _constant_ints(importer, node, 3) or range(rank)]
    value = importer.constant(node.operand(2)) if node.operand(2) else 0
    if mode == "constant" and (value is None or np.any(np.asarray(value) != 0)):
        raise _unsupported("its constant_value is not 0", "0")
    around = {a: (pads[i], pads[i + len(axes)]) for i, a in enumerate(axes)}
    shape = [s + sum(around.get(a, (0, 0))) for a, s in enumerate(view.shape)]
    pieces = [_pad_pieces(size, *around.get(a, (0, 0)), mode) for a, size in enumerate(view.shape)]
    mover = Mover(importer, node, shape, view.axes)
    for each in itertools.product(*pieces):
        indices = [Index(piece[3], a, a, piece[1]) for a, piece in enumerate(each)]
        mover.add(view, indices, [piece[0] for piece in each], [piece[2] for piece in each])
    mover.finish()


def repeated(importer, node, view: View, factors: list[int], whole: bool) -> None:
    """Each axis `factors` times: all of it, or each index."""
    shape = [s * f for s, f in zip(view.shape, factors)]
    mover = Mover(importer, node, shape, view.axes)
    indices = []
    for a, (size, factor) in enumerate(zip(view.shape, factors)):
        indices += [
            Index(size, a, a, 1, 1 if whole else factor),
            Index(factor, None, a, 0, size if whole else 1),
        ]
    mover.add(view, indices)
    mover.finish()


@handles("Expand", "fp8rt_move", "constant shape")
def expand(importer, node) -> None:
    view = _source(importer, node)
    wanted = _constant_ints(importer, node, 1)
    rank = max(len(wanted), len(view.shape))
    old, new = ((1,) * (rank - len(s)) + tuple(s) for s in (view.shape, wanted))
    if any(o != n and 1 not in (o, n) for o, n in zip(old, new)):
        raise _unsupported(f"makes {wanted} of {view.shape}", "sizes of 1 that are repeated")
    _set_shape(importer, node, old)
    widened = importer.views[node.outputs[0]]
    factors = [n if o == 1 else 1 for o, n in zip(old, new)]
    if max(factors, default=1) > 1:
        repeated(importer, node, plain(importer, node, widened), factors, True)


@handles("Tile", "fp8rt_move", "constant repeats")
def tile(importer, node) -> None:
    repeated(importer, node, _source(importer, node), _constant_ints(importer, node, 1), True)


# ---- blocks of pixels ---------------------------------------------------------------------------


@handles("DepthToSpace", "fp8rt_move", "modes DCR and CRD")
def depth_to_space(importer, node) -> None:
    view = _source(importer, node)
    n, channels, height, width = view.shape
    b = node.attribute("blocksize")
    if node.attribute("mode", "DCR") == "DCR":
        inner, order = (n, b, b, channels // b**2, height, width), (0, 3, 4, 1, 5, 2)
    else:
        inner, order = (n, channels // b**2, b, b, height, width), (0, 1, 4, 2, 5, 3)
    _shuffle(importer, node, view, inner, order, (n, channels // b**2, height * b, width * b))


@handles("SpaceToDepth", "fp8rt_move", "modes DCR and CRD")
def space_to_depth(importer, node) -> None:
    view = _source(importer, node)
    n, channels, height, width = view.shape
    b = node.attribute("blocksize")
    inner = (n, channels, height // b, b, width // b, b)
    shape = (n, channels * b**2, height // b, width // b)
    dcr = node.attribute("mode", "DCR") == "DCR"
    _shuffle(importer, node, view, inner, (0, 3, 5, 1, 2, 4) if dcr else (0, 1, 3, 5, 2, 4), shape)


def _shuffle(importer, node, view: View, inner, order, shape) -> None:
    """Reshape, transpose, reshape. The result has the channels last where the source had."""
    view = arrange(importer, node, view, tuple(range(len(view.shape))))
    split_view = View(view.tensor, inner, tuple(range(6)))
    mixed = tuple(inner[a] for a in order)
    mover = Mover(importer, node, mixed, tuple(range(6)), cols=mixed[-1] * mixed[-2])
    mover.add(split_view, [Index(inner[a], a, place) for place, a in enumerate(order)])
    mover.finish()
    _set_shape(importer, node, shape, node.outputs[0])
