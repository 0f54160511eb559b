# SPDX-License-Identifier: Apache-2.0
"""Networks in formats beside each other, as a result file: formats.json, beside this file. docs/NETWORKS.md quotes it.

    {"rows": {NETWORK: {"set", "kind", FORMAT_sqnr, FORMAT_equal, FORMAT_of, ...}}}

| set | what its rows have | measured by |
|---|---|---|
| formats | a file of networks.json in the formats that it has not: SQNR in dB, answers as float32's | `make accept-formats` |
| signals | values of a distribution: SQNR | `make accept-formats` |
| labels | a file with other data: SQNR, too, of FP8 and INT8 | `make accept-formats` |
Where right answers are known a row has `data`, how many, and of right answers beside float32's those gained and lost.
"""

from collections.abc import Mapping
from pathlib import Path

from firmware.fp8net.fp8net.agreement import Paired
from synth.study.tables import table
from tools.accept import expectations
from tools.accept.expectations import Kind, Row

from . import networks

COMMITTED = Path("sim/bench/formats.json")
FORMATS = {
    "fp8": "FP8",
    "powers": "FP8, powers of two",
    "int8": "INT8",
    "mxfp8": "MXFP8, model only",
    "mxint8": "MXINT8, model only",
}
JUDGED = {f"{one}_sqnr": -1 for one in FORMATS}
KIND = Kind("formats", COMMITTED, JUDGED)
GOAL = 4.0  # dB that FP8 may be below INT8 where a network is convolutional


def load(path: Path = COMMITTED) -> dict[str, Row]:
    return expectations.read(KIND, path)["rows"]


def _db(row: Row, format: str) -> str:
    value = row.get(f"{format}_sqnr")
    return "-" if value is None else f"{value:.1f}"


class Tables:
    """`files` are the rows of networks.json."""

    def __init__(self, rows: Mapping[str, Row], files: Mapping[str, Row]):
        self.rows, self.files = rows, files

    def named(self, name: str) -> str:
        made = {
            "formats": self.formats,
            "signals": self.signals,
            "right": self.right,
            "fp8_int8": self.beside_int8,
        }
        return made[name]() if name in made else ""

    def _every(self) -> dict[str, dict]:
        """Rows of networks with all formats, in the order of networks.json, whose FP8 and INT8 they take; then those of other data.
        The network of the tests is left out."""
        files = self.files.items()
        known = [n for n, row in files if "fp8_sqnr" in row and row.get("set") != networks.TESTS]
        others = [n for n, row in self.rows.items() if row["set"] == "labels"]
        return {n: {**self.files.get(n, {}), **self.rows.get(n, {})} for n in [*known, *others]}

    def signals(self) -> str:
        lines = [
            [name, *(_db(row, format) for format in FORMATS)]
            for name, row in self.rows.items()
            if row["set"] == "signals"
        ]
        return table(["values", *FORMATS.values()], lines)

    def formats(self) -> str:
        lines = [[_cell(name), *self._cells(name, row)] for name, row in self._every().items()]
        return table(["SQNR, dB", *FORMATS.values()], lines)

    def _cells(self, name: str, row: Row) -> list[str]:
        """networks.json has FP8 and INT8 of a network without a row."""
        missing = set() if name in self.rows else FORMATS.keys() - {"fp8", "int8"}
        return ["not measured" if one in missing else _db(row, one) for one in FORMATS]

    def beside_int8(self) -> str:
        """FP8 against INT8: the goal for each network"""
        lines = []
        for name, row in self._every().items():
            fp8, int8 = row["fp8_sqnr"], row.get("int8_sqnr")
            apart = "-" if int8 is None else f"{fp8 - int8:+.1f}"
            lines.append([_cell(name), row["kind"], f"{fp8:.1f}", _db(row, "int8"), apart])
            lines[-1].append(_met(row["kind"], fp8, int8))
        head = ["network", "kind", "FP8, dB", "INT8, dB", "difference", "goal"]
        return table(head, lines)

    def right(self) -> str:
        """Of labelled data; differences to float32 with 95 % intervals"""
        lines = []
        for name, row in self.rows.items():
            if "data" not in row:
                continue
            of, floats = row["of"], row["float32_right"]
            cells = [
                f"{_cell(name.partition(', ')[0])}, {row['data']}",
                f"{of:,}",
                f"{100 * floats / of:.1f} %",
            ]
            for format in FORMATS:
                if f"{format}_gained" not in row:
                    cells.append("-")
                    continue
                both = Paired(row[f"{format}_gained"], row[f"{format}_lost"], of)
                cells.append(f"{'**' * both.is_loss}{both}{'**' * both.is_loss}")
            lines.append(cells)
        return table(["network, data", "runs", "float32", *FORMATS.values()], lines)


def _cell(name: str) -> str:
    file, comma, data = name.partition(", ")
    return f"`{file}`{comma}{data}"


def _met(kind: str, fp8: float, int8: float | None) -> str:
    if int8 is None:
        return "INT8 has no such layers"
    least = int8 - GOAL if kind in ("convolutional", "dense") else int8
    return "met" if fp8 >= least else "missed"
