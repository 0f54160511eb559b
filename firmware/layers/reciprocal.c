// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reciprocal.h"

#include "record.h"
#include "words.h"

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_reciprocal_desc *desc = layer;
    return desc == NULL ? FP8RT_ERR_NULL : fp8rt_words_check(run, desc->x, desc->out);
}

// What a call is given
typedef struct quotients {
    const float *x;
    float *out;
    uint32_t rows, cols, from_stride, to_stride; // strides in words
    bool zero;
} quotients;

static void invert(void *context)
{
    const quotients *q = context;
    const float *x = q->x;
    float *out = q->out;
    for (uint32_t row = 0; row < q->rows; row++, x += q->from_stride, out += q->to_stride) {
        for (uint32_t col = 0; col < q->cols; col++) {
            const bool zero = q->zero && fp8rt_fp32_is_zero(fp8rt_fp32_bits(x[col]));
            out[col] = zero ? 0.0f : 1.0f / x[col];
        }
    }
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_reciprocal_desc *desc = layer;
    const quotients q = {.x = desc->x->data,
                         .out = desc->out->data,
                         .rows = desc->x->rows,
                         .cols = desc->x->cols,
                         .from_stride = fp8rt_tensor_words(run, desc->x),
                         .to_stride = fp8rt_tensor_words(run, desc->out),
                         .zero = desc->zero};
    return fp8rt_layer_core(run, invert, &q, sizeof q);
}

fp8rt_status fp8rt_reciprocal(fp8rt_run *run, const fp8rt_reciprocal_desc *desc)
{
    return fp8rt_layer(run, "reciprocal", desc, check, compute);
}
