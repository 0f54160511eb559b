// SPDX-License-Identifier: Apache-2.0
// The fully connected layer: out = fused(x * weights^T + bias + residual), one row of x for each
// row of out. One command, or two if the scale of `out` is dynamic.
//
//   fp8rt_linear_desc desc = {.x = &x, .weights = &weights, .out = &y};
//   status = fp8rt_linear(&run, &desc);
//
// Error of an output beside the exact sum S of the operands' values, before it becomes a code, with
// an FP32 accumulator of the default array:
//
//   |error| <= scales * 2^-13 * (sum over blocks of 32 products of max|x| * max|weight|)
//              + 2^-22 * |S|
//
// The largest operands of a block count, because its products are aligned to them. A code then adds
// half a unit of its last place.
//
// x and weights may both have MX scales, and so may `out`: the command then writes FP32, which is
// quantised to MX (as by fp8rt_to_mx), without tables and stochastic rounding.
// FP8RT_ERR_UNSUPPORTED: only one of x and weights has MX scales.
//
// x may have a scale for each row, and so may `out` (row_scale of fp8rt/tensor.h): two row commands
// more. Where x has one and the weights have row_scale and a scale other than 1, the core
// multiplies the scales of x by the latter, so such a layer is not recorded.
//
// Cycles on the chip (`make run APP=layers FAMILY=linear`): 5,100 to 6,100 of the core for checks
// and plan, 9,400 with a dynamic scale; of the accelerator 386 for 16 x 64 to 40, 1,712 for 33 x 70
// to 90 into FP32. Where the run has kept the plan (fp8rt_plans), the core takes 1,800.
#ifndef FP8RT_LINEAR_H
#define FP8RT_LINEAR_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_linear_desc {
    const fp8rt_tensor *x;        // rows x k, FP8
    const fp8rt_weights *weights; // n x k
    const fp8rt_tensor *residual; // rows x n of any format; NULL: none. May have the data of `out`
    fp8rt_fused fused;
    fp8rt_tensor *out; // rows x n of any format
} fp8rt_linear_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (sizes that do not fit each other), FP8RT_ERR_FORMAT,
// FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_SCRATCH: nothing was written.
// Others as fp8rt_gemm_run.
fp8rt_status fp8rt_linear(fp8rt_run *run, const fp8rt_linear_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
