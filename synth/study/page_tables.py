# SPDX-License-Identifier: Apache-2.0
"""The tables that templates of pages name, each with the commands that reproduce it and the date of its measurement."""

from __future__ import annotations

import re

from ..flow import identity
from ..flow.errors import UsageError
from . import (
    answer,
    commands,
    fpga_clock,
    gating,
    left_out,
    memories,
    merit,
    one_format,
    rivals,
    stale,
    stock,
    tables,
)
from .elements import BANKS_SUFFIX
from .intake import load
from .page_figures import Figures
from .records import Record
from .table import MANY

# The results of tables of functions' prices
PRICES = {
    "functions": "functions_apart",
    "function_registers": "functions",
    "functions_mx": "functions_mx",
    "functions_rows": "functions_rows",
    "growth": "functions_rows",
    **dict.fromkeys(("functions_inference", "parts"), "functions_inference"),
}


def measured(runs: list[dict]) -> str:
    """When, and of which RTL: a paragraph, or nothing without runs"""
    found = sorted({(one["date"], identity.short(one["rtl"])) for one in runs})
    each = [f"{date} ({rtl})" if date else rtl for date, rtl in found]
    return f"\n\nMeasured: {', '.join(each)}." if each else ""


def block_of(lines: list[str]) -> str:
    """A block of code."""
    return "\n".join(f"    {line}" for line in lines)


class Tables(Figures):
    """The words for tables"""

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
