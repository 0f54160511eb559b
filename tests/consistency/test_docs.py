# SPDX-License-Identifier: Apache-2.0
"""No internal link of the HTML documentation is dead, and nothing public is missing from it.

python -m pytest -c tests/pytest.ini tests/consistency/test_docs.py --build BUILD

BUILD has what `make docs` makes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from tests.conftest import Bench

ROOT = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" and value:
                self.names.add(value)


def dead_links(folder: Path) -> tuple[int, list[str]]:
    # PeakRDL's pages find theirs by a script.
    paths = [
        p for p in sorted(folder.rglob("*.html")) if p.relative_to(folder).parts[0] != "registers"
    ]
    pages = {path.resolve(): Page(path) for path in paths}
    count, dead = 0, []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            file, fragment = urldefrag(unquote(link))
            target = (path.parent / file).resolve() if file else path
            known = pages[target].names if target in pages else set()
            if not target.exists() or (fragment and fragment not in known):
                dead.append(f"{path.relative_to(folder.resolve())}: {link}")
    return count, dead


def missing(folder: Path) -> tuple[int, list[str]]:
    """Public C functions, RTL modules and their ports that the pages do not show."""
    count, absent = 0, []
    c, rtl = (folder / "c.html").read_text(), (folder / "rtl.html").read_text()
    for header in [
        *ROOT.glob("model/include/fp8mac/*.h"),
        *ROOT.glob("firmware/include/fp8rt/*.h"),
    ]:
        for name in re.findall(r"^\w[\w *]*?\b(fp8\w+)\(", header.read_text(), re.M):
            count += 1
            if f"{name}(" not in c:
                absent.append(f"{header.name}: {name}")
    sections = dict(re.findall(r'<h3 id="(\w+)">(.*?)(?=<h[23]|$)', rtl, re.S))
    for path in (ROOT / "rtl").rglob("*.sv"):
        text = re.sub(r"//.*", "", path.read_text())
        module = re.search(r"^module (\w+)(.*?)\);$", text, re.M | re.S)
        if module is None or path.parent.name == "behavioural":
            continue
        shown = re.findall(r'<tr class="port"><td>(\w+)</td>', sections.get(module[1], ""))
        ports = re.findall(
            r"\b(?:input|output)\b[^,;]*?(\w+)(?:\s*\[[^\]]*\])?\s*(?:,|$)", module[2]
        )
        count += 1 + len(ports)
        absent += [f"{path.name}: {name}" for name in sorted(set(ports) ^ set(shown))]
        if not shown:
            absent.append(f"{path.name}: no port is shown")
    return count, absent


@pytest.mark.parametrize(("what", "search"), [("dead link", dead_links), ("missing", missing)])
def test_pages(
    bench: Bench, build: Path, what: str, search: Callable[[Path], tuple[int, list[str]]]
) -> None:
    count, wrong = search(build / "docs")
    for line in wrong:
        bench.check(f"{what}: {line}", False)
    bench.passed += count - len(wrong)
    if count < 50:
        bench.check(f"only {count} checks of {what}", False)
