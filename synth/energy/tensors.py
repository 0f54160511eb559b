# SPDX-License-Identifier: Apache-2.0
"""The operands with which energy is measured.

    digits_1, digits_2            the perceptron of the digits: pixels (many are 0) on the first layer's weights, and what
                                  ReLU makes of its outputs on the second layer's
    transformer_up, _down         the feed-forward part of the digits' transformer: normalised tokens on its first weights,
                                  and the outputs of ReLU on its second ones
    vad_conv2, vad_lstm           the speech network on a recording: what a convolution sees of ReLU's outputs, and the
                                  state of the LSTM on its recurrent weights
    normal                        N(0,1) on N(0,1), K = 512
    uniform                       evenly drawn codes on both sides: every finite FP8 code, every INT8 code but -128

Activations are those of the network in float32. The perceptron's and the speech network's weights are float32, too. Of
the transformer's weights the repository has the FP8 codes alone; each float32 weight is drawn evenly from those that
its code stands for, so that INT8 is not quantised from a grid of FP8 values.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

from .data import TYPES, Data, of_floats, value_of, with_scales

DIGITS = Path("firmware/apps/digits")
DIGITS_FLOAT32 = Path("tests/digits/digits_float32.c")  # the network as it was trained
IMAGES, PIXELS = 64, 64
VAD = Path("firmware/apps/vad")
VAD_FRAMES = 128
RANDOM_K, RANDOM_ROWS, SEED = 512, 32, 2026
F32 = np.float32


def c_array(path: Path, name: str, kind: type) -> np.ndarray:
    """An array of a generated C source."""
    found = re.search(rf"\b{name}\[\] = {{(.*?)}};", path.read_text(), re.S)
    if found is None:
        raise ValueError(f"{path} has no array {name}")
    words = found[1].replace("\n", "").rstrip(", ").split(",")
    if kind is np.float32:
        return np.array([float.fromhex(word.strip().rstrip("f")) for word in words], F32)
    return np.array([int(word, 0) for word in words], kind)


def imported(folder: Path, name: str) -> ModuleType:
    """A script of an application, which finds its own modules."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


# ---- digits ----------------------------------------------------------------------------------------------------------


def pixels() -> np.ndarray:
    """Of the test images, 0 to 1"""
    codes = c_array(DIGITS / "digits_images.c", "digits_images", np.uint8)
    return (value_of(codes.reshape(-1, PIXELS)[:IMAGES]) / 16).astype(F32)


def perceptron_weights(number: int, outputs: int) -> np.ndarray:
    return c_array(DIGITS_FLOAT32, f"weights{number}", np.uint32).view(F32).reshape(outputs, -1)


@cache
def perceptron() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    first, second = perceptron_weights(0, 96), perceptron_weights(1, 64)
    bias = c_array(DIGITS / "digits_net.c", "bias0", F32)
    hidden = np.maximum(pixels() @ first.T + bias, 0)
    return {"digits_1": (pixels(), first), "digits_2": (hidden, second)}


def undo(codes: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Float32 values that are quantised to these codes: evenly drawn between the neighbours' midpoints."""
    value = value_of(codes)
    every = np.unique(value_of(np.arange(256, dtype=np.uint8)))
    every = every[np.isfinite(every)]
    at = np.searchsorted(every, value)
    below, above = every[np.maximum(at - 1, 0)], every[np.minimum(at + 1, len(every) - 1)]
    part = draw.random(value.shape)
    drawn = (value + below) / 2 * (1 - part) + (value + above) / 2 * part
    return np.where(np.abs(value) == np.abs(every).max(), value, drawn)  # the row's amax


@cache
def transformer() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    network = imported(DIGITS, "networks").Transformer(np.random.default_rng(SEED))
    source, draw = DIGITS / "digits_transformer_data.c", np.random.default_rng(SEED)
    for name, was in network.parameters.items():
        if name.endswith("_weights"):
            layer = name.removesuffix("_weights")
            codes = c_array(source, f"{layer}_codes", np.uint8).reshape(len(was), -1)
            scale = c_array(source, f"{layer}_scale", F32)[:, None]
            network.parameters[name] = (undo(codes[:, : was.shape[1]], draw) * scale).astype(F32)
        else:
            network.parameters[name] = c_array(source, name, F32).reshape(was.shape)
    layers, _ = network.forward(pixels())
    read, hidden = (x.reshape(-1, x.shape[-1]) for x in layers[6:8])
    weights = network.parameters
    return {
        "transformer_up": (read, weights["up_weights"]),
        "transformer_down": (hidden, weights["down_weights"]),
    }


# ---- speech ----------------------------------------------------------------------------------------------------------


@cache
def vad() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Of the first frames of the recordings. float32, as prepare.py's `probabilities`"""
    app = imported(VAD, "prepare")
    weights = app.read_weights()
    samples = np.concatenate(list(app.recordings().values()))[: VAD_FRAMES * app.FRAME]
    spectrum = app.windows(samples) @ weights["stft_conv.weight"][:, 0].T
    x = np.sqrt(spectrum[..., : app.BINS] ** 2 + spectrum[..., app.BINS :] ** 2)
    seen = []
    for i, stride in enumerate(app.STRIDES, 1):
        padded = np.pad(x, ((0, 0), (1, 1), (0, 0)))
        seen.append(
            np.stack(
                [padded[:, t : t + 3].reshape(len(x), -1) for t in range(0, x.shape[1], stride)], 1
            )
        )
        weight, bias = weights[f"conv{i}.weight"], weights[f"conv{i}.bias"]
        x = np.maximum(app.convolution(x, weight, bias, stride), 0)
    bias = weights["lstm_cell.bias_ih"] + weights["lstm_cell.bias_hh"]
    gates = x[:, 0] @ weights["lstm_cell.weight_ih"].T + bias
    h = c = np.zeros(app.UNITS, F32)
    states = []
    for gate in gates:
        states.append(h)
        i, f, g, o = np.split(gate + weights["lstm_cell.weight_hh"] @ h, 4)
        c = app.sigmoid(f) * c + app.sigmoid(i) * np.tanh(g)
        h = app.sigmoid(o) * np.tanh(c)
    conv2 = weights["conv2.weight"].swapaxes(1, 2).reshape(len(weights["conv2.weight"]), -1)
    return {
        "vad_conv2": (seen[1].reshape(-1, seen[1].shape[-1]), conv2),
        "vad_lstm": (np.array(states[1:]), weights["lstm_cell.weight_hh"]),
    }


# ---- random ----------------------------------------------------------------------------------------------------------


def normal(k: int = RANDOM_K) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    draw = np.random.default_rng(SEED)
    return {"normal": tuple(draw.standard_normal((RANDOM_ROWS, k)).astype(F32) for _ in range(2))}


def uniform(kind: str = "e4m3fn", k: int = RANDOM_K) -> Data:
    draw = np.random.default_rng(SEED)
    every = np.arange(256, dtype=np.uint8)
    every = every[np.isfinite(value_of(every, kind))]
    return Data(
        "uniform" if kind == "e4m3fn" else f"uniform_{kind}",
        TITLES["uniform"],
        *(draw.choice(every, (RANDOM_ROWS, k)) for _ in range(2)),
        *(draw.integers(-127, 128, (RANDOM_ROWS, k)).astype(np.int8) for _ in range(2)),
        -2 * int(np.log2(np.abs(value_of(every, kind)).max())),
        kind,
    )


TITLES = {
    "digits_1": "digits, first layer",
    "digits_2": "digits, second layer",
    "transformer_up": "transformer, first feed-forward product",
    "transformer_down": "transformer, second feed-forward product",
    "vad_conv2": "speech, second convolution",
    "vad_lstm": "speech, recurrent product of the LSTM",
    "normal": "N(0,1), K = 512",
    "uniform": "evenly drawn codes",
}
SENSITIVE = "vad_lstm"  # the operands for which assumptions vary
SOURCES = {
    "digits_1": perceptron,
    "digits_2": perceptron,
    "transformer_up": transformer,
    "transformer_down": transformer,
    "vad_conv2": vad,
    "vad_lstm": vad,
    "normal": normal,
}


def data(name: str, kind: str = "e4m3fn", mx: bool = False) -> Data:
    if name == "uniform":
        if mx:
            raise ValueError("evenly drawn codes have no MX scales")
        return uniform(kind)
    floats = SOURCES[name]()[name]
    found = of_floats(name, TITLES[name], *floats, kind)
    return with_scales(found, *floats) if mx else found


FORMATS = tuple(TYPES)
