# SPDX-License-Identifier: Apache-2.0
"""prose.py [--self-test] [PAGE...]: how many words of prose the pages have, and whether that is within the limits.

Prose is what a reader has to read line by line: paragraphs, lists and headings. Tables, blocks of code, and what a
generator writes between <!--= ... --> and <!--/--> are counted apart. So are the templates from which generators write
pages: the patterns of `no_pages` in tools/docs/navigation.toml. Without PAGE all Markdown pages of the repository are
counted, and a limit that is exceeded is an error.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROSE, EVERYTHING, TEMPLATES = "prose of all pages", "words of all pages", "prose of all templates"
UNRELEASED = "CHANGELOG, Unreleased"
LIMITS = {PROSE: 25_000, EVERYTHING: 48_000, TEMPLATES: 10_000, UNRELEASED: 1_500}
NO_PAGES = ("build", ".git")
NAVIGATION = ROOT / "tools/docs/navigation.toml"
QUOTE = re.compile(r"<!--= [^>]+ -->(.*?)<!--/-->", re.S)
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
LIST_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s")
SECTION = re.compile(r"^## \[Unreleased\]\n(.*?)(?=^## \[|\Z)", re.M | re.S)


@dataclass
class Count:
    prose: int = 0
    table: int = 0
    code: int = 0
    generated: int = 0

    def add(self, other: Count) -> None:
        self.prose += other.prose
        self.table += other.table
        self.code += other.code
        self.generated += other.generated

    def line(self, name: str) -> str:
        columns = (self.prose, self.table, self.code, self.generated)
        return " ".join(f"{words:9,}" for words in columns) + f"  {name}"


def words(text: str) -> int:
    """Runs of characters with a letter or a digit; the target of a link is no word."""
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return sum(bool(re.search(r"\w", one)) for one in text.split())


def count(text: str) -> Count:
    found = Count(generated=sum(words(one[1]) for one in QUOTE.finditer(text)))
    text = QUOTE.sub(" ", text)
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
    """All Markdown files of the repository, templates included"""
    inside = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    return sorted(path for path in inside if path.parts[0] not in NO_PAGES)


def is_template(path: Path) -> bool:
    patterns = tomllib.loads(NAVIGATION.read_text())["no_pages"]
    return any(path.match(one.removeprefix("**/")) for one in patterns)


def self_test() -> list[str]:
    """What goes wrong with seeded texts"""
    page = "# A title\n\ntwo words\n\n    make it so\n\n| a | b |\n|---|---|\n\n- one [link](to/a/page.md)\n\n"
    page += "```sh\nmake run\n```\n<!-- a comment -->\n\nIt takes <!--= cycles -->1,292 cycles<!--/-->.\n"
    wanted = Count(prose=8, table=2, code=5, generated=2)
    errors = [] if count(page) == wanted else [f"{count(page)} is not {wanted}"]
    for name, limit in LIMITS.items():
        if not over({name: limit + 1}) or over({name: limit}):
            errors.append(f"the limit of {name} does not hold")
    return errors


def over(totals: dict[str, int]) -> list[str]:
    return [
        f"{name}: {totals[name]:,} words are more than {limit:,}. Shorten a page, or move results into what"
        " `make docs` builds and what was tried into docs/DECISIONS.md"
        for name, limit in LIMITS.items()
        if totals.get(name, 0) > limit
    ]


def main(arguments: list[str]) -> int:
    if arguments == ["--self-test"]:
        errors = self_test()
        print("\n".join(errors) or "prose.py: the counter finds its seeded faults")
        return bool(errors)
    print("    prose    tables      code generated  page")
    total, templates = Count(), Count()
    for path in [Path(one) for one in arguments] or pages():
        one = count((ROOT / path).read_text())
        (templates if is_template(path) else total).add(one)
        print(one.line(f"{path} (template)" if is_template(path) else str(path)))
    print(templates.line("all templates"))
    print(total.line("all pages"))
    if arguments:
        return 0
    unreleased = SECTION.search((ROOT / "CHANGELOG.md").read_text())
    totals = {
        PROSE: total.prose,
        EVERYTHING: total.prose + total.table + total.code + total.generated,
        TEMPLATES: templates.prose,
        UNRELEASED: count(unreleased[1] if unreleased else "").prose,
    }
    for name, number in totals.items():
        print(f"{number:9,} of at most {LIMITS[name]:,}: {name}")
    errors = over(totals)
    for error in errors:
        print(f"tools/prose.py: {error}", file=sys.stderr)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
