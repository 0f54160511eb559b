# SPDX-License-Identifier: Apache-2.0
"""table.toml: the rooms that mutants are drawn from, and the tests that are relevant to a source.

The names of the tests come from make, so the table only has patterns of them. A pattern that matches no test is an
error: otherwise a renamed test would leave the table in silence. `@formal` in a list of tests stands for the proofs
that read the source, which tests/formal/proofs.py knows.
"""

import importlib.util
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath


class TableError(Exception):
    """The table, or what was asked of it, is wrong: the message says what."""


@dataclass(frozen=True)
class Room:
    name: str
    weight: int
    files: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """Sources, what must be built from one before its tests say anything, and its tests, the sharpest first."""

    files: tuple[str, ...]
    build: tuple[str, ...]
    tests: tuple[str, ...]


def matching(names: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """The names that match, in the order of the patterns."""
    names, found = list(names), {}
    for pattern in patterns:
        found |= dict.fromkeys(name for name in names if fnmatchcase(name, pattern))
    return list(found)


class Table:
    def __init__(self, path: Path) -> None:
        self.path = path
        content = tomllib.loads(path.read_text())
        self.rooms = [
            Room(name, room["weight"], tuple(room["files"]))
            for name, room in content["rooms"].items()
        ]
        self.rows = [
            Row(tuple(row["files"]), tuple(row["build"]), tuple(row["tests"]))
            for row in content["relevant"]
        ]
        self.unaffected = [
            (tuple(row["files"]), tuple(row["tests"])) for row in content.get("unaffected", [])
        ]
        self.no_judges: tuple[str, ...] = tuple(content.get("no_judges", []))

    def check(self, tests: list[str]) -> None:
        """Every pattern of tests must match one."""
        lists = [row.tests for row in self.rows] + [tests for _, tests in self.unaffected]
        for pattern in [pattern for patterns in lists for pattern in patterns] + [*self.no_judges]:
            if pattern != "@formal" and not matching(tests, [pattern]):
                raise TableError(f"{self.path}: no test is called {pattern}")

    def row_of(self, file: str) -> Row:
        for row in self.rows:
            if any(fnmatchcase(file, pattern) for pattern in row.files):
                return row
        raise TableError(f"{self.path}: no row of [[relevant]] has {file}")

    def builds(self, file: str) -> list[str]:
        """The make targets that show whether a source compiles. {inner} is its path inside of two folders."""
        inner = PurePosixPath(*PurePosixPath(file).with_suffix("").parts[2:])
        return [target.format(path=file, inner=inner) for target in self.row_of(file).build]

    def relevant(self, file: str, tests: list[str], root: Path) -> list[str]:
        patterns: list[str] = []
        for pattern in self.row_of(file).tests:
            patterns += formal_tests(root, file, tests) if pattern == "@formal" else [pattern]
        return matching(tests, patterns)

    def others(self, file: str, tests: list[str], root: Path) -> list[str]:
        """The tests that are not relevant, without those that the source cannot change, as proofs of other sources."""
        left_out = self.relevant(file, tests, root) + matching(tests, self.no_judges)
        reading = formal_tests(root, file, tests)
        left_out += [test for test in matching(tests, ["formal_*"]) if test not in reading]
        for files, patterns in self.unaffected:
            if any(fnmatchcase(file, pattern) for pattern in files):
                left_out += matching(tests, patterns)
        return [test for test in tests if test not in left_out]


@cache
def proofs(root: Path) -> list:
    """The proofs that `make test` runs."""
    folder = root / "tests/formal"
    spec = importlib.util.spec_from_file_location("proofs", folder / "proofs.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))  # proofs.py imports from its own folder
    spec.loader.exec_module(module)
    sys.path.remove(str(folder))
    shared = module.PACKAGES
    return [
        (proof, {*shared, *proof.files})
        for proof in module.PROOFS
        if not proof.repeats and not proof.deeper
    ]


def formal_tests(root: Path, file: str, tests: list[str]) -> list[str]:
    """The tests with a proof that reads a source, the cheapest first."""
    costs: dict[str, int] = {}
    for test in matching(tests, ["formal_*"]):  # formal_BLOCK
        reads = [p.cost for p, files in proofs(root) if p.is_called(test[7:]) and file in files]
        if reads:
            costs[test] = sum(reads)
    return sorted(costs, key=lambda test: (costs[test], test))
