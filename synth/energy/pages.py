# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of the energy pages, computed from synth/results/energy.json.

In the page's template {{energy WORD ARGUMENT...}} stands for one of them: see Energies. A library is named by a part of
its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ..flow.errors import UsageError
from ..study.elements import MX_SUFFIX
from ..study.records import Record
from ..study.tables import number, table
from ..study.wires import PF_PER_UM
from ..study.wires import SIDES as SIDES_OF_NAND
from . import chip_pages
from .chip_pages import Chips
from .circuit import GLITCHES, SETTLED, SHORT_GLITCHES
from .grid import Grid
from .networks import NETWORKS
from .power import PARTS
from .tensors import SENSITIVE, TITLES

REAL = tuple(name for name in TITLES if name not in ("normal", "uniform"))
SIDES = {"as many": "baseline", "one": "single"}
KEY = ("name", "library", "period_ns", "data", "format", "mode", "wires")
MODE_TITLES = {
    SETTLED.name: "no glitches: a net changes once a cycle at most",
    GLITCHES.name: "glitches of at least a cell's delay (as everywhere else)",
    SHORT_GLITCHES.name: "glitches of at least half a cell's delay",
}


def banks(record: Record) -> int:
    return record["parameters"].get("BANKS", 4)


class Energies:
    def __init__(self, found: dict):
        self.records: list[Record] = found["records"]
        self.runs: dict[str, dict] = found["runs"]
        self.chips = Chips(found.get("chips", []))
        self.grid = Grid(self.one)

    def word(self, name: str, *arguments: str) -> str:
        if name == "chip":  # a word of the chip's own
            name, *arguments = arguments
            method = getattr(self.chips, f"say_{name}", None)
        else:
            method = getattr(self, f"say_{name}", None)
        if method is None:
            raise UsageError(f"the energy page has no word {name}")
        return method(*arguments)

    # ---- records -----------------------------------------------------------------------------------------------------

    def of(self, library: str) -> list[Record]:
        found = [one for one in self.records if library in one["library"]]
        if not found:
            raise UsageError(f"synth/results/energy.json has no record of {library}")
        return found

    def one(self, library: str, name: str, data: str, **more: object) -> Record:
        """A record in the usual case, but for what `more` says"""
        kind = "int8" if name.startswith("int8") else "e4m3fn"
        wanted = {"name": name, "data": data, "format": kind, "mode": GLITCHES.name, "wires": 1.0}
        wanted |= {
            key: value for key, value in more.items() if not (kind == "int8" and key == "format")
        }
        for one in self.of(library):
            if all(one[key] == value for key, value in wanted.items()):
                return one
        raise UsageError(f"synth/results/energy.json has no record of {library} with {wanted}")

    def names(self, library: str) -> list[str]:
        """FP8 elements that are measured on all operands of the library: few lanes first, many bits first"""
        found = {one["name"]: one for one in self.of(library) if one["kind"] != "int8"}
        seen = {
            name: {one["data"] for one in self.of(library) if one["name"] == name} for name in found
        }
        found = {name: one for name, one in found.items() if seen[name] >= set(self.data(library))}
        order = lambda one: (one["lanes"], -one["frac_bits"], one["acc"] != "fp32")
        return [one["name"] for one in sorted(found.values(), key=order)]

    def rival(self, library: str, name: str, count: str) -> str:
        """The INT8 element with as many accumulators, or with one"""
        its = next(one for one in self.of(library) if one["name"] == name)
        wanted = banks(its) if count == "as many" else 1
        for one in self.of(library):
            if (one["kind"], one["lanes"], banks(one)) == ("int8", its["lanes"], wanted):
                return one["name"]
        raise UsageError(f"synth/results/energy.json has no INT8 beside {name}")

    def data(self, library: str) -> list[str]:
        """The operands that were measured with it"""
        found = {one["data"] for one in self.of(library)}
        return [name for name in TITLES if name in found]

    def ratio(self, library: str, name: str, count: str, data: str, **more: object) -> float:
        own = self.one(library, name, data, **more)
        rival = self.one(library, self.rival(library, name, count), data, **more)
        return own["pj"] / rival["pj"]

    # ---- words -------------------------------------------------------------------------------------------------------

    def say_elements(self, library: str) -> str:
        """pJ of a MAC with the feeds, the mean of the networks' operands"""
        real = [name for name in self.data(library) if name in REAL]
        mean = lambda name: sum(self.one(library, name, data)["pj"] for data in real) / len(real)
        lines = []
        for name in self.names(library):
            line = [f"`{name}`", number(mean(name), 2 if mean(name) > 1 else 3)]
            for count in SIDES:
                rival = self.rival(library, name, count)
                ratios = [self.ratio(library, name, count, data) for data in self.data(library)]
                areas = [self.one(library, one, real[0])["area"] for one in (name, rival)]
                line += [
                    number(mean(rival), 2 if mean(name) > 1 else 3),
                    f"{number(mean(name) / mean(rival), 2)} ({number(min(ratios), 2)} to {number(max(ratios), 2)})",
                    number(areas[0] / areas[1], 2),
                ]
            lines.append(line)
        head = ["element", "FP8"]
        for count in SIDES:
            head += [f"INT8, accumulators: {count}", "ratio (of all operands)", "ratio of areas"]
        return table(head, lines)

    def say_operands(self, library: str, lanes: str) -> str:
        names = [name for name in self.names(library) if f"_l{lanes}_" in f"{name}_"]
        rivals = [self.rival(library, names[0], count) for count in SIDES]
        columns = [*names, *dict.fromkeys(rivals)]
        lines = [
            [TITLES[data], *(number(self.one(library, name, data)["pj"], 2) for name in columns)]
            for data in self.data(library)
        ]
        for data in self.data(library):
            if any(one["data"] == data and one["format"] == "e5m2" for one in self.of(library)):
                found = [number(self.one(library, n, data, format="e5m2")["pj"], 2) for n in names]
                lines.append(
                    [f"{TITLES[data]}, E5M2", *found, *["-"] * (len(columns) - len(names))]
                )
        return table(["operands", *(f"`{name}`" for name in columns)], lines)

    def say_parts(self, library: str, lanes: str) -> str:
        names = [name for name in self.names(library) if f"_l{lanes}_" in f"{name}_"]
        rivals = [self.rival(library, names[0], count) for count in SIDES]
        lines = []
        for name in (*names, *dict.fromkeys(rivals)):
            one = self.one(library, name, SENSITIVE)
            parts = [number(one["element"][part], 2) for part in PARTS]
            lines.append(
                [
                    f"`{name}`",
                    *parts,
                    number(one["feeds_pj"], 2),
                    number(one["pj"], 2),
                    number(one["transitions"]),
                ]
            )
        return table(["element", *PARTS, "feeds", "sum", "transitions"], lines)

    def say_assumptions(self, library: str, *names: str) -> str:
        rows = [(f"wires x {w:g}", {"wires": w}) for w in (0.5, 1.0, 2.0)]
        rows += [
            (MODE_TITLES[mode], {"mode": mode}) for mode in (SETTLED.name, SHORT_GLITCHES.name)
        ]
        lines = []
        for title, more in rows:
            line = [title]
            for name in names:
                own = self.one(library, name, SENSITIVE, **more)["pj"]
                its = [
                    number(self.ratio(library, name, count, SENSITIVE, **more), 2)
                    for count in SIDES
                ]
                line += [number(own, 2 if own > 1 else 3), *its]
            lines.append(line)
        head = ["assumption"]
        for name in names:
            head += [f"`{name}`, pJ", "ratio, as many accumulators", "ratio, one"]
        return table(head, lines)

    def say_networks(self, library: str, *names: str) -> str:
        lines = []
        columns = list(
            dict.fromkeys((*names, *(self.rival(library, names[0], count) for count in SIDES)))
        )
        for network, products in NETWORKS.items():
            macs = sum(product.macs for product in products)
            line = [network, number(macs)]
            for name in columns:
                pj = sum(p.macs * self.one(library, name, p.data)["pj"] for p in products)
                line.append(number(pj / 1e6, 3))
            lines.append(line)
        return table(["network", "MACs", *(f"`{name}`" for name in columns)], lines)

    def say_digits(self) -> str:
        return number(1e-6 * self.chips.digits_pj(), 3)

    def say_element_digits(self) -> str:
        products = next(iter(NETWORKS.values()))
        pj = sum(p.macs * self.one("sky130", "block_f19_l16_fp32", p.data)["pj"] for p in products)
        return number(1e-6 * pj, 3)

    def say_formats(self) -> str:
        return self.grid.formats()

    def say_e5m2(self) -> str:
        return self.grid.change(("", "e5m2"), ("", "e4m3fn"))

    def say_mx(self) -> str:
        return self.grid.change((MX_SUFFIX, "e4m3fn"), ("", "e4m3fn"))

    def say_registers(self, library: str) -> str:
        return self.grid.registers(library)

    def say_ratio(self, library: str, name: str, count: str, data: str) -> str:
        return number(self.ratio(library, name, count.replace("_", " "), data), 2)

    def say_mean(self, library: str, name: str, count: str = "") -> str:
        """pJ of a MAC, or the ratio to INT8: the mean of the networks' operands"""
        real = [data for data in self.data(library) if data in REAL]
        total = lambda one: sum(self.one(library, one, data)["pj"] for data in real)
        if not count:
            return number(total(name) / len(real), 2)
        return number(total(name) / total(self.rival(library, name, count.replace("_", " "))), 2)

    def say_feeds(self, library: str, name: str) -> str:
        return number(self.one(library, name, SENSITIVE)["feeds_pj"], 2)

    def say_transitions(self, library: str, name: str) -> str:
        return number(self.one(library, name, SENSITIVE)["transitions"])

    def say_glitches(self, library: str, name: str) -> str:
        """The part of the energy that glitches take"""
        settled = self.one(library, name, SENSITIVE, mode=SETTLED.name)["pj"]
        return f"{100 * (1 - settled / self.one(library, name, SENSITIVE)['pj']):.0f} %"

    @staticmethod
    def say_wire() -> str:
        return f"{SIDES_OF_NAND} sides of a NAND's square at {1000 * PF_PER_UM:g} fF/um"

    @cached_property
    def checks(self) -> list[Record]:
        return [one["opensta"] for one in self.records if "opensta" in one]

    def say_opensta(self, what: str) -> str:
        """The largest difference from OpenSTA"""
        worst = max(abs(one[what] / one[f"wanted_{what}"] - 1) for one in self.checks)
        return f"{100 * worst:.2g} %"

    def say_netlists(self) -> str:
        return str(len(self.checks))

    def say_leakage(self) -> str:
        worst = max(
            one["opensta"]["leakage"] / one["element_pj"] / per_cycle(one)
            for one in self.records
            if "opensta" in one
        )
        return f"{100 * worst:.1g} %"

    def say_results(self) -> str:
        return number(sum(one["results"] for one in self.records))

    def say_commands(self, library: str) -> str:
        chips = [one for one in self.chips.records if library in one["library"]]
        runs = {one["run"] for one in (*self.of(library), *chips)}
        found = [command for name in sorted(runs) for command in self._commands(self.runs[name])]
        return "\n".join(f"    {command}" for command in dict.fromkeys(found))

    @staticmethod
    def _commands(run: dict) -> Iterable[str]:
        return [*([run["area"]] if run.get("area") else []), run["command"]]


def per_cycle(record: Record) -> int:
    """MACs of a netlist in a cycle"""
    return record["lanes"] * record["parameters"].get("SHARE", 1)


def take(made: dict, known: dict, name: str) -> dict:
    """Records of a measurement take the place of those of the same netlist and case."""
    key = lambda one: tuple(one[part] for part in KEY)
    fresh = {
        key(one): {**{k: v for k, v in one.items() if k != "netlist"}, "run": name}
        for one in made.get("records", [])
    }
    found = {**{key(one): one for one in known["records"]}, **fresh}
    records = sorted(
        found.values(), key=lambda one: (one["library"], -one["lanes"], *map(str, key(one)))
    )
    chips = chip_pages.take(made, known.get("chips", []), name)
    used = {one["run"] for one in (*records, *chips)}
    runs = {**known["runs"], name: made["run"]}
    return {
        "runs": {k: v for k, v in runs.items() if k in used},
        "records": records,
        "chips": chips,
    }
