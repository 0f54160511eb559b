// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reciprocal.h"

#include "words.h"

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_reciprocal_desc *desc = layer;
    return desc == NULL ? FP8RT_ERR_NULL : fp8rt_words_check(run, desc->x, desc->out);
}

// a: 1 / 0 is 0
static void invert(void *context)
{
    const fp8rt_words *w = context;
    const float *x = w->x;
    float *out = w->out;
    const bool zero = fp8rt_fp32_bits(w->a) != 0;
    for (uint32_t row = 0; row < w->rows; row++, x += w->from_stride, out += w->to_stride) {
        for (uint32_t col = 0; col < w->cols; col++) {
            const bool none = zero && fp8rt_fp32_is_zero(fp8rt_fp32_bits(x[col]));
            out[col] = none ? 0.0f : 1.0f / x[col];
        }
    }
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_reciprocal_desc *desc = layer;
    return fp8rt_words_run(run, invert, desc->x, desc->out, desc->zero ? 1.0f : 0.0f, 0.0f);
}

fp8rt_status fp8rt_reciprocal(fp8rt_run *run, const fp8rt_reciprocal_desc *desc)
{
    return fp8rt_layer(run, "reciprocal", desc, check, compute);
}
