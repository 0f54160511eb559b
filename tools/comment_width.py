# SPDX-License-Identifier: Apache-2.0
"""python tools/comment_width.py [--self-test] FILES: comments of C, C++ and SystemVerilog that are too wide.

    C and C++       100 columns, as the code. clang-format does not divide comments (.clang-format).
    SystemVerilog   100 columns for prose, which stands on lines of its own. A comment behind code, and a line of a
                    list, a table or a drawing, has the limit of the code: 120 columns (rtl/lint/verible.rules).

`make lint` first runs it on sources with seeded faults (--self-test).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

WIDTH, WIDTH_SV = 100, 120
# String literals come first: they may contain what looks like a comment.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
# A line of its own whose text begins behind one blank and has no columns
PROSE = re.compile(r"\s*(?://[:/]?|/\*|\*)? ?(?!.*\S  +\S)\S.*")
RULER = re.compile(r".*-{4,}$")


def limit(line: str, is_systemverilog: bool) -> int:
    """Columns that a line with a comment may have."""
    alone = line.lstrip().startswith(("//", "/*", "*"))
    prose = alone and (PROSE.fullmatch(line) or RULER.fullmatch(line))
    return WIDTH_SV if is_systemverilog and not prose else WIDTH


def faults(text: str, is_systemverilog: bool) -> list[int]:
    """The lines that have a comment and are too wide."""
    commented = set()
    for token in TOKEN.finditer(text):
        if not token[0].startswith('"'):
            first = text.count("\n", 0, token.start()) + 1
            commented |= set(range(first, first + token[0].count("\n") + 1))
    lines = text.split("\n")
    return sorted(n for n in commented if len(lines[n - 1]) > limit(lines[n - 1], is_systemverilog))


# Source, whether it is SystemVerilog, and the lines of its faults
WORDS = "word " * 19 + "words"  # 100 columns
SEEDED = (
    (f"int a;\n// {WORDS}\n", False, [2]),
    (f"int a; // {WORDS}\n", False, [1]),
    (f"int a; /* two\n * {WORDS}\n */\n", False, [2]),
    (f"//   a   {WORDS}\n", False, [1]),
    (f'char *a = "// {WORDS}";\n', False, []),
    (f"// {WORDS[:97]}\n", False, []),
    (f"  // {WORDS}\n", True, [1]),
    ("  // ---- part " + 90 * "-" + "\n", True, [1]),
    (f"  //   a   {WORDS}\n", True, []),
    (f"logic a;  // {WORDS}\n", True, []),
    (f"logic a;  // {WORDS}{WORDS}\n", True, [1]),
)


def self_test() -> int:
    wrong = [seeded for seeded in SEEDED if faults(*seeded[:2]) != seeded[2]]
    for text, *_ in wrong:
        print(f"comment_width.py does not see what it should in:\n{text}")
    return 1 if wrong else 0


def main(arguments: list[str]) -> int:
    if "--self-test" in arguments:
        return self_test()
    found = [
        (name, line)
        for name in arguments
        for line in faults(Path(name).read_text(), name.endswith((".sv", ".svh")))
    ]
    for name, line in found:
        print(
            f"{name}:{line}: a comment is too wide. Break it: tools/comment_width.py has the limits"
        )
    if not arguments:
        print("comment_width.py: no files")
    return 1 if found or not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
