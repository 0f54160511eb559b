# SPDX-License-Identifier: Apache-2.0
"""What follows from the catalogue's columns: windows, blocks, shared accumulate units and cycles.

Python calls these functions. translate.py writes each of them as a SystemVerilog function of fp8mac_catalogue_pkg, where
`element` is a kind's number and an attribute of it is a function element_ATTRIBUTE. A function whose first parameter is
an element gets the prefix element_ there. translate.py says what may stand in a rule. All numbers are unsigned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalogue import Element

PASS_TILES = 4  # tiles of a pass at most; fp8mac_array compares it with PassTiles of fp8mac_pkg


def has_window(element: Element, lanes: int) -> bool:
    """Whether an element of so many lanes has an alignment window of a chosen width."""
    return element.window_lanes != 0 and lanes >= element.window_lanes


def late_bits_of(mantissa_bits: int, frac_bits: int) -> int:
    """Late accumulation: fraction bits of the final addition, for an accumulator with so many mantissa bits."""
    least = mantissa_bits + 2
    return max(frac_bits, least)


def late_bits(element: Element, frac_bits: int, lanes: int) -> int:
    """Late accumulation: fraction bits of the final addition, at least those of the products."""
    least = element.late_bits_one_lane if lanes == 1 else element.late_bits_least
    return max(frac_bits, least)


def block(element: Element, lanes: int) -> int:
    """Products that join the accumulator together: a block, of 1 to block / lanes steps."""
    return element.block_products if element.block_products != 0 else lanes


def share(element: Element, lanes: int, rows: int) -> int:
    """Elements of a column that share one accumulate unit: as many as a block has steps, or fewer, so that they divide the
    rows."""
    result = 1
    for count in range(2, block(element, lanes) // lanes + 1):
        if rows % count == 0:
            result = count
    return result


def forwards(element: Element, lanes: int, rows: int) -> bool:
    """An accumulator is read from the accumulator memory in the cycle before acc_cycle, and written in result_cycle. With
    forwarding a result is used in the cycle in which it is shown. Forwarding is built where a round over the tiles of a
    pass would otherwise wait for it."""
    return PASS_TILES * share(element, lanes, rows) < element.result_cycle - element.acc_cycle + 2


def loop(element: Element, lanes: int, rows: int) -> int:
    """Cycles between the last steps of two blocks of the same accumulators, at least."""
    return element.result_cycle - element.acc_cycle + (0 if forwards(element, lanes, rows) else 2)
