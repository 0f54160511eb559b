# SPDX-License-Identifier: Apache-2.0
"""What layout needs of a LEF file: routing layers with their wires' resistance and capacitance, and outlines of cells
with the shapes of their pins. Lengths are in um, capacitances in pF, resistances in kOhm."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

Shape = tuple[str, float, float, float, float]  # layer, then left, bottom, right, top
OHM_IN_KOHM = 1e-3


@dataclass(frozen=True)
class Layer:
    """A routing layer."""

    name: str
    horizontal: bool
    pitch: float
    offset: float
    width: float
    pf_per_um: float  # of a wire of this width: its area and both edges
    kohm_per_um: float


@dataclass(frozen=True)
class Macro:
    """A cell."""

    name: str
    width: float
    height: float
    pins: dict[str, tuple[Shape, ...]] = field(repr=False)


@dataclass(frozen=True)
class Lef:
    path: Path
    layers: dict[str, Layer]  # from the lowest
    macros: dict[str, Macro]


def number(text: str, key: str) -> float:
    """KEY is one word or two."""
    words = r"\s+".join(key.split())
    found = re.search(rf"^\s*{words}\s+([-+.\de]+)", text, re.M | re.I)
    return float(found[1]) if found else 0.0


def layer(name: str, text: str) -> Layer:
    """A wire's capacitance to what is below it, by its area, and that of its two edges. The file has none between
    neighbours."""
    width = number(text, "WIDTH")
    edges = 2 * number(text, "EDGECAPACITANCE")
    return Layer(
        name,
        "HORIZONTAL" in text.upper(),
        number(text, "PITCH"),
        number(text, "OFFSET"),
        width,
        number(text, "CAPACITANCE CPERSQDIST") * width + edges,
        number(text, "RESISTANCE RPERSQ") / width * OHM_IN_KOHM,
    )


def shapes(text: str) -> tuple[Shape, ...]:
    found: list[Shape] = []
    name = ""
    for word in re.finditer(r"LAYER\s+(\S+)|RECT\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", text):
        if word[1]:
            name = word[1]
        else:
            left, bottom, right, top = map(float, word.groups()[1:])
            found.append((name, left, bottom, right, top))
    return tuple(found)


def macro(name: str, text: str) -> Macro:
    width, height = re.search(r"SIZE\s+(\S+)\s+BY\s+(\S+)", text).groups()
    pins = re.finditer(r"^\s*PIN (\S+)(.*?)^\s*END \1", text, re.M | re.S)
    signals = {
        pin[1]: shapes(pin[2]) for pin in pins if not re.search(r"USE\s+(POWER|GROUND)", pin[2])
    }
    return Macro(name, float(width), float(height), signals)


def read(path: Path) -> Lef:
    text = path.read_text()
    blocks = list(re.finditer(r"^(LAYER|MACRO) (\S+)(.*?)^END \2", text, re.M | re.S))
    layers = [(name, body) for kind, name, body in (b.groups() for b in blocks) if kind == "LAYER"]
    return Lef(
        path,
        {name: layer(name, body) for name, body in layers if re.search(r"TYPE\s+ROUTING", body)},
        {b[2]: macro(b[2], b[3]) for b in blocks if b[1] == "MACRO"},
    )
