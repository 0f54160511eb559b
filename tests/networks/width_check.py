# SPDX-License-Identifier: Apache-2.0
"""width_check.py DIGITS: a few rows of sim/bench/widths.json are what is measured now. DIGITS is the host's program."""

from __future__ import annotations

import sys
from pathlib import Path

import width_sums
from width_cases import CASES, SUMS_FORMATS, host_row, sums_rows

from sim.bench import widths as results
from tools.accept import expectations

LENGTH = 512


def main() -> int:
    cases = [case for case in CASES if case.format in SUMS_FORMATS]
    rows = {
        name: row for kind in width_sums.KINDS for name, row in sums_rows(kind, cases, (LENGTH,))
    }
    rows |= [host_row(Path(sys.argv[1]), Path(), "perceptron")]
    old = results.load()
    moved = expectations.moves({name: old.get(name, {}) for name in rows}, rows)
    print(expectations.complaint(results.KIND, moved))
    count = sum(len(one) for one in rows.values())
    print(f"{count - len(moved)} passed, {len(moved)} failed")
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
