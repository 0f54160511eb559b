# SPDX-License-Identifier: Apache-2.0
"""The study's measurements without synthesis: medians, curves, requests and plots. They share a test with test_flow.py."""

from __future__ import annotations

import contextlib
import io
import json
import re
import xml.etree.ElementTree
from dataclasses import replace
from pathlib import Path

from test_flow import GOOD, HERE, NEST, OSU018, entry

from rtl.catalogue import rules
from synth.flow import (
    liberty,
    points,
    recipe,
    runs,
)
from synth.study import cli, plot, records, run, table
from synth.study.elements import FEED, KINDS, array
from tests.conftest import Bench

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
    table = {("slow", s): (100.0 + s, 0.1) for s in range(1, 6)} | {
        ("fast", s): (200.0 + s, 0.5) for s in range(1, 6)
    }

    def measure(changes: dict) -> points.Point:
        return points.measure(Pretend(table | changes), GOOD, 6.0, efforts, (1, 2, 3, 4, 5))

    bench.check("median of the first three", measure({}).chosen.area == 102)
    missed = {("slow", 2): (1.0, -0.01)}
    bench.check(
        "a variant that misses the clock is not counted",
        [r.seed for r in measure(missed).used] == [1, 3, 4],
    )
    bench.check("it is reported", len(measure(missed).tried) == 5)
    bench.check(
        "the smallest effort that meets the clock",
        measure({("fast", s): (90.0 + s, 0.5) for s in range(1, 6)}).chosen.area == 92,
    )
    missed = {("slow", s): (1.0, -0.01) for s in (1, 3, 5)}
    bench.check(
        "too few meet the clock: the next effort",
        measure(missed).chosen.area == 202 and measure(missed).met,
    )
    missed = {
        (e, s): (50.0 + s, -0.2 if e == "slow" else -0.1)
        for e in ("slow", "fast")
        for s in range(1, 6)
    }
    bench.check(
        "none meets the clock: not met, the fastest effort's median",
        not measure(missed).met
        and measure(missed).chosen.effort == "fast"
        and measure(missed).chosen.area == 52,
    )


class Slower:
    """Netlists whose paths take a time that depends on the effort; counts what is run."""

    def __init__(self, **delays: float):
        self.delays = delays
        self.runs: list[tuple[float, str]] = []

    def run(self, design, period, effort, seed, hierarchy=False) -> runs.Result:
        self.runs.append((period, effort.name))
        return runs.Result(
            effort.name,
            seed,
            100.0 + seed,
            0.0,
            period - self.delays[effort.name],
            "",
            1,
            {},
            {},
            "",
        )


def test_curve(bench: Bench) -> None:
    efforts = (
        recipe.Effort("slow", ()),
        recipe.Effort("fast", ()),
        recipe.Effort("clock", ("map -D {target}",)),
    )
    flow = Slower(slow=5.5, fast=4.5, clock=3.6)
    curve = points.curve(flow, GOOD, (3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 3.7), efforts)
    bench.check(
        "what is met",
        {period: point.met for period, point in curve.items()}
        == {8: True, 7: True, 6: True, 5: True, 4: True, 3.7: True, 3: False},
    )
    ran = [
        [effort for period, effort in flow.runs if period == wanted]
        for wanted in (8, 7, 6, 5, 4, 3.7, 3)
    ]
    bench.check(
        "a netlist that is fast enough is taken over",
        ran[:3] == [["slow", "fast"] + ["slow"] * 2, [], []],
    )
    bench.check(
        "with its slack",
        abs(curve[6.0].chosen.slack_ns - 0.5) < 1e-9 and curve[6.0].chosen.seed == 2,
    )
    bench.check("the next effort where it is not", ran[3] == ["slow"] + ["fast"] * 3)
    bench.check("those that know the period come last", ran[4] == ["slow", "fast"] + ["clock"] * 3)
    bench.check(
        "a mapping that knows its period is not taken over, slower ones are not tried",
        ran[5] == ["clock"] * 3,
    )
    bench.check(
        "a missed period tries all that is left",
        set(ran[6]) == {"clock"} and curve[3.0].chosen.slack_ns < -0.5,
    )
    flow = Slower(slow=5.5, fast=4.5, clock=4.4)
    curve = points.curve(flow, GOOD, (4.0, 3.0, 2.0), efforts)
    ran = [[effort for period, effort in flow.runs if period == wanted] for wanted in (4, 3, 2)]
    bench.check(
        "below a missed period one run says by how much",
        ran[1:] == [["clock"], ["clock"]]
        and not curve[2.0].met
        and abs(curve[2.0].chosen.slack_ns + 2.4) < 1e-9,
    )


def test_study(bench: Bench, folder: Path) -> None:
    """From entries to files: one that stands for an array of black boxes, and its baseline, at two periods."""
    baseline = entry("small", replace(GOOD, parameters=(("WIDTH", 2),)), "baseline")
    element = entry("good", GOOD, "main", baseline=baseline, target=1.0)
    boxed = entry("boxed", NEST, "array", baseline=baseline, parts=(("fp8mac_flow_good", element),))
    # Two netlists of each point and two efforts: test_median has the rest of the choice.
    made = run.Plan(
        (element, boxed),
        {"osu018": liberty.Library(OSU018)},
        (6.0, 0.5),
        True,
        variants=2,
        efforts=recipe.EFFORTS[:2],
    )
    (folder / "study/synth").mkdir(parents=True)
    (folder / "study/synth/cache").symlink_to(folder / "cache")
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet):
        status = run.Study(made, folder / "study", [HERE], 2, None).run()
    area = folder / "study/synth/area.json"
    found = {(one["name"], one["period_ns"]): one for one in records.read(area)}
    bench.check(
        f"a record for each entry and period: {quiet.getvalue()}", status == 0 and len(found) == 4
    )
    good, missed, whole = found["good", 6.0], found["good", 0.5], found["boxed", 6.0]
    bench.check(
        "the clock is met or not",
        good["timing_met"] and not missed["timing_met"] and not missed["met"],
    )
    bench.check(
        "ratio to the baseline",
        abs(good["ratio"] - good["area"] / good["baseline_area"]) < 1e-4 < good["ratio"] - 1,
    )
    bench.check("black boxes count with their areas", whole["area"] == 3 * 96 + 2 * good["area"])
    tools = json.loads(area.read_text())["run"]["tools"]
    bench.check("the tools are named", tools["yosys"].startswith("Yosys") and tools["sta"])
    drawn = markers((folder / "study/synth/period.svg").read_text())
    bench.check(
        "the missed period is drawn hollow, on both sides",
        sum(count for name, count in drawn.items() if name.endswith("-hollow")) == 2,
    )
    page = (folder / "study/synth/area.md").read_text()
    boxed_line = f"| `boxed` | {2 * good['area']:,.0f} | 0 | 0 | 288 | {whole['area']:,.0f} |"
    bench.check(
        "the page has its tables",
        all(
            words in page
            for words in ("| `good` |", "misses by", "## By box", "## Array", boxed_line)
        ),
    )
    broken = replace(
        made, entries=(replace(element, design=replace(GOOD, parameters=(("DEPTH", 1),))), boxed)
    )
    with contextlib.redirect_stdout(quiet):
        status = run.Study(broken, folder / "study", [HERE], 1, None).run()
    bench.check(
        "a failure is reported, and so are the other entries",
        status == 1
        and {one["name"] for one in records.read(area)} == {"boxed"}
        and "no parameter DEPTH" in quiet.getvalue(),
    )


# ---- requests --------------------------------------------------------------------------------------------------------

WRONG = {
    "--element late_fp8": r"ELEMENT=late_fp8 .*exact .*aligned_fp32 .*late_fp16 .*static",
    "--lanes 4": "give ELEMENT too.*late_fp16",
    "--element late_fp32 --lanes 3": r"LANES=3 .*1 2 4 8 16 32",
    "--element late_fp32 --frac-bits 0": "FRAC_BITS=0 .*4 to 29",
    "--element static --frac-bits many": "FRAC_BITS=many .*4 to 29",
    "--element exact --frac-bits 13": "FRAC_BITS=13 .*no alignment window.*ELEMENT=late_fp32",
    "--element late_fp32 --lanes 1 --frac-bits 13": "FRAC_BITS=13 .*LANES=1 has no alignment window",
    "--element kulisch --formats e5m2": "FORMATS=e5m2 .*e4m3fn e4m3fnuz",
    "--element kulisch --formats e4m3fn": "FORMATS=e4m3fn .*built for e4m3fn,e4m3fnuz$",
    "--element late_fp32 --formats e5m2fnuz": "FORMATS=e5m2fnuz .*built for e4m3fn,e5m2,e4m3fnuz,e5m2fnuz or "
    "for e4m3fn,e4m3fnuz,e5m2fnuz or for one of e5m2 e4m3fn qc_e3m4 qc_e2m5$",
    "--element block --formats e4m3fn,e5m2": "FORMATS=.*all formats or for one of e5m2 e4m3fn qc_e3m4",
    "--element aligned --formats qc_e3m4": "FORMATS=qc_e3m4",
    "--element block --rows 4 --formats e5m2": "FORMATS .*ROWS",
    "--element late_fp32 --formats e4m3fn,e5m2": "FORMATS=e4m3fn,e5m2 .*built for .* or for",
    "--element aligned --formats e5m2": "FORMATS=e5m2 .*built for .* or for e4m3fn,e5m2 or for e4m3fn,e4m3fnuz$",
    "--element aligned --formats e4m3fn": "FORMATS=e4m3fn .*built for",
    "--element exact --formats e5m2": "FORMATS=e5m2 .*leave FORMATS out",
    "--element late_fp32 --formats e3m4": "FORMATS=e3m4 .*e4m3fn",
    "--element late_fp32 --formats ,": "FORMATS= .*all",
    "--element late_fp32 --rows 3": "ROWS=3 .*2 4 8",
    "--element late_fp32 --rows 4 --formats e4m3fn,e4m3fnuz,e5m2fnuz": "FORMATS .*ROWS",
    "--period ,": "PERIOD= is empty",
    "--period fast": "PERIOD=fast .*number",
    "--period -1": "PERIOD=-1",
    "--lib nowhere.lib": "LIB=nowhere.lib .*Liberty",
    "--lib ,": "LIB= is empty",
    "--dont-use no_such_cell*": r"DONT_USE: no cell .* matches no_such_cell\\*",
    "--period 6 --clock-fo4 60": "PERIOD or CLOCK_FO4",
    "--clock-fo4 fast": "CLOCK_FO4=fast .*number",
    "--efforts most": "EFFORTS=most .*area balanced",
    "--jobs 0": "JOBS=0 .*whole number",
    "--only zzz": "ONLY=zzz .*block_f19_l16",
}


def test_requests(bench: Bench, folder: Path) -> None:
    junk = folder / "junk.lib"
    junk.write_text("hello\n")
    for words, pattern in (WRONG | {f"--lib {junk}": "not Liberty"}).items():
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = cli.main(
                [
                    *words.replace(" --", "\n--").replace(" ", "=").split("\n"),
                    f"--build={folder}/requests",
                ]
            )
        lines = said.getvalue().splitlines()
        bench.check(
            f"{words}: status {status}, {lines}",
            status == 2 and len(lines) == 1 and re.search(pattern, lines[0]),
        )
    for words, (name, top, parameters) in ASKED.items():
        found = cli.own_entry(cli.parser().parse_args(words.split(" ")))
        made = dict(found.design.parameters)
        bench.check(
            f"{words}: {found.name}, {found.design}",
            (found.name, found.design.top) == (name, top) and made.items() >= parameters.items(),
        )
    shares = {
        (lanes, rows): rules.share(KINDS["block"], lanes, rows)
        for lanes in (1, 16, 32)
        for rows in (3, 16)
    }
    bench.check(
        f"elements that share an accumulate unit: {shares}",
        shares == {(1, 3): 3, (1, 16): 16, (16, 3): 1, (16, 16): 2, (32, 3): 1, (32, 16): 1},
    )
    whole = array("block", 16, 19, 4, 4)
    bench.check(
        "an array's units are modules of the chip, on both sides",
        [dict(one.parts)[one.parts[0][0]].design.top for one in (whole, whole.baseline)]
        == ["fp8mac_block_cluster", "fp8mac_int8_pipeline"]
        and set(whole.design.black_boxes) == {FEED, *(box for box, _ in whole.parts)},
    )
    bench.check("no variable, no element", cli.own_entry(cli.parser().parse_args([])) is None)
    names = [one.name for one in table.ENTRIES]
    bench.check("names are unique", len(names) == len(set(names)))
    spelling = re.compile(rf"(?:array_\d+x\d+_)?(?:{'|'.join(KINDS)})(?:_f\d+)?_l\d+")
    bench.check(
        "every element is spelled KIND_fF_lL",
        all(spelling.match(one.name) for one in table.ENTRIES if one.group != "feed"),
    )


# A request, and the name, the top module and some of the parameters that it gives.
ASKED = {
    "--element=late_fp32": ("late_fp32_f25_l4", "fp8mac_element_late", {"FRAC_BITS": 25}),
    "--element=late_fp16 --frac-bits=12 --lanes=8": (
        "late_fp16_f12_l8",
        "fp8mac_element_late",
        {"FRAC_BITS": 12, "ELEMENT": 6, "LANES": 8},
    ),
    "--element=late_fp16 --lanes=1": ("late_fp16_l1", "fp8mac_element_late", {"ELEMENT": 6}),
    "--element=aligned_fp32 --lanes=1": (
        "aligned_fp32_f25_l1",
        "fp8mac_element_aligned",
        {"FRAC_BITS": 25, "SCALE": 1},
    ),
    "--element=aligned_fp16 --formats=e4m3fnuz,e4m3fn": (
        "aligned_fp16_f13_l4_e4m3fn_e4m3fnuz",
        "fp8mac_element_aligned",
        {"EXP_W": 4, "HIDDEN_ONE": 0, "INF": 0},
    ),
    "--element=aligned_fp16 --formats=e4m3fn,e5m2": (
        "aligned_fp16_f13_l4_e4m3fn_e5m2",
        "fp8mac_element_aligned",
        {"EXP_W": 5, "SCALE": 0, "INF": 1},
    ),
    "--element=late --formats=e4m3fn,e4m3fnuz,e5m2fnuz": (
        "late_f25_l4_e4m3fn_e4m3fnuz_e5m2fnuz",
        "fp8mac_element_late",
        {"INF": 0},
    ),
    "--element=late_fp32 --lanes=1 --formats=qc_e2m5": (
        "late_fp32_l1_qc_e2m5",
        "fp8mac_element_late",
        {"INF": 0, "ELEMENT": 5},
    ),
    "--element=block --lanes=16 --formats=e5m2": (
        "block_f19_l16_e5m2",
        "fp8mac_element_block",
        {"ACC_FP16": 1},
    ),
    "--element=block --lanes=16 --formats=e4m3fn": (
        "block_f19_l16_e4m3fn",
        "fp8mac_element_block",
        {"INF": 0},
    ),
    "--element=static --frac-bits=25": (
        "static_f25_l4",
        "fp8mac_element_static",
        {"FRAC_BITS": 25, "ELEMENT": 7},
    ),
    "--element=block64 --lanes=16": (
        "block64_f19_l16",
        "fp8mac_element_block",
        {"BLOCK": 64, "SHARE": 4},
    ),
    "--element=block64 --lanes=16 --rows=4": (
        "array_4x4_block64_f19_l16",
        "fp8mac_array",
        {"ELEMENT": 11},
    ),
    "--element=kulisch": ("kulisch_l4", "fp8mac_element_static", {"INF": 0}),
    "--element=exact --lanes=16": ("exact_l16", "fp8mac_element_exact", {"LANES": 16}),
    "--element=block --lanes=16": (
        "block_f19_l16",
        "fp8mac_element_block",
        {"FRAC_BITS": 19, "SHARE": 2, "ACC_FP32": 1, "ACC_FP16": 1},
    ),
    "--element=int8 --lanes=32": ("int8_l32", "fp8mac_element_int8", {"TREE_REGISTER": 1}),
    "--element=exact --cols=8": ("array_4x8_exact_l4", "fp8mac_array", {"COLS": 8, "ELEMENT": 0}),
    "--element=int8 --cols=8": ("array_4x8_int8_l4", "fp8mac_array", {"COLS": 8, "ELEMENT": 4}),
    "--element=late_fp16 --rows=8": (
        "array_8x4_late_fp16_f13_l4",
        "fp8mac_array",
        {"ROWS": 8, "COLS": 4, "ELEMENT": 6, "FRAC_BITS": 13},
    ),
}


def markers(text: str) -> dict[str, int]:
    """The number of markers in each named group of a drawing."""
    tag = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.fromstring(text)
    return {
        g.get("id", ""): len(list(g.iter(f"{tag}use")))
        for g in root.iter(f"{tag}g")
        if "points-" in g.get("id", "")
    }


def test_plots(bench: Bench) -> None:
    curves = [
        plot.Series("a & b", [(1, 1.2), (4, 1.1), (16, 1.0)], hollow=frozenset([4])),
        plot.Series("error", [(1, 1e-3), (16, 1e-6)], right=True),
    ]
    pages = {
        "lines": plot.lines("t", "x", "y", curves, doubling=True, reference=1.0, right_name="e"),
        "bars": plot.bars(
            "t", "y", [("INT8 x4", {"a": 3.0, "b": 0.0, "c": 1.0}), ("FP8 x4", {"a": 2.0})]
        ),
    }
    roots = {name: xml.etree.ElementTree.fromstring(text) for name, text in pages.items()}
    tag = "{http://www.w3.org/2000/svg}"
    parts = {name: {g.get("id"): g for g in root.iter(f"{tag}g")} for name, root in roots.items()}
    marks = markers(pages["lines"])
    bench.check(
        "a marker a point, hollow where asked",
        [marks[f"points-{name}"] for name in ("0-full", "0-hollow", "1-full")] == [2, 1, 2],
    )

    def height(name: str) -> float:
        numbers = re.findall(
            r"[-0-9.]+ ([-0-9.]+)", parts["bars"][name].find(f"{tag}path").get("d")
        )
        return max(map(float, numbers)) - min(map(float, numbers))

    bench.check(
        "bars are as high as their values",
        abs(height("bar-0-0") / height("bar-0-1") - 3) < 0.02
        and abs(height("bar-0-0") / height("bar-1-0") - 1.5) < 0.02,
    )
    bench.check(
        "the same data give the same drawing",
        pages["lines"]
        == plot.lines("t", "x", "y", curves, doubling=True, reference=1.0, right_name="e"),
    )
    bench.check("names are escaped and stay text", "a &amp; b" in pages["lines"])
