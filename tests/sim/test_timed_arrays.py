# SPDX-License-Identifier: Apache-2.0
"""The timing model of other arrays equals their RTL, as tests/sim/test_timed.py says.

    python -m pytest -c tests/pytest.ini tests/sim/test_timed_arrays.py --build BUILD --elfs ELF... --folder FOLDER

BUILD/sim has both simulators of each array. The programs are gemm, elementwise, convolution, digits and vad.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Bench
from tests.sim.test_timed import compare

FP8 = ["A=e4m3fn", "B=e5m2", "D=fp16"]
STALLS = ["--latency", "13", "--stall", "120", "--seed", "3"]
FORMATS = {
    "2x2x4-block_f13-axi64": FP8,
    "8x2x16-block64_f19-axi256": FP8,
    "4x4x4-exact": FP8,
    "4x4x16-int8": ["A=int8", "B=int8", "D=fp32"],
}
NETWORKS = {
    "digits": [["NET=cnn", "IMAGES=4", "BATCH=2"], ["NET=transformer", "IMAGES=2", "BATCH=2"]],
    "vad": [["FRAMES=2"]],
}


@pytest.mark.parametrize("array", FORMATS)
def test_array(bench: Bench, build: Path, elfs: list[str], folder: Path, array: str) -> None:
    sims = [f"{build}/sim/{array}{end}/fp8mac-sim" for end in ("", "-timed")]
    elf = {Path(path).stem: path for path in elfs}
    runs: list[tuple[list[str], list[str]]] = [
        ([], [elf["gemm"], "M=37", "N=29", "K=130", *FORMATS[array]]),
        (STALLS, [elf["gemm"], "M=70", "N=50", "K=300", *FORMATS[array]]),
        ([], [elf["elementwise"]]),
        ([], [elf["convolution"]]),
    ]
    if "int8" not in array:
        runs += [([], [elf[net], *words]) for net, all in NETWORKS.items() for words in all]
    for options, program in runs:
        compare(bench, *sims, options, program, folder)
