# SPDX-License-Identifier: Apache-2.0
"""table.py [--check]: the table of docs/NETWORKS.md between its markers, measured anew.

    make networks-report                          writes it
    make build/test/networks-table.log            compares it

Cycles are those of the chip with its fast mode, which test sim-fast compares with RTL.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import speech
from fp8net import analyze, lower, plan, quantize, report, shapes, validate
from fp8net.executor import Executor

PAGE = Path("docs/NETWORKS.md")
BEGIN, END = "<!-- networks: begin -->", "<!-- networks: end -->"
NETWORKS = {
    "pulsevad_2.1k.onnx": "speech in 200 ms of sound",
    "pulsevad_teacher_81k.onnx": "the same, larger",
}
CLOCK = 50e6
RUNS = 2  # on the chip, whose cycles do not depend on values
HEAD = (
    "| network | what it tells | parameters | MACs | SQNR, dB | answers as float32's | core cycles a run | runs a second at "
    "50 MHz | arena, bytes | weights, bytes |\n|---|---|---|---|---|---|---|---|---|---|\n"
)


def row(name: str, about: str) -> str:
    calibration, test = speech.windows()
    path = speech.package() / name
    found = analyze.analyze(path)
    quantised, _ = quantize.quantize(path, calibration, quantize.Options())
    graph = lower.lower_model(shapes.infer(quantised))
    result = validate.compare(graph, Executor(graph), shapes.prepare(path), test)
    with tempfile.TemporaryDirectory(prefix="fp8net-") as folder:
        validate.on_target(
            Path.cwd(), graph, name, test[:RUNS], "chip", result, folder=Path(folder)
        )
    if result.different or not result.compared:
        raise SystemExit(f"{name}: the chip differs from the executor:\n{result.text}")
    weights = sum(r.weight_bytes for r in report.rows_of(graph))
    agree, cycles = result.agree["logits"], result.cycles
    return (
        f"| `{name}` | {about} | {found.parameters:,} | {found.macs:,} | {result.sqnr['logits']:.1f} | "
        f"{agree} of {result.runs} | {cycles:,} | {CLOCK / cycles:,.0f} | {plan.make(graph).arena:,} | {weights:,} |\n"
    )


def main() -> int:
    table = HEAD + "".join(row(name, about) for name, about in NETWORKS.items())
    page = PAGE.read_text()
    old = re.search(f"{BEGIN}\n(.*?){END}", page, re.S)
    if old is None:
        raise SystemExit(f"{PAGE} has no place for the table")
    if "--check" not in sys.argv:
        PAGE.write_text(page[: old.start(1)] + table + page[old.end(1) :])
        return 0
    print(table)
    equal = sum(a == b for a, b in zip(old.group(1).split("|"), table.split("|")))
    different = max(old.group(1).count("|"), table.count("|")) + 1 - equal
    print(f"{equal} passed, {different} failed")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
