# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of layouts, from synth/results/layout.json.

In the page's templates {{layout WORD ARGUMENT...}} stands for one of them: see Layouts.
"""

from __future__ import annotations

from collections.abc import Callable

from ..flow.errors import UsageError
from ..study.records import Record
from ..study.tables import code, number, table
from .apart import SHARED, SUM

# In the name of a netlist that was made for another clock than the usual one: it stands before the ns
MADE_FOR = "_made_for_"
KIND_ORDER = ("int8", "late", "block", "unit", "readout", "feed")


def kind_order(one: Record) -> tuple[int, int, str]:
    """Elements first, INT8 before FP8; then parts of arrays."""
    kind = next(place for place, name in enumerate(KIND_ORDER) if one["name"].startswith(name))
    return (kind, one["sinks"] / one["copies"], one["name"])


def core(one: Record) -> float:
    """Of an element, in um2."""
    return one["core_um2"] / one["copies"]


def lost(one: Record) -> float:
    """The slack that wires cost, in ns."""
    return one["plain_slack_ns"] - one["slack_ns"]


def um_of_sink(one: Record) -> float:
    return one["wire_um"] / one["sinks"]


def ff_of_sink(one: Record) -> float:
    return 1000 * one["wire_pf"] / one["sinks"]


class Layouts:
    def __init__(self, found: dict):
        self.found: list[Record] = sorted(found["layouts"], key=kind_order)
        self.failures: list[Record] = found["failures"]
        self.runs: dict[str, dict] = found["runs"]

    def word(self, name: str, *arguments: str) -> str:
        method: Callable[..., str] | None = getattr(self, f"say_{name}", None)
        if method is None:
            raise UsageError(f"the layouts have no word {name}")
        return method(*arguments)

    def get(self, name: str) -> Record | None:
        return next((one for one in self.found if one["name"] == name), None)

    def best(self, name: str) -> Record | None:
        """Of the layouts of a design, made for any clock: the smallest that meets the usual clock with its wires, or else
        the one that misses it least."""
        found = [one for one in self.found if one["name"].partition(MADE_FOR)[0] == name]
        met = [one for one in found if one["slack_ns"] >= 0]
        if met:
            return min(met, key=core)
        return max(found, key=lambda one: one["slack_ns"], default=None) or self.halves(name)

    def halves(self, name: str) -> Record | None:
        """An element that was laid out in two netlists: the sum of their areas for one element, and the worse slack."""
        both = [self.get(name + half) for half in (SUM, SHARED)]
        if None in both:
            return None
        slack = min(one["slack_ns"] for one in both)
        return {"name": name, "copies": 1, "core_um2": sum(map(core, both)), "slack_ns": slack}

    def one(self, name: str) -> Record:
        found = self.get(name) or self.halves(name)
        if found is None:
            raise UsageError(f"synth/results/layout.json has no layout of {name}")
        return found

    def ratio(self, name: str, base: str) -> float:
        return core(self.one(name)) / core(self.one(base))

    # ---- words -------------------------------------------------------------------------------------------------------

    def say_table(self) -> str:
        head = ["netlist", "cells", "area of an element in its core, um2", "utilisation"]
        head += ["wire of a sink, um", "fF", "slack without wires, ns", "with routed wires, ns"]
        lines = [
            [
                code(one["name"]),
                number(one["cells"]),
                number(core(one)),
                f"{100 * one['utilisation']:.0f} %",
                number(um_of_sink(one), 1),
                number(ff_of_sink(one), 1),
                number(one["plain_slack_ns"], 2),
                number(one["slack_ns"], 2),
            ]
            for one in self.found
        ]
        return table(head, lines)

    def say_apart(self) -> str:
        """Elements that were laid out in two netlists: the area of each, and of an element."""
        lines = []
        for name in (
            one["name"].removesuffix(SUM) for one in self.found if one["name"].endswith(SUM)
        ):
            whole = self.halves(name)
            if whole is None:
                continue
            own, shared = (self.one(name + half) for half in (SUM, SHARED))
            areas = (core(own), core(shared), whole["core_um2"])
            lines.append([code(name), *map(number, areas), number(whole["slack_ns"], 2)])
        head = ["element", "its sum, um2", "its part of the rest, um2", "element, um2"]
        return table([*head, "slack with routed wires, ns"], lines)

    def say_commands(self) -> str:
        lines = dict.fromkeys(
            command
            for name in dict.fromkeys(one["run"] for one in self.found)
            for command in (self.runs[name]["area"], self.runs[name]["command"])
        )
        return "\n".join(f"    {line}" for line in lines)

    def say_ratio(self, name: str, base: str) -> str:
        return number(self.ratio(name, base), 2)

    def say_core(self, name: str) -> str:
        return number(core(self.one(name)))

    def say_wire(self, name: str) -> str:
        """um of all wires"""
        return number(self.one(name)["wire_um"])

    def say_lost(self, name: str) -> str:
        return number(lost(self.one(name)), 2)

    def say_miss(self, name: str) -> str:
        """By how much the clock is missed"""
        return number(-self.one(name)["slack_ns"], 2)

    def say_failures(self) -> str:
        return ", ".join(code(one["name"]) for one in self.failures) or "None"

    def say_slack(self, name: str) -> str:
        return number(self.one(name)["slack_ns"], 2)

    def say_utilisation(self, name: str) -> str:
        return f"{100 * self.one(name)['utilisation']:.0f} %"

    def say_um(self, name: str) -> str:
        """The wire of a sink"""
        return number(um_of_sink(self.one(name)), 0)

    def say_span(self, what: str) -> str:
        """The least and the most of all layouts"""
        measure = {"um": um_of_sink, "ff": ff_of_sink, "utilisation": utilisation}[what]
        found = [measure(one) for one in self.found]
        return f"{min(found):.0f} to {max(found):.0f}" + (" %" if what == "utilisation" else "")

    def say_density(self) -> str:
        """fF of a um, the mean"""
        return number(
            1000
            * sum(one["wire_pf"] for one in self.found)
            / sum(one["wire_um"] for one in self.found),
            3,
        )

    def say_gaps(self) -> str:
        return f"{sum(one['gaps'] for one in self.found)} of {number(sum(one['nets'] for one in self.found))}"

    def say_largest(self) -> str:
        """The number of cells of the largest layout"""
        return number(max(one["cells"] for one in self.found))

    def say_count(self) -> str:
        return str(len(self.found))

    def say_array(self, units: str, base: str) -> str:
        """The ratio of the sums of routed parts of two arrays. An argument is COUNTxNAME+COUNTxNAME..."""
        return number(self.sum_of(units) / self.sum_of(base), 2)

    def sum_of(self, parts: str) -> float:
        pairs = (part.split("x", 1) for part in parts.split("+"))
        return sum(int(count) * core(self.one(name)) for count, name in pairs)


def utilisation(one: Record) -> float:
    return 100 * one["utilisation"]


def take(made: dict, known: dict) -> dict:
    """Layouts of a measurement take the place of those of the same names."""
    name = f"{made['run']['command']} {made['run']['date']} {made['run']['area']}"
    fresh = {one["name"]: {**one, "run": name} for one in made["layouts"]}
    found = {**{one["name"]: one for one in known["layouts"]}, **fresh}
    failed = {one["name"]: one for one in (*known["failures"], *made["failures"])}
    used = {one["run"] for one in found.values()}
    runs = {key: run for key, run in {**known["runs"], name: made["run"]}.items() if key in used}
    failures = [one for one in failed.values() if one["name"] not in found]
    layouts = sorted(found.values(), key=kind_order)
    return {"runs": runs, "layouts": layouts, "failures": failures}
