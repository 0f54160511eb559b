# SPDX-License-Identifier: Apache-2.0
"""Writes docs/FIGURES.md from the results in results/ and the text in page.md, both beside this file.

In the text {{WORD ARGUMENT...}} stands for what a method say_WORD of Page computes. Text and results are edited, by hand and
by the figures' scripts, never the page.
"""

import argparse
import math
import re
import textwrap
from pathlib import Path

import accumulation
import cfloat8
import common
import gpu_generations
import gradient_scaling
import post_training
import scaling_bias
import sqnr

TEMPLATE = Path(__file__).with_name("page.md")
PAGE = common.ROOT / "docs" / "FIGURES.md"
FIGURES = {
    one.__name__: one
    for one in (
        sqnr,
        accumulation,
        post_training,
        scaling_bias,
        cfloat8,
        gradient_scaling,
        gpu_generations,
    )
}
BLANK = re.compile(r"\{\{([^{}]+)\}\}")
WIDTH = 120
NETWORKS = ("perceptron", "cnn", "transformer", "vad")
# Micikevicius et al., arXiv 2209.05433, table 5: 16-bit floating point, INT8, E4M3.
NVIDIA = {
    ("BERT Base", "SQuAD v1.1, F1"): (88.19, 76.89, 88.09),
    ("BERT Large", "SQuAD v1.1, F1"): (90.87, 89.65, 90.94),
    ("GPT3 126M", "wikitext103, perplexity"): (19.01, 28.37, 19.43),
    ("GPT3 1.3B", "wikitext103, perplexity"): (10.19, 12.74, 10.29),
    ("GPT3 6.7B", "wikitext103, perplexity"): (8.51, 10.29, 8.41),
}


def table(header: list[str], lines: list[list[str]]) -> str:
    every = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in every)


def small(x: float) -> str:
    """An error."""
    return "0" if x == 0 else f"{x:.1e}"


def percent(x: float, digits: int = 2) -> str:
    return f"{100 * x:.{digits}f} %"


def span(biases: list[int]) -> str:
    """From the first to the last, and how many between them are missing; if most are, those that are there."""
    if not biases:
        return "none"
    low, high = biases[0], biases[-1]
    holes = high - low + 1 - len(biases)
    if holes > len(biases):
        return ", ".join(str(bias) for bias in biases)
    return (f"{low} to {high}" if high > low else f"{low}") + (
        f", but for {holes}" if holes else ""
    )


def filled(text: str) -> str:
    """Paragraphs in lines of full width; tables, headings, code and pictures as they are."""

    def fill(block: str) -> str:
        if re.match(r"[|#!<]|    ", block):
            return block
        items = re.split(r"\n(?=- )", block)
        options = {"width": WIDTH, "break_long_words": False, "break_on_hyphens": False}
        return "\n".join(
            textwrap.fill(
                " ".join(item.split()),
                subsequent_indent="  " if item.startswith("- ") else "",
                **options,
            )
            for item in items
        )

    return "\n\n".join(fill(block.strip("\n")) for block in re.split(r"\n{2,}", text)) + "\n"


class Page:
    """The words that the text may use."""

    def __init__(self, results: Path):
        self.rows = {name: common.load(name, results) for name in FIGURES}

    def text(self, template: str) -> str:
        def value(blank: re.Match[str]) -> str:
            word, *arguments = blank[1].split()
            return getattr(self, f"say_{word}")(*arguments)

        return BLANK.sub(value, template)

    def row(self, figure: str, **wanted) -> common.Row:
        (found,) = common.select(self.rows[figure], **wanted)
        return found

    def say_seed(self) -> str:
        return str(common.SEED)

    def say_figure(self, name: str) -> str:
        """The plot and the command that makes it."""
        assert name in FIGURES, name
        title = FIGURES[name].__doc__.split("\n")[0].rstrip(".")
        return f"![{title}](figures/{name}.svg)\n\n    make figures FIGURE={name}"

    # ---- tables -------------------------------------------------------------------------------------------------

    def say_sqnr(self) -> str:
        header = ["format", "distribution", "bits here", "published", "SQNR here, dB"]
        lines = [
            [
                f"`{row['format']}`",
                row["distribution"],
                f"{row['bits']:.3f}",
                f"{row['published_bits']:.2f}",
                f"{row['sqnr_db']:.2f}",
            ]
            for row in self.rows["sqnr"]
        ]
        return table(header, lines)

    def say_sqnr_off(self) -> str:
        """The largest difference from the published bits, in bits and dB."""
        off = max(abs(row["bits"] - row["published_bits"]) for row in self.rows["sqnr"])
        return f"{off:.3f} bits ({20 * 0.30103 * off:.2f} dB)"

    def say_sums(self) -> str:
        longest = accumulation.LONGEST
        lines = []
        for name in accumulation.ACCUMULATORS:
            ones, law = (
                self.row("accumulation", data=data, accumulator=name, length=longest)
                for data in ("ones", "mean 1, deviation 1")
            )
            ends = [f"{ones[key]:,.0f}" for key in ("least", "most")]
            total = " to ".join(dict.fromkeys(ends))
            lines.append(
                [name, total, *(small(law[key]) for key in ("mean_error", "largest_error"))]
            )
        header = ["accumulator", f"sum of {longest:,} ones", "mean error, mean 1", "largest"]
        return table(header, lines)

    def say_networks(self) -> str:
        lines = []
        for name in NETWORKS:
            rows = common.select(self.rows["post_training"], network=name)
            for row in rows:
                sqnr_db = f"{row['sqnr_db']:.1f}" if "sqnr_db" in row else "-"
                right = f"{row['right']} of {row['of']}"
                cells = [name, row["format"], row["weights"]]
                lines.append([*cells, right, percent(row["accuracy"]), sqnr_db])
        header = ["network", "format", "weight scales", "right", "accuracy", "SQNR, dB"]
        return table(header, lines)

    def say_nvidia(self) -> str:
        lines = [
            [name, metric, *(f"{x:.2f}" for x in found)] for (name, metric), found in NVIDIA.items()
        ]
        return table(["published: model", "metric", "16-bit", "INT8", "E4M3"], lines)

    def say_biases(self) -> str:
        lines = []
        for name in NETWORKS:
            for format in scaling_bias.FORMATS:
                rows = common.select(self.rows["scaling_bias"], network=name, format=format)
                constants = scaling_bias.constants(rows)
                good = [span(scaling_bias.good(constants, kept)) for kept in (0.99, 0.995)]
                (amax,) = [row for row in rows if row["bias"] == "each tensor"]
                lines.append([name, f"`{format}`", *good, percent(amax["kept"])])
        header = ["network", "format", "biases that keep 99 %", "99.5 %"]
        return table([*header, "kept with a bias for each tensor"], lines)

    def say_exponent_biases(self) -> str:
        """Exponent biases of e4m3fn, 7 + b, that keep 99.5 % in each of the digits' networks."""
        rows = scaling_bias.constants(common.select(self.rows["scaling_bias"], format="e4m3fn"))
        every = [set(scaling_bias.good(common.select(rows, network=name))) for name in NETWORKS[:3]]
        return span([7 + b for b in sorted(set.intersection(*every))])

    def say_lost(self, name: str) -> str:
        """How many right answers may be lost at 99.5 %."""
        right = self.row("post_training", network=name, format="float32")["right"]
        return str(right - math.ceil(scaling_bias.KEPT * right))

    def say_cfloat8(self) -> str:
        lines = []
        for name in NETWORKS:
            for format in cfloat8.FORMATS:
                rows = common.select(self.rows["cfloat8"], network=name, format=format)
                best = max(rows, key=lambda row: row["accuracy"])
                good = [span(scaling_bias.good(rows, kept)) for kept in (0.99, 0.995)]
                lines.append(
                    [name, f"`{format}`", *good, percent(best["accuracy"]), str(best["bias"])]
                )
        header = [
            "network",
            "format",
            "biases that keep 99 %",
            "99.5 %",
            "best accuracy",
            "first at",
        ]
        return table(header, lines)

    def say_tesla(self) -> str:
        lines = []
        for format, published in cfloat8.PUBLISHED.items():
            for bias, (low, high) in published.items():
                row = self.row("cfloat8", network=NETWORKS[0], format=format, bias=bias)
                here = f"2^{row['low']} to 2^{row['high']}"
                lines.append([f"`{format}`", str(bias), here, f"2^{low} to 2^{high}"])
        header = ["format", "bias", "binades of normal numbers here", "published"]
        return table(header, lines)

    def say_reductions(self) -> str:
        rows = self.rows["gradient_scaling"]
        lines = []
        for n in (1, 8, 64, 512, 1024):
            for name in gradient_scaling.REDUCTIONS:
                (row,) = common.select(rows, reduction=name, ranks=n)
                shares = [
                    percent(row[key], digits) for key, digits in (("underflow", 1), ("overflow", 3))
                ]
                lines.append(
                    [str(n), name, f"{row['before']:.4g}", *shares, f"{row['sqnr_db']:.1f}"]
                )
        return table(
            ["ranks", "reduction", "factor before", "underflow", "overflow", "SQNR, dB"], lines
        )

    def say_hardware(self) -> str:
        lines = []
        for law in gpu_generations.DATA:
            for name in gpu_generations.HARDWARE:
                of = lambda k: self.row("gpu_generations", data=law, hardware=name, k=k)
                row = of(gpu_generations.OF_PATTERN)
                errors = [small(of(k)["rms_error"]) for k in (128, 4096, 65536)]
                bits = f"`{row['first_output']}`"
                lines.append([law, name, *errors, percent(row["as_exact"], 0), bits])
            exact = f"`{row['first_exact']}`"
            lines.append([law, "exact, rounded once", "-", "-", "-", "100 %", exact])
        header = ["A and B", "hardware", "error at K = 128", "4,096", "65,536"]
        return table([*header, "as exact, 4,096", "first output, 4,096"], lines)

    def say_relative(self, law: str, *name: str) -> str:
        """The largest relative error with K = 4096."""
        (data,) = [one for one in gpu_generations.DATA if one.startswith(law)]
        wanted = {"data": data, "hardware": " ".join(name), "k": gpu_generations.OF_PATTERN}
        return percent(self.row("gpu_generations", **wanted)["largest_relative"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="page.py", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--results", type=Path, default=common.RESULTS, help="folder of the results"
    )
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(filled(Page(options.results).text(TEMPLATE.read_text())))
    print(f"  PAGE      {options.out}")


if __name__ == "__main__":
    main()
