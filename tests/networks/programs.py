# SPDX-License-Identifier: Apache-2.0
"""Compiles what fp8net writes, and runs it on the host."""

from __future__ import annotations

import dataclasses
import re
import subprocess
from pathlib import Path


@dataclasses.dataclass
class Outcome:
    status: int
    text: str

    def number(self, pattern: str) -> int:
        found = re.search(pattern, self.text)
        return int(found.group(1)) if found else -1

    @property
    def compared(self) -> int:
        return self.number(r"(\d+) bytes compared")

    @property
    def different(self) -> int:
        return self.number(r"(\d+) differ")


@dataclasses.dataclass
class Compiler:
    command: list[str]
    objects: list[str]

    def build(self, folder: Path) -> Path:
        program = folder.parent / f"{folder.name}.program"
        command = [
            *self.command,
            "-o",
            program,
            *sorted(folder.glob("*.c")),
            *self.objects,
            "-lm",
            "-pthread",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        return program


def run(program: Path, *arguments: str, **environment: str) -> Outcome:
    import os

    done = subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "FP8RT_ARRAY": "4x4x16", "FP8RT_ELEMENT": "block_f19", **environment},
    )
    return Outcome(done.returncode, done.stdout + done.stderr)
