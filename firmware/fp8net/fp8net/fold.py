# SPDX-License-Identifier: Apache-2.0
"""Computes what depends on constants and sizes alone, where ONNX Runtime has left it: by ONNX's reference implementation."""

from __future__ import annotations

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from . import loader

# Handlers take their constants as they are: codes of weights, for instance.
KEPT = {"QuantizeLinear", "DequantizeLinear"}
ELEMENTS = 1 << 22  # of a result: more is left to its handler


def fold(
    model: onnx.ModelProto,
    constants: dict[str, np.ndarray],
    shapes: dict[str, tuple[int, ...] | None],
) -> None:
    """Adds the results to `constants`."""
    opsets = {"": loader.opset(model)}
    for node in model.graph.node:
        if node.op_type == "Shape" and shapes.get(node.input[0]) is not None:
            sizes = {node.input[0]: np.broadcast_to(np.float32(0), shapes[node.input[0]])}
            _run(node, sizes, opsets, constants)
        elif node.op_type == "Constant":
            _run(node, {}, opsets, constants)
        elif node.op_type not in KEPT:
            used = [name for name in node.input if name]
            if used and all(name in constants for name in used):
                _run(node, {name: constants[name] for name in used}, opsets, constants)


def _run(node: onnx.NodeProto, operands: dict, opsets: dict, constants: dict) -> None:
    try:
        results = ReferenceEvaluator(node, opsets=opsets).run(None, operands)
    except Exception:  # whatever the reference raises, the node's handler says what is wrong
        return
    arrays = [np.asarray(x) for x in results]
    if sum(x.size for x in arrays) <= ELEMENTS:
        constants.update({name: x for name, x in zip(node.output, arrays) if name})
