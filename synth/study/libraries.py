# SPDX-License-Identifier: Apache-2.0
"""The cell libraries, and the clock periods at which each is used."""

from __future__ import annotations

import os
from pathlib import Path

from ..flow import fo4
from ..flow.liberty import Library

HEADLINE_PERIOD = 6.0  # ns, with the first library
# The headline period in FO4 delays of the first library (99.19 ps): the clock of every library that is not listed here.
HEADLINE_FO4 = 60.5

# Where set-up puts the libraries (tools/cells.txt), and the headline period of each: the older ones are slower.
FOLDER = Path("build/cells")
TECH = Path(os.environ.get("CELLS", FOLDER)).absolute()
LIBRARIES = {
    "osu018": (TECH / "osu018/osu018_stdcells.lib", HEADLINE_PERIOD),
    "osu035": (TECH / "osu035/osu035_stdcells.lib", 10.0),
    "osu050": (TECH / "osu050/osu05_stdcells.lib", 12.0),
}
FIRST = next(iter(LIBRARIES))
MEMORIES = "sky130_fd_sc_hd_tt_025C_1v80"  # that of the memories' process


def name_of(path: Path) -> str:
    """A library's name in the results: that of its (first) file."""
    return path.name.removesuffix(".gz").removesuffix(".lib")


def usual_name(library: str) -> str:
    """The name in LIBRARIES of a library that is given by the stem of its file."""
    return next((name for name, (path, _) in LIBRARIES.items() if library == path.stem), library)


def headline(library: str) -> float | None:
    """The headline period of a library in LIBRARIES."""
    return LIBRARIES.get(usual_name(library), (None, None))[1]


def in_fo4(library: Library, count: float) -> float:
    """The period of so many FO4 delays, in whole ps."""
    return round(count * fo4.of(library).delay_ns, 3)


def headline_of(name: str, library: Library) -> float:
    """The headline period, or that of equally many FO4 delays."""
    return headline(name) or in_fo4(library, HEADLINE_FO4)
