# SPDX-License-Identifier: Apache-2.0
"""The tool of `make mutants`: what it changes and what it draws.

python -m pytest -c tests/pytest.ini tests/mutants/test_mutants.py --folder FOLDER
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from draw import File, sequence, shares
from kinds import edits_of
from table import Table, formal_tests
from tokens import Source

if TYPE_CHECKING:
    from tests.mutants.conftest import Equal

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KINDS = {
    "operator", "constant", "condition", "enable", "ternary", "term", "statement", "status",
}  # fmt: skip


def mutated(language: str, text: str) -> set[tuple[str, str]]:
    """(kind, text) of all mutants of a text."""
    found = set()
    for kind, edits in edits_of(Source(text, language)):
        new = text
        for start, end, piece in reversed(edits):
            new = new[:start] + piece + new[end:]
        found.add((kind, new))
    return found


# ---- kinds: language, text, its mutants ----------------------------------------------------------

EXAMPLES = [
    ("c", "x = a + b;", {("operator", "x = a - b;")}),
    ("c", "int x = -a;", set()),
    ("c", "f(&a, b & c);", {("operator", "f(&a, b | c);")}),
    ("c", "int x = a <= b;", {("operator", "int x = a < b;")}),
    ("c", "int x = a << b >> c;",
     {("operator", "int x = a >> b >> c;"), ("operator", "int x = a << b << c;")}),
    ("c", "int x = 3;", {("constant", "int x = 4;"), ("constant", "int x = 2;")}),
    ("c", "int x = 0x0fu;", {("constant", "int x = 0x10u;"), ("constant", "int x = 0xeu;")}),
    ("c", "int x = 0;", {("constant", "int x = 1;")}),
    ("c", "float x = 2.0f;", {("constant", "float x = 3.0f;"), ("constant", "float x = 1.0f;")}),
    ("c", "float x = 0.5f;", {("constant", "float x = (0.5f + 1);")}),
    ("c", "bool x = true;", {("constant", "bool x = false;")}),
    ("c", "if (a) b();",
     {("condition", "if (!(a)) b();"), ("condition", "if (1 || (a)) b();"),
      ("condition", "if (0 && (a)) b();"), ("statement", "if (a) ;")}),
    ("c", "return a ? b : c;", {("ternary", "return a ? c : b;")}),
    ("c", "return a ? b : c ? d : e;",
     {("ternary", "return a ? c ? d : e : b;"), ("ternary", "return a ? b : c ? e : d;")}),
    ("c", "return a && b(c, d);",
     {("operator", "return a || b(c, d);"), ("term", "return a;"), ("term", "return b(c, d);")}),
    ("c", "return a == b && c && d;",
     {("operator", "return a != b && c && d;"), ("operator", "return a == b || c && d;"),
      ("operator", "return a == b && c || d;"), ("term", "return c && d;"),
      ("term", "return a == b && d;"), ("term", "return a == b && c;")}),
    ("c", "{ x->y = z; }", {("statement", "{ ; }")}),
    ("c", "{ *p = z; }", {("statement", "{ ; }")}),
    ("c", "{ i++; }", {("statement", "{ ; }")}),
    ("c", "{ x =\n z; }", set()),
    ("c", "{ return; break; int y; }", set()),
    ("c", "return LIB_OK;", {("status", "return LIB_ERR_NULL;")}),
    ("c", "return LIB_ERR_SHAPE;", {("status", "return LIB_OK;")}),
    ("c", "int x = LIB_OK;", set()),
    ("c", "#define A (1 + \\\n  2)\n#if A > 3\n#include \"b+c.h\"\n", set()),
    ("c", "_Static_assert(sizeof(a) == 4, \"a\"); // a == 4\n/* 1 + 1 */", set()),
    ("c", "{ puts(\"1 + 1\"); c = '+'; }", set()),
    ("sv", "always_ff @(posedge c) if (en) q <= d;",
     {("enable", f"always_ff @(posedge c) if ({front}en)) q <= d;")
      for front in ("!(", "1'b1 || (", "1'b0 && (")}),
    ("sv", "always_ff @(posedge c) begin\n  if (a <= b) begin : w\n    q[i] <= d;\n  end\nend",
     {("operator", "always_ff @(posedge c) begin\n  if (a < b) begin : w\n    q[i] <= d;\n  end\nend")}
     | {("enable", f"always_ff @(posedge c) begin\n  if ({front}a <= b)) begin : w\n    q[i] <= d;\n  end\nend")
        for front in ("!(", "1'b1 || (", "1'b0 && (")}),
    ("sv", "q <= a <= b;", {("operator", "q <= a < b;")}),
    ("sv", "assign x = a <= b;", {("operator", "assign x = a < b;")}),
    ("sv", "always_comb if (a) x = b;",
     {("condition", f"always_comb if ({front}a)) x = b;")
      for front in ("!(", "1'b1 || (", "1'b0 && (")}),
    ("sv", "assign x = &a;", {("operator", "assign x = |a;")}),
    ("sv", "q <= a && b;",
     {("operator", "q <= a || b;"), ("term", "q <= a;"), ("term", "q <= b;")}),
    ("sv", "assign x = '0;", {("constant", "assign x = '1;")}),
    ("sv", "assign x = 1'b0;", {("constant", "assign x = 1'b1;")}),
    ("sv", "assign x = 2'd3;", {("constant", "assign x = 2'd2;")}),
    ("sv", "assign x = 8'hff ;", {("constant", "assign x = 8'hfe ;")}),
    ("sv", "assign x = PtrW'(y);", set()),
    ("sv", "assign x = y[i +: W];", set()),
    ("sv", "module m import p::*; #(\n  parameter int A = 3,\n  localparam int B = A + C\n) ();",
     {("operator", "module m import p::*; #(\n  parameter int A = 3,\n  localparam int B = A - C\n) ();")}),
    ("sv", "a : assert property (@(posedge c) x == 1);", set()),
    ("sv", "if (A > 3) begin : g\n  $error(\"A is %d, not 1 + 1\", A);\nend", set()),
    ("sv", "// a + b\n`define A 3 + 4\n", set()),
]  # fmt: skip


def test_kinds(equal: Equal) -> None:
    for language, text, wanted in EXAMPLES:
        equal(f"mutants of {text!r}", mutated(language, text), wanted)
    found = {kind for _, _, wanted in EXAMPLES for kind, _ in wanted}
    equal("kinds", found, KINDS)


# ---- comments and strings, by a reader of its own ------------------------------------------------


def said(text: str, chars: bool) -> list[str]:
    """The comments and strings of a source, sorted."""
    found, at = [], 0
    ends = {"//": "\n", "/*": "*/", '"': '"'} | ({"'": "'"} if chars else {})
    while at < len(text):
        opening = next((o for o in ends if text.startswith(o, at)), None)
        if opening is None:
            at += 1
            continue
        end = at + len(opening)
        while end < len(text) and not text.startswith(ends[opening], end):
            end += 2 if opening in "\"'" and text[end] == "\\" else 1
        found.append(text[at:end])
        at = end + len(ends[opening])
    return sorted(found)


def test_project(equal: Equal) -> None:
    """The mutants of the project: all kinds, comments and strings as they are, and no two alike."""
    table = Table(HERE / "table.toml")
    drawn = {room.name: sequence(ROOT, room, 1) for room in table.rooms}
    kinds = {mutant.kind for room in drawn.values() for mutant in room}
    equal("kinds in the project", kinds, KINDS)
    names = [mutant.id for room in drawn.values() for mutant in room]
    equal("identifiers that occur twice", len(names) - len(set(names)), 0)
    for file in sorted({mutant.file for room in drawn.values() for mutant in room}):
        equal(f"row of {file}", table.row_of(file).tests != (), True)
    for room in drawn.values():
        for mutant in room[:8]:
            text = mutant.original
            chars = not mutant.file.endswith("v")
            equal(f"comments of {mutant.name()}", said(mutant.text(), chars), said(text, chars))
            equal(f"text of {mutant.name()}", mutant.text() == text, False)


def test_draw(equal: Equal) -> None:
    rooms = Table(HERE / "table.toml").rooms
    total = sum(room.weight for room in rooms)
    equal("shares", shares(rooms, total), {room.name: room.weight for room in rooms})
    for count in range(200):
        fewer, more = shares(rooms, count), shares(rooms, count + 1)
        equal(
            f"shares of {count + 1} extend",
            [more[r] - fewer[r] for r in more].count(0),
            len(rooms) - 1,
        )
    driver = next(room for room in rooms if room.name == "driver")
    first, again = sequence(ROOT, driver, 1), sequence(ROOT, driver, 1)
    equal("the same seed", [m.id for m in first], [m.id for m in again])
    other = sequence(ROOT, driver, 2)
    equal("another seed", [m.id for m in first] == [m.id for m in other], False)
    equal("the same mutants", {m.id for m in first}, {m.id for m in other})
    lines = len({(m.file, m.line) for m in first})
    equal("each line once, then again", len({(m.file, m.line) for m in first[:lines]}), lines)


def test_names_of_tests(equal: Equal) -> None:
    """Each pattern of table.toml matches a test that `make test` runs. tests.txt has their names."""
    rows = (ROOT / "tests/tests.txt").read_text().splitlines()
    fields = [row.split()[:2] for row in rows if row.strip() and not row.startswith("#")]
    names = [name for name, when in fields if when == "test"]
    Table(HERE / "table.toml").check(names)
    proofs = formal_tests(ROOT, "rtl/accel/fp8mac_fifo.sv", names)
    equal("proofs of the FIFO", "formal_fifo" in proofs, True)


def test_identifiers(equal: Equal, folder: Path) -> None:
    """An identifier stays if other parts of its file change, and tells equal lines apart."""
    text = "int f(int a)\n{\n" + "    a += 2;\n" * 12 + "    return a;\n}\n"
    (folder / "a.c").write_text(text)
    (folder / "b.c").write_text("// new\n" + text.replace("return a", "return b"))
    one, two = File(folder, "a.c", "r"), File(folder, "b.c", "r")
    ids = [[m.id for ms in f.mutants.values() for m in ms] for f in (one, two)]
    equal("identifiers of equal lines", len(set(ids[0])), len(ids[0]))
    (folder / "a.c").write_text("// new\n" + text.replace("return a", "return b"))
    later = [m.id for ms in File(folder, "a.c", "r").mutants.values() for m in ms]
    kept = len(set(ids[0]) & set(later))
    equal("identifiers away from a change", kept >= len(ids[0]) // 2, True)
    equal("identifiers of another file", set(ids[1]) & set(ids[0]), set())
