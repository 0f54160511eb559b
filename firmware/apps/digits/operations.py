# SPDX-License-Identifier: Apache-2.0
"""Operations of the networks in float32, each with its reverse pass: NAME_back takes the gradient of the output and
gives that of the input, then those of the parameters."""

import numpy as np

EPSILON = np.float32(1e-5)  # of layer norm


def linear(x, weights, bias):
    return x @ weights.T + bias


def linear_back(g, x, weights):
    rows = g.reshape(-1, g.shape[-1])
    return g @ weights, rows.T @ x.reshape(-1, x.shape[-1]), rows.sum(axis=0)


def patches(x, kernel, stride):
    """What each output of a convolution sees, padded by kernel // 2: n x lines x pixels x (ky, kx, channel)."""
    pad = kernel // 2
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    view = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), axis=(1, 2))
    view = view[:, ::stride, ::stride].transpose(0, 1, 2, 4, 5, 3)
    return view.reshape(*view.shape[:3], -1)


def patches_back(g, shape, kernel, stride):
    n, height, width, channels = shape
    pad = kernel // 2
    out = np.zeros((n, height + 2 * pad, width + 2 * pad, channels), g.dtype)
    lines, pixels = g.shape[1:3]
    g = g.reshape(n, lines, pixels, kernel, kernel, channels)
    for y in range(kernel):
        for x in range(kernel):
            out[:, y : y + stride * lines : stride, x : x + stride * pixels : stride] += g[
                :, :, :, y, x
            ]
    return out[:, pad : pad + height, pad : pad + width]


def norm(x, gamma, beta):
    """Layer norm; also what norm_back needs."""
    centred = x - x.mean(axis=-1, keepdims=True)
    factor = 1 / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + EPSILON)
    unit = centred * factor
    return unit * gamma + beta, (unit, factor)


def norm_back(g, kept, gamma):
    unit, factor = kept
    mean = lambda t: t.mean(axis=-1, keepdims=True)
    scaled, rows = g * gamma, tuple(range(g.ndim - 1))
    back = (scaled - mean(scaled) - unit * mean(scaled * unit)) * factor
    return back, (g * unit).sum(axis=rows), g.sum(axis=rows)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    e /= e.sum(axis=-1, keepdims=True)
    return e


def softmax_back(g, y):
    return y * (g - (g * y).sum(axis=-1, keepdims=True))


def attention(query, key, value):
    """Over the last two axes, tokens x size; also what attention_back needs."""
    factor = query.dtype.type(1 / np.sqrt(query.shape[-1]))
    weights = softmax(query @ key.swapaxes(-1, -2) * factor)
    return weights @ value, (query, key, value, weights, factor)


def attention_back(g, kept):
    query, key, value, weights, factor = kept
    scores = softmax_back(g @ value.swapaxes(-1, -2), weights) * factor
    return scores @ key, scores.swapaxes(-1, -2) @ query, weights.swapaxes(-1, -2) @ g


def dropout(shape, rate, rng):
    """Factors of a layer's outputs: 0 with the probability `rate`, else 1 / (1 - rate)."""
    return (rng.random(shape) >= rate).astype(np.float32) / np.float32(1 - rate)
