# SPDX-License-Identifier: Apache-2.0
"""The HTML documentation: the pages of the repository, the C, Python and RTL interfaces and the registers.

    build_docs.py --sources FOLDER [--out FOLDER] [--result FILE]... [-I FOLDER] [-D NAME=VALUE]... MAP.rdl

It writes Markdown to the folder of sources, and Sphinx with MyST and Furo makes HTML of it. navigation.toml lists the
pages. Markdown files of the repository are copied, and have nothing that only Sphinx understands. The pages of the
folder `reference` are the comments that stand in the sources, with declarations, parameters, ports and fields. Every
warning of Sphinx is an error, and so is a link without a target.

A generator of results, such as a table that is too long for a page of the repository, takes part in three steps:

1. It writes one page of Markdown, $(DOCS_RESULTS_DIR)/NAME.md, and its images beside it. The page begins with its title,
   `# Title`. Links are relative, as if the page stood in the folder `results` of the repository.
2. Its fragment of make adds the page to DOCS_RESULTS and has a rule for it:

       DOCS_RESULTS += $(DOCS_RESULTS_DIR)/NAME.md
       $(DOCS_RESULTS_DIR)/NAME.md: ...

3. If a page of the repository sums these results up, a line `<!-- summary: PAGE.md -->` in the page of results names it,
   with its path from the root. Both pages then have links to each other.

The navigation needs no change: the pages of results have a section of their own.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

import c_pages
import python_page
import rtl_pages
from markdown_text import directive
from pages import ROOT, Navigation, Sources, Wrong, navigation, title_of

HERE = Path(__file__).resolve().parent
SPHINX_PAGES = ("genindex.html", "py-modindex.html", "search.html")
SUMMARY = re.compile(r"^<!-- summary: (\S+) -->$", re.M)


def index(given: Navigation) -> str:
    """The navigation, behind the text of the first page."""
    out = directive("toctree", "", "Overview <self>", ("hidden:",))
    for section in given.sections:
        entries = "\n".join(f"{name} <{page.removesuffix('.md')}>" for name, page in section.pages)
        out += directive("toctree", "", entries, ("hidden:", f"caption: {section.title}"))
    return "\n\n" + out


def results_of(given: Navigation, results: list[Path]) -> dict[str, list[Path]]:
    """The pages of results that each page sums up."""
    found: dict[str, list[Path]] = {}
    for path in sorted(results):
        for page in SUMMARY.findall(path.read_text()):
            if page not in given.pages():
                raise Wrong(
                    f"{path} names {page} as its summary, which is no page: see navigation.toml"
                )
            found.setdefault(page, []).append(path)
    return found


def write_pages(sources: Sources, given: Navigation, results: list[Path]) -> None:
    summed = results_of(given, results)
    for page in given.pages():
        if page.startswith(("reference/", "results/")):
            continue
        text = (ROOT / page).read_text()
        out = sources.page(page, text)
        up = os.path.relpath(".", Path(sources.place(page)).parent)
        links = [
            f"- [{title_of(path.read_text(), str(path))}]({up}/results/{path.name})\n"
            for path in summed.get(page, ())
        ]
        if links:
            out += "\n## All results\n\n" + "".join(links)
        if page == given.first:
            out += index(given)
        sources.write(sources.place(page), out)


def release() -> str:
    text = (ROOT / "model/include/fp8mac/version.h").read_text()
    return ".".join(re.findall(r"#define FP8MAC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def html(sources: Sources, out: Path) -> int:
    """Runs Sphinx.

    It does not see which pages an entry of the navigation or a definition that moved changes, so all are written. It
    forgets the warnings of pages that it has read, so after a failure it reads all of them again.
    """
    from sphinx.cmd.build import build_main

    doctrees = Path(f"{out}.doctrees")
    title = f"html_title=fp8mac {release()}"
    what = "-b", "html", "-d", str(doctrees), "-c", str(HERE), "-D", title
    strict = "--fail-on-warning", "--quiet", "--jobs", "auto", "--write-all"
    status = build_main([str(sources.folder), str(out), *what, *strict])
    if status != 0:
        shutil.rmtree(doctrees, ignore_errors=True)
    pages = {path.relative_to(sources.folder).with_suffix(".html") for path in sources.markdown()}
    for path in out.rglob("*.html"):
        if path.relative_to(out) not in pages and path.name not in SPHINX_PAGES:
            path.unlink()
    return status


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--sources", type=Path, required=True, help="the folder that Sphinx reads")
    add("--out", type=Path, help="the folder of the HTML; without it, only the sources are written")
    add(
        "--result", type=Path, action="append", default=[], help="a page of results, in the sources"
    )
    add("--no-registers", action="store_true", help="leave out the page of registers")
    add("map", type=Path, nargs="?", help="the register description")
    add("-I", dest="folders", action="append", default=[])
    add("-D", dest="defines", action="append", default=[])
    options = parser.parse_args(arguments)
    try:
        given = navigation(HERE / "navigation.toml", options.result)
        headers = {str(path.relative_to(ROOT)): c_pages.place(path) for path in c_pages.headers()}
        sources = Sources(options.sources, given, headers | rtl_pages.references())
        write_pages(sources, given, options.result)
        c_pages.write(sources)
        rtl_pages.write(sources)
        python_page.write(sources)
        if not options.no_registers:
            import register_page

            register_page.write(sources, options)
        sources.finish(options.result)
    except Wrong as wrong:
        print(f"build_docs.py: {wrong}", file=sys.stderr)
        return 1
    return html(sources, options.out) if options.out else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
