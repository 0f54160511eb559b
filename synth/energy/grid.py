# SPDX-License-Identifier: Apache-2.0
"""Tables of the energy pages that compare designs: formats in every library, and registers against glitches."""

from __future__ import annotations

from ..flow.errors import UsageError
from ..study.elements import MX_SUFFIX, REGISTER_SUFFIX, REGISTERS
from ..study.records import Record
from ..study.tables import number, table
from .tensors import SENSITIVE

# Operands that every element is measured on
COMMON = ("digits_2", SENSITIVE)
OTHER = ("digits_2",)  # as E5M2
LIBRARIES = {"sky130hd": "sky130", "SG13G2": "sg13g2", "ASAP7": "asap7"}
ELEMENTS = {
    "19 fraction bits, FP32": "block_f19_l16_fp32",
    "19 fraction bits, FP16": "block_f19_l16_fp16",
    "13 fraction bits, FP32": "block_f13_l16_fp32",
    "13 fraction bits, FP16": "block_f13_l16_fp16",
}
FORMATS = {
    "E4M3": ("", "e4m3fn", COMMON),
    "E5M2": ("", "e5m2", OTHER),
    "MX, E4M3": (MX_SUFFIX, "e4m3fn", COMMON),
    "MX, E5M2": (MX_SUFFIX, "e5m2", OTHER),
}
INT8 = {"INT8, one accumulator": "int8_l16_b1", "INT8, four accumulators": "int8_l16"}
REGISTER_TITLES = {"product": "behind multiply", "word": "behind align"}


class Grid:
    """`one` finds a record: library, name, data, and what else it has"""

    def __init__(self, one):
        self.one = one

    def mean(self, library: str, name: str, data: tuple[str, ...], kind: str) -> float | None:
        """pJ of a MAC; None where it was not measured"""
        try:
            return sum(self.one(library, name, its, format=kind)["pj"] for its in data) / len(data)
        except UsageError:
            return None

    def cell(self, library: str, name: str, data: tuple[str, ...], kind: str) -> str:
        found = self.mean(library, name, data, kind)
        if found is None:
            return "-"
        rival = self.mean(library, "int8_l16_b1", data, "e4m3fn")
        return f"{number(found, 2 if found > 1 else 3)} ({number(found / rival, 2)})"

    def formats(self) -> str:
        lines = [
            [
                element,
                title,
                *(self.cell(lib, name + end, data, kind) for lib in LIBRARIES.values()),
            ]
            for element, name in ELEMENTS.items()
            for title, (end, kind, data) in FORMATS.items()
        ]
        lines += [
            [title, "INT8", *(self.cell(lib, name, COMMON, "e4m3fn") for lib in LIBRARIES.values())]
            for title, name in INT8.items()
        ]
        return table(["element", "operands", *LIBRARIES], lines)

    def change(self, of: tuple[str, str], than: tuple[str, str]) -> str:
        """The range of what elements take more with one name's end and format than with another, on the same operands"""
        found = []
        for library in LIBRARIES.values():
            for name in ELEMENTS.values():
                one, other = (
                    self.mean(library, name + end, OTHER, kind) for end, kind in (of, than)
                )
                if one and other:
                    found.append(100 * (one / other - 1))
        return f"{min(found):+.0f} to {max(found):+.0f} %"

    def registers(self, library: str) -> str:
        lines = []
        for name in (ELEMENTS["19 fraction bits, FP32"], ELEMENTS["13 fraction bits, FP16"]):
            bare = self.one(library, name, SENSITIVE)
            lines.append([f"`{name}`", "none", *self._register_cells(bare, bare)])
            for kind in REGISTERS:
                its = self.one(library, f"{name}_{kind}{REGISTER_SUFFIX}", SENSITIVE)
                lines.append(["", REGISTER_TITLES[kind], *self._register_cells(its, bare)])
        head = ["element", "register", "pJ", "of it clock and registers", "transitions"]
        return table([*head, "energy, to none", "area, to none"], lines)

    @staticmethod
    def _register_cells(one: Record, bare: Record) -> list[str]:
        clocked = sum(one["element"][part] for part in ("clock", "tree", "registers"))
        return [
            number(one["pj"], 2),
            number(clocked, 2),
            number(one["transitions"]),
            number(one["pj"] / bare["pj"], 2),
            number(one["area"] / bare["area"], 2),
        ]
