# SPDX-License-Identifier: Apache-2.0
"""The table of `make synth`: every entry that is measured. To measure another one, add a line to ENTRIES."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from . import libraries
from .elements import (
    E4M3,
    FORMATS,
    OCP,
    Entry,
    array,
    block,
    element,
    feed_of,
    int8_feeds,
)

# The largest area of an element, as a ratio to its baseline's, by lanes.
FP32_TARGETS = {1: 1.45, 4: 1.30, 16: 1.10, 32: 1.10}
FP16_TARGETS = {1: 0.95, 4: 0.92, 16: 0.80, 32: 0.80}
BLOCK_TARGETS = {
    ("fp32", 19): {1: 1.50, 4: 1.35, 16: 1.15, 32: 1.06},
    ("fp32", 13): {1: 1.30, 4: 1.15, 16: 0.97, 32: 0.89},
    ("fp16", 13): {1: 1.20, 4: 1.08, 16: 0.92, 32: 0.86},
}
EXACT_TARGETS = {4: 1.05, 16: 1.00}
NO_TARGETS = dict.fromkeys((4, 16, 32))

# Formats that stay, the feature that goes, and module parameters that say so. The operand feed decodes, so an element
# does not change when e4m3fn, e4m3fnuz or e5m2fnuz alone is left out: another format has the same exponents.
REMOVALS = (
    (E4M3, "both E5M2 formats", {}),
    (("e4m3fn", "e4m3fnuz", "e5m2fnuz"), "e5m2, the only format with Inf", {}),
    (OCP, "FNUZ and the run-time bias", {}),
    (FORMATS, "NaN", {"NAN": 0}),
    (FORMATS, "subnormals", {"SUBNORMALS": 0}),
    (("e4m3fn",), "all of these", {"NAN": 0, "SUBNORMALS": 0, "SCALE": 0}),
)


def of_lanes(kind: str, frac_bits: int | None, targets: dict[int, float | None]) -> list[Entry]:
    """A full run measures some of them over the period."""
    return [
        element(
            kind,
            lanes,
            frac_bits,
            target=target,
            sweep=lanes == 16 and kind.startswith(("late", "aligned")),
        )
        for lanes, target in targets.items()
        if lanes > 1
    ]


def feeds(lanes: int) -> list[Entry]:
    codes, digits = int8_feeds(lanes)
    return [
        codes,
        *(
            feed_of(kind, lanes, frac_bits, digits)
            for kind, frac_bits in (
                ("aligned_fp32", None),
                ("late_fp32", 25),
                ("late_fp32", 13),
                ("static", 25),
                ("static", 13),
                ("block", 19),
                ("kulisch", None),
            )
        ),
    ]


def behavioural(kind: str, lanes: int) -> Entry:
    return element(kind, lanes, group="behavioural", behavioural=True)


ALIGNED = ("aligned_fp32", "aligned_fp16")
SLOW = {"period_ns": libraries.SLOW_PERIOD}
# Rows, columns and lanes of arrays of 256 MACs
SHAPES = ((16, 16, 1), (8, 8, 4), (4, 8, 8), (4, 4, 16), (2, 4, 32))

ENTRIES = [
    # One lane is correctly rounded
    element("late_fp32", 1, target=FP32_TARGETS[1]),
    element("late_fp16", 1, target=FP16_TARGETS[1]),
    *(
        block(lanes, frac_bits, acc, target=target)
        for (acc, frac_bits), targets in BLOCK_TARGETS.items()
        for lanes, target in targets.items()
    ),
    *(block(lanes, 19, "both") for lanes in (1, 4, 16, 32)),
    *(
        block(lanes, frac_bits, acc, 64, target=BLOCK_TARGETS[acc, frac_bits][lanes])
        for acc, frac_bits in BLOCK_TARGETS
        for lanes in (16, 32)
    ),
    *of_lanes("late_fp32", 25, FP32_TARGETS),
    *of_lanes("late_fp32", 13, NO_TARGETS),
    *of_lanes("late_fp16", 13, FP16_TARGETS),
    *of_lanes("static", 25, FP32_TARGETS),
    *of_lanes("static", 13, FP16_TARGETS),
    *of_lanes("aligned_fp32", 25, FP32_TARGETS),
    *of_lanes("aligned_fp16", 13, FP16_TARGETS),
    *of_lanes("kulisch", None, EXACT_TARGETS),
    # Behavioural sources on both sides. Synthesis makes slow sums of 16 lanes from them.
    *(behavioural(kind, 4) for kind in ALIGNED),
    *(replace(behavioural(kind, 16), **SLOW) for kind in ALIGNED),
    # What each feature costs
    *(
        element(kind, 16, formats=formats, group="removal", removed=removed, **more)
        for kind in ALIGNED
        for formats, removed, more in REMOVALS
    ),
    *feeds(16),
    # The whole array of 256 MACs: shapes of the default kind, and the default shape with other widths
    *(array("block", lanes, 19, rows, columns) for rows, columns, lanes in SHAPES),
    *(array("block", 16, 13, 4, 4, acc) for acc in ("fp32", "fp16")),
    # `exact` was not made for the clock of the other elements.
    *(replace(element("exact", lanes, group="exact"), **SLOW) for lanes in (4, 16)),
    # The width of the alignment window
    *(element("aligned_fp32", 4, bits, group="frac_bits") for bits in (13, 16, 19, 22, 28)),
    *(element("aligned_fp16", 4, bits, group="frac_bits") for bits in (10, 11, 12, 14, 16)),
    *(element("late_fp32", 16, bits, group="frac_bits") for bits in (9, 10, 11, 16, 19, 22)),
    *(element("late_fp16", 16, bits, group="frac_bits") for bits in (9, 10, 11)),
    element("late_fp32", 32, 10, group="frac_bits"),
    element("late_fp16", 32, 9, group="frac_bits"),
]

# The default run leaves these groups to `make synth-full`.
LONG = ("frac_bits", "removal", "behavioural", "array", "exact")

# Lanes of the elements whose area is broken down into boxes; a full run takes all of them, the default run the last.
BREAKDOWN_LANES = (4, 16)

# The boxes of the datapath in its order, and the words in a module's or an instance's name that belong to each. The
# outermost instance that matches decides. Other logic is `control`; flip-flops are `registers` everywhere.
BOXES = {
    "decode": ("decode",),
    "multiply": ("multiply", "booth"),
    "align": ("align", "maximum", "compare"),
    "add": ("add", "compressor_tree", "signed_tree", "rotating"),
    "normalise": ("normalise",),
    "round": ("round",),
}


def entries(full: bool) -> Iterator[Entry]:
    """Every entry of the default or the full run."""
    return (entry for entry in ENTRIES if full or entry.group not in LONG)


def breakdown_lanes(full: bool) -> tuple[int, ...]:
    return BREAKDOWN_LANES if full else BREAKDOWN_LANES[-1:]


def in_other_libraries(entry: Entry) -> bool:
    """Whether a full run measures it with the libraries beside the first, at the headline period alone."""
    return entry.group == "main" and entry.lanes in BREAKDOWN_LANES


def periods(entry: Entry, library: str, full: bool) -> tuple[float, ...]:
    """The periods, unless the user names some."""
    if entry.period_ns:
        return (entry.period_ns,)
    if full and entry.sweep and libraries.usual_name(library) == libraries.FIRST:
        return libraries.PERIODS
    return (libraries.headline(library),)
