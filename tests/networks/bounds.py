# SPDX-License-Identifier: Apache-2.0
"""How far FP8 may move each value of an ONNX graph, from the definition of rounding and of the operators.

Every value is taken as rounded once to e4m3fn with the scale of its largest magnitude, weights with a scale for each
output. Operators are evaluated by ONNX's own reference implementation. fp8net has no part in it.

  rounding      |x| * 2^-4, or 2^-10 of the scale: half a unit of the last place
  accumulator   2^-13 of the largest operands' product for each block of 32 products (fp8rt/linear.h)
"""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

UNIT, LEAST, LARGEST = 2.0**-4, 2.0**-10, 448.0
PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
# |f(x + e) - f(x)| <= L * e
LIPSCHITZ = {"Abs": 1.0, "Gelu": 1.13, "HardSwish": 1.5, "Neg": 1.0, "Mish": 1.1, "Swish": 1.1}
MONOTONE = (
    *("Relu", "Clip", "Sigmoid", "Tanh", "HardSigmoid", "LeakyRelu", "Elu", "Softplus", "Erf"),
    *("Exp", "Sqrt", "Log", "Reciprocal", "Selu", "Celu", "Softsign", "Pow", "Max", "Min"),
)
MOVES = ("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Dropout", "Cast")
AVERAGES = ("GlobalAveragePool", "AveragePool", "ReduceMean")
LARGEST_OF = ("MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin")
# Values change their places, and those of several tensors get one scale.
PLACES = (
    *("Concat", "Slice", "Split", "Gather", "Pad", "Expand", "Tile", "Resize"),
    *("DepthToSpace", "SpaceToDepth", "ReduceSum"),
)
NORMS = {
    *("LayerNormalization", "RMSNormalization", "InstanceNormalization", "GroupNormalization"),
}


def rounding(x: np.ndarray, error: np.ndarray | float = 0.0) -> np.ndarray:
    """Of x, which is wrong by `error` already."""
    finite = np.isfinite(x)
    scale = np.abs(x).max(initial=0.0, where=finite) / LARGEST
    return np.where(finite, np.maximum((np.abs(x) + error) * UNIT, LEAST * scale), 0.0)


class Bounds:
    def __init__(self, model: onnx.ModelProto):
        self.model = model
        self.values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        self.errors: dict[str, np.ndarray] = {}

    def run(self, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The largest error of each output."""
        self.values |= {name: np.asarray(x, np.float32) for name, x in inputs.items()}
        self.errors = {name: rounding(x) for name, x in inputs.items()}
        for node in self.model.graph.node:
            outputs = self._evaluate(node, [self.values.get(n) for n in node.input])
            for name, x in zip(node.output, outputs):
                self.values[name] = np.asarray(x)
            if any(name in self.errors for name in node.input) and node.op_type != "Shape":
                self._propagate(node)
        return {o.name: self.errors[o.name] for o in self.model.graph.output}

    def _evaluate(self, node: onnx.NodeProto, operands: list) -> list[np.ndarray]:
        if node.op_type == "Gelu":  # the reference has it as a function of a model alone
            return [_gelu(operands[0])]
        feeds = {n: x for n, x in zip(node.input, operands) if n}
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        return ReferenceEvaluator(copy, opsets={"": self._opset()}).run(None, feeds)

    def _opset(self) -> int:
        return next(o.version for o in self.model.opset_import if o.domain == "")

    def _propagate(self, node: onnx.NodeProto) -> None:
        if node.op_type in ("LSTM", "GRU"):
            self._recurrent(node)
            return
        owns = self._places(node) if node.op_type in PLACES else [self._own(node)]
        for name, own in zip(node.output, owns):
            x = self.values[name].astype(np.float64)
            own = own.astype(np.float64).reshape(x.shape)
            own = np.where(np.isinf(x), 0.0, own)  # of a mask: it has no error
            self.errors[name] = own if node.op_type in MOVES else own + rounding(x, own)

    def _places(self, node: onnx.NodeProto) -> list[np.ndarray]:
        """The errors move as the values do."""
        errors = [
            self._error(n).astype(np.float32) if n in self.errors else self.values.get(n)
            for n in node.input
        ]
        owns = [np.abs(e) for e in self._evaluate(node, errors)]
        if node.op_type == "Resize" and _attribute(node, "mode", b"nearest") == b"linear":
            owns[0] = owns[0] + self._interpolated(node, errors[0])
        return owns

    def _interpolated(self, node: onnx.NodeProto, error: np.ndarray) -> np.ndarray:
        """Weights of two axes are rounded, and what is between them."""
        x = np.abs(self.values[node.input[0]]) + error
        rest = [self.values.get(n) for n in node.input[1:]]
        sums = np.abs(self._evaluate(node, [x.astype(np.float32), *rest])[0])
        return 3.5 * UNIT * sums + 2 * LEAST * x.max() / LARGEST

    def _error(self, name: str) -> np.ndarray:
        return self.errors.get(name, np.zeros_like(self.values[name], np.float64))

    def _own(self, node: onnx.NodeProto) -> np.ndarray:
        op, first = node.op_type, node.input[0]
        if op in PRODUCTS:
            both = all(n in self.errors for n in node.input[:2])
            return self._pairs(node) if both else self._product(node)
        if op in NORMS:
            return self._norm(node)
        if op == "Attention":
            return self._attention(node)
        if op == "RotaryEmbedding":
            return self._rotary(node)
        if op == "Where":  # the branches are multiplied by 1 and 0
            errors = [self._error(n).astype(np.float32) for n in node.input[1:]]
            return self._evaluate(node, [self.values[first], *errors])[0]
        x, error = self.values[first], self._error(first)
        rest = [self.values.get(n) for n in node.input[1:]]
        if op in MOVES or op in AVERAGES or op in LARGEST_OF:
            return self._evaluate(node, [error.astype(np.float32), *rest])[0]
        if op in MONOTONE:
            ends = [
                self._evaluate(node, [(x + s * error).astype(np.float32), *rest])[0]
                for s in (-1, 1)
            ]
            return np.maximum(*(np.abs(e - self.values[node.output[0]]) for e in ends))
        if op in LIPSCHITZ:
            return LIPSCHITZ[op] * error
        if op == "PRelu":
            return np.maximum(1, np.abs(rest[0])) * error + np.abs(x) * 2.0**-20
        if op == "Softmax":
            return self.values[node.output[0]] * (np.exp(2 * error.max()) - 1) + 2.0**-9
        if op == "BatchNormalization":
            gamma, _, _, variance = rest
            factor = np.abs(gamma) / np.sqrt(variance + _attribute(node, "epsilon", 1e-5))
            return error * factor.reshape(1, -1, *[1] * (x.ndim - 2)) * (1 + 2.0**-10)
        return self._pair(node)

    def _pair(self, node: onnx.NodeProto) -> np.ndarray:
        """Sum, difference, product, quotient; constants are nearly exact, because each has a scale of its own."""
        a, b = (self.values[n].astype(np.float64) for n in node.input)
        ea, eb = (
            self.errors.get(n, np.where(np.isinf(x), 0.0, np.abs(x) * 2.0**-20))
            for n, x in zip(node.input, (a, b))
        )
        if node.op_type in ("Add", "Sub"):
            return ea + eb + 0 * (a + b)
        if node.op_type == "Mul":
            return np.abs(a) * eb + np.abs(b) * ea + ea * eb
        if node.op_type == "Div":
            # |(a + ea) / (b + eb) - a / b|; without a bound where b may be 0
            free = np.abs(b) - eb
            with np.errstate(all="ignore"):
                bound = (ea + np.abs(a / b) * eb + np.abs(a) * 2.0**-20) / free * (1 + 2.0**-10)
            return np.where(free > 0, bound, np.inf)
        raise NotImplementedError(node.op_type)

    def _product(self, node: onnx.NodeProto) -> np.ndarray:
        x, w = (self.values[n].astype(np.float64) for n in node.input[:2])
        ex = self._error(node.input[0])
        axis = 0 if node.op_type == "Conv" or _attribute(node, "transB", 0) else w.ndim - 1
        axis = 1 if node.op_type == "ConvTranspose" else axis
        others = tuple(a for a in range(w.ndim) if a != axis)
        scale = np.abs(w).max(axis=others, keepdims=True) / LARGEST
        ew = np.maximum(np.abs(w) * UNIT, LEAST * scale)
        count = w.size // w.shape[axis]
        sums = self._linear(node, ex, np.abs(w)) + self._linear(node, np.abs(x) + ex, ew)
        return sums + (count / 32 + 1) * 2.0**-13 * 1.2 * np.abs(x).max() * np.abs(w).max()

    def _pairs(self, node: onnx.NodeProto) -> np.ndarray:
        """A product of two computed matrices"""
        x, y = (np.abs(self.values[n].astype(np.float64)) for n in node.input)
        ex, ey = (self._error(n) for n in node.input)
        sums = (x + ex) @ ey + ex @ y
        return sums + (x.shape[-1] / 32 + 1) * 2.0**-13 * 1.2 * x.max() * y.max()

    def _attention(self, node: onnx.NodeProto) -> np.ndarray:
        """Scores in float32, their softmax rounded to FP8, sums of values"""
        heads = [_attribute(node, name, 0) for name in ("q_num_heads", *["kv_num_heads"] * 2)]
        operands = [
            (np.abs(_apart(self.values[n], h)), _apart(self._error(n), h))
            for n, h in zip(node.input, heads)
        ]
        groups = operands[0][0].shape[1] // operands[1][0].shape[1]
        (q, eq), (k, ek), (v, ev) = (
            (x, e) if i == 0 else (x.repeat(groups, 1), e.repeat(groups, 1))
            for i, (x, e) in enumerate(operands)
        )
        scale = _attribute(node, "scale", 0.0) or q.shape[3] ** -0.5
        turned, error = k.swapaxes(2, 3), ek.swapaxes(2, 3)
        wrong = scale * ((q + eq) @ error + eq @ turned)
        wrong += scale * (q.shape[3] / 32 + 1) * 2.0**-13 * 1.2 * q.max() * k.max()
        share = np.minimum(np.exp(2 * wrong.max(axis=-1, keepdims=True)), 1e6)
        signs = [_apart(self.values[n], h) for n, h in zip(node.input, heads)]
        exact = scale * (signs[0] @ signs[1].repeat(groups, 1).swapaxes(2, 3))
        p = np.exp(exact - exact.max(axis=-1, keepdims=True))
        p = p / p.sum(axis=-1, keepdims=True)
        ep = np.minimum(p * (share - 1), 1) + (p * share) * UNIT + 2.0**-17
        sums = (p + ep) @ ev + ep @ v + (p.shape[3] / 32 + 1) * 2.0**-13 * 1.2 * v.max()
        return sums if self.values[node.input[0]].ndim == 4 else sums.swapaxes(1, 2)

    def _rotary(self, node: onnx.NodeProto) -> np.ndarray:
        """Two values with the errors of both, by the magnitudes of cosine and sine"""
        error = self._error(node.input[0]).astype(np.float32)
        rest = [self.values.get(n) for n in node.input[1:]]
        cosines, sines = (np.abs(x) for x in rest[:2])
        # Negative sines make all signs of the definition's first half positive, and positive ones the second's.
        both = [self._evaluate(node, [error, cosines, s, *rest[2:]])[0] for s in (sines, -sines)]
        return np.maximum(*both) * (1 + 2.0**-10)

    def _norm(self, node: onnx.NodeProto) -> np.ndarray:
        """d / s, where s is the length of (d, sqrt(eps)): it changes by that of d's error at most."""
        x, error = self.values[node.input[0]].astype(np.float64), self._error(node.input[0])
        gamma, shape, rank = self.values[node.input[1]].astype(np.float64), x.shape, x.ndim
        eps = _attribute(node, "epsilon", 1e-5)
        grouped = node.op_type in ("InstanceNormalization", "GroupNormalization")
        if grouped:
            groups = _attribute(node, "num_groups", shape[1])
            rows, gamma = (shape[0], groups, -1), gamma.reshape(1, -1, *[1] * (rank - 2))
        else:
            axis = _attribute(node, "axis", -1) % rank
            rows = (*shape[:axis], -1)
        d, e = x.reshape(rows), error.reshape(rows)
        if node.op_type != "RMSNormalization":
            d, e = d - d.mean(axis=-1, keepdims=True), e + e.mean(axis=-1, keepdims=True)
        length = np.sqrt(np.square(d).mean(axis=-1, keepdims=True) + eps)
        wrong = np.sqrt(np.square(e).mean(axis=-1, keepdims=True))
        most = 2 * np.sqrt(d.shape[-1])
        free = length > wrong
        bound = (e + np.abs(d / length) * wrong) / np.where(free, length - wrong, 1.0)
        bound = np.where(free, np.minimum(bound, most), most)
        if grouped:  # it is rounded before the factors of channels
            z = np.abs(d / length)
            bound = bound + np.maximum((z + bound) * UNIT, LEAST * most)
        return bound.reshape(shape) * np.abs(gamma)

    def _recurrent(self, node: onnx.NodeProto) -> None:
        """Step by step, as fp8rt/recurrent.h says. |h| <= 1, and a cell grows by 1 a step."""
        x, w, r = (np.abs(self.values[n].astype(np.float64)) for n in node.input[:3])
        ex, layout = self._error(node.input[0]), _attribute(node, "layout", 0)
        if layout:
            x, ex = x.swapaxes(0, 1), ex.swapaxes(0, 1)
        every, last = [], []
        for direction in range(len(w)):
            back = direction == 1 or _attribute(node, "direction", b"") == b"reverse"
            order = slice(None, None, -1 if back else 1)
            bounds = self._one_direction(node, x[order], ex[order], w[direction], r[direction])
            every.append(bounds[order])
            last.append(bounds[-1])
        values = [np.stack(every, axis=1), np.stack(last)]
        if layout:
            values = [values[0].transpose(2, 0, 1, 3), values[1].swapaxes(0, 1)]
        for name, value in zip(node.output, values):
            if name:
                self.errors[name] = np.broadcast_to(value, self.values[name].shape)

    def _one_direction(self, node: onnx.NodeProto, x, ex, w, r) -> np.ndarray:
        ew, er = (
            np.maximum(v * UNIT, LEAST * v.max(axis=1, keepdims=True) / LARGEST) for v in (w, r)
        )
        units = r.shape[1]
        ones, eh, ec = np.ones(units), np.zeros(units), np.zeros(units)
        every = []
        for t in range(len(x)):
            inner = (ones + eh) @ er.T + eh @ r.T
            gate = ex[t] @ w.T + (x[t] + ex[t]) @ ew.T + inner + 2.0**-9
            most = gate.reshape(len(x[t]), -1, units).max(axis=1)
            if node.op_type == "LSTM":
                ec = ec + t * (most / 4 + 2.0**-14) + 1.25 * most + 2.0**-13
                free = ec + most / 4 + 2.0**-13
            else:
                recurrent = r.sum(axis=1).reshape(3, units).max(axis=0)
                free = 2.5 * most + recurrent * (most / 4 + 2.0**-14) + 2.0**-12 + eh
            eh = (free + (1 + free) * UNIT + 2.0**-18).max(axis=0)
            every.append(free + (1 + free) * UNIT)
        return np.stack(every)

    def _linear(self, node: onnx.NodeProto, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The node's sums of products, all of them positive, without bias."""
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        del copy.input[2:]
        for attribute in copy.attribute:
            if attribute.name == "alpha":
                attribute.f = abs(attribute.f)
        return self._evaluate(copy, [x.astype(np.float32), w.astype(np.float32)])[0]


def _apart(x: np.ndarray, heads: int) -> np.ndarray:
    """Sequences, heads, tokens, size."""
    x = x.astype(np.float64)
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def _gelu(x: np.ndarray) -> np.ndarray:
    return np.array([0.5 * v * math.erfc(-v / math.sqrt(2)) for v in x.reshape(-1)]).reshape(
        x.shape
    )


def _attribute(node: onnx.NodeProto, name: str, default: float) -> float:
    return next(
        (onnx.helper.get_attribute_value(a) for a in node.attribute if a.name == name), default
    )
