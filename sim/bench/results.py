# SPDX-License-Identifier: Apache-2.0
"""The measurement of which docs/THROUGHPUT.md is made, as a file: results.json, beside this file.

    {"run": {"command", "version", "date", "compiler"},
     "runs": [{"command", "rows": [{NAME: figure}]}],       as programs.py reads them from what a program prints
     "speed": [{"mode", "name", "least", "most", "target"}]}

A file has every command of workloads.py. So all figures of the page are of one chip, one firmware and one compiler.
"""

import datetime
import json
import re
import subprocess
from pathlib import Path

from .programs import Row
from .workloads import Workloads

COMMITTED = Path(__file__).with_name("results.json")
MEASURED = "throughput.json"  # what `make bench-system` writes
SPEED_KEYS = ("mode", "name", "least", "most", "target")


class ResultsError(Exception):
    """A file is not a whole measurement; the message is one sentence."""


def version() -> str:
    """The project's version number, which stands in a header of the model."""
    text = Path("model/include/fp8mac/version.h").read_text()
    return ".".join(re.findall(r"^#define FP8MAC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text, re.M))


def compiler_version(compiler: str) -> str:
    done = subprocess.run(
        [compiler, "-dumpfullversion"], capture_output=True, text=True, check=True
    )
    return f"{Path(compiler).name} {done.stdout.strip()}"


def text_of(results: dict) -> str:
    """One row of figures a line."""
    runs = ",\n".join(
        f'  {{"command": {json.dumps(one["command"])}, "rows": [\n'
        + ",\n".join(f"   {json.dumps(row)}" for row in one["rows"])
        + "]}"
        for one in results["runs"]
    )
    speeds = ",\n".join(f"  {json.dumps(one)}" for one in results["speed"])
    run = json.dumps(results["run"])
    return f'{{"run": {run},\n "runs": [\n{runs}],\n "speed": [\n{speeds}]}}\n'


def runs_of(found: dict[str, list[Row]]) -> list[dict]:
    """found: rows by command."""
    return [{"command": command, "rows": rows} for command, rows in found.items()]


def write(path: Path, found: dict[str, list[Row]], speeds: list[dict], compiler: str) -> None:
    """found: rows by command."""
    run = {
        "command": "make bench-system",
        "version": version(),
        "date": datetime.date.today().isoformat(),
        "compiler": compiler_version(compiler),
    }
    runs = runs_of(found)
    kept = [{key: one[key] for key in SPEED_KEYS} for one in speeds]
    path.write_text(text_of({"run": run, "runs": runs, "speed": kept}))


def rows_by_command(results: dict) -> dict[str, list[Row]]:
    return {one["command"]: one["rows"] for one in results["runs"]}


def load(path: Path, wanted: Workloads) -> dict:
    """A file that has exactly the commands of `wanted`."""
    try:
        results = json.loads(path.read_text())
        found = set(rows_by_command(results))
    except (OSError, ValueError, KeyError, TypeError):
        raise ResultsError(f"{path} is not the {MEASURED} of `make bench-system`") from None
    commands = {command.text for command in wanted.commands()}
    if found != commands:
        odd = sorted(found ^ commands)[0]
        has = "has" if odd in found else "does not have"
        raise ResultsError(f"{path} {has} `{odd}`: measure again with `make bench-system`")
    return results
