# SPDX-License-Identifier: Apache-2.0
"""Clock gates become enables. An FPGA has few clock nets, and a gated one is skewed against its own clock. So each register
behind a fp8mac_clock_gate takes the gate's input clock and is enabled by the gate's condition, as is each write port of a
memory.

The text is a flat module in Yosys's intermediate language (RTLIL) before its flip-flops are optimised, in which the gates
are black boxes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..flow.errors import FlowError
from ..flow.recipe import CLOCK_GATE

CELL = re.compile(r"^  cell (\S+) (\S+)\n(.*?)^  end\n", re.M | re.S)


@dataclass(frozen=True)
class Gate:
    clock: str
    enable: str


def port(body: str, name: str) -> str | None:
    found = re.search(rf"^    connect \\{name} (.*)$", body, re.M)
    return found and found[1]


def gates(text: str) -> dict[str, Gate]:
    """The gates by the net of their gated clock."""
    found = {}
    for cell in CELL.finditer(text):
        if cell[1] == f"\\{CLOCK_GATE}":
            clock, enable, gated = (port(cell[3], name) for name in ("clk_i", "en_i", "clk_o"))
            if not (clock and enable and gated):
                raise FlowError(f"the clock gate {cell[2]} has a port without a net")
            found[gated] = Gate(clock, enable)
    for gated, gate in found.items():
        if gate.clock in found:
            raise FlowError(f"the clock gate of {gated} is behind another one: {gate.clock}")
    return found


def with_enables(text: str, top: str) -> tuple[str, int]:
    """The text without clock gates, and the number of registers and write ports that have got an enable. Any other use of a
    gated clock is refused."""
    found = gates(text)
    wires: list[str] = []
    cells: list[str] = []

    def change(cell: re.Match[str]) -> str:
        kind, name, body = cell[1], cell[2], cell[3]
        if kind == f"\\{CLOCK_GATE}":
            return ""
        gate = found.get(port(body, "CLK") or "")
        if gate is None:
            return cell[0]
        body = re.sub(
            r"(?m)^    connect \\CLK .*$", lambda _: f"    connect \\CLK {gate.clock}", body
        )
        change.count += 1
        if kind == "$dff":
            return (
                f"  cell $dffe {name}\n    parameter \\EN_POLARITY 1'1\n{body}"
                f"    connect \\EN {gate.enable}\n  end\n"
            )
        if kind != "$memwr_v2":
            raise FlowError(
                f"{name} has a gated clock and is of the kind {kind}: $dff or $memwr_v2 is possible"
            )
        width = int(re.search(r"parameter \\WIDTH (\d+)", body)[1])
        enable = f"\\gated_enable_{len(wires)}"
        wires.append(f"  wire width {width} {enable}\n")
        cells.append(
            f"  cell $mux {enable}_mux\n    parameter \\WIDTH {width}\n    connect \\A {width}'{'0' * width}\n"
            f"    connect \\B {port(body, 'EN')}\n    connect \\S {gate.enable}\n    connect \\Y {enable}\n  end\n"
        )
        body = re.sub(r"(?m)^    connect \\EN .*$", lambda _: f"    connect \\EN {enable}", body)
        return f"  cell {kind} {name}\n{body}  end\n"

    change.count = 0
    text = CELL.sub(change, text)
    begin = text.find(f"module \\{top}\n")
    if begin < 0:
        raise FlowError(f"there is no module {top}")
    first = text.index("\n", begin) + 1
    last = text.index("\nend\n", first) + 1
    return text[:first] + "".join(wires) + text[first:last] + "".join(cells) + text[
        last:
    ], change.count
