# SPDX-License-Identifier: Apache-2.0
"""Design rules of a library: nets that break one are repaired with buffers and stronger drivers, the repaired netlist
computes the same, and a netlist that breaks a rule is rejected.

python -m pytest -c tests/pytest.ini tests/synth/test_rules.py --folder FOLDER
"""

from __future__ import annotations

import copy
from pathlib import Path

from synth.flow import fit, liberty, rules, runs, sta, timing
from synth.flow.errors import RejectedNetlist
from synth.study import libraries
from tests.conftest import Bench

OSU018 = libraries.LIBRARIES["osu018"][0]
PERIOD = 20.0
SINKS = 150  # fewer than those for which there are trees of buffers in any case
FIRST_OUT = 1000


def wide(kind: str) -> dict:
    """A cell of the library drives SINKS inverters, whose outputs are ports."""
    clocked = kind == "DFFPOSX1"
    its = {"CLK": [2], "D": [4], "Q": [3]} if clocked else {"A": [4], "Y": [3]}
    cells = {"driver": {"type": kind, "connections": its}}
    for n in range(SINKS):
        cells[f"i{n}"] = {"type": "INVX1", "connections": {"A": [3], "Y": [FIRST_OUT + n]}}
    ports = {
        "clk_i": {"direction": "input", "bits": [2]},
        "a_i": {"direction": "input", "bits": [4]},
        "y_o": {"direction": "output", "bits": list(range(FIRST_OUT, FIRST_OUT + SINKS))},
    }
    return {"ports": ports, "cells": cells}


def behind_port() -> dict:
    """The same inverters, driven by an input port."""
    module = wide("INVX1")
    del module["cells"]["driver"]
    module["ports"]["a_i"]["bits"] = [3]
    return module


def broken(module: dict, library: liberty.Library) -> dict[str, int]:
    graph = timing.Graph(module, library, PERIOD)
    return rules.counts(rules.Rules(graph).broken(timing.Timing(graph)))


def inversions(module: dict, library: liberty.Library) -> set[int]:
    """The numbers of inverters between the first driver and each port."""
    drivers = {}
    for cell in module["cells"].values():
        its = library.cells[cell["type"]]
        pins = {pin: bits[0] for pin, bits in cell["connections"].items()}
        if not its.is_flip_flop:
            drivers[pins["Y"]] = pins["A"], its.is_inverter

    def count(bit: int) -> int:
        source, inverts = drivers.get(bit, (None, False))
        return 0 if source in (None, 4) else inverts + count(source)

    return {count(bit) for bit in module["ports"]["y_o"]["bits"]}


def strict(folder: Path, most_ns: float) -> liberty.Library:
    """OSU018 with a limit of transition times, of which it has none."""
    path = folder / f"strict_{most_ns:g}.lib"
    text = OSU018.read_text()
    path.write_text(
        text.replace("delay_model", f"default_max_transition : {most_ns:g};\n  delay_model", 1)
    )
    return liberty.Library(path)


def test_capacitance(bench: Bench) -> None:
    library = liberty.Library(OSU018)
    for name, module in (
        ("a flip-flop", wide("DFFPOSX1")),
        ("a small inverter", wide("INVX1")),
        ("a port", behind_port()),
    ):
        before = broken(module, library)
        made, repaired = fit.fit(copy.deepcopy(module), library, PERIOD, 0.2)
        after = broken(made, library)
        bench.check(
            f"{name} with too much to drive is repaired: {before}, then {after}",
            before[rules.CAPACITANCE] == 1 and not any(after.values()) and repaired == before,
        )
        bench.check(f"{name}: every port has its value", inversions(made, library) == {1})
        added = len(made["cells"]) - len(module["cells"])
        bench.check(f"{name}: few buffers, {added}", added <= 6)
        bench.raises(
            f"{name}: without the repair it is rejected",
            RejectedNetlist,
            "^1 nets have more than the max_capacitance",
            lambda module=module: runs.check_rules(module, library, sta.Timing(0.0, "", "")),
        )
        runs.check_rules(made, library, sta.Timing(0.0, "", ""))


def test_transition(bench: Bench, folder: Path) -> None:
    module = wide("DFFPOSX1")
    loose, library = liberty.Library(OSU018), strict(folder, 0.4)
    made, _ = fit.fit(copy.deepcopy(module), loose, PERIOD, 0.2)
    before = broken(made, library)
    bench.check(f"edges are slower than 0.4 ns: {before}", before[rules.TRANSITION] > 0)
    made, repaired = fit.fit(copy.deepcopy(module), library, PERIOD, 0.2)
    after = broken(made, library)
    bench.check(
        f"they are repaired: {repaired}, then {after}",
        repaired[rules.TRANSITION] > 0 and not any(after.values()),
    )
    bench.check("every port has its value", inversions(made, library) == {1})
    bench.check(
        "the text for the other tools has the limit",
        "default_max_transition : 0.4;" in library.text,
    )


def test_opensta(bench: Bench, folder: Path) -> None:
    """OpenSTA counts slow edges by the library's own files."""
    netlist = (
        "module top (a, y);\n  input a;\n  output y;\n  wire [40:0] n;\n"
        "  INVX1 u (.A(a), .Y(n[40]));\n"
        + "".join(f"  INVX1 s{n} (.A(n[40]), .Y(n[{n}]));\n" for n in range(40))
        + "  INVX1 e (.A(n[0]), .Y(y));\nendmodule\n"
    )
    for most_ns, slow in ((0.6, True), (6.0, False)):
        library, where = strict(folder, most_ns), folder / f"sta_{most_ns:g}"
        where.mkdir()
        for name, text in library.originals().items():
            (where / name).write_text(text)
        (where / "netlist.v").write_text(netlist)
        (where / "sta.tcl").write_text(sta.script("top", library, PERIOD, clocked=False))
        found = sta.run(where)
        bench.check(
            f"slow edges with a limit of {most_ns:g} ns: {found.slow_edges}",
            (found.slow_edges >= 40) == slow and (found.slow_edges == 0) != slow,
        )
        if slow:
            bench.raises(
                "a netlist with slow edges is rejected",
                RejectedNetlist,
                f"and {found.slow_edges} pins have slower edges",
                lambda found=found, library=library: runs.check_rules(
                    {"ports": {}, "cells": {}}, library, found
                ),
            )
