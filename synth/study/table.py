# SPDX-License-Identifier: Apache-2.0
"""The table of `make synth`: every entry that is measured. To measure another one, add a line to ENTRIES."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .elements import (
    E4M3,
    ONE_FORMAT,
    REGISTERS,
    Entry,
    array,
    block,
    element,
    feed_of,
    int8_feeds,
)

# The largest area of an element, as a ratio to its baseline's, by lanes: FP32 class, FP32 with products of 13 fraction
# bits, and FP16.
TARGETS = {
    ("fp32", 19): {1: 1.50, 4: 1.35, 16: 1.15, 32: 1.06},
    ("fp32", 13): {1: 1.30, 4: 1.15, 16: 0.97, 32: 0.89},
    ("fp16", 13): {1: 1.20, 4: 1.08, 16: 0.92, 32: 0.86},
}
# Elements with as few accumulators as their pipelines need, and their targets: of one lane the ratio to INT8 with one
# accumulator too; of 16 lanes two are needed, because two elements share an accumulate unit of four cycles.
FEWEST = (
    ("fp32", 19, 1, 1, 1.40),
    ("fp32", 13, 1, 1, 1.15),
    ("fp16", 13, 1, 1, 1.00),
    ("fp32", 19, 16, 2, None),
    ("fp32", 13, 16, 2, None),
    ("fp16", 13, 16, 2, None),
)
# Of them, those of one lane whose rows take their operands one after the other, which is smaller
STAGGERED = [one for one in FEWEST if one[2] == 1]
# The same of an array of 256 MACs, whose ratio is to the smallest INT8 array of any shape. The default one has both
# accumulator formats.
ARRAY_TARGET = 1.20
ARRAY_TARGETS = {("fp32", 13): 1.05, ("fp16", 13): 0.98}


def feeds(lanes: int) -> list[Entry]:
    codes, digits = int8_feeds(lanes)
    return [
        codes,
        *(
            feed_of(kind, lanes, frac_bits, digits)
            for kind, frac_bits in (
                ("block", 19),
                ("block", 13),
                ("late_fp32", 25),
            )
        ),
        feed_of("block", lanes, 19, digits, mx=True),
    ]


ENERGY_GROUP = "energy"

# Rows, columns and lanes of arrays of 256 MACs
SHAPES = ((16, 16, 1), (8, 8, 4), (4, 8, 8), (4, 4, 16), (2, 4, 32))

ENTRIES = [
    # One lane is correctly rounded
    element("late_fp32", 1, target=TARGETS["fp32", 19][1]),
    element("late_fp16", 1, target=TARGETS["fp16", 13][1]),
    *(
        block(lanes, frac_bits, acc, target=target)
        for (acc, frac_bits), targets in TARGETS.items()
        for lanes, target in targets.items()
    ),
    *(
        block(lanes, frac_bits, acc, target=target, banks=banks)
        for acc, frac_bits, lanes, banks, target in FEWEST
    ),
    *(
        block(lanes, frac_bits, acc, target=target, banks=banks, staggered=True)
        for acc, frac_bits, lanes, banks, target in STAGGERED
    ),
    # The element of the default chip, without MX scales and with them
    *(block(16, 19, "both", mx=mx) for mx in (False, True)),
    *(
        block(lanes, frac_bits, acc, target=targets[lanes], kind_name="block64")
        for (acc, frac_bits), targets in TARGETS.items()
        for lanes in (16, 32)
    ),
    # Four elements share a unit of four cycles, so that one accumulator each is enough
    *(block(16, bits, acc, kind_name="block64", banks=1) for acc, bits in TARGETS),
    # One of each other kind
    element("static", 16, 25),
    element("kulisch", 16),
    # One lane for one format, and 16 lanes with both accumulator formats
    *(
        one
        for name in ONE_FORMAT
        for one in (
            element("late_fp32", 1, formats=(name,), group="formats"),
            element("late_fp16", 1, formats=(name,), group="formats"),
            block(1, 19, group="formats", banks=1, formats=(name,)),
            block(1, 13, "fp16", group="formats", banks=1, formats=(name,)),
            block(16, 19, "both", group="formats", formats=(name,)),
        )
    ),
    # What the choice of the accumulator's format at run time costs
    *(
        element(kind, 16, frac_bits, group="choice")
        for kinds, windows in (
            (("late", "late_fp32"), (13, 19, 25)),
            (("aligned", "aligned_fp32"), (25,)),
        )
        for frac_bits in windows
        for kind in kinds
    ),
    # Beside the dot unit of FormatScope: behavioural sources on both sides, and the structural element with its window
    element("aligned_fp32", 32, 24, E4M3, group="behavioural", behavioural=True),
    block(32, 24, group="behavioural"),
    *feeds(16),
    # The whole array of 256 MACs: shapes of the default kind, and the default shape with other widths
    *(
        array("block", lanes, 19, rows, columns, target=ARRAY_TARGET)
        for rows, columns, lanes in SHAPES
    ),
    array("block", 16, 19, 4, 4, target=ARRAY_TARGET, mx=True),
    array("block64", 16, 19, 4, 4, target=ARRAY_TARGET),
    *(
        array(kind, 16, bits, 4, 4, acc, target)
        for kind in ("block", "block64")
        for (acc, bits), target in ARRAY_TARGETS.items()
    ),
    # Those whose energy is measured too (synth/energy), beside elements above
    block(16, 19, "fp16", group=ENERGY_GROUP),
    *(
        block(16, bits, acc, group=ENERGY_GROUP, mx=True)
        for acc in ("fp32", "fp16")
        for bits in (19, 13)
    ),
    *(
        block(16, bits, acc, group=ENERGY_GROUP, register=register)
        for register in REGISTERS
        for acc, bits in (("fp32", 19), ("fp16", 13))
    ),
    # The width of the alignment window
    *(block(16, bits, group="frac_bits") for bits in (10, 16, 22, 25)),
]

# The default run takes minutes: one correctly rounded lane, the default kind with many lanes, and its operand feed. The
# others are left to `make synth-full`.
DEFAULT = re.compile(r"late_\w+_l1|block_f\d+_l(16|32)(_fp\d+)?|feed_(int8_codes|block_f19)_l16")
DEFAULT_GROUPS = ("main", "feed")

# Lanes of the elements that are compared in lanes; the last is broken down into boxes too.
FEW, MANY = 4, 16

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
    return (
        entry
        for entry in ENTRIES
        if full or (entry.group in DEFAULT_GROUPS and DEFAULT.fullmatch(entry.name))
    )


def in_other_libraries(entry: Entry) -> bool:
    """Whether a full run measures it with the libraries beside the first, at the headline period alone."""
    return entry.group == "main" and entry.lanes in (FEW, MANY)
