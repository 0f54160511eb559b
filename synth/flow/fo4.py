# SPDX-License-Identifier: Apache-2.0
"""The FO4 delay of a library: the delay of an inverter that drives four copies of itself, in a long chain of such
inverters. It is the mean of the rising and the falling edge, without wires. A clock period in FO4 delays says how fast
a design is, whatever the library."""

from __future__ import annotations

from dataclasses import dataclass

from .liberty import Cell, Library
from .timing import model

FAN_OUT = 4
STAGES = 100  # of the chain: the slew has long settled


@dataclass(frozen=True)
class Fo4:
    cell: str
    delay_ns: float
    slew_ns: float


def of_inverter(library: Library, cell: Cell) -> Fo4:
    its = model(cell, library)
    (pin,), (out,) = its.inputs, its.outputs
    load = FAN_OUT * cell.pins[pin].capacitance
    slews, delays = [0.0, 0.0], [0.0, 0.0]
    for _ in range(STAGES):
        after, delays = [0.0, 0.0], [0.0, 0.0]
        for _, edge, froms, delay, slew in its.arcs[out]:
            for source in froms:
                delays[edge] = max(delays[edge], delay(load, slews[source]))
                after[edge] = max(after[edge], slew(load, slews[source]))
        slews = after
    return Fo4(cell.name, sum(delays) / 2, sum(slews) / 2)


def all_inverters(library: Library) -> list[Fo4]:
    """Of every inverter, from the smallest one."""
    return [of_inverter(library, cell) for cell in library.inverters()]


def of(library: Library) -> Fo4:
    """The library's: that of its fastest inverter in this circuit."""
    return min(all_inverters(library), key=lambda one: one.delay_ns)
