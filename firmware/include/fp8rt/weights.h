// SPDX-License-Identifier: Apache-2.0
// Float weights become FP8 weights with a scale for each row (output channel). A batch norm behind
// the layer disappears in them:
//
//   factor = gamma / sqrt(variance + epsilon)     weight' = weight * factor
//   bias' = (bias - mean) * factor + beta
//   row_scale = max |weight'| of the row / largest number of the format
//
// |weight' - row_scale * code| is at most 2^-4 of |weight'| (e5m2: 2^-3) or 2^-18 of the row's
// largest, whichever is more. Works on host and chip. Without a floating-point unit it takes 145 to
// 170 cycles a weight (`make run APP=layers FAMILY=batch_norm`), so it is for the start of a
// program, or the host.
#ifndef FP8RT_WEIGHTS_H
#define FP8RT_WEIGHTS_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// One value for each output channel.
typedef struct fp8rt_batch_norm {
    const float *gamma, *beta; // NULL: 1, 0
    const float *mean, *variance;
    float epsilon; // variance + epsilon > 0
} fp8rt_batch_norm;

typedef struct fp8rt_quantize_desc {
    const float *values;          // codes->rows x codes->cols
    uint32_t stride;              // floats from row to row; 0: codes->cols
    const float *bias;            // NULL: 0
    const fp8rt_batch_norm *norm; // NULL: none
    fp8rt_tensor codes;           // memory, sizes and FP8 format; scale is not used
    float *row_scale;             // memory for codes.rows values
    float *folded_bias;           // the same; NULL: there is neither bias nor norm
} fp8rt_quantize_desc;

// The weights point to the memory of the descriptor. A row of zeros has the scale 1.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_STRIDE: nothing was written.
// FP8RT_ERR_SCALE: a weight or a factor is not finite; the rows before it were written.
fp8rt_status fp8rt_quantize_weights(const fp8rt_caps *caps, const fp8rt_quantize_desc *desc,
                                    fp8rt_weights *weights);

#ifdef __cplusplus
}
#endif
#endif
