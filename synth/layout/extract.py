# SPDX-License-Identifier: Apache-2.0
"""Resistances and capacitances of routed wires, as a SPEF file for OpenSTA, and checks of the wires themselves.

A wire's capacitance is its area's and both edges', from the library's LEF file, half of it at each end. Its resistance is
the layer's. Vias have no resistance, because the file has none. There is no coupling between neighbours. A net's
resistances are a tree from its driver, also where the router closed a loop.

The wires of a net must reach every pin of the net, and no other net's wire: else the layout is rejected.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ..flow.errors import FlowError
from .circuit import PORT, Circuit, Net
from .lef import Lef
from .routing import PORT_LAYER, UNITS, Placement, Point, Wires, units

Node = tuple[str, int, int]  # layer and place
VIA_HALF = 0.2  # um, of the square that a via has on both layers
WIRE_HALF = 0.15
HALF_TRACK = 0.5
OHM_IN_KOHM = 1000


@dataclass
class Tree:
    """A net's wires."""

    um: float = 0.0
    gaps: int = 0  # that were closed
    um_of: Counter[str] = field(default_factory=Counter)  # by layer
    pf: Counter[Node] = field(default_factory=Counter)
    edges: dict[Node, list[tuple[Node, float]]] = field(default_factory=lambda: defaultdict(list))
    pins: dict[tuple[str, str], Node] = field(default_factory=dict)

    @property
    def whole_pf(self) -> float:
        return sum(self.pf.values())


def shape_in_place(
    shape: tuple[float, float, float, float], height: float, at: tuple[int, int, bool]
) -> tuple[int, int, int, int]:
    left, bottom, right, top = shape
    x, y, down = at
    if down:
        bottom, top = height - top, height - bottom
    return units(left) + x, units(bottom) + y, units(right) + x, units(top) + y


def pin_shapes(
    circuit: Circuit, lef: Lef, place: Placement, end: tuple[str, str]
) -> Iterator[tuple[str, int, int, int, int]]:
    cell, pin = end
    if cell == PORT:
        x, y = place.ports[pin]
        yield PORT_LAYER, x, y, x, y
        return
    macro = lef.macros[circuit.cells[cell]]
    for layer, *shape in macro.pins[pin]:
        yield layer, *shape_in_place(tuple(shape), macro.height, place.cells[cell])


def on_layer(wires: Wires, upper: dict[str, str]) -> dict[str, set[Point]]:
    """Every place that a wire or a via names, by layer."""
    found: dict[str, set[Point]] = defaultdict(set)
    for layer, start, end in wires.segments:
        found[layer] |= {start, end}
    for layer, at in wires.vias:
        found[layer].add(at)
        found[upper[layer]].add(at)
    return found


def split(start: Point, end: Point, places: set[Point]) -> list[Point]:
    """The places on a piece of wire, from its start to its end."""
    (x0, y0), (x1, y1) = sorted((start, end))
    inside = {p for p in places if x0 <= p[0] <= x1 and min(y0, y1) <= p[1] <= max(y0, y1)}
    return sorted(inside | {start, end})


def tree(net: Net, wires: Wires, circuit: Circuit, lef: Lef, place: Placement, name: str) -> Tree:
    names = list(lef.layers)
    upper = dict(pairwise(names))
    places = on_layer(wires, upper)
    found = Tree()
    seen: set[tuple[Node, Node]] = set()
    for layer, start, end in wires.segments:
        its = lef.layers[layer]
        for one, two in pairwise(split(start, end, places[layer])):
            a, b = (layer, *one), (layer, *two)
            if (a, b) in seen:  # two routes on one wire
                continue
            seen.add((a, b))
            um = (abs(one[0] - two[0]) + abs(one[1] - two[1])) / UNITS
            found.um += um
            found.um_of[layer] += um
            for node, other in ((a, b), (b, a)):
                found.pf[node] += um * its.pf_per_um / 2
                found.edges[node].append((other, um * its.kohm_per_um))
    for layer, at in wires.vias:
        a, b = (layer, *at), (upper[layer], *at)
        join(found, a, b)
    join_near(found, places)
    connect_pins(found, net, places, circuit, lef, place)
    check_reached(found, net, name)
    return found


def join_near(found: Tree, places: dict[str, set[Point]]) -> None:
    """The router moves a via off its track where a pin wants it. Its square then overlaps the end of the wire, a part of
    a track away. Rarely it is moved so far that a gap is left, of 0.15 um at most. The gap is closed and counted."""
    for layer, its in places.items():
        for axis in (0, 1):
            order = sorted(its, key=lambda at: (at[axis], at[1 - axis]))
            for one, two in pairwise(order):
                apart = two[1 - axis] - one[1 - axis]
                if one[axis] != two[axis] or apart > units(HALF_TRACK):
                    continue
                a, b = (layer, *one), (layer, *two)
                if apart > units(VIA_HALF + WIRE_HALF) and not joined(found, a, b):
                    found.gaps += 1
                join(found, a, b)


def joined(found: Tree, one: Node, two: Node) -> bool:
    return any(node == two for node, _ in found.edges.get(one, ()))


def join(found: Tree, one: Node, two: Node) -> None:
    found.edges[one].append((two, 0.0))
    found.edges[two].append((one, 0.0))


def connect_pins(
    found: Tree,
    net: Net,
    places: dict[str, set[Point]],
    circuit: Circuit,
    lef: Lef,
    place: Placement,
) -> None:
    """A pin is a node of its own, which every place on one of its shapes joins."""
    reach = units(VIA_HALF)
    for number, end in enumerate(net.ends):
        pin: Node = ("pin", number, 0)
        for layer, left, bottom, right, top in pin_shapes(circuit, lef, place, end):
            for x, y in places.get(layer, ()):
                if left - reach <= x <= right + reach and bottom - reach <= y <= top + reach:
                    join(found, pin, (layer, x, y))
        found.pins[end] = pin


def check_reached(found: Tree, net: Net, name: str) -> None:
    first = found.pins[net.ends[0]]
    reached, rest = {first}, [first]
    while rest:
        for node, _ in found.edges.get(rest.pop(), ()):
            if node not in reached:
                reached.add(node)
                rest.append(node)
    open_ends = [end for end, node in found.pins.items() if node not in reached]
    if open_ends:
        raise FlowError(f"the wires of net {name} do not reach {open_ends[0]}")


def check_apart(routed: dict[str, Wires], lef: Lef) -> None:
    """No two nets have one place of a layer's grid."""
    names = list(lef.layers)
    upper = dict(pairwise(names))
    owner: dict[Node, str] = {}
    for net, wires in routed.items():
        taken = {(layer, *at) for layer, at in wires.vias}
        taken |= {(upper[layer], *at) for layer, at in wires.vias}
        for layer, (x0, y0), (x1, y1) in wires.segments:
            step_x, step_y = grid(lef)
            for x in range(min(x0, x1), max(x0, x1) + 1, step_x):
                for y in range(min(y0, y1), max(y0, y1) + 1, step_y):
                    taken.add((layer, x, y))
        for node in taken:
            other = owner.setdefault(node, net)
            if other != net:
                raise FlowError(f"nets {other} and {net} meet on {node[0]} at {node[1:]}")


def grid(lef: Lef) -> tuple[int, int]:
    """The step of the tracks in x and in y."""
    across = [units(layer.pitch) for layer in lef.layers.values() if not layer.horizontal]
    along = [units(layer.pitch) for layer in lef.layers.values() if layer.horizontal]
    return min(across), min(along)


def spef(circuit: Circuit, trees: dict[str, Tree]) -> str:
    lines = [
        '*SPEF "IEEE 1481-1998"',
        f'*DESIGN "{circuit.top}"',
        '*DATE "none"',
        '*VENDOR "none"',
        '*PROGRAM "none"',
        '*VERSION "1"',
        '*DESIGN_FLOW "none"',
        "*DIVIDER /",
        "*DELIMITER :",
        "*BUS_DELIMITER [ ]",
        "*T_UNIT 1 NS",
        "*C_UNIT 1 PF",
        "*R_UNIT 1 OHM",
        "*L_UNIT 1 HENRY",
    ]
    for name, found in trees.items():
        lines += net_lines(name, circuit.nets[name], found)
    return "\n".join(lines) + "\n"


def net_lines(name: str, net: Net, found: Tree) -> list[str]:
    first = net.driver or net.sinks[0]
    edges, order = spanning(found, found.pins[first])
    names = {node: f"{name}:{place + 1}" for place, node in enumerate(order)}
    for (cell, pin), node in found.pins.items():
        names[node] = pin if cell == PORT else f"{cell}:{pin}"
    lines = [f"*D_NET {name} {found.whole_pf:.6g}", "*CONN"]
    for cell, pin in net.ends:
        drives = (cell, pin) == net.driver
        if cell == PORT:
            lines.append(f"*P {pin} {'I' if drives else 'O'}")
        else:
            lines.append(f"*I {cell}:{pin} {'O' if drives else 'I'}")
    lines.append("*CAP")
    loads = [node for node in order if found.pf[node] > 0]
    lines += [f"{n + 1} {names[node]} {found.pf[node]:.6g}" for n, node in enumerate(loads)]
    lines.append("*RES")
    for number, (one, two, kohm) in enumerate(edges):
        lines.append(f"{number + 1} {names[one]} {names[two]} {max(kohm * OHM_IN_KOHM, 1e-3):.6g}")
    return [*lines, "*END"]


def spanning(found: Tree, root: Node) -> tuple[list[tuple[Node, Node, float]], list[Node]]:
    """The edges of a tree from ROOT, and its nodes."""
    reached, order, rest, edges = {root}, [root], [root], []
    while rest:
        node = rest.pop(0)
        for other, kohm in found.edges.get(node, ()):
            if other not in reached:
                reached.add(other)
                order.append(other)
                rest.append(other)
                edges.append((node, other, kohm))
    return edges, order
