# SPDX-License-Identifier: Apache-2.0
"""Trains the networks of the digits application and writes their data as C sources.

    build/venv/bin/python firmware/apps/digits/train.py [--net NAME] [--out DIR]

Without --out, the files go to the folder of this script, and digits_float32.c, which only the tests use, goes to
tests/digits. With --out, all go to DIR. With --net, only the files of one network are written. The hashes of layers'
outputs (digits_hashes_NAME.c) are written by the application itself (LIST=hashes), and change with the weights.

Sizes, epochs and dropout were compared by 5-fold cross-validation over the training images.

One thread and one seed: on one kind of processor every run writes the same bytes. Another kind may sum in another
order, and the training then ends in slightly different weights.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # read when numpy loads: the order of sums is that of one thread
)

import argparse
import pathlib

import ml_dtypes
import numpy as np
import sklearn
from c_source import c_array, c_float, c_floats, c_integers, public, write
from networks import NETWORKS, Cnn, Perceptron, Transformer
from training import SEED, inputs, split, train

FP8, FP8_MAX = ml_dtypes.float8_e4m3fn, np.float32(448)
INT8_MAX = np.float32(127)
WEIGHT_EXPONENT = 8  # the perceptron's are used as code * 2^-8, so that they lie within +-1.75
BEAT = 32  # rows of weights are padded to whole beats of the widest bus
LOGIT_UNIT = 8  # float32's outputs are kept as multiples of 1 / 8
F32 = np.float32


# ---- quantisation -------------------------------------------------------------------------------------------------


def quantise_rows(weights, exponent=0):
    """(codes, scale): per row, codes = e4m3fn(w * (448 / amax)), and the factor that undoes it, times 2^exponent."""
    scale = FP8_MAX / np.abs(weights).max(axis=1)
    codes = (weights * scale[:, None]).astype(FP8).view(np.uint8)
    return codes, F32(2.0**exponent) * (F32(1) / scale)


def quantise_rows_int8(weights):
    """The same in INT8: codes = w * scale to nearest even, with scale = 127 / amax."""
    scale = INT8_MAX / np.abs(weights).max(axis=1)
    codes = np.rint(weights * scale[:, None]).astype(np.int8).view(np.uint8)
    return codes, F32(1) / scale


def amaxes(layers):
    return [np.abs(layer).max() for layer in layers]


# ---- the perceptron's sources -------------------------------------------------------------------------------------


def perceptron_source(network, layers):
    p, calibration = network.parameters, amaxes(layers[1:])
    count = len(calibration)
    parts = ['#include "digits_data.h"\n']
    quantisers = {"fp8": lambda w: quantise_rows(w, WEIGHT_EXPONENT), "int8": quantise_rows_int8}
    for i in range(count):
        for name, quantise in quantisers.items():
            codes, scale_b = quantise(p[f"weights{i}"])
            parts.append(c_integers("uint8_t", f"{name}_weights{i}", codes))
            parts.append(c_floats(f"{name}_scale_b{i}", scale_b))
        parts.append(c_floats(f"bias{i}", p[f"bias{i}"]))
    rows = [
        f"    {{.n = {p[f'weights{i}'].shape[0]}, .k = {p[f'weights{i}'].shape[1]}, "
        f".fp8 = {{fp8_weights{i}, fp8_scale_b{i}}}, .int8 = {{int8_weights{i}, int8_scale_b{i}}}, "
        f".bias = bias{i}, .calibration_amax = {c_float(calibration[i])}}},\n"
        for i in range(count)
    ]
    parts.append("const digits_layer digits_layers[DIGITS_LAYERS] = {\n" + "".join(rows) + "};\n")
    return "\n".join(parts)


def images_source(images, labels, predictions):
    codes = images.astype(FP8).view(np.uint8)
    arrays = {"labels": labels, "float32_predictions": predictions, "images": codes}
    texts = [public(c_integers("uint8_t", f"digits_{name}", a)) for name, a in arrays.items()]
    return "\n".join(['#include "digits_data.h"\n', *texts])


def float32_source(network):
    parts, count = ['#include "digits_float32.h"\n'], len(network.SIZES) - 1
    for i in range(count):
        codes = network.parameters[f"weights{i}"].view(np.uint32).ravel()
        parts.append(c_array("uint32_t", f"weights{i}", (f"0x{c:08x}" for c in codes)))
    names = ", ".join(f"weights{i}" for i in range(count))
    parts.append(f"const uint32_t *const digits_float32_weights[DIGITS_LAYERS] = {{{names}}};\n")
    return "\n".join(parts)


# ---- sources of the networks of layers ----------------------------------------------------------------------------


def layer_weights(name, weights, bias):
    """(arrays, initialiser of an fp8rt_weights)"""
    codes, scale = quantise_rows(weights)
    n, k = codes.shape
    codes = np.pad(codes, ((0, 0), (0, -k % BEAT)))
    arrays = [
        c_integers("uint8_t", f"{name}_codes", codes),
        c_floats(f"{name}_scale", scale),
        c_floats(f"{name}_bias", bias),
    ]
    return arrays, (
        f"{{.codes = {{.data = (void *){name}_codes, .rows = {n}, .cols = {k}, .stride = {codes.shape[1]},\n"
        f"               .format = FP8MAC_E4M3FN, .scale = 1.0f}},\n"
        f"     .row_scale = {name}_scale, .bias = {name}_bias}}"
    )


def layers_source(network, weights, others, amax, outputs):
    """weights: name of each fp8rt_weights and prefix and suffix of its parameters; others: names of arrays of floats;
    amax: of the FP8 tensors, by name; outputs: of the test images."""
    arrays, fields = [], []
    for name, (w, b) in weights.items():
        texts, field = layer_weights(name, network.parameters[w], network.parameters[b])
        arrays += texts
        fields.append(f"    .{name} = {field},\n")
    for name in others:
        arrays.append(c_floats(name, network.parameters[name]))
        fields.append(f"    .{name} = {name},\n")
    fields += [f"    .{name}_amax = {c_float(value)},\n" for name, value in amax.items()]
    logits = np.clip(np.rint(outputs * LOGIT_UNIT), -127, 127).astype(np.int8)
    arrays.append(c_integers("uint8_t", "predictions", outputs.argmax(axis=1)))
    arrays.append(c_integers("int8_t", "logits", logits))
    fields.append("    .float32 = {.predictions = predictions, .logits = logits},\n")
    body = "".join(fields)
    table = f"const digits_{network.NAME} digits_{network.NAME}_data = {{\n{body}}};\n"
    return "\n".join([f'#include "digits_{network.NAME}.h"\n', *arrays, table])


def cnn_source(network, layers, outputs):
    names = "convolution1", "convolution2", "classes"
    weights = {name: (f"weights{i}", f"bias{i}") for i, name in enumerate(names)}
    amax = dict(zip(names[:2], amaxes(layers[1:3])))
    return layers_source(network, weights, [], amax, outputs)


def transformer_source(network, layers, outputs):
    names = "embed", "query", "key", "value", "output", "up", "down", "classes"
    weights = {name: (f"{name}_weights", f"{name}_bias") for name in names}
    others = "positions", "norm1_gamma", "norm1_beta", "norm2_gamma", "norm2_beta"
    tensors = "norm1", "query", "key", "value", "mixed", "norm2", "hidden", "stream"
    amax = dict(zip(tensors, amaxes(layers[1:-1])))
    return layers_source(network, weights, others, amax, outputs)


# ---- files --------------------------------------------------------------------------------------------------------


DATA = [
    "Data: Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning",
    "Repository, https://doi.org/10.24432/C50P49 (CC BY 4.0): the 1797 images of load_digits.",
]


class Trained:
    """A network after its training, its layers over the training images, and its answers for the test images."""

    def __init__(self, kind):
        train_x, test_x, train_y, test_y = split()
        rng = np.random.default_rng(SEED)
        self.network = kind(rng)
        train(self.network, train_x, train_y, rng)
        forward = lambda images: self.network.forward(inputs(images))[0]
        self.layers, self.outputs = forward(train_x), forward(test_x)[-1]
        self.predictions = self.outputs.argmax(axis=1).astype(np.uint8)
        self.images, self.labels, self.trained = test_x, test_y, len(train_y)
        correct = (self.predictions == test_y).sum()
        fitted = (self.layers[-1].argmax(axis=1) == train_y).sum()
        right = f"{correct} of {len(test_y)} test images right"
        percent = f"({100 * correct / len(test_y):.2f} %)"
        print(
            f"{kind.NAME}, float32: {right} {percent}, {fitted} of {len(train_y)} training images"
        )
        self.accuracy = f"{right} in float32 {percent}"


def write_perceptron(trained, out, tests, provenance):
    write(
        out / "digits_net.c",
        [
            f"A network trained on {trained.trained} images: {trained.accuracy}.",
            f"FP8 weights: e4m3fn codes of w * (448 / amax of the row); scale_b = amax / 448 * 2^{WEIGHT_EXPONENT}.",
            "INT8 weights: w * (127 / amax of the row) to nearest even; scale_b = amax / 127.",
            *DATA,
        ],
        perceptron_source(trained.network, trained.layers),
        provenance,
    )
    count = len(trained.labels)
    write(
        out / "digits_images.c",
        [
            f"The {count} held-out test images in the order of train_test_split(stratify, random_state={SEED}),",
            "64 pixels 0..16 each as e4m3fn codes, their labels, and what the float32 network answers:",
            trained.accuracy + ".",
            *DATA,
        ],
        images_source(trained.images, trained.labels, trained.predictions),
        provenance,
        "Apache-2.0 AND CC-BY-4.0",
    )
    write(
        tests / "digits_float32.c",
        [
            "The float32 weights (bit patterns) from which digits_net.c was quantised:",
            trained.accuracy + ".",
            "For tests on the host; no part of the firmware.",
            *DATA,
        ],
        float32_source(trained.network),
        provenance,
    )


def write_layers(trained, out, source, provenance):
    name = trained.network.NAME
    write(
        out / f"digits_{name}_data.c",
        [
            f"A network trained on {trained.trained} images: {trained.accuracy}.",
            "Weights: e4m3fn codes of w * (448 / amax of the row); scale = amax / 448. amax: largest values of the",
            "tensors over the training images in float32. Predictions and logits: of the test images in float32.",
            *DATA,
        ],
        source(trained.network, trained.layers, trained.outputs),
        provenance,
    )


def main():
    parser = argparse.ArgumentParser(
        description="trains the digits networks and writes their C sources"
    )
    parser.add_argument("--net", choices=NETWORKS, help="only this network")
    parser.add_argument("--out", type=pathlib.Path, help="folder of all files")
    here, options = pathlib.Path(__file__).resolve().parent, parser.parse_args()
    out, tests = options.out or here, options.out or here.parents[2] / "tests" / "digits"
    provenance = (
        f"Seed {SEED}; numpy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}, ml_dtypes {ml_dtypes.__version__}."
    )
    for kind in [NETWORKS[options.net]] if options.net else NETWORKS.values():
        trained = Trained(kind)
        if kind is Perceptron:
            write_perceptron(trained, out, tests, provenance)
        else:
            source = {Cnn: cnn_source, Transformer: transformer_source}[kind]
            write_layers(trained, out, source, provenance)


if __name__ == "__main__":
    main()
