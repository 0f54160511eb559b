# SPDX-License-Identifier: Apache-2.0
"""The network of `tokens` in float32, with its gradients.

    stream = embed[token] + position[place]
    stream = stream + output(attention(norm(stream)))      4 heads of 32, causal
    stream = stream + down(ReLU(up(norm(stream))))         512 hidden units        both 5 times
    logits = embed * norm(stream)

A norm is x / sqrt(mean of x^2 + eps) * gamma. No product has a bias. Weights are n x k.
"""

from __future__ import annotations

import numpy as np

F32 = np.float32
LAYERS, WIDTH, HEADS, HIDDEN, CONTEXT, WORDS = 5, 128, 4, 512, 128, 512
SIZE = WIDTH // HEADS
FACTOR = F32(SIZE**-0.5)
EPSILON = F32(1e-5)
HIDDEN_BEHIND = F32(-1e30)  # the score of a token that comes later


def parameters(rng: np.random.Generator) -> dict[str, np.ndarray]:
    def normal(n: int, k: int, gain: float = 1.0) -> np.ndarray:
        return (rng.standard_normal((n, k)) * gain / np.sqrt(k)).astype(F32)

    p = {
        "embed": normal(WORDS, WIDTH),
        "position": normal(CONTEXT, WIDTH, 0.1),
        "norm": np.ones(WIDTH, F32),
    }
    less = (2 * LAYERS) ** -0.5  # what layers add to the stream
    for i in range(LAYERS):
        p |= {f"{i}.{name}": normal(WIDTH, WIDTH) for name in ("query", "key", "value")}
        p[f"{i}.output"] = normal(WIDTH, WIDTH, less)
        p[f"{i}.up"] = normal(HIDDEN, WIDTH, 2**0.5)
        p[f"{i}.down"] = normal(WIDTH, HIDDEN, less)
        p |= {f"{i}.norm1": np.ones(WIDTH, F32), f"{i}.norm2": np.ones(WIDTH, F32)}
    return p


def _norm(x: np.ndarray, gamma: np.ndarray):
    factor = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
    unit = x * factor
    return unit * gamma, (unit, factor)


def _norm_back(g: np.ndarray, kept, gamma: np.ndarray):
    unit, factor = kept
    scaled = g * gamma
    back = (scaled - unit * (scaled * unit).mean(axis=-1, keepdims=True)) * factor
    return back, (g * unit).reshape(-1, gamma.size).sum(axis=0)


def softmax(x: np.ndarray) -> np.ndarray:
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    x /= x.sum(axis=-1, keepdims=True)
    return x


def heads(x: np.ndarray) -> np.ndarray:
    """Sequences x tokens x width to sequences x heads x tokens x size"""
    return x.reshape(*x.shape[:2], HEADS, SIZE).swapaxes(1, 2)


def beside(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], WIDTH)


def later(tokens: int) -> np.ndarray:
    return np.triu(np.full((tokens, tokens), HIDDEN_BEHIND, F32), 1)


def _attention(p: dict, i: int, x: np.ndarray):
    a, norm = _norm(x, p[f"{i}.norm1"])
    q, k, v = (heads(a @ p[f"{i}.{name}"].T) for name in ("query", "key", "value"))
    weights = softmax(q @ k.swapaxes(-1, -2) * FACTOR + later(x.shape[1]))
    mixed = beside(weights @ v)
    return x + mixed @ p[f"{i}.output"].T, (a, norm, q, k, v, weights, mixed)


def _attention_back(p: dict, d: dict, i: int, g: np.ndarray, kept) -> np.ndarray:
    a, norm, q, k, v, weights, mixed = kept
    back = _product_back(p, d, f"{i}.output", g, mixed)
    gm = heads(back)
    gw = gm @ v.swapaxes(-1, -2)
    scores = weights * (gw - (gw * weights).sum(axis=-1, keepdims=True)) * FACTOR
    parts = scores @ k, scores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ gm
    total = sum(
        _product_back(p, d, f"{i}.{name}", beside(part), a)
        for name, part in zip(("query", "key", "value"), parts)
    )
    back, d[f"{i}.norm1"] = _norm_back(total, norm, p[f"{i}.norm1"])
    return g + back


def _product_back(p: dict, d: dict, name: str, g: np.ndarray, x: np.ndarray) -> np.ndarray:
    d[name] = g.reshape(-1, g.shape[-1]).T @ x.reshape(-1, x.shape[-1])
    return g @ p[name]


def _feed_forward(p: dict, i: int, x: np.ndarray):
    a, norm = _norm(x, p[f"{i}.norm2"])
    h = np.maximum(a @ p[f"{i}.up"].T, 0)
    return x + h @ p[f"{i}.down"].T, (a, norm, h)


def _feed_forward_back(p: dict, d: dict, i: int, g: np.ndarray, kept) -> np.ndarray:
    a, norm, h = kept
    back = _product_back(p, d, f"{i}.down", g, h) * (h > 0)
    back = _product_back(p, d, f"{i}.up", back, a)
    back, d[f"{i}.norm2"] = _norm_back(back, norm, p[f"{i}.norm2"])
    return g + back


def forward(p: dict, tokens: np.ndarray):
    """Logits of each token of sequences x tokens, and what backward needs."""
    x, kept = p["embed"][tokens] + p["position"][: tokens.shape[1]], []
    for i in range(LAYERS):
        x, attention = _attention(p, i, x)
        x, feed_forward = _feed_forward(p, i, x)
        kept.append((attention, feed_forward))
    last, norm = _norm(x, p["norm"])
    return last @ p["embed"].T, (tokens, last, norm, kept)


def backward(p: dict, g: np.ndarray, state) -> dict[str, np.ndarray]:
    tokens, last, norm, kept = state
    d: dict[str, np.ndarray] = {}
    g = _product_back(p, d, "embed", g, last)
    g, d["norm"] = _norm_back(g, norm, p["norm"])
    for i in reversed(range(LAYERS)):
        g = _feed_forward_back(p, d, i, g, kept[i][1])
        g = _attention_back(p, d, i, g, kept[i][0])
    np.add.at(d["embed"], tokens.reshape(-1), g.reshape(-1, WIDTH))
    d["position"] = np.zeros_like(p["position"])
    d["position"][: tokens.shape[1]] = g.sum(axis=0)
    return d


def loss(logits: np.ndarray, targets: np.ndarray):
    """Mean of -log(probability of the next token), and its gradient."""
    rows, wanted = logits.reshape(-1, WORDS), targets.reshape(-1)
    g = softmax(rows)
    place = np.arange(wanted.size)
    mean = float(-np.log(np.maximum(g[place, wanted], 1e-30)).mean())
    g[place, wanted] -= 1
    return mean, (g / wanted.size).reshape(logits.shape)


def evaluate(p: dict, tokens: np.ndarray) -> float:
    """Mean of -log(probability) over windows of CONTEXT tokens that follow each other."""
    count = (len(tokens) - 1) // CONTEXT
    x = tokens[: count * CONTEXT].reshape(count, CONTEXT)
    y = tokens[1 : count * CONTEXT + 1].reshape(count, CONTEXT)
    parts = [loss(forward(p, x[i : i + 16])[0], y[i : i + 16])[0] for i in range(0, count, 16)]
    sizes = [len(x[i : i + 16]) for i in range(0, count, 16)]
    return float(np.average(parts, weights=sizes))
