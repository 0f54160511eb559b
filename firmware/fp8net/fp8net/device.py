# SPDX-License-Identifier: Apache-2.0
"""The accelerator that a network is planned for. It describes itself to the layer library, and runs nothing."""

from __future__ import annotations

import functools

from fp8mac.layers import Device

from .ir import Graph

LANES = 16


@functools.cache
def _device(element: str, beat: int, columns: int, requantise: bool) -> Device:
    lanes = beat if columns else LANES
    return Device(
        *(element, 8 * beat, columns or 4),
        lanes=lanes,
        depthwise=columns != 0,
        requantise=requantise,
    )


def device_of(graph: Graph, beat: int = 16, element: str | None = None) -> Device:
    element = element or ("int8" if graph.is_int8 else "block")
    return _device(element, beat, graph.columns, graph.requantises)
