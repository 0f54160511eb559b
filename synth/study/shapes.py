# SPDX-License-Identifier: Apache-2.0
"""How much of its time an array of 256 MACs computes, by its shape: a model of the cycles of the layers below.

A layer is one product of matrices, m x k times k x n, with FP8 operands and results and a memory of 16 bytes a cycle. Its
tiles of ROWS x COLS outputs are computed in passes of up to PASS_TILES, block by block: the shape of a pass is the best of
1x4, 2x2 and 4x1. A block takes as many cycles as it has steps, at least as many as elements share an accumulate unit, and a
round over the tiles of a pass takes at least the cycles of the accumulation loop. Loading, computing and storing overlap;
OVERHEAD cycles do not. Operands are loaded once. The share is that of the roofline: the largest of the cycles that 256
MACs, the loads and the stores need at least.
"""

from __future__ import annotations

import math
from functools import cache

from rtl.catalogue.rules import PASS_TILES

MACS = 256
BUS_BYTES = 16
OVERHEAD = 150

# m, n, k. BERT-base, TinyLlama, MobileNetV2, ResNet-50, the gates of an LSTM, keyword spotting
LAYERS = (
    *((128, 768, 768), (128, 3072, 768), (128, 768, 3072), (128, 128, 64), (128, 64, 128)),
    *((64, 2048, 2048), (64, 256, 2048), (64, 5632, 2048)),
    *((3136, 144, 24), (784, 192, 32), (196, 384, 64), (196, 96, 576), (49, 960, 160)),
    (49, 320, 960),
    *((784, 128, 1152), (196, 256, 2304), (49, 512, 4608)),
    (16, 512, 256),
    *((125, 64, 64), (125, 64, 40)),
)


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def compute(
    layer: tuple[int, int, int],
    rows: int,
    columns: int,
    lanes: int,
    block: int,
    share: int,
    loop: int,
) -> int:
    """Cycles of the array, with the best shape of a pass."""
    m, n, k = layer
    down, across = _ceil(m, rows), _ceil(n, columns)
    blocks = [min(block, k - first) for first in range(0, k, block)]
    cycles = [max(_ceil(products, lanes), share) for products in blocks]
    least = loop if len(blocks) > 1 else 0

    def passes(high: int) -> int:
        wide = PASS_TILES // high
        tiles = [
            min(high, down - top) * min(wide, across - left)
            for top in range(0, down, high)
            for left in range(0, across, wide)
        ]
        return sum(max(count * one, least) for count in tiles for one in cycles)

    return min(passes(high) for high in (1, 2, 4))


@cache
def share_of_roofline(
    rows: int, columns: int, lanes: int, block: int, share: int, loop: int
) -> float:
    """The geometric mean over LAYERS."""
    logs = []
    for layer in LAYERS:
        m, n, k = layer
        moves = max((m + n) * _ceil(k, BUS_BYTES), _ceil(m * n, BUS_BYTES))
        took = max(compute(layer, rows, columns, lanes, block, share, loop), moves) + OVERHEAD
        logs.append(math.log(max(m * n * k / MACS, moves) / took))
    return math.exp(sum(logs) / len(logs))
