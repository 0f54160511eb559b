# SPDX-License-Identifier: Apache-2.0
"""A scatter plot with two logarithmic axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 20, 20, 50
CHARACTER = 6.4  # its mean width


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    title: str  # what a pointer on it shows


class _Axis:
    """Logarithmic, from one end of the page to the other"""

    def __init__(self, values: Sequence[float], start: float, end: float):
        low, high = math.log10(min(values)), math.log10(max(values))
        room = max(0.05 * (high - low), 0.02)
        self.low, self.high, self.start, self.end = low - room, high + room, start, end

    def place(self, value: float) -> float:
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def marks(self) -> list[float]:
        """1, 2 and 5 of each decade, or fewer if these are too many"""
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        for steps in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 5), (1,)):
            found = [
                step * 10**decade
                for decade in decades
                for step in steps
                if self.low <= math.log10(step * 10**decade) <= self.high
            ]
            if len(found) <= 12:
                break
        return found


def number(value: float) -> str:
    for limit, sign in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= limit:
            return f"{value / (1e3 if sign == 'k' else limit):.4g} {sign}"
    return f"{value:.4g}"


def scatter(
    x_name: str, y_name: str, points: Sequence[Point], front: Sequence[Point], ours: Point | None
) -> str:
    """`front` is joined by a line; `ours` is marked."""
    every = [*points, *front, *([ours] if ours else [])]
    x = _Axis([one.x for one in every], LEFT, WIDTH - RIGHT)
    y = _Axis([one.y for one in every], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        'font-family="sans-serif" font-size="12">'
    ]
    for mark in x.marks():
        at = x.place(mark)
        parts.append(f'<path d="M{at} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(_text(number(mark), at, HEIGHT - BOTTOM + 16, 0.5))
    for mark in y.marks():
        at = y.place(mark)
        parts.append(f'<path d="M{LEFT} {at}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(number(mark), LEFT - 6, at + 4, 1.0))
    parts.append(_text(x_name, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, 0.5))
    parts.append(_text(y_name, LEFT, TOP - 6, 0.0))
    parts += [_dot(x, y, one, 2.5, "#7f7f7f") for one in points]
    if front:
        line = " L".join(f"{x.place(one.x)} {y.place(one.y)}" for one in front)
        parts.append(f'<path d="M{line}" fill="none" stroke="#0072b2"/>')
    parts += [_dot(x, y, one, 4, "#0072b2") for one in front]
    parts += [_dot(x, y, ours, 6, "#d55e00")] if ours else []
    return "\n".join([*parts, "</svg>"])


def _text(text: str, x: float, y: float, before: float) -> str:
    """`before`: the part of the text's width that lies before x"""
    return f'<text x="{x - before * CHARACTER * len(text):.1f}" y="{y}">{escape(text)}</text>'


def _dot(x: _Axis, y: _Axis, one: Point, size: float, colour: str) -> str:
    place = f'cx="{x.place(one.x)}" cy="{y.place(one.y)}"'
    return f'<circle {place} r="{size}" fill="{colour}"><title>{escape(one.title)}</title></circle>'
