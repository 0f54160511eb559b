// SPDX-License-Identifier: Apache-2.0
// Sum, product and conversion of tensors, element by element. One command, or two if the scale of
// `out` is dynamic. The accelerator finishes 4 to 8 values a cycle (docs/CYCLES.md). The core
// takes 2,900 cycles for a sum or product, 6,100 with a dynamic scale (`make run APP=layers
// FAMILY=arithmetic`), and 1,500 if the run has kept the plan (fp8rt_plans).
//
// Error: an FP32 addition or product rounds to nearest even after the scales of the tensors were
// multiplied in, which makes it at most 2^-21 * (|x| + |factor * y|), of a product 2^-21 * |x *
// factor * y|. A code then adds half a unit of its last place.
#ifndef FP8RT_ARITHMETIC_H
#define FP8RT_ARITHMETIC_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_arithmetic_desc {
    const fp8rt_tensor *x; // of any format
    const fp8rt_tensor *y; // as x, of any format. A sum may do without: NULL
    float factor;          // of y; finite. 0 stands for 1. Of a product greater than 0
    fp8rt_fused fused;
    fp8rt_tensor
        *out; // as x, of any format. May have the data of x or y, with their format and stride
} fp8rt_arithmetic_desc;

// out = fused(x + factor * y), or without y fused(x): a conversion.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT,
// FP8RT_ERR_STRIDE, FP8RT_ERR_SCRATCH: nothing was written. Others as fp8rt_elementwise.
fp8rt_status fp8rt_add(fp8rt_run *run, const fp8rt_arithmetic_desc *desc);
// out = fused(x * factor * y). As fp8rt_add.
fp8rt_status fp8rt_multiply(fp8rt_run *run, const fp8rt_arithmetic_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
