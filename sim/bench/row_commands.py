# SPDX-License-Identifier: Apache-2.0
"""`make accept-rows`: cycles of row commands on the default accelerator, as a result file: row_commands.json, beside this file.

    {"rows": {"NAME, M x N": {"cycles"}}}

They are of the accelerator's bench, which compares them in each run: tests/rtl/accel_row_tests.h.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Kind, Row

COMMITTED = Path("sim/bench/row_commands.json")
KIND = Kind("rows", COMMITTED, {"cycles": 1})
LINE = re.compile(r"^([a-zA-Z ]+, \d+ x \d+): (\d+) cycles, [\d.]+ for each value$", re.M)
NAME = re.compile(r"(.+), (\d+) x (\d+)")


def load(path: Path = COMMITTED) -> list[tuple[str, int, int, int]]:
    """Name, rows, columns and cycles of each"""
    rows = expectations.read(KIND, path)["rows"]
    return [
        (found[1], int(found[2]), int(found[3]), row["cycles"])
        for name, row in rows.items()
        if (found := NAME.fullmatch(name))
    ]


def measured(bench: Path) -> dict[str, Row]:
    done = subprocess.run([bench, "--row-cycles"], capture_output=True, text=True)
    rows = {name: {"cycles": int(cycles)} for name, cycles in LINE.findall(done.stdout)}
    if done.returncode != 0 or not rows:
        raise ExpectationError(f"`{bench} --row-cycles` failed:\n{done.stdout}{done.stderr}")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", required=True, type=Path, help="of the default accelerator")
    parser.add_argument("--reason", default="", help="why a loss is accepted")
    options = parser.parse_args()
    try:
        return expectations.take(KIND, measured(options.bench), options.reason)
    except (ExpectationError, OSError) as error:
        print(f"{KIND.command}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
