# SPDX-License-Identifier: Apache-2.0
"""Constants of integer layers in C."""

from __future__ import annotations

import numpy as np

from .c_text import array, plain
from .calls import up
from .integer_calls import biases_of, codes_of
from .ir import Layer


def declarations(s, index: int, layer: Layer) -> list[str]:
    if layer.weights is None:
        return []
    return [
        f"extern const uint8_t {s.name}_codes{index}[];",
        f"extern const fp8mac_int_scale {s.name}_scales{index}[];",
        f"extern const int32_t {s.name}_bias{index}[];",
    ]


def _int32(values: np.ndarray) -> list[str]:
    """-2^31 has no literal."""
    return [f"(-{2**31 - 1} - 1)" if x == -(2**31) else str(int(x)) for x in values.reshape(-1)]


def arrays(s, index: int, layer: Layer) -> list[str]:
    """Codes with rows at beats, factors, and a bias for each band"""
    if layer.weights is None:
        return []
    codes = codes_of(s.graph, s.plan.beat, layer)
    wide = np.zeros((len(codes), up(codes.shape[1], s.plan.beat)), np.uint8)
    wide[:, : codes.shape[1]] = codes
    pairs = zip(layer.integer.multipliers, layer.integer.shifts)
    scales = np.array([f"{{{m}, {e}}}" for m, e in pairs])
    return [
        f"// {plain(layer.name)}: {codes.shape[0]} x {codes.shape[1]}",
        array("uint8_t", f"{s.name}_codes{index}", wide),
        array("fp8mac_int_scale", f"{s.name}_scales{index}", scales, list),
        array("int32_t", f"{s.name}_bias{index}", biases_of(s.graph, layer), _int32),
    ]
