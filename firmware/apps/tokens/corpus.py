# SPDX-License-Identifier: Apache-2.0
"""The text of `tokens` and its vocabulary.

The text is the King James Bible of Debian's packages bible-kjv and bible-kjv-text (public domain): a verse a line, without
its number. Of each 16 chapters' worth of verses the last one is held out for the test.

A token is a piece of a word. Pieces come from byte pair encoding: beginning with single characters, the two neighbours that
are most frequent together become a new piece, until there are VOCABULARY of them. A word has the space in front of it.
"""

from __future__ import annotations

import collections
import itertools
import re
import subprocess

import numpy as np

VOCABULARY = 512
BLOCK, PARTS = 24, 16  # verses of a block; one block in PARTS is held out
WORDS = re.compile(r"\n| ?[A-Za-z']+| ?[^A-Za-z\s]+")


def verses() -> list[str]:
    try:
        done = subprocess.run(
            ["bible", "-f", "Gen1:1-Rev22:21"], capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        raise SystemExit("the text is missing: Debian's package bible-kjv") from None
    return [line.split(" ", 1)[1].strip() for line in done.stdout.splitlines() if " " in line]


def texts() -> tuple[str, str]:
    """What the network learns from, and what it is tested with."""
    lines = verses()
    held = [i // BLOCK % PARTS == PARTS - 1 for i in range(len(lines))]
    learn, test = ("\n".join(x for x, h in zip(lines, held) if h == want) for want in (0, 1))
    return learn + "\n", test + "\n"


def pieces_of(text: str) -> list[str]:
    """The vocabulary. Pieces that are equally frequent are taken in the order of their characters."""
    counts = collections.Counter(WORDS.findall(text))
    words = {word: tuple(word) for word in counts}
    pieces = sorted({c for word in counts for c in word})
    while len(pieces) < VOCABULARY:
        pairs: collections.Counter = collections.Counter()
        for word, parts in words.items():
            for pair in itertools.pairwise(parts):
                pairs[pair] += counts[word]
        if not pairs:  # all words are pieces
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        pieces.append("".join(best))
        words = {w: _joined(p, best) if len(p) > 1 else p for w, p in words.items()}
    return pieces


def _joined(parts: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    out, i = [], 0
    while i < len(parts):
        if parts[i : i + 2] == pair:
            out.append(parts[i] + parts[i + 1])
            i += 2
        else:
            out.append(parts[i])
            i += 1
    return tuple(out)


class Tokeniser:
    """Text to numbers of pieces: the pair whose piece comes first in the vocabulary is joined first."""

    def __init__(self, pieces: list[str]):
        self.pieces, self.number = pieces, {piece: i for i, piece in enumerate(pieces)}
        self.known: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> np.ndarray:
        return np.array([t for word in WORDS.findall(text) for t in self._word(word)], np.uint16)

    def decode(self, tokens) -> str:
        return "".join(self.pieces[t] for t in tokens)

    def _word(self, word: str) -> tuple[int, ...]:
        if word not in self.known:
            parts = tuple(word)
            while len(parts) > 1:
                pairs = [p for p in itertools.pairwise(parts) if p[0] + p[1] in self.number]
                if not pairs:
                    break
                parts = _joined(parts, min(pairs, key=lambda p: self.number[p[0] + p[1]]))
            self.known[word] = tuple(self.number[p] for p in parts)
        return self.known[word]
