# SPDX-License-Identifier: Apache-2.0
"""A cell library as the flow uses it: areas, pins, tables, and the cells that serve as adders, flip-flop and buffer.

Cells are found by their function, never by their name. Times are in ns and capacitances in pF, whatever the units of the
Liberty files: the numbers are scaled when they are read.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import permutations
from pathlib import Path

from . import functions, liberty_text
from .errors import UsageError
from .liberty_text import Group

# Groups that nothing here reads. They are most of a file. `internal_power` is read where energy is wanted.
SKIPPED = frozenset(
    [
        "leakage_power",
        "leakage_current",
        "intrinsic_parasitic",
        "pg_pin",
        "receiver_capacitance",
        "input_voltage",
        "output_voltage",
        "output_current_rise",
        "output_current_fall",
        "ccsn_first_stage",
        "ccsn_last_stage",
        "input_ccb",
        "output_ccb",
        "normalized_driver_waveform",
        "dc_current",
        "minimum_period",
        "min_pulse_width",
        "wire_load",
        "wire_load_selection",
        "wire_load_table",
    ]
)
POWER = "internal_power"
SUPPLY = "pg_pin"  # of which internal power is told apart
DELAYS = frozenset(["cell_rise", "cell_fall", "rise_transition", "fall_transition"])
CONSTRAINTS = frozenset(["rise_constraint", "fall_constraint"])
POWERS = frozenset(["rise_power", "fall_power"])
# Arcs that a setup check needs
ARCS = frozenset(
    ["", "combinational", "combinational_rise", "combinational_fall", "rising_edge", "setup_rising"]
)

TIMES = frozenset(
    [
        "input_net_transition",
        "related_pin_transition",
        "constrained_pin_transition",
        "input_transition_time",
    ]
)
LOADS = frozenset(["total_output_net_capacitance"])
PIN_LOADS = frozenset(
    ["capacitance", "rise_capacitance", "fall_capacitance", "max_capacitance", "min_capacitance"]
)
PIN_TIMES = frozenset(["max_transition", "min_transition"])

# What of the library's own attributes the timing depends on
KEPT = ("delay_model", "slew_derate_from_library", "default_operating_conditions")
KEPT_PARTS = (
    "_threshold_pct_",
    "nom_",
    "k_",
    "voltage_unit",
    "current_unit",
    "resistance_unit",
    "power_unit",
)
DEFAULT_LOADS = frozenset(["default_max_capacitance"])
DEFAULT_TIMES = frozenset(["default_max_transition"])
PIN_KEPT = ("direction", "function", "clock", *sorted(PIN_LOADS), "max_transition")
# An arc without its condition counts as another description of the arc before it, and OpenSTA keeps one of them.
ARC_KEPT = ("related_pin", "timing_sense", "timing_type", "when", "sdf_cond")


@dataclass(frozen=True)
class Pin:
    name: str
    direction: str
    function: str
    capacitance: float
    group: Group = field(repr=False, compare=False)

    @property
    def largest_capacitance(self) -> float:
        """Of both edges."""
        its = self.group.attributes
        edges = (its.get(f"{edge}_capacitance", 0) for edge in ("rise", "fall"))
        return max(self.capacitance, *map(float, edges))


@dataclass(frozen=True)
class Cell:
    name: str
    area: float
    pins: dict[str, Pin]
    group: Group = field(repr=False, compare=False)
    excluded: bool = False  # by the user

    def inputs(self) -> list[str]:
        return [name for name, pin in self.pins.items() if pin.direction == "input"]

    def outputs(self) -> list[str]:
        return [name for name, pin in self.pins.items() if pin.direction == "output"]

    @property
    def is_latch(self) -> bool:
        return any(self.group.all("latch"))

    @property
    def is_flip_flop(self) -> bool:
        return any(self.group.all("ff"))

    @property
    def is_buffer(self) -> bool:
        return self._is_single((False, True))

    @property
    def is_inverter(self) -> bool:
        return self._is_single((True, False))

    def _is_single(self, values: tuple[bool, ...]) -> bool:
        ends = self.outputs()
        one = len(self.inputs()) == 1 and len(ends) == 1 and not self.is_flip_flop
        return one and self.truth(ends[0]) == values

    @property
    def clock(self) -> str:
        """The clock pin of a flip-flop."""
        return next(self.group.all("ff")).attributes["clocked_on"].strip(" ()!'")

    @cached_property
    def unusable(self) -> str:
        """Why the flow does not use this cell; empty if it does."""
        marks = [self.group] + [pin.group for pin in self.pins.values()]
        its = self.group.attributes
        reasons = (
            (self.excluded, "DONT_USE"),
            (its.get("dont_use") == "true" or its.get("dont_touch") == "true", "marked dont_use"),
            (self.is_latch, "latch"),
            ("clock_gating_integrated_cell" in its, "clock gate"),
            (any(self.group.all("test_cell")), "scan"),
            (
                any(n in mark.attributes for mark in marks for n in ("three_state", "is_pad")),
                "tri-state or pad",
            ),
            (not self.outputs() or self.area <= 0, "no output or no area"),
            (
                not all(self.pins[out].function for out in self.outputs()),
                "output without a function",
            ),
            (self._is_strange(), "function of other things than its inputs"),
        )
        return next((reason for holds, reason in reasons if holds), "")

    def _is_strange(self) -> bool:
        known = {*self.inputs()} | {name for ff in self.group.all("ff") for name in ff.arguments}
        return any(functions.names(self.pins[out].function) - known for out in self.outputs())

    @property
    def is_usable(self) -> bool:
        return not self.unusable

    def truth(self, output: str) -> tuple[bool, ...]:
        """The output's values. Inputs count up, and the first one changes slowest."""
        return functions.truth(self.pins[output].function, tuple(self.inputs()))


def _cell(group: Group, dont_use: Sequence[str]) -> Cell:
    pins = {}
    for pin in group.all("pin"):
        for name in pin.arguments:
            pins[name] = Pin(
                name,
                pin.attributes.get("direction", ""),
                pin.attributes.get("function", ""),
                float(pin.attributes.get("capacitance", 0)),
                pin,
            )
    name = group.arguments[0]
    excluded = any(fnmatchcase(name, pattern) for pattern in dont_use)
    return Cell(name, float(group.attributes.get("area", 0)), pins, group, excluded)


@dataclass(frozen=True)
class Adder:
    """A cell that adds its inputs: its pins, its sum output and its carry output, and which of them are inverted."""

    cell: str
    inputs: tuple[str, ...]
    sum: str
    carry: str
    inverted: tuple[str, ...] = ()  # output pins


@dataclass(frozen=True)
class Gate:
    """A cell with one output, and the pin for each of the inputs that were asked for."""

    cell: str
    pins: tuple[tuple[str, str], ...]
    output: str


@dataclass(frozen=True)
class FlipFlop:
    """The plain rising-edge flip-flop, and the delays and loads of a path that starts or ends in it (ns, pF)."""

    cell: str
    data: str
    clock: str
    output: str
    inverted: bool  # the output is the data's complement: the library has no other
    clock_to_output: float
    setup: float
    clock_slew: float
    data_capacitance: float


class Library:
    """One or several Liberty files, compressed or not. `dont_use` has patterns of cell names, as in a shell. `power`
    says that the tables of internal power are wanted too."""

    def __init__(
        self, paths: Path | Sequence[Path], dont_use: Iterable[str] = (), power: bool = False
    ):
        self.paths = [paths] if isinstance(paths, Path) else list(paths)
        self.path = self.paths[0]
        skipped = SKIPPED - {SUPPLY} if power else SKIPPED | {POWER}
        files = [liberty_text.parse(liberty_text.read(path), skipped) for path in self.paths]
        self.templates: dict[str, Group] = {}
        for group in files:
            _Units(group).scale(group, self.templates)
        self.head = files[0]
        self.name = self.head.arguments[0] if self.head.arguments else self.path.stem
        patterns = tuple(dont_use)
        self.cells = {
            cell.name: cell
            for group in files
            for cell in (_cell(one, patterns) for one in group.all("cell"))
        }
        where = " ".join(map(str, self.paths))
        if not self.cells:
            raise UsageError(
                f"LIB={where} has no cells: give the path of a Liberty file, LIB=path.lib"
            )
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.cells):
                raise UsageError(f"DONT_USE: no cell of LIB={where} matches {pattern}")

    def usable(self) -> list[Cell]:
        return sorted(
            (c for c in self.cells.values() if c.is_usable), key=lambda c: (c.area, c.name)
        )

    def unusable(self) -> list[str]:
        return sorted(c.name for c in self.cells.values() if not c.is_usable)

    def note(self) -> str:
        """How many cells are used, and why the others are not."""
        why = Counter(cell.unusable for cell in self.cells.values() if cell.unusable)
        used = len(self.cells) - why.total()
        rest = ", ".join(f"{count} {reason}" for reason, count in sorted(why.items()))
        return f"{self.name}: {used} of {len(self.cells)} cells are used" + (
            f"; left out: {rest}" if rest else ""
        )

    # ---- cells by function -------------------------------------------------------------------------------------------

    def adder(self, inputs: int) -> Adder | None:
        """The smallest full (3) or half (2) adder cell. One with an inverted output is taken only if there is no other."""
        return min(self.adders(inputs), key=lambda adder: len(adder.inverted), default=None)

    def adders(self, inputs: int) -> list[Adder]:
        """All full (3) or half (2) adder cells, the smallest first."""
        ones = [bin(row).count("1") for row in range(1 << inputs)]
        wanted = {tuple(n % 2 == 1 for n in ones): "sum", tuple(n >= 2 for n in ones): "carry"}
        inverse = {tuple(not value for value in values): role for values, role in wanted.items()}
        found = []
        for cell in self.usable():
            if cell.is_flip_flop or len(cell.inputs()) != inputs or len(cell.outputs()) != 2:
                continue
            roles, inverted = {}, []
            for out in cell.outputs():
                values = cell.truth(out)
                roles[wanted.get(values) or inverse.get(values)] = out
                inverted += [out] if values in inverse else []
            if roles.keys() == {"sum", "carry"}:
                found.append(
                    Adder(
                        cell.name,
                        tuple(cell.inputs()),
                        roles["sum"],
                        roles["carry"],
                        tuple(inverted),
                    )
                )
        return found

    def gate(self, inputs: tuple[str, ...], function: str) -> Gate | None:
        """The smallest cell that computes a function of `inputs`, written as in a Liberty file."""
        orders = {functions.truth(function, order): order for order in permutations(inputs)}
        for cell in self.usable():
            pins, outputs = cell.inputs(), cell.outputs()
            if cell.is_flip_flop or len(pins) != len(inputs) or len(outputs) != 1:
                continue
            order = orders.get(cell.truth(outputs[0]))
            if order:
                return Gate(cell.name, tuple(zip(pins, order)), outputs[0])
        return None

    def buffer(self) -> Cell:
        """The smallest buffer."""
        for cell in self.usable():
            if cell.is_buffer:
                return cell
        raise UsageError(
            f"LIB={self.path} has no buffer, which the flow needs: choose another library, or exclude fewer cells with DONT_USE="
        )

    def inverters(self) -> list[Cell]:
        found = [cell for cell in self.usable() if cell.is_inverter]
        if not found:
            raise UsageError(f"LIB={self.path} has no inverter, which the flow needs")
        return found

    @cached_property
    def _flip_flop(self) -> FlipFlop:
        inverter = next((cell.area for cell in self.usable() if cell.is_inverter), 0.0)
        found = []
        for cell in self.usable():
            ff = next(cell.group.all("ff"), None)
            if ff is None:
                continue
            data, clock, tied = (
                _plain(ff.attributes.get("next_state", "")),
                _plain(ff.attributes.get("clocked_on", "")),
                [
                    _plain(ff.attributes[name])
                    for name in ("clear", "preset")
                    if name in ff.attributes
                ],
            )
            for output in cell.outputs():
                end = _plain(cell.pins[output].function)
                if data and clock and end and all(tied) and data[0] in cell.pins and not clock[1]:
                    inverted = data[1] ^ end[1] ^ (end[0] != ff.arguments[0])
                    cost = cell.area + inverted * inverter
                    found.append(
                        (
                            bool(tied),
                            cost,
                            len(cell.pins),
                            cell,
                            data[0],
                            clock[0],
                            output,
                            inverted,
                        )
                    )
        if not found:
            raise UsageError(
                f"LIB={self.path} has no plain rising-edge flip-flop, which the flow needs"
            )
        return self._timed(*min(found, key=lambda one: one[:3])[3:])

    def flip_flop(self) -> FlipFlop:
        """The smallest flip-flop with a rising clock. One whose only output is inverted counts with an inverter. One with a
        set or a reset is taken only if there is no other; these inputs are then tied to constants."""
        return self._flip_flop

    def other_flip_flops(self) -> list[str]:
        return [c.name for c in self.usable() if c.is_flip_flop and c.name != self._flip_flop.cell]

    def _timed(self, cell: Cell, data: str, clock: str, output: str, inverted: bool) -> FlipFlop:
        delays, setups, slews = [], [], []
        for timing in cell.pins[output].group.all("timing"):
            for table in timing.groups:
                if table.kind in ("cell_rise", "cell_fall"):
                    rows = self.values(table)
                    delays.append(rows[0][0])
                    slews.append(min(self.axis(table, "input_net_transition")))
        for timing in cell.pins[data].group.all("timing"):
            if timing.attributes.get("timing_type") == "setup_rising":
                setups += [value for table in timing.groups for value in self.values(table)[0][:2]]
        if not delays or not setups:
            raise UsageError(
                f"LIB={self.path} says no clock-to-output delay or setup time of {cell.name}"
            )
        return FlipFlop(
            cell.name,
            data,
            clock,
            output,
            inverted,
            max(delays),
            max(setups),
            min(slews),
            cell.pins[data].capacitance,
        )

    # ---- tables ------------------------------------------------------------------------------------------------------

    def variable(self, table: Group, number: int) -> str:
        """The variable of a table's first or second axis."""
        template = self.templates.get(table.arguments[0] if table.arguments else "")
        return template.attributes.get(f"variable_{number}", "") if template else ""

    def axis(self, table: Group, variable: str) -> list[float]:
        """A table's marks along a variable; one mark if it does not depend on that."""
        for number in (1, 2):
            if self.variable(table, number) == variable:
                return _numbers(table.lists.get(f"index_{number}", []))
        return [0.0]

    @staticmethod
    def values(table: Group) -> list[list[float]]:
        return [_numbers([row]) for row in table.lists.get("values", ["0"])]

    # ---- text --------------------------------------------------------------------------------------------------------

    def originals(self) -> dict[str, str]:
        """The Liberty files as they are, not compressed, by the names under which sta.py's script reads them."""
        return {
            name: liberty_text.read(path) for name, path in zip(original_names(self), self.paths)
        }

    @property
    def default_wire_load(self) -> str | None:
        """The wire-load model that the first file names."""
        return self.head.attributes.get("default_wire_load")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the Liberty files and of the cells that are used."""
        texts = (self.text, *self.originals().values())
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()

    @cached_property
    def text(self) -> str:
        """The library as one Liberty text in ns and pF, with the usable cells and what the setup check needs. Yosys and
        the repairs read this, so that both see the same cells and units. OpenSTA reads the original files."""
        head = {
            name: value
            for name, value in self.head.attributes.items()
            if name in (*KEPT, *DEFAULT_LOADS, *DEFAULT_TIMES)
            or any(part in name for part in KEPT_PARTS)
        }
        used: set[str] = set()
        cells = [self._cell_group(cell, used) for cell in self.cells.values() if cell.is_usable]
        whole = Group(
            "library",
            [self.name],
            {**head, "time_unit": "1ns"},
            {"capacitive_load_unit": ["1", "pf"]},
            [
                *(template for name, template in self.templates.items() if name in used),
                *self.head.all("operating_conditions"),
                *cells,
            ],
        )
        return liberty_text.write(whole) + "\n"

    @staticmethod
    def _cell_group(cell: Cell, used: set[str]) -> Group:
        groups = []
        for inner in cell.group.groups:
            if inner.kind == "ff":
                groups.append(inner)
            elif inner.kind == "pin" and cell.pins[inner.arguments[0]].direction in (
                "input",
                "output",
            ):
                its = {
                    name: inner.attributes[name] for name in PIN_KEPT if name in inner.attributes
                }
                timings = [
                    Group(
                        "timing",
                        [],
                        {n: v for n, v in arc.attributes.items() if n in ARC_KEPT},
                        {},
                        [table for table in arc.groups if table.kind in DELAYS | CONSTRAINTS],
                    )
                    for arc in inner.all("timing")
                    if arc.attributes.get("timing_type", "") in ARCS
                ]
                used.update(t.arguments[0] for arc in timings for t in arc.groups if t.arguments)
                groups.append(Group("pin", inner.arguments, its, {}, timings))
        return Group("cell", [cell.name], {"area": cell.group.attributes["area"]}, {}, groups)


def original_names(library: Library) -> list[str]:
    return [f"original_{number}.lib" for number in range(len(library.paths))]


class _Units:
    """Scales the numbers of a file to ns and pF, and gives every table its own axes: several files may have templates
    of one name."""

    def __init__(self, group: Group):
        self.time = _unit(group.attributes.get("time_unit", "1ns"), {"ps": 1e-3, "ns": 1.0})
        words = group.lists.get("capacitive_load_unit", ["1", "pf"])
        if len(words) != 2:
            raise UsageError("the Liberty file has an unknown unit of capacitance")
        self.load = _unit(f"{words[0]} {words[1]}", {"ff": 1e-3, "pf": 1.0})
        self.own = {
            t.arguments[0]: t for t in group.groups if t.kind.endswith("_template") and t.arguments
        }

    def scale(self, group: Group, templates: dict[str, Group]) -> None:
        self._limits(group, DEFAULT_LOADS, DEFAULT_TIMES)
        for cell in group.all("cell"):
            for pin in cell.all("pin"):
                self._limits(pin, PIN_LOADS, PIN_TIMES)
                for arc in pin.groups:
                    for table in arc.groups:
                        self._table(table, templates)

    def _limits(self, group: Group, loads: frozenset[str], times: frozenset[str]) -> None:
        for name in group.attributes.keys() & (loads | times):
            factor = self.load if name in loads else self.time
            group.attributes[name] = _scaled(group.attributes[name], factor)

    def _table(self, table: Group, templates: dict[str, Group]) -> None:
        kind = table.kind
        if kind not in DELAYS | CONSTRAINTS | POWERS:
            return
        # Internal power is an energy: its unit is that of capacitance times V^2.
        factor = self.load if kind in POWERS else self.time
        if factor != 1:
            table.lists["values"] = [_scaled(row, factor) for row in table.lists.get("values", [])]
        template = self.own.get(table.arguments[0] if table.arguments else "")
        if template is None:
            return
        variables, sizes = {}, []
        for number in ("1", "2"):
            variable = template.attributes.get(f"variable_{number}")
            if variable is None:
                continue
            marks = table.lists.get(f"index_{number}") or template.lists.get(f"index_{number}", [])
            factor = self.time if variable in TIMES else self.load if variable in LOADS else 1
            marks = [_scaled(row, factor) for row in marks]
            table.lists[f"index_{number}"] = marks
            variables[f"variable_{number}"] = variable
            sizes.append(len(_numbers(marks)))
        name = "_".join((*variables.values(), *map(str, sizes))) or "scalar"
        table.arguments = [name]
        if variables and name not in templates:
            marks = {key: value for key, value in table.lists.items() if key.startswith("index_")}
            templates[name] = Group("lu_table_template", [name], variables, marks)


def _plain(function: str) -> tuple[str, bool] | None:
    """(name, inverted) of a function that is a name or an inverted name."""
    tree = functions.parse(function) if function.strip() else ""
    inverted = False
    while isinstance(tree, tuple) and tree[0] == "~":
        tree, inverted = tree[1], not inverted
    return (tree, inverted) if isinstance(tree, str) and tree else None


def _numbers(rows: Iterable[str]) -> list[float]:
    return [float(word) for row in rows for word in row.replace(",", " ").split()]


def _scaled(text: str, factor: float) -> str:
    if factor == 1:
        return text
    return ", ".join(f"{float(word) * factor:.9g}" for word in text.replace(",", " ").split())


def _unit(text: str, units: dict[str, float]) -> float:
    match = re.fullmatch(r"\s*([\d.]+)\s*([a-zA-Z]+)\s*", text)
    if match is None or match[2].lower() not in units:
        raise UsageError(f"the Liberty file has an unknown unit: {text!r}")
    return float(match[1]) * units[match[2].lower()]
