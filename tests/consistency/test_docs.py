# SPDX-License-Identifier: Apache-2.0
"""The documentation before Sphinx: every page is in the navigation, no link is dead, nothing public is missing.

    python -m pytest -c tests/pytest.ini tests/consistency/test_docs.py --build BUILD --folder FOLDER --regs-h HEADER

BUILD/docs-check has the Markdown that tools/docs/build_docs.py writes for Sphinx. What should be there is read from the
sources a second time here. test_docs_html.py looks at what Sphinx makes of it.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path

import pytest

from tests.conftest import Bench

ROOT = Path(__file__).resolve().parents[2]
BUILD_DOCS = ROOT / "tools" / "docs" / "build_docs.py"
LEAST = 50  # checks of a kind: fewer say that a pattern of this test has become wrong


@pytest.fixture(scope="module")
def pages(build: Path) -> dict[str, str]:
    """The text of each page, by its path below the folder of sources."""
    folder = build / "docs-check"
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*.md"))}


def count(bench: Bench, what: str, checks: int, wrong: list[str]) -> None:
    for line in wrong:
        bench.check(f"{what}: {line}", False)
    bench.passed += checks - len(wrong)
    bench.check(f"at least {LEAST} checks: {what} ({checks})", checks >= LEAST)


def markdown_files() -> list[str]:
    """Every page of the repository. A template ends in `page.md` or `_full.md`."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith(".")]
        if "FUSESOC_IGNORE" in files:  # a folder of what is built
            folders.clear()
            continue
        found += [os.path.relpath(Path(folder) / f, ROOT) for f in files if f.endswith(".md")]
    return sorted(name for name in found if not name.endswith(("page.md", "_full.md")))


def plain(text: str) -> str:
    """A page without its blocks of code and comments."""
    text = re.sub(r"^ *(`{3,})[^\n`]*\n.*?^ *\1 *$", "", text, flags=re.M | re.S)
    return re.sub(r"<!--.*?-->", "", text, flags=re.S)


def heading_names(text: str) -> set[str]:
    """The names that a code forge gives to the headings of a page."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ +(.*?) *$", plain(text), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found[name] = found.get(name, 0) + 1
    return {f"{name}-{i}" if i else name for name, n in found.items() for i in range(n)}


def test_navigation(bench: Bench, pages: dict[str, str]) -> None:
    listed = re.findall(r"^.+ <(\S+)>$", pages["index.md"], re.M)
    bench.check("no page is in the navigation twice", len(listed) == len(set(listed)))
    for name in markdown_files():
        page = "self" if name == "README.md" else name.removesuffix(".md")
        bench.check(f"{name} is in the navigation", page in listed)
    for page in listed:
        bench.check(f"{page} is a page", page == "self" or f"{page}.md" in pages)
    for part in ("c", "python", "rtl", "registers"):
        bench.check(f"reference/{part} is in the navigation", f"reference/{part}" in listed)


def test_links(bench: Bench, pages: dict[str, str], build: Path) -> None:
    checks, wrong = 0, []
    named = {page: heading_names(text) for page, text in pages.items()}
    for page, text in pages.items():
        for label, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", plain(text)):
            if re.match(r"[a-z]+:", target):
                continue
            checks += 1
            file, _, fragment = target.partition("#")
            place = os.path.normpath(Path(page).parent / file) if file else page
            if not (build / "docs-check" / place).is_file():
                wrong.append(f"{page}: [{label}]({target}): there is no file {place}")
            elif fragment and fragment not in named.get(place, ()):
                wrong.append(f"{page}: [{label}]({target}): {place} has no heading {fragment}")
    count(bench, "links", checks, wrong)


def test_pages_are_plain_markdown(bench: Bench) -> None:
    """Pages of the repository have nothing that only Sphinx understands: a code forge shows them, too."""
    syntax = {
        "a directive": r"^ *(`{3,}|:{3,}) *\{",
        "a role": r"\{[\w:]+\}`",
        "a target": r"^\([\w-]+\)=$",
        "a block of options": r"\A---\n",
    }
    for name in markdown_files():
        text = (ROOT / name).read_text()
        for what, pattern in syntax.items():
            bench.check(f"{name} has {what} of Sphinx", not re.search(pattern, text, re.M))


def test_images(bench: Bench, build: Path) -> None:
    shown = 0
    for name in markdown_files():
        for image in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", (ROOT / name).read_text()):
            place = os.path.normpath(Path(name).parent / image)
            bench.check(f"{name}: {place}", (build / "docs-check" / place).is_file())
            shown += 1
    bench.check(f"{shown} images", shown >= 5)


def test_c_functions(bench: Bench, pages: dict[str, str]) -> None:
    checks, wrong = 0, []
    for header in [
        *ROOT.glob("model/include/fp8mac/*.h"),
        *ROOT.glob("firmware/include/fp8rt/*.h"),
    ]:
        page = pages.get(f"reference/c/{header.parent.name}-{header.stem}.md", "")
        shown = re.findall(r"^`+\{c:(?:function|type)\} .*?\b(fp8\w+)\(", page, re.M)
        declared = re.findall(r"^\w[\w *]*?\b(fp8\w+)\(", header.read_text(), re.M)
        checks += len(declared)
        wrong += [f"{header.name}: {name}" for name in sorted(set(declared) ^ set(shown))]
        types = re.findall(
            r"^(?:typedef (?:struct|enum) \w+ \{|\} (\w+);)", header.read_text(), re.M
        )
        wrong += [
            f"{header.name}: {name}"
            for name in types
            if name and not re.search(rf"\{{c:(struct|enum|union|type)\}} {name}$", page, re.M)
        ]
    count(bench, "C functions and types", checks, wrong)


def test_python_names(bench: Bench, pages: dict[str, str]) -> None:
    checks, wrong = 0, []
    page = pages["reference/python.md"]
    package = ROOT / "model" / "python" / "fp8mac"
    sources = ["", ""]  # of the module recipes; of all others
    for path in sorted(package.glob("*.py")):
        sources[path.name != "recipes.py"] += path.read_text() + "\n"
    sections = re.split(r"^## (\S+)$", page, flags=re.M)[1:]
    for module, text in zip(sections[::2], sections[1::2], strict=True):
        stem = "__init__" if module == "fp8mac" else module.removeprefix("fp8mac.")
        body = ast.parse((package / f"{stem}.py").read_text()).body
        names = next(
            ast.literal_eval(node.value)
            for node in body
            if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
        )
        shown = dict(re.findall(r"^`+\{py:\w+\} (\w+)\b(.*)$", text, re.M))
        for name in names:
            if name.startswith("__") or name == "recipes":  # the version; a section of its own
                continue
            checks += 1
            if name not in shown:
                wrong.append(f"{module}.{name} is not shown")
            # The last definition of a function has all arguments; those before are overloads.
            defined = re.split(rf"^def {name}\(", sources[module == "fp8mac"], flags=re.M)
            if len(defined) > 1 and name in shown:
                checks += 1
                head = re.split(r"^    \"\"\"", defined[-1], maxsplit=1, flags=re.M)[0]
                arguments = re.findall(r"(?:^ *|, )(\w+): ", head, re.M)
                wrong += [f"{module}.{name}: {a}" for a in arguments if f"{a}: " not in shown[name]]
    bench.check("both modules have a section", sections[::2] == ["fp8mac", "fp8mac.recipes"])
    count(bench, "Python's names", checks, wrong)


def test_rtl_ports(bench: Bench, pages: dict[str, str]) -> None:
    checks, wrong = 0, []
    for path in (ROOT / "rtl").rglob("*.sv"):
        text = re.sub(r"//.*", "", path.read_text())
        module = re.search(r"^module (\w+)(.*?)\);$", text, re.M | re.S)
        if module is None or path.parent.name == "behavioural":
            continue
        folder = "-".join(path.parent.relative_to(ROOT).parts)
        page = pages.get(f"reference/rtl/{folder}.md", "")
        section = re.search(rf"^## {module[1]}$(.*?)(?=^## |\Z)", page, re.M | re.S)
        shown = re.findall(r"^\| `(\w+)` \| (?:in|out)put \|", section[1] if section else "", re.M)
        ports = re.findall(
            r"\b(?:input|output)\b[^,;]*?(\w+)(?:\s*\[[^\]]*\])?\s*(?:,|$)", module[2]
        )
        checks += 1 + len(ports)
        wrong += [f"{path.name}: {name}" for name in sorted(set(ports) ^ set(shown))]
        if ports and not shown:
            wrong.append(f"{path.name}: no port is shown")
    count(bench, "ports", checks, wrong)


def test_registers(bench: Bench, pages: dict[str, str], request: pytest.FixtureRequest) -> None:
    """The page has the registers and fields that PeakRDL writes into the C header."""
    header = request.config.getoption("--regs-h").read_text()
    page = pages["reference/registers.md"]
    sections = dict(re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", page, re.M | re.S))
    checks, wrong = 0, []
    for name in re.findall(r"^    uint32_t (\w+);$", header, re.M):
        checks += 1
        if name not in sections:
            wrong.append(name)
    for register, field, mask in re.findall(
        r"FP8MAC_REGS__(\w+?)__(\w+)_bm 0x(\w+)$", header, re.M
    ):
        checks += 1
        low = (int(mask, 16) & -int(mask, 16)).bit_length() - 1
        high = int(mask, 16).bit_length() - 1
        bits = str(low) if low == high else f"{high}:{low}"
        if not re.search(rf"^\| {bits} \| `{field}` \|", sections.get(register, ""), re.M | re.I):
            wrong.append(f"{register}.{field}, bits {bits}")
    count(bench, "registers and fields", checks, wrong)


def test_refusals(bench: Bench, folder: Path) -> None:
    """A page in no navigation, a list that is wrong and a dead link stop the build, with the file's name."""
    sys.path.insert(0, str(BUILD_DOCS.parent))
    import pages as writer

    good = (BUILD_DOCS.parent / "navigation.toml").read_text()
    line = '  "Glossary: docs/GLOSSARY.md",\n'
    lists = {
        "a page that is not listed": ("", "docs/GLOSSARY.md is in no section"),
        "a page twice": (2 * line, "docs/GLOSSARY.md twice"),
        "a page that is not there": (line + line.replace("GLOSS", "GL0SS"), "no such page"),
    }
    for what, (text, words) in lists.items():
        file = folder / "navigation.toml"
        bench.check(f"the line to replace is there: {what}", good.count(line) == 1)
        file.write_text(good.replace(line, text))
        bench.raises(what, writer.Wrong, words, lambda: writer.navigation(file, []))
    given = writer.navigation(BUILD_DOCS.parent / "navigation.toml", [])
    sources = writer.Sources(folder / "sources", given, {})
    for link in ("missing.md", "../rtl/nothing.sv", "../rtl"):
        bench.raises(
            f"a link to {link}",
            writer.Wrong,
            "docs/HOWTO.md: a link goes to",
            lambda: sources.page("docs/HOWTO.md", f"Text, [a\nlink]({link}).\n"),
        )
    shown = sources.page("docs/HOWTO.md", "[a](../tools/setup.sh), [b](../README.md#speed)\n")
    wanted = "[a](../source/tools/setup.sh.md), [b](../index.md#speed)\n"
    bench.check(f"links to a file and to the first page: {shown}", shown == wanted)
    code = "```sh\n[ -f x ](missing.md)\n```\n"
    bench.check("code has no links", sources.page("docs/HOWTO.md", code) == code)


def test_results(bench: Bench, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A generator's page of results is in the navigation, and at the end of the page that sums it up."""
    sys.path.insert(0, str(BUILD_DOCS.parent))
    import build_docs

    sources = folder / "with-results"
    page = sources / "results" / "seeded.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "# Seeded results\n\n<!-- summary: docs/GLOSSARY.md -->\n\n| a |\n|---|\n| 1 |\n"
    )
    (page.parent / "old.md").write_text("# Of another build\n")
    arguments = ["--sources", str(sources), "--no-registers", "--result", str(page)]
    bench.check("build_docs.py ends with 0", build_docs.main(arguments) == 0)
    index = (sources / "index.md").read_text()
    bench.check("it is in the navigation", "Seeded results <results/seeded>" in index)
    summary = (sources / "docs" / "GLOSSARY.md").read_text()
    bench.check("its summary links to it", "- [Seeded results](../results/seeded.md)" in summary)
    bench.check("the page itself stays", page.exists())
    bench.check("the page of another build is removed", not (page.parent / "old.md").exists())
    page.write_text("# Seeded results\n\n<!-- summary: docs/NONE.md -->\n")
    bench.check("a summary that is no page: status", build_docs.main(arguments) == 1)
    bench.check("a summary that is no page: its name", "docs/NONE.md" in capsys.readouterr().err)
