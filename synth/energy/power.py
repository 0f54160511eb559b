# SPDX-License-Identifier: Apache-2.0
"""Energy of a cycle from transitions: nets' capacitances, and the Liberty file's internal power.

    pins        0.5 * C * V^2 a transition, C = the pins that a net drives (an output of the element drives a flip-flop)
    wires       the same of the nets' wires
    inputs      both of the nets that come from outside
    internal    internal_power of logic cells
    registers   the same of flip-flops: their outputs, and their data pins
    clock       flip-flops' clock pins: two transitions a cycle of the pin's capacitance and of its internal_power; behind
                a clock gate in the cycles in which it is open. Clock gates themselves (clock.py)
    tree        the clock tree, estimated (clock.py)

Internal power is the mean of rise and fall, which are equally frequent. It is looked up at the net's load and the input's
slew (power_tables.py says how its conditions count).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from ..flow.liberty import Cell
from . import clock
from .circuit import ENABLE, Activity, Circuit
from .power_tables import Tables


@dataclass
class Energy:
    """pJ a cycle."""

    pins: float = 0.0
    wires: float = 0.0
    inputs: float = 0.0
    internal: float = 0.0
    registers: float = 0.0
    clock: float = 0.0
    tree: float = 0.0

    @property
    def total(self) -> float:
        return sum(asdict(self).values())

    def plus(self, other: Energy) -> Energy:
        return Energy(
            **{part: value + getattr(other, part) for part, value in asdict(self).items()}
        )

    def scaled(self, factor: float) -> Energy:
        return Energy(**{part: factor * value for part, value in asdict(self).items()})


PARTS = tuple(field.name for field in fields(Energy))


def of_cycle(circuit: Circuit, activity: Activity, tables: Tables) -> Energy:
    energy = Energy()
    _nets(energy, circuit, activity, tables.volts)
    for name, kind in circuit.graph.kind.items():
        cell, pins = circuit.library.cells[kind], circuit.graph.pins[name]
        inside = {pin: pin_energy(circuit, activity, tables, cell, pins, pin) for pin in pins}
        if cell.is_flip_flop:
            its = cell.pins[cell.clock].largest_capacitance
            once = inside.pop(cell.clock) + its * tables.volts**2
            energy.clock += clock.often(circuit, activity, pins[cell.clock]) * once
            energy.registers += sum(inside.values())
        else:
            energy.internal += sum(inside.values())
    energy.clock += clock.gates(circuit, activity, tables)
    energy.tree = clock.trees(circuit, activity, tables)
    return energy


def _nets(energy: Energy, circuit: Circuit, activity: Activity, volts: float) -> None:
    half_v2, outside, graph = 0.5 * volts**2, set(circuit.graph.inputs), circuit.graph
    made = {circuit.net_of_both(clock) for clock in circuit.both}
    for bit in circuit.number:
        if bit in ("0", "1", ENABLE) or bit in circuit.enables or bit in made:
            continue
        often = half_v2 * activity.per_cycle[bit]
        wires = graph.wire * (len(graph.sinks.get(bit, ())) + graph.port_loads.get(bit, 0))
        if bit in outside:
            energy.inputs += often * circuit.load(bit)
        else:
            energy.pins += often * (circuit.load(bit) - wires)
            energy.wires += often * wires


def pin_energy(
    circuit: Circuit, activity: Activity, tables: Tables, cell: Cell, pins: dict, pin: str
) -> float:
    """Internal energy of a pin's transitions in a cycle. The clock has two."""
    clock_slew = circuit.graph.register.clock_slew
    is_clock = cell.is_flip_flop and pin == cell.clock
    toggles = 2.0 if is_clock else activity.per_cycle[pins[pin]]
    found = tables.weights(cell, pin, pins, activity) if toggles else []
    whole = sum(one.weight for one in found)
    if not whole:
        return 0.0
    load, energy = circuit.load(pins[pin]) if pin in cell.outputs() else 0.0, 0.0
    for one in found:
        of_clock = cell.is_flip_flop and one.related == cell.clock
        slews = (clock_slew, clock_slew) if of_clock else circuit.slew(pins[one.related])
        energy += one.energy(load, slews)
    # An output's transition has one cause; an input's has what its conditions say.
    return toggles * (energy / whole if pin in cell.outputs() else energy)
