# SPDX-License-Identifier: Apache-2.0
"""A configuration of the accelerator, in the parameters of `fp8mac cycles`, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, fields

BLOCK = {"block": 32, "block64": 64}  # products of a shared exponent; rtl/catalogue
PASS_TILES = 4  # of a pass of the array: rtl/accel
# Functions that can be left out, of those that have memories; by the names of the RTL's parameters
FUNCTIONS = frozenset(
    ("MX", "IMAGES", "DEPTHWISE", "ELEMENTWISE", "ADD_C", "TABLES", "ROW_COMMANDS")
)
# Accelerators for inference are without these.
NOT_FOR_INFERENCE = frozenset(("MX", "ELEMENTWISE", "ADD_C", "ROW_COMMANDS"))


@dataclass(frozen=True)
class Configuration:
    """The defaults are those of the RTL."""

    rows: int = 4
    cols: int = 4
    lanes: int = 16
    element: str = "block"
    tiles: int = 256
    axi: int = 128  # bits of a beat
    epi_width: int = 0  # 0: see `outputs`
    max_mn: int = 128
    queue_depth: int = 8
    buf_beats: int = 256
    memory: str = "chip"
    latency: int = 0

    @property
    def macs(self) -> int:
        """Products a cycle"""
        return self.rows * self.cols * self.lanes

    @property
    def share(self) -> int:
        """Elements of a column that share one accumulate unit: the rule of rtl/catalogue/rules.py"""
        most = BLOCK.get(self.element, self.lanes) // self.lanes
        return max((n for n in range(1, most + 1) if self.rows % n == 0), default=1)

    @property
    def outputs(self) -> int:
        """Of the epilogue in a cycle"""
        bundle = self.rows // self.share * self.cols
        return self.epi_width or (bundle if bundle < 8 else max(self.cols, 8))

    @property
    def name(self) -> str:
        """What differs from the defaults, behind the array's shape"""
        usual = Configuration()
        more = [
            f"{one.name.replace('_', '-')}={getattr(self, one.name)}"
            for one in fields(self)
            if one.name not in ("rows", "cols", "lanes")
            and getattr(self, one.name) != getattr(usual, one.name)
        ]
        return " ".join([f"{self.rows} x {self.cols} x {self.lanes}", *more])

    def options(self) -> list[str]:
        """Of `fp8mac cycles`"""
        return [f"--{one.name.replace('_', '-')}={getattr(self, one.name)}" for one in fields(self)]


def one_port_bits(its: Configuration) -> int:
    """Of the memories with one port: operands, and the bounds of blocks with a shared exponent"""
    sides, bytes_ = its.rows + its.cols, its.buf_beats * its.axi // 8
    bounds = bytes_ // BLOCK[its.element] * 6 if its.element in BLOCK else 0
    return 2 * sides * (8 * bytes_ + bounds)


def two_port_bits(its: Configuration, without: Collection[str] = ()) -> int:
    """Of the memories with a port to write and one to read. `without`: functions that are left out"""
    bits = {
        "MX": _scale_bits(its) if its.element == "block" else 0,
        "IMAGES": 32 * 134,  # strips
        "DEPTHWISE": _block_bits(its) if "IMAGES" not in without else 0,
        "ELEMENTWISE": _d_buffer_bits(its),  # X
        "ADD_C": _d_buffer_bits(its),
        "TABLES": table_bits(its),
        "ROW_COMMANDS": _row_bits(its) if "ELEMENTWISE" not in without else 0,
    }
    return sum(
        (
            its.tiles * its.rows * its.cols * 32,  # accumulators
            3 * 2 * its.max_mn * 32,  # bias and two vectors of scales
            _d_buffer_bits(its),
            its.queue_depth * 1042,  # commands
            sum(bits[name] for name in FUNCTIONS.difference(without)),
        )
    )


def table_bits(its: Configuration) -> int:
    """Two tables of 256 codes for each output of the epilogue: fp8mac_pack.sv"""
    return its.outputs * 2 * 256 * 8


def _block_bits(its: Configuration) -> int:
    """Bounds of the blocks of a depthwise command's image so far: fp8mac_cmd_pkg's depthwise_possible, fp8mac_operand_bound"""
    beat = its.axi // 8
    possible = its.lanes >= beat and its.cols >= 2 and 2 * its.cols <= beat <= 8 * its.cols
    if not possible or its.element not in BLOCK:
        return 0
    groups, blocks = 2 * beat // its.cols, its.buf_beats * its.cols // BLOCK[its.element]
    return its.rows * blocks * groups * 7


def _scale_bits(its: Configuration) -> int:
    """MX scales: fp8mac_cmd_pkg's scale_beats"""
    most = max(its.buf_beats // 8, math.ceil(its.max_mn / min(its.rows, its.cols)), 2)
    return (its.rows + its.cols) * 2 * (1 << (most - 1).bit_length()) * its.axi


def _d_buffer_bits(its: Configuration) -> int:
    """Four slots of a row for each row of elements: fp8mac_output.sv"""
    beat = its.axi // 8
    return 8 * 4 * its.rows * max(8 * beat, PASS_TILES * max(beat, its.cols * 4))


def has_row_commands(its: Configuration) -> bool:
    """A row's sum has 16 partial sums, and an MX block 32 columns: fp8mac_cmd_pkg's rows_possible."""
    return its.cols <= 16 and its.max_mn >= 32


def _row_bits(its: Configuration) -> int:
    """Their statistics and waiting transfers: fp8mac_rows.sv, fp8mac_rows_statistics.sv"""
    if not has_row_commands(its):
        return 0
    rows = its.outputs // its.cols  # of a transfer
    sets = min(16, its.share * max(1, 16 // (rows * its.share)))
    statistics = sets * (16 // its.cols * its.outputs + 5 * rows) * 32
    word = max(its.axi // 8, its.cols * 4)
    words = _d_buffer_bits(its) // 8 // rows // word
    position = rows + (words - 1).bit_length() + (word - 1).bit_length() + 6
    return statistics + 8 * its.cols * 32 + 16 * (its.outputs + position + 32 + its.cols * 32)
