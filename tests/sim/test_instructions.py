# SPDX-License-Identifier: Apache-2.0
"""The instructions of tests/sim/soc.c: each follows from those before it.

    python -m pytest -c tests/pytest.ini tests/sim/test_instructions.py --sim SIM --elf SOC_ELF --objdump OBJDUMP --objcopy OBJCOPY --folder FOLDER

A replay keeps registers and memory from the effects alone. It says where a branch or jump goes, what address a load or
store has, what a store writes and what a load reads. Text and encoding are objdump's. The program has misaligned and
narrow accesses, exceptions and interrupts.
"""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from objdump import listing

from tests.conftest import Bench

NAMES = [
    "zero",
    "ra",
    "sp",
    "gp",
    "tp",
    "t0",
    "t1",
    "t2",
    "s0",
    "s1",
    "a0",
    "a1",
    "a2",
    "a3",
    "a4",
    "a5",
    "a6",
    "a7",
    "s2",
    "s3",
    "s4",
    "s5",
    "s6",
    "s7",
    "s8",
    "s9",
    "s10",
    "s11",
    "t3",
    "t4",
    "t5",
    "t6",
]
RAM = range(0x80000000, 0x81000000)
MASK = 0xFFFFFFFF
BYTES = {"b": 1, "h": 2, "w": 4}
ACCELERATOR = "16"  # its interrupt


class Entry(NamedTuple):
    cycle: int
    pc: int
    encoded: str
    location: str
    name: str  # of the instruction, or "interrupt", "exception"
    operands: list
    effects: dict  # "a5" or "load[80001234]" and digits


def entry(line):
    cycle, pc, encoded, location, name, *rest = line.split()
    operands = rest.pop(0).strip(",").split(",") if rest and "=" not in rest[0] else []
    return Entry(
        int(cycle), int(pc, 16), encoded, location, name, operands, dict(e.split("=") for e in rest)
    )


def entries(path):
    return [entry(line) for line in path.read_text().splitlines() if not line.startswith("#")]


def signed(value):
    return value - (1 << 32) if value >> 31 else value


class Replay:
    def __init__(self, bench, image):
        self.bench = bench
        self.registers = dict.fromkeys(NAMES, 0)
        self.memory = dict(enumerate(image, RAM.start))
        self.next = RAM.start + 0x80
        self.mepc = None
        self.checked = {
            "taken": 0,
            "not taken": 0,
            "store": 0,
            "load": 0,
            "jalr": 0,
            "mret": 0,
            "misaligned": 0,
        }

    def check(self, entry, what, good):
        self.bench.check(f"cycle {entry.cycle}, {entry.location} {entry.name}: {what}", good)

    def branches(self, entry):
        a, b = (self.registers[name] for name in entry.operands[:2])
        if entry.name in ("blt", "bge"):
            a, b = signed(a), signed(b)
        holds = a == b if entry.name[1:3] in ("eq", "ne") else a < b
        return holds != (entry.name[1:3] in ("ne", "ge"))

    def base(self, entry):
        offset, register = re.fullmatch(r"(-?\d+)\((\w+)\)", entry.operands[1]).groups()
        return self.registers[register] + int(offset) & MASK

    def following(self, entry):
        """Where the program goes on."""
        after = entry.pc + len(entry.encoded) // 2
        if entry.name in ("beq", "bne", "blt", "bge", "bltu", "bgeu"):
            taken = self.branches(entry)
            self.checked["taken" if taken else "not taken"] += 1
            return int(entry.operands[2], 16) if taken else after
        if entry.name == "jal":
            return int(entry.operands[1], 16)
        if entry.name == "jalr":
            self.checked["jalr"] += 1
            return self.base(entry) & ~1
        if entry.name == "mret":
            self.checked["mret"] += 1
            return self.mepc
        return after

    def access(self, entry):
        """The load or store agrees with registers and memory."""
        kind = "store" if entry.name in ("sb", "sh", "sw") else "load"
        size, address = BYTES[entry.name[1]], self.base(entry)
        digits = entry.effects.get(f"{kind}[{address:08x}]")
        if digits is None:
            return self.check(entry, f"no {kind} at {address:08x}: {entry.effects}", False)
        data = int(digits, 16)
        self.check(entry, f"{kind} of {size} bytes: {digits}", len(digits) == 2 * size)
        places = range(address, address + size)
        self.checked["misaligned"] += address % size != 0
        if kind == "store":
            want = self.registers[entry.operands[0]] & (1 << 8 * size) - 1
            self.check(entry, f"stores {data:x}, wanted {want:x}", data == want)
            self.checked["store"] += 1
            self.memory.update(zip(places, data.to_bytes(4, "little")))
        elif address in RAM and all(place in self.memory for place in places):
            want = int.from_bytes(bytes(self.memory[place] for place in places), "little")
            self.check(entry, f"loads {data:x}, wanted {want:x}", data == want)
            self.checked["load"] += 1

    def step(self, entry):
        if entry.name in ("interrupt", "exception"):
            if self.next is not None:
                self.check(entry, f"at {entry.pc:x}, not {self.next:x}", entry.pc == self.next)
            self.mepc, self.next = entry.pc, None  # what mtvec says
            if entry.operands[0] == ACCELERATOR:
                self.memory.clear()  # it has written some of it
            return
        if self.next is not None:
            self.check(entry, f"at {entry.pc:x}, wanted {self.next:x}", entry.pc == self.next)
        if entry.name[0] in "ls" and entry.name[1:] in ("b", "h", "w", "bu", "hu"):
            self.access(entry)
        self.next = self.following(entry)
        if (
            entry.name.startswith("csrr")
            and entry.operands[1] == "mepc"
            and entry.operands[2] in NAMES
        ):
            if entry.operands[2] != "zero":
                self.mepc = self.registers[entry.operands[2]]
        self.registers |= {n: int(v, 16) for n, v in entry.effects.items() if n in NAMES}


class Trace(NamedTuple):
    status: int
    entries: list[Entry]
    output: str
    cycles: int | None


class Program:
    def __init__(self, sim: str, elf: str, folder: Path) -> None:
        self.command, self.elf, self.folder = [sim, "--power-up", "7"], elf, folder

    def run(self, *arguments: str) -> tuple[subprocess.CompletedProcess, int | None]:
        """How it ended, and after how many cycles."""
        done = subprocess.run([*self.command, *arguments, self.elf], capture_output=True, text=True)
        cycles = re.search(r"after (\d+) cycles", done.stderr)
        return done, cycles and int(cycles[1])

    def traced(self, name: str, *arguments: str) -> Trace:
        path = self.folder / f"{name}.txt"
        done, cycles = self.run("--instructions", str(path), *arguments)
        return Trace(done.returncode, entries(path), done.stdout, cycles)


@pytest.fixture(scope="session")
def program(sim: str, elf: str, folder: Path) -> Program:
    return Program(sim, elf, folder)


@pytest.fixture(scope="session")
def whole(program: Program) -> Trace:
    return program.traced("whole")


def part_of(bench: Bench, program: Program, name: str, *arguments: str) -> list[Entry]:
    part = program.traced(name, *arguments)
    bench.check(f"{name}: status {part.status}", part.status == 0)
    return part.entries


def test_equal_runs(bench: Bench, program: Program, whole: Trace) -> None:
    """The list changes neither output nor cycles."""
    plain, cycles = program.run()
    bench.check(f"whole: status {whole.status}", whole.status == 0)
    bench.check("the output is the same", whole.output == plain.stdout != "")
    bench.check(f"{whole.cycles} of {cycles} cycles", whole.cycles == cycles)


@pytest.fixture(scope="session")
def image(elf: str, objcopy: str, folder: Path) -> bytes:
    path = folder / "soc.bin"
    subprocess.run([objcopy, "-O", "binary", elf, path], check=True)
    return path.read_bytes()


def test_whole(bench: Bench, whole: Trace, elf: str, objdump: str, image: bytes) -> None:
    whole = whole.entries
    replay = Replay(bench, image)
    for entry in whole:
        replay.step(entry)
    for what, count in replay.checked.items():
        bench.check(
            f"{count} of '{what}' were checked", count >= (3 if what == "misaligned" else 6)
        )
    lines = listing(objdump, elf)
    retired = [e for e in whole if not e.encoded.startswith("-")]
    for e in retired:
        line = lines[e.pc]
        good = e.encoded == line.encoded
        if len(e.encoded) == 8:
            good = good and " ".join([e.name, ",".join(e.operands)]).strip() == line.text
        bench.check(f"{e.pc:x}: {e.encoded} {e.name} {e.operands}, objdump {line}", good)
    bench.check(
        "a cycle has one instruction at most", len({e.cycle for e in retired}) == len(retired)
    )
    traps = [
        (e.name, e.operands[0], e.effects["mtval"])
        for e in whole
        if e.name in ("exception", "interrupt")
    ]
    for trap in (
        ("exception", "5", "00000000"),
        ("exception", "7", "00000000"),
        ("exception", "5", "7ffffffc"),
        ("interrupt", "7", "00000000"),
        ("interrupt", "16", "00000000"),
    ):
        bench.check(f"{trap} once in {traps}", traps.count(trap) == 1)
    bench.check("main has its location", any(e.location == "main+0x0" for e in whole))


def check_function(bench, whole, part, name, callee):
    """The calls of a function: each from its first instruction until it returns."""
    calls = sum(e.location == f"{name}+0x0" for e in whole)
    bench.check(f"{name} is called {calls} times", calls > 1)
    starts = [i for i, e in enumerate(part) if e.location == f"{name}+0x0"]
    bench.check(f"{len(starts)} calls", len(starts) == calls and starts[0] == 0)
    for start, end in zip(starts, [*starts[1:], len(part)]):
        bench.check(
            f"a call ends with a return: {part[end - 1]}", part[end - 1].operands[:1] == ["zero"]
        )
        bench.check(
            f"a call of {name} has {callee}",
            any(e.location == f"{callee}+0x0" for e in part[start:end]),
        )
    functions = {e.location.split("+")[0] for e in part}
    bench.check(f"{functions} run", {name, callee} <= functions and "main" not in functions)


def test_window(bench: Bench, program: Program, whole: Trace) -> None:
    whole, end = whole.entries, whole.cycles
    first, last = whole[len(whole) // 3].cycle, whole[len(whole) // 2].cycle
    window = part_of(bench, program, "window", "--trace-from", str(first), "--trace-to", str(last))
    bench.check(
        "a window has its cycles, ends included",
        window == [e for e in whole if first <= e.cycle <= last],
    )
    bench.check(f"{len(window)} entries in the window", len(window) > 100)
    empty = part_of(bench, program, "behind", "--trace-from", str(2 * end))
    bench.check("a window behind the end is empty", empty == [])


def test_function(bench: Bench, program: Program, whole: Trace) -> None:
    only = "--instructions-in", "expect_load_fault"
    part = part_of(bench, program, "function", *only)
    check_function(bench, whole.entries, part, "expect_load_fault", "trap")
    both = part_of(bench, program, "both", *only, "--trace-from", str(part[5].cycle))
    bench.check("function and window", both == part[5:])


@pytest.mark.parametrize(
    ("what", "wanted", "arguments"),
    [
        ("a full disk", "could not be written completely", ["--instructions", "/dev/full"]),
        ("no folder", "cannot be written", ["--instructions", "FOLDER/none/x"]),
        (
            "no function",
            "no function 'nowhere'",
            ["--instructions", "/dev/null", "--instructions-in", "nowhere"],
        ),
    ],
)
def test_refused(
    bench: Bench, program: Program, what: str, wanted: str, arguments: list[str]
) -> None:
    done, _ = program.run(*(a.replace("FOLDER", str(program.folder)) for a in arguments))
    bench.check(f"{what}: {done.stderr}", done.returncode == 2 and wanted in done.stderr)
