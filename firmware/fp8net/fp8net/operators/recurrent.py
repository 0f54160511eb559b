# SPDX-License-Identifier: Apache-2.0
"""LSTM and GRU, from a state of zeros. In reverse, the steps are moved into the opposite order before and behind."""

from __future__ import annotations

import numpy as np

from ..ir import Tensor, View, Weights
from ..moves import Index
from .layout import _unsupported, turn
from .moving import Mover, arrange, plain
from .registry import handles

# fp8rt's gates in ONNX's order: i, f, c, o of i, o, f, c; r, z, h of z, r, h.
_GATES = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2)}
_ACTIVATIONS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"]}
HIDDEN_SCALE = 2.0**-8  # numbers of h are below 1 in magnitude
_FORMS = "any direction and layout, the usual activations, a state of zeros or --state; Y and Y_h"
_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}


def _constant_input(importer, node, place: int) -> np.ndarray | None:
    if len(node.inputs) <= place or not node.inputs[place]:
        return None
    value = importer.constant(node.inputs[place])
    if value is None:
        raise _unsupported(
            f"its input {node.inputs[place]!r} is not constant", "a constant, none, or --state"
        )
    return value


def _directions(node) -> tuple[bool, ...]:
    """Whether each goes in reverse."""
    return _DIRECTIONS[node.attribute("direction", "forward")]


def _check_attributes(node) -> None:
    op = node.op
    given = [a.decode() if isinstance(a, bytes) else a for a in node.attribute("activations") or []]
    if given and given != _ACTIVATIONS[op] * len(_directions(node)):
        raise _unsupported(f"activations are {given}", f"{_ACTIVATIONS[op]}")
    for name in ("clip", "input_forget", "activation_alpha", "activation_beta"):
        if node.attribute(name):
            raise _unsupported(f"{name} is {node.attribute(name)}", f"no {name}")
    if op == "GRU" and not node.attribute("linear_before_reset", 0):
        raise _unsupported(
            "linear_before_reset is 0", "linear_before_reset 1, as PyTorch writes it"
        )


def _reorder(array: np.ndarray, op: str, units: int) -> np.ndarray:
    return np.concatenate([array[g * units : (g + 1) * units] for g in _GATES[op]])


def _weights(importer, node, place: int, units: int, columns: int, direction: int) -> Weights:
    """Rows in fp8rt's order of gates."""
    name, op = node.inputs[place], node.op
    value = importer.constant(name)
    shape = (len(_directions(node)), len(_GATES[op]) * units, columns)
    if value is None or value.shape != shape or not np.isfinite(value).all():
        raise _unsupported(f"its weights {name!r} are no finite constant of {shape}")
    weights = Weights(_reorder(value[direction].astype(np.float32), op, units))
    codes = importer.weights_of.get(name)
    if codes is not None:
        if codes.scales.size > 1 and codes.axis != 1:
            raise _unsupported(
                f"its weights {name!r} have scales along axis {codes.axis}", "axis 1"
            )
        scale = np.broadcast_to(codes.scales, (shape[1],)).astype(np.float32)
        weights.codes = _reorder(codes.codes[direction], op, units)
        weights.row_scale, weights.format = _reorder(scale, op, units), codes.format
    return weights


def _keeps_states(importer, node, steps: int) -> bool:
    """Whether its states are kept between runs: --state names their inputs and outputs. Else they begin at 0."""
    lengths = _constant_input(importer, node, 4)
    if lengths is not None and (lengths != steps).any():
        raise _unsupported(f"sequence_lens are {lengths.tolist()}", f"all steps: {steps}")
    if node.op == "LSTM" and _constant_input(importer, node, 7) is not None:
        raise _unsupported("it has peepholes", "no input P")
    places = (5, 6) if node.op == "LSTM" else (5,)
    given = [node.operand(p) for p in places]
    kept = [node.outputs[p - 4] if len(node.outputs) > p - 4 else "" for p in places]
    if any(name in importer.states for name in given):
        if [importer.states.get(name) for name in given] != kept or len(_directions(node)) > 1:
            what = f"its states {given} do not become {kept}"
            raise _unsupported(what, "--state for each of them; forward")
        importer.kept |= set(kept)
        return True
    for place in places:
        state = _constant_input(importer, node, place)
        if state is not None and state.any():
            raise _unsupported(
                f"its initial state {node.inputs[place]!r} is not 0", "zeros, none, or --state"
            )
    return False


def _steps(importer, node) -> View:
    """X as steps, batch, values, also in memory."""
    view = plain(importer, node, importer.view(node))
    if len(view.shape) != 3:
        raise _unsupported(f"its input has the shape {view.shape}", "steps, batch, values")
    if node.attribute("layout", 0):
        shape = (view.shape[1], view.shape[0], view.shape[2])
        view = View(view.tensor, shape, tuple((1, 0, 2)[a] for a in view.axes))
    return arrange(importer, node, view, (0, 1, 2))


def _backwards(importer, node, view: View) -> View:
    """The last step first."""
    mover = Mover(importer, node, view.shape, (0, 1, 2), inner="reversed")
    indices = [
        Index(size, axis, axis, -1 if axis == 0 else 1) for axis, size in enumerate(view.shape)
    ]
    mover.add(view, indices, [view.shape[0] - 1, 0, 0])
    return mover.finish()


def _biases(importer, node, layer, units: int, direction: int) -> None:
    bias = _constant_input(importer, node, 3)
    if bias is None:
        return
    half = len(_GATES[node.op]) * units
    shape = (len(_directions(node)), 2 * half)
    if bias.shape != shape or not np.isfinite(bias).all():
        raise _unsupported(f"its bias is no finite constant of {shape}")
    parts = bias[direction].astype(np.float32)
    layer.weights.bias = _reorder(parts[:half], node.op, units)
    layer.recurrent.bias = _reorder(parts[half:], node.op, units)


def _add_direction(importer, node, view: View, direction: int, names: list[str]) -> list[View]:
    """A layer for one direction: views of Y and Y_h. Names that are empty are those of inner tensors."""
    units = node.attribute("hidden_size")
    steps, batch, columns = view.shape
    layer = importer.layer(node, node.op.lower(), [view.tensor], images=batch)
    layer.weights = _weights(importer, node, 1, units, columns, direction)
    layer.recurrent = _weights(importer, node, 2, units, units, direction)
    _biases(importer, node, layer, units, direction)
    inner = [not name for name in names]
    layer.output = names[0] or importer.fresh(f"{layer.name}_y")
    hidden = names[1] or importer.fresh(f"{layer.name}_hidden")
    layer.extra = {"hidden": hidden, "state": importer.fresh(f"{layer.name}_state")}
    importer.add_inner(layer, View(layer.output, (steps, 1, batch, units), (0, 1, 2, 3)), units)
    tensors, views = importer.graph.tensors, importer.graph.views
    tensors[layer.output].inner = inner[0]
    tensors[hidden] = Tensor(hidden, batch, units, "e4m3fn", HIDDEN_SCALE, inner=inner[1])
    state = layer.extra["state"]
    tensors[state] = Tensor(state, batch, units, "float32", inner=True)
    views[hidden] = View(hidden, (1, batch, units), (0, 1, 2))
    return [views[layer.output], views[hidden]]


def _recurrent(importer, node) -> None:
    _check_attributes(node)
    view = _steps(importer, node)
    keeps = _keeps_states(importer, node, view.shape[0])
    outputs = [*node.outputs, "", ""]
    if outputs[2] and importer.is_read(outputs[2]) and outputs[2] not in importer.kept:
        raise _unsupported(f"output {outputs[2]!r} is used", "Y and Y_h")
    directions = _directions(node)
    both = len(directions) > 1
    made = [
        _add_direction(
            importer,
            node,
            _backwards(importer, node, view) if back else view,
            place,
            ["" if both or back else outputs[0], "" if both else outputs[1]],
        )
        for place, back in enumerate(directions)
    ]
    if keeps:
        importer.graph.layers[-1].keeps = True
    for place, name in enumerate(outputs[:2]):
        if not name or not importer.is_read(name):
            continue
        parts = [pair[place] for pair in made]
        if parts[0].tensor != name:
            _join(importer, node, name, parts, directions if place == 0 else None)
        else:
            importer.views[name] = parts[0]
        if node.attribute("layout", 0):
            turn(importer, name, [2, 0, 1, 3] if place == 0 else [1, 0, 2])


def _join(importer, node, name: str, parts: list[View], directions) -> None:
    """Y of all directions, each step at its time, or Y_h."""
    axis = 0 if directions is None else 1
    shape = list(parts[0].shape)
    shape[axis] = len(parts)
    mover = Mover(importer, node, shape, tuple(range(len(shape))), output=name)
    for place, part in enumerate(parts):
        back = directions is not None and directions[place]
        indices = [
            Index(size, a, a, -1 if back and a == 0 else 1) for a, size in enumerate(part.shape)
        ]
        start = [part.shape[0] - 1 if back and a == 0 else 0 for a in range(len(shape))]
        mover.add(part, indices, start, [place if a == axis else 0 for a in range(len(shape))])
    mover.finish()


@handles("LSTM", "fp8rt_lstm", _FORMS, many=True)
def lstm(importer, node) -> None:
    _recurrent(importer, node)


@handles("GRU", "fp8rt_gru", f"linear_before_reset 1; {_FORMS}", many=True)
def gru(importer, node) -> None:
    _recurrent(importer, node)
