# SPDX-License-Identifier: Apache-2.0
"""Figures of pages are what their commands print: runs each command with a figure and compares.

    python -m pytest -c tests/pytest.ini tests/docs/test_figures.py --pages 'PAGE...' [--all]

| on the page | the figure |
|---|---|
| `make run ...` and what it measures, then figure % | the utilisation |
| figure: `make run ...` | core cycles of the network for an image |
| `make run APP=vad`, then figure cycles for a frame | core cycles for a frame |
| a row of digits' networks or of `vad` with figure and `make run ...` at its end | the same |

A figure may differ by one unit of its last digit that is not a zero: the firmware's own cycles move with the compiler.
Commands that take minutes run with --all alone. All run with TIMED=1, which has the same cycles.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Bench

# What pages have, and what its command prints.
FIGURES = (
    (
        re.compile(
            r"^\| `(?P<command>make run[^`]*)` \| [^|]* \| (?P<figure>\d+(?:\.\d+)?) % \|$", re.M
        ),
        re.compile(r"utilisation\s+(\d+\.\d+) %"),
    ),
    (
        re.compile(r"\| (?P<figure>[\d,]+): `(?P<command>make run[^`]*)` \|$", re.M),
        re.compile(r"(\d+) cycles of the network for each image"),
    ),
    (
        re.compile(
            r"^`(?P<command>make run APP=vad)`[^`]* takes (?P<figure>[\d,]+) cycles for\s+a frame",
            re.M,
        ),
        re.compile(r"^vad: (\d+) core cycles a frame", re.M),
    ),
    (
        re.compile(
            r"^\| (?:digits'|`vad`)[^|]*\| \**(?P<figure>[\d,]+)\** \|.*\| `(?P<command>make run[^`]*)` \|$",
            re.M,
        ),
        re.compile(r"(\d+) (?:cycles of the network for each image|core cycles a frame)"),
    ),
)
LONG = re.compile(r"NET=|APP=vad")


@dataclass(frozen=True)
class Figure:
    command: str
    text: str
    printed: re.Pattern[str]

    @property
    def unit(self) -> float:
        whole, _, part = self.text.replace(",", "").partition(".")
        zeros = len(whole) - len(whole.rstrip("0"))
        return 10.0 ** (-len(part) if part else zeros)

    def wrong(self, output: str) -> str:
        """What is wrong with it, or an empty text."""
        found = self.printed.search(output)
        value = float(self.text.replace(",", ""))
        if found and abs(float(found[1]) - value) <= self.unit:
            return ""
        return f"the page says {self.text}, the command prints {found[1] if found else 'no figure'}"


def figures(text: str) -> list[Figure]:
    return [
        Figure(row["command"], row["figure"], printed)
        for pattern, printed in FIGURES
        for row in pattern.finditer(text)
    ]


def run(command: str) -> tuple[int, str]:
    """Exit status and output."""
    done = subprocess.run([*command.split(), "TIMED=1"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="session")
def found(request: pytest.FixtureRequest) -> list[Figure]:
    pages = request.config.getoption("--pages").split()
    return figures("\n".join(Path(page).read_text() for page in pages))


def test_pages(bench: Bench, found: list[Figure]) -> None:
    """Pages that no longer have a kind of figure are as wrong as a wrong one."""
    for pattern, printed in FIGURES:
        if not any(one.printed is printed for one in found):
            bench.check(f"no page has a figure like {pattern.pattern}", False)


def test_figures(bench: Bench, found: list[Figure], every: bool) -> None:
    outputs: dict[str, tuple[int, str]] = {}
    for figure in found:
        command = figure.command
        if LONG.search(command) and not every:
            continue
        if command not in outputs:
            outputs[command] = run(command)
        status, output = outputs[command]
        wrong = f"exit status {status}" if status else figure.wrong(output)
        bench.check(f"{command}: {wrong}", not wrong)
        if wrong:
            print("\n".join(output.splitlines()[-5:]))
