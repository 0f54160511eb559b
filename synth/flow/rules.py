# SPDX-License-Identifier: Apache-2.0
"""The library's design rules: no pin drives more than its max_capacitance, and no edge at a pin is slower than its
max_transition. A cell's tables say nothing beyond these. fit.py repairs the nets that break a rule; the flow rejects a
netlist with such a net.

Inputs come from a flip-flop outside, whose output pin has rules too. The clock is ideal and has none. A library's
max_fanout is a guess at wires, which are not here, and is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .liberty import Library
from .timing import FAR, Bit, Graph, Model, Timing

if TYPE_CHECKING:
    from .fit import Fitter

CAPACITANCE, TRANSITION = "max_capacitance", "max_transition"
ROUNDING = 1e-6  # of a limit: sums of capacitances differ by so much
GUARD = 0.02  # of a limit: OpenSTA sees nearly the edges that timing.py sees
ROUNDS = 12

Undo = Callable[[], None]


class Rules:
    """The limits of the pins of a graph's cells. A limit that a pin does not have is the library's default, or FAR."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.known: dict[tuple[str, str, str], float] = {}
        self.defaults = {rule: default(graph.library, rule) for rule in (CAPACITANCE, TRANSITION)}

    def limit(self, rule: str, kind: str, pin: str) -> float:
        key = rule, kind, pin
        if key not in self.known:
            its = self.graph.library.cells[kind].pins[pin].group.attributes
            self.known[key] = float(its[rule]) if rule in its else self.defaults[rule]
        return self.known[key]

    def driver(self, bit: Bit) -> tuple[str, str]:
        """Cell and pin that drive a net."""
        if bit in self.graph.driver:
            name, pin = self.graph.driver[bit]
            return self.graph.kind[name], pin
        return self.graph.register.cell, self.graph.register.output

    def most_load(self, bit: Bit) -> float:
        return self.limit(CAPACITANCE, *self.driver(bit))

    def slowest(self, bit: Bit) -> float:
        """The strictest limit of an edge's transition time on a net."""
        ends = [(self.graph.kind[name], pin) for name, pin in self.graph.sinks.get(bit, ())]
        return min(self.limit(TRANSITION, *end) for end in (self.driver(bit), *ends))

    def excess(self, bit: Bit, timing: Timing, guard: float = 0.0) -> dict[str, float]:
        """By which part of the limit a net breaks each rule; empty if it keeps them."""
        if bit not in timing.loads or not (self.graph.sinks.get(bit) or bit in timing.ends):
            return {}
        pairs = (
            (CAPACITANCE, timing.loads[bit], self.most_load(bit), ROUNDING),
            (TRANSITION, max(timing.slew[bit]), self.slowest(bit), max(guard, ROUNDING)),
        )
        found = {rule: value / (most * (1 - part)) - 1 for rule, value, most, part in pairs}
        # A load within the rounding of its limit keeps the rule, an edge within the guard does not.
        found[CAPACITANCE] -= 2 * ROUNDING
        return {rule: more for rule, more in found.items() if more > 0}

    def broken(self, timing: Timing, guard: float = 0.0) -> dict[Bit, dict[str, float]]:
        return {bit: its for bit in timing.loads if (its := self.excess(bit, timing, guard))}


def default(library: Library, rule: str) -> float:
    return float(library.head.attributes.get(f"default_{rule}", FAR))


def counts(broken: dict[Bit, dict[str, float]]) -> dict[str, int]:
    """The number of nets that break each rule."""
    return {rule: sum(rule in its for its in broken.values()) for rule in (CAPACITANCE, TRANSITION)}


@dataclass(frozen=True)
class Option:
    """A stronger driver, or a buffer for some sinks of the net."""

    area: float
    changed: tuple[str, ...]
    nets: tuple[Bit, ...]  # whose load it raises or lowers
    apply: Callable[[], tuple[Undo, list[str]]]


class Repair:
    """Puts stronger drivers and buffers where a net breaks a rule, in place. Of the options that mend most of a net it
    takes one that keeps the worst slack, and of these the smallest."""

    def __init__(self, fitter: Fitter, timing: Timing, margin: float):
        self.fitter, self.graph, self.timing = fitter, fitter.graph, timing
        self.rules, self.margin = fitter.rules, margin
        self.made = 0

    def run(self) -> int:
        """The number of repairs. What cannot be repaired stays: the flow rejects such a netlist."""
        hopeless: set[Bit] = set()
        for _ in range(ROUNDS):
            bad = self.rules.broken(self.timing, GUARD).keys() - hopeless
            if not bad:
                break
            # From the ends of paths to their starts: a repair changes the load in front of it.
            for bit in sorted(bad, key=lambda one: (-self._level(one), str(one))):
                if self.rules.excess(bit, self.timing, GUARD) and not self._mend(bit):
                    hopeless.add(bit)
        return self.made

    def _level(self, bit: Bit) -> float:
        return self.timing.level.get(self.graph.driver.get(bit, ("",))[0], -1.0)

    def _total(self, nets: Iterable[Bit]) -> float:
        return sum(sum(self.rules.excess(bit, self.timing, GUARD).values()) for bit in set(nets))

    def _mend(self, bit: Bit) -> bool:
        """Applies the best option for a net, if one helps."""
        floor = min(self.timing.worst(), self.margin) - self.fitter.unit / 1000
        best = None
        for option in (*self._drivers(bit), *self._buffers(bit)):
            before = self._total((bit, *option.nets))
            undo, new = option.apply()
            self.timing.update([*option.changed, *new])
            fresh = [net for name in new for net in self.graph.pins[name].values()]
            left = self._total((bit, *option.nets, *fresh))
            if left < before - ROUNDING:
                key = left, self.timing.worst() < floor, option.area
                if best is None or key < best[0]:
                    best = key, option
            undo()
            self.timing.update(option.changed)
        if best is None:
            return False
        option = best[1]
        _, new = option.apply()
        self.timing.update([*option.changed, *new])
        self.made += 1
        return True

    def _drivers(self, bit: Bit) -> list[Option]:
        if bit not in self.graph.driver:
            return []
        name, _ = self.graph.driver[bit]
        now = self.graph.models[self.graph.kind[name]]
        ends = tuple(
            self.graph.pins[name][pin]
            for pin in (*now.inputs, *now.outputs)
            if pin in self.graph.pins[name]
        )
        return [
            Option(
                self.graph.models[other].cell.area - now.cell.area,
                (name,),
                ends,
                lambda other=other: self.fitter.resize(name, other),
            )
            for other in self.fitter.sizes.get(self.graph.kind[name], ())
        ]

    def _buffers(self, bit: Bit) -> list[Option]:
        """Buffers for the sinks that can wait longest: as many as keep the driver's limit, or parts of all."""
        sinks = sorted(
            self.graph.sinks.get(bit, ()),
            key=lambda sink: (-self.timing.pin_slack(*sink), sink),
        )
        return [
            Option(
                buffer.cell.area,
                (self.graph.driver.get(bit, ("",))[0], *(name for name, _ in sinks[:count])),
                (bit,),
                lambda count=count, buffer=buffer: self.fitter.buffer(
                    bit, tuple(sinks[:count]), buffer
                ),
            )
            for buffer in self.fitter.buffers
            for count in self._numbers(bit, sinks, buffer)
        ]

    def _numbers(self, bit: Bit, sinks: list[tuple[str, str]], buffer: Model) -> list[int]:
        """How many sinks a buffer could take."""
        graph, kind = self.graph, buffer.cell.name
        most = self.rules.limit(CAPACITANCE, kind, buffer.outputs[0])
        left = self.timing.loads[bit] + buffer.loads[buffer.inputs[0]]
        taken, enough, fits = 0.0, len(sinks), 0
        for count, (name, pin) in enumerate(sinks, 1):
            load = graph.models[graph.kind[name]].loads[pin]
            taken, left = taken + load, left - load
            if taken <= most:
                fits = count
            if left <= self.rules.most_load(bit) and enough == len(sinks):
                enough = count
        wanted = {enough, *(max(1, len(sinks) * part // 4) for part in (1, 2, 3, 4))}
        return sorted({min(count, fits) for count in wanted} - {0})
