# SPDX-License-Identifier: Apache-2.0
"""The stock flow of Yosys, beside which the flow of this project is measured: what it makes of a small design, what it
rejects, and how the table compares both flows.

python -m pytest -c tests/pytest.ini tests/synth/test_stock.py --folder FOLDER
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from unittest import mock

import pytest

from synth.flow import liberty, recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import FlowError, RejectedNetlist
from synth.study import intake, libraries, report, stock
from synth.study.elements import Entry
from tests.conftest import Bench

HERE = Path(__file__).resolve().parent
RESULTS = Path("synth/results")
PERIOD = libraries.HEADLINE_PERIOD


def small(top: str, **parameters: int) -> Entry:
    made = runs.Design(top, tuple(parameters.items()))
    return Entry(top, made, "main", 1, "", "", "", None, (), copies=2)


GOOD = small("fp8mac_flow_good", WIDTH=4)


@pytest.fixture(scope="session")
def flow(folder: Path) -> runs.Synthesiser:
    library = liberty.Library(libraries.LIBRARIES[libraries.FIRST][0])
    return runs.Synthesiser(library, [HERE], Cache(folder))


def test_netlist(bench: Bench, flow: runs.Synthesiser, folder: Path) -> None:
    found = stock.measure(flow, GOOD, PERIOD)
    kept = next(path.parent for path in (folder / "cache").glob("*/stock.ys"))
    cells = re.findall(r"^  (\w+) \S+ +\($", (kept / "netlist.v").read_text(), re.M)
    areas = [flow.library.cells[cell].area for cell in cells if cell != "module"]
    bench.check("13 flip-flops", cells.count("DFFPOSX1") == 13)
    bench.check("the area is half of that of the cells", found.area == sum(areas) / 2)
    bench.check("there is no full adder", found.full_adders == cells.count("FAX1") == 0)
    own = flow.run(GOOD.design, PERIOD, recipe.EFFORTS[0], recipe.SEEDS[0])
    bench.check(f"this flow is smaller: {own.area}", own.area < sum(areas))
    bench.check(f"the slack at {PERIOD:g} ns: {found.slack_ns}", 0 < found.slack_ns < PERIOD)
    missed = stock.measure(flow, GOOD, 0.5)
    bench.check("0.5 ns is missed", missed.slack_ns < 0 and missed.area == found.area)
    wider = stock.measure(flow, small("fp8mac_flow_good", WIDTH=8), PERIOD)
    bench.check("a parameter has its effect", wider.area > 1.5 * found.area)


def test_rejected(bench: Bench, flow: runs.Synthesiser) -> None:
    latch = small("fp8mac_flow_latch")
    bench.raises("a latch", FlowError, "latch|LATCH", lambda: stock.measure(flow, latch, PERIOD))
    bad = small("fp8mac_flow_good", DEPTH=4)
    bench.raises("a parameter", FlowError, "no parameter", lambda: stock.measure(flow, bad, PERIOD))
    # Without the step that maps flip-flops they stay Yosys's own cells, whose area is 0.
    given = stock.script(GOOD.design, ["fp8mac_full_adder.sv", "fp8mac_flow_good.sv"])
    less = given.replace("dfflibmap -liberty library.lib\n", "")
    with mock.patch.object(stock, "script", return_value=less):
        bench.raises(
            "a cell outside the library",
            RejectedNetlist,
            "not in the library",
            lambda: stock.measure(flow, GOOD, PERIOD),
        )


def test_table(bench: Bench) -> None:
    """Ratios of both flows, each to the INT8 elements of its own flow."""
    areas = {stock.BASELINE.name: 100.0, stock.SINGLE.name: 80.0, "block": 120.0}
    found = [
        stock.Stock(stock.BASELINE.name, 200.0, -1.0, 0),
        stock.Stock(stock.SINGLE.name, 160.0, 1.0, 0),
        stock.Stock("block", 220.0, 0.25, 0),
    ]
    lines = stock.table(found, areas).splitlines()
    bench.check(
        f"an element: {lines[-1]}",
        lines[-1] == "| `block` | 220 | 0.25 | 1.10 | 1.38 | 120 | 1.20 | 1.50 |",
    )
    bench.check("a baseline has no ratio", lines[2].count("| - | - |") == 2 and "-1.00" in lines[2])


def test_report(bench: Bench, folder: Path) -> None:
    """The measurement that is taken is on the page, and every element of the module is in the results."""
    known = json.loads((RESULTS / "stock.json").read_text())
    names = [one["name"] for one in known["stock"]]
    bench.check(f"all elements: {names}", names == [one.name for one in stock.ENTRIES])
    bench.check("none has a full adder", all(one["full_adders"] == 0 for one in known["stock"]))
    results = folder / "results"
    shutil.copytree(RESULTS, results)
    made = folder / "stock.json"
    known["stock"][-1]["area"] *= 2
    made.write_text(json.dumps(known))
    intake.take(made, results, "")
    before, after = (report.Page(one).say_table("stock") for one in (RESULTS, results))
    bench.check("a changed area changes the table", before != after)
    bench.check("the command stands below it", after.endswith(f"    make {stock.GOAL}"))
