# SPDX-License-Identifier: Apache-2.0
"""python -m synth report: writes the pages of area and energy from the results in synth/results.

synth/AREA.md, synth/ENERGY.md and README's picture are committed: an answer with one table each. With --figures FOLDER every other table and
the plots are written there, for `make docs`. The templates are beside this file and in synth/energy. In them
{{WORD ARGUMENT...}} stands for a table or a figure, which is computed from the results: see Page. A table is followed by
the commands that reproduce it. The templates and the results are edited by hand or by --from, never the pages.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections import Counter
from functools import cached_property
from pathlib import Path

from ..energy.networks import ALONE
from ..energy.pages import Energies
from ..flow import identity, recipe
from ..flow.errors import UsageError
from ..layout.pages import Layouts
from . import (
    answer,
    commands,
    fpga_clock,
    gating,
    left_out,
    memories,
    merit,
    one_format,
    pages,
    picture,
    prices,
    rivals,
    stale,
    stock,
    tables,
)
from .elements import BANKS_SUFFIX, CLOCK_GATE, READOUT
from .intake import in_memories_process, load, take, um2_of_logic
from .records import Record, netlists_of
from .table import MANY

HERE = Path(__file__).parent
ENERGY = HERE.parent / "energy"
# The pages that are committed, and those with every figure
PAGES = {"AREA.md": HERE / "area_page.md", "ENERGY.md": ENERGY / "energy_page.md"}
FIGURES = {"area.md": HERE / "figures_page.md", "energy.md": ENERGY / "energy_figures_page.md"}
PICTURE = "result.svg"  # of README
BLANK = re.compile(r"\{\{([^{}]+)\}\}")
WIDTH = 120
DEFAULT_ARRAY = "array_4x4_block_f19_l16_mx"
SMALL_NETWORK = f"speech, a frame of 32 ms{ALONE}"  # with the small accelerator's energy of a MAC
# The results of tables of functions' prices
PRICES = {
    "functions": "functions_apart",
    "function_registers": "functions",
    "functions_mx": "functions_mx",
    "functions_rows": "functions_rows",
    "growth": "functions_rows",
    **dict.fromkeys(("functions_inference", "parts"), "functions_inference"),
}
DEFAULT_FEED, FEED_TARGET = "feed_block_f19_l16", 45000


def netlist_areas(record: Record) -> set[float]:
    """The areas of all netlists of which a record is the sum."""
    units = (*record["units"], *record["baseline_units"])
    own = (record["area_without_parts"], record["baseline_area_without_parts"])
    return {*own, *(one["area"] for one in units)}


class Page:
    """The words that the templates may use. Records are those of the first library; `NAME` is an entry's name."""

    def __init__(self, folder: Path):
        area, pdk, notes = (load(folder, name) for name in ("area", "pdk", "notes"))
        self.area, self.notes = area["records"], notes
        self.pdk = pdk["records"]  # with the libraries of process design kits
        self.folder = folder
        self.runs = {**area["runs"], **pdk["runs"]}
        self.template = ""
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

    def whole(self, template: str) -> str:
        """A page, whose contents {{contents}} lists."""
        self.template = template
        return self.text(template)

    def text(self, template: str) -> str:
        def value(blank: re.Match[str]) -> str:
            word, *arguments = blank[1].split()
            method = getattr(self, f"say_{word}", None)
            if method is None:
                known = " ".join(name[4:] for name in dir(self) if name.startswith("say_"))
                raise UsageError(f"the template has {blank[0]}: choose one of {known}")
            return method(*arguments).rstrip("\n")

        return BLANK.sub(value, template)

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

    # ---- figures ----------------------------------------------------------------------------------------------------

    def say_answer(self) -> str:
        """The one table of the first page."""
        return self.answer.table()

    def picture(self) -> str:
        """README's: the cost of elements, array and accelerators, and the utilisation of GEMMs"""
        record = self.record
        single = lambda name: record(name)["area"] / record(name)["single_area"]
        energy = lambda name: float(self.energies.word("mean", answer.KIT, name, "one"))
        costs: list[tuple[str, float, float | None]] = [
            (title, single(name), energy(name))
            for name, title in (
                ("block_f13_l16_fp16", "element, 13 bits, FP16"),
                ("block_f19_l16_fp32", "element, 19 bits, FP32"),
            )
        ]
        ships = record(DEFAULT_ARRAY)["area"] / self.smallest["baseline_area"]
        costs.append(("array, MX scales", ships, None))
        for title, whole in (("accelerator", False), ("with memories", True)):
            costs.append((title, rivals.ratio(*self.rivals, self.um2_of_logic, whole), None))
        return picture.svg(costs, picture.utilisations(picture.CYCLES))

    def say_goals(self) -> str:
        return answer.goals(self.answer, tables.lane_areas(self.main))

    @property
    def goal_kit(self) -> list[Record]:
        """The records of the process that has the goals too"""
        return [r for r in self.pdk if r["library"].startswith(answer.KIT) and r["group"] == "main"]

    def say_goals_met(self) -> str:
        return answer.met(self.answer)

    def say_layout(self, word: str, *arguments: str) -> str:
        return self.layouts.word(word, *arguments)

    def say_format_cost(self, name: str, than: str) -> str:
        """By how much an element for all formats is larger than one for THAN alone, in %."""
        return one_format.more(self.top, name, than)

    def say_energy(self, word: str, *arguments: str) -> str:
        return self.energies.word(word, *arguments)

    def say_ratio(self, name: str) -> str:
        return tables.number(tables.ratio_of(self.record(name)), 2)

    def say_single(self, name: str) -> str:
        """The ratio to INT8 with one accumulator."""
        return tables.single_ratio(self.record(name))

    def say_with_feeds(self, name: str) -> str:
        """An element's ratio with its share of the operand feeds on both sides."""
        return tables.number(tables.with_feed(self.record(name), self.feeds), 2)

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

    def say_kit(self, library: str, clock_fo4: str, side: str = "") -> str:
        """The ratio of the first element of the table of libraries; for `single` that to INT8 with one accumulator."""
        if side:
            return tables.single_ratio(self.kit(library, clock_fo4))
        return tables.number(tables.ratio_of(self.kit(library, clock_fo4)), 2)

    def say_full_adder(self, library: str) -> str:
        """Its price in NANDs of two inputs."""
        return tables.number(self.kit(library)["prices"].get(prices.FULL_ADDER), 2)

    def say_full_adders(self, library: str, side: str = "") -> str:
        """The share of full adders in the element, or for `int8` in its baseline, in %."""
        return tables.full_adder_share(self.kit(library), "baseline_" if side == "int8" else "")

    def say_boxes(self, name: str, *boxes: str) -> str:
        """The share of boxes in an element whose modules are kept apart, in %."""
        apart = self.record(name)["breakdown"]
        return f"{100 * sum(apart[box] for box in boxes) / sum(apart.values()):.0f} %"

    def say_feed_area(self, side: str = "") -> str:
        """Of all operand feeds of the default array, or for `int8` of the smallest INT8 array."""
        record, key = (self.smallest, "baseline_") if side else (self.record(DEFAULT_ARRAY), "")
        return tables.number(tables.array_parts(record, key)["operand feeds"])

    @property
    def smallest(self) -> Record:
        """The array whose baseline is the smallest."""
        return min(self.arrays, key=lambda record: record["baseline_area"])

    def say_area(self, name: str) -> str:
        return tables.number(self.record(name)["area"])

    def say_registers(self, name: str) -> str:
        """The area of flip-flops."""
        return tables.number(self.record(name)["register_area"])

    def say_feed_miss(self) -> str:
        """By how much the default feed is above its target, in %."""
        return f"{100 * (self.record(DEFAULT_FEED)['area'] / FEED_TARGET - 1):.0f} %"

    def say_simulated(self) -> str:
        """How many elements of the table have netlists that were simulated, baselines included."""
        found = [record for record in self.main if self.checked.get(record["name"], 0) >= 2]
        return f"{len(found)} of {len(self.main)}"

    def say_pdk_simulated(self) -> str:
        """How many netlists of process design kits were simulated, baselines included."""
        quoted = {area for record in self.pdk for area in netlist_areas(record)}
        right = {area for _, area in self.found_right}
        return f"{len(quoted & right)} of {len(quoted)}"

    @property
    def medians(self) -> list[Record]:
        """The records whose area is the median of several netlists."""
        return [record for record in self.area if netlists_of(record) > 1]

    def say_medians(self) -> str:
        """How many areas in the first library are medians of several netlists."""
        return f"{len(self.medians)} of {len(self.area)}"

    def say_spread(self) -> str:
        """By how much netlists of one design differ: the least and the most over all medians, in %."""
        found = [100 * record["spread"] for record in self.medians]
        return f"{min(found):.1f} to {max(found):.1f} %"

    def say_error(self, name: str) -> str:
        return tables.error(self.record(name))

    def say_more(self, name: str, than: str) -> str:
        """By how much the area of NAME is above that of THAN, in %."""
        share = self.record(name)["area"] / self.record(than)["area"] - 1
        return f"{100 * share:.1f} %"

    def say_array_rest(self, name: str) -> str:
        return tables.array_rest(self.record(name))

    def say_wires(self, name: str, side: str = "") -> str:
        """The time in ns that a wire-load model costs an element, or for `single` INT8 with one accumulator."""
        record, start = self.record(name), f"{side}_" if side else ""
        return tables.number(record[f"{start}slack_ns"] - record[f"{start}wired_slack_ns"], 2)

    def say_repaired(self, side: str = "") -> str:
        """Of how many elements, or for `baseline` INT8 baselines, nets had to be repaired because of a design rule."""
        found = [sum(r[f"{side}_repaired" if side else "repaired"].values()) for r in self.main]
        return f"{sum(map(bool, found))} of {len(found)}"

    def say_saved(self, name: str, than: str) -> str:
        """By how much NAME is smaller than THAN, in % of the baseline."""
        record = self.record(name)
        saved = self.record(than)["area"] - record["area"]
        return f"{100 * saved / record['baseline_area']:.0f} %"

    def say_lane(self, kind: str) -> str:
        """The area of one more lane, of KIND_fF or int8."""
        return tables.number(tables.lane_areas(self.main)[kind][0])

    def say_lane_ratio(self, kind: str) -> str:
        lanes = tables.lane_areas(self.main)
        return tables.number(lanes[kind][0] / lanes["int8"][0], 2)

    def say_accel_slack(self) -> str:
        """In ns"""
        if not self.accel["timing_met"]:
            raise UsageError("the accelerator misses its clock: the pages say otherwise")
        return tables.number(self.accel["slack_ns"], 2)

    def say_fit_margin(self) -> str:
        """The slack that repairs of paths aim at, in FO4 delays"""
        return f"{recipe.FIT_MARGIN:g}"

    def say_accel(self, key: str) -> str:
        """A figure of the accelerator; _ns in nanoseconds, an area otherwise."""
        return tables.number(self.accel[key], 2 if key.endswith("_ns") else 0)

    def say_memory_bit(self, ports: str) -> str:
        macro = memories.TWO_PORTS if ports == "2" else memories.ONE_PORT
        return tables.number(macro.um2_per_bit, 1)

    def say_memory_area(self) -> str:
        """In mm2."""
        return tables.number(self.memory_area, 2)

    def say_pdk_area(self) -> str:
        """Of the accelerator without its memories, in their process, in mm2."""
        return tables.number(self.accel_pdk["area"] / 1e6, 2)

    def say_chip(self, *names: str) -> str:
        """The share of the memories, or of blocks, in the accelerator with its memories, all in one process."""
        logic = self.accel_pdk["area"] / 1e6
        part = self._blocks_area(names, self.accel_pdk) / 1e6 if names else self.memory_area
        return f"{100 * part / (self.memory_area + logic):.0f} %"

    @staticmethod
    def _blocks_area(names: tuple[str, ...], accel: dict) -> float:
        return sum(one["count"] * one["area"] for one in accel["blocks"] if one["name"] in names)

    def say_share(self, *names: str) -> str:
        """The share of blocks in the accelerator's area, in %."""
        return f"{100 * self._blocks_area(names, self.accel) / self.accel['area']:.0f} %"

    def say_array(self, which: str, results: str = "") -> str:
        """The ratio of the default array, or of another one, to the smallest INT8 array of any shape. With `results` it is
        the ratio to that array if it converted so many results a cycle to FP32; for 0 the read-out of both is left out."""
        own = self.record(DEFAULT_ARRAY if which == "default" else which)
        area, base = own["area"], self.smallest["baseline_area"]
        if results:
            converter = next(u for u in self.smallest["baseline_units"] if u["top"] == READOUT)
            base -= (converter["count"] - int(results)) * converter["area"]
            area -= own["parts"][READOUT] if results == "0" else 0
        return tables.number(area / base, 2)

    def say_conversions(self, which: str) -> str:
        """How many results a cycle an array converts to FP32: the default one, another FP8 array, or for `int8` the smallest
        INT8 array."""
        if which == "int8":
            units = self.smallest["baseline_units"]
        else:
            units = self.record(DEFAULT_ARRAY if which == "default" else which)["units"]
        return str(next(one["count"] for one in units if one["top"] == READOUT))

    def say_shapes(self) -> str:
        """How many shapes of the INT8 array were measured."""
        return str(len({record["baseline"] for record in self.arrays}))

    def say_smallest_shape(self) -> str:
        """The shape of the smallest INT8 array."""
        shape = tables.Shape.of(self.smallest["baseline"], "int8")
        return f"{shape.rows} x {shape.columns} elements of {shape.lanes} lanes"

    def say_targets(self) -> str:
        """How many elements meet their target."""
        aimed = [record for record in self.main if record.get("target") is not None]
        return f"{sum(map(tables.meets, aimed))} of {len(aimed)}"

    def say_targets_met(self) -> str:
        """How many targets an element meets. Elements of the same lanes and class have the same target."""
        aimed = [record for record in self.main if record.get("target") is not None]
        every = {(record["lanes"], record["target"]) for record in aimed}
        met = {(record["lanes"], record["target"]) for record in aimed if tables.meets(record)}
        return f"{len(met)} of {len(every)}"

    def say_checked(self, name: str) -> str:
        """How many netlists of a record, baselines included, were simulated or proved."""
        return str(self.checked.get(name, 0))

    def say_fpga_accelerator(self) -> str:
        """The accelerator's parts, if it was mapped as a whole."""
        parts = tables.fpga_parts(self.fpga)
        if parts:
            return (
                "Everything else of the accelerator is flat inside each module of its top level, with its memories. Its clock"
                f" gates are left out: an FPGA has clock buffers with an enable.\n\n{parts}"
            )
        times = (f"{one['count']} of `{one['name']}`" for one in self.accel["blocks"])
        return (
            f"The default accelerator has {', '.join(times)}. Everything else of it was not mapped."
        )

    def say_without(self, name: str, key: str = "logic") -> str:
        """What an accelerator without a function, or the minimal one, takes: logic, blocks in it, or bits of memory."""
        return tables.number(next(one[key] for one in self.functions if one["name"] == name))

    def say_price_summary(self) -> str:
        """What each function costs, in one table"""
        titles = {
            "functions_apart": "2 x 2 elements of 4 lanes",
            "functions_mx": "4 x 4 elements of 16 lanes, for inference, with MX scales",
            "functions_inference": "4 x 4 elements of 16 lanes, for inference",
            "functions_rows": "4 x 4 elements of 16 lanes, with all functions",
        }
        measured = [(title, load(self.folder, one)["functions"]) for one, title in titles.items()]
        return left_out.summary(measured)

    def say_rivals(self, which: str) -> str:
        """The ratio of accelerators for inference: of `logic`, or of the `whole` with memories"""
        whole = {"logic": False, "whole": True}[which]
        return tables.number(rivals.ratio(*self.rivals, self.um2_of_logic, whole), 2)

    def say_rival_memories(self, more: str) -> str:
        """The ratio of the smallest accelerators of any shape that need at most so much more cycles, in %"""
        within = 1 + int(more) / 100
        ratio = rivals.best_ratio(self.rival_pairs, rivals.swept(), within, self.um2_of_logic)
        return tables.number(ratio, 2)

    def say_stock(self, name: str) -> str:
        """By how much the stock flow makes an element larger, in %."""
        theirs = next(one.area for one in self.stock if one.name == name)
        return f"{100 * (theirs / stock.own_areas(self.top)[name] - 1):.0f} %"

    def say_stock_ratio(self, name: str) -> str:
        """The ratio to INT8 with as many accumulators in the stock flow."""
        areas = {one.name: one.area for one in self.stock}
        return tables.number(areas[name] / areas[stock.BASELINE.name], 2)

    def say_runs(self) -> str:
        """When the figures were measured, and with what."""
        made: dict[tuple[str, ...], list[str]] = {}
        for name, run in self.runs.items():
            found = [r for r in (*self.area, *self.pdk) if r["run"] == name]
            made.setdefault(made_with(run), []).extend(
                "medians" if netlists_of(r) > 1 else "areas of one netlist" for r in found
            )
        for accel in (self.accel, self.accel_pdk):
            made.setdefault(made_with(accel["run"]), []).append("accelerators")
        for one in self.clock_gates:
            made.setdefault(made_with(one["run"]), []).append(
                "modules with and without clock gates"
            )
        run = load(self.folder, "stock")["run"]
        made.setdefault(made_with(run), []).extend(["areas of the stock flow"] * len(self.stock))
        return tables.table(
            ["date", "version", "tools", "results"],
            [
                [*key, ", ".join(f"{count} {what}" for what, count in Counter(results).items())]
                for key, results in sorted(made.items())
            ],
        )

    def say_contents(self) -> str:
        """The sections of the page."""
        titles = re.findall(r"^## (.*)$", self.template, re.M)
        return "\n".join(f"- [{title}](#{fragment(title)})" for title in titles)

    def say_gated_most(self) -> str:
        return gating.most(self.clock_gates)

    def say_gate_area(self) -> str:
        """Of a clock gate in the first library"""
        count = self.accel["black_boxes"][CLOCK_GATE]
        return tables.number(self.accel["clock_gate_area"] / count)

    # ---- commands ---------------------------------------------------------------------------------------------------

    def say_commands(self, *names: str) -> str:
        """Those that measure these records."""
        return block_of(commands.measured(map(self.record, names), self.runs))

    def commands_of(self, table: str) -> list[str]:
        """The commands that reproduce a table."""
        if table == "fpga":
            targets = dict.fromkeys(one["target"] for one in self.fpga["records"])
            return [commands.spelled("synth", {"TARGET": target}) for target in targets]
        if table == "accel_rivals":
            return [one["run"].rpartition(" ")[0] for one in self.rivals]
        if table == "accel_fast":
            return [one["run"]["command"] for one in self.accel_fast]
        if table == "accel_parts":
            return [one["run"]["command"] for one in self.accel_parts]
        if table == "rival_memories":
            others = [one for both in self.rival_pairs[1:] for one in both]
            return [*(one["run"].rpartition(" ")[0] for one in others), "make plan-memories"]
        if table == "merit":
            return []
        if table == "beats":
            return [one["run"].rpartition(" ")[0] for one in self.beats]
        if table == "fpga_clock":
            return [commands.spelled(fpga_clock.GOAL, {})]
        if table.startswith("accel_"):
            return [self.accel["run"]["command"]]
        if table == "memories":
            return ["make synth-memories", self.accel_pdk["run"]["command"]]
        if table in PRICES:
            return [load(self.folder, PRICES[table])["run"]["command"]]
        if table == "clock_gates":
            return sorted({one["run"]["command"] for one in self.clock_gates})
        if table == "stock":
            return [load(self.folder, "stock")["run"]["command"]]
        if table in self.notes:
            names = re.findall(r"\{\{\w+ (\w+)\}\}", str(self.notes[table]["lines"]))
            return commands.measured(map(self.record, names), self.runs)
        return commands.measured(self.records_of(table), self.runs)

    def runs_of(self, table: str) -> list[dict]:
        """The runs that measured the whole accelerators of a table, or modules of them; none for elements"""
        records = {
            "accel_rivals": lambda: list(self.rivals),
            "rival_memories": lambda: [one for both in self.rival_pairs for one in both],
            "beats": lambda: self.beats,
            "accel_fast": lambda: self.accel_fast,
            "accel_parts": lambda: self.accel_parts,
            "accel_blocks": lambda: [self.accel],
            "accel_paths": lambda: [self.accel],
            "memories": lambda: [load(self.folder, "memories")],
            "clock_gates": lambda: self.clock_gates,
            **{name: lambda file=file: [load(self.folder, file)] for name, file in PRICES.items()},
        }
        found = list(map(stale.run_of, records[table]())) if table in records else []
        return list(stale.runs(self.fpga)) if table == "fpga" else found

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

    def records_of(self, table: str) -> list[Record]:
        """The records that a table shows."""
        kits = [r for at in tables.by_clock([*self.main, *self.pdk]).values() for r in at.values()]
        many = (MANY, 2 * MANY)
        of_table = {
            "elements": self.main,
            "pdk": kits,
            "cell_prices": [r for r in kits if r["name"] == next(iter(tables.PDK_ELEMENTS))],
            "wires": self.wired,
            "kit_goals": self.goal_kit,
            "formatscope": tables.of_group(self.pdk, "behavioural"),
            "one_format": one_format.records(self.top),
            "frac_bits": tables.over_frac_bits(self.top),
            "feeds": self.feeds,
            "arrays": self.arrays,
            "pareto": tables.of_shapes(self.arrays),
            "lanes": [
                r
                for r in self.main
                if r["lanes"] in many and r["copies"] <= 2 and BANKS_SUFFIX not in r["name"]
            ],
            "breakdown": [r for r in self.main if r["breakdown"]],
        }
        return of_table.get(table, [])

    # ---- tables -----------------------------------------------------------------------------------------------------

    def say_table(self, name: str) -> str:
        group = tables.of_group
        made = {
            "elements": lambda: tables.elements(self.main, self.checked, self.feeds),
            "pdk": lambda: tables.pdk(self.pdk, self.main),
            "cell_prices": lambda: tables.cell_prices(self.pdk, self.main),
            "formatscope": lambda: tables.behavioural(group(self.pdk, "behavioural")),
            "wires": lambda: tables.wires(self.wired),
            "kit_goals": lambda: answer.kit_goals(self.goal_kit),
            "memories": lambda: memories.areas(self.memories),
            "one_format": lambda: one_format.lines(self.top),
            "stock": lambda: stock.table(self.stock, stock.own_areas(self.top)),
            "frac_bits": lambda: tables.frac_bits(tables.over_frac_bits(self.top)),
            "feeds": lambda: tables.feeds(self.feeds),
            "arrays": lambda: tables.arrays(self.arrays),
            "pareto": lambda: tables.pareto(self.arrays, self.roofline),
            "accel_blocks": lambda: tables.accel_blocks(self.accel),
            "accel_parts": lambda: tables.accel_parts(self.accel_parts),
            "accel_paths": lambda: tables.accel_paths(self.accel),
            "accel_fast": lambda: tables.accel_fast(self.accel_fast),
            "accel_rivals": lambda: rivals.table(*self.rivals, self.um2_of_logic),
            "rival_memories": lambda: rivals.best_table(
                self.rival_pairs, rivals.swept(), self.um2_of_logic
            ),
            "merit": lambda: merit.table(load(self.folder, "merit")["accelerators"], self.merits),
            "functions": lambda: left_out.prices(load(self.folder, "functions_apart")["functions"]),
            "functions_inference": lambda: left_out.prices(self.inference),
            **{
                one: lambda one=one: left_out.prices(load(self.folder, one)["functions"])
                for one in ("functions_mx", "functions_rows")
            },
            "parts": lambda: left_out.parts(self.inference),
            "beats": lambda: left_out.beats(load(self.folder, "accel_shapes")["measured"]),
            "growth": lambda: left_out.growth(
                load(self.folder, "accel_before"), load(self.folder, "functions_rows")
            ),
            "function_registers": lambda: left_out.largest(self.functions),
            "clock_gates": lambda: gating.table(self.clock_gates),
            "fpga": lambda: tables.fpga(self.fpga),
            "fpga_clock": lambda: fpga_clock.text_of(load(self.folder, "fpga_clock")["designs"]),
            "lanes": lambda: tables.one_more_lane(self.main),
            "breakdown": lambda: tables.breakdown(self.main),
            **{one: lambda one=one: self.notes_table(one) for one in self.notes if one != "about"},
        }
        if name not in made:
            raise UsageError(f"there is no table {name}: choose one of {' '.join(made)}")
        text = made[name]()
        if not text:
            raise UsageError(f"synth/results has no records for the table {name}")
        return f"{text}\n{block_of(self.commands_of(name))}{measured(self.runs_of(name))}"

    def notes_table(self, name: str) -> str:
        """A table of notes.json, whose cells may have figures in them."""
        made = self.notes[name]
        return self.text(tables.table(made["header"], made["lines"]))


def made_with(run: dict) -> tuple[str, str, str]:
    """The date, the version and the tools of a run."""
    tools = ", ".join(
        version if tool == "yosys" else f"OpenSTA {version}"
        for tool, version in run["tools"].items()
    )
    return run["date"], run["version"], tools


def measured(runs: list[dict]) -> str:
    """When, and of which RTL: a paragraph, or nothing without runs"""
    found = sorted({(one["date"], identity.short(one["rtl"])) for one in runs})
    each = [f"{date} ({rtl})" if date else rtl for date, rtl in found]
    return f"\n\nMeasured: {', '.join(each)}." if each else ""


def block_of(lines: list[str]) -> str:
    """A block of code."""
    return "\n".join(f"    {line}" for line in lines)


def fragment(title: str) -> str:
    """Where a link to a section goes."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def filled(text: str) -> str:
    """Paragraphs and list items in lines of full width: figures are shorter than the places that they fill."""

    def fill(block: str) -> str:
        if re.match(r"[|#!<]|    ", block):
            return block
        items = re.split(r"\n(?=- |\d+\. )", block)
        return "\n".join(
            textwrap.fill(
                " ".join(item.split()),
                WIDTH,
                subsequent_indent=" " * len(re.match(r"(?:- |\d+\. )?", item)[0]),
                break_long_words=False,
                break_on_hyphens=False,
            )
            for item in items
        )

    return "\n\n".join(fill(block) for block in text.strip("\n").split("\n\n")) + "\n"


def write(results: Path, out: Path | None, figures: Path | None) -> list[Path]:
    """The files that were written: pages to OUT, pages with every figure and their plots to FIGURES"""
    page = Page(results)
    texts: dict[Path, str] = {}
    for folder, templates in ((out, PAGES), (figures, FIGURES)):
        if folder:
            for name, template in templates.items():
                texts[folder / name] = filled(page.whole(template.read_text()))
    if out:
        texts[out / PICTURE] = page.picture()
    if figures:
        drawn = pages.plots(page.area).items()
        texts |= {figures / "plots" / name: text for name, text in drawn}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(texts)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth report", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--results", type=Path, default=Path("synth/results"), help="the folder of the results")
    add("--out", type=Path, help="the folder of AREA.md, ENERGY.md and README's picture")
    add("--figures", type=Path, help="the folder of the pages with every figure, and of plots")
    add("--from", type=Path, dest="source", help="an area.json whose records are taken first")
    add("--command", default="", help="the command that made it, if the file does not say it")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.source:
            take(options.source, options.results, options.command)
        written = write(options.results, options.out, options.figures)
    except UsageError as error:
        print(f"make synth-report: {error}", file=sys.stderr)
        return 2
    print(f"  REPORT    {' '.join(str(path) for path in written if path.suffix == '.md')}")
    return 0
