// SPDX-License-Identifier: Apache-2.0
// One integer that is wide enough for every sum of the definitions. It never rounds.
#ifndef FP8MAC_EXACT_H
#define FP8MAC_EXACT_H

#include "core/internal.h"

// Two's complement, least significant limb first, in units of 2^FP8MAC_EXACT_UNIT. A product of two
// operands is a multiple of 2^-524 below 2^324; the scaling exponents (+-64), lscale (-127) and
// block scales (+-254) give 2^-969 .. 2^642, and 1024 of them 10 bits more.
enum { FP8MAC_EXACT_LIMBS = 32, FP8MAC_EXACT_UNIT = -1100 };

typedef struct fp8mac_exact {
    uint64_t limb[FP8MAC_EXACT_LIMBS];
} fp8mac_exact;

// sum += value, which must be zero or finite.
void fp8mac_exact_add(fp8mac_exact *sum, fp8mac_value value);
void fp8mac_exact_add_exact(fp8mac_exact *sum, const fp8mac_exact *x);
// Truncates the sum to a multiple of 2^exponent: toward zero, down, or to odd.
void fp8mac_exact_truncate(fp8mac_exact *sum, int32_t exponent, fp8mac_align_round round);
// The first 64 bits of the sum, of which the last is sticky. A rounding to at most 62 bits gives
// the result of the whole sum. Zero is +0.
fp8mac_value fp8mac_exact_value(const fp8mac_exact *sum);

#endif
