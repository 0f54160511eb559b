# SPDX-License-Identifier: Apache-2.0
"""The simulator with the timing model in the accelerator's place (TIMED=1) equals the one with the RTL. The same programs
end after the same cycles, with the same bytes in all of the memory. Their console output, which has flags, amax and
counters, their timeline and their transfers of the bus are the same, too.

    python -m pytest -c tests/pytest.ini tests/sim/test_timed.py --sim RTL --timed TIMED --faulty FAULTY --elf GEMM_ELF \\
      --elfs ELF... --folder FOLDER

The programs are ELF..., and GEMMs of random shapes, formats, accumulators and scaling exponents. Data have Inf, NaN and
all magnitudes, too. Some have K in chunks whose accumulators stay in the array, and some run on a bus that stalls and is
slow. FAULTY is a timing model with a seeded fault in its memory; the comparison must find it. A program of the name faults asks for what the timing model does not have: it
ends with one sentence and a status other than 0.
"""

from __future__ import annotations

import filecmp
import random
import re
import subprocess
from pathlib import Path

from tests.conftest import Bench

FP8 = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
END = re.compile(r"(exit status \d+ after \d+ cycles)")
GEMMS = 12
# Of the digits: lists of many more commands than the queue has places, and row commands
NETWORKS = (("NET=cnn", "IMAGES=4", "BATCH=4"), ("NET=transformer", "IMAGES=2", "BATCH=2"))
# Of the layers. The family network has a command that fails.
FAMILIES = ("convolution", "nonlinear", "attention", "normalise", "reduce", "transformer", "plans")
WORDS = {"digits": NETWORKS, "layers": [(f"FAMILY={family}",) for family in FAMILIES]}


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


def programs(elf: str, elfs: list[str]) -> list[tuple[list[str], list[str]]]:
    """Options of the simulator, and a program with its arguments."""
    rng = random.Random(1)
    drawn = [draw_gemm(rng, number) for number in range(GEMMS)]
    gemms = [
        ([*options, "--latency", str(5 * n)], [elf, *a]) for n, (options, a) in enumerate(drawn)
    ]
    others = [([], [other]) for other in elfs if Path(other).stem not in ("faults", "layers")]
    networks = [([], [other, *w]) for other in elfs for w in WORDS.get(Path(other).stem, ())]
    return gemms + others + networks


def compare(
    bench: Bench, sim: str, timed: str, options: list[str], program: list[str], folder: Path
) -> tuple[str, str]:
    """One program on both simulators. Returns the end and the console of `sim`."""
    memories = [folder / name for name in ("rtl.ram", "timed.ram")]
    files = [[folder / f"{chip}.{x}" for x in ("json", "csv")] for chip in ("rtl", "timed")]
    text, check = " ".join([*options, Path(program[0]).name, *program[1:]]), bench.check
    ends = [
        run(s, m, [*options, "--timeline", timeline, "--bus", bus], program)
        for s, m, (timeline, bus) in zip((sim, timed), memories, files)
    ]
    check(f"ends with 0: {text}: {ends[0][0]}", ends[0][0].startswith("exit status 0 after"))
    check(f"same cycles: {text}: {ends[0][0]}, timed {ends[1][0]}", ends[0][0] == ends[1][0])
    check(f"same console: {text}", ends[0][1] == ends[1][1] and len(ends[0][1]) > 0)
    check(f"same memory: {text}", filecmp.cmp(*memories, shallow=False))
    for what, pair in zip(("timeline", "transfers of the bus"), zip(*files)):
        check(f"same {what}: {text}", filecmp.cmp(*pair, shallow=False))
    for file in [*memories, *files[0], *files[1]]:
        file.unlink()
    return ends[0]


def test_equal(
    bench: Bench, sim: str, timed: str, faulty: str, elf: str, elfs: list[str], folder: Path
) -> None:
    found = 0
    for options, program in programs(elf, elfs):
        end = compare(bench, sim, timed, options, program, folder)
        if program[0] == elf:
            found += run(faulty, folder / "faulty.ram", options, program) != end
    bench.check(f"the seeded fault shows in {found} of {GEMMS} GEMMs", found == GEMMS)


def test_refused(bench: Bench, timed: str, elf: str, elfs: list[str], folder: Path) -> None:
    """What the timing model does not have ends the simulation with one sentence."""
    cases = [([], [p], "errors of commands are not") for p in elfs if Path(p).stem == "faults"]
    for options, program, words in cases:
        done = subprocess.run(
            [timed, "--quiet", *options, *program], capture_output=True, text=True
        )
        told = [line for line in done.stderr.splitlines() if words in line]
        bench.check(f"{words}: status {done.returncode}, {done.stderr}", done.returncode == 2)
        bench.check(f"{words}: one sentence: {done.stderr}", len(told) == 1)
