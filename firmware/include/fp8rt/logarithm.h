// SPDX-License-Identifier: Apache-2.0
// out = factor * log2(x + offset) of each value, in FP32: for spectra, whose range is too wide for
// codes.
//
// The core computes it: 540 values take 130,000 cycles, and 146,000 with an offset (`make run
// APP=layers FAMILY=logarithm`). Recorded, it is one call or several.
//
// With s = x + offset in FP32, s = m * 2^e with m from 1 up to 2, and i = floor(256 (m - 1)), the
// logarithm is e plus the line between log2(1 + i/256) and log2(1 + (i+1)/256), in units of 2^-22.
// It is then rounded to FP32 and multiplied. Subnormal s count as 0. An s of 0 gives -Inf * factor,
// a negative one or NaN gives NaN (0x7fc00000), Inf gives Inf * factor.
//
// Error: |factor| * (2^-18 + 2^-22 * |log2 s|), besides that of the sum.
#ifndef FP8RT_LOGARITHM_H
#define FP8RT_LOGARITHM_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_logarithm_desc {
    const fp8rt_tensor *x; // FP32 without a scale
    float offset;          // finite
    float factor;          // finite, not 0; ln 2 for the natural logarithm
    fp8rt_tensor *out;     // as x; may have the data of x, with its stride
} fp8rt_logarithm_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (a scale that is not 1;
// offset, factor), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_OVERLAP, FP8RT_ERR_UNSUPPORTED
// (a scaling that is not static): nothing was written.
fp8rt_status fp8rt_logarithm(fp8rt_run *run, const fp8rt_logarithm_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
