# SPDX-License-Identifier: Apache-2.0
"""A point of the table: one design at one period, as the median of re-synthesised variants that meet it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median_low

from . import recipe
from .recipe import Effort
from .runs import Design, Result, Synthesiser

WANTED = 3  # variants that meet the clock


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
        """Of the areas of what was used, relative to the chosen one."""
        areas = [result.area for result in self.used]
        return (max(areas) - min(areas)) / self.chosen.area


def measure(synthesiser: Synthesiser, design: Design, period_ns: float,
            efforts: tuple[Effort, ...] = recipe.EFFORTS, seeds: tuple[int, ...] = recipe.SEEDS) -> Point:
    """The first effort of which WANTED seeds meet the period. If there is none, the effort with the best slack, as not
    met. An effort is given up once too few of its seeds are left, or at once if its first one is far off."""
    tried: dict[str, list[Result]] = {}
    for effort in efforts:
        results = tried.setdefault(effort.name, [])
        for number, seed in enumerate(seeds):
            results.append(synthesiser.run(design, period_ns, effort, seed))
            met = [result for result in results if result.slack_ns >= 0]
            if len(met) == WANTED:
                return Point(design, period_ns, True, tuple(met), flat(tried))
            if len(met) + len(seeds) - number - 1 < WANTED or results[0].slack_ns < -period_ns * recipe.HOPELESS:
                break
    best = max(tried.values(), key=lambda results: max(result.slack_ns for result in results))
    effort = next(effort for effort in efforts if effort.name == best[0].effort)
    best = [synthesiser.run(design, period_ns, effort, seed) for seed in seeds[:WANTED]]
    return Point(design, period_ns, False, tuple(best), flat(tried | {effort.name: best}))


def flat(tried: dict[str, list[Result]]) -> tuple[Result, ...]:
    return tuple(result for results in tried.values() for result in results)
