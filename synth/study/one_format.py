# SPDX-License-Identifier: Apache-2.0
"""The table of elements for one format, beside the elements for all."""

from __future__ import annotations

from .elements import ONE_FORMAT
from .records import Record
from .tables import code, number, table

# Elements, and how a column names them. Each is built for all formats, and for each of ONE_FORMAT alone.
COLUMNS = {
    "late_fp16_l1": "rounds in each step, FP16",
    "late_fp32_l1": "rounds in each step, FP32",
    "block_f13_l1_fp16_b1": "`block`, 13 bits, FP16",
    "block_f19_l1_fp32_b1": "`block`, 19 bits, FP32",
    "block_f19_l16": "`block`, 16 lanes, 19 bits, both",
}
TITLES = {"e5m2": "E5M2", "e4m3fn": "E4M3", "qc_e3m4": "E3M4", "qc_e2m5": "E2M5"}


def names_of(column: str) -> set[str]:
    return {column, *(f"{column}_{one}" for one in ONE_FORMAT)}


def columns(found: list[Record]) -> list[str]:
    """Those of which every format was measured."""
    known = {record["name"] for record in found}
    return [name for name in COLUMNS if names_of(name) <= known]


def records(found: list[Record]) -> list[Record]:
    """Those that the table shows."""
    names = {one for column in columns(found) for one in names_of(column)}
    return [record for record in found if record["name"] in names]


def cell(record: Record) -> str:
    """In brackets if it misses the clock"""
    text = f"{number(record['area'])}; {number(record['area'] / record['single_area'], 2)}"
    return text if record["timing_met"] else f"({text})"


def lines(found: list[Record]) -> str:
    """A line for each format and one for all four of the catalogue: areas, and ratios to INT8 with one accumulator."""
    by_name = {record["name"]: record for record in records(found)}
    shown = columns(found)
    made = [
        [title, *(cell(by_name[f"{name}{end}"]) for name in shown)]
        for title, end in (
            *((title, f"_{name}") for name, title in TITLES.items()),
            ("E4M3 and E5M2, OCP and FNUZ", ""),
        )
    ]
    head = ["formats", *(f"{COLUMNS[name]} ({code(name)})" for name in shown)]
    return table(head, made)


def more(found: list[Record], name: str, than: str) -> str:
    """By how much an element for all formats is larger than the one for THAN alone, in %."""
    by_name = {record["name"]: record["area"] for record in records(found)}
    return f"{100 * (by_name[name] / by_name[f'{name}_{than}'] - 1):.1f} %"
