# SPDX-License-Identifier: Apache-2.0
"""What a program prints now beside results.json: the rule, and `python -m sim.bench.judge COMMAND <OUTPUT`.

The accelerator's own cycles must be equal. The core's move with compiler and layout of the code, so they may differ by CORE,
and by any number if another compiler than the file's made the program. Exit status 1: a figure moved; the text says which,
and how a change is accepted.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping

from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Move

from . import results
from .programs import Command, ProgramError, Row, rows_of

CORE = 0.03  # of the cycles of the core
LEAST = 2  # cycles that may always differ


def without_core(row: Row) -> Row:
    """What the accelerator decides alone"""
    own = {key: value for key, value in row.items() if key not in results.OF_CORE}
    return own | ({"cycles": row["cycles"] - row.get("idle", 0)} if "cycles" in row else {})


def near(move: Move) -> bool:
    if move.old is None or move.new is None:
        return False
    return abs(move.new - move.old) <= max(LEAST, CORE * move.old)


def moved(old: Mapping[str, Row], new: Mapping[str, Row], same_compiler: bool) -> list[Move]:
    own = expectations.moves(
        *({n: without_core(r) for n, r in rows.items()} for rows in (old, new))
    )
    every = expectations.moves(old, new)
    core = [one for one in every if one.figure in results.OF_CORE and not near(one)]
    return own + (core if same_compiler else [])


def same_compiler(file: dict, compiler: str) -> bool:
    """Whether it made the programs of the file. Says so if not."""
    of_file = file["run"]["compiler"]
    same = results.compiler_version(compiler) == of_file
    if not same:
        print(f"The core's cycles are not compared: {of_file} made the programs of the results.")
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", help="of the results, as `make run APP=dscnn`")
    parser.add_argument("--compiler", required=True, help="of the program")
    options = parser.parse_args()
    try:
        file = expectations.read(results.KIND)
        new = results.rows_of(options.command, rows_of(Command(options.command), sys.stdin.read()))
        same = same_compiler(file, options.compiler)
    except (ExpectationError, ProgramError, subprocess.SubprocessError, OSError) as error:
        print(error)
        return 1
    rows = file["rows"].items()
    old = {name: row for name, row in rows if name.partition(": ")[0] == options.command}
    found = moved(old, new, same)
    print(expectations.complaint(results.KIND, found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
