# SPDX-License-Identifier: Apache-2.0
"""estimates.py REPORT COUNT: so many layers of a measured report have an estimate, each is near the accelerator's cycles, and all
together are near those of the run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

SHARE, MORE = (
    0.05,
    120,
)  # of the measured cycles: what a list and another state of the image's rows may add
TOTAL = 0.25  # of the run's cycles, which also have the core's own


def near(estimated: int, measured: int) -> bool:
    return abs(estimated - measured) <= SHARE * measured + MORE


def main() -> int:
    report = json.loads(Path(sys.argv[1]).read_text())
    found = [x for x in report["layers"] if x["estimated_cycles"] is not None]
    wrong = 0
    for layer in found:
        accelerator = layer["estimated_cycles"], layer["accelerator_cycles"] or 0
        core = layer["estimated_core_cycles"], layer["core_cycles"] or 0
        print(
            f"{layer['call']} {layer['name']}: accelerator {accelerator[0]} estimated, {accelerator[1]} measured; "
            f"core's pauses {core[0]} estimated, {core[1]} cycles of the core in all"
        )
        wrong += not near(*accelerator)
    parts = sum(x["estimated_cycles"] + x["estimated_core_cycles"] for x in found)
    total = parts + report["estimated_rest"]
    run = report["core_cycles"]
    print(f"{total} estimated, {run} measured, {total / run - 1:+.1%}; {wrong} layers are not near")
    good = wrong == 0 and len(found) == int(sys.argv[2]) and abs(total / run - 1) <= TOTAL
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
