# SPDX-License-Identifier: Apache-2.0
"""Line charts and stacked bars as SVG. The same data give the same text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

# Text stays text. The salt makes the names of the SVG's parts the same every time.
matplotlib.rcParams.update(
    {"svg.hashsalt": "fp8mac", "svg.fonttype": "none", "font.size": 10, "axes.axisbelow": True}
)
SIZE = (8.4, 4.4)  # inches
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


@dataclass(frozen=True)
class Series:
    """Points (x, y)."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    hollow: frozenset[float] = field(default_factory=frozenset)  # x of points that are drawn hollow
    right: bool = False  # on the right-hand axis


def colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]


def svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(
        text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
    )
    plt.close(figure)
    # The writer leaves spaces at the ends of lines.
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def frame(title: str, y_name: str) -> tuple[Figure, Axes]:
    figure, axes = plt.subplots(figsize=SIZE)
    axes.set_title(title, loc="left", fontsize=12)
    axes.set_ylabel(y_name)
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1000 else f"{value:g}")
    )
    axes.grid(True, axis="y", color="#dddddd")
    return figure, axes


def draw(axes: Axes, series: Series, index: int) -> None:
    style = {"color": colour(index), "zorder": 3}
    x, y = zip(*series.points)
    axes.plot(x, y, "--" if series.dashed else "-", label=series.name, **style)
    for hollow in (False, True):
        some = [point for point in series.points if (point[0] in series.hollow) == hollow]
        if some:
            face = "white" if hollow else colour(index)
            (marks,) = axes.plot(*zip(*some), "o", markersize=5, markerfacecolor=face, **style)
            marks.set_gid(f"points-{index}-{'hollow' if hollow else 'full'}")


def lines(
    title: str,
    x_name: str,
    y_name: str,
    series: Sequence[Series],
    doubling: bool = False,
    reference: float | None = None,
    right_name: str = "",
) -> str:
    """Curves over one x axis. Those on the right-hand axis have a logarithmic scale there. doubling: the
    values of x double, and each has a mark."""
    figure, axes = frame(title, y_name)
    axes.set_xlabel(x_name)
    other = axes.twinx() if any(s.right for s in series) else axes
    for index, s in enumerate(series):
        draw(other if s.right else axes, s, index)
    if reference is not None:
        axes.axhline(reference, color="#555555", linewidth=1.2, linestyle=":")
    axes.set_ylim(bottom=0)
    if other is not axes:
        other.set_yscale("log")
        other.set_ylabel(right_name)
    if doubling:
        marks = sorted({x for s in series for x, _ in s.points})
        axes.set_xscale("log", base=2)
        axes.set_xticks(marks, [f"{mark:g}" for mark in marks])
    figure.legend(loc="upper left", bbox_to_anchor=(1.0, 0.9), fontsize=9, frameon=False)
    figure.tight_layout()
    return svg(figure)


def bars(title: str, y_name: str, stacks: Sequence[tuple[str, dict[str, float]]]) -> str:
    """One stacked bar a name, whose words stand below each other; parts in the same order and colour
    throughout."""
    figure, axes = frame(title, y_name)
    parts = list(
        dict.fromkeys(part for _, stack in stacks for part, value in stack.items() if value)
    )
    base = [0.0] * len(stacks)
    for index, part in enumerate(parts):
        values = [stack.get(part, 0.0) for _, stack in stacks]
        drawn = axes.bar(
            range(len(stacks)), values, 0.6, bottom=base, color=colour(index), label=part
        )
        for place, bar in enumerate(drawn):
            bar.set_gid(f"bar-{place}-{index}")
        base = [b + value for b, value in zip(base, values)]
    axes.set_xticks(range(len(stacks)), [name.replace(" ", "\n") for name, _ in stacks], fontsize=9)
    figure.legend(
        loc="upper left", bbox_to_anchor=(1.0, 0.9), fontsize=9, frameon=False, reverse=True
    )
    figure.tight_layout()
    return svg(figure)
