# SPDX-License-Identifier: Apache-2.0
"""Line charts and stacked bars as SVG, without dependencies; readable on a light and on a dark page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 770, 420
LEFT, RIGHT, TOP, BOTTOM = 84, 230, 44, 56
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7f7f7f",
    "#b0a000",
    "#332288",
    "#882255",
)
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .title { font-size: 15px; font-weight: 600 } .tick { font-size: 12px }
  .grid { stroke: #ddd } .axis { stroke: #555 } .page { fill: #fff } .open { fill: #fff }
"""


@dataclass(frozen=True)
class Series:
    """Points (x, y)."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    hollow: frozenset[float] = field(default_factory=frozenset)  # x of points that are drawn hollow
    right: bool = False  # on the right-hand axis


def ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """Round numbers that cover low..high."""
    span = (high - low) or abs(high) or 1.0
    raw = span / wanted
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def label(value: float) -> str:
    if value and abs(value) < 1e-3:
        return f"1e{round(math.log10(abs(value)))}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


@dataclass(frozen=True)
class Axis:
    """Maps values to a range of pixels, in proportion or by logarithm."""

    marks: list[float]
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = self.marks[0], self.marks[-1]
        if self.log:
            value, low, high = math.log(max(value, low)), math.log(low), math.log(high)
        return self.start + (value - low) / ((high - low) or 1) * (self.end - self.start)


def linear(values: Sequence[float], start: float, end: float, zero: bool = False) -> Axis:
    return Axis(ticks(min([*values, 0.0] if zero else values), max(values)), start, end)


def decades(values: Sequence[float], start: float, end: float) -> Axis:
    low, high = (math.log10(f(v for v in values if v > 0)) for f in (min, max))
    return Axis(
        [10.0**i for i in range(math.floor(low), math.ceil(high) + 1)], start, end, log=True
    )


def powers(values: Sequence[float], start: float, end: float) -> Axis:
    """One mark a value, evenly spaced if the values double."""
    return Axis(sorted(set(values)), start, end, log=True)


class Drawing:
    def __init__(self, title: str, height: int = HEIGHT):
        self.height = height
        self.parts: list[str] = []
        self.text(LEFT, 24, title, cls="title")

    def line(self, x1: float, y1: float, x2: float, y2: float, cls: str) -> None:
        self.parts.append(
            f'<line class="{cls}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: str = "start",
        cls: str = "",
        turn: bool = False,
    ) -> None:
        extra = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(
            f'<text class="{cls}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>'
            f"{escape(text)}</text>"
        )

    def rectangle(
        self, x: float, y: float, width: float, height: float, colour: str, hint: str = ""
    ) -> None:
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}">'
            f"<title>{escape(hint)}</title></rect>"
        )

    def marker(self, x: float, y: float, colour: str, hollow: bool, hint: str) -> None:
        fill = 'class="open"' if hollow else f'fill="{colour}"'
        self.parts.append(
            f'<circle {fill} cx="{x:.1f}" cy="{y:.1f}" r="4" stroke="{colour}" stroke-width="1.8">'
            f"<title>{escape(hint)}</title></circle>"
        )

    def legend(self, names: Sequence[tuple[str, str]], left: float) -> None:
        for i, (name, colour) in enumerate(names):
            self.rectangle(left, TOP + 20 * i, 12, 12, colour)
            self.text(left + 18, TOP + 11 + 20 * i, name, cls="tick")

    def frame(
        self,
        x: Axis | None,
        y: Axis,
        x_name: str,
        y_name: str,
        show: Callable[[float], str] = label,
    ) -> None:
        bottom, right = self.height - BOTTOM, WIDTH - RIGHT
        for mark in y.marks:
            self.line(LEFT, y(mark), right, y(mark), "grid")
            self.text(LEFT - 8, y(mark) + 4, show(mark), "end", "tick")
        for mark in x.marks if x else ():
            self.line(x(mark), bottom, x(mark), bottom + 5, "axis")
            self.text(x(mark), bottom + 20, label(mark), "middle", "tick")
        self.line(LEFT, bottom, right, bottom, "axis")
        self.line(LEFT, TOP, LEFT, bottom, "axis")
        self.text((LEFT + right) / 2, self.height - 14, x_name, "middle")
        self.text(18, (TOP + bottom) / 2, y_name, "middle", turn=True)

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img">\n<style>{STYLE}</style>\n'
            f'<rect class="page" width="{WIDTH}" height="{self.height}"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def _curve(drawing: Drawing, series: Series, colour: str, x: Axis, y: Axis) -> None:
    places = [(x(a), y(b)) for a, b in series.points]
    dash = ' stroke-dasharray="6 4"' if series.dashed else ""
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    drawing.parts.append(
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
    )
    for (a, b), (px, py) in zip(series.points, places):
        drawing.marker(px, py, colour, a in series.hollow, f"{series.name}: {label(a)}, {b:,.6g}")


def lines(
    title: str,
    x_name: str,
    y_name: str,
    series: Sequence[Series],
    doubling: bool = False,
    reference: float | None = None,
    right_name: str = "",
) -> str:
    """Curves over one x axis. Those on the right-hand axis have a logarithmic scale there."""
    drawing = Drawing(title)
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    every_x = [a for s in series for a, _ in s.points]
    left_y = [b for s in series if not s.right for _, b in s.points] + (
        [reference] if reference is not None else []
    )
    right_y = [b for s in series if s.right for _, b in s.points]
    x = (
        powers(every_x, LEFT + 20, right - 20)
        if doubling
        else linear(every_x, LEFT + 20, right - 20)
    )
    y = linear(left_y, bottom, TOP, zero=True)
    drawing.frame(x, y, x_name, y_name)
    if reference is not None:
        drawing.parts.append(
            f'<line x1="{LEFT}" x2="{right}" y1="{y(reference):.1f}" y2="{y(reference):.1f}" '
            'stroke="#555" stroke-width="1.5" stroke-dasharray="2 3"/>'
        )
    other = decades(right_y, bottom, TOP) if right_y else y
    if right_y:
        for mark in other.marks:
            drawing.text(right + 8, other(mark) + 4, label(mark), cls="tick")
        drawing.line(right, TOP, right, bottom, "axis")
        drawing.text(right + 52, (TOP + bottom) / 2, right_name, "middle", turn=True)
    for i, s in enumerate(series):
        _curve(drawing, s, COLOURS[i % len(COLOURS)], x, other if s.right else y)
    drawing.legend(
        [(s.name, COLOURS[i % len(COLOURS)]) for i, s in enumerate(series)],
        right + (66 if right_y else 14),
    )
    return drawing.svg()


def bars(title: str, y_name: str, stacks: Sequence[tuple[str, dict[str, float]]]) -> str:
    """One stacked bar a name; parts in the same order and colour throughout."""
    height = HEIGHT + 60
    drawing = Drawing(title, height)
    bottom, right = height - BOTTOM, WIDTH - RIGHT // 2
    parts = list(
        dict.fromkeys(part for _, stack in stacks for part, value in stack.items() if value)
    )
    y = linear([sum(stack.values()) for _, stack in stacks], bottom - 40, TOP, zero=True)
    for mark in y.marks:
        drawing.line(LEFT, y(mark), right, y(mark), "grid")
        drawing.text(LEFT - 8, y(mark) + 4, label(mark), "end", "tick")
    step = (right - LEFT) / len(stacks)
    for i, (name, stack) in enumerate(stacks):
        base, left = 0.0, LEFT + step * (i + 0.2)
        for part in parts:
            value = stack.get(part, 0.0)
            drawing.rectangle(
                left,
                y(base + value),
                step * 0.6,
                y(base) - y(base + value),
                COLOURS[parts.index(part) % len(COLOURS)],
                f"{name}, {part}: {value:,.0f}",
            )
            base += value
        for n, word in enumerate(name.split(" ")):
            drawing.text(left + step * 0.3, y(0) + 16 + 14 * n, word, "middle", "tick")
    drawing.line(LEFT, y(0), right, y(0), "axis")
    drawing.text(18, (TOP + y(0)) / 2, y_name, "middle", turn=True)
    drawing.legend(
        [(part, COLOURS[parts.index(part) % len(COLOURS)]) for part in reversed(parts)], right + 14
    )
    return drawing.svg()
