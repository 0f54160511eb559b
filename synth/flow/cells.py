# SPDX-License-Identifier: Apache-2.0
"""Verilog models of a library's cells, made of the functions in its Liberty file, without timing and without x.

Flip-flops have no initial value. A simulator starts them at random, and no result may depend on that.
"""

from __future__ import annotations

import re

from . import functions
from .errors import UsageError
from .functions import verilog
from .liberty import Cell, Library


def model(cell: Cell) -> str:
    """One cell."""
    ports = ", ".join(
        f"{'input' if pin.direction == 'input' else 'output'} {name}"
        for name, pin in cell.pins.items()
        if pin.direction in ("input", "output")
    )
    body = [f"  assign {name} = {verilog(cell.pins[name].function)};" for name in cell.outputs()]
    if cell.is_flip_flop:
        body = _register(cell) + body
    return "\n".join((f"module {cell.name} ({ports});", *body, "endmodule", ""))


def _register(cell: Cell) -> list[str]:
    ff = next(cell.group.all("ff"))
    state = ff.arguments[0]
    clock = ff.attributes["clocked_on"]
    edge = "negedge" if re.search(r"[!']", clock) else "posedge"
    edges = [f"{edge} {cell.clock}"]
    body, wires = f"{state} <= {verilog(ff.attributes['next_state'])};", []
    for name, value in (("preset", 1), ("clear", 0)):
        if name in ff.attributes:
            wires.append(f"  wire {name}_is_on = {verilog(ff.attributes[name])};")
            edges.append(f"posedge {name}_is_on")
            body = f"if ({name}_is_on) {state} <= 1'b{value}; else {body}"
    read = {word for out in cell.outputs() for word in functions.names(cell.pins[out].function)}
    wires += [f"  wire {name} = ~{state};" for name in ff.arguments[1:] if name in read]
    return [f"  reg {state};", *wires, f"  always @({' or '.join(edges)}) {body}"]


def models(library: Library, kinds: set[str]) -> str:
    """The cells of these names."""
    missing = sorted(kinds - library.cells.keys())
    if missing:
        raise UsageError(f"{library.path} has no cell {missing[0]}")
    return f"// The function of cells of {library.path.name}, without timing.\n" + "".join(
        model(library.cells[kind]) for kind in sorted(kinds)
    )
