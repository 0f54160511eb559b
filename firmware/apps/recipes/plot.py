# SPDX-License-Identifier: Apache-2.0
"""Draws what the application `recipes` prints with LIST=1: for each drift the largest output and the largest number
that each recipe's codes have, and the ratio of signal to noise, step by step.

    make run HOST=1 APP=recipes LIST=1 | build/venv/bin/python firmware/apps/recipes/plot.py build/recipes.svg
"""

import argparse
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

CHOICE = "autofp8,te_max,te_most_recent,te_power_of_two,te_hybrid_e5m2,xla,fp8lm,dynamic,mx"


def read(lines):
    """(drift, recipe): list of rows, in the order of steps."""
    found = {}
    for row in csv.DictReader(
        line.removeprefix("csv,") for line in lines if line.startswith("csv,")
    ):
        found.setdefault((row["drift"], row["recipe"]), []).append(row)
    if not found:
        raise SystemExit("no lines of CSV in the input: run the application with LIST=1")
    return found


def draw(axes, drift, found, recipes):
    for index, recipe in enumerate(recipes):
        rows = found[drift, recipe]
        steps = [int(row["step"]) for row in rows]
        if index == 0:
            amax = [float(row["amax"]) for row in rows]
            axes[0].plot(steps, amax, color="black", linewidth=2, label="amax of the outputs")
        style = {
            "linewidth": 1,
            "color": f"C{index}" if index < 10 else f"{0.1 * (index % 10):.1f}",
        }
        axes[0].plot(steps, [float(row["reach"]) for row in rows], label=recipe, **style)
        axes[1].plot(steps, [float(row["sqnr_cdb"]) / 100 for row in rows], label=recipe, **style)
    axes[0].set(title=drift, yscale="log")
    axes[1].set(xlabel="step", ylim=(-2, 36))


def main():
    parser = argparse.ArgumentParser(
        description="draws the lines of recipes LIST=1 (standard input)"
    )
    parser.add_argument("out", type=pathlib.Path, help="the image, .svg or .png")
    parser.add_argument("--recipes", default=CHOICE, help="names with commas, or all (%(default)s)")
    arguments = parser.parse_args()
    found = read(sys.stdin)
    drifts = list(dict.fromkeys(drift for drift, _ in found))
    present = list(dict.fromkeys(recipe for _, recipe in found))
    asked = present if arguments.recipes == "all" else arguments.recipes.split(",")
    recipes = [recipe for recipe in asked if recipe in present] or present
    figure, axes = plt.subplots(
        2, len(drifts), figsize=(3.4 * len(drifts) + 2, 6), squeeze=False, layout="constrained"
    )
    for column, drift in enumerate(drifts):
        draw(axes[:, column], drift, found, recipes)
    axes[0, 0].set_ylabel("amax, and largest number of the codes")
    axes[1, 0].set_ylabel("signal to noise, dB")
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(), loc="outside right upper", fontsize="small"
    )
    figure.savefig(arguments.out)


if __name__ == "__main__":
    main()
