# SPDX-License-Identifier: Apache-2.0
"""python -m sim.bench.pages: writes the figures that pages quote from the result files (tools/docs/quotes.py).

    --check         writes nothing; says which quotations are not those of the results, and exits with 1 if there is one
    --full FOLDER   writes all tables as pages for `make docs` instead

The words of a quotation are NAME ARGUMENT..., where Words has a method say_NAME.
"""

import argparse
import math
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from model.bench import speed
from synth.study.report import Page
from tools.accept.expectations import ExpectationError
from tools.docs.quotes import QUOTE, QuoteError, differences, quoted

from . import formats, limits, networks, quality, results, row_commands, tables, widths, workloads
from .limits import DEFAULT
from .programs import Command, Row, gemm

KINDS = (
    results.KIND,
    networks.KIND,
    formats.KIND,
    quality.KIND,
    row_commands.KIND,
    speed.KIND,
    widths.KIND,
)
QUOTING = (
    "README.md",
    "docs/ARCHITECTURE.md",
    "docs/CYCLES.md",
    "docs/INTEGRATION.md",
    "docs/NETWORKS.md",
    "docs/WIDTHS.md",
    "model/NUMERICS.md",
    "model/SPEED.md",
)
FULL = {
    "cycles.md": "cycles_full.md",
    "networks.md": "networks_full.md",
    "widths.md": "widths_full.md",
}  # made of, beside this file
MODEL = Path("build/model/fp8mac")
SILICON = Path("synth/results")
# The speed table of README.md: shapes, and what they are
README = (
    ((512, 512, 512), "one large GEMM from main memory"),
    ((64, 64, 64), "one small GEMM"),
)


class PageError(Exception):
    """A page asks for what the results do not have; the message is one sentence."""


class Words:
    """What a quotation may say."""

    def __init__(self, tool: Path, given: Mapping[str, Path] | None = None):
        """`given` has other files of some kinds, by their names."""
        path_of = {kind.name: kind.path for kind in KINDS} | dict(given or {})
        self.wanted = workloads.load()
        file = results.load(path_of["cycles"], self.wanted)
        self.rows = file["rows"]
        self.run = file["run"]
        self.tables = tables.Tables(file, self.wanted, tool, row_commands.load(path_of["rows"]))
        files = networks.load(path_of["networks"])
        self.networks = networks.Tables(files)
        self.formats = formats.Tables(formats.load(path_of["formats"]), files)
        self.speed = speed.Tables(speed.load(path_of["speed"]))
        self.quality = quality.load(path_of["quality"])
        self.silicon = Page(SILICON)
        self.widths = widths.Tables(widths.load(path_of["widths"]))

    def say(self, words: str) -> str:
        name, *arguments = words.split()
        method = getattr(self, f"say_{name}", None)
        if method is None:
            known = ", ".join(one[4:] for one in dir(self) if one.startswith("say_"))
            raise PageError(f"'{words}' is no quotation: choose one of {known}")
        try:
            return method(*arguments)
        except (KeyError, TypeError, ValueError) as error:
            raise PageError(f"'{words}' is not in the results ({error}): choose another") from None

    def row(self, *options: str) -> Row:
        """Of `make run OPTIONS`, or `make run OPTIONS : NAME`"""
        return self.rows[" ".join(["make run", *options]).replace(" : ", ": ")]

    # ---- figures of runs --------------------------------------------------------------------------------------------

    def say_of(self, *words: str) -> str:
        """OPTIONS FIGURE: a figure of a run"""
        return f"{self.row(*words[:-1])[words[-1]]:,}"

    def say_gemm(self, m: str, n: str, k: str, figure: str) -> str:
        return f"{self.rows[gemm((int(m), int(n), int(k))).text][figure]:,}"

    def say_utilisation(self, *sides: str | int) -> str:
        """M N K: the share of the array's peak"""
        m, n, k = map(int, sides)
        cycles = self.rows[gemm((m, n, k)).text]["cycles"]
        return tables.percent(limits.baseline((m, n, k), "peak", DEFAULT) / cycles)

    def say_beyond(self, m: str, n: str, k: str) -> str:
        """Cycles of a GEMM in which no step is issued"""
        row = self.rows[gemm((int(m), int(n), int(k))).text]
        return f"{row['cycles'] - row['compute']:,}"

    def say_each_second(self, *words: str) -> str:
        """OPTIONS FIGURE: how often at 50 MHz"""
        return f"{networks.CLOCK / self.row(*words[:-1])[words[-1]]:,.0f}"

    def say_realtime(self, milliseconds: str, *words: str) -> str:
        """MILLISECONDS OPTIONS FIGURE: the least clock that keeps up, in MHz"""
        hertz = self.row(*words[:-1])[words[-1]] * 1000 / float(milliseconds)
        return f"{math.ceil(hertz / 1e5) / 10:.1f}"

    def say_targets(self) -> str:
        """How many are met"""
        groups = self.tables.wanted.groups
        met = [
            self.tables.ratio(group, one) >= one.target
            for group in groups
            for one in group.gemms
            if one.target is not None
        ]
        met += [self.tables.means(group)[0] >= group.mean for group in groups if group.mean]
        cubes = len(self.tables.cubes())
        met += [one[0] for one in self.tables.every_target()[cubes:]]
        return f"{sum(met)} of {len(met)}"

    def say_silicon(self, *words: str) -> str:
        """WORD ARGUMENT...: what a page of area says (synth/study/page_figures.py)"""
        return self.silicon.text(f"{{{{{' '.join(words)}}}}}")

    def say_run(self) -> str:
        return f"{self.run['date']}, version {self.run['version']}, {self.run['compiler']}"

    def say_most_in_place(self) -> str:
        """The largest ratio of a convolution in place to its GEMM"""
        rows = self.tables.commands[workloads.CONVOLUTION.text].values()
        most = max(row["cycles"] / row["gemm_cycles"] for row in rows)
        return f"{math.ceil(10 * most) / 10:.1f}"

    def say_least_gathering(self) -> str:
        """The smallest ratio of the core's cycles for gathering to the accelerator's in place"""
        rows = self.tables.commands[workloads.CONVOLUTION.text].values()
        return str(min(row["gathering"] // row["cycles"] for row in rows))

    def say_depthwise(self, height: str, width: str, what: str) -> str:
        """Of 64 channels: `cycles`, or the `share` of the peak in per cent"""
        layer = limits.Layer(int(height), int(width), 64, 64, True)
        cycles = self.tables.layer(layer)
        return {"cycles": f"{cycles:,}", "share": f"{self.tables.share(layer):.1f}"}[what]

    def say_network(self, name: str, figure: str) -> str:
        return self.networks.figure(name, figure)

    def say_formats(self, network: str, figure: str) -> str:
        """Of a network, without what its data are"""
        return f"{self.formats.rows[network][figure]:.1f}"

    def say_quality(self, name: str, figure: str) -> str:
        return f"{self.quality[name][figure]:,}"

    def say_width(self, figure: str, *name: str) -> str:
        """FIGURE NETWORK: of sums of E4M3 in blocks of 64 in FP32"""
        return self.widths.figure(figure, " ".join(name))

    def say_width_least(self) -> str:
        """Fraction bits that every network has enough of"""
        return self.widths.least()

    def say_width_median(self, width: str) -> str:
        """WIDTH: what the median network loses in dB"""
        return f"{self.widths.median(f'f{width}'):.2f}"

    def say_width_answers(self, width: str) -> str:
        """WIDTH: answers of all networks that differ beyond those with exact sums"""
        return f"{self.widths.more_wrong(f'f{width}'):+d}"

    def say_width_lost(self, width: str, *name: str) -> str:
        """WIDTH OPERANDS: dB that are lost against exact sums"""
        return self.widths.lost_by(width, " ".join(name))

    def say_width_ppm(self, width: str) -> str:
        """WIDTH: how far long sums of one sign are off, in parts of a million"""
        return self.widths.ppm(width)

    def say_speed(self, *name: str) -> str:
        """A figure of the golden model's speed, as model/bench/speed.py names it"""
        return self.speed.say(" ".join(name))

    # ---- tables -----------------------------------------------------------------------------------------------------

    def say_table(self, name: str) -> str:
        if name == "quality":
            return quality.quality(self.quality)
        if name == "speed_of_model":
            return self.speed.table()
        if name == "settings":
            return self.speed.settings()
        text = (
            self.tables.named(name)
            or self.networks.named(name, self.rows)
            or self.formats.named(name)
            or self.widths.named(name)
        )
        if not text:
            raise PageError(f"there is no table '{name}'")
        return text

    def say_readme(self) -> str:
        """Utilisation: the share of the array's peak"""
        lines = []
        for shape, what in README:
            lines.append([f"`{gemm(shape).text}`", what, self.say_utilisation(*shape)])
        run = Command("make run")
        row = self.rows[run.text]
        share = row["macs"] / DEFAULT.macs / row["cycles"]
        what = f"three layers of 64-96-64-10 on {row['images']} images, time of the accelerator"
        lines.append([f"`{run.text}`", what, tables.percent(share)])
        return tables.table(["command", "what it measures", "figure"], lines)


def write(tool: Path, words: Words | None = None) -> None:
    words = words or Words(tool)
    for name in QUOTING:
        page = Path(name)
        old = page.read_text()
        new = quoted(name, old, words.say)
        if new != old:
            page.write_text(new)
            print(f"  PAGE      {name}")


def check(words: Words) -> list[str]:
    return [
        line for name in QUOTING for line in differences(name, Path(name).read_text(), words.say)
    ]


def full(words: Words, folder: Path) -> None:
    """All tables, as pages"""
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in FULL.items():
        text = Path(__file__).with_name(source).read_text()
        text = quoted(source, text, words.say)
        (folder / name).write_text(QUOTE.sub(lambda found: found["text"].strip("\n"), text))
        print(f"  PAGE      {folder / name}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m sim.bench.pages", description=__doc__)
    add = parser.add_argument
    add("--model", type=Path, default=MODEL, help="the tool fp8mac, for what the array allows")
    add("--check", action="store_true", help="compare, and write nothing")
    add("--full", type=Path, help="a folder for all tables")
    options = parser.parse_args(arguments)
    try:
        words = Words(options.model)
        if options.full:
            full(words, options.full)
        elif options.check:
            wrong = check(words)
            print("\n".join([*wrong, "Write them by `make page-figures`."] if wrong else []))
            return 1 if wrong else 0
        else:
            write(options.model, words)
    except (
        PageError,
        QuoteError,
        ExpectationError,
        OSError,
        subprocess.SubprocessError,
    ) as error:
        print(f"make page-figures: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
