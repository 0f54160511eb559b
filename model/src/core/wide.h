// SPDX-License-Identifier: Apache-2.0
// Exact sums as 128-bit integers with an exponent, and their conversion to a value.
#ifndef FP8MAC_WIDE_H
#define FP8MAC_WIDE_H

#include "core/internal.h"
#include "core/round.h"

__extension__ typedef __int128 fp8mac_int128;
__extension__ typedef unsigned __int128 fp8mac_uint128;

static inline fp8mac_uint128 fp8mac_magnitude128(fp8mac_int128 x)
{
    return x < 0 ? -(fp8mac_uint128)x : (fp8mac_uint128)x;
}

static inline int32_t fp8mac_bit_length128(fp8mac_uint128 x)
{
    uint64_t high = (uint64_t)(x >> 64);
    return high != 0 ? 64 + fp8mac_bit_length(high) : fp8mac_bit_length((uint64_t)x);
}

// (-1)^sign * magnitude * 2^exponent, reduced to its first 64 bits. Dropped bits are ORed into the
// last of them, which is sticky. A rounding to at most 62 bits gives the result of the whole.
static inline fp8mac_value fp8mac_value_from_wide(bool sign, fp8mac_uint128 magnitude,
                                                  int32_t exponent)
{
    if (magnitude == 0) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_ZERO};
    }
    int32_t shift = fp8mac_bit_length128(magnitude) - 64;
    if (shift < 0) {
        shift = 0;
    }
    fp8mac_uint128 kept = magnitude >> shift;
    uint64_t sticky = kept << shift != magnitude ? 1 : 0;
    return (fp8mac_value){.cls = FP8MAC_CLASS_FINITE,
                          .sign = sign,
                          .significand = (uint64_t)kept | sticky,
                          .exponent = exponent + shift};
}

#endif
