# SPDX-License-Identifier: Apache-2.0
"""prose.py [--self-test] [PAGE...]: how many words of prose the pages have, and whether that is within the limits.

Prose is what a reader has to read line by line: paragraphs, lists and headings. Tables, blocks of code and comments are
counted apart, and so are the templates from which generators write pages. Without PAGE all Markdown pages of the
repository are counted, and a limit that is exceeded is an error.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Words of prose of all pages, and of what is not yet released in the change log
LIMITS = {"all pages": 45_000, "CHANGELOG, Unreleased": 1_500}
NO_PAGES = ("build", ".git")
# What a generator writes begins with a comment that names its template, and the template has the same comment.
MADE_FROM = re.compile(r"(?:# .*\n\n)?<!-- .*\bthis page from (\S+\.md)\b")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
LIST_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s")
UNRELEASED = re.compile(r"^## \[Unreleased\]\n(.*?)(?=^## \[|\Z)", re.M | re.S)


@dataclass
class Count:
    prose: int = 0
    table: int = 0
    code: int = 0


def words(text: str) -> int:
    """Runs of characters with a letter or a digit; the target of a link is no word."""
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return sum(bool(re.search(r"\w", one)) for one in text.split())


def count(text: str) -> Count:
    found = Count()
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    fence, in_block, in_list, blank = "", False, False, True
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            found.code += words(line)
            fence = "" if mark and line.strip().startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif line.startswith("    ") and not in_list and (blank or in_block):
            found.code += words(line)
            in_block = True
        elif line.lstrip().startswith("|"):
            found.table += words(line)
        else:
            found.prose += words(line)
        if line.strip():
            in_block = in_block and line.startswith("    ")
            in_list = bool(LIST_ITEM.match(line)) or (in_list and line.startswith(" "))
        blank = not line.strip()
    return found


def pages() -> list[Path]:
    """All Markdown pages of the repository, templates included"""
    inside = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    return sorted(path for path in inside if path.parts[0] not in NO_PAGES)


def self_test() -> list[str]:
    """What goes wrong with seeded texts"""
    page = "# A title\n\ntwo words\n\n    make it so\n\n| a | b |\n|---|---|\n\n- one [link](to/a/page.md)\n\n"
    page += "```sh\nmake run\n```\n<!-- a comment -->\n"
    wanted = Count(prose=6, table=2, code=5)
    errors = [] if count(page) == wanted else [f"{count(page)} is not {wanted}"]
    if not over({"all pages": 45_001}) or over({"all pages": 45_000}):
        errors.append("the limit of all pages does not hold")
    return errors


def over(totals: dict[str, int]) -> list[str]:
    return [
        f"{name}: {totals[name]:,} words of prose are more than {limit:,}. Shorten a page, or move results into what"
        " `make docs` builds and what was tried into docs/DECISIONS.md"
        for name, limit in LIMITS.items()
        if totals.get(name, 0) > limit
    ]


def main(arguments: list[str]) -> int:
    if arguments == ["--self-test"]:
        errors = self_test()
        print("\n".join(errors) or "prose.py: the counter finds its seeded faults")
        return bool(errors)
    chosen = [Path(one) for one in arguments] or pages()
    print(f"{'prose':>7} {'tables':>7} {'code':>7}  page")
    total, templates = Count(), Count()
    for path in chosen:
        text = (ROOT / path).read_text()
        one = count(text)
        made = MADE_FROM.match(text)
        into = templates if made and made[1] == str(path) else total
        into.prose, into.table, into.code = (
            into.prose + one.prose,
            into.table + one.table,
            into.code + one.code,
        )
        kind = " (template)" if into is templates else ""
        print(f"{one.prose:7,} {one.table:7,} {one.code:7,}  {path}{kind}")
    for name, its in (("all templates", templates), ("all pages", total)):
        print(f"{its.prose:7,} {its.table:7,} {its.code:7,}  {name}")
    if arguments:
        return 0
    unreleased = UNRELEASED.search((ROOT / "CHANGELOG.md").read_text())
    totals = {
        "all pages": total.prose,
        "CHANGELOG, Unreleased": count(unreleased[1] if unreleased else "").prose,
    }
    print(f"{totals['CHANGELOG, Unreleased']:7,} {'':15}  CHANGELOG, Unreleased")
    errors = over(totals)
    for error in errors:
        print(f"tools/prose.py: {error}", file=sys.stderr)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
