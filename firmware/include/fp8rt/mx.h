// SPDX-License-Identifier: Apache-2.0
// Quantises matrices to the OCP MX form, which a GEMM takes as an operand: codes, and an
// E8M0 scale for each 32 of them along a row. fp8mac_recipe_mx_quantize defines both; chip
// and host give its bytes.
//
//   fp8rt_mx_desc desc = {.rows = m, .cols = k, .values = x, .values_format = FP8MAC_FP32,
//                         .codes = a, .scales = mx_a};
//   status = fp8rt_mx_quantize(&dev.caps, &desc, NULL);
//   ... B likewise ...
//   fp8rt_gemm_desc gemm = {.m = m, .n = n, .k = k, .a = {.codes = a, .mx = mx_a},
//                           .b = {.codes = b, .mx = mx_b}, .d = d};
//
// A code's value is scale * decode(code). It differs from the value by at most 2^-4 of it (e5m2:
// 2^-3) where neither the largest number nor the subnormal ones of the format are reached. MX
// saturates: a block whose amax is more than 1.75 * 2^i loses at most 1/8 of its largest values
// (e4m3fn; e5m2 the same).
//
// Cycles of the core (`make run APP=layers FAMILY=mx`, 16 x 256 float32 to e4m3fn): 62 a value on
// the core, 18 with the accelerator. FP6 and FP4 take the model's own conversion, which is slower.
#ifndef FP8RT_MX_H
#define FP8RT_MX_H

#include <stddef.h>

#include "fp8mac/gemm.h"
#include "fp8rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// Scales of a row.
static inline uint32_t fp8rt_mx_blocks(uint32_t cols)
{
    return (cols + FP8MAC_MX_BLOCK - 1u) / FP8MAC_MX_BLOCK;
}

// Strides are bytes from row to row. 0: a row, rounded up to a beat, as a GEMM takes it.
typedef struct fp8rt_mx_desc {
    uint32_t rows, cols;            // cols lie along K
    const void *values;             // rows x cols, aligned as their type
    fp8mac_format_id values_format; // FP8MAC_FP32, FP8MAC_FP16 or FP8MAC_BF16
    uint32_t values_stride;
    uint8_t *codes;          // rows x cols
    fp8mac_format_id format; // of the codes: FP8MAC_E4M3FN .. E5M2FNUZ, E3M2FN .. E2M1FN
    uint32_t codes_stride;
    uint8_t *scales; // rows x fp8rt_mx_blocks(cols)
    uint32_t scales_stride;
} fp8rt_mx_desc;

// On the core. Flags are ORed into *flags, which may be NULL: FP8MAC_FLAG_SATURATED, and
// FP8MAC_FLAG_NAN for a NaN among the values. A block with a NaN or Inf has the scale 0xff and the
// codes 0. Bytes between the rows are not written. FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (a size is 0, or
// a row is too long), FP8RT_ERR_FORMAT, FP8RT_ERR_STRIDE: nothing was written.
fp8rt_status fp8rt_mx_quantize(const fp8rt_caps *caps, const fp8rt_mx_desc *desc,
                               fp8mac_flags *flags);

// The same bytes by the accelerator: one row command where caps.functions has them and the rows of
// scales begin at beats. Otherwise one command for each 32 columns, and the core looks for the amax
// of each block. `format` is one of FP8MAC_E4M3FN .. E5M2FNUZ. Addresses and strides of values and
// codes are at beats. The scratch, at a beat, has fp8rt_mx_scratch_bytes(rows).
// As above and as fp8rt_elementwise; FP8RT_ERR_SCRATCH: it is too small.
static inline size_t fp8rt_mx_scratch_bytes(uint32_t rows)
{
    return rows * sizeof(float);
}
fp8rt_status fp8rt_mx_convert(fp8rt_device *dev, const fp8rt_mx_desc *desc, void *scratch,
                              size_t scratch_bytes);

#ifdef __cplusplus
}
#endif
#endif
