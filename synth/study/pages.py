# SPDX-License-Identifier: Apache-2.0
"""The page build/synth/area.md and the plots of a study, from the records of area.json alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import accuracy, plot, tables
from .records import Record, netlists_of

NOTES = """\
Area is the sum of the Liberty areas of all cells, with pipeline registers and accumulators. {} Both sides run the same
recipe. There are no wires and no clock tree. Inputs come from flip-flops of the library and outputs go to them. A bold
ratio meets its target.
"""
ERROR = f"""\
Error: root mean square over dot products of K = {accuracy.K} normally distributed values, relative to the exact ones,
computed by the golden model.
"""


def grouped(found: list[Record], key: Callable[[Record], str]) -> dict[str, list[Record]]:
    result: dict[str, list[Record]] = {}
    for record in found:
        result.setdefault(key(record), []).append(record)
    return result


def everything(found: list[Record], plan: Any) -> dict[str, str]:
    """File name to text."""
    if not found:
        return {}
    first = next(iter(plan.libraries))
    here = [record for record in found if record["library"] == first]
    return {"area.md": markdown(found, here), **plots(here)}


def netlists(found: list[Record]) -> str:
    """How many netlists a figure stands for."""
    most = max(map(netlists_of, found))
    if most == 1:
        return "A figure is one netlist that meets the period in OpenSTA."
    arrays = [netlists_of(record) for record in found if record["group"] == "array"]
    one = "; that of an array is one netlist" if 1 in arrays else ""
    return (
        f"A figure is the median of {most} re-synthesised netlists that meet the period in OpenSTA"
        f"{one}."
    )


def markdown(found: list[Record], here: list[Record]) -> str:
    top = tables.headline(here)
    main = tables.of_group(top, "main")
    feeds = tables.of_group(top, "feed")
    parts = ["# Area", NOTES.format(netlists(found)), ERROR]
    for library, of_library in grouped(tables.headline(found), lambda r: r["library"]).items():
        parts += [
            f"## {library}",
            tables.elements(
                tables.of_group(of_library, "main", "exact", "baseline"),
                feed_records=tables.of_group(of_library, "feed"),
            ),
        ]
    titled = {
        "Over the clock period": tables.period(tables.swept(here)),
        "By box": tables.breakdown(main),
        "One more lane": tables.one_more_lane(main),
        "Fraction bits": tables.frac_bits(tables.over_frac_bits(top)),
        "Behavioural": tables.behavioural(tables.of_group(top, "behavioural")),
        "Operand feeds": tables.feeds(feeds),
        "Arrays": tables.arrays(tables.of_group(here, "array")),
        "Shapes": tables.pareto(tables.of_group(here, "array"), {}),
    }
    for title, text in titled.items():
        parts += [f"## {title}", text] if text else []
    return "\n".join(part if part.endswith("\n") else part + "\n" for part in parts if part)


# ---- plots ----------------------------------------------------------------------------------------------------------


def plots(here: list[Record]) -> dict[str, str]:
    top = tables.headline(here)
    return {
        **ratio_plot(top),
        **breakdown_plot(top),
        **period_plot(here),
        **frac_plot(top),
        **shapes_plot(top),
    }


def without_lanes(record: Record) -> str:
    """The spelling of the record's element without its lanes."""
    return record["name"].replace(f"_l{record['lanes']}", "")


def hollow(found: list[Record], x: str) -> frozenset[float]:
    """Points that miss the clock."""
    return frozenset(record[x] for record in found if not tables.closed(record))


def ratio_plot(top: list[Record]) -> dict[str, str]:
    """Elements of several lanes; all of them if there is one of each alone."""
    found = [r for r in tables.of_group(top, "main") if tables.ratio_of(r)]
    if not found:
        return {}
    series = grouped(tables.in_table_order(found), without_lanes)
    shown = {name: same for name, same in series.items() if len(same) > 1} or series
    curves = [
        plot.Series(
            name,
            sorted((r["lanes"], tables.ratio_of(r)) for r in same),
            hollow=hollow(same, "lanes"),
        )
        for name, same in shown.items()
    ]
    period = found[0]["period_ns"]
    return {
        "ratio.svg": plot.lines(
            f"Area of an FP8 element over that of INT8 of equal lanes, {period:g} ns",
            "lanes",
            "ratio to INT8",
            curves,
            doubling=True,
            reference=1.0,
        )
    }


def breakdown_plot(top: list[Record]) -> dict[str, str]:
    boxed = [r for r in tables.of_group(top, "main") if r.get("breakdown")]
    widest = max((r["lanes"] for r in boxed), default=0)
    stacks: dict[str, dict[str, float]] = {}
    for r in boxed:
        if r["lanes"] == widest:
            # Words of a bar's name stand below each other.
            share = 1 / r.get("copies", 1)
            own = {box: share * area for box, area in r["breakdown"].items()}
            stacks[r["name"].replace("_", " ")] = own
            if r.get("baseline_breakdown"):
                name = r["baseline"].replace("_", " ")
                stacks = {name: r["baseline_breakdown"], **stacks}
    if not stacks:
        return {}
    return {
        "breakdown.svg": plot.bars("Area by box, modules kept apart", "area", list(stacks.items()))
    }


def shapes_plot(top: list[Record]) -> dict[str, str]:
    """The shapes of an array, each beside its baseline."""
    stacks: dict[str, dict[str, float]] = {}
    for r in tables.of_shapes(tables.of_group(top, "array")):
        shape = tables.Shape.of(r["name"], r["kind"])
        name = f"{shape.rows}x{shape.columns}x{shape.lanes}"
        stacks[f"{name} FP8"] = tables.array_parts(r)
        stacks[f"{name} INT8"] = tables.array_parts(r, "baseline_")
    if not stacks:
        return {}
    title = "Area of arrays of 256 MACs, rows x columns x lanes"
    return {"shapes.svg": plot.bars(title, "area", list(stacks.items()))}


def period_plot(here: list[Record]) -> dict[str, str]:
    curves: list[plot.Series] = []
    for name, found in grouped(tables.swept(here), lambda r: r["name"]).items():
        curves.append(
            plot.Series(
                name,
                sorted((r["period_ns"], r["area"]) for r in found),
                hollow=frozenset(r["period_ns"] for r in found if not r["timing_met"]),
            )
        )
        baseline = plot.Series(
            found[0]["baseline"],
            sorted((r["period_ns"], r["baseline_area"]) for r in found),
            dashed=True,
            hollow=frozenset(r["period_ns"] for r in found if not r["baseline_timing_met"]),
        )
        if baseline.name not in [curve.name for curve in curves]:
            curves.append(baseline)
    if not curves:
        return {}
    title = "Area over the clock period (hollow: misses the clock)"
    return {"period.svg": plot.lines(title, "period, ns", "area", curves)}


def frac_plot(top: list[Record]) -> dict[str, str]:
    """One drawing for each family of elements."""
    return {
        f"frac_bits_{family}.svg": plot.lines(
            f"Area and error over the fraction bits, family {family}",
            "fraction bits",
            "area",
            frac_curves(found),
            right_name=f"relative error, K = {accuracy.K}",
        )
        for family, found in grouped(tables.over_frac_bits(top), lambda r: r["family"]).items()
    }


def frac_curves(found: list[Record]) -> list[plot.Series]:
    curves = []
    for name, same in grouped(found, lambda r: f"{r['kind']}, {r['lanes']} lanes").items():
        curves.append(
            plot.Series(
                f"area, {name}",
                [(r["frac_bits"], r["area"]) for r in same],
                hollow=hollow(same, "frac_bits"),
            )
        )
        errors = [(r["frac_bits"], r["error"]) for r in same if r.get("error")]
        if errors:
            curves.append(plot.Series(f"error, {name}", errors, dashed=True, right=True))
    return curves
