# SPDX-License-Identifier: Apache-2.0
"""Whether one quantised network is better than another, by outputs that both were not fitted to.

    gain = dB of the worst output, after less before      error = its standard error, over runs

Of an output that a softmax or sigmoid writes, what that reads is compared: near 0 and 1 an output tells nothing of errors, so the
few runs whose answer is not clear would decide. A softmax does not see the mean of a row, so that is taken away.

The standard error is that of the jackknife: the gain without one block of runs, for each block. A block is a run; of runs with
states, whose errors go on from run to run, it is an eighth of them in order.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import onnx

from . import states

BLOCKS = 8  # of runs in order
LEAST = 1e-30  # of a signal and an error


@dataclasses.dataclass(frozen=True)
class Gain:
    before: float  # dB of the worst output
    after: float
    error: float | None  # None: there are too few runs

    @property
    def db(self) -> float:
        return self.after - self.before


@dataclasses.dataclass(frozen=True)
class Value:
    """What is compared of an output"""

    name: str
    axis: int | None = None  # whose mean does not count

    def of(self, values: np.ndarray) -> np.ndarray:
        """Of all runs, which are the first axis"""
        values = values.astype(np.float64)
        if self.axis is None:
            return values
        return values - values.mean(axis=self.axis + (self.axis >= 0), keepdims=True)


SATURATE = ("Softmax", "LogSoftmax", "Sigmoid")
_SAME = ("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity")


def values(reference: onnx.ModelProto, quantised: onnx.ModelProto) -> list[Value]:
    """One for each output but states"""
    made = {o: n for n in reference.graph.node for o in n.output}
    known = {o for n in quantised.graph.node for o in n.output}
    pairs = states.of(reference).values()
    return [_value(o.name, made, known) for o in reference.graph.output if o.name not in pairs]


def _value(output: str, made: dict, known: set[str]) -> Value:
    name = output
    while name in made and made[name].op_type in _SAME:
        name = made[name].input[0]
    node = made.get(name)
    if node is None or node.op_type not in SATURATE or node.input[0] not in known:
        return Value(output)
    if node.op_type == "Sigmoid":
        return Value(node.input[0])
    return Value(node.input[0], next((a.i for a in node.attribute if a.name == "axis"), -1))


class Judge:
    """`truth` has the runs of each value, those of the float file."""

    def __init__(self, truth: list[np.ndarray], in_order: bool):
        self.truth = truth
        self.signals = _energies(truth)
        count = self.signals.shape[1]
        blocks = min(BLOCKS, count) if in_order else count
        self.block = np.arange(count) * blocks // count

    def db(self, errors: np.ndarray, but: int = -1) -> float:
        """Of the worst output, without a block"""
        kept = self.block != but
        ratio = self.signals[:, kept].sum(axis=1) + LEAST
        return float((10 * np.log10(ratio / (errors[:, kept].sum(axis=1) + LEAST))).min())

    def errors(self, values: list[np.ndarray]) -> np.ndarray:
        """Their energy, for each output and run"""
        return _energies([v.astype(np.float64) - t for v, t in zip(values, self.truth)])

    def gain(self, before: np.ndarray, after: np.ndarray) -> Gain:
        """Of errors of the same runs"""
        count = int(self.block[-1]) + 1
        error = None
        if count > 2:
            each = [self.db(after, b) - self.db(before, b) for b in range(count)]
            error = math.sqrt((count - 1) * float(np.var(each)))
        return Gain(self.db(before), self.db(after), error)


def _energies(values: list[np.ndarray]) -> np.ndarray:
    return np.array(
        [np.square(v.reshape(len(v), -1), dtype=np.float64).sum(axis=1) for v in values]
    )
