# SPDX-License-Identifier: Apache-2.0
"""The waveform and its GTKWave view: every signal that the save file names is in the waveform, once, in a group. A
signal that the waveform does not have is refused.

    python -m pytest -c tests/pytest.ini tests/sim/test_waves.py --sim TRACE_SIM --elf GEMM_ELF --names NAMES --folder FOLDER
"""

import subprocess
import sys
from pathlib import Path

from tests.conftest import Bench

SAVE_FILE = Path(__file__).resolve().parents[2] / "sim" / "waves" / "save_file.py"
GROUPS = ("Core", "Commands", "AXI read", "Array", "AXI write")


def test_view(bench: Bench, sim: str, names: str, elf: str, folder: Path) -> None:
    wave, save, check = folder / "waves.fst", folder / "waves.gtkw", bench.check
    shape = ["M=9", "N=7", "K=40"]
    run = subprocess.run([sim, "--quiet", "--trace", wave, elf, *shape], capture_output=True)
    check("the simulation ends with 0", run.returncode == 0)
    made = subprocess.run(
        [sys.executable, "-B", SAVE_FILE, names, wave, save], capture_output=True, text=True
    )
    check("the save file is written", made.returncode == 0)
    check("the command that opens it is printed", made.stdout == f"gtkwave {save}\n")

    lines = save.read_text().splitlines()
    signals = [line for line in lines if line.startswith("TOP.")]
    listed = subprocess.run([names, wave], capture_output=True, text=True, check=True).stdout
    known = set(listed.splitlines())
    check("there are signals", len(signals) > 20 and len(set(signals)) == len(signals))
    for signal in signals:
        check(f"{signal} is in the waveform", signal in known)
    check("the groups are there", [x[1:] for x in lines if x.startswith("-")] == list(GROUPS))
    check("the waveform is named", f'[dumpfile] "{wave.resolve()}"' in lines)

    # A list that lacks one of the signals.
    poor = folder / "poor-names.sh"
    poor.write_text(f'#!/bin/sh\n"{names}" "$1" | grep -v "u_compute_path.advance$"\n')
    poor.chmod(0o755)
    refused = subprocess.run(
        [sys.executable, "-B", SAVE_FILE, poor, wave, save], capture_output=True, text=True
    )
    check(
        "a missing signal is refused",
        refused.returncode != 0 and "u_compute_path.advance" in refused.stderr,
    )
