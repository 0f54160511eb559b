# SPDX-License-Identifier: Apache-2.0
"""python -m synth fpga: cells of an FPGA that Yosys maps the default element, its INT8 baseline and the accelerator to.

Counts only: Yosys neither places nor routes, and no clock is confirmed. The element's leaves are logic like the rest; full
adders written as gates do not use the carry chains of an FPGA. The accelerator has its memories.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..flow import sources, yosys
from ..flow.cache import Cache, key_of
from ..flow.errors import UsageError, exit_status
from ..flow.runs import Design
from ..flow.schedule import Task, run_all
from . import accel, defaults, request, tables
from .elements import source_folders


@dataclass(frozen=True)
class Target:
    """A family of FPGAs: Yosys's command, and what its cells count as. A cell's weight is the number of its kind that it
    takes up."""

    title: str
    command: str
    kinds: tuple[tuple[str, str, float], ...]  # (column, cells, weight)


COLUMNS = ("LUT", "flip-flop", "DSP", "block RAM", "distributed RAM", "carry")
TARGETS = {
    "xilinx": Target(
        "Xilinx 7 series",
        "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
        (
            ("LUT", r"LUT[1-6]", 1),
            ("flip-flop", r"FD[RSCP]E(_1)?", 1),
            ("DSP", r"DSP48E1", 1),
            ("block RAM", r"RAMB36E1", 1),
            ("block RAM", r"RAMB18E1", 0.5),
            ("distributed RAM", r"RAM\d+(X1[SD]|M\w*|X\w*)|SRL\w+", 1),
            ("carry", r"CARRY4", 1),
        ),
    ),
    "ecp5": Target(
        "Lattice ECP5",
        "synth_ecp5 -noabc9",
        (
            ("LUT", r"LUT4", 1),
            ("LUT", r"CCU2C", 2),
            ("flip-flop", r"TRELLIS_FF", 1),
            ("DSP", r"MULT18X18D", 1),
            ("block RAM", r"DP16KD", 1),
            ("distributed RAM", r"TRELLIS_DPR16X4", 1),
            ("carry", r"CCU2C", 1),
        ),
    ),
}


def counts(target: Target, cells: dict[str, int]) -> dict[str, float]:
    found: Counter[str] = Counter()
    for cell, number in cells.items():
        for column, pattern, weight in target.kinds:
            if re.fullmatch(pattern, cell):
                found[column] += weight * number
    return {column: found[column] for column in COLUMNS}


def script(target: Target, design: Design, files: list[str]) -> str:
    values = " ".join(f"-G {name}={value}" for name, value in design.parameters)
    return "\n".join(
        (
            f"read_slang --threads 1 --ignore-assertions --top {design.top} {values} {' '.join(files)}",
            f"{target.command} -top {design.top}",
            "tee -q -o stat.json stat -json",
            "",
        )
    )


class Mapper:
    def __init__(self, build: Path, target: Target):
        self.files = sources.index(source_folders(build))
        self.cache = Cache(build / "synth")
        self.target = target

    def cells(self, design: Design) -> dict[str, int]:
        """Cell type to number."""
        used = sources.closure(design.top, self.files)
        sources.check_parameters(self.files[design.top], dict(design.parameters))
        texts = {file.name: file.read_text() for file in used}
        text = script(self.target, design, list(texts))

        def make(folder: Path) -> None:
            for name, content in {**texts, "fpga.ys": text}.items():
                (folder / name).write_text(content)
            yosys.run(folder, "fpga", ("stat.json",))

        key = key_of({"fpga.ys": text, "yosys": yosys.version(), **texts})
        folder = self.cache.get(key, make)[0]
        return json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]


def designs(options: argparse.Namespace) -> dict[str, Design]:
    """The element and its baseline, by default those of the accelerator; and the accelerator."""
    usual = defaults.parameters()
    own = request.entry(
        options.element or str(usual["ELEMENT"]),
        options.lanes or str(usual["LANES"]),
        options.frac_bits,
    )
    found = {own.name: own.design}
    if own.baseline:
        found[own.baseline.name] = own.baseline.design
    config = accel.parameters(options.config)
    text = " ".join(f"{name}={value}" for name, value in config.items())
    return {**found, f"accelerator, {text}": Design(accel.TOP, tuple(config.items()))}


def run(options: argparse.Namespace) -> int:
    request.choice("TARGET", options.target, tuple(TARGETS))
    target = TARGETS[options.target]
    wanted = {
        name: design for name, design in designs(options).items() if re.search(options.only, name)
    }
    if not wanted:
        raise UsageError(f"ONLY={options.only} matches none of " + " ".join(designs(options)))
    mapper = Mapper(options.build, target)
    jobs = int(request.number("JOBS", options.jobs or str(os.cpu_count() or 1), 1, 1024))
    start = time.monotonic()
    results, failures = run_all(
        [
            Task(
                name,
                float(design.top == accel.TOP),
                lambda design=design: counts(target, mapper.cells(design)),
                lambda found: ", ".join(f"{value:g} {name}" for name, value in found.items()),
            )
            for name, design in wanted.items()
        ],
        jobs,
    )
    for name, error in failures.items():
        print(f"FAILED {name}: {error}" + (f"; see {error.log}" if error.log else ""))
    records = [
        {
            "name": name,
            "target": options.target,
            "parameters": dict(wanted[name].parameters),
            **results[name],
        }
        for name in wanted
        if name in results
    ]
    text = f"# {target.title}, {target.command}\n\n" + tables.table(
        ["design", *COLUMNS],
        [[one["name"], *(f"{one[column]:,g}" for column in COLUMNS)] for one in records],
    )
    folder = options.build / "synth"
    (folder / f"fpga_{options.target}.json").write_text(
        json.dumps({"yosys": yosys.version(), "records": records}, indent=1) + "\n"
    )
    (folder / f"fpga_{options.target}.md").write_text(text)
    print(
        f"\n{text}\n  SYNTH     {folder}/fpga_{options.target}.json and .md, {time.monotonic() - start:.0f} s"
    )
    return 1 if failures else 0


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth fpga", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--target", default="xilinx", help=" or ".join(TARGETS))
    add("--element", default="", help="the kind; by default the accelerator's")
    add("--lanes", default="", help="products a cycle; by default the accelerator's")
    add("--frac-bits", default="", help="fraction bits of the alignment window")
    add(
        "--config",
        default="",
        help="NAME=VALUE parameters of the accelerator, beside the defaults",
    )
    add("--only", default="", help="designs whose name matches this regular expression")
    add("--jobs", default="", help="runs at a time; the default is the number of cores")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    return exit_status("synth", lambda: run(options))
