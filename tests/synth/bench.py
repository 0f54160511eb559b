# SPDX-License-Identifier: Apache-2.0
"""What the tests of the synthesis package count their checks with."""

from __future__ import annotations

import re
import sys
import traceback


class Bench:
    """Counts checks. A failed one is printed, and the others follow."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, name: str, good: object) -> None:
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {name}")

    def raises(self, name: str, kind: type[Exception], words: str, work) -> None:
        """`work` raises `kind`, and its message matches `words`."""
        try:
            work()
        except kind as error:
            self.check(f"{name}: {error}", re.search(words, str(error)))
        else:
            self.check(f"{name}: nothing was raised", False)

    def run(self, test, *arguments) -> None:
        try:
            test(self, *arguments)
        except Exception:
            traceback.print_exc(file=sys.stdout)
            self.check(test.__name__, False)
