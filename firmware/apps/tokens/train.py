# SPDX-License-Identifier: Apache-2.0
"""train.py FOLDER [--steps N] [--out FILE]: trains the network of `tokens` in NumPy, in about 40 minutes of one core.

It goes on where it was stopped: FOLDER/state.npz is written every 200 steps. With --out the weights are written as
stored.py says, with the vocabulary and the first TEST tokens of the text that is held out. The steps depend on nothing but
SEED and their number, but sums of NumPy's products differ from machine to machine, and so do the weights.

weights.npz is what --out wrote after STEPS steps.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import corpus
import numpy as np
import stored

import model

SEED = 2026
BATCH = 16
STEPS = 6000
RATE, WARM, LEAST = 3e-3, 200, 0.02  # of steps; the rate falls to LEAST of it as a half cosine
DECAY, CLIP = 0.05, 1.0
BETAS, TINY = (0.9, 0.98), 1e-9
SAVE = 200
TEST, CALIBRATION = 8193, 2048  # tokens that are written


def rate(step: int, steps: int) -> float:
    if step < WARM:
        return RATE * (step + 1) / WARM
    done = (step - WARM) / max(steps - WARM, 1)
    return RATE * (LEAST + (1 - LEAST) * 0.5 * (1 + np.cos(np.pi * done)))


def batch_of(tokens: np.ndarray, step: int):
    starts = np.random.default_rng((SEED, step)).integers(0, len(tokens) - model.CONTEXT - 1, BATCH)
    rows = tokens[starts[:, None] + np.arange(model.CONTEXT + 1)].astype(np.int64)
    return rows[:, :-1], rows[:, 1:]


def update(p: dict, d: dict, moments: dict, step: int, steps: int) -> None:
    """Adam with decay of matrices; gradients are clipped to a norm. The committed weights are its bits, so it is no library's."""
    norm = np.sqrt(sum(float((g * g).sum()) for g in d.values()))
    factor, speed = min(1.0, CLIP / (norm + 1e-12)), rate(step, steps)
    for name, value in p.items():
        g = d[name] * np.float32(factor)
        m, v = moments[f"m.{name}"], moments[f"v.{name}"]
        m += (1 - BETAS[0]) * (g - m)
        v += (1 - BETAS[1]) * (g * g - v)
        first, second = (x / (1 - b ** (step + 1)) for x, b in ((m, BETAS[0]), (v, BETAS[1])))
        decay = DECAY * value if value.ndim == 2 and name != "position" else 0
        value -= (speed * (first / (np.sqrt(second) + TINY) + decay)).astype(np.float32)


def start(folder: Path):
    """The pieces, parameters, moments and the step to go on with."""
    state = folder / "state.npz"
    if state.exists():
        with np.load(state) as data:
            arrays = {name: data[name] for name in data.files}
        p = {name[2:]: arrays[name] for name in arrays if name.startswith("p.")}
        moments = {name: arrays[name] for name in arrays if name[:2] in ("m.", "v.")}
        return list(map(str, arrays["pieces"])), p, moments, int(arrays["step"])
    p = model.parameters(np.random.default_rng(SEED))
    moments = {f"{kind}.{name}": np.zeros_like(x) for kind in "mv" for name, x in p.items()}
    return corpus.pieces_of(corpus.texts()[0]), p, moments, 0


def save(folder: Path, pieces: list[str], p: dict, moments: dict, step: int) -> None:
    arrays = {f"p.{name}": x for name, x in p.items()} | moments
    part = folder / "state.part.npz"
    np.savez(part, pieces=np.array(pieces), step=step, **arrays)
    part.replace(folder / "state.npz")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    pieces, p, moments, first = start(options.folder)
    tokeniser = corpus.Tokeniser(pieces)
    learn, test = map(tokeniser.encode, corpus.texts())
    print(f"{sum(x.size for x in p.values())} parameters, {len(learn)} and {len(test)} tokens")
    begun, losses = time.time(), []
    for step in range(first, options.steps):
        x, y = batch_of(learn, step)
        logits, state = model.forward(p, x)
        value, g = model.loss(logits, y)
        losses.append(value)
        update(p, model.backward(p, g, state), moments, step, options.steps)
        if (step + 1) % SAVE == 0 or step + 1 == options.steps:
            save(options.folder, pieces, p, moments, step + 1)
            tested = model.evaluate(p, test[:TEST].astype(np.int64))
            seconds = time.time() - begun
            print(
                f"step {step + 1}: loss {np.mean(losses[-SAVE:]):.3f}, "
                f"perplexity of the test {np.exp(tested):.2f}, {seconds:.0f} s",
                flush=True,
            )
    if options.out:
        weights = {name: stored.planes(x) for name, x in p.items()}
        pieces = np.frombuffer("\0".join(pieces).encode(), np.uint8)
        parts = {"pieces": pieces, "test": test[:TEST], "calibration": learn[:CALIBRATION]}
        np.savez_compressed(options.out, **parts, **weights)
    return 0


if __name__ == "__main__":
    sys.exit(main())
