# SPDX-License-Identifier: Apache-2.0
"""python -m synth stale: which results in synth/results are of other RTL than the tree's. It measures nothing."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..flow import identity
from ..flow.errors import UsageError
from .intake import load

RESULTS = (
    *("accel", "accel_fast", "accel_parts", "accel_shapes", "accel_rivals"),
    *("functions", "functions_apart", "functions_inference", "functions_mx"),
    *("functions_rows", "memories"),
    *("clock_gates", "fpga", "area", "pdk", "stock"),
)


def run_of(record: dict[str, Any]) -> dict[str, Any]:
    """Date, and hashes if there are. Records of accelerators of several shapes name their run by command and date."""
    run = record.get("run", {})
    if isinstance(run, str):
        run = {"date": run.rpartition(" ")[2], "rtl": record.get("rtl")}
    return {"date": run.get("date", ""), "rtl": run.get("rtl")}


def runs(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Of a file: named ones, those of its records, or the file's own"""
    if "runs" in data:
        yield from (run_of({"run": run}) for run in data["runs"].values())
        return
    records = next((data[name] for name in ("measured", "parts", "gates") if name in data), [data])
    yield from map(run_of, records)


def lines(results: Path, build: Path) -> list[str]:
    """One for each file, date and state"""
    found = Counter(
        (name, one["date"] or "no date", identity.state(one["rtl"], build))
        for name in RESULTS
        for one in runs(load(results, name))
    )
    return [
        f"{name}.json, {date}: {count} {'run' if count == 1 else 'runs'} {state}"
        for (name, date, state), count in found.items()
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth stale", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build folder")
    parser.add_argument("--results", type=Path, default=Path("synth/results"), help="their folder")
    options = parser.parse_args(arguments)
    try:
        print("\n".join(lines(options.results, options.build)))
    except UsageError as error:
        print(f"make synth-stale: {error}", file=sys.stderr)
        return 2
    return 0
