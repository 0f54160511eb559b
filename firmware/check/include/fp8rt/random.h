// SPDX-License-Identifier: Apache-2.0
// Operands from a seed. The generator uses only integer arithmetic, so that host, chip and
// simulator draw the same bytes.
#ifndef FP8RT_RANDOM_H
#define FP8RT_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp8mac/format.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8rt_data {
    FP8RT_DATA_FINITE = 0, // magnitudes within a few binades of 1: no NaN, Inf, zero or subnormal
    FP8RT_DATA_WIDE = 1,   // all magnitudes, zeros and subnormals, but neither NaN nor Inf
    FP8RT_DATA_CODES = 2,  // every code equally likely
} fp8rt_data;

// Marsaglia's xorshift32; the state is never 0.
typedef struct fp8rt_random {
    uint32_t state;
} fp8rt_random;
fp8rt_random fp8rt_random_seed(uint32_t seed);
uint32_t fp8rt_random_next(fp8rt_random *random);
// `bytes` FP8 codes, a multiple of 4; `dst` is aligned to 4.
void fp8rt_random_codes(fp8rt_random *random, fp8rt_data data, fp8mac_format_id format, void *dst,
                        size_t bytes);
// Values of magnitude 2^-8 .. 2^8, greater than 0 or of either sign.
void fp8rt_random_floats(fp8rt_random *random, bool is_signed, float *dst, size_t count);

#ifdef __cplusplus
}
#endif
#endif
