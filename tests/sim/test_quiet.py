# SPDX-License-Identifier: Apache-2.0
"""While the accelerator says that it is quiet (quiet_o of rtl/system/fp8mac_sys_accel.sv), its counters alone change.

    python -m pytest -c tests/pytest.ini tests/sim/test_quiet.py --sim WAVES_SIM --changes QUIET --elfs GEMM FAULTS --folder FOLDER

The waveform of a program has every signal and register. QUIET lists those that change in a quiet cycle. The names below
are all that may. The signal `idle` stands for quiet_o in one more run of QUIET, as its seeded fault: the accelerator then
has no command, but its pipelines still run empty.
"""

import re
import subprocess
from pathlib import Path

from tests.conftest import Bench

SCOPE = "TOP.fp8mac_system.u_accel"
RUNS = (
    ("gemm", ["--power-up", "3"], ["M=9", "N=7", "K=40"]),
    ("faults", ["--timeout", "300000"], []),
)
MAY_CHANGE = re.compile(
    "|".join(
        (
            r"clk_i|sleeping_i|valid_i|accessing|req_i\..*|stall_permille_i",  # inputs
            r"u_accel\.u_control\.(counters\.(cycles|idle)|u_csr\.in\.(CYCLES|CYC_IDLE)\..*)",
            r"rdata_o|.*\.readback_data_var",  # a counter, if it was read last
            r"u_axi_(read|write)\.(now_q|age|(burst_in|answer_in)\.arrival)",  # differences count
            r"u_stall\.(state_q|unused_state|stall_o|gen_channel\[\d\]\.draw)",
            r"u_timeline\.cycle_q",
            r"u_accel\.u_output\.u_store\.turn_q",
        )
    )
)


def changed(program, waveform, signal):
    done = subprocess.run(
        [program, waveform, SCOPE, signal], capture_output=True, text=True, check=True
    )
    count, *names = done.stdout.splitlines()
    return int(count.split()[0]), [n for n in names if not MAY_CHANGE.fullmatch(n)]


def test_quiet(bench: Bench, sim: str, changes: str, elfs: list, folder: Path) -> None:
    programs = {Path(elf).stem: elf for elf in elfs}
    waveform, seen = folder / "quiet.fst", []
    for name, options, arguments in RUNS:
        command = [sim, "--quiet", "--heartbeat", "0", "--trace", waveform, *options]
        subprocess.run([*command, programs[name], *arguments], capture_output=True)
        cycles, names = changed(changes, waveform, "quiet_o")
        bench.check(f"{name}: {cycles} quiet cycles", cycles > 10_000)
        bench.check(f"{name}: nothing changes in a quiet cycle: {names[:9]}", not names)
        seen += changed(changes, waveform, "u_accel.idle")[1]
    pipelines = [name for name in seen if re.search(r"u_output\..*buffer", name)]
    bench.check(f"pipelines run empty behind the last command: {pipelines[:3]}", bool(pipelines))
    waveform.unlink()
