# SPDX-License-Identifier: Apache-2.0
"""The make commands that reproduce records, complete: library, clock, efforts, number of netlists and entries."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable
from pathlib import Path

from . import libraries
from .records import Record

# Where the commands of the results expect Liberty files that are not Debian's.
LIBERTY = Path("build/liberty")

# What a measurement was asked for beside its entries, in the order in which a command says it.
SETTINGS = ("LIB", "DONT_USE", "PERIOD", "CLOCK_FO4", "VARIANTS", "EFFORTS")


def liberty_of(text: str) -> str:
    """LIB as a command of the results says it, without what is private to a machine."""
    paths = [Path(word).absolute() for word in text.replace(",", " ").split()]
    return " ".join(
        str(
            libraries.FOLDER / path.relative_to(libraries.TECH)
            if path.is_relative_to(libraries.TECH)
            else LIBERTY / path.name
        )
        for path in paths
    )


def spelled(goal: str, values: dict[str, str]) -> str:
    words = (f"{name}={shlex.quote(value)}" for name, value in values.items() if value)
    return " ".join((f"make {goal}", *words))


def values_of(command: str) -> dict[str, str]:
    """The variables of a make command of one goal."""
    return dict(word.split("=", 1) for word in shlex.split(command)[2:])


def measured(found: Iterable[Record], runs: dict[str, dict]) -> list[str]:
    """One command for all records that were measured alike."""
    names: dict[str, list[str]] = {}
    for record in found:
        given = values_of(runs[record["run"]]["command"])
        settings = {name: given[name] for name in SETTINGS if name in given}
        names.setdefault(spelled("synth", settings), []).append(record["name"])
    return [f"{settings} ONLY='{only(of)}'" for settings, of in names.items()]


def only(names: Collection[str]) -> str:
    """The regular expression that matches exactly these names."""
    return f"^{_either({tuple(name.split('_')) for name in names})}$"


def _either(tails: set[tuple[str, ...]]) -> str:
    """One of these rows of words. First words that the same rows follow stand together: block_(f13|f19)_l16."""
    follow: dict[str, set[tuple[str, ...]]] = {}
    for tail in tails - {()}:
        follow.setdefault(tail[0], set()).add(tail[1:])
    heads: dict[frozenset[tuple[str, ...]], list[str]] = {}
    for head in sorted(follow, key=lambda word: (word.rstrip("0123456789"), len(word), word)):
        heads.setdefault(frozenset(follow[head]), []).append(head)
    found = [_one_of(words) + _rest(set(rests)) for rests, words in heads.items()]
    return _one_of(found)


def _rest(tails: set[tuple[str, ...]]) -> str:
    if tails == {()}:
        return ""
    rest = f"_{_either(tails)}"
    return f"({rest})?" if () in tails else rest


def _one_of(found: list[str]) -> str:
    return found[0] if len(found) == 1 else f"({'|'.join(found)})"
