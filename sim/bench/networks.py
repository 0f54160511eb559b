# SPDX-License-Identifier: Apache-2.0
"""Quality and cycles of networks from files, as a result file: networks.json, beside this file. docs/NETWORKS.md quotes it.

    {"rows": {NETWORK: {"set", "about", ..., FIGURE: value}}}

| set | what its rows have | measured by |
|---|---|---|
| packages, tiny | a file by fp8net, in FP8, INT8 and MX: `PREFIX_sqnr` in dB, `PREFIX_equal` answers of `PREFIX_of`; cycles, bytes | `make accept-networks` |
| requantised | a full INT8 file on the accelerator that requantises | `make accept-networks` |
| tests | the network of the test networks-chip, which compares its cycles | `make accept-networks ONLY=small` |

    python -m sim.bench.networks --compiler GCC ROW <OUTPUT

compares what the row's program prints. Exit status 1: its cycles moved by more than those of the core may (judge.py).
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from synth.study.tables import table
from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Kind, Move, Row

from . import judge
from . import results as chip

COMMITTED = Path("sim/bench/networks.json")
CLOCK = 50e6
FORMATS = {"fp8": "FP8", "int8": "INT8", "mx": "MX"}
JUDGED = {
    **dict.fromkeys(("cycles", "arena", "weights", "commands"), 1),
    **dict.fromkeys([f"{one}_sqnr" for one in FORMATS], -1),
}
KIND = Kind("networks", COMMITTED, JUDGED)
PACKAGES, TINY, REQUANTISED, TESTS = "packages", "tiny", "requantised", "tests"
CYCLES = re.compile(r"^core cycles +(\d+) a run", re.M)  # as fp8net's programs print them


def load(path: Path = COMMITTED) -> dict[str, Row]:
    return expectations.read(KIND, path)["rows"]


def rate(cycles: float) -> str:
    """Runs a second at CLOCK"""
    runs = CLOCK / cycles
    return f"{runs:,.0f}" if runs >= 100 else f"{runs:.2g}"


def share(value: float) -> str:
    return f"{100 * value:.1f} %" if value >= 0.001 else "under 0.1 %"


def sqnr(row: Row, prefix: str) -> str:
    return f"{row[f'{prefix}_sqnr']:.1f}" if f"{prefix}_sqnr" in row else "-"


def answers(row: Row, prefix: str) -> str:
    if f"{prefix}_of" not in row:
        return "-"
    return f"{row[f'{prefix}_equal']:,} of {row[f'{prefix}_of']:,}"


class Tables:
    def __init__(self, rows: Mapping[str, Row]):
        self.rows = rows

    def of(self, name: str) -> dict[str, Row]:
        return {key: row for key, row in self.rows.items() if row["set"] == name}

    def figure(self, name: str, figure: str) -> str:
        value = self.rows[name][figure]
        return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"

    def named(self, name: str, chip: Mapping[str, Row]) -> str:
        """The table of that name; `chip` has the rows of results.json."""
        made: dict[str, Callable[[], str]] = {
            "by_hand": lambda: self.by_hand(chip),
            "files": lambda: self.files(PACKAGES, TINY),
            "packages_full": lambda: self.every(PACKAGES),
            "tiny_full": lambda: self.every(TINY),
            "tests_full": lambda: self.every(TESTS),
            "requantised": self.requantised,
        }
        return made[name]() if name in made else ""

    @staticmethod
    def by_hand(chip: Mapping[str, Row]) -> str:
        """Networks whose layers are written in C"""
        lines = []
        for what, row, figure in (
            ("digits, perceptron 64-96-64-10", "make run", "image_cycles"),
            ("digits, two convolutions", "make run NET=cnn", "image_cycles"),
            ("digits, transformer of 8 tokens", "make run NET=transformer", "image_cycles"),
            ("keywords, DS-CNN-S, a frame", "make run APP=dscnn", "cycles"),
            ("speech, Silero, a frame of 32 ms", "make run APP=vad", "core_cycles"),
            ("text, 1.07 million parameters, a token", "make run APP=tokens: generation", "core_cycles"),
            ("text, a token of a prompt of 8", "make run APP=tokens: prompt", "core_cycles"),
            ("one decoder block of width 256, a token", "make run APP=decoder", "cycles"),
        ):  # fmt: skip
            cycles = chip[row][figure]
            lines.append([what, f"{cycles:,}", rate(cycles), f"`{row.partition(': ')[0]}`"])
        return table(["network", "cycles", "a second at 50 MHz", "command"], lines)

    def files(self, *sets: str) -> str:
        head = ["network", "what it tells", "MACs", "SQNR of FP8, dB"]
        head += [f"answers as float32's, {one}" for one in FORMATS.values()]
        head += ["core cycles a run", "a second at 50 MHz"]
        lines = [
            [
                f"`{name}`",
                row["about"],
                f"{row['macs']:,}",
                sqnr(row, "fp8"),
                *(answers(row, one) for one in FORMATS),
                f"{row['cycles']:,}",
                rate(row["cycles"]),
            ]
            for one in sets
            for name, row in self.of(one).items()
        ]
        return table(head, lines)

    def every(self, name: str) -> str:
        """All figures of a set"""
        head = ["network", "what it tells", "parameters", "MACs"]
        head += ["FP8: SQNR, dB", "answers as float32's", "INT8: SQNR, dB", "answers as float32's"]
        head += ["MACs in MX", "MX: SQNR, dB", "answers as float32's", "core cycles a run"]
        head += ["runs a second at 50 MHz", "MACs a cycle", "arena, bytes", "weights, bytes"]
        lines = []
        for file, row in self.of(name).items():
            cells = [f"`{file}`", row["about"], f"{row['parameters']:,}", f"{row['macs']:,}"]
            for one in FORMATS:
                cells += [share(row["mx_share"]) if "mx_share" in row else "-"] * (one == "mx")
                cells += [sqnr(row, one), answers(row, one)]
            cells += [f"{row['cycles']:,}", rate(row["cycles"])]
            cells += [f"{row['macs'] / row['cycles']:.1f}"]
            lines.append([*cells, f"{row['arena']:,}", f"{row['weights']:,}"])
        return table(head, lines)

    def requantised(self) -> str:
        head = ["network", "layers", "commands", "without zero points at the edges"]
        head += ["bytes of biases for edges", "arena, bytes", "core cycles a run"]
        head += ["runs a second at 50 MHz", "FP8's core cycles"]
        names = ("layers", "commands", "inner_commands", "edge_bytes", "arena", "cycles")
        lines = [
            [f"`{name}`", *(f"{row[one]:,}" for one in names), rate(row["cycles"])]
            + [f"{self.rows[row['floats']]['cycles']:,}"]
            for name, row in self.of(REQUANTISED).items()
        ]
        return table(head, lines)


def moved(row: str, text: str, share: float) -> str:
    """What to say if the cycles of the row's program differ from the recorded ones by more than this share."""
    found = CYCLES.search(text)
    if not found:
        return f"No line of the program's output is like {CYCLES.pattern}: run it on the chip."
    move = Move(row, "cycles", load()[row]["cycles"], int(found[1]))
    return expectations.complaint(KIND, [] if judge.near(move, share, judge.LEAST) else [move])


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares a program's cycles with networks.json.")
    parser.add_argument("row", help="of the file, as small.onnx")
    parser.add_argument("--compiler", required=True, help="of the program")
    options = parser.parse_args()
    within = judge.within(expectations.read(chip.KIND), options.compiler)
    said = moved(options.row, sys.stdin.read(), within.core)
    print(said, end="\n" if said else "")
    return 1 if said else 0


__all__ = ["COMMITTED", "KIND", "ExpectationError", "Tables", "load"]

if __name__ == "__main__":
    sys.exit(main())
