# SPDX-License-Identifier: Apache-2.0
"""Black boxes of a design: made unique for each set of widths of their pins, and put back around a flat netlist.

Instances of one module may have other parameters, and then other widths. Yosys knows a black box by its name alone, and
gives all of its instances the widths of one. So every set of widths becomes a module of its own here, NAME__1, NAME__2.

The flow leaves black boxes out of a netlist: what they are connected to become its ports, named INSTANCE_PIN with `_`
for dots, and their clock pins go (recipe.front). For a simulation, wrapper() writes a module with the name, parameters
and ports of the design, in which the netlist and the boxes are connected. The boxes' sources, or netlists of them, are
compiled beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from . import recipe, sources, sta
from .errors import FlowError

SUFFIX = "_netlist"  # of the netlist's module
MODULE = re.compile(r"^module \\(\S+)$", re.M)
GATE_PINS = (sta.CLOCK, recipe.ENABLE, sta.GATED[1:])
CELL = re.compile(r"^  cell \\(\S+) \\(\S+)\n(?:    parameter [^\n]*\n)*", re.M)


@dataclass(frozen=True)
class Pin:
    name: str
    direction: str  # input or output
    width: int


@dataclass(frozen=True)
class Box:
    """An instance of a black box."""

    inside: str  # the module that has it: the design, if that is flat
    path: str  # in this module, with dots
    module: str
    parameters: tuple[tuple[str, int], ...]
    pins: tuple[Pin, ...]
    clock: str  # what its clock pin is connected to: the clock or a clock gate's output; else empty

    def port(self, pin: str) -> str:
        """The netlist's port for a pin, as recipe.simple_ports() names it."""
        return re.sub(r"\W", "_", f"{self.path}.{pin}")


def found(modules: Mapping[str, dict], names: Iterable[str]) -> list[Box]:
    """The instances of these black boxes. `modules` are those of Yosys's JSON, before `hierarchy`, which would give
    all instances of a name the same widths."""
    boxes, names = [], set(names)
    for inside, module in modules.items():
        cells = {name: cell for name, cell in module["cells"].items() if cell["type"] in names}
        clocks = {
            port["bits"][0]: sta.CLOCK
            for name, port in module["ports"].items()
            if name == sta.CLOCK
        }
        for name, cell in cells.items():
            for pin, bits in cell["connections"].items():
                if f"_{pin}".endswith(sta.GATED):
                    clocks[bits[0]] = re.sub(r"\W", "_", f"{name}.{pin}")
        for name, cell in sorted(cells.items()):
            pins = cell["connections"]
            boxes.append(
                Box(
                    inside,
                    name,
                    cell["type"],
                    tuple((key, int(value, 2)) for key, value in cell["parameters"].items()),
                    tuple(
                        Pin(pin, cell["port_directions"][pin], len(bits))
                        for pin, bits in pins.items()
                    ),
                    clocks.get(pins.get(sta.CLOCK, [None])[0], ""),
                )
            )
    return boxes


def uniquify(rtlil: str, boxes: list[Box]) -> str:
    """The design with a module for each set of widths of each black box."""
    kinds: dict[tuple[str, tuple[Pin, ...]], str] = {}
    for box in boxes:
        number = sum(name == box.module for name, _ in kinds) + 1
        kinds.setdefault((box.module, box.pins), f"{box.module}__{number}")
    names = {(box.inside, box.path): kinds[box.module, box.pins] for box in boxes}
    parts = MODULE.split(rtlil)
    for place in range(1, len(parts), 2):
        inside = parts[place]

        def renamed(cell: re.Match[str], inside: str = inside) -> str:
            name = names.get((inside, cell[2]))
            return f"  cell \\{name} \\{cell[2]}\n" if name else cell[0]

        parts[place] = f"module \\{inside}"
        parts[place + 1] = CELL.sub(renamed, parts[place + 1])
    return "".join((*parts, *(_declaration(name, pins) for (_, pins), name in kinds.items())))


def _declaration(name: str, pins: tuple[Pin, ...]) -> str:
    wires = (
        f"  wire width {pin.width} {pin.direction} {number} \\{pin.name}\n"
        for number, pin in enumerate(pins, 1)
    )
    return f"attribute \\blackbox 1\nmodule \\{name}\n{''.join(wires)}end\n"


def inserted(rtlil: str) -> list[Box]:
    """The clock gates that the recipe has put into a design, from its text with their pins as ports."""
    pins = tuple(
        Pin(name, direction, 1)
        for name, direction in zip(GATE_PINS, ("input", "input", "output"), strict=True)
    )
    parts = MODULE.split(rtlil)
    return [
        Box(inside, name, recipe.CLOCK_GATE, (), pins, sta.CLOCK)
        for inside, text in zip(parts[1::2], parts[2::2])
        for name in re.findall(
            rf"^  wire input \d+ \\({recipe.INSERTED}\d+)\.{sta.GATED[1:]}$", text, re.M
        )
    ]


def closed(netlist: str, cell: str = "", pins: tuple[str, str, str] = GATE_PINS) -> str:
    """A netlist's text with the clock gates that the recipe has put into it as instances, of the RTL's clock gate or of a
    library's cell with these pins: clock, enable and gated clock."""
    names = re.findall(rf"^  input ({recipe.INSERTED}\d+){sta.GATED};$", netlist, re.M)
    ports = [f"{name}_{pin}" for name in names for pin in GATE_PINS[1:]]
    if not ports:
        return netlist
    either = "|".join(ports)
    text = re.sub(rf"^  (?:input|output) (?:{either});\n", "", netlist, flags=re.M)
    text = re.sub(
        r"^module \w+\(.*\);$",
        lambda head: re.sub(rf", (?:{either})\b", "", head[0]),
        text,
        flags=re.M,
    )
    made = []
    for name in names:
        nets = (sta.CLOCK, *(f"{name}_{pin}" for pin in GATE_PINS[1:]))
        given = ", ".join(f".{pin}({net})" for pin, net in zip(pins, nets, strict=True))
        made.append(f"  {cell or recipe.CLOCK_GATE} {name} ({given});\n")
    return "".join((*text.rpartition("endmodule")[:1], *made, "endmodule\n"))


def to_data(boxes: list[Box]) -> list[dict]:
    return [asdict(box) for box in boxes]


def from_data(data: list[dict]) -> list[Box]:
    return [
        Box(
            **{
                **one,
                "parameters": tuple((name, value) for name, value in one["parameters"]),
                "pins": tuple(Pin(**pin) for pin in one["pins"]),
            }
        )
        for one in data
    ]


def netlist_of(text: str, top: str) -> str:
    """The netlist, its module called TOP_netlist."""
    return re.sub(rf"^module {top}\b", f"module {top}{SUFFIX}", text, count=1, flags=re.M)


def _parameters(source: Path, box: Box) -> str:
    """Without those that the module computes itself."""
    header = sources.COMMENT.sub("", sources.ports_only(source.read_text()))
    own = [
        f".{name}({value})"
        for name, value in box.parameters
        if re.search(rf"\bparameter\b[^,;()]*\b{name}\s*=", header)
    ]
    return f"#({', '.join(own)}) " if own else ""


def _instance(box: Box, number: int, parameters: str, ports: Mapping[str, dict]) -> str:
    """A pin without a port of the netlist is a clock, or an output that nothing reads."""
    pins = []
    for pin in box.pins:
        port = box.port(pin.name)
        if pin.name == sta.CLOCK:
            if not box.clock:
                raise FlowError(
                    f"the clock of {box.path} is neither {sta.CLOCK} nor a clock gate's output"
                )
            port = box.clock
        elif port not in ports:
            port = ""
        elif len(ports[port]["bits"]) != pin.width:
            raise FlowError(f"{pin.name} of {box.path} has another width in the netlist")
        pins.append(f"    .{pin.name}({port})")
    return "\n".join(
        (
            f"  // {box.path}",
            f"  {box.module} {parameters}u_box_{number} (",
            ",\n".join(pins),
            "  );",
        )
    )


def wrapper(
    top: str,
    files: dict[str, Path],
    ports: Mapping[str, dict],
    boxes: list[Box],
    netlists: Mapping[str, Mapping[str, int]],
) -> str:
    """The design's module, with the header of its RTL. `files` are the sources by module, `ports` those of the netlist,
    as in Yosys's JSON, and `netlists` the parameters of the boxes that are netlists themselves. These have none."""
    header = sources.ports_only(files[top].read_text()).rpartition("endmodule")[0]
    inner = {
        box.port(pin.name): pin.width
        for box in boxes
        for pin in box.pins
        if box.port(pin.name) in ports
    }
    unknown = [
        name for name in ports if name not in inner and not re.search(rf"\b{name}\b", header)
    ]
    if unknown:
        raise FlowError(f"the netlist's port {unknown[0]} belongs to no black box")
    lines = [f"  logic [{width - 1}:0] {name};" for name, width in inner.items()]
    lines += ["", f"  {top}{SUFFIX} u_netlist ("]
    lines += [",\n".join(f"    .{name}({name})" for name in ports), "  );"]
    for number, box in enumerate(boxes):
        parameters = ""
        if box.module in netlists:
            own = dict(box.parameters)
            wrong = {key for key, value in netlists[box.module].items() if own[key] != value}
            if wrong:
                raise FlowError(
                    f"{box.path} has another {', '.join(sorted(wrong))} than its netlist"
                )
        else:
            parameters = _parameters(files[box.module], box)
        lines += ["", _instance(box, number, parameters, ports)]
    return header + "\n" + "\n".join(lines) + "\n\nendmodule\n"
