# SPDX-License-Identifier: Apache-2.0
"""Measured points as records of area.json and as Markdown tables.

area.json holds {"run": what made it, "records": [...]}. A record is one entry with one library at one period; its
keys `baseline_...` are the INT8 baseline's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..flow.errors import FlowError, UsageError
from ..flow.points import WANTED, Point
from ..flow.timing import FAR
from .elements import CLOCK_GATE, FEED, Entry

Record = dict[str, Any]


def write(path: Path, run: dict[str, Any], found: list[Record]) -> None:
    path.write_text(json.dumps({"run": run, "records": found}, indent=1) + "\n")


def read(path: Path) -> list[Record]:
    if not path.is_file():
        raise UsageError(f"there is no {path}: run `make synth` first")
    return json.loads(path.read_text())["records"]


@dataclass(frozen=True)
class Whole:
    """An entry's point with the areas of its black boxes."""

    point: Point
    area: float  # of one element
    slack_ns: float  # the worst of all
    met: bool  # by all
    parts: dict[str, float]  # area of each kind of black box
    feeds: dict[str, float]  # area of all operand feeds, by name
    units: tuple[Record, ...] = ()  # the netlists of its black boxes, feeds included

    @property
    def area_without_parts(self) -> float:
        """Of the netlist, with all its elements."""
        return self.point.chosen.area


def whole(entry: Entry, found: dict[Any, Point], gate: float = 0.0) -> Whole:
    """`found` has the points of everything that elements.needed names; `gate` is the area of a clock gate."""
    point = found[entry.design]
    boxes = point.chosen.boxes
    inner = {box: (boxes[box], whole(part, found, gate)) for box, part in entry.parts if part}
    areas = {box: count * part.area for box, (count, part) in inner.items()}
    areas |= {box: boxes[box] * gate for box, _ in entry.parts if box == CLOCK_GATE}
    if sum(count for _, count in entry.feeds) != boxes.get(FEED, 0):
        raise FlowError(f"{entry.name} has {boxes.get(FEED, 0)} operand feeds")
    behind = [(count, whole(part, found, gate)) for part, count in entry.feeds]
    feeds: dict[str, float] = {}
    for part, count in entry.feeds:
        feeds[part.name] = feeds.get(part.name, 0.0) + count * found[part.design].chosen.area
    others = [part for _, part in (*inner.values(), *behind)]
    return Whole(
        point,
        (point.chosen.area + sum(areas.values()) + sum(feeds.values())) / entry.copies,
        min(point.chosen.slack_ns, *(part.slack_ns for part in others), FAR),
        point.met and all(part.met for part in others),
        areas,
        feeds,
        tuple(
            _unit(part, count, found[part.design])
            for part, count in (
                *((part, boxes[box]) for box, part in entry.parts if part),
                *entry.feeds,
            )
        ),
    )


def _unit(part: Entry, count: int, point: Point) -> Record:
    chosen = point.chosen
    return {
        "name": part.name,
        "top": part.design.top,
        "parameters": dict(part.design.parameters),
        "count": count,
        "area": chosen.area,
        "slack_ns": round(chosen.slack_ns, 4),
        "effort": chosen.effort,
        "netlist": f"{chosen.netlist}/netlist.v",
    }


def better(entry: Entry, found: dict[Any, Point]) -> Entry:
    """A baseline or its rival: the smaller one of those that meet the clock."""
    forms = [entry, entry.rival] if entry.rival else [entry]
    return min(forms, key=lambda one: (not found[one.design].met, found[one.design].chosen.area))


@dataclass(frozen=True)
class Pair:
    """An entry and its baseline, at one period with one library."""

    entry: Entry
    library: str
    own: Whole
    baseline: Whole | None
    single: Whole | None = None  # the baseline with one accumulator


def _single(pair: Pair) -> Record:
    """The baseline with one accumulator."""
    single = pair.single
    if pair.entry.single is None or single is None:
        return {}
    return {
        "single": pair.entry.single.name,
        "single_area": single.area,
        "single_slack_ns": round(single.slack_ns, 4),
        "single_timing_met": single.met,
        "single_parameters": dict(single.point.design.parameters),
        "single_netlist": f"{single.point.chosen.netlist}/netlist.v",
        "single_repaired": single.point.chosen.repaired,
        "ratio_single": round(pair.own.area / single.area, 4),
    }


def _variants(point: Point) -> list[Record]:
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


def netlists_of(record: Record) -> int:
    """The number of netlists whose median the record's area is. Older records do not have it: those with a spread are
    medians of three."""
    return record.get("netlists", WANTED if record["spread"] else 1)


def record(pair: Pair, breakdown: dict[str, float] | None = None) -> Record:
    entry, own, baseline = pair.entry, pair.own, pair.baseline
    point, chosen = own.point, own.point.chosen
    ratio = own.area / baseline.area if baseline else None
    closed = own.met and (baseline is None or baseline.met)
    return {
        "name": entry.name,
        "group": entry.group,
        "kind": entry.kind,
        "family": entry.family,
        "acc": entry.acc,
        "frac_bits": entry.frac_bits,
        "lanes": entry.lanes,
        "formats": list(entry.formats),
        "library": pair.library,
        "period_ns": point.period_ns,
        "area": own.area,
        "slack_ns": round(own.slack_ns, 4),
        "timing_met": own.met,
        "baseline": entry.baseline.name if entry.baseline else None,
        "baseline_area": baseline.area if baseline else None,
        "baseline_slack_ns": round(baseline.slack_ns, 4) if baseline else None,
        "baseline_timing_met": baseline.met if baseline else None,
        "ratio": round(ratio, 4) if ratio else None,
        **_single(pair),
        "target": entry.target,
        "met": closed and (entry.target is None or (ratio is not None and ratio <= entry.target)),
        # How it was made
        "top": entry.design.top,
        "parameters": dict(entry.design.parameters),
        "effort": chosen.effort,
        "netlists": len(point.used),
        "spread": round(point.spread, 5),
        "critical": chosen.critical,
        "register_area": chosen.register_area,
        "cells": chosen.cells,
        "idle_adder_outputs": chosen.idle,
        "repaired": chosen.repaired,
        "baseline_repaired": baseline.point.chosen.repaired if baseline else {},
        "black_boxes": chosen.boxes,
        "copies": entry.copies,
        "area_without_parts": own.area_without_parts,
        "parts": own.parts,
        "feeds": own.feeds,
        "baseline_area_without_parts": baseline.area_without_parts if baseline else None,
        "baseline_parts": baseline.parts if baseline else {},
        "baseline_feeds": baseline.feeds if baseline else {},
        "units": list(own.units),
        "baseline_units": list(baseline.units) if baseline else [],
        "netlist": f"{chosen.netlist}/netlist.v",
        "baseline_parameters": dict(baseline.point.design.parameters) if baseline else {},
        "baseline_netlist": f"{baseline.point.chosen.netlist}/netlist.v" if baseline else None,
        "variants": _variants(point),
        "baseline_variants": _variants(baseline.point) if baseline else [],
        "breakdown": breakdown or {},
    }
