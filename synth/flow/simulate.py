# SPDX-License-Identifier: Apache-2.0
"""The netlists that area.json quotes run the vectors of the RTL's benches, against the C model.

    PYTHONPATH=synth python -m flow.simulate --build BUILD      what `make synth-check` runs

The bench is the RTL's (tests/rtl/window_build.sh), the netlist is the file that OpenSTA timed, its cells are models
made of the Liberty file's functions. Registers have no reset: every netlist is run twice, its registers starting from
different random values, and both runs must give the model's results throughout. What flushes them is part of the bench:
one step with step_first for every accumulator; from the first of those on every cycle's result is compared.

Netlists of few lanes are also proved equal to their RTL, register by register, where that ends in time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import configs

from . import cells, equivalence, faults, sources, sta
from .errors import FlowError, RejectedNetlist, UsageError
from .liberty import Library
from .netlist import Netlist
from .runs import Design
from .schedule import Task, run_all

BENCHES = {"fp8mac_pe_window": "window_tb", "fp8mac_pe_int8": "int8_tb"}
PAIRS = {"fp8mac_pe_window": ("--pairs", "both"), "fp8mac_pe_int8": ("--pairs",)}
SCRIPT = Path("tests/rtl/window_build.sh")
STARTS = ("+verilator+rand+reset+2 +verilator+seed+1", "+verilator+rand+reset+2 +verilator+seed+2")
ZERO_START = "+verilator+rand+reset+0"
PROOF_LANES = 4
PROOF_SECONDS = 300
PAIRS_LANES = 4  # up to so many, every pair of codes too: lanes are alike
LAST = re.compile(r"^(\d+) passed, (\d+) failed$")


@dataclass(frozen=True)
class Quoted:
    """A netlist, and what is said of it."""

    netlist: Path          # netlist.v
    top: str
    parameters: tuple[tuple[str, int], ...]
    library: str
    area: float
    elements: tuple[str, ...] = field(compare=False)  # rows that quote it

    @property
    def name(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.parameters)
        library = "" if self.library.startswith("osu018") else f" {self.library}"
        return f"{self.top.removeprefix('fp8mac_')} {values}{library}"

    @property
    def lanes(self) -> int:
        return dict(self.parameters)["LANES"]


@dataclass
class Outcome:
    passed: int = 0
    failed: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, passed: int, failed: int, note: str = "") -> None:
        self.passed += passed
        self.failed += failed
        if failed and note:
            self.notes.append(note)

    def check(self, good: bool, note: str) -> None:
        self.add(int(good), int(not good), note)


def quoted(rows: list[dict], groups: Iterable[str]) -> list[Quoted]:
    """The netlists of these rows and of their twins, each once."""
    found: dict[Path, Quoted] = {}
    for row in rows:
        if row["group"] not in groups:
            continue
        twin = configs.int8(row["lanes"]).design
        for netlist, top, parameters, area in (
                (row["netlist"], row["top"], tuple(row["parameters"].items()), row["area_without_parts"]),
                (row["int8_netlist"], twin.top, twin.parameters, row["int8_area"])):
            if netlist:
                path = Path(netlist)
                elements = found[path].elements if path in found else ()
                found[path] = Quoted(path, top, parameters, row["library"], area, (*elements, row["name"]))
    return list(found.values())


# ---- one netlist ----------------------------------------------------------------------------------------------------

class Simulator:
    def __init__(self, build: Path, libraries: dict[str, Library], steps: int | None):
        self.build = build
        self.folder = build / "synth" / "check"
        self.libraries = libraries
        self.options = ["--steps", str(steps)] if steps else []

    def bench(self, item: Quoted, text: str, name: str) -> Path:
        """Builds the bench around a netlist's text."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "netlist.v").write_text(text)
        kinds = {match["kind"] for match in faults.instances(text)}
        (folder / "cells.v").write_text(cells.models(self.libraries[item.library], kinds))
        log = folder / "build.log"
        with log.open("w") as output:
            done = subprocess.run(
                [SCRIPT, self.build, BENCHES[item.top], folder / "bench",
                 " ".join(f"{name}={value}" for name, value in item.parameters), folder / "netlist.v",
                 folder / "cells.v"],
                env={**os.environ, "NETLIST": "1"}, stdout=output, stderr=subprocess.STDOUT, check=False)
        if done.returncode or not (folder / "bench").exists():
            raise FlowError("the netlist's bench cannot be built", log)
        return folder / "bench"

    def run(self, bench: Path, start: str, *options: str) -> tuple[int, int, str]:
        """What passed and failed, and all that was said."""
        done = subprocess.run([bench, *self.options, *options, *start.split()], capture_output=True, text=True,
                              check=False)
        (bench.parent / f"{re.sub('[^0-9]', '', start)}.log").write_text(done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        counts = LAST.match(lines[-1]) if lines else None
        if counts is None:
            raise FlowError("the netlist's bench broke off", bench.parent)
        passed, failed = int(counts[1]), int(counts[2])
        if passed + failed == 0 or (done.returncode != 0) != (failed != 0):
            raise FlowError("the netlist's bench compared nothing", bench.parent)
        return passed, failed, done.stdout

    def check(self, item: Quoted) -> Outcome:
        """The netlist is the one that was measured, it has nothing that must not be there, and it computes."""
        outcome = Outcome()
        text, library = item.netlist.read_text(), self.libraries[item.library]
        kinds = [match["kind"] for match in faults.instances(text)]
        area = sum(library.cells[kind].area for kind in kinds)
        outcome.check(area == item.area, f"the cells' areas sum to {area:g}, not to the {item.area:g} quoted")
        outcome.check(*judged(item, library))
        bench = self.bench(item, text, item.netlist.parent.name)
        said = set()
        for start in STARTS:
            passed, failed, words = self.run(bench, start)
            outcome.add(passed, failed, f"{failed} results are wrong with {start}")
            said.add(words)
        outcome.check(len(said) == 1, "results depend on the registers' start values")
        if item.lanes <= PAIRS_LANES:
            before = passed
            passed, failed, _ = self.run(bench, STARTS[0], *PAIRS[item.top])
            outcome.add(passed, failed, f"{failed} results of pairs of codes are wrong")
            outcome.check(passed > before + 65536, "the pairs of codes were not run")
        return outcome


def judged(item: Quoted, library: Library) -> tuple[bool, str]:
    """The flow's own reasons to reject, once more."""
    try:
        Netlist.read(item.netlist.with_name("netlist.json"), item.top, library).check(sta.CLOCK)
    except RejectedNetlist as rejected:
        return False, str(rejected)
    return True, ""


# ---- faults ---------------------------------------------------------------------------------------------------------

def seeded(simulator: Simulator, item: Quoted) -> Outcome:
    """Faults in copies of a netlist: each must be found."""
    outcome = Outcome()
    text, library = item.netlist.read_text(), simulator.libraries[item.library]
    for fault in (faults.other_gate, faults.exchanged_outputs, faults.seen_start):
        name = fault.__name__
        bench = simulator.bench(item, fault(text, library), f"{item.netlist.parent.name}_{name}")
        runs = [simulator.run(bench, start) for start in STARTS]
        outcome.check(any(failed for _, failed, _ in runs), f"{name} was not found")
        if fault is faults.seen_start:
            _, failed, _ = simulator.run(bench, ZERO_START)
            outcome.check(failed == 0, f"{name} is wrong even if registers start from 0: it shows nothing of its own")
    return outcome


# ---- proofs ---------------------------------------------------------------------------------------------------------

def proved(simulator: Simulator, item: Quoted) -> Outcome:
    """The netlist is what its RTL says; that a proof has not ended is said and not counted."""
    outcome, library = Outcome(), simulator.libraries[item.library]
    folders = [*map(Path, configs.SOURCES), *(simulator.build / name for name in configs.GENERATED)]
    try:
        text = item.netlist.read_text()
        proof = equivalence.Proof(simulator.folder / f"{item.netlist.parent.name}_proof",
                                  Design(item.top, item.parameters), sources.index(folders), library, text)
        outcome.check(proof.holds(text, seconds=PROOF_SECONDS), "the netlist differs from its RTL")
        faulty = faults.exchanged_outputs(text, library)
        outcome.check(not proof.holds(faulty, "faulty", PROOF_SECONDS), "a seeded fault is not found")
    except FlowError as error:
        outcome.notes.append(f"{error}; see {error.log}")
    return outcome


# ---- all ------------------------------------------------------------------------------------------------------------

def tasks(simulator: Simulator, items: list[Quoted]) -> list[Task[Outcome]]:
    def said(outcome: Outcome) -> str:
        return f"{outcome.passed} passed, {outcome.failed} failed" + "".join(f"; {note}" for note in outcome.notes)

    result = [Task(item.name, item.lanes + (10 if item.lanes <= PAIRS_LANES else 0),
                   lambda item=item: simulator.check(item), said) for item in items if item.top in BENCHES]
    result += [Task(f"{item.name}, proof", 0, lambda item=item: proved(simulator, item), said)
               for item in items if item.lanes <= PROOF_LANES]
    for top in BENCHES:
        smallest = min((item for item in items if item.top == top), key=lambda item: item.area, default=None)
        if smallest:
            result.append(Task(f"{smallest.name}, seeded faults", 0,
                               lambda item=smallest: seeded(simulator, item), said))
    return result


def library(name: str, given: str) -> Library:
    """The Liberty file that area.json's rows call by this name: one of the usual ones, or a file's stem."""
    paths = {path.stem: path for path, _ in configs.LIBRARIES.values()}
    paths |= {usual: path for usual, (path, _) in configs.LIBRARIES.items()}
    if given:
        paths[Path(given).stem] = Path(given)
    if name not in paths:
        raise UsageError(f"area.json was made with {name}.lib: give its path, LIB=path.lib")
    return Library(paths[name])


def run(options: argparse.Namespace) -> int:
    path = options.build / "synth" / "area.json"
    if not path.is_file():
        raise UsageError(f"there is no {path}: `make synth` makes it")
    rows = json.loads(path.read_text())
    items = quoted(rows, options.groups.split(","))
    items = [item for item in items if re.search(options.only, " ".join((item.name, *item.elements)))]
    with_bench = [item for item in items if item.top in BENCHES]
    if not with_bench:
        raise UsageError(f"{path} quotes no netlist that was asked for and has a bench")
    libraries = {item.library: library(item.library, options.lib) for item in items}
    start = time.monotonic()
    simulator = Simulator(options.build, libraries, options.steps)
    results, failures = run_all(tasks(simulator, items), options.jobs)
    for item in items:
        if item.top not in BENCHES:
            print(f"not simulated, there is no bench for {item.top}: {item.name}")
    for name, error in failures.items():
        print(f"FAILED {name}: {error}; see {error.log}")
    report = [{"netlist": str(item.netlist), "elements": list(item.elements), "name": item.name,
               "passed": results[item.name].passed, "failed": results[item.name].failed}
              for item in with_bench if item.name in results]
    path.with_name("check.json").write_text(json.dumps(report, indent=1) + "\n")
    passed = sum(outcome.passed for outcome in results.values())
    failed = sum(outcome.failed for outcome in results.values()) + len(failures)
    print(f"{len(report)} netlists, {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return int(failed != 0 or passed == 0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="synth-check", description=__doc__, allow_abbrev=False)
    add = parser.add_argument
    add("--build", type=Path, default=Path("build"), help="build folder, after `make synth` and `make window-bench`")
    add("--groups", default="main", help="groups of area.json, with commas between them")
    add("--only", default="", help="netlists or elements whose name matches this regular expression")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="netlists at a time")
    add("--steps", type=int, help="random steps of a run; the bench's own number if not given")
    add("--lib", default="", help="the Liberty file that area.json was made with, if it is none of the usual ones")
    try:
        return run(parser.parse_args(arguments))
    except UsageError as error:
        print(f"make synth-check: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
