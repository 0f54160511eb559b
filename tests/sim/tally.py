# SPDX-License-Identifier: Apache-2.0
"""Counts checks and prints what tests/run_test.sh wants to see at the end."""


class Tally:
    def __init__(self):
        self.passed, self.failures = 0, []

    def check(self, what, good):
        if good:
            self.passed += 1
        else:
            self.failures.append(what)

    def report(self) -> int:
        """Prints the failures and the count. The exit status: 1 if there are failures."""
        for failure in self.failures:
            print(f"FAILED: {failure}")
        print(f"{self.passed} passed, {len(self.failures)} failed")
        return 1 if self.failures else 0
