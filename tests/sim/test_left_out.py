# SPDX-License-Identifier: Apache-2.0
"""Cycles that the simulator leaves out change nothing: with --evaluate-all a program ends after the same cycles, with the
same console, memory, outputs, timeline, transfers of the bus, sums and instructions.

    python -m pytest -c tests/pytest.ini tests/sim/test_left_out.py --sim SIM --faulties FAULTY... --elfs SOC GEMM DIGITS FAULTS
        SELFTEST --folder FOLDER

Each of FAULTIES is a simulator with a seeded fault in what it leaves out. The comparison must find each.
"""

import filecmp
import re
import subprocess
from pathlib import Path

from tests.conftest import Bench

END = re.compile(r"(?m)^fp8mac-sim: (.*) after (\d+) cycles")
USAGE = re.compile(r"array used .*")
FILES = ("memory", "outputs", "timeline", "instructions", "bus")
SLOW_BUS = ["--stall", "200", "--seed", "3", "--latency", "9"]
# By the name of the program: options of the simulator, and arguments
RUNS = (
    ("soc", [], []),
    ("soc", ["--timeout", "6000"], ["sleep"]),
    ("gemm", [], ["M=33", "N=20", "K=100"]),
    ("gemm", [*SLOW_BUS, "--power-up", "7"], ["M=40", "N=9", "K=70", "SCALE=vector", "BIAS=1"]),
    ("digits", ["--power-up", "2"], ["IMAGES=16"]),
    ("digits", [], ["NET=transformer", "IMAGES=4", "BATCH=1"]),
    ("faults", ["--timeout", "250000"], []),
    ("selftest", ["--timeout", "150000", "--stall", "100"], []),
)
TRACED = ("soc",)  # in all others, the list of instructions would be long


def run(sim, folder, elf, options, arguments, everything):
    """What must be equal. The files of FILES are in the folder."""
    folder.mkdir(exist_ok=True)
    paths = {name: folder / name for name in FILES}
    for path in paths.values():
        path.write_bytes(b"")
    wanted = ["--dump-memory", paths["memory"], "--dump-outputs", paths["outputs"]]
    wanted += ["--timeline", paths["timeline"], "--bus", paths["bus"]]
    wanted += ["--instructions", paths["instructions"]] if elf.stem in TRACED else []
    wanted += ["--usage", *(["--evaluate-all"] if everything else [])]
    command = [sim, "--heartbeat", "0", "--silence", "0", *wanted, *options, elf, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    ends, usage = END.search(done.stderr), USAGE.search(done.stderr)
    end = ends.groups() if ends else done.stderr
    return done.returncode, end, usage and usage[0], done.stdout


def differences(folders, ends):
    names = ("exit status", "cycles", "use of the array", "console")
    found = [name for name, a, b in zip(names, *ends) if a != b]
    same = (filecmp.cmp(folders[0] / name, folders[1] / name, shallow=False) for name in FILES)
    return found + [name for name, equal in zip(FILES, same) if not equal]


def test_runs(bench: Bench, sim: str, faulties: list, elfs: list, folder: Path) -> None:
    programs = {Path(elf).stem: Path(elf) for elf in elfs}
    folders = [folder / name for name in ("all", "some", "faulty")]
    found = {faulty: [] for faulty in faulties}
    for name, options, arguments in RUNS:
        text = " ".join([*options, name, *arguments])
        what = (programs[name], options, arguments)
        everything = run(sim, folders[0], *what, True)
        some = run(sim, folders[1], *what, False)
        bench.check(f"it ends: {text}: {everything[1]}", isinstance(everything[1], tuple))
        differs = differences(folders[:2], (everything, some))
        bench.check(f"the same: {text}: {differs} {everything[1]} {some[1]}", not differs)
        for faulty in faulties:
            if not found[faulty]:
                bad = run(faulty, folders[2], *what, False)
                differs = differences((folders[0], folders[2]), (everything, bad))
                found[faulty] += differs and [f"{name}: {', '.join(differs)}"]
    for faulty, where in found.items():
        bench.check(f"the seeded fault is found: {faulty}: {where}", bool(where))
