# SPDX-License-Identifier: Apache-2.0
"""Computes what depends on constants and sizes alone, where ONNX Runtime has left it: by ONNX's reference implementation."""

from __future__ import annotations

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from . import loader
from .ir import product

# Handlers take their constants as they are: codes of weights, for instance.
KEPT = {"QuantizeLinear", "DequantizeLinear"}
ELEMENTS = 1 << 22  # of a result: more is left to its handler
# Operators whose results may be much larger than their operands: only where the size is known
GROWING = {"ConstantOfShape", "Expand", "OneHot", "Pad", "Range", "Resize", "Tile"}


def fold(
    model: onnx.ModelProto,
    constants: dict[str, np.ndarray],
    shapes: dict[str, tuple[int, ...] | None],
) -> None:
    """Adds the results to `constants`."""
    opsets = {"": loader.opset(model)}
    for node in model.graph.node:
        if not _is_small(node, shapes, constants):
            continue
        if node.op_type == "Shape" and shapes.get(node.input[0]) is not None:
            sizes = {node.input[0]: np.broadcast_to(np.float32(0), shapes[node.input[0]])}
            _run(node, sizes, opsets, constants)
        elif node.op_type == "Constant":
            _run(node, {}, opsets, constants)
        elif node.op_type not in KEPT:
            used = [name for name in node.input if name]
            if used and all(name in constants for name in used):
                _run(node, {name: constants[name] for name in used}, opsets, constants)


def _is_small(node: onnx.NodeProto, shapes: dict, constants: dict[str, np.ndarray]) -> bool:
    sizes = [shapes.get(name) for name in node.output if name]
    if all(size is not None for size in sizes):
        return sum(product(size) for size in sizes) <= ELEMENTS
    if node.op_type not in GROWING:
        return True
    given = [constants.get(name) for name in node.input]
    if any(array is None for array in given):
        return False
    if node.op_type in ("ConstantOfShape", "Expand"):
        before = given[0].size if node.op_type == "Expand" else 1
        return before * product(given[-1].reshape(-1)) <= ELEMENTS
    if node.op_type == "Range":
        first, last, step = (float(array.reshape(())) for array in given)
        return step != 0 and abs((last - first) / step) <= ELEMENTS
    return False


def _run(node: onnx.NodeProto, operands: dict, opsets: dict, constants: dict) -> None:
    try:
        results = ReferenceEvaluator(node, opsets=opsets).run(None, operands)
    except Exception:  # whatever the reference raises, the node's handler says what is wrong
        return
    constants.update({name: np.asarray(x) for name, x in zip(node.output, results) if name})
