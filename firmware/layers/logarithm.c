// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/logarithm.h"

#include "logarithm_table.h"
#include "record.h"
#include "words.h"

enum { FRACTION = 23, BIAS = 127, STEP_BITS = 15, UNIT_BITS = 22 };

#define QUIET_NAN 0x7fc00000u
#define INFINITY_BITS 0x7f800000u

// In units of 2^-22. `bits` is a normal, positive number.
static int32_t fixed_log2(uint32_t bits)
{
    const int32_t exponent = (int32_t)(bits >> FRACTION) - BIAS;
    const uint32_t fraction = bits & ((1u << FRACTION) - 1u);
    const uint32_t part = fraction & ((1u << STEP_BITS) - 1u);
    const uint32_t *at = &fp8rt_logarithm_table[fraction >> STEP_BITS];
    const uint32_t more = ((at[1] - at[0]) * part + (1u << (STEP_BITS - 1))) >> STEP_BITS;
    return exponent * (1 << UNIT_BITS) + (int32_t)(at[0] + more);
}

static float logarithm(float s, float factor)
{
    const uint32_t bits = fp8rt_fp32_bits(s), magnitude = bits & ~FP8RT_FP32_SIGN;
    if (magnitude > INFINITY_BITS || (magnitude >> FRACTION != 0 && bits != magnitude)) {
        return fp8rt_fp32_from_bits(QUIET_NAN);
    }
    if (magnitude >> FRACTION == 0 || magnitude == INFINITY_BITS) {
        const bool below = (magnitude != INFINITY_BITS) != (factor < 0.0f);
        return fp8rt_fp32_from_bits(INFINITY_BITS | (below ? FP8RT_FP32_SIGN : 0u));
    }
    return (float)fixed_log2(bits) * factor;
}

// What a call is given
typedef struct logarithms {
    const float *x;
    float *out;
    uint32_t rows, cols, from_stride, to_stride; // strides in words
    float offset, factor;                        // of units of 2^-22
} logarithms;

static void compute_all(void *context)
{
    const logarithms *l = context;
    const float *x = l->x;
    float *out = l->out;
    for (uint32_t row = 0; row < l->rows; row++, x += l->from_stride, out += l->to_stride) {
        for (uint32_t col = 0; col < l->cols; col++) {
            out[col] = logarithm(x[col] + l->offset, l->factor);
        }
    }
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_logarithm_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const uint32_t offset = fp8rt_fp32_bits(desc->offset), factor = fp8rt_fp32_bits(desc->factor);
    if (!fp8rt_fp32_is_finite(offset) || !fp8rt_fp32_is_finite(factor) ||
        fp8rt_fp32_is_zero(factor)) {
        return FP8RT_ERR_SCALE;
    }
    return fp8rt_words_check(run, desc->x, desc->out);
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_logarithm_desc *desc = layer;
    const logarithms l = {.x = desc->x->data,
                          .out = desc->out->data,
                          .rows = desc->x->rows,
                          .cols = desc->x->cols,
                          .from_stride = fp8rt_tensor_words(run, desc->x),
                          .to_stride = fp8rt_tensor_words(run, desc->out),
                          .offset = desc->offset,
                          .factor = desc->factor * (1.0f / (float)(1 << UNIT_BITS))};
    return fp8rt_layer_core(run, compute_all, &l, sizeof l);
}

fp8rt_status fp8rt_logarithm(fp8rt_run *run, const fp8rt_logarithm_desc *desc)
{
    return fp8rt_layer(run, "logarithm", desc, check, compute);
}
