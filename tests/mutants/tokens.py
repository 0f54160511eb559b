# SPDX-License-Identifier: Apache-2.0
"""C and SystemVerilog as tokens, and the places that no mutation may change.

A source is read without a grammar: comments, strings and directives are left out, brackets are paired, and the rest is
names, numbers and operators. That is enough to change an operator or a condition, and it reads both languages.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

# What is no token: comments, strings, directives. The first alternative that matches wins.
SKIPPED_C = (
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:\\\n|[^\n])*"""
)
SKIPPED_SV = r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^\n]*"""
NUMBER_C = (
    r"0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?[uUlLfF]*"
    r"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUlLfF]*"
)
NUMBER_SV = r"\d[\d_]*'[sS]?[bdhoBDHO][0-9a-fA-F_xXzZ?]+|'[01xzXZ](?!\w)|\d[\d_]*"
NAME = r"[A-Za-z_$][\w$]*"
OPERATOR_C = r"<<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||[=!<>+\-*/%&|^]=|<<|>>|[^\s\w]"
OPERATOR_SV = (
    r"<<<=|>>>=|<->|->>|\|->|\|=>|===|!==|==\?|!=\?|<<<|>>>|<<=|>>=|&&&|&&|\|\||->|\+\+|--|[=!<>+\-*/%&|^]="
    r"|<<|>>|::|\+:|-:|~&|~\||~\^|\^~|\*\*|'\{|'\(|[^\s\w]"
)
CLOSES = {"(": ")", "'(": ")", "[": "]", "{": "}", "'{": "}"}


def pattern(skipped: str, number: str, operator: str) -> re.Pattern:
    return re.compile(
        f"(?P<skipped>{skipped})|(?P<number>{number})|(?P<name>{NAME})|(?P<operator>{operator})",
        re.S | re.M,
    )


PATTERNS = {
    "c": pattern(SKIPPED_C, NUMBER_C, OPERATOR_C),
    "sv": pattern(SKIPPED_SV, NUMBER_SV, OPERATOR_SV),
}


@dataclass(frozen=True)
class Token:
    kind: str  # name, number or operator
    text: str
    start: int
    end: int


class Source:
    """The text of a file, its tokens, and for each bracket the index of the other one of its pair."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.tokens: list[Token] = []
        self.skipped: list[tuple[int, int]] = []
        for match in PATTERNS[language].finditer(text):
            if match.lastgroup == "skipped":
                self.skipped.append(match.span())
            else:
                self.tokens.append(Token(match.lastgroup, match[0], *match.span()))
        self.pair = pairs(self.tokens)
        self.line_starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
        self.protected = [*self.skipped, *protected(self)]

    def line(self, position: int) -> int:
        """The number of the line at a position; the first line is 1."""
        return bisect_right(self.line_starts, position)

    def texts(self, index: int, count: int = 1) -> list[str]:
        return [token.text for token in self.tokens[max(index, 0) : max(index + count, 0)]]

    def text_at(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def is_free(self, start: int, end: int) -> bool:
        """Nothing in this range is protected. An insertion is a range without length."""
        return all(end <= a or b <= start for a, b in self.protected)


def pairs(tokens: list[Token]) -> dict[int, int]:
    found, opened = {}, []
    for index, token in enumerate(tokens):
        if token.text in CLOSES:
            opened.append(index)
        elif opened and token.text == CLOSES[tokens[opened[-1]].text]:
            first = opened.pop()
            found[first], found[index] = index, first
    return found


def find(source: Source, index: int, texts: set[str]) -> int:
    """The first token from an index on, outside of further brackets, that is one of these texts."""
    while index < len(source.tokens) and source.text_at(index) not in texts:
        index = max(source.pair.get(index, index), index) + 1
    return min(index, len(source.tokens) - 1)


def protected(source: Source) -> list[tuple[int, int]]:
    """Assertions, imports, and what an instance overrides: these say nothing about how the design behaves."""
    rules = protected_in_c if source.language == "c" else protected_in_sv
    found = [rules(source, index, token.text) for index, token in enumerate(source.tokens)]
    return [
        (source.tokens[first].start, source.tokens[last].end) for first, last in filter(None, found)
    ]


def protected_in_c(source: Source, index: int, text: str) -> tuple[int, int] | None:
    if text in ("assert", "static_assert", "_Static_assert", "__attribute__"):
        return index, source.pair.get(index + 1, index + 1)
    return None


def protected_in_sv(source: Source, index: int, text: str) -> tuple[int, int] | None:
    if text in ("assert", "assume", "cover", "restrict"):
        return index, find(source, index, {";"})
    if text == "import":
        return index, find(source, index, {";"})
    if text in ("$error", "$fatal"):
        return checked_by(source, index), find(source, index, {";"})
    # The default of a module's parameter, which instances override. Packages have no such list.
    if text == "parameter" and source.text_at(index - 1) in ("(", ","):
        return index, find(source, index, {",", ")"})
    return None


def checked_by(source: Source, index: int) -> int:
    """The `if` whose block has the $error at this index: a check of parameters at elaboration."""
    while index > 0 and source.text_at(index) not in ("if", ";", "end"):
        index = min(source.pair.get(index, index), index) - 1
    return index
