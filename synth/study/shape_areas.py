# SPDX-License-Identifier: Apache-2.0
"""python -m synth shape_areas: what `fp8mac plan` knows of areas, from accelerators of several shapes.

synth/results/accel_shapes.json has the accelerators, each made by the command that stands beside it. Their logic is the sum of
their elements, as the table's arrays have them, and of what the rest grows with (fp8mac_plan.area.features), whose
coefficients are those of the least squares of relative errors. Each accelerator is also left out once: its error is that of
the fit to the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from ..flow.runs import ROOT
from . import memories
from .accel import KINDS
from .intake import um2_of_logic
from .records import Record

PLAN = ROOT / "model/plan"
sys.path.insert(0, str(PLAN))

from fp8mac_plan.area import Areas, features
from fp8mac_plan.configuration import Configuration

OUT = PLAN / "fp8mac_plan/areas.json"
ELEMENT_PARTS = ("fp8mac_block_cluster", "fp8mac_int8_pipeline")
# The elements that commands use: with both accumulators, and MX scales where the kind has them
ERRORS = {"block": "block_f19_l16_fp32", "block64": "block64_f19_l16_fp32"}


def configuration(record: Record) -> Configuration:
    of = record["parameters"]
    kind = next(name for name, one in KINDS.items() if one.number == of["ELEMENT"])
    return Configuration(
        rows=of["ROWS"],
        cols=of["COLS"],
        lanes=of["LANES"],
        element=kind,
        axi=of["AXI_DATA_W"],
        epi_width=of.get("EPI_WIDTH", 0),
    )


def with_rows(record: Record) -> bool:
    return record["parameters"].get("ROW_COMMANDS", 1) != 0


def elements(records: list[Record]) -> dict[str, dict[str, float]]:
    """By kind and lanes the area of an element of the table's arrays with 19 fraction bits"""
    found: dict[str, dict[str, float]] = {}

    def add(kind: str, lanes: int, parts: dict[str, float], parameters: dict[str, int]) -> None:
        area = sum(parts.get(name, 0.0) for name in ELEMENT_PARTS)
        count = parameters["ROWS"] * parameters["COLS"]
        found.setdefault(kind, {})[str(lanes)] = round(area / count, 1)

    for one in records:
        if one["group"] == "array" and one["parameters"].get("FRAC_BITS") == 19:
            add(one["kind"], one["lanes"], one["parts"], one["parameters"])
            add("int8", one["lanes"], one["baseline_parts"], one["baseline_parameters"])
    return found


def fitted(
    measured: list[Record], each: dict[str, dict[str, float]]
) -> tuple[dict[str, float], dict[str, float]]:
    """The coefficients of the rest, and what a kind has more than `block`"""
    areas = Areas({"elements": each})
    kinds = [kind for kind in each if kind != "block"]
    rows, values = [], []
    for one in measured:
        its = configuration(one)
        rest = one["logic"] - its.rows * its.cols * areas.element(its)
        row = [
            *features(its, with_rows(one)).values(),
            *(float(its.element == kind) for kind in kinds),
        ]
        rows.append([value / one["logic"] for value in row])
        values.append(rest / one["logic"])
    found = np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0]
    names = list(features(Configuration()))
    more = dict(zip(kinds, found[len(names) :]))
    return dict(zip(names, found)), {"block": 0.0, **more}


def made(measured: list[Record], records: list[Record], um2_of_logic: float) -> dict:
    known = {configuration(one).element for one in measured}
    each = {kind: its for kind, its in elements(records).items() if kind in known}
    rest, kinds = fitted(measured, each)
    data = {
        "source": "python -m synth shape_areas",
        "library": "osu018",
        "elements": each,
        "rest": {name: round(float(value), 1) for name, value in rest.items()},
        "kinds": {name: round(float(value), 1) for name, value in kinds.items()},
        "um2_of_logic": round(um2_of_logic, 6),
        "um2_per_bit": {
            "one port": round(memories.ONE_PORT.um2_per_bit, 3),
            "two ports": round(memories.TWO_PORTS.um2_per_bit, 3),
        },
        "errors": {
            **{kind: _error(records, name) for kind, name in ERRORS.items()},
            "int8": 0.0,
        },
    }
    data["measured"] = [
        {
            "name": configuration(one).name,
            "logic": one["logic"],
            "bits": one["bits"],
            "error": round(left_out(measured, index, each), 4),
        }
        for index, one in enumerate(measured)
    ]
    return data


def _error(records: list[Record], name: str) -> float:
    return next(one["error"] for one in records if one["name"] == name)


def left_out(measured: list[Record], index: int, each: dict[str, dict[str, float]]) -> float:
    """Of one that is not in the fit, as a part of its area. The only one of its kind stays in it: nothing else knows the
    kind."""
    one = measured[index]
    others = measured[:index] + measured[index + 1 :]
    its = configuration(one)
    if all(configuration(other).element != its.element for other in others):
        others = measured
    rest, kinds = fitted(others, each)
    areas = Areas({"elements": each})
    said = its.rows * its.cols * areas.element(its) + kinds[its.element]
    said += sum(rest[name] * value for name, value in features(its, with_rows(one)).items())
    return float(said / one["logic"] - 1)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth shape_areas", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--results", type=Path, default=Path("synth/results"))
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    read = lambda name: json.loads((options.results / name).read_text())
    data = made(
        read("accel_shapes.json")["measured"],
        read("area.json")["records"],
        um2_of_logic(read("accel_fast.json")["measured"], read("accel.json")),
    )
    options.out.write_text(json.dumps(data, indent=1) + "\n")
    worst = max(data["measured"], key=lambda one: abs(one["error"]))
    print(f"  AREAS     {options.out}: at most {100 * abs(worst['error']):.1f} % ({worst['name']})")
    return 0
