# SPDX-License-Identifier: Apache-2.0
"""The synthesis flow rejects netlists that must not be quoted, takes finished runs from its cache, and refuses wrong
requests with a clear sentence.

python -m pytest -c tests/pytest.ini tests/synth/test_flow.py --folder FOLDER
"""

from __future__ import annotations

import copy
import json
import random
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from synth.flow import (
    boxes,
    breakdown,
    fit,
    functions,
    liberty,
    points,
    recipe,
    runs,
    sources,
    splits,
    spread,
    sta,
    timing,
    yosys,
)
from synth.flow.cache import Cache
from synth.flow.errors import FlowError, RejectedNetlist
from synth.flow.netlist import Netlist
from synth.study import libraries, records, table, tables
from synth.study.elements import CLOCK_GATE, FORMATS, Entry, block, needed
from tests.conftest import Bench

HERE = Path(__file__).resolve().parent
OSU018 = libraries.LIBRARIES["osu018"][0]
GOOD = runs.Design("fp8mac_flow_good", (("WIDTH", 4),))
# ---- sources and shuffling ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def flow(folder: Path) -> runs.Synthesiser:
    return synthesiser(folder)


@pytest.fixture(scope="session")
def front(flow: runs.Synthesiser) -> Path:
    return flow.front(GOOD)[0]


def test_sources(bench: Bench, folder: Path) -> None:
    rtl = folder / "sources"
    rtl.mkdir()
    texts = {
        "a": "module fp8mac_a; import fp8mac_x_pkg::*; fp8mac_b u(); // fp8mac_d\nendmodule",
        "b": "module fp8mac_b; fp8mac_c u(); endmodule",
        "c": "module fp8mac_c; endmodule",
        "d": "module fp8mac_d; endmodule",
        "x_pkg": "package fp8mac_x_pkg; endpackage",
    }
    for name, text in texts.items():
        (rtl / f"fp8mac_{name}.sv").write_text(text)
    files = sources.index([rtl, folder / "missing"])

    def names(*boxes: str) -> list[str]:
        return [path.stem[len("fp8mac_") :] for path in sources.closure("fp8mac_a", files, boxes)]

    bench.check("packages first, comments not followed", names() == ["x_pkg", "c", "b", "a"])
    bench.check("nothing below a black box", names("fp8mac_b") == ["x_pkg", "b", "a"])
    bench.raises(
        "an unknown module",
        FlowError,
        "no module fp8mac_z",
        lambda: sources.closure("fp8mac_z", files),
    )


def test_synthesis(bench: Bench, flow: runs.Synthesiser) -> None:
    result = flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1)
    text = Path(result.netlist, "netlist.v").read_text()
    cells = re.findall(r"^  (\w+) \S+ +\($", text, re.M)
    bench.check(
        "area is that of the cells in netlist.v",
        result.area == sum(flow.library.cells[cell].area for cell in cells if cell != "module"),
    )
    bench.check(
        "adder leaves are the library's, but for the one with a constant input",
        cells.count("FAX1") == 3,
    )
    bench.check("13 flip-flops", cells.count("DFFPOSX1") == 13 and result.register_area == 13 * 96)
    bench.check("6 ns is met", 0 < result.slack_ns < 6)
    missed = flow.run(GOOD, 0.5, recipe.EFFORTS[0], 1)
    bench.check("0.5 ns is not met", missed.slack_ns < 0)
    bench.check("no point at 0.5 ns", not points.measure(flow, GOOD, 0.5).met)
    boxes = {"add": ("add",)}
    apart = flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1, hierarchy=True)
    areas = breakdown.by_box(flow.read_netlist(Path(apart.netlist), GOOD), boxes)
    bench.check(
        "boxes sum up to the area",
        sum(areas.values()) == apart.area and areas["registers"] == 13 * 96,
    )


def test_shuffle(bench: Bench, front: Path) -> None:
    text = (front / "front.il").read_text()
    orders = [recipe.shuffle(text, seed) for seed in (1, 2, 2)]
    bench.check("a seed gives one order", orders[1] == orders[2])
    bench.check("seeds differ", len({text, *orders}) == 3)
    bench.check(
        "nothing is lost", all(sorted(o.splitlines()) == sorted(text.splitlines()) for o in orders)
    )


# ---- one synthesis --------------------------------------------------------------------------------------------------


def synthesiser(folder: Path, rtl: Path = HERE) -> runs.Synthesiser:
    return runs.Synthesiser(liberty.Library(OSU018), [rtl], Cache(folder / "cache"))


def test_cache(bench: Bench, folder: Path) -> None:
    rtl = folder / "rtl"
    shutil.copytree(HERE, rtl, ignore=shutil.ignore_patterns("*.py", "*.mk", "__pycache__"))

    def made() -> bool:
        return synthesiser(folder / "fresh", rtl).run(GOOD, 6.0, recipe.EFFORTS[0], 1).made

    bench.check("made once, then found", (made(), made()) == (True, False))
    (rtl / "fp8mac_other.sv").write_text("module fp8mac_other; endmodule\n")
    bench.check("a file that the design does not use changes nothing", not made())
    source, top = rtl / "fp8mac_full_adder.sv", rtl / "fp8mac_flow_good.sv"
    source.write_text(
        source.read_text().replace("input  logic b_i", "input  logic d_i").replace("b_i", "d_i")
    )
    bench.raises("a change below the top is seen", FlowError, "elaboration failed", made)
    shutil.copy(HERE / source.name, source)
    top.write_text(
        "// one line more\n" + top.read_text().replace("[WIDTH:0]   carry;", "[WIDTH:0] carry;\n")
    )
    bench.check("where a line stands changes nothing", not made())
    top.write_text(top.read_text().replace("a_q   <= a_i", "a_q   <= ~a_i"))
    bench.check("other logic is made anew", made())
    flow = synthesiser(folder / "fresh", rtl)
    bench.check(
        "another period, seed or effort is another run",
        all(
            flow.run(GOOD, *rest).made
            for rest in (
                (7.0, recipe.EFFORTS[0], 1),
                (6.0, recipe.EFFORTS[0], 2),
                (6.0, recipe.EFFORTS[-1], 1),
            )
        ),
    )


def test_plain(bench: Bench) -> None:
    text = """autoidx 90
attribute \\src "a.sv:1.8"
module \\top
  attribute \\src "a.sv:2.8"
  wire $auto$x.cc:12:f$70
  wire input 1 \\a
  attribute \\keep 1
  wire \\b
  cell $_NOT_ $9
    connect \\A \\a
    connect \\Y $auto$x.cc:12:f$70
  end
  cell $_NOT_ $80
    connect \\A $auto$x.cc:12:f$70
    connect \\Y \\b
  end
end
"""
    moved = text
    for old, new in (
        ("a.sv:1.8", "a.sv:3.8"),
        ("$70", "$71"),
        ("$80", "$82"),
        ("autoidx 90", "autoidx 99"),
    ):
        moved = moved.replace(old, new)
    wires = "  wire $auto$x.cc:12:f$71\n", "  wire input 1 \\a\n"
    moved = moved.replace(wires[1], "").replace(wires[0], wires[1] + wires[0])
    bench.check(
        "lines, numbers and order do not count", recipe.plain(text) == recipe.plain(moved) != text
    )
    bench.check(
        "logic counts",
        recipe.plain(text) != recipe.plain(text.replace("\\A $auto$x.cc:12:f$70", "\\A \\a")),
    )
    bench.check(
        "plain once is plain for good", recipe.plain(recipe.plain(text)) == recipe.plain(text)
    )
    bench.check(
        "no line is lost",
        sorted(re.sub(r"\d+", "N", line) for line in recipe.plain(text).splitlines())
        == sorted(re.sub(r"\d+", "N", line) for line in text.splitlines() if "src" not in line),
    )


# ---- black boxes -----------------------------------------------------------------------------------------------------

NEST = runs.Design("fp8mac_flow_nest", black_boxes=("fp8mac_flow_good",))


def test_black_boxes(bench: Bench, flow: runs.Synthesiser) -> None:
    result = flow.run(NEST, 6.0, recipe.EFFORTS[0], 1)
    bench.check("black boxes are counted", result.boxes == {"fp8mac_flow_good": 2})
    bench.check("and left out: flip-flops remain", result.area == result.register_area == 3 * 96)
    bench.check("their pins are timed as ports", 0 < result.slack_ns < 6)
    netlist = json.loads(Path(result.netlist, "netlist.json").read_text())
    ports = netlist["modules"][NEST.top]["ports"]
    widths = {name: len(port["bits"]) for name, port in ports.items()}
    bench.check(
        f"their pins become ports with simple names and their own widths, but for the clock: {widths}",
        widths
        == {
            "a_i": 4,
            "clk_i": 1,
            "sum_o": 5,
            **{f"u_first_{pin}": width for pin, width in (("a_i", 2), ("b_i", 2), ("sum_o", 3))},
            **{f"u_last_{pin}": width for pin, width in (("a_i", 4), ("b_i", 4), ("sum_o", 5))},
        },
    )
    found = runs.instances(flow.front(NEST)[0])
    text = boxes.wrapper(NEST.top, flow.files, ports, found, {})
    bench.check(
        "a simulation has them back, with their parameters",
        all(f"fp8mac_flow_good #(.WIDTH({width})) u_box_" in text for width in (2, 4))
        and text.count(".clk_i(clk_i)") == 3
        and f"\n  {NEST.top}_netlist u_netlist (" in text,
    )
    ports["u_last_a_i"]["bits"].pop()
    bench.raises(
        "a pin that has lost a bit",
        FlowError,
        "a_i of u_last has another width",
        lambda: boxes.wrapper(NEST.top, flow.files, ports, found, {}),
    )
    alone = [replace(found[0], clock="")]
    bench.raises(
        "a box without a known clock",
        FlowError,
        "the clock of u_first is neither",
        lambda: boxes.wrapper(NEST.top, flow.files, {}, alone, {}),
    )
    bench.check(
        "a module without its body",
        sources.ports_only("module m (\n  input a\n);\n  x u ();\nendmodule\n")
        == "module m (\n  input a\n);\nendmodule\n",
    )


def entry(name: str, design: runs.Design, group: str, **more) -> Entry:
    """An entry of 16 lanes whose fields do not matter otherwise."""
    return Entry(name, design, group, 16, "late_fp32", "late", "fp32", 25, FORMATS, **more)


def test_whole(bench: Bench) -> None:
    """Areas: an element 10, an array of 4 without them 100, an accelerator without the array 1000."""

    def point(
        design: runs.Design, area: float, slack: float, met: bool = True, **boxes: int
    ) -> points.Point:
        result = runs.Result("area", 1, area, 0.0, slack, "", 1, {}, boxes, "")
        return points.Point(design, 6.0, met, (result,), (result,))

    def element(name: str, **more) -> Entry:
        return entry(name, runs.Design(name), "array", **more)

    inner, feed = element("inner"), element("feed")
    array = element("array", parts=(("inner", inner),), feeds=((feed, 2),))
    outer = element("outer", parts=(("array", array), ("memory", None), (CLOCK_GATE, None)))
    found = {
        inner.design: point(inner.design, 10, 0.5),
        feed.design: point(feed.design, 7, 0.3),
        array.design: point(array.design, 100, 0.2, inner=4, fp8mac_feed=2),
        outer.design: point(outer.design, 1000, 0.4, **{"array": 1, "memory": 1, CLOCK_GATE: 2}),
    }
    all_of_it = records.whole(outer, found, gate=3)
    bench.check(
        "areas of parts add up, with those of clock gates",
        (all_of_it.area, all_of_it.parts) == (1160, {"array": 154, CLOCK_GATE: 6}),
    )
    units = [(one["name"], one["count"], one["area"]) for one in all_of_it.units]
    bench.check(f"netlists of parts are named: {units}", units == [("array", 1, 100)])
    bench.check("the worst slack of all", all_of_it.slack_ns == 0.2 and all_of_it.met)
    bench.check("operand feeds count", records.whole(array, found).feeds == {"feed": 14})
    other = replace(array, feeds=((feed, 3),))
    bench.raises(
        "another number of feeds", FlowError, "2 operand feeds", lambda: records.whole(other, found)
    )
    bench.check(
        "entries that a record needs",
        {one.name for one in needed(outer)} == {"outer", "array", "inner", "feed"},
    )
    slow = found | {inner.design: point(inner.design, 10, -0.5, False)}
    bench.check(
        "a part that misses the clock",
        not records.whole(outer, slow).met and records.whole(outer, slow).slack_ns == -0.5,
    )
    array = replace(array, baseline=array)
    record = records.record(
        records.Pair(array, "osu018", records.whole(array, found), records.whole(array, found))
    )
    cells = [cell.strip() for cell in tables.arrays([record]).splitlines()[2].split("|")]
    bench.check(
        f"a line of the array's table: {cells}",
        cells[2:9] == ["40", "14", "0", "100", "154", "0.20", "1.00"],
    )


def test_accumulators(bench: Bench) -> None:
    """An element has two baselines: with as many accumulators, and with one."""

    def banks(entry: Entry | None) -> int:
        return dict(entry.design.parameters)["BANKS"]

    many = [one for one in table.ENTRIES if one.single and "BANKS" in dict(one.design.parameters)]
    bench.check(
        f"{len(many)} elements: as many accumulators in the baseline, one in the other",
        len(many) > 20
        and all(banks(one) == banks(one.baseline) and banks(one.single) == 1 for one in many),
    )
    bench.check(
        "of as many lanes",
        all(one.lanes == one.baseline.lanes == one.single.lanes for one in many),
    )
    fewest = {one.name: banks(one) for one in many if re.search(r"_b\d+$", one.name)}
    bench.check(
        f"elements with the fewest accumulators: {fewest}",
        fewest["block_f19_l1_fp32_b1"] == 1 and fewest["block_f19_l16_fp32_b2"] == 2,
    )
    for lanes, too_few in ((1, 0), (16, 1), (32, 3)):
        bench.raises(
            f"{too_few} accumulators for {lanes} lanes",
            ValueError,
            "needs more than",
            lambda lanes=lanes, too_few=too_few: block(lanes, 19, "fp32", banks=too_few),
        )

    def point(design: runs.Design, area: float, met: bool = True) -> points.Point:
        result = runs.Result("area", 1, area, 0.0, 0.1 if met else -0.1, "", 1, {}, {}, "")
        return points.Point(design, 6.0, met, (result,), (result,))

    one = block(1, 19, "fp32")
    for met, said in ((True, "3.00"), (False, "(3.00)")):
        found = {
            one.design: point(one.design, 32 * 60.0),
            one.baseline.design: point(one.baseline.design, 30.0),
            one.single.design: point(one.single.design, 20.0, met),
        }
        wholes = [records.whole(each, found) for each in (one, one.baseline, one.single)]
        record = records.record(records.Pair(one, "osu018", *wholes))
        bench.check(
            f"both ratios: {record['ratio']}, {record['ratio_single']}",
            (record["ratio"], record["ratio_single"]) == (2.0, 3.0)
            and record["single"] == "int8_l1_b1"
            and record["single_timing_met"] == met,
        )
        line = tables.elements([{**record, "error": None}]).splitlines()[2]
        cells = [cell.strip() for cell in line.split("|")]
        bench.check(f"and their columns: {cells}", {"2.00", said, "20", "30"} <= set(cells))


def test_spread(bench: Bench) -> None:
    library = liberty.Library(OSU018)
    inverters = {
        f"i{n}": {"type": "INVX1", "connections": {"A": [3], "Y": [10 + n]}} for n in range(500)
    }
    cells = {
        "r": {"type": "DFFPOSX1", "connections": {"CLK": [2], "D": [10], "Q": [3]}},
        **inverters,
    }
    module = {
        "ports": {
            "clk_i": {"direction": "input", "bits": [2]},
            "y_o": {"direction": "output", "bits": list(range(10, 510))},
        },
        "cells": cells,
    }
    made = fit.fit(module, library, 100.0, 0.0)[0]["cells"]
    pins = {
        name: {pin: bits[0] for pin, bits in cell["connections"].items()}
        for name, cell in made.items()
    }
    buffers = {
        its["Y"]: its["A"] for name, its in pins.items() if made[name]["type"].startswith("BUF")
    }
    loads = Counter(its["A"] for its in pins.values() if "A" in its)
    bench.check(
        f"{len(buffers)} buffers, none with too many sinks",
        buffers and max(loads.values()) <= spread.BRANCH,
    )

    def source(bit: int) -> int:
        return source(buffers[bit]) if bit in buffers else bit

    bench.check(
        "each sink still hears its driver", all(source(pins[name]["A"]) == 3 for name in inverters)
    )
    few = {**module, "cells": {"r": cells["r"], **dict(list(inverters.items())[:50])}}
    few["ports"] = {**module["ports"], "y_o": {"direction": "output", "bits": list(range(10, 60))}}
    bench.check(
        "a net of fewer sinks stays",
        fit.fit(few, library, 100.0, 0.0)[0]["cells"].keys() == few["cells"].keys(),
    )


def chain(bits: int) -> dict:
    """A flat module: a chain of full adders from ports to ports."""
    a, b = list(range(10, 10 + bits)), list(range(100, 100 + bits))
    sums, carries = list(range(200, 200 + bits)), list(range(300, 301 + bits))
    cells = {
        f"f{n}": {
            "type": "FAX1",
            "connections": {
                "A": [a[n]],
                "B": [b[n]],
                "C": [carries[n]],
                "YS": [sums[n]],
                "YC": [carries[n + 1]],
            },
        }
        for n in range(bits)
    }
    ports = {
        "a_i": {"direction": "input", "bits": a},
        "b_i": {"direction": "input", "bits": b},
        "c_i": {"direction": "input", "bits": carries[:1]},
        "sum_o": {"direction": "output", "bits": [*sums, carries[-1]]},
    }
    return {"ports": ports, "cells": cells}


def beside(first: dict, second: dict) -> dict:
    """A flat module of two, whose nets and names stay apart."""

    def moved(bits: list[int]) -> list[int]:
        return [bit + 1000 for bit in bits]

    cells, ports = dict(first["cells"]), dict(first["ports"])
    for name, cell in second["cells"].items():
        pins = {pin: moved(bits) for pin, bits in cell["connections"].items()}
        cells[f"second_{name}"] = {**cell, "connections": pins}
    for name, port in second["ports"].items():
        ports[f"second_{name}"] = {**port, "bits": moved(port["bits"])}
    return {"ports": ports, "cells": cells}


def evaluated(module: dict, library: liberty.Library, inputs: dict[int, bool]) -> int:
    """The number at sum_o, from the functions of the cells."""
    values, waiting = dict(inputs), dict(module["cells"])
    while waiting:
        for name, cell in list(waiting.items()):
            its = library.cells[cell["type"]]
            pins = {pin: bits[0] for pin, bits in cell["connections"].items()}
            if all(pins[pin] in values for pin in its.inputs()):
                known = {pin: values[pins[pin]] for pin in its.inputs()}
                for out in its.outputs():
                    if out in pins:
                        values[pins[out]] = functions.evaluator(its.pins[out].function)(known)
                del waiting[name]
    return sum(values[bit] << place for place, bit in enumerate(module["ports"]["sum_o"]["bits"]))


def test_splits(bench: Bench) -> None:
    library = liberty.Library(OSU018)
    module, bits = chain(12), 12
    slow = fit.fit(module, library, 100.0, 0.2)[0]
    bench.check(
        "a chain that meets the clock keeps its cells",
        Counter(cell["type"] for cell in slow["cells"].values()) == {"FAX1": bits},
    )
    fast = fit.fit(module, library, 2.2, 0.2)[0]
    kinds = Counter(cell["type"] for cell in fast["cells"].values())
    before, after = (
        timing.Timing(timing.Graph(one, library, 2.2)).worst() for one in (module, fast)
    )
    bench.check(
        f"one that misses it has gates: {dict(kinds)}, slack {before:.2f} to {after:.2f} ns",
        kinds["FAX1"] < bits and before < 0 and after > before + 0.3,
    )
    again = fit.fit(module, library, 2.2, 0.2)[0]
    bench.check("the repair is repeatable", again == fast)
    both = beside(chain(40), module)
    made = fit.fit(both, library, 2.6, 0.2)[0]
    (long_before, short_before), (long_after, short_after) = (
        [min(map(times.slack, one["ports"][name]["bits"])) for name in ("sum_o", "second_sum_o")]
        for one in (both, made)
        for times in [timing.Timing(timing.Graph(one, library, 2.6))]
    )
    bench.check(
        f"beside a chain that cannot meet the clock, {long_before:.2f} to {long_after:.2f} ns, another one is repaired: "
        f"{short_before:.2f} to {short_after:.2f} ns",
        long_before < long_after < short_before < 0 <= short_after,
    )
    draw, wrong = random.Random(1), 0
    for _ in range(200):
        a, b, carry = draw.getrandbits(bits), draw.getrandbits(bits), draw.getrandbits(1)
        inputs = {10 + n: bool(a >> n & 1) for n in range(bits)}
        inputs |= {100 + n: bool(b >> n & 1) for n in range(bits)} | {300: bool(carry)}
        wrong += evaluated(fast, library, inputs) != a + b + carry
    bench.check(f"the sums are right, but for {wrong} of 200", wrong == 0)
    for inverted in ((), ("s",), ("k",), ("s", "k")):
        for inputs in (2, 3):
            adder = liberty.Adder("x", tuple("abc"[:inputs]), "s", "k", inverted)
            found = split_values(adder, library)
            ones = [bin(row).count("1") for row in range(1 << inputs)]
            good = [
                ((n % 2 == 1) != ("s" in inverted), (n >= 2) != ("k" in inverted)) for n in ones
            ]
            bench.check(f"the gates of {adder}: {found}", found == good)


def split_values(adder: liberty.Adder, library: liberty.Library) -> list[tuple[bool, bool]]:
    """(sum, carry) of an adder's split, over all inputs."""
    splitter = splits.Splitter(timing.Graph(chain(1), library, 1.0))
    roles = dict.fromkeys((*adder.inputs, "sum", "carry"), 0)
    found = []
    for row in range(1 << len(adder.inputs)):
        nets = {name: bool(row >> place & 1) for place, name in enumerate(adder.inputs)}
        for function, inputs, out in splitter.steps(adder, roles):
            ports = dict(zip("ab", (nets[one] for one in inputs)))
            nets[out] = functions.evaluator(splits.FUNCTIONS[function])(ports)
        found.append((nets["sum"], nets["carry"]))
    return found


def test_assignments(bench: Bench, folder: Path) -> None:
    path = folder / "assign.v"
    path.write_text(
        "  assign { a, b[2:1] } = 3'b011;\n  assign { c[1], d } = { c[0], 1'h0 };\n"
        "  assign { e, f[1:0] } = { g[5], 2'd2 };\n  assign h = i;\n"
        "  input [2:1] j;\n  assign { k, l[1:0] } = { 1'h0, j };\n"
    )
    runs.split_assignments(path)
    found = [line.strip("; ").removeprefix("assign ") for line in path.read_text().splitlines()]
    bench.check(
        "assignments of several bits become one a bit",
        found
        == [
            "a = 1'b0",
            "b[2] = 1'b1",
            "b[1] = 1'b1",
            "c[1] = c[0]",
            "d = 1'h0",
            "e = g[5]",
            "f[1] = 1'b1",
            "f[0] = 1'b0",
            "h = i",
            "input [2:1] j",
            "k = 1'h0",
            "l[1] = j[2]",
            "l[0] = j[1]",
        ],
    )
    path.write_text("  assign { a, b } = { c[2:1], d };\n")
    bench.raises(
        "sides of other widths",
        RejectedNetlist,
        "3 bits to 2",
        lambda: runs.split_assignments(path),
    )


def test_bad_sources(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    for name, words in (("latch", "assert|dlatch"), ("undriven", "nothing drives missing")):
        design = runs.Design(f"fp8mac_flow_{name}")
        for attempt in ("", " again"):
            try:
                flow.run(design, 6.0, recipe.EFFORTS[0], 1)
                bench.check(f"{name}{attempt} is refused", False)
            except FlowError as error:
                bench.check(f"{name}{attempt} is refused: {error}", re.search(words, str(error)))
                bench.check(f"{name}{attempt}: the log is there", error.log and error.log.exists())
    bench.raises(
        "an unknown parameter",
        FlowError,
        "no parameter DEPTH",
        lambda: flow.run(replace(GOOD, parameters=(("DEPTH", 1),)), 6.0, recipe.EFFORTS[0], 1),
    )
    stale = folder / "stale"
    stale.mkdir()
    (stale / "old.json").write_text("{}")
    (stale / "bad.ys").write_text("read_json missing.json\n")
    bench.raises(
        "an old product of a failed run",
        FlowError,
        "missing.json",
        lambda: yosys.run(stale, "bad", ("old.json",)),
    )
    bench.check("the old product is gone", not (stale / "old.json").exists())
    (stale / "idle.ys").write_text("log nothing\n")
    bench.raises(
        "a run without its product",
        FlowError,
        "without old.json",
        lambda: yosys.run(stale, "idle", ("old.json",)),
    )


# ---- netlists that must not be quoted --------------------------------------------------------------------------------


def first_cell(module: dict, kind: str) -> dict:
    return next(cell for cell in module["cells"].values() if cell["type"] == kind)


def faults() -> dict[str, tuple]:
    """Name to (edit of the top module's JSON, words of the reason)."""

    def gate(m: dict) -> None:
        first_cell(m, "FAX1").update(type="$_AND_")

    def latch(m: dict) -> None:
        cell = first_cell(m, "DFFPOSX1")
        cell["type"] = "LATCH"

    def tristate(m: dict) -> None:
        m["cells"]["t"] = {"type": "TBUFX1", "connections": {"A": ["0"], "EN": ["0"], "Y": [99999]}}

    def unknown(m: dict) -> None:
        first_cell(m, "FAX1")["connections"]["A"] = ["x"]

    def open_input(m: dict) -> None:
        first_cell(m, "FAX1")["connections"]["A"] = []

    def undriven(m: dict) -> None:
        first_cell(m, "FAX1")["connections"]["A"] = [99999]

    def open_output(m: dict) -> None:
        m["ports"]["sum_o"]["bits"][0] = 99999

    def twice(m: dict) -> None:
        cell = first_cell(m, "FAX1")
        cell["connections"]["YS"] = cell["connections"]["YC"]

    def loop(m: dict) -> None:
        cell = first_cell(m, "FAX1")
        cell["connections"]["A"] = cell["connections"]["YC"]

    def gated(m: dict) -> None:
        first_cell(m, "DFFPOSX1")["connections"]["CLK"] = m["ports"]["a_i"]["bits"][:1]

    return {
        "an unmapped cell": (gate, r"\$_AND_.*not in the library"),
        "a latch": (latch, "latch"),
        "a tri-state": (tristate, "not to be used"),
        "an x": (unknown, "is x"),
        "an open input": (open_input, "not connected"),
        "an undriven input": (undriven, "no driver"),
        "an undriven output": (open_output, "no driver"),
        "two drivers": (twice, "two drivers"),
        "a loop": (loop, "closes on itself"),
        "a gated clock": (gated, "not run on the clock"),
    }


def test_rejections(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    good = Path(flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1).netlist)
    data = json.loads((good / "netlist.json").read_text())

    def check(edited: dict) -> None:
        path = folder / "edited.json"
        path.write_text(json.dumps(edited))
        Netlist.read(path, GOOD.top, flow.library).check()

    check(data)
    bench.check("the netlist as it is passes", True)
    for name, (edit, words) in faults().items():
        edited = copy.deepcopy(data)
        edit(edited["modules"][GOOD.top])
        bench.raises(name, RejectedNetlist, words, lambda: check(edited))
    stat = json.loads((good / "stat.json").read_text())
    stat["design"]["area"] = float(stat["design"]["area"]) + 16
    (folder / "stat.json").write_text(json.dumps(stat))
    bench.raises(
        "another area than Yosys's",
        RejectedNetlist,
        "but stat -liberty says",
        lambda: runs.check_area(flow.read_netlist(good, GOOD), folder / "stat.json"),
    )


def test_timer(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    good = Path(flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1).netlist)
    for name, old, new in (
        ("a netlist that is not Verilog", "endmodule", "endmodule {"),
        ("an empty netlist", "module fp8mac_flow_good", "module other"),
    ):
        work = folder / name.replace(" ", "_")
        shutil.copytree(good, work)
        for name_of_file, text in flow.library.originals().items():
            (work / name_of_file).write_text(text)
        bench.check("the netlist as it is has its slack", abs(sta.run(work).slack_ns - 0) < 6)
        text = (work / "netlist.v").read_text()
        (work / "netlist.v").write_text(text.replace(old, new))
        bench.raises(name, FlowError, "OpenSTA", lambda: sta.run(work))
