// SPDX-License-Identifier: Apache-2.0
// A number for each row: sum, sum of squares, maximum or largest magnitude of its values, or the
// column of the maximum, such as the answer of a classifier.
//
// It is one row command (fp8rt/rows.h), or two commands if the output's scale is dynamic. Where the
// accelerator has none, the core computes the same bytes. fp8mac/rows.h defines them, with NaN and
// equal values; model/NUMERICS.md has the bound of the error.
#ifndef FP8RT_REDUCE_H
#define FP8RT_REDUCE_H

#include "fp8mac/rows.h"
#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_reduce_desc {
    fp8mac_rows_operation operation; // FP8MAC_ROWS_SUM, _SUM_OF_SQUARES, _MAXIMUM, _ARGMAX,
                                     // _MAGNITUDE (at least 2^-100, before x's scale)
    const fp8rt_tensor *x;           // of any format; at most 2^24 columns
    // rows x 1 of any format; its data is not that of x. Argmax: FP32, whose words are the numbers
    // of columns as uint32_t, with scale 1
    fp8rt_tensor *out;
} fp8rt_reduce_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT (also argmax), FP8RT_ERR_SCALE (x->scale^2 of a
// sum of squares is not finite or not above 0; argmax), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE,
// FP8RT_ERR_OVERLAP, FP8RT_ERR_UNSUPPORTED (another operation), FP8RT_ERR_SCRATCH: nothing was
// written. Others as fp8rt_gemm_run.
fp8rt_status fp8rt_reduce(fp8rt_run *run, const fp8rt_reduce_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
