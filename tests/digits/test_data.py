# SPDX-License-Identifier: Apache-2.0
"""The committed data of the digits application's perceptron: the FP8 codes are the library's quantisation of the committed float32
weights, the images are scikit-learn's, the float32 accuracy is what is claimed, and the training script reaches it, with
all networks."""

import ctypes as ct
import pathlib
import re
import subprocess
import sys

import clib
import ml_dtypes
import numpy as np
import pytest
import training
from networks import NETWORKS, Perceptron

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = HERE.parents[1] / "firmware" / "apps" / "digits"

LEAST_ACCURACY = 0.97  # a requirement of the training; sim/bench/quality.json has what is reached
FILES = DIGITS / "digits_net.c", DIGITS / "digits_images.c", HERE / "digits_float32.c"
LAYERED_FILES = DIGITS / "digits_cnn_data.c", DIGITS / "digits_transformer_data.c"
ALIGNMENT = 64
CLAIM = re.compile(r"(\d+) of (\d+) test images right")


class Layer(ct.Structure):
    _fields_ = [
        ("n", ct.c_uint32),
        ("k", ct.c_uint32),
        ("fp8_codes", ct.c_void_p),
        ("fp8_scale_b", ct.c_void_p),
        ("int8_codes", ct.c_void_p),
        ("int8_scale_b", ct.c_void_p),
        ("bias", ct.c_void_p),
        ("calibration_amax", ct.c_float),
    ]


class Data:
    """The arrays as a C compiler sees them; `aligned` collects every address that the accelerator reads."""

    def __init__(self, dll):
        self.dll = dll
        self.aligned = []
        layers = len(Perceptron.SIZES) - 1
        pointers = (ct.c_void_p * layers).in_dll(self.dll, "digits_float32_weights")
        self.layers = list((Layer * layers).in_dll(self.dll, "digits_layers"))
        self.float32 = [
            self.array(p, (l.n, l.k), np.float32) for p, l in zip(pointers, self.layers)
        ]
        self.codes = [self.array(l.fp8_codes, (l.n, l.k), np.uint8) for l in self.layers]
        self.scale_b = [self.array(l.fp8_scale_b, (l.n,), np.float32) for l in self.layers]
        self.int8_codes = [self.array(l.int8_codes, (l.n, l.k), np.uint8) for l in self.layers]
        self.int8_scale_b = [self.array(l.int8_scale_b, (l.n,), np.float32) for l in self.layers]
        self.biases = [self.array(l.bias, (l.n,), np.float32) for l in self.layers]
        symbol = lambda name: ct.addressof(ct.c_uint8.in_dll(self.dll, "digits_" + name))
        n = training.TEST_IMAGES
        pixels = self.array(symbol("images"), (n, 8, 8), np.uint8).view(ml_dtypes.float8_e4m3fn)
        self.images = pixels.astype(np.float32).astype(np.uint8)
        self.labels = self.array(symbol("labels"), (n,), np.uint8)
        self.predictions = self.array(symbol("float32_predictions"), (n,), np.uint8)

    def array(self, address, shape, dtype):
        self.aligned.append(address % ALIGNMENT)
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer(ct.string_at(address, size), dtype=dtype).reshape(shape)


@pytest.fixture(scope="module")
def data(dll):
    return Data(dll)


def test_shapes(bench, data):
    sizes = tuple(layer.k for layer in data.layers) + (data.layers[-1].n,)
    bench.check("shape: layers as the script says", sizes, Perceptron.SIZES)
    for address in data.aligned:
        bench.check("shape: arrays start on 64 bytes, rows on 16", address, 0)
    for layer in data.layers:
        bench.check("shape: arrays start on 64 bytes, rows on 16", layer.k % 16, 0)


def quantize(lib, row, scale, format="e4m3fn"):
    codes, row = clib.blank(row.size, np.uint8), np.ascontiguousarray(row, np.float32)
    status = lib.quantize(
        lib.by_name[format],
        codes.ctypes.data,
        row.ctypes.data,
        row.size,
        float(scale),
        clib.mode(),
        None,
    )
    assert status == clib.OK, status
    return codes


def test_weights(bench, lib, data):
    for i, (weights, codes, scale_b) in enumerate(zip(data.float32, data.codes, data.scale_b)):
        amax = np.abs(weights).max(axis=1)
        scale = np.float32(448) / amax
        for n in range(len(weights)):
            bench.arrays(
                "weights: codes are fp8mac_quantize of the float32 ones",
                codes[n],
                quantize(lib, weights[n], scale[n]),
                lambda k: f"layer {i}, row {n}, column {k}",
            )
        bench.arrays(
            "weights: scale_b undoes the scale", scale_b, np.float32(256) * (np.float32(1) / scale)
        )
        # From the format's definition: half a quantum, 2^-4 of a normal value and 2^-10 below the smallest one.
        used = codes.view(ml_dtypes.float8_e4m3fn).astype(np.float64)
        error = np.abs(used * scale_b[:, None] / 256 - weights)
        bound = np.maximum(np.abs(weights) * 2.0**-4, amax[:, None] / 448 * 2.0**-10) * (
            1 + 2.0**-20
        )
        bench.arrays(
            "weights: within half a quantum of the float32 ones",
            error <= bound,
            np.full(error.shape, True),
        )


def test_int8_weights(bench, lib, data):
    for i, (weights, codes, scale_b) in enumerate(
        zip(data.float32, data.int8_codes, data.int8_scale_b)
    ):
        scale = np.float32(127) / np.abs(weights).max(axis=1)
        for n in range(len(weights)):
            bench.arrays(
                "INT8 weights: codes are fp8mac_quantize of the float32 ones",
                codes[n],
                quantize(lib, weights[n], scale[n], "int8"),
                lambda k: f"layer {i}, row {n}, column {k}",
            )
        bench.arrays("INT8 weights: scale_b undoes the scale", scale_b, np.float32(1) / scale)


def test_images(bench, lib, data):
    rest, test_images, _, test_labels = training.split()
    bench.arrays("images: the held-out ones of scikit-learn", data.images, test_images)
    bench.arrays("images: their labels", data.labels, test_labels)
    trained_on = {image.tobytes() for image in rest}
    for i, image in enumerate(data.images):
        bench.check("images: not among those trained on", image.tobytes() in trained_on, False, i)
    pixels = np.arange(17, dtype=np.float32)
    decoded = quantize(lib, pixels, 1).view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    bench.arrays("images: every pixel value is exact in e4m3fn", decoded, pixels)


def test_accuracy(bench, data):
    network = Perceptron(np.random.default_rng(0))
    for i, (weights, bias) in enumerate(zip(data.float32, data.biases)):
        network.parameters |= {f"weights{i}": weights, f"bias{i}": bias}
    outputs = network.forward(training.inputs(data.images))[0][-1]
    predictions = outputs.argmax(axis=1)
    bench.arrays(
        "accuracy: predictions of the float32 weights",
        data.predictions,
        predictions.astype(np.uint8),
    )
    right = int((predictions == data.labels).sum())
    bench.check(
        "accuracy: float32, at least 97 %", right >= LEAST_ACCURACY * len(data.labels), True, right
    )
    for path in FILES:
        head = "".join(path.read_text().splitlines(keepends=True)[:8])
        bench.check(
            "accuracy: as the files' first lines say",
            [tuple(map(int, m)) for m in CLAIM.findall(head)],
            [(right, len(data.labels))],
            path.name,
        )
        bench.check(
            "provenance: seed in the files' first lines",
            f"Seed {training.SEED};" in head,
            True,
            path.name,
        )
    print(f"committed: {right} of {len(data.labels)} right in float32")


def test_training(bench, folder):
    run = subprocess.run(
        [sys.executable, DIGITS / "train.py", "--out", folder], capture_output=True, text=True
    )
    bench.check("training: the script runs", run.returncode, 0, run.stderr[-500:])
    found = [tuple(map(int, numbers)) for numbers in CLAIM.findall(run.stdout)]
    bench.check("training: all networks", len(found), len(NETWORKS), run.stdout)
    for right, of in found:
        bench.check(
            "training: float32, at least 97 %",
            right >= LEAST_ACCURACY * of,
            True,
            f"{right} of {of}",
        )
    files = FILES + LAYERED_FILES
    same = [(folder / path.name).read_bytes() == path.read_bytes() for path in files]
    print(
        f"trained anew: {', '.join(str(right) for right, _ in found)} right; files",
        "are the committed ones, byte for byte"
        if all(same)
        else "differ from the committed ones (other processor?)",
    )
