# SPDX-License-Identifier: Apache-2.0
"""The text of every instruction of 32 bits, beside objdump's.

python -m pytest -c tests/pytest.ini tests/sim/test_disassemble.py --disassembler PROGRAM --objdump PROGRAM --elfs ELF...
"""

import subprocess

from objdump import listing

from tests.conftest import Bench


def test_texts(bench: Bench, disassembler: str, objdump: str, elfs: list[str]) -> None:
    for elf in elfs:
        lines = {pc: line for pc, line in listing(objdump, elf).items() if len(line.encoded) == 8}
        text = "".join(f"{pc:x} {line.encoded}\n" for pc, line in lines.items())
        done = subprocess.run([disassembler], input=text, capture_output=True, text=True)
        ours = done.stdout.splitlines()
        bench.check(f"{elf}: {len(ours)} lines for {len(lines)}", len(ours) == len(lines) > 100)
        for (pc, line), our in zip(lines.items(), ours):
            bench.check(f"{elf}: {pc:x}: '{our}', objdump '{line.text}'", our == line.text)
