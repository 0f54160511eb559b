# SPDX-License-Identifier: Apache-2.0
"""python -m synth accel: the accelerator without its memories, at a clock that OpenSTA confirms.

Memories are black boxes: a path to or from one is timed as if a flip-flop stood there. A clock gate is one cell of the
library, and the clock behind it is ideal like the other. Everything else is one flat netlist. BOXES= leaves out other
modules too, such as fp8mac_array; each is then a black box, to be measured alone.

Results: build/synth/accel.json and accel.md, with the area and the worst path of each block. Areas by block come from a
second netlist that keeps its modules apart, as in the tables of boxes.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path

from ..flow import blocks, recipe, sta
from ..flow.cache import Cache
from ..flow.errors import UsageError, exit_status
from ..flow.liberty import Library
from ..flow.netlist import Netlist
from ..flow.runs import Design, Result, Synthesiser
from . import libraries, request, tables
from .elements import KINDS, source_folders

TOP = "fp8mac_accel"
# Modules that a chip replaces by memory macros. Those that the sources have are left out.
MEMORIES = ("fp8mac_ram", "fp8mac_acc_memory", "fp8mac_vector_buffer")
# The same for sources whose memories are not modules of their own
MEMORY_PART = "fp8mac_memories"
CLOCK_GATE = "fp8mac_clock_gate"
SMALL = {"ROWS": 2, "COLS": 2, "LANES": 4, "ELEMENT": "late_fp32", "QUEUE_DEPTH": 2}


def parameters(text: str) -> dict[str, int]:
    """NAME=VALUE words beside the small configuration; ELEMENT is given by its name."""
    chosen: dict[str, str | int] = dict(SMALL)
    for word in text.replace(",", " ").split():
        name, sign, value = word.partition("=")
        if not sign or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            raise UsageError(
                f"CONFIG: {word} is not NAME=VALUE, such as ROWS=2 or ELEMENT=late_fp32"
            )
        chosen[name] = value
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


def gate_area(library: Library) -> float:
    """The area of a clock gate: the library's cell, or a latch and an AND."""
    gates = [
        cell.area
        for cell in library.cells.values()
        if cell.group.attributes.get("clock_gating_integrated_cell", "").startswith("latch_posedge")
    ]
    if gates:
        return min(gates)
    latches = [cell.area for cell in library.cells.values() if cell.is_latch]
    logic = library.gate(("a", "b"), "a & b")
    if not latches or logic is None:
        raise UsageError(f"LIB={library.path} has neither a clock gate nor a latch and an AND")
    return min(latches) + library.cells[logic.cell].area


def areas_by_block(netlist: Netlist) -> dict[str, float]:
    """The areas of the top's instances and of its own cells, from the largest."""
    found: dict[str, float] = {}
    for path, kind in netlist.instances():
        name = path[0].partition(" ")[0].strip("\\") if path else "top"
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
            if tried[-1].slack_ns >= 0:
                break
    return max(tried, key=lambda result: result.slack_ns), tried


def page(data: dict) -> str:
    apart = data["area_by_block"]
    paths = {path["block"]: path for path in data["worst_paths"]}
    blocks_table = tables.table(
        ["block", "area, modules apart"],
        [[tables.code(name), tables.number(area)] for name, area in apart.items()],
    )
    paths_table = tables.table(
        ["block", "slack, ns", "from", "to", "registers and ports"],
        [
            [
                tables.code(p["block"]),
                tables.number(p["slack_ns"], 2),
                tables.code(p["start"]),
                tables.code(p["end"]),
                str(p["ends"]),
            ]
            for p in paths.values()
        ],
    )
    outside = (
        ", ".join(f"{count} {name}" for name, count in data["black_boxes"].items()) or "nothing"
    )
    return "\n".join(
        (
            "# The accelerator without its memories",
            "",
            f"{data['library']}, {data['period_ns']:g} ns, {' '.join(f'{k}={v}' for k, v in data['parameters'].items())}. "
            f"Left out: {outside}.",
            "",
            f"Area {data['area']:,.0f}, of which {data['register_area']:,.0f} in registers and "
            f"{data['clock_gate_area']:,.0f} in clock gates. Worst slack {data['slack_ns']:.2f} ns, effort {data['effort']}. "
            f"The same with its modules kept apart, neither sized nor buffered: {sum(apart.values()):,.0f}.",
            "",
            paths_table,
            blocks_table,
        )
    )


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
    known = {effort.name for effort in recipe.EFFORTS}
    efforts = options.efforts.replace(",", " ").split() or [
        effort.name for effort in recipe.EFFORTS
    ]
    for effort in efforts:
        request.choice("EFFORTS", effort, tuple(sorted(known)))
    folder = options.build / "synth"
    synthesiser = Synthesiser(library, source_folders(options.build), Cache(folder))
    design = Design(
        TOP,
        tuple(parameters(options.config).items()),
        boxes(synthesiser.files, options.boxes),
    )
    print(f"  LIBRARY   {library.note()}; clock {period:g} ns\n  SYNTH     {design}", flush=True)
    chosen, tried = measure(synthesiser, design, period, efforts)
    apart = synthesiser.run(design, period, recipe.EFFORTS[0], recipe.SEEDS[0], hierarchy=True)
    gates = chosen.boxes.get(CLOCK_GATE, 0) * (
        gate_area(library) if CLOCK_GATE in design.black_boxes else 0
    )
    paths = blocks.worst_paths(
        folder / "accel",
        Path(chosen.netlist) / "netlist.v",
        sta.script(TOP, library, period),
        library,
        options.depth,
    )
    data = {
        "top": TOP,
        "parameters": dict(design.parameters),
        "library": name,
        "period_ns": period,
        "area": chosen.area + gates,
        "register_area": chosen.register_area,
        "clock_gate_area": gates,
        "slack_ns": chosen.slack_ns,
        "timing_met": chosen.slack_ns >= 0,
        "effort": chosen.effort,
        "critical": chosen.critical,
        "black_boxes": chosen.boxes,
        "area_by_block": areas_by_block(synthesiser.read_netlist(Path(apart.netlist), design)),
        "worst_paths": [path.__dict__ for path in paths],
        "netlist": f"{chosen.netlist}/netlist.v",
        "tried": [
            {"effort": one.effort, "area": one.area, "slack_ns": one.slack_ns} for one in tried
        ],
        "tools": synthesiser.tools,
    }
    (folder / "accel.json").write_text(json.dumps(data, indent=1) + "\n")
    text = page(data)
    (folder / "accel.md").write_text(text)
    print(text)
    print(f"  SYNTH     {folder}/accel.json and accel.md")
    return 0


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth accel", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--config", default="", help="NAME=VALUE parameters of fp8mac_accel, beside a small chip's")
    add("--boxes", default="", help="more modules that are left out")
    add("--period", default="", help="ns")
    add("--lib", default="", help="a Liberty file, or several of one library")
    add("--dont-use", default="", help="patterns of cells that are not used")
    add("--efforts", default="", help="of the recipe, in its order: all if none is given")
    add("--depth", type=int, default=1, help="levels of instances that a block's name has")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    return exit_status("synth-accel", lambda: run(options))
