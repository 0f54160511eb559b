# SPDX-License-Identifier: Apache-2.0
"""docs/PLAN.md from results.csv of the sweep in sweep.toml: which accelerator for which network. `make plan-report`"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from fp8mac_plan.area import Areas
from fp8mac_plan.choose import densest, fastest_within, front
from fp8mac_plan.configuration import (
    Configuration,
    one_port_bits,
    table_bits,
    two_port_bits,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/PLAN.md"
TEMPLATE, RESULTS, MEMORIES = HERE / "page.md", HERE / "results.csv", HERE / "memories.csv"
TABLES = HERE / "tables.csv"
SWEPT = ("buf_beats", "tiles", "max_mn")
LATENCIES = (0, 20, 100)
WITHIN = 1.01  # of the default's cycles
KEYS = {name: type(value) for name, value in vars(Configuration()).items()}
# A name, and what is in it
NETWORKS = {
    "bert_base": "BERT-base, 128 tokens",
    "resnet50": "ResNet-50, 224 x 224",
    "mobilenetv2": "MobileNetV2, 224 x 224",
    "dscnn_s": "DS-CNN-S, keyword spotting",
    **{
        f"{name}_{phase}_{batch}": f"{title}, {phase}, batch {batch}"
        for name, title in (("tinyllama", "TinyLlama 1.1B"), ("llama3_8b", "Llama 3 8B"))
        for phase in ("prefill", "decode")
        for batch in (1, 8, 64)
    },
}


def memories() -> list[dict[str, str]]:
    """Of the default accelerator: memories.csv has others too."""
    with MEMORIES.open() as file:
        return [row for row in csv.DictReader(file) if row["accelerator"] == "default"]


class Row:
    """A configuration with its figures"""

    def __init__(self, fields: dict[str, str]):
        self.its = Configuration(**{name: kind(fields[name]) for name, kind in KEYS.items()})
        self.mm2, self.memory = float(fields["area_mm2"] or "nan"), float(fields["memory_mm2"] or 0)
        self.cycles = {name: int(fields[f"{name} cycles"]) for name in NETWORKS}
        self.used = {name: float(fields[f"{name} utilisation"]) for name in NETWORKS}


def table(head: Iterable[str], lines: Iterable[Iterable[object]]) -> str:
    head = list(head)
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


class Report:
    def __init__(self, rows: list[Row]):
        self.rows = rows
        self.known = [row for row in rows if not math.isnan(row.mm2)]
        self.ours = next(row for row in rows if row.its == Configuration())

    def mean(self, row: Row, names: Iterable[str] = NETWORKS) -> float:
        """How many times as fast as the default, as a geometric mean"""
        logs = [math.log(self.ours.cycles[name] / row.cycles[name]) for name in names]
        return math.exp(math.fsum(logs) / len(logs))

    def fastest(self, speed: Callable[[Row], float]) -> Row:
        """Of those that are not larger than the default"""
        return fastest_within(self.known, self.ours.mm2, lambda row: 1 / speed(row)) or self.ours

    def say_networks(self) -> str:
        lines = []
        for name, title in NETWORKS.items():
            speed = lambda row, name=name: self.ours.cycles[name] / row.cycles[name]
            lines.append(
                [title, f"{self.ours.cycles[name]:,}", self._used(name), *self._best(speed)]
            )
        lines.append(["**all, geometric mean**", "", "", *self._best(self.mean)])
        head = ["network", "cycles of the default", "of its peak"]
        head += ["fastest of at most its area", "times as fast", "mm2"]
        return table([*head, "most speed for each mm2", "times as fast", "mm2"], lines)

    def _used(self, name: str) -> str:
        return f"{100 * self.ours.used[name]:.1f} %"

    def _best(self, speed: Callable[[Row], float]) -> list[str]:
        found = []
        for row in (self.fastest(speed), densest(self.known, lambda row: 1 / speed(row))):
            found += [row.its.name, f"{speed(row):.2f}", f"{row.mm2:.2f}"]
        return found

    def say_front(self) -> str:
        """Of the mean over all networks"""
        lines = []
        for row in front(self.known, lambda row: 1 / self.mean(row)):
            its = [row.its.name, row.its.macs, f"{row.mm2:.2f}", f"{row.memory:.2f}"]
            speed = self.mean(row)
            lines.append([*its, f"{speed:.2f}", f"{speed / row.mm2 * self.ours.mm2:.2f}"])
        head = ["configuration", "products a cycle", "mm2", "of it memory", "times as fast"]
        return table([*head, "speed for each mm2, to the default"], lines)

    def say_one_change(self) -> str:
        """The default with one parameter changed"""
        usual = vars(Configuration())
        lines = []
        for row in self.known:
            changed = {k: v for k, v in vars(row.its).items() if v != usual[k]}
            if len(changed) == 1:
                ((name, value),) = changed.items()
                its = [f"{name.replace('_', '-')} = {value}", f"{row.mm2:.2f}"]
                lines.append([*its, f"{self.mean(row):.3f}", *self._ends(row)])
        head = ["change", "mm2", "times as fast, mean", "least", "most"]
        return table(head, sorted(lines))

    def _ends(self, row: Row) -> list[str]:
        each = {name: self.ours.cycles[name] / row.cycles[name] for name in NETWORKS}
        low, high = min(each, key=each.__getitem__), max(each, key=each.__getitem__)
        return [f"{each[name]:.2f} ({NETWORKS[name]})" for name in (low, high)]

    def say_memories(self) -> str:
        """The default, and the smallest memories that keep the list at each latency and those below it"""
        rows = sorted(memories(), key=lambda row: float(row["mm2"]))
        usual = {name: str(value) for name, value in vars(Configuration()).items()}
        ours = next(row for row in rows if all(row[name] == usual[name] for name in SWEPT))
        lines = [["the default", *self._memory(ours, ours)]]
        for number, latency in enumerate(LATENCIES):
            kept = LATENCIES[: number + 1]
            row = next(r for r in rows if all(float(r[f"mean at {one}"]) <= WITHIN for one in kept))
            lines.append([f"smallest to a latency of {latency}", *self._memory(row, ours)])
        head = ["", *(name.replace("_", "-") for name in SWEPT), "bits", "of the default's mm2"]
        return table([*head, *(f"cycles at {one}, mean (most)" for one in LATENCIES)], lines)

    def say_tables(self) -> str:
        """The tables of the default accelerator, and loads of them"""
        with TABLES.open() as file:
            rows = list(csv.DictReader(file))
        its, each = Configuration(), Areas.shipped().data["um2_per_bit"]
        bits = table_bits(its)
        mm2 = bits * each["two ports"] / 1e6
        whole = (
            one_port_bits(its) * each["one port"] + two_port_bits(its) * each["two ports"]
        ) / 1e6
        area = [f"{bits:,}", f"{mm2:.2f}", f"{100 * mm2 / whole:.1f} %"]
        loads = [f"{float(row['mean']):.3f} ({float(row['most']):.2f})" for row in rows]
        lines = [
            ["two, loaded before (`TABLES` = 1)", *area, *["1.000"] * len(rows)],
            ["two, each command loads one", *area, *loads],
            ["none (`TABLES` = 0)", "0", "0.00", "0.0 %", *["-"] * len(rows)],
        ]
        head = ["tables", "bits", "mm2", "of the memories"]
        return table([*head, *(f"cycles at {row['latency']}, mean (most)" for row in rows)], lines)

    @staticmethod
    def say_table_loads() -> str:
        with TABLES.open() as file:
            found = [f"{float(row['cycles of a load']):.0f}" for row in csv.DictReader(file)]
        return f"{', '.join(found[:-1])} and {found[-1]}"

    @staticmethod
    def _memory(row: dict[str, str], ours: dict[str, str]) -> list[str]:
        part = float(row["mm2"]) / float(ours["mm2"])
        means = [
            f"{float(row[f'mean at {one}']):.3f} ({float(row[f'most at {one}']):.2f})"
            for one in LATENCIES
        ]
        return [*(row[name] for name in SWEPT), f"{int(row['bits']):,}", f"{part:.2f}", *means]

    def _changed(self, **change: int) -> Row:
        return next(r for r in self.known if r.its == replace(Configuration(), **change))

    def say_mean_best(self) -> str:
        row = self.fastest(self.mean)
        return f"{row.its.name} ({row.mm2:.2f} mm2, {self.mean(row):.2f} times as fast)"

    def say_lanes_area(self) -> str:
        return f"{100 * (self._changed(lanes=32).mm2 / self.ours.mm2 - 1):.0f} %"

    def say_lanes_speed(self) -> str:
        return f"{self.mean(self._changed(lanes=32)):.2f}"

    def say_buffers_area(self) -> str:
        return f"{100 * (1 - self._changed(buf_beats=128).mm2 / self.ours.mm2):.0f} %"

    def say_buffers_speed(self) -> str:
        return f"{self.mean(self._changed(buf_beats=128)):.3f}"

    def say_count(self) -> str:
        return f"{len(self.rows)}"

    def say_ours_mm2(self) -> str:
        return f"{self.ours.mm2:.2f}"

    def say_ours_memory(self) -> str:
        return f"{100 * self.ours.memory / self.ours.mm2:.0f} %"

    def say_rank(self) -> str:
        """Of the default by speed for each area"""
        density = lambda row: self.mean(row) / row.mm2
        return f"{1 + sum(density(row) > density(self.ours) for row in self.known)}"

    @staticmethod
    def say_memory_count() -> str:
        return f"{len(memories())}"

    @staticmethod
    def say_area_error() -> str:
        return f"{100 * Areas.shipped().error:.1f} %"

    @staticmethod
    def say_synthesised() -> str:
        return f"{len(Areas.shipped().data['measured'])}"


def page(rows: list[Row]) -> str:
    report, text = Report(rows), TEMPLATE.read_text()
    for name in dir(report):
        if name.startswith("say_"):
            text = text.replace("{{" + name.removeprefix("say_") + "}}", getattr(report, name)())
    if "{{" in text:
        raise ValueError(
            f"{TEMPLATE} asks for something that is not there: {text.split('{{')[1][:40]}"
        )
    return text


def main() -> int:
    with RESULTS.open() as file:
        rows = [Row(fields) for fields in csv.DictReader(file)]
    PAGE.write_text(page(rows))
    print(f"  PLAN      {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
