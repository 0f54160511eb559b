# SPDX-License-Identifier: Apache-2.0
"""The command line of the flow: what is measured, and what is said about a wrong request."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

import configs

from .errors import UsageError
from .study import Plan, Study


def choice(name: str, text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise UsageError(f"{name}={text} is not possible: choose one of {' '.join(choices)}")
    return text


def number(
    name: str, text: str, low: float, high: float, whole: bool = True, otherwise: str = ""
) -> float:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise UsageError(
            f"{name}={text} is not possible: give a {'whole ' if whole else ''}number "
            f"from {low:g} to {high:g}{otherwise}"
        )
    return value


def formats(text: str) -> tuple[str, ...]:
    if text == "all":
        return configs.FORMATS
    wanted = text.replace(",", " ").split()
    for name in wanted:
        choice("FORMATS", name, configs.FORMATS)
    if not wanted:
        raise UsageError(f"FORMATS= is empty: give all, or some of {','.join(configs.FORMATS)}")
    return tuple(name for name in configs.FORMATS if name in wanted)


def library(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise UsageError(
            f"LIB={text} is not a file: give the path of a Liberty file, as LIB="
            f"{configs.LIBRARIES['osu018'][0]} (Debian's qflow-tech-osu018)"
        )
    return path


def own_element(options: argparse.Namespace) -> configs.Element | None:
    """The element that LANES, ACC, FRAC, FORMATS and WINDOW ask for; None if none of them is given."""
    if not (options.lanes or options.acc or options.frac or options.formats or options.window):
        return None
    lanes = int(choice("LANES", options.lanes or "4", tuple(map(str, configs.LANES))))
    accumulator = choice("ACC", options.acc or "fp32", ("fp32", "fp16", "fixed"))
    window = choice("WINDOW", options.window, tuple(configs.WINDOWS)) if options.window else ""
    frac: int | str | None = options.frac or None
    if frac not in (None, configs.EXACT):
        frac = int(number("FRAC", options.frac, *configs.FRAC_RANGE, otherwise=" or exact"))
    try:
        return configs.own(lanes, accumulator, frac, formats(options.formats or "all"), window)
    except ValueError as error:
        raise UsageError(str(error)) from None


def periods(text: str) -> tuple[float, ...]:
    found = tuple(
        number("PERIOD", word, 0.1, 1000, whole=False) for word in text.replace(",", " ").split()
    )
    if not found:
        raise UsageError("PERIOD= is empty: give nanoseconds, several with commas between them")
    return found


def plan(options: argparse.Namespace) -> Plan:
    own = own_element(options)
    elements = [own] if own else list(configs.elements(options.full))
    if options.only:
        elements = [element for element in elements if re.search(options.only, element.name)]
        if not elements:
            raise UsageError(
                f"ONLY={options.only} matches none of "
                + " ".join(element.name for element in configs.elements(True))
            )
    libraries = {
        name: path
        for name, (path, _) in configs.LIBRARIES.items()
        if options.full or name == "osu018"
    }
    if options.lib:
        path = library(options.lib)
        libraries = {path.stem: path}
    for path in libraries.values():
        library(str(path))
    return Plan(
        tuple(elements),
        libraries,
        periods(options.period) if options.period else None,
        options.full,
    )


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="synth", description=__doc__, allow_abbrev=False)
    add = result.add_argument
    add(
        "--build",
        type=Path,
        default=Path("build"),
        help="build folder; results go to its folder synth",
    )
    add("--full", action="store_true", help="every element, period and library")
    add("--lanes", default="")
    add("--acc", default="")
    add("--frac", default="", help="fraction bits, or exact")
    add("--formats", default="", help="all, or names with commas between them")
    add("--window", default="", help="what it hangs from: " + ", ".join(configs.WINDOWS))
    add("--period", default="", help="ns; several with commas between them")
    add("--lib", default="", help="a Liberty file")
    add("--jobs", default="", help="runs at a time")
    add("--only", default="", help="elements whose name matches this regular expression")
    add(
        "--rtl",
        type=Path,
        action="append",
        default=[],
        help="one more folder of sources, before the others",
    )
    add("--model", type=Path, help="the model's tool fp8mac, for the error of each FRAC")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        jobs = int(number("JOBS", options.jobs or str(os.cpu_count() or 1), 1, 1024))
        study = Study(plan(options), options.build, options.rtl, jobs, options.model)
        return study.run()
    except UsageError as error:
        print(f"make synth: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nmake synth: interrupted; what was finished is kept", file=sys.stderr)
        return 130
