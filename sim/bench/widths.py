# SPDX-License-Identifier: Apache-2.0
"""How many fraction bits networks need, as a result file: widths.json, beside this file. docs/WIDTHS.md quotes it.

    {"rows": {"NETWORK: FORMAT, block BLOCK, ACC": {"inputs", "WIDTH_FIGURE": value}}}

WIDTH is exact or f and the fraction bits. Figures:

| figure | what it is |
|---|---|
| db | SQNR of the outputs to float32's |
| loss, error | dB that are lost against exact sums in FP32 of the same format, and the standard error by the inputs |
| wrong, of | answers that are not float32's (digits: not the label), and their number |
| perplexity | of the text |
| least, median | SQNR of single products' sums to exact sums: of the worst layer and of the median one |
| ppm | sums of one sign: how far they are off on average, in parts of a million |

`make accept-widths` measures it (tests/networks/widths.py).
"""

import statistics
from collections.abc import Mapping
from pathlib import Path

from synth.study.tables import table
from tools.accept import expectations
from tools.accept.expectations import Kind, Row

COMMITTED = Path("sim/bench/widths.json")
KIND = Kind("widths", COMMITTED, {})
TEXT, OUTLIERS = "text", "text, outlier channels"
MOST_LOSS = 0.1  # dB
SURE = 3  # standard errors: of a hundred differences that are chance, one hardly exceeds them


def case_name(format: str, block: int, acc: str) -> str:
    return f"{format}, block {block}, {acc.upper()}"


def width_name(bits: int | None) -> str:
    return "exact" if bits is None else f"f{bits}"


def sums_name(kind: str, k: int) -> str:
    return f"sums, {kind}, K = {k:,}"


def products_name(network: str, case: str) -> str:
    return f"{network}, its products alone: {case}"


def load(path: Path = COMMITTED) -> dict[str, Row]:
    return expectations.read(KIND, path)["rows"]


NETWORK_CASE = case_name("E4M3", 64, "fp32")
SHOWN = (6, 8, 9, 10, 11, 12, 13, 16, 19)  # of the tables that fit a page
LENGTH = 16384  # of the sums that the page shows


class Tables:
    def __init__(self, rows: Mapping[str, Row]):
        self.rows = rows

    # ---- rows ---------------------------------------------------------------------------------------------------------

    def networks(self) -> list[str]:
        """Whole networks, each once"""
        names = (name.rpartition(": ")[0] for name in self.rows)
        return [
            name
            for name in dict.fromkeys(names)
            if not name.startswith("sums, ") and not name.endswith(", its products alone")
        ]

    def case(self, network: str, case: str = NETWORK_CASE) -> Row:
        return self.rows.get(f"{network}: {case}", {})

    def products(self, network: str) -> Row:
        return self.rows.get(products_name(network, NETWORK_CASE), {})

    def sums(self, kind: str, k: int, case: str = NETWORK_CASE) -> Row:
        return self.rows[f"{sums_name(kind, k)}: {case}"]

    def figure(self, figure: str, name: str) -> str:
        value = self.case(name)[figure]
        return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"

    def median(self, width: str) -> float:
        """The loss of the median network, without outliers that were made"""
        rows = [self.case(one) for one in self.networks() if one != OUTLIERS]
        return statistics.median(row[f"{width}_loss"] for row in rows if f"{width}_loss" in row)

    def more_wrong(self, width: str) -> int:
        """Answers of all networks that differ, beyond those with exact sums. Networks of the host's library have no exact sums, so
        their widest ones stand in."""
        count = 0
        for one in self.networks():
            row = self.case(one)
            base = "exact" if "exact_db" in row else self.widths(row)[-1]
            count += row.get(f"{width}_wrong", 0) - row.get(f"{base}_wrong", 0)
        return count

    def is_enough(self, width: str) -> bool:
        """For the median network, with outliers, and for each network within SURE standard errors"""
        rows = [self.case(one) for one in self.networks()]
        sure = [row.get(f"{width}_loss", 0) - SURE * row.get(f"{width}_error", 0) for row in rows]
        made = self.case(OUTLIERS)[f"{width}_loss"]
        return max(self.median(width), made, *sure) <= MOST_LOSS

    def least(self) -> str:
        """The least width that is enough, as all wider ones are, and loses no answer in sum"""
        widths = [w for w in self.widths(self.case(OUTLIERS)) if w != "exact"]
        enough = [w for w in widths if all(map(self.is_enough, widths[widths.index(w) :]))]
        found = [w for w in enough if self.more_wrong(w) <= 0]
        if not found:
            raise ValueError("no width is enough for every network")
        return found[0][1:]

    def lost_by(self, width: str, name: str) -> str:
        row = self.case(name)
        return f"{max(row['exact_db'] - row[f'f{width}_db'], 0.0):.2f}"

    def ppm(self, width: str) -> str:
        return f"{abs(self.sums('same sign', LENGTH)[f'f{width}_ppm']):,.0f}"

    @staticmethod
    def label(network: str) -> str:
        return f"`{network}`" if "." in network else network

    # ---- cells --------------------------------------------------------------------------------------------------------

    @staticmethod
    def db(row: Row, width: str, figure: str = "db") -> str:
        value = row.get(f"{width}_{figure}")
        return "-" if value is None else f"{value:.2f}"

    @staticmethod
    def lost(row: Row, width: str) -> str:
        """With the standard error"""
        if f"{width}_loss" not in row:
            return "-"
        return f"{row[f'{width}_loss']:.2f} ± {row[f'{width}_error']:.2f}"

    @staticmethod
    def wrong(row: Row, width: str) -> str:
        value = row.get(f"{width}_wrong")
        return "-" if value is None else f"{value:,}"

    # ---- tables -------------------------------------------------------------------------------------------------------

    def named(self, name: str) -> str:
        made = {
            "widths_loss": self.loss,
            "widths_answers": self.answers,
            "widths_products": self.all_products,
            "widths_sums": self.drawn,
            "widths_bias": self.bias,
            "widths_accumulators": self.accumulators,
            "widths_full": self.full,
            "widths_sums_full": self.sums_full,
        }
        return made[name]() if name in made else ""

    def loss(self) -> str:
        """dB lost against exact sums"""
        head = ["network", "inputs", "SQNR with exact sums, dB", *(f"F = {f}" for f in SHOWN)]
        lines = []
        for one in self.networks():
            row = self.case(one)
            if "exact_db" in row:
                cells = [self.lost(row, width_name(f)) for f in SHOWN]
                lines.append([self.label(one), str(row["inputs"]), self.db(row, "exact"), *cells])
        medians = [f"{self.median(width_name(f)):.2f}" for f in SHOWN]
        return table(head, [*lines, ["**median without outliers**", "", "", *medians]])

    def answers(self) -> str:
        """Answers that are not float32's, or not the label"""
        head = ["network", "of", "exact", *(f"F = {f}" for f in SHOWN)]
        lines = []
        for one in self.networks():
            row = self.case(one)
            of = [value for name, value in row.items() if name.endswith("_of")]
            if of:
                cells = [self.wrong(row, w) for w in ("exact", *map(width_name, SHOWN))]
                lines.append([self.label(one), f"{max(of):,}", *cells])
        more = [f"{self.more_wrong(width_name(f)):+d}" if f >= 9 else "" for f in SHOWN]
        return table(head, [*lines, ["**more than with exact sums, all**", "", "", *more]])

    def all_products(self) -> str:
        """SQNR of single sums in the worst product, and in the median one"""
        head = ["network", "products", *(f"F = {f}" for f in SHOWN)]
        lines = []
        for one in self.networks():
            row = self.products(one)
            if row:
                cells = [f"{row[f'f{f}_least']:.1f}, {row[f'f{f}_median']:.1f}" for f in SHOWN]
                lines.append([self.label(one), str(row["products"]), *cells])
        return table(head, lines)

    def drawn(self) -> str:
        """SQNR to sums before rounding to codes"""
        head = ["operands", "K", "exact", *(f"F = {f}" for f in SHOWN)]
        lines = []
        for kind in ("normal", "outliers", "same sign", "adversarial"):
            for k in (512, LENGTH):
                row = self.sums(kind, k)
                cells = [self.db(row, w) for w in ("exact", *map(width_name, SHOWN))]
                lines.append([kind, f"{k:,}", *cells])
        return table(head, lines)

    def bias(self) -> str:
        """How far sums of one sign are off on average"""
        head = ["K", *(f"F = {f}" for f in SHOWN)]
        lines = []
        for k in (512, LENGTH):
            row = self.sums("same sign", k)
            lines.append([f"{k:,}", *(f"{row[f'f{f}_ppm']:,.0f}" for f in SHOWN)])
        return table(head, lines)

    def accumulators(self) -> str:
        """SQNR with other formats and accumulators, with exact sums and with two widths"""
        cases = [
            case_name(*one)
            for one in (
                ("E4M3", 64, "fp32"),
                ("E4M3", 64, "fp16"),
                ("E5M2", 64, "fp32"),
                ("E5M2", 64, "fp16"),
                ("MX", 32, "fp32"),
                ("MX", 32, "fp16"),
            )
        ]
        head = ["network", *cases]
        widths = ("exact", "f13", "f10")
        lines = []
        for one in self.networks():
            rows = [self.case(one, case) for case in cases]
            if any("exact_db" in row for row in rows):
                cells = [", ".join(self.db(row, w) for w in widths) if row else "-" for row in rows]
                lines.append([self.label(one), *cells])
        return table(head, lines)

    def full(self) -> str:
        """All figures of all networks"""
        head = ["network", "format, block, accumulator", "sa + sb", "inputs", "width", "SQNR, dB"]
        head += ["lost, dB", "answers that differ", "of", "perplexity"]
        lines = []
        for one in self.networks():
            for name, row in self.rows.items():
                network, _, case = name.rpartition(": ")
                if network != one:
                    continue
                exponents = "-"
                if "least_exponent" in row:
                    exponents = f"{row['least_exponent']} to {row['most_exponent']}"
                for width in self.widths(row):
                    cells = [self.label(one), case, exponents, str(row["inputs"]), width]
                    cells += [self.db(row, width), self.lost(row, width), self.wrong(row, width)]
                    of, perplexity = row.get(f"{width}_of"), row.get(f"{width}_perplexity")
                    cells += ["-" if of is None else f"{of:,}"]
                    cells += ["-" if perplexity is None else f"{perplexity:.3f}"]
                    lines.append(cells)
        return table(head, lines)

    def sums_full(self) -> str:
        rows = {name: row for name, row in self.rows.items() if name.startswith("sums, ")}
        every = sorted({w for row in rows.values() for w in self.widths(row)}, key=_order)
        lines = [
            [*name.rsplit(": ", 1), *(self.db(row, width) for width in every)]
            for name, row in rows.items()
        ]
        return table(["operands", "format, block, accumulator", *every], lines)

    @staticmethod
    def widths(row: Row) -> list[str]:
        names = dict.fromkeys(name.partition("_")[0] for name in row)
        return sorted((n for n in names if n == "exact" or n[1:].isdigit()), key=_order)


def _order(width: str) -> int:
    return -1 if width == "exact" else int(width[1:])
