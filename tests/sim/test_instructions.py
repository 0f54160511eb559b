# SPDX-License-Identifier: Apache-2.0
"""The instructions of tests/sim/soc.c: each follows from those before it.

    python tests/sim/test_instructions.py SIM SOC_ELF OBJDUMP OBJCOPY FOLDER

A replay keeps registers and memory from the effects alone. It says where a branch or jump goes, what address a load or
store has, what a store writes and what a load reads. Text and encoding are objdump's. The program has misaligned and
narrow accesses, exceptions and interrupts.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from objdump import listing
from tally import Tally

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
    def __init__(self, tally, image):
        self.tally = tally
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
        self.tally.check(f"cycle {entry.cycle}, {entry.location} {entry.name}: {what}", good)

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
        addresses = range(address, address + size)
        self.checked["misaligned"] += address % size != 0
        if kind == "store":
            want = self.registers[entry.operands[0]] & (1 << 8 * size) - 1
            self.check(entry, f"stores {data:x}, wanted {want:x}", data == want)
            self.checked["store"] += 1
            self.memory.update(zip(addresses, data.to_bytes(4, "little")))
        elif address in RAM and all(one in self.memory for one in addresses):
            want = int.from_bytes(bytes(self.memory[one] for one in addresses), "little")
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


def check_whole(tally, whole, elf, objdump, image):
    replay = Replay(tally, image)
    for entry in whole:
        replay.step(entry)
    for what, count in replay.checked.items():
        tally.check(
            f"{count} of '{what}' were checked", count >= (3 if what == "misaligned" else 6)
        )
    lines = listing(objdump, elf)
    retired = [e for e in whole if not e.encoded.startswith("-")]
    for e in retired:
        line = lines[e.pc]
        good = e.encoded == line.encoded
        if len(e.encoded) == 8:
            good = good and " ".join([e.name, ",".join(e.operands)]).strip() == line.text
        tally.check(f"{e.pc:x}: {e.encoded} {e.name} {e.operands}, objdump {line}", good)
    tally.check(
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
        tally.check(f"{trap} once in {traps}", traps.count(trap) == 1)
    tally.check("main has its location", any(e.location == "main+0x0" for e in whole))


def check_function(tally, whole, part, name, callee):
    """The calls of a function: each from its first instruction until it returns."""
    calls = sum(e.location == f"{name}+0x0" for e in whole)
    tally.check(f"{name} is called {calls} times", calls > 1)
    starts = [i for i, e in enumerate(part) if e.location == f"{name}+0x0"]
    tally.check(f"{len(starts)} calls", len(starts) == calls and starts[0] == 0)
    for start, end in zip(starts, [*starts[1:], len(part)]):
        tally.check(
            f"a call ends with a return: {part[end - 1]}", part[end - 1].operands[:1] == ["zero"]
        )
        tally.check(
            f"a call of {name} has {callee}",
            any(e.location == f"{callee}+0x0" for e in part[start:end]),
        )
    functions = {e.location.split("+")[0] for e in part}
    tally.check(f"{functions} run", {name, callee} <= functions and "main" not in functions)


def main() -> int:
    sim, elf, objdump, objcopy, folder = sys.argv[1:]
    folder = Path(folder)
    tally = Tally()

    def run(*arguments):
        done = subprocess.run(
            [sim, "--power-up", "7", *arguments, elf], capture_output=True, text=True
        )
        cycles = re.search(r"after (\d+) cycles", done.stderr)
        return done, cycles and int(cycles[1])

    def traced(name, *arguments):
        path = folder / f"{name}.txt"
        done, cycles = run("--instructions", str(path), *arguments)
        tally.check(f"{name}: status {done.returncode}", done.returncode == 0)
        return entries(path), done.stdout, cycles

    subprocess.run([objcopy, "-O", "binary", elf, folder / "soc.bin"], check=True)
    plain, cycles = run()
    whole, output, traced_cycles = traced("whole")
    tally.check("the output is the same", output == plain.stdout != "")
    tally.check(f"{traced_cycles} of {cycles} cycles", traced_cycles == cycles)
    check_whole(tally, whole, elf, objdump, (folder / "soc.bin").read_bytes())

    first, last = whole[len(whole) // 3].cycle, whole[len(whole) // 2].cycle
    window = traced("window", "--trace-from", str(first), "--trace-to", str(last))[0]
    tally.check(
        "a window has its cycles, ends included",
        window == [e for e in whole if first <= e.cycle <= last],
    )
    tally.check(f"{len(window)} entries in the window", len(window) > 100)
    empty = traced("behind", "--trace-from", str(2 * cycles))[0]
    tally.check("a window behind the end is empty", empty == [])
    part = traced("function", "--instructions-in", "expect_load_fault")[0]
    check_function(tally, whole, part, "expect_load_fault", "trap")
    both = traced(
        "both", "--instructions-in", "expect_load_fault", "--trace-from", str(part[5].cycle)
    )[0]
    tally.check("function and window", both == part[5:])

    for what, wanted, arguments in (
        ("a full disk", "could not be written completely", ["--instructions", "/dev/full"]),
        ("no folder", "cannot be written", ["--instructions", f"{folder}/none/x"]),
        (
            "no function",
            "no function 'nowhere'",
            ["--instructions", "/dev/null", "--instructions-in", "nowhere"],
        ),
    ):
        done, _ = run(*arguments)
        tally.check(f"{what}: {done.stderr}", done.returncode == 2 and wanted in done.stderr)
    return tally.report()


if __name__ == "__main__":
    sys.exit(main())
