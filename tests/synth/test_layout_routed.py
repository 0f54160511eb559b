# SPDX-License-Identifier: Apache-2.0
"""A real netlist is placed and routed: INT8 with one lane and one accumulator. Its wires reach every pin and no other net,
and cost time. Faults of the routed file are found, and what was routed is not routed again.

python -m pytest -c tests/pytest.ini tests/synth/test_layout_routed.py --build BUILD --folder FOLDER

BUILD/layout is the environment that `make test-long` sets up
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from synth.flow import liberty, recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import FlowError
from synth.layout import circuit, cli, extract, measure, routing
from synth.study import libraries
from synth.study.elements import int8, source_folders
from tests.conftest import Bench

DESIGN = int8(1, banks=1).design
PERIOD = libraries.HEADLINE_PERIOD


@pytest.fixture(scope="session")
def layouter(build: Path, folder: Path) -> measure.Layouter:
    library = liberty.Library([libraries.LIBRARIES[libraries.FIRST][0]])
    return measure.Layouter(library, cli.LEF, folder, build / "layout/bin/python", "sta")


@pytest.fixture(scope="session")
def netlist(build: Path, folder: Path, layouter: measure.Layouter) -> Path:
    flow = runs.Synthesiser(layouter.library, source_folders(build), Cache(folder))
    made = flow.run(DESIGN, PERIOD, recipe.EFFORTS[0], recipe.SEEDS[0])
    return Path(made.netlist, "netlist.json")


def test_whole(bench: Bench, folder: Path, layouter: measure.Layouter, netlist: Path) -> None:
    found = layouter.run(netlist, DESIGN.top, PERIOD, {})
    bench.check(f"all nets at the last utilisation: {found}", list(found.tried.values())[-1] == 0)
    bench.check("utilisation", 0.75 < found.utilisation <= 0.96)
    slack = json.loads((netlist.parent / "result.json").read_text())["slack_ns"]
    bench.check(f"the flow's slack {slack}", abs(found.plain_slack_ns - slack) < 1e-3)
    bench.check("wires cost time", 0.05 < found.plain_slack_ns - found.slack_ns < 2)
    each = found.wire_um / found.sinks
    bench.check(f"{each} um a sink", 5 < each < 60)
    density = found.wire_pf / found.wire_um
    bench.check(f"{density} pF/um", 4e-5 < density < 1.8e-4)
    runs_before = set((folder / "cache").iterdir())
    bench.check("it is not routed again", layouter.run(netlist, DESIGN.top, PERIOD, {}) == found)
    bench.check("no new run", set((folder / "cache").iterdir()) == runs_before)


def test_faults(bench: Bench, folder: Path, layouter: measure.Layouter, netlist: Path) -> None:
    """A via less, and a wire a track further."""
    layouter.run(netlist, DESIGN.top, PERIOD, {})
    text = netlist.read_text()
    made = circuit.read(json.loads(text)["modules"][DESIGN.top], DESIGN.top, layouter.outputs)
    routed = next(path.parent for path in (folder / "cache").glob("*/routed.def"))
    place = routing.read_place((routed / "placed.def").read_text())
    wires = routing.read_wires((routed / "routed.def").read_text(), layouter.lef)
    name = max(made.wires, key=lambda one: len(wires[one].segments))

    def tree(its: routing.Wires) -> extract.Tree:
        return extract.tree(made.wires[name], its, made, layouter.lef, place, name)

    tree(wires[name])
    cut = replace(wires[name], vias=wires[name].vias[1:])
    bench.raises("a via less", FlowError, "do not reach", lambda: tree(cut))
    moved = {
        net: replace(
            its,
            segments=tuple(
                (layer, (x, y + 1000), (v, w + 1000)) for layer, (x, y), (v, w) in its.segments
            ),
        )
        if net == name
        else its
        for net, its in wires.items()
    }
    bench.raises("moved", FlowError, " meet on ", lambda: extract.check_apart(moved, layouter.lef))
