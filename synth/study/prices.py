# SPDX-License-Identifier: Apache-2.0
"""What cells cost in a library: their areas, in areas of its NAND of two inputs. FP8 and INT8 are made of different
cells: INT8 has more full adders, FP8 more multiplexers. So the ratio depends on what these cost beside each other.

A cell whose output is inverted counts with an inverter, since the flow needs the plain output."""

from __future__ import annotations

from pathlib import Path

from ..flow import faults, recipe
from ..flow.errors import UsageError
from ..flow.liberty import Library

FULL_ADDER = "full adder"
NAND = (("a", "b"), "!(a & b)")
# The gates of the leaf modules, by their usual names
GATES = {"AOI22": recipe.GATES["fp8mac_mux_n"], "OAI21": recipe.GATES["fp8mac_fill_n"]}


def nand(library: Library) -> float:
    """The area of the smallest NAND of two inputs."""
    gate = library.gate(*NAND)
    if gate is None:
        raise UsageError(f"LIB={library.path} has no NAND of two inputs")
    return library.cells[gate.cell].area


def of(library: Library) -> dict[str, float]:
    """The prices of the cells that the library has."""
    inverter, one = library.inverters()[0].area, nand(library)
    areas = {}
    adder = library.adder(3)
    if adder:
        areas[FULL_ADDER] = library.cells[adder.cell].area + len(adder.inverted) * inverter
    register = library.flip_flop()
    areas["flip-flop"] = library.cells[register.cell].area + register.inverted * inverter
    for name, (inputs, function) in GATES.items():
        gate = library.gate(inputs, function)
        if gate:
            areas[name] = library.cells[gate.cell].area
    return {name: round(area / one, 3) for name, area in areas.items()}


def full_adders(library: Library, netlist: Path) -> int:
    """The full-adder cells of a netlist (netlist.v)."""
    names = {adder.cell for adder in library.adders(3)}
    return sum(match["kind"] in names for match in faults.instances(netlist.read_text()))
