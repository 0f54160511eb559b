# SPDX-License-Identifier: Apache-2.0
"""Tables of the chip's cycles, from results.json and by the model of cycles.

`docs/CYCLES.md` quotes `summary`. All others are of the page that `make docs` makes of full_page.md.
"""

import functools
import math
import statistics
from collections.abc import Callable
from pathlib import Path

from synth.study.tables import table

from . import limits, results, workloads
from .limits import DEFAULT
from .programs import Command, Row, gemm

# What a value or a row of row commands should take
ROW_TARGETS = {"layer norm": 0.5, "softmax": 0.75}
ROW_FLOORS = {"layer norm": 0.25, "softmax": 0.4}
ROW_TARGETS_ALONE = {"layer norm": 200}  # of one row, in cycles
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
EPILOGUE = 8  # values that it finishes in a cycle
VALUES = (32, 256)  # element-wise commands on so many values have their limit in the table
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
# What the summary of docs/CYCLES.md has, beside these shapes
SUMMARY = (
    (512, 512, 512),
    (128, 128, 128),
    (64, 64, 64),
    (32, 32, 32),
    (64, 64, 2048),
    (1, 768, 768),
    (100, 100, 100),
    (784, 192, 32),
    (196, 256, 2304),
    (64, 2048, 2048),
)


def bold(text: str, yes: bool) -> str:
    return f"**{text}**" if yes else text


def percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def mean(of: list[float]) -> float:
    """The geometric mean"""
    return math.exp(statistics.fmean(map(math.log, of)))


def bytes_moved(name: str) -> tuple[int, int]:
    """Bytes that an element-wise command reads and writes for a value, from its name, as `float32 to int8`."""
    of = lambda word: BYTES.get(word, 1)
    words = name.replace(",", "").split()
    if words[0] in ("sum", "product", "maximum"):
        return 2 * of(words[2]), of(words[2])
    return of(words[0]), of(words[2] if words[1] == "to" else words[0])


@functools.cache
def array_cycles(tool: Path, shapes: tuple[limits.Shape, ...]) -> dict[limits.Shape, int]:
    return limits.array_cycles(tool, shapes, DEFAULT)


@functools.cache
def layer_cycles(tool: Path, layer: limits.Layer, latency: int) -> int:
    return limits.layer_cycles(tool, layer, latency)


class Tables:
    """`file` is of results.load, `tool` is fp8mac, `row_cycles` of row_commands.load."""

    def __init__(
        self,
        file: dict,
        wanted: workloads.Workloads,
        tool: Path,
        row_cycles: list[tuple[str, int, int, int]],
    ):
        self.row_cycles = row_cycles
        self.wanted, self.tool, self.file = wanted, tool, file
        self.rows = file["rows"]
        self.commands = results.by_command(self.rows)
        shapes = tuple(one.shape for group in wanted.groups for one in group.gemms)
        self.arrays = array_cycles(tool, shapes)
        self.groups = {one.shape: (group, one) for group in wanted.groups for one in group.gemms}

    def row(self, command: Command) -> Row:
        """Of a program that prints one"""
        return self.rows[command.text]

    def named(self, name: str) -> str:
        """The table of that name"""
        made: dict[str, Callable[[], str]] = {
            "summary": self.summary,
            "gemms": self.gemms,
            "int8": self.int8,
            "causes": self.causes,
            "targets": self.targets,
            "latency": self.latency,
            "convolution": self.convolution,
            "depthwise": self.depthwise,
            "elementwise": self.elementwise,
            "row_commands": self.row_commands,
            "calls": self.calls,
            "speed": self.speed,
        }
        return made[name]() if name in made else ""

    # ---- GEMMs ------------------------------------------------------------------------------------------------------

    def ratio(self, group: workloads.Group, one: workloads.Gemm) -> float:
        cycles = self.row(gemm(one.shape))["cycles"]
        return limits.baseline(one.shape, group.of, DEFAULT) / cycles

    def allowed(self, group: workloads.Group, one: workloads.Gemm) -> float:
        return limits.ratio_limit(one.shape, group.of, DEFAULT, self.arrays[one.shape])

    def means(self, group: workloads.Group) -> tuple[float, float]:
        """The geometric means of a group's ratios and of what array and bus allow."""
        pairs = [(self.ratio(group, one), self.allowed(group, one)) for one in group.gemms]
        ratios, allowed = map(list, zip(*pairs, strict=True))
        return mean(ratios), mean(allowed)

    def summary(self) -> str:
        header = ["m x n x k", "layer", "cycles", "share", "of", "at most"]
        lines = []
        for shape in SUMMARY:
            group, one = self.groups[shape]
            cycles = f"{self.row(gemm(shape))['cycles']:,}"
            share, most = (percent(of(group, one)) for of in (self.ratio, self.allowed))
            lines.append([times(shape), one.layer, cycles, share, group.of, most])
        return table(header, lines)

    def gemms(self) -> str:
        header = ["m x n x k", "layer", "cycles", "plan", "ratio", "at most", "target"]
        lines = []
        for group in self.wanted.groups:
            of = group.of if group.of in ("peak", "rounded") else f"the {group.of}"
            lines.append([f"**{group.name}**, of {of}", *[""] * 6])
            lines += [self.shape(group, one) for one in group.gemms]
            if group.mean:
                ratio, allowed = self.means(group)
                name = f"geometric mean of the {group.name.lower()}"
                shown = bold(percent(ratio), ratio >= group.mean)
                lines.append([name, "", "", "", shown, percent(allowed), f"{100 * group.mean:g} %"])
        return table(header, lines)

    def shape(self, group: workloads.Group, one: workloads.Gemm) -> list[str]:
        row, ratio = self.row(gemm(one.shape)), self.ratio(group, one)
        return [
            times(one.shape),
            one.layer,
            f"{row['cycles']:,}",
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

    def every_target(self) -> list[tuple[bool, list[str]]]:
        """Whether each is met, and its line"""
        every = [*self.cubes(), *map(self.target, workloads.targets())]
        return [*every, *map(self.depthwise_target, DEPTHWISE_TARGETS), *self.row_targets()]

    def targets(self) -> str:
        head = ["what", "measured", "floor", "target", "count", "on the core", "command"]
        lines = [[line[0], bold(line[1], met), *line[2:]] for met, line in self.every_target()]
        return table(head, lines)

    def cubes(self) -> list[tuple[bool, list[str]]]:
        """A floor of one GEMM has the cycles of its steps, and a short start and end."""
        lines = []
        for side in sorted(CUBES, reverse=True):
            group, one = self.groups[side, side, side]
            if one.target is None:
                continue
            floor = limits.baseline(one.shape, group.of, DEFAULT)
            floor /= self.arrays[one.shape] + SHORT_ENDS
            ratio = self.ratio(group, one)
            span = ("first register write to completion seen", "the driver's run of a plan")
            shown = [percent(ratio), percent(floor), f"{100 * one.target:g} %"]
            name = f"{side} cubed, of {group.of}"
            lines.append((ratio >= one.target, [name, *shown, *span, f"`{gemm(one.shape).text}`"]))
        return lines

    def target(self, one: dict) -> tuple[bool, list[str]]:
        cycles, of = self.rows[one["row"]][one["figure"]], one.get("of")
        value = 100 * of / cycles if of else cycles
        met = value >= one["target"] if of else value <= one["target"]
        text = lambda number: f"{number:.4g} %" if of else f"{number:,}"
        shown = [text(number) for number in (value, one["floor"], one["target"])]
        command = one["row"].partition(": ")[0]
        return met, [one["what"], *shown, one["span"], one["core"], f"`{command}`"]

    def depthwise_target(self, one: tuple[limits.Layer, int, int]) -> tuple[bool, list[str]]:
        layer, floor, target = one
        share = self.share(layer)
        size = f"{layer.channels} channels, {layer.height} x {layer.width}"
        shown = [f"{share:.1f} %", f"{floor} %", f"{target} %"]
        ends = ["doorbell to interrupt", "nothing", "`fp8mac cycles --list`"]
        return share >= target, [f"depthwise 3 x 3, {size}, of peak", *shown, *ends]

    def row_targets(self) -> list[tuple[bool, list[str]]]:
        lines = []
        for name, m, n, cycles in self.row_cycles:
            alone = m == 1
            target = (ROW_TARGETS_ALONE if alone else ROW_TARGETS).get(name)
            if target is None:
                continue
            value, unit = (cycles, "cycles") if alone else (cycles / m / n, "cycles a value")
            floor = round(ROW_FLOORS[name] * n) + SHORT_ENDS if alone else ROW_FLOORS[name]
            shown = [f"{value:,}" if alone else f"{value:.2f}", str(floor), str(target)]
            ends = ["register write to interrupt", "nothing", "`make accept-rows`"]
            lines.append((value <= target, [f"{name}, {m} x {n}, {unit}", *shown, *ends]))
        return lines

    # ---- layers -----------------------------------------------------------------------------------------------------

    def layer(self, layer: limits.Layer, latency: int = 0) -> int:
        """Cycles of a recorded layer, by the model"""
        return layer_cycles(self.tool, layer, latency)

    def share(self, layer: limits.Layer) -> float:
        """Of the array's peak, in percent"""
        return 100 * layer.macs / DEFAULT.macs / self.layer(layer)

    def latency(self) -> str:
        lines = []
        for layer in (*DEPTHWISE, *FIRST_LAYERS):
            near, far = (self.layer(layer, more) for more in (0, LATENCY))
            kind = "depthwise" if layer.depthwise else f"to {layer.filters}"
            name = f"{layer.height} x {layer.width} x {layer.channels}, {kind}"
            shown = bold(f"{far / near:.2f}", far / near <= LATENCY_TARGET)
            lines.append([name, f"{near:,}", f"{far:,}", shown])
        return table(["3 x 3 layer", "cycles", f"with {LATENCY} more of latency", "ratio"], lines)

    def convolution(self) -> str:
        lines = [
            [
                name,
                f"{row['cycles']:,}",
                f"{row['gemm_cycles']:,}",
                f"{row['cycles'] / row['gemm_cycles']:.2f}",
                f"{row['beats']:,}",
                f"{row['gemm_beats']:,}",
                f"{row['gathering']:,}",
            ]
            for name, row in self.commands[workloads.CONVOLUTION.text].items()
        ]
        header = ["layer", "cycles in place", "gathered", "ratio", "beats in place", "gathered"]
        return table([*header, "core cycles to gather"], lines)

    def depthwise(self) -> str:
        lines = [
            [f"{one.height} x {one.width}", f"{self.layer(one):,}", f"{self.share(one):.1f} %"]
            for one in DEPTHWISE
        ]
        return table(["image, height x width", "cycles", "of peak"], lines)

    def elementwise(self) -> str:
        rows = self.commands[workloads.ELEMENTWISE.text]
        header = ["command", "values", "cycles", "values a cycle", "at most", "limit", "beyond it"]
        return table(header, [self.command(name, row) for name, row in rows.items()])

    @staticmethod
    def command(name: str, row: Row) -> list[str]:
        """The limit of those on VALUES, which are long and have one format of operands"""
        values = row["m"] * row["n"]
        size, rate = times((row["m"], row["n"])), f"{values / row['cycles']:.1f}"
        cells = [name, size, f"{row['cycles']:,}", rate]
        if (row["m"], row["n"]) != VALUES:
            return [*cells, "", "", ""]
        rates = {"epilogue": EPILOGUE, "bus": DEFAULT.beat // max(bytes_moved(name))}
        least = min(rates.values())
        limit = " and ".join(part for part, rate in rates.items() if rate == least)
        return [*cells, str(least), limit, f"{row['cycles'] - values // least:,}"]

    def row_commands(self) -> str:
        lines = []
        for name, m, n, cycles in self.row_cycles:
            target = ROW_TARGETS.get(name, math.inf)
            each = cycles / m / n
            shown = str(target) if target < math.inf and m > 1 else ""
            value = bold(f"{each:.2f}", each <= target < math.inf)
            lines.append([name, f"{m} x {n}", f"{cycles:,}", value, shown])
        header = ["command", "rows x columns", "cycles", "for each value", "target"]
        return table(header, lines)

    def calls(self) -> str:
        rows = self.commands[workloads.CALLS.text]
        lines = [
            [name, f"{row.get('core_cycles', row.get('cycles')):,}"] for name, row in rows.items()
        ]
        return table(["call", "cycles"], lines)

    # ---- simulators -------------------------------------------------------------------------------------------------

    def speed(self) -> str:
        """Rows by simulator, with the ranges of their rounds."""
        found = self.file["speed"]
        modes = {"RTL": "RTL", "timed": "timing model"}
        works = list(dict.fromkeys(one["name"] for one in found))
        lines = []
        for mode, name in modes.items():
            own = {one["name"]: one for one in found if one["mode"] == mode}
            cells = [cell for work in works for cell in self.ratios(own[work])] if own else []
            lines += [[name, *cells]] if cells else []
        return table(["simulator", *(word for work in works for word in (work, "target"))], lines)

    @staticmethod
    def ratios(one: dict) -> list[str]:
        target = one["target"]

        def text(ratio: float) -> str:
            return f"1/{1 / ratio:.1f}" if ratio < 1 else f"{ratio:.1f} times"

        ends = (bold(text(one[key]), one[key] >= target) for key in ("most", "least"))
        return [" to ".join(ends), f"1/{1 / target:g}"]
