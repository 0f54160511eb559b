# SPDX-License-Identifier: Apache-2.0
"""table.py [--check] [--tiny] [--only EXPRESSION]: a table of docs/NETWORKS.md between its markers, measured anew; or the rows
whose files' names match.

    make networks-report                          writes that of networks from packages
    make networks-report ONLY=nmp                 writes the row of nmp.onnx
    make networks-report MLPERF_TINY=folder       writes that of MLPerf Tiny, too
    make build/test/networks-table.log            compares it

Cycles are those of the timing model, which test system-timed compares with the RTL.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
import tempfile
from pathlib import Path

import clothes
import files
import lines
import music
import numpy as np
import speech
import tiny
from fp8net import analyze, lower, mx, plan, quantize, report, shapes, validate, writer
from fp8net.errors import Refused
from fp8net.executor import Executor
from fp8net.ir import INT8, Graph

PAGE = Path("docs/NETWORKS.md")
MARKS = ("<!-- networks: begin -->", "<!-- networks: end -->")
TINY_MARKS = ("<!-- tiny: begin -->", "<!-- tiny: end -->")
CLOCK = 50e6
COLUMNS = 4  # of the default array
RUNS = 2  # on the chip, whose cycles do not depend on values
HEAD = (
    "| network | what it tells | parameters | MACs | FP8: SQNR, dB | answers as float32's | INT8: SQNR, dB | answers as float32's | "
    "MACs in MX | MX: SQNR, dB | answers as float32's | core cycles a run | runs a second at 50 MHz | MACs a cycle | arena, bytes | weights, bytes |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
)


@dataclasses.dataclass
class Network:
    path: Path
    about: str
    calibration: list[dict]
    test: list[dict]
    reference: Path | None = None  # the float file, where `path` is not it: its codes are INT8
    shape: dict = dataclasses.field(default_factory=dict)
    kept: dict = dataclasses.field(default_factory=dict)
    binary: bool = False  # an answer is whether a value is above 0.5
    answers: bool = True  # the largest value is one
    sparse: bool = False  # of binary answers only those count that are yes for one of both
    output: str = ""  # that is compared; the first one
    keep: tuple[str, ...] = ()  # tensors that stay float32
    runs: int = RUNS  # on the chip


def row(network: Network) -> str:
    given, kept = network.shape or None, network.kept or None
    found = analyze.analyze(network.path, given, kept)
    graph = _whole(shapes.prepare(network.path)) if network.reference else None
    quality = f"- | - | {_quality(network, graph)} | - | - | -" if graph is not None else ""
    if graph is None:
        graph = _lowered(network)
        quality = f"{_quality(network, graph)} | {_int8(network)} | {_mx(network)}"
    weights = sum(r.weight_bytes for r in report.rows_of(graph))
    cycles = _cycles(network, graph)
    return (
        f"| `{network.path.name}` | {network.about} | {found.parameters:,} | {found.macs:,} | {quality} | "
        f"{cycles:,} | {_rate(CLOCK / cycles)} | {found.macs / cycles:.1f} | {plan.make(graph).arena:,} | {weights:,} |\n"
    )


def _cycles(network: Network, graph: Graph) -> int:
    """Of a run on the chip, which gives the executor's bytes."""
    name = network.path.name
    with tempfile.TemporaryDirectory(prefix="fp8net-") as folder:
        place = Path(folder) / f"n_{re.sub(r'[^a-z0-9]', '_', name.split('.')[0].lower())}"
        writer.write(place, writer.prepare(graph, place, name, network.test[: network.runs]), {})
        text = validate.run_program(Path.cwd(), place, "chip", int8=graph.is_int8, timed=True)
    if re.search(r"[1-9]\d* bytes compared, 0 differ$", text, re.M) is None:
        raise SystemExit(f"{name}: the chip differs:\n{text}")
    return int(re.search(r"core cycles +(\d+) a run", text).group(1))


def _lowered(network: Network, format: str = "e4m3fn", mx: bool = False) -> Graph:
    options = quantize.Options(format, format, keep=network.keep, mx=mx)
    given, kept = network.shape or None, network.kept or None
    quantised, _ = quantize.quantize(network.path, network.calibration, options, given, kept)
    return _whole(shapes.infer(quantised))


def _whole(model) -> Graph:
    """For the default array, with its depthwise commands"""
    graph = lower.lower_model(model)
    graph.columns = COLUMNS
    return graph


def _quality(network: Network, graph: Graph) -> str:
    """SQNR and answers beside ONNX Runtime on the float file."""
    given, kept = network.shape or None, network.kept or None
    reference = shapes.prepare(network.reference or network.path, given, kept)
    name = network.output or next(iter(graph.outputs))
    values = [], []
    session, executor = shapes.session(reference), Executor(graph)
    for run in network.test:
        values[0].append(
            session.run([name], dict(zip([i.name for i in reference.graph.input], run.values())))[0]
        )
        values[1].append(executor.run(run)[name])
    truth, mine = (np.stack([v.reshape(-1) for v in column]) for column in values)
    return f"{report.sqnr(truth, mine):.1f} | {_answers(network, truth, mine)}"


def _int8(network: Network) -> str:
    """The same with INT8, if all of its layers have it."""
    try:
        graph = _lowered(network, INT8)
    except Refused:
        return "- | -"
    return _quality(network, graph)


def _mx(network: Network) -> str:
    """The same with MX where products can have it, if there is one."""
    graph = _lowered(network, mx=True)
    share = mx.share(graph)
    if share == 0:
        return "- | - | -"
    text = f"{100 * share:.1f} %" if share >= 0.001 else "under 0.1 %"
    return f"{text} | {_quality(network, graph)}"


def _rate(runs: float) -> str:
    return f"{runs:,.0f}" if runs >= 100 else f"{runs:.2g}"


def _answers(network: Network, truth: np.ndarray, mine: np.ndarray) -> str:
    if not network.answers:
        return "-"
    if network.binary:
        either = (truth > 0.5) | (mine > 0.5) | (not network.sparse)
        equal = ((truth > 0.5) == (mine > 0.5))[either]
    else:
        equal = truth.argmax(axis=1) == mine.argmax(axis=1)
    return f"{int(equal.sum()):,} of {equal.size:,}"


def packages(folder: Path) -> list[Network]:
    """`folder` gets the file of the example."""
    calibration, test = speech.windows()
    networks = [
        Network(speech.package() / name, about, calibration, test)
        for name, about in (
            ("pulsevad_2.1k.onnx", "speech in 200 ms of sound"),
            ("pulsevad_teacher_81k.onnx", "the same, larger"),
        )
    ]
    about = "`pulsevad_2.1k.onnx` with the INT8 codes of its authors"
    whole, floats = (speech.package() / f"pulsevad_2.1k{kind}.onnx" for kind in ("_int8", ""))
    networks.append(Network(whole, about, calibration, test, reference=floats))
    silero, frames = speech.silero(), speech.frames()
    networks.append(
        Network(
            silero,
            "speech in each of four frames of 32 ms, with a state",
            *(frames[:40], frames[40:80]),
            shape={"input": frames[0]["input"].shape},
            kept={"h": "hn", "c": "cn"},
            binary=True,
        )
    )
    networks.append(Network(files.network(), "kind of a file, 214 kinds", *files.runs(), runs=1))
    networks.append(
        Network(
            music.network(),
            "notes in two seconds of sound",
            *music.runs(music.RUNS),
            output=music.NOTES,
            keep=music.KEEP,
            binary=True,
            sparse=True,
            runs=1,
        )
    )
    shape = {"x": (1, 3, lines.HEIGHT, lines.WIDTH)}
    about = "whether a line of text is turned by 180 degrees"
    networks.append(Network(lines.network(), about, *lines.runs(), shape=shape, runs=1))
    clothes.write(folder / "fashion.onnx")
    about = "kind of clothes, 10 kinds: examples/fashion"
    networks.append(Network(folder / "fashion.onnx", about, *clothes.runs()))
    return networks


def mlperf() -> list[Network]:
    networks = []
    for name, entry in tiny.NETWORKS.items():
        path = tiny.folder() / entry.floats
        value = shapes.prepare(path).graph.input[0].name
        data = [tiny.runs(entry, value, kind) for kind in ("calibration", "test")]
        networks.append(Network(path, entry.about, *data, answers=name != "anomaly"))
    return networks


def _rows(old: str, networks: list[Network], only: str) -> str:
    """Of the networks. Those that do not match stay as they are."""
    before = {line.split("|")[1].strip(" `"): line for line in old.splitlines(True)}
    rows = []
    for network in networks:
        name = network.path.name
        if re.search(only, name):
            rows.append(row(network))
            print(rows[-1], end="", flush=True)
        else:
            rows.append(before.get(name, ""))
    return "".join(rows)


def _update(marks: tuple[str, str], networks: list[Network], options) -> tuple[int, int]:
    """Writes the table between the marks, or counts equal and different cells."""
    begin, end = marks
    place = f"{begin}\n(.*?){end}"
    old = re.search(place, PAGE.read_text(), re.S)
    if old is None:
        raise SystemExit(f"{PAGE} has no place for the table")
    table = HEAD + _rows(old.group(1), networks, options.only)
    if not options.check:
        page = PAGE.read_text()  # it may be another one by now
        old = re.search(place, page, re.S)
        PAGE.write_text(page[: old.start(1)] + table + page[old.end(1) :])
        return 0, 0
    equal = sum(a == b for a, b in zip(old.group(1).split("|"), table.split("|")))
    return equal, max(old.group(1).count("|"), table.count("|")) + 1 - equal


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--only", default="", metavar="EXPRESSION")
    options = parser.parse_args()
    if options.tiny:
        equal, different = _update(TINY_MARKS, mlperf(), options)
    else:
        with tempfile.TemporaryDirectory(prefix="fp8net-") as folder:
            equal, different = _update(MARKS, packages(Path(folder)), options)
    print(f"{equal} passed, {different} failed")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
