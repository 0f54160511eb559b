# SPDX-License-Identifier: Apache-2.0
"""python -m synth stock: elements and their INT8 baselines in the flow that Yosys's manual shows, for comparison.

The stock flow is `synth -flatten`, `dfflibmap -liberty` and `abc -liberty`. The sources are those of `make synth`. It
flattens the leaf of a full adder, and ABC maps the leaf's logic to gates: no netlist has a full-adder cell. It knows no
clock and repairs neither paths nor design rules. OpenSTA says by how much each netlist misses the clock of the study.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ..flow import recipe, runs, sources, sta, yosys
from ..flow.cache import Cache, key_of
from ..flow.errors import RejectedNetlist, exit_status
from ..flow.liberty import Library
from ..flow.runs import Design, Synthesiser
from . import libraries, records, run, tables
from .elements import Entry, block, int8, source_folders
from .records import Record

GOAL = "synth-stock"
LANES = 16
# INT8 with four accumulators and with one, without the register that only a clock asks for; then FP8.
BASELINE, SINGLE = int8(LANES, register=False), int8(LANES, register=False, banks=1)
ENTRIES = (BASELINE, SINGLE, block(LANES, 19), block(LANES, 13), block(LANES, 13, "fp16"))


@dataclass(frozen=True)
class Stock:
    """An element in the stock flow."""

    name: str
    area: float  # of one element
    slack_ns: float
    full_adders: int  # cells in the netlist


def script(design: Design, files: list[str]) -> str:
    """From sources to the netlist. The leaves stay what their sources say."""
    values = " ".join(f"-G {name}={value}" for name, value in design.parameters)
    return "\n".join(
        (
            f"read_slang --threads 1 --ignore-assertions --top {design.top} {values} {' '.join(files)}",
            f"synth -flatten -top {design.top}",
            "dfflibmap -liberty library.lib",
            "abc -liberty library.lib",
            "opt_clean -purge",
            "write_json fitted.json",
            "design -reset",
            recipe.finish(),
        )
    )


def measure(flow: Synthesiser, entry: Entry, period_ns: float) -> Stock:
    """The netlist passes the checks of the other netlists, except those of the clock and of the design rules."""
    design, library = entry.design, flow.library
    files = sources.closure(design.top, flow.files)
    sources.check_parameters(flow.files[design.top], dict(design.parameters))
    texts = {file.name: file.read_text() for file in files}
    made = {
        "stock.ys": script(design, list(texts)),
        "sta.tcl": sta.script(design.top, library, period_ns),
    }
    key = key_of({**texts, **made, **flow.tools, "library": library.fingerprint})

    def make(folder: Path) -> None:
        given = {"library.lib": library.text, **library.originals()}
        for name, text in {**texts, **made, **given}.items():
            (folder / name).write_text(text)
        yosys.run(folder, "stock", ("netlist.json", "netlist.v", "stat.json"))
        runs.split_assignments(folder / "netlist.v")
        netlist = flow.read_netlist(folder, design)
        try:
            netlist.check()
            runs.check_area(netlist, folder / "stat.json")
        except RejectedNetlist as rejected:
            rejected.log = folder / "stock.log"
            raise
        adders = {adder.cell for adder in library.adders(3)}
        found = Stock(
            entry.name,
            netlist.area() / entry.copies,
            sta.run(folder, flow.sta_command).slack_ns,
            sum(number for kind, number in netlist.count().items() if kind in adders),
        )
        (folder / "result.json").write_text(json.dumps(asdict(found)) + "\n")
        for name in (*given, "fitted.json"):
            (folder / name).unlink()

    folder = flow.cache.get(key, make)[0]
    return Stock(**json.loads((folder / "result.json").read_text()))


def own_areas(found: list[Record]) -> dict[str, float]:
    """The same elements in the flow of this project."""
    areas: dict[str, float] = {}
    for record in found:
        areas[record["name"]] = record["area"]
        if record["lanes"] == LANES and record["group"] == "main" and "single_area" in record:
            areas.setdefault(BASELINE.name, record["baseline_area"])
            areas.setdefault(SINGLE.name, record["single_area"])
    return areas


def table(found: list[Stock], areas: dict[str, float]) -> str:
    """A line an element: areas in both flows, and the ratios to both forms of INT8. AREAS are those of this flow."""
    stock = {one.name: one.area for one in found}

    def ratios(name: str, of: dict[str, float]) -> list[str]:
        if name in (BASELINE.name, SINGLE.name):
            return ["-", "-"]
        return [tables.number(of[name] / of[base.name], 2) for base in (BASELINE, SINGLE)]

    header = ["element", "area, stock flow", "slack, ns", "ratio", "to one accumulator"]
    lines = [
        [
            tables.code(one.name),
            tables.number(one.area),
            tables.number(one.slack_ns, 2),
            *ratios(one.name, stock),
            tables.number(areas[one.name]),
            *ratios(one.name, areas),
        ]
        for one in found
    ]
    return tables.table([*header, "area, this flow", "ratio", "to one accumulator"], lines)


def study(options: argparse.Namespace) -> int:
    path, period_ns = libraries.LIBRARIES[libraries.FIRST]
    folder = options.build / "synth"
    flow = Synthesiser(Library([path]), source_folders(options.build), Cache(folder))
    found = []
    for entry in ENTRIES:
        found.append(one := measure(flow, entry, period_ns))
        print(f"  STOCK     {one.name}: {one.area:,.0f}, slack {one.slack_ns:.2f} ns", flush=True)
    made = {"command": f"make {GOAL}", **run.made_by(flow.tools)}
    data = {"run": made, "stock": list(map(asdict, found))}
    (folder / "stock.json").write_text(json.dumps(data, indent=1) + "\n")
    area = folder / "area.json"
    measured = own_areas(records.read(area)) if area.is_file() else {}
    if all(one.name in measured for one in found):
        print(table(found, measured), end="")
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth stock", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    options = parser.parse_args(arguments)
    return exit_status(GOAL, lambda: study(options))
