# SPDX-License-Identifier: Apache-2.0
"""Verilog models of a library's cells, made of the functions in its Liberty file, without timing and without x.

Flip-flops have no initial value. A simulator starts them at random, and no result may depend on that.
"""

from __future__ import annotations

import re

from .errors import UsageError
from .liberty import Cell, Library

TOKEN = re.compile(r"[A-Za-z_]\w*|[01]|[!'&*^|+()]")


def expression(function: str) -> str:
    """A Liberty function in Verilog. Both bind AND before XOR before OR; a space is AND, a quote inverts."""
    words = TOKEN.findall(function)
    place = 0

    def peek() -> str:
        return words[place] if place < len(words) else ""

    def take() -> str:
        nonlocal place
        place += 1
        return words[place - 1]

    def factor() -> str:
        word = take()
        if word == "!":
            text = f"~{factor()}"
        elif word == "(":
            text = f"({level(0)})"
            take()
        else:
            text = f"1'b{word}" if word in "01" else word
        while peek() == "'":
            take()
            text = f"(~{text})"
        return text

    def level(depth: int) -> str:
        if depth == 2:
            parts = [factor()]
            while peek() and peek() not in ")|+^":
                if peek() in "&*":
                    take()
                parts.append(factor())
            return " & ".join(parts)
        marks, sign = (("|+", " | "), ("^", " ^ "))[depth]
        parts = [level(depth + 1)]
        while peek() and peek() in marks:
            take()
            parts.append(level(depth + 1))
        return sign.join(parts)

    return level(0)


def model(cell: Cell) -> str:
    """One cell."""
    ports = ", ".join(
        f"{'input' if pin.direction == 'input' else 'output'} {name}"
        for name, pin in cell.pins.items()
        if pin.direction in ("input", "output")
    )
    body = [f"  assign {name} = {expression(cell.pins[name].function)};" for name in cell.outputs()]
    if cell.is_flip_flop:
        body = _register(cell) + body
    return "\n".join((f"module {cell.name} ({ports});", *body, "endmodule", ""))


def _register(cell: Cell) -> list[str]:
    ff = next(cell.group.all("ff"))
    if "clear" in ff.attributes or "preset" in ff.attributes:
        raise UsageError(f"{cell.name} has a set or a reset, which nothing here maps to")
    state, inverse = ff.arguments[0], ff.arguments[1]
    clock = ff.attributes["clocked_on"]
    edge = "negedge" if re.search(r"[!']", clock) else "posedge"
    return [
        f"  reg {state};",
        f"  always @({edge} {cell.clock}) {state} <= {expression(ff.attributes['next_state'])};",
        *(
            [f"  wire {inverse} = ~{state};"]
            if any(inverse in TOKEN.findall(cell.pins[o].function) for o in cell.outputs())
            else []
        ),
    ]


def models(library: Library, kinds: set[str]) -> str:
    """The cells of these names."""
    missing = sorted(kinds - library.cells.keys())
    if missing:
        raise UsageError(f"{library.path} has no cell {missing[0]}")
    return f"// The function of cells of {library.path.name}, without timing.\n" + "".join(
        model(library.cells[kind]) for kind in sorted(kinds)
    )
