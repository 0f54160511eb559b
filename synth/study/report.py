# SPDX-License-Identifier: Apache-2.0
"""python -m synth report: writes the pages of area and energy from the results in synth/results.

synth/AREA.md, synth/ENERGY.md and README's picture are committed: an answer with one table each. With --figures FOLDER every other table and
the plots are written there, for `make docs`. The templates are beside this file and in synth/energy. In them
{{WORD ARGUMENT...}} stands for a table or a figure, which is computed from the results: see page_figures.py and
page_tables.py. A table is followed by the commands that reproduce it. The templates and the results are edited by hand or by
--from, never the pages.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from pathlib import Path

from ..flow.errors import UsageError
from . import answer, pages, picture, rivals
from .intake import take
from .measurements import DEFAULT_ARRAY
from .page_tables import Tables

HERE = Path(__file__).parent
ENERGY = HERE.parent / "energy"
# The pages that are committed, and those with every figure
PAGES = {"AREA.md": HERE / "area_page.md", "ENERGY.md": ENERGY / "energy_page.md"}
FIGURES = {"area.md": HERE / "figures_page.md", "energy.md": ENERGY / "energy_figures_page.md"}
PICTURE = "result.svg"  # of README
WIDTH = 120


class Page(Tables):
    """The words that the templates may use"""

    template = ""

    def whole(self, template: str) -> str:
        """A page, whose contents {{contents}} lists."""
        self.template = template
        return self.text(template)

    def picture(self) -> str:
        """README's: the cost of elements, array and accelerators, and the utilisation of GEMMs"""
        record = self.record
        single = lambda name: record(name)["area"] / record(name)["single_area"]
        energy = lambda name: float(self.energies.word("mean", answer.KIT, name, "one"))
        costs: list[tuple[str, float, float | None]] = [
            (title, single(name), energy(name))
            for name, title in (
                ("block_f13_l16_fp16", "element, 13 bits, FP16"),
                ("block_f19_l16_fp32", "element, 19 bits, FP32"),
            )
        ]
        ships = record(DEFAULT_ARRAY)["area"] / self.smallest["baseline_area"]
        costs.append(("array, MX scales", ships, None))
        for title, whole in (("accelerator", False), ("with memories", True)):
            costs.append((title, rivals.ratio(*self.rivals, self.um2_of_logic, whole), None))
        return picture.svg(costs, picture.utilisations(picture.CYCLES))

    def say_contents(self) -> str:
        """The sections of the page."""
        titles = re.findall(r"^## (.*)$", self.template, re.M)
        return "\n".join(f"- [{title}](#{fragment(title)})" for title in titles)


def fragment(title: str) -> str:
    """Where a link to a section goes."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def filled(text: str) -> str:
    """Paragraphs and list items in lines of full width: figures are shorter than the places that they fill."""

    def fill(block: str) -> str:
        if re.match(r"[|#!<]|    ", block):
            return block
        items = re.split(r"\n(?=- |\d+\. )", block)
        return "\n".join(
            textwrap.fill(
                " ".join(item.split()),
                WIDTH,
                subsequent_indent=" " * len(re.match(r"(?:- |\d+\. )?", item)[0]),
                break_long_words=False,
                break_on_hyphens=False,
            )
            for item in items
        )

    return "\n\n".join(fill(block) for block in text.strip("\n").split("\n\n")) + "\n"


def write(results: Path, out: Path | None, figures: Path | None) -> list[Path]:
    """The files that were written: pages to OUT, pages with every figure and their plots to FIGURES"""
    page = Page(results)
    texts: dict[Path, str] = {}
    for folder, templates in ((out, PAGES), (figures, FIGURES)):
        if folder:
            for name, template in templates.items():
                texts[folder / name] = filled(page.whole(template.read_text()))
    if out:
        texts[out / PICTURE] = page.picture()
    if figures:
        drawn = pages.plots(page.area).items()
        texts |= {figures / "plots" / name: text for name, text in drawn}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(texts)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth report", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--results", type=Path, default=Path("synth/results"), help="the folder of the results")
    add("--out", type=Path, help="the folder of AREA.md, ENERGY.md and README's picture")
    add("--figures", type=Path, help="the folder of the pages with every figure, and of plots")
    add("--from", type=Path, dest="source", help="an area.json whose records are taken first")
    add("--command", default="", help="the command that made it, if the file does not say it")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.source:
            take(options.source, options.results, options.command)
        written = write(options.results, options.out, options.figures)
    except UsageError as error:
        print(f"make synth-report: {error}", file=sys.stderr)
        return 2
    print(f"  REPORT    {' '.join(str(path) for path in written if path.suffix == '.md')}")
    return 0
