# SPDX-License-Identifier: Apache-2.0
"""Totals of networks: the model of cycles, the core's constants and the network's own part give the chip's cycles.

    python -m pytest -c tests/pytest.ini tests/sim/test_core.py --sim SIM --elf CYCLES_ELF --digits DIGITS_ELF --vad VAD_ELF
        --tool FP8MAC --lists LISTS --folder FOLDER

The accelerator's cycles are equal without latency of the memory. With latency the addresses count, too, which a list does not
say: rows that cross a page have more bursts. The constants of `fp8mac cycles` are what the application cycles prints. The accelerator's cycles of the digits' networks are
the model's: of the perceptron, command by command; of the convolutional network, whose commands are a recorded list, also
one by one. A network's own part is what the core does beside the driver's calls: it copies images, chooses classes and
scales. It is the rest of a run without latency of the memory. With latency, model, constants and that part give the total.
The speech network has row commands and element-wise commands, which a CSV does not: LISTS reads its recorded list from the
chip's memory.
"""

import csv
import io
import re
import subprocess
from pathlib import Path

from sim.bench import core
from tests.conftest import Bench

NEAR = 0.03
CLOSE = 0.01  # of the accelerator's cycles with latency
LAYER = 0.05  # of those of one layer alone, which may have the one row that crosses a page
LATENCY = "100"
PERCEPTRON = "m,n,k,vectors,format_d\n128,96,64,1,e4m3fn\n128,64,96,1,e4m3fn\n128,10,64,1,float32\n"
CNN = (
    "layer,ifmap height,ifmap width,filter height,filter width,channels,num filter,strides,pad_y,pad_x,images,"
    "pixel_bytes,m,n,k,vectors,format_d\n"
    "convolution1,8,8,3,3,1,16,1,1,1,32,1,,,,1,e4m3fn\n"
    "convolution2,8,8,3,3,16,32,2,1,1,32,,,,,1,e4m3fn\n"
    "classes,,,,,,,,,,,,32,10,512,1,float32\n"
)
BATCHES = 2


def model(tool: str, text: str, *options: str) -> str:
    done = subprocess.run(
        [tool, "cycles", *options, "-"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


def layers(tool: str, text: str, *options: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(model(tool, text, *options))))


def numbers(text: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"^([a-z ]+?) +(\d+)$", text, re.M)}


class Digits:
    """A run of the digits."""

    def __init__(self, sim: str, elf: str, latency: str, *arguments: str):
        done = subprocess.run(
            [sim, "--quiet", "--latency", latency, elf, *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        self.text = done.stdout
        record = dict(re.findall(r"(\w+)=(\w+)", re.search(r"^digits: .*$", done.stdout, re.M)[0]))
        self.busy = int(record["cycles"]) - int(record["idle"])
        self.total = int(re.search(r"^  network +(\d+)", done.stdout, re.M)[1])


def near(got: float, want: float, by: float = NEAR) -> bool:
    return abs(got - want) <= by * want


def busy_by(latency: str) -> float:
    """A row of weights may cross a page, wherever the linker places it: it is two bursts then."""
    return 5e-4 if latency == "0" else CLOSE


def test_constants(bench: Bench, sim: str, elf: str) -> None:
    committed = core.constants(core.HEADER.read_text())
    for name, value in core.measured(sim, elf).items():
        bench.check(f"{name}: {committed[name]}, measured {value}", near(committed[name], value))


def test_perceptron(bench: Bench, sim: str, digits: str, tool: str) -> None:
    """Two batches: the first one makes plans, and the second one moves them."""
    constant = core.constants(core.HEADER.read_text())
    own = 0
    for latency in ("0", LATENCY):
        run = Digits(sim, digits, latency)
        rows = layers(tool, PERCEPTRON, f"--latency={latency}")
        busy = BATCHES * sum(int(row["cycles"]) for row in rows)
        bench.check(
            f"latency {latency}: {busy} of {run.busy} cycles",
            near(busy, run.busy, busy_by(latency)),
        )
        driver = BATCHES * sum(int(row["core"]) for row in rows)
        driver += len(rows) * (constant["CORE_PLAN"] + constant["CORE_MOVE"])
        own = own or run.total - busy - driver
        total = busy + driver + own
        bench.check(f"latency {latency}: {total} in all, {run.total}", near(total, run.total))


def test_cnn(bench: Bench, sim: str, digits: str, tool: str) -> None:
    own = 0
    for latency in ("0", LATENCY):
        run = Digits(sim, digits, latency, "NET=cnn", "IMAGES=64", "BATCH=32")
        one = numbers(model(tool, CNN, "--list", f"--latency={latency}"))
        busy = BATCHES * one["cycles"]
        bench.check(
            f"latency {latency}: {busy} of {run.busy} cycles",
            near(busy, run.busy, busy_by(latency)),
        )
        own = own or run.total - BATCHES * one["total"]
        total = BATCHES * one["total"] + own
        bench.check(f"latency {latency}: {total} in all, {run.total}", near(total, run.total))
        for row in layers(tool, CNN, f"--latency={latency}"):
            found = re.search(rf"^{row['layer']} +\d+ +(\d+) +(\d+) ", run.text, re.M)
            cycles, commands = map(int, found.groups())
            right = int(row["commands"]) == commands
            # Commands of one layer have the tiles of a list here, with weights that stay. system-convolution-cycles has theirs.
            if commands == 1:
                right = right and near(int(row["cycles"]), cycles, 0 if latency == "0" else LAYER)
            bench.check(f"latency {latency}: {row} alone, {cycles} cycles", right)


def run_lists(tool: str, memory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([tool, *options, memory], capture_output=True, text=True)


def test_vad(bench: Bench, sim: str, vad: str, lists: str, folder: Path) -> None:
    own, frames = 0.0, 2
    memory = folder / "vad.ram"
    for latency in ("0", LATENCY):
        done = subprocess.run(
            [
                sim,
                "--quiet",
                "--latency",
                latency,
                "--dump-memory",
                memory,
                vad,
                f"FRAMES={frames}",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        frame = int(re.search(r"(\d+) core cycles a frame", done.stdout)[1])
        text = run_lists(lists, memory, "--latency", latency).stdout
        total = int(re.search(r"total=(\d+)", text)[1])
        own = own or frame - total
        bench.check(f"vad, latency {latency}: {total + own}, {frame}", near(total + own, frame))
        bench.check(f"vad, latency {latency}: its own part {own}", 0 < own < 0.1 * frame)
        ends = [int(end) for end in re.findall(r"until +(\d+)$", text, re.M)]
        cycles = int(re.search(r"cycles=(\d+)", text)[1])
        names = re.findall(r"^  (\w+) +until", text, re.M)
        bench.check("layers in their order", sorted(ends) == ends and names[-1] == "linear")
        bench.check("the last layer is the end", ends[-1] + 1 == cycles)


def test_lists_refused(bench: Bench, lists: str, folder: Path) -> None:
    empty = folder / "empty.ram"
    empty.write_bytes(bytes(4096))
    cases = [
        ([empty], 1, "no recorded network"),
        ([folder / "none"], 2, "cannot read"),
        ([], 2, "a file of the simulator's"),
        ([empty, "--latency", "x"], 2, "--latency expects a whole number up to 10000"),
        ([empty, "--fast"], 2, "not '--fast'"),
    ]
    for words, status, sentence in cases:
        done = subprocess.run([lists, *words], capture_output=True, text=True)
        bench.check(
            f"{sentence}: {done.returncode}, {done.stderr}",
            done.returncode == status and sentence in done.stderr,
        )
