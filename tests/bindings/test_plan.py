# SPDX-License-Identifier: Apache-2.0
"""`fp8mac plan`: its figures are those of `fp8mac cycles`, its areas those of the synthesised accelerators, its fronts those of
the definition; every refusal; and a plan that was broken off goes on."""

import csv
import html
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAN = ROOT / "model/plan"
MEASURED = json.loads((ROOT / "synth/results/accel_shapes.json").read_text())["measured"]
AREAS = json.loads((PLAN / "fp8mac_plan/areas.json").read_text())
NETWORKS = {
    "wide": "layer,m,n,k,count\none,64,64,64,3\ntwo,128,48,96,1\n",
    "thin": "m,n,k\n1,256,64\n",
}
SWEEP = """[sweep]
rows = [2, 4]
lanes = [8, 16]
axi = [64, 128]

[[configuration]]
rows = 8
lanes = 4

[[configuration]]
element = "int8"
"""


class Plan:
    def __init__(self, bench, build, folder):
        self.bench, self.folder = bench, folder
        self.tool = (build / "model/fp8mac").resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in NETWORKS.items():
            (folder / f"{name}.csv").write_text(text)
        self.networks = [folder / f"{name}.csv" for name in NETWORKS]

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def run(self, *arguments, tool=None, **more):
        command = [tool or self.tool, "plan", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **more)

    def results(self, out, sweep=SWEEP, *more):
        done = self.run(*self.networks, "--sweep", self.file("s.toml", sweep), "-o", out, *more)
        assert done.returncode == 0, done.stderr
        return list(csv.DictReader(io.StringIO((out / "results.csv").read_text())))

    def refused(self, sentence, *arguments, **more):
        done = self.run(*arguments, **more)
        got = (done.returncode, done.stdout, done.stderr.count("\n"), sentence in done.stderr)
        self.bench.check("refusals", got, (2, "", 1, True), f"{arguments}: {done.stderr.strip()!r}")


@pytest.fixture
def plan(bench, build, folder):
    shutil.rmtree(folder, ignore_errors=True)
    return Plan(bench, build, folder)


def wanted(plan, row, network):
    """Cycles, products and bytes of a network, by the tool itself"""
    names = ("rows", "cols", "lanes", "element", "axi")
    options = [f"--{name}={row[name]}" for name in names]
    said = subprocess.run(
        [plan.tool, "cycles", *options, network], capture_output=True, text=True, check=True
    )
    layers = list(csv.DictReader(io.StringIO(said.stdout)))
    each = lambda *keys: sum(int(l["count"]) * sum(int(l[key]) for key in keys) for l in layers)
    macs = sum(int(l["count"]) * int(l["m"]) * int(l["n"]) * int(l["k"]) for l in layers)
    return each("cycles"), macs, each("bytes_read", "bytes_written")


def test_figures(plan, bench):
    rows = plan.results(plan.folder / "out")
    shapes = [tuple(row[n] for n in ("rows", "cols", "lanes", "element", "axi")) for row in rows]
    crossed = [
        (r, "4", l, "block", a) for r in ("2", "4") for l in ("8", "16") for a in ("64", "128")
    ]
    singles = [("8", "4", "4", "block", "128"), ("4", "4", "16", "int8", "128")]
    bench.check("configurations", shapes, [*crossed, *singles])
    for row in rows:
        for network in plan.networks:
            name = network.stem
            cycles, macs, moved = wanted(plan, row, network)
            got = (int(row[f"{name} cycles"]), int(row[f"{name} bytes"]))
            bench.check("cycles and bytes", got, (cycles, moved))
            peak = int(row["rows"]) * int(row["cols"]) * int(row["lanes"])
            error = abs(float(row[f"{name} utilisation"]) - macs / cycles / peak)
            bench.check("utilisation", error < 1e-4, True)


def dominated(one, others):
    return any(other != one and other[0] <= one[0] and other[1] <= one[1] for other in others)


def test_front(plan, bench):
    rows = plan.results(plan.folder / "out")
    text = html.unescape((plan.folder / "out/plan.html").read_text())
    for name in NETWORKS:
        section = text.split(f"<h2>{name}</h2>")[1].split("</table>")[0]
        shown = re.findall(r"<tr><td>([^<]+)<td>[^<]+<td>[^<]+<td>[^<]+<td>([\d,.]+)", section)
        points = {(float(r["area_mm2"]), int(r[f"{name} cycles"])) for r in rows}
        front = sorted(cycles for area, cycles in points if not dominated((area, cycles), points))
        got = sorted(int(cycles.replace(",", "")) for _, cycles in shown)
        bench.check("the front by its definition", got, front)
    bench.check("a section for all networks", "<h2>All networks</h2>" in text, True)
    bench.check("a plot for each", text.count("<svg "), len(NETWORKS) + 1)


def test_areas_of_files(bench):
    """The areas and bits of results.csv and memories.csv are those of today's formulas: else `make plan-areas`."""
    sys.path.insert(0, str(PLAN))
    import areas

    for path, columns, fields in areas.FILES:
        text = areas.text(path, columns, fields)
        bench.check("areas are up to date", text == path.read_text(), True, path.name)


def test_swept_memories_end(bench, folder):
    """A tool that a signal ends leaves out no row: the sweep ends."""
    folder.mkdir(parents=True, exist_ok=True)
    tool = folder / "dies"
    tool.write_text("#!/bin/sh\nkill -TERM $$\n")
    tool.chmod(0o755)
    command = [
        sys.executable,
        "-B",
        PLAN / "memories.py",
        "--tool",
        tool,
        "--out",
        folder / "m.csv",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    bench.check(
        "a sweep ends", (done.returncode != 0, "signal 15 ended" in done.stderr), (True, True)
    )


def test_swept_memories(bench, plan):
    """memories.csv: some of its lines again, by the tool itself. A change of the accelerator that moves cycles by more than
    half a percent makes the file old: `make plan-memories plan-report synth-report`. One that moves bits alone:
    `make plan-areas plan-report synth-report`."""
    with (PLAN / "memories.csv").open() as file:
        rows = list(csv.DictReader(file))
    kinds = {"FP8": (), "INT8": ("--element=int8", "--requantise"), "default": ()}
    bench.check("accelerators", {row["accelerator"] for row in rows}, set(kinds))
    sys.path.insert(0, str(PLAN))
    import memories

    products = memories.gemms()
    lines = "".join(f"{','.join(one)}\n" for one in products)

    def each(*options):
        command = [plan.tool, "cycles", *options, "-"]
        said = subprocess.run(
            command, input=f"m,n,k\n{lines}", capture_output=True, text=True, check=True
        )
        return [int(one["cycles"]) for one in csv.DictReader(io.StringIO(said.stdout))]

    usual = each()
    for row in rows[:: len(rows) // 11]:
        names = ("rows", "cols", "lanes", "buf_beats", "tiles", "max_mn")
        its = [f"--{name.replace('_', '-')}={row[name]}" for name in names]
        found = each(*its, *kinds[row["accelerator"]])
        product = 1.0
        for one, other in zip(found, usual, strict=True):
            product *= one / other
        error = abs(product ** (1 / len(products)) / float(row["mean at 0"]) - 1)
        bench.check(f"cycles of {its}", error < 5e-3, True, error)


def test_tables(bench, plan):
    """tables.csv is what the tool says. Else: `make plan-tables plan-report`"""
    sys.path.insert(0, str(PLAN))
    import tables

    with tables.OUT.open() as file:
        row = next(csv.DictReader(file))
    found = tables.row(plan.tool, int(row["latency"]))
    for name, got in zip(row, map(float, found), strict=True):
        error = abs(got - float(row[name])) / max(got, 1)
        bench.check(f"tables.csv, {name}", error < 5e-3, True, (got, row[name]))


def test_areas(bench, folder):
    """areas.json is what the results say, and its errors are those of accelerators that were left out"""
    folder.mkdir(parents=True, exist_ok=True)
    again = folder / "areas.json"
    subprocess.run(
        [sys.executable, "-B", "-m", "synth", "shape_areas", "--out", str(again)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    bench.check("areas.json is of these results", json.loads(again.read_text()), AREAS)
    bench.check("an error for each", len(AREAS["measured"]), len(MEASURED))
    # A requirement: the halves and doubles of a sweep must keep their order
    worst = max(abs(one["error"]) for one in AREAS["measured"])
    bench.check("the interpolation is of use", worst < 0.12, True, worst)


BAD_SWEEPS = (
    (
        "[sweep]\nrows = [3]\n",
        "3 x 4 x 16: rows is not possible; a power of two, 1 to 32 is expected",
    ),
    (
        "[sweep]\nrows = [2]\n\nrow = [1]\n",
        "s.toml:4: 'row' is not a parameter; choose from rows, cols",
    ),
    ("[sweep]\nlanes = 4\n", "s.toml:2: lanes is 4; a list of values is expected"),
    ('[sweep]\nlanes = ["x"]\n', "s.toml:2: lanes is 'x'; a whole number in 0..4294967295"),
    ("[sweep]\nlanes = [-1]\n", "s.toml:2: lanes is -1; a whole number"),
    ("[sweep]\nlanes = [true]\n", "s.toml:2: lanes is True; a whole number"),
    ('[sweep]\nelement = ["none"]\n', "there is no element 'none'; choose from"),
    ("[sweep]\nmacs = [9, 1]\nrows = [2]\n", "s.toml:2: macs is [9, 1]; the least and the most"),
    (
        '[sweep]\nimpossible = "no"\n',
        's.toml:2: impossible is \'no\'; "skip" or "stop" is expected',
    ),
    ("[swep]\nrows = [2]\n", "s.toml:1: 'swep' is no table; [sweep] and [[configuration]] are"),
    ("[configuration]\nrows = 2\n", "s.toml:1: a configuration is written [[configuration]]"),
    ("[[configuration]]\nrows = [2]\n", "s.toml:2: rows is [2]; a whole number"),
    ("[sweep\n", "s.toml: no TOML: "),
    ("", "s.toml: no configuration is named"),
    ('[sweep]\nrows = [3]\nimpossible = "skip"\n', "s.toml: no configuration is possible"),
)


def test_refusals(plan):
    thin, out = plan.networks[1], plan.folder / "out"
    for text, sentence in BAD_SWEEPS:
        plan.refused(sentence, thin, "--sweep", plan.file("s.toml", text), "-o", out)
    good = plan.file("good.toml", "[[configuration]]\n")
    bad = plan.file("bad.csv", "m,n,k\n1,2\n")
    plan.refused(
        "bad.csv:2:3: 3 columns are expected, and there are 2", bad, "--sweep", good, "-o", out
    )
    plan.refused("x.csv is no file", plan.folder / "x.csv", "--sweep", good, "-o", out)
    plan.refused("x.toml cannot be read", thin, "--sweep", plan.folder / "x.toml", "-o", out)
    plan.refused("two networks have the name thin", thin, thin, "--sweep", good, "-o", out)
    plan.refused("cannot be made", thin, "--sweep", good, "-o", thin / "folder")
    plan.refused("--jobs is 0; at least 1", thin, "--sweep", good, "-o", out, "--jobs", 0)
    plan.refused("the tool none is not there", thin, "--sweep", good, "-o", out, "--tool", "none")


def test_alone(plan, bench):
    """The tool without its program"""
    (plan.folder / "bin").mkdir()
    alone = shutil.copy(plan.tool, plan.folder / "bin/fp8mac")
    done = plan.run("x", tool=alone, env={"PATH": "/nowhere"})
    got = (done.returncode, "the program fp8mac-plan cannot be started" in done.stderr)
    bench.check("says what is missing", got, (2, True), done.stderr)


def test_left_out(plan, bench):
    sweep = '[sweep]\nrows = [2, 3]\nimpossible = "skip"\n'
    rows = plan.results(plan.folder / "out", sweep)
    bench.check("what is possible stays", [row["rows"] for row in rows], ["2"])


def test_goes_on(plan, bench):
    """Only what is missing runs again"""
    log = plan.folder / "log"
    spy = plan.file("spy", f'#!/bin/sh\necho run >> {log}\nexec {plan.tool} "$@"\n')
    spy.chmod(0o755)
    out, runs = plan.folder / "out", lambda: log.read_text().count("run")
    first = plan.results(out, SWEEP, "--tool", spy)
    every = runs()
    bench.check(
        "a look at each network, and a run for each configuration",
        every,
        len(NETWORKS) + len(first),
    )
    kept = (out / "runs.jsonl").read_text()
    (out / "runs.jsonl").write_text(kept[:-20])
    bench.check("the same results", plan.results(out, SWEEP, "--tool", spy), first)
    again = len(NETWORKS) + 1
    bench.check("the last one runs again", runs(), every + again)


SHIPPED = ("dscnn_s", "bert_base", "tinyllama_decode_1")


def test_shipped(plan, bench):
    """docs/PLAN.md is made of results.csv, whose cycles are still those of the model"""
    sys.path.insert(0, str(PLAN))
    import report

    with report.RESULTS.open() as file:
        rows = list(csv.DictReader(file))
    made = report.page([report.Row(row) for row in rows])
    bench.check("docs/PLAN.md, see make plan-report", report.PAGE.read_text() == made, True)
    bench.check("configurations", len(rows) >= 500, True)
    usual = {"rows": "4", "cols": "4", "lanes": "16", "axi": "128", "buf_beats": "256"}
    others = [{}, {"rows": "8", "cols": "2"}, {"axi": "64", "buf_beats": "64", "lanes": "8"}]
    for change in others:
        chosen = {**usual, **change, "element": "block", "tiles": "256", "max_mn": "128"}
        (row,) = (r for r in rows if all(r[key] == value for key, value in chosen.items()))
        options = [f"--{key.replace('_', '-')}={value}" for key, value in chosen.items()]
        for name in SHIPPED:
            path = PLAN / f"networks/{name}.csv"
            said = subprocess.run(
                [plan.tool, "cycles", *options, path], capture_output=True, text=True, check=True
            )
            layers = csv.DictReader(io.StringIO(said.stdout))
            cycles = sum(int(layer["count"]) * int(layer["cycles"]) for layer in layers)
            bench.check(f"{name}: cycles", int(row[f"{name} cycles"]), cycles)
