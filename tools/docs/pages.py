# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation: which there are, in which order, and the Markdown that Sphinx reads.

Pages of the repository go to the same places below the folder of sources, so their links to each other hold. README.md
is index.md there. A link to another file goes to the page that shows it: a header's or a module's page of the
reference, the README.md of a folder, and for all others a page with the file's text.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

from markdown_text import block

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("build", "dist", "node_modules")
IMAGES = (".svg", ".png")
LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".cpp": "cpp",
    ".sv": "systemverilog",
    ".py": "python",
    ".pyi": "python",
    ".sh": "sh",
    ".mk": "make",
    ".toml": "toml",
    ".json": "json",
    ".yml": "yaml",
}
FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})")
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^)\s]+)\)")


class Wrong(Exception):
    """What is wrong with the pages, and what to do."""


@dataclass
class Section:
    title: str
    pages: list[tuple[str, str]]  # name in the navigation, page


@dataclass
class Navigation:
    first: str
    sections: list[Section]

    def pages(self) -> list[str]:
        return [self.first, *(page for section in self.sections for _, page in section.pages)]


def repository_pages(no_pages: list[str]) -> list[str]:
    """Every Markdown file of the repository that is a page."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        at = Path(folder).relative_to(ROOT)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in BUILT
            and not (Path(folder) / name / "FUSESOC_IGNORE").exists()
        )
        found += [str(at / name) for name in sorted(files) if name.endswith(".md")]
    return [name for name in found if not any(Path(name).match(p) for p in no_pages)]


def title_of(text: str, page: str) -> str:
    """The first heading of a page."""
    match = re.search(r"^# (.+)$", text, re.M)
    if match is None:
        raise Wrong(f"{page} has no heading: begin it with '# Title'")
    return match[1]


def navigation(file: Path, results: list[Path]) -> Navigation:
    given = tomllib.loads(file.read_text())
    sections = []
    for entry in given["section"]:
        pages = [tuple(line.split(": ", 1)) for line in entry["pages"]]
        if entry.get("results"):
            pages += [
                (title_of(p.read_text(), str(p)), f"results/{p.name}") for p in sorted(results)
            ]
        if pages:
            sections.append(Section(entry["title"], pages))
    found = Navigation(given["first"], sections)
    listed = [page for page in found.pages() if not page.startswith(("reference/", "results/"))]
    there = repository_pages(given["no_pages"])
    where = file.relative_to(ROOT)
    for page in sorted(set(there) - set(listed)):
        raise Wrong(f"{page} is in no section of {where}: add it to one")
    for page in sorted(set(listed) - set(there)):
        raise Wrong(f"{where} lists {page}, and there is no such page: remove it from its section")
    for page in sorted({page for page in listed if listed.count(page) > 1}):
        raise Wrong(f"{where} lists {page} twice: leave it in one section")
    return found


class Sources:
    """The folder that Sphinx reads. Files that did not change are not written, so Sphinx does not read them again."""

    def __init__(self, folder: Path, given: Navigation, references: dict[str, str]) -> None:
        self.folder = folder
        self.pages = set(given.pages())
        self.first = given.first
        self.references = (
            references  # file of the repository: the page and the heading that show it
        )
        self.texts: dict[str, str] = {}  # files whose text is shown: their pages
        self.written: set[Path] = set()

    def write(self, name: str, text: str) -> None:
        target = self.folder / name
        self.written.add(target)
        if not target.exists() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def copy(self, name: str) -> None:
        target = self.folder / name
        self.written.add(target)
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)

    def place(self, page: str) -> str:
        """Where the source of a page is."""
        return "index.md" if page == self.first else page

    def target(self, file: str, image: bool) -> str:
        """The place of what a link to a file of the repository shows."""
        if file in self.pages:
            return self.place(file)
        if file in self.references:
            return self.references[file]
        path = ROOT / file
        if path.is_dir() and f"{file}/README.md" in self.pages:
            return f"{file}/README.md"
        if not path.is_file():
            raise Wrong(
                f"a link goes to {file}: there is no such file, or it is a folder without a page"
            )
        if image or path.suffix in IMAGES:
            self.copy(file)
            return file
        page = f"source/{file}.md"
        language = "make" if path.name == "Makefile" else LANGUAGES.get(path.suffix, "text")
        self.texts[page] = f"---\norphan: true\n---\n# {file}\n\n" + block(
            language, path.read_text()
        )
        return page

    def linked(self, page: str, text: str) -> str:
        """Text of a page without code blocks, with links to what the documentation has."""

        def convert(match: re.Match[str]) -> str:
            mark, label, link = match.groups()
            if re.match(r"[a-z]+:|#", link):
                return match[0]
            file, hash_, fragment = link.partition("#")
            file = os.path.normpath(Path(page).parent / file)
            try:
                place = self.target(file, bool(mark))
            except Wrong as wrong:
                raise Wrong(f"{page}: {wrong}") from None
            place = place if "#" in place else place + hash_ + fragment
            return f"{mark}[{label}]({os.path.relpath(place, Path(self.place(page)).parent)})"

        return LINK.sub(convert, text)

    def page(self, name: str, text: str) -> str:
        """The text of a page for Sphinx. Only links outside of code blocks are links."""
        out, chunk, fence = [], [], ""
        for line in text.splitlines(keepends=True):
            if fence:
                chunk.append(line)
                if line.strip() == fence:
                    out.append("".join(chunk))
                    chunk, fence = [], ""
            elif match := FENCE.match(line):
                out.append(self.linked(name, "".join(chunk)))
                chunk, fence = [line], match[2]
            else:
                chunk.append(line)
        return "".join(out) + self.linked(name, "".join(chunk))

    def markdown(self) -> list[Path]:
        return list(self.folder.rglob("*.md"))

    def finish(self, kept: list[Path]) -> None:
        """Writes the pages of files, and removes what an earlier run left; `kept` are the pages of results."""
        for name, text in self.texts.items():
            self.write(name, text)
        results = self.folder / "results"
        for path in sorted(self.folder.rglob("*"), reverse=True):
            of_results = results in path.parents and (path.suffix != ".md" or path in kept)
            if path.is_file() and path not in self.written and not of_results:
                path.unlink()
