# SPDX-License-Identifier: Apache-2.0
"""internal_power of a library's cells, and how often each of its conditions holds.

An output has tables by the input that causes its transition. A cause counts as often as that input changes while the
output depends on it. An input has tables of its own. `when` says for which values of the pins a table holds; a table
without it holds where no other one does. The values of different pins are taken as independent, with the part of time for
which each is 1. Two pins of a flip-flop are not: data and state differ as often as the state changes.

Tables of the ground pin are left out where a cell has both: they are the same current, seen from the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from ..flow.errors import UsageError
from ..flow.functions import evaluator
from ..flow.liberty import Cell, Library
from ..flow.liberty_text import Group
from ..flow.timing import Table
from .circuit import Activity

Values = dict[str, bool]


class EnergyTable(Table):
    """A table of internal power: its slews have another name, and its values are energies (pJ)."""

    def __init__(self, group: Group, library: Library):
        self.loads = library.axis(group, "total_output_net_capacitance")
        self.slews = library.axis(group, "input_transition_time")
        rows = library.values(group)
        if library.variable(group, 1) == "input_transition_time" and len(self.loads) > 1:
            rows = [list(column) for column in zip(*rows)]
        self.rows = rows


@dataclass(frozen=True)
class Condition:
    """Tables of the two edges, and the values of the pins, as rows of the cell's, for which they hold."""

    related: str
    tables: tuple[Table, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Weighted:
    related: str
    tables: tuple[Table, ...]
    weight: float

    def energy(self, load: float, slews: tuple[float, float]) -> float:
        """The mean of both edges, as often as the condition holds"""
        values = [table(load, slew) for table in self.tables for slew in slews]
        return self.weight * sum(values) / len(values)


class Pins:
    """The values that a cell's pins can have together: a row for each of its inputs' and its state's."""

    def __init__(self, cell: Cell):
        ff = next(cell.group.all("ff"), None)
        self.state = ff.arguments[0] if ff else ""
        self.names = [*cell.inputs(), *([self.state] if ff else [])]
        functions = {
            name: evaluator(cell.pins[name].function)
            for name in cell.outputs()
            if cell.pins[name].function
        }
        self.rows: list[Values] = []
        for bits in product((False, True), repeat=len(self.names)):
            row = dict(zip(self.names, bits))
            if ff and len(ff.arguments) > 1:
                row[ff.arguments[1]] = not row[self.state]
            row |= {name: bool(function(row)) for name, function in functions.items()}
            self.rows.append(row)

    def depends(self, output: str, on: str) -> list[bool]:
        """For each row, whether the output changes with an input."""
        step = 1 << (len(self.names) - 1 - self.names.index(on))
        value = [row.get(output) for row in self.rows]
        return [value[i] != value[i ^ step] for i in range(len(value))]


class Tables:
    def __init__(self, library: Library):
        self.library = library
        attributes = library.head.attributes
        self.volts = float(attributes.get("nom_voltage", 0))
        if not self.volts or attributes.get("voltage_unit", "1V") != "1V":
            raise UsageError(
                f"LIB={library.path} does not say nom_voltage in V, which energy needs"
            )
        self.pins: dict[str, Pins] = {}
        self.found: dict[tuple[str, str], list[Condition]] = {}

    def weights(self, cell: Cell, pin: str, nets: dict, activity: Activity) -> list[Weighted]:
        """`nets`: the net of each pin of an instance."""
        found = self._conditions(cell, pin)
        if not found:
            return []
        likely = self._likely(cell, nets, activity)
        of_output = pin in cell.outputs()
        result = []
        for one in found:
            weight = sum(likely[i] for i in one.rows)
            if of_output and not (cell.is_flip_flop and one.related == cell.clock):
                weight *= activity.per_cycle[nets[one.related]]
            if weight:
                result.append(Weighted(one.related, one.tables, weight))
        return result

    def of_buffer(self, cell: Cell, pin: str) -> list[Weighted]:
        """A cell with one input"""
        rows = len(Pins(cell).rows)
        return [
            Weighted(one.related, one.tables, len(one.rows) / rows)
            for one in self._conditions(cell, pin)
        ]

    def _likely(self, cell: Cell, nets: dict, activity: Activity) -> list[float]:
        """Of each row"""
        its = self.pins[cell.name]
        if its.state:
            return _register_likely(cell, its, nets, activity)
        ones = [activity.ones[nets[name]] for name in its.names]
        likely = [1.0]
        for one in ones:
            likely = [part * side for part in likely for side in (1 - one, one)]
        return likely

    def _conditions(self, cell: Cell, pin: str) -> list[Condition]:
        key = cell.name, pin
        if key not in self.found:
            its = self.pins.setdefault(cell.name, Pins(cell))
            self.found[key] = self._of_groups(cell, pin, its, self.groups(cell, pin))
        return self.found[key]

    @staticmethod
    def groups(cell: Cell, pin: str) -> list[Group]:
        """A pin's groups of tables, without those of the ground pin"""
        grounds = {
            group.arguments[0]
            for group in cell.group.all("pg_pin")
            if group.attributes.get("pg_type") == "primary_ground"
        }
        return [
            group
            for group in cell.pins[pin].group.all("internal_power")
            if group.attributes.get("related_pg_pin") not in grounds
        ]

    def _of_groups(self, cell: Cell, pin: str, its: Pins, groups: list[Group]) -> list[Condition]:
        found = []
        for related in {
            name: None for group in groups for name in _related(group, pin)
        }:  # in their order
            free = [True] * len(its.rows)
            if related != pin and not cell.is_flip_flop:
                free = its.depends(pin, related)
            mine = [group for group in groups if related in _related(group, pin)]
            for group in sorted(mine, key=lambda group: "when" not in group.attributes):
                holds = _when(group)
                rows = [i for i, row in enumerate(its.rows) if free[i] and holds(row)]
                for i in rows:
                    free[i] = False
                tables = tuple(
                    EnergyTable(edge, self.library)
                    for edge in group.groups
                    if edge.kind in ("rise_power", "fall_power")
                )
                if rows and tables:
                    found.append(Condition(related, tables, tuple(rows)))
        return found


def _related(group: Group, pin: str) -> list[str]:
    """Of a pin's own tables the pin itself"""
    return group.attributes.get("related_pin", pin).split()


def _when(group: Group) -> Callable[[Values], bool]:
    text = group.attributes.get("when")
    return evaluator(text) if text else lambda row: True


def _register_likely(cell: Cell, its: Pins, nets: dict, activity: Activity) -> list[float]:
    """The clock is 1 for half of the time; other inputs than data are constant."""
    output = next(name for name in cell.outputs() if name in nets)
    shows = [row for row in its.rows if row[its.state] and row[output]]
    one = activity.ones[nets[output]] if shows else 1 - activity.ones[nets[output]]
    differ = min(activity.per_cycle[nets[output]], 2 * one, 2 * (1 - one))
    ff = next(cell.group.all("ff"))
    takes = evaluator(ff.attributes["next_state"])
    data = [name for name in its.names if name in ff.attributes["next_state"]]
    likely = []
    for row in its.rows:
        part = 0.5  # of the clock
        for name in its.names:
            if name not in (*data, cell.clock, its.state):
                part *= activity.ones[nets[name]] if row[name] else 1 - activity.ones[nets[name]]
        if bool(takes(row)) != row[its.state]:
            part *= differ / 2
        else:
            part *= (one if row[its.state] else 1 - one) - differ / 2
        likely.append(part)
    return likely
