# SPDX-License-Identifier: Apache-2.0
"""A whole study: every point of a plan measured, then area.json, area.md and the plots."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import configs

from . import accuracy, breakdown, pages, points, recipe, report
from .cache import Cache
from .errors import FlowError
from .liberty import Library
from .points import Point
from .report import Pair, Row
from .runs import Design, Synthesiser, remove_stale
from .schedule import Task, run_all

Curve = dict[float, Point]


@dataclass(frozen=True)
class Plan:
    """What is measured: `periods` None means each library's headline, and in a full run also the sweep."""

    elements: tuple[configs.Element, ...]
    libraries: dict[str, Path]
    periods: tuple[float, ...] | None
    full: bool

    def headline(self, library: str) -> float:
        return self.periods[0] if self.periods else configs.headline(library)

    def periods_of(self, element: configs.Element, library: str) -> tuple[float, ...]:
        return self.periods or configs.periods(element, library, self.full)

    def covers(self, element: configs.Element, library: str) -> bool:
        """The libraries beside the first one are for some elements only."""
        return library == next(iter(self.libraries)) or configs.in_other_libraries(element)


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
    )


def curve_summary(curve: Curve) -> str:
    return "; ".join(f"{period:g} ns: {point_summary(point)}" for period, point in curve.items())


class Study:
    def __init__(
        self, plan: Plan, build: Path, extra_sources: list[Path], jobs: int, model: Path | None
    ):
        self.plan = plan
        self.folder = build / "synth"
        self.jobs = jobs
        self.model = model
        folders = [
            *map(Path, configs.SOURCES),
            *(build / name for name in configs.GENERATED),
            *extra_sources,
        ]
        cache = Cache(self.folder)
        self.synthesisers = {
            name: Synthesiser(Library(path), folders, cache)
            for name, path in plan.libraries.items()
        }

    def run(self) -> int:
        """0, or 1 if a point failed: the others are reported all the same."""
        for name in ("area.json", "area.md"):
            (self.folder / name).unlink(missing_ok=True)
        remove_stale(self.folder)
        results, failures = run_all(self.tasks(), self.jobs)
        self.write(self.rows(results))
        for name, error in failures.items():
            print(f"FAILED {name}: {error}" + (f"; see {error.log}" if error.log else ""))
        return 1 if failures else 0

    # ---- what is to be run -------------------------------------------------------------------------------------------

    def triples(self) -> list[tuple[configs.Element, str, float]]:
        return [
            (element, library, period)
            for element in self.plan.elements
            for library in self.plan.libraries
            if self.plan.covers(element, library)
            for period in self.plan.periods_of(element, library)
        ]

    def tasks(self) -> list[Task]:
        """A task measures one design at all the periods that it is wanted at."""
        periods: dict[tuple[Design, str], set[float]] = {}
        costs: dict[Design, int] = {}
        wanted: dict[Design, int] = {}
        for element, library, period in self.triples():
            for one in configs.needed(element):
                periods.setdefault((one.design, library), set()).add(period)
                costs[one.design] = one.lanes + len(one.parts) * 100
                wanted[one.design] = one.variants
        tasks = [
            self._curve_task(design, library, at, costs[design], wanted[design])
            for (design, library), at in periods.items()
        ]
        boxed = {
            box_name(element.design, library): (element, library)
            for element, library in self.boxed()
        }
        return tasks + [self._box_task(*pair) for pair in boxed.values()]

    def _curve_task(
        self, design: Design, library: str, periods: set[float], cost: int, wanted: int
    ) -> Task:
        return Task(
            curve_name(design, library),
            cost * len(periods),
            lambda: points.curve(self.synthesisers[library], design, periods, wanted=wanted),
            curve_summary,
        )

    def boxed(self) -> list[tuple[configs.Element, str]]:
        """Elements, and their baselines, whose breakdown is wanted: with the first library."""
        library = next(iter(self.plan.libraries))
        wanted = [
            element
            for element in self.plan.elements
            if element.group == "main"
            and (
                element.lanes in configs.breakdown_lanes(self.plan.full)
                or len(self.plan.elements) == 1
            )
        ]
        return [(one, library) for element in wanted for one in (element, element.baseline) if one]

    def _box_task(self, element: configs.Element, library: str) -> Task:
        synthesiser, design, period = (
            self.synthesisers[library],
            element.design,
            self.plan.headline(library),
        )

        def work() -> dict[str, float]:
            result = synthesiser.run(
                design, period, recipe.EFFORTS[0], recipe.SEEDS[0], hierarchy=True
            )
            return breakdown.by_box(
                synthesiser.read_netlist(Path(result.netlist), design), configs.BOXES
            )

        return Task(
            box_name(design, library),
            element.lanes,
            work,
            lambda areas: f"{sum(areas.values()):,.0f}, modules apart",
        )

    # ---- what comes of it --------------------------------------------------------------------------------------------

    def rows(self, results: dict) -> list[Row]:
        rows = []
        for element, library, period in self.triples():
            found = {
                one.design: curve[period]
                for one in configs.needed(element)
                if (curve := results.get(curve_name(one.design, library)))
            }
            if any(one.design not in found for one in configs.needed(element)):
                continue
            baseline = element.baseline and report.whole(element.baseline, found)
            row = report.row(
                Pair(element, library, report.whole(element, found), baseline),
                results.get(box_name(element.design, library)),
            )
            if element.baseline:
                row["int8_breakdown"] = results.get(box_name(element.baseline.design, library), {})
            row["error"] = self._error(element)
            rows.append(row)
        return rows

    def _error(self, element: configs.Element) -> float | None:
        if self.model is None or element.group not in ("main", "frac_bits"):
            return None
        settings = configs.model_settings(element)
        return accuracy.error(
            self.model, self.folder / "accuracy", configs.ACCURACY_K, element.formats[0], settings
        )

    def write(self, rows: list[Row]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "area.json").write_text(json.dumps(rows, indent=1) + "\n")
        for name, text in pages.everything(rows, self.plan).items():
            (self.folder / name).write_text(text)
        print(f"  SYNTH     {self.folder}/area.json, area.md and plots: {len(rows)} points")


__all__ = ["FlowError", "Plan", "Study"]
