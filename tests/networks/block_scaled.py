# SPDX-License-Identifier: Apache-2.0
"""A float network whose products read MX operands, for formats and layers that the chip does not have: the model alone.

Both operands of each product are rounded along its sum, with an E8M0 scale for each 32 values, in the order in which the chip
adds them: kernel line, kernel column, channel. That holds for convolutions of images, depthwise ones and recurrent layers, too.
All else is float32: sums, activations, averages, products element by element. test_formats.py compares it with the executor,
where the chip has the same products in MX.

The recipe is fp8net's: bias correction, judged by data that it has not seen, and the inputs in two codes that FP8 has so.
"""

from __future__ import annotations

import dataclasses

import fp8mac
import numpy as np
from fp8net import recipe, report
from fp8net.exact import Exact, weights_of
from fp8net.executor import unfold_pixels
from fp8net.ir import Graph, Layer, Weights

BLOCK = 32
LARGEST = {"e4m3fn": 8, "mxint8": 0}  # the exponent of an element's largest numbers
CORRECTED = ("linear", "convolution", "transposed")
VALUES = 1 << 22  # that are rounded at a time


def rounded(values: np.ndarray, format: str | None) -> np.ndarray:
    """Values of MX operands with blocks along the last axis, as of fp8mac.recipes.mx_quantize, many rows at once"""
    if format is None:
        return values
    count = values.shape[-1]
    if count % BLOCK:
        wide = [(0, 0)] * (values.ndim - 1) + [(0, BLOCK - count % BLOCK)]
        return rounded(np.pad(values, wide), format)[..., :count]
    each = np.ascontiguousarray(values, np.float32).reshape(-1, BLOCK)
    amax = np.abs(each).max(axis=1, keepdims=True)
    exponent = np.where(amax > 0, np.frexp(amax)[1] - 1 - LARGEST[format], -126)
    scale = np.ldexp(np.float32(1), np.clip(exponent, -126, 126))
    return (_element(each / scale, format) * scale).reshape(values.shape)


def _element(values: np.ndarray, format: str) -> np.ndarray:
    """The model's conversion; of MXINT8, which it has no fast one for, by NumPy"""
    if format == "mxint8":
        return np.clip(np.rint(values * np.float32(64)), -127, 127) * np.float32(1 / 64)
    return fp8mac.decode(fp8mac.cast(values, format), format)


class BlockScaled(Exact):
    """`format` None rounds nothing. `twice` are tensors that are carried as two codes."""

    def __init__(self, graph: Graph, format: str | None, twice: frozenset[str] = frozenset()):
        super().__init__(graph, np.float32)
        self.format, self.twice = format, twice
        self.biases: dict[str, np.ndarray] = {}  # what the channels of a product get added
        self.means: list[np.ndarray] = []  # of the channels of a product's sums, in each run
        self.sums: list[np.ndarray] = []  # these sums, without `biases`
        self.again: list[np.ndarray] = []  # sums that are not computed again
        self._codes: dict[int, np.ndarray] = {}

    def _operand(self, rows: np.ndarray) -> np.ndarray:
        once = rounded(rows, self.format)
        if self._now.inputs[0] in self.twice:
            return once + rounded(rows - once, self.format)
        return once

    def _rounded(self, weights: Weights) -> np.ndarray:
        if id(weights) not in self._codes:
            self._codes[id(weights)] = rounded(weights_of(weights, self.kind), self.format)
        return self._codes[id(weights)]

    def _bias(self, weights: Weights, total: np.ndarray) -> np.ndarray:
        total = super()._bias(weights, total)
        if weights is self._now.weights:
            self.sums.append(total)
            total = total + self.biases.get(self._now.output, self.kind(0))
            self.means.append(total.reshape(-1, total.shape[-1]).mean(axis=0, dtype=np.float64))
        return total

    def _layer(self, layer: Layer) -> np.ndarray:
        self._now = layer
        return super()._layer(layer)

    def _product(self, layer: Layer, x: np.ndarray, compute) -> np.ndarray:
        if self.again:
            return self.again.pop(0) + self.biases[layer.output]
        return compute(layer, x)

    def linear(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return self._product(layer, x, self._linear)

    def convolution(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return self._product(layer, x, self._convolution)

    def transposed(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return self._product(layer, x, self._transposed)

    def _linear(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return self._bias(layer.weights, self._operand(x) @ self._rounded(layer.weights).T)

    def _convolution(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        """A factor for each channel is no product of the file's."""
        if layer.affine:
            return super().convolution(layer, x)
        groups, channels = layer.groups, x.shape[1] // layer.groups
        whole = (
            groups == 1 and channels % BLOCK == 0
        )  # a block is of one pixel, so it is rounded once
        pixels = unfold_pixels(self._operand(x) if whole else x, layer)  # pixels, places, channels
        kernel = self._rounded(layer.weights)
        kernel = kernel.reshape(groups, -1, kernel.shape[1]).transpose(0, 2, 1)
        parts = []
        for part in np.array_split(pixels, -(-pixels.size // VALUES)):
            rows = part.reshape(len(part), -1, groups, channels).transpose(2, 0, 1, 3)
            rows = rows.reshape(groups, len(part), -1)
            sums = (rows if whole else self._operand(rows)) @ kernel
            parts.append(sums.transpose(1, 0, 2).reshape(len(part), -1))
        return self._bias(layer.weights, np.concatenate(parts))

    def _transposed(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        """Sums are over channels, at each place of the kernel."""
        kernel = weights_of(layer.weights, self.kind)
        codes = rounded(kernel.reshape(len(kernel), -1, x.shape[1]), self.format)
        wide = dataclasses.replace(layer.weights, values=codes.reshape(kernel.shape))
        layer = self._now = dataclasses.replace(layer, weights=wide)
        return super().transposed(layer, self._operand(x))

    def matmul(self, layer: Layer, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return super().matmul(layer, self._operand(x), rounded(y, self.format))

    def _back(self, layer: Layer, h: np.ndarray) -> np.ndarray:
        return rounded(h, self.format) @ self._rounded(layer.recurrent).T

    # ---- all runs, layer by layer

    def all(self, runs: list, see=lambda layer, again: None) -> list[np.ndarray]:
        """Each output of all runs. `see` is called behind each layer, and `again` computes it again."""
        live = []
        for run in runs:
            values = {name: x.astype(self.kind) for name, x in self.graph.constants.items()}
            for name, view in self.graph.inputs.items():
                cols = self.graph.tensors[view.tensor].cols
                values[view.tensor] = view.to_rows(np.asarray(run[name]), cols).astype(self.kind)
            live.append(values)
        kept = {view.tensor for view in self.graph.outputs.values()}
        last = {name: i for i, layer in enumerate(self.graph.layers) for name in layer.reads}
        for index, layer in enumerate(self.graph.layers):

            def compute(layer: Layer = layer) -> None:
                self.means, self.sums = [], []
                for self.values in live:
                    self.values[layer.output] = self._layer(layer)

            with np.errstate(all="ignore"):
                compute()
                see(layer, compute)
            for values in live:
                for name in {n for n in layer.reads if last[n] == index} - kept:
                    values.pop(name, None)
        outputs = self.graph.outputs.values()
        return [np.stack([view.to_array(v[view.tensor]) for v in live]) for view in outputs]

    def correct(self, runs: list, means: dict[str, list]) -> None:
        """The biases that give each product's channels these means, one list of them for each of the runs"""
        self.biases = {}

        def see(layer: Layer, again) -> None:
            if layer.op in CORRECTED and not layer.affine:
                error = np.mean(self.means, axis=0) - np.mean(means[layer.output], axis=0)
                self.biases[layer.output] = -error.astype(self.kind)
                self.again = self.sums
                again()

        self.all(runs, see)


def carried_twice(graph: Graph, inputs: tuple[str, ...]) -> frozenset[str]:
    """Tensors that have values of these inputs, also behind moves"""
    found = {graph.inputs[name].tensor for name in inputs}
    for layer in graph.layers:
        if layer.op == "move" and found & set(layer.inputs):
            found.add(layer.output)
    return frozenset(found)


@dataclasses.dataclass
class Result:
    outputs: list[np.ndarray]  # of all test runs
    corrected: bool


def measure(
    graph: Graph, format: str, inputs: tuple[str, ...], calibration: list, test: list
) -> Result:
    """`graph` has no roundings. `inputs` are carried as two codes."""
    means: dict[str, list] = {}
    truth = BlockScaled(graph, None)
    wanted = truth.all(calibration, lambda layer, _: means.update({layer.output: truth.means}))
    net = BlockScaled(graph, format, carried_twice(graph, inputs))
    keeps = any(layer.keeps for layer in graph.layers)
    folds, _ = recipe.folds(len(calibration), keeps)
    judged: dict[bool, list] = {False: [], True: []}
    for fitted, held in folds:
        runs = [calibration[i] for i in held]
        for corrects in (False, True):
            net.biases, net.kept = {}, {}
            if corrects:
                own = {name: [each[i] for i in fitted] for name, each in means.items() if each}
                net.correct([calibration[i] for i in fitted], own)
                net.kept = {}
            judged[corrects].append(net.all(runs))
    order = [i for _, held in folds for i in held]
    db = {
        corrects: min(
            report.sqnr(truth[order].reshape(len(order), -1), mine.reshape(len(order), -1))
            for truth, mine in zip(wanted, map(np.concatenate, zip(*parts)))
        )
        for corrects, parts in judged.items()
    }
    corrected = db[True] > db[False]
    net.biases, net.kept = {}, {}
    if corrected:
        net.correct(calibration, {name: each for name, each in means.items() if each})
        net.kept = {}
    return Result(net.all(test), corrected)
