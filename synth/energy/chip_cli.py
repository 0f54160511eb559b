# SPDX-License-Identifier: Apache-2.0
"""python -m synth energy_chip: the energy of the chip's netlists while networks run."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path

from ..flow.cache import Cache
from ..flow.errors import UsageError, exit_status
from ..flow.liberty import Library
from ..flow.runs import Synthesiser
from ..study import commands, libraries, records, request
from ..study.elements import source_folders
from ..study.run import made_by
from .chip import CHIPS, PROGRAMS, SCOPES, Chip, Memory, Program, Scope
from .chip_run import Measured, Replay, Run, Total


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth energy_chip", description=__doc__, allow_abbrev=False
    )
    add = result.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--toggles", type=Path, required=True, help="the compiled simulator of netlists")
    add("--ports", type=Path, required=True, help="the compiled reader of waveforms")
    add("--lib", default="", help="a Liberty file, or several of one library")
    add("--dont-use", default="", help="patterns of cells that are not used")
    add("--clock-fo4", default="", help="the period, in FO4 delays of the library")
    add("--chip", default="default", help="the accelerator: " + ", ".join(CHIPS))
    add("--scope", default="array", help="what of it: " + ", ".join(SCOPES))
    add("--clock-gates", default="", help="the least number of flip-flops that get a clock gate")
    add("--program", default="", help="what runs: " + ", ".join(PROGRAMS))
    return result


def chosen(text: str, every: dict, name: str) -> list[str]:
    found = text.replace(",", " ").split() or list(every)
    for one in found:
        request.choice(name, one, tuple(every))
    return found


def command(options: argparse.Namespace) -> str:
    given = {
        "LIB": commands.liberty_of(options.lib),
        **{
            name.upper(): getattr(options, name)
            for name in ("dont_use", "clock_fo4", "chip", "scope", "clock_gates", "program")
        },
    }
    return commands.spelled("synth-energy", given)


def flow_of(options: argparse.Namespace) -> tuple[Synthesiser, float]:
    paths = request.library(options.lib or str(libraries.LIBRARIES[libraries.FIRST][0]))
    library = Library(paths, request.patterns(options.dont_use), power=True)
    name = libraries.usual_name(libraries.name_of(library.path))
    period = libraries.headline_of(name, library)
    if options.clock_fo4:
        period = libraries.in_fo4(library, request.clocks_fo4(options.clock_fo4)[0])
    cache = Cache(options.build / "synth")
    least = request.clock_gates(options.clock_gates)
    folders = source_folders(options.build)
    return Synthesiser(library, folders, cache, clock_gates=least), period


def entry(
    chip: Chip, of_what: str, program: Program, scope: Scope, busy: int, cycles: int
) -> records.Record:
    return {
        "chip": chip.name,
        "scope": of_what,
        "network": program.network,
        "inferences": program.inferences,
        "macs": program.macs,
        "library": libraries.name_of(scope.flow.library.path),
        "period_ns": scope.period,
        "clock_gates": scope.flow.clock_gates,
        "busy_cycles": busy,
        "cycles": cycles,
    }


def part_entry(one: Measured, inferences: int) -> records.Record:
    return {
        "title": one.title,
        "instances": one.instances,
        "pj": round(one.energy.total / inferences, 3),
        "parts": {
            name: round(float(pj) / inferences, 3) for name, pj in asdict(one.energy).items()
        },
        "idle_pj": round(float(one.idle), 4),
        "transitions": round(one.transitions / inferences, 1),
        "compared": one.compared,
    }


def memory_entry(memory: Memory, its: dict[str, float], inferences: int) -> records.Record:
    return {
        "kind": memory.kind,
        "path": memory.path,
        "width": memory.width,
        "depth": memory.depth,
        **{f"{kind}s": round(count / inferences, 2) for kind, count in its.items()},
    }


def measure(options: argparse.Namespace, replay: Replay, scope: Scope, name: str) -> records.Record:
    chip = CHIPS[options.chip]
    program = PROGRAMS[name].on(chip)
    simulator = options.build / "sim/ports" / chip.set / "fp8mac-sim"
    total, inferences = Total(), program.inferences
    for words, times in program.runs:
        elf = options.build / "firmware/riscv" / f"{words[0]}.elf"
        its = Run(simulator, elf, words[1:], options.build / "synth/energy/chip")
        total.add(replay, its, times)
        print(f"  ENERGY    {' '.join(words)}: {its.cycles:,} cycles", flush=True)
    found = entry(chip, options.scope, program, scope, total.busy, total.cycles)
    found["parts"] = [part_entry(one, inferences) for one in total.parts]
    for one in found["parts"]:
        print(f"  ENERGY    {one['title']} x {one['instances']}: {one['pj']:,.0f} pJ", flush=True)
    found["memories"] = [memory_entry(*one, inferences) for one in total.memories]
    return found


def run(options: argparse.Namespace) -> None:
    request.choice("CHIP", options.chip, tuple(CHIPS))
    request.choice("SCOPE", options.scope, tuple(SCOPES))
    names = [
        name
        for name in chosen(options.program, PROGRAMS, "PROGRAM")
        if CHIPS[options.chip].element != "int8" or PROGRAMS[name].int8
    ]
    if not names:
        raise UsageError(f"PROGRAM={options.program} does not run on CHIP={options.chip}")
    flow, period = flow_of(options)
    scope = SCOPES[options.scope](flow, period, CHIPS[options.chip], options.build)
    folder, start, entries = options.build / "synth", time.monotonic(), []
    replay = Replay(scope, options.toggles.resolve(), options.ports.resolve(), folder / "energy")
    made = {"command": command(options), **made_by(flow.tools)}
    for name in names:
        entries.append(measure(options, replay, scope, name))
        print(f"  ENERGY    {name} ({time.monotonic() - start:.0f} s)", flush=True)
        text = json.dumps({"run": made, "chips": entries}, indent=1)
        (folder / "energy_chip.json").write_text(text + "\n")
    print(f"  ENERGY    {folder}/energy_chip.json: {len(entries)} programs")


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    return exit_status("synth-energy", lambda: run(options))
