# SPDX-License-Identifier: Apache-2.0
"""Pages quote the result files: each quotation is what the generator makes of them, and tables of figures are quotations."""

from pathlib import Path

import pytest

from sim.bench import formats, pages
from tests.conftest import Bench
from tools.accept import expectations
from tools.docs import quotes


@pytest.fixture(scope="module")
def words() -> pages.Words:
    return pages.Words(pages.MODEL)


def test_quotations(bench: Bench, words: pages.Words) -> None:
    for name in pages.QUOTING:
        text = Path(name).read_text()
        wrong = quotes.differences(name, text, words.say)
        bench.check("\n".join([*wrong, "Write them by `make page-figures`."]), not wrong)
        bench.check(f"{name} quotes something", quotes.QUOTE.search(text) is not None)


def test_every_row(bench: Bench, folder: Path, words: pages.Words) -> None:
    """Each row of the results is in a page or in the full tables: one that is larger changes them."""
    before = full_text(words, folder)
    for kind in pages.KINDS:
        # Rows of a study, which judges no figure, are alike: every eighth one is enough.
        for row in list(expectations.read(kind)["rows"])[:: 1 if kind.judged else 8]:
            file = expectations.read(kind)
            figures = file["rows"][row]
            for figure in kind.judged or figures:
                if isinstance(figures.get(figure), int | float):
                    figures[figure] += 1
            path = folder / "other.json"
            path.write_text(expectations.text_of(file))
            after = full_text(pages.Words(pages.MODEL, {kind.name: path}), folder)
            bench.check(f"{row} is in no page", after != before)


def full_text(words: pages.Words, folder: Path) -> str:
    pages.full(words, folder)
    texts = [(folder / name).read_text() for name in pages.FULL]
    return "".join(
        [*texts, *(quotes.quoted(n, Path(n).read_text(), words.say) for n in pages.QUOTING)]
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    (
        ("It takes <!--= table gemms -->x<!--/--> cycles.", "in two lines of its own"),
        ("<!--= gemm 64 64 64 cycles -->1<!--/--> cycles.", "not at its beginning"),
        ("It takes <!--= gemm 64 64 64 cycles -->1 cycles.", "has no end"),
    ),
)
def test_place(bench: Bench, words: pages.Words, text: str, sentence: str) -> None:
    with pytest.raises(quotes.QuoteError) as refused:
        quotes.quoted("x.md", text, words.say)
    bench.check(str(refused.value), sentence in str(refused.value))


@pytest.mark.parametrize(
    "said", ("none 1", "table none", "gemm 1 2 3 cycles", "of none", "gemm 64")
)
def test_unknown(bench: Bench, words: pages.Words, said: str) -> None:
    with pytest.raises(pages.PageError) as refused:
        words.say(said)
    bench.check(
        f"{said}: {refused.value}",
        "choose" in str(refused.value) or "no table" in str(refused.value),
    )


def test_differences(bench: Bench, words: pages.Words) -> None:
    """A figure that is typed is found."""
    text = "It takes <!--= gemm 64 64 64 cycles -->1<!--/--> cycles."
    found = quotes.differences("x.md", text, words.say)
    bench.check(
        f"{found}", len(found) == 1 and "x.md has '1' for 'gemm 64 64 64 cycles'" in found[0]
    )


def test_formats(bench: Bench) -> None:
    """Goals of FP8 beside INT8 by the kind of a network; a sure loss of right answers is bold."""
    rows = {
        "met": ("convolutional", 20.0, 24.0, "| -4.0 | met |"),
        "missed": ("convolutional", 19.9, 24.0, "| -4.1 | missed |"),
        "above": ("recurrent", 20.0, 20.1, "| -0.1 | missed |"),
        "alone": ("recurrent", 20.0, None, "| - | - | INT8 has no such layers |"),
    }
    files = {
        name: {"kind": kind, "fp8_sqnr": fp8} | ({} if int8 is None else {"int8_sqnr": int8})
        for name, (kind, fp8, int8, _) in rows.items()
    }
    labelled = {"set": "formats", "data": "things", "of": 200, "float32_right": 150}
    labelled |= {"fp8_gained": 0, "fp8_lost": 10, "int8_gained": 5, "int8_lost": 6}
    tables = formats.Tables({"met": labelled}, files)
    lines = tables.named("fp8_int8").splitlines()[2:]
    for line, (*_, wanted) in zip(lines, rows.values(), strict=True):
        bench.check(line, line.endswith(wanted))
    right = tables.named("right")
    bench.check(
        right, "| `met`, things | 200 | 75.0 % | **-5.0 % (-9.0 to -2.7)** | - | -0.5 % (" in right
    )
