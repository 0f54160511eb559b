# SPDX-License-Identifier: Apache-2.0
"""Two accelerators for inference: FP8 with the FP32 epilogue, and INT8 with the integer requantiser. They have the same
shape and functions. Each has the memories that its own numbers need: their words are the same, their widths are not.
Records are those of accel_rivals.json, which have no confirmed clock: see left_out.py.

Each is also compared with the memories that suit it best: model/plan/memories.csv has the cycles of both with many.

The first library has no memories. Those of SkyWater 130 nm stand beside logic that is scaled as the default accelerator is.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ..flow.errors import UsageError
from ..flow.runs import ROOT
from . import tables
from .records import Record

OWN = ("ELEMENT", "REQUANTISE")  # parameters in which the two differ
# Without any of these an accelerator is one of a shape, which `fp8mac plan` knows.
FUNCTIONS = (
    *("IMAGES", "DEPTHWISE", "ELEMENTWISE", "ADD_C", "STOCHASTIC", "TABLES", "MX"),
    *("ROW_COMMANDS", "REQUANTISE"),
)


MEMORIES = ROOT / "model/plan/memories.csv"
NAMES = ("FP8", "INT8")  # in that file
SHAPE = ("ROWS", "COLS", "LANES")
SWEPT = ("buf_beats", "tiles", "max_mn")
# Of the cycles of the default accelerator. None: no limit, and the least area times cycles in place of the least area
WITHIN = (1.01, 1.03, 1.05, 1.20, None)
LATENCIES = ("0", "20")  # at which they hold


def is_rival(parameters: dict[str, int]) -> bool:
    """Whether an accelerator says which functions it has"""
    return any(name in parameters for name in FUNCTIONS)


def shape_of(one: Record) -> tuple[int, ...]:
    return tuple(one["parameters"].get(name, 0) for name in SHAPE)


def pairs(known: list[Record]) -> list[tuple[Record, Record]]:
    """FP8 and INT8 of each shape, that of the first record first"""
    shapes = dict.fromkeys(map(shape_of, known))
    return [pair([one for one in known if shape_of(one) == shape]) for shape in shapes]


def pair(known: list[Record]) -> tuple[Record, Record]:
    """FP8 and INT8 of one shape"""
    sides = [
        [one for one in known if bool(one["parameters"].get("REQUANTISE")) == integers]
        for integers in (False, True)
    ]
    if any(len(side) != 1 for side in sides):
        raise UsageError(
            "accel_rivals.json needs two accelerators of each shape: one with REQUANTISE=1, one without"
        )
    (fp8,), (int8,) = sides
    shared = [
        {name: value for name, value in one["parameters"].items() if name not in OWN}
        for one in (fp8, int8)
    ]
    if shared[0] != shared[1]:
        raise UsageError(
            "the two accelerators of a shape in accel_rivals.json must differ only in REQUANTISE and ELEMENT"
        )
    return fp8, int8


def whole_mm2(one: Record, scale: float) -> float:
    """Logic and memories. SCALE: um2 in the memories' process for the unit of the first library's area"""
    return (one["logic"] * scale + one["memory_um2"]) / 1e6


def ratio(fp8: Record, int8: Record, scale: float, whole: bool) -> float:
    """Of logic, or of WHOLE accelerators"""
    if whole:
        return whole_mm2(fp8, scale) / whole_mm2(int8, scale)
    return fp8["logic"] / int8["logic"]


def table(fp8: Record, int8: Record, scale: float) -> str:
    def line(name: str, figure: Callable[[Record], float], digits: int = 0) -> list[str]:
        own, base = figure(fp8), figure(int8)
        sides = (tables.number(one, digits) for one in (own, base))
        return [name, *sides, tables.number(own / base, 2)]

    lines = [
        line("logic", lambda one: one["logic"]),
        line("of it elements, and FP32 operators of the epilogue", lambda one: one["blocks"]),
        line("of it everything else", lambda one: one["logic"] - one["blocks"]),
        line("memory, bits", lambda one: one["bits"]),
        line("memory, sky130hd, mm2", lambda one: one["memory_um2"] / 1e6, 2),
        line("logic, scaled to sky130hd, mm2", lambda one: one["logic"] * scale / 1e6, 2),
        line("logic and memory, mm2", lambda one: whole_mm2(one, scale), 2),
    ]
    return tables.table(["", "FP8", "INT8", "ratio"], lines)


@dataclass(frozen=True)
class Choice:
    logic: Record
    memories: dict[str, str]
    mm2: float  # of both

    def cells(self) -> list[str]:
        shape = " x ".join(map(str, shape_of(self.logic)))
        memories = " / ".join(self.memories[key] for key in SWEPT)
        return [f"{shape}: {memories}", f"{cycles(self.memories):.3f}", tables.number(self.mm2, 2)]


def swept(path: Path = MEMORIES) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def cycles(row: dict[str, str]) -> float:
    """The most of the means, to the default accelerator's, at the latencies that count"""
    return max(float(row[f"mean at {one}"]) for one in LATENCIES)


def smallest(
    sides: Iterable[Record],
    name: str,
    rows: list[dict[str, str]],
    within: float | None,
    scale: float,
) -> Choice | None:
    """The smallest accelerator of a side that needs at most WITHIN of the cycles. None: that of the least area times cycles"""
    found = [
        Choice(one, row, one["logic"] * scale / 1e6 + float(row["mm2"]))
        for one in sides
        for row in rows
        if row["accelerator"] == name
        and tuple(int(row[key.lower()]) for key in SHAPE) == shape_of(one)
        and (within is None or cycles(row) <= within)
    ]
    weight = lambda each: each.mm2 * (cycles(each.memories) if within is None else 1)
    return min(found, key=weight, default=None)


def best(
    every: list[tuple[Record, Record]],
    rows: list[dict[str, str]],
    within: float | None,
    scale: float,
) -> list[Choice | None]:
    """FP8 and INT8, each the smallest of any shape"""
    return [
        smallest((both[side] for both in every), name, rows, within, scale)
        for side, name in enumerate(NAMES)
    ]


def best_ratio(
    every: list[tuple[Record, Record]],
    rows: list[dict[str, str]],
    within: float | None,
    scale: float,
) -> float:
    """Of areas; without a limit of the cycles, of areas times cycles"""
    fp8, int8 = best(every, rows, within, scale)
    if fp8 is None or int8 is None:
        raise UsageError(f"memories.csv has no accelerators within {within} of the cycles")
    areas = fp8.mm2 / int8.mm2
    return areas if within else areas * cycles(fp8.memories) / cycles(int8.memories)


def best_table(every: list[tuple[Record, Record]], rows: list[dict[str, str]], scale: float) -> str:
    """Each side with its smallest memories: in one shape, and in its best shape"""
    lines = []
    for within in WITHIN:
        for choice in (*([both] for both in every), *([every] if len(every) > 1 else [])):
            cells, its = [], best(choice, rows, within, scale)
            for one in its:
                cells += ["-"] * 3 if one is None else one.cells()
            shape = " x ".join(map(str, shape_of(choice[0][0]))) if len(choice) == 1 else "any"
            ratio = (
                "-" if None in its else tables.number(best_ratio(choice, rows, within, scale), 2)
            )
            limit = "least mm2 x cycles" if within is None else f"{100 * (within - 1):.0f} %"
            lines.append([limit, shape, *cells, ratio])
    head = ["more cycles, at most", "shape"]
    for name in NAMES:
        head += [f"{name}: BUF_BEATS / TILES / MAX_MN", "cycles", "mm2"]
    return tables.table([*head, "ratio"], lines)
