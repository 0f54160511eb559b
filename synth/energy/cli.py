# SPDX-License-Identifier: Apache-2.0
"""The command line of `make synth-energy`."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from pathlib import Path

import configs
from flow.cache import Cache
from flow.errors import FlowError, UsageError
from flow.liberty import Library
from flow.runs import Synthesiser

from . import data, pages
from .study import Study, elements, entry

SETS = {"digits": data.digits, "normal": lambda: [data.normal()]}


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="energy", description=__doc__, allow_abbrev=False)
    add = result.add_argument
    add(
        "--build",
        type=Path,
        default=Path("build"),
        help="build folder: netlists and results are in its folder synth",
    )
    add("--area", type=Path, help="area.json, if it is another one than the build folder's")
    add("--toggles", type=Path, required=True, help="the simulator, compiled")
    add("--only", default="", help="elements whose name matches this regular expression")
    add("--library", default="osu018", choices=list(configs.LIBRARIES))
    add("--data", default=",".join(SETS), help="digits, normal, or both with a comma between them")
    return result


def read_rows(path: Path) -> list[dict]:
    if not path.is_file():
        raise UsageError(f"there is no {path}: run `make synth` first")
    return json.loads(path.read_text())


def run(options: argparse.Namespace) -> None:
    folder = options.build / "synth"
    path, period = configs.LIBRARIES[options.library]
    library = Library(path)
    found = elements(read_rows(options.area or folder / "area.json"), options.library, period)
    rows = [row for row in found if re.search(options.only, row["name"])]
    if not rows:
        raise UsageError(
            f"ONLY={options.only} matches none of area.json's elements: "
            + " ".join(row["name"] for row in found)
        )
    unknown = set(options.data.split(",")) - SETS.keys()
    if unknown:
        raise UsageError(
            f"DATA={options.data} is not possible: choose digits, normal, or both with a comma"
        )
    sets = [one for name in options.data.split(",") for one in SETS[name]()]
    sources = [*map(Path, configs.SOURCES), *(options.build / name for name in configs.GENERATED)]
    synthesiser = Synthesiser(library, sources, Cache(folder))
    study = Study(synthesiser, period, options.toggles.resolve(), folder / "energy")
    pairs, start = [], time.monotonic()
    for pair in study.run(rows, sets):
        pairs.append(pair)
        m, baseline = pair
        ratios = ", ".join(
            f"{mode} {m.per_mac(mode):.2f} pJ/MAC, x {m.per_mac(mode) / baseline.per_mac(mode):.2f}"
            for mode in m.energy
        )
        print(
            f"  ENERGY    [{len(pairs)}/{len(rows) * len(sets)}] {m.row['name']} on {m.data.title}: {ratios} "
            f"({time.monotonic() - start:.0f} s)",
            flush=True,
        )
    entries = [entry(m, baseline, options.library, period) for m, baseline in pairs]
    (folder / "energy.json").write_text(json.dumps(entries, indent=1) + "\n")
    (folder / "energy.md").write_text(
        pages.page(pairs, options.library, study.tables.volts, period)
    )
    print(f"  ENERGY    {folder}/energy.json and energy.md: {len(pairs)} points, indicative")


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        run(options)
    except UsageError as error:
        print(f"make synth-energy: {error}", file=sys.stderr)
        return 2
    except FlowError as error:
        print(
            f"make synth-energy: {error}" + (f"; see {error.log}" if error.log else ""),
            file=sys.stderr,
        )
        return 1
    return 0
