# SPDX-License-Identifier: Apache-2.0
"""What the figures share: results as JSON, plots as SVG, and the command line.

A figure is a module with

KEYS       the columns that tell its rows apart
measure    computes the rows; arguments select some of them
draw       a plot of the rows

and ends in run(). The same rows give the same files, byte for byte.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[3]
RESULTS = Path(__file__).resolve().parent / "results"
PLOTS = ROOT / "docs" / "figures"
SEED = 2026
DIGITS = 6  # significant digits that are kept of a measured number

Row = dict[str, Any]

# The salt makes the names of the SVG's parts the same every time. Text stays text.
matplotlib.rcParams.update(
    {"svg.hashsalt": "fp8mac", "svg.fonttype": "none", "font.size": 10, "axes.axisbelow": True}
)
COLOURS = [
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7f7f7f",
    "#332288",
    "#882255",
]
MARKS = "osD^vP<>X"


# ---- results ----------------------------------------------------------------------------------------------------


def rounded(value: Any) -> Any:
    """A number as the results keep it."""
    if isinstance(value, str | bool | int) or value is None:
        return value
    return float(f"{float(value):.{DIGITS}g}")


def save(name: str, rows: Iterable[Row], folder: Path = RESULTS) -> None:
    """One line for each row."""
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(f"[\n{lines}\n]\n")


def load(name: str, folder: Path = RESULTS) -> list[Row]:
    return json.loads((folder / f"{name}.json").read_text())


def clean(rows: Iterable[Row]) -> list[Row]:
    return [{key: rounded(value) for key, value in row.items()} for row in rows]


def select(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """The rows that have these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def distinct(rows: Sequence[Row], key: str) -> list[Any]:
    """The values of a column, each once, in order."""
    return list(dict.fromkeys(row[key] for row in rows))


# ---- plots ------------------------------------------------------------------------------------------------------


def panels(count: int, title: str, width: float = 4.6, height: float = 4.2) -> tuple[Figure, Any]:
    figure, axes = plt.subplots(1, count, figsize=(width * count, height), squeeze=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    for one in axes[0]:
        one.grid(True, which="major", color="#dddddd")
    return figure, axes[0]


def style(index: int, line: str = "-") -> dict[str, Any]:
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKS[index % len(MARKS)],
        "markersize": 4,
        "linewidth": 1.2,
        "linestyle": line,
        "zorder": 3,
    }


def svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.tight_layout()
    figure.savefig(
        text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
    )
    plt.close(figure)
    # The writer leaves spaces at the ends of lines.
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


# ---- command line -----------------------------------------------------------------------------------------------


def run(name: str, measure: Callable[[], list[Row]], draw: Callable[[list[Row]], Figure]) -> None:
    parser = argparse.ArgumentParser(prog=f"{name}.py", allow_abbrev=False)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--plots", type=Path, default=PLOTS, help="folder of the plots")
    options = parser.parse_args()
    rows = clean(measure())
    save(name, rows, options.results)
    options.plots.mkdir(parents=True, exist_ok=True)
    (options.plots / f"{name}.svg").write_text(svg(draw(rows)))
    print(f"  FIGURE    {name}: {len(rows)} rows")
