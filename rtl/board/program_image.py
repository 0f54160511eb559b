# SPDX-License-Identifier: Apache-2.0
"""program_image.py --ram BYTES --beat BYTES --out FILE ELF [ARGUMENT...]: the first contents of a board's RAM.

Writes a line of hexadecimal digits for each beat, from the first address on, as $readmemh reads it. The arguments stand in
the last 4 KB, as the simulator places them: argc, argc addresses, strings.
"""

from __future__ import annotations

import argparse
import struct
import sys
from pathlib import Path

RAM_BASE = 0x80000000
ARGS_BYTES = 4096
PT_LOAD = 1


def segments(elf: bytes) -> list[tuple[int, bytes]]:
    """Addresses and bytes of what a little-endian ELF32 file loads."""
    if elf[:6] != b"\x7fELF\x01\x01":
        raise ValueError("this is no little-endian ELF32 file")
    offset = struct.unpack_from("<I", elf, 28)[0]
    size, entries = struct.unpack_from("<2H", elf, 42)
    headers = (struct.unpack_from("<8I", elf, offset + i * size) for i in range(entries))
    return [(h[3], elf[h[1] : h[1] + h[4]]) for h in headers if h[0] == PT_LOAD and h[4] > 0]


def arguments(address: int, values: list[str]) -> bytes:
    """The block that begins at this address."""
    at, texts, pointers = address + 4 + 4 * len(values), b"", []
    for value in values:
        pointers.append(at + len(texts))
        texts += value.encode() + b"\0"
    block = struct.pack(f"<{1 + len(values)}I", len(values), *pointers) + texts
    if len(block) > ARGS_BYTES:
        raise ValueError(f"the arguments take {len(block)} bytes of {ARGS_BYTES}")
    return block


def contents(elf: bytes, values: list[str], ram: int) -> bytes:
    memory = bytearray(ram)
    args = ram - ARGS_BYTES
    for address, data in segments(elf):
        first = address - RAM_BASE
        if first < 0 or first + len(data) > args:
            raise ValueError(f"the segment at {address:#x} is not in the RAM below its last 4 KB")
        memory[first : first + len(data)] = data
    block = arguments(RAM_BASE + args, values)
    memory[args : args + len(block)] = block
    return bytes(memory)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ram", type=int, required=True)
    parser.add_argument("--beat", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("elf", type=Path)
    parser.add_argument("arguments", nargs="*")
    given = parser.parse_args()
    try:
        memory = contents(given.elf.read_bytes(), [given.elf.stem, *given.arguments], given.ram)
    except ValueError as why:
        print(f"{given.elf}: {why}", file=sys.stderr)
        return 1
    beats = (memory[i : i + given.beat] for i in range(0, given.ram, given.beat))
    given.out.write_text("".join(f"{beat[::-1].hex()}\n" for beat in beats))
    return 0


if __name__ == "__main__":
    sys.exit(main())
