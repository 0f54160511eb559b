# SPDX-License-Identifier: Apache-2.0
"""python -m synth energy: the energy of the netlists of area.json on real operands."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from ..flow.cache import Cache
from ..flow.errors import UsageError, exit_status
from ..flow.liberty import Library
from ..flow.runs import Synthesiser
from ..study import libraries, records
from ..study.elements import source_folders
from . import data, pages
from .measure import Study, elements, entry

SETS = {"digits": data.digits, "normal": lambda: [data.normal()]}


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth energy", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add(
        "--build",
        type=Path,
        default=Path("build"),
        help="the build folder; netlists and results are in its folder synth",
    )
    add("--area", type=Path, help="another area.json than the build folder's")
    add("--toggles", type=Path, required=True, help="the compiled simulator")
    add("--only", default="", help="elements whose name matches this regular expression")
    add("--library", default=libraries.FIRST, choices=list(libraries.LIBRARIES))
    add("--data", default=",".join(SETS), help="digits, normal, or both with a comma between them")
    return result


def run(options: argparse.Namespace) -> None:
    folder = options.build / "synth"
    path, period = libraries.LIBRARIES[options.library]
    library = Library(path, power=True)
    every = records.read(options.area or folder / "area.json")
    found = elements(every, options.library, period)
    wanted = [record for record in found if re.search(options.only, record["name"])]
    if not wanted:
        raise UsageError(
            f"ONLY={options.only} matches none of area.json's elements: "
            + " ".join(record["name"] for record in found)
        )
    unknown = set(options.data.split(",")) - SETS.keys()
    if unknown:
        raise UsageError(
            f"DATA={options.data} is not possible: choose digits, normal, or both with a comma"
        )
    sets = [one for name in options.data.split(",") for one in SETS[name]()]
    synthesiser = Synthesiser(library, source_folders(options.build), Cache(folder))
    study = Study(synthesiser, period, options.toggles.resolve(), folder / "energy")
    pairs, start = [], time.monotonic()
    for pair in study.run(wanted, sets):
        pairs.append(pair)
        m, baseline = pair
        ratios = ", ".join(
            f"{mode} {m.per_mac(mode):.2f} pJ/MAC, x {m.per_mac(mode) / baseline.per_mac(mode):.2f}"
            for mode in m.energy
        )
        print(
            f"  ENERGY    [{len(pairs)}/{len(wanted) * len(sets)}] {m.record['name']} on {m.data.title}: {ratios} "
            f"({time.monotonic() - start:.0f} s)",
            flush=True,
        )
    entries = [entry(m, baseline, options.library, period) for m, baseline in pairs]
    records.write(folder / "energy.json", {"tools": synthesiser.tools}, entries)
    (folder / "energy.md").write_text(
        pages.page(pairs, options.library, study.tables.volts, period)
    )
    print(f"  ENERGY    {folder}/energy.json and energy.md: {len(pairs)} points, indicative")


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    return exit_status("synth-energy", lambda: run(options))
