# SPDX-License-Identifier: Apache-2.0
"""docs/THROUGHPUT.md is what its generator makes of sim/bench/results.json, and the simulated chip has those cycles.

    python -m tests.docs.test_throughput FOLDER [--sim SIM [--int8 SIM] --programs FOLDER] [--all]

Works in FOLDER, which is emptied first. With --sim, commands run again and must print exactly the figures of the
results: those that workloads.toml marks as quick, or with --all every one. A figure that differs means that chip,
firmware or compiler has changed: measure again with `make bench-system`, then
`make bench-report FROM=build/bench/throughput.json`.
"""

import argparse
import contextlib
import copy
import io
import json
import shutil
import sys
from pathlib import Path

from sim.bench import page, results, workloads
from sim.bench.programs import Command, ProgramError, Row, Simulators, rows_of
from tests.sim.tally import Tally

WANTED = workloads.load()


def changed(measured: dict, command: str) -> dict:
    """The same results, in which a command took one cycle more."""
    other = copy.deepcopy(measured)
    for row in results.rows_by_command(other)[command]:
        row["cycles"] += 1
    return other


def differences(command: str, committed: list[Row], repeated: list[Row]) -> list[str]:
    """One sentence for each figure that differs."""
    if len(committed) != len(repeated):
        return [f"{command}: {len(committed)} rows in the results, {len(repeated)} printed"]
    return [
        f"{command}{': ' if 'name' in new else ''}{new.get('name', '')}: {key} is {new.get(key)}, "
        f"the results have {old.get(key)}"
        for old, new in zip(committed, repeated)
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    ]


def report(*arguments: str) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = page.main([*arguments])
    return status, said.getvalue()


def test_committed(tally: Tally, folder: Path) -> None:
    status, said = report(f"--out={folder}/page.md")
    tally.check(f"the page is written: {said}", status == 0)
    tally.check(
        f"{page.PAGE} is not what `make bench-report` writes",
        status == 0 and (folder / "page.md").read_text() == page.PAGE.read_text(),
    )
    typed = [line for line in page.TEMPLATE.read_text().splitlines() if line.startswith("|")]
    tally.check(f"a table is typed: {typed}", not typed)


def test_every_figure(tally: Tally, measured: dict, folder: Path) -> None:
    """Each command's cycles are on the page."""
    before, other = page.PAGE.read_text(), folder / "other.json"
    for command in WANTED.commands():
        other.write_text(results.text_of(changed(measured, command.text)))
        status, said = report(f"--results={other}", f"--out={folder}/other.md")
        tally.check(
            f"one cycle more of {command.text} does not change the page: {said}",
            status == 0 and (folder / "other.md").read_text() != before,
        )


def test_taken(tally: Tally, measured: dict, folder: Path) -> None:
    """A whole measurement takes the place of the results; a part of one is refused."""
    command = WANTED.commands()[0].text
    kept, source = folder / "kept.json", folder / "from.json"
    other = changed(measured, command)
    shutil.copy(results.COMMITTED, kept)
    source.write_text(results.text_of(other))
    arguments = (f"--results={kept}", f"--out={folder}/taken.md", f"--from={source}")
    status, said = report(*arguments)
    tally.check(f"a measurement is taken: {said}", status == 0)
    tally.check("the results are those of the measurement", json.loads(kept.read_text()) == other)
    other["runs"].pop()
    source.write_text(results.text_of(other))
    status, said = report(*arguments)
    tally.check(f"a part is refused: {said}", status == 2 and "does not have" in said)
    source.write_text("{}")
    status, said = report(*arguments)
    tally.check(f"another file is refused: {said}", status == 2 and "is not the" in said)


def test_repeated(
    tally: Tally, measured: dict, simulators: Simulators, commands: list[Command]
) -> None:
    """The chip has the cycles of the results. A figure that is one larger is found."""
    tally.check("there are commands to repeat", bool(commands))
    committed = results.rows_by_command(measured)
    for command in commands:
        try:
            rows = rows_of(command, simulators.output(command))
        except ProgramError as error:
            tally.check(str(error), False)
            continue
        found = differences(command.text, committed[command.text], rows)
        tally.check("\n".join(found), not found)
        print(f"{command.text}: {rows[0]['cycles']} cycles")
        seeded = results.rows_by_command(changed(measured, command.text))[command.text]
        tally.check(
            f"a seeded fault of {command.text} is not found",
            found or differences(command.text, seeded, rows),
        )


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = result.add_argument
    add("folder", type=Path)
    add("--sim", type=Path, help="a simulator of the default chip")
    add("--int8", type=Path, help="a simulator of the same chip with int8 elements")
    add("--programs", type=Path, help="the folder of the chip's programs")
    add("--all", action="store_true", help="repeat every command")
    return result


def main() -> int:
    options = parser().parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    tally = Tally()
    measured = results.load(results.COMMITTED, WANTED)
    test_committed(tally, options.folder)
    test_every_figure(tally, measured, options.folder)
    test_taken(tally, measured, options.folder)
    if options.sim:
        simulators = Simulators({"": options.sim, "int8": options.int8}, options.programs)
        commands = WANTED.commands() if options.all else WANTED.quick()
        test_repeated(tally, measured, simulators, commands)
    return tally.report()


if __name__ == "__main__":
    sys.exit(main())
