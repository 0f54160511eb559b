# SPDX-License-Identifier: Apache-2.0
"""The results in synth/results, and what follows from them before a page says it. Records are those of the first library
where nothing else is said; `name` is an entry's name."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from ..energy.networks import ALONE
from ..energy.pages import Energies
from ..flow.errors import UsageError
from ..layout.pages import Layouts
from . import answer, left_out, memories, merit, rivals, stock, tables
from .intake import in_memories_process, load, um2_of_logic
from .records import Record, netlists_of

DEFAULT_ARRAY = "array_4x4_block_f19_l16_mx"
SMALL_NETWORK = f"speech, a frame of 32 ms{ALONE}"  # with the small accelerator's energy of a MAC


def netlist_areas(record: Record) -> set[float]:
    """The areas of all netlists of which a record is the sum."""
    units = (*record["units"], *record["baseline_units"])
    own = (record["area_without_parts"], record["baseline_area_without_parts"])
    return {*own, *(one["area"] for one in units)}


class Measurements:
    """Of one folder of results"""

    def __init__(self, folder: Path):
        area, pdk, notes = (load(folder, name) for name in ("area", "pdk", "notes"))
        self.area, self.notes = area["records"], notes
        self.pdk = pdk["records"]  # with the libraries of process design kits
        self.folder = folder
        self.runs = {**area["runs"], **pdk["runs"]}
        self.top = tables.headline(self.area)
        self.main = tables.of_group(self.top, "main")
        self.feeds = tables.of_group(self.top, "feed")
        self.arrays = tables.of_group(self.top, "array")

    @property
    def accel(self) -> dict:
        return load(self.folder, "accel")

    @property
    def clock_gates(self) -> list[dict]:
        """Modules without and with clock gates that synthesis inserts"""
        return load(self.folder, "clock_gates")["gates"]

    @property
    def accel_pdk(self) -> dict:
        """The accelerator in the library of the memories' process, of accel_fast"""
        return in_memories_process(self.accel_fast)

    @property
    def accel_fast(self) -> list[dict]:
        """The accelerator at the usual clock of other libraries, in FO4 delays"""
        return load(self.folder, "accel_fast")["measured"]

    @property
    def accel_parts(self) -> list[dict]:
        """Modules of the accelerator alone"""
        return load(self.folder, "accel_parts")["parts"]

    @property
    def um2_of_logic(self) -> float:
        """As intake.um2_of_logic"""
        return um2_of_logic(self.accel_fast, self.accel)

    @property
    def rivals(self) -> tuple[Record, Record]:
        """Accelerators for inference: FP8 and INT8 of the first shape"""
        return self.rival_pairs[0]

    @property
    def rival_pairs(self) -> list[tuple[Record, Record]]:
        return rivals.pairs(load(self.folder, "accel_rivals")["measured"])

    @property
    def merits(self) -> list[merit.Merit]:
        """The figure of merit of this project's accelerators"""
        chips = self.energies.chips
        array = chips.mac_pj("default", "array", "random product, 64 x 64 x 128")[0]
        small = chips.mac_pj("small", "accelerator", SMALL_NETWORK)
        return merit.own(self.accel_pdk, self.memory_area, array, (small[0], sum(small)))

    @property
    def memories(self) -> list[memories.Memory]:
        return [memories.Memory(**one) for one in load(self.folder, "memories")["memories"]]

    @property
    def functions(self) -> list[dict]:
        """The accelerator without functions."""
        return load(self.folder, "functions")["functions"]

    @property
    def inference(self) -> list[dict]:
        """The accelerator for inference without functions."""
        return load(self.folder, "functions_inference")["functions"]

    @property
    def memory_area(self) -> float:
        """In mm2."""
        return sum(one.um2 for one in self.memories) / 1e6

    @cached_property
    def roofline(self) -> dict[tuple, float]:
        """The share of the roofline that each shape of an array reaches, by tables.Shape.key."""
        key = ("rows", "columns", "lanes", "kind")
        found = load(self.folder, "shapes")["shapes"]
        return {tuple(one[part] for part in key): one["roofline"] for one in found}

    @property
    def fpga(self) -> dict:
        return load(self.folder, "fpga")

    @cached_property
    def stock(self) -> list[stock.Stock]:
        """Elements in the stock flow."""
        return [stock.Stock(**one) for one in load(self.folder, "stock")["stock"]]

    def record(self, name: str) -> Record:
        found = next((record for record in self.top if record["name"] == name), None)
        if found is None:
            raise UsageError(f"synth/results/area.json has no record of {name}")
        return found

    @cached_property
    def found_right(self) -> list[tuple[str, float]]:
        """The netlists that `make synth-check` found right, by element and area."""
        return [
            (name, one["area"])
            for one in load(self.folder, "check")["netlists"]
            if one["checked"] and one["passed"] and not one["failed"]
            for name in set(one["elements"])
        ]

    @cached_property
    def checked(self) -> dict[str, int]:
        """The number of netlists of each record that were found right. A netlist of another area than those that the
        record quotes is an older one."""
        quoted = {record["name"]: netlist_areas(record) for record in self.top}
        counts: dict[str, int] = {}
        for name, area in self.found_right:
            if area in quoted.get(name, ()):
                counts[name] = counts.get(name, 0) + 1
        return counts

    @cached_property
    def energies(self) -> Energies:
        return Energies(load(self.folder, "energy"))

    @cached_property
    def layouts(self) -> Layouts:
        return Layouts(load(self.folder, "layout"))

    @cached_property
    def answer(self) -> answer.Answer:
        return answer.Answer(
            self.record,
            self.smallest,
            self.layouts,
            self.energies,
            self.fpga,
            self.rivals,
            self.um2_of_logic,
        )

    @property
    def goal_kit(self) -> list[Record]:
        """The records of the process that has the goals too"""
        return [r for r in self.pdk if r["library"].startswith(answer.KIT) and r["group"] == "main"]

    def kit(self, library: str, clock_fo4: str = "") -> Record:
        """The first element of the table of libraries, at a clock in FO4 delays or at the slowest one."""
        element = next(iter(tables.PDK_ELEMENTS))
        found = [
            records[element]
            for (name, _), records in tables.by_clock([*self.main, *self.pdk]).items()
            if element in records and library in (name.replace(" ", "_"), name.upper())
        ]
        if clock_fo4:
            found = [r for r in found if abs(r["period_ns"] / r["fo4_ns"] - float(clock_fo4)) < 0.1]
        if not found:
            raise UsageError(f"synth/results has no {element} in {library} at {clock_fo4} FO4")
        return found[-1]

    @property
    def smallest(self) -> Record:
        """The array whose baseline is the smallest."""
        return min(self.arrays, key=lambda record: record["baseline_area"])

    @property
    def medians(self) -> list[Record]:
        """The records whose area is the median of several netlists."""
        return [record for record in self.area if netlists_of(record) > 1]

    @property
    def beats(self) -> list[Record]:
        known = load(self.folder, "accel_shapes")["measured"]
        return [one for its in left_out.several_beats(known) for one in its]

    @property
    def wired(self) -> list[Record]:
        """Elements of one accumulator on both sides, then those of the table of libraries."""
        least = [r for r in self.main if r["parameters"].get("BANKS") == 1]
        kits = [r for at in tables.by_clock([*self.main, *self.pdk]).values() for r in at.values()]
        return [r for r in (*least, *self.kit_least, *kits) if "wired_slack_ns" in r]

    @property
    def kit_least(self) -> list[Record]:
        return [r for r in self.goal_kit if r["parameters"].get("BANKS") == 1]
