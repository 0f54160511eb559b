# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of area.json's records. A table without records is empty text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rtl.catalogue import catalogue, rules

from . import libraries, prices
from .elements import BANKS_SUFFIX, KINDS, READOUT
from .records import Record
from .table import ENTRIES, MANY

ACCUMULATORS = {"fp32": "FP32", "fp16": "FP16", "fixed": "fixed point", "int32": "INT32"}
SHARED_BY = 4  # elements of a 4 x 4 array that share the feed of a row, and of a column


def table(header: list[str], lines: list[list[str]]) -> str:
    if not lines:
        return ""
    every = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in every) + "\n"


def number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def ratio_of(record: Record) -> float | None:
    base = record.get("baseline_area")
    return record["area"] / base if base else None


def accumulator(record: Record) -> str:
    return " or ".join(ACCUMULATORS.get(one, one) for one in record["acc"].split(" or "))


def bits(record: Record) -> str:
    return "-" if record["frac_bits"] is None else str(record["frac_bits"])


def code(name: str) -> str:
    return f"`{name}`"


def ratio(record: Record) -> str:
    """Bold if it meets its target and both sides meet the clock."""
    text = number(ratio_of(record), 2)
    return f"**{text}**" if meets(record) else text


def single_ratio(record: Record) -> str:
    """The ratio to INT8 with one accumulator; in brackets if a side misses the clock."""
    if "single_area" not in record:
        return "-"
    text = number(record["area"] / record["single_area"], 2)
    return text if record["timing_met"] and record["single_timing_met"] else f"({text})"


def meets(record: Record) -> bool:
    target = record.get("target")
    return target is not None and closed(record) and ratio_of(record) <= target


def closed(record: Record) -> bool:
    return record["timing_met"] and record.get("baseline_timing_met") is not False


def slack(record: Record) -> str:
    text = number(record.get("slack_ns"), 2)
    return text if record["timing_met"] else f"{text}, misses the clock"


def error(record: Record) -> str:
    value = record.get("error")
    if value is None:
        return "-"
    return "0" if value == 0 else f"{value:.1e}"


# ---- which records --------------------------------------------------------------------------------------------------


def of_group(found: Iterable[Record], *groups: str) -> list[Record]:
    return [record for record in found if record["group"] in groups]


def headline(found: list[Record]) -> list[Record]:
    """One period for each entry and library: the library's headline, or the first one measured."""
    periods: dict[tuple[str, str], float] = {}
    for record in found:
        key = record["library"], record["name"]
        if key not in periods or record["period_ns"] == libraries.headline(record["library"]):
            periods[key] = record["period_ns"]
    return [r for r in found if r["period_ns"] == periods[r["library"], r["name"]]]


def in_table_order(found: list[Record]) -> list[Record]:
    order = {entry.name: place for place, entry in enumerate(ENTRIES)}
    return sorted(found, key=lambda record: order.get(record["name"], len(order)))


def swept(found: list[Record]) -> list[Record]:
    """Elements that are measured at several periods."""
    counts: dict[str, int] = {}
    main = of_group(found, "main")
    for record in main:
        counts[record["name"]] = counts.get(record["name"], 0) + 1
    return [record for record in main if counts[record["name"]] > 1]


def over_frac_bits(found: list[Record]) -> list[Record]:
    """Elements whose alignment window is varied, and the usual one of the same kind and lanes."""

    def key(record: Record) -> tuple[str, int, str, int, int, int]:
        given = record["parameters"]
        return (
            record["kind"],
            record["lanes"],
            record["acc"],
            given.get("BLOCK", 0),
            given.get("MX", 0),
            given.get("BANKS", 0),
        )

    varied = {key(record) for record in of_group(found, "frac_bits")}
    return sorted(
        (record for record in of_group(found, "frac_bits", "main") if key(record) in varied),
        key=lambda record: (-record["family"].count("late"), *key(record), record["frac_bits"]),
    )


# ---- tables ---------------------------------------------------------------------------------------------------------


def elements(
    found: list[Record],
    checked: dict[str, int] | None = None,
    feed_records: list[Record] | None = None,
) -> str:
    """With CHECKED, a column says whether the netlists of both sides ran the vectors of the RTL; FEED_RECORDS give
    the ratio with operand feeds."""
    header = [
        "element",
        "lanes",
        "accumulator",
        "fraction bits",
        "area",
        "slack, ns",
        "INT8 area",
        "ratio, without feeds",
        "with feeds",
        "target, without feeds",
        "area of INT8 with one accumulator",
        "ratio to it, without feeds",
        "error",
    ]
    lines = [
        [
            code(r["name"]),
            str(r["lanes"]),
            accumulator(r),
            bits(r),
            number(r["area"]),
            slack(r),
            number(r.get("baseline_area")),
            ratio(r),
            number(with_feed(r, feed_records or []), 2),
            number(r.get("target"), 2),
            number(r.get("single_area")),
            single_ratio(r),
            error(r),
            *([] if checked is None else ["both" if checked.get(r["name"], 0) >= 2 else "-"]),
        ]
        for r in in_table_order(found)
    ]
    return table(header if checked is None else [*header, "simulated"], lines)


def period(found: list[Record]) -> str:
    """A line a period, a column an element; in brackets an area that misses the clock, and by how much."""

    def cell(area: float | None, met: bool | None, slack_ns: float | None) -> str:
        if area is None:
            return "-"
        missed = "" if slack_ns is None else f", misses by {-slack_ns:.2f} ns"
        return number(area) if met else f"({number(area)}{missed})"

    names = list(dict.fromkeys(r["name"] for r in in_table_order(found)))
    by_period: dict[float, dict[str, Record]] = {}
    for r in sorted(found, key=lambda r: r["period_ns"]):
        by_period.setdefault(r["period_ns"], {})[r["name"]] = r
    lines = []
    for at, line in by_period.items():
        cells = [
            cell(r["area"], r["timing_met"], r.get("slack_ns")) if (r := line.get(name)) else "-"
            for name in names
        ]
        one = next(iter(line.values()))
        baseline = cell(
            one["baseline_area"], one["baseline_timing_met"], one.get("baseline_slack_ns")
        )
        lines.append([f"{at:g}", *cells, baseline])
    baselines = sorted({r["baseline"] for r in found})
    return table(["period, ns", *map(code, names), *map(code, baselines)], lines)


def frac_bits(found: list[Record]) -> str:
    lines = [
        [
            code(r["name"]),
            bits(r),
            number(r["area"]),
            number(ratio_of(r), 2),
            single_ratio(r),
            error(r),
        ]
        for r in found
    ]
    header = ["element", "fraction bits", "area", "ratio", "to INT8 with one accumulator"]
    return table([*header, "error"], lines)


def feeds(found: list[Record]) -> str:
    """The feeds; an element's share is that of a row and of a column, each shared by SHARED_BY elements."""
    lines = [
        [
            code(r["name"]),
            number(r["area"]),
            number(r.get("slack_ns"), 2),
            number(2 * r["area"] / SHARED_BY) if r["family"] != "int8" else "-",
        ]
        for r in in_table_order(found)
    ]
    baselines = {
        r["baseline"]: (r["baseline_area"], r.get("baseline_slack_ns"))
        for r in found
        if r.get("baseline")
    }
    lines += [
        [code(name), number(area), number(slack_ns, 2), "-"]
        for name, (area, slack_ns) in baselines.items()
    ]
    header = ["operand feed", "area", "slack, ns", "share of an element, row and column"]
    return table(header, lines)


def feed_name(record: Record) -> str:
    """The feed of this element."""
    kind = record["family"]
    window = record["frac_bits"] if kind != "aligned" else None
    if record["kind"] == "kulisch":
        return f"feed_kulisch_l{record['lanes']}"
    return f"feed_{kind}" + (f"_f{window}" if window else "") + f"_l{record['lanes']}"


def with_feed(record: Record, feed_records: list[Record]) -> float | None:
    """The ratio with the shares of the operand feeds on both sides."""
    areas = {r["name"]: r["area"] for r in feed_records}
    areas |= {r["baseline"]: r["baseline_area"] for r in feed_records if r.get("baseline")}
    own, lanes = areas.get(feed_name(record)), record["lanes"]
    codes, digits = (areas.get(f"feed_int8_{side}_l{lanes}") for side in ("codes", "digits"))
    if None in (own, codes, digits):
        return None
    return (record["area"] + 2 * own / SHARED_BY) / (
        record["baseline_area"] + (codes + digits) / SHARED_BY
    )


def array_parts(record: Record, side: str = "") -> dict[str, float]:
    """The area of an array by parts; SIDE is `baseline_` for that of its baseline."""
    boxes = record[f"{side}parts"]
    read = boxes.get(READOUT, 0.0)
    units = sum(boxes.values()) - read
    feeds = sum(record[f"{side}feeds"].values())
    return {
        "elements": units,
        "operand feeds": feeds,
        "read-out": read,
        "control and result registers": record[f"{side}area"] - units - read - feeds,
    }


def smallest_baseline(found: list[Record]) -> float:
    return min(record["baseline_area"] for record in found)


def arrays(found: list[Record]) -> str:
    """A line an array, each baseline once. Ratios are to the smallest baseline."""
    lines, seen = [], set()
    best = smallest_baseline(found) if found else 0.0
    for r in in_table_order(found):
        for side, name in (("", r["name"]), ("baseline_", r["baseline"])):
            if name is None or (name, r["period_ns"]) in seen:
                continue
            seen.add((name, r["period_ns"]))
            lines.append(
                [
                    code(name),
                    *map(number, array_parts(r, side).values()),
                    number(r[f"{side}area"]),
                    number(r[f"{side}slack_ns"], 2),
                    against(r, r[f"{side}area"] / best, side),
                    "-" if side else number(r.get("target"), 2),
                ]
            )
    if not lines:
        return ""
    header = ["array", *array_parts(found[0]), "all", "slack, ns", "ratio", "target"]
    return table(header, lines)


def against(record: Record, value: float, side: str) -> str:
    """An array's ratio, bold if it meets its target."""
    target = record.get("target")
    good = not side and target is not None and closed(record) and value <= target
    return f"**{value:.2f}**" if good else f"{value:.2f}"


@dataclass(frozen=True)
class Shape:
    """An array's rows, columns and lanes, with what follows for an element of its kind."""

    rows: int
    columns: int
    lanes: int
    kind: catalogue.Element

    @classmethod
    def of(cls, name: str, kind: str) -> Shape:
        """From an array's name, array_RxC_KIND..._lL..."""
        rows, columns, lanes = map(int, re.match(r"array_(\d+)x(\d+)_.*_l(\d+)", name).groups())
        return cls(rows, columns, lanes, KINDS[kind])

    @property
    def key(self) -> tuple[int, int, int, str]:
        return self.rows, self.columns, self.lanes, self.kind.name

    @property
    def share(self) -> int:
        return rules.share(self.kind, self.lanes, self.rows)

    @property
    def word(self) -> int:
        """Bits of a word of the accumulator memory, FP32 or INT32."""
        return 32 * self.rows * self.columns // self.share


def of_shapes(found: Iterable[Record]) -> list[Record]:
    """Arrays that differ in their shape alone: the kind of the first, with both accumulators and without MX scales."""
    same = [r for r in in_table_order(list(found)) if r["name"].endswith(f"_l{r['lanes']}")]
    return [r for r in same if r["kind"] == same[0]["kind"]]


def pareto(found: list[Record], roofline: dict[tuple, float]) -> str:
    """The shapes of the default kind: area, FP8 and INT8, and the share of the roofline where it is known. The ratio to the
    best is that to the smallest INT8 array of any shape."""
    same = of_shapes(found)
    if not same:
        return ""
    best = smallest_baseline(same)
    header = ["rows x columns x lanes", "FP8", "INT8", "ratio", "ratio to the smallest INT8 array"]
    header.append("accumulator word, bits, FP8 / INT8")
    header += ["of the roofline, FP8 / INT8"] if roofline else []
    lines = []
    for r in same:
        own, other = Shape.of(r["name"], r["kind"]), Shape.of(r["baseline"], "int8")
        line = [
            f"{own.rows} x {own.columns} x {own.lanes}",
            number(r["area"]),
            number(r["baseline_area"]),
            number(ratio_of(r), 2),
            number(r["area"] / best, 2),
            f"{own.word:,} / {other.word:,}",
        ]
        if roofline:
            line.append(f"{100 * roofline[own.key]:.0f} % / {100 * roofline[other.key]:.0f} %")
        lines.append(line)
    return table(header, lines)


# ---- the accelerator, and FPGAs --------------------------------------------------------------------------------------


def accel_blocks(data: dict) -> str:
    """Blocks that are synthesised alone, and the flat netlist around them."""
    lines = [
        [
            code(one["name"]),
            str(one["count"]),
            number(one["area"]),
            number(one["count"] * one["area"]),
            number(one["slack_ns"], 2),
        ]
        for one in data["blocks"]
    ]
    flat = number(data["flat_area"])
    lines.append(["everything else, flat", "1", flat, flat, number(data["flat_slack_ns"], 2)])
    return table(["block", "times", "area of one", "area", "slack, ns"], lines)


def accel_paths(data: dict) -> str:
    """The worst path into each instance of the flat netlist."""
    header = ["instance", "slack, ns", "from", "to", "registers and ports"]
    lines = [
        [
            code(path["block"]),
            number(path["slack_ns"], 2),
            code(path["start"]),
            code(path["end"]),
            str(path["ends"]),
        ]
        for path in data["worst_paths"]
    ]
    return table(header, lines)


def accel_fast(found: list[dict]) -> str:
    """A line a block, or instance of the flat netlist: slack in each library, and its worst path where it misses the clock"""
    sides = []
    for one in found:
        blocks = {code(its["name"]): its["slack_ns"] for its in one["blocks"]}
        paths = {code(its["block"]): its["slack_ns"] for its in one["worst_paths"]}
        sides.append(blocks | paths)
    names = sorted(sides[0], key=lambda name: min(side[name] for side in sides))
    areas = []
    for one in found:
        apart = {
            code(name.partition(".")[0]): number(area)
            for name, area in one["area_by_block"].items()
        }
        blocks = {code(its["name"]): number(its["count"] * its["area"]) for its in one["blocks"]}
        areas.append(apart | blocks)
    worst = {
        code(its["block"]): " to ".join((code(its["start"]), code(its["end"])))
        for one in found
        for its in one["worst_paths"]
        if its["slack_ns"] < 0
    }
    lines = [
        [
            name,
            *(number(side[name], 2) for side in sides),
            *(area.get(name, "") for area in areas),
            worst.get(name, ""),
        ]
        for name in names
    ]
    for name, key in {"all": "area", "all without blocks": "flat_area"}.items():
        lines.append([name, *[""] * len(found), *(number(one[key]) for one in found), ""])
    kits = [f"{pdk_name(one['library'])}, {one['period_ns']:g} ns" for one in found]
    head = [
        "block or instance",
        *(f"slack, ns: {kit}" for kit in kits),
        *(f"area, {pdk_name(one['library'])}" for one in found),
        "worst path, where one misses",
    ]
    return table(head, lines)


def accel_parts(found: list[dict]) -> str:
    """A line a module alone and library"""
    lines = [
        [
            code(one["top"]),
            "OSU018" if one["library"] == libraries.FIRST else pdk_name(one["library"]),
            f"{one['period_ns']:g}",
            number(one["period_ns"] / one["fo4_ns"], 1),
            number(one["area"]),
            number(one["slack_ns"], 2),
            " to ".join(map(code, one["path"].split(" to "))),
        ]
        for one in found
    ]
    head = ["module", "library", "clock, ns", "FO4", "area", "slack, ns", "worst path"]
    return table(head, lines)


def accel_instances(data: dict) -> str:
    lines = [[code(name), number(area)] for name, area in data["area_by_block"].items()]
    return table(["instance", "area, modules apart, without blocks"], lines)


def fpga(data: dict) -> str:
    """A line a design and target."""
    columns = [
        key
        for key in (data["records"] or [{}])[0]
        if key not in ("name", "target", "parameters", "parts")
    ]
    lines = [
        [one["name"], one["target"], *(f"{one[column]:,.10g}" for column in columns)]
        for one in data["records"]
    ]
    return table(["design", "target", *columns], lines)


def fpga_parts(data: dict) -> str:
    """A line a part of a design, one of those that are mapped once each, and target."""
    lines = [
        [
            code(part["name"]) if part["count"] > 1 else part["name"],
            one["target"],
            str(part["count"]),
            *(f"{number:,.10g}" for number in part["cells"].values()),
        ]
        for one in data["records"]
        for part in one["parts"]
    ]
    columns = [key for one in data["records"] for part in one["parts"] for key in part["cells"]]
    return table(["part", "target", "times", *dict.fromkeys(columns)], lines)


def lane_areas(found: list[Record]) -> dict[str, tuple[float, float]]:
    """Of KIND_fF and int8: the area of a further lane, from elements of MANY and of twice as many lanes, and the area that is
    left without lanes. Both share an accumulate unit with equally many neighbours."""
    areas: dict[str, dict[int, float]] = {}
    for r in in_table_order(one for one in found if BANKS_SUFFIX not in one["name"]):
        name = r["name"].replace(f"_l{r['lanes']}", "").replace("block64", "block")
        if r.get("copies", 1) == (2 if r["family"] == "block" else 1):
            areas.setdefault(name, {})[r["lanes"]] = r["area"]
        areas.setdefault("int8", {})[r["lanes"]] = r["baseline_area"]
    more = 2 * MANY
    steps = {
        name: (at[more] - at[MANY]) / (more - MANY)
        for name, at in areas.items()
        if MANY in at and more in at
    }
    return {name: (step, areas[name][MANY] - MANY * step) for name, step in steps.items()}


def one_more_lane(found: list[Record]) -> str:
    lanes = lane_areas(found)
    lines = [
        [
            code(name),
            number(step),
            number(step / lanes["int8"][0], 2),
            number(round(rest, -2)),
        ]
        for name, (step, rest) in sorted(lanes.items(), key=lambda item: item[0] == "int8")
    ]
    return table(["element", "area of a lane", "of an INT8 lane", "area without lanes"], lines)


def breakdown(found: list[Record]) -> str:
    boxed = [r for r in in_table_order(found) if r.get("breakdown")]
    if not boxed:
        return ""
    boxes = list(boxed[0]["breakdown"])
    lines = [
        [
            code(r["name"]),
            *(number(r["breakdown"][box] / r.get("copies", 1)) for box in boxes),
            number(sum(r["breakdown"].values()) / r.get("copies", 1)),
            number(r["area"]),
        ]
        for r in boxed
    ]
    return table(["element", *boxes, "sum, modules apart", "area, flattened"], lines)


# ---- libraries of process design kits -------------------------------------------------------------------------------

# The beginning of a library's name, and its usual name
PDKS = {
    "sky130_fd_sc_hd": "sky130hd",
    "sg13g2": "IHP SG13G2",
    "gf180mcu_fd_sc_mcu7t5v0": "GF180MCU",
    "asap7sc7p5t": "ASAP7",
}


def pdk_name(library: str) -> str:
    return next((name for start, name in PDKS.items() if library.startswith(start)), library)


PDK_ELEMENTS = {
    "block_f19_l16_fp32": "FP32, 19 bits",
    "block_f13_l16_fp32": "FP32, 13 bits",
    "block_f13_l16_fp16": "FP16, 13 bits",
}


def by_clock(found: list[Record]) -> dict[tuple[str, float], dict[str, Record]]:
    """(Library, period) to element to record: libraries in the order of PDKS, the fastest clock first."""
    order = list(PDKS.values())
    result: dict[tuple[str, float], dict[str, Record]] = {}
    for record in found:
        key = pdk_name(record["library"]), record["period_ns"]
        if record["name"] in PDK_ELEMENTS:
            result.setdefault(key, {})[record["name"]] = record

    def place(key: tuple[str, float]) -> tuple[int, float]:
        return order.index(key[0]) if key[0] in order else -1, key[1]

    return {key: result[key] for key in sorted(result, key=place)}


def missed(record: Record, side: str = "") -> str:
    """By which part of the period a side misses the clock; nothing if it meets it."""
    slack_ns = record[f"{side}slack_ns"]
    return "" if slack_ns >= 0 else f"misses by {-100 * slack_ns / record['period_ns']:.1f} %"


def um2(area: float) -> str:
    return number(area, 0 if area >= 1000 else 1)


def pdk(found: list[Record], first: list[Record]) -> str:
    """A line a library and clock: the ratios to INT8 with as many accumulators and with one, and by how much a side misses
    the clock."""

    def cell(record: Record | None) -> str:
        if record is None:
            return "-"
        sides = ("baseline_", "single_") if "single_area" in record else ("baseline_",)
        text = " / ".join(number(record["area"] / record[f"{side}area"], 2) for side in sides)
        own, base = missed(record), any(missed(record, side) for side in sides)
        return f"({text}, {own})" if own else f"({text})" if base else text

    lines = []
    for (name, period_ns), records in by_clock([*first, *found]).items():
        one = next(iter(records.values()))
        fo4_ns = one.get("fo4_ns")
        areas = "; ".join(
            um2(one[f"{side}area"]) + (f", {words}" if (words := missed(one, side)) else "")
            for side in ("baseline_", "single_")
            if f"{side}area" in one
        )
        lines.append(
            [
                "OSU018" if name == libraries.FIRST else name,
                f"{1000 * fo4_ns:.1f}",
                f"{period_ns:g}",
                f"{period_ns / fo4_ns:.1f}",
                areas,
                *(cell(records.get(element)) for element in PDK_ELEMENTS),
            ]
        )
    header = ["library", "FO4 delay, ps", "clock, ns", "clock, FO4"]
    areas_of = "area of INT8 with four accumulators and with one, um2"
    return table([*header, areas_of, *PDK_ELEMENTS.values()], lines)


def wires(found: list[Record]) -> str:
    """A line an element, library and clock: the slack of each side without wires, and under a wire-load model."""

    def slacks(record: Record, side: str) -> str:
        return " / ".join(
            number(record.get(f"{side}{key}"), 2) for key in ("slack_ns", "wired_slack_ns")
        )

    lines = [
        [
            "OSU018" if r["library"] == libraries.FIRST else pdk_name(r["library"]),
            f"{r['period_ns']:g}",
            code(r["name"]),
            *(slacks(r, side) for side in ("", "baseline_", "single_")),
        ]
        for r in found
        if "wired_slack_ns" in r
    ]
    header = ["library", "clock, ns", "element", "FP8", "INT8", "INT8 with one accumulator"]
    return table(header, lines)


def array_rest(record: Record) -> str:
    """A line a side: what of an array was not laid out"""
    lines = []
    for side, title in (("", "FP8"), ("baseline_", "INT8")):
        its = record[f"{side}rest"]
        lines.append(
            [
                title,
                *(number(its[key]) for key in ("cells", "ports")),
                number(record[f"{side}area_without_parts"]),
                *(number(its[key], 2) for key in ("slack_ns", "wired_slack_ns")),
            ]
        )
    header = ["array", "cells", "ports that they reach", "area of cells"]
    return table([*header, "slack without wires, ns", "under the stated model, ns"], lines)


def at_price(record: Record, price: float) -> float:
    """The ratio if a full adder cost so many NANDs, everything else being as it is."""
    more = (price - record["prices"][prices.FULL_ADDER]) * record["nand_area"]
    base = record["baseline_area"] + record["baseline_full_adders"] * more
    return (record["area"] + record["full_adders"] * more) / base


def full_adder_share(record: Record, side: str = "") -> str:
    """The share of full adders in an area, in %."""
    price = record["prices"].get(prices.FULL_ADDER)
    if not price:
        return "-"
    cells = record[f"{side}full_adders"] * price * record["nand_area"]
    return f"{100 * cells / record[f'{side}area']:.0f} %"


def cell_prices(found: list[Record], first: list[Record]) -> str:
    """What cells cost in each library, how much of INT8 and FP8 full adders are, and the ratio at the first library's price
    of a full adder. Of the first element of the PDK table, at each library's slowest clock."""
    element = next(iter(PDK_ELEMENTS))
    slowest = {
        name: records[element]
        for (name, _), records in by_clock([*first, *found]).items()
        if element in records and "prices" in records[element]
    }
    usual = next(iter(slowest.values()))["prices"]
    lines = []
    for name, record in slowest.items():
        its = record["prices"]
        lines.append(
            [
                "OSU018" if name == libraries.FIRST else name,
                *(number(its.get(cell), 2) for cell in usual),
                full_adder_share(record, "baseline_"),
                full_adder_share(record),
                number(ratio_of(record), 2),
                number(at_price(record, usual[prices.FULL_ADDER]), 2)
                if prices.FULL_ADDER in its
                else "-",
            ]
        )
    header = ["library", *usual, "of INT8", "of FP8", "ratio", "ratio at OSU018's full adder"]
    return table(header, lines)


def behavioural(found: list[Record]) -> str:
    """A line a record, for a comparison with figures that others published."""
    lines = [
        [
            code(r["name"]),
            pdk_name(r["library"]),
            f"{r['period_ns']:g}",
            um2(r["area"]),
            um2(r["baseline_area"]),
            number(ratio_of(r), 2),
            "; ".join(
                f"{side} {words}"
                for side, words in (("FP8", missed(r)), ("INT8", missed(r, "baseline_")))
                if words
            )
            or "both meet it",
        ]
        for r in found
    ]
    return table(["element", "library", "clock, ns", "FP8", "INT8", "ratio", "clock"], lines)
