# SPDX-License-Identifier: Apache-2.0
"""The ratios of a benchmark as an SVG of bars, on a logarithmic axis, with each target as a mark."""

import math
from xml.sax.saxutils import escape

ROW, LABEL, WIDTH, RIGHT, TOP = 18, 380, 520, 320, 40


def write_svg(path, entries):
    rows = [e for e in entries if e["target"] is not None]
    low = math.floor(math.log10(min(min(e["ratio"], e["target"]) for e in rows)))
    high = math.ceil(math.log10(max(max(e["ratio"], e["target"]) for e in rows)))

    def x(ratio):
        return LABEL + WIDTH * (math.log10(ratio) - low) / (high - low)

    height = TOP + ROW * len(rows) + 30
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + WIDTH + RIGHT}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LABEL}" y="16">speed, as a ratio to the baseline at the right; the mark is the target</text>',
    ]
    for power in range(low, high + 1):
        out.append(
            f'<line x1="{x(10**power):.1f}" y1="{TOP - 8}" x2="{x(10**power):.1f}" y2="{height - 26}" '
            f'stroke="#ccc"/><text x="{x(10**power):.1f}" y="{height - 10}" text-anchor="middle">'
            f"{10**power:g}</text>"
        )
    for i, e in enumerate(rows):
        y = TOP + ROW * i
        colour = "#3a7d44" if e["met"] else "#b23a48"
        out.append(
            f'<text x="{LABEL - 8}" y="{y + 11}" text-anchor="end">{escape(e["name"])}</text>'
            f'<rect x="{LABEL}" y="{y + 2}" width="{max(1, x(e["ratio"]) - LABEL):.1f}" height="{ROW - 5}" '
            f'fill="{colour}"/><line x1="{x(e["target"]):.1f}" y1="{y}" x2="{x(e["target"]):.1f}" '
            f'y2="{y + ROW - 1}" stroke="black" stroke-width="2"/>'
            f'<text x="{LABEL + WIDTH + 8}" y="{y + 11}">{e["ratio"]:.2f} x {escape(e["baseline"])}</text>'
        )
    path.write_text("\n".join([*out, "</svg>"]) + "\n")
