# SPDX-License-Identifier: Apache-2.0
"""python -m synth report: writes synth/AREA.md and synth/plots from the results in synth/results.

area_page.md, beside this file, is the page's text. In it {{WORD ARGUMENT...}} stands for a table or a figure, which is
computed from the results: see Page. Both the text and the results are edited by hand or by --from, never the page.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path

from ..flow.errors import UsageError
from . import libraries, memories, pages, tables
from .elements import READOUT
from .records import Record, netlists_of

TEMPLATE = Path(__file__).with_name("area_page.md")
PLACE = re.compile(r"\{\{([^{}]+)\}\}")
WIDTH = 120
DEFAULT_ARRAY = "array_4x4_block_f19_l16"
DEFAULT_FEED, FEED_TARGET = "feed_block_f19_l16", 45000
# Keys of area.json that the page does not need: they are long, or they are paths in a build folder.
LEFT_OUT = ("netlist", "baseline_netlist", "variants", "baseline_variants", "critical")


def load(folder: Path, name: str) -> dict:
    path = folder / f"{name}.json"
    if not path.is_file():
        raise UsageError(f"there is no {path}")
    return json.loads(path.read_text())


def netlist_areas(record: Record) -> set[float]:
    """The areas of all netlists of which a record is the sum."""
    units = (*record["units"], *record["baseline_units"])
    own = (record["area_without_parts"], record["baseline_area_without_parts"])
    return {*own, *(one["area"] for one in units)}


class Page:
    """The words that the template may use. Records are those of the first library; `NAME` is an entry's name."""

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
    def accel_pdk(self) -> dict:
        """The accelerator in the library of the memories' process."""
        return load(self.folder, "accel_pdk")

    @property
    def memories(self) -> dict:
        """The parameters of the accelerator whose memories are shown."""
        return load(self.folder, "memories")["parameters"]

    @property
    def fpga(self) -> dict:
        return load(self.folder, "fpga")

    def text(self, template: str) -> str:
        def value(place: re.Match[str]) -> str:
            word, *arguments = place[1].split()
            method = getattr(self, f"say_{word}", None)
            if method is None:
                known = " ".join(name[4:] for name in dir(self) if name.startswith("say_"))
                raise UsageError(f"the template has {place[0]}: choose one of {known}")
            return method(*arguments).rstrip("\n")

        return PLACE.sub(value, template)

    def record(self, name: str) -> Record:
        found = next((record for record in self.top if record["name"] == name), None)
        if found is None:
            raise UsageError(f"synth/results/area.json has no record of {name}")
        return found

    @property
    def found_right(self) -> list[tuple[str, float]]:
        """The netlists that `make synth-check` found right, by element and area."""
        return [
            (name, one["area"])
            for one in load(self.folder, "check")["netlists"]
            if one["checked"] and one["passed"] and not one["failed"]
            for name in set(one["elements"])
        ]

    @property
    def checked(self) -> dict[str, int]:
        """The number of netlists of each record that were found right. A netlist of another area than those that the
        record quotes is an older one."""
        quoted = {record["name"]: netlist_areas(record) for record in self.top}
        counts: dict[str, int] = {}
        for name, area in self.found_right:
            if area in quoted.get(name, ()):
                counts[name] = counts.get(name, 0) + 1
        return counts

    # ---- figures ----------------------------------------------------------------------------------------------------

    def say_ratio(self, name: str) -> str:
        return tables.number(tables.ratio_of(self.record(name)), 2)

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

    def say_lane(self, kind: str) -> str:
        """The area of one more lane, of KIND_fF or int8."""
        return tables.number(tables.lane_areas(self.main)[kind][0])

    def say_lane_ratio(self, kind: str) -> str:
        lanes = tables.lane_areas(self.main)
        return tables.number(lanes[kind][0] / lanes["int8"][0], 2)

    def say_accel(self, key: str) -> str:
        """A figure of the accelerator; _ns in nanoseconds, an area otherwise."""
        return tables.number(self.accel[key], 2 if key.endswith("_ns") else 0)

    def say_memory_bit(self, ports: str) -> str:
        macro = memories.TWO_PORTS if ports == "2" else memories.ONE_PORT
        return tables.number(macro.um2_per_bit, 1)

    def say_memory_area(self) -> str:
        """In mm2."""
        return tables.number(memories.um2(self.memories) / 1e6, 2)

    def say_pdk_area(self) -> str:
        """Of the accelerator without its memories, in their process, in mm2."""
        return tables.number(self.accel_pdk["area"] / 1e6, 2)

    def say_chip(self, *names: str) -> str:
        """The share of the memories, or of blocks, in the accelerator with its memories, all in one process."""
        of_memories = memories.um2(self.memories)
        part = self._blocks_area(names, self.accel_pdk) if names else of_memories
        return f"{100 * part / (of_memories + self.accel_pdk['area']):.0f} %"

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
        smallest = min(self.arrays, key=lambda record: record["baseline_area"])
        area, base = own["area"], smallest["baseline_area"]
        if results:
            converter = next(u for u in smallest["baseline_units"] if u["top"] == READOUT)
            base -= (converter["count"] - int(results)) * converter["area"]
            area -= own["parts"][READOUT] if results == "0" else 0
        return tables.number(area / base, 2)

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

    def note(self, run: str) -> str:
        """What a run of the measurement gave."""
        found = [record for record in (*self.area, *self.pdk) if record["run"] == run]
        medians = sum(netlists_of(record) > 1 for record in found)
        if medians == len(found):
            return f"Areas: {len(found)}, medians of several netlists"
        return f"Areas: {len(found)}, of one netlist" + (f" but for {medians}" if medians else "")

    def accel_runs(self) -> list[dict]:
        note = "The accelerator without its memories."
        found = [load(self.folder, path.stem) for path in sorted(self.folder.glob("accel*.json"))]
        return [{**one["run"], "note": note} for one in found]

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

    def say_runs(self) -> str:
        lines = [
            [
                f"`{run['command']}`",
                run["version"],
                run["date"],
                ", ".join(
                    version if tool == "yosys" else f"OpenSTA {version}"
                    for tool, version in run["tools"].items()
                ),
                run["note"],
            ]
            for run in (
                *({**run, "note": self.note(name)} for name, run in self.runs.items()),
                *self.accel_runs(),
            )
        ]
        return tables.table(["command", "version", "date", "tools", "results"], lines)

    # ---- tables -----------------------------------------------------------------------------------------------------

    def say_table(self, name: str) -> str:
        group = tables.of_group
        made = {
            "elements": lambda: tables.elements(self.main, self.checked),
            "pdk": lambda: tables.pdk(self.pdk, self.main),
            "cell_prices": lambda: tables.cell_prices(self.pdk, self.main),
            "formatscope": lambda: tables.behavioural(group(self.pdk, "behavioural")),
            "memories": lambda: memories.markdown(memories.memories(self.memories)),
            "frac_bits": lambda: tables.frac_bits(tables.over_frac_bits(self.top)),
            "feeds": lambda: tables.feeds(self.feeds),
            "with_feeds": lambda: tables.with_feeds(self.main, self.feeds),
            "arrays": lambda: tables.arrays(self.arrays),
            "pareto": lambda: tables.pareto(self.arrays),
            "accel_blocks": lambda: tables.accel_blocks(self.accel),
            "accel_paths": lambda: tables.accel_paths(self.accel),
            "accel_instances": lambda: tables.accel_instances(self.accel),
            "fpga": lambda: tables.fpga(self.fpga),
            "lanes": lambda: tables.one_more_lane(self.main),
            "breakdown": lambda: tables.breakdown(self.main),
            "published": lambda: self.notes_table("published"),
            "feed_lane": lambda: self.notes_table("feed_lane"),
        }
        if name not in made:
            raise UsageError(f"there is no table {name}: choose one of {' '.join(made)}")
        text = made[name]()
        if not text:
            raise UsageError(f"synth/results has no records for the table {name}")
        return text

    def notes_table(self, name: str) -> str:
        """A table of notes.json, whose cells may have figures in them."""
        made = self.notes[name]
        return self.text(tables.table(made["header"], made["lines"]))


def take_accel(made: dict, folder: Path) -> None:
    """In the first library, or in another one, which is taken for that of the memories' process."""
    name = "accel" if made["library"] == libraries.FIRST else "accel_pdk"
    kept = {key: value for key, value in made.items() if key not in (*LEFT_OUT, "tried")}
    kept["blocks"] = [
        {key: value for key, value in one.items() if key != "netlist"} for one in made["blocks"]
    ]
    (folder / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")


def take_check(made: list[dict], folder: Path) -> None:
    """Adds the outcomes of `make synth-check`. One of the same netlist is replaced, but records of both may quote it."""
    known = load(folder, "check")["netlists"] if (folder / "check.json").is_file() else []
    found = {one["name"]: one for one in known}
    for one in made:
        fresh = {key: value for key, value in one.items() if key != "netlist"}
        before = found.get(one["name"], {}).get("elements", [])
        fresh["elements"] = sorted({*before, *one["elements"]})
        found[one["name"]] = fresh
    (folder / "check.json").write_text(
        json.dumps({"netlists": list(found.values())}, indent=1) + "\n"
    )


def take_memories(made: dict, folder: Path) -> None:
    kept = {"parameters": made["parameters"]}
    (folder / "memories.json").write_text(json.dumps(kept, indent=1) + "\n")


def take_fpga(made: dict, folder: Path) -> None:
    """Records take the place of those of the same design and target."""

    def key(record: dict) -> tuple[str, str]:
        return record["target"], record["name"]

    known = load(folder, "fpga")["records"] if (folder / "fpga.json").is_file() else []
    records = {key(one): one for one in (*known, *made["records"])}
    found = {"yosys": made["yosys"], "records": [records[each] for each in sorted(records)]}
    (folder / "fpga.json").write_text(json.dumps(found, indent=1) + "\n")


def take(source: Path, folder: Path, command: str) -> None:
    """Records of a measurement take the place of those of the same entry, library and period. Those of a library that the
    user brought, or at another clock than the library's headline, go to pdk.json. Results of the accelerator, of its
    memories and of an FPGA take the place of older ones."""
    try:
        made = json.loads(source.read_text())
        if isinstance(made, list):
            return take_check(made, folder)
        if "blocks" in made:
            return take_accel(made, folder)
        if "memories" in made:
            return take_memories(made, folder)
        if "yosys" in made:
            return take_fpga(made, folder)
        command = command or made["run"].get("command", "make synth")
        name = f"{command} {made['run']['date']}"
        files: dict[str, list[Record]] = {"area": [], "pdk": []}
        for record in made["records"]:
            usual = libraries.headline(record["library"]) == record["period_ns"]
            files["area" if usual else "pdk"].append(record)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        raise UsageError(f"FROM={source} is not the area.json of a measurement") from None
    for file, records in files.items():
        if records:
            merge(folder, file, {**made, "records": records}, name, command)


def merge(folder: Path, file: str, made: dict, name: str, command: str) -> None:
    """Puts a measurement's records into FOLDER/FILE.json."""
    area = load(folder, file)
    fresh = {
        (record["name"], record["library"], record["period_ns"]): {
            **{key: value for key, value in record.items() if key not in LEFT_OUT},
            **{
                side: [{k: v for k, v in one.items() if k != "netlist"} for one in record[side]]
                for side in ("units", "baseline_units")
                if record.get(side)
            },
            "run": name,
        }
        for record in made["records"]
    }
    kept = [
        record
        for record in area["records"]
        if (record["name"], record["library"], record["period_ns"]) not in fresh
    ]
    area["records"] = sorted(
        tables.in_table_order([*kept, *fresh.values()]), key=lambda record: record["library"]
    )
    run = {"command": command, **made["run"]}
    used = {record["run"] for record in area["records"]}
    area["runs"] = {key: one for key, one in ({**area["runs"], name: run}).items() if key in used}
    (folder / f"{file}.json").write_text(json.dumps(area, indent=1) + "\n")


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


def write(results: Path, out: Path) -> None:
    page = Page(results)
    (out / "plots").mkdir(parents=True, exist_ok=True)
    (out / "AREA.md").write_text(filled(page.text(TEMPLATE.read_text())))
    for name, text in pages.plots(page.area).items():
        (out / "plots" / name).write_text(text)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth report", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--results", type=Path, default=Path("synth/results"), help="the folder of the results")
    add("--out", type=Path, default=Path("synth"), help="the folder of AREA.md and plots")
    add("--from", type=Path, dest="source", help="an area.json whose records are taken first")
    add("--command", default="", help="the command that made it, if the file does not say it")
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.source:
            take(options.source, options.results, options.command)
        write(options.results, options.out)
    except UsageError as error:
        print(f"make synth-report: {error}", file=sys.stderr)
        return 2
    print(f"  REPORT    {options.out}/AREA.md and {options.out}/plots")
    return 0
