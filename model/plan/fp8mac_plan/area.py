# SPDX-License-Identifier: Apache-2.0
"""The area of an accelerator, from accelerators that were synthesised.

The logic is the sum of the elements, which were synthesised for some lanes each, and of a linear function of what the rest
grows with. areas.json has its coefficients and how far each synthesised accelerator lies from what the others say of it
(`python -m synth shape_areas` makes the file). Memories are their bits times the area of a bit of a published macro. All is
in the area of SkyWater 130 nm: the logic was synthesised in OSU018 and is converted by the ratio that the default
accelerator has in the two libraries.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from .configuration import Configuration, has_row_commands, one_port_bits, two_port_bits

# Elements that share an accumulate unit in the arrays whose elements were synthesised, by lanes
SHARES = {4: 4, 8: 4, 16: 2, 32: 1}


def features(its: Configuration, row_commands: bool = True) -> dict[str, float]:
    """What the logic grows with beside the elements. `row_commands`: they are not left out"""
    usual = SHARES.get(its.lanes, its.share) if its.element != "int8" else its.share
    return {
        "accelerator": 1,
        "outputs of the epilogue": its.outputs,
        "row commands": its.outputs / 8 if row_commands and has_row_commands(its) else 0,
        "more accumulate units": its.rows * its.cols * (1 / its.share - 1 / usual),
        "bytes of the operands' words": (its.rows + its.cols) * its.lanes,
        "bytes of a beat": its.axi / 8,
    }


@dataclass(frozen=True)
class Area:
    logic: float  # in units of OSU018
    logic_mm2: float  # as in SkyWater 130 nm
    memory_bits: int
    memory_mm2: float

    @property
    def mm2(self) -> float:
        return self.logic_mm2 + self.memory_mm2


class Areas:
    """`data`: what areas.json has"""

    def __init__(self, data: Mapping[str, Any]):
        self.data = data

    @classmethod
    def shipped(cls) -> Areas:
        return cls(json.loads(resources.files(__package__).joinpath("areas.json").read_text()))

    @property
    def error(self) -> float:
        """The largest, as a part of the logic, of an accelerator that was left out of the fit"""
        return max(abs(one["error"]) for one in self.data["measured"])

    def knows(self, element: str) -> bool:
        return element in self.data["elements"]

    def element(self, its: Configuration) -> float:
        """One of them: between two that were synthesised as a power of the lanes, beyond them by the nearest two"""
        known = sorted((int(k), v) for k, v in self.data["elements"][its.element].items())
        return power_law(known, its.lanes)

    def of(self, its: Configuration) -> Area | None:
        """None: no accelerator with this kind of elements was synthesised."""
        if not self.knows(its.element):
            return None
        rest = math.fsum(self.data["rest"][name] * value for name, value in features(its).items())
        rest += self.data["kinds"][its.element]
        logic = its.rows * its.cols * self.element(its) + rest
        one, two = one_port_bits(its), two_port_bits(its)
        um2 = (
            one * self.data["um2_per_bit"]["one port"] + two * self.data["um2_per_bit"]["two ports"]
        )
        return Area(logic, logic * self.data["um2_of_logic"] / 1e6, one + two, um2 / 1e6)


def power_law(known: Sequence[tuple[int, float]], lanes: int) -> float:
    if len(known) == 1:
        return known[0][1] * lanes / known[0][0]
    upper = min(
        max(1, next((i for i, (n, _) in enumerate(known) if n >= lanes), 99)), len(known) - 1
    )
    (low, small), (high, large) = known[upper - 1], known[upper]
    part = math.log(lanes / low) / math.log(high / low)
    return small * (large / small) ** part
