# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of area.json's records. A table without records is empty text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rtl.catalogue import catalogue

from . import libraries, shapes
from .elements import KINDS, READOUT, share_of
from .records import Record
from .table import BREAKDOWN_LANES, ENTRIES

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

    def key(record: Record) -> tuple[str, int]:
        return record["kind"], record["lanes"]

    varied = {key(record) for record in of_group(found, "frac_bits")}
    return sorted(
        (record for record in of_group(found, "frac_bits", "main") if key(record) in varied),
        key=lambda record: (-record["family"].count("late"), *key(record), record["frac_bits"]),
    )


# ---- tables ---------------------------------------------------------------------------------------------------------


def elements(found: list[Record]) -> str:
    header = [
        "element",
        "lanes",
        "accumulator",
        "fraction bits",
        "area",
        "slack, ns",
        "INT8 area",
        "ratio",
        "target",
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
            number(r.get("target"), 2),
            error(r),
        ]
        for r in in_table_order(found)
    ]
    return table(header, lines)


def behavioural(found: list[Record], structural: list[Record]) -> str:
    whole = {record["name"]: record for record in structural}
    lines = [
        [
            code(r["name"]),
            f"{r['period_ns']:g}",
            number(r["area"]),
            number(r["baseline_area"]),
            number(ratio_of(r), 2),
            number(ratio_of(whole[name]), 2) if name in whole else "-",
        ]
        for r in in_table_order(found)
        if (name := r["name"].removesuffix("_behavioural"))
    ]
    header = ["element", "period, ns", "FP8", "INT8", "behavioural ratio", "structural ratio"]
    return table(header, lines)


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
        [code(r["name"]), bits(r), number(r["area"]), number(ratio_of(r), 2), error(r)]
        for r in found
    ]
    return table(["element", "fraction bits", "area", "ratio", "error"], lines)


def removal(found: list[Record], structural: list[Record]) -> str:
    """A line a feature, a column a kind of element."""
    kinds = list(dict.fromkeys(r["kind"] for r in in_table_order(found)))
    whole = {
        kind: next(
            (r for r in structural if r["kind"] == kind and r["lanes"] == lanes and r["area"]), None
        )
        for kind in kinds
        for lanes in {r["lanes"] for r in found}
    }
    if not kinds or None in whole.values():
        return ""
    lines = [["nothing", *(number(whole[kind]["area"]) for kind in kinds)]]
    for feature in dict.fromkeys(r["removed"] for r in in_table_order(found)):
        cells = []
        for kind in kinds:
            r = next((r for r in found if r["kind"] == kind and r["removed"] == feature), None)
            change = r and f"{100 * (r['area'] / whole[kind]['area'] - 1):+.1f} %"
            cells.append(f"{number(r['area'])}, {change}" if r else "-")
        lines.append([feature, *cells])
    return table(["without", *(code(whole[kind]["name"]) for kind in kinds)], lines)


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


def with_feeds(found: list[Record], feed_records: list[Record]) -> str:
    lines = [
        [code(r["name"]), number(ratio_of(r), 2), number(both, 2)]
        for r in in_table_order(found)
        if r["lanes"] > 1 and (both := with_feed(r, feed_records))
    ]
    return table(["element", "ratio without feeds", "ratio with feeds"], lines)


def array_parts(record: Record, side: str = "") -> dict[str, float]:
    """The area of an array by parts; SIDE is `baseline_` for that of its baseline."""
    boxes = record[f"{side}parts"]
    read = boxes.get(READOUT, 0.0)
    units = sum(boxes.values()) - read
    feeds = sum(record[f"{side}inside"].values())
    return {
        "elements": units,
        "operand feeds": feeds,
        "read-out": read,
        "control and result registers": record[f"{side}area"] - units - read - feeds,
    }


def arrays(found: list[Record]) -> str:
    """A line an array, each baseline once."""
    lines, seen = [], set()
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
                    "1" if side else number(ratio_of(r), 2),
                ]
            )
    if not lines:
        return ""
    header = ["array", *array_parts(found[0]), "all", "slack, ns", "ratio to the same shape"]
    return table(header, lines)


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
    def share(self) -> int:
        return share_of(self.kind, self.lanes, self.rows)

    @property
    def word(self) -> int:
        """Bits of a word of the accumulator memory, FP32 or INT32."""
        return 32 * self.rows * self.columns // self.share

    @property
    def utilisation(self) -> float:
        """element_loop() of fp8mac_element_pkg is 6 cycles for kind `block`, or 4 with forwarding, and 4 for INT8."""
        block = self.kind.block or self.lanes
        loop = 6 if self.share > 1 else 4
        return shapes.share_of_roofline(
            self.rows, self.columns, self.lanes, block, self.share, loop
        )


def pareto(found: list[Record]) -> str:
    """The shapes of the default kind: area and utilisation, FP8 and INT8. The ratio to the best is that to the smallest
    INT8 array of any shape."""
    same = [r for r in in_table_order(found) if r["name"].endswith(f"_l{r['lanes']}")]
    if not same:
        return ""
    best = min(r["baseline_area"] for r in same)
    lines = []
    for r in same:
        own, other = Shape.of(r["name"], r["kind"]), Shape.of(r["baseline"], "int8")
        lines.append(
            [
                f"{own.rows} x {own.columns} x {own.lanes}",
                number(r["area"]),
                number(r["baseline_area"]),
                number(ratio_of(r), 2),
                number(r["area"] / best, 2),
                f"{own.word:,} / {other.word:,}",
                f"{100 * own.utilisation:.0f} % / {100 * other.utilisation:.0f} %",
            ]
        )
    header = ["rows x columns x lanes", "FP8", "INT8", "ratio", "ratio to the smallest INT8 array"]
    return table(
        [*header, "accumulator word, bits, FP8 / INT8", "of the roofline, FP8 / INT8"], lines
    )


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


def accel_instances(data: dict) -> str:
    lines = [[code(name), number(area)] for name, area in data["area_by_block"].items()]
    return table(["instance", "area, modules apart, without blocks"], lines)


def fpga(data: dict) -> str:
    """A line a design and target."""
    if not data["records"]:
        return ""
    columns = [key for key in data["records"][0] if key not in ("name", "target", "parameters")]
    lines = [
        [one["name"], one["target"], *(f"{one[column]:,g}" for column in columns)]
        for one in data["records"]
    ]
    return table(["design", "target", *columns], lines)


def lane_areas(found: list[Record]) -> dict[str, tuple[float, float]]:
    """Of KIND_fF and int8: the area of a further lane, from elements of 4 and of 16 lanes, and the area that is left
    without lanes."""
    few, many = BREAKDOWN_LANES
    areas: dict[str, dict[int, float]] = {}
    for r in in_table_order(found):
        name = r["name"].removesuffix(f"_l{r['lanes']}")
        areas.setdefault(name, {})[r["lanes"]] = r["area"]
        areas.setdefault("int8", {})[r["lanes"]] = r["baseline_area"]
    steps = {
        name: (at[many] - at[few]) / (many - few)
        for name, at in areas.items()
        if few in at and many in at
    }
    return {name: (step, areas[name][few] - few * step) for name, step in steps.items()}


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
            *(number(r["breakdown"][box]) for box in boxes),
            number(sum(r["breakdown"].values())),
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


def by_pdk(found: list[Record]) -> dict[str, dict[str, Record]]:
    """Library to element to record, in the order of PDKS."""
    result: dict[str, dict[str, Record]] = {name: {} for name in PDKS.values()}
    for record in in_table_order(found):
        result.setdefault(pdk_name(record["library"]), {})[record["name"]] = record
    return {name: records for name, records in result.items() if records}


def pdk(found: list[Record], first: list[Record]) -> str:
    """A line an element, a column a library: the ratio, and by how much either side misses the clock, as a part of it."""

    def cell(record: Record | None) -> str:
        if record is None:
            return "-"
        missed = [
            f"{side} {-100 * record[key] / record['period_ns']:.1f} %"
            for side, key in (("FP8", "slack_ns"), ("INT8", "baseline_slack_ns"))
            if record[key] < 0
        ]
        text = number(ratio_of(record), 2)
        return f"({text}, {', '.join(missed)})" if missed else text

    libraries_of = by_pdk(found)
    own = {record["name"]: record for record in first}
    names = list(dict.fromkeys(name for records in libraries_of.values() for name in records))
    order = {record["name"]: place for place, record in enumerate(in_table_order(first))}
    lines = [
        [code(name), cell(own.get(name)), *(cell(its.get(name)) for its in libraries_of.values())]
        for name in sorted(names, key=lambda name: order.get(name, len(order)))
    ]
    return table(["element", "OSU018", *libraries_of], lines)


def pdk_clocks(found: list[Record], first: list[Record]) -> str:
    """The libraries, their FO4 delays and clocks, and the area of one element and its baseline."""
    lines = []
    for name, records in by_pdk(found).items():
        one = next(iter(records.values()))
        sample = records.get(PDK_SAMPLE)
        lines.append(
            [
                name,
                code(one["library"]),
                f"{1000 * one['fo4_ns']:.1f}",
                f"{one['period_ns']:g}",
                f"{one['period_ns'] / one['fo4_ns']:.1f}",
                number(sample["area"], 0 if sample["area"] > 1000 else 1) if sample else "-",
                number(sample["baseline_area"], 0 if sample["area"] > 1000 else 1)
                if sample
                else "-",
            ]
        )
    header = ["library", "Liberty file", "FO4 delay, ps", "clock, ns", "clock, FO4"]
    return table([*header, f"{code(PDK_SAMPLE)}, um2", "INT8, um2"], lines)


PDK_SAMPLE = "late_fp16_f13_l16"
