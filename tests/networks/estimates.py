# SPDX-License-Identifier: Apache-2.0
"""estimates.py REPORT COUNT: so many layers of a measured report have an estimate, and each is near the accelerator's cycles."""

from __future__ import annotations

import json
import sys
from pathlib import Path

SHARE, MORE = 0.05, 120  # of the measured cycles: what a residual, vectors and the list may add


def near(estimated: int, measured: int) -> bool:
    return abs(estimated - measured) <= SHARE * measured + MORE


def main() -> int:
    layers = json.loads(Path(sys.argv[1]).read_text())["layers"]
    found = [x for x in layers if x["estimated_cycles"] is not None]
    for layer in found:
        numbers = layer["estimated_cycles"], layer["accelerator_cycles"]
        print(f"{layer['name']}: {numbers[0]} estimated, {numbers[1]} measured")
        if not near(*numbers):
            return 1
    return 0 if len(found) == int(sys.argv[2]) else 1


if __name__ == "__main__":
    sys.exit(main())
