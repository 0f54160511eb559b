# SPDX-License-Identifier: Apache-2.0
"""The slack under a wire-load model: the library's own, or the stated one. Both give the same slack where they say the same.

python -m pytest -c tests/pytest.ini tests/synth/test_wires.py --folder FOLDER
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from unittest import mock

import pytest

from synth.flow import liberty, recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import FlowError
from synth.study import libraries, prices, tables, wires
from tests.conftest import Bench

HERE = Path(__file__).resolve().parent
GOOD = runs.Design("fp8mac_flow_good", (("WIDTH", 8),))
OSU018 = libraries.LIBRARIES[libraries.FIRST][0]


def synthesiser(folder: Path, path: Path) -> runs.Synthesiser:
    return runs.Synthesiser(liberty.Library(path), [HERE], Cache(folder))


@pytest.fixture(scope="session")
def record(folder: Path) -> dict:
    """Of both sides, which are one design here. The baseline's netlist is taken over from a longer period."""
    made = synthesiser(folder, OSU018).run(GOOD, 6.0, recipe.EFFORTS[0], recipe.SEEDS[0])
    netlist = f"{made.netlist}/netlist.v"
    own = {"netlist": netlist, "slack_ns": made.slack_ns}
    base = {"baseline_netlist": netlist, "baseline_slack_ns": made.slack_ns - 1}
    return {**own, **base, "name": "good", "library": libraries.FIRST, "period_ns": 6.0}


def test_stated(bench: Bench, folder: Path, record: dict) -> None:
    flow = synthesiser(folder, OSU018)
    found = wires.slacks(flow, record)
    wired = found["wired_slack_ns"]
    bench.check(f"wires cost time: {record['slack_ns']} {found}", wired < record["slack_ns"] - 0.05)
    bench.check("a period less", abs(found["baseline_wired_slack_ns"] - wired + 1) < 1e-3)
    bench.check("no third side", "single_wired_slack_ns" not in found)
    with mock.patch.object(wires, "SIDES", 2 * wires.SIDES):
        longer = wires.slacks(flow, record)["wired_slack_ns"]
    # Capacitance and resistance double.
    lost = record["slack_ns"] - wired
    bench.check(f"longer wires: {longer}", record["slack_ns"] - longer > 1.5 * lost)
    with mock.patch.object(wires, "SIDES", 0):
        none = wires.slacks(flow, record)["wired_slack_ns"]
    bench.check(f"wires of no length: {none}", abs(none - record["slack_ns"]) < 2e-3)


def test_rest(bench: Bench, folder: Path, record: dict) -> None:
    """Of an array: cells, and ports that cells reach"""
    flow = synthesiser(folder, OSU018)
    path = Path(record["netlist"]).with_suffix(".json")
    module = json.loads(path.read_text())["modules"][GOOD.top]
    bits = [bit for port in module["ports"].values() for bit in port["bits"]]
    found = wires.rest(flow, {**record, "top": GOOD.top})
    bench.check("both sides", found["rest"] == found["baseline_rest"])
    its = found["rest"]
    bench.check(f"cells: {its}", its["cells"] == len(module["cells"]))
    text = json.dumps([one["connections"] for one in module["cells"].values()])
    reached = set(map(int, re.findall(r"\b\d+\b", text)))
    bench.check("ports", its["ports"] == sum(bit in reached for bit in bits) > 0)
    bench.check("without wires", abs(its["slack_ns"] - record["slack_ns"]) < 1e-3)
    wired = wires.slacks(flow, record)["wired_slack_ns"]
    bench.check("with wires", abs(its["wired_slack_ns"] - wired) < 1e-3)


def test_own_model(bench: Bench, folder: Path, record: dict) -> None:
    """A library whose default model is the stated one. The netlist is measured without it, and then with it."""
    plain = liberty.Library(OSU018)
    model = wires.stated(plain)
    group = model[model.index("  wire_load") :].rpartition("}")[0]
    text = re.sub(r"wire_load \(stated\)", 'wire_load ("stated")', group)
    path = folder / "own.lib"
    head, brace, rest = plain.originals()["original_0.lib"].partition("{\n")
    path.write_text(
        f'{head}{brace}  pulling_resistance_unit : "1kohm";\n{text}  default_wire_load : "stated";\n{rest}'
    )
    flow = synthesiser(folder, path)
    made = flow.run(GOOD, 6.0, recipe.EFFORTS[0], recipe.SEEDS[0])
    bench.check("the model is known", flow.library.default_wire_load == "stated")
    bench.check("it is not in the verdict", abs(made.slack_ns - record["slack_ns"]) < 1e-6)
    own = {"netlist": f"{made.netlist}/netlist.v", "slack_ns": made.slack_ns}
    found = wires.slacks(flow, own)["wired_slack_ns"]
    stated = wires.slacks(synthesiser(folder, OSU018), record)["wired_slack_ns"]
    bench.check(f"one slack: {found} {stated}", abs(found - stated) < 1e-3)


def test_no_place(bench: Bench, folder: Path) -> None:
    """A script that sets no model where the library has one is refused: the slack would be that without wires."""
    work = folder / "no_place"
    work.mkdir()
    (work / "netlist.v").write_text("")
    (work / "sta.tcl").write_text("link_design top\n")
    flow = synthesiser(folder, folder / "own.lib")
    bench.raises(
        "no place", FlowError, "no place for wires", lambda: wires.slack(flow, work / "netlist.v")
    )
    um = wires.SIDES * prices.nand(flow.library) ** 0.5
    bench.check(f"five sides of a NAND: {um}", 24 < um < 25)


def test_table(bench: Bench, record: dict) -> None:
    given = {**record, "wired_slack_ns": -0.125, "slack_ns": 0.5, "baseline_slack_ns": 1.0}
    line = tables.wires([given, record]).splitlines()
    bench.check(
        f"one line: {line[-1]}", len(line) == 3 and "| 0.50 / -0.12 | 1.00 / - |" in line[-1]
    )
