# SPDX-License-Identifier: Apache-2.0
"""The cycles of arrays of other shapes: the results are what the model says now, and more cycles are a smaller share.

python -m pytest -c tests/pytest.ini tests/synth/test_shapes.py --build FOLDER
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from synth.study import shapes
from tests.conftest import Bench

RESULTS = Path("synth/results")
BEAT = 16


def test_results(bench: Bench, build: Path) -> None:
    records = json.loads((RESULTS / "area.json").read_text())["records"]
    found = json.loads((RESULTS / "shapes.json").read_text())["shapes"]
    wanted = shapes.wanted(records)
    bench.check("each array of the results has its shape", len(found) == len(wanted) >= 8)
    for shape, one in zip(wanted, found, strict=True):
        bench.check(
            f"cycles of {shape.key}", shapes.measure(build / "model" / "fp8mac", shape) == one
        )


def test_roofline(bench: Bench) -> None:
    """By the definition: products, reads and writes need so many cycles at least."""
    for one in json.loads((RESULTS / "shapes.json").read_text())["shapes"]:
        macs = one["rows"] * one["columns"] * one["lanes"]
        logs = 0.0
        for (m, n, k), cycles in zip(shapes.LAYERS, one["cycles"], strict=True):
            reads = (m + n) * math.ceil(k / BEAT)
            least = max(m * n * k / macs, reads, m * math.ceil(n / BEAT))
            bench.check("not faster than the roofline", least <= cycles)
            logs += math.log(least / cycles)
        share = math.exp(logs / len(shapes.LAYERS))
        name = f"{one['rows']} x {one['columns']} x {one['lanes']} {one['kind']}"
        bench.check(
            f"{name}: {share:.4f}, not {one['roofline']}", abs(share - one["roofline"]) < 0.01
        )
