# SPDX-License-Identifier: Apache-2.0
"""The cell libraries, and the clock periods at which each is used."""

from __future__ import annotations

from pathlib import Path

HEADLINE_PERIOD = 6.0  # ns, with the first library
PERIODS = tuple(float(period) for period in range(4, 13))  # of the sweep
SLOW_PERIOD = (
    12.0  # of designs that were not made for the elements' clock, such as the accelerator's control
)

# Where Debian's qflow packages put the libraries, and the headline period of each: the older ones are slower.
TECH = Path("/usr/share/qflow/tech")
LIBRARIES = {
    "osu018": (TECH / "osu018/osu018_stdcells.lib", HEADLINE_PERIOD),
    "osu035": (TECH / "osu035/osu035_stdcells.lib", 10.0),
    "osu050": (TECH / "osu050/osu05_stdcells.lib", 12.0),
}
FIRST = next(iter(LIBRARIES))


def usual_name(library: str) -> str:
    """The name in LIBRARIES of a library that is given by the stem of its file."""
    return next((name for name, (path, _) in LIBRARIES.items() if library == path.stem), library)


def headline(library: str) -> float:
    return LIBRARIES.get(usual_name(library), (None, HEADLINE_PERIOD))[1]
