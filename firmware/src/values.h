// SPDX-License-Identifier: Apache-2.0
// Matrices of values that element-wise and row commands read and write: X, C and D.
#ifndef FP8RT_VALUES_H
#define FP8RT_VALUES_H

#include "fp8rt/gemm.h"
#include "regions.h"

typedef struct fp8rt_values {
    const void *at;
    uint32_t rows, cols, stride;
    fp8mac_format_id format;
} fp8rt_values;

// The stride, or that of rows without gaps but for whole beats, if it is 0
uint32_t fp8rt_values_stride(const fp8rt_caps *caps, const fp8rt_values *v);
fp8rt_region fp8rt_values_region(const fp8rt_values *v);
// FP8RT_ERR_STRIDE, FP8RT_ERR_ALIGNMENT, FP8RT_ERR_OVERLAP: of an input, and of D if `v` is `d`. An
// input may be D: the same address, stride, format and sizes.
fp8rt_status fp8rt_values_check(const fp8rt_caps *caps, const fp8rt_values *v,
                                const fp8rt_values *d);

// How D is finished and when the command waits
typedef struct fp8rt_finish {
    fp8mac_activation activation;
    float clamp_lo, clamp_hi;
    uint32_t flags;
    const fp8rt_coding *coding;
    fp8mac_format_id d_format;
} fp8rt_finish;

// FP8RT_ERR_ACTIVATION, FP8RT_ERR_FLAGS, or what is wrong with the coding
fp8rt_status fp8rt_finish_check(const fp8rt_caps *caps, const fp8rt_finish *finish);

#endif
