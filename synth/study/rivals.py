# SPDX-License-Identifier: Apache-2.0
"""Two accelerators for inference: FP8 with the FP32 epilogue, and INT8 with the integer requantiser. They have the same
shape and functions. Each has the memories that its own numbers need: their words are the same, their widths are not.
Records are those of accel_rivals.json, which have no confirmed clock: see left_out.py.

The first library has no memories. Those of SkyWater 130 nm stand beside logic that is scaled as the default accelerator is.
"""

from __future__ import annotations

from collections.abc import Callable

from ..flow.errors import UsageError
from . import tables
from .records import Record

OWN = ("ELEMENT", "REQUANTISE")  # parameters in which the two differ
# Without any of these an accelerator is one of a shape, which `fp8mac plan` knows.
FUNCTIONS = (
    *("IMAGES", "DEPTHWISE", "ELEMENTWISE", "ADD_C", "STOCHASTIC", "TABLES", "MX"),
    *("ROW_COMMANDS", "REQUANTISE"),
)


def is_rival(parameters: dict[str, int]) -> bool:
    """Whether an accelerator says which functions it has"""
    return any(name in parameters for name in FUNCTIONS)


def pair(known: list[Record]) -> tuple[Record, Record]:
    """FP8 and INT8"""
    sides = [
        [one for one in known if bool(one["parameters"].get("REQUANTISE")) == integers]
        for integers in (False, True)
    ]
    if any(len(side) != 1 for side in sides):
        raise UsageError(
            "accel_rivals.json needs one accelerator with REQUANTISE=1, and one without"
        )
    (fp8,), (int8,) = sides
    shared = [
        {name: value for name, value in one["parameters"].items() if name not in OWN}
        for one in (fp8, int8)
    ]
    if shared[0] != shared[1]:
        raise UsageError("the accelerators of accel_rivals.json differ in more than their numbers")
    return fp8, int8


def whole_mm2(one: Record, scale: float) -> float:
    """Logic and memories. SCALE: um2 in the memories' process for the unit of the first library's area"""
    return (one["logic"] * scale + one["memory_um2"]) / 1e6


def ratio(fp8: Record, int8: Record, scale: float, whole: bool) -> float:
    """Of logic, or of WHOLE accelerators"""
    if whole:
        return whole_mm2(fp8, scale) / whole_mm2(int8, scale)
    return fp8["logic"] / int8["logic"]


def table(fp8: Record, int8: Record, scale: float) -> str:
    def line(name: str, figure: Callable[[Record], float], digits: int = 0) -> list[str]:
        own, base = figure(fp8), figure(int8)
        sides = (tables.number(one, digits) for one in (own, base))
        return [name, *sides, tables.number(own / base, 2)]

    lines = [
        line("logic", lambda one: one["logic"]),
        line("of it elements, and FP32 operators of the epilogue", lambda one: one["blocks"]),
        line("of it everything else", lambda one: one["logic"] - one["blocks"]),
        line("memory, bits", lambda one: one["bits"]),
        line("memory, sky130hd, mm2", lambda one: one["memory_um2"] / 1e6, 2),
        line("logic, scaled to sky130hd, mm2", lambda one: one["logic"] * scale / 1e6, 2),
        line("logic and memory, mm2", lambda one: whole_mm2(one, scale), 2),
    ]
    return tables.table(["", "FP8", "INT8", "ratio"], lines)
