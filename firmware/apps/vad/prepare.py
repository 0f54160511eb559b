# SPDX-License-Identifier: Apache-2.0
"""Writes the data of the vad application as a C source: weights, recordings, and what float32 answers.

    build/venv/bin/python firmware/apps/vad/prepare.py OUT.c

Weights: silero_vad_16k.safetensors of the Python package silero-vad (Silero Team, MIT), which the project's set-up
installs. Recordings: those of Debian's package alsa-utils (GPL-2), 48 kHz, resampled to 16 kHz by
scipy.signal.resample_poly(1, 3) and rounded to 16 bits. Neither is part of this repository.

The network, for each frame of 512 samples:
    64 samples before the frame, the frame, and its last 64 samples but one reversed: 640 samples / 32768
    Fourier basis: 258 outputs of 256 samples, every 128 samples: 4 columns
    magnitudes of 129 bins, four convolutions of width 3 with ReLU and strides 1, 2, 2, 1, padded by 1: 1 column
    LSTM of 128 units, ReLU, 1 output, sigmoid

`probabilities` is this network in float32. With the weights of the package's ONNX file, which differ from those of the
safetensors file, it gives the probabilities of onnxruntime within 2e-6.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import struct
import wave

import ml_dtypes
import numpy as np
from scipy.signal import resample_poly

RECORDINGS = pathlib.Path("/usr/share/sounds/alsa")
FRAME, CONTEXT, REFLECTED, WINDOW, HOP, COLUMNS = 512, 64, 64, 256, 128, 4
BINS, IMAGINARY = 129, 144  # rows of the basis: real parts from 0, imaginary parts from IMAGINARY
STRIDES = 1, 2, 2, 1
UNITS = 128
POWER_SCALE, MAGNITUDE_SCALE = 16, 8  # codes = value * scale
BEAT = 32  # rows of weights are padded to whole beats of the widest bus
FP8, FP8_MAX = ml_dtypes.float8_e4m3fn, np.float32(448)
F32 = np.float32


# ---- inputs -------------------------------------------------------------------------------------------------------


def package():
    """The folder of the installed package, which is not imported: it would need PyTorch."""
    spec = importlib.util.find_spec("silero_vad")
    if spec is None:
        raise SystemExit("the Python package silero-vad is missing: tools/requirements.txt")
    return pathlib.Path(spec.submodule_search_locations[0])


def read_weights():
    data = (package() / "data" / "silero_vad_16k.safetensors").read_bytes()
    header = 8 + struct.unpack("<Q", data[:8])[0]
    weights = {}
    for name, entry in json.loads(data[8:header]).items():
        begin, end = (header + offset for offset in entry["data_offsets"])
        weights[name] = np.frombuffer(data[begin:end], F32).reshape(entry["shape"])
    return weights


def read_recording(path):
    """16-bit samples at 16 kHz, padded with zeros to whole frames."""
    with wave.open(str(path)) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (48000, 1, 2):
            raise SystemExit(f"{path} does not have one channel of 16 bits at 48 kHz")
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    samples = np.rint(resample_poly(samples.astype(np.float64), 1, 3))
    samples = np.clip(samples, -32768, 32767).astype(np.int16)
    return np.pad(samples, (0, -len(samples) % FRAME))


def recordings():
    paths = sorted(RECORDINGS.glob("*.wav"))
    if not paths:
        raise SystemExit(f"there are no recordings in {RECORDINGS}: install alsa-utils")
    return {path.stem: read_recording(path) for path in paths}


# ---- the network in float32 ---------------------------------------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def windows(samples):
    """frames x columns x window."""
    padded = np.pad(samples.astype(F32) / F32(32768), (CONTEXT, 0))
    frames = np.stack([padded[i : i + CONTEXT + FRAME] for i in range(0, len(samples), FRAME)])
    frames = np.concatenate([frames, frames[:, -2 : -2 - REFLECTED : -1]], axis=1)
    return np.stack([frames[:, HOP * i : HOP * i + WINDOW] for i in range(COLUMNS)], axis=1)


def convolution(x, weight, bias, stride):
    """x: frames x columns x channels; weight: outputs x channels x 3."""
    padded = np.pad(x, ((0, 0), (1, 1), (0, 0)))
    columns = range(0, x.shape[1], stride)
    out = [np.einsum("ftc,oct->fo", padded[:, i : i + 3], weight) for i in columns]
    return np.stack(out, axis=1) + bias


def probabilities(weights, samples):
    spectrum = windows(samples) @ weights["stft_conv.weight"][:, 0].T
    x = np.sqrt(spectrum[..., :BINS] ** 2 + spectrum[..., BINS:] ** 2)
    for i, stride in enumerate(STRIDES, 1):
        x = np.maximum(
            convolution(x, weights[f"conv{i}.weight"], weights[f"conv{i}.bias"], stride), 0
        )
    bias = weights["lstm_cell.bias_ih"] + weights["lstm_cell.bias_hh"]
    gates = x[:, 0] @ weights["lstm_cell.weight_ih"].T + bias
    h = c = np.zeros(UNITS, F32)
    out = []
    for gate in gates:
        i, f, g, o = np.split(gate + weights["lstm_cell.weight_hh"] @ h, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(weights["final_conv.weight"][0, :, 0] @ np.maximum(h, 0))
    return sigmoid(np.array(out) + weights["final_conv.bias"]).astype(F32)


# ---- codes --------------------------------------------------------------------------------------------------------


def encode(x):
    return np.clip(x, -FP8_MAX, FP8_MAX).astype(FP8)


def scale_rows(matrix):
    """The matrix with rows of amax 448, and the factors that undo it; a row of zeros stays."""
    amax = np.abs(matrix).max(axis=1)
    scale = np.where(amax > 0, amax, FP8_MAX) / FP8_MAX
    return matrix / scale[:, None], scale.astype(F32)


def quantise_rows(matrix):
    scaled, scale = scale_rows(matrix)
    return encode(scaled).view(np.uint8), scale


def fourier_codes(basis):
    """The basis in two parts, high + low, each in e4m3fn, beside samples in two parts: for each half of the window
    high, high, low, which meet the high, low and high parts of the samples. The fourth product is left out."""
    rows = np.zeros((IMAGINARY + BINS, WINDOW), F32)
    rows[:BINS], rows[IMAGINARY:] = basis[:BINS], basis[BINS:]
    scaled, scale = scale_rows(rows)
    high = encode(scaled)
    low = encode(scaled - high.astype(F32))
    parts = []
    for half in range(0, WINDOW, HOP):
        parts += [part[:, half : half + HOP] for part in (high, high, low)]
    return np.concatenate(parts, axis=1).view(np.uint8), scale


def square_root_table():
    """For each e5m2 code of a power * POWER_SCALE the e4m3fn code of its root * MAGNITUDE_SCALE. Powers are not
    negative: negative codes and NaN give 0."""
    power = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e5m2).astype(F32) / POWER_SCALE
    root = np.sqrt(np.where(power > 0, power, 0))
    return encode(root * MAGNITUDE_SCALE).view(np.uint8)


# ---- C source -----------------------------------------------------------------------------------------------------


def c_float(x):
    """Exact: a hexadecimal floating constant of a float32."""
    return f"{float(x).hex()}f"


def c_array(kind, name, items, storage="static "):
    items, rows = [str(item) for item in items], []
    for i in range(0, len(items), 24):
        rows.append("    " + ",".join(items[i : i + 24]) + ",\n")
    return f"{storage}_Alignas(64) const {kind} {name}[] = {{\n{''.join(rows)}}};\n"


def weights_source(name, codes, scale, bias):
    """The arrays of one layer, and its fp8rt_weights as an initialiser."""
    n, k = codes.shape
    padded = np.pad(codes, ((0, 0), (0, -k % BEAT)))
    arrays = c_array("uint8_t", f"{name}_codes", padded.ravel())
    arrays += c_array("float", f"{name}_scale", map(c_float, scale))
    member = ""
    if bias is not None:
        arrays += c_array("float", f"{name}_bias", map(c_float, bias))
        member = f", .bias = {name}_bias"
    initialiser = (
        f"{{.codes = {{.data = (void *)(uintptr_t){name}_codes, .rows = {n}, .cols = {k}, "
        f".stride = {padded.shape[1]}, .format = FP8MAC_E4M3FN, .scale = 1.0f}},\n"
        f"     .row_scale = {name}_scale{member}}}"
    )
    return arrays, initialiser


def network_source(weights):
    arrays, layers = [], {}

    def add(name, codes, scale, bias=None):
        source, layers[name] = weights_source(name, codes, scale, bias)
        arrays.append(source)

    add("fourier", *fourier_codes(weights["stft_conv.weight"][:, 0]))
    for i in range(1, 5):
        kernel = weights[f"conv{i}.weight"].transpose(
            0, 2, 1
        )  # the order of products: column, channel
        add(
            f"convolution{i}",
            *quantise_rows(kernel.reshape(len(kernel), -1)),
            weights[f"conv{i}.bias"],
        )
    for name, part in ("input", "ih"), ("recurrent", "hh"):
        codes = quantise_rows(weights[f"lstm_cell.weight_{part}"])
        add(name, *codes, weights[f"lstm_cell.bias_{part}"])
    add("decoder", *quantise_rows(weights["final_conv.weight"][..., 0]), weights["final_conv.bias"])
    convolutions = ",\n    ".join(layers.pop(f"convolution{i}") for i in range(1, 5))
    out = [f"const fp8rt_weights vad_{name} =\n    {layer};\n" for name, layer in layers.items()]
    out.append(f"const fp8rt_weights vad_convolutions[] = {{\n    {convolutions}}};\n")
    table = c_array("uint8_t", "vad_square_root", square_root_table(), storage="")
    return "\n".join([*arrays, *out, table])


def recordings_source(weights):
    arrays, rows = [], []
    for i, (name, samples) in enumerate(recordings().items()):
        arrays.append(c_array("int16_t", f"samples{i}", samples))
        arrays.append(
            c_array("float", f"float32_{i}", map(c_float, probabilities(weights, samples)))
        )
        frames = len(samples) // FRAME
        rows.append(f'    {{"{name}", {frames}, samples{i}, float32_{i}}},\n')
    table = f"const vad_recording vad_recordings[] = {{\n{''.join(rows)}}};\n"
    count = f"const uint32_t vad_recording_count = {len(rows)};\n"
    return "\n".join([*arrays, table, count])


HEAD = """\
// Generated by firmware/apps/vad/prepare.py; not to be edited.
// Weights: silero-vad 6.2.3, Copyright (c) 2020-present Silero Team, MIT License. Recordings: alsa-utils, GPL-2.
"""


def main():
    parser = argparse.ArgumentParser(description="writes the data of the vad application")
    parser.add_argument("out", type=pathlib.Path, help="the C source")
    out = parser.parse_args().out
    header = pathlib.Path(__file__).resolve().parent / "vad_data.h"
    include = os.path.relpath(header, out.resolve().parent)
    weights = read_weights()
    body = "\n".join([network_source(weights), recordings_source(weights)])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(f'{HEAD}#include "{include}"\n\n{body}')


if __name__ == "__main__":
    main()
