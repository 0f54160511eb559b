# SPDX-License-Identifier: Apache-2.0
"""The parts of a Liberty file that the flow needs: areas, pins, and the cells that serve as adders, flip-flop and buffer.

Cells are found by their function, never by their name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import permutations, product
from pathlib import Path

from .errors import UsageError

TOKEN = re.compile(
    r'\s+|/\*.*?\*/|//[^\n]*|\\\s*\n|"(?P<text>(?:[^"\\]|\\.)*)"|(?P<mark>[(){};:,])'
    r'|(?P<word>[^\s(){};:,"]+)',
    re.S,
)


@dataclass
class Group:
    """`kind (arguments) { attributes, groups }`; a complex attribute `name (values);` keeps a list of its values."""

    kind: str
    arguments: list[str]
    attributes: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def all(self, kind: str) -> Iterator[Group]:
        return (group for group in self.groups if group.kind == kind)


def _tokens(text: str) -> list[str]:
    tokens, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise UsageError(f"this is not Liberty: {text[place : place + 20]!r}")
        place = match.end()
        if match["text"] is not None:
            tokens.append(re.sub(r"\\\s*\n", "", match["text"]))
        elif match["mark"] or match["word"]:
            tokens.append(match["mark"] or match["word"])
    return tokens


class _Reader:
    def __init__(self, text: str):
        self.tokens = _tokens(text)
        self.next = 0

    def take(self, expected: str | None = None) -> str:
        token = self.tokens[self.next] if self.next < len(self.tokens) else ""
        if not token or (expected is not None and token != expected):
            raise UsageError(
                f"this is not Liberty: {expected or 'more'!r} expected, {token!r} found"
            )
        self.next += 1
        return token

    def see(self, token: str) -> bool:
        if self.next < len(self.tokens) and self.tokens[self.next] == token:
            self.next += 1
            return True
        return False

    def arguments(self) -> list[str]:
        values = []
        while not self.see(")"):
            token = self.take()
            if token != ",":
                values.append(token)
        return values

    def value(self) -> str:
        words = [self.take()]
        while (
            self.next < len(self.tokens)
            and self.tokens[self.next] not in (";", "}")
            and self.tokens[self.next + 1 : self.next + 2] != [":"]
        ):
            words.append(self.take())
        return " ".join(words)

    def body(self, group: Group) -> Group:
        while not self.see("}"):
            if self.see(";"):
                continue
            name = self.take()
            if self.see(":"):
                group.attributes[name] = self.value()
            else:
                self.take("(")
                arguments = self.arguments()
                if self.see("{"):
                    group.groups.append(self.body(Group(name, arguments)))
                else:
                    group.lists[name] = arguments
        return group


def parse(text: str) -> Group:
    """The library group of a Liberty text."""
    reader = _Reader(text)
    kind = reader.take()
    if kind != "library":
        raise UsageError(f"this is not Liberty: it begins with {kind!r}, not with library (...)")
    reader.take("(")
    arguments = reader.arguments()
    reader.take("{")
    return reader.body(Group(kind, arguments))


# ---- functions ------------------------------------------------------------------------------------------------------

Evaluator = Callable[[dict[str, bool]], bool]


def evaluator(expression: str) -> Evaluator:
    """A Liberty function: ! and postfix ', then AND (`&`, `*`, a space), then ^, then OR (`|`, `+`)."""
    tokens = re.findall(r"[A-Za-z_]\w*|[01]|[!'&*^|+()]", expression)
    place = 0

    def peek() -> str:
        return tokens[place] if place < len(tokens) else ""

    def take() -> str:
        nonlocal place
        place += 1
        return tokens[place - 1]

    def factor() -> Evaluator:
        token = take()
        if token == "!":
            inner = factor()
            result: Evaluator = lambda v, inner=inner: not inner(v)
        elif token == "(":
            result = either()
            take()
        elif token in ("0", "1"):
            result = lambda v, value=token == "1": value
        else:
            result = lambda v, name=token: v[name]
        while peek() == "'":
            take()
            result = lambda v, inner=result: not inner(v)
        return result

    def both() -> Evaluator:
        result = factor()
        while peek() and peek() not in (")", "|", "+", "^"):
            if peek() in ("&", "*"):
                take()
            result = lambda v, a=result, b=factor(): a(v) and b(v)
        return result

    def differ() -> Evaluator:
        result = both()
        while peek() == "^":
            take()
            result = lambda v, a=result, b=both(): a(v) != b(v)
        return result

    def either() -> Evaluator:
        result = differ()
        while peek() in ("|", "+"):
            take()
            result = lambda v, a=result, b=differ(): a(v) or b(v)
        return result

    return either()


# ---- cells ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pin:
    name: str
    direction: str
    function: str
    capacitance: float
    group: Group = field(repr=False, compare=False)


@dataclass(frozen=True)
class Cell:
    name: str
    area: float
    pins: dict[str, Pin]
    group: Group = field(repr=False, compare=False)

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
    def clock(self) -> str:
        """The clock pin of a flip-flop."""
        return next(self.group.all("ff")).attributes["clocked_on"].strip(" ()!'")

    @property
    def is_usable(self) -> bool:
        """Whether it is logic or a flip-flop: not a latch, a tri-state, a pad or a cell marked dont_use."""
        marks = [self.group] + [pin.group for pin in self.pins.values()]
        odd = ("three_state", "is_pad")
        return not (
            self.is_latch
            or self.area <= 0
            or self.group.attributes.get("dont_use") == "true"
            or self.group.attributes.get("dont_touch") == "true"
            or any(name in mark.attributes for mark in marks for name in odd)
        )

    def truth(self, output: str) -> tuple[bool, ...]:
        """The output's values. Inputs count up, and the first one changes slowest."""
        value = evaluator(self.pins[output].function)
        names = self.inputs()
        return tuple(
            bool(value(dict(zip(names, bits))))
            for bits in product((False, True), repeat=len(names))
        )


def _cell(group: Group) -> Cell:
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
    return Cell(group.arguments[0], float(group.attributes.get("area", 0)), pins, group)


@dataclass(frozen=True)
class Adder:
    """A cell that adds its inputs: its pins, its sum output and its carry output."""

    cell: str
    inputs: tuple[str, ...]
    sum: str
    carry: str


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
    clock_to_output: float
    setup: float
    clock_slew: float
    data_capacitance: float


class Library:
    """A Liberty file as the flow uses it."""

    def __init__(self, path: Path):
        self.path = path
        try:
            text = path.read_text(errors="replace")
        except OSError as error:
            raise UsageError(
                f"LIB={path} cannot be read ({error.strerror}): give the path of a Liberty file, "
                "LIB=path.lib"
            ) from None
        group = parse(text)
        self.name = group.arguments[0] if group.arguments else path.stem
        self.cells = {cell.name: cell for cell in map(_cell, group.all("cell"))}
        if not self.cells:
            raise UsageError(
                f"LIB={path} has no cells: give the path of a Liberty file, LIB=path.lib"
            )
        self.time_ns = _unit(group.attributes.get("time_unit", "1ns"), {"ps": 1e-3, "ns": 1.0})
        self.capacitance_pf = _capacitance_unit(group)
        self.templates = {
            t.arguments[0]: t for t in group.groups if t.kind.endswith("_template") and t.arguments
        }

    def usable(self) -> list[Cell]:
        return sorted(
            (c for c in self.cells.values() if c.is_usable), key=lambda c: (c.area, c.name)
        )

    def unusable(self) -> list[str]:
        return sorted(c.name for c in self.cells.values() if not c.is_usable)

    def adder(self, inputs: int) -> Adder | None:
        """The smallest full (3) or half (2) adder cell."""
        ones = [sum(bits) for bits in product((0, 1), repeat=inputs)]
        wanted = {tuple(n % 2 == 1 for n in ones): "sum", tuple(n >= 2 for n in ones): "carry"}
        for cell in self.usable():
            if cell.is_flip_flop or len(cell.inputs()) != inputs or len(cell.outputs()) != 2:
                continue
            roles = {wanted.get(cell.truth(out)): out for out in cell.outputs()}
            if roles.keys() == {"sum", "carry"}:
                return Adder(cell.name, tuple(cell.inputs()), roles["sum"], roles["carry"])
        return None

    def gate(self, inputs: tuple[str, ...], function: str) -> Gate | None:
        """The smallest cell that computes a function of `inputs`, written as in a Liberty file."""
        value = evaluator(function)
        wanted = [
            bool(value(dict(zip(inputs, bits))))
            for bits in product((False, True), repeat=len(inputs))
        ]
        for cell in self.usable():
            pins, outputs = cell.inputs(), cell.outputs()
            if cell.is_flip_flop or len(pins) != len(inputs) or len(outputs) != 1:
                continue
            its = evaluator(cell.pins[outputs[0]].function)
            for order in permutations(inputs):
                if wanted == [
                    bool(its({pin: named[name] for pin, name in zip(pins, order)}))
                    for named in (
                        dict(zip(inputs, bits))
                        for bits in product((False, True), repeat=len(inputs))
                    )
                ]:
                    return Gate(cell.name, tuple(zip(pins, order)), outputs[0])
        return None

    def buffer(self) -> Cell:
        """The smallest buffer."""
        for cell in self.usable():
            if (
                len(cell.inputs()) == 1
                and len(cell.outputs()) == 1
                and not cell.is_flip_flop
                and cell.truth(cell.outputs()[0]) == (False, True)
            ):
                return cell
        raise UsageError(f"LIB={self.path} has no buffer, which the flow needs")

    def flip_flop(self) -> FlipFlop:
        """The smallest flip-flop with a rising clock and neither set nor reset."""
        for cell in self.usable():
            ff = next(cell.group.all("ff"), None)
            if ff is None or "clear" in ff.attributes or "preset" in ff.attributes:
                continue
            data, clock = (
                ff.attributes.get(n, "").strip(" ()") for n in ("next_state", "clocked_on")
            )
            outputs = [
                o for o in cell.outputs() if cell.pins[o].function.strip(" ()") == ff.arguments[0]
            ]
            if outputs and data in cell.pins and clock in cell.pins:
                return self._timed(cell, data, clock, outputs[0])
        raise UsageError(
            f"LIB={self.path} has no plain rising-edge flip-flop, which the flow needs"
        )

    def _timed(self, cell: Cell, data: str, clock: str, output: str) -> FlipFlop:
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
            max(delays) * self.time_ns,
            max(setups) * self.time_ns,
            min(slews) * self.time_ns,
            cell.pins[data].capacitance * self.capacitance_pf,
        )

    def variable(self, table: Group, number: int) -> str:
        """The variable of a table's first or second axis."""
        template = self.templates.get(table.arguments[0] if table.arguments else "")
        return template.attributes.get(f"variable_{number}", "") if template else ""

    def axis(self, table: Group, variable: str) -> list[float]:
        """A table's marks along a variable; one mark if it does not depend on that."""
        for number in (1, 2):
            if self.variable(table, number) == variable:
                index = table.lists.get(f"index_{number}")
                index = index or self.templates[table.arguments[0]].lists.get(f"index_{number}", [])
                return [float(word) for part in index for word in part.replace(",", " ").split()]
        return [0.0]

    @staticmethod
    def values(table: Group) -> list[list[float]]:
        return [
            [float(word) for word in row.replace(",", " ").split()]
            for row in table.lists.get("values", ["0"])
        ]


def _unit(text: str, units: dict[str, float]) -> float:
    match = re.fullmatch(r"\s*([\d.]+)\s*([a-zA-Z]+)\s*", text)
    if match is None or match[2].lower() not in units:
        raise UsageError(f"the Liberty file has an unknown unit: {text!r}")
    return float(match[1]) * units[match[2].lower()]


def _capacitance_unit(group: Group) -> float:
    words = group.lists.get("capacitive_load_unit", ["1", "pf"])
    return _unit(f"{words[0]} {words[1]}", {"ff": 1e-3, "pf": 1.0})
