# SPDX-License-Identifier: Apache-2.0
"""train.py FOLDER [--epochs N] [--out FILE]: trains the network of fashion-MNIST in NumPy, in about 25 minutes of one core.

It goes on where it was stopped: FOLDER/state.npz is written after each epoch. With --out the weights are written as float16,
with a few images for calibration and for the test. The steps depend on nothing but SEED and their number, but sums of
NumPy's products differ from machine to machine, and so do the weights.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import data
import network
import numpy as np

SEED = 2026
EPOCHS, BATCH = 12, 64
RATE, LEAST = 3e-3, 0.01  # of steps; the rate falls to LEAST of it as a half cosine
DECAY, SMOOTHING = 0.02, 0.05
BETAS, TINY = (0.9, 0.98), 1e-8
SHIFT = 2  # pixels at most
F32 = np.float32


def varied(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each image moved a little, half of them mirrored."""
    side = images.shape[1]
    padded = np.pad(images, ((0, 0), (SHIFT, SHIFT), (SHIFT, SHIFT)))
    places = np.arange(side)
    rows, cols = (rng.integers(0, 2 * SHIFT + 1, (len(images), 1)) + places for _ in range(2))
    mirrored = rng.random(len(images)) < 0.5
    cols[mirrored] = cols[mirrored, ::-1]
    return padded[np.arange(len(images))[:, None, None], rows[:, :, None], cols[:, None, :]]


def gradients(p: dict, images: np.ndarray, labels: np.ndarray):
    """The cross-entropy with smoothed labels, and its gradients by name."""
    scores, state = network.forward(p, network.pixels(images))
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    wanted = np.full_like(shares, SMOOTHING / network.CLASSES)
    wanted[np.arange(len(labels)), labels] += 1 - SMOOTHING
    loss = -float((wanted * np.log(np.maximum(shares, 1e-30))).sum(axis=1).mean())
    return loss, network.backward(p, (shares - wanted) / F32(len(labels)), state)


def update(p: dict, d: dict, moments: dict, step: int, steps: int) -> None:
    """Adam, with decay of weights. The committed weights are its bits, so it is no library's."""
    speed = RATE * (LEAST + (1 - LEAST) * 0.5 * (1 + np.cos(np.pi * step / steps)))
    for name, value in p.items():
        m, v = moments[f"m.{name}"], moments[f"v.{name}"]
        m += F32(1 - BETAS[0]) * (d[name] - m)
        v += F32(1 - BETAS[1]) * (d[name] * d[name] - v)
        first, second = (x / F32(1 - b ** (step + 1)) for x, b in ((m, BETAS[0]), (v, BETAS[1])))
        if value.ndim == 2:
            value *= F32(1 - speed * DECAY)
        value -= F32(speed) * first / (np.sqrt(second) + F32(TINY))


def start(folder: Path):
    """Parameters, moments and the epoch to go on with."""
    state = folder / "state.npz"
    if state.exists():
        with np.load(state) as found:
            arrays = {name: found[name] for name in found.files}
        p = {name[2:]: x for name, x in arrays.items() if name.startswith("p.")}
        return (
            p,
            {name: x for name, x in arrays.items() if name[:2] in ("m.", "v.")},
            int(arrays["epoch"]),
        )
    p = network.parameters(np.random.default_rng(SEED))
    return p, {f"{kind}.{name}": np.zeros_like(x) for kind in "mv" for name, x in p.items()}, 0


def save(folder: Path, p: dict, moments: dict, epoch: int) -> None:
    part = folder / "state.part.npz"
    np.savez(part, epoch=epoch, **{f"p.{name}": x for name, x in p.items()}, **moments)
    part.replace(folder / "state.npz")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    images, labels = data.load("train")
    test = data.load("t10k")
    p, moments, first = start(options.folder)
    print(f"{sum(x.size for x in p.values()):,} parameters, {len(images):,} images")
    batches = len(images) // BATCH
    begun = time.time()
    for epoch in range(first, options.epochs):
        rng = np.random.default_rng((SEED, epoch))
        order, losses = rng.permutation(len(images)), []
        for i in range(batches):
            chosen = order[i * BATCH : (i + 1) * BATCH]
            loss, d = gradients(p, varied(images[chosen], rng), labels[chosen])
            update(p, d, moments, epoch * batches + i, options.epochs * batches)
            losses.append(loss)
        save(options.folder, p, moments, epoch + 1)
        seconds, right = time.time() - begun, network.correct(p, *test)
        print(
            f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, {right} of {len(test[0])}, {seconds:.0f} s",
            flush=True,
        )
    if options.out:
        data.write(options.out, p)
    return 0


if __name__ == "__main__":
    sys.exit(main())
