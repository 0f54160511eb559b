# SPDX-License-Identifier: Apache-2.0
"""python -m synth fpga: cells of an FPGA that Yosys maps the default element, its INT8 baseline and the accelerator to.

Counts only: Yosys neither places nor routes, and no clock is confirmed. Full adders written as gates do not use the carry
chains of an FPGA, nor do Booth products use its DSPs. So the leaves are those of rtl/behavioural. The element and its
baseline are mapped with the leaves of the chip too, and block accumulation with rtl/fpga.

The accelerator has its memories. Modules that stand many times in it are mapped once each, as in `python -m synth accel`,
and count as often as they stand in it. They begin and end with registers. Each module of the top level is mapped
flat, because one flat run of all of it does not end in reasonable time. Logic is then not simplified across the borders
of these modules. A clock gate is left out: an FPGA has a clock buffer with an enable in its
place.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ..flow import identity, recipe, runs, sources, yosys
from ..flow.cache import Cache, key_of
from ..flow.errors import UsageError, exit_status
from ..flow.runs import Design
from ..flow.schedule import Task, run_all
from . import accel, commands, defaults, request, tables
from .elements import BEHAVIOURAL, CLOCK_GATE, FOR_FPGA, int8, source_folders
from .run import made_by

ACCELERATOR = "accelerator"
CLUSTER = "fp8mac_block_cluster"  # what rtl/fpga has another form for


@dataclass(frozen=True)
class Target:
    """A family of FPGAs: Yosys's command, and what its cells count as. A cell's weight is the number of its kind that it
    takes up."""

    title: str
    command: str  # maps a flat design
    apart: str  # maps each module of a design
    kinds: tuple[tuple[str, str, float], ...]  # (column, cells, weight)


COLUMNS = ("LUT", "flip-flop", "DSP", "block RAM", "distributed RAM", "carry")
TARGETS = {
    "xilinx": Target(
        "Xilinx 7 series",
        "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
        "synth_xilinx -family xc7 -noiopad -noclkbuf",
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
        "synth_ecp5 -noabc9 -noflatten",
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


def counts(target: Target, cells: Mapping[str, int]) -> dict[str, float]:
    found: Counter[str] = Counter()
    for cell, number in cells.items():
        for column, pattern, weight in target.kinds:
            if re.fullmatch(pattern, cell):
                found[column] += weight * number
    return {column: found[column] for column in COLUMNS}


def scripts(target: Target, design: Design, files: list[str]) -> dict[str, str]:
    """Yosys scripts: fpga.ys writes stat.json. With black boxes it reads apart.il, which boxes.py makes of what
    instances.ys writes, and maps each module of the top level."""
    apart = bool(design.black_boxes)
    reads = " ".join(
        (
            "read_slang --threads 1 --ignore-assertions",
            *(("--best-effort-hierarchy",) if apart else ()),
            f"--top {design.top}",
            *(f"-G {name}={value}" for name, value in design.parameters),
            *(f"--blackboxed-module {name}" for name in design.black_boxes),
            *files,
        )
    )
    command = target.apart if apart else target.command
    maps = (f"{command} -top {design.top}", "tee -q -o stat.json stat -json", "")
    if not apart:
        return {"fpga.ys": "\n".join((reads, *maps))}
    # The reader names a module after its instance: module$top.instance.instance
    inside = f"*${design.top}."
    flat = (f"setattr -mod -set keep_hierarchy 1 {inside}* {inside}*.* %d", "flatten")
    return {
        "instances.ys": recipe.instances(reads),
        "fpga.ys": "\n".join(("read_rtlil apart.il", *flat, *maps)),
    }


@dataclass(frozen=True)
class Part:
    """What is mapped once and stands `count` times in a design."""

    name: str
    count: int
    cells: dict[str, float]  # by column, of one


@dataclass(frozen=True)
class Whole:
    """A design, and those of its black boxes that count."""

    design: Design
    blocks: dict[str, Design] = field(default_factory=dict)


class Mapper:
    def __init__(self, build: Path, target: Target):
        self.files = sources.index(source_folders(build))
        self.cache = Cache(build / "synth")
        self.target = target

    def cells(self, design: Design) -> Counter[str]:
        """Cell type to number. Black boxes count by their names."""
        known = {**self.files, **sources.index(map(Path, design.folders))}
        used = sources.closure(design.top, known, design.black_boxes)
        sources.check_parameters(known[design.top], dict(design.parameters))
        texts = {file.name: file.read_text() for file in used}
        for box in design.black_boxes:
            texts[known[box].name] = sources.ports_only(texts[known[box].name])
        commands = scripts(self.target, design, list(texts))

        def make(folder: Path) -> None:
            for name, content in {**texts, **commands}.items():
                (folder / name).write_text(content)
            if design.black_boxes:
                runs.uniquify(folder, design.black_boxes)
            yosys.run(folder, "fpga", ("stat.json",))
            (folder / "apart.il").unlink(missing_ok=True)

        key = key_of({**commands, "yosys": yosys.version(), **texts})
        folder = self.cache.get(key, make)[0]
        found: Counter[str] = Counter()
        stat = json.loads((folder / "stat.json").read_text())
        for cell, number in stat["design"]["num_cells_by_type"].items():
            box = re.sub(r"__\d+$", "", cell)
            found[box if box in design.black_boxes else cell] += number
        return found

    def parts(self, whole: Whole) -> list[Part]:
        """What a design has beside its blocks, then its blocks."""
        flat = self.cells(whole.design)
        inside = [
            Part(name, flat[name], counts(self.target, self.cells(one)))
            for name, one in whole.blocks.items()
        ]
        return [Part("everything else", 1, counts(self.target, flat)), *inside]


def total(parts: list[Part]) -> dict[str, float]:
    return {column: sum(part.count * part.cells[column] for part in parts) for column in COLUMNS}


def behavioural(design: Design) -> Design:
    return replace(design, folders=BEHAVIOURAL)


def accelerator(config: dict[str, int]) -> Whole:
    blocks = {name: behavioural(one) for name, one in accel.blocks_of(config).items()}
    flat = Design(accel.TOP, tuple(config.items()), (CLOCK_GATE, *blocks))
    return Whole(behavioural(flat), blocks)


def designs(options: argparse.Namespace) -> dict[str, Whole]:
    """The element and its baseline, by default those of the accelerator; the accelerator, and each of its blocks alone."""
    usual = defaults.parameters(build=options.build)
    own = request.entry(
        options.element or str(usual["ELEMENT"]),
        options.lanes or str(usual["LANES"]),
        options.frac_bits,
    )
    found = {}
    for entry in (own, own.baseline):
        if entry:
            found[entry.name] = Whole(entry.design)
            plain = int8(entry.lanes, True).design if entry.kind == "int8" else entry.design
            found[f"{entry.name}, behavioural"] = Whole(behavioural(plain))
            if entry.family == "block":
                found[f"{entry.name}, for an FPGA"] = Whole(replace(plain, folders=FOR_FPGA))
    whole = accelerator(accel.parameters(options.config, build=options.build))
    blocks = {f"{name}, behavioural": Whole(one) for name, one in whole.blocks.items()}
    if CLUSTER in whole.blocks:
        aligned = replace(whole.blocks[CLUSTER], folders=FOR_FPGA)
        blocks[f"{CLUSTER}, for an FPGA"] = Whole(aligned)
    return {**found, **blocks, ACCELERATOR: whole}


def command(options: argparse.Namespace) -> str:
    """With what was given"""
    names = ("target", "element", "lanes", "frac_bits", "config", "only")
    return commands.spelled("synth", {name.upper(): getattr(options, name) for name in names})


def run(options: argparse.Namespace) -> int:
    request.choice("TARGET", options.target, tuple(TARGETS))
    target = TARGETS[options.target]
    wanted = {
        name: whole for name, whole in designs(options).items() if re.search(options.only, name)
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
                float(name == ACCELERATOR),
                lambda whole=whole: mapper.parts(whole),
                lambda parts: ", ".join(
                    f"{value:g} {name}" for name, value in total(parts).items()
                ),
            )
            for name, whole in wanted.items()
        ],
        jobs,
    )
    for name, error in failures.items():
        print(f"FAILED {name}: {error}" + (f"; see {error.log}" if error.log else ""))
    records = [
        {
            "name": name,
            "target": options.target,
            "parameters": dict(wanted[name].design.parameters),
            **total(results[name]),
            "parts": [asdict(part) for part in results[name]] if wanted[name].blocks else [],
        }
        for name in wanted
        if name in results
    ]
    read = [one for whole in wanted.values() for one in (whole.design, *whole.blocks.values())]
    made = {
        "command": command(options),
        **made_by(
            {"yosys": yosys.version()}, identity.of_designs(read, mapper.files, options.build)
        ),
    }
    text = f"# {target.title}, {target.command}\n\n" + tables.fpga({"records": records})
    folder = options.build / "synth"
    (folder / f"fpga_{options.target}.json").write_text(
        json.dumps({"yosys": yosys.version(), "records": records, "run": made}, indent=1) + "\n"
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
