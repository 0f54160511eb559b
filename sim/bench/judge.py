# SPDX-License-Identifier: Apache-2.0
"""What a program prints now beside results.json: the rule, and `python -m sim.bench.judge COMMAND <OUTPUT`.

With the compiler of the file the accelerator's own cycles must be equal, and the core's may differ by a share, because they
move with the layout of the code. With another compiler both may differ by more: see Within. Exit status 1: a figure moved; the
text says which, and how a change is accepted.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Move

from . import results
from .programs import Command, ProgramError, Row, rows_of

LEAST = 2  # cycles of the core that may always differ


@dataclass(frozen=True)
class Within:
    """By which share figures may differ from those of a file"""

    accelerator: float
    core: float


RECORDED = Within(accelerator=0.0, core=0.03)  # the file's compiler made the program
# Another one did. Its code takes other cycles, and tensors lie at other addresses, where bursts end at other bounds of 4 KiB.
OTHER = Within(accelerator=0.01, core=0.1)


def without_core(row: Row) -> Row:
    """What the accelerator decides alone"""
    own = {key: value for key, value in row.items() if key not in results.OF_CORE}
    return own | ({"cycles": row["cycles"] - row.get("idle", 0)} if "cycles" in row else {})


def near(move: Move, share: float, least: float) -> bool:
    if not isinstance(move.old, int | float) or not isinstance(move.new, int | float):
        return False
    return abs(move.new - move.old) <= max(least, share * move.old)


def moved(old: Mapping[str, Row], new: Mapping[str, Row], within: Within) -> list[Move]:
    own = expectations.moves(
        *({n: without_core(r) for n, r in rows.items()} for rows in (old, new))
    )
    every = expectations.moves(old, new)
    core = [one for one in every if one.figure in results.OF_CORE]
    return [one for one in own if not near(one, within.accelerator, 0)] + [
        one for one in core if not near(one, within.core, LEAST)
    ]


def within(file: dict, compiler: str) -> Within:
    """What holds for programs of this compiler"""
    return RECORDED if results.same_compiler(file["run"]["compiler"], compiler) else OTHER


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", help="of the results, as `make run APP=dscnn`")
    parser.add_argument("--compiler", required=True, help="of the program")
    options = parser.parse_args()
    try:
        file = expectations.read(results.KIND)
        new = results.rows_of(options.command, rows_of(Command(options.command), sys.stdin.read()))
        share = within(file, options.compiler)
    except (ExpectationError, ProgramError, subprocess.SubprocessError, OSError) as error:
        print(error)
        return 1
    rows = file["rows"].items()
    old = {name: row for name, row in rows if name.partition(": ")[0] == options.command}
    found = moved(old, new, share)
    print(expectations.complaint(results.KIND, found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
