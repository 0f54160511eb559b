# SPDX-License-Identifier: Apache-2.0
"""The element that a user asks for by make variables, and the sentence about a value that is not possible."""

from __future__ import annotations

from pathlib import Path

from ..flow import recipe
from ..flow.errors import UsageError
from . import libraries
from .elements import (
    KINDS,
    ONE_FORMAT,
    ONE_FORMAT_FAMILIES,
    Entry,
    array,
    block,
    element,
    format_sets,
    int8,
    int8_array,
    is_one_format,
)

# Synthesis takes more than an array that runs: these lanes, and fraction bits from here to the catalogue's most.
LANES = (1, 2, 4, 8, 16, 32)
LEAST_FRAC_BITS = 4
SIDES = (2, 4, 8, 16, 32)


def choice(name: str, text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise UsageError(f"{name}={text} is not possible: choose one of {' '.join(choices)}")
    return text


def number(name: str, text: str, low: float, high: float, whole: bool = True) -> float:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise UsageError(
            f"{name}={text} is not possible: give a {'whole ' if whole else ''}number "
            f"from {low:g} to {high:g}"
        )
    return value


def formats(text: str, possible: tuple[str, ...]) -> tuple[str, ...]:
    """`all`, or names with commas between them, in the order of the catalogue."""
    if text == "all":
        return possible
    wanted = text.replace(",", " ").split()
    for name in wanted:
        choice("FORMATS", name, possible)
    if not wanted:
        raise UsageError(f"FORMATS= is empty: give all, or some of {','.join(possible)}")
    return tuple(name for name in possible if name in wanted)


def library(text: str) -> list[Path]:
    """Liberty files, with spaces or commas between them."""
    paths = [Path(word) for word in text.replace(",", " ").split()]
    for path in paths:
        if not path.is_file():
            raise UsageError(
                f"LIB={path} is not a file: give the path of a Liberty file, such as LIB="
                f"{libraries.FOLDER / 'osu018/osu018_stdcells.lib'}, which `make setup` fetches"
            )
    if not paths:
        raise UsageError("LIB= is empty: give the path of a Liberty file, or of several")
    return paths


def patterns(text: str) -> tuple[str, ...]:
    """DONT_USE: patterns of cell names, with spaces or commas between them."""
    return tuple(text.replace(",", " ").split())


def periods(text: str) -> tuple[float, ...]:
    return several("PERIOD", text, "nanoseconds")


def clocks_fo4(text: str) -> tuple[float, ...]:
    return several("CLOCK_FO4", text, "FO4 delays of the library")


def efforts(text: str) -> tuple[recipe.Effort, ...]:
    """Efforts of the recipe, in its order."""
    known = {effort.name: effort for effort in recipe.EFFORTS}
    wanted = text.replace(",", " ").split()
    for name in wanted:
        choice("EFFORTS", name, tuple(known))
    return tuple(effort for name, effort in known.items() if name in wanted)


def several(name: str, text: str, unit: str) -> tuple[float, ...]:
    found = tuple(
        number(name, word, 0.1, 1000, whole=False) for word in text.replace(",", " ").split()
    )
    if not found:
        raise UsageError(f"{name}= is empty: give {unit}, several with commas between them")
    return found


def clock_gates(text: str) -> int:
    """CLOCK_GATES: the least number of flip-flops that get a gate; 0, or empty, for none."""
    return int(number("CLOCK_GATES", text or "0", 0, 1000))


def frac_bits_of(kind: str, lanes: int, text: str) -> int | None:
    if not text:
        return None
    if not KINDS[kind].has_window(lanes):
        others = " or ".join(f"ELEMENT={name}" for name in KINDS if KINDS[name].has_window(lanes))
        raise UsageError(
            f"FRAC_BITS={text} is not possible: ELEMENT={kind} LANES={lanes} has no alignment window; "
            f"leave FRAC_BITS out, or choose {others}"
        )
    return int(number("FRAC_BITS", text, LEAST_FRAC_BITS, KINDS[kind].frac_bits.most))


def entry(
    kind: str = "",
    lanes: str = "",
    frac_bits: str = "",
    formats_text: str = "",
    rows: str = "",
    columns: str = "",
) -> Entry | None:
    """The element, or with ROWS or COLS the array, that these variables ask for; None if all are empty."""
    if not (kind or lanes or frac_bits or formats_text or rows or columns):
        return None
    if not kind:
        raise UsageError(f"give ELEMENT too: choose one of {' '.join(KINDS)}")
    choice("ELEMENT", kind, tuple(KINDS))
    count = int(choice("LANES", lanes or "4", tuple(map(str, LANES))))
    bits = frac_bits_of(kind, count, frac_bits)
    single = one_format(kind, formats_text)
    own = single or formats(formats_text or "all", KINDS[kind].formats)
    every = own == KINDS[kind].formats
    if not every and not single:
        check_formats(kind, formats_text, own)
    if rows or columns:
        if not every:
            raise UsageError("FORMATS is not possible with ROWS or COLS: an array has all formats")
        return array_entry(kind, count, bits, rows, columns)
    if KINDS[kind].family == "block":
        return block(count, bits, "both", kind_name=kind, formats=single or None)
    return int8(count) if kind == "int8" else element(kind, count, bits, own)


def one_format(kind: str, text: str) -> tuple[str, ...]:
    """The one format of FORMATS, where an element can be built for it alone."""
    names = tuple(text.replace(",", " ").split())
    return names if is_one_format(KINDS[kind], names) else ()


def check_formats(kind: str, text: str, own: tuple[str, ...]) -> None:
    """Refuses a set of formats for which there is no module."""
    refused = f"FORMATS={text} is not possible: ELEMENT={kind}"
    family = KINDS[kind].family
    singles = f"one of {' '.join(ONE_FORMAT)}" if family in ONE_FORMAT_FAMILIES else ""
    if family == "block":
        raise UsageError(f"{refused} is built for all formats or for {singles}")
    if family not in ("aligned", "late", "static"):
        raise UsageError(f"{refused} has all formats; leave FORMATS out")
    sets = format_sets(KINDS[kind])
    if own not in sets:
        known = [*map(",".join, sets), *([singles] if singles else [])]
        raise UsageError(f"{refused} is built for {' or for '.join(known)}")


def array_entry(kind: str, lanes: int, bits: int | None, rows: str, columns: str) -> Entry:
    sides = [
        int(choice(name, text or "4", tuple(map(str, SIDES))))
        for name, text in (("ROWS", rows), ("COLS", columns))
    ]
    if kind == "int8":
        return int8_array(lanes, *sides)
    return array(kind, lanes, bits, *sides)
