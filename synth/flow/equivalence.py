# SPDX-License-Identifier: Apache-2.0
"""Proves that a mapped netlist is equal to its RTL, with Yosys alone. The proof trusts neither ABC nor the flow's own
steps.

Both sides are cut at their registers, which keep their names through the flow. The value of a register becomes an input
and its next value an output. Outputs and next values are then functions without memory and are proved equal one by one.
This is an induction over cycles: registers of equal name and equal value keep equal values.

The flow removes registers of the RTL for one of three reasons:

- It holds a constant. Its next value is proved to be that constant, so this is true from the first clock edge on.
- It holds the value of another register. Its next value is proved to be that register's next value.
- Nothing depends on it. The solver may then choose its value.

Yosys's optimiser guesses the constants and the equal registers; the proof does not depend on the guess being right.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from . import cells, faults, sources, yosys
from .errors import FlowError, OutOfTime
from .liberty import Library
from .runs import Design, edit

Bit = int | str
HELD, NEXT, FREE, MERGED = "held_i", "next_o", "free_i", "merged_o"


def read_rtl(folder: Path, design: Design, files: dict[str, Path]) -> tuple[dict, dict]:
    """The design as it is written, with a cell for each process and registers of one bit; and the same design optimised,
    for the guesses."""
    used = sources.closure(design.top, files)
    texts = {file.name: file.read_text() for file in used}
    edit(texts, design)
    for name, text in texts.items():
        (folder / name).write_text(text)
    values = " ".join(f"-G {key}={value}" for key, value in design.parameters)
    (folder / "rtl.ys").write_text(
        "\n".join(
            (
                f"read_slang --threads 1 --ignore-assertions --top {design.top} {values} {' '.join(f.name for f in used)}",
                f"hierarchy -check -top {design.top}",
                "proc",
                "flatten",
                "opt_clean",
                "simplemap t:$dff",
                "check -assert",
                "write_json rtl.json",
                "techmap",
                "opt -nodffe -nosdff -full",
                "write_json guess.json",
                "",
            )
        )
    )
    yosys.run(folder, "rtl", ("rtl.json", "guess.json"))
    rtl, guess = (
        json.loads((folder / f"{name}.json").read_text())["modules"][design.top]
        for name in ("rtl", "guess")
    )
    return rtl, guess


# ---- cuts at the registers ------------------------------------------------------------------------------------------


def registers(text: str, library: Library) -> list[tuple[re.Match[str], str, str]]:
    """The registers of netlist.v: instance, output net and input net."""
    found = []
    for match in faults.instances(text):
        if library.cells[match["kind"]].is_flip_flop:
            plain = library.flip_flop()
            if match["kind"] != plain.cell:
                raise FlowError(f"{match['kind']} is not the plain flip-flop")
            found.append(
                (
                    match,
                    *(
                        re.search(rf"\.{pin}\(([^\n]*)\)", match["pins"])[1]
                        for pin in (plain.output, plain.data)
                    ),
                )
            )
    return found


@dataclass(frozen=True)
class Cut:
    """The RTL without its registers: `merged` are the constants or the numbers of the netlist's registers that removed
    registers are said to hold, `free` the names of those that nothing may depend on."""

    module: dict
    merged: tuple[str | int, ...]
    free: tuple[str, ...]


def cut_netlist(text: str, top: str, library: Library, cut: Cut) -> str:
    """netlist.v as module `gate`, its ports as those of the cut RTL."""
    flops = registers(text, library)
    for number, (match, held, data) in reversed(list(enumerate(flops))):
        text = (
            text[: match.start()]
            + f"  assign {held} = {HELD}[{number}];\n  assign {NEXT}[{number}] = {data};\n"
            + text[match.end() :]
        )
    values = [f"1'b{one}" if isinstance(one, str) else f"{NEXT}[{one}]" for one in cut.merged]
    ports = [
        port
        for port in (
            ("input", HELD, len(flops)),
            ("output", NEXT, len(flops)),
            ("output", MERGED, len(values)),
            ("input", FREE, len(cut.free)),
        )
        if port[2]
    ]
    names = "".join(f", {name}" for _, name, _ in ports)
    body = "".join(f"  {kind} [{n - 1}:0] {name};\n" for kind, name, n in ports) + "".join(
        f"  assign {MERGED}[{number}] = {value};\n" for number, value in enumerate(values)
    )
    text, n = re.subn(
        rf"^module {top}\(([^;]*)\);\n",
        lambda m: f"module gate({m[1]}{names});\n{body}",
        text,
        flags=re.M,
    )
    if n != 1:
        raise FlowError(f"there is no module {top}")
    return text


def net_bits(module: dict) -> dict[str, Bit]:
    """Single nets by their names in a netlist."""
    return {
        f"{net}[{i + data.get('offset', 0)}]" if len(data["bits"]) > 1 else net: bit
        for net, data in module["netnames"].items()
        for i, bit in enumerate(data["bits"])
    }


def cut_rtl(module: dict, guess: dict, names: list[str]) -> Cut:
    """Takes the registers out of the RTL, in the order of the netlist's names of them."""
    odd = [
        cell["type"]
        for cell in module["cells"].values()
        if re.search("dff|latch", cell["type"], re.I) and cell["type"] != "$_DFF_P_"
    ]
    if odd:
        raise FlowError(f"a register of the RTL is a {odd[0]}")
    bits, guesses = net_bits(module), net_bits(guess)
    flops = {
        cell["connections"]["Q"][0]: cell["connections"]["D"][0]
        for cell in module["cells"].values()
        if cell["type"] == "$_DFF_P_"
    }
    # A register's name in the netlist may be that of a wire which the optimiser found to be the same.
    alike = {guesses[name]: bit for name, bit in bits.items() if bit in flops and name in guesses}
    order = [
        bits[name] if bits.get(name) in flops else alike.get(guesses.get(name)) for name in names
    ]
    strange = [name for name, bit in zip(names, order) if bit is None]
    if strange or len(set(order)) != len(order):
        raise FlowError(
            f"the netlist's register {strange[0] if strange else 'of two names'} is none of the RTL's"
        )
    numbers = {guesses[name]: number for number, name in enumerate(names) if name in guesses}
    holds: dict[Bit, str | int] = {}
    for name, bit in bits.items():
        guessed = guesses.get(name)
        if bit in flops and bit not in order and (guessed in ("0", "1") or guessed in numbers):
            holds[bit] = guessed if isinstance(guessed, str) else numbers[guessed]
    free = [bit for bit in flops if bit not in order and bit not in holds]
    wires = {bit: value if isinstance(value, str) else order[value] for bit, value in holds.items()}

    def joined(connected: list[Bit]) -> list[Bit]:
        return [wires.get(bit, bit) for bit in connected]

    cells = {
        name: {
            **cell,
            "connections": {pin: joined(nets) for pin, nets in cell["connections"].items()},
        }
        for name, cell in module["cells"].items()
        if cell["type"] != "$_DFF_P_"
    }
    ports = {name: {**port, "bits": joined(port["bits"])} for name, port in module["ports"].items()}
    more = {
        HELD: ("input", order),
        NEXT: ("output", joined([flops[bit] for bit in order])),
        MERGED: ("output", joined([flops[bit] for bit in holds])),
        FREE: ("input", free),
    }
    ports |= {
        name: {"direction": kind, "bits": nets} for name, (kind, nets) in more.items() if nets
    }
    names_of = {bit: name for name, bit in bits.items()}
    cut = {"attributes": {}, "ports": ports, "cells": cells, "netnames": module["netnames"]}
    return Cut(cut, tuple(holds.values()), tuple(names_of[bit] for bit in free))


# ---- proofs ---------------------------------------------------------------------------------------------------------

SAT_SECONDS = 40


def _prove(folder: Path, name: str, read: list[str], seconds: int) -> bool:
    """Whether the modules `gold` and `gate` are equal. FlowError if that is not known after `seconds`, twice. All outputs
    are first tried at once, which finds a difference soonest. Then each is tried alone, which is faster for large ones."""
    bare = "select -assert-none gold/t:*DFF* gold/t:*dff* gate/t:*DFF* gate/t:*dff*"
    try:
        log = _log(
            folder,
            f"{name}_sat",
            (
                *read,
                "opt_clean",
                bare,
                "miter -equiv -flatten gold gate miter",
                "hierarchy -check -top miter",
                "select -assert-count 1 miter/o:trigger",
                "sat -prove trigger 0 miter",
            ),
            min(seconds, SAT_SECONDS),
        )
    except OutOfTime:
        log = ""
    if "SAT proof finished - no model found: SUCCESS!" in log:
        return True
    if "SAT proof finished - model found: FAIL!" in log:
        return False
    log = _log(
        folder,
        f"{name}_equiv",
        (
            *read,
            "splitnets gold",
            "opt_clean",
            bare,
            "equiv_make gold gate equiv",
            "hierarchy -check -top equiv",
            "opt_clean",
            "equiv_simple",
            "equiv_status",
        ),
        seconds,
    )
    proved = re.findall(r"Of those cells (\d+) are proven and (\d+) are unproven", log)
    if proved and int(proved[-1][0]) > 0 and int(proved[-1][1]) == 0:
        return True
    raise FlowError("the proof did not come to an end", folder / f"{name}_equiv.log")


def _log(folder: Path, name: str, script: tuple[str, ...], seconds: int) -> str:
    (folder / f"{name}.ys").write_text("\n".join((*script, "")))
    yosys.run(folder, name, (), seconds)
    return (folder / f"{name}.log").read_text()


class Proof:
    """The RTL of a design, read and cut once, for proofs against its netlists."""

    def __init__(
        self, folder: Path, design: Design, files: dict[str, Path], library: Library, netlist: str
    ):
        self.folder, self.design, self.library = folder, design, library
        folder.mkdir(parents=True, exist_ok=True)
        rtl, guess = read_rtl(folder, design, files)
        names = [held.strip().removeprefix("\\") for _, held, _ in registers(netlist, library)]
        self.cut = cut_rtl(rtl, guess, names)
        (folder / "gold.json").write_text(json.dumps({"modules": {"gold": self.cut.module}}))

    def holds(self, netlist: str, name: str = "prove", seconds: int = 60) -> bool:
        """Whether the netlist is equal to the RTL."""
        text = cut_netlist(netlist, self.design.top, self.library, self.cut)
        (self.folder / f"{name}.v").write_text(text)
        kinds = {match["kind"] for match in faults.instances(text)}
        (self.folder / f"{name}_cells.v").write_text(cells.models(self.library, kinds))
        return _prove(
            self.folder,
            name,
            [
                f"read_verilog {name}.v {name}_cells.v",
                "hierarchy -check -top gate",
                "flatten",
                "read_json gold.json",
            ],
            seconds,
        )


def same(
    folder: Path, design: Design, files: dict[str, Path], others: dict[str, Path], seconds: int = 60
) -> bool:
    """Whether a design without registers computes the same with some of its files exchanged for others."""
    modules = {}
    for name, known in (("gold", files), ("gate", {**files, **others})):
        inner = folder / name
        inner.mkdir(parents=True, exist_ok=True)
        modules[name] = read_rtl(inner, design, known)[0] | {"attributes": {}}
    (folder / "both.json").write_text(json.dumps({"modules": modules}))
    return _prove(folder, "prove", ["read_json both.json"], seconds)
