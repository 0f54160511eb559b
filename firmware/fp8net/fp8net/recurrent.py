# SPDX-License-Identifier: Apache-2.0
"""LSTM and GRU as fp8rt_lstm and fp8rt_gru compute them: gates by products, functions and states in integers.

gate        word of value * 2^14, limited to 128; sigmoid and tanh have 15 bits, a state 20
order       ((Wh h) + bh) + (Wx x + bx)
"""

from __future__ import annotations

import numpy as np

from .ir import Layer, Tensor, Weights

F32 = np.float32
ORIGIN, OFFSET = 0x4B400000, F32(12582912.0)  # the word of 1.5 * 2^23, where fixed point is 0
GATE_ONE, GATE_LIMIT, STATE_UNIT = F32(16384.0), 2097152.0, F32(2.0**-20)
BITS, STATE_BITS, MOST_CELL = 15, 20, 2046
TANH = np.rint(np.tanh(np.arange(513) / 64) * 2**BITS).astype(np.int64)
CLAMP = {"activation": "clamp", "clamp": (float(OFFSET) - GATE_LIMIT, float(OFFSET) + GATE_LIMIT)}


def tanh(x: np.ndarray) -> np.ndarray:
    """tanh(x / 2^15) * 2^15, linear between points of 1/64."""
    magnitude = np.minimum(np.abs(x), (8 << BITS) - 1)
    at, position = magnitude >> 9, magnitude & 511
    y = TANH[at] + (((TANH[at + 1] - TANH[at]) * position + 256) >> 9)
    y = np.where(np.abs(x) >= 8 << BITS, 1 << BITS, y)
    return np.where(x < 0, -y, y)


def sigmoid(gate: np.ndarray) -> np.ndarray:
    return ((1 << BITS) + 1 + tanh(gate)) >> 1


def scaled(x: np.ndarray, factor: np.ndarray) -> np.ndarray:
    return (x * factor + (1 << (BITS - 1))) >> BITS


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    shift = 2 * BITS - STATE_BITS
    return (x * y + (1 << (shift - 1))) >> shift


def words(values: np.ndarray) -> np.ndarray:
    """Fixed-point numbers of FP32 words."""
    return np.ascontiguousarray(values, F32).view(np.int32).astype(np.int64) - ORIGIN


def advance_lstm(gates: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The new cell and h, of batch x 4 x units."""
    new = tanh(gates[:, 2] * 2)
    limit = MOST_CELL << STATE_BITS
    cell = np.clip(
        scaled(cell, sigmoid(gates[:, 1])) + product(sigmoid(gates[:, 0]), new), -limit, limit
    )
    return cell, product(sigmoid(gates[:, 3]), tanh(cell >> (STATE_BITS - BITS)))


def advance_gru(gates: np.ndarray, apart: np.ndarray, h: np.ndarray) -> np.ndarray:
    reset, keep = sigmoid(gates[:, 0]), sigmoid(gates[:, 1])
    new = tanh((apart + scaled(gates[:, 2], reset)) * 2)
    return scaled(h, keep) + product((1 << BITS) - keep, new)


class Recurrent:
    """One layer on an executor, which multiplies and rounds."""

    def __init__(self, executor, layer: Layer):
        self.executor, self.layer = executor, layer
        self.graph = executor.graph
        self.hidden = self.graph.tensors[layer.extra["hidden"]]
        self.units = self.hidden.cols
        self.gates = layer.recurrent.codes.shape[0] // self.units

    def _bias_words(self, bias: np.ndarray | None, count: int) -> np.ndarray:
        return GATE_ONE * (np.zeros(count, F32) if bias is None else bias) + OFFSET

    def _gemm(self, rows: np.ndarray, x: Tensor, w: Weights, part: slice, bias, factor, **others):
        """The part's rows of w, times factor, with another bias."""
        scale = float(F32(x.scale) * F32(factor))
        weights = Weights(w.values, None, w.codes, w.row_scale, w.format)
        operand = Tensor(x.name, x.rows, x.cols, x.format, scale)
        return self.executor.gemm(
            rows, operand, weights, w.codes[part], part, bias=bias, d_format="float32", **others
        )

    def _states(self, states: np.ndarray, out: Tensor) -> np.ndarray:
        """Codes of fixed-point states: one subtraction of the offset."""
        numbers = (states + ORIGIN).astype(np.int32).view(F32)
        total = STATE_UNIT * numbers + (-OFFSET * STATE_UNIT)
        return self.executor.round(total, out)

    def _begin(self, batch: int, units: int) -> tuple[np.ndarray, np.ndarray]:
        """State and h: 0, or those that the run before has left."""
        zeros = np.zeros((batch, units), np.int64), np.zeros((batch, units), np.uint8)
        return self.executor.kept.get(self.layer.output, zeros) if self.layer.keeps else zeros

    def run(self, x: np.ndarray, source: Tensor) -> np.ndarray:
        layer, batch, units = self.layer, self.layer.images, self.units
        steps, w = len(x) // batch, layer.weights
        summed_gates = 4 if layer.op == "lstm" else 2
        first = slice(0, summed_gates * units)
        summed = np.zeros((len(x), self.gates * units), F32)
        summed[:, first] = self._gemm(
            x, source, w, first, None if w.bias is None else w.bias[first], 1
        )
        apart = (
            self._apart(x, source, slice(first.stop, self.gates * units))
            if layer.op == "gru"
            else None
        )
        bias = self._bias_words(layer.recurrent.bias, self.gates * units)
        state, codes = self._begin(batch, units)
        every = slice(0, self.gates * units)
        outputs = []
        for step in range(steps):
            rows = slice(step * batch, (step + 1) * batch)
            c = {"c": np.ascontiguousarray(summed[rows]), "beta": float(GATE_ONE)}
            gates = self._gemm(
                codes, self.hidden, layer.recurrent, every, bias, GATE_ONE, **c, **CLAMP
            )
            fixed = words(gates).reshape(batch, self.gates, units)
            if layer.op == "lstm":
                state, h = advance_lstm(fixed, state)
            else:
                state = h = advance_gru(fixed, apart[rows], state)
            codes = self._states(h, self.hidden)
            outputs.append(h)
        self.executor.codes[layer.extra["hidden"]] = codes
        if layer.keeps:
            self.executor.kept[layer.output] = state, codes
        return self._states(np.concatenate(outputs), self.graph.tensors[layer.output])

    def _apart(self, x: np.ndarray, source: Tensor, part: slice) -> np.ndarray:
        """Wx x + bx of a GRU's new gate, in fixed point."""
        w = self.layer.weights
        bias = self._bias_words(None if w.bias is None else w.bias[part], part.stop - part.start)
        return words(self._gemm(x, source, w, part, bias, GATE_ONE, **CLAMP))
