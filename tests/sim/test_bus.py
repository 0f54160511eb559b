# SPDX-License-Identifier: Apache-2.0
"""The trace of the bus and the timeline: the simulator's and those of `fp8mac cycles` are equal, line for line.

    python -m pytest -c tests/pytest.ini tests/sim/test_bus.py --sim SIM --elf GEMM_ELF --tool FP8MAC --folder FOLDER

The RTL's trace tells where the command and its matrices lie, and when the doorbell rang; the model gets these and must
have every transfer and every span of the GEMM. Stalls move no cycle of the core in front of the doorbell.
"""

import csv
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import Bench

BEAT = 16
WINDOW = 64
DOORBELL = 3  # cycles from the doorbell to the address of the descriptor


@dataclass
class Transfer:
    cycle: int
    channel: str
    address: int
    bytes: int


@dataclass
class Gemm:
    m: int
    n: int
    k: int

    def arguments(self) -> list[str]:
        return [f"M={self.m}", f"N={self.n}", f"K={self.k}", "D=e4m3fn"]

    def options(self) -> list[str]:
        return ["--m", str(self.m), "--n", str(self.n), "--k", str(self.k)]

    def places(self, transfers: list[Transfer]) -> dict[str, int]:
        """The addresses of the descriptor, A, B and D."""
        reads = [t.address for t in transfers if t.channel == "ar"]
        descriptor, a = reads[0], reads[1]
        end_of_a = a + self.m * (-(-self.k // BEAT) * BEAT)
        b = min(x for x in reads[1:] if not a <= x < end_of_a)
        d = next(t.address for t in transfers if t.channel == "aw")
        return {"descriptor": descriptor, "a": a, "b": b, "d": d}


def read(path: Path) -> list[Transfer]:
    with path.open() as file:
        return [
            Transfer(int(t["cycle"]), t["channel"], int(t["address"], 0), int(t["bytes"]))
            for t in csv.DictReader(file)
        ]


def on_rtl(sim: str, elf: str, gemm: Gemm, path: Path, memory: list[str]) -> str:
    done = subprocess.run(
        [
            sim,
            "--quiet",
            "--bus",
            path,
            "--timeline",
            path.with_suffix(".json"),
            *memory,
            elf,
            *gemm.arguments(),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def on_model(tool: str, gemm: Gemm, path: Path, memory: list[str], **numbers: int) -> None:
    options = [word for name, value in numbers.items() for word in (f"--{name}", str(value))]
    command = [tool, "cycles", *gemm.options(), "--bus", path, *memory, *options]
    command += ["--timeline", path.with_suffix(".json")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def timeline(path: Path) -> list[tuple]:
    """Spans of commands, loads and steps, and rates: when they begin, what they say."""
    events = json.loads(path.with_suffix(".json").read_text())["traceEvents"]
    kinds = {1: "load", 2: "compute", None: ""}
    return [
        (e["ph"], kinds[e.get("tid")], e["ts"], e.get("dur"), tuple(e.get("args", {}).items()))
        for e in events
        if e["ph"] in "XbeC" and e.get("tid") in kinds
    ]


def compare_timelines(bench: Bench, text: str, start: int, rtl: Path, model: Path) -> None:
    """The model's ends with the GEMM; its last window has not ended."""
    want, got = timeline(rtl), timeline(model)
    before = min(e[2] for e in want if e[0] == "C" and e[2] + WINDOW >= start)  # ends then or later
    last = max(e[2] for e in got if e[0] == "C")
    want = [e for e in want if before <= e[2] and (e[0] != "C" or e[2] <= last)]
    for ours, chips in zip(got, want):
        bench.check(f"{text}: {ours} is {chips}", ours == chips)
    spans = [e[1] for e in got if e[0] == "X"]
    bench.check(f"{text}: {len(got)} of {len(want)} events", len(got) == len(want))
    bench.check(f"{text}: spans", spans.count("load") == spans.count("compute") > 0)
    end = next(e[2] for e in got if e[0] == "e")
    bench.check(f"{text}: windows to the end", last + 2 * WINDOW > end)


def compare(bench: Bench, sim: str, elf: str, tool: str, folder: Path, gemm: Gemm) -> None:
    path = folder / "model.csv"
    quiet = folder / "quiet.csv"
    on_rtl(sim, elf, gemm, quiet, [])
    start = read(quiet)[0].cycle - DOORBELL
    for memory in ([], ["--latency", "9"], ["--stall", "100", "--seed", "5"], ["--stall", "850"]):
        rtl = folder / "rtl.csv"
        printed = on_rtl(sim, elf, gemm, rtl, memory)
        transfers = read(rtl)
        on_model(tool, gemm, path, memory, start=start, **gemm.places(transfers))
        want, got = rtl.read_text().splitlines(), path.read_text().splitlines()
        for number, (ours, chips) in enumerate(zip(got, want)):
            bench.check(f"{gemm} {memory}: line {number} {ours} is {chips}", ours == chips)
        bench.check(f"{gemm} {memory}: {len(got)} of {len(want)} lines", len(got) == len(want))
        compare_timelines(bench, f"{gemm} {memory}", start, rtl, path)
        beats = re.search(r"bus beats +(\d+) read, (\d+) written", printed).groups()
        counted = tuple(str(sum(t.channel == x for t in transfers)) for x in ("r", "w"))
        bench.check(f"{gemm} {memory}: {counted} beats are {beats}", counted == beats)


def test_gemms(bench: Bench, sim: str, elf: str, tool: str, folder: Path) -> None:
    compare(bench, sim, elf, tool, folder, Gemm(20, 20, 40))
    compare(bench, sim, elf, tool, folder, Gemm(50, 70, 300))


def test_files(bench: Bench, sim: str, elf: str, folder: Path) -> None:
    full = subprocess.run([sim, "--bus", "/dev/full", elf], capture_output=True, text=True)
    bench.check("a full disk is reported", full.returncode == 2 and "bus" in full.stderr)
    none = subprocess.run(
        [sim, "--bus", f"{folder}/none/bus.csv", elf], capture_output=True, text=True
    )
    bench.check("a folder that is not there", none.returncode == 2 and "bus" in none.stderr)
