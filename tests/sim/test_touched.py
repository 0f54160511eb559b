# SPDX-License-Identifier: Apache-2.0
"""What the accelerator reads and writes is what the library cleans and invalidates, for random commands of every kind.

    python -m pytest -c tests/pytest.ini tests/sim/test_touched.py --sim SIM --elf TOUCHED_ELF --folder FOLDER --count N

The application `touched` runs operations, direct and recorded, and logs the port's calls; the simulator traces the bus. Of
each operation, as a union over its commands:

- each beat that the RTL reads meets a row that the library has cleaned: an operand, a command, a list;
- each row that it has cleaned is read, or is one of D; of vectors and lists that is each beat;
- the bytes that the RTL writes, by their strobes, are those of the rows that the library has invalidated;
- these were cleaned before.

The port is told of spans, from the first byte of a region to its last. The application knows strides, so the rows of a
span are known, but not where a span of too few rows should have ended: the transfers tell.
"""

from __future__ import annotations

import csv
import re
import struct
import subprocess
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import Bench

RAM = 0x80000000
BEGIN, END, CLEAN, INVALIDATE, ROWS, CORE, LOOSE, IMAGE = range(1, 9)
SHOWN = 3  # addresses in a message


@dataclass
class Span:
    address: int
    bytes: int
    stride: int = 0  # of the rows of an operand; 0: it is one row
    row_bytes: int = 0
    spare: int = 0  # bytes that its last row may have more

    def __contains__(self, address: int) -> bool:
        return self.address <= address < self.address + self.bytes


@dataclass
class Operation:
    kind: int
    recorded: int
    begins: int
    ends: int = 0
    cleaned: list[Span] = field(default_factory=list)
    invalidated: list[Span] = field(default_factory=list)
    operands: list[Span] = field(default_factory=list)
    core: list[Span] = field(default_factory=list)
    loose: list[Span] = field(default_factory=list)
    read: set[int] = field(default_factory=set)  # addresses of beats
    written: set[int] = field(default_factory=set)  # of bytes

    def operand_at(self, address: int) -> Span | None:
        return next((o for o in self.operands if address in o), None)

    def rows(self, span: Span) -> list[Span]:
        """The rows that a call of the port stands for. The last one ends with the span."""
        operand = self.operand_at(span.address)
        if operand is None or operand.stride == 0:
            return [span]
        within = (span.address - operand.address) % operand.stride
        size = operand.row_bytes - within
        count = max(span.bytes - size, 0) // operand.stride + 1
        rows = [Span(span.address + i * operand.stride, size) for i in range(count)]
        rows[-1].bytes = span.address + span.bytes - rows[-1].address
        return rows

    def is_whole(self, span: Span) -> bool:
        """Whether a span ends with a row, and not within or behind it"""
        operand = self.operand_at(span.address)
        if operand is None or operand.stride == 0:
            return True
        over = self.rows(span)[-1].bytes - (
            operand.row_bytes - (span.address - operand.address) % operand.stride
        )
        return 0 <= over <= operand.spare


def beats(span: Span, beat: int) -> range:
    return range(span.address // beat * beat, span.address + span.bytes, beat)


def texts(addresses: set[int]) -> str:
    return ", ".join(f"0x{a:08x}" for a in sorted(addresses)[:SHOWN])


def read_log(memory: bytes, address: int, count: int) -> list[Operation]:
    operations: list[Operation] = []
    for kind, a, b, c, d in struct.iter_unpack(
        "<5I", memory[address - RAM : address - RAM + 20 * count]
    ):
        if kind == BEGIN:
            operations.append(Operation(a, b, c))
            continue
        now = operations[-1]
        if kind == END:
            now.ends = b
        elif kind == IMAGE:  # what is behind the channels of its last pixel
            next(o for o in now.operands if o.address == a).spare = b
        else:
            lists = {
                CLEAN: now.cleaned,
                INVALIDATE: now.invalidated,
                ROWS: now.operands,
                CORE: now.core,
                LOOSE: now.loose,
            }
            lists[kind].append(Span(a, b, c, d))
    return operations


def read_trace(path: Path, operations: list[Operation]) -> tuple[int, int]:
    """Gives the transfers to their operations. Returns how many belong to none, and the bytes of a beat."""
    begins = [o.begins for o in operations]
    strays = beat = 0
    with path.open() as file:
        for cycle, channel, address, size in list(csv.reader(file))[1:]:
            if channel not in "rw":
                continue
            index = bisect_right(begins, int(cycle)) - 1
            if index < 0 or int(cycle) > operations[index].ends:
                strays += 1
            elif channel == "r":
                beat = int(size)
                operations[index].read.add(int(address, 0))
            else:
                first = int(address, 0)
                operations[index].written.update(range(first, first + int(size)))
    return strays, beat


def check_reads(bench: Bench, text: str, operation: Operation, beat: int) -> None:
    named = {x for s in operation.cleaned for row in operation.rows(s) for x in beats(row, beat)}
    unnamed = operation.read - named
    bench.check(
        f"{text}: reads {len(unnamed)} beats that were not cleaned: {texts(unnamed)}",
        operation.read and not unnamed,
    )


def check_cleaned(bench: Bench, text: str, operation: Operation, beat: int) -> None:
    idle = set()
    for span in operation.cleaned:
        if any(span.address in s for s in operation.core):
            continue
        operand = operation.operand_at(span.address)
        rows = operation.rows(span)
        if operand is None or any(span.address in s for s in operation.loose):
            touched = [any(x in operation.read for x in beats(span, beat))]
        elif span.address in operation.written:  # D, which may be an input as well
            touched = [all(row.address in operation.written for row in rows)]
        elif operand.stride == 0:
            touched = [x in operation.read for x in beats(span, beat)]
        else:
            touched = [any(x in operation.read for x in beats(row, beat)) for row in rows]
        if not all(touched) or not operation.is_whole(span):
            idle.add(span.address)
    bench.check(f"{text}: rows that are cleaned are not used, or in part: {texts(idle)}", not idle)


def check_writes(bench: Bench, text: str, operation: Operation) -> None:
    named = {
        x
        for span in operation.invalidated
        for row in operation.rows(span)
        for x in range(row.address, row.address + row.bytes)
    }
    more, less = operation.written - named, named - operation.written
    bench.check(
        f"{text}: {len(more)} written bytes were not invalidated: {texts(more)}",
        operation.written and not more,
    )
    bench.check(f"{text}: {len(less)} invalidated bytes were not written: {texts(less)}", not less)
    cleaned = [(s.address, s.address + s.bytes) for s in operation.cleaned]
    lost = {
        s.address
        for s in operation.invalidated
        if not any(a <= s.address and s.address + s.bytes <= b for a, b in cleaned)
    }
    bench.check(f"{text}: what is invalidated was not cleaned before: {texts(lost)}", not lost)


def compare(bench: Bench, sim: str, elf: str, folder: Path, *arguments: str) -> None:
    trace, ram = folder / "bus.csv", folder / "ram"
    command = [sim, "--quiet", "--bus", trace, "--dump-memory", ram, elf, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    names = dict(re.findall(r"^kind (\d+) (.*)$", done.stdout, re.MULTILINE))
    address, count = re.search(r"^log (\w+) (\d+) of", done.stdout, re.MULTILINE).groups()
    operations = read_log(ram.read_bytes(), int(address, 0), int(count))
    strays, beat = read_trace(trace, operations)
    bench.check(f"{strays} transfers of no operation", strays == 0)
    for number, operation in enumerate(operations):
        how = "recorded" if operation.recorded else "direct"
        text = f"operation {number}, {names[str(operation.kind)]}, {how}"
        check_reads(bench, text, operation, beat)
        check_cleaned(bench, text, operation, beat)
        check_writes(bench, text, operation)


def test_commands(bench: Bench, sim: str, elf: str, folder: Path, count: int, seed: int) -> None:
    compare(bench, sim, elf, folder, f"COUNT={count}", f"SEED={seed}")
