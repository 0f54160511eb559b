# SPDX-License-Identifier: Apache-2.0
"""The synthesis flow: what it must reject is rejected, what is there is reused, wrong requests get a clear sentence.

    test_flow.py FOLDER    works in FOLDER, which is emptied first
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import re
import shutil
import sys
import traceback
import xml.etree.ElementTree
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "synth"))

import configs  # noqa: E402
from flow import breakdown, cli, liberty, plot, points, recipe, runs, sources, sta, yosys  # noqa: E402
from flow.cache import Cache  # noqa: E402
from flow.errors import FlowError, RejectedNetlist, UsageError  # noqa: E402
from flow.netlist import Netlist  # noqa: E402

OSU018 = configs.LIBRARIES["osu018"][0]
GOOD = runs.Design("fp8mac_flow_good", (("WIDTH", 4),))
TINY = r"""
/* names that say nothing, functions in several spellings */
library (tiny) {
  time_unit : "1ps"; capacitive_load_unit (1, ff);
  cell (p) { area : 3.5; pin (x) { direction : input; } pin (y) { direction : input; } pin (z) { direction : input; }
    pin (u) { direction : output; function : "x ^ y ^ z"; }
    pin (v) { direction : output; function : "x*y + z*(x+y)"; } }
  cell (q) { area : 2; pin (x) { direction : input; } pin (y) { direction : input; }
    pin (u) { direction : output; function : "(x' y) | (x y')"; }
    pin (v) { direction : output; function : "!(x' + y')"; } }
  cell (big) { area : 9; pin (x) { direction : input; } pin (u) { direction : output; function : "x"; } }
  cell (small) { area : 1; pin (x) { direction : input; } pin (u) { direction : output; function : "(x')'"; } }
  cell (hold) { area : 5; latch (i, n) { enable : "g"; data_in : "d"; } pin (d) { direction : input; }
    pin (g) { direction : input; } pin (u) { direction : output; function : "i"; } }
  cell (reset) { area : 6; ff (i, n) { clocked_on : "c"; next_state : "d"; clear : "r'"; }
    pin (d) { direction : input; }
    pin (c) { direction : input; } pin (u) { direction : output; function : "i"; } }
  cell (edge) { area : 7; ff (i, n) { clocked_on : "c"; next_state : "d"; }
    pin (d) { direction : input; capacitance : 4; timing () { related_pin : "c"; timing_type : setup_rising;
      rise_constraint (t) { values ("100, 110, 900", "1, 2, 3"); } } }
    pin (c) { direction : input; }
    pin (u) { direction : output; function : "i";
      timing () { related_pin : "c"; cell_rise (t) { values ("70, 80", \
        "90, 99"); } cell_fall (t) { values ("75, 80", "90, 99"); } } } }
}
"""


class Bench:
    """Counts checks; a failed one is said and the rest goes on."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, name: str, good: object) -> None:
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {name}")

    def raises(self, name: str, kind: type[Exception], words: str, work) -> None:
        """`work` raises `kind`, and its message matches `words`."""
        try:
            work()
        except kind as error:
            self.check(f"{name}: {error}", re.search(words, str(error)))
        else:
            self.check(f"{name}: nothing was raised", False)

    def run(self, test, *arguments) -> None:
        try:
            test(self, *arguments)
        except Exception:
            traceback.print_exc(file=sys.stdout)
            self.check(test.__name__, False)


# ---- Liberty --------------------------------------------------------------------------------------------------------

def test_liberty_by_function(bench: Bench, folder: Path) -> None:
    path = folder / "tiny.lib"
    path.write_text(TINY)
    library = liberty.Library(path)
    bench.check("full adder by function", library.adder(3) == liberty.Adder("p", ("x", "y", "z"), "u", "v"))
    bench.check("half adder by function", library.adder(2) == liberty.Adder("q", ("x", "y"), "u", "v"))
    bench.check("smallest buffer", library.buffer().name == "small")
    register = library.flip_flop()
    bench.check("plain flip-flop, not the smaller one with a reset", register.cell == "edge")
    bench.check("units", abs(register.clock_to_output - 0.075) < 1e-9 and abs(register.setup - 0.11) < 1e-9
                and abs(register.data_capacitance - 0.004) < 1e-9)
    bench.check("a latch is not usable", library.unusable() == ["hold"])
    table = [liberty.evaluator("!A B + C ^ D'")(dict(zip("ABCD", map(bool, map(int, f"{i:04b}"))))) for i in range(16)]
    expected = [bool(((not a) and b) or (c != (not d))) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]
    bench.check("precedence of operators", table == expected)


def test_liberty_osu018(bench: Bench) -> None:
    library = liberty.Library(OSU018)
    bench.check("OSU018 adders", (library.adder(3).cell, library.adder(2).cell) == ("FAX1", "HAX1"))
    bench.check("OSU018 flip-flop", library.flip_flop().cell == "DFFPOSX1")
    bench.check("OSU018 area", library.cells["FAX1"].area == 120 and library.cells["OAI21X1"].area == 23)
    bench.check("OSU018 not usable", library.unusable() == ["LATCH", "TBUFX1", "TBUFX2"])


def test_liberty_errors(bench: Bench, folder: Path) -> None:
    bench.raises("a missing Liberty file", UsageError, "cannot be read .*LIB=path.lib",
                 lambda: liberty.Library(folder / "none.lib"))
    for text, words in (("module x; endmodule", "not Liberty"), ("library (x) {", "not Liberty"),
                        ("library (x) { }", "no cells")):
        path = folder / "bad.lib"
        path.write_text(text)
        bench.raises(f"Liberty text {text!r}", UsageError, words, lambda: liberty.Library(path))
    path = folder / "noff.lib"
    path.write_text(TINY.replace("cell (edge) { area : 7; ff", "cell (edge) { area : 7; latch"))
    bench.raises("a library without a flip-flop", UsageError, "no plain rising-edge flip-flop",
                 lambda: liberty.Library(path).flip_flop())


# ---- sources and shuffling ------------------------------------------------------------------------------------------

def test_sources(bench: Bench, folder: Path) -> None:
    rtl = folder / "sources"
    rtl.mkdir()
    texts = {"a": "module fp8mac_a; import fp8mac_x_pkg::*; fp8mac_b u(); // fp8mac_d\nendmodule",
             "b": "module fp8mac_b; fp8mac_c u(); endmodule", "c": "module fp8mac_c; endmodule",
             "d": "module fp8mac_d; endmodule", "x_pkg": "package fp8mac_x_pkg; endpackage"}
    for name, text in texts.items():
        (rtl / f"fp8mac_{name}.sv").write_text(text)
    files = sources.index([rtl, folder / "missing"])

    def names(*boxes: str) -> list[str]:
        return [path.stem[len("fp8mac_"):] for path in sources.closure("fp8mac_a", files, boxes)]

    bench.check("packages first, comments not followed", names() == ["x_pkg", "c", "b", "a"])
    bench.check("nothing below a black box", names("fp8mac_b") == ["x_pkg", "b", "a"])
    bench.raises("an unknown module", FlowError, "no module fp8mac_z", lambda: sources.closure("fp8mac_z", files))


def test_shuffle(bench: Bench, front: Path) -> None:
    text = (front / "front.il").read_text()
    orders = [recipe.shuffle(text, seed) for seed in (1, 2, 2)]
    bench.check("a seed gives one order", orders[1] == orders[2])
    bench.check("seeds differ", len({text, *orders}) == 3)
    bench.check("nothing is lost", all(sorted(o.splitlines()) == sorted(text.splitlines()) for o in orders))


# ---- one synthesis --------------------------------------------------------------------------------------------------

def synthesiser(folder: Path, rtl: Path = HERE) -> runs.Synthesiser:
    return runs.Synthesiser(liberty.Library(OSU018), [rtl], Cache(folder / "cache"))


def test_synthesis(bench: Bench, flow: runs.Synthesiser) -> None:
    result = flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1)
    text = Path(result.netlist, "netlist.v").read_text()
    cells = re.findall(r"^  (\w+) \S+ +\($", text, re.M)
    bench.check("area is that of the cells in netlist.v",
                result.area == sum(flow.library.cells[cell].area for cell in cells if cell != "module"))
    bench.check("adder leaves are the library's, but for the one with a constant input", cells.count("FAX1") == 3)
    bench.check("13 flip-flops", cells.count("DFFPOSX1") == 13 and result.register_area == 13 * 96)
    bench.check("6 ns is met", 0 < result.slack_ns < 6)
    late = flow.run(GOOD, 0.5, recipe.EFFORTS[0], 1)
    bench.check("0.5 ns is not met", late.slack_ns < 0)
    bench.check("no point at 0.5 ns", not points.measure(flow, GOOD, 0.5).met)
    boxes = {"add": ("add",)}
    apart = flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1, hierarchy=True)
    areas = breakdown.by_box(flow.read_netlist(Path(apart.netlist), GOOD), boxes)
    bench.check("boxes sum up to the area", sum(areas.values()) == apart.area and areas["registers"] == 13 * 96)


def test_cache(bench: Bench, folder: Path) -> None:
    rtl = folder / "rtl"
    shutil.copytree(HERE, rtl, ignore=shutil.ignore_patterns("*.py", "*.mk", "__pycache__"))

    def made() -> bool:
        return synthesiser(folder / "fresh", rtl).run(GOOD, 6.0, recipe.EFFORTS[0], 1).made

    bench.check("made once, then found", (made(), made()) == (True, False))
    (rtl / "fp8mac_other.sv").write_text("module fp8mac_other; endmodule\n")
    bench.check("a file that the design does not use changes nothing", not made())
    source = rtl / "fp8mac_full_adder.sv"
    source.write_text(source.read_text().replace("Leaf", "leaf") + "// more\n")
    bench.check("a change below the top is seen", made())
    flow = synthesiser(folder / "fresh", rtl)
    bench.check("another period, seed or effort is another run",
                all(flow.run(GOOD, *rest).made for rest in ((7.0, recipe.EFFORTS[0], 1), (6.0, recipe.EFFORTS[0], 2),
                                                            (6.0, recipe.EFFORTS[-1], 1))))


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
    bench.raises("an unknown parameter", FlowError, "no parameter DEPTH",
                 lambda: flow.run(replace(GOOD, parameters=(("DEPTH", 1),)), 6.0, recipe.EFFORTS[0], 1))
    stale = folder / "stale"
    stale.mkdir()
    (stale / "old.json").write_text("{}")
    (stale / "bad.ys").write_text("read_json missing.json\n")
    bench.raises("an old product of a failed run", FlowError, "missing.json",
                 lambda: yosys.run(stale, "bad", ("old.json",)))
    bench.check("the old product is gone", not (stale / "old.json").exists())
    (stale / "idle.ys").write_text("log nothing\n")
    bench.raises("a run without its product", FlowError, "without old.json",
                 lambda: yosys.run(stale, "idle", ("old.json",)))


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

    return {"an unmapped cell": (gate, r"\$_AND_.*not in the library"), "a latch": (latch, "latch"),
            "a tri-state": (tristate, "not to be used"), "an x": (unknown, "is x"),
            "an open input": (open_input, "not connected"), "an undriven input": (undriven, "no driver"),
            "an undriven output": (open_output, "no driver"), "two drivers": (twice, "two drivers"),
            "a loop": (loop, "closes on itself"), "a gated clock": (gated, "not run on the clock")}


def test_rejections(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    good = Path(flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1).netlist)
    data = json.loads((good / "netlist.json").read_text())

    def check(edited: dict) -> None:
        path = folder / "edited.json"
        path.write_text(json.dumps(edited))
        Netlist.read(path, GOOD.top, flow.library).check(sta.CLOCK)

    check(data)
    bench.check("the netlist as it is passes", True)
    for name, (edit, words) in faults().items():
        edited = copy.deepcopy(data)
        edit(edited["modules"][GOOD.top])
        bench.raises(name, RejectedNetlist, words, lambda: check(edited))
    stat = json.loads((good / "stat.json").read_text())
    stat["design"]["area"] = float(stat["design"]["area"]) + 16
    (folder / "stat.json").write_text(json.dumps(stat))
    bench.raises("another area than Yosys's", RejectedNetlist, "but stat -liberty says",
                 lambda: runs.check_area(flow.read_netlist(good, GOOD), folder / "stat.json"))


def test_timer(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    good = Path(flow.run(GOOD, 6.0, recipe.EFFORTS[0], 1).netlist)
    for name, old, new in (("a netlist that is not Verilog", "endmodule", "endmodule {"),
                           ("an empty netlist", "module fp8mac_flow_good", "module other")):
        work = folder / name.replace(" ", "_")
        shutil.copytree(good, work)
        shutil.copy(OSU018, work / "library.lib")
        bench.check("the netlist as it is has its slack", abs(sta.run(work).slack_ns - 0) < 6)
        text = (work / "netlist.v").read_text()
        (work / "netlist.v").write_text(text.replace(old, new))
        bench.raises(name, FlowError, "OpenSTA", lambda: sta.run(work))


# ---- the median ------------------------------------------------------------------------------------------------------

class Pretend:
    """Answers runs from a table: (effort, seed) to (area, slack)."""

    def __init__(self, answers: dict[tuple[str, int], tuple[float, float]]):
        self.answers = answers

    def run(self, design, period, effort, seed, hierarchy=False) -> runs.Result:
        area, slack = self.answers[effort.name, seed]
        return runs.Result(effort.name, seed, area, 0.0, slack, "", 1, {}, {}, "")


def test_median(bench: Bench) -> None:
    efforts = (recipe.Effort("slow", ()), recipe.Effort("fast", ()))
    table = {("slow", s): (100.0 + s, 0.1) for s in range(1, 6)} | {("fast", s): (200.0 + s, 0.5) for s in range(1, 6)}

    def measure(changes: dict) -> points.Point:
        return points.measure(Pretend(table | changes), GOOD, 6.0, efforts, (1, 2, 3, 4, 5))

    bench.check("median of the first three", measure({}).chosen.area == 102)
    late = {("slow", 2): (1.0, -0.01)}
    bench.check("a variant that is late is not counted", [r.seed for r in measure(late).used] == [1, 3, 4])
    bench.check("it is reported", len(measure(late).tried) == 4)
    late = {("slow", s): (1.0, -0.01) for s in (1, 3, 5)}
    bench.check("too few in time: the next effort", measure(late).chosen.area == 202 and measure(late).met)
    late = {(e, s): (50.0 + s, -0.2 if e == "slow" else -0.1) for e in ("slow", "fast") for s in range(1, 6)}
    bench.check("none in time: not met, the fastest effort's median",
                not measure(late).met and measure(late).chosen.effort == "fast" and measure(late).chosen.area == 52)


# ---- requests --------------------------------------------------------------------------------------------------------

def test_requests(bench: Bench, folder: Path) -> None:
    junk = folder / "junk.lib"
    junk.write_text("hello\n")
    wrong = {"--lanes 3": r"LANES=3 .*1 2 4 8 16 32", "--acc fp8": "ACC=fp8 .*fp32 fp16 fixed",
             "--frac 0": "FRAC=0 .*1 to 64", "--frac many": "FRAC=many .*1 to 64",
             "--acc fixed --frac 13": "FRAC .*exact", "--formats e3m4": "FORMATS=e3m4 .*e4m3fn",
             "--formats ,": "FORMATS= .*all", "--period fast": "PERIOD=fast .*number", "--period -1": "PERIOD=-1",
             "--lib nowhere.lib": "LIB=nowhere.lib .*Liberty", f"--lib {junk}": "not Liberty",
             "--jobs 0": "JOBS=0 .*whole number", "--only zzz": "ONLY=zzz .*fp8_"}
    for words, pattern in wrong.items():
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            arguments = [word if word.startswith("--") else f"={word}" for word in words.split(" ")]
            joined = " ".join(arguments).replace(" =", "=").split(" ")
            status = cli.main([*joined, "--build", str(folder / "requests")])
        lines = said.getvalue().splitlines()
        bench.check(f"{words}: status {status}, {lines}",
                    status == 2 and len(lines) == 1 and re.search(pattern, lines[0]))
    options = cli.parser().parse_args(["--lanes=8", "--acc=fp16"])
    element = cli.own_element(options)
    bench.check("LANES=8 ACC=fp16", (element.lanes, element.accumulator, element.frac_bits, element.twin.lanes)
                == (8, "fp16", configs.FRAC_BITS["fp16"], 8))
    bench.check("nothing asked for is no element of one's own", cli.own_element(cli.parser().parse_args([])) is None)
    names = [element.name for element in configs.elements(True)]
    bench.check("names are unique", len(names) == len(set(names)))


def test_plots(bench: Bench) -> None:
    curves = [plot.Series("a & b", [(1, 1.2), (4, 1.1), (16, 1.0)], hollow=frozenset([4])),
              plot.Series("error", [(1, 1e-3), (16, 1e-6)], right=True)]
    pages = {"lines": plot.lines("t", "x", "y", curves, doubling=True, reference=1.0, right_name="e"),
             "bars": plot.bars("t", "y", [("INT8 x4", {"a": 3.0, "b": 0.0, "c": 1.0}), ("FP8 x4", {"a": 2.0})])}
    roots = {name: xml.etree.ElementTree.fromstring(text) for name, text in pages.items()}
    tag = "{http://www.w3.org/2000/svg}"
    bench.check("a marker a point", len(roots["lines"].findall(f"{tag}circle")) == 5)
    heights = [float(r.get("height")) for r in roots["bars"].findall(f"{tag}rect") if r.find(f"{tag}title") is not None]
    parts = [h for h in heights if h > 13]
    bench.check("bars are as high as their values", len(parts) == 3 and abs(parts[0] / parts[1] - 3) < 0.02)


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(HERE.parents[1])
    bench = Bench()
    flow = synthesiser(folder)
    bench.run(test_liberty_by_function, folder)
    bench.run(test_liberty_osu018)
    bench.run(test_liberty_errors, folder)
    bench.run(test_sources, folder)
    bench.run(test_synthesis, flow)
    bench.run(test_shuffle, flow.front(GOOD)[0])
    bench.run(test_cache, folder)
    bench.run(test_bad_sources, folder, flow)
    bench.run(test_rejections, folder, flow)
    bench.run(test_timer, folder, flow)
    bench.run(test_median)
    bench.run(test_requests, folder)
    bench.run(test_plots)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed else 0


sys.exit(main())
