# SPDX-License-Identifier: Apache-2.0
"""Boolean functions as Liberty files write them: `!` and a quote behind invert; then AND (`&`, `*`, a space), XOR (`^`),
OR (`|`, `+`), from the strongest to the weakest."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from .errors import UsageError

TOKEN = re.compile(r"[A-Za-z_]\w*|[01]|[!'&*^|+()]")
# A name, "0", "1", ("~", tree), or (operator, tree, tree...)
Tree = str | tuple
Evaluator = Callable[[dict[str, bool]], bool]


class _Reader:
    def __init__(self, text: str):
        self.text, self.words, self.place = text, TOKEN.findall(text), 0

    def peek(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else ""

    def take(self) -> str:
        word = self.peek()
        if not word:
            raise UsageError(f"this is no Liberty function: {self.text!r}")
        self.place += 1
        return word

    def factor(self) -> Tree:
        word = self.take()
        if word == "!":
            tree: Tree = ("~", self.factor())
        elif word == "(":
            tree = self.level("|+", "|")
            if self.take() != ")":
                raise UsageError(f"this is no Liberty function: {self.text!r}")
        elif word in "'&*^|+)":
            raise UsageError(f"this is no Liberty function: {self.text!r}")
        else:
            tree = word
        while self.peek() == "'":
            self.take()
            tree = ("~", tree)
        return tree

    def product(self) -> Tree:
        parts = [self.factor()]
        while self.peek() and self.peek() not in ")|+^":
            if self.peek() in "&*":
                self.take()
            parts.append(self.factor())
        return parts[0] if len(parts) == 1 else ("&", *parts)

    def level(self, marks: str, sign: str) -> Tree:
        def inner() -> Tree:
            return self.level("^", "^") if sign == "|" else self.product()

        parts = [inner()]
        while self.peek() and self.peek() in marks:
            self.take()
            parts.append(inner())
        return parts[0] if len(parts) == 1 else (sign, *parts)


@cache
def parse(text: str) -> Tree:
    reader = _Reader(text)
    tree = reader.level("|+", "|")
    if reader.peek():
        raise UsageError(f"this is no Liberty function: {text!r}")
    return tree


def names(text: str) -> set[str]:
    """The variables of a function."""
    return {word for word in TOKEN.findall(text) if word[0].isalpha() or word[0] == "_"}


def verilog(text: str) -> str:
    def said(tree: Tree) -> str:
        if isinstance(tree, str):
            return f"1'b{tree}" if tree in "01" else tree
        sign, *parts = tree
        return f"~{said(parts[0])}" if sign == "~" else f"({f' {sign} '.join(map(said, parts))})"

    return said(parse(text))


def evaluator(text: str) -> Evaluator:
    """A function of a dictionary of the variables' values."""

    def said(tree: Tree) -> str:
        if isinstance(tree, str):
            return str(tree == "1") if tree in "01" else f"v[{tree!r}]"
        sign, *parts = tree
        if sign == "~":
            return f"(not {said(parts[0])})"
        if sign == "^":
            return f"({' ^ '.join(f'bool({said(part)})' for part in parts)})"
        word = " and " if sign == "&" else " or "
        return f"({word.join(map(said, parts))})"

    return eval(f"lambda v: {said(parse(text))}")


@cache
def truth(text: str, inputs: tuple[str, ...]) -> tuple[bool, ...]:
    """The values of a function. The inputs count up, and the first one changes slowest."""
    rows = 1 << len(inputs)
    whole = (1 << rows) - 1
    columns = {}
    for place, name in enumerate(reversed(inputs)):
        block = 1 << place  # rows between two changes of this input
        ones = ((1 << block) - 1) << block
        columns[name] = sum(ones << start for start in range(0, rows, 2 * block))

    def value(tree: Tree) -> int:
        if isinstance(tree, str):
            return whole * int(tree) if tree in "01" else columns[tree]
        sign, *parts = tree
        result = value(parts[0])
        for part in parts[1:]:
            other = value(part)
            result = {"&": result & other, "|": result | other, "^": result ^ other}[sign]
        return result ^ whole if sign == "~" else result

    bits = value(parse(text))
    return tuple(bool(bits >> row & 1) for row in range(rows))
