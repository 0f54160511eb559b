# SPDX-License-Identifier: Apache-2.0
"""python -m synth functions: what each function of the accelerator costs. The accelerator is synthesised with all of them,
without each, and without all, which is the minimal one.

Each is one flat netlist of the first effort, as it was mapped: its paths and nets are not repaired, which would take hours
and add noise that is larger than a small function. So no clock is confirmed. Blocks, which stand many times, are
synthesised and repaired once each, as in accel.py, and count as often as they stand. Memories are bits.

With APART=1 all modules stay apart, which is faster: one that two accelerators share is mapped once. Then a constant does
not make the modules behind it smaller, so that prices are too low.

Results: build/synth/functions.json and functions.md.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from ..flow import blocks as paths
from ..flow import gates, identity, recipe
from ..flow.cache import Cache
from ..flow.errors import exit_status
from ..flow.liberty import Library
from ..flow.modules import Mapper
from ..flow.runs import Design, Synthesiser, instances
from . import accel, commands, libraries, memories, tables
from .elements import CLOCK_GATE, source_folders
from .run import made_by

GOAL = "synth-functions"
ALL, MINIMAL = "all", "minimal"
WIDTH, BEAT = "AXI_DATA_W", 128  # bits, the default
UNNAMED = (
    "no name"  # words of small memories, which synthesis names itself, and the top level's own
)
# What a function needs goes with it.
NEEDED_BY = {"ELEMENTWISE": ("ROW_COMMANDS",)}


@dataclass(frozen=True)
class Found:
    """An accelerator without a function."""

    name: str  # of what is left out, or ALL for nothing and MINIMAL for everything
    parameters: dict[str, int]
    logic: float  # with blocks
    blocks: float
    bits: int  # of memories
    memory_um2: float  # of memories, by the macros of memories.py
    registers: dict[
        str, float
    ]  # the area of flip-flops by instance of the top level, without blocks
    parts: dict[str, float]  # with APART=1 the area by instance of the top level, without blocks


def without(name: str, functions: list[str]) -> dict[str, int]:
    """The parameters that leave a function out."""
    if name == ALL:
        return {}
    left_out = functions if name == MINIMAL else (name, *NEEDED_BY.get(name, ()))
    return dict.fromkeys((one for one in left_out if one in functions), 0)


class Meter:
    def __init__(self, synthesiser: Synthesiser, build: Path, period: float, apart: bool = False):
        self.synthesiser = synthesiser
        self.build = build
        self.period = period
        self.apart = apart
        self.known: dict[Design, float] = {}

    @cached_property
    def mapper(self) -> Mapper:
        return Mapper(self.synthesiser.library, self.synthesiser.cache, self.synthesiser.tools)

    def block(self, design: Design) -> float:
        if design not in self.known:
            efforts = [effort.name for effort in recipe.EFFORTS]
            result, _ = accel.measure(self.synthesiser, design, self.period, efforts)
            self.known[design] = result.area
        return self.known[design]

    def measure(self, name: str, parameters: dict[str, int]) -> Found:
        design, inner = accel.design_of(parameters, self.synthesiser.files)
        effort, seed = recipe.EFFORTS[0], recipe.SEEDS[0]
        if self.apart:
            read = self.synthesiser.read(design)
            modules, areas = self.mapper.areas(read, design, effort, self.period)
            top = f"\\{design.top}"
            area, parts = modules.area(top, areas), modules.parts(top, areas)
            counts = Counter(box.module for box in instances(read))
        else:
            made = self.synthesiser.run(design, self.period, effort, seed, repaired=False)
            area, counts, parts = made.area, made.boxes, {}
        blocks = sum(counts[one] * self.block(its) for one, its in inner.items() if counts[one])
        gate_area = counts.get(CLOCK_GATE, 0) * gates.area(self.synthesiser.library)
        rams = memories.memories(parameters, self.build, self.build / "synth/memories")
        bits, um2 = (sum(getattr(one, key) for one in rams) for key in ("bits", "um2"))
        logic = area + blocks + gate_area
        netlist = None if self.apart else Path(made.netlist, "netlist.v")
        registers = self.registers(netlist.read_text()) if netlist else {}
        return Found(name, parameters, logic, blocks, bits, um2, registers, parts)

    def registers(self, netlist: str) -> dict[str, float]:
        """From the largest"""
        library = self.synthesiser.library
        each = library.cells[library.flip_flop().cell].area
        ends, _ = paths.ends_of(netlist, library, 1)
        areas = {
            UNNAMED if one == paths.PORTS else one: each * sum("/" in name for name in names)
            for one, names in ends.items()
        }
        return dict(sorted(areas.items(), key=lambda item: -item[1]))


def prices(found: list[dict]) -> str:
    """What leaving out each function saves. FOUND are the fields of Found."""
    whole = next(one for one in found if one["name"] == ALL)
    lines = [
        [
            one["name"] if one["name"] == MINIMAL else f"`{one['name']}`",
            tables.number(whole["logic"] - one["logic"]),
            f"{100 * (1 - one['logic'] / whole['logic']):.1f} %",
            tables.number(whole["bits"] - one["bits"]),
            tables.number(one["logic"]),
        ]
        for one in found
        if one is not whole
    ]
    head = ["left out", "area saved", "of the logic", "bits of memory saved", "logic that stays"]
    return tables.table(head, lines)


def summary(measured: list[tuple[str, list[dict]]]) -> str:
    """The share of each function in the accelerator from which it was left out: a title and the fields of Found"""
    lines = []
    for title, found in measured:
        whole = next(one for one in found if one["name"] == ALL)
        for one in found:
            if one is whole:
                continue
            lines.append(
                [
                    "all that can be left out" if one["name"] == MINIMAL else f"`{one['name']}`",
                    title,
                    tables.number(whole["logic"] - one["logic"]),
                    f"{100 * (1 - one['logic'] / whole['logic']):.1f} %",
                    tables.number(whole["bits"] - one["bits"]),
                ]
            )
    head = ["function", "of an accelerator", "its area", "of the logic", "bits of memory"]
    return tables.table(head, lines)


def parts(found: list[dict]) -> str:
    """The instances of the top level, of the whole accelerator, without blocks"""
    whole = next(one for one in found if one["name"] == ALL)
    lines = [
        [f"`{name}`", tables.number(area), f"{100 * area / whole['logic']:.1f} %"]
        for name, area in whole["parts"].items()
    ]
    return tables.table(["instance", "area without blocks", "of the logic"], lines)


def growth(before: dict, measured: dict) -> str:
    """Blocks and instances of the default accelerator: in accel_before.json, and in functions_rows.json"""
    whole = next(one for one in measured["functions"] if one["name"] == ALL)
    inside = whole["blocks"] + sum(whole["parts"].values())
    sides = [before["area_by_block"], {**whole["parts"], "top": whole["logic"] - inside}]
    sides = [{name.rpartition(".")[2]: area for name, area in side.items()} for side in sides]
    blocks = sum(one["count"] * one["area"] for one in before["blocks"]), whole["blocks"]
    names = sorted({**sides[1], **sides[0]}, key=lambda name: -sides[1].get(name, 0))
    lines = [[f"`{name}`", *(tables.number(side.get(name, 0)) for side in sides)] for name in names]
    lines.insert(0, ["elements and operators of the epilogue", *map(tables.number, blocks)])
    sums = (total + sum(side.values()) for total, side in zip(blocks, sides, strict=True))
    lines.append(["all", *map(tables.number, sums)])
    dates = before["run"]["date"], measured["run"]["date"]
    return tables.table(["block or instance", *dates], lines)


def several_beats(known: list[dict]) -> list[list[dict]]:
    """Of accelerators of accel_shapes.json, those that differ in the width of a beat alone, by that width"""
    shapes: dict[tuple, list[dict]] = {}
    for one in known:
        of = {name: value for name, value in one["parameters"].items() if name != WIDTH}
        shapes.setdefault(tuple(of.items()), []).append(one)
    width = lambda one: one["parameters"][WIDTH]
    found = [sorted(its, key=width) for its in shapes.values() if len(its) > 1]
    return [its for its in found if BEAT in map(width, its)]


def beats(known: list[dict]) -> str:
    """What wider and narrower beats cost"""
    lines = []
    for its in several_beats(known):
        usual = next(one["logic"] for one in its if one["parameters"][WIDTH] == BEAT)
        for one in its:
            of = one["parameters"]
            shape = " x ".join(str(of[name]) for name in ("ROWS", "COLS", "LANES"))
            areas = (tables.number(area) for area in (one["logic"], one["logic"] - usual))
            lines.append([shape, str(of[WIDTH]), *areas])
    return tables.table(["shape", "bits of a beat", "logic", f"more than with {BEAT}"], lines)


def largest(found: list[dict], count: int = 10) -> str:
    """The registers of the whole accelerator and of the minimal one, by instance."""
    whole, least = (next(one for one in found if one["name"] == name) for name in (ALL, MINIMAL))
    lines = [
        [f"`{name}`", *(tables.number(one["registers"].get(name, 0.0)) for one in (whole, least))]
        for name in list(whole["registers"])[:count]
    ]
    return tables.table(["instance", "flip-flops, all functions", "minimal"], lines)


def run(options: argparse.Namespace) -> int:
    library = Library([libraries.LIBRARIES[libraries.FIRST][0]])
    folder = options.build / "synth"
    synthesiser = Synthesiser(library, source_folders(options.build), Cache(folder))
    meter = Meter(synthesiser, options.build, libraries.HEADLINE_PERIOD, bool(options.apart))
    of = accel.parameters(options.config, build=options.build)
    functions = options.functions.split()
    whole, inner = accel.design_of(of, synthesiser.files)
    rtl = identity.of_designs((whole, *inner.values()), synthesiser.files, options.build)
    names = [name for name in (*functions, MINIMAL) if re.search(options.only, name)]
    given = {"APART": options.apart, "CONFIG": options.config, "ONLY": options.only}
    data = {
        "apart": bool(options.apart),
        "functions": [],
        "config": options.config,
        "run": {"command": commands.spelled(GOAL, given), **made_by(synthesiser.tools, rtl)},
    }
    for name in (ALL, *names):
        start = time.monotonic()
        one = meter.measure(name, {**of, **without(name, functions)})
        found = data["functions"]
        if found and one.logic == found[0]["logic"]:
            continue  # the accelerator of these parameters does not have it
        found.append(asdict(one))
        print(
            f"  FUNCTIONS {name}: {one.logic:,.0f}, of which blocks {one.blocks:,.0f}; {one.bits:,} bits "
            f"({time.monotonic() - start:.0f} s)",
            flush=True,
        )
        # What is found so far stays if the run is interrupted
        (folder / "functions.json").write_text(json.dumps(data, indent=1) + "\n")
    text = prices(found)
    (folder / "functions.md").write_text(text + "\n")
    print(text)
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth functions", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--config", default="", help="NAME=VALUE parameters, beside the defaults")
    add("--functions", required=True, help="the parameters of functions that can be left out")
    add("--only", default="", help="those whose name matches this regular expression")
    add("--apart", default="", help="1: the modules of the top level stay apart")
    options = parser.parse_args(arguments)
    return exit_status(GOAL, lambda: run(options))
