# SPDX-License-Identifier: Apache-2.0
"""python -m synth gates: what clock gates that synthesis inserts change in the modules of the accelerator.

Every module is measured alone with the first effort, without gates and with a gate before flip-flops with the same enable, for
each least number of them. A flip-flop without a gate takes its enable by a multiplexer. Results: build/synth/gates.json.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from ..flow import gates, identity, recipe, sources
from ..flow.cache import Cache
from ..flow.errors import UsageError, exit_status
from ..flow.liberty import Library
from ..flow.runs import Design, Result, Synthesiser
from . import accel, commands, libraries, request, tables
from .elements import CLOCK_GATE, source_folders
from .run import made_by

GOAL = "synth-gates"
USUAL = "4"
# Those around the array with the most flip-flops, with parameters of their own
MODULES = ("csr", "load", "fetch", "cmd_walk", "cmd_check", "image_align")
EFFORT, SEED = recipe.EFFORTS[0], recipe.SEEDS[0]


@dataclass(frozen=True)
class Gated:
    """A netlist. `least` is 0 without gates."""

    name: str
    parameters: dict[str, int]
    library: str
    period_ns: float
    least: int
    gates: int
    behind: int  # flip-flops
    flops: int
    area: float  # with the gates
    slack_ns: float
    cells_slack_ns: float | None  # with the library's clock-gating cells


def designs(flow: Synthesiser, build: Path) -> list[Design]:
    """Modules around the array, the blocks of the default accelerator, and INT8's element in the place of its own"""
    memories = accel.boxes(flow.files, "")
    found = []
    for name in MODULES:
        top = sources.PREFIX + name
        inside = {path.stem for path in sources.closure(top, flow.files)}
        found.append(Design(top, (), tuple(one for one in memories if one in inside)))
    for config in ("", "ELEMENT=int8"):
        found += accel.blocks_of(accel.parameters(config, build=build)).values()
    return list(dict.fromkeys(found))


def measure(flow: Synthesiser, design: Design, period: float) -> Gated:
    made: Result = flow.run(design, period, EFFORT, SEED)
    library = flow.library
    register = library.flip_flop()
    text = Path(made.netlist, "netlist.v").read_text()
    clocks = re.findall(rf"\.{register.clock}\((\w+)\)", text)
    inserted = sum(one.startswith(recipe.INSERTED) for one in set(clocks))
    return Gated(
        design.top.removeprefix(sources.PREFIX),
        dict(design.parameters),
        libraries.usual_name(libraries.name_of(library.path)),
        period,
        flow.clock_gates,
        inserted,
        sum(one.startswith(recipe.INSERTED) for one in clocks),
        round(made.register_area / library.cells[register.cell].area),
        made.area + made.boxes.get(CLOCK_GATE, 0) * gates.area(library),
        made.slack_ns,
        flow.slack_with_gates(made, design, period),
    )


def run(options: argparse.Namespace) -> int:
    library = Library(
        request.library(options.lib or str(libraries.LIBRARIES[libraries.FIRST][0])),
        request.patterns(options.dont_use),
    )
    period = libraries.headline_of(libraries.usual_name(libraries.name_of(library.path)), library)
    folder, folders = options.build / "synth", source_folders(options.build)
    least = [request.clock_gates(word) for word in options.clock_gates.split()]
    flows = [Synthesiser(library, folders, Cache(folder), clock_gates=n) for n in (0, *least)]
    chosen = [one for one in designs(flows[0], options.build) if re.search(options.only, one.top)]
    if not chosen:
        raise UsageError(f"ONLY={options.only} matches no module")
    found = []
    given = {"LIB": commands.liberty_of(options.lib), "DONT_USE": options.dont_use}
    if options.clock_gates != USUAL:
        given["CLOCK_GATES"] = options.clock_gates
    given["ONLY"] = options.only
    rtl = identity.of_designs(chosen, flows[0].files, options.build)
    made = {"command": commands.spelled(GOAL, given), **made_by(flows[0].tools, rtl)}
    for design in chosen:
        for flow in flows:
            found.append(one := measure(flow, design, period))
            print(
                f"  GATES     {one.name}, {one.least}: {one.area:,.0f}, {one.gates} gates before {one.behind} of "
                f"{one.flops} flip-flops, slack {one.slack_ns:.2f} ns",
                flush=True,
            )
            text = json.dumps({"run": made, "gates": list(map(asdict, found))}, indent=1)
            (folder / "gates.json").write_text(text + "\n")
    return 0


def change(before: dict, one: dict) -> str:
    return f"{100 * (one['area'] / before['area'] - 1):+.1f} %"


def most(found: list[dict]) -> str:
    """The part of its area that the module loses which gains most"""
    before = {(one["name"], one["library"]): one["area"] for one in found if not one["least"]}
    left = min(one["area"] / before[one["name"], one["library"]] for one in found if one["least"])
    return f"{100 * (1 - left):.0f} %"


def table(found: list[dict]) -> str:
    """A line a netlist with gates, beside that without"""
    key = lambda one: (one["name"], one["library"])
    without = {key(one): one for one in found if not one["least"]}
    lines = []
    for one in found:
        if not one["least"]:
            continue
        before = without[key(one)]
        lines.append(
            [
                f"`{one['name']}`",
                tables.number(one["least"]),
                f"{one['behind']:,} of {before['flops']:,}",
                tables.number(one["gates"]),
                tables.number(before["area"]),
                tables.number(one["area"]),
                change(before, one),
                tables.number(before["slack_ns"], 2),
                tables.number(one["slack_ns"], 2),
            ]
        )
    head = [
        "module",
        "at least",
        "flip-flops behind gates",
        "gates",
        "area",
        "with gates",
        "change",
    ]
    return tables.table([*head, "slack, ns", "with gates"], lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth gates", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--lib", default="", help="a Liberty file, or several of one library")
    add("--dont-use", default="", help="patterns of cells that are not used")
    add("--clock-gates", default=USUAL, help="the least numbers of flip-flops that get a gate")
    add("--only", default="", help="a regular expression of modules")
    options = parser.parse_args(arguments)
    return exit_status(GOAL, lambda: run(options))
