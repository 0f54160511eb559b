# SPDX-License-Identifier: Apache-2.0
"""How weights.npz keeps a weight: a float16 whose fraction is rounded to 6 of its 10 bits, in two bytes.

     15 14      10 9         4 3      0
    +--+----------+-----------+--------+
    |s | exponent | fraction  | 0 0 0 0|
    +--+----------+-----------+--------+

The high bytes of an array come first, then its low bytes, because the file is smaller so: the low ones have 16 values.
The rounding changes a weight by 1 part in 128 at most. FP8's changes it by 1 in 16.
"""

from __future__ import annotations

import numpy as np

DROPPED = 4  # bits of the fraction


def planes(weights: np.ndarray) -> np.ndarray:
    """2 x the shape of the weights, in bytes. Halves are rounded to the even code."""
    bits = weights.astype(np.float16).view(np.uint16).astype(np.uint32)
    odd = bits >> DROPPED & 1
    bits = (bits + (1 << (DROPPED - 1)) - 1 + odd) >> DROPPED << DROPPED
    return np.stack([bits >> 8, bits & 0xFF]).astype(np.uint8)


def values(planes: np.ndarray) -> np.ndarray:
    high, low = planes.astype(np.uint16)
    return (high << 8 | low).view(np.float16).astype(np.float32)
