# SPDX-License-Identifier: Apache-2.0
"""tables.csv: what it costs to load a table of codes again, on the default accelerator. `make plan-tables`

Each GEMM of the throughput list (memories.py) is computed twice in a recorded list, and its D goes through a table. In one list
both commands find their table loaded; in the other each one loads it, as commands do whose tables have no room.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import memories
from fp8mac_plan.configuration import Configuration

OUT = Path(__file__).resolve().parent / "tables.csv"
TWICE = 2


def cycles(tool: Path, gemm: tuple[str, str, str], latency: int, tables: str) -> int:
    line = ",".join(gemm) + "\n"
    options = replace(Configuration(), latency=latency).options()
    command = [str(tool), "cycles", *options, "-", "--list", "--tables", tables]
    said = subprocess.run(
        command, input="m,n,k\n" + TWICE * line, capture_output=True, text=True, check=True
    )
    return int(re.search(r"^cycles +(\d+)$", said.stdout, re.M)[1])


def row(tool: Path, latency: int) -> list[object]:
    """Cycles of a load, and of lists that load to those that do not"""
    lists = [
        [cycles(tool, gemm, latency, tables) for gemm in memories.gemms()]
        for tables in ("load", "stay")
    ]
    each = [(load - stay) / TWICE for load, stay in zip(*lists)]
    most = max(load / stay for load, stay in zip(*lists))
    return [
        latency,
        f"{math.fsum(each) / len(each):.1f}",
        f"{memories.mean(*lists):.5f}",
        f"{most:.4f}",
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    with options.out.open("w") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["latency", "cycles of a load", "mean", "most"])
        out.writerows(row(options.tool, latency) for latency in memories.LATENCIES)
    print(f"  PLAN      {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
