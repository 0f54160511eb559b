# SPDX-License-Identifier: Apache-2.0
"""Counts what the tests of the tool compare, and prints what differs."""

counts = {"passed": 0, "failed": 0}


def equal(what: str, found: object, wanted: object) -> None:
    counts["passed" if found == wanted else "failed"] += 1
    if found != wanted:
        print(f"FAIL {what}: is {found!r}, must be {wanted!r}")


def finish() -> int:
    """Prints the counts and returns the exit status. A run of no checks is a failure."""
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 0 if counts["passed"] and not counts["failed"] else 1
