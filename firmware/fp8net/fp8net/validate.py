# SPDX-License-Identifier: Apache-2.0
"""Runs a quantised network by the executor, on the host or on the simulated chip, beside the file that it was made of."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess

import numpy as np

from . import agreement, reference, writer
from .errors import refuse
from .executor import Executor, decode
from .ir import Graph
from .report import sqnr


@dataclasses.dataclass
class Result:
    runs: int
    sqnr: dict[str, float]  # of each output, beside the reference
    values: dict[str, agreement.Output]
    compared: int = 0  # bytes of outputs, program against executor
    different: int = 0
    text: str = ""  # what the program printed

    @property
    def agree(self) -> dict[str, int]:
        """Runs whose largest output is the reference's"""
        return {
            name: sum(int(np.argmax(a) == np.argmax(b)) for a, b in zip(its.truth, its.mine))
            for name, its in self.values.items()
        }

    @property
    def cycles(self) -> int | None:
        found = re.search(r"core cycles +(\d+) a run", self.text)
        return int(found.group(1)) if found else None


def compare(graph: Graph, executor: Executor, source, runs: list[dict[str, np.ndarray]]) -> Result:
    """The executor beside the reference: a file as it is. A reference gets values where the network gets codes."""
    reference.check(source, graph.inputs, graph.outputs)
    source.reset()
    names = list(graph.outputs)
    truth: dict[str, list[np.ndarray]] = {name: [] for name in names}
    mine: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for run in runs:
        results = executor.run(run)
        for name, value in zip(names, source.run(names, _values(graph, run))):
            reference.check_value(name, value, graph.outputs[name].shape)
            truth[name].append(np.asarray(value))
            mine[name].append(results[name].reshape(np.shape(value)))
    values = {n: agreement.Output(np.stack(truth[n]), np.stack(mine[n])) for n in names}
    errors = {name: sqnr(its.truth, its.mine) for name, its in values.items()}
    return Result(len(runs), errors, values)


def lines_of(
    result: Result, tasks: dict[str, str], labels: dict[str, np.ndarray], digits: int
) -> dict[str, str]:
    """What is said of each output"""
    said = {}
    for name, output in result.values.items():
        output.labels = labels.get(name)
        shape = output.truth.shape[1:]
        more = agreement.lines(name, output, tasks.get(name), shape)
        said[name] = " ".join([f"SQNR {result.sqnr[name]:.{digits}f} dB.", *more])
    return said


def _values(graph: Graph, run: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Values of codes; others stay as they are."""
    if not graph.requantises:
        return run
    tensors = {name: graph.tensors[view.tensor] for name, view in graph.inputs.items()}
    return {name: decode(x, tensors[name]) if x.dtype == np.int8 else x for name, x in run.items()}


def find_root(start: pathlib.Path) -> pathlib.Path:
    """The folder of fp8mac: the one with the Makefile beside the firmware's headers."""
    for folder in (start, *start.parents):
        if (folder / "firmware/include/fp8rt/fp8rt.h").is_file() and (
            folder / "Makefile"
        ).is_file():
            return folder
    raise refuse(str(start), "is in no folder of fp8mac", "--root FOLDER")


def run_program(
    root: pathlib.Path,
    folder: pathlib.Path,
    on: str,
    *more: str,
    int8: bool = False,
    requantise: bool = False,
    timed: bool = False,
) -> str:
    """What the program of `folder` prints, on host or chip, with more options. Networks of INT8, and whoever asks for cycles
    alone, have the timing model in place of the RTL."""
    where = ["HOST=1"] if on == "host" else []
    if int8:
        where.append("ELEMENT=int8")
    if requantise:
        where.append("REQUANTISE=1")
    if on == "chip" and (int8 or timed):
        where.append("TIMED=1")
    command = [
        "make",
        "-C",
        str(root),
        "run",
        *where,
        f"APP={folder.name}",
        f"APPS_DIR={folder.parent.resolve()}",
        *more,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "bytes compared" not in done.stdout:
        raise refuse(" ".join(command), f"failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def on_target(
    root: pathlib.Path,
    graph: Graph,
    origin: str,
    runs: list[dict[str, np.ndarray]],
    on: str,
    result: Result,
    element: str | None = None,
    folder: pathlib.Path | None = None,
) -> None:
    """Generates a program with these runs as its vectors, runs it, and adds what it says to `result`."""
    stem = pathlib.Path(origin).name.split(".")[0].lower()
    name = "n_" + re.sub(r"[^a-z0-9]", "_", stem)[:40]
    place = (folder or root / "build" / "fp8net") / name
    sources = writer.prepare(graph, place, origin, runs, element)
    writer.write(place, sources, {})
    result.text = run_program(root, place, on, int8=graph.is_int8, requantise=graph.requantises)
    found = re.search(r"(\d+) bytes compared, (\d+) differ", result.text)
    result.compared, result.different = int(found.group(1)), int(found.group(2))
