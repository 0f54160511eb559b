# SPDX-License-Identifier: Apache-2.0
"""The three networks in float32. Each has

parameters     by name; matrices are weights, n x k
TRAINING       how long and how it is trained (training.py)
masks          dropout for a batch of n images
forward        outputs of every layer, the input first and the classes last, and what backward needs
backward       gradients by name, of the gradient of the classes

Images are rows of 64 pixels from 0 to 1.
"""

import itertools

import numpy as np
from operations import (
    attention,
    attention_back,
    dropout,
    linear,
    linear_back,
    norm,
    norm_back,
    patches,
    patches_back,
)
from training import SIDE, Training

F32 = np.float32
CLASSES = 10


def normal(rng, n, k, gain=1.0):
    """Weights with which inputs of variance 1 give outputs of variance gain^2."""
    return (rng.standard_normal((n, k)) * (gain / np.sqrt(k))).astype(F32)


def zeros(*shape):
    return np.zeros(shape, F32)


class Perceptron:
    """64 - 96 - 64 - 10, ReLU between."""

    NAME = "perceptron"
    SIZES = SIDE * SIDE, 96, 64, CLASSES
    DROPOUT = 0.1
    TRAINING = Training(epochs=600)

    def __init__(self, rng):
        sizes = list(itertools.pairwise(self.SIZES))
        self.parameters = {
            f"weights{i}": (rng.standard_normal((n, k)) * np.sqrt(2 / k)).astype(F32)
            for i, (k, n) in enumerate(sizes)
        }
        self.parameters |= {f"bias{i}": zeros(n) for i, (_, n) in enumerate(sizes)}

    def masks(self, n, rng):
        return [dropout((n, width), self.DROPOUT, rng) for width in self.SIZES[1:-1]]

    def forward(self, x, masks=None):
        p, layers, last = self.parameters, [x], len(self.SIZES) - 2
        for i in range(last + 1):
            z = linear(layers[-1], p[f"weights{i}"], p[f"bias{i}"])
            if i < last:
                z = np.maximum(z, 0)
                z = z * masks[i] if masks else z
            layers.append(z)
        return layers, masks

    def backward(self, g, layers, masks):
        d = {}
        for i in reversed(range(len(self.SIZES) - 1)):
            weights = self.parameters[f"weights{i}"]
            back, d[f"weights{i}"], d[f"bias{i}"] = linear_back(g, layers[i], weights)
            if i:
                g = back * (layers[i] > 0) * masks[i - 1]
        return d


class Cnn:
    """8 x 8 x 1, convolutions 3 x 3 to 8 x 8 x 16 and with stride 2 to 4 x 4 x 32, each with ReLU, and 512 - 10."""

    NAME = "cnn"
    CHANNELS = 1, 16, 32
    KERNEL = 3
    STRIDES = 1, 2
    FEATURES = (SIDE // 2) ** 2 * CHANNELS[-1]
    DROPOUT = 0.2  # of the features
    TRAINING = Training(epochs=200)

    def __init__(self, rng):
        self.parameters = {}
        for i, (c, n) in enumerate(itertools.pairwise(self.CHANNELS)):
            self.parameters[f"weights{i}"] = normal(rng, n, self.KERNEL**2 * c, np.sqrt(2))
            self.parameters[f"bias{i}"] = zeros(n)
        self.parameters["weights2"] = normal(rng, CLASSES, self.FEATURES, 0.5)
        self.parameters["bias2"] = zeros(CLASSES)

    def masks(self, n, rng):
        return dropout((n, self.FEATURES), self.DROPOUT, rng)

    def forward(self, x, masks=None):
        p, seen = self.parameters, []
        layers = [x.reshape(-1, SIDE, SIDE, 1)]
        for i, stride in enumerate(self.STRIDES):
            seen.append(patches(layers[-1], self.KERNEL, stride))
            layers.append(np.maximum(linear(seen[-1], p[f"weights{i}"], p[f"bias{i}"]), 0))
        features = layers[-1].reshape(len(x), -1)
        features = features if masks is None else features * masks
        layers.append(linear(features, p["weights2"], p["bias2"]))
        return layers, (seen, features, masks)

    def backward(self, g, layers, kept):
        p, d = self.parameters, {}
        seen, features, masks = kept
        g, d["weights2"], d["bias2"] = linear_back(g, features, p["weights2"])
        g = (g * masks).reshape(layers[2].shape)
        for i, stride in reversed(list(enumerate(self.STRIDES))):
            g = g * (layers[i + 1] > 0)
            g, d[f"weights{i}"], d[f"bias{i}"] = linear_back(g, seen[i], p[f"weights{i}"])
            g = patches_back(g, layers[i].shape, self.KERNEL, stride)
        return d


class Transformer:
    """An encoder. A token is a line of the image with the lines above and below it: 24 pixels, zero outside.

    stream = linear(token) + position                       8 x 32
    stream = stream + output(attention(norm(stream)))       2 heads of 32
    stream = stream + down(ReLU(up(norm(stream))))          64 hidden units
    classes = linear(stream of all tokens)                  256 - 10
    """

    NAME = "transformer"
    TOKENS, WIDTH, HEADS, HEAD, HIDDEN = SIDE, 32, 2, 32, 64
    PIXELS = 3 * SIDE  # of a token
    DROPOUT = 0.1  # of what is added to the stream
    TRAINING = Training(epochs=300)

    def __init__(self, rng):
        inner = self.HEADS * self.HEAD
        sizes = {  # n, k and gain
            "embed": (self.WIDTH, self.PIXELS, 1),
            "query": (inner, self.WIDTH, 1),
            "key": (inner, self.WIDTH, 1),
            "value": (inner, self.WIDTH, 1),
            "output": (self.WIDTH, inner, 0.5),
            "up": (self.HIDDEN, self.WIDTH, np.sqrt(2)),
            "down": (self.WIDTH, self.HIDDEN, 0.5),
            "classes": (CLASSES, self.TOKENS * self.WIDTH, 0.3),
        }
        self.parameters = {}
        for name, (n, k, gain) in sizes.items():
            self.parameters[f"{name}_weights"] = normal(rng, n, k, gain)
            self.parameters[f"{name}_bias"] = zeros(n)
        for name in ("norm1", "norm2"):
            self.parameters[f"{name}_gamma"] = np.ones(self.WIDTH, F32)
            self.parameters[f"{name}_beta"] = zeros(self.WIDTH)
        self.parameters["positions"] = normal(rng, self.TOKENS, self.WIDTH, 0.5)

    def masks(self, n, rng):
        return [dropout((n, self.TOKENS, self.WIDTH), self.DROPOUT, rng) for _ in range(2)]

    def heads(self, x):
        return x.reshape(len(x), self.TOKENS, self.HEADS, self.HEAD).swapaxes(1, 2)

    def joined(self, x):
        return x.swapaxes(1, 2).reshape(len(x), self.TOKENS, -1)

    def tokens(self, x):
        lines = np.pad(x, ((0, 0), (SIDE, SIDE)))
        starts = range(0, SIDE * self.TOKENS, SIDE)
        return np.stack([lines[:, start : start + self.PIXELS] for start in starts], axis=1)

    def linear(self, name, x):
        return linear(x, self.parameters[f"{name}_weights"], self.parameters[f"{name}_bias"])

    def norm(self, name, x):
        return norm(x, self.parameters[f"{name}_gamma"], self.parameters[f"{name}_beta"])

    def forward(self, x, masks=None):
        """The layers, in the order in which the firmware needs their amaxes: tokens, first norm, queries, keys,
        values, attention, second norm, hidden units, stream of all tokens, classes."""
        tokens = self.tokens(x)
        stream = self.linear("embed", tokens) + self.parameters["positions"]
        masks = masks or [F32(1)] * 2
        seen, kept1 = self.norm("norm1", stream)
        asked = [self.linear(name, seen) for name in ("query", "key", "value")]
        mixed, kept_mixed = attention(*map(self.heads, asked))
        mixed = self.joined(mixed)
        stream = stream + self.linear("output", mixed) * masks[0]
        read, kept2 = self.norm("norm2", stream)
        hidden = np.maximum(self.linear("up", read), 0)
        stream = stream + self.linear("down", hidden) * masks[1]
        features = stream.reshape(len(x), -1)
        layers = [tokens, seen, *asked, mixed, read, hidden, features]
        return [*layers, self.linear("classes", features)], (kept1, kept_mixed, kept2, masks)

    def backward(self, g, layers, kept):
        p, d = self.parameters, {}
        tokens, seen, _, _, _, mixed, read, hidden, features, _ = layers
        kept1, kept_mixed, kept2, masks = kept

        def back(name, g, x):
            g, d[f"{name}_weights"], d[f"{name}_bias"] = linear_back(g, x, p[f"{name}_weights"])
            return g

        def back_norm(name, g, kept):
            gamma = p[f"{name}_gamma"]
            g, d[f"{name}_gamma"], d[f"{name}_beta"] = norm_back(g, kept, gamma)
            return g

        g = back("classes", g, features).reshape(len(tokens), self.TOKENS, self.WIDTH)
        inner = back("down", g * masks[1], hidden)
        g = g + back_norm("norm2", back("up", inner * (hidden > 0), read), kept2)
        inner = self.heads(back("output", g * masks[0], mixed))
        asked = zip(("query", "key", "value"), attention_back(inner, kept_mixed))
        inner = sum(back(name, self.joined(part), seen) for name, part in asked)
        g = g + back_norm("norm1", inner, kept1)
        d["positions"] = g.sum(axis=0)
        back("embed", g, tokens)
        return d


NETWORKS = {network.NAME: network for network in (Perceptron, Cnn, Transformer)}
