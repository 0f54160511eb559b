# SPDX-License-Identifier: Apache-2.0
"""Mutation testing of the project: small faults in its sources, each of which some test should find.

    mutants.py --root . --out build/mutants [--mutants 60] [--seed 1] [--jobs 1] [--report]
               [--survivors [--tests-of 'GLOB...']]

`make mutants` calls it; tests/README.md says what it does. The exit status is 0 if at least 90 % of the mutants that
are not equivalent were killed, 1 if fewer were, 2 if the request or the table is wrong, and 130 after an interruption.
"""

import argparse
import fcntl
import os
import signal
import sys
from pathlib import Path

from campaign import Campaign, Queue, Turns, known
from draw import Mutant, files_of, sequence, shares
from report import Report, equivalents
from results import ALL, OPEN, OTHERS, SURVIVED, Results, Tests
from table import Table, TableError, matching
from tree import Tree, digest
from trial import Judge

HERE = Path(__file__).parent


def number(name: str, text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise TableError(f"{name}={text} is not possible: it must be a number from {least} on")
    return int(text)


def switch(name: str, text: str) -> bool:
    if text not in ("0", "1"):
        raise TableError(f"{name}={text} is not possible: choose one of 0 1")
    return text == "1"


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--out", type=Path, default=Path("build/mutants"))
    parser.add_argument("--table", type=Path, default=HERE / "table.toml")
    parser.add_argument("--equivalent", type=Path, default=HERE / "equivalent.txt")
    parser.add_argument("--mutants", default="", help="how many; 60, or with --report all")
    parser.add_argument("--seed", default="1", help="of the draw")
    parser.add_argument("--jobs", default="1", help="trees side by side")
    parser.add_argument("--report", default="0", help="1: only the report")
    parser.add_argument("--survivors", default="0", help="1: only survivors, again")
    parser.add_argument("--tests-of", default="", help="globs of the tests that survivors run")
    return parser.parse_args(words)


class Request:
    """What was asked for, checked."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.root, self.out = args.root, args.out
        self.all = args.mutants == ""
        self.count = number("MUTANTS", args.mutants or "60", 1)
        self.seed = number("SEED", args.seed, 0)
        self.jobs = number("JOBS", args.jobs, 1)
        self.report = switch("REPORT", args.report)
        self.survivors = switch("SURVIVORS", args.survivors)
        self.globs = args.tests_of.split()
        if self.globs and not self.survivors:
            raise TableError("TESTS_OF needs SURVIVORS=1: it says which tests the survivors run")
        if self.report and self.survivors:
            raise TableError("REPORT=1 and SURVIVORS=1 exclude each other")
        self.table = Table(args.table)
        self.equivalent = equivalents(args.equivalent)


class Project:
    """The draw and the results."""

    def __init__(self, request: Request) -> None:
        self.request = request
        rooms = request.table.rooms
        self.sequences = {room.name: sequence(request.root, room, request.seed) for room in rooms}
        self.shares = shares(rooms, request.count)
        self.results = Results(request.out / "results.jsonl")

    def finished(self) -> list[Mutant]:
        """The mutants of the campaign that have results, or all that have if no number was given."""
        if not self.request.all:
            return list(known(self.sequences, self.shares, self.results))
        everything = [mutant for room in self.sequences.values() for mutant in room]
        return [mutant for mutant in everything if mutant.id in self.results.known]

    def of(self, status: str) -> list[Mutant]:
        """Those that are not equivalent."""
        return [
            mutant
            for mutant in self.finished()
            if self.results.known[mutant.id].status == status
            and mutant.id not in self.request.equivalent
        ]


def judges(request: Request, campaign: Campaign) -> list[Judge]:
    """One for each tree. The trees share what is known about the tests."""
    jobs = max(len(os.sched_getaffinity(0)) // request.jobs, 1)
    folders = [request.out / f"tree{n or ''}" for n in range(request.jobs)]
    trees = [Tree(request.root, folder, jobs, campaign.stopped) for folder in folders]
    tests = known_tests(request, trees[0].names("list-tests"))
    check_table(request, tests.names)
    if request.globs:
        campaign.chosen = tests.cheapest_first(chosen(request, tests.names, trees[0]))
    return [Judge(tree, request.table, tests, request.out) for tree in trees]


def check_table(request: Request, names: list[str]) -> None:
    """Every pattern matches a test, and every source has a row."""
    request.table.check(names)
    for room in request.table.rooms:
        for file in files_of(request.root, room):
            request.table.row_of(file)


def known_tests(request: Request, names: list[str]) -> Tests:
    earlier = request.root / "build/test/times"
    return Tests(names, digest(request.root), request.out / "tests.jsonl", earlier)


def chosen(request: Request, names: list[str], tree: Tree) -> list[str]:
    """The tests of TESTS_OF, which may be of `make test-long`, too."""
    every = names + tree.names("list-tests-long")
    for glob in request.globs:
        if not matching(every, [glob]):
            raise TableError(f"TESTS_OF: no test is called {glob}")
    return matching(every, request.globs)


def run(request: Request, project: Project) -> int:
    """Tries what has no result yet."""
    campaign = Campaign(project.results, sum(project.shares.values()))
    tried = judges(request, campaign)
    campaign.run(tried, Turns(project.sequences, project.shares))
    if left := project.of(OPEN):
        print(f"{len(left)} mutants pass their relevant tests, and run the others:", flush=True)
        campaign.run(tried, campaign.again(left, OTHERS))
    finished = list(known(project.sequences, project.shares, project.results))
    report = Report(finished, project.results, request.equivalent)
    report.show(tried[0].tests)
    return 0 if report.passed() else 1


def run_survivors(request: Request, project: Project) -> int:
    """Tries the survivors again: with chosen tests in a file of their own, otherwise with all, as a new result."""
    mutants = project.of(SURVIVED)
    if not mutants:
        raise TableError("no mutant has survived so far: SURVIVORS=1 has nothing to run")
    results = project.results
    if request.globs:
        (request.out / "survivors.jsonl").unlink(missing_ok=True)
        results = Results(request.out / "survivors.jsonl")
    for mutant in mutants:
        results.known.pop(mutant.id, None)
    campaign = Campaign(results, len(mutants), ALL)
    tried = judges(request, campaign)
    campaign.run(tried, Queue(mutants))
    report = Report(mutants, results, request.equivalent)
    report.show(tried[0].tests)
    return 0


def show(request: Request, project: Project) -> int:
    report = Report(project.finished(), project.results, request.equivalent)
    if not report.mutants:
        raise TableError(f"{project.results.lines.path} has no results of these sources")
    report.show(known_tests(request, []))
    return 0 if report.passed() else 1


def alone(out: Path) -> object:
    """The lock of the folder: two campaigns would change each other's sources."""
    out.mkdir(parents=True, exist_ok=True)
    lock = (out / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise TableError(f"another campaign runs in {out}") from None
    return lock


def main(words: list[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    lock = None
    try:
        request = Request(arguments(words))
        lock = None if request.report else alone(request.out)
        action = show if request.report else run_survivors if request.survivors else run
        status = action(request, Project(request))
    except TableError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mutants: interrupted; the same command continues", file=sys.stderr)
        return 130
    finally:
        if lock:
            lock.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
