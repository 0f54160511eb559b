# SPDX-License-Identifier: Apache-2.0
"""Integer requantisation beside LiteRT, the successor of TensorFlow Lite's interpreter: which of its kernels round twice, as
fp8mac does, and which round once. The factors have powers of two, which make ties."""

from __future__ import annotations

import numpy as np
import pytest
from ai_edge_litert import interpreter as litert
from oracle import requantise
from small_tflite import INT8, Operator, Tensor, write

CONV_2D, DEPTHWISE, FULLY_CONNECTED = 3, 4, 9
ONE = ("i", 1)
VALID = ("b", 1)
# The fields of an operator's options, and their type: strides, dilations, for DEPTHWISE the multiplier of channels
OPTIONS = {
    CONV_2D: (1, {0: VALID, 1: ONE, 2: ONE, 4: ONE, 5: ONE}),
    DEPTHWISE: (2, {0: VALID, 1: ONE, 2: ONE, 3: ONE, 5: ONE, 6: ONE}),
    FULLY_CONNECTED: (8, {}),
}
POINTS, CHANNELS, LAYERS = 64, 48, 16


def once(x: int, multiplier: int, shift: int) -> int:
    """The product to nearest, ties away from zero"""
    size = (abs(x) * multiplier + 2 ** (30 - shift)) >> (31 - shift)
    return size if x > 0 else -size


def layer(rng: np.random.Generator, code: int):
    """(file, input, sums, scales, zero point of D)"""
    k, taps = int(rng.integers(1, 150)), 3
    powers = rng.random(CHANNELS) < 0.5
    weights = np.where(
        powers, 2.0 ** -rng.integers(6, 10, CHANNELS), rng.uniform(0.002, 0.02, CHANNELS)
    ).astype(np.float32)
    if code == DEPTHWISE:
        weights *= np.float32(16)
    x_scale, y_scale = np.float32(0.5), np.float32(rng.choice([0.5, 4, rng.uniform(1, 3)]))
    x_zero, y_zero = (int(zero) for zero in rng.integers(-128, 128, 2))
    bias = rng.integers(-20000, 20000, CHANNELS).astype(np.int32)
    shapes = {
        CONV_2D: ((1, POINTS, 1, k), (CHANNELS, 1, 1, k)),
        DEPTHWISE: ((1, POINTS + taps - 1, 1, CHANNELS), (1, taps, 1, CHANNELS)),
        FULLY_CONNECTED: ((POINTS, k), (CHANNELS, k)),
    }
    x = rng.integers(-128, 128, shapes[code][0]).astype(np.int8)
    w = rng.integers(-127, 128, shapes[code][1]).astype(np.int8)
    away, wide = x.astype(np.int64) - x_zero, w.astype(np.int64)
    if code == DEPTHWISE:
        away = away.reshape(-1, CHANNELS)
        sums = sum(away[i : i + POINTS] * wide[0, i, 0] for i in range(taps))
    else:
        sums = away.reshape(POINTS, k) @ wide.reshape(CHANNELS, k).T
    zeros = np.zeros(CHANNELS, int)
    shape = (POINTS, CHANNELS) if code == FULLY_CONNECTED else (1, POINTS, 1, CHANNELS)
    tensors = [
        Tensor("x", x.shape, kind=INT8, scales=np.array([x_scale]), zeros=np.array([x_zero])),
        Tensor.constant("w", w, scales=weights, zeros=zeros, axis=3 * (code == DEPTHWISE)),
        Tensor.constant("b", bias, scales=x_scale * weights, zeros=zeros),
        Tensor("y", shape, kind=INT8, scales=np.array([y_scale]), zeros=np.array([y_zero])),
    ]
    kind, options = OPTIONS[code]
    data = write(tensors, [Operator(code, [0, 1, 2], [3], options, kind)], [0], [3])
    factors = [float(x_scale) * float(one) / float(y_scale) for one in weights]
    return data, x, sums + bias, list(map(requantise.quantize_multiplier, factors)), y_zero


def run(data: bytes, x: np.ndarray) -> np.ndarray:
    """The reference kernels"""
    kernels = litert.OpResolverType.BUILTIN_REF
    own = litert.Interpreter(model_content=data, experimental_op_resolver_type=kernels)
    own.allocate_tensors()
    own.set_tensor(own.get_input_details()[0]["index"], x)
    own.invoke()
    return own.get_tensor(own.get_output_details()[0]["index"])


@pytest.mark.parametrize(
    ("code", "own", "other"),
    [
        (CONV_2D, requantise.multiply, once),
        (DEPTHWISE, requantise.multiply, once),
        (FULLY_CONNECTED, once, requantise.multiply),
    ],
    ids=["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"],
)
def test_rounding(bench, rng, code, own, other) -> None:
    apart = 0
    for _ in range(LAYERS):
        data, x, sums, scales, zero = layer(rng, code)
        got = run(data, x).reshape(POINTS, CHANNELS)
        for (i, j), total in np.ndenumerate(sums):
            want, beside = (
                max(-128, min(127, how(int(total), *scales[j]) + zero)) for how in (own, other)
            )
            bench.check(
                f"sum {total}, scale {scales[j]}: {got[i, j]}, want {want}", got[i, j] == want
            )
            apart += want != beside
    bench.check(f"codes in which both roundings differ: {apart}", apart > 20)
