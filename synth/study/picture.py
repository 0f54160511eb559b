# SPDX-License-Identifier: Apache-2.0
"""The picture of README: what FP8 costs beside INT8, and how busy it keeps its array. Written by `make synth-report` from
synth/results and sim/bench/results.json. Its colours are readable on light and on dark pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

CYCLES = Path("sim/bench/results.json")
SHAPES = {
    "32 x 32 x 32": (32, 32, 32),
    "64 x 64 x 64": (64, 64, 64),
    "128 x 128 x 128": (128, 128, 128),
    "512 x 512 x 512": (512, 512, 512),
    "64 x 64 x 2048": (64, 64, 2048),
}
MACS = 256  # a cycle, of the default array
WIDTH, TOP, ROW, BAR = 860, 62, 36, 15
STYLE = """text{font:13px Helvetica,Arial,sans-serif;fill:#24292f}.t{font-size:15px;font-weight:600}.n{fill:#57606a;font-size:12px}
.a{fill:#1f6feb}.e{fill:#bf8700}.u{fill:#2da44e}.l{stroke:#57606a;stroke-dasharray:4 3}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#9da7b3}.l{stroke:#9da7b3}}"""


def utilisations(path: Path) -> dict[str, float]:
    """Of GEMMs on the simulated chip, in %"""
    found = {}
    for command, row in json.loads(path.read_text())["rows"].items():
        shape = re.fullmatch(
            r"make run APP=gemm M=(\d+) N=(\d+) K=(\d+) D=e4m3fn SCALE=tensor", command
        )
        if shape:
            m, n, k = map(int, shape.groups())
            found[m, n, k] = 100 * m * n * k / (MACS * row["cycles"])
    return {title: found[shape] for title, shape in SHAPES.items()}


def bar(x: int, row: int, length: float, kind: str, value: str, place: float = 0.5) -> str:
    y = TOP + row * ROW + place * BAR
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="{length:.1f}" height="{BAR - 2}" rx="2"/>'
        f'<text class="n" x="{x + length + 5:.1f}" y="{y + 11}">{value}</text>'
    )


def label(x: int, row: float, text: str) -> str:
    return f'<text x="{x}" y="{TOP + row * ROW + 19:.0f}" text-anchor="end">{text}</text>'


def svg(costs: list[tuple[str, float, float | None]], busy: dict[str, float]) -> str:
    """COSTS: what is compared, FP8 / INT8 in area and in energy. BUSY: GEMM and utilisation in %"""
    left, right, unit = 205, 650, 100
    height = TOP + ROW * max(len(costs), len(busy)) + 42
    end = height - 40
    parts = [
        '<text class="t" x="10" y="24">What FP8 costs: FP8 / INT8</text>',
        f'<rect class="a" x="{left}" y="38" width="12" height="12" rx="2"/>'
        f'<text class="n" x="{left + 17}" y="48">area</text>',
        f'<rect class="e" x="{left + 60}" y="38" width="12" height="12" rx="2"/>'
        f'<text class="n" x="{left + 77}" y="48">energy of a MAC</text>',
        f'<text class="t" x="{right - 170}" y="24">How busy the array is: MACs, % of peak</text>',
    ]
    for row, (title, area, energy) in enumerate(costs):
        parts += [
            label(left - 8, row, title),
            bar(left, row, unit * area, "a", f"{area:.2f}", 0 if energy else 0.5),
        ]
        if energy:
            parts.append(bar(left, row, unit * energy, "e", f"{energy:.2f}", 1))
    parts.append(
        f'<line class="l" x1="{left + unit}" y1="{TOP - 6}" x2="{left + unit}" y2="{end}"/>'
        f'<text class="n" x="{left + unit}" y="{end + 16}" text-anchor="middle">INT8 = 1</text>'
    )
    for row, (title, share) in enumerate(busy.items()):
        parts += [
            label(right - 8, row, title),
            bar(right, row, 1.5 * share, "u", f"{share:.{1 if share > 99 else 0}f} %"),
        ]
    parts.append(
        f'<text class="n" x="{right - 170}" y="{end + 16}">a GEMM, first register write to last output</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img">\n<title>FP8 beside INT8, and the utilisation of the array</title>\n<style>{STYLE}</style>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
