# SPDX-License-Identifier: Apache-2.0
"""Which RTL a measurement read: a hash of each source, without comments and blank lines, and one of all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from . import sources

if TYPE_CHECKING:
    from .runs import Design

DIGITS = 8
NOT_RECORDED = "RTL not recorded"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def of_file(path: Path) -> str:
    lines = sources.COMMENT.sub("", path.read_text()).splitlines()
    return digest("\n".join(line.rstrip() for line in lines if line.strip()))


def of_files(paths: Iterable[Path], build: Path) -> dict[str, str]:
    """Path to hash. Generated sources have their path in the build folder."""
    found = {
        str(path.relative_to(build) if path.is_relative_to(build) else path): of_file(path)
        for path in paths
    }
    return dict(sorted(found.items()))


def of_designs(designs: Iterable[Design], files: Mapping[str, Path], build: Path) -> dict[str, str]:
    """The sources of designs"""
    paths: set[Path] = set()
    for one in designs:
        known = {**files, **sources.index(map(Path, one.folders))}
        paths.update(sources.closure(one.top, known, one.black_boxes))
    return of_files(paths, build)


def short(rtl: Mapping[str, str] | None) -> str:
    """As a page names it"""
    if not rtl:
        return NOT_RECORDED
    lines = (f"{name} {one}\n" for name, one in sorted(rtl.items()))
    return f"RTL {digest(''.join(lines))}"


def changed(rtl: Mapping[str, str], build: Path) -> list[str]:
    """The sources that are not what they were, or not there any more"""

    def today(name: str) -> str:
        paths = [path for path in (Path(name), build / name) if path.is_file()]
        return of_file(paths[0]) if paths else ""

    return [name for name, one in rtl.items() if today(name) != one]


def state(rtl: Mapping[str, str] | None, build: Path) -> str:
    if not rtl:
        return NOT_RECORDED
    names = changed(rtl, build)
    if not names:
        return f"of today's RTL, {short(rtl).removeprefix('RTL ')}"
    listed = " ".join(Path(name).name for name in names)
    return f"of {short(rtl)}: {len(names)} of {len(rtl)} sources differ since: {listed}"
