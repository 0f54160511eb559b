# SPDX-License-Identifier: Apache-2.0
"""Trees of buffers for nets with hundreds of sinks, such as an array's addresses and enables. The repairs of fit.py
move sinks behind a buffer one net at a time. That suits the nets of an element and takes too long for these.
"""

from __future__ import annotations

from .sta import is_clock
from .timing import Bit, Graph, Model

MANY = 200  # sinks: no element's net has as many
BRANCH = 12  # sinks of each buffer


def spread(graph: Graph, buffer: Model, clocks: set[Bit], many: int = MANY) -> int:
    """Puts buffers between the drivers and the sinks of nets with more than `many` sinks, in place. Returns the number of
    buffers."""
    large = [
        bit
        for bit, sinks in graph.sinks.items()
        if len(sinks) > many and bit not in clocks and (bit in graph.driver or bit in graph.inputs)
    ]
    return sum(_tree(graph, buffer, bit, f"spread_{number}") for number, bit in enumerate(large))


def _tree(graph: Graph, buffer: Model, bit: Bit, name: str) -> int:
    """Level by level from the sinks, which stay in the order of their names: neighbours share a buffer."""
    (inside,), (outside,) = buffer.inputs, buffer.outputs
    sinks = sorted(graph.sinks[bit])
    made = 0
    while len(sinks) > BRANCH:
        level = []
        for first in range(0, len(sinks), BRANCH):
            cell, net = f"{name}_{made}", f"fit {name} {made}"
            for user, pin in sinks[first : first + BRANCH]:
                graph.rewire(user, pin, net)
            graph.add(cell, buffer.cell.name, {inside: bit, outside: net})
            level.append((cell, inside))
            made += 1
        sinks = level
    return made


def clocks_of(module: dict) -> set[Bit]:
    return {port["bits"][0] for name, port in module["ports"].items() if is_clock(name)}


def stronger(buffers: list[Model]) -> Model:
    """The second smallest: the smallest one drives a branch at half the speed."""
    return sorted(buffers, key=lambda its: its.cell.area)[:2][-1]
