// SPDX-License-Identifier: Apache-2.0
// Rounding of one integer significand: the only place where bits are given up.
#ifndef FP8MAC_ROUND_H
#define FP8MAC_ROUND_H

#include <stdint.h>

#include "fp8mac/convert.h"

// Number of bits from the leading one down; 0 for 0.
static inline int32_t fp8mac_bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - (int32_t)__builtin_clzll(x);
}

// round(sig / 2^shift), shift >= 1.
//
//   63              shift  shift-1            0
//   |      kept         |  |       rest       |     half = 2^(shift-1)
//
//   nearest even: kept + 1 if rest > half, or rest = half and kept is odd
//   toward zero:  kept
//
// Beyond 64, everything is below half.
static inline uint64_t fp8mac_round_right(uint64_t sig, int32_t shift, fp8mac_rounding rounding)
{
    if (shift > 64) {
        return 0;
    }
    uint64_t kept = shift < 64 ? sig >> shift : 0;
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t rest = sig & ((half - 1) | half);
    if (rounding == FP8MAC_ROUND_NEAREST_EVEN && (rest > half || (rest == half && (kept & 1) != 0))) {
        kept++;
    }
    return kept;
}

#endif
