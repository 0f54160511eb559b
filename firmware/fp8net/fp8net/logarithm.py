# SPDX-License-Identifier: Apache-2.0
"""factor * log2(x + offset) in float32, as fp8rt/logarithm.h defines it; and the functions of a file that are of this form."""

from __future__ import annotations

import math

import numpy as np

from . import formats
from .ir import Graph, Layer

F32 = np.float32
STEPS, UNIT_BITS, STEP_BITS, FRACTION = 256, 22, 15, 23
TABLE = np.array(
    [round(math.log2(1 + i / STEPS) * 2**UNIT_BITS) for i in range(STEPS + 1)], np.int64
)


def run(x: np.ndarray, offset: np.float32, factor: np.float32) -> np.ndarray:
    total = np.ascontiguousarray(x + offset)
    bits = total.view(np.uint32).astype(np.int64)
    fraction, exponent = bits & ((1 << FRACTION) - 1), (bits >> FRACTION & 0xFF) - 127
    place, part = fraction >> STEP_BITS, fraction & ((1 << STEP_BITS) - 1)
    more = ((TABLE[place + 1] - TABLE[place]) * part + (1 << (STEP_BITS - 1))) >> STEP_BITS
    fixed = (exponent << UNIT_BITS) + TABLE[place] + more
    result = fixed.astype(F32) * (factor * F32(2.0**-UNIT_BITS))
    infinite = F32(np.inf) * np.sign(factor)
    result = np.where(np.abs(total) < F32(2.0**-126), -infinite, result)
    result = np.where(np.isposinf(total), infinite, result)
    wrong = np.isnan(total) | (total <= -F32(2.0**-126))
    return np.where(wrong, F32(np.nan), result).astype(F32)


def of(layer: Layer) -> tuple[float, float] | None:
    """Offset and factor of a conversion whose function is ln(x + offset) times numbers."""
    if layer.op != "convert" or layer.fused.activation != "none":
        return None
    if layer.fused.function == "Log":
        return 0.0, math.log(2.0)
    if layer.fused.function != "Expression":
        return None
    offset, factor, seen = 0.0, math.log(2.0), False
    before: object = ("x",)
    for index, (op, operands, _) in enumerate(layer.fused.arguments):
        numbers = [o for o in operands if not isinstance(o, tuple)]
        if before not in operands or len(numbers) != (0 if op == "Log" else 1):
            return None
        if op == "Add" and not seen:
            offset += numbers[0]
        elif op == "Log" and not seen:
            seen = True
        elif op == "Mul" and seen:
            factor *= numbers[0]
        else:
            return None
        before = ("step", index)
    return (offset, factor) if seen and factor else None


def use(graph: Graph) -> None:
    """Logarithms of float32 become layers of their own; those of codes stay tables."""
    for layer in list(graph.layers):
        found = of(layer)
        if found is None or graph.tensors[layer.inputs[0]].has_codes:
            continue
        layer.op, layer.fused = "logarithm", type(layer.fused)()
        layer.offset, layer.factor = found
        if graph.tensors[layer.output].has_codes:
            formats.convert_behind(graph, layer)
