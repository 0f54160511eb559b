# SPDX-License-Identifier: Apache-2.0
"""python -m synth layout: the netlists of area.json, placed and routed. Those of elements with their INT8 baselines, and
those of an array's units with those of its baseline."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ..flow import recipe
from ..flow.errors import FlowError, UsageError, exit_status
from ..flow.liberty import Library
from ..flow.runs import Synthesiser
from ..study import commands, libraries, records
from ..study.elements import source_folders
from ..study.records import Record
from ..study.run import made_by
from . import apart
from .measure import Layouter
from .pages import MADE_FOR

GOAL = "synth-wires"
LEF = libraries.TECH / "osu018/osu018_stdcells.lef"


@dataclass(frozen=True)
class Part:
    """A netlist that is laid out."""

    name: str
    top: str
    copies: int  # elements in it
    area: float  # of the netlist, by the Liberty file
    netlist: Path


def name_at(name: str, record: Record) -> str:
    """A netlist that was made for another clock says so in its name: wires leave it slack at the usual one."""
    usual = record["period_ns"] == libraries.HEADLINE_PERIOD
    return name if usual else f"{name}{MADE_FOR}{record['period_ns']:g}"


def parts(record: Record) -> Iterator[Part]:
    """Of an element: it and both forms of INT8. Of an array: its units and feeds, and the baseline's."""
    if record["black_boxes"]:
        for one in (*record["units"], *record["baseline_units"]):
            yield Part(one["name"], one["top"], 1, one["area"], Path(one["netlist"]))
        return
    yield Part(
        name_at(record["name"], record),
        record["top"],
        record["copies"],
        record["area_without_parts"],
        Path(record["netlist"]),
    )
    for side in ("baseline", "single"):
        if record.get(f"{side}_netlist"):
            netlist = Path(record[f"{side}_netlist"])
            yield Part(
                name_at(record[side], record),
                "fp8mac_element_int8",
                1,
                record[f"{side}_area"],
                netlist,
            )


def chosen(found: list[Record], library: str, only: str) -> list[Part]:
    """Each netlist once, the smallest first."""
    mine = [one for one in found if one["library"] == library]
    by_name = {part.name: part for record in mine for part in parts(record)}
    wanted = [part for part in by_name.values() if re.search(only, part.name)]
    if not wanted:
        raise UsageError(f"area.json has no netlist in {library} that matches ONLY={only}")
    return sorted(wanted, key=lambda part: part.area)


def halves(found: list[Record], library: str, only: str, flow: Synthesiser) -> list[Part]:
    """Elements with block accumulation, and units of arrays that have some, in two netlists each."""
    efforts = {effort.name: effort for effort in recipe.EFFORTS}
    parts = []
    for record in apart.each(found, lambda one: one["library"] == library):
        if not re.search(only, record["name"]):
            continue
        for name, (design, copies) in apart.halves(record).items():
            effort = efforts[record["effort"]]
            made = flow.run(design, record["period_ns"], effort, recipe.SEEDS[0])
            netlist = Path(made.netlist) / "netlist.v"
            parts.append(Part(name, design.top, copies, made.area, netlist))
    if not parts:
        raise UsageError(f"area.json has no element in {library} that has sums and matches {only}")
    return sorted(parts, key=lambda part: part.area)


def run(options: argparse.Namespace) -> int:
    folder = options.build / "synth"
    area = folder / "area.json"
    name = libraries.FIRST
    path = libraries.LIBRARIES[name][0]
    layouter = Layouter(Library([path]), LEF, folder, options.python, "sta")
    flow = Synthesiser(layouter.library, source_folders(options.build), layouter.cache)
    wanted = (
        halves(records.read(area), name, options.only, flow)
        if options.apart
        else chosen(records.read(area), name, options.only)
    )
    period = libraries.HEADLINE_PERIOD
    tools = flow.tools
    measured = json.loads(area.read_text())["run"]["command"]
    command = commands.spelled(GOAL, {"APART": options.apart, "ONLY": options.only})
    made = {"command": command, "area": measured, **made_by(tools)}
    found, failures = [], []
    for number, part in enumerate(wanted):
        try:
            layout = layouter.run(part.netlist.with_suffix(".json"), part.top, period, tools)
        except FlowError as error:
            failures.append({"name": part.name, "cells": 0, "why": str(error)})
            print(
                f"  LAYOUT    [{number + 1}/{len(wanted)}] {part.name}: FAILED: {error}", flush=True
            )
            continue
        one = {"name": part.name, "top": part.top, "copies": part.copies, "area": part.area}
        found.append({**one, **asdict(layout)})
        data = {"run": made, "layouts": found, "failures": failures}
        (folder / "layout.json").write_text(json.dumps(data, indent=1) + "\n")
        print(
            f"  LAYOUT    [{number + 1}/{len(wanted)}] {part.name}: {layout.cells} cells, "
            f"{layout.core_um2 / part.copies:,.0f} um2 an element at {layout.utilisation:.0%}, "
            f"{layout.wire_um / layout.sinks:.1f} um a sink, slack {layout.plain_slack_ns:.2f} -> "
            f"{layout.slack_ns:.2f} ns ({layout.seconds:.0f} s)",
            flush=True,
        )
    print(f"  LAYOUT    {folder}/layout.json: {len(found)} layouts, {len(failures)} failed")
    return 1 if failures else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth layout", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--python", type=Path, required=True, help="the interpreter that has Coriolis")
    add("--only", default="", help="netlists whose name matches this regular expression")
    add("--apart", default="", help="1: elements with block accumulation in two netlists")
    options = parser.parse_args(arguments)
    return exit_status(GOAL, lambda: run(options))
