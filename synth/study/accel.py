# SPDX-License-Identifier: Apache-2.0
"""python -m synth accel: the accelerator without its memories, at a clock that OpenSTA confirms.

Memories are black boxes: a path to or from one is timed as if a flip-flop stood there. A clock gate is one cell of the
library, and the clock behind it is ideal like the other. CLOCK_GATES=N inserts more of them: one before flip-flops with
the same enable, if they are at least N. Modules that stand many times in the chip, and begin and end
with registers, are blocks: each is synthesised and timed alone, once, and counts as often as it stands in the chip.
Everything else is one flat netlist. BOXES= leaves out other modules too. PART=MODULE measures one module alone.

Results: build/synth/accel.json and accel.md, with the area and the worst path of each block. Areas by block come from a
second netlist that keeps its modules apart, as in the tables of boxes.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path
from typing import Any

from ..flow import blocks, fo4, gates, identity, recipe, sources, sta
from ..flow.cache import Cache
from ..flow.errors import UsageError, exit_status
from ..flow.liberty import Library
from ..flow.netlist import Netlist
from ..flow.runs import Design, Result, Synthesiser
from . import commands, defaults, libraries, request, tables
from .elements import CLOCK_GATE, KINDS, block, element, source_folders, unit
from .run import made_by

TOP = "fp8mac_accel"
# Modules that a chip replaces by memory macros. Those that the sources have are left out.
MEMORIES = (
    "fp8mac_ram",
    "fp8mac_byte_ram",
    "fp8mac_two_port_ram",
    "fp8mac_acc_memory",
    "fp8mac_vector_buffer",
)
# The same for sources whose memories are not modules of their own
MEMORY_PART = "fp8mac_memories"
# Blocks of the FP32 epilogue. That of the array depends on the kind of element, and the requantiser has none.
ARITHMETIC = ("fp8mac_fp32_mul", "fp8mac_fp32_add", "fp8mac_fp32_to_fmt")


def parameters(
    text: str, usual: dict[str, str | int] | None = None, build: Path = Path("build")
) -> dict[str, int]:
    """NAME=VALUE words beside the defaults, those of the accelerator if none are given; ELEMENT is given by its name."""
    chosen: dict[str, str | int] = (
        defaults.parameters(build=build) if usual is None else dict(usual)
    )
    for word in text.replace(",", " ").split():
        name, sign, value = word.partition("=")
        if not sign or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            raise UsageError(
                f"CONFIG: {word} is not NAME=VALUE, such as ROWS=2 or ELEMENT=late_fp32"
            )
        chosen[name] = value
    if "ELEMENT" in chosen:
        kind = str(chosen["ELEMENT"])
        request.choice("ELEMENT", kind, tuple(KINDS))
        chosen["ELEMENT"] = KINDS[kind].number
    return {
        name: int(request.number(name, str(value), 0, 1 << 20)) for name, value in chosen.items()
    }


def boxes(files: dict[str, Path], more: str) -> tuple[str, ...]:
    memories = [name for name in MEMORIES if name in files]
    if MEMORIES[0] not in files:
        memories = [MEMORY_PART]
    named = more.replace(",", " ").split()
    for name in named:
        if name not in files:
            raise UsageError(f"BOXES: there is no module {name}")
    gates = [CLOCK_GATE] if CLOCK_GATE in files else []
    return (*memories, *gates, *named)


def blocks_of(of: dict[str, int]) -> dict[str, Design]:
    """The blocks of an accelerator with these parameters."""
    kind = next(one for one in KINDS.values() if one.number == of["ELEMENT"])
    bits, lanes = of.get("FRAC_BITS"), of["LANES"]
    if kind.family == "block":
        mx = bool(of.get("MX", kind.mx))
        inner = block(lanes, bits or kind.frac_bits.default, "both", mx=mx, kind_name=kind.name)
    else:
        inner = element(kind.name, lanes, bits)
    its = unit(inner, of["ROWS"]).design
    arithmetic = () if of.get("REQUANTISE") else ARITHMETIC
    return {its.top: its, **{name: Design(name) for name in arithmetic}}


def areas_by_block(netlist: Netlist, depth: int) -> dict[str, float]:
    """The areas of instances down to this depth, and of the cells above, from the largest."""
    found: dict[str, float] = {}
    for path, kind in netlist.instances():
        words = [word.partition(" ")[0].strip("\\") for word in path]
        name = ".".join(blocks.levels(words)[:depth]) or "top"
        found[name] = found.get(name, 0.0) + netlist.library.cells[kind].area
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def measure(
    synthesiser: Synthesiser, design: Design, period: float, efforts: list[str]
) -> tuple[Result, list[Result]]:
    """The first effort that meets the period, or the one of the best slack."""
    tried = []
    for effort in recipe.EFFORTS:
        if effort.name in efforts:
            start = time.monotonic()
            tried.append(synthesiser.run(design, period, effort, recipe.SEEDS[0]))
            print(
                f"  SYNTH     {effort.name}: {tried[-1].area:,.0f}, slack {tried[-1].slack_ns:.2f} ns, "
                f"{tried[-1].critical} ({time.monotonic() - start:.0f} s)",
                flush=True,
            )
            slack = synthesiser.slack_with_gates(tried[-1], design, period)
            if slack is not None:
                print(
                    f"  SYNTH     with the library's clock gates: slack {slack:.2f} ns", flush=True
                )
            if tried[-1].slack_ns >= 0:
                break
    return max(tried, key=lambda result: result.slack_ns), tried


def gates_of(result: Result, library: Library) -> float:
    """The area of a netlist's clock gates, which it leaves out."""
    return result.boxes.get(CLOCK_GATE, 0) * gates.area(library)


def page(data: dict) -> str:
    apart, inner = data["area_by_block"], data["blocks"]
    outside = (
        ", ".join(f"{count} {name}" for name, count in data["black_boxes"].items()) or "nothing"
    )
    return "\n".join(
        (
            f"# {data['top']} without its memories",
            "",
            f"{data['library']}, {data['period_ns']:g} ns, {' '.join(f'{k}={v}' for k, v in data['parameters'].items())}. "
            f"Left out of the flat netlist: {outside}.",
            "",
            f"Area {data['area']:,.0f}: {sum(one['count'] * one['area'] for one in inner):,.0f} in blocks, "
            f"{data['flat_area']:,.0f} in the flat netlist, of which {data['register_area']:,.0f} in registers, and "
            f"{data['clock_gate_area']:,.0f} in clock gates. Worst slack {data['slack_ns']:.2f} ns; of the flat netlist "
            f"{data['flat_slack_ns']:.2f} ns, effort {data['effort']}.",
            f"With its modules kept apart, neither sized nor buffered: {sum(apart.values()):,.0f}."
            if apart
            else "",
            "",
            tables.accel_blocks(data),
            tables.accel_paths(data),
            tables.accel_instances(data),
        )
    )


def chosen_design(
    options: argparse.Namespace, files: dict[str, Path]
) -> tuple[Design, dict[str, Design]]:
    """What is measured, and its blocks."""
    if options.part:
        request.choice("PART", options.part, tuple(sorted(files)))
        own = parameters(options.config, {})
        inside = {path.stem for path in sources.closure(options.part, files)}
        left_out = tuple(name for name in boxes(files, options.boxes) if name in inside)
        return Design(options.part, tuple(own.items()), left_out), {}
    return design_of(parameters(options.config, build=options.build), files, options.boxes)


def design_of(
    of: dict[str, int], files: dict[str, Path], more: str = ""
) -> tuple[Design, dict[str, Design]]:
    """The accelerator with these parameters, and its blocks."""
    inner = blocks_of(of)
    return Design(TOP, tuple(of.items()), (*boxes(files, more), *inner)), inner


def command(options: argparse.Namespace) -> str:
    """The command with what was given."""
    given = {
        name.upper(): str(getattr(options, name) or "")
        for name in (
            *("config", "part", "boxes", "period", "dont_use", "efforts", "instances"),
            "clock_gates",
        )
    }
    return commands.spelled("synth-accel", {"LIB": commands.liberty_of(options.lib), **given})


def part_of(
    name: str, design: Design, count: int, result: Result, library: Library
) -> dict[str, Any]:
    """A module that is measured by itself."""
    return {
        "name": name,
        "parameters": dict(design.parameters),
        "count": count,
        "area": result.area + gates_of(result, library),
        "slack_ns": result.slack_ns,
        "effort": result.effort,
        "netlist": f"{result.netlist}/netlist.v",
    }


def chosen_efforts(text: str) -> list[str]:
    known = [effort.name for effort in recipe.EFFORTS]
    efforts = text.replace(",", " ").split() or known
    for effort in efforts:
        request.choice("EFFORTS", effort, tuple(sorted(known)))
    return efforts


def write(folder: Path, data: dict[str, Any]) -> None:
    (folder / "accel.json").write_text(json.dumps(data, indent=1) + "\n")
    text = page(data)
    (folder / "accel.md").write_text(text)
    print(text)
    print(f"  SYNTH     {folder}/accel.json and accel.md")


def run(options: argparse.Namespace) -> int:
    library = Library(
        request.library(options.lib or str(libraries.LIBRARIES[libraries.FIRST][0])),
        request.patterns(options.dont_use),
    )
    name = libraries.usual_name(libraries.name_of(library.path))
    period = (
        request.periods(options.period)[0]
        if options.period
        else libraries.headline_of(name, library)
    )
    efforts = chosen_efforts(options.efforts)
    folder = options.build / "synth"
    synthesiser = Synthesiser(
        library,
        source_folders(options.build),
        Cache(folder),
        clock_gates=request.clock_gates(options.clock_gates),
    )
    design, inner = chosen_design(options, synthesiser.files)
    print(f"  LIBRARY   {library.note()}; clock {period:g} ns\n  SYNTH     {design}", flush=True)
    chosen, tried = measure(synthesiser, design, period, efforts)
    parts = []
    for box, its in inner.items():
        print(f"  SYNTH     {its}", flush=True)
        result, more = measure(synthesiser, its, period, efforts)
        tried += more
        parts.append(part_of(box, its, chosen.boxes[box], result, library))
    by_instance = {}
    if options.instances:
        apart = synthesiser.run(design, period, recipe.EFFORTS[0], recipe.SEEDS[0], hierarchy=True)
        netlist = synthesiser.read_netlist(Path(apart.netlist), design)
        by_instance = areas_by_block(netlist, options.instances)
    rtl = identity.of_designs((design, *inner.values()), synthesiser.files, options.build)
    gate_area = gates_of(chosen, library)
    paths = blocks.worst_paths(
        folder / "accel",
        Path(chosen.netlist) / "netlist.v",
        sta.script(design.top, library, period),
        library,
        options.depth,
    )
    slack = min(one["slack_ns"] for one in (*parts, {"slack_ns": chosen.slack_ns}))
    data = {
        "top": design.top,
        "parameters": dict(design.parameters),
        "library": name,
        "period_ns": period,
        "fo4_ns": fo4.of(library).delay_ns,
        "clock_gates": synthesiser.clock_gates,
        "area": chosen.area + gate_area + sum(one["count"] * one["area"] for one in parts),
        "flat_area": chosen.area,
        "register_area": chosen.register_area,
        "clock_gate_area": gate_area,
        "slack_ns": slack,
        "flat_slack_ns": chosen.slack_ns,
        "timing_met": slack >= 0,
        "effort": chosen.effort,
        "critical": chosen.critical,
        "black_boxes": chosen.boxes,
        "blocks": parts,
        "area_by_block": by_instance,
        "worst_paths": [path.__dict__ for path in paths],
        "netlist": f"{chosen.netlist}/netlist.v",
        "tried": [
            {"effort": one.effort, "area": one.area, "slack_ns": one.slack_ns} for one in tried
        ],
        "run": {"command": command(options), **made_by(synthesiser.tools, rtl)},
    }
    write(folder, data)
    return 0


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth accel", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--config", default="", help="NAME=VALUE parameters, beside the defaults")
    add("--part", default="", help="one module of the accelerator, alone")
    add("--boxes", default="", help="more modules that are left out")
    add("--period", default="", help="ns")
    add("--lib", default="", help="a Liberty file, or several of one library")
    add("--dont-use", default="", help="patterns of cells that are not used")
    add("--efforts", default="", help="of the recipe, in its order: all if none is given")
    add("--clock-gates", default="", help="the least number of flip-flops that get a clock gate")
    add("--depth", type=int, default=1, help="levels of instances that a block's name has")
    add("--instances", type=int, default=0, help="the same for areas, which takes a second netlist")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    return exit_status("synth-accel", lambda: run(options))
