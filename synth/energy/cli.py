# SPDX-License-Identifier: Apache-2.0
"""python -m synth energy: the energy of the netlists of area.json on real operands."""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path

from ..flow.cache import Cache
from ..flow.errors import UsageError, exit_status
from ..flow.liberty import Library
from ..flow.runs import Synthesiser
from ..study import commands, libraries, records, request
from ..study.elements import source_folders
from ..study.run import made_by
from . import tensors
from .circuit import SETTLED, SHORT_GLITCHES
from .measure import Case, Measured, Study, elements, entry

OTHER_FORMAT = "e5m2"
OTHER_FORMAT_DATA = ("digits_2", "normal")


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth energy", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--toggles", type=Path, required=True, help="the compiled simulator")
    add("--lib", default="", help="the library of area.json's netlists, in place of the first one")
    add("--dont-use", default="", help="patterns of cells that are not used, as for the area")
    add("--only", default="", help="netlists whose name matches this regular expression")
    add("--data", default="", help="operands: " + ", ".join(tensors.TITLES))
    add("--assumptions", default="1", help="0: without the cases that vary them")
    return result


def cases(data: str, assumptions: bool = True) -> list[Case]:
    names = data.replace(",", " ").split() or list(tensors.TITLES)
    unknown = [name for name in names if name not in tensors.TITLES]
    if unknown:
        raise UsageError(f"DATA={unknown[0]} is not possible: choose {' '.join(tensors.TITLES)}")
    found = [Case(name) for name in names]
    found += [Case(name, OTHER_FORMAT) for name in names if name in OTHER_FORMAT_DATA]
    if tensors.SENSITIVE in names and assumptions:
        found += [Case(tensors.SENSITIVE, mode=mode) for mode in (SETTLED, SHORT_GLITCHES)]
        found += [Case(tensors.SENSITIVE, wires=factor) for factor in (0.5, 2.0)]
    return sorted(found, key=lambda case: abs(case.wires - 1))  # a length after the other


def library_of(options: argparse.Namespace) -> tuple[str, Library]:
    """With its name in area.json"""
    if options.lib:
        paths = request.library(options.lib)
        name = libraries.name_of(paths[0])
    else:
        name, (path, _) = next(iter(libraries.LIBRARIES.items()))
        paths = [path]
    return name, Library(paths, request.patterns(options.dont_use), power=True)


def command(options: argparse.Namespace) -> str:
    given = {
        "LIB": commands.liberty_of(options.lib),
        "DONT_USE": options.dont_use,
        "ONLY": options.only,
        "DATA": options.data,
        "ASSUMPTIONS": options.assumptions if options.assumptions != "1" else "",
    }
    return commands.spelled("synth-energy", given)


def chosen(options: argparse.Namespace, library: str) -> list[records.Record]:
    every = records.read(options.build / "synth" / "area.json")
    mine = [record for record in every if record["library"] == library]
    found = [one for one in elements(mine) if re.search(options.only, one["name"])]
    if not found:
        raise UsageError(
            f"area.json has no element with the library {library} that matches ONLY={options.only}: "
            "`make synth` measures elements, and energy is that of its netlists"
        )
    return found


def run(options: argparse.Namespace) -> None:
    folder = options.build / "synth"
    name, library = library_of(options)
    found, wanted = chosen(options, name), cases(options.data, options.assumptions != "0")
    synthesiser = Synthesiser(library, source_folders(options.build), Cache(folder))
    binary = options.toggles.resolve()
    entries, start = [], time.monotonic()
    total = sum(1 for record in found for case in wanted if case.suits(record))
    study = Study(synthesiser, found[0]["period_ns"], binary, folder / "energy")
    area = json.loads((folder / "area.json").read_text())["run"]["command"]
    made = {"command": command(options), "area": area, **made_by(synthesiser.tools)}
    for measured in study.run(found, wanted):
        entries.append(entry(measured))
        records.write(folder / "energy.json", made, entries)  # a run that is interrupted is kept
        said = line(measured, time.monotonic() - start)
        print(f"  ENERGY    [{len(entries)}/{total}] {said}", flush=True)
    print(f"  ENERGY    {folder}/energy.json: {len(entries)} points")


def line(measured: Measured, seconds: float) -> str:
    return (
        f"{measured.record['name']} on {measured.case.name}: {measured.total:.3f} pJ a MAC, of it feeds "
        f"{measured.feeds.total:.3f}; {measured.results} results right ({seconds:.0f} s)"
    )


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    return exit_status("synth-energy", lambda: run(options))
