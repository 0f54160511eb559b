// SPDX-License-Identifier: Apache-2.0
// 1 / x of each value, in FP32: the divisor of a quotient whose product is fp8rt_multiply.
//
// The core computes it in software floating point: 35 values take 10,400 cycles (`make run
// APP=layers FAMILY=reciprocal`). It is meant for the few values of reductions. Recorded, it
// is one call or several.
//
// The result is the IEEE quotient, rounded to nearest even. 1 / 0 is Inf with the sign of 0.
#ifndef FP8RT_RECIPROCAL_H
#define FP8RT_RECIPROCAL_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_reciprocal_desc {
    const fp8rt_tensor *x; // FP32 without a scale
    bool zero;             // 1 / 0 is +0, in place of Inf
    fp8rt_tensor *out;     // as x; may have the data of x, with its stride
} fp8rt_reciprocal_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (a scale that is not 1),
// FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_OVERLAP, FP8RT_ERR_UNSUPPORTED (a scaling that
// is not static): nothing was written.
fp8rt_status fp8rt_reciprocal(fp8rt_run *run, const fp8rt_reciprocal_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
