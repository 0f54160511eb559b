# SPDX-License-Identifier: Apache-2.0
"""What the ports of the accelerator and of its parts do while a program runs on the simulated chip (sim/ports)."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..flow.errors import FlowError

ACCEL = "TOP_fp8mac_system_u_accel_u_accel"  # the accelerator, with `_` for dots
IDLE = "idle"  # its signal: it holds no command
WRITES = "m_axi_wvalid_o"  # it writes results


@dataclass(frozen=True)
class Recording:
    """All changes of bits, in the order of time: the cycle and the bit's number. All are 0 before cycle 0. `first` has the
    number of each signal's lowest bit."""

    cycles: int
    first: dict[str, int]
    cycle: np.ndarray
    bit: np.ndarray

    def level(self, name: str) -> np.ndarray:
        """[cycle] of a signal of one bit"""
        return self.bit_level(name, 0)

    def bit_level(self, name: str, place: int) -> np.ndarray:
        """[cycle] of one bit of a signal"""
        flips = np.bincount(self.cycle[self.bit == self.first[name] + place], minlength=self.cycles)
        return np.cumsum(flips) & 1


def simulate(simulator: Path, program: list[str], waveform: Path) -> str:
    """Runs a program with a waveform; what it prints."""
    done = subprocess.run(
        [simulator, "--trace", waveform, *program],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise FlowError(f"{simulator} {' '.join(program)}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout + done.stderr


def cycles_of(printed: str) -> int:
    found = re.search(r"exit status 0 after (\d+) cycles", printed)
    if found is None:
        raise FlowError("the simulator does not say how many cycles it took")
    return int(found[1])


def record(reader: Path, waveform: Path, widths: dict[str, int], cycles: int) -> Recording:
    """`reader` is the compiled ports.c; `widths` are those of the signals."""
    first, place = {}, 0
    for name, width in widths.items():
        first[name] = place
        place += width
    with tempfile.TemporaryDirectory(dir=waveform.parent) as folder:
        names, out = Path(folder, "names"), Path(folder, "out")
        names.write_text("".join(f"{name} {width}\n" for name, width in widths.items()))
        done = subprocess.run(
            [reader, waveform, names, out, str(cycles)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise FlowError(done.stderr.strip())
        pairs = np.fromfile(out, np.uint32).reshape(-1, 2)
    return Recording(cycles, first, pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64))
