# SPDX-License-Identifier: Apache-2.0
"""The cycles of results.json, measured again on the timing model, whose cycles are the RTL's: some seconds in place of half an hour.

All commands of docs/THROUGHPUT.md run on it. What differs is printed and written to results.json. The simulation's
speed stays: only `make bench-system` measures it. Exit status 1 if a run fails or an output differs."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from . import results, workloads
from .programs import Command, ProgramError, Row, Simulators, rows_of


def changes(old: list[Row], new: list[Row]) -> list[str]:
    """What differs between two measurements of a command."""
    if len(old) != len(new):
        return [f"{len(old)} rows became {len(new)}"]
    pairs = [(a.get(key), b[key], key) for a, b in zip(old, new, strict=True) for key in b]
    return [f"{key} {a} -> {b}" for a, b, key in pairs if a != b]


def measure(simulators: Simulators) -> None:
    # Commands may have come or gone since the file was written.
    found = json.loads(results.COMMITTED.read_text())
    before = results.rows_by_command(found)
    commands = workloads.load("").commands()

    def run(command: Command) -> list[Row]:
        return rows_of(command, simulators.output(command))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [command.text for command in commands]
        after = dict(zip(texts, pool.map(run, commands), strict=True))
    differ = 0
    for command, rows in after.items():
        text = changes(before.get(command, []), rows)
        differ += bool(text)
        if text:
            print(f"{command}: {', '.join(text)}")
    results.COMMITTED.write_text(results.text_of({**found, "runs": results.runs_of(after)}))
    print(
        f"{differ} of {len(commands)} commands differ; {results.COMMITTED.name} has their figures"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--sim", required=True, type=pathlib.Path, help="the default chip's timing model"
    )
    parser.add_argument("--int8", required=True, type=pathlib.Path, help="with int8 elements")
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the chip's programs")
    options = parser.parse_args()
    try:
        measure(Simulators({"": options.sim, "int8": options.int8}, options.programs))
    except (ProgramError, subprocess.SubprocessError, OSError, ValueError) as error:
        print(f"make bench-cycles: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
