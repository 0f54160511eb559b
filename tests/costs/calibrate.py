# SPDX-License-Identifier: Apache-2.0
"""calibrate.py FILE CXX: measures how much processor time this machine takes, now, for work that never changes.

Processor time depends on the machine and on what else it does: two jobs on one core with two threads take up to twice
the time of one. So the run of the tests calls this several times, beside its other jobs. The work is what most of the run
is, a compilation by g++ of code that looks like a Verilator model; the code is made here, always the same. Its seconds are
appended to FILE.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

FUNCTIONS, STATEMENTS, SIGNALS = 20, 60, 400


def code() -> str:
    draw = random.Random(1)

    def signal() -> str:
        return f"s->signal_{draw.randrange(SIGNALS)}"

    lines = ["#include <map>", "#include <string>", "#include <vector>", "struct State {"]
    lines += [f"  unsigned signal_{n};" for n in range(SIGNALS)]
    lines += ["  std::map<std::string, std::vector<unsigned>> names;", "};"]
    for function in range(FUNCTIONS):
        lines.append(f"void step_{function}(State *s) {{")
        for _ in range(STATEMENTS):
            a, b, c, d = (signal() for _ in range(4))
            bits, operator = draw.randrange(1, 31), draw.choice("&|^+")
            lines.append(
                f"  {a} = (({b} >> {bits}) {operator} ({c} << {32 - bits})) ^ (-(1 & {d}));"
            )
            lines.append(f"  if ({b} & {1 << bits}u) {c} = {d} {operator} {a};")
        lines.append(f'  s->names["step"].push_back({signal()});')
        lines.append("}")
    return "\n".join(lines) + "\n"


def main() -> int:
    file, cxx = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "calibration.cpp")
        source.write_text(code())
        before = os.times()
        subprocess.run(
            [cxx, "-std=c++17", "-O1", "-c", "-o", f"{folder}/calibration.o", str(source)],
            check=True,
        )
        after = os.times()
    seconds = (
        after.children_user - before.children_user + after.children_system - before.children_system
    )
    with open(file, "a") as out:
        out.write(f"{seconds:.3f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
