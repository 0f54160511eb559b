# SPDX-License-Identifier: Apache-2.0
"""A campaign: as many mutants of each room as its share, in one or more trees side by side. All of them run their relevant
tests first. Those that are left open run the others then.

An invalid mutant, or one that compiles to the same code, leaves its turn to the next one of its room. So the campaign
is the same whatever runs at once, and after an interruption: it is the beginning of each room's sequence.
"""

import threading
import time
from collections.abc import Iterator

from draw import Mutant
from limits import Stopped
from results import INVALID, RELEVANT, SAME, Result, Results
from table import TableError
from trial import Judge

REPLACED = (INVALID, SAME)


class Turns:
    """The next mutants of the rooms in turn, for several trees at once."""

    def __init__(self, sequences: dict[str, list[Mutant]], shares: dict[str, int]) -> None:
        for room, share in shares.items():
            if share > len(sequences[room]):
                raise TableError(f"the room {room} has {len(sequences[room])} mutants, not {share}")
        self.sequences, self.shares = sequences, shares
        self.next = dict.fromkeys(sequences, 0)
        self.taken = dict.fromkeys(sequences, 0)  # turns that are used, or under way

    def left(self, room: str) -> float:
        """The part of a room's turns that is left; a sequence may end before, if many mutants are invalid."""
        ended = self.shares[room] == 0 or self.next[room] == len(self.sequences[room])
        return 0 if ended else 1 - self.taken[room] / self.shares[room]

    def take(self) -> Mutant | None:
        room = max(self.shares, key=self.left)
        if self.left(room) <= 0:
            return None
        mutant = self.sequences[room][self.next[room]]
        self.next[room] += 1
        self.taken[room] += 1
        return mutant

    def finished(self, result: Result) -> None:
        if result.status in REPLACED:
            self.taken[result.room] -= 1


def known(
    sequences: dict[str, list[Mutant]], shares: dict[str, int], results: Results
) -> Iterator[Mutant]:
    """The mutants of a campaign that have results: those of the beginning of each sequence that fill its share."""
    turns = Turns(sequences, shares)
    while (mutant := turns.take()) is not None:
        if mutant.id in results.known:
            yield mutant
            turns.finished(results.known[mutant.id])


class Queue:
    """Certain mutants, once each."""

    def __init__(self, mutants: list[Mutant]) -> None:
        self.mutants = mutants[::-1]

    def take(self) -> Mutant | None:
        return self.mutants.pop() if self.mutants else None

    def finished(self, result: Result) -> None:
        """Nothing takes the place of a mutant."""


def wait_for(ends: list[threading.Event]) -> None:
    """Thread.join would take an interruption for the end of the thread."""
    while not all(end.is_set() for end in ends):
        time.sleep(0.1)


class Campaign:
    """Workers, one for each judge, that take mutants until none is left. Mutants with a result only count."""

    def __init__(self, results: Results, total: int, chosen: str | list[str] = RELEVANT) -> None:
        self.results, self.total, self.chosen = results, total, chosen
        self.earlier: dict[str, Result] = {}  # of the trials before this campaign
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.errors: list[BaseException] = []
        self.done = 0

    def stopped(self) -> bool:
        return self.stopping.is_set()

    def run(self, judges: list[Judge], turns: Turns | Queue) -> None:
        """An interruption ends the workers first, so that no source stays changed."""
        ends = [threading.Event() for _ in judges]
        for judge, end in zip(judges, ends):
            threading.Thread(target=self.work, args=(judge, turns, end)).start()
        try:
            wait_for(ends)
        except BaseException:
            self.stopping.set()
            wait_for(ends)
            raise
        if self.errors:
            raise self.errors[0]

    def work(self, judge: Judge, turns: Turns | Queue, end: threading.Event) -> None:
        try:
            while (mutant := self.take(turns)) is not None:
                self.finish(judge.try_mutant(mutant, self.chosen), turns)
        except Stopped:
            pass
        except BaseException as error:
            self.errors.append(error)
            self.stopping.set()
        finally:
            end.set()

    def take(self, turns: Turns | Queue) -> Mutant | None:
        with self.lock:
            while not self.stopped() and (mutant := turns.take()) is not None:
                result = self.results.known.get(mutant.id)
                if result is None:
                    return mutant
                self.count(result, turns)
        return None

    def count(self, result: Result, turns: Turns | Queue) -> None:
        turns.finished(result)
        self.done += result.status not in REPLACED

    def again(self, mutants: list[Mutant], chosen: str) -> Queue:
        """Mutants that are tried once more: this trial's tests and seconds are added to the earlier ones."""
        self.done, self.total, self.chosen = 0, len(mutants), chosen
        for mutant in mutants:
            self.earlier[mutant.id] = self.results.known.pop(mutant.id)
        return Queue(mutants)

    def finish(self, result: Result, turns: Turns | Queue) -> None:
        with self.lock:
            if earlier := self.earlier.get(result.id):
                result.ran = earlier.ran + result.ran
                result.processor = round(earlier.processor + result.processor, 1)
            self.results.add(result)
            self.count(result, turns)
            print(self.line(result), flush=True)

    def line(self, result: Result) -> str:
        by = f" by {result.test}" if result.test else ""
        how = f", {result.how}" if result.test and result.how != "failed" else ""
        return (
            f"[{self.done:3}/{self.total}] {result.status:9} {result.id} {result.name}{by}{how} "
            f"({result.processor:.0f} s)"
        )
