# SPDX-License-Identifier: Apache-2.0
"""Adder cells as gates, for paths that miss the clock.

A full-adder cell is small, and in some libraries slow: a chain of them is slower than one of gates. With c the input that
arrives last,

    p = a ^ b      sum = p ^ c      carry = !(!(a & b) & !(p & c))

so a carry passes two NAND gates. Where the cell's output is inverted, its last gate is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .liberty import Adder, Gate
from .timing import FAR, Bit, Graph, Model, Timing

FUNCTIONS = {"xor": "a ^ b", "xnor": "!(a ^ b)", "nand": "!(a & b)", "and": "a & b"}


@dataclass(frozen=True)
class Plan:
    """The split of one cell: its nets by role (a, b, c, sum, carry), and what it gains."""

    roles: dict[str, Bit]
    steps: tuple[tuple[str, str, str], ...]
    late: str  # the pin of c, or of the half adder's later input
    gain: float
    area: float

    @property
    def nets(self) -> list[Bit]:
        return [self.roles[role] for role in "abc" if role in self.roles]


class Splitter:
    def __init__(self, graph: Graph):
        self.graph = graph
        library = graph.library
        self.adders = {adder.cell: adder for n in (2, 3) for adder in library.adders(n)}
        found = {name: library.gate(("a", "b"), text) for name, text in FUNCTIONS.items()}
        self.gate: dict[str, Gate] = {name: gate for name, gate in found.items() if gate}

    def steps(self, adder: Adder, nets: dict[str, Bit]) -> tuple[tuple[str, str, str], ...]:
        """Gates for the outputs that are connected."""
        last = {
            "sum": "xnor" if adder.sum in adder.inverted else "xor",
            "carry": "and" if adder.carry in adder.inverted else "nand",
        }
        if len(adder.inputs) == 2:
            last["carry"] = "nand" if adder.carry in adder.inverted else "and"
            ends = (("sum", "ab"), ("carry", "ab"))
            return tuple((last[end], of, end) for end, of in ends if end in nets)
        made = [("xor", "ab", "p")]
        if "carry" in nets:
            made += [("nand", "ab", "g"), ("nand", "pc", "t"), (last["carry"], "gt", "carry")]
        if "sum" in nets:
            made += [(last["sum"], "pc", "sum")]
        return tuple(made)

    def plan(self, name: str, timing: Timing) -> Plan | None:
        """The split of a cell, with the input that arrives last as c; None if it is no adder, or a gate is missing."""
        graph = self.graph
        adder = self.adders.get(graph.kind[name])
        if adder is None:
            return None
        pins = graph.pins[name]
        order = sorted(
            adder.inputs, key=lambda pin: (max(timing.arrival.get(pins[pin], (-FAR,))), pin)
        )
        roles = {role: pins[pin] for role, pin in zip("abc", order)}
        roles |= {
            role: pins[pin]
            for role, pin in (("sum", adder.sum), ("carry", adder.carry))
            if graph.sinks.get(pins.get(pin)) or graph.port_loads.get(pins.get(pin))
        }
        steps = self.steps(adder, roles)
        if not all(function in self.gate for function, _, _ in steps):
            return None
        worst = min(
            (role for role in ("sum", "carry") if role in roles),
            key=lambda role: timing.slack(roles[role]),
            default=None,
        )
        late = order[-1]
        if worst is None or roles[("ab", "abc")[len(order) - 2][-1]] not in timing.slew:
            return None
        out = adder.sum if worst == "sum" else adder.carry
        load = timing.loads[roles[worst]]
        slew = max(timing.slew[pins[late]])
        models = graph.models
        now = _through(models[adder.cell], late, out, load, slew)[0]
        area = sum(models[self.gate[f].cell].cell.area for f, _, _ in steps)
        return Plan(
            roles,
            steps,
            late,
            now - self._delay(steps, worst, len(order), load, slew),
            area - models[adder.cell].cell.area,
        )

    def _delay(
        self,
        steps: tuple[tuple[str, str, str], ...],
        end: str,
        inputs: int,
        load: float,
        slew: float,
    ) -> float:
        """From the last input to an output of the split."""
        path = [end]
        if inputs == 3 and end == "carry":
            path = ["t", "carry"]
        functions = {out: function for function, _, out in steps}
        gates = [self.gate[functions[one]] for one in path]
        total = 0.0
        for place, gate in enumerate(gates):
            its = self.graph.models[gate.cell]
            after = load
            if place + 1 < len(gates):
                following = gates[place + 1]
                after = self.graph.models[following.cell].loads[following.pins[1][0]]
            delay, slew = max(_through(its, pin, gate.output, after, slew) for pin in its.inputs)
            total += delay
        return total

    def gates(
        self, plan: Plan, fresh: Callable[[], Bit]
    ) -> Iterator[tuple[str, dict[str, Bit], float]]:
        """(cell, nets of its pins, place between the cell's drivers, 0, and the cell itself, 1)"""
        nets = dict(plan.roles)
        places = {"p": 0.25, "g": 0.25, "t": 0.5}
        for function, inputs, out in plan.steps:
            if out not in nets:
                nets[out] = fresh()
            gate = self.gate[function]
            ports = dict(zip("ab", (nets[one] for one in inputs)))
            pins = {pin: ports[port] for pin, port in gate.pins} | {gate.output: nets[out]}
            yield gate.cell, pins, places.get(out, 1.0)


def _through(its: Model, pin: str, out: str, load: float, slew: float) -> tuple[float, float]:
    """The delay and the slew of a cell's slowest arc from a pin to an output."""
    found = [
        (delay(load, slew), transition(load, slew))
        for source, _, _, delay, transition in its.arcs[out]
        if source == pin
    ]
    return max((d for d, _ in found), default=0.0), max((s for _, s in found), default=0.0)
