# SPDX-License-Identifier: Apache-2.0
"""The images of the digits, and how a network is trained on them.

Images: the UCI handwritten digits that come with scikit-learn, 8 x 8 pixels 0..16; a stratified 30 % is held out for
the test. Each epoch sees each training image distorted anew.
"""

import dataclasses

import numpy as np
from operations import softmax
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = 2026
TEST_IMAGES = 540
SIDE = 8
PIXEL_MAX = 16
F32 = np.float32


@dataclasses.dataclass(frozen=True)
class Training:
    epochs: int
    batch: int = 64
    rate: float = 2e-3  # at the start; it falls as a half cosine
    decay: float = 0.02  # of weights
    smoothing: float = 0.05  # of labels


def split():
    """Training images, test images, training labels, test labels; pixels are uint8."""
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    return train_test_split(
        images, labels, test_size=TEST_IMAGES, stratify=labels, random_state=SEED
    )


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


def gradients(network, x, labels, masks):
    """Of the cross-entropy with smoothed labels, by name."""
    layers, kept = network.forward(x, masks)
    p = softmax(layers[-1])
    smoothing = network.TRAINING.smoothing
    target = np.full_like(p, smoothing / p.shape[1])
    target[np.arange(len(labels)), labels] += 1 - smoothing
    return network.backward((p - target) / F32(len(labels)), layers, kept)


def train(network, images, labels, rng):
    """Adam with decoupled weight decay; the learning rate falls as a half cosine. The committed weights are its bits, so it is
    no library's.
    """
    settings, parameters = network.TRAINING, network.parameters
    mean, square = ({k: np.zeros_like(p) for k, p in parameters.items()} for _ in range(2))
    batches = len(images) // settings.batch
    steps = settings.epochs * batches
    for step in range(steps):
        at = step % batches * settings.batch
        if at == 0:
            order = rng.permutation(len(images))
            x, y = inputs(distort(images[order], rng)), labels[order]
        rows = slice(at, at + settings.batch)
        grads = gradients(network, x[rows], y[rows], network.masks(settings.batch, rng))
        rate = settings.rate * 0.5 * (1 + np.cos(np.pi * step / steps))
        for name, p in parameters.items():
            m, v, g = mean[name], square[name], grads[name]
            m += F32(0.1) * (g - m)
            v += F32(0.001) * (g * g - v)
            m_hat, v_hat = m / F32(1 - 0.9 ** (step + 1)), v / F32(1 - 0.999 ** (step + 1))
            if p.ndim == 2:
                p *= F32(1 - rate * settings.decay)
            p -= F32(rate) * m_hat / (np.sqrt(v_hat) + F32(1e-8))
