# SPDX-License-Identifier: Apache-2.0
"""The area of an element by the boxes of its datapath, from a synthesis that keeps its modules apart.

The cells of a flattened netlist belong to no module, so its breakdown would be a guess. This breakdown is of a second
netlist of the same design, mapped with the same recipe but not flattened. It is larger, and the table gives both sums.
"""

from __future__ import annotations

from .netlist import Netlist

CONTROL, REGISTERS = "control", "registers"


def box_of(path: tuple[str, ...], boxes: dict[str, tuple[str, ...]]) -> str:
    for step in path:
        instance, _, module = step.partition(" ")
        name = f"{instance.rsplit('.', 1)[-1]} {module.partition('$')[0]}"
        for box, words in boxes.items():
            if any(f"_{word}" in name for word in words):
                return box
    return CONTROL


def by_box(netlist: Netlist, boxes: dict[str, tuple[str, ...]]) -> dict[str, float]:
    """Box to area, in the boxes' order, then control and registers."""
    areas = dict.fromkeys((*boxes, CONTROL, REGISTERS), 0.0)
    known: dict[tuple[str, ...], str] = {}
    for path, kind in netlist.instances():
        cell = netlist.library.cells[kind]
        if path not in known:
            known[path] = box_of(path, boxes)
        areas[REGISTERS if cell.is_flip_flop else known[path]] += cell.area
    return areas
