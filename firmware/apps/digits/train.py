# SPDX-License-Identifier: Apache-2.0
"""Trains the network of the digits application and writes its data as C sources.

    build/venv/bin/python firmware/apps/digits/train.py [--out DIR]

Without --out, digits_net.c and digits_images.c go to the folder of this script, and digits_float32.c, which only the
tests use, goes to tests/digits. With --out, all three go to DIR.

Images: the UCI handwritten digits that come with scikit-learn, 8 x 8 pixels 0..16; a stratified 30 % is held out for
the test. Sizes, epochs and dropout were compared by 5-fold cross-validation over the other images. The network:
64 - 96 - 64 - 10, ReLU between, pixels / 16 in.

One thread and one seed: on one kind of processor every run writes the same bytes. Another kind may sum in another
order, and the training then ends in slightly different weights.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # read when numpy loads: the order of sums is that of one thread
)

import argparse
import itertools
import pathlib

import ml_dtypes
import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = 2026
TEST_IMAGES = 540
SIZES = 64, 96, 64, 10
EPOCHS, BATCH = 600, 64
LEARNING_RATE, WEIGHT_DECAY, DROPOUT, SMOOTHING = 2e-3, 0.02, 0.1, 0.05
PIXEL_MAX = 16
FP8, FP8_MAX = ml_dtypes.float8_e4m3fn, np.float32(448)
INT8_MAX = np.float32(127)
WEIGHT_EXPONENT = 8  # weights are used as code * 2^-8, so that they lie within +-1.75
F32 = np.float32


# ---- training -----------------------------------------------------------------------------------------------------


def distort(images, rng):
    """Each image turned, stretched, slanted and moved a little, sampled bilinearly."""
    n, side = len(images), images.shape[1]
    normal = lambda deviation: rng.normal(0, deviation, (n, 1, 1))
    y, x = np.meshgrid(*[np.arange(side) - (side - 1) / 2] * 2, indexing="ij")
    angle, slant = normal(0.10), normal(0.12)
    xs = (np.cos(angle) * x - np.sin(angle) * y) * (1 + normal(0.08)) + slant * y + normal(0.4)
    ys = (np.sin(angle) * x + np.cos(angle) * y) * (1 + normal(0.08)) + normal(0.4)
    border = 2
    padded = np.pad(images.astype(np.float64), ((0, 0), (border, border), (border, border)))
    to_index = lambda t: np.clip(t + (side - 1) / 2 + border, 0, side + 2 * border - 1.001)
    xs, ys = to_index(xs), to_index(ys)
    left, top = xs.astype(int), ys.astype(int)
    fx, fy, i = xs - left, ys - top, np.arange(n)[:, None, None]
    upper = padded[i, top, left] * (1 - fx) + padded[i, top, left + 1] * fx
    lower = padded[i, top + 1, left] * (1 - fx) + padded[i, top + 1, left + 1] * fx
    return upper * (1 - fy) + lower * fy


def inputs(images):
    return (images.reshape(len(images), -1) / PIXEL_MAX).astype(F32)


def forward(weights, biases, x, masks=None):
    """Outputs of every layer, the input first."""
    layers = [x]
    for i, (w, b) in enumerate(zip(weights, biases)):
        z = layers[-1] @ w.T + b
        if i + 1 < len(weights):
            z = np.maximum(z, 0)
            z = z * masks[i] if masks else z
        layers.append(z)
    return layers


def gradients(weights, biases, x, labels, masks):
    """Of the cross-entropy with smoothed labels: weights' first, then biases'."""
    layers = forward(weights, biases, x, masks)
    p = np.exp(layers[-1] - layers[-1].max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    target = np.full_like(p, SMOOTHING / p.shape[1])
    target[np.arange(len(labels)), labels] += 1 - SMOOTHING
    g = (p - target) / F32(len(labels))
    dw, db = [None] * len(weights), [None] * len(weights)
    for i in reversed(range(len(weights))):
        dw[i], db[i] = g.T @ layers[i], g.sum(axis=0)
        if i:
            g = (g @ weights[i]) * (layers[i] > 0) * masks[i - 1]
    return dw + db


def train(images, labels, rng):
    """Adam with decoupled weight decay; the learning rate falls as a half cosine."""
    weights = [
        (rng.standard_normal((n, k)) * np.sqrt(2 / k)).astype(F32)
        for k, n in itertools.pairwise(SIZES)
    ]
    biases = [np.zeros(n, F32) for n in SIZES[1:]]
    parameters = weights + biases
    mean, square = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    batches = len(images) // BATCH
    for step in range(EPOCHS * batches):
        at = step % batches * BATCH
        if at == 0:
            order = rng.permutation(len(images))
            x, y = inputs(distort(images[order], rng)), labels[order]
        masks = [
            (rng.random((BATCH, n)) >= DROPOUT).astype(F32) / F32(1 - DROPOUT) for n in SIZES[1:-1]
        ]
        grads = gradients(weights, biases, x[at : at + BATCH], y[at : at + BATCH], masks)
        rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / (EPOCHS * batches)))
        for p, g, m, v in zip(parameters, grads, mean, square):
            m += F32(0.1) * (g - m)
            v += F32(0.001) * (g * g - v)
            m_hat, v_hat = m / F32(1 - 0.9 ** (step + 1)), v / F32(1 - 0.999 ** (step + 1))
            if p.ndim == 2:
                p *= F32(1 - rate * WEIGHT_DECAY)
            p -= F32(rate) * m_hat / (np.sqrt(v_hat) + F32(1e-8))
    return weights, biases


# ---- quantisation -------------------------------------------------------------------------------------------------


def quantise_rows(weights):
    """(codes, scale_b): per row, codes = e4m3fn(w * scale) with scale = 448 / amax, and the factor that undoes it."""
    scale = FP8_MAX / np.abs(weights).max(axis=1)
    codes = (weights * scale[:, None]).astype(FP8).view(np.uint8)
    return codes, F32(2.0**WEIGHT_EXPONENT) * (F32(1) / scale)


def quantise_rows_int8(weights):
    """The same in INT8: codes = w * scale to nearest even, with scale = 127 / amax."""
    scale = INT8_MAX / np.abs(weights).max(axis=1)
    codes = np.rint(weights * scale[:, None]).astype(np.int8).view(np.uint8)
    return codes, F32(1) / scale


# ---- C sources ----------------------------------------------------------------------------------------------------


INDENT = "    "


def lines(items, width=119):
    """The items, each followed by a comma, filled into lines."""
    out, line = [], INDENT
    for item in items:
        if len(line) + len(item) + 1 > width:
            out.append(line)
            line = INDENT
        line += item + ","
    return "\n".join(out + [line])


def c_float(x):
    """Exact: a hexadecimal floating constant with the 24 significant bits of a float32."""
    mantissa, exponent = float(x).hex().split("p")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-")[2:].partition(".")
    fraction = fraction.rstrip("0")
    return f"{sign}0x{whole}.{fraction or 0}p{int(exponent)}f"


def c_array(kind, name, items):
    return f"static _Alignas(64) const {kind} {name}[] = {{\n{lines(items)}\n}};\n"


def write(path, title, body, provenance, licence="Apache-2.0"):
    head = [
        f"SPDX-License-Identifier: {licence}",
        "Generated by build/venv/bin/python firmware/apps/digits/train.py; not to be edited.",
        provenance,
        *title,
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"// {line}\n" for line in head) + "\n" + body
    path.write_text(text)
    print(f"{path}: {len(text)} bytes")


def net_source(weights, biases, calibration):
    parts = ['#include "digits_data.h"\n']
    for i, (w, b) in enumerate(zip(weights, biases)):
        for name, quantise in (("fp8", quantise_rows), ("int8", quantise_rows_int8)):
            codes, scale_b = quantise(w)
            parts.append(c_array("uint8_t", f"{name}_weights{i}", map(str, codes.ravel())))
            parts.append(c_array("float", f"{name}_scale_b{i}", map(c_float, scale_b)))
        parts.append(c_array("float", f"bias{i}", map(c_float, b)))
    rows = [
        f"    {{.n = {w.shape[0]}, .k = {w.shape[1]}, .fp8 = {{fp8_weights{i}, fp8_scale_b{i}}}, "
        f".int8 = {{int8_weights{i}, int8_scale_b{i}}}, "
        f".bias = bias{i}, .calibration_amax = {c_float(calibration[i])}}},\n"
        for i, w in enumerate(weights)
    ]
    parts.append("const digits_layer digits_layers[DIGITS_LAYERS] = {\n" + "".join(rows) + "};\n")
    return "\n".join(parts)


def images_source(images, labels, predictions):
    public = lambda text: text.replace("static _Alignas", "_Alignas")
    flat = lambda a: map(str, a.ravel())
    return "\n".join(
        [
            '#include "digits_data.h"\n',
            public(c_array("uint8_t", "digits_labels", flat(labels))),
            public(c_array("uint8_t", "digits_float32_predictions", flat(predictions))),
            public(c_array("uint8_t", "digits_images", flat(images.astype(FP8).view(np.uint8)))),
        ]
    )


def float32_source(weights):
    parts = ['#include "digits_float32.h"\n']
    for i, w in enumerate(weights):
        codes = w.view(np.uint32).ravel()
        parts.append(c_array("uint32_t", f"weights{i}", (f"0x{c:08x}" for c in codes)))
    names = ", ".join(f"weights{i}" for i in range(len(weights)))
    parts.append(f"const uint32_t *const digits_float32_weights[DIGITS_LAYERS] = {{{names}}};\n")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(
        description="trains the digits network and writes its C sources"
    )
    parser.add_argument("--out", type=pathlib.Path, help="folder of all three files")
    here = pathlib.Path(__file__).resolve().parent
    given = parser.parse_args().out
    out, tests = given or here, given or here.parents[2] / "tests" / "digits"

    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    train_x, test_x, train_y, test_y = train_test_split(
        images, labels, test_size=TEST_IMAGES, stratify=labels, random_state=SEED
    )
    weights, biases = train(train_x, train_y, np.random.default_rng(SEED))

    predict = lambda x: forward(weights, biases, inputs(x))[-1].argmax(axis=1).astype(np.uint8)
    predictions = predict(test_x)
    correct, fitted = (predictions == test_y).sum(), (predict(train_x) == train_y).sum()
    print(
        f"float32: {correct} of {len(test_y)} test images right ({100 * correct / len(test_y):.2f} %), "
        f"{fitted} of {len(train_y)} training images"
    )
    calibration = [np.abs(layer).max() for layer in forward(weights, biases, inputs(train_x))[1:]]

    provenance = (
        f"Seed {SEED}; numpy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}, ml_dtypes {ml_dtypes.__version__}."
    )
    accuracy = f"{correct} of {len(test_y)} test images right in float32 ({100 * correct / len(test_y):.2f} %)"
    data = [
        "Data: Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning",
        "Repository, https://doi.org/10.24432/C50P49 (CC BY 4.0): the 1797 images of load_digits.",
    ]
    write(
        out / "digits_net.c",
        [
            f"A network trained on {len(train_y)} images: {accuracy}.",
            f"FP8 weights: e4m3fn codes of w * (448 / amax of the row); scale_b = amax / 448 * 2^{WEIGHT_EXPONENT}.",
            "INT8 weights: w * (127 / amax of the row) to nearest even; scale_b = amax / 127.",
            *data,
        ],
        net_source(weights, biases, calibration),
        provenance,
    )
    write(
        out / "digits_images.c",
        [
            f"The {len(test_y)} held-out test images in the order of train_test_split(stratify, random_state={SEED}),",
            "64 pixels 0..16 each as e4m3fn codes, their labels, and what the float32 network answers:",
            accuracy + ".",
            *data,
        ],
        images_source(test_x, test_y, predictions),
        provenance,
        "Apache-2.0 AND CC-BY-4.0",
    )
    write(
        tests / "digits_float32.c",
        [
            "The float32 weights (bit patterns) from which digits_net.c was quantised:",
            accuracy + ".",
            "For tests on the host; no part of the firmware.",
            *data,
        ],
        float32_source(weights),
        provenance,
    )


if __name__ == "__main__":
    main()
