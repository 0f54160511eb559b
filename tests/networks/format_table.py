# SPDX-License-Identifier: Apache-2.0
"""format_table.py [--only EXPRESSION] [--reason TEXT]: quality of networks in formats beside each other, measured anew.

    make accept-formats MLPERF_TINY=folder CIFAR10=folder     takes what moved into sim/bench/formats.json, and writes the pages
    make accept-formats ONLY=fashion                          the rows of fashion.onnx

Networks, data and references are those of table.py. FP8, FP8 with power-of-two scales and INT8 are the executor's bytes, after
all steps of the recipe. MXFP8 and MXINT8 are block_scaled.py's, which has all products in MX. Right answers are counted where
labels are known; a folder of CIFAR-10 has cifar10.npz, with images and labels of both parts.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import block_scaled
import clothes
import data
import files
import lines
import network as fashion
import numpy as np
import table
import wakeword
from fp8net import agreement, quantize, recipe, reference, report, shapes, weights
from fp8net.errors import Refused
from fp8net.executor import Executor
from fp8net.ir import INT8

from sim.bench import formats as results
from tools.accept import expectations

IMAGES = 500  # with labels, of Fashion-MNIST
EQUAL = 90  # dB; where float32 is below, the file rounds inside its layers
CHIP = {"fp8": {}, "powers": {"powers": True}, "int8": {"format": INT8, "weights_format": INT8}}
MODEL = {"mxfp8": "e4m3fn", "mxint8": "mxint8"}


@dataclasses.dataclass
class Labelled:
    """A network with right answers for each run of its test; runs that have none do not count"""

    network: table.Network
    data: str  # what they are
    right: list[set[int]]  # none: nobody knows any
    alone: bool = True  # networks.json has not these data


# ---- labels -------------------------------------------------------------------------------------


def _one_each(labels: np.ndarray) -> list[set[int]]:
    return [{int(label)} for label in labels]


def _clothes(folder: Path) -> Labelled:
    path = folder / "fashion.onnx"
    images, labels = (part[:IMAGES] for part in data.load("t10k"))
    network = table.Network(path, "", clothes.runs()[0], fashion.runs(images))
    return Labelled(network, "Fashion-MNIST", _one_each(labels))


def cifar() -> Labelled:
    """cifar10.npz has `calibration` and `test`, n x 32 x 32 x 3 bytes in RGB, and `test_labels`."""
    with np.load(Path(os.environ["CIFAR10"]) / "cifar10.npz") as found:
        images = {key: found[key] for key in found.files}
    path = table.tiny.folder() / table.tiny.NETWORKS["image"].floats
    value = shapes.prepare(path).graph.input[0].name
    parts = [
        [{value: image[None].astype(np.float32)} for image in images[part]]
        for part in ("calibration", "test")
    ]
    return Labelled(table.Network(path, "", *parts), "CIFAR-10", _one_each(images["test_labels"]))


def _words() -> Labelled:
    """No answers are known: it makes numbers for other networks."""
    network = table.Network(wakeword.network(), "", *wakeword.runs(), shape=wakeword.SHAPE)
    return Labelled(dataclasses.replace(network, answers=False), "recordings", [])


def known(network: table.Network) -> Labelled | None:
    """Right answers of a network of networks.json"""
    if network.path == lines.network():
        turned = [lines.line(number)[1] for number in range(1, 2 * lines.RUNS, 2)]
        return Labelled(network, "drawn lines", _one_each(np.array(turned)), False)
    if network.path == files.network():
        return Labelled(network, "files by their endings", files.labels(), False)
    return None


# ---- values alone -------------------------------------------------------------------------------

COUNT = 1 << 18


def signals() -> dict[str, dict]:
    """Values whose largest magnitude is the format's, or with block scales: what each format makes of their distribution"""
    rng = np.random.default_rng(1)
    normal = rng.normal(size=COUNT)
    kinds = {
        "normal": normal,
        "normal, negative ones 0": np.maximum(normal, 0),
        "uniform, 0 to 1": rng.random(COUNT),
        "Student's t, 4 degrees": rng.standard_t(4, COUNT),
    }
    rows = {}
    for name, x in kinds.items():
        x = x.astype(np.float32)
        rows[name] = row = {"set": "signals"}
        for format, options in CHIP.items():
            chosen = quantize.Options(**options)
            scale = chosen.scale(float(np.abs(x).max()))
            row[f"{format}_sqnr"] = _sqnr(x, weights.rounded(x, chosen.format, scale))
        for format, element in MODEL.items():
            row[f"{format}_sqnr"] = _sqnr(x, block_scaled.rounded(x, element))
    return rows


def _sqnr(truth: np.ndarray, mine: np.ndarray) -> float:
    return round(float(report.sqnr(truth, mine)), 1)


# ---- measurements -------------------------------------------------------------------------------


def row(network: table.Network, labelled: Labelled | None = None) -> dict:
    """The network's row of the result file"""
    own = _Row(network, labelled)
    for format in (*CHIP, *MODEL):
        try:
            own.add(format)
        except Refused as error:
            print(f"    {format}: {error.problems[0]}")
    return own.row


class _Row:
    def __init__(self, network: table.Network, labelled: Labelled | None):
        self.network, self.graph = network, table.plain(network)
        self.name = network.output or next(iter(self.graph.outputs))
        self.place = list(self.graph.outputs).index(self.name)
        source = reference.read(network.path, network.kept or None)
        self.truth = self._all(
            lambda run: source.run([self.name], dict(zip(source.inputs, run.values())))[0]
        )
        self.alone = labelled is not None and labelled.alone
        self.right = labelled.right if labelled else []
        self.split: tuple[str, ...] = ()  # inputs that FP8 has in two codes
        self.row: dict = {"set": "labels" if self.alone else "formats"}
        if self.alone:
            self.row["kind"] = table.kind_of(network)
        if self.right:
            self.floats = self._is_right(self.truth)
            self.row |= {"data": labelled.data, "of": len(self.floats)}
            self.row["float32_right"] = int(self.floats.sum())
        plain = block_scaled.BlockScaled(self.graph, None).all(network.test)[self.place]
        own = _sqnr(self.truth, plain.reshape(self.truth.shape))
        if own < EQUAL:
            self.row["float32_sqnr"] = own

    def _all(self, run) -> np.ndarray:
        return np.stack([run(values).reshape(-1) for values in self.network.test])

    def _is_right(self, values: np.ndarray) -> np.ndarray:
        """Of the runs that have a right answer"""
        pairs = zip(values.argmax(axis=1), self.right, strict=True)
        return np.array([answer in right for answer, right in pairs if right])

    def add(self, format: str) -> None:
        """networks.json has FP8 and INT8 of its networks, but not which answers are right."""
        known = format in ("fp8", "int8") and not self.alone
        if known and not self.right:
            if format == "fp8":
                self.split = self._quantised(format).options.split
            return
        mine = self._values(format)
        found = {} if known else {"sqnr": _sqnr(self.truth, mine)}
        if self.right:
            both = agreement.paired(self._is_right(mine), self.floats)
            found |= {"gained": both.gained, "lost": both.lost}
        else:
            found |= table._answers(self.network, self.truth, mine)
        self.row |= {f"{format}_{figure}": value for figure, value in found.items()}

    def _quantised(self, format: str) -> recipe.Result:
        options = quantize.Options(keep=self.network.keep, **CHIP[format])
        given, kept = self.network.shape or None, self.network.kept or None
        return recipe.quantise(self.network.path, self.network.calibration, options, given, kept)

    def _values(self, format: str) -> np.ndarray:
        network = self.network
        if format in MODEL:
            found = block_scaled.measure(
                self.graph, MODEL[format], self.split, network.calibration, network.test
            )
            return found.outputs[self.place].reshape(self.truth.shape)
        result = self._quantised(format)
        if format == "fp8":
            self.split = result.options.split
        executor = Executor(table._for_array(shapes.infer(result.model)))
        return self._all(lambda run: executor.run(run)[self.name])


def measured(only: str) -> dict[str, dict]:
    rows = {name: its for name, its in signals().items() if re.search(only, name)}
    with tempfile.TemporaryDirectory(prefix="fp8net-") as folder:
        networks = table.packages(Path(folder))
        labelled = [_clothes(Path(folder)), _words()]
        if os.environ.get("MLPERF_TINY"):
            networks += table.mlperf()
            labelled += [cifar()] if os.environ.get("CIFAR10") else []
        wanted = [(n.path.name, n, known) for n in networks if n.reference is None]
        wanted += [
            (f"{one.network.path.name}, {one.data}", one.network, lambda _, one=one: one)
            for one in labelled
        ]
        for name, network, labels in wanted:
            if re.search(only, name):
                print(f"  MEASURE   {name}", flush=True)
                begin = time.process_time()
                rows[name] = row(network, labels(network))
                print(f"    {time.process_time() - begin:.0f} processor s", flush=True)
    if not rows:
        names = "; ".join(name for name, *_ in wanted)
        raise SystemExit(f"nothing matches '{only}': choose among {names}")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--only", default="", metavar="EXPRESSION")
    parser.add_argument("--reason", default="")
    options = parser.parse_args()
    rows = measured(options.only)
    return expectations.take(results.KIND, {**results.load(), **rows}, options.reason)


if __name__ == "__main__":
    sys.exit(main())
