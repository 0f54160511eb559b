# SPDX-License-Identifier: Apache-2.0
"""The committed data of the digits' convolutional network and transformer: with the weights that the codes stand for,
the networks in float32 answer as they did with the weights that were trained, and the files say how well."""

import ctypes as ct
import pathlib
import re

import ml_dtypes
import numpy as np
import pytest
import train
from networks import Cnn, Transformer
from training import SEED, TEST_IMAGES, inputs, split

DIGITS = pathlib.Path(__file__).resolve().parents[2] / "firmware" / "apps" / "digits"

LEAST_ACCURACY, MOST_LOST = 0.98, 0.005  # requirements; sim/bench/quality.json has what is reached
MOST_DIFFERENCE = 0.75  # of a class, by the codes of the weights
ALIGNMENT, BEAT = 64, 32
CLAIM = re.compile(r"(\d+) of (\d+) test images right")
E4M3FN = 0  # FP8MAC_E4M3FN


class View(ct.Structure):
    """digits_weights_view of digits_weights.c."""

    _fields_ = [
        ("codes", ct.c_void_p),
        ("rows", ct.c_uint32),
        ("cols", ct.c_uint32),
        ("stride", ct.c_uint32),
        ("format", ct.c_uint32),
        ("row_scale", ct.c_void_p),
        ("bias", ct.c_void_p),
        ("scale", ct.c_float),
    ]


def structure(dll, weights, floats, amaxes):
    """digits_cnn, or digits_transformer."""
    words = ct.c_uint64 * dll.digits_weights_words()
    fields = [(name, words) for name in weights]
    fields += [(name, ct.c_void_p) for name in floats]
    fields += [(f"{name}_amax", ct.c_float) for name in amaxes]
    fields += [("predictions", ct.c_void_p), ("logits", ct.c_void_p)]
    return type("Data", (ct.Structure,), {"_fields_": fields})


# Parameters of the networks in Python by the fields in C
CNN_WEIGHTS = "convolution1", "convolution2", "classes"
TRANSFORMER_WEIGHTS = "embed", "query", "key", "value", "output", "up", "down", "classes"
TRANSFORMER_FLOATS = "positions", "norm1_gamma", "norm1_beta", "norm2_gamma", "norm2_beta"
TRANSFORMER_TENSORS = "norm1", "query", "key", "value", "mixed", "norm2", "hidden", "stream"
PARAMETERS = {
    Cnn: {name: (f"weights{i}", f"bias{i}") for i, name in enumerate(CNN_WEIGHTS)},
    Transformer: {name: (f"{name}_weights", f"{name}_bias") for name in TRANSFORMER_WEIGHTS},
}
FLOATS = {Cnn: (), Transformer: TRANSFORMER_FLOATS}
TENSORS = {Cnn: CNN_WEIGHTS[:2], Transformer: TRANSFORMER_TENSORS}
LAYERS = {Cnn: 3, Transformer: 12}  # of which there are hashes


def array(address, shape, dtype):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(ct.string_at(address, size), dtype=dtype).reshape(shape)


def read_weights(bench, dll, name, words):
    """The values that the codes stand for, and the bias."""
    w = View()
    dll.digits_weights_read(ct.byref(words), ct.byref(w))
    about = f"{name}, {w.rows} x {w.cols}"
    bench.check("weights: e4m3fn with scale 1", (w.format, w.scale), (E4M3FN, 1.0), about)
    bench.check("weights: rows are whole beats", w.stride % BEAT, 0, about)
    for address in (w.codes, w.row_scale, w.bias):
        bench.check("weights: arrays start on 64 bytes", address % ALIGNMENT, 0, about)
    rows = array(w.codes, (w.rows, w.stride), np.uint8)
    bench.check("weights: 0 behind the rows", int(rows[:, w.cols :].max(initial=0)), 0, about)
    values = rows[:, : w.cols].view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    largest = np.abs(values).max(axis=1)
    bench.arrays("weights: a row's largest code is 448", largest, np.full_like(largest, 448))
    scale = array(w.row_scale, (w.rows, 1), np.float32)
    return values * scale, array(w.bias, (w.rows,), np.float32)


def committed(bench, dll, kind, data):
    """The network with the committed weights."""
    network = kind(np.random.default_rng(0))
    found = {}
    for field, names in PARAMETERS[kind].items():
        found |= dict(zip(names, read_weights(bench, dll, field, getattr(data, field))))
    for name in FLOATS[kind]:
        found[name] = array(getattr(data, name), network.parameters[name].shape, np.float32)
    for name, p in network.parameters.items():
        bench.check("weights: shapes as the script says", found[name].shape, p.shape, name)
    network.parameters = found
    return network


def check_answers(bench, kind, data, network, images, labels):
    """With the committed weights, beside what the trained ones answered."""
    predictions = array(data.predictions, (TEST_IMAGES,), np.uint8)
    logits = array(data.logits, (TEST_IMAGES, 10), np.int8) / np.float32(train.LOGIT_UNIT)
    outputs = network.forward(inputs(images))[0][-1]
    right, quantised = ((p == labels).sum() for p in (predictions, outputs.argmax(axis=1)))
    difference = np.abs(outputs - logits).max()
    print(
        f"{kind.NAME}: {right} of {TEST_IMAGES} right in float32, {quantised} with the weights' "
        f"codes; classes differ by at most {difference:.3f}"
    )
    good = right >= LEAST_ACCURACY * TEST_IMAGES
    bench.check("float32: at least 98 %", bool(good), True, f"{kind.NAME}: {right}")
    bench.check(
        "codes: at most half a point below float32",
        bool(quantised >= right - MOST_LOST * TEST_IMAGES),
        True,
        f"{kind.NAME}: {quantised} and {right}",
    )
    bench.check("codes: classes near those of float32", bool(difference <= MOST_DIFFERENCE), True)
    chosen = logits[np.arange(TEST_IMAGES), predictions]
    bench.arrays("float32: the prediction is the largest class", chosen, logits.max(axis=1))
    head = "".join((DIGITS / f"digits_{kind.NAME}_data.c").read_text().splitlines()[:8])
    claims = [tuple(map(int, m)) for m in CLAIM.findall(head)]
    bench.check("file: its first lines say how many", claims, [(right, TEST_IMAGES)], kind.NAME)
    bench.check("file: its first lines say the seed", f"Seed {SEED};" in head, True, kind.NAME)


def check_scales(bench, kind, data, network, images):
    """The largest values over the training images are those of the trained weights: near these ones'."""
    layers = network.forward(inputs(images))[0][1:-1]
    names = [name for name, _ in data._fields_ if name.endswith("_amax")]
    bench.check("amax: one for each tensor", len(names), len(layers), kind.NAME)
    for name, layer in zip(names, layers):
        amax, found = getattr(data, name), float(np.abs(layer).max())
        near = abs(found - amax) <= 0.1 * amax
        bench.check("amax: within a tenth", near, True, f"{kind.NAME} {name}: {amax}, {found}")


@pytest.mark.parametrize("kind", PARAMETERS, ids=lambda kind: kind.NAME)
def test_network(bench, dll, kind):
    trained_on, images, _, labels = split()
    data_type = structure(dll, PARAMETERS[kind], FLOATS[kind], TENSORS[kind])
    data = data_type.in_dll(dll, f"digits_{kind.NAME}_data")
    network = committed(bench, dll, kind, data)
    check_answers(bench, kind, data, network, images, labels)
    check_scales(bench, kind, data, network, trained_on)
    hashes = (ct.c_uint16 * (TEST_IMAGES * LAYERS[kind])).in_dll(dll, f"digits_{kind.NAME}_hashes")
    values = np.array(hashes).reshape(TEST_IMAGES, -1)
    bench.check("hashes: images have their own", len(np.unique(values, axis=0)), TEST_IMAGES)
