# SPDX-License-Identifier: Apache-2.0
"""A sweep: the configurations that a TOML file names.

    [sweep]                       every value of a list with every one of the others
    rows = [2, 4]
    lanes = [8, 16]
    macs = [64, 256]              optional: the least and the most products a cycle
    impossible = "skip"           optional: combinations that the RTL refuses are left out and counted; else they end the run

    [[configuration]]             one more, as often as wanted
    rows = 8
    element = "block64"

What a table does not name has the RTL's default.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from .configuration import Configuration
from .errors import PlanError

KEYS = {one.name: type(one.default) for one in fields(Configuration)}
MOST = 100_000  # configurations


@dataclass(frozen=True)
class Sweep:
    configurations: tuple[Configuration, ...]
    skips: bool  # those that the RTL refuses


class _File:
    def __init__(self, path: Path):
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(f"{path} cannot be read ({error})") from None

    def tables(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"{self.path}: no TOML: {error}") from None

    def refuse(self, key: str, sentence: str) -> PlanError:
        """With the first line that begins with the key or its table"""
        found = re.search(rf"^[ \t]*(?:\[\[?\s*)?{re.escape(key)}\b", self.text, re.MULTILINE)
        line = self.text.count("\n", 0, found.start()) + 1 if found else 1
        return PlanError(f"{self.path}:{line}: {sentence}")


def read(path: Path) -> Sweep:
    file = _File(path)
    tables = file.tables()
    for name in tables:
        if name not in ("sweep", "configuration"):
            raise file.refuse(name, f"'{name}' is no table; [sweep] and [[configuration]] are")
    table, singles = tables.get("sweep", {}), tables.get("configuration", [])
    if not isinstance(table, dict):
        raise file.refuse("sweep", "sweep is written [sweep]")
    if not isinstance(singles, list) or not all(isinstance(one, dict) for one in singles):
        raise file.refuse("configuration", "a configuration is written [[configuration]]")
    skips = _skips(file, table)
    found = [*_crossed(file, table), *(_single(file, one) for one in singles)]
    if not found:
        raise PlanError(
            f"{path}: no configuration is named; [sweep] or [[configuration]] is expected"
        )
    return Sweep(tuple(dict.fromkeys(found)), skips)


def _skips(file: _File, table: dict[str, Any]) -> bool:
    given = table.get("impossible", "stop")
    if given not in ("skip", "stop"):
        raise file.refuse("impossible", f'impossible is {given!r}; "skip" or "stop" is expected')
    return given == "skip"


def _value(file: _File, key: str, value: Any) -> Any:
    if key not in KEYS:
        raise file.refuse(key, f"'{key}' is not a parameter; choose from {', '.join(KEYS)}")
    kind = KEYS[key]
    if type(value) is not kind or (kind is int and not 0 <= value < 2**32):
        wanted = "a whole number in 0..4294967295" if kind is int else "a name in quotes"
        raise file.refuse(key, f"{key} is {value!r}; {wanted} is expected")
    return value


def _single(file: _File, table: dict[str, Any]) -> Configuration:
    return Configuration(**{key: _value(file, key, value) for key, value in table.items()})


def _limits(file: _File, table: dict[str, Any]) -> tuple[int, int]:
    limits = table.get("macs", [0, 2**32])
    right = isinstance(limits, list) and len(limits) == 2 and all(type(n) is int for n in limits)
    if not right or limits[0] > limits[1]:
        raise file.refuse(
            "macs", f"macs is {limits!r}; the least and the most are expected: [64, 256]"
        )
    return limits[0], limits[1]


def _crossed(file: _File, table: dict[str, Any]) -> list[Configuration]:
    lists = {key: value for key, value in table.items() if key not in ("macs", "impossible")}
    if not lists:
        return []
    for key, values in lists.items():
        if not isinstance(values, list) or not values:
            raise file.refuse(key, f"{key} is {values!r}; a list of values is expected")
        for value in values:
            _value(file, key, value)
    count = 1
    for values in lists.values():
        count *= len(values)
    if count > MOST:
        raise file.refuse("sweep", f"it has {count} combinations; at most {MOST} are expected")
    least, most = _limits(file, table)
    every = (Configuration(**dict(zip(lists, values))) for values in product(*lists.values()))
    return [one for one in every if least <= one.macs <= most]
