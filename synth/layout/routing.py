# SPDX-License-Identifier: Apache-2.0
"""Files for the router qrouter and from it: a placed DEF, its script, and the wires of the routed DEF."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..flow.errors import FlowError
from .circuit import PORT, Circuit
from .lef import Lef

UNITS = 1000  # of a DEF file, in a um
EFFORT = 30  # of the last attempts; the default is 10
PORT_LAYER, PORT_HALF = "metal2", 200
ACROSS = "metal3"  # the layer above, whose tracks cross those of ports

Point = tuple[int, int]


@dataclass(frozen=True)
class Placement:
    """Lengths are in units of the DEF file."""

    width: int
    height: int
    cells: dict[str, tuple[int, int, bool]]  # left, bottom, upside down
    ports: dict[str, Point]


@dataclass(frozen=True)
class Wires:
    """Of a net: pieces of wire on a layer, and vias between a layer and the next one above."""

    segments: tuple[tuple[str, Point, Point], ...]
    vias: tuple[tuple[str, Point], ...]  # the lower layer


def units(um: float) -> int:
    return round(um * UNITS)


def tracks(lef: Lef, place: Placement) -> list[str]:
    found = []
    for layer in lef.layers.values():
        size = place.height if layer.horizontal else place.width
        pitch, offset = units(layer.pitch), units(layer.offset)
        count = (size - offset) // pitch + 1
        axis = "Y" if layer.horizontal else "X"
        found.append(f"TRACKS {axis} {offset} DO {count} STEP {pitch} LAYER {layer.name} ;")
    return found


def net_lines(name: str, ends: list[tuple[str, str]]) -> list[str]:
    """The router wants the net's name on a line of its own."""
    pins = " ".join(f"( {'PIN' if cell == PORT else cell} {pin} )" for cell, pin in ends)
    return [f"- {name}", f"  {pins} ;"]


def placed_def(circuit: Circuit, lef: Lef, place: Placement) -> str:
    cells = [
        f"- {cell} {circuit.cells[cell]} + PLACED ( {x} {y} ) {'FS' if down else 'N'} ;"
        for cell, (x, y, down) in place.cells.items()
    ]
    inputs = set(circuit.inputs)
    half = PORT_HALF
    ports = [
        f"- {port} + NET {port} + DIRECTION {'INPUT' if port in inputs else 'OUTPUT'} "
        f"+ LAYER {PORT_LAYER} ( -{half} -{half} ) ( {half} {half} ) + PLACED ( {x} {y} ) N ;"
        for port, (x, y) in place.ports.items()
        if port in circuit.wires
    ]
    nets = [line for name, net in circuit.wires.items() for line in net_lines(name, net.ends)]
    return "\n".join(
        (
            "VERSION 5.6 ;",
            "NAMESCASESENSITIVE ON ;",
            'DIVIDERCHAR "/" ;',
            'BUSBITCHARS "<>" ;',
            f"DESIGN {circuit.top} ;",
            f"UNITS DISTANCE MICRONS {UNITS} ;",
            f"DIEAREA ( 0 0 ) ( {place.width} {place.height} ) ;",
            *tracks(lef, place),
            f"COMPONENTS {len(cells)} ;",
            *cells,
            "END COMPONENTS",
            f"PINS {len(ports)} ;",
            *ports,
            "END PINS",
            f"NETS {len(circuit.wires)} ;",
            *nets,
            "END NETS",
            "END DESIGN\n",
        )
    )


def read_place(text: str) -> Placement:
    """What placed_def wrote."""
    width, height = re.search(r"^DIEAREA \( 0 0 \) \( (\d+) (\d+) \) ;", text, re.M).groups()
    cells = re.finditer(r"^- (\S+) \S+ \+ PLACED \( (\d+) (\d+) \) (\w+) ;", text, re.M)
    ports = re.finditer(r"^- (\S+) \+ NET .* PLACED \( (\d+) (\d+) \) N ;", text, re.M)
    return Placement(
        int(width),
        int(height),
        {one[1]: (int(one[2]), int(one[3]), one[4] == "FS") for one in cells},
        {one[1]: (int(one[2]), int(one[3])) for one in ports},
    )


def script(lef: Lef) -> str:
    """All nets, then those that failed, at a growing effort; the last attempts may look at the whole core."""
    return f"""verbose 0
read_lef {lef.path}
layers {len(lef.layers)}
via stack 2
read_def placed.def
set left [stage1]
foreach width {{10 40 80}} {{
  if {{$left > 0}} {{ set left [stage2 mask $width effort 10] }}
}}
if {{$left > 0 && $left < 50}} {{ set left [stage2 mask none effort {EFFORT}] }}
puts "FAILED_NETS $left"
write_def routed.def
quit
"""


def route(folder: Path, lef: Lef, seconds: float) -> int | None:
    """Routes FOLDER/placed.def to routed.def and returns the number of nets that failed. None: not in this time."""
    (folder / "route.tcl").write_text(script(lef))
    log = folder / "route.log"
    try:
        with log.open("w") as output:
            subprocess.run(
                ["qrouter", "-nog", "-s", "route.tcl"],
                cwd=folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return None
    except OSError:
        raise FlowError("qrouter does not run: `make setup-layout` installs it") from None
    found = re.search(r"^FAILED_NETS (\d+)$", log.read_text(errors="replace"), re.M)
    if not found or not (folder / "routed.def").is_file():
        raise FlowError("qrouter failed", log)
    return int(found[1])


def pieces(text: str, vias: dict[str, str]) -> Wires:
    """Of a net's text behind ROUTED. VIAS has the lower layer of each via."""
    segments, found = [], []
    for piece in re.split(r"\bNEW\b", text):
        layer, _, rest = piece.strip().partition(" ")
        at: Point | None = None
        for word in re.finditer(r"\(\s*(\S+)\s+(\S+)[^)]*\)|([A-Za-z]\w*)", rest):
            if word[3]:
                if at is None or word[3] not in vias:
                    raise FlowError(f"a route that is not understood: {piece.strip()}")
                found.append((vias[word[3]], at))
                continue
            x = at[0] if word[1] == "*" and at else int(word[1])
            y = at[1] if word[2] == "*" and at else int(word[2])
            if at is not None and (x, y) != at:
                segments.append((layer, at, (x, y)))
            at = (x, y)
    return Wires(tuple(segments), tuple(found))


def read_wires(text: str, lef: Lef) -> dict[str, Wires]:
    """The wires of each net of a routed DEF."""
    names = list(lef.layers)
    vias = {f"M{upper + 1}_M{upper}": names[upper - 1] for upper in range(1, len(names))}
    body = re.search(r"^NETS .*?$(.*)^END NETS", text, re.M | re.S)
    if not body:
        raise FlowError("the routed file has no nets")
    nets = re.finditer(r"^\s*- (\S+)\s(.*?);\s*$", body[1], re.M | re.S)
    return {
        net[1]: pieces(routed[1], vias)
        for net in nets
        if (routed := re.search(r"\+ ROUTED (.*)", net[2], re.S))
    }
