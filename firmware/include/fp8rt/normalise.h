// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm of each row:
//
//   layer norm   out = (x - mean) / sqrt(variance + eps) * gamma + beta
//   RMS norm     out = x / sqrt(mean of x^2 + eps) * gamma
//
// The accelerator turns each row into integers relative to the row's largest magnitude. The core sums
// them and their squares, and finds 1 / sqrt by Newton's iteration, in integers. The accelerator then
// scales and shifts all values.
//
// Error, before the output becomes a code: with a the row's largest magnitude, and s = sqrt(variance +
// eps), or sqrt(mean of x^2 + eps), the statistics are those of values within a * 2^-13 of x:
//
//   |error| <= |gamma| * (1 + |x - mean| / s) * (a / s) * 2^-13 + (|gamma| * a / s + |beta|) * 2^-20
//
// So a row of nearly equal values loses accuracy, as in any arithmetic of few bits.
//
// Cycles of the core: 20 for each value, 2,000 for each row, and five commands (RMS norm: four; one more if
// the output's scale is dynamic).
#ifndef FP8RT_NORMALISE_H
#define FP8RT_NORMALISE_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_norm_desc {
    const fp8rt_tensor *x; // rows x cols of any format; at most 65535 columns
    bool rms;
    float eps;          // finite, at least 2^-126
    const float *gamma; // cols values, finite; NULL: 1
    const float *beta;  // likewise; NULL: 0. NULL for RMS norm
    fp8rt_tensor *out;  // rows x cols of any format; may have the data of x
} fp8rt_norm_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (eps), FP8RT_ERR_ALIGNMENT,
// FP8RT_ERR_STRIDE, FP8RT_ERR_UNSUPPORTED (beta of an RMS norm), FP8RT_ERR_SCRATCH: nothing was written.
// A row with an Inf, a NaN or a magnitude above 2^60 has undefined values. Others as fp8rt_gemm_run.
fp8rt_status fp8rt_normalise(fp8rt_run *run, const fp8rt_norm_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
