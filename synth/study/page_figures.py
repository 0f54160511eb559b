# SPDX-License-Identifier: Apache-2.0
"""The figures that templates of pages name: {{WORD ARGUMENT...}} is what say_WORD says of the arguments."""

from __future__ import annotations

import re
from collections import Counter

from ..flow import recipe
from ..flow.errors import UsageError
from . import answer, gating, left_out, memories, one_format, prices, rivals, stock, tables
from .elements import CLOCK_GATE, READOUT
from .intake import load
from .measurements import DEFAULT_ARRAY, Measurements, netlist_areas
from .records import netlists_of

BLANK = re.compile(r"\{\{([^{}]+)\}\}")
OPERATORS = ("fp8mac_fp32_mul", "fp8mac_fp32_add", "fp8mac_fp32_to_fmt")  # of the epilogue
DEFAULT_FEED, FEED_TARGET = "feed_block_f19_l16", 45000


def made_with(run: dict) -> tuple[str, str, str]:
    """The date, the version and the tools of a run."""
    tools = ", ".join(
        version if tool == "yosys" else f"OpenSTA {version}"
        for tool, version in run["tools"].items()
    )
    return run["date"], run["version"], tools


class Figures(Measurements):
    """The words for figures"""

    def text(self, template: str) -> str:
        def value(blank: re.Match[str]) -> str:
            word, *arguments = blank[1].split()
            method = getattr(self, f"say_{word}", None)
            if method is None:
                known = " ".join(name[4:] for name in dir(self) if name.startswith("say_"))
                raise UsageError(f"the template has {blank[0]}: choose one of {known}")
            return method(*arguments).rstrip("\n")

        return BLANK.sub(value, template)

    def say_answer(self) -> str:
        """The one table of the first page."""
        return self.answer.table()

    def say_goals(self) -> str:
        return answer.goals(self.answer, tables.lane_areas(self.main))

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

    def say_operators(self) -> str:
        """The area of the operators that finish one output of the accelerator's epilogue"""
        blocks = {one["name"]: one for one in self.accel["blocks"]}
        outputs = blocks["fp8mac_fp32_to_fmt"]["count"]
        return tables.number(self._blocks_area(OPERATORS, self.accel) / outputs)

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

    def say_gated_most(self) -> str:
        return gating.most(self.clock_gates)

    def say_gate_area(self) -> str:
        """Of a clock gate in the first library"""
        count = self.accel["black_boxes"][CLOCK_GATE]
        return tables.number(self.accel["clock_gate_area"] / count)
