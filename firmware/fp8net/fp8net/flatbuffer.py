# SPDX-License-Identifier: Apache-2.0
"""Reads the tables of a FlatBuffers file. Whatever is wrong with the file is a Damaged.

A table begins with the distance to its vtable, which has a 16-bit offset for each field; 0 stands for the default. Vectors
have their length first. Offsets to tables, vectors and strings count from where they stand.

Written by hand: the package flatbuffers, on which readers made from the schema stand, has no verifier in Python, so damaged
files would end in exceptions of any kind.
"""

from __future__ import annotations

import struct

import numpy as np

_SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "f": 4}


class Damaged(ValueError):
    """An offset or a length that the file does not have."""


class File:
    def __init__(self, data: bytes):
        self.data = data

    def number(self, at: int, kind: str):
        if at < 0 or at + _SIZES[kind] > len(self.data):
            raise Damaged(f"an offset of {at} in {len(self.data)} bytes")
        return struct.unpack_from(f"<{kind}", self.data, at)[0]

    def target(self, at: int) -> int:
        return at + self.number(at, "I")

    def root(self) -> Table:
        return Table(self, self.target(0))


class Table:
    def __init__(self, file: File, at: int):
        self.file, self.at = file, at
        self.vtable = at - file.number(at, "i")
        self.bytes = file.number(self.vtable, "H")

    def place(self, field: int) -> int | None:
        """Where the field's value is; None: it is not there."""
        entry = 4 + 2 * field
        if entry + 2 > self.bytes:
            return None
        offset = self.file.number(self.vtable + entry, "H")
        return self.at + offset if offset else None

    def number(self, field: int, kind: str, default=0):
        at = self.place(field)
        return default if at is None else self.file.number(at, kind)

    def table(self, field: int) -> Table | None:
        at = self.place(field)
        return None if at is None else Table(self.file, self.file.target(at))

    def text(self, field: int) -> str:
        return bytes(self.numbers(field, "B")).decode("utf-8", "replace")

    def numbers(self, field: int, kind: str) -> np.ndarray:
        """A vector of numbers; empty without one."""
        at = self.place(field)
        if at is None:
            return np.zeros(0, f"<{kind}")
        at = self.file.target(at)
        count = self.file.number(at, "I")
        if at + 4 + count * _SIZES[kind] > len(self.file.data):
            raise Damaged(f"a vector of {count} values at {at}")
        return np.frombuffer(self.file.data, f"<{kind}", count, at + 4)

    def tables(self, field: int) -> list[Table]:
        at = self.place(field)
        if at is None:
            return []
        at = self.file.target(at)
        count = self.file.number(at, "I")
        if at + 4 + 4 * count > len(self.file.data):
            raise Damaged(f"a vector of {count} tables at {at}")
        return [Table(self.file, self.file.target(at + 4 + 4 * i)) for i in range(count)]
