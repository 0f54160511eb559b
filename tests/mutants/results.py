# SPDX-License-Identifier: Apache-2.0
"""What is known: the finished mutants, and the tests that pass without a mutant. Files of JSON lines in build/mutants.

A line is written at once and whole, so an interrupted campaign continues where it stopped. A later line about the same
thing takes the place of an earlier one.
"""

import json
import os
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path

from draw import Mutant
from limits import Seconds

KILLED, SURVIVED, INVALID, SAME = "killed", "survived", "invalid", "same code"
OPEN = "open"  # the relevant tests pass, and the others have not run
# Which tests a trial runs, if it is not told their names
RELEVANT, OTHERS, ALL = "relevant", "others", "all"
# A test that takes more than FACTOR times its seconds without a mutant and MARGIN more does not end. The clock has more
# time, because it is for tests that wait for ever: on a busy machine any other test takes long.
FACTOR, MARGIN = 10, Seconds(120, 600)
UNKNOWN = Seconds(1200, 3600)  # the limit of a test whose time is not known


@dataclass
class Result:
    id: str
    status: str
    room: str
    name: str
    test: str = ""  # that killed it
    how: str = ""  # failed, timeout: ..., or not built
    processor: float = 0.0  # seconds
    ran: list[str] = field(default_factory=list)  # tests

    @staticmethod
    def of(mutant: Mutant, status: str, **known: object) -> "Result":
        return Result(mutant.id, status, mutant.room, mutant.name(), **known)


class Lines:
    """A file of JSON lines, of which the last complete ones count."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)

    def read(self) -> list[dict]:
        text = self.path.read_text() if self.path.exists() else ""
        return [json.loads(line) for line in text.splitlines() if line.endswith("}")]

    def add(self, record: dict) -> None:
        """An unfinished line, which a crash left, ends first."""
        with self.lock, self.path.open("a+b") as file:
            if file.tell() and not self.path.read_bytes().endswith(b"\n"):
                file.write(b"\n")
            file.write(json.dumps(record).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


class Results:
    def __init__(self, path: Path) -> None:
        self.lines = Lines(path)
        self.known = {line["id"]: Result(**line) for line in self.lines.read()}

    def add(self, result: Result) -> None:
        self.known[result.id] = result
        self.lines.add(asdict(result))


class Tests:
    """The tests: which pass without a mutant in these sources, and how long they take."""

    def __init__(self, names: list[str], sources: str, path: Path, earlier: Path) -> None:
        self.names, self.sources, self.lines = list(dict.fromkeys(names)), sources, Lines(path)
        self.verdicts: dict[str, bool] = {}
        self.seconds: dict[str, Seconds] = {}
        self.read_times(earlier)
        for line in self.lines.read():
            if line["passed"]:
                self.seconds[line["test"]] = Seconds(line["processor"], line["wall"])
            if line["sources"] == sources:
                self.verdicts[line["test"]] = line["passed"]

    def read_times(self, path: Path) -> None:
        """The file of run_test.sh: name, seconds, processor seconds."""
        for line in path.read_text().splitlines() if path.exists() else []:
            name, wall, processor = line.split()
            self.seconds[name] = Seconds(float(processor), float(wall))

    def verdict(self, test: str) -> bool | None:
        return self.verdicts.get(test)

    def tell(self, test: str, passed: bool, took: Seconds) -> None:
        """A test passed or failed without a mutant, or passed with one."""
        if self.verdicts.get(test) is None:
            self.verdicts[test] = passed
            if passed:
                self.seconds[test] = took
            self.lines.add({"sources": self.sources, "test": test, "passed": passed} | asdict(took))

    def limit(self, test: str) -> Seconds:
        took = self.seconds.get(test)
        if took is None:
            return UNKNOWN
        return Seconds(FACTOR * took.processor + MARGIN.processor, FACTOR * took.wall + MARGIN.wall)

    def cheapest_first(self, names: list[str]) -> list[str]:
        """A test of unknown cost is taken for one of middling cost."""
        middling = Seconds(30, 30)
        return sorted(names, key=lambda name: self.seconds.get(name, middling).processor)

    def broken(self) -> list[str]:
        return [name for name, passed in self.verdicts.items() if not passed]
