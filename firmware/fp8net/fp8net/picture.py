# SPDX-License-Identifier: Apache-2.0
"""The picture of a report: the error over the network, and the cycles of each layer."""

from __future__ import annotations

import math

WIDTH, HEIGHT, LEFT, GAP = 960, 200, 70, 40
ALONE, SO_FAR, CORE, ACCELERATOR = "#8db3d9", "#1f4e79", "#c9c9c9", "#d9822b"
MOST_DB = 60.0  # what is more exact is drawn there


def draw(report: dict) -> str:
    """Layers from left to right, in the order in which they run."""
    layers = report["layers"]
    parts = _error(layers, GAP)
    height = GAP + HEIGHT + GAP
    if any(layer["core_cycles"] is not None for layer in layers):
        parts += _cycles(layers, height + GAP)
        height += GAP + HEIGHT + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _text(x: float, y: float, text: str, colour: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}">{text}</text>'


def _frame(top: float, most: float, title: str, unit: str) -> list[str]:
    """A scale from 0 to `most`, with a line at each quarter."""
    parts = [_text(LEFT, top - 12, title)]
    for quarter in range(5):
        y = top + HEIGHT * (1 - quarter / 4)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 10}" stroke="#ddd"/>')
        parts.append(_text(4, y + 4, f"{most * quarter / 4:,.0f}{unit}"))
    return parts


def _place(index: int, count: int) -> tuple[float, float]:
    """The left end and the width of a layer."""
    width = (WIDTH - 10 - LEFT) / max(count, 1)
    return LEFT + index * width, width


def _error(layers: list[dict], top: float) -> list[str]:
    parts = _frame(top, MOST_DB, "SQNR of each layer: alone", " dB")
    parts[0] = _text(LEFT, top - 12, "SQNR of each layer alone", colour=ALONE) + _text(
        LEFT + 160, top - 12, "and so far", colour=SO_FAR
    )
    for key, colour in (("sqnr", ALONE), ("sqnr_so_far", SO_FAR)):
        points = []
        for index, layer in enumerate(layers):
            if layer[key] is None or math.isnan(float(layer[key])):
                continue
            left, width = _place(index, len(layers))
            value = min(max(float(layer[key]), 0.0), MOST_DB)
            points.append((left + width / 2, top + HEIGHT * (1 - value / MOST_DB)))
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points]
    return parts


def _cycles(layers: list[dict], top: float) -> list[str]:
    most = max(layer["core_cycles"] or 0 for layer in layers) or 1
    parts = _frame(top, most, "", "")
    parts[0] = _text(LEFT, top - 12, "Cycles of each layer: core", colour="#777") + _text(
        LEFT + 170, top - 12, "accelerator", colour=ACCELERATOR
    )
    for key, colour in (("core_cycles", CORE), ("accelerator_cycles", ACCELERATOR)):
        for index, layer in enumerate(layers):
            if layer[key]:
                left, width = _place(index, len(layers))
                height = HEIGHT * layer[key] / most
                parts.append(
                    f'<rect x="{left + 0.1 * width:.1f}" y="{top + HEIGHT - height:.1f}" width="{0.8 * width:.1f}" '
                    f'height="{height:.1f}" fill="{colour}"/>'
                )
    return parts
