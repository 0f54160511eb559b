# SPDX-License-Identifier: Apache-2.0
"""python -m synth memories: the area of the accelerator's memories, from a stated area of a bit.

Nothing is synthesised. A chip uses memory macros, whose area per bit depends on the process, the ports and the size. The
figures below are outlines of published macros for SkyWater 130 nm, divided by their bits. They suit the elements' areas in
sky130_fd_sc_hd, which are in um2 too. Memories smaller than the macro take more area for each bit.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from ..flow.errors import FlowError, UsageError
from . import defaults, request, tables
from .shapes import PASS_TILES


@dataclass(frozen=True)
class Macro:
    """A memory macro: its outline as the LEF file's SIZE has it, in um."""

    name: str
    words: int
    width: int
    size: tuple[float, float]
    ports: str
    source: str

    @property
    def um2_per_bit(self) -> float:
        return self.size[0] * self.size[1] / (self.words * self.width)


ONE_PORT = Macro(
    "sram22_512x32m4w8",
    512,
    32,
    (443.28, 448.72),
    "one port",
    "SRAM22, github.com/rahulk29/sram22_sky130_macros, LEF",
)
TWO_PORTS = Macro(
    "sky130_sram_2kbyte_1rw1r_32x512_8",
    512,
    32,
    (683.1, 416.54),
    "one port and one read port",
    "OpenRAM, github.com/VLSIDA/sky130_sram_macros, LEF",
)


SLOTS = 4  # regions that the D buffer holds
BOUND = (32, 6)  # operands of a row that have one largest exponent, and its bits
COMMAND_BITS = 35 * 32  # a command has no more than its descriptor and the extension of that
EPILOGUE = 8  # outputs that the epilogue finishes at a time, or a row of them
TABLE_BITS = 2 * 256 * 8  # two tables that map codes, for each of those outputs


@dataclass(frozen=True)
class Memory:
    name: str
    bits: int
    macro: Macro

    @property
    def um2(self) -> float:
        return self.bits * self.macro.um2_per_bit


def memories(of: dict[str, int]) -> list[Memory]:
    """Those of an accelerator with these parameters. FIFOs and registers are cells of the library and not counted here.
    An operand memory has two halves: one is loaded while the other is read."""
    beat = of["AXI_DATA_W"]
    # With an accumulator memory the halves are memories of their own, each with one port.
    operands = ONE_PORT if "TILES" in of else TWO_PORTS
    found = [
        Memory("operands of A", 2 * of["ROWS"] * of["BUF_BEATS"] * beat, operands),
        Memory("operands of B", 2 * of["COLS"] * of["BUF_BEATS"] * beat, operands),
        Memory("scales and biases", 3 * 2 * of["MAX_MN"] * 32, TWO_PORTS),
    ]
    if "TILES" in of:
        word = max(beat // 8, 4 * of["COLS"])  # of the D buffer, as fp8mac_output derives it
        row = max(8 * beat // 8, PASS_TILES * word)
        buffer = SLOTS * of["ROWS"] * row * 8
        found.append(Memory("D buffer", buffer, TWO_PORTS))
        found.append(Memory("buffers of C and X", 2 * buffer, TWO_PORTS))
        found.append(Memory("tables of codes", max(EPILOGUE, of["COLS"]) * TABLE_BITS, TWO_PORTS))
        bits = of["TILES"] * of["ROWS"] * of["COLS"] * 32
        found.append(Memory("accumulators", bits, TWO_PORTS))
        sides, (operands_each, width) = of["ROWS"] + of["COLS"], BOUND
        bounds = 2 * sides * (of["BUF_BEATS"] * beat // 8 // operands_each) * width
        found.append(Memory("largest exponents of blocks", bounds, ONE_PORT))
        found.append(Memory("command queue", of["QUEUE_DEPTH"] * COMMAND_BITS, TWO_PORTS))
    return found


def um2(of: dict[str, int]) -> float:
    return sum(one.um2 for one in memories(of))


def markdown(found: list[Memory]) -> str:
    lines = [
        [
            one.name,
            f"{one.bits:,}",
            one.macro.ports,
            f"{one.macro.um2_per_bit:.1f}",
            f"{one.um2:,.0f}",
        ]
        for one in found
    ]
    lines.append(
        [
            "all",
            f"{sum(one.bits for one in found):,}",
            "",
            "",
            f"{sum(one.um2 for one in found):,.0f}",
        ]
    )
    return tables.table(["memory", "bits", "macro", "um2 per bit", "area in sky130, um2"], lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth memories", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--config", default="", help="NAME=VALUE parameters, beside the defaults")
    options = parser.parse_args(arguments)
    try:
        of = {
            name: value
            for name, value in defaults.parameters(build=options.build).items()
            if isinstance(value, int)
        }
        for word in options.config.replace(",", " ").split():
            name, _, value = word.partition("=")
            request.choice("CONFIG", name, tuple(of))
            of[name] = int(request.number(name, value, 1, 1 << 20))
        found = memories(of)
    except (UsageError, FlowError) as error:
        print(f"make synth-memories: {error}", file=sys.stderr)
        return 2
    print(markdown(found))
    for macro in dict.fromkeys(one.macro for one in found):
        width, height = macro.size
        print(
            f"{macro.um2_per_bit:.2f} um2 per bit: {macro.name}, {width} x {height} um, {macro.source}"
        )
    path = options.build / "synth" / "memories.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [
        {"name": one.name, "bits": one.bits, "macro": one.macro.name, "um2": one.um2}
        for one in found
    ]
    path.write_text(json.dumps({"parameters": of, "memories": records}, indent=1) + "\n")
    return 0
