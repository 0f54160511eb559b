# SPDX-License-Identifier: Apache-2.0
"""Roofline of the chip with measured GEMMs on it."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "fp8mac"  # the same data give the same file
import matplotlib.pyplot as plt

from .limits import Chip, Shape, bounds


def intensity(shape: Shape, chip: Chip) -> float:
    """Multiply-accumulates per beat that must be moved on the busier channel, D in one byte."""
    m, n, k = shape
    moved = bounds(shape, chip)
    return m * n * k / max(moved["read"], moved["write"])


def roofline(path, points: list[tuple[Shape, dict]], chip: Chip) -> None:
    """points: shapes and their rows of the bench. Writes an SVG: MACs per cycle over MACs per beat."""
    figure, axes = plt.subplots(figsize=(8, 5))
    groups = list(dict.fromkeys(row["group"] for _, row in points))
    for index, group in enumerate(groups):
        own = [(shape, row) for shape, row in points if row["group"] == group]
        x = [intensity(shape, chip) for shape, _ in own]
        y = [shape[0] * shape[1] * shape[2] / row["value"] for shape, row in own]
        axes.scatter(x, y, label=group, marker="osD^vP"[index % 6], s=28, zorder=3)
    low, high = 8, 4 * chip.macs
    highest = max([high, *(2 * intensity(shape, chip) for shape, _ in points)])
    axes.plot(
        [low, chip.macs, highest],
        [low, chip.macs, chip.macs],
        color="black",
        linewidth=1,
        label="bound of array and bus",
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlabel("multiply-accumulates per bus beat")
    axes.set_ylabel("multiply-accumulates per cycle")
    axes.grid(True, which="major", color="#dddddd")
    axes.legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
