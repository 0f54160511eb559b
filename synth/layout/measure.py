# SPDX-License-Identifier: Apache-2.0
"""Places and routes a netlist of the flow, and asks OpenSTA for its slack with the routed wires.

The core is as square as its rows allow, or wider where a square has no place for all ports. Ports are on its lower and
upper edge, where a first placement without them puts their cells. The first of UTILISATIONS at which every net is routed counts. The clock is not routed, and supplies are the
cells' own rails. Nothing is repaired for the wires.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from ..flow import sta
from ..flow.cache import Cache, key_of
from ..flow.errors import FlowError
from ..flow.liberty import Library
from . import circuit, extract, lef, routing
from .circuit import PORT, Circuit
from .routing import Placement, units

# Parts of the keys of the cache. They go up when placement and routing, or what follows them, are done differently.
ROUTED, TIMED = "1", "3"
UTILISATIONS = (0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5)
SECONDS = 1500.0  # for a router's run
NOT_PLACED, NOT_IN_TIME = "not placed", "not in time"
EDGE_SITES = 10  # without cells, left and right of the core
RING_ROWS = 2  # below and above it
TRACKS_OF_PORT = 1.5  # on the edge of a core that has more ports than a square has tracks
FULL = "Not all cells have been placed"  # the placer's words
PLACER = Path(__file__).with_name("coriolis_place.py")


@dataclass(frozen=True)
class Layout:
    """What a netlist became."""

    cells: int
    nets: int  # that are routed
    sinks: int  # of these
    cell_um2: float  # by the LEF file
    core_um2: float
    utilisation: float
    wire_um: float
    wire_pf: float
    layers_um: dict[str, float]
    slack_ns: float
    plain_slack_ns: float  # without wires
    gaps: int  # between a via and its wire, which were closed
    slow_edges: int  # pins with a slower edge than their max_transition, with wires
    seconds: float
    tried: dict[
        str, int | str
    ]  # by utilisation: the number of failed nets, or one of the words above


@dataclass(frozen=True)
class Core:
    rows: int
    sites: int


class Layouter:
    def __init__(self, library: Library, path: Path, folder: Path, python: Path, command: str):
        self.library = library
        self.lef = lef.read(path)
        self.cache = Cache(folder)
        self.python = python  # of the environment that has Coriolis
        self.sta_command = command
        fill = min(self.lef.macros.values(), key=lambda macro: macro.width)
        self.site, self.row = fill.width, fill.height
        self.outputs = {name: set(cell.outputs()) for name, cell in library.cells.items()}

    def run(self, netlist: Path, top: str, period_ns: float, tools: dict[str, str]) -> Layout:
        """NETLIST is a netlist.json of the flow. What was routed once is not routed again."""
        text = netlist.read_text()
        made = circuit.read(json.loads(text)["modules"][top], top, self.outputs)
        routed = {"layout": text, "period": f"{period_ns:g}", "version": ROUTED, **tools}
        folder, _ = self.cache.get(key_of(routed), lambda work: self._route(work, made))
        timed = {**routed, "version": f"{ROUTED} {TIMED}"}
        done, _ = self.cache.get(
            key_of(timed), lambda work: self._time(work, folder, made, period_ns)
        )
        return Layout(**json.loads((done / "layout.json").read_text()))

    def _route(self, folder: Path, made: Circuit) -> None:
        """Writes placed.def, routed.def and routed.json."""
        start, tried = time.monotonic(), {}
        for utilisation in UTILISATIONS:
            core = self.core(made, utilisation)
            place = self.place(folder, made, core)
            if place is None:
                tried[f"{utilisation:g}"] = NOT_PLACED
                continue
            (folder / "placed.def").write_text(routing.placed_def(made, self.lef, place))
            failed = routing.route(folder, self.lef, SECONDS)
            tried[f"{utilisation:g}"] = NOT_IN_TIME if failed is None else failed
            if failed == 0:
                break
        else:
            raise FlowError(f"no utilisation can be routed: {tried}", folder / "route.log")
        seconds = round(time.monotonic() - start, 1)
        (folder / "routed.json").write_text(json.dumps({"tried": tried, "seconds": seconds}))

    def _time(self, folder: Path, routed: Path, made: Circuit, period_ns: float) -> None:
        """Writes layout.json."""
        place = routing.read_place((routed / "placed.def").read_text())
        trees = self.trees(routed, made, place)
        slack, plain = (self.slack(folder, made, period_ns, one) for one in (trees, None))
        layers: Counter[str] = Counter()
        for tree in trees.values():
            layers.update(tree.um_of)
        area, core = made.area(self.lef), self.core_um2(place)
        found = Layout(
            cells=len(made.cells),
            nets=len(made.wires),
            sinks=sum(len(net.sinks) for net in made.wires.values()),
            cell_um2=round(area, 3),
            core_um2=round(core, 3),
            utilisation=round(area / core, 4),
            wire_um=round(sum(tree.um for tree in trees.values()), 1),
            wire_pf=round(sum(tree.whole_pf for tree in trees.values()), 4),
            layers_um={name: round(layers[name], 1) for name in self.lef.layers},
            slack_ns=round(slack.slack_ns, 4),
            plain_slack_ns=round(plain.slack_ns, 4),
            slow_edges=slack.slow_edges,
            gaps=sum(tree.gaps for tree in trees.values()),
            **json.loads((routed / "routed.json").read_text()),
        )
        (folder / "layout.json").write_text(json.dumps(asdict(found)) + "\n")

    def core_um2(self, place: Placement) -> float:
        """Without the edges."""
        width = place.width - 2 * units(EDGE_SITES * self.site)
        height = place.height - 2 * units(RING_ROWS * self.row)
        return width * height / units(1) ** 2

    def core(self, made: Circuit, utilisation: float) -> Core:
        area = made.area(self.lef) / utilisation
        rows = max(2, round(math.sqrt(area) / self.row))
        edge = math.ceil(len(made.ports) / 2)  # ports on the lower or the upper edge
        if edge > math.ceil(area / (rows * self.row * self.site)) + 2 * EDGE_SITES:
            rows = max(2, int(area / (edge * TRACKS_OF_PORT * self.site * self.row)))
        return Core(rows, math.ceil(area / (rows * self.row * self.site)))

    def place(self, folder: Path, made: Circuit, core: Core) -> Placement | None:
        """Twice: without ports, and with ports where their cells were. None: the cells do not fit into the rows."""
        width = units((core.sites + 2 * EDGE_SITES) * self.site)
        height = units((core.rows + 2 * RING_ROWS) * self.row)
        loose = self._placer(folder, made, core, {}, height)
        if loose is None:
            return None
        ports = self.ports(made, Placement(width, height, loose, {}))
        cells = self._placer(folder, made, core, ports, height)
        return None if cells is None else Placement(width, height, cells, ports)

    def ports(self, made: Circuit, place: Placement) -> dict[str, tuple[int, int]]:
        """Each port on the nearer edge, in the order of its cells from the left, at even distances."""
        means = {}
        for port in made.ports:
            net = made.nets[port]
            at = [place.cells[cell] for cell, _ in net.ends if cell != PORT]
            if at:
                means[port] = tuple(sum(one[axis] for one in at) / len(at) for axis in (0, 1))
        found: dict[str, tuple[int, int]] = {}
        order = sorted(means, key=lambda port: means[port][1])
        half = len(order) // 2
        pitch = units(self.site)
        across = self.lef.layers[routing.ACROSS]  # a port is on a track of both directions
        low = units(across.offset)
        high = low + (place.height - low) // units(across.pitch) * units(across.pitch)
        for edge, its in ((low, order[:half]), (high, order[half:])):
            tracks = place.width // pitch
            if len(its) > tracks:
                raise FlowError(f"{len(its)} ports have no place on an edge with {tracks} tracks")
            for number, port in enumerate(sorted(its, key=lambda port: means[port][0])):
                track = int((number + 0.5) * tracks / len(its))
                found[port] = (track * pitch + pitch // 2, edge)
        return found

    def _placer(
        self,
        folder: Path,
        made: Circuit,
        core: Core,
        ports: dict[str, tuple[int, int]],
        height: int,
    ) -> dict[str, tuple[int, int, bool]] | None:
        nets = []
        for net in made.wires.values():
            ends: list[list] = [[cell, pin] for cell, pin in net.ends if cell != PORT]
            ends += [
                [pin, ports[pin][0] / routing.UNITS, ports[pin][1] < height // 2]
                for cell, pin in net.ends
                if cell == PORT and pin in ports
            ]
            nets.append(ends)
        given = {
            "site_um": self.site,
            "row_um": self.row,
            "edge_um": EDGE_SITES * self.site,
            "rows": core.rows,
            "sites": core.sites,
            "cells": made.cells,
            "nets": nets,
        }
        (folder / "place.json").write_text(json.dumps(given))
        (folder / "placed.json").unlink(missing_ok=True)
        command = [self.python.absolute(), "-B", PLACER, self.lef.path, "place.json", "placed.json"]
        log = folder / "place.log"
        with log.open("w") as output:
            done = subprocess.run(
                command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False
            )
        if FULL in log.read_text(errors="replace"):
            return None
        if done.returncode or not (folder / "placed.json").is_file():
            raise FlowError("the placer failed", log)
        found = json.loads((folder / "placed.json").read_text())
        self.check_rows(made, core, found)
        return {
            cell: (
                units((site + EDGE_SITES) * self.site),
                units((row + RING_ROWS) * self.row),
                down,
            )
            for cell, (site, row, down) in found.items()
        }

    def check_rows(self, made: Circuit, core: Core, found: dict[str, list]) -> None:
        """Every cell is in the core, and no two have one site."""
        taken: dict[tuple[int, int], str] = {}
        for cell, kind in made.cells.items():
            site, row, down = found[cell]
            sites = round(self.lef.macros[kind].width / self.site)
            if not (0 <= row < core.rows and 0 <= site <= core.sites - sites and down == row % 2):
                raise FlowError(f"the placer put {cell} at site {site} of row {row}")
            for one in range(site, site + sites):
                if taken.setdefault((row, one), cell) != cell:
                    raise FlowError(f"the placer put {cell} on {taken[row, one]}")

    def trees(self, folder: Path, made: Circuit, place: Placement) -> dict[str, extract.Tree]:
        routed = routing.read_wires((folder / "routed.def").read_text(), self.lef)
        extract.check_apart(routed, self.lef)
        missing = set(made.wires) - set(routed)
        if missing:
            raise FlowError(f"net {min(missing)} has no wires", folder / "route.log")
        return {
            name: extract.tree(net, routed[name], made, self.lef, place, name)
            for name, net in made.wires.items()
        }

    def slack(
        self, folder: Path, made: Circuit, period_ns: float, trees: dict | None
    ) -> sta.Timing:
        """With the trees' wires, or with none."""
        clocked = sta.CLOCK in made.inputs
        plain = sta.script(made.top, self.library, period_ns, clocked)
        texts = {"netlist.v": made.verilog(), **self.library.originals()}
        if trees is not None:
            texts["wires.spef"] = extract.spef(made, trees)
            link = f"link_design {made.top}\n"
            plain = plain.replace(link, f"{link}read_spef wires.spef\n")
        for name, text in {**texts, "sta.tcl": plain}.items():
            (folder / name).write_text(text)
        timing = sta.run(folder, self.sta_command)
        for name in self.library.originals():
            (folder / name).unlink()
        return timing
