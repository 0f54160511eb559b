# SPDX-License-Identifier: Apache-2.0
"""Measured points as rows of area.json and as Markdown tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .points import Point
from .timing import FAR

Row = dict[str, Any]


@dataclass(frozen=True)
class Whole:
    """An element's point with what its black boxes stand for."""

    point: Point
    area: float
    slack_ns: float  # the worst of all
    met: bool  # by all
    parts: dict[str, float]  # area of each kind of black box
    inside: dict[
        str, float
    ]  # area, measured alone, of what the point's own netlist has among other things

    @property
    def area_without_parts(self) -> float:
        return self.point.chosen.area


def whole(element: Any, found: dict[Any, Point]) -> Whole:
    """`found` has the points of everything that configs.needed names."""
    point = found[element.design]
    inner = {
        box: (point.chosen.boxes[box], whole(part, found)) for box, part in element.parts if part
    }
    areas = {box: count * part.area for box, (count, part) in inner.items()}
    inside: dict[str, float] = {}
    for part, count in element.inside:
        inside[part.name] = inside.get(part.name, 0.0) + count * found[part.design].chosen.area
    return Whole(
        point,
        point.chosen.area + sum(areas.values()),
        min(point.chosen.slack_ns, *(part.slack_ns for _, part in inner.values()), FAR),
        point.met and all(part.met for _, part in inner.values()),
        areas,
        inside,
    )


@dataclass(frozen=True)
class Pair:
    """An element and its baseline, at one period with one library."""

    element: Any  # configs.Element
    library: str
    fp8: Whole
    int8: Whole | None


def _variants(point: Point) -> list[Row]:
    used = {id(result) for result in point.used}
    return [
        {
            "effort": r.effort,
            "seed": r.seed,
            "area": r.area,
            "slack_ns": round(r.slack_ns, 4),
            "used": id(r) in used,
        }
        for r in point.tried
    ]


def row(pair: Pair, breakdown: dict[str, float] | None = None) -> Row:
    element, fp8, int8, point, chosen = (
        pair.element,
        pair.fp8,
        pair.int8,
        pair.fp8.point,
        pair.fp8.point.chosen,
    )
    ratio = fp8.area / int8.area if int8 else None
    closed = fp8.met and (int8 is None or int8.met)
    return {
        "name": element.name,
        "lanes": element.lanes,
        "accumulator": element.accumulator,
        "frac_bits": element.frac_bits,
        "formats": list(element.formats),
        "period_ns": point.period_ns,
        "area": fp8.area,
        "slack_ns": round(fp8.slack_ns, 4),
        "int8_area": int8.area if int8 else None,
        "ratio": round(ratio, 4) if ratio else None,
        "target": element.target,
        "met": closed
        and (element.target is None or (ratio is not None and ratio <= element.target)),
        # What stands behind them
        "library": pair.library,
        "group": element.group,
        "removed": element.removed,
        "kind": element.kind,
        "top": element.design.top,
        "parameters": dict(element.design.parameters),
        "timing_met": fp8.met,
        "int8_timing_met": int8.met if int8 else None,
        "int8_slack_ns": round(int8.slack_ns, 4) if int8 else None,
        "effort": chosen.effort,
        "spread": round(point.spread, 5),
        "critical": chosen.critical,
        "register_area": chosen.register_area,
        "cells": chosen.cells,
        "idle_adder_outputs": chosen.idle,
        "black_boxes": chosen.boxes,
        "area_without_parts": fp8.area_without_parts,
        "parts": fp8.parts,
        "inside": fp8.inside,
        "int8_area_without_parts": int8.area_without_parts if int8 else None,
        "int8_parts": int8.parts if int8 else {},
        "int8_inside": int8.inside if int8 else {},
        "netlist": f"{chosen.netlist}/netlist.v",
        "int8_netlist": f"{int8.point.chosen.netlist}/netlist.v" if int8 else None,
        "variants": _variants(point),
        "int8_variants": _variants(int8.point) if int8 else [],
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
    lines = [
        [
            f"`{r['name']}`",
            str(r["lanes"]),
            r["accumulator"],
            str(r["frac_bits"]),
            formats_text(r["formats"], every),
            f"{r['period_ns']:g}",
            number(r["area"]),
            number(r["slack_ns"], 2),
            number(r["int8_area"]),
            number(r["int8_slack_ns"], 2),
            number(r["ratio"], 3),
            number(r["target"], 2),
            verdict(r),
            f"{100 * r['spread']:.1f} %",
        ]
        for r in rows
    ]
    return table(
        [
            "element",
            "lanes",
            "accumulator",
            "fraction bits",
            "formats",
            "period, ns",
            "area",
            "slack, ns",
            "INT8 area",
            "INT8 slack, ns",
            "ratio",
            "target",
            "",
            "spread",
        ],
        lines,
    )


def breakdown_table(rows: list[Row]) -> str:
    boxes = list(rows[0]["breakdown"])
    lines = [
        [
            f"`{r['name']}`",
            *(number(r["breakdown"][box]) for box in boxes),
            number(sum(r["breakdown"].values())),
            number(r["area"]),
        ]
        for r in rows
    ]
    return table(["element", *boxes, "sum, modules apart", "area, flattened"], lines)


def removal_table(rows: list[Row], full: dict[tuple, Row]) -> str:
    lines = []
    for r in rows:
        whole = full.get(
            (r["lanes"], r["accumulator"], r["frac_bits"], r["period_ns"], r["library"])
        )
        change = f"{100 * (r['area'] / whole['area'] - 1):+.1f} %" if whole else "-"
        lines.append(
            [
                f"`{r['name']}`",
                r["removed"] or "nothing",
                number(r["area"]),
                change,
                number(r["slack_ns"], 2),
            ]
        )
    return table(["element", "without", "area", "against the full element", "slack, ns"], lines)


def frac_table(rows: list[Row]) -> str:
    lines = [
        [
            r["kind"] or "products",
            r["accumulator"],
            str(r["lanes"]),
            str(r["frac_bits"]),
            number(r["area"]),
            number(r["ratio"], 3),
            number(r["slack_ns"], 2),
            f"{r['error']:.2e}" if r.get("error") is not None else "-",
        ]
        for r in rows
    ]
    return table(
        [
            "window by",
            "accumulator",
            "lanes",
            "fraction bits",
            "area",
            "ratio",
            "slack, ns",
            "error",
        ],
        lines,
    )


def array_table(rows: list[Row]) -> str:
    lines = []
    for r in rows:
        for side, name in (("", f"`{r['name']}`"), ("int8_", "its INT8 baseline")):
            boxes, inside = sum(r[f"{side}parts"].values()), sum(r[f"{side}inside"].values())
            lines.append(
                [
                    name,
                    f"{r['period_ns']:g}",
                    number(boxes),
                    number(inside),
                    number(r[f"{side}area_without_parts"] - inside),
                    number(r[f"{side}area"]),
                    "-" if side else number(r["ratio"], 3),
                    number(r[f"{side}slack_ns"], 2),
                ]
            )
    return table(
        ["", "period, ns", "black boxes", "edges", "the rest", "all", "ratio", "slack, ns"], lines
    )


def sweep_table(rows: list[Row]) -> str:
    lines = [
        [
            f"`{r['name']}`",
            f"{r['period_ns']:g}",
            number(r["area"]),
            number(r["int8_area"]),
            number(r["ratio"], 3),
            "-" if r["timing_met"] and r["int8_timing_met"] else verdict(r),
        ]
        for r in rows
    ]
    return table(["element", "period, ns", "area", "INT8 area", "ratio", ""], lines)
