# SPDX-License-Identifier: Apache-2.0
"""The timeline of a GEMM: its spans agree with what the application prints.

    python -m pytest -c tests/pytest.ini tests/sim/test_timeline.py --sim SIM --elf GEMM_ELF --folder FOLDER

The timeline is JSON; the command has one span, and each of its tile commands one load and one
compute; spans of a track do not overlap; the windows'
read beats add up to the counter, but for the last window.
"""

import json
import re
import subprocess
from pathlib import Path

from tests.conftest import Bench

SHAPE = ["M=96", "N=80", "K=600"]
WINDOW = 64


def test_gemm(bench: Bench, sim: str, elf: str, folder: Path) -> None:
    path, check = folder / "timeline.json", bench.check
    done = subprocess.run([sim, "--timeline", path, elf, *SHAPE], capture_output=True, text=True)
    check("the application ends with 0", done.returncode == 0)
    text = done.stdout
    commands = int(re.search(r"(\d+) tile commands", text)[1])
    reads, writes = map(int, re.search(r"bus beats +(\d+) read, (\d+) written", text).groups())
    events = json.loads(path.read_text())["traceEvents"]

    tracks = {e["tid"]: e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    for name in ("load", "compute", "core"):
        spans = [e for e in events if e["ph"] == "X" and tracks[e["tid"]] == name]
        check(f"{name}: there are spans", len(spans) > 0)
        if name != "core":
            check(
                f"{name}: {len(spans)} spans for {commands} tile commands", len(spans) == commands
            )
        ends = [s["ts"] + s["dur"] for s in spans]
        check(f"{name}: no overlap", all(e <= s["ts"] for e, s in zip(ends, spans[1:])))
    begins = [e for e in events if e["ph"] == "b"]
    finishes = {e["id"]: e["ts"] for e in events if e["ph"] == "e"}
    check("the command has a span", len(begins) == 1)
    check("a command ends after it begins", all(finishes[b["id"]] > b["ts"] for b in begins))
    rates = [e["args"] for e in events if e["ph"] == "C" and e["name"] == "bus beats per cycle"]
    check("no more than a beat a cycle", all(max(r.values()) <= 1 for r in rates))
    counted = sum(round(r["read"] * WINDOW) for r in rates)
    check(
        f"{counted} of {reads} read beats are in windows",
        reads - WINDOW <= counted <= reads + WINDOW,
    )
    counted = sum(round(r["write"] * WINDOW) for r in rates)
    check(
        f"{counted} of {writes} write beats are in windows",
        writes - WINDOW <= counted <= writes + WINDOW,
    )


def test_list(bench: Bench, sim: str, digits: str, folder: Path) -> None:
    """The commands of a recorded network have the names of its layers, at their start and their end."""
    path = folder / "list.json"
    command = [sim, "--timeline", path, digits, "NET=cnn", "IMAGES=4", "BATCH=2"]
    done = subprocess.run(command, capture_output=True, text=True)
    bench.check("the application ends with 0", done.returncode == 0)
    events = json.loads(path.read_text())["traceEvents"]
    begins = [e["name"] for e in events if e["ph"] == "b"]
    ends = [e["name"] for e in events if e["ph"] == "e"]
    rates = [r for e in events if e["ph"] == "C" for r in e["args"].values()]
    bench.check("counters that are cleared in between", 0 < max(rates) <= 1)
    layers = ["convolution1"] * 2 + ["convolution2"] * 2 + ["classes"]
    # A batch command by command for the profile, then two batches as lists
    want = [f"command {layer}" for layer in 3 * layers]
    bench.check(f"the commands have their layers' names: {begins}", begins == want and ends == want)


def test_refused(bench: Bench, sim: str, elf: str, folder: Path) -> None:
    full = subprocess.run(
        [sim, "--timeline", "/dev/full", elf, *SHAPE], capture_output=True, text=True
    )
    bench.check("a full disk is reported", full.returncode == 2 and "timeline" in full.stderr)
    absent = subprocess.run(
        [sim, "--timeline", f"{folder}/none/t.json", elf], capture_output=True, text=True
    )
    bench.check(
        "a folder that does not exist is reported",
        absent.returncode == 2 and "cannot be written" in absent.stderr,
    )
