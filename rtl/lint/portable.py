# SPDX-License-Identifier: Apache-2.0
"""python rtl/lint/portable.py [--self-test] FILES: constructs that some tools refuse.

    argument   a function assigns to one of its input arguments
    pattern    a port is connected to an assignment pattern without a type: '{...} in place of type_t'{...}
    index      the target of a nonblocking assignment has a function call in its index: Verilator 5.032 (Debian 13) ends
               with an internal error. Give the index a signal of its own.

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

# Where a statement can begin, and the call of a function that is not a system function
STATEMENT = re.compile(r"(?:[;:)]|\bbegin\b|\belse\b)\s*(?=[\w{])(?!begin\b|if\b|else\b)")
CALL = re.compile(r"(?<![\w$])[A-Za-z_]\w*\s*\(")


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


def nonblocking_target(text: str, at: int) -> str:
    """The target of the nonblocking assignment that begins at a place of the text, or nothing if none does."""
    depth = 0
    for end in range(at, len(text)):
        one = text[end]
        if not depth and text.startswith("<=", end):
            return text[at:end]
        depth += (one in "[{(") - (one in "]})")
        if depth < 0 or not (depth or one.isspace() or one.isalnum() or one in "_.:]})"):
            return ""
        if one == "(" and depth == 1:  # a call or the head of a statement
            return ""
    return ""


def index_calls(text: str) -> list[int]:
    """The places of nonblocking assignments whose targets have a function call in an index."""
    places = []
    for one in STATEMENT.finditer(text):
        target = nonblocking_target(text, one.end())
        indices = target[target.find("[") :] if "[" in target else ""
        if CALL.search(indices):
            places.append(one.end())
    return places


def faults(text: str) -> list[tuple[int, str]]:
    """Line and message of each fault."""
    text = without_comments(text)
    found = [
        (one.start(), f"pattern without a type at port {one[1]}") for one in PATTERN.finditer(text)
    ]
    found += [
        (at, "function call in the index of a nonblocking assignment") for at in index_calls(text)
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
    ("always_ff @(posedge c) begin\n  a_q[f(x[3], 1)] <= 1'b1;\nend", [2]),
    ("always_ff @(posedge c)\n  if (b) a_q[0].m[{1'b0, f(\n  x)}] <= 1'b1;", [2]),
    ("always_ff @(posedge c)\n  {b_q, a_q[f(x)]} <= 2'b1;", [2]),
    ("always_ff @(posedge c) begin\n  a_q[t'(x)][$clog2(N)] <= f(x);\nend", []),
    ("always_comb begin\n  a[f(x)] = b[f(x)] <= c;\n  if (a[f(x)] <= c) d = 0;\nend", []),
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
