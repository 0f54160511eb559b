# SPDX-License-Identifier: Apache-2.0
"""README's figures are what their commands print: runs each command of the table under "Measured" and compares.

    python tests/docs/test_readme_figures.py README.md

A row is | `make run ...` | what it measures | figure % |. The figure must be the utilisation that the command prints, to
within one unit of the figure's last digit: the firmware's own cycles move with the compiler. The commands run with FAST=1,
which has the same cycles.
"""

import re
import subprocess
import sys
from pathlib import Path

ROW = re.compile(r"^\| `(make run[^`]*)` \| [^|]* \| (\d+(?:\.\d+)?) % \|$", re.M)
PRINTED = re.compile(r"utilisation\s+(\d+\.\d+) %")


def main() -> int:
    rows = ROW.findall(Path(sys.argv[1]).read_text())
    passed = failed = 0
    for command, figure in rows:
        output = subprocess.run([*command.split(), "FAST=1"], capture_output=True, text=True)
        text = output.stdout + output.stderr
        printed = PRINTED.search(text)
        unit = 10.0 ** -len(figure.partition(".")[2])
        if output.returncode == 0 and printed and abs(float(printed[1]) - float(figure)) <= unit:
            passed += 1
            continue
        failed += 1
        found = f"{printed[1]} %" if printed else "no utilisation"
        print(f"{command}: README says {figure} %, the command prints {found}")
        print("\n".join(text.splitlines()[-5:]))
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
