# SPDX-License-Identifier: Apache-2.0
"""The glossary's words, over every file of the repository, and the long sentences of its pages.

    python tests/docs/plain_english.py              checks the repository
    python tests/docs/plain_english.py --self-test  checks that seeded faults are found

Each word of REPLACED has a term in docs/GLOSSARY.md and appears nowhere else: one that does is a failure. A sentence of a
Markdown page with more than LONGEST words is a warning; tables, code and headings are no sentences.
"""

import re
import sys
from pathlib import Path

LONGEST = 30
ANCHOR, HEAP = r"\banchor(ed|s)?\b", r"\bheaps?\b"
REPLACED = {
    r"\bhung from\b|\bhangs? from\b|\bhanging from\b": "aligned to",
    ANCHOR: "static shared exponent, bound",
    r"\btwins?\b": "INT8 baseline",
    HEAP: "compressor tree",
    r"\bof no concern\b|\bof no interest\b|\bis nothing\b": "a plain statement",
    r"\bstraw man\b": "a plain statement",
}
# Words that mean something else where they stand.
ALLOWED = {
    "tests/docs/plain_english.py": set(REPLACED),
    "synth/study/plot.py": {ANCHOR},  # SVG's text-anchor
    "synth/study/picture.py": {ANCHOR},
    "model/bench/plot.py": {ANCHOR},
    "firmware/port/riscv/cxx.cpp": {HEAP},  # memory that is allocated at run time
}
FOLDERS = ["docs", "examples", "firmware", "model", "rtl", "sim", "synth", "tests", "tools"]
TEXT = (
    ".md",
    ".c",
    ".h",
    ".cpp",
    ".sv",
    ".vlt",
    ".py",
    ".mk",
    ".sh",
    ".rdl",
    ".toml",
    ".txt",
    ".S",
    "Makefile",
    ".yml",
)


def files() -> list[Path]:
    """What the project's folders hold, without what is built there."""
    found = [*Path().glob("*"), *(p for folder in FOLDERS for p in Path(folder).rglob("*"))]
    built = {"build", "__pycache__"}
    return sorted(
        p for p in found if p.name.endswith(TEXT) and p.is_file() and not built & set(p.parts)
    )


def sentences(text: str) -> list[str]:
    text = re.sub(r"```.*?```|<!--.*?-->", " ", text, flags=re.S)
    kept = [line for line in text.splitlines() if not re.match(r"\s*(\||#|    |!\[)", line)]
    # A list item or an empty line ends a sentence.
    blocks, block = [], []
    for line in [*kept, ""]:
        if not line.strip() or re.match(r"\s*([-*]|\d+[.)])\s", line):
            blocks.append(" ".join(block).strip())
            block = []
        block.append(line.strip())
    found = []
    for block in blocks:
        found += re.split(r"(?<=[.:;!?])\s+", block)
    return [sentence for sentence in found if sentence]


def words_of(path: Path, text: str) -> list[str]:
    """What is wrong with the words of a file."""
    allowed = ALLOWED.get(str(path), set())
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        for word, better in REPLACED.items():
            found = word not in allowed and re.search(word, line, re.I)
            if found:
                problems.append(f"{path}:{number}: {found[0]!r}: write {better}")
    return problems


def long_sentences(path: Path, text: str) -> list[str]:
    """The sentences of a page that a reader may stumble over."""
    if path.suffix != ".md":
        return []
    counts = [(len(re.findall(r"\S*\w\S*", sentence)), sentence) for sentence in sentences(text)]
    return [f"{path}: {count} words: {one}" for count, one in counts if count > LONGEST]


def check(paths: list[tuple[Path, str]]) -> tuple[int, int, list[str]]:
    """How many files are good and how many words are not; what to print."""
    passed, failed, said, warnings = 0, 0, [], []
    for path, text in paths:
        problems = words_of(path, text)
        said += problems
        passed, failed = passed + (not problems), failed + len(problems)
        warnings += long_sentences(path, text)
    said += [f"warning: {one}" for one in warnings]
    return passed, failed, [*said, f"{len(warnings)} long sentences"]


SEEDED = "# A heap of words in a heading\n\n{}.\n\nA short one.\n"


def self_test() -> tuple[int, int, list[str]]:
    """A replaced word fails, a long sentence warns, and a sentence of LONGEST words does neither."""
    good = Path("seeded.md"), SEEDED.format(" ".join(["word"] * LONGEST)).replace("heap", "page")
    word = Path("seeded.md"), SEEDED.format("A word")
    long = (
        Path("seeded.md"),
        SEEDED.format(" ".join(["word"] * (LONGEST + 1))).replace("heap", "page"),
    )
    source = Path("seeded.c"), long[1]
    cases = (
        ("nothing is wrong", [good], (1, 0), 0, ""),
        ("a replaced word fails", [good, word], (1, 1), 0, "seeded.md:1: 'heap': write compressor tree"),
        ("a long sentence warns", [long], (1, 0), 1, f"warning: seeded.md: {LONGEST + 1} words: word"),
        ("a source has no sentences", [source], (1, 0), 0, ""),
    )  # fmt: skip
    failures = []
    for name, paths, counts, warnings, line in cases:
        passed, failed, said = check(paths)
        good = (passed, failed) == counts and said[-1] == f"{warnings} long sentences"
        if not good or not any(one.startswith(line) for one in said):
            failures.append(f"FAIL {name}: {passed} passed, {failed} failed, {said}")
    return len(cases) - len(failures), len(failures), failures


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        passed, failed, said = self_test()
    else:
        passed, failed, said = check([(path, path.read_text(errors="replace")) for path in files()])
    print("\n".join([*said, f"{passed} passed, {failed} failed"]))
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
