# SPDX-License-Identifier: Apache-2.0
"""A point of the table: one design at one period, as the median of re-synthesised variants that meet it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
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
    """The first effort of which `wanted` seeds meet the period. If there is none: the effort with the best slack, marked
    as not met. An effort is abandoned when too few of its seeds are left, or when its first seed misses by far.

    A point of the same design at a longer period saves runs. Lower efforts than its own are not tried, and a netlist with
    enough slack is taken over. If the longer period is missed, one run of the best effort says by how much this one
    is."""
    if longer is not None:
        efforts = efforts[[effort.name for effort in efforts].index(longer.chosen.effort) :]
        if not longer.met:
            missed = synthesiser.run(design, period_ns, efforts[0], seeds[0])
            return Point(design, period_ns, False, (missed,), (missed,))
        if not efforts[0].knows_period and all(
            spare(result, longer, period_ns) >= 0 for result in longer.used
        ):
            same = tuple(
                replace(result, slack_ns=spare(result, longer, period_ns)) for result in longer.used
            )
            return Point(design, period_ns, True, same, same)
    return first_met(synthesiser, design, period_ns, efforts, seeds, wanted)


def spare(result: Result, longer: Point, period_ns: float) -> float:
    """The slack of the longer period's netlist at this period."""
    return result.slack_ns - (longer.period_ns - period_ns)


def first_met(
    synthesiser: Synthesiser,
    design: Design,
    period_ns: float,
    efforts: tuple[Effort, ...],
    seeds: tuple[int, ...],
    wanted: int,
) -> Point:
    tried: dict[str, list[Result]] = {}
    for effort in efforts:
        results = tried.setdefault(effort.name, [])
        for number, seed in enumerate(seeds):
            results.append(synthesiser.run(design, period_ns, effort, seed))
            met = [result for result in results if result.slack_ns >= 0]
            if len(met) == wanted:
                return Point(design, period_ns, True, tuple(met), flat(tried))
            if (
                len(met) + len(seeds) - number - 1 < wanted
                or results[0].slack_ns < -period_ns * recipe.HOPELESS
            ):
                break
    best = max(tried.values(), key=lambda results: max(result.slack_ns for result in results))
    effort = next(effort for effort in efforts if effort.name == best[0].effort)
    best = [synthesiser.run(design, period_ns, effort, seed) for seed in seeds[:wanted]]
    return Point(design, period_ns, False, tuple(best), flat(tried | {effort.name: best}))


def flat(tried: dict[str, list[Result]]) -> tuple[Result, ...]:
    return tuple(result for results in tried.values() for result in results)
