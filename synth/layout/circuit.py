# SPDX-License-Identifier: Apache-2.0
"""A netlist of the flow with plain names: cells i0, i1, ..., nets n0, n1, ..., and a port of one bit for each bit of its
ports. The clock keeps its name. It is not placed and routed as a net: clock trees are no part of this study."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ..flow.sta import CLOCK
from .lef import Lef

PORT = ""  # in the place of a cell's name, for a port


@dataclass
class Net:
    driver: tuple[str, str] | None = None  # cell and pin; PORT and a port's name
    sinks: list[tuple[str, str]] = field(default_factory=list)

    @property
    def ends(self) -> list[tuple[str, str]]:
        return ([self.driver] if self.driver else []) + self.sinks


@dataclass(frozen=True)
class Circuit:
    top: str
    cells: dict[str, str]  # cell to macro
    pins: dict[str, dict[str, str]]  # cell to net of each pin
    nets: dict[str, Net]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    same: tuple[tuple[str, str], ...]  # outputs that are another port's net, or a constant

    @property
    def ports(self) -> tuple[str, ...]:
        """With a place on the edge."""
        taken = {port for port, _ in self.same}
        return tuple(p for p in (*self.inputs, *self.outputs) if p != CLOCK and p not in taken)

    @cached_property
    def wires(self) -> dict[str, Net]:
        """The nets that are routed."""
        return {name: net for name, net in self.nets.items() if name != CLOCK and len(net.ends) > 1}

    def area(self, lef: Lef) -> float:
        return sum(lef.macros[kind].width * lef.macros[kind].height for kind in self.cells.values())

    def verilog(self) -> str:
        """For OpenSTA."""
        ports = (*self.inputs, *self.outputs)
        lines = [f"module {self.top} ({', '.join(ports)});"]
        lines += [f"  input {port};" for port in self.inputs]
        lines += [f"  output {port};" for port in self.outputs]
        lines += [f"  wire {name};" for name in self.nets if name not in ports]
        lines += [f"  assign {port} = {net};" for port, net in self.same]
        for cell, kind in self.cells.items():
            pins = ", ".join(f".{pin}({net})" for pin, net in self.pins[cell].items())
            lines.append(f"  {kind} {cell} ({pins});")
        return "\n".join((*lines, "endmodule")) + "\n"


def _ports(ports: dict) -> list[tuple[str, str, int | str]]:
    """Direction, plain name and bit."""
    bits = [(port["direction"], name, bit) for name, port in ports.items() for bit in port["bits"]]
    return [
        (direction, CLOCK if name == CLOCK else f"p{place}", bit)
        for place, (direction, name, bit) in enumerate(bits)
    ]


def read(module: dict, top: str, outputs_of: dict[str, set[str]]) -> Circuit:
    """MODULE is that of a netlist.json. OUTPUTS_OF has the output pins of each macro."""
    names: dict[int | str, str] = {"0": "1'b0", "1": "1'b1"}
    inputs: list[str] = []
    outputs: list[str] = []
    same: list[tuple[str, str]] = []
    nets: dict[str, Net] = {}
    for direction, port, bit in sorted(_ports(module["ports"]), key=lambda one: one[0] != "input"):
        (inputs if direction == "input" else outputs).append(port)
        if bit in names:
            same.append((port, names[bit]))
            continue
        names[bit] = port
        net = nets.setdefault(port, Net())
        if direction == "input":
            net.driver = (PORT, port)
        else:
            net.sinks.append((PORT, port))
    cells: dict[str, str] = {}
    pins: dict[str, dict[str, str]] = {}
    for place, cell in enumerate(module["cells"].values()):
        name = f"i{place}"
        cells[name], pins[name] = cell["type"], {}
        for pin, (bit,) in cell["connections"].items():
            net = names.setdefault(bit, f"n{bit}")
            pins[name][pin] = net
            if isinstance(bit, str):
                continue
            its = nets.setdefault(net, Net())
            if pin in outputs_of[cell["type"]]:
                its.driver = (name, pin)
            else:
                its.sinks.append((name, pin))
    return Circuit(top, cells, pins, nets, tuple(inputs), tuple(outputs), tuple(same))
