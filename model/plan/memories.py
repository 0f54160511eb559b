# SPDX-License-Identifier: Apache-2.0
"""memories.csv: the default accelerator with other memories, over the throughput list of docs/THROUGHPUT.md. `make plan-memories`

The list is that of the simulated chip (sim/bench/results.json): every GEMM of the default elements, one command each, with the
tiles that the planner chooses for the memories. Cycles are to those of the default at the same latency of the memory.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

from fp8mac_plan.area import Areas
from fp8mac_plan.configuration import Configuration
from fp8mac_plan.errors import PlanError
from fp8mac_plan.run import Impossible, ask

HERE = Path(__file__).resolve().parent
LIST = HERE.parents[1] / "sim/bench/results.json"
OUT = HERE / "memories.csv"
SWEPT = {
    "buf_beats": (32, 64, 128, 256, 512),
    "tiles": (64, 128, 256, 512),
    "max_mn": (32, 64, 128, 256),
}
LATENCIES = (0, 20, 100)  # of the memory behind the bus, in cycles


def gemms() -> list[tuple[str, str, str, str]]:
    """M, N, K and the format of D"""
    found = []
    for run in json.loads(LIST.read_text())["runs"]:
        options = dict(re.findall(r"(\w+)=(\w+)", run["command"]))
        if options.get("APP") == "gemm" and options.get("ELEMENT", "block") == "block":
            found.append(tuple(options[name] for name in ("M", "N", "K", "D")))
    return found


def cycles(tool: Path, its: Configuration) -> list[int] | None:
    """Of each GEMM; None: it is not possible, or a GEMM has no tile."""
    lines = "".join(f"{','.join(one)}\n" for one in gemms())
    try:
        rows = ask(tool, its, "-", f"m,n,k,format_d\n{lines}")
    except (Impossible, PlanError):
        return None
    return [int(row["cycles"]) for row in rows]


def mean(found: list[int], usual: list[int]) -> float:
    logs = [math.log(one / other) for one, other in zip(found, usual, strict=True)]
    return math.exp(sum(logs) / len(logs))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    areas = Areas.shipped()
    usual = [cycles(options.tool, Configuration(latency=one)) for one in LATENCIES]
    with options.out.open("w") as file:
        out = csv.writer(file, lineterminator="\n")
        ends = [f"{end} at {one}" for one in LATENCIES for end in ("mean", "most")]
        out.writerow([*SWEPT, "bits", "mm2", *ends])
        for values in product(*SWEPT.values()):
            its = replace(Configuration(), **dict(zip(SWEPT, values)))
            runs = [cycles(options.tool, replace(its, latency=one)) for one in LATENCIES]
            if None in runs:
                continue
            area, ends = areas.of(its), []
            for found, other in zip(runs, usual):
                most = max(a / b for a, b in zip(found, other))
                ends += [f"{mean(found, other):.5f}", f"{most:.4f}"]
            out.writerow([*values, area.memory_bits, f"{area.memory_mm2:.4f}", *ends])
    print(f"  PLAN      {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
