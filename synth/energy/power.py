# SPDX-License-Identifier: Apache-2.0
"""Energy of a cycle from transitions: nets' capacitances, and the Liberty file's internal power.

    switching   0.5 * C * V^2 a transition, C = the pins that a net drives (an output of the element drives a flip-flop)
    inputs      the same of the nets that come from outside: the element's own input pins
    internal    internal_power of logic cells' outputs, and of input pins that have it
    registers   the same of flip-flops: their outputs, and their data pins
    clock       flip-flops' clock pins: two transitions a cycle of the pin's capacitance and of its internal_power

Internal power is the mean of rise and fall, which are equally frequent. It is looked up at the net's load and the input's
slew, and averaged over the related pins with these pins' transitions as weights.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..flow.errors import UsageError
from ..flow.liberty import Cell, Library
from ..flow.liberty_text import Group
from ..flow.timing import Table
from .circuit import Activity, Circuit

PARTS = ("switching", "inputs", "internal", "registers", "clock")


@dataclass
class Energy:
    """pJ a cycle."""

    switching: float = 0.0
    inputs: float = 0.0
    internal: float = 0.0
    registers: float = 0.0
    clock: float = 0.0

    @property
    def total(self) -> float:
        return sum(asdict(self).values())


class Tables:
    """internal_power of a library's cells, in pJ."""

    def __init__(self, library: Library):
        self.library = library
        attributes = library.head.attributes
        self.volts = float(attributes.get("nom_voltage", 0))
        if not self.volts or attributes.get("voltage_unit", "1V") != "1V":
            raise UsageError(
                f"LIB={library.path} does not say nom_voltage in V, which energy needs"
            )
        self.found: dict[tuple[str, str], list[tuple[str, Table]]] = {}

    def of(self, cell: Cell, pin: str) -> list[tuple[str, Table]]:
        """(related pin, table of one edge); the table's unit is that of capacitance times V^2. An input's related pin
        is itself."""
        key = cell.name, pin
        if key not in self.found:
            self.found[key] = [
                (related, EnergyTable(edge, self.library))
                for power in cell.pins[pin].group.all("internal_power")
                for related in power.attributes.get("related_pin", pin).split()
                for edge in power.groups
                if edge.kind in ("rise_power", "fall_power")
            ]
        return self.found[key]


class EnergyTable(Table):
    """A table of internal power: its slews have another name, and its values are energies."""

    def __init__(self, group: Group, library: Library):
        self.loads = library.axis(group, "total_output_net_capacitance")
        self.slews = library.axis(group, "input_transition_time")
        rows = library.values(group)
        if library.variable(group, 1) == "input_transition_time" and len(self.loads) > 1:
            rows = [list(column) for column in zip(*rows)]
        self.rows = rows


def of_cycle(circuit: Circuit, activity: Activity, tables: Tables) -> Energy:
    energy, per_cycle = Energy(), activity.per_cycle
    half_cv2 = 0.5 * tables.volts**2
    outside = set(circuit.graph.inputs)
    for bit in circuit.number:
        if bit in ("0", "1") or bit == circuit.clock:
            continue
        joules = half_cv2 * circuit.load(bit) * per_cycle[bit]
        if bit in outside:
            energy.inputs += joules
        else:
            energy.switching += joules
    for name, kind in circuit.graph.kind.items():
        cell, pins = circuit.library.cells[kind], circuit.graph.pins[name]
        inside = sum(
            _pin(circuit, activity, tables, cell, pins, pin)
            for pin in pins
            if not (cell.is_flip_flop and pin == cell.clock)
        )
        if cell.is_flip_flop:
            energy.registers += inside
            energy.clock += _clock(circuit, tables, cell)
        else:
            energy.internal += inside
    return energy


def _mean(table: Table, load: float, slews: tuple[float, float]) -> float:
    return sum(table(load, slew) for slew in slews) / 2


def _pin(
    circuit: Circuit, activity: Activity, tables: Tables, cell: Cell, pins: dict, pin: str
) -> float:
    """Internal energy of a pin's transitions in a cycle."""
    rows = tables.of(cell, pin)
    toggles = activity.per_cycle[pins[pin]]
    if not rows or not toggles:
        return 0.0
    load = circuit.load(pins[pin])
    clock = circuit.graph.register.clock_slew
    values, weights = [], []
    for related, table in rows:
        is_clock = cell.is_flip_flop and related == cell.clock
        slews = (clock, clock) if is_clock else circuit.slew(pins[related])
        values.append(_mean(table, load, slews))
        weights.append(1.0 if is_clock else activity.per_cycle[pins[related]])
    whole = sum(weights)
    return toggles * (
        sum(v * w for v, w in zip(values, weights)) / whole if whole else sum(values) / len(values)
    )


def _clock(circuit: Circuit, tables: Tables, cell: Cell) -> float:
    rows = tables.of(cell, cell.clock)
    slew = circuit.graph.register.clock_slew
    inside = 2 * sum(table(0.0, slew) for _, table in rows) / len(rows) if rows else 0.0
    return inside + cell.pins[cell.clock].capacitance * tables.volts**2
