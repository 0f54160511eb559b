# SPDX-License-Identifier: Apache-2.0
"""The area of a clock gate: the library's cell, or else a latch and an AND. A latch without an area, as in OSU018, counts
as much as a flip-flop."""

from __future__ import annotations

from .errors import UsageError
from .liberty import Library


def area(library: Library) -> float:
    cells = library.cells.values()
    gates = [
        cell.area
        for cell in cells
        if cell.group.attributes.get("clock_gating_integrated_cell", "").startswith("latch_posedge")
    ]
    if gates:
        return min(gates)
    logic = library.gate(("a", "b"), "a & b")
    if logic is None:
        raise UsageError(f"LIB={library.path} has neither a clock gate nor an AND")
    latches = [cell.area for cell in cells if cell.is_latch and cell.area > 0]
    latch = min(latches, default=library.cells[library.flip_flop().cell].area)
    return latch + library.cells[logic.cell].area
