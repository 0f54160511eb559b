// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/logarithm.h"

#include "logarithm_table.h"
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

// x + offset. Most sums are x itself: an offset below half a unit of its last place changes
// nothing.
static float sum(float x, float offset)
{
    const uint32_t bits = fp8rt_fp32_bits(x), other = fp8rt_fp32_bits(offset);
    const uint32_t exponent = (bits & ~FP8RT_FP32_SIGN) >> FRACTION;
    const uint32_t least = ((other & ~FP8RT_FP32_SIGN) >> FRACTION) + FRACTION + 2u;
    return exponent >= least && exponent < 255u ? x : x + offset;
}

// a: the offset; b: the factor of units of 2^-22
static void compute_all(void *context)
{
    const fp8rt_words *w = context;
    const float *x = w->x;
    float *out = w->out;
    for (uint32_t row = 0; row < w->rows; row++, x += w->from_stride, out += w->to_stride) {
        for (uint32_t col = 0; col < w->cols; col++) {
            out[col] = logarithm(sum(x[col], w->a), w->b);
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
    const float unit = 1.0f / (float)(1 << UNIT_BITS);
    return fp8rt_words_run(run, compute_all, desc->x, desc->out, desc->offset, desc->factor * unit);
}

fp8rt_status fp8rt_logarithm(fp8rt_run *run, const fp8rt_logarithm_desc *desc)
{
    return fp8rt_layer(run, "logarithm", desc, check, compute);
}
