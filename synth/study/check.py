# SPDX-License-Identifier: Apache-2.0
"""python -m synth check: the netlists that area.json quotes run the vectors of the RTL's benches, against the C model.
Those of the operand feeds are proved equal to their RTL.

The bench is the RTL's (tests/rtl/element_build.sh). The netlist is the file that OpenSTA timed. Its cells are models made
of the Liberty file's functions. Registers have no reset, so every netlist runs twice, its registers starting from
different random values. Both runs must give the model's results throughout. The bench begins with one step with
step_first for every accumulator; from the first of those on, the result of every cycle is compared.

Netlists of few lanes are also proved equal to their RTL, register by register, if the proof ends in time.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..flow import cells, equivalence, faults, sources
from ..flow.errors import FlowError, RejectedNetlist, UsageError, exit_status
from ..flow.liberty import Library
from ..flow.netlist import Netlist
from ..flow.runs import Design
from ..flow.schedule import Task, run_all
from . import libraries, records, request, table
from .elements import int8, source_folders
from .records import Record

TESTS = Path("tests/rtl")
SCRIPT = TESTS / "element_build.sh"
STARTS = ("+verilator+rand+reset+2 +verilator+seed+1", "+verilator+rand+reset+2 +verilator+seed+2")
ZERO_START = "+verilator+rand+reset+0"
PROOF_LANES = 4  # of what has a bench
PROOF_SECONDS = 300
PAIRS_LANES = 4  # up to so many lanes of all elements of a netlist, every pair of codes too: all lanes are equal
LAST = re.compile(r"^(\d+) passed, (\d+) failed$")


@dataclass(frozen=True)
class Bench:
    """The bench of an element: its top in TESTS, the option for every pair of codes, and the element's parameters that
    are always the same in the bench."""

    top: str
    pairs: tuple[str, ...]
    without: tuple[str, ...] = ()

    @cached_property
    def parameters(self) -> set[str]:
        text = sources.COMMENT.sub("", (TESTS / f"{self.top}.sv").read_text())
        return set(re.findall(r"^ *parameter int unsigned (\w+)", text, re.M))


BENCHES = {
    "fp8mac_element_aligned": Bench("element_tb", ("--pairs", "both")),
    "fp8mac_element_late": Bench("element_tb", ("--pairs", "both")),
    "fp8mac_element_block": Bench("block_tb", ("--pairs",)),
    "fp8mac_element_static": Bench("static_tb", ("--pairs",)),
    "fp8mac_element_int8": Bench("int8_tb", ("--pairs",)),
    "fp8mac_block_cluster": Bench("block_tb", ("--pairs",)),
    "fp8mac_int8_pipeline": Bench("int8_tb", ("--pairs",), without=("STAGES",)),
}
# Those that the array has instead of elements. Their accumulators are in the bench.
UNITS = ("fp8mac_block_cluster", "fp8mac_int8_pipeline")


@dataclass(frozen=True)
class Quoted:
    """A netlist, and what area.json says of it."""

    netlist: Path  # netlist.v
    design: Design
    library: str
    period_ns: float
    area: float
    elements: tuple[str, ...] = field(compare=False)  # names of the records that quote it

    @property
    def name(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.design.parameters)
        more = "".join(
            (
                " behavioural" if self.design.folders else "",
                "" if self.library.startswith("osu018") else f" {self.library}",
                "" if self.period_ns == libraries.HEADLINE_PERIOD else f" {self.period_ns:g} ns",
            )
        )
        return f"{self.design.top.removeprefix('fp8mac_')} {values}{more} ({self.netlist.parent.name[:6]})"

    @property
    def lanes(self) -> int:
        return dict(self.design.parameters)["LANES"]

    @property
    def bench(self) -> Bench | None:
        """The bench of the element; None if it has none for these parameters."""
        bench = BENCHES.get(self.design.top)
        return (
            bench
            if bench
            and bench.parameters.issuperset(set(dict(self.design.parameters)) - {*bench.without})
            else None
        )

    @property
    def bench_parameters(self) -> dict[str, int]:
        written_plainly = (
            {"RECODE": 0}
            if self.design.top == "fp8mac_element_int8" and self.design.folders
            else {}
        )
        own = {k: v for k, v in self.design.parameters if k not in self.bench.without}
        return own | written_plainly

    @property
    def is_proved(self) -> bool:
        """Netlists without a bench are proved, and so are small ones. A netlist with black boxes cannot be proved."""
        return not self.design.black_boxes and (self.bench is None or self.lanes <= PROOF_LANES)


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


def designs(record: Record) -> tuple[Design, Design | None]:
    """The designs of a record's two netlists. An element that is not in the table was asked for by a user. Of two forms of
    a baseline the record says which one was taken."""
    known = {entry.name: entry for entry in table.ENTRIES}.get(record["name"])
    own = Design(
        record["top"],
        tuple(record["parameters"].items()),
        tuple(record.get("black_boxes", ())),
        known.design.folders if known else (),
    )
    baseline = known.baseline if known else int8(record["lanes"])
    if baseline is None:
        return own, None
    parameters = tuple(record["baseline_parameters"].items())
    return own, replace(baseline.design, parameters=parameters)


def single_of(record: Record) -> Design | None:
    """The baseline with one accumulator."""
    if "single_parameters" not in record:
        return None
    made = int8(record["lanes"], banks=1).design
    return replace(made, parameters=tuple(record["single_parameters"].items()))


def quoted(every: list[Record], groups: Iterable[str]) -> list[Quoted]:
    """The netlists of these records and of their baselines, each once; of all groups if none is named."""
    found: dict[Path, Quoted] = {}
    for record in every:
        if groups and record["group"] not in groups:
            continue
        own, baseline = designs(record)
        units = [
            (one["netlist"], Design(one["top"], tuple(one["parameters"].items())), one["area"])
            for one in (*record["units"], *record["baseline_units"])
        ]
        for netlist, design, area in (
            (record["netlist"], own, record["area_without_parts"]),
            (record["baseline_netlist"], baseline, record["baseline_area_without_parts"]),
            (record.get("single_netlist"), single_of(record), record.get("single_area")),
            *units,
        ):
            if netlist:
                path = Path(netlist)
                first = found.get(path) or Quoted(
                    path, design, record["library"], record["period_ns"], area, ()
                )
                found[path] = replace(first, elements=(*first.elements, record["name"]))
    return list(found.values())


# ---- one netlist ----------------------------------------------------------------------------------------------------


class Simulator:
    """Works in FOLDER. Without `pairs`, netlists of few lanes run random vectors alone, as the others do."""

    def __init__(
        self,
        build: Path,
        libraries: dict[str, Library],
        steps: int | None,
        folder: Path,
        pairs: bool = True,
    ):
        self.build = build
        self.folder = folder
        self.pairs = pairs
        self.libraries = libraries
        self.options = ["--steps", str(steps)] if steps else []

    def runs_pairs(self, item: Quoted) -> bool:
        elements = dict(item.design.parameters).get("SHARE", 1)
        return self.pairs and item.lanes * elements <= PAIRS_LANES

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
                [
                    SCRIPT,
                    self.build,
                    item.bench.top,
                    folder / "bench",
                    " ".join(f"{name}={value}" for name, value in item.bench_parameters.items()),
                    folder / "netlist.v",
                    folder / "cells.v",
                ],
                env={
                    **os.environ,
                    "NETLIST": "1",
                    "UNIT": "1" if item.design.top in UNITS else "",
                    "OPTIMISE": "-O1" if self.runs_pairs(item) else "-O0",
                },
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode or not (folder / "bench").exists():
            raise FlowError("the netlist's bench cannot be built", log)
        return folder / "bench"

    def run(self, bench: Path, start: str, *options: str) -> tuple[int, int, str]:
        """The numbers of passed and failed comparisons, and the output."""
        done = subprocess.run(
            [bench, *self.options, *options, *start.split()],
            capture_output=True,
            text=True,
            check=False,
        )
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
        """The netlist is the measured one, the flow accepts it, and it computes the model's results."""
        outcome = Outcome()
        text, library = item.netlist.read_text(), self.libraries[item.library]
        outcome.check(*weighed(item, text, library))
        outcome.check(*judged(item, library))
        bench = self.bench(item, text, item.netlist.parent.name)
        said = set()
        for start in STARTS:
            passed, failed, words = self.run(bench, start)
            outcome.add(passed, failed, f"{failed} results are wrong with {start}")
            said.add(words)
        outcome.check(len(said) == 1, "results depend on the registers' start values")
        if self.runs_pairs(item):
            before = passed
            passed, failed, _ = self.run(bench, STARTS[0], *item.bench.pairs)
            outcome.add(passed, failed, f"{failed} results of pairs of codes are wrong")
            outcome.check(passed > before + 65536, "the pairs of codes were not run")
        return outcome


def weighed(item: Quoted, text: str, library: Library) -> tuple[bool, str]:
    """Whether the netlist has the area that is quoted, and what it has. The last bits of a sum depend on the order of its
    terms."""
    area = sum(library.cells[match["kind"]].area for match in faults.instances(text))
    good = math.isclose(area, item.area)
    return good, f"the cells' areas sum to {area:.12g}, not to the {item.area:.12g} quoted"


def judged(item: Quoted, library: Library) -> tuple[bool, str]:
    """Whether the flow would accept the netlist, and why not."""
    try:
        Netlist.read(item.netlist.with_name("netlist.json"), item.design.top, library).check()
    except RejectedNetlist as rejected:
        return False, str(rejected)
    return True, ""


# ---- faults ---------------------------------------------------------------------------------------------------------


def seeded(simulator: Simulator, item: Quoted) -> Outcome:
    """Seeds faults in copies of a netlist. The bench must find each."""
    outcome = Outcome()
    text, library = item.netlist.read_text(), simulator.libraries[item.library]
    with_adders = [faults.exchanged_outputs] if faults.full_adder(text, library) else []
    for fault in (faults.other_gate, *with_adders, faults.seen_start):
        name = fault.__name__
        bench = simulator.bench(item, fault(text, library), f"{item.netlist.parent.name}_{name}")
        runs = [simulator.run(bench, start) for start in STARTS]
        outcome.check(any(failed for _, failed, _ in runs), f"{name} was not found")
        if fault is faults.seen_start:
            _, failed, _ = simulator.run(bench, ZERO_START)
            outcome.check(
                failed == 0,
                f"{name} is wrong even if registers start from 0: the fault does not depend on the start",
            )
    return outcome


# ---- proofs ---------------------------------------------------------------------------------------------------------


def proved(simulator: Simulator, item: Quoted) -> Outcome:
    """Whether the netlist is equal to its RTL. A proof that has not ended is reported. It counts as a failure for an
    operand feed, whose proof is short and its only check."""
    outcome, library = Outcome(), simulator.libraries[item.library]
    folders = [*source_folders(simulator.build), *map(Path, item.design.folders)]
    try:
        text = item.netlist.read_text()
        proof = equivalence.Proof(
            simulator.folder / f"{item.netlist.parent.name}_proof",
            item.design,
            sources.index(folders),
            library,
            text,
        )
        outcome.check(proof.holds(text, seconds=PROOF_SECONDS), "the netlist differs from its RTL")
        outcome.check(
            not proof.holds(faults.any_fault(text, library), "faulty", PROOF_SECONDS),
            "a seeded fault is not found",
        )
    except FlowError as error:
        outcome.failed += item.design.top.startswith("fp8mac_feed")
        outcome.notes.append(f"{error}; see {error.log}")
    return outcome


# ---- all ------------------------------------------------------------------------------------------------------------


def tasks(simulator: Simulator, items: list[Quoted]) -> list[Task[Outcome]]:
    def said(outcome: Outcome) -> str:
        return f"{outcome.passed} passed, {outcome.failed} failed" + "".join(
            f"; {note}" for note in outcome.notes
        )

    result = [
        Task(
            item.name,
            item.lanes + (10 if item.lanes <= PAIRS_LANES else 0),
            lambda item=item: simulator.check(item),
            said,
        )
        for item in items
        if item.bench
    ]
    result += [
        Task(f"{item.name}, proof", 0, lambda item=item: proved(simulator, item), said)
        for item in items
        if item.is_proved
    ]
    for top in BENCHES:
        smallest = min(
            (item for item in items if item.bench and item.design.top == top),
            key=lambda item: item.area,
            default=None,
        )
        if smallest:
            result.append(
                Task(
                    f"{smallest.name}, seeded faults",
                    0,
                    lambda item=smallest: seeded(simulator, item),
                    said,
                )
            )
    return result


def library(name: str, given: str) -> Library:
    """The Liberty file that area.json calls by this name: one of the usual ones, or the files that are given."""
    paths = {path.stem: [path] for path, _ in libraries.LIBRARIES.values()}
    paths |= {usual: [path] for usual, (path, _) in libraries.LIBRARIES.items()}
    if given:
        found = request.library(given)
        paths[libraries.name_of(found[0])] = found
    if name not in paths:
        raise UsageError(f"area.json was made with {name}.lib: give its path, LIB=path.lib")
    return Library(paths[name])


def run(options: argparse.Namespace) -> int:
    path = options.area or options.build / "synth" / "area.json"
    items = quoted(records.read(path), [group for group in options.groups.split(",") if group])
    items = [
        item for item in items if re.search(options.only, " ".join((item.name, *item.elements)))
    ]
    checked = [item for item in items if item.bench or item.is_proved]
    if not checked:
        raise UsageError(
            f"{path} has no netlist that CHECK= matches and that can be checked: run `make synth` first"
        )
    read = {item.library: library(item.library, options.lib) for item in items}
    start = time.monotonic()
    simulator = Simulator(options.build, read, options.steps, options.build / "synth" / "check")
    results, failures = run_all(tasks(simulator, items), options.jobs)
    for item in items:
        if item not in checked:
            print(f"not checked, parts are left out of {item.name}: {', '.join(item.elements)}")
    for name, error in failures.items():
        print(f"FAILED {name}: {error}; see {error.log}")
    report = [
        {
            "netlist": str(item.netlist),
            "elements": list(item.elements),
            "name": item.name,
            "area": item.area,
            "checked": "simulated" if item.bench else "proved" if results[name].passed else "",
            "passed": results[name].passed,
            "failed": results[name].failed,
        }
        for item in checked
        if (name := item.name if item.bench else f"{item.name}, proof") in results
    ]
    path.with_name("check.json").write_text(json.dumps(report, indent=1) + "\n")
    passed = sum(outcome.passed for outcome in results.values())
    failed = sum(outcome.failed for outcome in results.values()) + len(failures)
    print(f"{len(report)} netlists, {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return int(failed != 0 or passed == 0)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth check", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add(
        "--build",
        type=Path,
        default=Path("build"),
        help="build folder, after `make synth` and `make element-bench`",
    )
    add("--area", type=Path, help="another area.json than the build folder's")
    add(
        "--groups",
        default="",
        help="groups of area.json, with commas between them; all if none is given",
    )
    add(
        "--only", default="", help="netlists or elements whose name matches this regular expression"
    )
    add("--jobs", type=int, default=os.cpu_count() or 1, help="netlists at a time")
    add("--steps", type=int, help="random steps of a run; the bench's own number if not given")
    add(
        "--lib",
        default="",
        help="the Liberty file that area.json was made with, if it is none of the usual ones",
    )
    options = parser.parse_args(arguments)
    return exit_status("synth-check", lambda: run(options))
