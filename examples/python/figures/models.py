# SPDX-License-Identifier: Apache-2.0
"""Four trained networks whose matrix products an 8-bit format computes.

perceptron, cnn, transformer    firmware/apps/digits, on its 540 held-out images; calibrated on the training images
vad                             firmware/apps/vad, on its recordings, which also calibrate it; its Fourier transform stays
                                in float32

A network asks `products` for its matrix products: linear(x, weights, bias) and matmul(x, y). Float32 answers in float32 and
keeps the largest magnitude of each operand. Codes answers with the golden model: fp8mac.cast and fp8mac.gemm. Everything
between the products is float32.

The float32 weights of the perceptron are those of tests/digits. Those of cnn and transformer are in weights/, where this
module writes them if they are missing: it trains with firmware/apps/digits/training.py and its seed. They may differ from
those behind the firmware's FP8 weights, because training on another kind of processor sums in another order.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import common
import fp8mac
import numpy as np
from threadpoolctl import threadpool_limits

DIGITS = common.ROOT / "firmware" / "apps" / "digits"
VAD = common.ROOT / "firmware" / "apps" / "vad"
TRAINED = Path(__file__).resolve().parent / "weights"
sys.path[:0] = [str(DIGITS), str(VAD)]
import networks
import operations
import prepare
import training

NAMES = "perceptron", "cnn", "transformer", "vad"
F32 = np.float32


# ---- matrix products --------------------------------------------------------------------------------------------


class Products:
    """Numbers the operands, so that one of a later run finds what an earlier run kept of it."""

    def __init__(self) -> None:
        self.count = 0

    def name(self, given: str | None) -> str:
        self.count += 1
        return given or str(self.count)


class Float32(Products):
    """`amax` has the largest magnitude of each operand."""

    def __init__(self) -> None:
        super().__init__()
        self.amax: dict[str, float] = {}

    def keep(self, x: np.ndarray, given: str | None = None) -> None:
        name = self.name(given)
        self.amax[name] = max(self.amax.get(name, 0.0), float(np.abs(x).max()))

    def linear(self, x, weights, bias, name=None):
        self.keep(x, name)
        return x @ weights.T + bias

    def matmul(self, x, y):
        self.keep(x)
        self.keep(y)
        return x @ y


class Codes(Products):
    """activation(x, amax) and weight(w) give codes and their dequantising scale; amax is that of the calibration."""

    def __init__(
        self,
        format: str,
        activation: Callable,
        weight: Callable,
        amax: dict[str, float],
        **how: Any,
    ):
        super().__init__()
        self.activation, self.weight, self.amax = activation, weight, amax
        self.how = {"preset": "int8"} if format == "int8" else {"format": format, **how}
        self.weights: dict[int, Any] = {}  # by identity: a recurrent layer comes back

    def quantised(self, x, given=None):
        return self.activation(x, self.amax[self.name(given)])

    def gemm(self, a, b, bias=None):
        (a, scale_a), (b, scale_b) = a, b
        return fp8mac.gemm(a, b, scale_a=scale_a, scale_b=scale_b, bias=bias, **self.how)

    def linear(self, x, weights, bias, name=None):
        if id(weights) not in self.weights:
            self.weights[id(weights)] = weights, self.weight(weights)
        a = self.quantised(x.reshape(-1, x.shape[-1]), name)
        d = self.gemm(a, self.weights[id(weights)][1], bias)
        return d.reshape(*x.shape[:-1], len(weights))

    def matmul(self, x, y):
        a, b = self.quantised(x), self.quantised(np.swapaxes(y, -1, -2))
        return self.gemm(a, b)


# ---- digits -----------------------------------------------------------------------------------------------------


def c_array(text: str, name: str) -> list[str]:
    """The numbers of an array in a C source."""
    body = re.search(rf"\b{name}\[\] = {{(.*?)}};", text, re.S)[1]
    return [item.strip() for item in body.split(",") if item.strip()]


def committed_perceptron() -> dict[str, np.ndarray]:
    weights = (common.ROOT / "tests" / "digits" / "digits_float32.c").read_text()
    biases = (DIGITS / "digits_net.c").read_text()
    found = {}
    for i, (k, n) in enumerate(zip(networks.Perceptron.SIZES, networks.Perceptron.SIZES[1:])):
        bits = np.array([int(item, 16) for item in c_array(weights, f"weights{i}")], np.uint32)
        found[f"weights{i}"] = bits.view(F32).reshape(n, k)
        numbers = [float.fromhex(item.rstrip("f")) for item in c_array(biases, f"bias{i}")]
        found[f"bias{i}"] = np.array(numbers, F32)
    return found


def trained(kind) -> dict[str, np.ndarray]:
    path = TRAINED / f"{kind.NAME}.npz"
    if not path.exists():
        print(f"  TRAIN     {kind.NAME}")
        images, _, labels, _ = training.split()
        rng = np.random.default_rng(training.SEED)
        network = kind(rng)
        training.train(network, images, labels, rng)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **network.parameters)
    with np.load(path) as file:
        return dict(file)


class Digits:
    UNIT = "images classified"

    def __init__(self, name: str):
        kind = networks.NETWORKS[name]
        self.network = kind(np.random.default_rng(0))
        self.network.parameters = committed_perceptron() if name == "perceptron" else trained(kind)
        train, test, _, self.labels = training.split()
        self.images = {"calibration": training.inputs(train), "test": training.inputs(test)}

    def outputs(self, products: Any, data: str = "test") -> np.ndarray:
        def attention(query, key, value):
            scores = products.matmul(query, key.swapaxes(-1, -2))
            weights = operations.softmax(scores * F32(1 / np.sqrt(query.shape[-1])))
            return products.matmul(weights, value), None

        with mock.patch.multiple(networks, linear=products.linear, attention=attention):
            return self.network.forward(self.images[data])[0][-1]

    def right(self, outputs: np.ndarray, reference: np.ndarray) -> np.ndarray:
        return outputs.argmax(axis=1) == self.labels


# ---- voice activity ---------------------------------------------------------------------------------------------


class Vad:
    UNIT = "decisions as float32"

    def __init__(self) -> None:
        weights = prepare.read_weights()
        flat = lambda w: np.ascontiguousarray(w.transpose(0, 2, 1).reshape(len(w), -1))
        self.basis = weights["stft_conv.weight"][:, 0]
        self.convolutions = [
            (flat(weights[f"conv{i}.weight"]), weights[f"conv{i}.bias"]) for i in range(1, 5)
        ]
        self.input, self.recurrent = (weights[f"lstm_cell.weight_{part}"] for part in ("ih", "hh"))
        self.bias = weights["lstm_cell.bias_ih"] + weights["lstm_cell.bias_hh"]
        self.decoder = weights["final_conv.weight"][:, :, 0], weights["final_conv.bias"]
        self.recordings = list(prepare.recordings().values())

    def outputs(self, products: Any, data: str = "test") -> np.ndarray:
        """The logit of each frame."""
        with np.errstate(over="ignore"):  # of exp in a sigmoid that is 0
            return np.concatenate([self.recording(products, one) for one in self.recordings])

    def recording(self, products: Any, samples: np.ndarray) -> np.ndarray:
        spectrum = prepare.windows(samples) @ self.basis.T
        x = np.sqrt(spectrum[..., : prepare.BINS] ** 2 + spectrum[..., prepare.BINS :] ** 2)
        for i, ((weights, bias), stride) in enumerate(zip(self.convolutions, prepare.STRIDES)):
            padded = np.pad(x, ((0, 0), (1, 1), (0, 0)))
            seen = [padded[:, at : at + 3] for at in range(0, x.shape[1], stride)]
            seen = np.stack(seen, axis=1).reshape(len(x), len(seen), -1)
            x = np.maximum(products.linear(seen, weights, bias, f"convolution{i}"), 0)
        gates = products.linear(x[:, 0], self.input, self.bias, "input")
        h = c = np.zeros((1, prepare.UNITS), F32)
        nothing, out = np.zeros(4 * prepare.UNITS, F32), []
        for gate in gates:
            hidden = products.linear(h, self.recurrent, nothing, "recurrent")
            i, f, g, o = np.split(gate + hidden, 4, axis=1)
            c = prepare.sigmoid(f) * c + prepare.sigmoid(i) * np.tanh(g)
            h = prepare.sigmoid(o) * np.tanh(c)
            out.append(products.linear(np.maximum(h, 0), *self.decoder, "decoder"))
        return np.concatenate(out)

    def right(self, outputs: np.ndarray, reference: np.ndarray) -> np.ndarray:
        return ((outputs > 0) == (reference > 0))[:, 0]


# ---- all of them ------------------------------------------------------------------------------------------------


class Measured:
    """A network with its answers in float32 and the largest magnitudes of its operands in calibration."""

    def __init__(self, name: str):
        self.network = Vad() if name == "vad" else Digits(name)
        calibration = Float32()
        self.network.outputs(calibration, "calibration")
        self.amax = calibration.amax
        self.reference = self.network.outputs(Float32())

    def score(self, outputs: np.ndarray | None = None) -> common.Row:
        """How many answers are right, and the SQNR of the outputs before the decision, in dB."""
        outputs = self.reference if outputs is None else outputs
        right = self.network.right(outputs, self.reference)
        error = np.sum((outputs.astype(np.float64) - self.reference) ** 2)
        signal = np.sum(self.reference.astype(np.float64) ** 2)
        row: common.Row = {"right": int(right.sum()), "of": len(right), "accuracy": right.mean()}
        if error > 0:
            row["sqnr_db"] = 10 * np.log10(signal / error)
        return row

    def run(self, format: str, activation: Callable, weight: Callable, **how: Any) -> common.Row:
        return self.score(self.network.outputs(Codes(format, activation, weight, self.amax, **how)))


@functools.cache
def measured(name: str) -> Measured:
    """One thread, so that the sums in float32 have one order."""
    with threadpool_limits(limits=1):
        return Measured(name)
