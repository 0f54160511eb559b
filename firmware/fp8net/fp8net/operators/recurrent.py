# SPDX-License-Identifier: Apache-2.0
"""LSTM and GRU, forward, from a state of zeros."""

from __future__ import annotations

import numpy as np

from ..ir import Tensor, View, Weights
from .layout import _unsupported
from .registry import handles

# fp8rt's gates in ONNX's order: i, f, c, o of i, o, f, c; r, z, h of z, r, h.
_GATES = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2)}
_ACTIVATIONS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"]}
HIDDEN_SCALE = 2.0**-8  # numbers of h are below 1 in magnitude
_FORMS = "forward, layout 0, the usual activations, a state of zeros; Y and Y_h"


def _constant_input(importer, node, place: int) -> np.ndarray | None:
    if len(node.inputs) <= place or not node.inputs[place]:
        return None
    value = importer.constant(node.inputs[place])
    if value is None:
        raise _unsupported(
            f"its input {node.inputs[place]!r} is not constant", "a constant, or none"
        )
    return value


def _check_attributes(node) -> None:
    op = node.op
    if node.attribute("direction", "forward") != "forward":
        raise _unsupported(f"direction is {node.attribute('direction')}", "forward")
    if node.attribute("layout", 0):
        raise _unsupported("layout is 1", "layout 0")
    given = [a.decode() if isinstance(a, bytes) else a for a in node.attribute("activations") or []]
    if given and given != _ACTIVATIONS[op]:
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


def _weights(importer, node, place: int, units: int, columns: int) -> Weights:
    """Rows in fp8rt's order of gates."""
    name, op = node.inputs[place], node.op
    value = importer.constant(name)
    shape = (1, len(_GATES[op]) * units, columns)
    if value is None or value.shape != shape or not np.isfinite(value).all():
        raise _unsupported(f"its weights {name!r} are no finite constant of {shape}")
    weights = Weights(_reorder(value[0].astype(np.float32), op, units))
    codes = importer.weights_of.get(name)
    if codes is not None:
        if codes.scales.size > 1 and codes.axis != 1:
            raise _unsupported(
                f"its weights {name!r} have scales along axis {codes.axis}", "axis 1"
            )
        scale = np.broadcast_to(codes.scales, (shape[1],)).astype(np.float32)
        weights.codes = _reorder(codes.codes[0], op, units)
        weights.row_scale, weights.format = _reorder(scale, op, units), codes.format
    return weights


def _check_states(importer, node, steps: int) -> None:
    lengths = _constant_input(importer, node, 4)
    if lengths is not None and (lengths != steps).any():
        raise _unsupported(f"sequence_lens are {lengths.tolist()}", f"all steps: {steps}")
    for place in (5, 6) if node.op == "LSTM" else (5,):
        state = _constant_input(importer, node, place)
        if state is not None and state.any():
            raise _unsupported(
                f"its initial state {node.inputs[place]!r} is not 0", "zeros, or none"
            )
    if node.op == "LSTM" and _constant_input(importer, node, 7) is not None:
        raise _unsupported("it has peepholes", "no input P")


def _recurrent(importer, node) -> None:
    _check_attributes(node)
    view = importer.view(node)
    units = node.attribute("hidden_size")
    tensor = importer.tensor_of(view)
    if len(view.shape) != 3 or not view.lies_as((0, 1, 2)) or tensor.cols != view.shape[2]:
        raise _unsupported(
            f"its input of shape {view.shape} does not lie as steps, batch, values in memory",
            "an input of the file in this order, or a batch of 1",
        )
    steps, batch, columns = view.shape
    _check_states(importer, node, steps)
    outputs = [*node.outputs, "", ""]
    if outputs[2] and importer.is_read(outputs[2]):
        raise _unsupported(f"output {outputs[2]!r} is used", "Y and Y_h")
    layer = importer.layer(node, node.op.lower(), [view.tensor])
    layer.weights = _weights(importer, node, 1, units, columns)
    layer.recurrent = _weights(importer, node, 2, units, units)
    bias = _constant_input(importer, node, 3)
    if bias is not None:
        half = len(_GATES[node.op]) * units
        if bias.shape != (1, 2 * half) or not np.isfinite(bias).all():
            raise _unsupported(f"its bias is no finite constant of {(1, 2 * half)}")
        parts = bias[0].astype(np.float32)
        layer.weights.bias = _reorder(parts[:half], node.op, units)
        layer.recurrent.bias = _reorder(parts[half:], node.op, units)
    layer.images = batch
    layer.output = outputs[0] or f"{layer.name}_y"
    layer.extra = {
        "hidden": outputs[1] or f"{layer.name}_hidden",
        "state": f"{layer.name}_state",
    }
    graph = importer.graph
    hidden, state = layer.extra["hidden"], layer.extra["state"]
    graph.tensors[hidden] = Tensor(hidden, batch, units, "e4m3fn", HIDDEN_SCALE)
    graph.tensors[state] = Tensor(state, 1, batch * units, "int32")
    node.outputs[0] = layer.output
    importer.add(node, layer, (steps, 1, batch, units), (0, 1, 2, 3), units)
    importer.views[hidden] = graph.views[hidden] = View(hidden, (1, batch, units), (0, 1, 2))


@handles("LSTM", "fp8rt_lstm", _FORMS, many=True)
def lstm(importer, node) -> None:
    _recurrent(importer, node)


@handles("GRU", "fp8rt_gru", f"linear_before_reset 1; {_FORMS}", many=True)
def gru(importer, node) -> None:
    _recurrent(importer, node)
