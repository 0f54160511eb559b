# SPDX-License-Identifier: Apache-2.0
"""LSTM and GRU as fp8rt_lstm and fp8rt_gru compute them: gates by products, functions and states in FP32.

order   ((Wh h) + bh) + (Wx x + bx)
"""

from __future__ import annotations

import fp8mac
import numpy as np

from .ir import Layer, Tensor, Weights

F32 = np.float32


def advance_lstm(gates: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The new cell and h, of batch x 4 x units."""
    opened, kept, out = (fp8mac.sigmoid(gates[:, i]) for i in (0, 1, 3))
    cell = kept * cell + opened * fp8mac.tanh(gates[:, 2])
    return cell, out * fp8mac.tanh(cell)


def advance_gru(gates: np.ndarray, given: np.ndarray, h: np.ndarray) -> np.ndarray:
    """The new h, of batch x 3 x units of both parts of the gates."""
    reset, keep = (fp8mac.sigmoid(gates[:, i] + given[:, i]) for i in (0, 1))
    new = fp8mac.tanh(given[:, 2] + reset * gates[:, 2])
    return new + keep * (h - new)


class Recurrent:
    """One layer on an executor, which multiplies and rounds."""

    def __init__(self, executor, layer: Layer):
        self.executor, self.layer = executor, layer
        self.graph = executor.graph
        self.hidden = self.graph.tensors[layer.extra["hidden"]]
        self.units = self.hidden.cols
        self.gates = layer.recurrent.codes.shape[0] // self.units

    def _gemm(self, rows: np.ndarray, x: Tensor, w: Weights, **others) -> np.ndarray:
        """Products with all gates' weights, in FP32."""
        every = slice(0, self.gates * self.units)
        return self.executor.gemm(
            rows, x, w, w.codes, every, bias=w.bias, d_format="float32", **others
        )

    def _begin(self, batch: int, units: int) -> tuple[np.ndarray, np.ndarray]:
        """State and h: 0, or those that the run before has left."""
        zeros = np.zeros((batch, units), F32), np.zeros((batch, units), np.uint8)
        return self.executor.kept.get(self.layer.output, zeros) if self.layer.keeps else zeros

    def run(self, x: np.ndarray, source: Tensor) -> np.ndarray:
        layer, batch, units = self.layer, self.layer.images, self.units
        lstm = layer.op == "lstm"
        given = self._gemm(x, source, layer.weights)
        state, codes = self._begin(batch, units)
        outputs = []
        for first in range(0, len(x), batch):
            part = np.ascontiguousarray(given[first : first + batch])
            c = {"c": part, "beta": 1.0} if lstm else {}
            gates = self._gemm(codes, self.hidden, layer.recurrent, **c)
            gates = gates.reshape(batch, self.gates, units)
            if lstm:
                state, h = advance_lstm(gates, state)
            else:
                state = h = advance_gru(gates, part.reshape(gates.shape), state)
            codes = self.executor.round(h, self.hidden)
            outputs.append(h)
        self.executor.codes[layer.extra["hidden"]] = codes
        if layer.keeps:
            self.executor.kept[layer.output] = state, codes
        return self.executor.round(np.concatenate(outputs), self.graph.tensors[layer.output])
