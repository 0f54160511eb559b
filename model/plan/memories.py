# SPDX-License-Identifier: Apache-2.0
"""memories.csv: accelerators with other memories, over the list of GEMMs of docs/CYCLES.md. `make plan-memories`

The list is that of the simulated chip (sim/bench/results.json): every GEMM of the default elements, one command each, with the
tiles that the planner chooses for the memories. D has one byte, as A and B have.

The accelerators are the default one and those for inference, which have no MX scales, C, element-wise and row commands:
FP8, and INT8 with the integer requantiser, each in two shapes of 256 products a cycle. Cycles are to those of the default
accelerator with its own memories, at the same latency of the memory behind the bus.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import sys
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from fp8mac_plan.area import Areas
from fp8mac_plan.configuration import (
    NOT_FOR_INFERENCE,
    Configuration,
    one_port_bits,
    two_port_bits,
)
from fp8mac_plan.errors import PlanError, ToolEnded
from fp8mac_plan.run import Impossible, ask

HERE = Path(__file__).resolve().parent
LIST = HERE.parents[1] / "sim/bench/results.json"
OUT = HERE / "memories.csv"
SWEPT = {
    "buf_beats": (32, 64, 128, 256, 512),
    "tiles": (64, 128, 256, 512),
    "max_mn": (32, 64, 128, 256),
}
SHAPE, AREA = ("rows", "cols", "lanes"), ("bits", "mm2")
LATENCIES = (0, 20, 100)  # of the memory behind the bus, in cycles


@dataclass(frozen=True)
class Accelerator:
    name: str
    its: Configuration
    inference: bool = True

    @property
    def more(self) -> tuple[str, ...]:
        """Options of the tool beside those of a configuration"""
        return ("--requantise",) if self.its.element == "int8" else ()


USUAL = Accelerator("default", Configuration(), inference=False)
ACCELERATORS = (
    USUAL,
    *(
        Accelerator(name, replace(Configuration(), element=element, rows=rows, lanes=lanes))
        for rows, lanes in ((4, 16), (2, 32))
        for name, element in (("FP8", "block"), ("INT8", "int8"))
    ),
)


def gemms() -> list[tuple[str, str, str]]:
    """M, N and K"""
    found = []
    for command in json.loads(LIST.read_text())["rows"]:
        options = dict(re.findall(r"(\w+)=(\w+)", command))
        if options.get("APP") == "gemm" and options.get("ELEMENT", "block") == "block":
            if options["D"] != "e4m3fn":
                raise ValueError(f"{LIST}: D of {command} has more than a byte")
            found.append(tuple(options[name] for name in ("M", "N", "K")))
    return found


def cycles(tool: Path, one: Accelerator, its: Configuration) -> list[int] | None:
    """Of each GEMM; None: it is not possible, or a GEMM has no tile."""
    lines = "".join(f"{','.join(each)}\n" for each in gemms())
    try:
        rows = ask(tool, its, "-", f"m,n,k\n{lines}", one.more)
    except ToolEnded:
        raise
    except (Impossible, PlanError):
        return None
    return [int(row["cycles"]) for row in rows]


def mean(found: list[int], usual: list[int]) -> float:
    logs = [math.log(one / other) for one, other in zip(found, usual, strict=True)]
    return math.exp(math.fsum(logs) / len(logs))


def memory(one: Accelerator, its: Configuration, areas: Areas) -> tuple[int, float]:
    """Bits, and mm2"""
    bits = one_port_bits(its), two_port_bits(its, NOT_FOR_INFERENCE if one.inference else ())
    each = areas.data["um2_per_bit"]
    um2 = bits[0] * each["one port"] + bits[1] * each["two ports"]
    return sum(bits), um2 / 1e6


def memory_fields(one: Accelerator, its: Configuration, areas: Areas) -> list[object]:
    """As the columns AREA have them"""
    bits, mm2 = memory(one, its, areas)
    return [bits, f"{mm2:.4f}"]


def read(row: dict[str, str]) -> tuple[Accelerator, Configuration]:
    """What a line of the file is about"""
    one = next(
        one
        for one in ACCELERATORS
        if one.name == row["accelerator"]
        and all(int(row[name]) == getattr(one.its, name) for name in SHAPE)
    )
    return one, replace(one.its, **{name: int(row[name]) for name in SWEPT})


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    areas = Areas.shipped()
    usual = [cycles(options.tool, USUAL, replace(USUAL.its, latency=one)) for one in LATENCIES]
    with options.out.open("w") as file:
        out = csv.writer(file, lineterminator="\n")
        ends = [f"{end} at {one}" for one in LATENCIES for end in ("mean", "most")]
        out.writerow(["accelerator", *SHAPE, *SWEPT, *AREA, *ends])
        for one, values in product(ACCELERATORS, product(*SWEPT.values())):
            its = replace(one.its, **dict(zip(SWEPT, values)))
            runs = [cycles(options.tool, one, replace(its, latency=each)) for each in LATENCIES]
            if None in runs:
                continue
            ends = []
            for found, other in zip(runs, usual):
                most = max(a / b for a, b in zip(found, other))
                ends += [f"{mean(found, other):.5f}", f"{most:.4f}"]
            shape = [getattr(its, name) for name in SHAPE]
            out.writerow([one.name, *shape, *values, *memory_fields(one, its, areas), *ends])
    print(f"  PLAN      {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
