# SPDX-License-Identifier: Apache-2.0
"""The report of a campaign: what was killed, by which tests, at which cost, and each survivor as a small diff."""

import difflib
import math
from collections import Counter
from pathlib import Path

from draw import Mutant
from results import INVALID, KILLED, OPEN, SAME, SURVIVED, Results, Tests
from table import TableError

LEAST = 0.9  # of the mutants that are not equivalent
EQUIVALENT = "equivalent"
COLUMNS = (KILLED, OPEN, SURVIVED, EQUIVALENT, INVALID, SAME)


def equivalents(path: Path) -> dict[str, str]:
    """{identifier: argument} of a file with lines `IDENTIFIER  argument`; deeper lines continue an argument."""
    found: dict[str, str] = {}
    last = ""
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            last, _, line = line.partition(" ")
            found[last] = ""
        if not last:
            raise TableError(f"{path}:{number}: an argument needs an identifier before it")
        found[last] = f"{found[last]} {line.strip()}".strip()
    for identifier, argument in found.items():
        if not argument:
            raise TableError(f"{path}: {identifier} has no argument")
    return found


def interval(killed: int, total: int) -> tuple[float, float]:
    """Wilson's interval: the share among all mutants lies in it with a probability of 95 %."""
    share, z = killed / total, 1.96
    middle, width = share + z * z / (2 * total), share * (1 - share) / total
    spread = z * math.sqrt(width + z * z / (4 * total * total))
    return tuple((middle + sign * spread) / (1 + z * z / total) for sign in (-1, 1))


def diff(mutant: Mutant) -> str:
    texts = mutant.original.splitlines(), mutant.text().splitlines()
    return "\n".join([*difflib.unified_diff(*texts, n=1, lineterm="")][2:])


class Report:
    def __init__(self, mutants: list[Mutant], results: Results, equivalent: dict[str, str]) -> None:
        self.mutants, self.results, self.equivalent = mutants, results, equivalent
        self.counts = Counter((m.room, self.status(m)) for m in mutants)

    def status(self, mutant: Mutant) -> str:
        status = self.results.known[mutant.id].status
        return EQUIVALENT if status in (OPEN, SURVIVED) and mutant.id in self.equivalent else status

    def total(self, status: str) -> int:
        return sum(count for (_, of), count in self.counts.items() if of == status)

    def passed(self) -> bool:
        killed = self.total(KILLED)
        return killed > 0 and killed >= LEAST * self.tried()

    def tried(self) -> int:
        return self.total(KILLED) + self.total(OPEN) + self.total(SURVIVED)

    def show(self, tests: Tests) -> None:
        self.show_rooms()
        self.show_tests()
        self.show_survivors()
        for name in tests.broken():
            print(f"\n{name} fails without a mutant: it was left out. Repair it.")
        self.show_share()

    def show_rooms(self) -> None:
        seconds = Counter()
        for mutant in self.mutants:
            seconds[mutant.room] += self.results.known[mutant.id].processor
        print()
        show_row("room", [*COLUMNS, "processor min"])
        for room in dict.fromkeys(mutant.room for mutant in self.mutants):
            counts = [self.counts[room, column] for column in COLUMNS]
            show_row(room, [*counts, f"{seconds[room] / 60:.1f}"])
        totals = [self.total(column) for column in COLUMNS]
        show_row("all", [*totals, f"{seconds.total() / 60:.1f}"])

    def show_tests(self) -> None:
        killed = [self.results.known[m.id] for m in self.mutants if self.status(m) == KILLED]
        print("\nkilled by")
        for test, count in Counter(result.test for result in killed).most_common():
            print(f"{count:5}  {test}")
        for how in ("timeout", "not built"):
            count = sum(result.how.startswith(how) for result in killed)
            if count:
                print(f"{count:5}  of these: {how}")

    def show_survivors(self) -> None:
        shown = sorted(self.mutants, key=lambda mutant: mutant.id in self.equivalent)
        for mutant in shown:
            status = self.status(mutant)
            if status in (OPEN, SURVIVED, EQUIVALENT):
                print(f"\n{status} {mutant.id} {mutant.name()}")
                print(diff(mutant))
            if status == EQUIVALENT:
                print(f"because {self.equivalent[mutant.id]}")

    def show_share(self) -> None:
        killed = self.total(KILLED)
        tried = self.tried()
        if not tried:
            print("\nno mutant is finished")
            return
        low, high = interval(killed, tried)
        print(
            f"\n{killed} of {tried} mutants that are not equivalent were killed: {killed / tried:.1%}, "
            f"at least {LEAST:.0%} wanted (of all mutants with 95 % confidence: {low:.0%} to {high:.0%})"
        )


def show_row(name: str, values: list[object]) -> None:
    print(name.ljust(12) + "".join(f"{value!s:>14}" for value in values))
