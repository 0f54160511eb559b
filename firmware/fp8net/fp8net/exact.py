# SPDX-License-Identifier: Apache-2.0
"""What a graph computes without any rounding, in double precision: the import is compared with the file by these values.

It has nothing in common with the executor but the description of layers in ir.py. Codes of weights count only where the file
has them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import fp8mac
import numpy as np

from .ir import Graph, Layer, Weights

_erf = np.frompyfunc(math.erf, 1, 1)


def _erf_of(x: np.ndarray) -> np.ndarray:
    return _erf(x).astype(x.dtype)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _hard_sigmoid(x: np.ndarray, alpha=0.2, beta=0.5) -> np.ndarray:
    return np.clip(alpha * x + beta, 0, 1)


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# The arguments are the operator's attributes, in this order; a default is ONNX's.
_CURVES: dict[str, tuple[Callable, dict[str, float]]] = {
    "Sigmoid": (_sigmoid, {}),
    "Tanh": (np.tanh, {}),
    "HardSigmoid": (_hard_sigmoid, {"alpha": 0.2, "beta": 0.5}),
    "HardSwish": (lambda x: x * _hard_sigmoid(x, 1 / 6, 0.5), {}),
    "LeakyRelu": (lambda x, alpha: np.where(x >= 0, x, alpha * x), {"alpha": 0.01}),
    "Elu": (lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)), {"alpha": 1.0}),
    "Softplus": (_softplus, {}),
    "Erf": (_erf_of, {}),
    "Abs": (np.abs, {}),
    "Gelu": (lambda x: 0.5 * x * (1 + _erf_of(x / math.sqrt(2))), {}),
    "Exp": (np.exp, {}),
    "Sqrt": (np.sqrt, {}),
    "Log": (np.log, {}),
    "Reciprocal": (lambda x: 1 / x, {}),
    "Mish": (lambda x: x * np.tanh(_softplus(x)), {}),
    "Selu": (
        lambda x, alpha, gamma: gamma * np.where(x > 0, x, alpha * np.expm1(x)),
        {"alpha": 1.6732632423543772, "gamma": 1.0507009873554805},
    ),
    "Celu": (
        lambda x, alpha: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha)),
        {"alpha": 1.0},
    ),
    "Softsign": (lambda x: x / (1 + np.abs(x)), {}),
    "Swish": (lambda x, alpha: x * _sigmoid(alpha * x), {"alpha": 1.0}),
    "GeluTanh": (_gelu_tanh, {}),
    "Silu": (lambda x: x * _sigmoid(x), {}),
    "Pow": (np.power, {"exponent": 1.0}),
}
_PAIRS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Pow": np.power,
    "Max": np.maximum,
    "Min": np.minimum,
}


def _step(op: str, operands: list, attributes: dict) -> np.ndarray:
    x = operands[0]
    if op in _PAIRS:
        return _PAIRS[op](x, operands[1])
    if op == "Neg":
        return -x
    if op == "Relu":
        return np.maximum(x, 0)
    if op == "Clip":
        low, high = [*operands[1:], None, None][:2]
        low, high = attributes.get("min", low), attributes.get("max", high)
        x = x if low is None else np.maximum(x, low)
        return x if high is None else np.minimum(x, high)
    function, defaults = _CURVES["GeluTanh" if attributes.get("approximate") == "tanh" else op]
    return function(x, *(attributes.get(name, value) for name, value in defaults.items()))


def curve(function: str, arguments: tuple, x: np.ndarray) -> np.ndarray:
    """The function of each value, as a table computes it of each code."""
    if function != "Expression":
        return _CURVES[function][0](x, *arguments)
    results: list = []
    for op, operands, attributes in arguments:
        values = [
            o if not isinstance(o, tuple) else x if o[0] == "x" else results[o[1]] for o in operands
        ]
        results.append(_step(op, values, dict(attributes)))
    return results[-1]


def weights_of(weights: Weights, kind: type) -> np.ndarray:
    if weights.codes is None or weights.made or weights.mx is not None:
        return weights.values.astype(kind)
    codes = fp8mac.decode(weights.codes, weights.format, dtype=np.float64)
    return (codes * weights.row_scale.astype(np.float64)[:, None]).astype(kind)


class Exact:
    def __init__(self, graph: Graph, kind: type = np.float64):
        self.graph, self.kind = graph, kind
        self.values: dict[str, np.ndarray] = {}
        self.kept: dict[str, tuple] = {}
        # What later layers read in the place of a tensor, where the file rounds it
        self.teacher: Callable[[str, np.ndarray], np.ndarray] = lambda tensor, rows: rows

    def run(self, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Arrays of the file's outputs. The rows of all tensors stay in self.values."""
        self.values = {name: x.astype(self.kind) for name, x in self.graph.constants.items()}
        for name, view in self.graph.inputs.items():
            rows = view.to_rows(np.asarray(values[name]), self.graph.tensors[view.tensor].cols)
            self.values[view.tensor] = rows.astype(self.kind)
        with np.errstate(all="ignore"):  # Inf and NaN are results
            for layer in self.graph.layers:
                self.values[layer.output] = self.teacher(layer.output, self._layer(layer))
        return {
            name: view.to_array(self.values[view.tensor])
            for name, view in self.graph.outputs.items()
        }

    def _layer(self, layer: Layer) -> np.ndarray:
        x = [self.values[name] for name in layer.inputs]
        total = getattr(self, _OTHERS.get(layer.op, layer.op))(layer, *x)
        if layer.residual is not None:
            total = total + self.values[layer.residual]
        fused = layer.fused
        if fused.activation == "relu":
            total = np.where(total < 0, 0, total)
        elif fused.activation == "clamp":
            total = np.clip(total, *fused.clamp)
        if fused.function is not None:
            total = curve(fused.function, fused.arguments, total)
        out = self.graph.tensors[layer.output]
        return np.ascontiguousarray(total, self.kind).reshape(out.rows, out.cols)

    # ---- products

    def _bias(self, weights: Weights, total: np.ndarray) -> np.ndarray:
        return total if weights.bias is None else total + weights.bias.astype(self.kind)

    def linear(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return self._bias(layer.weights, x @ weights_of(layer.weights, self.kind).T)

    def _pixels(self, layer: Layer, x: np.ndarray, fill: float) -> list[np.ndarray]:
        """For each place of the kernel, the pixels that the outputs see there: images, lines, pixels, channels."""
        window, (height, width) = layer.window, layer.out_size
        top, left, bottom, right = window.pads
        image = x.reshape(layer.images, layer.height, layer.width, -1)
        image = np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
        found = []
        for ky in range(window.kernel[0]):
            for kx in range(window.kernel[1]):
                y, z = ky * window.dilation[0], kx * window.dilation[1]
                lines = slice(y, y + (height - 1) * window.stride[0] + 1, window.stride[0])
                pixels = slice(z, z + (width - 1) * window.stride[1] + 1, window.stride[1])
                found.append(image[:, lines, pixels])
        return found

    def convolution(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        """One place of the kernel after the other, for all groups"""
        pixels = self._pixels(layer, x, 0.0)
        groups, channels = layer.groups, x.shape[1] // layer.groups
        kernel = weights_of(layer.weights, self.kind)
        kernel = kernel.reshape(groups, -1, len(pixels), channels)
        total = 0
        for place, image in enumerate(pixels):
            rows = image.reshape(-1, groups, channels)
            if channels == 1 and kernel.shape[1] == 1:
                total = total + rows[:, :, 0] * kernel[:, 0, place, 0]
            else:
                part = rows.transpose(1, 0, 2) @ kernel[:, :, place].transpose(0, 2, 1)
                total = total + part.transpose(1, 0, 2).reshape(len(rows), -1)
        return self._bias(layer.weights, total)

    def transposed(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        """Output o of each axis is the sum over inputs i of x[i] w[k], with o = i * stride + k - padding."""
        window, (height, width) = layer.window, layer.upsampled
        (kh, kw), (sy, sx) = window.kernel, window.stride
        image = x.reshape(layer.images, layer.height, layer.width, -1)
        kernel = weights_of(layer.weights, self.kind)
        kernel = kernel.reshape(len(kernel), kh, kw, -1)
        top, left = window.pads[:2]
        size = (
            max((layer.height - 1) * sy + kh, top + height),
            max((layer.width - 1) * sx + kw, left + width),
        )
        wide = np.zeros((layer.images, *size, len(kernel)), self.kind)
        for ky in range(kh):
            for kx in range(kw):
                part = wide[:, ky : ky + layer.height * sy : sy, kx : kx + layer.width * sx : sx]
                part[:, : layer.height, : layer.width] += image @ kernel[:, ky, kx].T
        out = wide[:, top : top + height, left : left + width]
        return self._bias(layer.weights, out.reshape(-1, len(kernel)))

    def matmul(self, layer: Layer, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        x, y = (a.reshape(layer.images, -1, a.shape[1]) for a in (x, y))
        out = layer.factor * (x @ y.transpose(0, 2, 1))
        return out.reshape(-1, out.shape[2])

    def scale_channels(self, layer: Layer, x: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        channels = np.arange(x.shape[1])
        return x * diagonal[channels, channels % diagonal.shape[1]]

    def embedding(self, layer: Layer, words: np.ndarray) -> np.ndarray:
        return layer.table[words.reshape(-1).astype(np.int64)]

    # ---- element by element

    def convert(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return x

    def add(self, layer: Layer, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x + layer.factor * np.tile(y, (layer.images, 1))

    def multiply(self, layer: Layer, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x * layer.factor * np.tile(y, (layer.images, 1))

    def reciprocal(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return np.where(x == 0, 0, 1 / x) if layer.zero else 1 / x

    def logarithm(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return layer.factor * np.log2(x + layer.offset)

    # ---- rows and windows

    def softmax(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        columns = np.arange(x.shape[1])
        row = np.arange(len(x)) % (len(x) // layer.images)
        seen = layer.seen or x.shape[1]
        hidden = columns >= (seen + row * layer.causal)[:, None]
        x = np.where(hidden, -np.inf, layer.factor * x)
        power = np.exp(x - x.max(axis=1, keepdims=True))
        return power / power.sum(axis=1, keepdims=True)

    def normalise(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        norm = layer.norm
        away = x if norm.rms else x - x.mean(axis=1, keepdims=True)
        out = away / np.sqrt(np.square(away).mean(axis=1, keepdims=True) + norm.eps)
        out = out if norm.gamma is None else out * norm.gamma
        return out if norm.beta is None or norm.rms else out + norm.beta

    def reduce(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        total = x.sum(axis=1) if layer.reduction == "sum" else x.max(axis=1)
        return (layer.factor * total)[:, None]

    def max_pool(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        pixels = self._pixels(layer, x, -np.inf)
        return np.maximum.reduce(pixels).reshape(-1, x.shape[1])

    def global_average(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        return x.reshape(layer.images, layer.height * layer.width, -1).mean(axis=1)

    # ---- places

    def move(self, layer: Layer, *sources: np.ndarray) -> np.ndarray:
        tensor = self.graph.tensors[layer.output]
        out = np.zeros((tensor.rows, tensor.cols), self.kind)
        for move in layer.moves:
            counts = [axis.count for axis in move.axes] or [1]
            index = np.indices(counts).reshape(len(counts), -1)

            def place(first: int, steps: list[int], index=index):
                return first + np.array(steps or [0], np.int64) @ index

            source = sources[move.place]
            out[
                place(move.out_row, [a.to_rows for a in move.axes]),
                place(move.out_col, [a.to_cols for a in move.axes]),
            ] = source[
                place(move.x_row, [a.from_rows for a in move.axes]),
                place(move.x_col, [a.from_cols for a in move.axes]),
            ]
        return out

    # ---- recurrent layers

    def _back(self, layer: Layer, h: np.ndarray) -> np.ndarray:
        return h @ weights_of(layer.recurrent, self.kind).T

    def recurrent(self, layer: Layer, x: np.ndarray) -> np.ndarray:
        """Gates of LSTM are input, forget, cell, output; those of GRU reset, update, new."""
        units = self.graph.tensors[layer.extra["hidden"]].cols
        given = self.linear(layer, x).reshape(-1, layer.images, layer.weights.values.shape[0])
        zeros = np.zeros((layer.images, units), self.kind)
        cell, h = self.kept.get(layer.output, (zeros, zeros)) if layer.keeps else (zeros, zeros)
        steps = []
        for part in given:
            own = self._bias(layer.recurrent, self._back(layer, h))
            if layer.op == "lstm":
                i, f, g, o = np.split(part + own, 4, axis=1)
                cell = _sigmoid(f) * cell + _sigmoid(i) * np.tanh(g)
                h = _sigmoid(o) * np.tanh(cell)
            else:
                (r, z, n), (ro, zo, no) = np.split(part, 3, axis=1), np.split(own, 3, axis=1)
                z = _sigmoid(z + zo)
                h = (1 - z) * np.tanh(n + _sigmoid(r + ro) * no) + z * h
            steps.append(h)
        self.values[layer.extra["hidden"]] = h
        if layer.keeps:
            self.kept[layer.output] = cell, h
        return np.concatenate(steps)


# Operators whose method has another name
_OTHERS = {"to_mx": "convert", "lstm": "recurrent", "gru": "recurrent"}
