# SPDX-License-Identifier: Apache-2.0
"""Whole campaigns of `make mutants` on an example project.

python -m pytest -c tests/pytest.ini tests/mutants/test_campaign.py --folder FOLDER
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import mutants
import pytest
import results
from draw import sequence
from limits import Seconds
from table import Table

if TYPE_CHECKING:
    from tests.mutants.conftest import Equal

HERE = Path(__file__).parent

EXAMPLE = {
    "src/lib/steps.c": """\
// Steps of two, down to 1.
unsigned steps(unsigned n)
{
    unsigned count = 0;
    while (n > 1) {
        n -= n == 3 ? 2 : 1;
        count++;
    }
    return count;
}
enum { ONE = 1, TWO = 2 };
int is_name(unsigned n)
{
    switch (n) {
    case ONE:
        return 1;
    case TWO:
        return 1;
    default:
        return 0;
    }
}
""",
    "src/lib/spare.c": """\
int spare(int n, int m)
{
    int unused = n + m;
    return (n & n) + m;
}
""",
    "test.c": """\
unsigned steps(unsigned n);
int is_name(unsigned n);
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        return !(is_name(1) && is_name(2) && !is_name(0) && !is_name(3));
    }
    return !(steps(1) == 0 && steps(2) == 1 && steps(3) == 1 && steps(5) == 3);
}
""",
    "Makefile": """\
CFLAGS := -O1 -Wall -Werror
NAMES := steps names broken
.PHONY: list-tests list-tests-long
list-tests: ; @printf '%s\\n' $(NAMES)
list-tests-long: ; @echo long
build/%.o: src/lib/%.c ; @gcc $(CFLAGS) -g -c -o $@ $<
build/program: build/steps.o build/spare.o test.c ; @gcc -o $@ $^
build/test/steps.log: build/program ; @$< >$@.part && mv $@.part $@ || { mv $@.part $@.out; exit 1; }
build/test/names.log: build/program ; @$< n >$@.part && mv $@.part $@ || { mv $@.part $@.out; exit 1; }
build/test/broken.log: ; @touch $@.out; exit 1
build/test/long.log: ; @touch $@
""",
    "table.toml": """\
[rooms]
steps = { weight = 8, files = ["src/lib/steps.c"] }
spare = { weight = 1, files = ["src/lib/spare.c"] }
[[relevant]]
files = ["src/lib/*.c"]
build = ["build/{inner}.o"]
tests = ["ste*"]
""",
}


class Example:
    """The example project and campaigns on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in EXAMPLE.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)

    def run(self, *words: str) -> tuple[int, str]:
        """The exit status, and what was printed."""
        paths = ["--root", self.folder, "--out", self.folder / "build/mutants"]
        files = [
            "--table",
            self.folder / "table.toml",
            "--equivalent",
            self.folder / "equivalent.txt",
        ]
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = mutants.main(list(map(str, [*paths, *files, *words])))
        return status, out.getvalue()

    def results(self) -> list[dict]:
        text = (self.folder / "build/mutants/results.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def finished(self) -> list[dict]:
        return [r for r in self.results() if r["status"] in ("killed", "survived")]

    @staticmethod
    def phases(found: list[dict]) -> list[str]:
        """The phases in which results came, each once if they did not mix."""
        opened: set[str] = set()
        phases: list[str] = []
        for result in found:
            phase = "second" if result["id"] in opened else "first"
            opened |= {result["id"]} if result["status"] == "open" else set()
            phases += [phase] if phases[-1:] != [phase] else []
        return phases

    def by(self, status: str) -> list[dict]:
        return [result for result in self.results() if result["status"] == status]

    def has(self, status: str, name: str, test: str = "", how: str = "") -> bool:
        return any(
            name in result["name"] and result["test"] == test and result["how"].startswith(how)
            for result in self.by(status)
        )


@pytest.fixture
def example(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Example:
    monkeypatch.setattr(results, "MARGIN", Seconds(0.5, 300))
    monkeypatch.setattr(results, "UNKNOWN", Seconds(1, 300))
    return Example(folder / "example")


def test_campaign(equal: Equal, example: Example) -> None:
    count = len([m for room in example_rooms(example) for m in room])
    status, _ = example.run("--mutants", "3")
    first = example.results()
    equal("a campaign of 3", len(example.finished()), 3)
    status, said = example.run("--mutants", "27", "--jobs", "2")
    found = example.results()
    equal("the first ones stay", found[: len(first)], first)
    tried = [r["id"] for r in found if r["status"] != "open"]
    equal("none is tried twice", len(set(tried)), len(tried))
    equal("open ones are tried on", {r["id"] for r in example.by("open")} <= set(tried), True)
    equal("the first trials come first", example.phases(found[len(first) :]), ["first", "second"])
    ran = [set(r["ran"]) - {"broken"} for r in example.by("survived")]
    equal("a survivor ran all", ran, [{"names", "steps"}] * len(ran))
    equal("no more than there are", len(tried) <= count, True)
    equal("a killed one", example.has("killed", "`0` -> `1`", "steps"), True)
    equal("one killed by another test", example.has("killed", "steps.c:16", "names"), True)
    equal("one that never ends", example.has("killed", "`1` -> `0`", "steps", "timeout: "), True)
    equal("an invalid one", example.has("invalid", "`2` -> `1`", "", "src/lib/steps.c"), True)
    equal("one that changes no code", example.has("same code", "`&` -> `|`"), True)
    equal("a survivor", example.has("survived", "spare.c:4"), True)
    equal("the broken test is told", "broken fails without a mutant" in said, True)
    equal("too few are killed", (status, "killed: 8" in said), (1, True))
    equal("the tree is as the project", (example.folder / "build/mutants/tree/src/lib/steps.c").read_text(),
          EXAMPLE["src/lib/steps.c"])  # fmt: skip
    check_resumption(equal, example)


def example_rooms(example: Example) -> list[list]:
    return [
        sequence(example.folder, room, 1) for room in Table(example.folder / "table.toml").rooms
    ]


def refused(equal: Equal, example: Example, sentence: str, *words: str) -> None:
    status, said = example.run(*words)
    equal(f"refusal of {' '.join(words)}", (status, sentence in said), (2, True))


def check_resumption(equal: Equal, example: Example) -> None:
    before = example.results()
    example.run("--mutants", "27")
    equal("resuming repeats nothing", example.results(), before)
    status, report = example.run("--report", "1")
    equal("the report", (status, "spare.c:4" in report, "\n+    return" in report), (1, True, True))
    again = [r["id"] for r in example.by("survived")]
    example.run("--survivors", "1", "--tests-of", "long n*s")
    equal("survivors with other tests", example.results(), before)
    text = (example.folder / "build/mutants/survivors.jsonl").read_text()
    ran = [sorted(json.loads(line)["ran"]) for line in text.splitlines()]
    equal("their tests", ran, [["long", "names"]] * len(again))
    refused(
        equal, example, "no test is called nothing*", "--survivors", "1", "--tests-of", "nothing*"
    )
    argued = "".join(f"{name}  it is never called,\n  so nothing can tell\n" for name in again)
    (example.folder / "equivalent.txt").write_text(argued)
    status, report = example.run("--report", "1")
    equal("equivalent ones", (status, "so nothing can tell" in report), (0, True))
    equal("no survivor is left", example.run("--survivors", "1")[0], 2)


def test_refusals(equal: Equal, example: Example) -> None:
    refused(equal, example, "MUTANTS=none is not possible", "--mutants", "none")
    refused(equal, example, "MUTANTS=0 is not possible", "--mutants", "0")
    refused(equal, example, "SEED=-1 is not possible", "--seed=-1")
    refused(equal, example, "JOBS=0 is not possible", "--jobs", "0")
    refused(equal, example, "REPORT=yes is not possible", "--report", "yes")
    refused(equal, example, "TESTS_OF needs SURVIVORS=1", "--tests-of", "steps")
    refused(equal, example, "exclude each other", "--report", "1", "--survivors", "1")
    refused(equal, example, "the room steps has 24 mutants, not", "--mutants", "5000")
    (example.folder / "equivalent.txt").write_text("0123456789\n")
    refused(equal, example, "0123456789 has no argument", "--report", "1")
    (example.folder / "equivalent.txt").unlink()
    table = example.folder / "table.toml"
    table.write_text(EXAMPLE["table.toml"].replace("ste*", "no_such_*"))
    refused(equal, example, "no test is called no_such_*", "--mutants", "5")
    table.write_text(EXAMPLE["table.toml"].replace('["src/lib/*.c"]', '["elsewhere/*"]'))
    refused(equal, example, "no row of [[relevant]] has src/lib", "--mutants", "27")
    table.write_text(EXAMPLE["table.toml"].replace('["src/lib/spare.c"]', '["src/none/*"]'))
    refused(equal, example, "the room spare has no files", "--mutants", "5")


def test_interruption(equal: Equal, example: Example) -> None:
    """A test that sleeps, and SIGTERM: the source is as it was, nothing runs on, and the next run can continue."""
    makefile = EXAMPLE["Makefile"].replace("steps names broken", "sleepy")
    rule = "build/test/sleepy.log: ; @touch $@.part; echo $$$$ >build/pid; exec sleep 600\n"
    (example.folder / "Makefile").write_text(makefile + rule)
    (example.folder / "table.toml").write_text(EXAMPLE["table.toml"].replace("ste*", "sleepy"))
    command = [
        sys.executable,
        "-B",
        str(HERE / "mutants.py"),
        "--table",
        "table.toml",
        "--mutants",
        "5",
    ]
    campaign = subprocess.Popen(command, cwd=example.folder, stderr=subprocess.DEVNULL)
    tree = example.folder / "build/mutants/tree"
    while not (tree / "build/pid").exists() and campaign.poll() is None:
        time.sleep(0.05)
    equal("a source is changed", same_sources(example, tree), False)
    campaign.send_signal(signal.SIGTERM)
    equal("status of an interruption", campaign.wait(), 130)
    equal(
        "no source is changed",
        (same_sources(example, tree), (tree / "build/changed").exists()),
        (True, False),
    )
    equal(
        "the test has ended",
        Path(f"/proc/{(tree / 'build/pid').read_text().strip()}").exists(),
        False,
    )


def same_sources(example: Example, tree: Path) -> bool:
    return all(
        (tree / f).read_bytes() == (example.folder / f).read_bytes()
        for f in ("src/lib/steps.c", "src/lib/spare.c")
    )
