# SPDX-License-Identifier: Apache-2.0
"""Adds to a program's report what a run on the simulated chip took, layer by layer."""

from __future__ import annotations

import csv
import json
import pathlib
import re

from . import report, validate
from .errors import refuse

HEAD = "layer,depth,core_cycles,accelerator_cycles"


def read(folder: pathlib.Path) -> dict:
    path = folder / "report.json"
    try:
        found = json.loads(path.read_text("utf-8"))
        layers = found["layers"]
        if not all("label" in layer and "core_cycles" in layer for layer in layers):
            raise KeyError("label")
    except (OSError, ValueError, KeyError, TypeError):
        raise refuse(str(path), "is no report of `fp8net generate`") from None
    return found


def add(found: dict, text: str) -> None:
    """From what the program prints with PROFILE=csv. An entry belongs to the next layer that has its name."""
    total = re.search(r"core cycles +(\d+) a run", text)
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith(HEAD)), None)
    if total is None or start is None:
        raise refuse(
            "the program", "has printed no cycles", "a program of `fp8net generate`, with vectors"
        )
    found["core_cycles"] = int(total.group(1))
    layers = found["layers"]
    for layer in layers:
        layer["core_cycles"] = layer["accelerator_cycles"] = None
    at = 0
    for entry in csv.DictReader(lines[start:]):
        if entry["depth"] != "0":
            continue
        place = next(
            (i for i in range(at, len(layers)) if layers[i]["label"] == entry["layer"]), None
        )
        if place is None:
            continue
        at = place
        for key in ("core_cycles", "accelerator_cycles"):
            layers[place][key] = (layers[place][key] or 0) + int(entry[key])


def measure(root: pathlib.Path, folder: pathlib.Path) -> dict:
    """Runs the program of `folder`, and writes its report anew."""
    found = read(folder)
    chip = {name: found.get(name, False) for name in ("int8", "requantise")}
    add(found, validate.run_program(root, folder, "chip", "PROFILE=csv", **chip, timed=True))
    for name, text in report.files(found).items():
        (folder / name).write_text(text, "utf-8")
    return found
