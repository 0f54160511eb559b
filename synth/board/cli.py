# SPDX-License-Identifier: Apache-2.0
"""python -m synth board: the chip of rtl/board mapped to the cells of an ECP5, for nextpnr to place and route.

Yosys reads the sources in a folder of its own, OUT/map. Ibex's modules are found by their names there. Clock gates become
enables (enables.py). `--verilog` writes the flat design behind this step instead, for a simulation.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from ..flow import yosys
from ..flow.errors import FlowError, UsageError, exit_status
from ..flow.recipe import CLOCK_GATE
from .enables import with_enables

TOP = "fp8mac_ulx3s"
PROGRAM = "program.hex"

# The reader refuses this variable of Ibex, whose first value depends on signals. A net has the same meaning.
IBEX_EDIT = ("ibex_top.sv", "logic unused_scramble_inputs = ", "wire unused_scramble_inputs = ")


def stage(folder: Path, options: argparse.Namespace) -> list[str]:
    """Copies the sources into the folder. Returns their names, packages first."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("include", "ibex", "source"):
        (folder / name).mkdir(parents=True)
    for include in options.include:
        for file in (*include.glob("*.svh"), *include.glob("*.sv")):
            shutil.copy(file, folder / "include")
    for file in (options.ibex / "rtl").glob("*.sv"):
        shutil.copy(file, folder / "ibex")
    name, old, new = IBEX_EDIT
    text = (folder / "ibex" / name).read_text()
    if text.count(old) != 1:
        raise FlowError(f"Ibex's {name} has {text.count(old)} times '{old}', and one is expected")
    (folder / "ibex" / name).write_text(text.replace(old, new))
    for file in options.sources:
        shutil.copy(file, folder / "source")
    shutil.copy(options.program, folder / PROGRAM)
    names = [f"source/{file.name}" for file in options.sources]
    if len(set(names)) != len(names):
        raise UsageError("two sources have the same name")
    return sorted(names, key=lambda name: not name.endswith("_pkg.sv"))


def front(names: list[str], options: argparse.Namespace) -> str:
    defines = " ".join(f"-D {define}" for define in ("SYNTHESIS", *options.define))
    return "\n".join(
        (
            f'read_slang --threads 1 --ignore-assertions --top {TOP} -G PROGRAM="{PROGRAM}"'
            f" --blackboxed-module {CLOCK_GATE} -I include -y ibex --libext .sv {defines} {' '.join(names)}",
            f"hierarchy -check -top {TOP}",
            "proc",
            "flatten",
            "opt_clean",
            "write_rtlil front.il",
            "",
        )
    )


BACK = {
    "map": (
        f"synth_ecp5 -top {TOP} -json mapped.json",
        "tee -q -o stat.json stat -json",
        "check -mapped -assert",
    ),
    "verilog": ("write_verilog -noattr flat.v",),
}


def run(options: argparse.Namespace) -> int:
    step = "verilog" if options.verilog else "map"
    folder = options.out.parent / f"{options.out.stem}_{step}"
    (folder.parent).mkdir(parents=True, exist_ok=True)
    names = stage(folder, options)
    (folder / "front.ys").write_text(front(names, options))
    yosys.run(folder, "front", ("front.il",))
    text, count = with_enables((folder / "front.il").read_text(), TOP)
    if not count:
        raise FlowError(
            "no register is behind a clock gate: the array has one", folder / "front.log"
        )
    (folder / "enabled.il").write_text(text)
    product = "flat.v" if options.verilog else "mapped.json"
    (folder / "back.ys").write_text("\n".join(("read_rtlil enabled.il", *BACK[step], "")))
    yosys.run(folder, "back", (product,))
    shutil.copy(folder / product, options.out)
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth board", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the mapped netlist, for nextpnr")
    parser.add_argument("--ibex", type=Path, required=True, help="Ibex's sources")
    parser.add_argument(
        "--include", type=Path, action="append", default=[], help="a folder of included files"
    )
    parser.add_argument("--define", action="append", default=[], help="a macro, NAME=VALUE")
    parser.add_argument("--program", type=Path, required=True, help="the RAM's first contents")
    parser.add_argument("--verilog", action="store_true", help="write the flat design instead")
    parser.add_argument("sources", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    return exit_status("fpga", lambda: run(options))
