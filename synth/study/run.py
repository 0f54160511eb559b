# SPDX-License-Identifier: Apache-2.0
"""A whole study: measures every point of a plan, then writes area.json, area.md and the plots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ..flow import breakdown, fo4, gates, identity, points, recipe
from ..flow.cache import Cache
from ..flow.liberty import Library
from ..flow.points import Point
from ..flow.runs import Design, Synthesiser, remove_stale
from ..flow.schedule import Task, run_all
from . import accuracy, libraries, pages, prices, records, table, wires
from .elements import KINDS, Entry, needed, source_folders
from .records import Pair, Record

Curve = dict[float, Point]


@dataclass(frozen=True)
class Plan:
    """What is measured. Without `periods` (ns) and `fo4` (the same in FO4 delays of the library) it is each library's
    headline period."""

    entries: tuple[Entry, ...]
    libraries: dict[str, Library]
    periods: tuple[float, ...] | None
    full: bool
    fo4: tuple[float, ...] | None = None
    variants: int | None = None  # of each point, in place of the entry's
    efforts: tuple[recipe.Effort, ...] = (
        recipe.EFFORTS
    )  # of all designs but the baselines, which get every one
    command: str = "make synth"  # what the user asked for

    def chosen(self, library: str) -> tuple[float, ...] | None:
        """The periods that the user chose."""
        if self.fo4:
            return tuple(libraries.in_fo4(self.libraries[library], count) for count in self.fo4)
        return self.periods

    def headline(self, library: str) -> float:
        periods = self.chosen(library)
        return periods[0] if periods else libraries.headline_of(library, self.libraries[library])

    def periods_of(self, library: str) -> tuple[float, ...]:
        return self.chosen(library) or (self.headline(library),)

    def note(self, library: str) -> str:
        """The library, its FO4 delay and its clock."""
        its, period = self.libraries[library], self.headline(library)
        one = fo4.of(its)
        return (
            f"{its.note()}. FO4 delay {1000 * one.delay_ns:.2f} ps ({one.cell}); "
            f"clock {period:g} ns = {period / one.delay_ns:.1f} FO4"
        )

    def covers(self, entry: Entry, library: str) -> bool:
        """The libraries beside the first one are for some elements only."""
        return library == next(iter(self.libraries)) or table.in_other_libraries(entry)


def curve_name(design: Design, library: str) -> str:
    return f"{design}, {library}"


def box_name(design: Design, library: str) -> str:
    return f"{design}, boxes, {library}"


def point_summary(point: Point) -> str:
    chosen = point.chosen
    return (
        f"{chosen.area:,.0f}, slack {chosen.slack_ns:.2f} ns"
        + ("" if point.met else ", MISSES THE CLOCK")
        + f", {chosen.effort}, {len(point.tried)} variants"
        + (
            f", design rules repaired on {count} nets"
            if (count := sum(chosen.repaired.values()))
            else ""
        )
    )


def curve_summary(curve: Curve) -> str:
    return "; ".join(f"{period:g} ns: {point_summary(point)}" for period, point in curve.items())


def made_by(tools: dict[str, str], rtl: dict[str, str] | None = None) -> dict:
    """What a measurement of today says of itself. `rtl`: the hashes of the sources that it read"""
    return {
        "version": version(),
        "date": date.today().isoformat(),
        "tools": {tool: tools[tool].split(" (")[0] for tool in ("yosys", "sta") if tool in tools},
        "flow": tools.get("flow", ""),
        **({"rtl": rtl} if rtl else {}),
    }


def version() -> str:
    """The project's version number, which stands in a header of the model."""
    text = Path("model/include/fp8mac/version.h").read_text()
    return ".".join(re.findall(r"^#define FP8MAC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text, re.M))


class Study:
    def __init__(
        self, plan: Plan, build: Path, extra_sources: list[Path], jobs: int, model: Path | None
    ):
        self.plan = plan
        self.folder = build / "synth"
        self.jobs = jobs
        self.model = model
        folders = [*source_folders(build), *extra_sources]
        cache = Cache(self.folder)
        self.synthesisers = {
            name: Synthesiser(library, folders, cache) for name, library in plan.libraries.items()
        }

    def run(self) -> int:
        """Returns 1 if a point failed, else 0. The other points are reported in both cases."""
        for name in ("area.json", "area.md"):
            (self.folder / name).unlink(missing_ok=True)
        remove_stale(self.folder)
        for name in self.plan.libraries:
            print(f"  LIBRARY   {self.plan.note(name)}", flush=True)
        results, failures = run_all(self.tasks(), self.jobs)
        self.write(self.records(results))
        for name, error in failures.items():
            print(f"FAILED {name}: {error}" + (f"; see {error.log}" if error.log else ""))
        return 1 if failures else 0

    # ---- what is to be run -------------------------------------------------------------------------------------------

    def triples(self) -> list[tuple[Entry, str, float]]:
        return [
            (entry, library, period)
            for entry in self.plan.entries
            for library in self.plan.libraries
            if self.plan.covers(entry, library)
            for period in self.plan.periods_of(library)
        ]

    def tasks(self) -> list[Task]:
        """A task measures one design at all the periods that it is wanted at."""
        periods: dict[tuple[Design, str], set[float]] = {}
        costs: dict[Design, int] = {}
        wanted: dict[Design, int] = {}
        for entry, library, period in self.triples():
            for one in needed(entry):
                periods.setdefault((one.design, library), set()).add(period)
                costs[one.design] = one.copies * (one.lanes + 8) + len(one.parts) * 10
                wanted[one.design] = self.plan.variants or one.variants
        tasks = [
            self._curve_task(design, library, at, costs[design], wanted[design])
            for (design, library), at in periods.items()
        ]
        boxed = {
            box_name(entry.design, library): (entry, library) for entry, library in self.boxed()
        }
        return tasks + [self._box_task(*pair) for pair in boxed.values()]

    def _curve_task(
        self, design: Design, library: str, periods: set[float], cost: int, wanted: int
    ) -> Task:
        return Task(
            curve_name(design, library),
            cost * len(periods) * (len(self.efforts(design)) + wanted),
            lambda: points.curve(
                self.synthesisers[library], design, periods, self.efforts(design), wanted=wanted
            ),
            curve_summary,
        )

    def efforts(self, design: Design) -> tuple[recipe.Effort, ...]:
        """Baselines get all. What is left of an array without its parts, registers for the most part, gets those of the
        plan."""
        baselines = {
            one.design
            for entry in self.plan.entries
            for one in (*needed(entry.baseline), *needed(entry.single))
            if one.group != "array"
        }
        return recipe.EFFORTS if design in baselines else self.plan.efforts

    def boxed(self) -> list[tuple[Entry, str]]:
        """Elements, and their baselines, whose breakdown is wanted: with the first library. Of a library that a user
        brings, the one element that was asked for."""
        library = next(iter(self.plan.libraries))
        if libraries.headline(library) is None and len(self.plan.entries) > 1:
            return []
        wanted = [
            entry
            for entry in self.plan.entries
            if entry.group == "main" and (entry.lanes == table.MANY or len(self.plan.entries) == 1)
        ]
        return [(one, library) for entry in wanted for one in (entry, entry.baseline) if one]

    def _box_task(self, entry: Entry, library: str) -> Task:
        synthesiser, design, period = (
            self.synthesisers[library],
            entry.design,
            self.plan.headline(library),
        )

        def work() -> dict[str, float]:
            result = synthesiser.run(
                design, period, recipe.EFFORTS[0], recipe.SEEDS[0], hierarchy=True
            )
            return breakdown.by_box(
                synthesiser.read_netlist(Path(result.netlist), design), table.BOXES
            )

        return Task(
            box_name(design, library),
            entry.copies * (entry.lanes + 8),
            work,
            lambda areas: f"{sum(areas.values()):,.0f}, modules apart",
        )

    # ---- what comes of it --------------------------------------------------------------------------------------------

    def records(self, results: dict) -> list[Record]:
        found = []
        for entry, library, period in self.triples():
            points_of = {
                one.design: curve[period]
                for one in needed(entry)
                if (curve := results.get(curve_name(one.design, library)))
            }
            if any(one.design not in points_of for one in needed(entry)):
                continue
            gate = gates.area(self.plan.libraries[library])
            base = entry.baseline and records.better(entry.baseline, points_of)
            baseline = base and records.whole(base, points_of, gate)
            one = entry.single and records.better(entry.single, points_of)
            single = one and records.whole(one, points_of, gate)
            record = records.record(
                Pair(entry, library, records.whole(entry, points_of, gate), baseline, single),
                results.get(box_name(entry.design, library)),
            )
            if entry.baseline:
                name = box_name(entry.baseline.design, library)
                record["baseline_breakdown"] = results.get(name, {})
            record["error"] = self._error(entry)
            record["fo4_ns"] = round(fo4.of(self.plan.libraries[library]).delay_ns, 6)
            record |= self._prices(record)
            slacks = wires.rest if record["black_boxes"] else wires.slacks
            record |= slacks(self.synthesisers[library], record)
            found.append(record)
        return found

    def _prices(self, record: Record) -> Record:
        """What cells cost in the record's library, and how many full adders each side has, of an element."""
        library = self.plan.libraries[record["library"]]
        adders = {
            f"{side}full_adders": prices.full_adders(library, Path(record[f"{side}netlist"]))
            / copies
            for side, copies in (("", record["copies"]), ("baseline_", 1))
            if record[f"{side}netlist"]
        }
        return {"nand_area": prices.nand(library), "prices": prices.of(library), **adders}

    def _error(self, entry: Entry) -> float | None:
        if self.model is None or entry.group not in ("main", "frac_bits"):
            return None
        return accuracy.error(
            self.model,
            self.folder / "accuracy",
            entry.formats[0],
            KINDS[entry.kind],
            entry.lanes,
            entry.frac_bits,
            more=entry.model,
        )

    def write(self, found: list[Record]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        flow = next(iter(self.synthesisers.values()))
        read = {one.design for entry, _, _ in self.triples() for one in needed(entry)}
        rtl = identity.of_designs(read, flow.files, self.folder.parent)
        run = {"command": self.plan.command, **made_by(flow.tools, rtl)}
        records.write(self.folder / "area.json", run, found)
        for name, text in pages.everything(found, self.plan).items():
            (self.folder / name).write_text(text)
        print(f"  SYNTH     {self.folder}/area.json, area.md and plots: {len(found)} points")
