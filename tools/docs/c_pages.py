# SPDX-License-Identifier: Apache-2.0
"""The public headers as pages: a page for each header, with its comments as text and its declarations."""

from __future__ import annotations

import re
from pathlib import Path

from markdown_text import block, code, directive, prose, table
from pages import ROOT, Sources

FOLDERS = ("model/include/fp8mac", "firmware/include/fp8rt")
SKIPPED = re.compile(r"#(ifn?def|endif|include|define FP8\w+_H$)|// SPDX|extern \"C\" {$")
RULE = re.compile(r"-{3,} (.+?) -{3,}$")  # the heading of a part of a header
Declaration = tuple[str, str]  # comment, code


def headers() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.h"))]


def place(path: Path) -> str:
    return f"reference/c/{path.parent.name}-{path.stem}.md"


def depth(text: str) -> int:
    text = re.sub(r"//.*|\"[^\"]*\"", "", text)
    return text.count("{") - text.count("}") + text.count("(") - text.count(")")


def declarations(lines: list[str]) -> list[Declaration]:
    """The declarations of lines without an empty one between, each with the comment above it."""
    found: list[Declaration] = []
    comment: list[str] = []
    lines = list(lines)
    while lines:
        line = lines.pop(0)
        if line.startswith("//"):
            comment.append(re.sub(r"^// ?", "", line))
            continue
        text = [line]
        if line.startswith("#"):
            while text[-1].endswith("\\") and lines:
                text.append(lines.pop(0))
        else:
            while lines and not ended("\n".join(text)):
                text.append(lines.pop(0))
        found.append(("\n".join(comment), "\n".join(text)))
        comment = []
    if comment:
        found.append(("\n".join(comment), ""))
    return found


def ended(text: str) -> bool:
    """A declaration ends with ';' or, if it is a function's definition, with '}'."""
    last = re.sub(r"\s*//.*", "", text.split("\n")[-1]).rstrip()
    return depth(text) <= 0 and last.endswith((";", "}"))


def blocks(text: str) -> list[list[str]]:
    """A header is a row of blocks between empty lines; one within braces ends no block."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        if SKIPPED.match(line):
            continue
        if line.strip() or depth("\n".join(found[-1])) > 0:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]


def signature(text: str) -> tuple[str, str] | None:
    """The directive of Sphinx's C domain and its argument for a declaration; None if it has no name."""
    flat = " ".join(re.sub(r"//.*", "", text).split())
    if match := re.match(r"#define (\w+(?:\([^)]*\))?)", flat):
        return "c:macro", match[1]
    if match := re.match(r"(?:typedef )?(enum|struct|union)\b(?: (\w+))? ?\{.*\} ?(\w*) ?;", flat):
        name = match[3] or match[2]
        return (f"c:{match[1]}", name) if name else None
    if match := re.match(r"typedef (.*);", flat):
        return "c:type", match[1]
    if match := re.match(r"(?:static inline |extern )?(.*?\w\(.*?\)) ?[;{]", flat):
        return "c:function", match[1]
    if match := re.match(r"extern (.*);", flat):
        return "c:var", match[1]
    return None


def shown(comment: str, text: str, declared: set[str]) -> str:
    """A declaration as Markdown. A function's signature says all; of what else there is, the code is shown.

    What is defined once for each choice of the preprocessor has one entry.
    """
    if not text:
        heading = RULE.match(comment)
        return (
            f"## {heading[1][0].upper()}{heading[1][1:]}\n\n" if heading else prose(comment) + "\n"
        )
    named = signature(text)
    body = prose(comment)
    if named is None or named[1] in declared:
        return body + block("c", text) + "\n"
    declared.add(named[1])
    if named[0] != "c:function":
        body += block("c", text)
    return directive(*named, body) + "\n"


def header_page(path: Path) -> str:
    name = f"{path.parent.name}/{path.name}"
    first, *rest = blocks(path.read_text())
    out, declared = [f"# {name}\n\n"], set()
    for lines in (first, *rest):
        for comment, text in declarations(lines):
            out.append(shown(comment, text, declared))
    return "".join(out)


def summary(path: Path) -> str:
    """The first sentence of a header's comment."""
    text = re.search(r"((?:^//.*\n)+)", re.sub(r"^// SPDX.*\n", "", path.read_text()))
    if text is None:
        return ""
    flat = " ".join(re.sub(r"^// ?", "", text[1], flags=re.M).split("\n\n")[0].split())
    return prose(re.split(r"(?<=\.)\s|:\s", flat + " ")[0]).strip().rstrip(".")


def write(sources: Sources) -> None:
    out = "# C interfaces\n\n"
    for folder, what in zip(FOLDERS, ("The golden model", "The firmware library"), strict=True):
        paths = sorted((ROOT / folder).glob("*.h"))
        out += f"## {what}\n\n"
        rows = [
            (f"[{code(f'{p.parent.name}/{p.name}')}](c/{Path(place(p)).name})", summary(p))
            for p in paths
        ]
        out += table(("header", "what it has"), rows)
    names = "\n".join(f"c/{Path(place(path)).stem}" for path in headers())
    out += directive("toctree", "", names, ("hidden:",))
    sources.write("reference/c.md", out)
    for path in headers():
        sources.write(place(path), header_page(path))
