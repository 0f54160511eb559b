# SPDX-License-Identifier: Apache-2.0
"""Layout without the placer and the router: layers and cells of a LEF file, the netlist that OpenSTA gets, wires of a routed
file with their resistance and capacitance worked out by hand, and faults of a layout, each of which is found.

python -m pytest -c tests/pytest.ini tests/synth/test_layout.py --folder FOLDER
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from synth.flow import liberty, recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import FlowError, UsageError
from synth.layout import apart, circuit, cli, extract, lef, measure, pages, routing
from synth.layout.circuit import PORT, Circuit, Net
from synth.layout.routing import Placement, Wires
from synth.study import libraries
from tests.conftest import Bench

HERE = Path(__file__).resolve().parent
GOOD = runs.Design("fp8mac_flow_good", (("WIDTH", 8),))
OSU018 = libraries.LIBRARIES[libraries.FIRST][0]
PERIOD = libraries.HEADLINE_PERIOD

# An inverter i0 that drives i1's pin A and a port. OSU018's INVX1 has A at (0.2, 2.4) to (0.6, 2.8) and Y on the right.
CHAIN = Circuit(
    "top",
    {"i0": "INVX1", "i1": "INVX1"},
    {"i0": {"A": "p0", "Y": "n1"}, "i1": {"A": "n1", "Y": "p1"}},
    {
        "p0": Net((PORT, "p0"), [("i0", "A")]),
        "n1": Net(("i0", "Y"), [("i1", "A")]),
        "p1": Net(("i1", "Y"), [(PORT, "p1")]),
    },
    ("p0",),
    ("p1",),
    (),
)
PLACE = Placement(
    40000,
    40000,
    {"i0": (8000, 20000, False), "i1": (24000, 20000, False)},
    {"p0": (400, 500), "p1": (30000, 39500)},
)


@pytest.fixture(scope="session")
def osu() -> lef.Lef:
    return lef.read(cli.LEF)


@pytest.fixture(scope="session")
def layouter(folder: Path) -> measure.Layouter:
    return measure.Layouter(liberty.Library([OSU018]), cli.LEF, folder, Path("python"), "sta")


def pin(osu: lef.Lef, cell: str, name: str) -> tuple[int, int]:
    """The middle of a pin's first shape, in place."""
    _, left, bottom, right, top = next(extract.pin_shapes(CHAIN, osu, PLACE, (cell, name)))
    return (left + right) // 2, (bottom + top) // 2


def wires(osu: lef.Lef) -> Wires:
    """From i0's Y up to metal 3, along it, past i1's A by 2 um, and down to A."""
    (x0, y0), (x1, y1) = pin(osu, "i0", "Y"), pin(osu, "i1", "A")
    up, over = 26000, x1 + 2000
    return Wires(
        (
            ("metal2", (x0, y0), (x0, up)),
            ("metal3", (x0, up), (over, up)),
            ("metal2", (x1, up), (x1, y1)),
        ),
        (
            ("metal1", (x0, y0)),
            ("metal2", (x0, up)),
            ("metal2", (x1, up)),
            ("metal1", (x1, y1)),
        ),
    )


def test_lef(bench: Bench, osu: lef.Lef) -> None:
    first = osu.layers["metal1"]
    bench.check("six layers", list(osu.layers) == [f"metal{n}" for n in range(1, 7)])
    # 3.8e-5 pF/um2 on 0.3 um, and 8e-5 pF/um on both edges; 0.08 ohm a square
    bench.check(f"capacitance {first}", abs(first.pf_per_um - 1.714e-4) < 1e-12)
    bench.check("resistance", abs(first.kohm_per_um - 0.08 / 0.3 / 1000) < 1e-12)
    bench.check("tracks", (first.pitch, first.offset, first.horizontal) == (1.0, 0.5, True))
    adder = osu.macros["FAX1"]
    bench.check(f"a cell {adder}", (adder.width, adder.height) == (12.0, 10.0))
    bench.check("pins", sorted(adder.pins) == ["A", "B", "C", "YC", "YS"])
    bench.check("shapes", ("metal1", 1.8, 4.3, 2.6, 4.7) in adder.pins["C"])


def test_upside_down(bench: Bench, osu: lef.Lef) -> None:
    place = replace(PLACE, cells={**PLACE.cells, "i0": (8000, 20000, True)})
    shape = next(iter(osu.macros["INVX1"].pins["A"]))
    found = next(extract.pin_shapes(CHAIN, osu, place, ("i0", "A")))
    wanted = (8000 + 1000 * shape[1], 20000 + 1000 * (10 - shape[4]))
    bench.check(f"{found[1:3]}, {wanted}", found[1:3] == tuple(map(round, wanted)))


def test_tree(bench: Bench, osu: lef.Lef) -> None:
    """Lengths, capacitance, and the path's resistance. The piece past the last pin is capacitance alone."""
    (x0, y0), (x1, y1) = pin(osu, "i0", "Y"), pin(osu, "i1", "A")
    net = CHAIN.nets["n1"]
    tree = extract.tree(net, wires(osu), CHAIN, osu, PLACE, "n1")
    two, three = osu.layers["metal2"], osu.layers["metal3"]
    low, along = (26000 - y0 + 26000 - y1) / 1000, (x1 - x0 + 2000) / 1000
    bench.check(f"length {tree.um}", abs(tree.um - low - along) < 1e-9)
    pf = low * two.pf_per_um + along * three.pf_per_um
    bench.check(f"capacitance {tree.whole_pf}, {pf}", abs(tree.whole_pf - pf) < 1e-12)
    edges, order = extract.spanning(tree, tree.pins["i0", "Y"])
    came = {to: (come, kohm) for come, to, kohm in edges}
    node, path = tree.pins["i1", "A"], 0.0
    while node in came:
        node, kohm = came[node]
        path += kohm
    wanted = low * two.kohm_per_um + (along - 2) * three.kohm_per_um
    bench.check(f"resistance {path}, {wanted}", abs(path - wanted) < 1e-12)
    bench.check("a tree", len(edges) == len(order) - 1)
    text = extract.spef(CHAIN, {"n1": tree})
    total = float(text.split("*D_NET n1 ")[1].split()[0])
    bench.check(f"SPEF {total}", abs(total - pf) < 1e-6)


def test_doubled(bench: Bench, osu: lef.Lef) -> None:
    """A piece that two routes have counts once; so does a via off its track, which the wire's end touches."""
    net, good = CHAIN.nets["n1"], wires(osu)
    tree = extract.tree(net, good, CHAIN, osu, PLACE, "n1")
    twice = replace(good, segments=(*good.segments, good.segments[0]))
    again = extract.tree(net, twice, CHAIN, osu, PLACE, "n1")
    bench.check("once", again.um == tree.um)
    x, y = good.segments[2][2]
    moved = replace(good, segments=(*good.segments[:2], ("metal2", (x, 26000), (x, y + 200))))
    near = extract.tree(net, moved, CHAIN, osu, PLACE, "n1")
    bench.check("the via touches", abs(tree.um - near.um - 0.2) < 1e-9 and near.gaps == 0)
    further = replace(good, segments=(*good.segments[:2], ("metal2", (x, 26000), (x, y + 450))))
    gap = extract.tree(net, further, CHAIN, osu, PLACE, "n1")
    bench.check(f"a gap of 0.1 um is counted: {gap.gaps}", gap.gaps == 1)
    far = replace(good, segments=(*good.segments[:2], ("metal2", (x, 26000), (x, y + 600))))
    work = lambda: extract.tree(net, far, CHAIN, osu, PLACE, "n1")
    bench.raises("a larger one is an open", FlowError, "do not reach", work)


@pytest.mark.parametrize("place", range(4))
def test_open(bench: Bench, osu: lef.Lef, place: int) -> None:
    """Each missing via leaves a pin that is not reached."""
    good = wires(osu)
    cut = replace(good, vias=tuple(via for n, via in enumerate(good.vias) if n != place))
    work = lambda: extract.tree(CHAIN.nets["n1"], cut, CHAIN, osu, PLACE, "n1")
    bench.raises("open", FlowError, "n1 do not reach", work)


def test_short(bench: Bench, osu: lef.Lef) -> None:
    good = wires(osu)
    far = Wires((("metal2", (400, 400), (400, 8400)),), ())
    extract.check_apart({"n1": good, "p0": far}, osu)
    x, y = good.segments[0][1]
    across = Wires((("metal2", (x, y + 1000), (x + 800, y + 1000)),), ())
    bench.raises(
        "short",
        FlowError,
        "n1 and p0 meet",
        lambda: extract.check_apart({"n1": good, "p0": across}, osu),
    )
    above = Wires((("metal4", (x, y + 1000), (x + 800, y + 1000)),), ())
    extract.check_apart({"n1": good, "p0": above}, osu)
    bench.passed += 2


def test_routed_file(bench: Bench, osu: lef.Lef) -> None:
    text = """DESIGN top ;
NETS 2 ;
- n1
  ( i0 Y ) ( i1 A )
+ ROUTED metal1 ( 400 500 ) ( 1200 * ) M2_M1
  NEW metal2 ( 1200 500 ) ( * 1500 ) ( 2000 * ) M3_M2 ;
- p0
  ( PIN p0 ) ( i0 A ) ;
END NETS
"""
    found = routing.read_wires(text, osu)
    bench.check("the net that is routed", list(found) == ["n1"])
    wanted = (
        ("metal1", (400, 500), (1200, 500)),
        ("metal2", (1200, 500), (1200, 1500)),
        ("metal2", (1200, 1500), (2000, 1500)),
    )
    bench.check(f"pieces {found['n1'].segments}", found["n1"].segments == wanted)
    bench.check("vias", found["n1"].vias == (("metal1", (1200, 500)), ("metal2", (2000, 1500))))
    bad = text.replace("M3_M2", "M9_M8")
    bench.raises("a via", FlowError, "not understood", lambda: routing.read_wires(bad, osu))
    bench.raises("nothing", FlowError, "no nets", lambda: routing.read_wires("DESIGN top ;", osu))


def test_placed_file(bench: Bench, osu: lef.Lef) -> None:
    text = routing.placed_def(CHAIN, osu, PLACE)
    bench.check("a cell", "- i1 INVX1 + PLACED ( 24000 20000 ) N ;" in text)
    bench.check("a net on two lines", "- n1\n  ( i0 Y ) ( i1 A ) ;" in text)
    bench.check("a port", "- p1 + NET p1 + DIRECTION OUTPUT" in text and "( 30000 39500 )" in text)
    bench.check("it is read again", routing.read_place(text) == PLACE)
    bench.check("tracks", "TRACKS X 400 DO 50 STEP 800 LAYER metal2 ;" in text)


def test_rows(bench: Bench, layouter: measure.Layouter) -> None:
    """What a placer may do wrong."""
    core = measure.Core(2, 6)
    good = {"i0": (0, 0, False), "i1": (2, 1, True)}
    layouter.check_rows(CHAIN, core, good)
    bench.passed += 1
    for name, wrong in {
        "overlap": {"i1": (1, 0, False)},
        "outside": {"i1": (5, 1, True)},
        "another row": {"i1": (0, 2, False)},
        "not turned over": {"i1": (2, 1, False)},
    }.items():
        work = lambda: layouter.check_rows(CHAIN, core, {**good, **wrong})
        bench.raises(name, FlowError, "the placer put i1", work)


def test_core(bench: Bench, osu: lef.Lef, layouter: measure.Layouter) -> None:
    """A square, and a wider core where more ports stand on an edge than a square has tracks."""
    cells = {f"i{n}": "FAX1" for n in range(1000)}
    inner = osu.macros["FAX1"]
    for count, square in ((200, True), (1200, False)):
        names = tuple(f"p{n}" for n in range(count))
        made = circuit.Circuit("m", cells, {}, {}, names, (), ())
        core = layouter.core(made, 0.8)
        width, height = core.sites * layouter.site, core.rows * layouter.row
        tracks = core.sites + 2 * measure.EDGE_SITES
        used = len(cells) * inner.width * inner.height / (width * height)
        words = f"{count} ports: {width:.0f} x {height:.0f} um, {tracks} tracks, {used:.3f} used"
        fits = tracks >= count / 2 and 0.78 < used <= 0.8
        bench.check(words, fits and (0.95 < width / height < 1.05) == square)


def test_slack(bench: Bench, folder: Path, layouter: measure.Layouter) -> None:
    """OpenSTA's slack of the netlist with plain names is the flow's. Wires cost the time that their length makes likely."""
    flow = runs.Synthesiser(layouter.library, [HERE], Cache(folder))
    result = flow.run(GOOD, PERIOD, recipe.EFFORTS[0], recipe.SEEDS[0])
    data = json.loads(Path(result.netlist, "netlist.json").read_text())
    made = circuit.read(data["modules"][GOOD.top], GOOD.top, layouter.outputs)
    bench.check("all cells", len(made.cells) == result.cells)
    work = folder / "slack"
    work.mkdir()
    plain = layouter.slack(work, made, PERIOD, None).slack_ns
    bench.check(f"the flow's: {plain} {result.slack_ns}", abs(plain - result.slack_ns) < 1e-9)

    def straight(um: float) -> dict[str, extract.Tree]:
        return {name: star(net, um) for name, net in made.wires.items()}

    none, some, more = (
        layouter.slack(work, made, PERIOD, straight(um)).slack_ns for um in (0.01, 100, 200)
    )
    bench.check(f"wires of no length: {none}", abs(none - plain) < 2e-3)
    lost, twice = plain - some, plain - more
    bench.check(f"wires cost: {lost} {twice}", lost > 0.05 and 1.6 < twice / lost < 2.6)


def star(net: Net, um: float) -> extract.Tree:
    """A wire of this length to each sink."""
    found = extract.Tree(um=um * len(net.sinks))
    first = net.ends[0]
    found.pins[first] = root = ("pin", 0, 0)
    for number, end in enumerate(net.ends[1:]):
        node = ("pin", number + 1, 0)
        found.pins[end] = node
        found.pf[node] += um * 1e-4
        found.pf[root] += um * 1e-4
        found.edges[root].append((node, um * 2.7e-4))
        found.edges[node].append((root, um * 2.7e-4))
    return found


def test_parts(bench: Bench) -> None:
    """Which netlists of area.json are laid out."""
    element = {
        "name": "block",
        "library": libraries.FIRST,
        "period_ns": PERIOD,
        "black_boxes": {},
        "top": "fp8mac_element_block",
        "copies": 2,
        "area_without_parts": 20.0,
        "netlist": "a/netlist.v",
        "baseline": "int8_l1",
        "baseline_netlist": "b/netlist.v",
        "baseline_area": 7.0,
        "single": "int8_l1_b1",
        "single_netlist": "c/netlist.v",
        "single_area": 5.0,
    }
    units = [{"name": "unit", "top": "fp8mac_feed", "area": 9.0, "netlist": "d/netlist.v"}]
    array = {
        **element,
        "name": "array",
        "black_boxes": {"x": 1},
        "units": units,
        "baseline_units": [],
    }
    names = [part.name for part in cli.chosen([element, array], libraries.FIRST, "")]
    bench.check(f"the smallest first: {names}", names == ["int8_l1_b1", "int8_l1", "unit", "block"])
    faster = [part.name for part in cli.parts({**element, "period_ns": 5.75})]
    bench.check(f"another clock: {faster}", faster[0] == "block_made_for_5.75")
    bench.check("of each side", faster[2] == "int8_l1_b1_made_for_5.75")
    only = [part.name for part in cli.chosen([element], libraries.FIRST, "^int8")]
    bench.check(f"ONLY: {only}", only == ["int8_l1_b1", "int8_l1"])
    bench.raises("none", UsageError, "ONLY=z", lambda: cli.chosen([element], libraries.FIRST, "z"))


def test_halves(bench: Bench) -> None:
    """Elements in two netlists: their designs, and an element's area and slack."""
    given = {"LANES": 4, "BLOCK": 32, "SHARE": 8, "BANKS": 4, "FRAC_BITS": 19, "ACC_FP16": 0}
    element = {"name": "block", "top": "fp8mac_element_block", "parameters": given, "units": []}
    found = apart.halves(element)
    own = runs.Design("fp8mac_block_sum", (("LANES", 4), ("BLOCK", 32), ("FRAC_BITS", 19)))
    bench.check(f"the sum: {found['block_sum']}", found["block_sum"] == (own, 1))
    rest, copies = found["block_shared"]
    bench.check("the rest has all parameters", dict(rest.parameters) == given)
    bench.check("without sums", rest.black_boxes == ("fp8mac_block_sum",) and copies == 8)
    unit = {**element, "name": "unit", "top": "fp8mac_block_cluster"}
    array = {"name": "array", "top": "fp8mac_array", "units": [unit], "period_ns": 6.0}
    other = {**element, "period_ns": 6.0, "top": "fp8mac_element_late"}
    names = [one["name"] for one in apart.each([array, other], lambda _: True)]
    bench.check(f"units too, no other element: {names}", names == ["unit"])
    made = [laid_out("block_sum", 100.0, 0.3), laid_out("block_shared", 400.0, -0.2, copies=8)]
    layouts = pages.Layouts({"runs": {}, "layouts": made, "failures": []})
    whole = layouts.best("block")
    bench.check(f"{whole}", (whole["core_um2"], whole["slack_ns"]) == (150.0, -0.2))
    one = pages.Layouts({"runs": {}, "layouts": made[:1], "failures": []})
    bench.check("one alone is none", one.best("block") is None)
    line = layouts.say_apart().splitlines()[2]
    bench.check(f"a line: {line}", line == "| `block` | 100 | 50 | 150 | -0.20 |")


def laid_out(name: str, core_um2: float, slack: float, copies: int = 1) -> dict:
    return {
        "name": name,
        "copies": copies,
        "cells": 10,
        "nets": 3,
        "gaps": 0,
        "sinks": 4,
        "core_um2": core_um2,
        "utilisation": 0.9,
        "wire_um": 100.0,
        "wire_pf": 0.01,
        "plain_slack_ns": 0.5,
        "slack_ns": slack,
    }


def test_pages(bench: Bench) -> None:
    """Which layout stands for a design, and what the pages say of it."""
    run = {"command": "make synth-wires", "date": "2030-01-01", "area": "make synth"}
    made = {"run": run, "failures": [{"name": "feed", "cells": 0, "why": "no"}]}
    slow, small = laid_out("int8_l1", 100.0, -0.1), laid_out("int8_l1_made_for_5.7", 110.0, 0.1)
    large = laid_out("int8_l1_made_for_5.5", 120.0, 0.3)
    block = laid_out("block_l1", 440.0, 0.2, copies=2)
    empty = {"runs": {}, "layouts": [], "failures": []}
    found = pages.take({**made, "layouts": [block, large, slow]}, empty)
    layouts = pages.Layouts(pages.take({**made, "layouts": [small]}, found))
    bench.check("INT8 first", [one["name"] for one in layouts.found][-1] == "block_l1")
    bench.check("the smallest that meets", layouts.best("int8_l1")["core_um2"] == 110.0)
    missed = pages.Layouts(
        {**found, "layouts": [{**one, "slack_ns": -1} for one in found["layouts"]]}
    )
    bench.check("or the nearest", missed.best("int8_l1")["slack_ns"] == -1)
    bench.check("or none", layouts.best("int8") is None)
    bench.check("an element's part", layouts.ratio("block_l1", "int8_l1_made_for_5.7") == 2.0)
    bench.check("what a wire costs", layouts.say_lost("int8_l1") == "0.60")
    bench.check("the failure stays", [one["name"] for one in layouts.failures] == ["feed"])
    again = pages.take({**made, "layouts": [{**laid_out("feed", 9.0, 0.0)}]}, found)
    bench.check("until it is made", not again["failures"])
    line = layouts.say_table().splitlines()[2]
    bench.check(f"a line: {line}", "| 25.0 | 2.5 | 0.50 |" in line and "| 90 % |" in line)
    bench.check("commands", layouts.say_commands() == "    make synth\n    make synth-wires")
