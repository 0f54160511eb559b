# SPDX-License-Identifier: Apache-2.0
"""Runs every code block of Markdown pages as printed.

    python -m pytest -c tests/pytest.ini tests/docs/test_snippets.py --pages 'PAGE...' [--possible]

A reader follows a page from top to bottom in one shell that starts at the root of the repository. So does this test:
the blocks of a page run in their order, and a later block sees the folder and the variables that an earlier one left.

    ```sh        runs in that shell, with `set -e`; so does an indented block
    ```python    runs after all earlier Python blocks of the page, in one program
    ```text      is not code: a drawing, a file listing

A comment in the line above a block changes that:

    <!-- snippet: file NAME -->     any language: the block is saved as NAME in the current folder, removed in the end;
                                    NAME may begin with $HOME
    <!-- snippet: output -->        the block is what the block before it prints, exactly
    <!-- snippet: skip, REASON -->  the block is not run, for this reason

With --possible nothing is run, for pages whose commands take hours: `make -n` must accept each line of an indented block or
of a code span that begins with `make`. A formula in such a block is no command.

Any other block is a failure, as one in a language without a rule, or a file that exists already. The environment is the
reader's: PATH is that of the caller, `python` is what the page made it, and pip asks its index. Only HOME is an empty
folder, which goes in the end. The count is that of the blocks that ran.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Bench

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})\s*(\S*)\s*$")
COMMENT = re.compile(r"^\s*<!--\s*snippet:\s*(file|output|skip)\b,?\s*(.*?)\s*-->\s*$")
LIST_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s")
TIMEOUT = 1800  # seconds for one block: a guard against a command that waits for input


class Malformed(Exception):
    """The page breaks the rules above."""


@dataclass
class Block:
    line: int
    language: str
    text: str
    mark: str = ""  # file, output, skip
    argument: str = ""


def blocks_of(page: Path) -> list[Block]:
    """Every code block of the page. Raises Malformed where one cannot be classified."""
    found: list[Block] = []
    lines = page.read_text().split("\n")
    mark, in_list, blank = ("", ""), False, True
    i = 0
    while i < len(lines):
        line = lines[i]
        if match := FENCE.match(line):
            indent, fence, language = match.groups()
            body, start = [], i + 1
            i += 1
            while i < len(lines) and not lines[i].strip().startswith(fence):
                body.append(lines[i].removeprefix(indent))
                i += 1
            if i == len(lines):
                raise Malformed(f"{page}:{start}: the block has no end")
            found.append(Block(start, language, "\n".join(body) + "\n", *mark))
            mark = ("", "")
        elif match := COMMENT.match(line):
            mark = match.groups()
            if mark[0] != "output" and not mark[1]:
                raise Malformed(f"{page}:{i + 1}: '{mark[0]}' needs an argument")
        elif line.startswith("    ") and line.strip() and blank and not in_list:
            start, body = i + 1, []
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                body.append(lines[i].removeprefix("    "))
                i += 1
            found.append(Block(start, "sh", "\n".join(body).rstrip() + "\n", *mark))
            mark, blank = ("", ""), True
            continue
        elif mark[0] and line.strip():
            raise Malformed(f"{page}:{i + 1}: the comment above belongs to no block")
        if line.strip():
            in_list = bool(LIST_ITEM.match(line)) or (in_list and line.startswith(" "))
        blank = not line.strip()
        i += 1
    return found


def make_environment(folder: Path) -> dict[str, str]:
    """The caller's environment without make and Python, and with HOME in `folder`."""
    home = folder / "home"
    home.mkdir()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not re.match(r"MAKE|MFLAGS|PYTHON|PYTEST|VIRTUAL_ENV|LD_LIBRARY_PATH|PKG_CONFIG", name)
    }
    return kept | {
        "HOME": str(home),
        "PIP_QUIET": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


class Reader:
    """One page, followed from top to bottom."""

    def __init__(self, page: Path, folder: Path):
        self.page = page
        self.folder = folder
        self.environment = make_environment(folder)
        self.state = folder / "state.sh"
        self.state.write_text(f'cd "{ROOT}"\n')
        self.python = ""
        self.printed = ""
        self.files: list[Path] = []

    def shell(self, text: str) -> subprocess.CompletedProcess:
        script = self.folder / "block.sh"
        script.write_text(
            f'set -e\n. "{self.state}"\n{text}\n{{ export -p; echo "cd \\"$PWD\\""; }} >"{self.state}"\n'
        )
        return subprocess.run(
            ["sh", str(script)],
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=TIMEOUT,
        )

    def save(self, name: str, text: str) -> None:
        where = self.shell("pwd").stdout.strip()
        path = Path(where, name.replace("$HOME", self.environment["HOME"]))
        if path.exists():
            raise Malformed(f"{path} exists already")
        path.write_text(text)
        self.files.append(path)

    def run(self, block: Block) -> str:
        """What is wrong with the block, or an empty text."""
        if block.mark == "file":
            self.save(block.argument, block.text)
            return ""
        if block.mark == "output":
            if block.text.rstrip() == self.printed.rstrip():
                return ""
            return f"printed:\n{self.printed}\nbut the page says:\n{block.text}"
        if block.language in ("sh", "bash", "shell"):
            done = self.shell(block.text)
            self.printed = done.stdout
        elif block.language in ("python", "py"):
            program = self.folder / "program.py"
            program.write_text(f"{self.python}\nprint('\\f', end='')\n{block.text}")
            done = self.shell(f'python "{program}"')
            self.printed = done.stdout.rpartition("\f")[2]
            self.python += "\n" + block.text
        else:
            return f"there is no rule for the language '{block.language}'"
        return (
            ""
            if done.returncode == 0
            else f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
        )

    def close(self) -> None:
        for path in self.files:
            path.unlink(missing_ok=True)


def indented(text: str) -> str:
    return "\n".join("      " + line for line in text.rstrip().split("\n"))


def follow(bench: Bench, page: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="fp8mac-docs-"))
    reader = Reader(page, folder)
    try:
        for block in blocks_of(page):
            place = f"{page}:{block.line}"
            if block.mark == "skip":
                print(f"skip {place}: {block.argument}")
                continue
            if block.language == "text" and block.mark == "":
                continue
            problem = reader.run(block)
            bench.check(f"{place}\n{indented(block.text)}\n{problem}", not problem)
            if not problem:
                print(f"ok   {place}")
    except (Malformed, subprocess.TimeoutExpired) as error:
        bench.check(str(error), False)
    finally:
        reader.close()
        shutil.rmtree(folder, ignore_errors=True)


def make_commands(page: Path) -> list[str]:
    """The make commands of the page, each once."""
    lines = [
        line.partition(" #")[0].strip()
        for block in blocks_of(page)
        if block.language == "sh"
        for line in block.text.split("\n")
    ]
    prose = " ".join(line for line in page.read_text().split("\n") if not line.startswith("    "))
    spans = re.findall(r"`(make [^`]*)`", prose)
    return list(dict.fromkeys(line for line in (*lines, *spans) if line.startswith("make")))


def ask_make(bench: Bench, page: Path) -> None:
    """make accepts each command."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("M")}
    for command in make_commands(page):
        done = subprocess.run(
            ["sh", "-c", "make -n" + command.removeprefix("make")],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
        bench.check(f"{page}: {command}\n{done.stderr}", done.returncode == 0)
        if done.returncode == 0:
            print(f"ok   {page}: {command}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("page", metafunc.config.getoption("--pages").split())


def test_page(bench: Bench, request: pytest.FixtureRequest, page: str) -> None:
    work = ask_make if request.config.getoption("--possible") else follow
    work(bench, Path(page))
