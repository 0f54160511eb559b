# SPDX-License-Identifier: Apache-2.0
"""report.py COSTS CALIBRATION TABLE [--limit]: where the processor time of `make test` went.

COSTS        lines "SECONDS TARGET", of timed_shell.sh
CALIBRATION  the seconds of each call of calibrate.py in the same run
TABLE        tests/tests.txt

A minute of the budget is one on the reference machine, which calibrate.py gives REFERENCE seconds there. Elsewhere, and
beside other jobs, a minute is longer by what the calibration took longer. With --limit a run above the budget fails.
"""

import statistics
import sys
from collections import defaultdict
from pathlib import Path

BUDGET = 28.0  # minutes of the reference machine
REFERENCE = 1.40  # seconds of calibrate.py there: two quiet cores of an AMD EPYC
DEAREST = 10

# Targets that are no tests: the beginning of the path behind the build folder, and the class.
BUILDS = (
    ("tb/", "building benches"),
    ("sim/", "building simulators"),
    ("verilated/", "building benches"),
    ("model-san/", "building C with sanitizers"),
    ("firmware/", "building firmware"),
    ("test/calibration", "calibration"),
)
OTHER_BUILDS = "building the rest"


def classes(table: Path) -> dict[str, str]:
    rows = (line.split() for line in table.read_text().splitlines() if line and line[0] != "#")
    return {row[0]: row[2] for row in rows}


def class_of(target: str, known: dict[str, str]) -> str:
    path = target.partition("/")[2]
    name = Path(path).stem if path.startswith("test/") else ""
    if name in known:
        return known[name]
    return next((kind for start, kind in BUILDS if path.startswith(start)), OTHER_BUILDS)


def read_costs(path: Path) -> dict[str, float]:
    """Seconds by target."""
    costs: dict[str, float] = defaultdict(float)
    for line in path.read_text().splitlines():
        seconds, _, target = line.partition(" ")
        costs[target] += float(seconds)
    return costs


def main() -> int:
    costs_file, calibration, table = map(Path, sys.argv[1:4])
    costs = read_costs(costs_file)
    known = classes(table)
    by_class: dict[str, float] = defaultdict(float)
    for target, seconds in costs.items():
        by_class[class_of(target, known)] += seconds
    minutes = sum(costs.values()) / 60
    slowness = statistics.median(map(float, calibration.read_text().split())) / REFERENCE
    scaled = minutes / slowness
    print(f"Processor minutes of this run: {minutes:.1f}")
    for name, seconds in sorted(by_class.items(), key=lambda item: -item[1]):
        print(f"  {seconds / 60:5.1f}  {name}")
    print("The dearest, in processor seconds:")
    for target, seconds in sorted(costs.items(), key=lambda item: -item[1])[:DEAREST]:
        print(f"  {seconds:5.0f}  {target}")
    print(
        f"The calibration took {slowness:.2f} times as long as on the reference machine, "
        f"so the run cost {scaled:.1f} of its minutes; the budget is {BUDGET:g}."
    )
    if scaled <= BUDGET:
        return 0
    print(
        f"WARNING: {scaled - BUDGET:.1f} minutes above the budget. tests/README.md says what to do."
    )
    return 1 if "--limit" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
