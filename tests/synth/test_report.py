# SPDX-License-Identifier: Apache-2.0
"""The page synth/AREA.md and its plots are what the generator makes of synth/results; a changed result changes them; a
measurement's records take the place of older ones.

python -m tests.synth.test_report FOLDER    works in FOLDER, which is emptied first
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sys
from pathlib import Path

from synth.study import cli, pages, report, table
from synth.study.elements import needed
from synth.study.records import netlists_of
from tests.synth.bench import Bench

RESULTS, PAGE = Path("synth/results"), Path("synth/AREA.md")


def run(*arguments: str) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = report.main([*arguments])
    return status, said.getvalue()


def test_committed(bench: Bench, folder: Path) -> None:
    status, said = run(f"--out={folder}/same")
    bench.check(f"the report is written: {said}", status == 0)
    made = sorted(path for path in (folder / "same").rglob("*") if path.is_file())
    for path in made:
        committed = Path("synth") / path.relative_to(folder / "same")
        bench.check(
            f"{committed} is not what `make synth-report` writes",
            committed.is_file() and committed.read_text() == path.read_text(),
        )
    drawn = {path.name for path in made if path.suffix == ".svg"}
    bench.check(
        "no plot is left from before", drawn == {p.name for p in Path("synth/plots").glob("*")}
    )
    shown = set(re.findall(r"\(plots/([^)]+)\)", PAGE.read_text()))
    bench.check(f"the page shows every plot: {shown} of {drawn}", shown == drawn)


def test_tables(bench: Bench) -> None:
    """No table of figures is typed: outside the generated ones, a table's cell has no number with a separator or a
    point."""
    text = report.PLACE.sub("", report.TEMPLATE.read_text())
    cells = [line for line in text.splitlines() if line.startswith("|")]
    bench.check("the template has tables of words", len(cells) > 10)
    typed = [line for line in cells if re.search(r"\d[.,]\d", line)]
    bench.check(f"no figure is typed into a table: {typed}", not typed)
    known = {one.name for entry in table.ENTRIES for one in needed(entry)}
    records = json.loads((RESULTS / "area.json").read_text())["records"]
    names = {record["name"] for record in records}
    bench.check(f"every record is an entry of the table: {names - known}", names <= known)
    medians = {record["name"] for record in records if netlists_of(record) > 1}
    named = {
        record["name"]
        for record in records
        if record["group"] in ("main", "choice")
        and (
            record["kind"] == "block64"
            or (record["family"] in ("late", "aligned") and record["lanes"] == 16)
        )
    }
    bench.check(
        f"the page names the medians of several netlists: {medians ^ named}", medians == named
    )
    kits = json.loads((RESULTS / "pdk.json").read_text())["records"]
    bench.check("and none of another library", all(netlists_of(record) == 1 for record in kits))
    one, other = ({**records[0], "netlists": count} for count in (1, 5))
    bench.check(
        "a measurement's own page says it too",
        "A figure is one netlist" in pages.markdown([one], [one])
        and "the median of 5 re-synthesised netlists" in pages.markdown([other], [other]),
    )
    runs = json.loads((RESULTS / "area.json").read_text())["runs"]
    bench.check("every record says which run made it", all(r["run"] in runs for r in records))
    for one in runs.values():
        bench.check(
            f"{one['command']}: command, version, date and tools",
            one["command"].startswith("make ") and one["version"] and one["date"] and one["tools"],
        )


def test_command(bench: Bench) -> None:
    """A measurement says what was asked for, without what is private to a machine."""
    given = [
        "--variants=1",
        "--efforts=area level2",
        "--lib=/here/a.lib",
        "--only=_l1$",
        "--jobs=3",
    ]
    said = cli.command(cli.parser().parse_args(given))
    wanted = "make synth LIB= VARIANTS=1 EFFORTS='area level2' ONLY="
    bench.check(f"the command of a measurement: {said}", said == wanted)


def test_readme(bench: Bench) -> None:
    """README's comparison quotes ratios that the results have."""
    page = report.Page(RESULTS)
    text = Path("README.md").read_text()
    for words, names in (
        ("{} / {}, synthesised", ("late_fp16_l1", "late_fp32_l1")),
        (
            "{} with 13 fraction bits, {} with 19",
            ("block_f13_l32_fp32", "block_f19_l32_fp32"),
        ),
    ):
        quoted = words.format(*map(page.say_ratio, names))
        bench.check(f"README says {quoted!r}", quoted in text)


def test_changes(bench: Bench, folder: Path) -> None:
    """A measurement with one other area changes the page."""
    results = folder / "results"
    shutil.copytree(RESULTS, results)
    area = json.loads((results / "area.json").read_text())
    name = "block_f13_l16_fp32"
    record = next(r for r in area["records"] if r["name"] == name and r["period_ns"] == 6)
    other = {
        **record,
        "area": 2 * record["area"],
        "area_without_parts": 2 * record["area_without_parts"],
        "netlist": "build/somewhere",
    }
    source = folder / "area.json"
    run_of = {"version": "9.9.9", "date": "2030-01-01", "tools": {"yosys": "Yosys 9"}}
    source.write_text(json.dumps({"run": run_of, "records": [other]}))
    status, said = run(
        f"--results={results}", f"--out={folder}/other", f"--from={source}", "--command=make synth"
    )
    page = (folder / "other/AREA.md").read_text()
    bench.check(f"a measurement is taken: {said}", status == 0)
    bench.check("its area is on the page", f"| {2 * record['area']:,.0f} |" in page)
    bench.check("its run is on the page", "9.9.9" in page and "2030-01-01" in page)
    after = json.loads((results / "area.json").read_text())["records"]
    before = report.Page(RESULTS).checked[name]
    bench.check(
        "the check of the old netlist does not count for the new one",
        report.Page(results).checked[name] == before - 1,
    )
    bench.check("the old record is gone", len(after) == len(area["records"]))
    bench.check("no path of a build folder is kept", "build/somewhere" not in json.dumps(after))


def test_checks(bench: Bench, folder: Path) -> None:
    """The outcome of `make synth-check` is taken. A netlist that two records quote keeps both."""
    results = folder / "checks"
    shutil.copytree(RESULTS, results)
    baseline = next(
        one
        for one in json.loads((results / "check.json").read_text())["netlists"]
        if one["name"].startswith("element_int8 LANES=16")
    )
    source = folder / "check.json"
    failed = {**baseline, "elements": ["other"], "netlist": "build/somewhere", "failed": 1}
    source.write_text(json.dumps([failed]))
    status, said = run(f"--results={results}", f"--out={folder}/failed", f"--from={source}")
    found = json.loads((results / "check.json").read_text())["netlists"]
    after = next(one for one in found if one["name"] == baseline["name"])
    bench.check(f"an outcome is taken: {said}", status == 0 and after["failed"] == 1)
    bench.check(
        "for all elements that quote the netlist",
        set(after["elements"]) == {"other", *baseline["elements"]} and "netlist" not in after,
    )
    name = baseline["elements"][0]
    bench.check(
        "a netlist that failed does not count",
        report.Page(results).checked[name] == report.Page(RESULTS).checked[name] - 1,
    )


def test_refused(bench: Bench, folder: Path) -> None:
    for options, words in (
        ((f"--results={folder}/none",), "there is no .*area.json"),
        (("--from=README.md",), "README.md is not the area.json"),
    ):
        status, said = run(*options, f"--out={folder}/refused")
        bench.check(f"{options}: {said}", status == 2 and re.search(words, said))


def main() -> int:
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    bench = Bench()
    test_committed(bench, folder)
    test_tables(bench)
    test_command(bench)
    test_readme(bench)
    test_changes(bench, folder)
    test_checks(bench, folder)
    test_refused(bench, folder)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
