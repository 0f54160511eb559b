# SPDX-License-Identifier: Apache-2.0
"""The kinds of mutations: small changes that a tired author might make.

  operator    + and -, & and |, && and ||, == and !=, < and <=, > and >=, << and >>, also in front of =
  constant    n becomes n+1 or n-1; 1'b0 and 1'b1, '0 and '1, true and false change places
  condition   `if (c)` negated, always true, always false
  enable      the same for an `if` in front of a register: it always or never writes, or when it should not
  ternary     c ? a : b becomes c ? b : a
  term        one term of a && b is dropped
  statement   a C statement on one line is deleted
  status      in a C `return`, an error becomes _OK, and _OK becomes _ERR_NULL

Each rule gets a source and the index of a token, and yields (kind, edits): pieces of text and what takes their place.
"""

import re
from collections.abc import Iterator

from tokens import Source

Edit = tuple[int, int, str]
Found = tuple[str, tuple[Edit, ...]]

PAIRS = ["+ -", "& |", "&& ||", "== !=", "< <=", "> >=", "<< >>", "+= -=", "&= |=", "<<= >>="]
SWAPS = dict(pair.split() for pair in PAIRS) | dict(pair.split()[::-1] for pair in PAIRS)
ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "<<<=", ">>>="}
KEYWORDS = {"return", "case", "else", "do", "begin", "assign", "if", "inside", "iff"}
# What ends an operand of && on either side, in both languages.
AROUND_TERMS = ASSIGNS | KEYWORDS | {"&&", "||", "?", ":", ",", ";", "|->", "|=>", "begin", "end"}
OPENS, CLOSERS = {"(", "'(", "[", "{", "'{"}, {")", "]", "}"}


def edits_of(source: Source) -> Iterator[Found]:
    """Every mutation of a source that changes nothing protected."""
    writes = register_writes(source) if source.language == "sv" else set()
    for index in range(len(source.tokens)):
        for kind, edits in of_token(source, index, writes):
            if all(source.is_free(start, end) for start, end, _ in edits):
                yield kind, edits


def of_token(source: Source, index: int, writes: set[int]) -> Iterator[Found]:
    if index not in writes:
        yield from operator(source, index)
    yield from constant(source, index)
    yield from condition(source, index, writes)
    yield from ternary(source, index)
    yield from term(source, index, writes)
    if source.language == "c":
        yield from statement(source, index)
        yield from status(source, index)


def register_writes(source: Source) -> set[int]:
    """The tokens <= that write a register: the first one of a statement without another assignment before it."""
    found, index, assigned = set(), 0, False
    while index < len(source.tokens):
        text = source.text_at(index)
        if text == "<=" and not assigned:
            found.add(index)
        assigned = (assigned or text in ASSIGNS | {"<=", "return"}) and text not in {
            ";", "begin", "end", "else", "endcase",
        }  # fmt: skip
        index = max(source.pair.get(index, index), index) + 1
    return found


# ---- operators and constants ---------------------------------------------------------------------


def operator(source: Source, index: int) -> Iterator[Found]:
    token = source.tokens[index]
    other = SWAPS.get(token.text) if token.kind == "operator" else None
    # SystemVerilog's & and | also reduce a vector. Elsewhere a sign or C's address has no counterpart.
    unary = token.text in ("+", "-") or (token.text == "&" and source.language == "c")
    if other and not (unary and not has_left_operand(source, index)):
        yield "operator", ((token.start, token.end, other),)


def has_left_operand(source: Source, index: int) -> bool:
    if index == 0 or source.text_at(index - 1) in KEYWORDS:
        return False
    before = source.tokens[index - 1]
    return before.kind != "operator" or before.text in CLOSERS


def constant(source: Source, index: int) -> Iterator[Found]:
    token = source.tokens[index]
    if token.kind == "number":
        values = sv_numbers(token.text) if source.language == "sv" else c_numbers(token.text)
    else:
        values = {"true": ["false"], "false": ["true"]}.get(token.text, [])
        values = values if source.language == "c" else []
    for value in values:
        yield "constant", ((token.start, token.end, value),)


def c_numbers(text: str) -> list[str]:
    match = re.fullmatch(r"(0[xX](?=\w)|)([0-9a-fA-F]+?)((?:\.0*)?[uUlL]*f?)", text)
    if not match or (not match[1] and not match[2].isdigit()):  # a fraction or an exponent
        return [f"({text} + 1)"]
    prefix, digits, rest = match.groups()
    value, form = int(digits, 16 if prefix else 10), "x" if prefix else "d"
    return [f"{prefix}{v:{form}}{rest}" for v in (value + 1, value - 1) if v >= 0]


def sv_numbers(text: str) -> list[str]:
    if text in ("'0", "'1"):
        return ["'1" if text == "'0" else "'0"]
    if "'" not in text:
        value = int(text.replace("_", ""))
        return [str(v) for v in (value + 1, value - 1) if v >= 0]
    match = re.fullmatch(r"(\d+)('[sS]?([bdhoBDHO]))([0-9a-fA-F_]+)", text)
    return sized_numbers(*match.groups()) if match else []  # x and z stay


def sized_numbers(width: str, base: str, letter: str, digits: str) -> list[str]:
    radix, form = {"b": (2, "b"), "o": (8, "o"), "d": (10, "d"), "h": (16, "x")}[letter.lower()]
    value, most = int(digits.replace("_", ""), radix), (1 << int(width)) - 1
    return [f"{width}{base}{v:{form}}" for v in (value + 1, value - 1) if 0 <= v <= most]


# ---- conditions ----------------------------------------------------------------------------------


def condition(source: Source, index: int, writes: set[int]) -> Iterator[Found]:
    """The condition stays in the text behind a constant, with its comments, and the signals in it stay in use."""
    last = source.pair.get(index + 1)
    if source.text_at(index) != "if" or source.text_at(index + 1) != "(" or last is None:
        return
    kind = "enable" if guards_a_register(source, last + 1, writes) else "condition"
    true, false = ("1'b1", "1'b0") if source.language == "sv" else ("1", "0")
    start, end = source.tokens[index + 1].end, source.tokens[last].start
    for front in ("!(", f"{true} || (", f"{false} && ("):
        yield kind, ((start, start, front), (end, end, ")"))


def guards_a_register(source: Source, index: int, writes: set[int]) -> bool:
    """The first statement behind a condition writes a register."""
    while source.text_at(index) == "begin":
        index += 3 if source.text_at(index + 1) == ":" else 1
    while index < len(source.tokens) and source.text_at(index) not in {";", "if", "begin", "end"}:
        if index in writes:
            return True
        index = max(source.pair.get(index, index), index) + 1
    return False


def ternary(source: Source, index: int) -> Iterator[Found]:
    if source.text_at(index) != "?":
        return
    colon = end_of_arm(source, index + 1)
    if source.text_at(colon) != ":":
        return
    last = end_of_arm(source, colon + 1)
    first_arm = (source.tokens[index + 1].start, source.tokens[colon - 1].end)
    second_arm = (source.tokens[colon + 1].start, source.tokens[last - 1].end)
    texts = [source.text[start:end] for start, end in (first_arm, second_arm)]
    if texts[0] != texts[1]:
        yield "ternary", ((*first_arm, texts[1]), (*second_arm, texts[0]))


def end_of_arm(source: Source, index: int) -> int:
    """The token behind an arm of c ? a : b, in which further ones may be nested."""
    nested = 0
    while index < len(source.tokens):
        text = source.text_at(index)
        if text in CLOSERS or text in {",", ";"} or (text == ":" and nested == 0):
            break
        nested += (text == "?") - (text == ":")
        index = max(source.pair.get(index, index), index) + 1
    return index


def term(source: Source, index: int, writes: set[int]) -> Iterator[Found]:
    if source.text_at(index) != "&&":
        return
    first, last = index - 1, index + 1
    while first >= 0 and not ends_term(source, first, writes, OPENS):
        first = min(source.pair.get(first, first), first) - 1
    while last < len(source.tokens) and not ends_term(source, last, writes, CLOSERS):
        last = max(source.pair.get(last, last), last) + 1
    before, behind = source.tokens[index - 1], source.tokens[index + 1]
    yield "term", ((before.end, source.tokens[last - 1].end, ""),)
    if source.text_at(first) != "&&":  # otherwise the && before it drops this term
        yield "term", ((source.tokens[first + 1].start, behind.start, ""),)


def ends_term(source: Source, index: int, writes: set[int], brackets: set[str]) -> bool:
    return index in writes or source.text_at(index) in AROUND_TERMS | brackets


# ---- statements of C -----------------------------------------------------------------------------


def statement(source: Source, index: int) -> Iterator[Found]:
    """Assignments and calls that begin and end on one line. Declarations, returns and jumps stay."""
    token = source.tokens[index]
    if not begins_statement(source, index) or token.text in KEYWORDS:
        return
    last = index
    while last < len(source.tokens) and source.text_at(last) not in {";", "{", "}"}:
        last = max(source.pair.get(last, last), last) + 1
    ends_here = source.text_at(last) == ";" and same_line(source, index, last)
    if ends_here and acts(source, index):
        yield "statement", ((token.start, source.tokens[last].end, ";"),)


def same_line(source: Source, first: int, last: int) -> bool:
    return source.line(source.tokens[first].start) == source.line(source.tokens[last].start)


def begins_statement(source: Source, index: int) -> bool:
    before = source.text_at(index - 1)
    if before != ")":
        return before in {";", "{", "}", "else"}
    return source.text_at(source.pair.get(index - 1, index) - 1) in {"if", "for", "while"}


def acts(source: Source, index: int) -> bool:
    """`a = b`, `a.b = c`, `a[i] = b`, `f(x)`, `*p = a` or `i++`, but no declaration and no initialiser."""
    token = source.tokens[index]
    if token.text in {"*", "++", "--"}:
        return True
    follows = source.text_at(index + 1)
    is_call = follows == "(" and token.text not in {"if", "for", "while", "switch", "sizeof"}
    return token.kind == "name" and (is_call or follows in ASSIGNS | {".", "->", "[", "++", "--"})


def status(source: Source, index: int) -> Iterator[Found]:
    token = source.tokens[index]
    match = re.fullmatch(r"([A-Z0-9]+)_(OK|ERR_\w+)", token.text)
    if match and is_returned(source, index):
        other = "ERR_NULL" if match[2] == "OK" else "OK"
        yield "status", ((token.start, token.end, f"{match[1]}_{other}"),)


def is_returned(source: Source, index: int) -> bool:
    """The statement with this token is a `return`."""
    while index >= 0 and source.text_at(index) not in {";", "{", "}"}:
        if source.text_at(index) == "return":
            return True
        index -= 1
    return False
