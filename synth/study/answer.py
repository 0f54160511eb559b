# SPDX-License-Identifier: Apache-2.0
"""The one table of AREA.md: element, array and accelerator, FP8 beside INT8, in area without and with wires, in energy and
in cells of an FPGA. And the table of goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..energy.pages import REAL, Energies
from ..flow.errors import UsageError
from ..layout.pages import Layouts, core
from . import rivals, tables
from .elements import STAGGERED_SUFFIX
from .records import Record
from .tables import number

KIT = "sky130"
FPGA = "ecp5"
HEAD = [
    "",
    "area without wires",
    "area, placed and routed",
    "energy of a MAC, pJ",
    "LUT of an FPGA",
]

# Elements: their titles, their records, and INT8's element beside them in each kind of measurement
ELEMENTS = {
    "block_f19_l1_fp32_b1": "one lane, 19 bits, FP32, one accumulator",
    "block_f13_l1_fp32_b1": "one lane, 13 bits, FP32, one accumulator",
    "block_f13_l1_fp16_b1": "one lane, 13 bits, FP16, one accumulator",
    "late_fp32_l1": "one lane that rounds in each step, FP32",
    "late_fp16_l1": "one lane that rounds in each step, FP16",
    "block_f19_l4_fp32": "4 lanes, 19 bits, FP32",
    "block_f13_l4_fp16": "4 lanes, 13 bits, FP16",
    "block_f19_l16_fp32": "16 lanes, 19 bits, FP32",
    "block_f13_l16_fp32": "16 lanes, 13 bits, FP32",
    "block_f13_l16_fp16": "16 lanes, 13 bits, FP16",
    "block64_f19_l16_fp32_b1": "16 lanes, 19 bits, FP32, `block64`, one accumulator",
    "block64_f13_l16_fp16_b1": "16 lanes, 13 bits, FP16, `block64`, one accumulator",
    "block_f19_l32_fp32": "32 lanes, 19 bits, FP32",
    "block_f13_l32_fp32": "32 lanes, 13 bits, FP32",
}
# Elements of one lane are smaller with rows that take their operands one after the other
STAGGERED = {name: name + STAGGERED_SUFFIX for name in list(ELEMENTS)[:3]}
# An element whose FPGA cells are those of another one, which has both accumulator formats
MAPPED = {"block_f19_l16_fp32": "block_f19_l16"}
CLUSTER = "fp8mac_block_cluster"  # elements of the default array that share a unit


def pair(own: float, base: float, digits: int = 0) -> str:
    return f"{number(own, digits)} / {number(base, digits)} = **{number(own / base, 2)}**"


@dataclass(frozen=True)
class Answer:
    record: Callable[[str], Record]
    smallest: Record  # the array with the smallest INT8 baseline
    layouts: Layouts
    energies: Energies
    fpga: dict
    rivals: tuple[Record, Record]  # accelerators for inference, FP8 and INT8
    um2_of_logic: float  # in the memories' process, for the unit of the first library's area

    def area(self, name: str) -> str:
        record = self.record(name)
        return pair(record["area"], record["single_area"])

    def routed(self, name: str) -> str:
        """Areas of cores, if both sides were routed; in brackets if a side misses the clock with its wires."""
        sides = [self.layouts.best(one) for one in (name, self.record(name)["single"])]
        if None in sides:
            return "-"
        text = pair(*map(core, sides))
        return text if all(one["slack_ns"] >= 0 for one in sides) else f"({text})"

    def energy(self, name: str) -> str:
        """The mean of the networks' operands, against INT8 with one accumulator."""
        real = [data for data in self.energies.data(KIT) if data in REAL]
        try:
            rival = self.energies.rival(KIT, name, "one")
        except (StopIteration, UsageError):
            return "-"
        mean = lambda one: sum(self.energies.one(KIT, one, data)["pj"] for data in real) / len(real)
        return pair(mean(name), mean(rival), 2)

    def cells(self, name: str) -> str:
        """LUTs of an element, of the smaller form of each side. Both have one DSP for each lane."""
        if name not in MAPPED:
            return "-"
        return pair(
            self.least_luts(MAPPED[name]), self.least_luts(f"int8_l{self.record(name)['lanes']}")
        )

    def least_luts(self, prefix: str) -> float:
        found = [one for one in self.fpga["records"] if one["target"] == FPGA]
        its = [one for one in found if one["name"].split(",")[0] == prefix]
        lanes = its[0]["parameters"]["LANES"]
        each = lambda one: one["LUT"] / one["parameters"].get("SHARE", 1)
        dsp = lambda one: one["DSP"] / one["parameters"].get("SHARE", 1)
        return min(each(one) for one in its if dsp(one) == lanes)

    def array_cells(self, name: str) -> str:
        """LUTs of the elements of an array and of its baseline of equal shape"""
        record = self.record(name)
        elements = record["parameters"]["ROWS"] * record["parameters"]["COLS"]
        own, base = CLUSTER, f"int8_l{record['lanes']}"
        return pair(*(elements * self.least_luts(one) for one in (own, base)))

    def array(self, name: str, title: str) -> list[str]:
        """To the smallest INT8 array of any shape"""
        own, base = self.record(name)["area"], self.smallest["baseline_area"]
        cells = self.array_cells(name) if name == ARRAYS[0] else "-"
        return [title, pair(own, base), "-", "-", cells]

    def accelerator(self) -> list[list[str]]:
        """Of inference, whose clock is not confirmed. With memories, in their process"""
        whole = [rivals.whole_mm2(one, self.um2_of_logic) for one in self.rivals]
        logic = [one["logic"] for one in self.rivals]
        return [
            ["accelerator for inference without memories", pair(*logic), "-", "-", "-"],
            ["the same with memories, sky130hd, mm2", pair(*whole, 2), "-", "-", "-"],
        ]

    def table(self) -> str:
        lines = [
            [title, self.area(its), self.routed(its), self.energy(name), self.cells(name)]
            for name, title in ELEMENTS.items()
            for its in (STAGGERED.get(name, name),)
        ]
        lines.append(self.array("array_4x4_block_f19_l16_mx", "array as it ships, 19 bits, MX"))
        lines.append(
            self.array("array_4x4_block64_f13_l16_fp32", "array, `block64`, 13 bits, FP32")
        )
        lines.append(
            self.array("array_4x4_block64_f13_l16_fp16", "array, `block64`, 13 bits, FP16")
        )
        return tables.table(HEAD, [*lines, *self.accelerator()])


# ---- goals ------------------------------------------------------------------------------------------------------------

HEAD_GOALS = ["FP8 over INT8", "19 bits, FP32", "13 bits, FP32", "13 bits, FP16"]

# Another way to the goals of the line above, which count once
AGAIN = "the same with blocks of 64 and one accumulator"

# What is compared, with the goals for 19 bits FP32, 13 bits FP32 and 13 bits FP16
GOALS = {
    "one lane, one accumulator on both sides": (1.40, 1.15, 1.00),
    "16 lanes, to INT8 with as many accumulators": (1.17, 0.98, 0.90),
    "16 lanes, to INT8 with one accumulator": (1.24, 1.04, 0.96),
    AGAIN: (1.24, 1.04, 0.96),
    "array of 256 MACs, with MX in the first column": (1.17, 0.96, 0.93),
}
WINDOWS = ("block_f19_{}_fp32", "block_f13_{}_fp32", "block_f13_{}_fp16")
ARRAYS = (
    "array_4x4_block_f19_l16_mx",
    "array_4x4_block64_f13_l16_fp32",
    "array_4x4_block64_f13_l16_fp16",
)


def measured(answer: Answer) -> dict[str, list[float]]:
    """Of each goal, OSU018."""
    one = [answer.record(name.format("l1") + "_b1" + STAGGERED_SUFFIX) for name in WINDOWS]
    longer = [
        answer.record(name.format("l16").replace("block", "block64") + "_b1") for name in WINDOWS
    ]
    many = [answer.record(name.format("l16")) for name in WINDOWS]
    base = answer.smallest["baseline_area"]
    rows = [
        [r["area"] / r["single_area"] for r in one],
        [r["area"] / r["baseline_area"] for r in many],
        [r["area"] / r["single_area"] for r in many],
        [r["area"] / r["single_area"] for r in longer],
        [answer.record(name)["area"] / base for name in ARRAYS],
    ]
    return dict(zip(GOALS, rows, strict=True))


def bounds(answer: Answer, lanes: dict[str, tuple[float, float]]) -> dict[str, list[float]]:
    """Of elements of 16 lanes: the lanes alone, if all else of FP8 were free."""
    kinds = ("block_f19_fp32", "block_f13_fp32", "block_f13_fp16")
    many = [answer.record(name.format("l16")) for name in WINDOWS]
    own = [16 * lanes[kind][0] for kind in kinds]
    rows = [
        [area / r[side] for area, r in zip(own, many, strict=True)]
        for side in ("baseline_area", "single_area")
    ]
    return dict(zip(list(GOALS)[1:3], rows, strict=True))


def goals(answer: Answer, lanes: dict[str, tuple[float, float]]) -> str:
    """Measured values, bold where they meet the goal."""
    limits = bounds(answer, lanes)
    lines = []
    for name, found in measured(answer).items():
        line = [name]
        for place, (value, goal) in enumerate(zip(found, GOALS[name], strict=True)):
            text = number(value, 2)
            limit = f", bound {number(limits[name][place], 2)}" if name in limits else ""
            line.append(f"{f'**{text}**' if value <= goal else text} (goal {goal:.2f}{limit})")
        lines.append(line)
    return tables.table(HEAD_GOALS, lines)


def kit_goals(kit: list[Record]) -> str:
    """The goals of elements, and what a library of another process gives at its clock"""
    its = {record["name"]: record for record in kit}
    names = {
        goal: tuple(name.format(lanes) + end for name in WINDOWS)
        for goal, (lanes, end) in zip(
            GOALS, (("l1", "_b1" + STAGGERED_SUFFIX), ("l16", ""), ("l16", "")), strict=False
        )
    }
    sides = ("single_", "baseline_", "single_")
    lines = []
    for side, (goal, elements) in zip(sides, names.items(), strict=True):
        line = [goal]
        for name, limit in zip(elements, GOALS[goal], strict=True):
            record = its[name]
            value = record["area"] / record[f"{side}area"]
            text = number(value, 3)
            slack = " / ".join(number(record[f"{one}wired_slack_ns"], 2) for one in ("", side))
            bold = f"**{text}**" if value <= limit else text
            line.append(f"{bold} (goal {limit:.2f}; {slack} ns)")
        lines.append(line)
    return tables.table(HEAD_GOALS, lines)


def met(answer: Answer) -> str:
    """How many of how many goals are met."""
    pairs = [
        (value, goal)
        for name, found in measured(answer).items()
        if name != AGAIN
        for value, goal in zip(found, GOALS[name], strict=True)
    ]
    return f"{sum(value <= goal for value, goal in pairs)} of {len(pairs)}"
