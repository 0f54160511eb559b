// SPDX-License-Identifier: Apache-2.0
// One integer wide enough for every sum that the definitions form: nothing is rounded in it.
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
// The multiple of 2^exponent next to the sum: toward zero, downward, or to odd.
void fp8mac_exact_truncate(fp8mac_exact *sum, int32_t exponent, fp8mac_align_round round);
// The first 64 bits of the sum, the last of them sticky, which no rounding to 62 bits can tell from
// the whole. Zero is +0.
fp8mac_value fp8mac_exact_value(const fp8mac_exact *sum);

#endif
