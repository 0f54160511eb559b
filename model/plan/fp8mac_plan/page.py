# SPDX-License-Identifier: Apache-2.0
"""What a plan writes: results.csv with every figure, and plan.html with the fronts."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from html import escape

from .area import Areas
from .choose import Choice, densest, fastest_within, front, mean_cost
from .configuration import Configuration
from .run import Found
from .svg import Point, number, scatter

STYLE = (
    "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
)
AREA = ("logic", "logic_mm2", "memory_bits", "memory_mm2", "area_mm2")


@dataclass(frozen=True)
class Plan:
    """`every`: the configurations with an area. `ours`: the RTL's default, if it is among them."""

    networks: list[str]
    every: list[Choice]
    areas: Areas
    ours: Choice | None


def results_csv(found: Found, areas: Areas, networks: Sequence[str]) -> str:
    """A line for each configuration. Areas are empty where none is known, and so is the error of a kind."""
    names = [one.name for one in fields(Configuration)]
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    parts = ("cycles", "utilisation", "bytes")
    out.writerow([*names, *AREA, "error", *(f"{n} {part}" for n in networks for part in parts)])
    for its in dict.fromkeys(one for one, _ in found.totals):
        row = [getattr(its, name) for name in names]
        row += area_fields(its, areas)
        for name in networks:
            total = found.totals[its, name]
            moved = total.bytes_read + total.bytes_written
            row += [total.cycles, f"{total.utilisation(its):.4f}", moved]
        out.writerow(row)
    return text.getvalue()


def area_fields(its: Configuration, areas: Areas) -> list[object]:
    area, error = areas.of(its), areas.data["errors"].get(its.element, "")
    if area is None:
        return [""] * len(AREA) + [error]
    mm2 = [f"{one:.4f}" for one in (area.logic_mm2, area.memory_mm2, area.mm2)]
    return [f"{area.logic:.0f}", mm2[0], area.memory_bits, mm2[1], mm2[2], error]


def html(plan: Plan, skipped: int) -> str:
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>fp8mac plan</title>',
        f"<style>{STYLE}</style><h1>fp8mac plan</h1>",
        f"<p>{len(plan.every)} configurations, {len(plan.networks)} networks."
        + (f" {skipped} configurations are not possible and were left out." if skipped else "")
        + "</p>",
        f"<p>{escape(conditions(plan.areas))}</p>",
    ]
    for name in plan.networks:
        parts += _section(plan, name, lambda one, name=name: float(one.cycles(name)), "cycles")
    if plan.ours is not None and len(plan.networks) > 1:
        cost = mean_cost(plan.ours)
        parts += _section(plan, "All networks", cost, "geometric mean of cycles to the default's")
    return "\n".join([*parts, "</html>\n"])


def conditions(areas: Areas) -> str:
    """How the figures came about"""
    return (
        "Cycles are those of the RTL, by the model of cycles: each layer is one command, and the time of the core is not in "
        f"them. The area of the logic is that of {len(areas.data['measured'])} synthesised accelerators, interpolated by parts; one "
        f"that is left out of the fit lies within {100 * areas.error:.1f} % of what the others say. It is OSU018's at 6 ns, as it "
        f"would be in SkyWater 130 nm ({areas.data['um2_of_logic']:.4f} um2 for each unit). The area of memories is that of "
        "published macros for each bit."
    )


def _section(plan: Plan, title: str, cost: Callable[[Choice], float], y_name: str) -> list[str]:
    def point(one: Choice) -> Point:
        return Point(
            one.area.mm2,
            cost(one),
            f"{one.its.name}: {one.area.mm2:.3f} mm2, {number(cost(one))}",
        )

    best = front(plan.every, cost)
    ours = point(plan.ours) if plan.ours else None
    drawn = scatter("area in mm2", y_name, [*map(point, plan.every)], [*map(point, best)], ours)
    rows = [_row(one, cost) for one in best]
    said = [f"<h2>{escape(title)}</h2>", drawn]
    if plan.ours is not None:
        within = fastest_within(plan.every, plan.ours.area.mm2, cost) or plan.ours
        gain = cost(plan.ours) / cost(within)
        said.append(
            f"<p>The default ({escape(plan.ours.its.name)}, orange) has {plan.ours.area.mm2:.3f} mm2. The fastest of at most this "
            f"area is {escape(within.its.name)}, {gain:.2f} times as fast. The most work for each area and time has "
            f"{escape(densest(plan.every, cost).its.name)}.</p>"
        )
    head = "<tr><th>on the front<th>mm2<th>of it memory<th>products a cycle<th>" + escape(y_name)
    return [*said, f"<table>{head}", *rows, "</table>"]


def _row(one: Choice, cost: Callable[[Choice], float]) -> str:
    value = cost(one)
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.3f}"
    cells = (
        escape(one.its.name),
        f"{one.area.mm2:.3f}",
        f"{one.area.memory_mm2:.3f}",
        one.its.macs,
        shown,
    )
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells)
