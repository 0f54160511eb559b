# SPDX-License-Identifier: Apache-2.0
"""table.py [--check] [--tiny] [--only EXPRESSION] [--reason TEXT]: quality and cycles of networks from files, measured anew.

    make accept-networks                          takes what moved into sim/bench/networks.json, and writes the pages
    make accept-networks ONLY=nmp                 the row of nmp.onnx
    make accept-networks MLPERF_TINY=folder       those of MLPerf Tiny, too
    make build/test/networks-table.log            compares the rows with the file (--check)

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
import make_small
import music
import numpy as np
import speech
import tiny
from fp8net import (
    analyze,
    fuse,
    importer,
    lower,
    mx,
    plan,
    quantize,
    recipe,
    reference,
    report,
    shapes,
    validate,
    writer,
)
from fp8net.errors import Refused
from fp8net.executor import Executor
from fp8net.ir import INT8, Graph

from sim.bench import networks as results
from tools.accept import expectations

COLUMNS = 4  # of the default array
RUNS = 2  # on the chip, whose cycles do not depend on values


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
    mx_cycles: bool = False  # the program with MX runs on the chip, too
    set: str = ""  # of the result file; that of the others beside it


def row(network: Network, kind: str) -> dict:
    """The network's row of the result file, in the set `kind`"""
    given, kept = network.shape or None, network.kept or None
    found = analyze.analyze(network.path, given, kept)
    result = {"set": network.set or kind, "about": network.about}
    result |= {"kind": kind_of(network), "parameters": found.parameters, "macs": found.macs}
    if network.reference:
        graph = _for_array(shapes.prepare(network.path))
        result |= _quality(network, graph, "int8")
    else:
        graph = _lowered(network)
        result |= _quality(network, graph, "fp8") | _int8(network) | _mx(network)
    result |= {"cycles": _cycles(network, graph), "arena": plan.make(graph).arena}
    return result | {"weights": sum(r.weight_bytes for r in report.rows_of(graph))}


def plain(network: Network) -> Graph:
    """The file's graph, without roundings"""
    model = shapes.prepare(network.path, network.shape or None, network.kept or None)
    return fuse.fuse(importer.load(model))


def kind_of(network: Network) -> str:
    """What the goals of FP8 distinguish"""
    kinds = {layer.op for layer in plain(network).layers}
    if kinds & {"lstm", "gru"}:
        return "recurrent"
    if "matmul" in kinds:
        return "transformer"
    return "convolutional" if "convolution" in kinds else "dense"


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
    result = recipe.quantise(network.path, network.calibration, options, given, kept)
    return _for_array(shapes.infer(result.model))


def _for_array(model) -> Graph:
    """For the default array, with its depthwise commands"""
    graph = lower.lower_model(model)
    graph.columns = COLUMNS
    return graph


def _quality(network: Network, graph: Graph, prefix: str) -> dict:
    """SQNR and answers beside the float file"""
    source = reference.read(network.reference or network.path, network.kept or None)
    name = network.output or next(iter(graph.outputs))
    values = [], []
    executor = Executor(graph)
    for run in network.test:
        values[0].append(source.run([name], dict(zip(source.inputs, run.values())))[0])
        values[1].append(executor.run(run)[name])
    truth, mine = (np.stack([v.reshape(-1) for v in column]) for column in values)
    found = {"sqnr": round(float(report.sqnr(truth, mine)), 1)} | _answers(network, truth, mine)
    return {f"{prefix}_{name}": value for name, value in found.items()}


def _int8(network: Network) -> dict:
    """The same with INT8, if all of its layers have it"""
    try:
        graph = _lowered(network, INT8)
    except Refused:
        return {}
    return _quality(network, graph, "int8")


def _mx(network: Network) -> dict:
    """The same with MX where products can have it, if there is one"""
    graph = _lowered(network, mx=True)
    share = mx.share(graph)
    if share == 0:
        return {}
    found = {"mx_share": round(share, 3) if share >= 0.001 else 0.0} | _quality(
        network, graph, "mx"
    )
    return found | ({"mx_cycles": _cycles(network, graph)} if network.mx_cycles else {})


def _answers(network: Network, truth: np.ndarray, mine: np.ndarray) -> dict:
    if not network.answers:
        return {}
    if network.binary:
        either = (truth > 0.5) | (mine > 0.5) | (not network.sparse)
        equal = ((truth > 0.5) == (mine > 0.5))[either]
    else:
        equal = truth.argmax(axis=1) == mine.argmax(axis=1)
    return {"equal": int(equal.sum()), "of": int(equal.size)}


def packages(folder: Path) -> list[Network]:
    """`folder` gets the files of the example and of the small network."""
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
    networks.append(Network(folder / "fashion.onnx", about, *clothes.runs(), mx_cycles=True))
    runs = make_small.write(folder)
    about = "each kind of layer: tests/networks/make_small.py"
    small = folder / make_small.NAME
    networks.append(Network(small, about, runs, runs, set=results.TESTS))
    return networks


def mlperf() -> list[Network]:
    networks = []
    for name, entry in tiny.NETWORKS.items():
        path = tiny.folder() / entry.floats
        value = shapes.prepare(path).graph.input[0].name
        data = [tiny.runs(entry, value, kind) for kind in ("calibration", "test")]
        networks.append(Network(path, entry.about, *data, answers=name != "anomaly"))
    return networks


def measured(options: argparse.Namespace) -> dict[str, dict]:
    """The rows that are asked for"""
    with tempfile.TemporaryDirectory(prefix="fp8net-") as folder:
        kind = results.TINY if options.tiny else results.PACKAGES
        wanted = mlperf() if options.tiny else packages(Path(folder))
        rows = {}
        for network in wanted:
            if re.search(options.only, network.path.name):
                print(f"  MEASURE   {network.path.name}", flush=True)
                rows[network.path.name] = row(network, kind)
    if not rows:
        names = ", ".join(network.path.name for network in wanted)
        raise SystemExit(f"no network matches '{options.only}': choose among {names}")
    return rows


def check(rows: dict[str, dict]) -> int:
    old = results.load()
    moved = expectations.moves({name: old.get(name, {}) for name in rows}, rows)
    print(expectations.complaint(results.KIND, moved))
    count = sum(len(one) for one in rows.values())
    print(f"{count - len(moved)} passed, {len(moved)} failed")
    return 1 if moved else 0


def accept(rows: dict[str, dict], reason: str) -> int:
    """Of the networks that were not measured the file keeps its rows."""
    return expectations.take(results.KIND, {**results.load(), **rows}, reason)


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--only", default="", metavar="EXPRESSION")
    parser.add_argument("--reason", default="")
    options = parser.parse_args()
    rows = measured(options)
    return check(rows) if options.check else accept(rows, options.reason)


if __name__ == "__main__":
    sys.exit(main())
