# SPDX-License-Identifier: Apache-2.0
"""python -m synth chip: the accelerator as a netlist, for the simulator of the chip.

The netlists are those that `python -m synth accel` measures with the same parameters and the first effort: a flat one
and those of its blocks. With --as-mapped the flat one is neither sized nor buffered, which takes most of the time of a
large accelerator: the netlist is then one of its logic, and of no clock.

OUT gets three Verilog files. accel.v has a module with the name and the ports of fp8mac_accel, in which netlists,
memories and clock gates are connected. netlists.v has the netlists, and cells.v models of the cells. Memories and clock
gates stay RTL.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..flow import boxes, cells, faults, recipe
from ..flow.cache import Cache
from ..flow.errors import exit_status
from ..flow.liberty import Library
from ..flow.runs import Synthesiser, instances
from . import accel, libraries, request
from .elements import source_folders


def run(options: argparse.Namespace) -> int:
    library = Library(request.library(options.lib or str(libraries.LIBRARIES[libraries.FIRST][0])))
    period = libraries.headline_of(libraries.usual_name(libraries.name_of(library.path)), library)
    folder = options.build / "synth"
    synthesiser = Synthesiser(library, source_folders(options.build), Cache(folder))
    own = accel.parameters(options.config, build=options.build)
    design, inner = accel.design_of(own, synthesiser.files)
    effort, seed = recipe.EFFORTS[0], recipe.SEEDS[0]
    texts, area = [], 0.0
    for one in (design, *inner.values()):
        print(f"  SYNTH     {one}", flush=True)
        repaired = not (options.as_mapped and one is design)
        result = synthesiser.run(one, period, effort, seed, repaired=repaired)
        text = (Path(result.netlist) / "netlist.v").read_text()
        if one is design:
            top = result
            text = boxes.netlist_of(text, design.top)
        texts.append(text)
        area += result.area * (1 if one is design else top.boxes[one.top])
        slack = f"slack {result.slack_ns:.2f} ns" if repaired else "as it was mapped"
        print(f"  SYNTH     {result.area:,.0f}, {slack}", flush=True)
    ports = json.loads((Path(top.netlist) / "netlist.json").read_text())["modules"][design.top][
        "ports"
    ]
    found = instances(synthesiser.front(design)[0])
    options.out.mkdir(parents=True, exist_ok=True)
    parameters = {name: dict(its.parameters) for name, its in inner.items()}
    wrapper = boxes.wrapper(design.top, synthesiser.files, ports, found, parameters)
    (options.out / "accel.v").write_text(wrapper)
    (options.out / "netlists.v").write_text("\n".join(texts))
    kinds = {match["kind"] for text in texts for match in faults.instances(text)}
    (options.out / "cells.v").write_text(cells.models(library, kinds))
    count = sum(len(faults.instances(text)) for text in texts)
    print(f"  SYNTH     {options.out}: {count} cells in {len(texts)} netlists, area {area:,.0f}")
    return 0


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth chip", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--config", default="", help="NAME=VALUE parameters, beside the defaults")
    add("--lib", default="", help="a Liberty file, or several of one library")
    add("--as-mapped", action="store_true", help="the flat netlist without repairs")
    add("--out", type=Path, required=True, help="the folder of the Verilog files")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    return exit_status("synth-check", lambda: run(options))
