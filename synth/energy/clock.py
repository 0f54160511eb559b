# SPDX-License-Identifier: Apache-2.0
"""An estimate of the clock tree: buffers that each drive FANOUT flip-flops or buffers, up to a single one. Its wires are
those of the wire-load model, and the clock's edges go through all of it twice a cycle. Nothing is gated.

What the flip-flops' own clock pins take is not in it.
"""

from __future__ import annotations

import math

from ..flow.errors import UsageError
from ..flow.liberty import Cell
from .circuit import Circuit
from .power_tables import Tables

FANOUT = 16


def tree(circuit: Circuit, tables: Tables) -> float:
    """pJ a cycle"""
    graph, flops = circuit.graph, len(circuit.flops)
    if not flops:
        return 0.0
    pin = circuit.library.cells[graph.register.cell].pins[graph.register.clock]
    driven, each, energy = flops, pin.largest_capacitance, graph.wire * flops * tables.volts**2
    while True:
        load = min(driven, FANOUT) * (each + graph.wire)
        cell, driven = buffer(circuit, load), math.ceil(driven / FANOUT)
        each = cell.pins[cell.inputs()[0]].largest_capacitance
        inside = 2 * _inside(circuit, tables, cell, load)
        energy += driven * (inside + (each + graph.wire) * tables.volts**2)
        if driven == 1:
            return energy


def buffer(circuit: Circuit, load: float) -> Cell:
    """The smallest that may drive so much"""
    for cell in circuit.library.usable():
        out = cell.pins[cell.outputs()[0]] if cell.is_buffer else None
        if out and load <= float(out.group.attributes.get("max_capacitance", math.inf)):
            return cell
    raise UsageError(f"{circuit.library.path} has no buffer that drives {load:g} pF")


def _inside(circuit: Circuit, tables: Tables, cell: Cell, load: float) -> float:
    """Internal energy of one transition: the mean of both edges, at the clock's slew"""
    slew = circuit.graph.register.clock_slew
    source, out = cell.inputs()[0], cell.outputs()[0]
    return sum(
        one.energy(load if pin == out else 0.0, (slew, slew))
        for pin in (source, out)
        for one in tables.of_buffer(cell, pin)
    )
