# SPDX-License-Identifier: Apache-2.0
"""The draw: which mutants, in which order.

Each room has a sequence of all its mutants. Its lines are sorted by a hash of the seed and of the line with its
neighbours, which is a fair and repeatable shuffle. A mutant is the first mutation of a line, in such an order too; when
every line had its turn, the second mutations follow. So more mutants extend the same sequence, and a changed source
changes only the mutants near the change.

The rooms take turns by their weights (Webster's method), so that every beginning of the draw has its share of each.
"""

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from kinds import Edit, edits_of
from table import Room, TableError
from tokens import Source

NEIGHBOURS = 3  # lines before and behind a line that say which one it is


@dataclass(frozen=True)
class Mutant:
    id: str
    room: str
    file: str
    line: int
    kind: str
    before: str
    after: str
    edits: tuple[Edit, ...] = field(repr=False)
    original: str = field(repr=False)  # the text of the file

    def name(self) -> str:
        return f"{self.file}:{self.line} {self.kind} `{self.before}` -> `{self.after}`"

    def text(self) -> str:
        """The changed text of the file."""
        return edited(self.original, self.edits)


def edited(text: str, edits: tuple[Edit, ...], offset: int = 0) -> str:
    """A text that begins at `offset` of its file, with the edits in it."""
    for start, end, new in reversed(edits):
        text = text[: start - offset] + new + text[end - offset :]
    return text


def digest(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def language(path: Path) -> str:
    return "sv" if path.suffix in (".sv", ".svh") else "c"


def shown(text: str, most: int = 60) -> str:
    """A piece of source on one line."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 4] + " ..."


class File:
    """The mutants of one file, by line."""

    def __init__(self, root: Path, name: str, room: str) -> None:
        self.name, self.room = name, room
        self.source = Source((root / name).read_text(), language(root / name))
        self.lines = self.source.text.splitlines()
        self.places: Counter[str] = Counter()
        self.mutants: dict[str, list[Mutant]] = {}
        found = defaultdict(list)
        for kind, edits in edits_of(self.source):
            found[self.source.line(edits[0][0])].append((kind, edits))
        for number in sorted(found):
            place = self.place(number)
            self.mutants[place] = [self.mutant(place, number, *change) for change in found[number]]

    def place(self, number: int) -> str:
        """What a line is known by: itself and its neighbours. Equal surroundings are counted."""
        near = self.lines[max(number - 1 - NEIGHBOURS, 0) : number + NEIGHBOURS]
        key = digest(self.name, *near)
        self.places[key] += 1
        return digest(key, self.places[key])

    def mutant(self, place: str, number: int, kind: str, edits: tuple[Edit, ...]) -> Mutant:
        text, begin = self.source.text, self.source.line_starts[number - 1]
        before = text[edits[0][0] : edits[-1][1]]
        after = edited(before, edits, edits[0][0])
        change = [(start - begin, end - begin, new) for start, end, new in edits]
        name = digest(place, kind, change)[:10]
        texts = shown(before), shown(after)
        return Mutant(name, self.room, self.name, number, kind, *texts, edits, text)


def files_of(root: Path, room: Room) -> list[str]:
    found = {path for pattern in room.files for path in root.glob(pattern)}
    if not found:
        raise TableError(f"the room {room.name} has no files: {' '.join(room.files)}")
    return sorted(path.relative_to(root).as_posix() for path in found)


def sequence(root: Path, room: Room, seed: int) -> list[Mutant]:
    """All mutants of a room in the order of the draw."""
    places: dict[str, list[Mutant]] = {}
    for name in files_of(root, room):
        places |= File(root, name, room.name).mutants
    order = sorted(places, key=lambda place: digest(seed, place))
    turns = [by_kinds(places[place], seed) for place in order]
    return [turn[n] for n in range(max(map(len, turns))) for turn in turns if n < len(turn)]


def by_kinds(mutants: list[Mutant], seed: int) -> list[Mutant]:
    """The mutants of a line with their kinds in turn: otherwise constants, which have two each, would be most."""
    rank: Counter[str] = Counter()
    keys = {}
    for mutant in sorted(mutants, key=lambda mutant: digest(seed, mutant.id)):
        rank[mutant.kind] += 1
        keys[mutant.id] = (rank[mutant.kind], digest(seed, mutant.id, mutant.kind))
    return sorted(mutants, key=lambda mutant: keys[mutant.id])


def shares(rooms: list[Room], count: int) -> dict[str, int]:
    """How many of the first `count` mutants are of each room."""
    taken = {room.name: 0 for room in rooms}
    for _ in range(count):
        chosen = max(rooms, key=lambda room: room.weight / (taken[room.name] + 0.5))
        taken[chosen.name] += 1
    return taken
