# SPDX-License-Identifier: Apache-2.0
"""The instructions of a program as objdump writes them."""

import re
import subprocess
from typing import NamedTuple


class Line(NamedTuple):
    encoded: str
    text: str


def listing(objdump, elf):
    """Instructions by address, with their real names and one space behind each name."""
    done = subprocess.run(
        [objdump, "-d", "-M", "no-aliases", elf], capture_output=True, text=True, check=True
    )
    lines = {}
    for line in done.stdout.splitlines():
        match = re.match(r" *([0-9a-f]+):\t([0-9a-f]+) +\t(.*)", line)
        if match:
            text = re.sub(r" *(<.*|# .*)$", "", match[3]).replace("\t", " ").strip()
            lines[int(match[1], 16)] = Line(match[2], text)
    return lines
