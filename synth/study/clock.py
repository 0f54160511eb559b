# SPDX-License-Identifier: Apache-2.0
"""python -m synth fo4: the FO4 delay of a library, by inverter, and the clock that its default is."""

from __future__ import annotations

import argparse

from ..flow import fo4
from ..flow.errors import exit_status
from ..flow.liberty import Library
from . import libraries, request, tables


def run(options: argparse.Namespace) -> int:
    given = options.lib or str(libraries.LIBRARIES[libraries.FIRST][0])
    library = Library(request.library(given), request.patterns(options.dont_use))
    every, own = fo4.all_inverters(library), fo4.of(library)
    lines = [[one.cell, f"{1000 * one.delay_ns:.2f}", f"{1000 * one.slew_ns:.2f}"] for one in every]
    print(library.note())
    print(tables.table(["inverter", "FO4 delay, ps", "slew, ps"], lines), end="")
    period = libraries.headline_of(libraries.name_of(library.path), library)
    print(f"FO4 delay {1000 * own.delay_ns:.2f} ps ({own.cell}), the least")
    print(f"default clock {period:g} ns = {period / own.delay_ns:.1f} FO4")
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth fo4", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--lib", default="", help="a Liberty file, or several of one library")
    parser.add_argument("--dont-use", default="", help="patterns of cells that are not used")
    options = parser.parse_args(arguments)
    return exit_status("synth-fo4", lambda: run(options))
