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


@dataclass(frozen=True)
class Plan:
    """What is measured: `periods` None means each library's headline, and in a full run also the sweep."""

    elements: tuple[configs.Element, ...]
    libraries: dict[str, Path]
    periods: tuple[float, ...] | None
    full: bool

    def periods_of(self, element: configs.Element, library: str) -> tuple[float, ...]:
        if self.periods:
            return self.periods
        headline = configs.LIBRARIES.get(library, (None, configs.HEADLINE_PERIOD))[1]
        if self.full and library == "osu018" and element.sweep:
            return configs.PERIODS
        return (headline,)

    def covers(self, element: configs.Element, library: str) -> bool:
        """The libraries beside the first one are for some groups only."""
        return library == next(iter(self.libraries)) or element.group in configs.OTHER_LIBRARIES


def point_name(design: Design, period: float, library: str) -> str:
    return f"{design}, {period:g} ns, {library}"


def box_name(design: Design, library: str) -> str:
    return f"{design}, boxes, {library}"


def point_summary(point: Point) -> str:
    chosen = point.chosen
    return f"{chosen.area:,.0f}, slack {chosen.slack_ns:.2f} ns" + ("" if point.met else ", MISSES THE CLOCK") + \
        f", {chosen.effort}, {len(point.tried)} variants"


class Study:
    def __init__(self, plan: Plan, build: Path, extra_sources: list[Path], jobs: int, model: Path | None):
        self.plan = plan
        self.folder = build / "synth"
        self.jobs = jobs
        self.model = model
        folders = [*map(Path, configs.SOURCES), *(build / name for name in configs.GENERATED), *extra_sources]
        cache = Cache(self.folder)
        self.synthesisers = {name: Synthesiser(Library(path), folders, cache) for name, path in plan.libraries.items()}

    def run(self) -> int:
        """0, or 1 if a point failed: the others are reported all the same."""
        for name in ("area.json", "area.md"):
            (self.folder / name).unlink(missing_ok=True)
        remove_stale(self.folder)
        results, failures = run_all(self.tasks(), self.jobs)
        rows = self.rows(results)
        self.write(rows, results)
        for name, error in failures.items():
            print(f"FAILED {name}: {error}" + (f"; see {error.log}" if error.log else ""))
        return 1 if failures else 0

    # ---- what is to be run -------------------------------------------------------------------------------------------

    def triples(self) -> list[tuple[configs.Element, str, float]]:
        return [(element, library, period) for element in self.plan.elements for library in self.plan.libraries
                if self.plan.covers(element, library) for period in self.plan.periods_of(element, library)]

    def tasks(self) -> list[Task]:
        tasks: dict[str, Task] = {}

        def add(element: configs.Element | None, library: str, period: float) -> None:
            if element is None:
                return
            name = point_name(element.design, period, library)
            synthesiser = self.synthesisers[library]
            tasks[name] = Task(name, element.lanes + len(element.parts) * 100,
                               lambda d=element.design: points.measure(synthesiser, d, period), point_summary)
            for other in (element.twin, *(part for _, part in element.parts)):
                add(other, library, period)

        for element, library, period in self.triples():
            add(element, library, period)
        for element, library in self.boxed():
            self._add_boxes(tasks, element, library)
        return list(tasks.values())

    def boxed(self) -> list[tuple[configs.Element, str]]:
        """Elements, and their twins, whose breakdown is wanted: with the first library."""
        library = next(iter(self.plan.libraries))
        wanted = [element for element in self.plan.elements if element.group == "main"
                  and (element.lanes in configs.BREAKDOWN_LANES or len(self.plan.elements) == 1)]
        return [(one, library) for element in wanted for one in (element, element.twin) if one]

    def _add_boxes(self, tasks: dict[str, Task], element: configs.Element, library: str) -> None:
        synthesiser, design = self.synthesisers[library], element.design
        period = self.plan.periods_of(element, library)[0] if self.plan.periods else \
            configs.LIBRARIES.get(library, (None, configs.HEADLINE_PERIOD))[1]

        def work() -> dict[str, float]:
            result = synthesiser.run(design, period, recipe.EFFORTS[0], recipe.SEEDS[0], hierarchy=True)
            return breakdown.by_box(synthesiser.read_netlist(Path(result.netlist), design), configs.BOXES)

        name = box_name(design, library)
        tasks[name] = Task(name, element.lanes, work, lambda areas: f"{sum(areas.values()):,.0f}, modules apart")

    # ---- what comes of it --------------------------------------------------------------------------------------------

    def rows(self, results: dict) -> list[Row]:
        rows = []
        for element, library, period in self.triples():
            point = results.get(point_name(element.design, period, library))
            twin = element.twin and results.get(point_name(element.twin.design, period, library))
            if point is None or (element.twin and twin is None):
                continue
            row = report.row(Pair(element, library, point, twin), results.get(box_name(element.design, library)))
            if element.twin:
                row["int8_breakdown"] = results.get(box_name(element.twin.design, library), {})
            self._add_parts(row, element, library, period, results)
            row["error"] = self._error(element)
            rows.append(row)
        return rows

    @staticmethod
    def _add_parts(row: Row, element: configs.Element, library: str, period: float, results: dict) -> None:
        """A black box that is an element counts with that element's area."""
        row["area_without_parts"] = row["area"]
        for box, part in element.parts:
            inner = part and results.get(point_name(part.design, period, library))
            if inner:
                row["area"] += row["black_boxes"].get(box, 0) * inner.chosen.area

    def _error(self, element: configs.Element) -> float | None:
        if self.model is None or element.group not in ("main", "frac_bits"):
            return None
        settings = configs.model_settings(element)
        return accuracy.error(self.model, self.folder / "accuracy", configs.ACCURACY_K, element.formats[0], settings)

    def write(self, rows: list[Row], results: dict) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "area.json").write_text(json.dumps(rows, indent=1) + "\n")
        for name, text in pages.everything(rows, self.plan).items():
            (self.folder / name).write_text(text)
        print(f"  SYNTH     {self.folder}/area.json, area.md and plots: {len(rows)} points")


__all__ = ["FlowError", "Plan", "Study"]
