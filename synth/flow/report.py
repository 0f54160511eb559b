# SPDX-License-Identifier: Apache-2.0
"""Measured points as rows of area.json and as Markdown tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .points import Point

Row = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """An element's point and its twin's, at one period with one library."""

    element: Any  # configs.Element
    library: str
    point: Point
    twin: Point | None


def _variants(point: Point) -> list[Row]:
    used = {id(result) for result in point.used}
    return [{"effort": r.effort, "seed": r.seed, "area": r.area, "slack_ns": round(r.slack_ns, 4),
             "used": id(r) in used} for r in point.tried]


def row(pair: Pair, breakdown: dict[str, float] | None = None) -> Row:
    element, point, chosen = pair.element, pair.point, pair.point.chosen
    ratio = chosen.area / pair.twin.chosen.area if pair.twin else None
    closed = point.met and (pair.twin is None or pair.twin.met)
    return {
        "name": element.name, "lanes": element.lanes, "accumulator": element.accumulator,
        "frac_bits": element.frac_bits, "formats": list(element.formats), "period_ns": point.period_ns,
        "area": chosen.area, "slack_ns": round(chosen.slack_ns, 4),
        "int8_area": pair.twin.chosen.area if pair.twin else None,
        "ratio": round(ratio, 4) if ratio else None, "target": element.target,
        "met": closed and (element.target is None or (ratio is not None and ratio <= element.target)),
        # What stands behind them
        "library": pair.library, "group": element.group, "removed": element.removed, "kind": element.kind,
        "top": element.design.top, "parameters": dict(element.design.parameters),
        "timing_met": point.met, "int8_timing_met": pair.twin.met if pair.twin else None,
        "int8_slack_ns": round(pair.twin.chosen.slack_ns, 4) if pair.twin else None,
        "effort": chosen.effort, "spread": round(point.spread, 5), "critical": chosen.critical,
        "register_area": chosen.register_area, "cells": chosen.cells, "idle_adder_outputs": chosen.idle,
        "black_boxes": chosen.boxes, "netlist": f"{chosen.netlist}/netlist.v",
        "int8_netlist": f"{pair.twin.chosen.netlist}/netlist.v" if pair.twin else None,
        "variants": _variants(point), "int8_variants": _variants(pair.twin) if pair.twin else [],
        "breakdown": breakdown or {},
    }


# ---- Markdown -------------------------------------------------------------------------------------------------------

def table(header: list[str], lines: list[list[str]]) -> str:
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in rows) + "\n"


def number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def formats_text(formats: list[str], every: tuple[str, ...]) -> str:
    return "all" if tuple(formats) == every else ", ".join(formats)


def verdict(entry: Row) -> str:
    if not entry["timing_met"]:
        return "misses the clock"
    if entry["int8_timing_met"] is False:
        return "INT8 misses the clock"
    if entry["target"] is None:
        return "-"
    return "met" if entry["met"] else "not met"


def main_table(rows: list[Row], every: tuple[str, ...]) -> str:
    lines = [[f"`{r['name']}`", str(r["lanes"]), r["accumulator"], str(r["frac_bits"]),
              formats_text(r["formats"], every), f"{r['period_ns']:g}", number(r["area"]), number(r["slack_ns"], 2),
              number(r["int8_area"]), number(r["int8_slack_ns"], 2), number(r["ratio"], 3), number(r["target"], 2),
              verdict(r), f"{100 * r['spread']:.1f} %"] for r in rows]
    return table(["element", "lanes", "accumulator", "fraction bits", "formats", "period, ns", "area", "slack, ns",
                  "INT8 area", "INT8 slack, ns", "ratio", "target", "", "spread"], lines)


def breakdown_table(rows: list[Row]) -> str:
    boxes = list(rows[0]["breakdown"])
    lines = [[f"`{r['name']}`", *(number(r["breakdown"][box]) for box in boxes),
              number(sum(r["breakdown"].values())), number(r["area"])] for r in rows]
    return table(["element", *boxes, "sum, modules apart", "area, flattened"], lines)


def removal_table(rows: list[Row], full: dict[tuple, Row]) -> str:
    lines = []
    for r in rows:
        whole = full.get((r["lanes"], r["accumulator"], r["frac_bits"], r["period_ns"], r["library"]))
        change = f"{100 * (r['area'] / whole['area'] - 1):+.1f} %" if whole else "-"
        lines.append([f"`{r['name']}`", r["removed"] or "nothing", number(r["area"]), change, number(r["slack_ns"], 2)])
    return table(["element", "without", "area", "against the full element", "slack, ns"], lines)


def frac_table(rows: list[Row]) -> str:
    lines = [[r["accumulator"], str(r["lanes"]), str(r["frac_bits"]), number(r["area"]), number(r["ratio"], 3),
              number(r["slack_ns"], 2), f"{r['error']:.2e}" if r.get("error") is not None else "-"] for r in rows]
    return table(["accumulator", "lanes", "fraction bits", "area", "ratio", "slack, ns", "error"], lines)


def sweep_table(rows: list[Row]) -> str:
    lines = [[f"`{r['name']}`", f"{r['period_ns']:g}", number(r["area"]), number(r["int8_area"]),
              number(r["ratio"], 3), "-" if r["timing_met"] and r["int8_timing_met"] else verdict(r)] for r in rows]
    return table(["element", "period, ns", "area", "INT8 area", "ratio", ""], lines)
