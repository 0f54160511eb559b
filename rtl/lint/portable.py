# SPDX-License-Identifier: Apache-2.0
"""python rtl/lint/portable.py [--self-test] FILES: constructs that Verilator and slang take and other tools refuse.

    argument   a function assigns to one of its input arguments
    pattern    a port is connected to an assignment pattern without a type: '{...} in place of type_t'{...}

`make lint` first runs it on sources with seeded faults (--self-test).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
FUNCTION = re.compile(r"\bfunction\b[^;(]*?(\w+)\s*\(([^;]*?)\)\s*;(.*?)\bendfunction\b", re.S)
PATTERN = re.compile(r"\.(\w+)\s*\(\s*'\{")
# An argument's name is the last word before its default value or its unpacked dimensions.
ARGUMENT = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$", re.S)
WRITTEN = r"(?:^|[;:)]|\bbegin\b|\belse\b)\s*{name}\b\s*(?:\[[^\]=]*\]|\.\w+)*\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)"


def without_comments(text: str) -> str:
    """With the same lines."""
    return COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)


def inputs(arguments: str) -> list[str]:
    """The names of the arguments that a function only reads. A direction holds until the next one."""
    names, direction = [], "input"
    for argument in re.split(r",(?![^\[({]*[\])}])", arguments):
        given = re.match(r"\s*(?:const\s+)?(input|output|inout|ref)\b", argument)
        direction = given[1] if given else direction
        found = ARGUMENT.search(argument.strip())
        if found and direction == "input":
            names.append(found[1])
    return names


def faults(text: str) -> list[tuple[int, str]]:
    """Line and message of each fault."""
    text = without_comments(text)
    found = [
        (one.start(), f"pattern without a type at port {one[1]}") for one in PATTERN.finditer(text)
    ]
    for function in FUNCTION.finditer(text):
        for name in inputs(function[2]):
            for one in re.finditer(WRITTEN.format(name=name), function[3], re.M):
                at = function.start(3) + one.end()
                found.append((at, f"function {function[1]} assigns to its argument {name}"))
    return sorted((text.count("\n", 0, at) + 1, why) for at, why in found)


# Sources, and the lines of their faults
SEEDED = (
    ("function automatic int f(int a);\n  a = a + 1;\n  return a;\nendfunction", [2]),
    ("function automatic int f(input t_t a, int b);\n  if (b > 0) a.x[1] = 0;\nendfunction", [2]),
    ("function void f(int a);\n  for (int i = 0; i < 2; i++) begin a += i; end\nendfunction", [2]),
    ("module m;\n  n u_n (\n    .a_i('{x: 1}));\nendmodule", [3]),
    ("function automatic int f(int a);\n  f = a == 1 ? a : 0;  // a = 1\nendfunction", []),
    ("function automatic void f(output int a);\n  a = 1;\nendfunction", []),
    ("module m;\n  n u_n (.a_i(t_t'{x: 1}));\nendmodule", []),
)


def self_test() -> int:
    wrong = [text for text, lines in SEEDED if [line for line, _ in faults(text)] != lines]
    for text in wrong:
        print(f"portable.py does not see what it should in:\n{text}")
    return 1 if wrong else 0


def main(arguments: list[str]) -> int:
    if "--self-test" in arguments:
        return self_test()
    found = [(name, *one) for name in arguments for one in faults(Path(name).read_text())]
    for name, line, why in found:
        print(f"{name}:{line}: {why}")
    if not arguments:
        print("portable.py: no files")
    return 1 if found or not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
