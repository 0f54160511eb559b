# SPDX-License-Identifier: Apache-2.0
"""Roofline of the chip with measured GEMMs on it."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "fp8mac"  # the same data give the same file
import matplotlib.pyplot as plt


def intensity(shape, beat):
    """Multiply-accumulates per beat that must be moved on the busier channel, D in one byte."""
    m, n, k = shape
    return m * n * k / max((m + n) * -(-k // beat), m * -(-n // beat))


def roofline(path, points, macs, beat):
    """points: (gemm, row) of the bench. Writes an SVG: MACs per cycle over MACs per beat."""
    figure, axes = plt.subplots(figsize=(8, 5))
    groups = list(dict.fromkeys(row["group"] for _, row in points))
    for index, group in enumerate(groups):
        own = [(gemm, row) for gemm, row in points if row["group"] == group]
        x = [intensity(gemm["shape"], beat) for gemm, _ in own]
        y = [
            gemm["shape"][0] * gemm["shape"][1] * gemm["shape"][2] / row["value"]
            for gemm, row in own
        ]
        axes.scatter(x, y, label=group, marker="osD^vP"[index % 6], s=28, zorder=3)
    low, high = 8, 4 * macs
    highest = max([high, *(2 * intensity(gemm["shape"], beat) for gemm, _ in points)])
    axes.plot(
        [low, macs, highest],
        [low, macs, macs],
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
