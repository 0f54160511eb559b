# SPDX-License-Identifier: Apache-2.0
"""Resizes of opsets before 11: Upsample, and Resize with scales alone.

Output i of an axis lies at i / scale of the input. `nearest` takes the value below where an axis grows, and the one above where it
shrinks. While ONNX's converter raises the opset of a model, an Identity stands for each of them.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper

from .errors import refuse

NEW = 11  # the opset of today's Resize
OLD = ("Upsample", "Resize")


def take(model: onnx.ModelProto) -> dict[str, tuple[str, str, np.ndarray]]:
    """Leaves an Identity in the place of each. Its output stands for the name, the mode, and the scales."""
    constants = {t.name: t for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            constants[node.output[0]] = node.attribute[0].t
    found = {}
    for node in model.graph.node:
        if node.op_type not in OLD:
            continue
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        where = f"{node.name or node.output[0]} ({node.op_type})"
        scales = attributes.get("scales")
        if scales is None and len(node.input) > 1 and node.input[1] in constants:
            scales = numpy_helper.to_array(constants[node.input[1]])
        mode = attributes.get("mode", b"nearest").decode()
        if scales is None or mode not in ("nearest", "linear"):
            raise refuse(
                where, f"has the mode {mode}, or scales that are not constant", "constant scales"
            )
        found[node.output[0]] = node.name, mode, np.asarray(scales, np.float32)
        operand, output = node.input[0], node.output[0]
        node.Clear()
        node.op_type = "Identity"
        node.input.append(operand)
        node.output.append(output)
    return found


def give(model: onnx.ModelProto, olds: dict[str, tuple[str, str, np.ndarray]]) -> None:
    """Resizes of today in the place of these."""
    for index, node in reversed(list(enumerate(model.graph.node))):
        if node.op_type != "Identity" or node.output[0] not in olds:
            continue
        name, mode, scales = olds[node.output[0]]
        steps = _steps(name or node.output[0], node.input[0], node.output[0], mode, scales, model)
        model.graph.node.remove(node)
        for offset, step in enumerate(steps):
            model.graph.node.insert(index + offset, step)


def _steps(name: str, operand: str, output: str, mode: str, scales, model) -> list[onnx.NodeProto]:
    """Two, if some axes grow and others shrink: their nearest values are on different sides."""
    growing, shrinking = np.maximum(scales, 1), np.minimum(scales, 1)
    parts = [(scales, "floor")]
    if mode == "nearest" and (scales < 1).any():
        parts = [(growing, "floor"), (shrinking, "ceil")]
        parts = [part for part in parts if (part[0] != 1).any()]
    nodes = []
    for number, (part, rounding) in enumerate(parts):
        constant = f"{output}/scales{number}"
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(part), constant))
        target = output if number == len(parts) - 1 else f"{output}/grown"
        nodes.append(
            helper.make_node(
                "Resize",
                [operand, "", constant],
                [target],
                name if number == 0 else f"{name}/shrunk",
                mode=mode,
                coordinate_transformation_mode="asymmetric",
                nearest_mode=rounding,
            )
        )
        operand = target
    return nodes
