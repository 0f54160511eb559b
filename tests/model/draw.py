# SPDX-License-Identifier: Apache-2.0
"""Random operands for the dot product: full-range codes, accumulators near the sum, scaling exponents."""

import numpy as np
from oracle import exact


class Codes:
    """Random operand codes of one format, with less or more chance of a special."""

    def __init__(self, name):
        decoded = [exact.decode(exact.ARRAY_FORMATS[name], code) for code in range(256)]
        classes = [
            [c for c in range(256) if decoded[c][0] in kinds]
            for kinds in (
                (exact.FINITE, exact.ZERO),
                (exact.ZERO,),
                (exact.INF, exact.NAN, exact.ZERO),
            )
        ]
        self.finite, self.zeros, self.specials = (np.array(c, np.uint8) for c in classes)
        largest = exact.max_code(exact.ARRAY_FORMATS[name])
        signs = [0, 128]
        self.extremes = np.array(
            [s | c for s in signs for c in (1, 2, largest - 1, largest, largest >> 1)], np.uint8
        )

    def draw(self, rng, n):
        kind = rng.integers(0, 8)
        if kind == 0:
            return rng.integers(0, 256, n, dtype=np.uint8)
        if kind == 1:
            return self.zeros[rng.integers(0, self.zeros.size, n)]
        if kind == 2:
            return self.extremes[rng.integers(0, self.extremes.size, n)]
        codes = self.finite[rng.integers(0, self.finite.size, n)]
        if kind == 3:
            codes[rng.integers(0, n)] = self.specials[rng.integers(0, self.specials.size)]
        return codes


def draw_acc(rng, row, sum_value, scale):
    """An accumulator code: any pattern, a special, subnormal, or close to minus the products' exact sum."""
    kind = rng.integers(0, 8)
    bits = exact.width(row)
    sign = int(rng.integers(0, 2)) << (bits - 1)
    if kind == 0:
        return int(rng.integers(0, 1 << bits))
    if kind == 1:
        specials = (
            0,
            1,
            exact.inf_code(row),
            exact.inf_code(row) + 1,
            exact.nan_code(row) + 1,
            exact.max_code(row),
            exact.max_code(row) - 1,
            1 << row.mantissa_bits,
        )
        return sign | specials[rng.integers(0, len(specials))]
    if kind == 2:
        return sign | int(rng.integers(0, 1 << row.mantissa_bits))
    if kind == 3:
        return sign
    if sum_value == 0:
        return sign | int(rng.integers(0, exact.inf_code(row)))
    value = (exact.FINITE, int(sum_value > 0), abs(sum_value), scale - 2 * exact.UNIT)
    code = exact.convert(row, value, overflow=exact.IEEE)[0]
    if kind == 4:  # minus the sum, rounded: cancellation down to the rounding error or to zero
        return code
    # a few binades above or below the sum, of either sign: halfway cases and sticky bits
    shift = int(rng.integers(-row.mantissa_bits - 3, row.mantissa_bits + 4)) << row.mantissa_bits
    near = (code & ~(1 << (bits - 1))) + shift + int(rng.integers(-2, 3))
    return sign | min(max(near, 0), exact.max_code(row))


def draw_scale(rng, row):
    """(sa, sb) over the whole range, FP16's more often where its own range is."""
    sa, sb = (int(x) for x in rng.integers(-32, 33, 2))
    kind = rng.integers(0, 4)
    if kind == 0:
        return int(rng.choice([-32, 32])), int(rng.choice([-32, 32]))
    if kind == 1 or row is exact.FP16:
        return sa, max(-32, min(32, -sa + int(rng.integers(-12, 13))))
    return sa, sb


def draw_long(rng, codes, k):
    """k codes, mostly finite: specials end what is left to test."""
    out = codes.finite[rng.integers(0, codes.finite.size, k)]
    if rng.integers(0, 6) == 0:
        out[rng.integers(0, k)] = codes.specials[rng.integers(0, codes.specials.size)]
    return out.tobytes()


def draw_k(rng):
    return int(rng.integers(1, 2000 if rng.integers(0, 20) == 0 else 70))
