# SPDX-License-Identifier: Apache-2.0
"""The areas and bits of results.csv and memories.csv again, with the cycles that the files have. `make plan-areas`

Cycles take long, and depend on other things than areas do: on the model of cycles and the lists of layers.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path

import memories
import report
from fp8mac_plan.area import Areas
from fp8mac_plan.configuration import Configuration
from fp8mac_plan.page import AREA, area_fields

Row = dict[str, str]


def of_results(row: Row, areas: Areas) -> list[object]:
    its = Configuration(**{name: kind(row[name]) for name, kind in report.KEYS.items()})
    return area_fields(its, areas)


def of_memories(row: Row, areas: Areas) -> list[object]:
    one, its = memories.read(row)
    return memories.memory_fields(one, its, areas)


# Path, the columns that are computed, and how
FILES: tuple[tuple[Path, tuple[str, ...], Callable[[Row, Areas], list[object]]], ...] = (
    (report.RESULTS, (*AREA, "error"), of_results),
    (memories.OUT, memories.AREA, of_memories),
)


def text(path: Path, columns: tuple[str, ...], fields: Callable[[Row, Areas], list[object]]) -> str:
    """The file as it should be"""
    areas, out = Areas.shipped(), io.StringIO()
    with path.open() as file:
        rows = csv.DictReader(file)
        writer = csv.DictWriter(out, rows.fieldnames or [], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, **dict(zip(columns, fields(row, areas), strict=True))})
    return out.getvalue()


def main() -> int:
    for path, columns, fields in FILES:
        path.write_text(text(path, columns, fields))
        print(f"  PLAN      {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
