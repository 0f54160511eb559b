# SPDX-License-Identifier: Apache-2.0
"""Static timing of a flat netlist, for choosing repairs. OpenSTA decides in the end. This timer follows it closely: table
delays, the worst slew of all arcs, no wires, the surroundings of sta.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from .liberty import Cell, Library
from .liberty_text import Group
from .sta import is_clock

RISE, FALL = 0, 1
FAR = 1e9
Bit = int | str


class Table:
    """A delay or slew over load and input slew, in pF and ns: bilinear, extrapolated beyond its ends."""

    __slots__ = ("loads", "rows", "slews")

    def __init__(self, group: Group, library: Library):
        axes = {
            name: library.axis(group, name)
            for name in ("total_output_net_capacitance", "input_net_transition")
        }
        self.loads = axes["total_output_net_capacitance"]
        self.slews = axes["input_net_transition"]
        rows = library.values(group)
        if library.variable(group, 1) == "input_net_transition":
            rows = (
                [list(column) for column in zip(*rows)] if len(rows) > 1 else [[v] for v in rows[0]]
            )
        self.rows = rows

    def axes(self) -> tuple:
        return tuple(self.loads), tuple(self.slews)

    def __call__(self, load: float, slew: float) -> float:
        loads, slews, rows = self.loads, self.slews, self.rows
        if len(slews) == 1:
            low = high = 0
            part = 0.0
        else:
            low = min(max(bisect_right(slews, slew) - 1, 0), len(slews) - 2)
            high = low + 1
            part = (slew - slews[low]) / (slews[high] - slews[low])
        if len(loads) == 1:
            row = rows[0]
            return row[low] + part * (row[high] - row[low])
        i = min(max(bisect_right(loads, load) - 1, 0), len(loads) - 2)
        first, second = rows[i], rows[i + 1]
        below = first[low] + part * (first[high] - first[low])
        above = second[low] + part * (second[high] - second[low])
        return below + (load - loads[i]) / (loads[i + 1] - loads[i]) * (above - below)


def worst(tables: list[Table]) -> Table:
    """The table of the largest values of tables with the same axes."""
    if len(tables) == 1:
        return tables[0]
    made = Table.__new__(Table)
    made.loads, made.slews = tables[0].loads, tables[0].slews
    made.rows = [list(map(max, *rows)) for rows in zip(*(table.rows for table in tables))]
    return made


def joint(delay: Table, slew: Table) -> Callable[[float, float], tuple[float, float]]:
    """Delay and slew at once: tables of one arc have the same axes, which are then searched once."""
    loads, slews, first, second = delay.loads, delay.slews, delay.rows, slew.rows
    if delay.axes() != slew.axes() or len(loads) == 1 or len(slews) == 1:
        return lambda load, at: (delay(load, at), slew(load, at))
    most_i, most_j = len(loads) - 2, len(slews) - 2

    def both(load: float, at: float) -> tuple[float, float]:
        j = bisect_right(slews, at) - 1
        j = 0 if j < 0 else most_j if j > most_j else j
        i = bisect_right(loads, load) - 1
        i = 0 if i < 0 else most_i if i > most_i else i
        part = (at - slews[j]) / (slews[j + 1] - slews[j])
        weight = (load - loads[i]) / (loads[i + 1] - loads[i])
        low, high = first[i], first[i + 1]
        below = low[j] + part * (low[j + 1] - low[j])
        above = high[j] + part * (high[j + 1] - high[j])
        low, high = second[i], second[i + 1]
        under = low[j] + part * (low[j + 1] - low[j])
        over = high[j] + part * (high[j + 1] - high[j])
        return below + weight * (above - below), under + weight * (over - under)

    return both


@dataclass
class Model:
    """A library cell as the timer sees it. Arcs: input, output, its edge, the input's edges, delay, slew. `joint` has
    the last two as one function; `of_pin` has the arcs of an input: output, its edge, the input's edges, delay."""

    cell: Cell
    inputs: list[str]
    outputs: list[str]
    loads: dict[str, float]
    is_flip_flop: bool
    arcs: dict[str, list[tuple[str, int, tuple[int, ...], Table, Table]]] = field(
        default_factory=dict
    )
    joint: dict[str, list[tuple]] = field(default_factory=dict)
    of_pin: dict[str, list[tuple]] = field(default_factory=dict)


def model(cell: Cell, library: Library) -> Model:
    loads = {name: cell.pins[name].largest_capacitance for name in cell.inputs()}
    arcs = {out: [] for out in cell.outputs()}
    result = Model(cell, cell.inputs(), cell.outputs(), loads, cell.is_flip_flop, arcs)
    for out in result.outputs:
        for timing in cell.pins[out].group.all("timing"):
            tables = {group.kind: group for group in timing.groups}
            sense = timing.attributes.get("timing_sense", "non_unate")
            for edge, name in ((RISE, "rise"), (FALL, "fall")):
                if f"cell_{name}" not in tables:
                    continue
                froms = {"positive_unate": (edge,), "negative_unate": (1 - edge,)}.get(
                    sense, (RISE, FALL)
                )
                if cell.is_flip_flop:
                    froms = (RISE,)
                delay, slew = (
                    Table(tables[kind], library) for kind in (f"cell_{name}", f"{name}_transition")
                )
                pins = timing.attributes["related_pin"].split()
                result.arcs[out] += [(pin, edge, froms, delay, slew) for pin in pins]
        result.arcs[out] = _merged(result.arcs[out])
        result.joint[out] = [
            (pin, edge, froms, joint(delay, slew))
            for pin, edge, froms, delay, slew in result.arcs[out]
        ]
        for pin, edge, froms, delay, _ in result.arcs[out]:
            result.of_pin.setdefault(pin, []).append((out, edge, froms, delay))
    return result


def _merged(arcs: list[tuple]) -> list[tuple]:
    """Arcs of the same pin and edges become one, with the worst of their delays: they differ in the values of the other
    inputs, which are not known here."""
    found: dict[tuple, list[tuple]] = {}
    for pin, edge, froms, delay, slew in arcs:
        key = pin, edge, froms, delay.axes(), slew.axes()
        found.setdefault(key, []).append((delay, slew))
    return [
        (*key[:3], *(worst([tables[n] for tables in same]) for n in (0, 1)))
        for key, same in found.items()
    ]


class Graph:
    """A flat netlist that can be changed. A gate has a name, a model and the nets of its pins. `wire` is the capacitance
    of a net's wires for each of its sinks, in pF; without it nets have none, as in sta.py."""

    def __init__(self, module: dict, library: Library, period_ns: float, wire: float = 0.0):
        self.library = library
        self.wire = wire
        self.register = library.flip_flop()
        self.period = period_ns
        self.models = {
            name: model(cell, library) for name, cell in library.cells.items() if cell.is_usable
        }
        self.kind: dict[str, str] = {}
        self.pins: dict[str, dict[str, Bit]] = {}
        self.driver: dict[Bit, tuple[str, str]] = {}
        self.sinks: dict[Bit, list[tuple[str, str]]] = {}
        self.outputs: list[Bit] = []
        self.inputs: list[Bit] = []
        for name, cell in module["cells"].items():
            self.add(
                name,
                cell["type"],
                {pin: bits[0] for pin, bits in cell["connections"].items() if bits},
            )
        for name, port in module["ports"].items():
            if port["direction"] == "input":
                self.inputs += [bit for bit in port["bits"] if not is_clock(name)]
            else:
                self.outputs += [bit for bit in port["bits"] if isinstance(bit, int)]
        # Time beyond the period, in ns, for ends of paths that miss the clock for good: a flip-flop by its name, an output
        # by its net. See Timing.excuse().
        self.extra: dict[Bit, float] = {}
        self.port_loads: dict[Bit, int] = {}
        for bit in self.outputs:
            self.port_loads[bit] = self.port_loads.get(bit, 0) + 1
        driving = self.models[self.register.cell].arcs[self.register.output]
        self.input_arcs = [(edge, delay, slew) for _, edge, _, delay, slew in driving]
        self.setup = self._setup_tables()

    @staticmethod
    def new_net(name: int | str) -> Bit:
        """A net that the netlist did not have."""
        return f"fit {name}"

    @staticmethod
    def is_new(bit: Bit) -> bool:
        return isinstance(bit, str) and bit.startswith("fit ")

    def add(self, name: str, kind: str, pins: dict[str, Bit]) -> None:
        self.kind[name], self.pins[name] = kind, pins
        outputs = self.models[kind].outputs
        for pin, bit in pins.items():
            if pin in outputs:
                self.driver[bit] = (name, pin)
            else:
                self.sinks.setdefault(bit, []).append((name, pin))

    def remove(self, name: str) -> None:
        outputs = self.models[self.kind[name]].outputs
        for pin, bit in self.pins[name].items():
            if pin in outputs:
                del self.driver[bit]
            else:
                self.sinks[bit].remove((name, pin))
        del self.kind[name], self.pins[name]

    def rewire(self, name: str, pin: str, bit: Bit) -> None:
        self.sinks[self.pins[name][pin]].remove((name, pin))
        self.pins[name][pin] = bit
        self.sinks.setdefault(bit, []).append((name, pin))

    def load(self, bit: Bit) -> float:
        models, kind = self.models, self.kind
        sinks, ends = self.sinks.get(bit, ()), self.port_loads.get(bit, 0)
        return (
            sum(models[kind[name]].loads[pin] for name, pin in sinks)
            + ends * self.register.data_capacitance
            + (len(sinks) + ends) * self.wire
        )

    def _setup_tables(self) -> list[tuple[int, Table]]:
        """The setup time by the edge of the data: a table over the data's slew, at the clock's slew."""
        found = []
        pin = self.library.cells[self.register.cell].pins[self.register.data]
        for timing in pin.group.all("timing"):
            if timing.attributes.get("timing_type") == "setup_rising":
                for edge, name in ((RISE, "rise_constraint"), (FALL, "fall_constraint")):
                    found += [(edge, SetupTable(group, self.library)) for group in timing.all(name)]
        return found

    def order(self) -> list[str]:
        """Logic gates, each after those that drive it."""
        models, kind, pins, sinks = self.models, self.kind, self.pins, self.sinks
        waiting: dict[str, int] = {}
        ready = []
        for name, its in pins.items():
            if models[kind[name]].is_flip_flop:
                continue
            count = 0
            for pin in models[kind[name]].inputs:
                source = self.driver.get(its[pin])
                count += source is not None and not models[kind[source[0]]].is_flip_flop
            waiting[name] = count
            if not count:
                ready.append(name)
        done = []
        while ready:
            name = ready.pop()
            done.append(name)
            for pin in models[kind[name]].outputs:
                for user, _ in sinks.get(pins[name].get(pin, ""), ()):
                    if user in waiting:
                        waiting[user] -= 1
                        if not waiting[user]:
                            ready.append(user)
        return done


class SetupTable(Table):
    """A constraint over the data's slew, at the clock slew of the surroundings."""

    def __init__(self, group: Group, library: Library):
        self.loads = library.axis(group, "related_pin_transition")
        self.slews = library.axis(group, "constrained_pin_transition")
        rows = library.values(group)
        if library.variable(group, 1) == "constrained_pin_transition" and len(rows) > 1:
            rows = [list(column) for column in zip(*rows)]
        self.rows = rows


class Timing:
    """Arrival, slew, required time and load of every net of a graph, by edge; kept up to date as the graph changes.

    `level` orders gates: what drives a gate has a lower one. A new buffer gets one between its driver's and its sinks'.
    """

    def __init__(self, graph: Graph):
        self.graph = graph
        self.arrival: dict[Bit, list[float]] = {}
        self.slew: dict[Bit, list[float]] = {}
        self.required: dict[Bit, list[float]] = {}
        self.loads: dict[Bit, float] = {}
        order = graph.order()
        self.level = {name: float(i) for i, name in enumerate(order)}
        self.ends = set(graph.outputs) | {
            pins[graph.register.data]
            for name, pins in graph.pins.items()
            if graph.kind[name] == graph.register.cell
        }
        for bit in graph.inputs:
            self._enter(bit)
        for name in graph.kind:
            if name not in self.level:
                self._gate(name)
        for name in order:
            self._gate(name)
        for name in reversed(order):
            for bit in graph.pins[name].values():
                if graph.driver.get(bit, ("",))[0] == name:
                    self.required[bit] = self._need(bit)
        for bit in self.arrival:
            if bit not in self.required:
                self.required[bit] = self._need(bit)

    # ---- one node ----------------------------------------------------------------------------------------------------

    def _enter(self, bit: Bit) -> None:
        """A net that comes from a flip-flop outside."""
        g, register = self.graph, self.graph.register
        load = self.loads[bit] = g.load(bit)
        arrival, slew = [0.0, 0.0], [0.0, 0.0]
        for edge, delay, transition in g.input_arcs:
            extra = delay(load, register.clock_slew) - delay(0.0, register.clock_slew)
            arrival[edge] = register.clock_to_output + extra
            slew[edge] = transition(load, register.clock_slew)
        self.arrival[bit], self.slew[bit] = arrival, slew

    def _gate(self, name: str) -> list[Bit]:
        """Computes a gate's outputs and returns those that have changed."""
        g, arrivals, slews = self.graph, self.arrival, self.slew
        its, pins = g.models[g.kind[name]], g.pins[name]
        is_register = its.is_flip_flop
        start, clock = [0.0, 0.0], [g.register.clock_slew] * 2
        changed = []
        for out in its.outputs:
            bit = pins.get(out)
            if bit is None:
                continue
            load = self.loads[bit] = g.load(bit)
            arrival, slew = [-FAR, -FAR], [0.0, 0.0]
            for pin, edge, froms, both in its.joint[out]:
                before = start if is_register else arrivals.get(pins[pin])
                if before is None:
                    continue  # a constant
                at = clock if is_register else slews[pins[pin]]
                for source in froms:
                    if before[source] > -FAR:
                        delay, edge_slew = both(load, at[source])
                        at_edge = before[source] + delay
                        if at_edge > arrival[edge]:
                            arrival[edge] = at_edge
                        if edge_slew > slew[edge]:
                            slew[edge] = edge_slew
            if arrivals.get(bit) != arrival or slews.get(bit) != slew:
                arrivals[bit], slews[bit] = arrival, slew
                changed.append(bit)
        return changed

    def pin_need(self, name: str, pin: str, need: list[float]) -> None:
        """Lowers `need`, the required times of a net, to those that one of its sinks asks for."""
        g = self.graph
        its, pins = g.models[g.kind[name]], g.pins[name]
        at = self.slew[pins[pin]]
        if its.is_flip_flop:
            if pin == g.register.data:
                end = g.period + g.extra.get(name, 0.0)
                for edge, table in g.setup:
                    need[edge] = min(need[edge], end - table(g.register.clock_slew, at[edge]))
            return
        required, loads = self.required, self.loads
        for out, edge, froms, delay in its.of_pin.get(pin, ()):
            bit = pins.get(out, "")
            after = required.get(bit)
            if after is None:
                continue
            limit, load = after[edge], loads[bit]
            for source in froms:
                at_source = limit - delay(load, at[source])
                if at_source < need[source]:
                    need[source] = at_source

    def _need(self, bit: Bit) -> list[float]:
        g = self.graph
        need = [FAR, FAR]
        if g.port_loads.get(bit):
            need = [g.period + g.extra.get(bit, 0.0) - g.register.setup] * 2
        for name, pin in g.sinks.get(bit, ()):
            self.pin_need(name, pin, need)
        return need

    # ---- changes -----------------------------------------------------------------------------------------------------

    def place(self, name: str) -> None:
        """A level for a new gate."""
        g = self.graph
        its, pins = g.models[g.kind[name]], g.pins[name]
        below = max(
            (
                self.level.get(g.driver[pins[pin]][0], -1.0)
                for pin in its.inputs
                if pins[pin] in g.driver
            ),
            default=-1.0,
        )
        above = min(
            (
                self.level[user]
                for out in its.outputs
                for user, _ in g.sinks.get(pins[out], ())
                if user in self.level
            ),
            default=below + 1.0,
        )
        self.level[name] = (below + above) / 2

    def update(self, gates: Iterable[str]) -> None:
        """Computes everything that depends on these gates, after they were changed, added, removed or rewired."""
        g = self.graph
        stale: dict[Bit, None] = {}  # in the order of their finding, so that a run is repeatable
        gates = [name for name in dict.fromkeys(gates) if name in g.kind]
        queue: list[tuple[float, str]] = []
        queued: set[str] = set()

        def push(name: str) -> None:
            if name not in queued:
                queued.add(name)
                heappush(queue, (self.level.get(name, -1.0), name))

        for name in gates:
            if name not in self.level and not g.models[g.kind[name]].is_flip_flop:
                self.place(name)
            push(name)
            for bit in g.pins[name].values():  # loads of the gates that drive it
                stale[bit] = None
                if bit in g.driver:
                    push(g.driver[bit][0])
                elif bit in self.arrival:
                    before = self.arrival[bit], self.slew[bit]
                    self._enter(bit)
                    if before != (self.arrival[bit], self.slew[bit]):
                        for user, _ in g.sinks.get(bit, ()):
                            push(user)
        while queue:
            _, name = heappop(queue)
            queued.discard(name)
            stale.update(dict.fromkeys(g.pins[name].values()))
            for bit in self._gate(name):
                stale[bit] = None
                for user, _ in g.sinks.get(bit, ()):
                    if user in self.level:
                        push(user)
                    else:
                        stale[g.pins[user][g.register.data]] = None
        self._pull(stale)

    def _pull(self, stale: Iterable[Bit]) -> None:
        g = self.graph
        queue: list[tuple[float, int, Bit]] = []
        queued: set[Bit] = set()
        number = count()

        def push(bit: Bit) -> None:
            if bit in self.arrival and bit not in queued:
                queued.add(bit)
                heappush(
                    queue, (-self.level.get(g.driver.get(bit, ("",))[0], -1.0), next(number), bit)
                )

        for bit in stale:
            push(bit)
        while queue:
            _, _, bit = heappop(queue)
            queued.discard(bit)
            need = self._need(bit)
            if need != self.required.get(bit):
                self.required[bit] = need
                name = g.driver.get(bit, ("",))[0]
                if name in self.level:
                    for pin in g.models[g.kind[name]].inputs:
                        push(g.pins[name][pin])

    def excuse(self, limit: float, slack: float) -> int:
        """Gives ends of paths with less slack than `limit` the time that raises theirs to `slack`. The number of ends."""
        g, data = self.graph, self.graph.register.data
        late: dict[Bit, tuple[Bit, float]] = {}  # the net of an end, and its slack
        for name, pins in g.pins.items():
            if g.kind[name] == g.register.cell and self.pin_slack(name, data) < limit:
                late[name] = pins[data], self.pin_slack(name, data)
        for bit in g.port_loads:
            end = g.period + g.extra.get(bit, 0.0) - g.register.setup
            own = end - max(self.arrival.get(bit, (-FAR,)))
            if own < limit:
                late[bit] = bit, own
        for end, (_, own) in late.items():
            g.extra[end] = g.extra.get(end, 0.0) + slack - own
        self._pull(dict.fromkeys(bit for bit, _ in late.values()))
        return len(late)

    # ---- results -----------------------------------------------------------------------------------------------------

    def slack(self, bit: Bit) -> float:
        arrival, required = self.arrival.get(bit), self.required.get(bit)
        if arrival is None or required is None:
            return FAR
        return min(
            (required[edge] - arrival[edge] for edge in (RISE, FALL) if arrival[edge] > -FAR),
            default=FAR,
        )

    def pin_slack(self, name: str, pin: str) -> float:
        """The slack of the paths through one sink of a net."""
        arrival = self.arrival.get(self.graph.pins[name][pin])
        if arrival is None:
            return FAR
        need = [FAR, FAR]
        self.pin_need(name, pin, need)
        return min(
            (need[edge] - arrival[edge] for edge in (RISE, FALL) if arrival[edge] > -FAR),
            default=FAR,
        )

    def worst(self) -> float:
        return min((self.slack(bit) for bit in self.ends), default=FAR)

    def total(self) -> float:
        """The sum of the negative slacks at the ends of paths."""
        return sum(min(0.0, self.slack(bit)) for bit in self.ends)
