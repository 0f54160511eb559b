// SPDX-License-Identifier: Apache-2.0
// A matrix as an MX operand of products: codes, and an E8M0 scale for each 32 of them
// along a row (fp8rt/mx.h).
//
//   // operand.mx has fp8rt_tensor_mx_bytes.
//   fp8rt_to_mx_desc desc = {.x = &values, .out = &operand};
//   status = fp8rt_to_mx(&run, &desc);
//
// The bytes are those of fp8rt_mx_convert. The layer is one row command, QUANTISE_MX
// (fp8rt/rows.h). Without row commands (caps.functions) the core finds the largest value of each
// block, and a command for each 32 columns makes the codes. Recorded, the list then pauses for the
// core before the first command and behind the last one.
#ifndef FP8RT_TO_MX_H
#define FP8RT_TO_MX_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_to_mx_desc {
    const fp8rt_tensor *x; // FP32, FP16 or BF16 without a scale
    fp8rt_tensor *out;     // FP8 with MX scales and no other, of the same shape
} fp8rt_to_mx_desc;

// FP8RT_ERR_NULL (also `out` without mx), FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (a
// scale that is not 1), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_SCRATCH,
// FP8RT_ERR_UNSUPPORTED (the array has no MX, or the output a scaling): nothing was written. Others
// as fp8rt_elementwise.
fp8rt_status fp8rt_to_mx(fp8rt_run *run, const fp8rt_to_mx_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
