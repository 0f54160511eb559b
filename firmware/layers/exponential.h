// SPDX-License-Identifier: Apache-2.0
// The core's part of softmax: rows of fixed-point logarithms become FP8 codes.
#ifndef FP8RT_LAYERS_EXPONENTIAL_H
#define FP8RT_LAYERS_EXPONENTIAL_H

#include "fixed.h"

enum { FP8RT_LOG_BITS = 12 };
// What turns a natural logarithm into words of logarithms, and the limit of these words.
#define FP8RT_LOG_FACTOR 5909.278887481194f // 2^12 / ln 2
#define FP8RT_LOG_LIMIT 4194303.0f

// The value of a code's number 1: the largest power of two of an FP8 format stands for 1.
float fp8rt_exponential_unit(fp8mac_format_id format);

typedef struct fp8rt_exponential {
    uint32_t seen; // columns that row 0 sees
    bool causal;   // each row sees one more than the row before it
    bool normalise;
} fp8rt_exponential;
// The codes of all rows of `words`, and 1 / sum of each row in `row_scale`, which may be NULL if the
// codes are normalised.
void fp8rt_exponential_rows(const fp8rt_caps *caps, const fp8rt_exponential *exponential,
                            const fp8rt_tensor *words, const fp8rt_tensor *codes, float *row_scale);

#endif
