# SPDX-License-Identifier: Apache-2.0
"""Throughput of the simulated chip on the GEMMs of workloads.toml, beside what the array and the bus allow.

Each GEMM is one run of the application gemm: D in e4m3fn, one scale for each tensor. Its cycles go from the driver's
first register write to the moment at which the driver sees completion. The driver plans the GEMM before that, once per
shape; `plan` is the core's cycles for it. `limit` is the ratio that this array and bus could reach if the array waited for
nothing but accumulators, by the model of cycles. Every output is compared with the golden model. The last rows are the speed of the simulation
(sim/speed/speed.py). Writes OUT/system.json (rows {name, value, unit, baseline, ratio, target, met}), OUT/system.md and
OUT/roofline.svg. Exit status 1 if a run fails or an output differs; a missed target is only reported.

With --int8 all other commands of workloads.py run, too. OUT/throughput.json then has what `make accept-cycles FROM=` takes."""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

from sim.speed import speed

from . import limits, plot, results, workloads
from .programs import Command, ProgramError, Row, Simulators, chip_of, gemm, rate_of, rows_of

# Cycles of a whole run, about, where no shape tells them.
RUN_CYCLES = {
    "digits": 3_000_000,
    "convolution": 3_000_000,
    "elementwise": 17_000_000,
    "cycles": 500_000,
    "decoder": 2_000_000,
    "dscnn": 1_000_000,
    "tokens": 7_000_000,
    "vad": 1_000_000,
}


def run_cycles(command: Command, chip: limits.Chip) -> float:
    """Cycles of a whole run, about: the core first fills A and B, which takes it some six cycles a byte."""
    if command.app != "gemm":
        return RUN_CYCLES[command.app]
    m, n, k = (int(command.options[name]) for name in "MNK")
    return 40_000 + 6 * (m + n) * k + max(limits.bounds((m, n, k), chip).values())


def row_of(
    group: workloads.Group, one: workloads.Gemm, run: dict, chip: limits.Chip, array: int
) -> dict:
    base = limits.baseline(one.shape, group.of, chip)
    ratio = base / run["cycles"]
    return {
        "name": one.name,
        "group": group.name,
        "layer": one.layer,
        "value": run["cycles"],
        "unit": "cycles",
        "baseline": f"{group.of}: {base:.0f} cycles",
        "ratio": ratio,
        "limit": limits.ratio_limit(one.shape, group.of, chip, array),
        "target": one.target,
        "met": one.target is None or ratio >= one.target,
        "beats": run["read_beats"] + run["write_beats"],
        "plan": run["plan"],
        "khz": run["khz"],
        "mode": run["mode"],
    }


def mean_of(rows: list[dict], key: str) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(math.log(row[key]) for row in rows))


def mean_row(group: workloads.Group, rows: list[dict]) -> dict:
    ratio = mean_of(rows, "ratio")
    return {
        "name": f"{group.name}: geometric mean",
        "group": group.name,
        "layer": "",
        "value": ratio,
        "unit": "ratio",
        "baseline": group.of,
        "ratio": ratio,
        "limit": mean_of(rows, "limit"),
        "target": group.mean,
        "met": ratio >= group.mean,
    }


def verdict(row: dict) -> str:
    if row["target"] is None:
        return ""
    return f"{100 * row['target']:.1f} % {'met' if row['met'] else 'MISSED'}"


def markdown(rows: list[dict], array: str) -> str:
    head = [
        f"# Throughput of the chip, array {array}",
        "",
        "| group | m x n x k | layer | cycles | planning | of | ratio | at most | target |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines = [
        f"| {r['group']} | {r['name']} | {r['layer']} | {r['value'] if r['unit'] == 'cycles' else ''} "
        f"| {r.get('plan', '')} | {r['baseline']} "
        f"| {100 * r['ratio']:.1f} % | {100 * r['limit']:.1f} % | {verdict(r)} |"
        for r in rows
        if r["group"] != speed.GROUP
    ]
    speeds = [f"- {speed.line(r)}" for r in rows if r["group"] == speed.GROUP]
    return "\n".join([*head, *lines, "", "Simulation speed:", "", *speeds]) + "\n"


class Progress:
    """The time that is left. A run's time grows with its cycles, of which about the number is known before."""

    def __init__(self, weights: list[float]):
        self.weights, self.done, self.start = weights, 0, time.monotonic()

    def step(self) -> str:
        self.done += 1
        behind, ahead = sum(self.weights[: self.done]), sum(self.weights[self.done :])
        left = (time.monotonic() - self.start) / behind * ahead
        return f"[{self.done}/{len(self.weights)}, {left:.0f} s left]"


class Bench:
    """Runs commands, and keeps the rows of figures that each printed."""

    def __init__(self, simulators: Simulators, progress: Progress, arrays: dict[limits.Shape, int]):
        """arrays: what limits.array_cycles says of each GEMM"""
        self.simulators, self.progress, self.arrays = simulators, progress, arrays
        self.found: dict[str, list[Row]] = {}

    def run(self, command: Command) -> str:
        text = self.simulators.output(command)
        self.found[command.text] = rows_of(command, text)
        return text

    def gemms(self, group: workloads.Group, chip: limits.Chip) -> list[dict]:
        """Rows of system.json."""
        rows: list[dict] = []
        for one in group.gemms:
            command = gemm(one.shape)
            text = self.run(command)
            if chip_of(text, chip.beat) != chip:
                raise ProgramError(f"the program ran on {chip_of(text, chip.beat)}, not on {chip}")
            khz, mode = rate_of(text)
            figures = {**self.found[command.text][0], "khz": khz, "mode": mode}
            row = row_of(group, one, figures, chip, self.arrays[one.shape])
            rows.append(row)
            print(
                f"{row['name']:<16} {row['value']:>9} cycles {100 * row['ratio']:6.1f} % of {group.of:<9} "
                f"at most {100 * row['limit']:5.1f} % {verdict(row):<14} planning {row['plan']:>6} ({mode}) "
                f"{self.progress.step()}",
                flush=True,
            )
        if group.mean is not None:
            rows.append(mean := mean_row(group, rows))
            print(
                f"{mean['name']:<44} {100 * mean['ratio']:.1f} %, at most {100 * mean['limit']:.1f} % {verdict(mean)}",
                flush=True,
            )
        return rows

    def others(self, commands: list[Command]) -> None:
        for command in commands:
            self.run(command)
            print(f"{command.text} {self.progress.step()}", flush=True)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = result.add_argument
    add("--sim", required=True, type=pathlib.Path, help="the simulator")
    add("--int8", type=pathlib.Path, help="the simulator of the default chip with int8 elements")
    add("--model", required=True, type=pathlib.Path, help="the tool fp8mac")
    add("--programs", required=True, type=pathlib.Path, help="the folder of the chip's programs")
    add("--array", required=True, help="name of the array, for the page")
    add("--chip", required=True, nargs=4, help="rows, columns, lanes and kind of the array")
    add("--core", required=True, help="the simulator of the core with RAM alone")
    add("--speed-elf", required=True, help="the program sim/speed/speed.c")
    add("--compiler", required=True, help="the compiler of the programs")
    add("modes", nargs="+", help="MODE=SIMULATOR, whose speed is measured")
    add("--out", required=True, type=pathlib.Path)
    add("--beat", type=int, default=limits.DEFAULT.beat, help="bytes of a bus beat")
    add("--only", default="", help="regular expression: measure only these shapes, as 64x64x64")
    return result


def measure(options: argparse.Namespace) -> None:
    wanted = workloads.load(options.only)
    if not wanted.gemms:
        raise ProgramError(f"no shape of workloads.toml matches '{options.only}'")
    of_page = options.int8 is not None
    rows_cols_lanes, kind = map(int, options.chip[:3]), options.chip[3]
    chip = limits.Chip(*rows_cols_lanes, kind, options.beat)
    of_gemms = [gemm(one.shape) for one in wanted.gemms]
    others = [one for one in wanted.commands() if one not in of_gemms] if of_page else []
    simulators = Simulators({"": options.sim, "int8": options.int8}, options.programs)
    progress = Progress([run_cycles(command, chip) for command in (*of_gemms, *others)])
    arrays = limits.array_cycles(options.model, (one.shape for one in wanted.gemms), chip)
    bench = Bench(simulators, progress, arrays)
    rows = [row for group in wanted.groups for row in bench.gemms(group, chip)]
    points = [(one.shape, r) for one, r in zip(wanted.gemms, (r for r in rows if "plan" in r))]
    bench.others(others)

    print("speed of the simulation: a minute", flush=True)
    modes = dict(mode.split("=", 1) for mode in options.modes)
    speeds = speed.speeds(options.core, options.speed_elf, modes)
    print("\n".join(map(speed.line, speeds)), flush=True)
    rows += speeds

    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "system.json").write_text(json.dumps(rows, indent=1) + "\n")
    (options.out / "system.md").write_text(markdown(rows, options.array))
    plot.roofline(options.out / "roofline.svg", points, chip)
    files = "system.json, system.md, roofline.svg"
    if of_page:
        found: dict[str, Row] = {}
        for command, printed in bench.found.items():
            found |= results.rows_of(command, printed)
        results.write(options.out / results.MEASURED, found, speeds, options.compiler)
        files += f", {results.MEASURED}"
    aimed = [r for r in rows if r["target"] is not None]
    print(f"{sum(r['met'] for r in aimed)} of {len(aimed)} targets met; {options.out}/{files}")


def main() -> int:
    try:
        measure(parser().parse_args())
    except (ProgramError, subprocess.SubprocessError, OSError) as error:
        print(f"make bench-system: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
