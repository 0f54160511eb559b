# SPDX-License-Identifier: Apache-2.0
"""The figure of merit: GMAC/s for each mm2 and for each W, beside those that others published (merit.json).

Figures of other processes are scaled to this project's, SkyWater 130 nm at 1.8 V, by the rules of ideal scaling: area goes
with the square of the process's length, the clock with its inverse, and the energy of an operation with the length and the
square of the voltage. So GMAC/s for each mm2 goes with the third power of the length.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import tables
from .records import Record

NM, VOLTS = 130, 1.8  # the process of the memories and of the energies
HEAD = [
    *("accelerator", "numbers", "process", "GMAC/s", "mm2", "GMAC/s for each mm2"),
    *("in 130 nm", "GMAC/s for each W", "in 130 nm at 1.8 V", "area", "power"),
]


@dataclass(frozen=True)
class Merit:
    name: str
    numbers: str
    nm: float | None
    volts: float | None
    gmacs: float | None  # GMAC/s
    mm2: float | None
    gmac_per_joule: float | None
    area_counts: str
    power_counts: str

    @property
    def density(self) -> float | None:
        return None if None in (self.gmacs, self.mm2) else self.gmacs / self.mm2

    @property
    def scaled_density(self) -> float | None:
        return None if None in (self.density, self.nm) else self.density * (self.nm / NM) ** 3

    @property
    def scaled_gmac_per_joule(self) -> float | None:
        if None in (self.gmac_per_joule, self.nm, self.volts):
            return None
        return self.gmac_per_joule * (self.nm / NM) * (self.volts / VOLTS) ** 2

    def line(self) -> list[str]:
        process = "-" if self.nm is None else f"{self.nm:g} nm"
        if self.volts is not None:
            process += f", {self.volts:g} V"
        return [
            self.name,
            self.numbers,
            process,
            tables.number(self.gmacs, 1),
            tables.number(self.mm2, 2),
            tables.number(self.density, 2),
            tables.number(self.scaled_density, 2),
            tables.number(self.gmac_per_joule, 1),
            tables.number(self.scaled_gmac_per_joule, 1),
            self.area_counts,
            self.power_counts,
        ]


def published(record: Record) -> Merit:
    """Of merit.json"""
    cycles, mhz, frames = (record.get(key) for key in ("macs_per_cycle", "mhz", "frames"))
    gmacs = None
    if cycles is not None and mhz is not None:
        gmacs = cycles * mhz / 1e3
    elif frames is not None:
        gmacs = frames * record["gmac_per_frame"]
    return Merit(
        f"{record['name']} ({record['source']})",
        record["numbers"],
        record["nm"],
        record["volts"],
        gmacs,
        record["mm2"],
        record["gmac_per_joule"],
        record["area_counts"],
        record["power_counts"],
    )


def own(
    accel: Record, memory_mm2: float, array_pj: float, small_pj: tuple[float, float]
) -> list[Merit]:
    """The default accelerator, at its peak at the clock that its netlist reaches. ARRAY_PJ: of a MAC in the default array. SMALL_PJ: of a MAC in
    the small accelerator without memories, and with them."""
    of = accel["parameters"]
    macs = of["ROWS"] * of["COLS"] * of["LANES"]
    gmacs = macs / (accel["period_ns"] - min(0, accel["slack_ns"]))
    mm2 = accel["area"] / 1e6
    fixed = ("FP8", NM, VOLTS)
    joule = lambda pj: 1e3 / pj  # GMAC
    return [
        Merit(
            f"this project, {macs} MACs",
            *fixed,
            gmacs,
            mm2,
            joule(array_pj),
            "without memories",
            "the array alone",
        ),
        Merit(
            f"this project, {macs} MACs",
            *fixed,
            gmacs,
            mm2 + memory_mm2,
            None,
            "with memories",
            "-",
        ),
        Merit(
            "this project, 16 MACs",
            *fixed,
            None,
            None,
            joule(small_pj[0]),
            "-",
            "without memories",
        ),
        Merit(
            "this project, 16 MACs",
            *fixed,
            None,
            None,
            joule(small_pj[1]),
            "-",
            "with memories",
        ),
    ]


def table(known: list[Record], ours: list[Merit]) -> str:
    return tables.table(HEAD, [one.line() for one in (*ours, *map(published, known))])
