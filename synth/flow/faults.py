# SPDX-License-Identifier: Apache-2.0
"""Seeded faults: changes of a netlist that the checks must find. Each takes the text of netlist.v."""

from __future__ import annotations

import re
from collections.abc import Callable

from .errors import FlowError
from .liberty import Adder, Cell, Library

Fault = Callable[[str, Library], str]

INSTANCE = re.compile(
    r"^  (?P<kind>\w+) (?P<name>\S+) +\(\n(?P<pins>(?:    \.[^\n]*\n)*)  \);\n", re.M
)
HELD = 8  # registers that keep their initial value: they must not all be 0 by chance


def instances(text: str, kind: str = "") -> list[re.Match[str]]:
    return [match for match in INSTANCE.finditer(text) if kind in ("", match["kind"])]


def _middle(text: str, kind: str) -> re.Match[str]:
    found = instances(text, kind)
    if not found:
        raise FlowError(f"there is no {kind} to put a fault into")
    return found[len(found) // 2]


def _replaced(text: str, match: re.Match[str], instance: str) -> str:
    return text[: match.start()] + instance + text[match.end() :]


def other_gate(text: str, library: Library) -> str:
    """The gate with most pins becomes one with the same pins and another function, as AOI22 becomes OAI22."""
    gates = [
        cell for cell in library.usable() if len(cell.outputs()) == 1 and not cell.is_flip_flop
    ]

    def others(cell: Cell) -> list[Cell]:
        output = cell.outputs()[0]
        return [
            other
            for other in gates
            if other.pins.keys() == cell.pins.keys()
            and other.outputs() == [output]
            and other.truth(output) != cell.truth(output)
        ]

    used = {match["kind"] for match in instances(text)}
    choice = max(
        (cell for cell in gates if cell.name in used and others(cell)),
        key=lambda cell: (len(cell.pins), cell.name),
    )
    match = _middle(text, choice.name)
    return _replaced(text, match, match[0].replace(choice.name, others(choice)[0].name, 1))


def full_adder(text: str, library: Library) -> Adder | None:
    """A full adder of the library that the netlist has."""
    return next((one for one in library.adders(3) if instances(text, one.cell)), None)


def exchanged_outputs(text: str, library: Library) -> str:
    """A full adder's sum and carry are exchanged."""
    adder = full_adder(text, library)
    if adder is None:
        raise FlowError("the netlist has no full adder")
    match = _middle(text, adder.cell)
    names = {adder.sum: adder.carry, adder.carry: adder.sum}
    return _replaced(
        text,
        match,
        re.sub(rf"\.({adder.sum}|{adder.carry})\(", lambda pin: f".{names[pin[1]]}(", match[0]),
    )


def any_fault(text: str, library: Library) -> str:
    """A full adder's outputs exchanged, or another gate where there is no full adder."""
    return (exchanged_outputs if full_adder(text, library) else other_gate)(text, library)


def seen_start(text: str, library: Library) -> str:
    """Registers' outputs are ORed with registers that keep their start value. The result is right only if that is 0. If the
    library's flip-flop shows the inverse, an inverter leads back to its input."""
    register, gate = library.flip_flop(), library.gate(("made", "held"), "made | held")
    if gate is None:
        raise FlowError("the library has no OR")
    for number, match in reversed(list(enumerate(instances(text, register.cell)[:HELD]))):
        clock, output = (
            re.search(rf"\.{pin}\(([^\n]*)\)", match["pins"])
            for pin in (register.clock, register.output)
        )
        made, held = f"made_{number}", f"held_{number}"
        nets = {"made": made, "held": held}
        back, inverter = held, ""
        if register.inverted:
            cell, back = library.inverters()[0], f"back_{number}"
            pins = {cell.inputs()[0]: held, cell.outputs()[0]: back}
            inverter = f"  wire {back};\n" + _instance(cell.name, f"invert_{number}", pins)
        text = _replaced(
            text,
            match,
            "".join(
                (
                    f"  wire {made}, {held};\n",
                    match[0].replace(output[0], f".{register.output}({made})"),
                    inverter,
                    _instance(
                        register.cell,
                        f"hold_{number}",
                        {register.clock: clock[1], register.data: back, register.output: held},
                    ),
                    _instance(
                        gate.cell,
                        f"or_{number}",
                        {**{pin: nets[name] for pin, name in gate.pins}, gate.output: output[1]},
                    ),
                )
            ),
        )
    return text


def _instance(kind: str, name: str, pins: dict[str, str]) -> str:
    return (
        f"  {kind} {name} (\n"
        + ",\n".join(f"    .{pin}({net})" for pin, net in pins.items())
        + "\n  );\n"
    )
