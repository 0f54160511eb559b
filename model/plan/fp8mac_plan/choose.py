# SPDX-License-Identifier: Apache-2.0
"""Which configurations are worth having, for a network and for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from .area import Area, Areas
from .configuration import Configuration
from .run import Found, Totals


class Sized(Protocol):
    @property
    def mm2(self) -> float: ...


One = TypeVar("One", bound=Sized)


@dataclass(frozen=True)
class Choice:
    """A configuration with its area, and its cycles for each network"""

    its: Configuration
    area: Area
    totals: dict[str, Totals]

    @property
    def mm2(self) -> float:
        return self.area.mm2

    def cycles(self, network: str) -> int:
        return self.totals[network].cycles


def choices(found: Found, areas: Areas, networks: Iterable[str]) -> list[Choice]:
    """Of the configurations whose area is known and that ran every network, from the smallest"""
    names = list(networks)
    made = []
    for its in dict.fromkeys(its for its, _ in found.totals):
        area = areas.of(its)
        if area is not None and all((its, name) in found.totals for name in names):
            made.append(Choice(its, area, {name: found.totals[its, name] for name in names}))
    return sorted(made, key=lambda one: (one.area.mm2, one.its.name))


def front(every: Sequence[One], cost: Callable[[One], float]) -> list[One]:
    """The Pareto front: no other one has at most its area and costs less."""
    kept: list[One] = []
    for one in sorted(every, key=lambda it: (it.mm2, cost(it))):
        if not kept or cost(one) < cost(kept[-1]):
            kept.append(one)
    return kept


def fastest_within(every: Sequence[One], mm2: float, cost: Callable[[One], float]) -> One | None:
    return min((one for one in every if one.mm2 <= mm2), key=cost, default=None)


def densest(every: Sequence[One], cost: Callable[[One], float]) -> One:
    """The least area times cost: the most work for each area and time"""
    return min(every, key=lambda one: one.mm2 * cost(one))


def mean_cost(reference: Choice) -> Callable[[Choice], float]:
    """The geometric mean over all networks of the cycles, to those of the reference"""

    def cost(one: Choice) -> float:
        logs = [math.log(its.cycles / reference.cycles(name)) for name, its in one.totals.items()]
        return math.exp(math.fsum(logs) / len(logs))

    return cost
