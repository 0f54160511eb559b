# SPDX-License-Identifier: Apache-2.0
"""`make accept-cycles`: measures all rows of results.json again, and accepts what moved.

The commands run on the timing model, whose cycles are the RTL's: a minute in place of half an hour. --from takes a
measurement of `make bench-system` in its place, which is the RTL's and has the simulation's speed. Then all pages that quote
the results are written. Exit status 1: a run failed, an output differs from the golden model's, or a loss has no reason.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.accept import expectations
from tools.accept.expectations import ExpectationError

from . import pages, results, workloads
from .programs import Command, ProgramError, Row, Simulators, rows_of


def measured(simulators: Simulators, commands: list[Command]) -> dict[str, Row]:
    """Rows of the file, by runs side by side."""

    def run(command: Command) -> dict[str, Row]:
        return results.rows_of(command.text, rows_of(command, simulators.output(command)))

    rows: dict[str, Row] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(run, commands):
            rows |= found
    return rows


def take(options: argparse.Namespace) -> int:
    wanted = workloads.load()
    now = expectations.read(results.KIND)
    if options.source:
        source = results.load(options.source, wanted)
        now["speed"], head, rows = source["speed"], source["run"], source["rows"]
    else:
        simulators = Simulators({"": options.sim, "int8": options.int8}, options.programs)
        rows = measured(simulators, wanted.commands())
        head = results.run_of(results.KIND.command, options.compiler)
    moved = expectations.moves(now["rows"], rows)
    accepted, text = expectations.accept(results.KIND, now, rows, options.reason)
    print(text)
    if not accepted:
        return 1
    if moved or options.source:
        now["run"] = head
        results.COMMITTED.write_text(expectations.text_of(now))
    pages.write(options.model)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--sim", required=True, type=Path, help="the default chip's timing model")
    add("--int8", required=True, type=Path, help="the same with int8 elements")
    add("--programs", required=True, type=Path, help="the chip's programs")
    add("--compiler", required=True, help="their compiler")
    add("--model", required=True, type=Path, help="the tool fp8mac")
    add("--reason", default="", help="why a loss is accepted")
    add("--from", dest="source", type=Path, help="a measurement of `make bench-system`")
    try:
        return take(parser.parse_args())
    except (
        ExpectationError,
        ProgramError,
        pages.PageError,
        subprocess.SubprocessError,
        OSError,
    ) as error:
        print(f"{results.KIND.command}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
