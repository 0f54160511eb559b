# SPDX-License-Identifier: Apache-2.0
"""python -m synth measure: the area of elements beside their INT8 baselines, at a clock that OpenSTA confirms."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from ..flow import recipe
from ..flow.errors import UsageError
from ..flow.liberty import Library
from . import commands, libraries, request, table
from .elements import KINDS, Entry
from .run import Plan, Study


def own_entry(options: argparse.Namespace) -> Entry | None:
    return request.entry(
        options.element,
        options.lanes,
        options.frac_bits,
        options.formats,
        options.rows,
        options.cols,
    )


def command(options: argparse.Namespace) -> str:
    """The command with what was given, except how many runs were made at a time."""
    given = {
        name.upper(): value
        for name, value in vars(options).items()
        if isinstance(value, str) and name != "jobs"
    }
    given["LIB"] = commands.liberty_of(options.lib)
    return commands.spelled("synth-full" if options.full else "synth", given)


def plan(options: argparse.Namespace) -> Plan:
    own = own_entry(options)
    # Entries that are named are measured even if they take long.
    entries = [own] if own else list(table.entries(options.full or bool(options.only)))
    if options.only:
        possible = entries
        entries = [entry for entry in possible if re.search(options.only, entry.name)]
        if not entries:
            raise UsageError(
                f"ONLY={options.only} matches none of " + " ".join(entry.name for entry in possible)
            )
    if options.period and options.clock_fo4:
        raise UsageError("give PERIOD or CLOCK_FO4, not both")
    return Plan(
        tuple(entries),
        chosen_libraries(options),
        request.periods(options.period) if options.period else None,
        options.full,
        request.clocks_fo4(options.clock_fo4) if options.clock_fo4 else None,
        int(request.number("VARIANTS", options.variants, 1, 5)) if options.variants else None,
        request.efforts(options.efforts) if options.efforts else recipe.EFFORTS,
        command(options),
    )


def chosen_libraries(options: argparse.Namespace) -> dict[str, Library]:
    """The library that the user gives, or the usual ones."""
    patterns = request.patterns(options.dont_use)
    if options.lib:
        paths = request.library(options.lib)
        return {libraries.name_of(paths[0]): Library(paths, patterns)}
    return {
        name: Library(request.library(str(path)), patterns)
        for name, (path, _) in libraries.LIBRARIES.items()
        if options.full or name == libraries.FIRST
    }


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth measure", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add(
        "--build",
        type=Path,
        default=Path("build"),
        help="the build folder; results go to its folder synth",
    )
    add("--full", action="store_true", help="every element and array, in every usual library")
    add("--element", default="", help="the kind: " + ", ".join(KINDS))
    add("--lanes", default="", help="products a cycle: " + ", ".join(map(str, request.LANES)))
    add("--frac-bits", default="", help="fraction bits of the alignment window")
    add("--formats", default="", help="all, or names with commas between them")
    add("--rows", default="", help="with ROWS or COLS the whole array is measured")
    add("--cols", default="")
    add("--period", default="", help="ns; several with commas between them")
    add("--clock-fo4", default="", help="the period in FO4 delays of the library, instead")
    add("--lib", default="", help="a Liberty file, or several of one library, or compressed ones")
    add("--dont-use", default="", help="patterns of cells that are not used, as '*probe* *lpflow*'")
    add("--variants", default="", help="re-synthesised netlists of each point, 1 to 5; usually 3")
    add("--efforts", default="", help="efforts of the recipe, by name; usually all of them")
    add("--jobs", default="", help="runs at a time; the default is the number of cores")
    add("--only", default="", help="entries whose name matches this regular expression")
    add(
        "--rtl",
        type=Path,
        action="append",
        default=[],
        help="one more folder of sources, searched before the others",
    )
    add("--model", type=Path, help="the model's tool fp8mac, for the error of each element")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        jobs = int(request.number("JOBS", options.jobs or str(os.cpu_count() or 1), 1, 1024))
        study = Study(plan(options), options.build, options.rtl, jobs, options.model)
        return study.run()
    except UsageError as error:
        print(f"make synth: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nmake synth: interrupted; finished runs are kept", file=sys.stderr)
        return 130
