# SPDX-License-Identifier: Apache-2.0
"""The simulator's fast mode equals the RTL. The same programs end after the same cycles, with the same bytes in all of
the memory. Their console output, which has flags, amax and counters, is the same, too.

    python -m pytest -c tests/pytest.ini tests/sim/test_fast.py --sim RTL --fast FAST --faulty FAULTY --elf GEMM_ELF --folder FOLDER

The programs are GEMMs of random shapes, formats, accumulators and scaling exponents. Data have Inf, NaN and all
magnitudes, too. Some have K in chunks whose accumulators stay in the array, and some run on a bus that stalls.
FAULTY is a fast simulator with a seeded fault in its alignment; the comparison must find it.
"""

import filecmp
import random
import re
import subprocess
from pathlib import Path

from tests.conftest import Bench

FP8 = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
GEMMS = 12
END = re.compile(r"(exit status \d+ after \d+ cycles)")


def draw_gemm(rng, number):
    """Options of the simulator and arguments of the application gemm."""
    long = number % 4 == 0  # chunks of K; otherwise ragged and small
    shape = (rng.randint(1, 20), rng.randint(1, 20), rng.randint(1500, 2200))
    if not long:
        shape = (rng.randint(1, 70), rng.randint(1, 70), rng.randint(1, 200))
    arguments = {
        **dict(zip("MNK", shape)),
        "A": rng.choice(FP8),
        "B": rng.choice(FP8),
        "D": rng.choice(("float32", "float16", "bfloat16", *FP8)),
        "ACC": rng.choice(("fp32", "fp16")),
        "DATA": ("finite", "wide", "codes")[number % 3],
        "SCALE": rng.choice(("none", "tensor", "vector")),
        "BIAS": rng.randint(0, 1),
        "ACT": rng.choice(("none", "relu", "clamp")),
        "OVERFLOW": rng.choice(("saturate", "saturate_finite", "ieee")),
        "SEED": rng.randint(1, 10**6),
    }
    if rng.random() < 0.5:
        arguments |= {"SA": rng.randint(-32, 32), "SB": rng.randint(-32, 32)}
    options = ["--stall", "200", "--seed", str(number + 1)] if number % 2 else []
    return options, [f"{key}={value}" for key, value in arguments.items()]


def run(sim, memory, options, program):
    """What must be equal: the end with its cycles, and the console; the memory is in the file."""
    done = subprocess.run(
        [sim, "--heartbeat", "0", "--dump-memory", memory, *options, *program],
        capture_output=True,
        text=True,
    )
    end = END.search(done.stderr)
    return (end[1] if end else done.stderr, done.stdout)


def test_gemms(bench: Bench, sim: str, fast: str, faulty: str, elf: str, folder: Path) -> None:
    memories = [folder / name for name in ("rtl.ram", "fast.ram")]
    rng = random.Random(1)
    programs = [draw_gemm(rng, number) for number in range(GEMMS)]
    programs = [(options, [elf, *arguments]) for options, arguments in programs]
    found, check = 0, bench.check
    for options, program in programs:
        text = " ".join([*options, Path(program[0]).name, *program[1:]])
        ends = [run(s, m, options, program) for s, m in zip((sim, fast), memories)]
        check(f"ends with 0: {text}: {ends[0][0]}", ends[0][0].startswith("exit status 0 after"))
        check(f"same cycles: {text}: {ends[0][0]}, fast {ends[1][0]}", ends[0][0] == ends[1][0])
        check(f"same console: {text}", ends[0][1] == ends[1][1] and len(ends[0][1]) > 0)
        check(f"same memory: {text}", filecmp.cmp(*memories, shallow=False))
        bad = run(faulty, memories[1], options, program)
        found += bad != ends[0] or not filecmp.cmp(*memories, shallow=False)
    check(f"the seeded fault shows in {found} of {GEMMS} GEMMs", found > 0)
    for memory in memories:
        memory.unlink()
