# SPDX-License-Identifier: Apache-2.0
"""The cycles of the default chip, as a result file: results.json, beside this file. Pages quote it (quotes.py).

    {"run": {"command", "version", "date", "compiler"},
     "rows": {ROW: {FIGURE: value}},    as programs.py reads them from what a program prints
     "speed": [{"mode", "name", "least", "most", "target"}]}

A row is a command, or `COMMAND: NAME` where its program prints several rows. The file has every command of workloads.py.
`make accept-cycles` writes it: see tools/accept.
"""

import datetime
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Kind

from .programs import Row
from .workloads import Workloads

COMMITTED = Path("sim/bench/results.json")
MEASURED = "throughput.json"  # what `make bench-system` writes
SPEED_KEYS = ("mode", "name", "least", "most", "target")
# Cycles of the core. They move with compiler and layout of the code, those of the accelerator with neither.
OF_CORE = ("idle", "plan", "gathering", "core_cycles", "image_cycles")
JUDGED = dict.fromkeys(("cycles", "plan", "gathering", "core_cycles", "image_cycles"), 1)
KIND = Kind("cycles", COMMITTED, JUDGED)


def version() -> str:
    """The project's version number, which stands in a header of the model."""
    text = Path("model/include/fp8mac/version.h").read_text()
    return ".".join(re.findall(r"^#define FP8MAC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text, re.M))


def compiler_version(compiler: str) -> str:
    done = subprocess.run(
        [compiler, "-dumpfullversion"], capture_output=True, text=True, check=True
    )
    return f"{Path(compiler).name} {done.stdout.strip()}"


def same_compiler(recorded: str, compiler: str) -> bool:
    """Whether it is the one of a file's programs. Says so if not: the file's figures then hold within wider bounds."""
    same = compiler_version(compiler) == recorded
    if not same:
        print(f"{recorded} made the programs of the file, so wider bounds hold for this compiler.")
    return same


def run_of(command: str, compiler: str) -> dict[str, str]:
    """What stands at the head of a measurement."""
    return {
        "command": command,
        "version": version(),
        "date": datetime.date.today().isoformat(),
        "compiler": compiler_version(compiler),
    }


def rows_of(command: str, printed: list[Row]) -> dict[str, Row]:
    """Rows of the file from those that a program prints."""
    return {
        f"{command}: {row['name']}" if "name" in row else command: {
            key: value for key, value in row.items() if key != "name"
        }
        for row in printed
    }


def write(path: Path, rows: Mapping[str, Row], speeds: list[dict], compiler: str) -> None:
    kept = [{key: one[key] for key in SPEED_KEYS} for one in speeds]
    run = run_of("make bench-system", compiler)
    path.write_text(expectations.text_of({"run": run, "rows": dict(rows), "speed": kept}))


def by_command(rows: Mapping[str, Row]) -> dict[str, dict[str, Row]]:
    """Rows by their names, or by an empty one, of each command."""
    found: dict[str, dict[str, Row]] = {}
    for row, figures in rows.items():
        command, _, name = row.partition(": ")
        found.setdefault(command, {})[name] = figures
    return found


def load(path: Path, wanted: Workloads) -> dict:
    """A file that has exactly the commands of `wanted`."""
    results = expectations.read(KIND, path)
    if not {"run", "speed"} <= set(results):
        raise ExpectationError(
            f"{path} has no head or no speeds: it is not what `make bench-system` writes"
        )
    found, commands = set(by_command(results["rows"])), {c.text for c in wanted.commands()}
    if found != commands:
        odd = sorted(found ^ commands)[0]
        has = "has" if odd in found else "does not have"
        raise ExpectationError(f"{path} {has} `{odd}`: measure again by `{KIND.command}`")
    return results
