# SPDX-License-Identifier: Apache-2.0
"""The results in synth/results, and how those of a measurement are taken into them."""

from __future__ import annotations

import json
from pathlib import Path

from ..energy import pages as energy
from ..flow.errors import UsageError
from ..layout import pages as layout
from . import libraries, rivals, tables
from .records import Record

# Keys of area.json that the pages do not need: they are long, or they are paths in a build folder.
LEFT_OUT = (
    *("netlist", "baseline_netlist", "single_netlist"),
    *("variants", "baseline_variants", "critical"),
)


FAST_FO4 = 80  # FO4 delays: the clock of elements in open libraries


def load(folder: Path, name: str) -> dict:
    path = folder / f"{name}.json"
    if not path.is_file():
        raise UsageError(f"there is no {path}")
    return json.loads(path.read_text())


def in_memories_process(measured: list[dict]) -> dict:
    """The default accelerator of accel_fast.json in the library of the memories' process"""
    return next(one for one in measured if one["library"] == libraries.MEMORIES)


def um2_of_logic(measured: list[dict], first: dict) -> float:
    """In the memories' process, of the default accelerator, for the unit of the first library's area"""
    return in_memories_process(measured)["area"] / first["area"]


def take_accel(made: dict, folder: Path) -> None:
    """In the first library, or in others at the clock of the elements. A module alone stands apart."""
    if made.get("clock_gates"):
        raise UsageError(
            "the pages take no accelerator with inserted clock gates: measure it without CLOCK_GATES="
        )
    if made["top"] != load(folder, "accel")["top"]:
        return take_part(made, folder)
    if made["parameters"] != load(folder, "accel")["parameters"]:
        raise UsageError("the pages take only the default accelerator: measure it without CONFIG=")
    kept = {key: value for key, value in made.items() if key not in (*LEFT_OUT, "tried")}
    kept["blocks"] = [
        {key: value for key, value in one.items() if key != "netlist"} for one in made["blocks"]
    ]
    if abs(made["period_ns"] / made["fo4_ns"] - FAST_FO4) < 0.1:
        return take_fast(kept, folder)
    if made["library"] != libraries.FIRST:
        raise UsageError(
            f"the pages have the accelerator of other libraries at {FAST_FO4} FO4 delays alone"
        )
    (folder / "accel.json").write_text(json.dumps(kept, indent=1) + "\n")


def take_fast(kept: dict, folder: Path) -> None:
    """The accelerator at the usual clock of a library, in FO4 delays, in the place of the same library's"""
    path = folder / "accel_fast.json"
    known = load(folder, "accel_fast")["measured"] if path.is_file() else []
    found = {**{one["library"]: one for one in known}, kept["library"]: kept}
    text = json.dumps({"measured": [found[its] for its in sorted(found)]}, indent=1)
    path.write_text(text + "\n")


def take_part(made: dict, folder: Path) -> None:
    """A module of the accelerator alone, in the place of the same one in the same library"""
    path = folder / "accel_parts.json"
    known = load(folder, "accel_parts")["parts"] if path.is_file() else []
    kept = ("top", "parameters", "library", "period_ns", "fo4_ns", "area", "slack_ns", "effort")
    fresh = {**{key: made[key] for key in kept}, "path": made["critical"], "run": made["run"]}
    key = lambda one: (one["top"], json.dumps(one["parameters"]), one["library"])
    found = {**{key(one): one for one in known}, key(fresh): fresh}
    text = json.dumps({"parts": [found[its] for its in sorted(found)]}, indent=1)
    path.write_text(text + "\n")


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
    if made["parameters"] != load(folder, "accel")["parameters"]:
        raise UsageError("the pages take only the default accelerator: measure it without CONFIG=")
    (folder / "memories.json").write_text(json.dumps(made, indent=1) + "\n")


def take_shape(made: dict, folder: Path) -> None:
    """An accelerator, in the place of one with the same parameters. `fp8mac plan` knows areas from those with all functions.
    The others are compared with each other."""
    (whole,) = made["functions"]
    rival = rivals.is_rival(whole["parameters"])
    file = folder / ("accel_rivals.json" if rival else "accel_shapes.json")
    known = load(folder, file.stem)["measured"] if file.is_file() or not rival else []
    kept = ("parameters", "logic", "blocks", "bits", *(("memory_um2",) if rival else ()))
    name = f"{made['run']['command']} {made['run']['date']}"
    fresh = {**{key: whole[key] for key in kept}, "run": name}
    if "rtl" in made["run"]:
        fresh["rtl"] = made["run"]["rtl"]
    places = [i for i, one in enumerate(known) if one["parameters"] == whole["parameters"]]
    place = places[0] if places else len(known)
    known[place : place + 1] = [fresh]
    file.write_text(json.dumps({"measured": known}, indent=1) + "\n")


def take_functions(made: dict, folder: Path) -> None:
    """Prices of functions: in an accelerator with all of them, or in one for inference, whose CONFIG leaves some out. That
    of MX scales, and that of row commands, which the default accelerator alone has, are apart."""
    if made["apart"] and len(made["functions"]) == 1:
        return take_shape(made, folder)
    name = "functions_apart" if made["apart"] else "functions"
    if made["apart"] and rivals.is_rival(made["functions"][0]["parameters"]):
        name = "functions_inference"
    alone = {"MX": "functions_mx", "ROW_COMMANDS": "functions_rows"}
    if len(made["functions"]) == 2:
        name = alone.get(made["functions"][1]["name"], name)
    (folder / f"{name}.json").write_text(json.dumps(made, indent=1) + "\n")


def take_stock(made: dict, folder: Path) -> None:
    (folder / "stock.json").write_text(json.dumps(made, indent=1) + "\n")


def take_gates(made: dict, folder: Path) -> None:
    """Records of `make synth-gates` take the place of those of the same module, library and least number."""
    path = folder / "clock_gates.json"
    known = load(folder, "clock_gates")["gates"] if path.is_file() else []
    key = lambda one: (one["library"], one["name"], one["least"])
    fresh = {key(one): {**one, "run": made["run"]} for one in made["gates"]}
    found = {**{key(one): one for one in known}, **fresh}
    text = json.dumps({"gates": [found[its] for its in sorted(found)]}, indent=1)
    path.write_text(text + "\n")


def take_layout(made: dict, folder: Path) -> None:
    """Adds layouts. Those of the same names are replaced."""
    path = folder / "layout.json"
    empty = {"runs": {}, "layouts": [], "failures": []}
    known = load(folder, "layout") if path.is_file() else empty
    path.write_text(json.dumps(layout.take(made, known), indent=1) + "\n")


def take_fpga(made: dict, folder: Path) -> None:
    """Records take the place of those of the same design and target."""

    def key(record: dict) -> tuple[str, str]:
        return record["target"], record["name"]

    before = load(folder, "fpga") if (folder / "fpga.json").is_file() else {"records": []}
    name = f"{made['run']['command']} {made['run']['date']}"
    every = {**before.get("runs", {}), name: made["run"]}
    fresh = [{**one, "run": name} for one in made["records"]]
    records = {key(one): one for one in (*before["records"], *fresh)}
    found = {"yosys": made["yosys"], "records": [records[each] for each in sorted(records)]}
    used = {one.get("run") for one in found["records"]}
    found["runs"] = {name: run for name, run in every.items() if name in used}
    (folder / "fpga.json").write_text(json.dumps(found, indent=1) + "\n")


def take_fpga_clock(made: dict, folder: Path) -> None:
    """Designs take the place of those of the same name."""
    path = folder / "fpga_clock.json"
    known = load(folder, "fpga_clock")["designs"] if path.is_file() else []
    designs = {one["name"]: one for one in (*known, *made["designs"])}
    found = {**made, "designs": [designs[name] for name in sorted(designs)]}
    path.write_text(json.dumps(found, indent=1) + "\n")


def take_energy(made: dict, folder: Path) -> None:
    """Records of `make synth-energy` take the place of those of the same netlist and case, or chip and network."""
    path = folder / "energy.json"
    known = load(folder, "energy") if path.is_file() else {"runs": {}, "records": [], "chips": []}
    name = f"{made['run']['command']} {made['run']['date']}"
    path.write_text(json.dumps(energy.take(made, known, name), indent=1) + "\n")


def take(source: Path, folder: Path, command: str) -> None:
    """Records of a measurement take the place of those of the same entry, library and period. Those of a library that the
    user brought, or at another clock than the library's headline, go to pdk.json. Results of the accelerator, of its
    memories, of an FPGA and of the stock flow take the place of older ones."""
    try:
        made = json.loads(source.read_text())
        if isinstance(made, list):
            return take_check(made, folder)
        if "blocks" in made:
            return take_accel(made, folder)
        if "memories" in made:
            return take_memories(made, folder)
        if "functions" in made:
            return take_functions(made, folder)
        if "stock" in made:
            return take_stock(made, folder)
        if "gates" in made:
            return take_gates(made, folder)
        if "layouts" in made:
            return take_layout(made, folder)
        if "designs" in made:
            return take_fpga_clock(made, folder)
        if "yosys" in made:
            return take_fpga(made, folder)
        if "chips" in made or (made["records"] and "pj" in made["records"][0]):
            return take_energy(made, folder)
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
