# SPDX-License-Identifier: Apache-2.0
"""The HTML documentation, as Sphinx made it: links, images, navigation, search, highlighted code.

    python -m pytest -c tests/pytest.ini tests/habits/test_docs_html.py --build BUILD

BUILD/docs has what `make docs` makes. Sphinx has refused every warning before. test_docs.py checks what the pages contain.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from tests.conftest import Bench

OWN = ("search.html", "genindex.html", "py-modindex.html")  # Sphinx's pages
LANGUAGES = ("c", "systemverilog", "python", "sh", "text")


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text = path.read_text()
        self.links: list[str] = []
        self.images: list[str] = []
        self.names: set[str] = set()
        self.languages: set[str] = set()
        self.viewport = False
        self.sidebar: list[str] = []
        self.current: list[str] = []
        self.depth = 0  # of the lists of the navigation
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        if tag == "div" and "sidebar-tree" in classes:
            self.depth = 1
        elif tag == "div" and self.depth:
            self.depth += 1
        if tag == "a" and self.depth and given.get("href"):
            self.sidebar.append(given["href"])
            if "current" in classes:
                self.current.append(given["href"])
        if tag == "meta" and given.get("name") == "viewport":
            self.viewport = "width=device-width" in given.get("content", "")
        if tag == "img":
            self.images.append(given.get("src", ""))
        for name in ("href", "src"):
            if given.get(name):
                self.links.append(given[name])
        if given.get("id"):
            self.names.add(given["id"])
        self.languages |= {
            c.removeprefix("highlight-") for c in classes if c.startswith("highlight-")
        }

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self.depth:
            self.depth -= 1


@pytest.fixture(scope="module")
def site(build: Path) -> dict[Path, Page]:
    folder = (build / "docs").resolve()
    return {path: Page(path) for path in sorted(folder.rglob("*.html"))}


@pytest.fixture(scope="module")
def top(build: Path) -> Path:
    return (build / "docs").resolve()


def test_links(bench: Bench, site: dict[Path, Page]) -> None:
    count = 0
    for path, page in site.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            file, fragment = urldefrag(unquote(link).split("?")[0])
            target = (path.parent / file).resolve() if file else path
            known = site[target].names if target in site else set()
            if not target.exists() or (fragment and target in site and fragment not in known):
                bench.check(f"dead link in {path}: {link}", False)
    bench.passed += count
    bench.check(f"{count} links", count > 1000)


def test_each_source_is_a_page(
    bench: Bench, site: dict[Path, Page], top: Path, build: Path
) -> None:
    sources = build / "docs-src"
    wanted = {path.relative_to(sources).with_suffix(".html") for path in sources.rglob("*.md")}
    found = {path.relative_to(top) for path in site} - set(map(Path, OWN))
    for path in sorted(wanted ^ found):
        bench.check(f"{path} is a page, and has a source", False)
    bench.passed += len(wanted)


def test_navigation(bench: Bench, site: dict[Path, Page], top: Path) -> None:
    """Every page shows all of them, itself marked, with contents and a field for searching."""
    listed = [(top / link).resolve() for link in site[top / "index.html"].sidebar if link != "#"]
    bench.check(f"{len(listed)} pages in the navigation", len(listed) >= 80)
    for path, page in site.items():
        name = path.relative_to(top)
        seen = [(path.parent / link).resolve() if link != "#" else path for link in page.sidebar]
        bench.check(f"{name}: the whole navigation", set(seen) >= set(listed))
        bench.check(f"{name}: a field for searching", 'name="q"' in page.text)
        bench.check(f"{name}: a viewport", page.viewport)
        if str(name) in OWN or name.parts[0] == "source":
            continue
        bench.check(f"{name}: is in the navigation", path in listed or str(name) == "index.html")
        marked = re.findall(r'<li class="[^"]*\bcurrent-page\b', page.text)
        bench.check(f"{name}: one page is marked as this one", len(marked) == 1)
        sections = page.text.count("<section id=") + page.text.count('<dt class="sig')
        if sections > 1:
            bench.check(f"{name}: its contents are shown", 'class="toc-tree"' in page.text)


def test_images(bench: Bench, site: dict[Path, Page], top: Path) -> None:
    count = 0
    for path, page in site.items():
        for image in page.images:
            count += 1
            there = (path.parent / unquote(image)).is_file()
            bench.check(f"{path.relative_to(top)}: {image}", there)
    bench.check(f"{count} images", count >= 5)
    for name in ("parts.svg", "gemm.svg"):
        bench.check(
            f"{name} is shown", any(name in image for p in site.values() for image in p.images)
        )


def test_code_is_highlighted(bench: Bench, site: dict[Path, Page]) -> None:
    found = set().union(*(page.languages for page in site.values()))
    for language in LANGUAGES:
        bench.check(f"there is code in {language}", language in found)
    bench.check(f"every block has its language: {found}", not found & {"none", "default"})
    for language in ("c", "systemverilog", "python"):
        pattern = rf'highlight-{language} notranslate"><div class="highlight"><pre><span></span>.*?<span class="k'
        marked = any(re.search(pattern, page.text, re.S) for page in site.values())
        bench.check(f"keywords of {language} are marked", marked)


def test_search(bench: Bench, top: Path) -> None:
    """The index knows the titles of pages, words of their text, and the names of the interfaces."""
    text = (top / "searchindex.js").read_text()
    index = json.loads(re.sub(r"^Search\.setIndex\((.*)\)$", r"\1", text, flags=re.S))
    titles, objects = index["alltitles"], json.dumps(index["objects"])
    for title in ("Glossary", "C interfaces", "Python interface", "RTL modules", "CTRL"):
        bench.check(f"title {title}", title in titles)
    for name in ("fp8mac_gemm", "fp8rt_gemm_run", "cast", "xla_quantize"):
        bench.check(f"name {name}", f'"{name}"' in objects)
    for word in ("accumul", "kulisch", "doorbel"):
        bench.check(f"word {word}", word in index["terms"])
    bench.check("a page of every source", len(index["docnames"]) >= 80)
    for name in ("searchtools.js", "language_data.js", "doctools.js"):
        bench.check(f"script {name}", (top / "_static" / name).is_file())
