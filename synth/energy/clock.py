# SPDX-License-Identifier: Apache-2.0
"""An estimate of the clock tree: buffers that each drive FANOUT flip-flops or buffers, up to a single one. Its wires are
those of the wire-load model, and the clock's edges go through all of it twice a cycle. What is behind a clock gate has
a tree of its own, which moves in the cycles in which the gate is open. The gate is a sink of the tree before it, which moves
its clock pin in every cycle in which that tree moves. A library without a clock-gating cell has a latch there, which
takes as much as a flip-flop.

What the flip-flops' own clock pins take is not in it.
"""

from __future__ import annotations

import math
from collections import Counter

from ..flow import gates as clock_gates
from ..flow.errors import UsageError
from ..flow.liberty import Cell
from .circuit import Activity, Circuit
from .power_tables import EnergyTable, Tables

FANOUT = 16


def often(circuit: Circuit, activity: Activity, net: int | str) -> float:
    """The part of the cycles in which a clock has an edge"""
    enable = circuit.enables.get(net, "1")
    return 1.0 if enable == "1" else activity.ones[enable]


def trees(circuit: Circuit, activity: Activity, tables: Tables) -> float:
    """pJ a cycle, of all clocks"""
    pin = circuit.graph.register.clock
    counts = Counter(circuit.graph.pins[name][pin] for name in circuit.flops)
    if inserted(circuit):
        counts[circuit.clock] += len(inserted(circuit))
    return sum(
        often(circuit, activity, net) * tree(circuit, tables, flops)
        for net, flops in counts.items()
    )


def inserted(circuit: Circuit) -> list[int | str]:
    """The clocks behind the netlist's own gates"""
    return [clock for clock in circuit.enables if clock != circuit.clock]


def gates(circuit: Circuit, activity: Activity, tables: Tables) -> float:
    """pJ a cycle, of the netlist's own clock gates"""
    closed, opened = gate(circuit, tables)
    return sum(
        often(circuit, activity, circuit.clock) * closed + often(circuit, activity, clock) * opened
        for clock in inserted(circuit)
    )


def gate(circuit: Circuit, tables: Tables) -> tuple[float, float]:
    """pJ of a cycle in which a gate's clock has an edge: of its clock pin, and what it takes more if it is open. It drives the
    first buffer of its tree."""
    library, slew = circuit.library, circuit.graph.register.clock_slew
    cell = clock_gates.cell(library)
    if cell is None:
        return of_register(circuit, tables), 0.0
    first = buffer(circuit, 0.0)
    load = first.pins[first.inputs()[0]].largest_capacitance + circuit.graph.wire
    names = clock_gates.pins(cell)
    clock, out = cell.pins[names[0]], cell.pins[names[2]]
    inside = [
        [
            EnergyTable(edge, library)(load if pin is out else 0.0, slew)
            for group in tables.groups(cell, pin.name)
            for edge in group.groups
        ]
        for pin in (clock, out)
    ]
    closed, opened = (2 * sum(edges) / len(edges) if edges else 0.0 for edges in inside)
    return closed + clock.largest_capacitance * tables.volts**2, opened


def of_register(circuit: Circuit, tables: Tables) -> float:
    """pJ of a cycle in which the clock of a flip-flop has an edge: of its clock pin"""
    register = circuit.graph.register
    cell, slew = circuit.library.cells[register.cell], register.clock_slew
    inside = sum(one.energy(0.0, (slew, slew)) for one in tables.of_buffer(cell, register.clock))
    return 2 * inside + cell.pins[register.clock].largest_capacitance * tables.volts**2


def tree(circuit: Circuit, tables: Tables, flops: int) -> float:
    """pJ of a cycle in which the clock has an edge"""
    graph = circuit.graph
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


def idle(circuit: Circuit, tables: Tables) -> float:
    """pJ of a cycle in which nothing but the clock changes, and every clock gate is closed"""
    free = sum(circuit.enable(name) == "1" for name in circuit.flops)
    gated = len(inserted(circuit))
    pins = free * of_register(circuit, tables) + gated * gate(circuit, tables)[0]
    return pins + (tree(circuit, tables, free + gated) if free + gated else 0.0)
