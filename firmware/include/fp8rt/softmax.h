// SPDX-License-Identifier: Apache-2.0
// Softmax of each row: out = exp(factor * x) / sum of exp(factor * x) over the columns that the row
// sees.
//
// It is one row command (fp8rt/rows.h): `make run APP=rows` prints its cycles. Where the
// accelerator has none, the core computes the same bytes in software floating point, in 2,500 to
// 4,500 cycles for each value.
//
// Error of a value, before it is rounded to the format of `out`: 2^-14 of it where it is at least
// 2^-100, if there are at most 1,024 columns. fp8mac/rows.h has the bound.
#ifndef FP8RT_SOFTMAX_H
#define FP8RT_SOFTMAX_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_softmax_desc {
    const fp8rt_tensor *x; // of any format
    float factor;          // finite, > 0; 0 stands for 1
    uint32_t seen;         // columns that row 0 sees; 0: all. Codes of the others are 0
    bool causal;           // each row sees one column more than the row before it
    // Of any format; may have the data of x, with its format and stride. The layer writes its
    // scale, 1 or, in FP8, a power of two, in INT8 1/127: its scaling is static.
    fp8rt_tensor *out;
} fp8rt_softmax_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (seen is more than x->cols), FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE
// (also of factor), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_UNSUPPORTED (out has a scaling
// that is not static), FP8RT_ERR_OVERLAP, FP8RT_ERR_SCRATCH: nothing was written. A row with a NaN
// or +Inf is NaN. Others as fp8rt_gemm_run.
fp8rt_status fp8rt_softmax(fp8rt_run *run, const fp8rt_softmax_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
