# SPDX-License-Identifier: Apache-2.0
"""Markdown of the text that stands in sources: comments, docstrings, descriptions of registers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# The first of several lines "name   what it is": a short name, then at least two spaces.
ITEM = re.compile(r"([^\s`].{0,30}?)\s{2,}(\S.*)$")
WIDE = 96  # columns that fit a page
# Names of functions, types and modules are code, and conf.py makes links of those that it knows.
IDENTIFIER = re.compile(r"(`[^`\n]+`|\bfp8(?:mac|rt)_\w+(?:\(\))?(?![\w/.]*[/.]\w))")


def escaped(text: str) -> str:
    """Text whose characters have no meaning in Markdown, except for the code between backticks."""
    return "".join(
        f"`{part.strip('`')}`" if i % 2 else re.sub(r"([\\*_<>\[\]|#$~{}`])", r"\\\1", part)
        for i, part in enumerate(IDENTIFIER.split(text))
    )


def code(text: str) -> str:
    """A code span for a cell of a table or a heading; nothing for nothing."""
    text = " ".join(text.split()).replace("|", r"\|")
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def fence_for(text: str) -> str:
    """Backticks that no fence within the text has."""
    return "`" * max([3, *(len(x) + 1 for x in re.findall(r"^ *(`{3,})", text, re.M))])


def block(language: str, text: str) -> str:
    fence = fence_for(text)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def directive(name: str, arguments: str, body: str, options: Sequence[str] = ()) -> str:
    fence = fence_for(body)
    head = "".join(f":{option}\n" for option in options)
    return f"{fence}{{{name}}} {arguments}\n{head}\n{body.strip()}\n{fence}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are Markdown already. Columns that are empty in all rows are left out."""
    rows = [tuple(row) for row in rows]
    kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
    if not kept:
        return ""
    lines = [
        [head[i] for i in kept],
        ["---"] * len(kept),
        *([row[i] for i in kept] for row in rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def indented(lines: list[str]) -> str:
    """A literal block; or prose, if the lines are wide and in two columns, the first of which is names."""
    columns = [match.start(2) for match in map(ITEM.match, lines) if match]
    others = [len(x) - len(x.lstrip()) for x in lines if not ITEM.match(x)]
    wide = max(map(len, lines)) > WIDE
    if wide and ITEM.match(lines[0]) and len({*columns, *others}) == 1:
        return prose("\n".join(lines))
    return block("text", "\n".join(lines))


def prose(text: str) -> str:
    """Lines of text become paragraphs, lines that are indented become literal blocks.

    Lines "name   what it is" become a table; those below them that are indented go on with them.
    """
    out: list[str] = []
    paragraph: list[str] = []
    literal: list[str] = []
    bullet = False
    items: list[list[str]] = []

    def close() -> None:
        nonlocal bullet
        while literal and not literal[-1].strip():
            literal.pop()
        if paragraph:
            out.append("- " * bullet + escaped(" ".join(paragraph)) + "\n\n")
            bullet = False
        if items:
            out.append(table(("", ""), [(code(name), escaped(what)) for name, what in items]))
        if literal:
            indent = min(len(x) - len(x.lstrip()) for x in literal if x.strip())
            out.append(indented([x[indent:] for x in literal]) + "\n")
        paragraph.clear()
        literal.clear()
        items.clear()

    for line in text.expandtabs().split("\n"):
        item = ITEM.match(line)
        if not line.strip():
            if literal:
                literal.append("")
            else:
                close()
        elif line.startswith("  "):
            if items:
                items[-1][1] += " " + line.strip()
            elif bullet:
                paragraph.append(line.strip())
            else:
                if not literal:
                    close()
                literal.append(line)
        elif item:
            if not items:
                close()
            items.append([item[1], item[2]])
        elif line.startswith(("- ", "* ")):
            close()
            paragraph.append(line[2:])
            bullet = True
        else:
            if literal or items or bullet:
                close()
            paragraph.append(line.strip())
    close()
    return "".join(out)
