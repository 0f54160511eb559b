# SPDX-License-Identifier: Apache-2.0
"""The text of every instruction of 32 bits, beside objdump's.

python tests/sim/test_disassemble.py DISASSEMBLER OBJDUMP ELF...
"""

import subprocess
import sys

from objdump import listing
from tally import Tally


def main() -> int:
    disassembler, objdump, *elfs = sys.argv[1:]
    tally = Tally()
    for elf in elfs:
        lines = {pc: line for pc, line in listing(objdump, elf).items() if len(line.encoded) == 8}
        text = "".join(f"{pc:x} {line.encoded}\n" for pc, line in lines.items())
        done = subprocess.run([disassembler], input=text, capture_output=True, text=True)
        ours = done.stdout.splitlines()
        tally.check(f"{elf}: {len(ours)} lines for {len(lines)}", len(ours) == len(lines) > 100)
        for (pc, line), our in zip(lines.items(), ours):
            tally.check(f"{elf}: {pc:x}: '{our}', objdump '{line.text}'", our == line.text)
    return tally.report()


if __name__ == "__main__":
    sys.exit(main())
