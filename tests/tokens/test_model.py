# SPDX-License-Identifier: Apache-2.0
"""The language model of the application tokens: its gradients, its vocabulary, and the perplexities of its weights."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "firmware/apps/tokens"))

import corpus
import quantised

import model

STEP = 1e-7


@pytest.fixture
def weights():
    return quantised.read()


def test_gradients(bench, monkeypatch) -> None:
    """Each parameter's largest gradient is the quotient of differences, in double precision."""
    monkeypatch.setattr(model, "FACTOR", np.float64(model.SIZE) ** -0.5)
    monkeypatch.setattr(model, "F32", np.float64)
    rng = np.random.default_rng(7)
    p = {name: x.astype(np.float64) for name, x in model.parameters(rng).items()}
    tokens, wanted = rng.integers(0, model.WORDS, (2, 2, 9))
    scores, state = model.forward(p, tokens)
    found = model.backward(p, model.loss(scores, wanted)[1], state)
    for name, values in p.items():
        place = np.unravel_index(np.argmax(np.abs(found[name])), values.shape)
        ends = []
        for sign in (1, -1):
            kept = values[place]
            values[place] = kept + sign * STEP
            ends.append(model.loss(model.forward(p, tokens)[0], wanted)[0])
            values[place] = kept
        slope = (ends[0] - ends[1]) / (2 * STEP)
        error = abs(slope - found[name][place]) / abs(slope)
        bench.check(f"{name}: {found[name][place]}, {slope}", error < 1e-3)


def test_vocabulary(bench, weights) -> None:
    """Text becomes pieces and text again; the test's tokens are text."""
    _, pieces, test, calibration = weights
    tokeniser = corpus.Tokeniser(pieces)
    for tokens in (test, calibration):
        text = tokeniser.decode(tokens)
        bench.check("pieces are text again", tokeniser.decode(tokeniser.encode(text)) == text)
        same = (tokeniser.encode(text)[:1000] == tokens[:1000]).mean()
        bench.check(f"{same:.3f} of the tokens are those", same == 1.0)
    bench.check("the pieces differ", len(set(pieces)) == len(pieces) == model.WORDS)
    text = "in the end\nthe end of the thing\n" * 3
    learned = corpus.pieces_of(text)
    characters = len(set(text))
    bench.check("characters come first", set(learned[:characters]) == set(text))
    # " the" and " end" are in the text more often than any other pair of neighbours.
    bench.check(
        f"then the most frequent pair: {learned[characters]}",
        learned[characters] in (" t", "he", "th"),
    )
    bench.check("words become pieces", {" the", " end", " thing"} <= set(learned))


def test_perplexity(bench, weights, request) -> None:
    """FP8, INT8 and MX cost what the result file says, over all of the test."""
    p, _, test, calibration = weights
    row = json.loads((ROOT / "sim/bench/quality.json").read_text())["rows"]["text"]
    found = {
        "float32": float(np.exp(model.evaluate(p, test))),
        "FP8": quantised.perplexity(quantised.Fp8(p, calibration), test),
        "INT8": quantised.perplexity(quantised.Int8(p, calibration), test),
        "MX": quantised.perplexity(quantised.Mx(p, calibration), test),
    }
    for name, value in found.items():
        recorded = row[f"{name.lower()}_perplexity"]
        bench.check(
            f"{name}: {value:.3f}; the results have {recorded}", abs(value - recorded) < 0.02
        )
