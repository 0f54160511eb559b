# SPDX-License-Identifier: Apache-2.0
"""python -m sim.bench.page: writes docs/THROUGHPUT.md from the results in sim/bench/results.json.

throughput_page.md, beside this file, is the page's text. In it {{WORD ARGUMENT...}} stands for a table or a figure, which
is computed from the results, and by the model of cycles: see Page. Text and results are edited by hand or by --from, never the page.
"""

import argparse
import json
import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

from synth.study.report import filled
from synth.study.tables import table

from . import limits, results, workloads
from .limits import DEFAULT
from .programs import Command, Row, gemm

TEMPLATE = Path(__file__).with_name("throughput_page.md")
PAGE = Path("docs/THROUGHPUT.md")
MODEL = Path("build/model/fp8mac")
# The bench that measures row commands, its limit of each, and what a value or a row should take
# Cycles of the same GEMMs before norms, softmax, lists, depthwise commands and fewer multipliers
BEFORE = Path("sim/bench/before.json")
ROW_BENCH = Path("tests/rtl/accel_row_tests.h")
ROW_LIMIT = re.compile(r'\{"([a-zA-Z ]+)", \w+, (\d+), (\d+), (\d+)\}')
ROW_TARGETS = {"layer norm": 0.5, "softmax": 0.75}
ROW_FLOORS = {"layer norm": 0.25, "softmax": 0.4}
ROW_TARGETS_ALONE = {"layer norm": 200}  # of one row, in cycles
BLANK = re.compile(r"\{\{([^{}]+)\}\}")
# What the counters of a GEMM count, in the order of time.
CAUSES = {
    "idle": "the core's part: the doorbell, and from the interrupt until completion is seen",
    "command": "the descriptor is read, checked and divided into tiles",
    "first_load": "the operands of the first tile are read",
    "compute": "steps",
    "load": "operands of later tiles are waited for",
    "results": "the output part cannot take more results",
    "spacing": "an accumulator or an accumulate unit is waited for",
    "store": "the last results are finished and written",
}
# Values that the epilogue finishes in a cycle
EPILOGUE = 8
# The element-wise commands of the page are those on this many values.
VALUES = (32, 256)
# Images of depthwise layers, and those of them that have a floor and a target, of peak
DEPTHWISE = [
    limits.Layer(height, width, 64, 64, True)
    for height, width in ((28, 28), (14, 14), (5, 25), (25, 5))
]
DEPTHWISE_TARGETS = ((DEPTHWISE[0], 28, 25), (DEPTHWISE[3], 24, 20))
FIRST_LAYERS = (limits.Layer(28, 28, 8, 16), limits.Layer(32, 32, 3, 16))
LATENCY, LATENCY_TARGET = 20, 1.2
# Sides of cubes whose cycles are told by their causes, and a start and an end that would be short
CUBES, SHORT_ENDS = (32, 48, 64, 96, 100), 130
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}


class PageError(Exception):
    """The template asks for what the results do not have."""


def bold(text: str, yes: bool) -> str:
    return f"**{text}**" if yes else text


def percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def times(shape: limits.Shape) -> str:
    return " x ".join(map(str, shape))


def bytes_moved(name: str) -> tuple[int, int]:
    """Bytes that an element-wise command reads and writes for a value, from its name, as `float32 to int8`."""
    of = lambda word: BYTES.get(word, 1)
    words = name.replace(",", "").split()
    if words[0] in ("sum", "product", "maximum"):
        return 2 * of(words[2]), of(words[2])
    return of(words[0]), of(words[2] if words[1] == "to" else words[0])


class Page:
    """The words that the template may use."""

    def __init__(self, path: Path, tool: Path):
        self.wanted = workloads.load()
        shapes = [one.shape for group in self.wanted.groups for one in group.gemms]
        self.arrays = limits.array_cycles(tool, shapes, DEFAULT)
        self.tool = tool
        self.results = results.load(path, self.wanted)
        self.rows = results.rows_by_command(self.results)
        self.before = json.loads(BEFORE.read_text())["cycles"]

    def text(self, template: str) -> str:
        def value(blank: re.Match[str]) -> str:
            word, *arguments = blank[1].split()
            method = getattr(self, f"say_{word}", None)
            if method is None:
                known = " ".join(name[4:] for name in dir(self) if name.startswith("say_"))
                raise PageError(f"the template has {blank[0]}: choose one of {known}")
            return method(*arguments).rstrip("\n")

        return BLANK.sub(value, template)

    def row(self, command: Command) -> Row:
        """Of a program that prints one."""
        return self.rows[command.text][0]

    # ---- figures ----------------------------------------------------------------------------------------------------

    def say_run(self) -> str:
        run = self.results["run"]
        return (
            f"{run['date']}, version {run['version']}, with firmware compiled by {run['compiler']}"
        )

    def say_targets(self) -> str:
        """How many targets are met."""
        shapes = [
            self.ratio(group, one) >= one.target
            for group in self.wanted.groups
            for one in group.gemms
            if one.target is not None
        ]
        means = [self.mean(group)[0] >= group.mean for group in self.wanted.groups if group.mean]
        met = [*shapes, *means]
        return f"{sum(met)} of {len(met)}"

    def say_before(self, key: str) -> str:
        """The day of the cycles before, or the geometric mean of today's to them"""
        if key == "date":
            return json.loads(BEFORE.read_text())["date"]
        shapes = [one.shape for group in self.wanted.groups for one in group.gemms]
        ratios = [
            self.row(gemm(shape))["cycles"] / self.before[times(shape)]
            for shape in shapes
            if times(shape) in self.before
        ]
        return f"{math.exp(statistics.fmean(map(math.log, ratios))):.3f}"

    def say_beyond(self, m: str, n: str, k: str) -> str:
        """Cycles of a GEMM in which no step is issued."""
        row = self.row(gemm((int(m), int(n), int(k))))
        return f"{row['cycles'] - row['compute']:,}"

    @staticmethod
    def say_short_ends() -> str:
        return str(SHORT_ENDS)

    @staticmethod
    def say_latency_target() -> str:
        return f"{LATENCY_TARGET} times"

    @staticmethod
    def say_list_start() -> str:
        """The core's part of a recorded list"""
        start = next(one for one in workloads.networks() if "recorded" in one["what"])
        return str(start["measured"])

    def say_idle(self, m: str, n: str, k: str) -> str:
        """Cycles of a GEMM without a command."""
        return f"{self.row(gemm((int(m), int(n), int(k))))['idle']:,}"

    def say_digits(self, kind: str, key: str) -> str:
        """A counter of the digits on a chip of `kind`."""
        return f"{self.row(workloads.DIGITS[kind])[key]:,}"

    def say_both_digits(self, key: str) -> str:
        """A counter of the digits that is the same on both chips."""
        fp8, int8 = (self.say_digits(kind, key) for kind in ("block", "int8"))
        if fp8 != int8:
            raise PageError(f"{key} of the digits is {fp8} on FP8 and {int8} on INT8: say so")
        return fp8

    def say_most_in_place(self) -> str:
        """The largest ratio of a convolution in place to its GEMM."""
        rows = self.rows[workloads.CONVOLUTION.text]
        most = max(row["cycles"] / row["gemm_cycles"] for row in rows)
        return f"{math.ceil(10 * most) / 10:.1f}"

    def say_least_gathering(self) -> str:
        """The smallest ratio of the core's cycles for gathering to the accelerator's in place."""
        rows = self.rows[workloads.CONVOLUTION.text]
        return str(min(row["gathering"] // row["cycles"] for row in rows))

    # ---- tables -----------------------------------------------------------------------------------------------------

    def say_table(self, name: str) -> str:
        made = {
            "shapes": self.shapes,
            "int8": self.int8,
            "causes": self.causes,
            "targets": self.targets,
            "latency": self.latency,
            "convolution": self.convolution,
            "depthwise": self.depthwise,
            "elementwise": self.elementwise,
            "row_commands": self.row_commands,
            "speed": self.speed,
        }
        if name not in made:
            raise PageError(f"there is no table {name}: choose one of {' '.join(made)}")
        return made[name]()

    def ratio(self, group: workloads.Group, one: workloads.Gemm) -> float:
        cycles = self.row(gemm(one.shape))["cycles"]
        return limits.baseline(one.shape, group.of, DEFAULT) / cycles

    def allowed(self, group: workloads.Group, one: workloads.Gemm) -> float:
        return limits.ratio_limit(one.shape, group.of, DEFAULT, self.arrays[one.shape])

    def mean(self, group: workloads.Group) -> tuple[float, float]:
        """The geometric means of a group's ratios and of what array and bus allow."""
        ratios = [self.ratio(group, one) for one in group.gemms]
        allowed = [self.allowed(group, one) for one in group.gemms]
        mean = lambda of: math.exp(statistics.fmean(map(math.log, of)))
        return mean(ratios), mean(allowed)

    def shapes(self) -> str:
        header = ["m x n x k", "layer", "cycles", "before", "plan", "ratio", "at most", "target"]
        lines = []
        for group in self.wanted.groups:
            of = group.of if group.of == "peak" or group.of == "rounded" else f"the {group.of}"
            lines.append([f"**{group.name}**, of {of}", *[""] * 7])
            lines += [self.shape(group, one) for one in group.gemms]
            if group.mean:
                ratio, allowed = self.mean(group)
                name = f"geometric mean of the {group.name.lower()}"
                shown = bold(percent(ratio), ratio >= group.mean)
                lines.append(
                    [name, "", "", "", "", shown, percent(allowed), f"{100 * group.mean:g} %"]
                )
        return table(header, lines)

    def shape(self, group: workloads.Group, one: workloads.Gemm) -> list[str]:
        row, ratio = self.row(gemm(one.shape)), self.ratio(group, one)
        return [
            times(one.shape),
            one.layer,
            f"{row['cycles']:,}",
            f"{self.before[times(one.shape)]:,}" if times(one.shape) in self.before else "",
            f"{row['plan']:,}",
            bold(percent(ratio), one.target is not None and ratio >= one.target),
            percent(self.allowed(group, one)),
            f"{100 * one.target:g} %" if one.target is not None else "",
        ]

    def int8(self) -> str:
        pairs = [(times(shape), gemm(shape, "int8"), gemm(shape)) for shape in self.wanted.int8]
        digits = workloads.DIGITS
        images = self.row(digits["block"])["images"]
        lines = [
            [name, *(f"{self.row(one)['cycles']:,}" for one in pair), f"`{pair[0].text}`"]
            for name, *pair in (*pairs, (f"{images} digits", digits["int8"], digits["block"]))
        ]
        return table(["", "INT8", "FP8", "command of INT8"], lines)

    def causes(self) -> str:
        found = [self.row(gemm((side, side, side))) for side in CUBES]
        lines = [
            [text, f"`{name}`", *(f"{row[name]:,}" for row in found)]
            for name, text in CAUSES.items()
        ]
        lines.append(["all", "`cycles`", *(f"{row['cycles']:,}" for row in found)])
        return table(["cause", "counter", *(f"{side} cubed" for side in CUBES)], lines)

    # ---- targets ----------------------------------------------------------------------------------------------------

    def targets(self) -> str:
        lines = [*self.cubes(), *map(self.network, workloads.networks())]
        lines += [self.depthwise_target(*one) for one in DEPTHWISE_TARGETS]
        head = ["what", "measured", "floor", "target", "count", "on the core", "command"]
        return table(head, [*lines, *self.row_targets()])

    def cubes(self) -> list[list[str]]:
        """A floor of one GEMM has the cycles of its steps, and a short start and end."""
        lines = []
        for group in self.wanted.groups:
            for one in group.gemms:
                side = one.shape[0]
                if one.shape != (side, side, side) or side not in CUBES or one.target is None:
                    continue
                base = limits.baseline(one.shape, group.of, DEFAULT)
                ratio = self.ratio(group, one)
                lines.append(
                    [
                        f"{side} cubed, of {group.of}",
                        bold(percent(ratio), ratio >= one.target),
                        percent(base / (self.arrays[one.shape] + SHORT_ENDS)),
                        f"{100 * one.target:g} %",
                        "first register write to completion seen",
                        "the driver's run of a plan",
                        f"`{gemm(one.shape).text}`",
                    ]
                )
        return lines

    @staticmethod
    def network(one: dict) -> list[str]:
        percents = one["unit"] == "%"
        met = one["measured"] >= one["target"] if percents else one["measured"] <= one["target"]

        def text(value: float) -> str:
            return "" if value == 0 else f"{value:g} %" if percents else f"{value:,}"

        shown = [bold(text(one["measured"]), met), text(one["floor"]), text(one["target"])]
        return [one["what"], *shown, one["span"], one["core"], f"`{one['command']}`"]

    def share(self, layer: limits.Layer) -> float:
        """Of the array's peak, in percent"""
        return 100 * layer.macs / DEFAULT.macs / limits.layer_cycles(self.tool, layer)

    def depthwise_target(self, layer: limits.Layer, floor: int, target: int) -> list[str]:
        share = self.share(layer)
        what = (
            f"depthwise 3 x 3, {layer.channels} channels, {layer.height} x {layer.width}, of peak"
        )
        shown = [bold(f"{share:.1f} %", share >= target), f"{floor} %", f"{target} %"]
        return [what, *shown, "doorbell to interrupt", "nothing", "`fp8mac cycles --list`"]

    @staticmethod
    def row_targets() -> list[list[str]]:
        lines = []
        for name, *numbers in ROW_LIMIT.findall(ROW_BENCH.read_text()):
            m, n, most = map(int, numbers)
            of_row = ROW_TARGETS_ALONE.get(name) if m == 1 else None
            target = of_row if m == 1 else ROW_TARGETS.get(name)
            if target is None:
                continue
            value = most if m == 1 else most / m / n
            unit = "cycles" if m == 1 else "cycles a value"
            floor = ROW_FLOORS[name] if m > 1 else round(ROW_FLOORS[name] * n) + SHORT_ENDS
            measured = bold(f"{value:,}" if m == 1 else f"{value:.2f}", value <= target)
            ends = ["register write to interrupt", "nothing", "`accel_tb --rows`"]
            lines.append([f"{name}, {m} x {n}, {unit}", measured, str(floor), str(target), *ends])
        return lines

    def latency(self) -> str:
        lines = []
        for layer in (*DEPTHWISE, *FIRST_LAYERS):
            near, far = (limits.layer_cycles(self.tool, layer, more) for more in (0, LATENCY))
            kind = "depthwise" if layer.depthwise else f"to {layer.filters}"
            name = f"{layer.height} x {layer.width} x {layer.channels}, {kind}"
            shown = bold(f"{far / near:.2f}", far / near <= LATENCY_TARGET)
            lines.append([name, f"{near:,}", f"{far:,}", shown])
        return table(["3 x 3 layer", "cycles", f"with {LATENCY} more of latency", "ratio"], lines)

    def convolution(self) -> str:
        lines = [
            [
                str(row["name"]),
                f"{row['cycles']:,}",
                f"{row['gemm_cycles']:,}",
                f"{row['cycles'] / row['gemm_cycles']:.2f}",
                f"{row['beats']:,}",
                f"{row['gemm_beats']:,}",
                f"{row['gathering']:,}",
            ]
            for row in self.rows[workloads.CONVOLUTION.text]
        ]
        header = ["layer", "cycles in place", "gathered", "ratio", "beats in place", "gathered"]
        return table([*header, "core cycles to gather"], lines)

    def depthwise(self) -> str:
        """By the model of cycles"""
        lines = []
        for layer in DEPTHWISE:
            cycles = limits.layer_cycles(self.tool, layer)
            name = f"{layer.height} x {layer.width}"
            lines.append([name, f"{cycles:,}", f"{self.share(layer):.1f} %"])
        return table(["image, height x width", "cycles", "of peak"], lines)

    def elementwise(self) -> str:
        rows = self.rows[workloads.ELEMENTWISE.text]
        lines = [self.command(row) for row in rows if (row["m"], row["n"]) == VALUES]
        if not lines:
            raise PageError(f"no element-wise command has {times(VALUES)} values")
        header = ["command", "cycles", "values a cycle", "at most", "limit", "beyond it"]
        return table(header, lines)

    @staticmethod
    def row_commands() -> str:
        """The limits of the accelerator's bench."""
        lines = []
        for name, *numbers in ROW_LIMIT.findall(ROW_BENCH.read_text()):
            m, n, most = map(int, numbers)
            target = ROW_TARGETS.get(name, math.inf)
            each = most / m / n
            shown = str(target) if target < math.inf and m > 1 else ""
            lines.append(
                [
                    name,
                    f"{m} x {n}",
                    f"{most:,}",
                    bold(f"{each:.2f}", each <= target < math.inf),
                    shown,
                ]
            )
        if not lines:
            raise PageError(f"{ROW_BENCH} has no limits of row commands")
        header = ["command", "rows x columns", "at most, cycles", "for each value", "target"]
        return table(header, lines)

    @staticmethod
    def command(row: Row) -> list[str]:
        values = row["m"] * row["n"]
        rates = {"epilogue": EPILOGUE, "bus": DEFAULT.beat // max(bytes_moved(row["name"]))}
        least = min(rates.values())
        limit = " and ".join(name for name, rate in rates.items() if rate == least)
        rate = f"{values / row['cycles']:.1f}"
        beyond = f"{row['cycles'] - values // least:,}"
        return [row["name"], f"{row['cycles']:,}", rate, str(least), limit, beyond]

    def speed(self) -> str:
        """Rows by simulator, with the ranges of their rounds."""
        found = self.results["speed"]
        modes = {"RTL": "RTL", "timed": "timing model"}
        works = list(dict.fromkeys(one["name"] for one in found))
        lines = []
        for mode, name in modes.items():
            own = {one["name"]: one for one in found if one["mode"] == mode}
            cells = [cell for work in works for cell in self.ratios(own[work])]
            lines.append([name, *cells])
        return table(["simulator", *(word for work in works for word in (work, "target"))], lines)

    @staticmethod
    def ratios(one: dict) -> list[str]:
        target = one["target"]

        def text(ratio: float) -> str:
            return f"1/{1 / ratio:.1f}" if ratio < 1 else f"{ratio:.1f} times"

        ends = (bold(text(one[key]), one[key] >= target) for key in ("most", "least"))
        return [" to ".join(ends), f"1/{1 / target:g}"]


def write(path: Path, out: Path, tool: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(filled(Page(path, tool).text(TEMPLATE.read_text())))


def take(source: Path, path: Path) -> None:
    """A whole measurement takes the place of the one before."""
    measured = results.load(source, workloads.load())
    path.write_text(results.text_of(measured))


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m sim.bench.page", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--results", type=Path, default=results.COMMITTED, help="the results")
    add("--out", type=Path, default=PAGE, help="the page")
    add("--model", type=Path, default=MODEL, help="the tool fp8mac, for what the array allows")
    add("--from", type=Path, dest="source", help="a measurement that is taken first")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.source:
            take(options.source, options.results)
        write(options.results, options.out, options.model)
    except (PageError, results.ResultsError, OSError, subprocess.SubprocessError) as error:
        print(f"make bench-report: {error}", file=sys.stderr)
        return 2
    print(f"  REPORT    {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
