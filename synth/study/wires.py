# SPDX-License-Identifier: Apache-2.0
"""The slack of netlists under a wire-load model: a length of wire for each net, by the number of its sinks.

It is the default model of the library's own file, or where the file has none a stated one: for each sink a wire that is
SIDES times as long as the side of a square of the area of a NAND with two inputs. The netlists are those that
were measured without wires: nothing is repaired for the wires. So the slack says how much a side depends on them.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from ..flow import sta
from ..flow.cache import key_of
from ..flow.errors import FlowError
from ..flow.liberty import Library
from ..flow.runs import Synthesiser
from . import prices
from .records import Record

SIDES = 5  # in OSU018 25 um
# What OpenROAD assumes for metals 1 and 2 of SkyWater 130 nm
PF_PER_UM = 0.00017
KOHM_PER_UM = 0.0012
LINK = "link_design "


def um_of_sink(library: Library) -> float:
    """The wire of a sink in the stated model"""
    return SIDES * math.sqrt(prices.nand(library))


def pf_of_sink(library: Library) -> float:
    return PF_PER_UM * um_of_sink(library)


def stated(library: Library, factor: float = 1.0) -> str:
    """The stated model, in a library of its own, with wires `factor` times as long."""
    um = factor * um_of_sink(library)
    head = sta.NO_WIRES.replace("no_wires", "stated_wires").partition("  wire_load")[0]
    return f"""{head}  pulling_resistance_unit : "1kohm";
  wire_load (stated) {{
    capacitance : {PF_PER_UM};
    resistance : {KOHM_PER_UM};
    slope : {um:.3f};
    fanout_length (1, {um:.3f});
  }}
}}"""


def script(plain: str, library: Library) -> str:
    """PLAIN, a script of sta.py, with wires."""
    if library.default_wire_load is not None:
        return plain.replace(sta.SET_NO_WIRES, "set_wire_load_mode top\n")
    head, link, rest = plain.partition(LINK)
    top, end, rest = rest.partition("\n")
    reads = sta.reading("stated.lib", stated(library))
    sets = "set_wire_load_mode top\nset_wire_load_model -name stated -library stated_wires\n"
    return f"{head}{reads}{link}{top}{end}{sets}{rest}"


def slack(flow: Synthesiser, netlist: Path) -> float:
    """Of a netlist.v of the flow, at the period that it was measured at."""
    plain = (netlist.parent / "sta.tcl").read_text()
    text = script(plain, flow.library)
    if text == plain:
        raise FlowError(f"{netlist.parent}/sta.tcl has no place for wires")
    given = {"sta.tcl": text, "netlist.v": netlist.read_text(), **flow.library.originals()}
    key = key_of({**given, **flow.tools})

    def make(folder: Path) -> None:
        for name, content in given.items():
            (folder / name).write_text(content)
        found = sta.run(folder, flow.sta_command).slack_ns
        (folder / "result.json").write_text(json.dumps(found) + "\n")
        for name in set(given) - {"sta.tcl"}:
            (folder / name).unlink()

    return json.loads((flow.cache.get(key, make)[0] / "result.json").read_text())


def without(netlist: Path) -> float:
    """The slack of a netlist of the flow without wires"""
    return json.loads((netlist.parent / "result.json").read_text())["slack_ns"]


def rest(flow: Synthesiser, record: Record) -> Record:
    """Of an array's netlist without its elements, feeds and read-out: slacks without wires and with them, cells, and ports
    that cells reach. Black boxes are ports of it."""
    found: Record = {}
    for side in ("", "baseline_"):
        if not record.get(f"{side}netlist"):
            continue
        netlist = Path(record[f"{side}netlist"])
        modules = json.loads(netlist.with_suffix(".json").read_text())["modules"].values()
        module = next(one for one in modules if int(one["attributes"].get("top", "0"), 2))
        cells = module["cells"].values()
        reached = {bit for one in cells for bits in one["connections"].values() for bit in bits}
        found[f"{side}rest"] = {
            "cells": len(cells),
            "ports": sum(bit in reached for one in module["ports"].values() for bit in one["bits"]),
            "slack_ns": round(without(netlist), 4),
            "wired_slack_ns": round(slack(flow, netlist), 4),
        }
    return found


def slacks(flow: Synthesiser, record: Record) -> Record:
    """What a record of an element says of both sides. A netlist that was taken over from a longer period has the slack of that
    one, so the difference counts."""
    found: Record = {}
    for side in ("", "baseline_", "single_"):
        if not record.get(f"{side}netlist"):
            continue
        netlist = Path(record[f"{side}netlist"])
        wires = slack(flow, netlist) - without(netlist)
        found[f"{side}wired_slack_ns"] = round(record[f"{side}slack_ns"] + wires, 4)
    return found
