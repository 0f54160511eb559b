# SPDX-License-Identifier: Apache-2.0
"""Elements with block accumulation in two netlists that are laid out one after the other, because the router's time grows
faster than a netlist: the sum of one element (fp8mac_block_sum), and everything that its neighbours have in common, which
is the same design without the sums. Registers stand on the border between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..flow.runs import Design
from ..study.records import Record

SUM, SHARED = "_sum", "_shared"  # in the place of the element's name
INNER = "fp8mac_block_sum"
INNER_PARAMETERS = ("LANES", "BLOCK", "FRAC_BITS", "INF", "NAN")
WITH_SUMS = ("fp8mac_element_block", "fp8mac_element_block_staggered", "fp8mac_block_cluster")


def can_be(record: Record) -> bool:
    return record["top"] in WITH_SUMS


def halves(record: Record) -> dict[str, tuple[Design, int]]:
    """By name: a design, and the number of elements that it belongs to."""
    given = record["parameters"]
    own = tuple((name, given[name]) for name in INNER_PARAMETERS if name in given)
    return {
        record["name"] + SUM: (Design(INNER, own), 1),
        record["name"] + SHARED: (
            Design(record["top"], tuple(given.items()), black_boxes=(INNER,)),
            given["SHARE"],
        ),
    }


def each(records: list[Record], is_mine: Callable[[Record], bool]) -> Iterator[Record]:
    """The elements that can be laid out so, and the units of arrays."""
    for record in filter(is_mine, records):
        for one in (record, *record["units"]):
            if can_be(one):
                yield {**one, "period_ns": record["period_ns"]}
