# SPDX-License-Identifier: Apache-2.0
"""What the study of widths measures (widths.py), and its rows that need neither fp8net nor ONNX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import width_sums

from sim.bench import quality
from sim.bench import widths as results

EXACT = None
ALL = (*range(6, 15), 16, 19, 23, EXACT)
MOST = (8, 10, 11, 12, 13, 16, 19, EXACT)
SOME = (6, 8, 10, 11, 13, 19, EXACT)
FEW = (10, 13, 19, EXACT)


@dataclass(frozen=True)
class Case:
    """A format of operands and an element's sums, in several widths"""

    format: str  # E4M3, E5M2 or MX
    block: int
    acc: str
    widths: tuple[int | None, ...]

    @property
    def name(self) -> str:
        return results.case_name(self.format, self.block, self.acc)

    @property
    def codes(self) -> str:
        return "e5m2" if self.format == "E5M2" else "e4m3fn"


# The first one of a format is what the others are compared with.
CASES = (
    Case("E4M3", 64, "fp32", ALL),
    Case("E4M3", 32, "fp32", SOME),
    Case("E4M3", 64, "fp16", FEW),
    Case("E4M3", 32, "fp16", FEW),
    Case("E5M2", 64, "fp32", MOST),
    Case("E5M2", 64, "fp16", FEW),
    Case("MX", 32, "fp32", SOME),
    Case("MX", 32, "fp16", FEW),
)
TEXT_FORMAT, SUMS_FORMATS = "E4M3", ("E4M3", "E5M2")
LENGTHS = (64, 512, 4096, 16384)
HOST = {one: f"digits, {one}" for one in quality.DIGITS} | {"vad": "speech, written in C"}
HOST_WIDTHS = tuple(bits for bits in ALL if bits is not None and bits >= 9)  # the library's


def first_of(format: str) -> Case:
    return next(case for case in CASES if case.format == format)


def sums_rows(kind: str, cases: list[Case], lengths=LENGTHS) -> Iterator[tuple[str, dict]]:
    for k in lengths:
        for case in cases:
            name = results.sums_name(kind, k)
            given = case.codes, case.block, case.acc, case.widths
            yield f"{name}: {case.name}", width_sums.figures(kind, k, *given)


def host_row(digits: Path, vad: Path, net: str) -> tuple[str, dict]:
    """A network whose layers are written in C, over the host's library"""
    row: dict = {}
    for bits in HOST_WIDTHS:
        environment = {"FP8RT_ELEMENT": f"block64_f{bits}"}
        if net == "vad":
            text = quality.printed(str(vad), **environment)
            of, right = map(int, quality.VAD_LINE.search(text).groups())
        else:
            text = quality.printed(str(digits), f"NET={net}", **environment)
            of, _, right = map(int, quality.DIGITS_LINE.search(text).groups())
        row |= {f"f{bits}_wrong": of - right, f"f{bits}_of": of, "inputs": of}
    return f"{HOST[net]}: {CASES[0].name}", row
