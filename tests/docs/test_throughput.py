# SPDX-License-Identifier: Apache-2.0
"""docs/THROUGHPUT.md is what its generator makes of sim/bench/results.json, and the simulated chip has those cycles.

    python -m pytest -c tests/pytest.ini tests/docs/test_throughput.py --folder FOLDER
        [--sim SIM [--int8 SIM] --programs FOLDER] [--all]

With --sim, commands run again and must print the figures of the results: those that workloads.toml marks as quick, or
with --all every one. The accelerator's own cycles must be equal. The core's may differ by CORE, because they move with
the layout of the code. More means that chip, firmware or compiler has changed: measure again with
`make bench-cycles`, then `make bench-report`.
"""

import contextlib
import copy
import io
import json
import shutil
from pathlib import Path

import pytest

from sim.bench import page, results, workloads
from sim.bench.programs import ProgramError, Row, Simulators, rows_of
from tests.conftest import Bench

WANTED = workloads.load()
OF_CORE = ("idle", "plan", "core_cycles")
CORE = 0.03  # of the cycles of the core
LEAST = 2  # cycles that may always differ


def changed(measured: dict, command: str) -> dict:
    """The same results, in which a command took one cycle more, to load."""
    other = copy.deepcopy(measured)
    for row in results.rows_by_command(other)[command]:
        row["cycles"] += 1
        if "load" in row:
            row["load"] += 1
    return other


def without_core(row: Row) -> Row:
    """What the accelerator decides alone."""
    own = {key: value for key, value in row.items() if key not in OF_CORE}
    return {**own, "cycles": row["cycles"] - row.get("idle", 0)}


def is_near(old: Row, new: Row, key: str) -> bool:
    if key not in old or key not in new:
        return key not in old and key not in new
    return abs(new[key] - old[key]) <= max(LEAST, CORE * old[key])


def differences(command: str, committed: list[Row], repeated: list[Row]) -> list[str]:
    """One sentence for each figure that differs."""
    if len(committed) != len(repeated):
        return [f"{command}: {len(committed)} rows in the results, {len(repeated)} printed"]
    return [
        f"{command}{': ' if 'name' in new else ''}{new.get('name', '')}: {key} is {new.get(key)}, "
        f"the results have {old.get(key)}"
        for old, new in zip(committed, repeated)
        for key in {**old, **new}
        if not same(old, new, key)
    ]


def same(old: Row, new: Row, key: str) -> bool:
    if key in OF_CORE:
        return is_near(old, new, key)
    return without_core(old).get(key) == without_core(new).get(key)


def report(*arguments: str) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = page.main([*arguments])
    return status, said.getvalue()


@pytest.fixture
def measured() -> dict:
    return results.load(results.COMMITTED, WANTED)


def test_committed(bench: Bench, folder: Path) -> None:
    status, said = report(f"--out={folder}/page.md")
    bench.check(f"the page is written: {said}", status == 0)
    bench.check(
        f"{page.PAGE} is not what `make bench-report` writes",
        status == 0 and (folder / "page.md").read_text() == page.PAGE.read_text(),
    )
    typed = [line for line in page.TEMPLATE.read_text().splitlines() if line.startswith("|")]
    bench.check(f"a table is typed: {typed}", not typed)


def test_every_figure(bench: Bench, measured: dict, folder: Path) -> None:
    """Each command's cycles are on the page."""
    before, other = page.PAGE.read_text(), folder / "other.json"
    for command in WANTED.commands():
        other.write_text(results.text_of(changed(measured, command.text)))
        status, said = report(f"--results={other}", f"--out={folder}/other.md")
        bench.check(
            f"one cycle more of {command.text} does not change the page: {said}",
            status == 0 and (folder / "other.md").read_text() != before,
        )


def test_taken(bench: Bench, measured: dict, folder: Path) -> None:
    """A whole measurement takes the place of the results; a part of one is refused."""
    command = WANTED.commands()[0].text
    kept, source = folder / "kept.json", folder / "from.json"
    other = changed(measured, command)
    shutil.copy(results.COMMITTED, kept)
    source.write_text(results.text_of(other))
    arguments = (f"--results={kept}", f"--out={folder}/taken.md", f"--from={source}")
    status, said = report(*arguments)
    bench.check(f"a measurement is taken: {said}", status == 0)
    bench.check("the results are those of the measurement", json.loads(kept.read_text()) == other)
    other["runs"].pop()
    source.write_text(results.text_of(other))
    status, said = report(*arguments)
    bench.check(f"a part is refused: {said}", status == 2 and "does not have" in said)
    source.write_text("{}")
    status, said = report(*arguments)
    bench.check(f"another file is refused: {said}", status == 2 and "is not the" in said)


def test_repeated(
    bench: Bench, measured: dict, every: bool, request: pytest.FixtureRequest
) -> None:
    """The chip has the cycles of the results. A figure that is one larger is found."""
    option = request.config.getoption
    if not option("--sim"):
        return
    simulators = Simulators({"": option("--sim"), "int8": option("--int8")}, option("--programs"))
    commands = WANTED.commands() if every else WANTED.quick()
    bench.check("there are commands to repeat", bool(commands))
    committed = results.rows_by_command(measured)
    for command in commands:
        try:
            rows = rows_of(command, simulators.output(command))
        except ProgramError as error:
            bench.check(str(error), False)
            continue
        found = differences(command.text, committed[command.text], rows)
        bench.check("\n".join(found), not found)
        print(f"{command.text}: {rows[0]['cycles']} cycles")
        seeded = results.rows_by_command(changed(measured, command.text))[command.text]
        bench.check(
            f"a seeded fault of {command.text} is not found",
            found or differences(command.text, seeded, rows),
        )
