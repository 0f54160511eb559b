# SPDX-License-Identifier: Apache-2.0
"""A point of the table: one design at one period, as the median of re-synthesised variants that meet it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from statistics import median_low

from . import recipe
from .recipe import Effort
from .runs import Design, Result, Synthesiser

WANTED = 3  # variants that meet the clock, unless chosen otherwise


@dataclass(frozen=True)
class Point:
    """`chosen` is the variant of median area among `used`; `tried` holds every variant that was run."""

    design: Design
    period_ns: float
    met: bool
    used: tuple[Result, ...]
    tried: tuple[Result, ...]

    @property
    def chosen(self) -> Result:
        area = median_low(result.area for result in self.used)
        return next(result for result in self.used if result.area == area)

    @property
    def spread(self) -> float:
        """The range of the areas in `used`, relative to the chosen one."""
        areas = [result.area for result in self.used]
        return (max(areas) - min(areas)) / self.chosen.area


def curve(
    synthesiser: Synthesiser,
    design: Design,
    periods: Iterable[float],
    efforts: tuple[Effort, ...] = recipe.EFFORTS,
    seeds: tuple[int, ...] = recipe.SEEDS,
    wanted: int = WANTED,
) -> dict[float, Point]:
    """The points of one design from the longest period to the shortest. Each starts from the results of the one before."""
    found: dict[float, Point] = {}
    longer = None
    for period in sorted(set(periods), reverse=True):
        longer = found[period] = measure(
            synthesiser, design, period, efforts, seeds, longer, wanted
        )
    return found


def measure(
    synthesiser: Synthesiser,
    design: Design,
    period_ns: float,
    efforts: tuple[Effort, ...] = recipe.EFFORTS,
    seeds: tuple[int, ...] = recipe.SEEDS,
    longer: Point | None = None,
    wanted: int = WANTED,
) -> Point:
    """The effort with the smallest netlist, if `wanted` of its seeds meet the period. Repairs make a slow mapping larger, so
    the effort that works least for the clock is not always the smallest. Efforts whose mapping knows the period cost
    area. They are tried in their order, if no other one meets it. If none does: the effort with the best slack, marked as
    not met. An effort is abandoned when too few of its seeds are left, or when its first seed misses by far.

    A point of the same design at a longer period saves runs. A netlist with enough slack is taken over. Where only an effort
    that knows the period was fast enough, those before it are not tried. If the longer period is missed, one run of the best effort says by how much this one
    is."""
    if longer is not None:
        own = next(effort for effort in efforts if effort.name == longer.chosen.effort)
        if not longer.met:
            missed = synthesiser.run(design, period_ns, own, seeds[0])
            return Point(design, period_ns, False, (missed,), (missed,))
        if not own.knows_period and all(
            spare(result, longer, period_ns) >= 0 for result in longer.used
        ):
            same = tuple(
                replace(result, slack_ns=spare(result, longer, period_ns)) for result in longer.used
            )
            return Point(design, period_ns, True, same, same)
        if own.knows_period:
            efforts = efforts[efforts.index(own) :]
    return _Search(synthesiser, design, period_ns, seeds, wanted).point(efforts)


def spare(result: Result, longer: Point, period_ns: float) -> float:
    """The slack of the longer period's netlist at this period."""
    return result.slack_ns - (longer.period_ns - period_ns)


@dataclass(frozen=True)
class _Search:
    """The runs of one design at one period."""

    synthesiser: Synthesiser
    design: Design
    period_ns: float
    seeds: tuple[int, ...]
    wanted: int
    tried: dict[str, list[Result]] = field(default_factory=dict)  # by effort, in the order of seeds

    def point(self, efforts: tuple[Effort, ...]) -> Point:
        free = [effort for effort in efforts if not effort.knows_period]
        first = {effort.name: self.run(effort, 0) for effort in free}

        def order(effort: Effort) -> tuple[bool, float]:
            result = first[effort.name]
            return result.slack_ns < 0, result.area

        for effort in (*sorted(free, key=order), *(e for e in efforts if e.knows_period)):
            if met := self.seeds_that_meet(effort):
                return Point(self.design, self.period_ns, True, met, flat(self.tried))
        best = max(self.tried, key=lambda name: max(r.slack_ns for r in self.tried[name]))
        effort = next(effort for effort in efforts if effort.name == best)
        used = tuple(self.run(effort, place) for place in range(self.wanted))
        return Point(self.design, self.period_ns, False, used, flat(self.tried))

    def run(self, effort: Effort, place: int) -> Result:
        results = self.tried.setdefault(effort.name, [])
        while len(results) <= place:
            seed = self.seeds[len(results)]
            results.append(self.synthesiser.run(self.design, self.period_ns, effort, seed))
        return results[place]

    def seeds_that_meet(self, effort: Effort) -> tuple[Result, ...]:
        """`wanted` results that meet the period, or none."""
        hopeless = self.run(effort, 0).slack_ns < -self.period_ns * recipe.HOPELESS
        met: list[Result] = []
        for place in range(1 if hopeless else len(self.seeds)):
            result = self.run(effort, place)
            met += [result] if result.slack_ns >= 0 else []
            if len(met) == self.wanted:
                return tuple(met)
            if len(met) + len(self.seeds) - place - 1 < self.wanted:
                break
        return ()


def flat(tried: dict[str, list[Result]]) -> tuple[Result, ...]:
    return tuple(result for results in tried.values() for result in results)
