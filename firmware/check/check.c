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
    return FP8RT_MODE_OPERAND(A, desc->a) | FP8RT_MODE_OPERAND(B, desc->b) |
           FP8RT_PUT(MODE__D_FMT, desc->d_format) | FP8RT_PUT(MODE__OVERFLOW, desc->overflow) |
           (desc->acc_format == FP8MAC_ACC_FP16 ? FP8RT_BIT(MODE__ACC_FMT) : 0) |
           FP8RT_PUT(MODE__ACT, desc->activation) |
           (desc->bias != NULL ? FP8RT_BIT(MODE__BIAS_EN) : 0);
}

static fp8rt_check_operand operand_of(const fp8rt_operand *x)
{
    return (fp8rt_check_operand){
        .address = (uintptr_t)x->codes,
        .scale = scale_word(&x->scale),
        .mx = (uintptr_t)x->mx,
        .stride = x->stride,
        .mx_stride = x->mx_stride,
    };
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
        .scale_exp = FP8RT_PUT(SCALE_EXP__SA, desc->a.scale_exp) |
                     FP8RT_PUT(SCALE_EXP__SB, desc->b.scale_exp),
        .scale_d = desc->scale_d == NULL ? FP8RT_FP32_ONE : fp8rt_fp32_bits(*desc->scale_d),
        .clamp_lo = fp8rt_fp32_bits(desc->clamp_lo),
        .clamp_hi = fp8rt_fp32_bits(desc->clamp_hi),
        .amax = fp8rt_fp32_bits(result->amax),
        .flags = result->flags | FP8RT_PUT(FLAGS__AMAX_NONFINITE, result->amax_nonfinite),
        .a = operand_of(&desc->a),
        .b = operand_of(&desc->b),
        .bias = (uintptr_t)desc->bias,
        .d = (uintptr_t)desc->d,
        .d_stride = desc->d_stride,
        .element = fp8rt_element_encode(&caps->element),
    };
    return fp8rt_check_ask(&record);
}
