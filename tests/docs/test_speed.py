# SPDX-License-Identifier: Apache-2.0
"""model/SPEED.md lists every GEMM that runs on the definition: the list is what the kernels' dispatcher says.
tests/model/test_fast.c runs a GEMM that is refused for each reason. What the benchmark measures gets into the page."""

import re
import subprocess
from pathlib import Path

from model.bench import speed
from tests.conftest import Bench

BENCHMARK = Path("model/bench/bench.py")


def test_list_is_the_dispatchers(request):
    program = request.config.getoption("--program")
    said = subprocess.run([program, "refusals"], capture_output=True, text=True, check=True).stdout
    page = Path("model/SPEED.md").read_text()
    start = page.index("<!-- from: test_fast refusals -->")
    written = page[start:].split("\n\n", 2)[1]
    listed = [" ".join(item.split()) for item in re.split(r"(?m)^- ", written) if item.strip()]
    wanted = [line.removeprefix("- ") for line in said.splitlines()]
    assert wanted and listed == wanted, "\n".join(["the page should have:", *wanted])


def test_accepted(bench: Bench) -> None:
    """A ratio, a setting of two variants, and two threads; what is not measured stays."""
    old = speed.load()["rows"]
    name, (entry, baseline) = next(iter(speed.RATIOS.items()))
    settings = [f"{one}, {speed.SIDE}" for one in speed.SETTINGS["chunks"]]
    entries = [{"name": entry, "baseline": baseline, "ratio": 9.126, "value": 1.0}]
    entries += [
        {"name": one, "baseline": "1 GMAC/s", "ratio": 1.0, "value": value}
        for one, value in zip(settings, (7.04, 8.26), strict=True)
    ]
    record = {"entries": entries, "threads": [1.04, 1.26]}
    new = speed.found(old, {"avx2": record})
    bench.check(f"{new[name]}", new[name] == old[name] | {"avx2": 9.13})
    bench.check(f"{new['chunks']}", new["chunks"] == {"least": 7.0, "most": 8.3})
    bench.check(f"{new['threads']}", new["threads"] == {"least": 1.0, "most": 1.3})
    changed = {key for key in old if new[key] != old[key]}
    bench.check(f"{changed}", changed == {name, "chunks", "threads"})
    bench.check(
        "what was not measured is said",
        len(speed.missing({"avx2": record})) == len(speed.RATIOS) - 1,
    )


def test_names(bench: Bench) -> None:
    """The benchmark has each setting of the page."""
    text = BENCHMARK.read_text()
    named = {one for row in (*speed.SETTINGS.values(), *speed.PORTABLE.values()) for one in row}
    for one in sorted(named):
        bench.check(
            f"{BENCHMARK} has {one}",
            f'"{one}"' in text or f'"{one} ' in text or f'f"{one} ' in text,
        )
