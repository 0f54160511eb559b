# SPDX-License-Identifier: Apache-2.0
"""`make bench-system WORKLOADS=FILE`: a list of layers on the simulated chip, beside the model of cycles.

FILE is a list that `fp8mac cycles` reads; it refuses a bad line with file, line and column. Each GEMM is a run of the
application gemm, which compares every output with the golden model. Equal GEMMs run once. A line is
    cycles   the accelerator's, of chip and model, with each counter compared; they must be equal
    core     the core's: `idle` before the doorbell and at the end, and `plan`, once for each shape
What the application does not have is named and not compared: convolutions, C, scales and bias of the layer library, and
matrices beyond the chip's memory. Writes OUT/workloads.csv. Exit status 1 if a counter differs or nothing was compared.
"""

import argparse
import csv
import io
import subprocess
import sys
from pathlib import Path

from .programs import Command, ProgramError, Row, Simulators, rows_of

COUNTERS = ("compute", "results", "spacing", "first_load", "load", "command", "store")
TOO_LARGE = "the matrices do not fit in memory"
OUTPUT = (
    *("layer", "m", "n", "k", "count", "cycles", "cycles_of_the_chip", "difference"),
    *("idle", "plan", "left_out"),
)
MOST = 65536  # m, n and k of the application


class ListError(Exception):
    """The list is refused, in the words of the tool."""


def model_rows(tool: Path, path: str, options: list[str]) -> list[dict[str, str]]:
    done = subprocess.run(
        [str(tool), "cycles", path, *options], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ListError(done.stderr.strip())
    return list(csv.DictReader(io.StringIO(done.stdout)))


def left_out(line: dict[str, str]) -> str:
    """What of a line the application gemm does not have; empty: nothing."""
    reasons = {
        "a convolution": line["convolution"] == "1",
        "C": line["format_c"] != "",
        "vectors": line["vectors"] == "1",
        f"a side above {MOST}": max(int(line[x]) for x in "mnk") > MOST,
    }
    return ", ".join(name for name, holds in reasons.items() if holds)


def command_of(line: dict[str, str]) -> Command:
    words = [f"{x.upper()}={line[x]}" for x in "mnk"]
    words += [f"{x.upper()}={line[f'format_{x}']}" for x in "abd"]
    return Command(" ".join(["make run APP=gemm", *words, f"MX={line['mx']}", "SCALE=tensor"]))


def differences(line: dict[str, str], row: Row, beat: int) -> list[str]:
    """Counters that differ, as NAME MODEL CHIP."""
    model = {name: int(line[name]) for name in COUNTERS}
    model["read_beats"] = int(line["bytes_read"]) // beat
    model["write_beats"] = int(line["bytes_written"]) // beat
    chip = {name: int(row.get(name, 0)) for name in model}
    return [f"{name} {model[name]} {chip[name]}" for name in model if model[name] != chip[name]]


class Lists:
    def __init__(self, simulators: Simulators, beat: int):
        self.simulators, self.beat = simulators, beat
        self.ran: dict[str, Row | None] = {}  # by command; None: it does not fit
        self.written: list[dict] = []
        self.differ: list[str] = []

    def run(self, command: Command) -> Row | None:
        if command.text not in self.ran:
            try:
                self.ran[command.text] = rows_of(command, self.simulators.output(command))[0]
            except ProgramError as error:
                if TOO_LARGE not in str(error):
                    raise
                self.ran[command.text] = None
        return self.ran[command.text]

    def line(self, line: dict[str, str]) -> str:
        """Compares a line, and says what came of it."""
        out = {name: line[name] for name in ("layer", "m", "n", "k", "count", "cycles")}
        reason = left_out(line)
        row = None if reason else self.run(command_of(line))
        if row is None:
            out["left_out"] = reason or TOO_LARGE
            self.written.append(out)
            return f"model {line['cycles']} cycles; not on the chip: {out['left_out']}"
        chip = int(row["cycles"]) - int(row["idle"])
        found = differences(line, row, self.beat)
        out |= {"cycles_of_the_chip": chip, "difference": chip - int(line["cycles"])}
        out |= {"idle": row["idle"], "plan": row["plan"]}
        self.written.append(out)
        if found or out["difference"]:
            self.differ.append(f"{line['layer']}: {', '.join(found) or 'cycles'}")
        verdict = "equal" if not found else f"DIFFERENT (model, chip): {', '.join(found)}"
        return f"model {line['cycles']}, chip {chip} cycles, {verdict}; core {row['idle']}, plan {row['plan']}"

    def totals(self) -> str:
        """Of the lines that ran, each as often as it counts."""
        ran = [x for x in self.written if "difference" in x]
        total = lambda key: sum(int(x["count"]) * int(x[key]) for x in ran)
        plans = {tuple(x[name] for name in "mnk"): int(x["plan"]) for x in ran}
        return (
            f"{len(ran)} of {len(self.written)} lines on the chip, {len(self.differ)} differ; with their counts: "
            f"accelerator {total('cycles_of_the_chip')}, model {total('cycles')}, "
            f"core {total('idle')} and {sum(plans.values())} for plans"
        )


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = result.add_argument
    add("file", help="the list")
    add("--sim", required=True, type=Path, help="the simulator")
    add("--model", required=True, type=Path, help="the tool fp8mac")
    add("--programs", required=True, type=Path, help="the folder of the chip's programs")
    add("--chip", required=True, nargs=4, help="rows, columns, lanes and kind of the array")
    add("--beat", type=int, default=16, help="bytes of a bus beat")
    add("--out", required=True, type=Path)
    return result


def options_of(chip: list[str], beat: int) -> list[str]:
    names = ("rows", "cols", "lanes", "element")
    options = [f"--{name}={value}" for name, value in zip(names, chip, strict=True)]
    return [*options, f"--axi={8 * beat}"]


def compare(options: argparse.Namespace) -> Lists:
    lines = model_rows(options.model, options.file, options_of(options.chip, options.beat))
    lists = Lists(Simulators({"": options.sim}, options.programs), options.beat)
    for number, line in enumerate(lines):
        name = line["layer"] or f"line {number + 1}"
        said = lists.line(line)
        print(f"{name}, {line['m']} x {line['n']} x {line['k']}: {said}", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "workloads.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, OUTPUT, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lists.written)
    return lists


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        lists = compare(options)
    except (ListError, ProgramError, OSError) as error:
        print(f"make bench-system: {error}", file=sys.stderr)
        return 2
    print(f"{lists.totals()}; {options.out}/workloads.csv")
    compared = any("difference" in one for one in lists.written)
    return 1 if lists.differ or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
