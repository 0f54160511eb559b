# SPDX-License-Identifier: Apache-2.0
"""python -m synth memories: the accelerator's memories, and their area from a stated area of a bit.

Yosys elaborates the sources with the parameters chosen, and every instance of a memory's module counts. FIFOs and tables of
a few words are registers, which are cells of the library and not counted here.

Nothing is synthesised. A chip uses memory macros, whose area per bit depends on the process, the ports and the size. The
figures below are outlines of published macros for SkyWater 130 nm, divided by their bits. They suit the elements' areas in
sky130_fd_sc_hd, which are in um2 too. Memories smaller than the macro take more area for each bit.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ..flow import identity, recipe, sources, yosys
from ..flow.errors import FlowError, UsageError
from . import accel, commands, tables
from .elements import source_folders
from .run import made_by

GOAL = "synth-memories"


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
# A byte_ram and a two_port_ram have one port to write and one to read.
MACROS = {
    "fp8mac_ram": ONE_PORT,
    "fp8mac_byte_ram": TWO_PORTS,
    "fp8mac_two_port_ram": TWO_PORTS,
}
# Modules without memories. Without their bodies the memories are found in seconds.
WITHOUT = (
    *(f"fp8mac_{name}" for name in ("feed", "grid", "readout", "regs", "compute")),
    *(f"fp8mac_{name}" for name in ("fp32_mul", "fp32_add", "fp32_to_fmt", "simon64")),
    *(f"fp8mac_{name}" for name in ("exp2_split", "tanh_split", "newton_table", "rows_program")),
    *(f"fp8mac_{name}" for name in ("list", "fetch", "cmd_walk", "cmd_check", "load")),
    *(
        f"fp8mac_{name}"
        for name in ("image_strips", "store", "write_out", "records", "report", "counters")
    ),
)


@dataclass(frozen=True)
class Memory:
    """A memory of the sources. Its instances differ in the numbers of rows, columns and halves alone."""

    instances: str  # their path, with a star for such a number
    module: str
    count: int
    words: int
    width: int

    @property
    def bits(self) -> int:
        return self.count * self.words * self.width

    @property
    def macro(self) -> Macro:
        return MACROS[self.module]

    @property
    def um2(self) -> float:
        return self.bits * self.macro.um2_per_bit


def memories(parameters: dict[str, int], build: Path, folder: Path) -> list[Memory]:
    """Those of an accelerator with these parameters, by their paths. Works in `folder`, which is emptied first."""
    count = Counter(
        (re.sub(r"\[\d+\]", "[*]", path), *shape)
        for path, *shape in _memories(_elaborate(parameters, build, folder), accel.TOP)
    )
    return [
        Memory(instances, module, number, words, width)
        for (instances, module, words, width), number in sorted(count.items())
    ]


def _elaborate(parameters: dict[str, int], build: Path, folder: Path) -> dict[str, dict]:
    """The accelerator's modules, an own one for each instance, as Yosys writes them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = sources.index(source_folders(build))
    sources.check_parameters(files[accel.TOP], parameters)
    own = sources.closure(accel.TOP, files)
    for path in own:
        text = path.read_text()
        (folder / path.name).write_text(sources.ports_only(text) if path.stem in WITHOUT else text)
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    boxes = (*recipe.ADDERS, *recipe.GATES, *WITHOUT)
    left_out = " ".join(f"--blackboxed-module {name}" for name in boxes)
    names = " ".join(path.name for path in own)
    (folder / "accel.ys").write_text(
        f"read_slang --threads 1 --ignore-assertions --keep-hierarchy --top {accel.TOP} {values} {left_out} {names}\n"
        "proc\nwrite_json accel.json\n"
    )
    yosys.run(folder, "accel", ("accel.json",))
    return json.loads((folder / "accel.json").read_text())["modules"]


def _memories(
    modules: dict[str, dict], name: str, path: str = ""
) -> Iterator[tuple[str, str, int, int]]:
    """Of each memory below a module: its instance's path, its module's name, words, and bits of a word."""
    base = name.partition("$")[0]
    if base in MACROS:
        (memory,) = modules[name]["memories"].values()
        yield path, base, memory["size"], memory["width"]
    for instance, cell in modules[name]["cells"].items():
        if cell["type"] in modules:
            yield from _memories(modules, cell["type"], f"{path}.{instance}" if path else instance)


def shapes(found: list[Memory]) -> str:
    """The table of docs/INTEGRATION.md. fp8mac_ram_256x128 is the module fp8mac_ram with 256 words of 128 bits."""
    lines = [
        [
            f"`{one.instances}`",
            f"`{one.module}_{one.words}x{one.width}`",
            *(f"{n:,}" for n in (one.count, one.words, one.width, one.bits)),
        ]
        for one in found
    ]
    total = sum(one.bits for one in found)
    lines.append(["all", "", f"{sum(one.count for one in found)}", "", "", f"{total:,}"])
    return tables.table(["instances", "module", "count", "words", "bits of a word", "bits"], lines)


def areas(found: list[Memory]) -> str:
    lines = [
        [
            f"`{one.instances}`",
            f"{one.bits:,}",
            one.macro.ports,
            f"{one.macro.um2_per_bit:.1f}",
            f"{one.um2:,.0f}",
        ]
        for one in found
    ]
    bits, um2 = (sum(getattr(one, key) for one in found) for key in ("bits", "um2"))
    lines.append(["all", f"{bits:,}", "", "", f"{um2:,.0f}"])
    return tables.table(["memory", "bits", "macro", "um2 per bit", "area in sky130, um2"], lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth memories", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--config", default="", help="NAME=VALUE parameters, beside the defaults")
    options = parser.parse_args(arguments)
    folder = options.build / "synth"
    try:
        of = accel.parameters(options.config, build=options.build)
        found = memories(of, options.build, folder / "memories")
    except (UsageError, FlowError) as error:
        print(f"make {GOAL}: {error}", file=sys.stderr)
        return 2
    print(areas(found))
    for macro in dict.fromkeys(one.macro for one in found):
        width, height = macro.size
        print(
            f"{macro.um2_per_bit:.2f} um2 per bit: {macro.name}, {width} x {height} um, {macro.source}"
        )
    files = sources.closure(accel.TOP, sources.index(source_folders(options.build)))
    made = made_by({"yosys": yosys.version()}, identity.of_files(files, options.build))
    run = {"command": commands.spelled(GOAL, {"CONFIG": options.config}), **made}
    records = {"parameters": of, "memories": list(map(asdict, found)), "run": run}
    (folder / "memories.json").write_text(json.dumps(records, indent=1) + "\n")
    return 0
