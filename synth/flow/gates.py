# SPDX-License-Identifier: Apache-2.0
"""A clock gate: the library's cell, or else a latch and an AND. A latch without an area, as in OSU018, counts as much as a
flip-flop."""

from __future__ import annotations

from .errors import UsageError
from .liberty import Cell, Library


def cell(library: Library) -> Cell | None:
    """The library's smallest clock-gating cell"""
    kind = "clock_gating_integrated_cell"
    found = [
        one
        for one in library.cells.values()
        if one.group.attributes.get(kind, "").startswith("latch_posedge")
    ]
    return min(found, key=lambda one: one.area, default=None)


def pins(gate: Cell) -> tuple[str, str, str]:
    """Clock, enable and gated clock of a clock-gating cell"""
    clock, enable, out = (
        next(
            name
            for name, pin in gate.pins.items()
            if f"clock_gate_{kind}_pin" in pin.group.attributes
        )
        for kind in ("clock", "enable", "out")
    )
    return clock, enable, out


def area(library: Library) -> float:
    cells = library.cells.values()
    gate = cell(library)
    if gate is not None:
        return gate.area
    logic = library.gate(("a", "b"), "a & b")
    if logic is None:
        raise UsageError(f"LIB={library.path} has neither a clock gate nor an AND")
    latches = [cell.area for cell in cells if cell.is_latch and cell.area > 0]
    latch = min(latches, default=library.cells[library.flip_flop().cell].area)
    return latch + library.cells[logic.cell].area
