# SPDX-License-Identifier: Apache-2.0
"""The Markdown page and the plots of a study, from the rows of area.json alone."""

from __future__ import annotations

from typing import Any

import configs

from . import plot, report
from .report import Row

NOTES = """\
Area is the sum of the cells' Liberty areas, pipeline registers and accumulators included; a row is the median of three
re-synthesised variants that meet the period in OpenSTA, and `spread` is how far these three lie apart. Both sides run
the same recipe. No wires, no clock tree; inputs come from and outputs go to flip-flops of the library.
"""


def headline(rows: list[Row]) -> list[Row]:
    """One period an element and library: the library's headline, or the first one measured."""
    periods: dict[tuple[str, str], float] = {}
    for row in rows:
        key = row["library"], row["name"]
        if key not in periods or row["period_ns"] == configs.headline(row["library"]):
            periods[key] = row["period_ns"]
    return [row for row in rows if row["period_ns"] == periods[row["library"], row["name"]]]


def series_name(row: Row) -> str:
    bits = row["frac_bits"]
    return (
        f"{row['accumulator']}, {bits}"
        + ("" if bits == configs.EXACT else " bits")
        + (f", {row['kind']}" if row["kind"] else "")
        + (
            ""
            if tuple(row["formats"]) == configs.FORMATS
            else ", E4M3"
            if tuple(row["formats"]) == configs.E4M3
            else ", " + "+".join(row["formats"])
        )
    )


def grouped(rows: list[Row], key: Any) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def everything(rows: list[Row], plan: Any) -> dict[str, str]:
    """File name to text."""
    if not rows:
        return {}
    first = next(iter(plan.libraries))
    here = [row for row in rows if row["library"] == first]
    top = headline(here)
    pages = {
        "area.md": markdown(rows, here, top),
        **ratio_plot(top),
        **breakdown_plot(top),
        **period_plot(here),
        **frac_plot(top),
    }
    return pages


def markdown(rows: list[Row], here: list[Row], top: list[Row]) -> str:
    parts = ["# Area", NOTES]
    for library, found in grouped(headline(rows), lambda row: row["library"]).items():
        parts += [
            f"## {library}",
            report.main_table(
                [row for row in found if row["group"] not in ("removal", "frac_bits", "array")],
                configs.FORMATS,
            ),
        ]
    swept = [
        row
        for row in here
        if row["group"] == "main"
        and len({r["period_ns"] for r in here if r["name"] == row["name"]}) > 1
    ]
    boxed = [row for row in top if row["breakdown"]]
    removal = [row for row in top if row["group"] == "removal"]
    frac = frac_rows(top)
    arrays = [row for row in here if row["group"] == "array"]
    full = {
        (r["lanes"], r["accumulator"], r["frac_bits"], r["period_ns"], r["library"]): r
        for r in top
        if r["group"] == "main" and not r["kind"] and tuple(r["formats"]) == configs.FORMATS
    }
    if swept:
        parts += ["## Over the clock period", report.sweep_table(swept)]
    if boxed:
        parts += [
            "## By box",
            "Of netlists that keep their modules apart.",
            report.breakdown_table(boxed),
        ]
    if removal:
        parts += ["## What each feature costs", report.removal_table(removal, full)]
    if arrays:
        parts += [
            "## The array and the accelerator",
            "Elements are synthesised alone and are black boxes in the "
            "array, which is one in the accelerator. A path across their border is judged as if a flip-flop "
            "stood there. No memories.",
            report.array_table(arrays),
        ]
    if frac:
        parts += [
            "## Fraction bits",
            f"Error: root mean square over dot products of K = {configs.ACCURACY_K} normally "
            "distributed values against the exact ones, relative, computed by the model.",
            report.frac_table(frac),
        ]
    return "\n".join(part if part.endswith("\n") else part + "\n" for part in parts)


def hollow(rows: list[Row], x: str) -> frozenset[float]:
    """Points that miss the clock."""
    return frozenset(
        row[x] for row in rows if not row["timing_met"] or row["int8_timing_met"] is False
    )


def ratio_plot(rows: list[Row]) -> dict[str, str]:
    rows = [row for row in rows if row["group"] == "main" and row["ratio"]]
    if not rows:
        return {}
    curves = [
        plot.Series(
            name,
            sorted((row["lanes"], row["ratio"]) for row in found),
            hollow=hollow(found, "lanes"),
        )
        for name, found in grouped(rows, series_name).items()
    ]
    period = rows[0]["period_ns"]
    return {
        "ratio.svg": plot.lines(
            f"Area against the INT8 baseline of equal lanes, {period:g} ns",
            "lanes",
            "ratio to INT8",
            curves,
            doubling=True,
            reference=1.0,
        )
    }


def breakdown_plot(rows: list[Row]) -> dict[str, str]:
    stacks: dict[str, dict[str, float]] = {}
    boxed = [row for row in rows if row["group"] == "main" and row["breakdown"]]
    widest = max((row["lanes"] for row in boxed), default=0)
    for row in boxed:
        if row["lanes"] == widest:
            kind = f" {row['kind']}" if row["kind"] else ""
            stacks[f"{row['accumulator']} {row['frac_bits']}{kind} x{row['lanes']}"] = row[
                "breakdown"
            ]
            if row.get("int8_breakdown"):
                stacks = {f"INT8 x{row['lanes']}": row["int8_breakdown"], **stacks}
    if not stacks:
        return {}
    return {
        "breakdown.svg": plot.bars("Area by box, modules kept apart", "area", list(stacks.items()))
    }


def period_plot(rows: list[Row]) -> dict[str, str]:
    curves = []
    for _name, found in grouped(
        [row for row in rows if row["group"] == "main"], lambda row: row["name"]
    ).items():
        if len(found) > 1:
            points = sorted((row["period_ns"], row["area"]) for row in found)
            baselines = sorted((row["period_ns"], row["int8_area"]) for row in found)
            late = frozenset(row["period_ns"] for row in found if not row["timing_met"])
            late_baseline = frozenset(
                row["period_ns"] for row in found if not row["int8_timing_met"]
            )
            curves.append(
                plot.Series(f"{series_name(found[0])} x{found[0]['lanes']}", points, hollow=late)
            )
            baseline = plot.Series(
                f"INT8 x{found[0]['lanes']}", baselines, dashed=True, hollow=late_baseline
            )
            if baseline.name not in [curve.name for curve in curves]:
                curves.append(baseline)
    return (
        {
            "period.svg": plot.lines(
                "Area over the clock period (hollow: misses it)", "period, ns", "area", curves
            )
        }
        if curves
        else {}
    )


def frac_rows(rows: list[Row]) -> list[Row]:
    """Elements whose window's width is varied, with the one of usual width among them."""

    def key(row: Row) -> tuple:
        return row["kind"], row["lanes"], row["accumulator"]

    varied = {key(row) for row in rows if row["group"] == "frac_bits"}
    found = [
        row
        for row in rows
        if row["group"] in ("frac_bits", "main")
        and key(row) in varied
        and row["frac_bits"] != configs.EXACT
        and tuple(row["formats"]) == configs.FORMATS
    ]
    return sorted(found, key=lambda row: (*key(row), row["frac_bits"]))


def frac_plot(rows: list[Row]) -> dict[str, str]:
    """One drawing for each kind of window."""
    return {
        f"frac_bits{'_' if kind else ''}{kind}.svg": plot.lines(
            "Area and error over the fraction bits",
            "fraction bits",
            "area",
            frac_curves(found),
            right_name="relative error, K = 4096",
        )
        for kind, found in grouped(frac_rows(rows), lambda row: row["kind"]).items()
    }


def frac_curves(rows: list[Row]) -> list[plot.Series]:
    curves = []
    for name, found in grouped(rows, lambda row: f"{row['accumulator']} x{row['lanes']}").items():
        curves.append(
            plot.Series(
                f"area, {name}",
                [(row["frac_bits"], row["area"]) for row in found],
                hollow=hollow(found, "frac_bits"),
            )
        )
        errors = [(row["frac_bits"], row["error"]) for row in found if row["error"]]
        if errors:
            curves.append(plot.Series(f"error, {name}", errors, dashed=True, right=True))
    return curves
