# SPDX-License-Identifier: Apache-2.0
"""Makes a mapped netlist meet its clock and keep the library's design rules. On paths that miss the clock, and nowhere
else, it puts stronger cells and buffers, and it replaces adder cells by gates where those are faster (see splits.py).
Then it repairs the nets that break a design rule (see rules.py). No move for the clock breaks one.

ABC's own buffering works on every net with a high fan-out, also on fast paths, and does not see through instantiated
adder cells. Here the mapped netlist starts without any buffer. The timing of the whole netlist judges each repair: it
stays if the worst slack, or the sum of the negative slacks, improves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import fo4, rules
from .liberty import Library
from .netlist import is_black_box
from .splits import Plan, Splitter
from .spread import clocks_of, spread, stronger
from .timing import FAR, Bit, Graph, Model, Timing

ROUNDS = 150
WINDOW = 0.25  # repairs take nets whose slack is within this part of the worst one
# In FO4 delays of the library
MIN_GAIN = 0.04
LEAST_WINDOW = 0.2
APART = 3.0  # sinks with so much more slack can wait behind a buffer
EQUAL = 0.001
PASSES = 3  # repairs of design rules, each followed by repairs of paths
PATIENCE = 24  # the search ends after so many single moves without gain
# In so many rounds the worst negative slack must fall by this part.
STRIDE = 12
PROGRESS = 0.1
# Ends of paths that miss the clock for good are excused so often at most, those with a slack within a part of the worst.
EXCUSES = 60
MOST_EXCUSED = 1 / 8


@dataclass(frozen=True)
class Move:
    gain: float
    area: float
    touched: frozenset[str]  # gates whose timing it changes
    key: tuple  # identifies the move, so that a failed one is not tried again
    apply: Callable[[], tuple[Callable[[], None], list[str]]]  # (what undoes it, new gates)
    changed: tuple[str, ...]  # gates whose pins or kind it changes
    least_area: float  # what the smallest repair costs

    @property
    def worth(self) -> float:
        return self.gain / max(self.area + self.least_area, self.least_area / 4)


class Fitter:
    """Repairs a graph in place."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.sizes = _sizes(graph.library)
        self.buffers = fast_buffers(graph)
        self.splitter = Splitter(graph)
        self.unit = fo4.of(graph.library).delay_ns
        self.rules = rules.Rules(graph)
        self.least_area = graph.library.usable()[0].area / 4
        self.banned: set[tuple] = set()
        self.count = self.nets = 0

    # ---- moves -------------------------------------------------------------------------------------------------------

    def _delay(self, its: Model, out: str, load: float, timing: Timing, name: str) -> float:
        """The delay of a gate's slowest arc into its output, with the present slews."""
        pins, slews = self.graph.pins[name], timing.slew
        worst = 0.0
        for pin, _, froms, delay, _ in its.arcs[out]:
            at = slews.get(pins.get(pin))
            if its.is_flip_flop:
                worst = max(worst, delay(load, self.graph.register.clock_slew))
            elif at is not None:
                for source in froms:
                    worst = max(worst, delay(load, at[source]))
        return worst

    def _input_delay(self, load: float) -> float:
        """The delay of the flip-flop that drives an input port."""
        slew = self.graph.register.clock_slew
        return max(delay(load, slew) for _, delay, _ in self.graph.input_arcs)

    def resizes(self, name: str, timing: Timing) -> list[Move]:
        graph = self.graph
        kind = graph.kind[name]
        now = graph.models[kind]
        loads = {out: timing.loads.get(graph.pins[name].get(out), 0.0) for out in now.outputs}
        before = {out: self._delay(now, out, loads[out], timing, name) for out in now.outputs}
        moves = []
        for other in self.sizes.get(kind, ()):
            new = graph.models[other]
            if self._overloads(name, now, new, loads, timing):
                continue
            gain = max(
                before[out] - self._delay(new, out, loads[out], timing, name) for out in now.outputs
            )
            touched = {name}
            for pin in now.inputs:
                more = new.loads[pin] - now.loads[pin]
                bit = graph.pins[name][pin]
                source = graph.driver.get(bit)
                if source is None:
                    if bit in timing.loads and timing.slack(bit) < self.limit:
                        load = timing.loads[bit]
                        gain -= self._input_delay(load + more) - self._input_delay(load)
                    continue
                if timing.slack(bit) < self.limit:
                    driver, load = graph.models[graph.kind[source[0]]], timing.loads[bit]
                    gain -= self._delay(driver, source[1], load + more, timing, source[0])
                    gain += self._delay(driver, source[1], load, timing, source[0])
                touched.add(source[0])
            moves.append(
                Move(
                    gain,
                    new.cell.area - now.cell.area,
                    frozenset(touched),
                    (name, other),
                    lambda other=other: self.resize(name, other),
                    (name,),
                    self.least_area,
                )
            )
        return moves

    def _overloads(
        self, name: str, now: Model, new: Model, loads: dict[str, float], timing: Timing
    ) -> bool:
        """Whether `new` would drive more than it may, or be too much for a gate in front of it."""
        limit, pins = self.rules.limit, self.graph.pins[name]
        if any(load > limit(rules.CAPACITANCE, new.cell.name, out) for out, load in loads.items()):
            return True
        more = {pin: new.loads[pin] - now.loads[pin] for pin in now.inputs}
        return any(
            extra > 0 and timing.loads.get(pins[pin], 0.0) + extra > self.rules.most_load(pins[pin])
            for pin, extra in more.items()
            if pins[pin] in timing.loads
        )

    def resize(self, name: str, other: str) -> tuple[Callable[[], None], list[str]]:
        before = self.graph.kind[name]
        self.graph.kind[name] = other

        def undo() -> None:
            self.graph.kind[name] = before

        return undo, []

    def splits(self, name: str, timing: Timing) -> list[Move]:
        """An adder cell as gates."""
        graph = self.graph
        plan = self.splitter.plan(name, timing)
        if plan is None:
            return []
        drivers = {graph.driver[bit][0] for bit in plan.nets if bit in graph.driver}
        return [
            Move(
                plan.gain,
                plan.area,
                frozenset({name, *drivers}),
                (name, "split", plan.late),
                lambda: self._split(name, plan, timing),
                (name, *sorted(drivers)),
                self.least_area,
            )
        ]

    def _split(self, name: str, plan: Plan, timing: Timing) -> tuple[Callable[[], None], list[str]]:
        """Gates of the split come between the cell's drivers and its sinks in the order of levels."""
        graph = self.graph
        kind, pins, top = graph.kind[name], graph.pins[name], timing.level[name]
        low = max(
            (
                timing.level.get(graph.driver[bit][0], -1.0)
                for bit in plan.nets
                if bit in graph.driver
            ),
            default=top - 1,
        )
        graph.remove(name)
        new = []
        for gate, nets, place in self.splitter.gates(plan, lambda: self._fresh_net()):
            self.count += 1
            new.append(f"fit_{self.count}")
            graph.add(new[-1], gate, nets)
            timing.level[new[-1]] = low + (top - low) * place

        def undo() -> None:
            for one in reversed(new):
                graph.remove(one)
            graph.add(name, kind, pins)

        return undo, new

    def _fresh_net(self) -> Bit:
        self.nets += 1
        return self.graph.new_net(f"split {self.nets}")

    def bufferings(self, bit: Bit, name: str, out: str, timing: Timing) -> list[Move]:
        """A buffer for the sinks that meet the clock, or for all of them. The net of an input port has no driver here, and
        `name` is empty."""
        graph, load = self.graph, timing.loads[bit]
        sinks = graph.sinks.get(bit, [])

        def driven(load: float) -> float:
            if not name:
                return self._input_delay(load)
            return self._delay(graph.models[graph.kind[name]], out, load, timing, name)

        now = driven(load)
        moves = []
        slacks = sorted((self._sink_slack(sink, timing), sink) for sink in sinks)
        choices = {0}
        for part in (1, 2, 3):
            choices.add(len(slacks) * part // 4)
        choices |= {
            next(
                (
                    i
                    for i, (slack, _) in enumerate(slacks)
                    if slack > self.limit + APART * self.unit
                ),
                len(slacks),
            )
        }
        for keep in sorted(choices):
            moved = [sink for _, sink in slacks[keep:]]
            if not moved or (keep == 0 and len(moved) < 2) or len(moved) < 2:
                continue
            moved_load = sum(graph.models[graph.kind[user]].loads[pin] for user, pin in moved)
            for buffer in self.buffers[:4]:
                pin, end = buffer.inputs[0], buffer.outputs[0]
                if moved_load > self.rules.limit(rules.CAPACITANCE, buffer.cell.name, end):
                    continue
                after = driven(load - moved_load + buffer.loads[pin])
                slew = max(timing.slew[bit])
                through = max(delay(moved_load, slew) for _, _, _, delay, _ in buffer.arcs[end])
                gain = now - after
                worst_moved = slacks[keep][0] + gain - through
                if keep == 0:
                    gain -= through
                elif worst_moved < min(slacks[0][0] + gain, self.limit + gain):
                    continue
                moves.append(
                    Move(
                        gain,
                        buffer.cell.area,
                        frozenset({name or str(bit), *(user for user, _ in sinks)}),
                        (name or bit, out, keep, len(sinks), buffer.cell.name),
                        lambda moved=tuple(moved), buffer=buffer: self.buffer(bit, moved, buffer),
                        (name, *(user for user, _ in moved)),
                        self.least_area,
                    )
                )
        return moves

    def _sink_slack(self, sink: tuple[str, str], timing: Timing) -> float:
        """The slack of the path through one sink of a net: the slack of the sink's outputs, or of the net where it ends."""
        name, pin = sink
        return timing.pin_slack(name, pin)

    def buffer(self, bit: Bit, moved: tuple, buffer: Model) -> tuple[Callable[[], None], list[str]]:
        graph = self.graph
        self.count += 1
        name, new = f"fit_{self.count}", graph.new_net(self.count)
        graph.add(name, buffer.cell.name, {buffer.inputs[0]: bit, buffer.outputs[0]: new})
        for user, pin in moved:
            graph.rewire(user, pin, new)

        def undo() -> None:
            for user, pin in moved:
                graph.rewire(user, pin, bit)
            graph.remove(name)

        return undo, [name]

    # ---- rounds ------------------------------------------------------------------------------------------------------

    def moves(self, timing: Timing) -> list[Move]:
        graph = self.graph
        found = []
        for bit, (name, out) in list(graph.driver.items()):
            if timing.slack(bit) < self.limit:
                found += self._best(
                    [
                        *self.resizes(name, timing),
                        *self.bufferings(bit, name, out, timing),
                        *self.splits(name, timing),
                    ]
                )
        for bit in graph.inputs:
            if timing.slack(bit) < self.limit:
                found += self._best(self.bufferings(bit, "", "", timing))
        return sorted(found, key=lambda move: -move.worth)

    def _best(self, options: list[Move]) -> list[Move]:
        """The move of the most worth among those that were not tried in vain, if there is one."""
        least = MIN_GAIN * self.unit
        options = [m for m in options if m.gain > least and m.key not in self.banned]
        return [max(options, key=lambda move: move.worth)] if options else []

    def run(self, margin: float = 0.0) -> Timing:
        """Repairs until the worst slack is at least `margin` FO4 delays, or no move improves it. If the clock is missed then,
        the ends of the worst paths are excused, so that other paths are repaired too: first those of nearly the worst
        slack, and more at a time while that does not help."""
        margin *= self.unit
        timing = Timing(self.graph)
        self._repair(timing, margin)
        window = least = LEAST_WINDOW * self.unit
        for _ in range(EXCUSES):
            worst = timing.worst()
            if worst >= 0:
                break
            window = max(least, min(window, -worst * MOST_EXCUSED))
            limit = min(worst + window, -EQUAL * self.unit)
            if not timing.excuse(limit, margin + EQUAL * self.unit):
                break
            self.banned.clear()
            before = timing.total()
            self._repair(timing, margin)
            gained = timing.total() > before * (1 - PROGRESS)
            window = least if gained else 2 * window
        return timing

    def _repair(self, timing: Timing, margin: float) -> None:
        stuck, share, milestone = 0, 1.0, -FAR
        for number in range(ROUNDS):
            worst, total = timing.worst(), timing.total()
            if number % STRIDE == 0:
                if worst < margin - (margin - milestone) * (1 - PROGRESS):
                    break  # too little since the last milestone
                milestone = worst
            if worst >= margin or stuck >= PATIENCE:
                break
            self.limit = min(margin, worst + WINDOW * (margin - worst) + LEAST_WINDOW * self.unit)
            moves = self._apart(self.moves(timing))
            if not moves:
                break
            chosen = moves[: max(1, int(len(moves) * share))]
            applied = [move.apply() for move in chosen]
            changed = [name for move in chosen for name in move.changed]
            timing.update([*changed, *(name for _, new in applied for name in new)])
            after, equal = timing.worst(), EQUAL * self.unit
            if after > worst + equal or (
                after > worst - equal and timing.total() > total + 10 * equal
            ):
                stuck, share = 0, min(1.0, share * 2)
                continue
            for undo, _ in reversed(applied):
                undo()
            timing.update(changed)
            if len(chosen) == 1:
                self.banned.add(chosen[0].key)
                stuck += 1
            share = share / 4

    def keep_rules(self, margin: float = 0.0) -> dict[str, int]:
        """Repairs the nets that break a design rule, then again the paths that the repairs made too slow. Returns how many
        nets had broken each rule."""
        timing = Timing(self.graph)
        found = rules.counts(self.rules.broken(timing))
        for _ in range(PASSES):
            met = timing.worst() >= margin * self.unit
            if not rules.Repair(self, timing, margin * self.unit).run():
                break
            if not met or timing.worst() >= margin * self.unit:
                break  # the repairs cost nothing, or the clock was missed without them
            timing = self.run(margin)
        else:
            rules.Repair(self, timing, margin * self.unit).run()
        return found

    @staticmethod
    def _apart(moves: list[Move]) -> list[Move]:
        """The best moves, no two of which touch the same gate."""
        taken: set[str] = set()
        chosen = []
        for move in moves:
            if not move.touched & taken:
                chosen.append(move)
                taken |= move.touched
        return chosen


def fast_buffers(graph: Graph) -> list[Model]:
    """Buffers from the smallest, without those that another one of at most their area beats at every load: libraries have
    slow buffers for hold times."""
    found: list[Model] = []
    for cell in graph.library.usable():
        if cell.is_buffer:
            its = graph.models[cell.name]
            delays = _delays(its, graph)
            if not any(all(a <= b for a, b in zip(_delays(o, graph), delays)) for o in found):
                found.append(its)
    return found


def _delays(its: Model, graph: Graph) -> list[float]:
    """Delays over several loads, from a source that drives the buffer's own pin."""
    load = graph.register.data_capacitance
    weight = its.loads[its.inputs[0]] / load  # a large pin costs the driver time
    own = graph.models[graph.register.cell].arcs[graph.register.output]
    slew = graph.register.clock_slew
    return [
        max(delay(count * load, slew) for _, _, _, delay, _ in its.arcs[its.outputs[0]])
        + max(delay(weight * load, slew) - delay(0.0, slew) for _, _, _, delay, _ in own)
        for count in (2, 8, 32)
    ]


def _sizes(library: Library) -> dict[str, list[str]]:
    """The cells with the same pins and function, for each cell."""
    groups: dict[tuple, list[str]] = {}
    for cell in library.usable():
        if not cell.is_flip_flop:
            function = tuple((out, cell.truth(out)) for out in cell.outputs())
            groups.setdefault((tuple(cell.inputs()), function), []).append(cell.name)
    return {
        name: [other for other in names if other != name]
        for names in groups.values()
        for name in names
    }


def fit(
    module: dict, library: Library, period_ns: float, margin: float
) -> tuple[dict, dict[str, int]]:
    """The repaired flat module, and how many nets had broken each design rule. New cells are named fit_N and
    spread_N_N."""
    graph = Graph(module, library, period_ns)
    fitter = Fitter(graph)
    spread(graph, stronger(fitter.buffers), clocks_of(module))
    fitter.run(margin)
    repaired = fitter.keep_rules(margin)
    bits = [
        bit
        for cell in module["cells"].values()
        for pin in cell["connections"].values()
        for bit in pin
    ]
    bits += [bit for port in module["ports"].values() for bit in port["bits"]]
    fresh = 1 + max((bit for bit in bits if isinstance(bit, int)), default=1)
    new: dict[Bit, int] = {}
    cells = {name: cell for name, cell in module["cells"].items() if name in graph.pins}
    for name, pins in graph.pins.items():
        old = cells.get(
            name, {"hide_name": 0, "parameters": {}, "attributes": {}, "connections": {}}
        )
        nets = {
            pin: [new.setdefault(bit, fresh + len(new)) if graph.is_new(bit) else bit]
            for pin, bit in pins.items()
        }
        cell = library.cells[graph.kind[name]]
        cells[name] = {
            **old,
            "type": cell.name,
            "connections": {**old["connections"], **nets},
            "port_directions": {
                pin: cell.pins[pin].direction for pin in (*old["connections"], *nets)
            },
        }
    return {**module, "cells": cells}, repaired


def main(arguments: list[str]) -> int:
    """FOLDER TOP PERIOD MARGIN (FO4 delays): makes FOLDER/fitted.json of FOLDER/mapped.json, and FOLDER/repaired.json with
    the nets that had broken a design rule. A netlist whose modules are kept apart, for the breakdown, stays as it was
    mapped."""
    folder, top, period, margin = Path(arguments[0]), *arguments[1:]
    data = json.loads((folder / "mapped.json").read_text())
    modules, repaired = data["modules"], {}
    if [name for name, module in modules.items() if not is_black_box(module)] == [top]:
        library = Library(folder / "library.lib")
        modules[top], repaired = fit(modules[top], library, float(period), float(margin))
    (folder / "fitted.json").write_text(json.dumps(data))
    (folder / "repaired.json").write_text(json.dumps(repaired))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
