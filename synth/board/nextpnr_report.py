# SPDX-License-Identifier: Apache-2.0
"""python -m synth board_report REPORT.json: the clock that nextpnr reached, and what the board's FPGA has of each resource."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..flow.errors import FlowError, exit_status
from ..study.tables import table

CLOCK = "clk_25mhz_i"
RESOURCES = {
    "TRELLIS_COMB": "LUT",
    "TRELLIS_FF": "flip-flop",
    "MULT18X18D": "DSP",
    "DP16KD": "block RAM",
    "TRELLIS_RAMW": "distributed RAM",
    "TRELLIS_IO": "pin",
}


def clock(report: dict) -> tuple[float, float]:
    """MHz: the fastest possible clock by nextpnr's analysis, and the one that was asked for."""
    found = [one for name, one in report["fmax"].items() if CLOCK in name]
    if len(found) != 1:
        raise FlowError(f"the report has {len(found)} clocks of {CLOCK}, and one is expected")
    return found[0]["achieved"], found[0]["constraint"]


def resources(report: dict) -> str:
    lines = []
    for cell, name in RESOURCES.items():
        one = report["utilization"][cell]
        used, there = one["used"], one["available"]
        lines.append([name, f"{used:,}", f"{there:,}", f"{100 * used / there:.0f} %"])
    return table(["resource", "used", "there", "share"], lines)


def run(file: Path) -> int:
    report = json.loads(file.read_text())
    reached, wanted = clock(report)
    print(resources(report))
    print(f"clock: {reached:.1f} MHz possible, {wanted:g} MHz wanted")
    if reached < wanted:
        raise FlowError(
            "the clock that the board has is too fast for this placement: try another BOARD_SEED"
        )
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m synth board_report", description=__doc__)
    parser.add_argument("report", type=Path)
    options = parser.parse_args(arguments)
    return exit_status("fpga", lambda: run(options.report))
