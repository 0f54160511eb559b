# SPDX-License-Identifier: Apache-2.0
"""widths.py [--tiny] [--only EXPRESSION] [--case EXPRESSION]: how many fraction bits the sums of a network need.

    make accept-widths                          takes what moved into sim/bench/widths.json, and writes the pages
    make accept-widths MLPERF_TINY=folder       with the networks of MLPerf Tiny
    make accept-widths ONLY='fashion' CASE=E4M3  the rows of a network, or of some formats, blocks and accumulators
    make build/test/networks-widths.log         compares a few rows with the file (width_check.py)

A row has one network, operand format, block and accumulator. Whole networks run in fp8net's executor over the golden model with
the sums of each width, and their outputs are compared with float32's. The networks and their inputs are those of docs/NETWORKS.md
(table.py); RUNS says how many of their inputs are used.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import fp8mac
import numpy as np
import reader
import table
import width_cases
import width_sums
import width_text
from fp8net import lower, mx, quantize, recipe, reference, shapes
from fp8net.executor import F32, Executor
from fp8net.ir import Graph, Layer
from width_cases import CASES, EXACT, HOST, SUMS_FORMATS, TEXT_FORMAT, Case, first_of
from width_sums import Arithmetic, decibels, exponent_for, split

from sim.bench import widths as results
from tools.accept import expectations

WINDOWS = 16  # of 128 tokens
# Inputs of each network, of those that its row of NETWORKS.md has: costs decide
RUNS = {
    "pulsevad_teacher_81k.onnx": 20,
    "nmp.onnx": 2,
    "model.onnx": 16,
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": 6,
    "kws_ref_model_float32.tflite": 24,
    "vww_96_float.tflite": 8,
    "reader.onnx": 4,
}
CALIBRATION = 4  # runs whose largest sums choose FP16's exponents


# ---- a network with the sums of an element ------------------------------------------------------


Probe = Callable[[str, Callable[[Arithmetic], np.ndarray]], None]


class Sums(Executor):
    """An executor whose products have other sums. `probe` is given each product's layer, and what its sums are with any
    arithmetic."""

    def __init__(self, graph: Graph, how: Arithmetic, exponents: dict[str, int] | None = None):
        super().__init__(graph, how.preset)
        self.how, self.exponents = how, exponents or {}
        self.probe: Probe | None = None
        self.name = ""

    def layer(self, layer: Layer) -> np.ndarray:
        self.name = layer.name
        return super().layer(layer)

    def gemm(self, rows, x, w, codes, part, bias=None, **others) -> np.ndarray:
        if self.probe is not None:
            self.probe(self.name, lambda how: self._sums(rows, x, w, codes, how))
        exponent = self.exponents.get(self.name, 0)
        x = dataclasses.replace(x, scale=float(F32(x.scale)) * 2.0**-exponent)
        more = {**self.how.settings, **split(exponent)}
        return super().gemm(rows, x, w, codes, part, bias, **others, **more)

    def _sums(self, rows, x, w, codes, how: Arithmetic) -> np.ndarray:
        """Of the codes, without the scales of tensors and channels"""
        rows, scales = mx.split(rows, x)
        blocks = {} if scales is None else {"mx_a": np.ascontiguousarray(scales), "mx_b": w.mx}
        return fp8mac.gemm(
            np.ascontiguousarray(rows),
            np.ascontiguousarray(codes),
            preset=how.preset,
            a_format=x.format,
            b_format=w.format,
            **blocks,
            **how.settings,
        )

    def _keeps_values(self) -> bool:
        """Below 17 bits, and with FP16, the core moves values."""
        wide = self.how.bits is None or self.how.bits >= 17
        return wide and self.how.acc == "fp32"


def lowered(network: table.Network, case: Case) -> Graph | None:
    """None: the network has no product in MX."""
    options = quantize.Options(case.codes, case.codes, keep=network.keep, mx=case.format == "MX")
    given, kept = network.shape or None, network.kept or None
    made = recipe.quantise(network.path, network.calibration, options, given, kept)
    graph = lower.lower_model(shapes.infer(made.model))
    graph.columns = table.COLUMNS
    return graph if case.format != "MX" or mx.share(graph) > 0 else None


class Measured:
    """A network's outputs in float32 and with each width, for one format."""

    def __init__(self, network: table.Network, graph: Graph):
        self.network, self.graph = network, graph
        self.output = network.output or next(iter(graph.outputs))
        self.test = network.test[: RUNS.get(network.path.name)]
        source = reference.read(network.reference or network.path, network.kept or None)
        self.truth = self._flat(
            source.run([self.output], dict(zip(source.inputs, run.values())))[0]
            for run in self.test
        )
        self.base: np.ndarray | None = None  # noise of each run with exact sums in FP32

    @staticmethod
    def _flat(values) -> np.ndarray:
        return np.stack([np.asarray(v, np.float64).reshape(-1) for v in values])

    def _probed(self, block: int, probe: Probe) -> None:
        executor = Sums(self.graph, Arithmetic(block, "fp32", EXACT))
        executor.probe = probe
        for run in self.network.calibration[:CALIBRATION]:
            executor.run(run)

    def exponents(self, block: int) -> dict[str, int]:
        """Of each layer, for FP16"""
        largest: dict[str, float] = {}

        def probe(name, sums) -> None:
            values = np.abs(sums(Arithmetic(block, "fp32", EXACT)))
            most = float(values[np.isfinite(values)].max(initial=0))
            largest[name] = max(largest.get(name, 0.0), most)

        self._probed(block, probe)
        return {name: exponent_for(most) for name, most in largest.items()}

    def products(self, case: Case) -> dict:
        """SQNR of the sums of single products to their exact sums: that of the worst layer, and of the median one. Operands are
        those of the network with exact sums."""
        noise: dict[str, np.ndarray] = {}

        def probe(name, sums) -> None:
            exact = sums(Arithmetic(case.block, case.acc, EXACT)).astype(np.float64)
            found = [np.square(exact).sum()]
            for bits in case.widths:
                mine = sums(Arithmetic(case.block, case.acc, bits)).astype(np.float64)
                found.append(np.square(exact - mine).sum())
            noise[name] = noise.get(name, 0) + np.array(found)

        self._probed(case.block, probe)
        layers = [values for values in noise.values() if np.isfinite(values).all() and values[0]]
        row: dict = {"inputs": CALIBRATION, "products": len(layers)}
        for place, bits in enumerate(case.widths, 1):
            with np.errstate(divide="ignore"):
                db = [10 * np.log10(one[0] / one[place]) for one in layers]
            if bits is not EXACT:
                least, median = min(db), float(np.median(db))
                row |= {
                    f"{results.width_name(bits)}_{what}": round(float(min(x, 199.0)), 2)
                    for what, x in (("least", least), ("median", median))
                }
        return row

    def row(self, case: Case) -> dict:
        exponents = self.exponents(case.block) if case.acc == "fp16" else {}
        row: dict = {"inputs": len(self.test)}
        if exponents:
            row |= {"least_exponent": min(exponents.values())}
            row |= {"most_exponent": max(exponents.values())}
        for bits in sorted(case.widths, key=lambda bits: bits is not EXACT):
            executor = Sums(self.graph, Arithmetic(case.block, case.acc, bits), exponents)
            mine = self._flat(executor.run(run)[self.output] for run in self.test)
            row |= {f"{results.width_name(bits)}_{k}": v for k, v in self._figures(mine).items()}
        return row

    def _figures(self, mine: np.ndarray) -> dict:
        found: dict = {"db": decibels(self.truth, mine)}
        noise = np.square(self.truth - mine).sum(axis=1)
        if self.base is None:
            self.base = noise
        found["loss"], found["error"] = loss(self.base, noise)
        answers = table._answers(self.network, *self._rows(mine))
        if answers:
            found |= {"wrong": answers["of"] - answers["equal"], "of": answers["of"]}
        return found

    def _rows(self, mine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Answers of a sequence are rows of their own."""
        if self.network.path.name != "reader.onnx":
            return self.truth, mine
        classes = self.graph.outputs[self.output].shape[-1]
        return self.truth.reshape(-1, classes), mine.reshape(-1, classes)


def loss(base: np.ndarray, noise: np.ndarray) -> tuple[float, float]:
    """dB that are lost against the noise `base`, and the standard error by the differences between inputs"""
    with np.errstate(all="ignore"):
        lost = 10 * np.log10(noise.sum() / base.sum())
        error = 10 / np.log(10) * np.sqrt(len(base)) * np.std(noise - base) / base.sum()
    return tuple(round(float(x), 3) if np.isfinite(x) else 99.0 for x in (lost, error))


# ---- rows ---------------------------------------------------------------------------------------


def with_reader(folder: Path) -> table.Network:
    path = folder / "reader.onnx"
    reader.write(path)
    return table.Network(path, "characters of a line of text, 6,625 kinds", *reader.runs(16))


def network_rows(network: table.Network, cases: list[Case]) -> Iterator[tuple[str, dict]]:
    measured: dict[str, Measured | None] = {}
    for case in cases:
        if case.format not in measured:
            graph = lowered(network, case)
            measured[case.format] = None if graph is None else Measured(network, graph)
        one = measured[case.format]
        if one is not None and one.base is None and case is not first_of(case.format):
            one.row(dataclasses.replace(first_of(case.format), widths=(EXACT,)))
        if one is not None:
            yield f"{network.path.name}: {case.name}", one.row(case)
        if one is not None and case is CASES[0]:  # with operands of the network's exact sums
            yield results.products_name(network.path.name, case.name), one.products(case)


def text_rows(outliers: bool, cases: list[Case]) -> Iterator[tuple[str, dict]]:
    name = results.OUTLIERS if outliers else results.TEXT
    text = width_text.Text(outliers, WINDOWS)
    truth = text.truth.astype(np.float64)
    exact, _ = text.logits(Arithmetic(CASES[0].block, CASES[0].acc, EXACT))
    base = np.square(truth - exact).sum(axis=(1, 2))
    for case in cases:
        row: dict = {"inputs": WINDOWS}
        for bits in sorted(case.widths, key=lambda bits: bits is not EXACT):
            mine, exponents = text.logits(Arithmetic(case.block, case.acc, bits))
            noise = np.square(truth - mine).sum(axis=(1, 2))
            lost, error = loss(base, noise)
            one = {"db": decibels(truth, mine), "loss": lost, "error": error}
            one["wrong"] = int((truth.argmax(-1) != mine.argmax(-1)).sum())
            one |= {"of": truth.shape[0] * truth.shape[1]}
            one["perplexity"] = round(text.perplexity(mine), 3)
            row |= {f"{results.width_name(bits)}_{k}": v for k, v in one.items()}
            if exponents:
                row |= {"least_exponent": exponents[0], "most_exponent": exponents[-1]}
        yield f"{name}: {case.name}", row


def every(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, dict]]:
    """Rows whose network's name is asked for"""

    def wanted(name: str) -> bool:
        found = re.search(options.only, name) is not None
        if found:
            print(f"  MEASURE   {name}, {time.process_time():.0f} s", flush=True)
        return found

    cases = [case for case in CASES if re.search(options.case, case.name)]
    if options.tiny:
        networks = table.mlperf()
    else:
        networks = [*table.packages(folder), with_reader(folder)]
        for kind in width_sums.KINDS:
            if wanted(f"sums, {kind}"):
                drawn = [case for case in cases if case.format in SUMS_FORMATS]
                yield from width_cases.sums_rows(kind, drawn)
        for net, name in HOST.items():
            if CASES[0] in cases and wanted(name):
                yield width_cases.host_row(options.digits, options.vad, net)
        for outliers, name in enumerate((results.TEXT, results.OUTLIERS)):
            if wanted(name):
                texts = [case for case in cases if case.format == TEXT_FORMAT]
                yield from text_rows(bool(outliers), texts)
    for network in networks:
        if network.reference is None and wanted(network.path.name):
            yield from network_rows(network, cases)


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    add = parser.add_argument
    add("--tiny", action="store_true")
    add("--only", default="", metavar="EXPRESSION")
    add("--case", default="", metavar="EXPRESSION")
    add("--digits", required=True, type=Path, help="the host's program of the digits")
    add("--vad", required=True, type=Path, help="the host's voice detector")
    add("--reason", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fp8net-") as folder:
        rows = dict(every(options, Path(folder)))
    print(f"  MEASURED  {len(rows)} rows, {time.process_time():.0f} s of this process")
    return expectations.take(results.KIND, {**results.load(), **rows}, options.reason)


if __name__ == "__main__":
    sys.exit(main())
