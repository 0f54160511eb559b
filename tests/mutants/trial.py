# SPDX-License-Identifier: Apache-2.0
"""The trial of one mutant: it must compile, then tests run until one fails. The relevant tests and the others are two
trials.

A test that fails is a kill only if it passes without the mutant, which is tried once for each test. A test that fails
without a mutant, too, is left out.
"""

from pathlib import Path

from draw import Mutant
from results import ALL, INVALID, KILLED, OPEN, OTHERS, RELEVANT, SAME, SURVIVED, Result, Tests
from table import Table, TableError
from tree import Tree

PASSED, FAILED = "passed", "failed"


class Judge:
    def __init__(self, tree: Tree, table: Table, tests: Tests, out: Path) -> None:
        self.tree, self.table, self.tests, self.out = tree, table, tests, out
        self.builds: set[str] = set()  # targets that are known to compile without a mutant

    def try_mutant(self, mutant: Mutant, chosen: str | list[str] = RELEVANT) -> Result:
        """Runs the relevant tests, the others, all, or those with these names."""
        before = self.tree.processor
        try:
            result = self.compile(mutant) or self.run_tests(mutant, chosen)
        finally:
            self.tree.restore()
        result.processor = round(self.tree.processor - before, 1)
        return result

    # ---- compilation -----------------------------------------------------------------------------

    def compile(self, mutant: Mutant) -> Result | None:
        """A result if the mutant does not compile, or makes no difference to the compiled code."""
        targets = self.table.builds(mutant.file)
        original = self.original_code(targets)
        self.tree.change(mutant)
        if self.tree.make(*targets).status != 0:
            return Result.of(mutant, INVALID, how=self.why_invalid())
        same = original and self.tree.code(targets) == original
        return Result.of(mutant, SAME) if same else None

    def original_code(self, targets: list[str]) -> list[bytes]:
        """Object files are built again, because the last mutant may be in them. Other targets once."""
        objects = all(target.endswith(".o") for target in targets)
        if not objects and self.builds.issuperset(targets):
            return []
        if self.tree.make(*targets).status != 0:
            raise TableError(
                f"without a mutant, make {' '.join(targets)} fails:\n{self.tree.tail()}"
            )
        self.builds.update(targets)
        return self.tree.code(targets)

    def why_invalid(self) -> str:
        lines = last_bytes(self.tree.log).decode(errors="replace").splitlines()
        return next((line[:200] for line in lines if "error" in line.lower()), "")

    # ---- tests -----------------------------------------------------------------------------------

    def order(self, mutant: Mutant, chosen: str | list[str]) -> list[str]:
        if isinstance(chosen, list):
            return chosen
        names, root = self.tests.cheapest_first(self.tests.names), self.tree.root
        relevant = self.table.relevant(mutant.file, names, root) if chosen != OTHERS else []
        others = self.table.others(mutant.file, names, root) if chosen in (OTHERS, ALL) else []
        return relevant + others

    def run_tests(self, mutant: Mutant, chosen: str | list[str]) -> Result:
        ran: list[str] = []
        for test in self.order(mutant, chosen):
            if self.tests.verdict(test) is False:
                continue
            decided, how = self.run_test(test)
            ran.append(test)
            if how == PASSED:
                self.tests.tell(test, True, self.tree.times(test))
                continue
            said = self.failure()
            if self.passes_without(mutant, test):
                self.keep(mutant, decided, said)
                return Result.of(mutant, KILLED, test=decided, how=how, ran=ran)
        return Result.of(mutant, OPEN if chosen == RELEVANT else SURVIVED, ran=ran)

    def run_test(self, test: str) -> tuple[str, str]:
        """The test that decided, and what it said. A test may need another one, which then decides."""
        self.forget(test)
        log = self.tree.tests / f"{test}.log"
        outcome = self.tree.make(
            f"build/test/{test}.log",
            watched=log.with_name(f"{log.name}.part"),
            limit=self.tests.limit(test),
        )
        failed = sorted(self.tree.tests.glob("*.log.out"))
        if outcome.status == 0 and log.exists():
            return test, PASSED
        if outcome.over:
            return test, f"timeout: more than {outcome.over}"
        return (failed[0].name[: -len(".log.out")], FAILED) if failed else (test, "not built")

    def forget(self, test: str) -> None:
        """A log that exists would keep make from running the test, and hide what failed."""
        (self.tree.tests / f"{test}.log").unlink(missing_ok=True)
        for path in [*self.tree.tests.glob("*.part"), *self.tree.tests.glob("*.out")]:
            path.unlink()

    def passes_without(self, mutant: Mutant, test: str) -> bool:
        """Tries a failing test without the mutant, once for these sources, and puts the mutant back if it is broken."""
        if self.tests.verdict(test) is None:
            self.tree.restore()
            _, how = self.run_test(test)
            self.tests.tell(test, how == PASSED, self.tree.times(test))
            if how != PASSED:
                self.tree.change(mutant)
        return self.tests.verdict(test) is True

    # ---- logs ------------------------------------------------------------------------------------

    def failure(self) -> bytes:
        """What was printed by a run that failed."""
        logs = [self.tree.log, *sorted(self.tree.tests.glob("*.log.out"))]
        return b"".join(map(last_bytes, logs))

    def keep(self, mutant: Mutant, test: str, said: bytes) -> None:
        folder = self.out / "logs"
        folder.mkdir(exist_ok=True)
        (folder / f"{mutant.id}.{test}").write_bytes(said)


def last_bytes(path: Path, most: int = 20000) -> bytes:
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - most, 0))
        return file.read()
