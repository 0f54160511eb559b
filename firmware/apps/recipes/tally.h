// SPDX-License-Identifier: Apache-2.0
// Counts what a conversion to FP8 has lost, in integers: chip and host count the same.
#ifndef TALLY_H
#define TALLY_H

#include "fp8mac/convert.h"

typedef struct tally {
    uint32_t outputs;
    uint32_t overflow;  // beyond the largest number: saturated, or Inf
    uint32_t zero;      // flushed to zero
    uint32_t subnormal; // coded as a subnormal number
    // Sums of squares, in units of (2^-23 of a power of two above the output's amax)^2
    uint64_t signal, noise;
} tally;

// Adds `count` finite values and their codes. The values are at most `amax`; up to 2^16 of them may
// be added with one amax. `scale` is the quantising scale; the numbers of the codes are multiplied
// by its inverse. An Inf counts as the largest number.
void tally_add(tally *t, fp8mac_format_id format, const float *values, const uint8_t *codes,
               uint32_t count, float scale, float amax);
// Signal to noise in hundredths of a decibel: 1000 * log10(signal / noise). At most TALLY_CLEAN,
// which is also what no noise gives.
#define TALLY_CLEAN 9999
int32_t tally_decibels(const tally *t);

#endif
