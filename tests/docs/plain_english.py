# SPDX-License-Identifier: Apache-2.0
"""The glossary's words and short sentences, over every file of the repository.

    python tests/docs/plain_english.py

Each word of REPLACED has a term in docs/GLOSSARY.md and appears nowhere else. No sentence of a Markdown page has more than
LONGEST words; tables, code and headings are no sentences.
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
            blocks.append(" ".join(block))
            block = []
        block.append(line.strip())
    found = []
    for block in blocks:
        found += re.split(r"(?<=[.:;!?])\s+", block)
    return [sentence for sentence in found if sentence]


def main() -> int:
    passed = failed = 0
    for path in files():
        text = path.read_text(errors="replace")
        allowed = ALLOWED.get(str(path), set())
        problems = []
        for number, line in enumerate(text.splitlines(), 1):
            for word, better in REPLACED.items():
                found = word not in allowed and re.search(word, line, re.I)
                if found:
                    problems.append(f"{path}:{number}: {found[0]!r}: write {better}")
        if path.suffix == ".md":
            for sentence in sentences(text):
                words = [word for word in sentence.split() if re.search(r"\w", word)]
                if len(words) > LONGEST:
                    problems.append(f"{path}: {len(words)} words, at most {LONGEST}: {sentence}")
        print("\n".join(problems), end="\n" if problems else "")
        passed, failed = passed + (not problems), failed + len(problems)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
