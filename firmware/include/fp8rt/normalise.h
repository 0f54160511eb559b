// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm of each row:
//
//   layer norm   out = (x - mean) / sqrt(variance + eps) * gamma + beta
//   RMS norm     out = x / sqrt(mean of x^2 + eps) * gamma
//
// It is one row command (fp8rt/rows.h), or two commands if the output's scale is dynamic: `make run
// APP=rows` prints its cycles. Where the accelerator has none, the core computes the same bytes in
// software floating point, in 1,800 cycles for each value (RMS norm: 1,300).
//
// Error, before the output becomes a code, with u = 2^-24, n columns and c = ceil(n / 16):
//
//   RMS norm     |error| <= (13 + c/2) u * |result|
//   layer norm   |error| <= |gamma| * (z * ((15 + c/2) u + rho^2/2) + rho) + u * |result|, where
//                s = sqrt(variance + eps), z = |x - mean| / s, rho = (7 + c) u * mean of |x| / s
#ifndef FP8RT_NORMALISE_H
#define FP8RT_NORMALISE_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_norm_desc {
    const fp8rt_tensor *x; // rows x cols of any format; at most 2^24 columns
    bool rms;
    float eps;          // finite, at least 2^-126
    const float *gamma; // cols values, finite; NULL: 1
    const float *beta;  // likewise; NULL: 0. NULL for RMS norm
    fp8rt_tensor
        *out; // rows x cols of any format; may have the data of x, with its format and stride. It
              // may have a scale for each row: two row commands more
} fp8rt_norm_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (eps; eps / x->scale^2 is not
// finite or not above 0), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_OVERLAP,
// FP8RT_ERR_UNSUPPORTED (beta of an RMS norm), FP8RT_ERR_SCRATCH: nothing was written. A row with
// an Inf or a NaN has what fp8mac/rows.h says. Others as fp8rt_gemm_run.
fp8rt_status fp8rt_normalise(fp8rt_run *run, const fp8rt_norm_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
