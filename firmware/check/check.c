// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/check.h"

#include "fp32_bits.h"
#include "fp8rt/registers.h"
#include "ask.h"
#include "operand_format.h"

static uint64_t scale_word(const fp8mac_scale *scale)
{
    if (scale->mode == FP8MAC_SCALE_VECTOR) {
        return (uintptr_t)scale->values;
    }
    return scale->mode == FP8MAC_SCALE_NONE ? FP8RT_FP32_ONE : fp8rt_fp32_bits(scale->values[0]);
}

// MODE as the descriptor asks for it. The plan's own words are not used, because they are being
// checked.
static uint32_t mode_word(const fp8rt_gemm_desc *desc)
{
    return fp8rt_mode_formats(desc->a_format, desc->b_format) |
           FP8RT_PUT(MODE__D_FMT, desc->d_format) | FP8RT_PUT(MODE__OVERFLOW, desc->overflow) |
           (desc->acc_format == FP8MAC_ACC_FP16 ? FP8RT_BIT(MODE__ACC_FMT) : 0) |
           FP8RT_PUT(MODE__ACT, desc->activation) |
           (desc->bias != NULL ? FP8RT_BIT(MODE__BIAS_EN) : 0) |
           (desc->scale_a.mode == FP8MAC_SCALE_VECTOR ? FP8RT_BIT(MODE__SCALE_A_VEC) : 0) |
           (desc->scale_b.mode == FP8MAC_SCALE_VECTOR ? FP8RT_BIT(MODE__SCALE_B_VEC) : 0);
}

uint32_t fp8rt_check_gemm(const fp8rt_caps *caps, const fp8rt_gemm_plan *plan,
                          const fp8rt_gemm_result *result)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    const fp8rt_check_record record = {
        .magic = FP8RT_CHECK_MAGIC,
        .m = desc->m,
        .n = desc->n,
        .k = desc->k,
        .group = caps->lanes,
        .mode = mode_word(desc),
        .scale_exp = FP8RT_PUT(SCALE_EXP__SA, desc->scale_exp_a) |
                     FP8RT_PUT(SCALE_EXP__SB, desc->scale_exp_b),
        .scale_d = desc->scale_d == NULL ? FP8RT_FP32_ONE : fp8rt_fp32_bits(*desc->scale_d),
        .clamp_lo = fp8rt_fp32_bits(desc->clamp_lo),
        .clamp_hi = fp8rt_fp32_bits(desc->clamp_hi),
        .amax = fp8rt_fp32_bits(result->amax),
        .flags = result->flags | FP8RT_PUT(FLAGS__AMAX_NONFINITE, result->amax_nonfinite),
        .scale_a = scale_word(&desc->scale_a),
        .scale_b = scale_word(&desc->scale_b),
        .bias = (uintptr_t)desc->bias,
        .a = (uintptr_t)desc->a,
        .b = (uintptr_t)desc->b,
        .d = (uintptr_t)desc->d,
        .a_stride = desc->a_stride,
        .b_stride = desc->b_stride,
        .d_stride = desc->d_stride,
        .mx_a = (uintptr_t)desc->mx_a,
        .mx_b = (uintptr_t)desc->mx_b,
        .mx_a_stride = desc->mx_a_stride,
        .mx_b_stride = desc->mx_b_stride,
        .element = fp8rt_element_encode(&caps->element),
    };
    return fp8rt_check_ask(&record);
}
