// SPDX-License-Identifier: Apache-2.0
// Rounding of one integer significand.
#ifndef FP8MAC_ROUND_H
#define FP8MAC_ROUND_H

#include <stdint.h>

#include "core/internal.h"

// Number of bits from the leading one down; 0 for 0.
static inline int32_t fp8mac_bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - (int32_t)__builtin_clzll(x);
}

// floor(sig * 2^bits / 2^shift), for results of at most 64 bits.
static inline uint64_t fp8mac_floor_scaled(uint64_t sig, int32_t shift, int32_t bits)
{
    int32_t right = shift - bits;
    return right >= 64 ? 0 : right >= 0 ? sig >> right : sig << -right;
}

// Whether sig / 2^shift is an integer; shift may have either sign.
static inline bool fp8mac_is_multiple(uint64_t sig, int32_t shift)
{
    return shift <= 0 || sig == 0 || (shift < 64 && (sig & ((UINT64_C(1) << shift) - 1)) == 0);
}

// round(sig / 2^shift), shift >= 1.
//
//   63              shift  shift-1            0
//   |      kept         |  |       rest       |     half = 2^(shift-1)
//                          | first n |
//
//   nearest even: kept + 1 if rest > half, or rest = half and kept is odd
//   toward zero:  kept
//   to odd:       kept with its last bit set if rest > 0
//   stochastic:   kept + 1 if first n + r carries out of n bits; later bits cannot change that
//
// Beyond 64, everything is below half.
static inline uint64_t fp8mac_round_right(uint64_t sig, int32_t shift, fp8mac_round_mode mode)
{
    uint64_t kept = shift < 64 ? sig >> shift : 0;
    if (mode.rounding == FP8MAC_ROUND_STOCHASTIC) {
        uint64_t first =
            fp8mac_floor_scaled(sig, shift, (int32_t)mode.n) & ((UINT64_C(1) << mode.n) - 1);
        return kept + ((first + mode.r) >> mode.n);
    }
    if (mode.rounding == FP8MAC_ROUND_ODD) {
        return kept | (fp8mac_is_multiple(sig, shift) ? 0 : 1);
    }
    if (shift > 64 || mode.rounding == FP8MAC_ROUND_TOWARD_ZERO) {
        return kept;
    }
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t rest = sig & ((half - 1) | half);
    return rest > half || (rest == half && (kept & 1) != 0) ? kept + 1 : kept;
}

#endif
