# SPDX-License-Identifier: Apache-2.0
"""Figures of result files in pages.

A page quotes a figure between two comments, which no reader of the page sees:

    A frame takes <!--= of APP=dscnn cycles -->19,417<!--/--> cycles.

    <!--= table gemms -->
    | ... |
    <!--/-->

The words in the first comment say which figure or table it is. What stands between is written by the generator, never by
hand. A quotation stands within a line, because a comment at the beginning of a line would make HTML of all of it; a table
stands between two lines of their own.
"""

import re
from collections.abc import Callable

QUOTE = re.compile(r"<!--= (?P<words>[^>]+?) -->(?P<text>.*?)<!--/-->", re.S)


class QuoteError(Exception):
    """A quotation is misplaced or has no end; the message is one sentence with the next step."""


def quoted(page: str, text: str, say: Callable[[str], str]) -> str:
    """The text of `page` with what `say` says of the words of each quotation."""

    def value(found: re.Match[str]) -> str:
        words, before = found["words"], text[: found.start()]
        alone = before == "" or before.endswith("\n")
        said = say(words).strip("\n")
        if alone != ("\n" in said):
            place = (
                "in two lines of its own" if not alone else "within a line, not at its beginning"
            )
            raise QuoteError(f"{page}: the quotation '{words}' must stand {place}.")
        return f"<!--= {words} -->" + (f"\n{said}\n" if alone else said) + "<!--/-->"

    if text.count("<!--=") != len(QUOTE.findall(text)):
        raise QuoteError(f"{page}: a quotation has no end: write <!--/--> behind each <!--= -->.")
    return QUOTE.sub(value, text)


def differences(page: str, text: str, say: Callable[[str], str]) -> list[str]:
    """A sentence for each quotation that is not what `say` says."""
    new = quoted(page, text, say)
    return [
        f"{page} has '{old.strip()}' for '{words}'; the results have '{now.strip()}'."
        for (words, old), (_, now) in zip(QUOTE.findall(text), QUOTE.findall(new), strict=True)
        if old != now
    ]
