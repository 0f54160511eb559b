# SPDX-License-Identifier: Apache-2.0
"""The syntax of Liberty files: text to groups, and groups to text. A file may be compressed with gzip.

Written by hand: the package liberty-parser 0.0.29 takes 1.7 s for OSU018's file, this takes 0.06 s, and skips groups.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .errors import UsageError

TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*)"|([(){};:,])|([^\s(){};:,"\\/]+(?:/(?![*/])[^\s(){};:,"\\/]*)*)'
    r"|/\*.*?\*/|//[^\n]*|\\\s*\n|(\S)",
    re.S,
)
FOLDED = re.compile(r"\\\s*\n")
TEXTS = frozenset(
    ["function", "next_state", "clocked_on", "clear", "preset"]
)  # in quotes, also "1"
MARKS = frozenset("(){};:,")


@dataclass
class Group:
    """`kind (arguments) { attributes, groups }`; a complex attribute `name (values);` keeps a list of its values."""

    kind: str
    arguments: list[str]
    attributes: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def all(self, kind: str) -> Iterator[Group]:
        return (group for group in self.groups if group.kind == kind)


class _Text(str):
    """A token in quotes, which is never a mark."""


def _tokens(text: str) -> list[str]:
    tokens = []
    for match in TOKEN.finditer(text):
        kind = match.lastindex
        if kind == 1:
            word = match[1]
            tokens.append(_Text(FOLDED.sub("", word) if "\\" in word else word))
        elif kind == 4:
            raise UsageError(f"this is not Liberty: {text[match.start() : match.start() + 20]!r}")
        elif kind:
            tokens.append(match[kind])
    return tokens


def _is_mark(token: str) -> bool:
    return token in MARKS and not isinstance(token, _Text)


class _Reader:
    def __init__(self, text: str, skipped: frozenset[str]):
        self.tokens = _tokens(text)
        self.skipped = skipped
        self.next = 0

    def take(self, expected: str | None = None) -> str:
        if self.next >= len(self.tokens):
            raise UsageError(f"this is not Liberty: {expected or 'more'!r} expected at its end")
        token = self.tokens[self.next]
        if expected is not None and (token != expected or isinstance(token, _Text)):
            raise UsageError(f"this is not Liberty: {expected!r} expected, {token!r} found")
        self.next += 1
        return token

    def see(self, mark: str) -> bool:
        if self.next < len(self.tokens):
            token = self.tokens[self.next]
            if token == mark and not isinstance(token, _Text):
                self.next += 1
                return True
        return False

    def arguments(self) -> list[str]:
        values = []
        while not self.see(")"):
            token = self.take()
            if not (token == "," and _is_mark(token)):
                values.append(token)
        return values

    def value(self) -> str:
        """The rest of a simple attribute. Some files leave out the semicolon behind it."""
        words = [self.take()]
        while (
            self.next < len(self.tokens)
            and not (self.tokens[self.next] in ";}" and _is_mark(self.tokens[self.next]))
            and self.tokens[self.next + 1 : self.next + 2] not in ([":"], ["("])
        ):
            words.append(self.take())
        return " ".join(words)

    def skip(self) -> None:
        """To behind the end of the group whose brace was just read."""
        depth = 1
        while depth:
            token = self.take()
            if token in "{}" and _is_mark(token):
                depth += 1 if token == "{" else -1

    def body(self, group: Group) -> Group:
        while not self.see("}"):
            if self.see(";"):
                continue
            name = self.take()
            if self.see(":"):
                group.attributes[name] = self.value()
                continue
            self.take("(")
            arguments = self.arguments()
            if not self.see("{"):
                group.lists[name] = arguments
            elif name in self.skipped:
                self.skip()
            else:
                group.groups.append(self.body(Group(name, arguments)))
        return group


def parse(text: str, skipped: frozenset[str] = frozenset()) -> Group:
    """The library group of a Liberty text, without the groups of the kinds `skipped`."""
    reader = _Reader(text, skipped)
    kind = reader.take()
    if kind != "library":
        raise UsageError(f"this is not Liberty: it begins with {kind!r}, not with library (...)")
    reader.take("(")
    arguments = reader.arguments()
    reader.take("{")
    return reader.body(Group(kind, arguments))


def write(group: Group, depth: int = 0) -> str:
    """A group as text, with every value in quotes."""
    space = "  " * depth
    lines = [f"{space}{group.kind} ({', '.join(map(_quoted, group.arguments))}) {{"]
    lines += [
        f"{space}  {name} : {_quoted(value, name in TEXTS)};"
        for name, value in group.attributes.items()
    ]
    lines += [
        f"{space}  {name} ({', '.join(map(_quoted, values))});"
        for name, values in group.lists.items()
    ]
    lines += [write(inner, depth + 1) for inner in group.groups]
    return "\n".join((*lines, f"{space}}}"))


def _quoted(text: str, always: bool = False) -> str:
    plain = not always and re.fullmatch(r"[A-Za-z_]\w*|-?\d+(\.\d+)?(e-?\d+)?", text)
    return text if plain else f'"{text}"'


def read(path: Path) -> str:
    """The text of a Liberty file, compressed or not."""
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise UsageError(
            f"LIB={path} cannot be read ({reason}): give the path of a Liberty file, LIB=path.lib"
        ) from None
    return data.decode(errors="replace")
