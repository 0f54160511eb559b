// SPDX-License-Identifier: Apache-2.0
// The calls of the scaling recipes.
#ifndef ENVIRONMENT_RECIPES_H
#define ENVIRONMENT_RECIPES_H

#include "environment_operands.h"

// Each magnitude of the operands, and 0, Inf and NaN.
static float amax_at(size_t i)
{
    static const uint32_t special[] = {0, 0x7f800000, 0x7fc00000, 1, 0x007fffff, 0x7f7fffff};
    uint32_t bits;
    memcpy(&bits, &floats[i], sizeof bits);
    return float_of(i < 6 ? special[i] : bits & 0x7fffffff);
}

static void run_recipe_parts(void)
{
    for (int id = 0; id <= FP8MAC_FP32; id++) {
        take_float(fp8mac_recipe_format_max(row((fp8mac_format_id)id)));
    }
    const fp8mac_format far =
        fp8mac_format_with_bias(FP8MAC_QC_E4M3, 150); // its largest is subnormal
    take_float(fp8mac_recipe_format_max(&far));
    for (size_t i = 6; i < FLOATS; i++) {
        take_u64((uint32_t)fp8mac_recipe_floor_log2(amax_at(i)));
        take_float(fp8mac_recipe_inverse(amax_at(i)));
    }
    for (int e = -149; e <= 127; e++) {
        take_float(fp8mac_recipe_power_of_two(e));
    }
    take_float(fp8mac_recipe_reduce(floats, FLOATS));
    take_float(fp8mac_recipe_reduce(floats, 3));
}

static void run_recipe_scale(void)
{
    for (size_t i = 0; i < FLOATS; i++) {
        const fp8mac_recipe_formula formula = {.fp8_max = float_of(0x43e00000),
                                               .margin = (int)(i % 41) - 20,
                                               .form = i % 2,
                                               .division = i / 2 % 2};
        float scale = float_of(0x3f800000);
        take_u64(fp8mac_recipe_formula_validate(formula));
        take_float(fp8mac_recipe_scale(formula, amax_at(i), scale));
        take_u64(fp8mac_recipe_dynamic(formula, amax_at(i), false, &scale));
        take_float(scale);
        take_u64(fp8mac_recipe_static(amax_at(i), &scale));
        take_float(scale);
    }
}

// The library's environment holds in the caller's functions too.
static float third_of_newest(const float *history, size_t length, void *context)
{
    (void)length;
    (void)context;
    return history[0] / 3;
}

static float seventh(float amax, float previous, fp8mac_recipe_formula formula, void *context)
{
    (void)previous;
    (void)formula;
    (void)context;
    return amax / 7;
}

static void run_recipe_delayed(void)
{
    float history[4];
    for (int own = 0; own < 2; own++) {
        fp8mac_recipe_delayed recipe;
        const fp8mac_recipe_delayed_config config = {.formula = {.fp8_max = float_of(0x43e00000)},
                                                     .amax_fn = own ? third_of_newest : NULL,
                                                     .scale_fn = own ? seventh : NULL,
                                                     .history = history,
                                                     .history_length = own ? 1 : 4};
        take_u64(fp8mac_recipe_delayed_init(&recipe, config, float_of(0x3f800000)));
        for (size_t i = 0; i < FLOATS; i++) {
            take_float(fp8mac_recipe_delayed_update(&recipe, amax_at(i), false));
        }
    }
}

static void run_recipe_training(void)
{
    const fp8mac_recipe_te_layer layer = {0};
    take_text(fp8mac_recipe_te_operand(&layer, FP8MAC_TE_DGRAD, true)->name);
    take_u64(fp8mac_recipe_xla_mode(FP8MAC_E5M2, true).overflow);
    take_u64((uint32_t)fp8mac_recipe_graphcore_cscale_bias(40));
    take_u64((uint32_t)fp8mac_recipe_scale_exponent(-5));
    const float most = float_of(0x43e00000), one = float_of(0x3f800000);
    for (size_t i = 0; i < FLOATS; i++) {
        const float amax = amax_at(i);
        take_float(fp8mac_recipe_xla_next(most, amax, one));
        take_float(fp8mac_recipe_pytorch_scale(most, amax, false, one));
        take_float(fp8mac_recipe_pytorch_scale(most, amax, true, one));
        take_float(fp8mac_recipe_torchao_scale(most, amax, i % 2 == 0));
        take_float(fp8mac_recipe_flax_scale(most, (int)(i % 41) - 20, amax, one));
        take_float(fp8mac_recipe_xla_example_next(most, amax));
        take_float(fp8mac_recipe_msamp_scale(most, (int)(i % 41) - 20, amax, one));
        take_u64((uint32_t)fp8mac_recipe_graphcore_amax_bias(most, amax, 3));
        take_float(fp8mac_recipe_fp8lm_mu(amax, i % 2, 1000));
        for (int reduction = 0; reduction < 3; reduction++) {
            const fp8mac_recipe_factors factors = fp8mac_recipe_reduction_factors(
                (fp8mac_recipe_reduction)reduction, (uint32_t)(i * 1234567 + 1), amax);
            take_float(factors.before);
            take_float(factors.after);
        }
    }
    const float small[] = {float_of(9), float_of(3), float_of(5)};
    take_float(fp8mac_recipe_fp8lm_shared_scale(small, 3));
}

static void run_recipe_xla_quantize(void)
{
    uint8_t out[FLOATS];
    fp8mac_flags flags = 0;
    for (uint32_t scale = 3; scale < 0x7f000000; scale += 0x07654321) {
        take_u64(fp8mac_recipe_xla_quantize(row(FP8MAC_E4M3FN), out, floats, FLOATS,
                                            float_of(scale), mode_saturate, &flags));
        take(out, sizeof out);
    }
    take_u64(flags);
}

static void run_recipe_inference(void)
{
    uint8_t out[FLOATS], scales[FLOATS / 32];
    float quantise[1], dequantise[1];
    fp8mac_flags flags = 0;
    for (size_t i = 0; i < 256; i++) {
        const float amax = amax_at(i);
        take_u64(fp8mac_recipe_mx_scale(row(FP8MAC_E4M3FN), amax));
        for (int scheme = 0; scheme < 4; scheme++) {
            if (fp8mac_recipe_static_scales((fp8mac_recipe_scheme)scheme, float_of(0x43e00000),
                                            &amax, 1, quantise, dequantise) == FP8MAC_OK) {
                take_float(quantise[0]);
                take_float(dequantise[0]);
            }
        }
    }
    take_u64(fp8mac_recipe_mx_quantize(row(FP8MAC_E5M2), out, scales, floats, FLOATS, &flags));
    take(out, sizeof out);
    take(scales, sizeof scales);
    take_u64(flags);
}

static void run_recipe_qualcomm(void)
{
    for (size_t first = 0; first < 512; first += 16) {
        int bias = 0;
        take_u64(fp8mac_recipe_qualcomm_bias(FP8MAC_QC_E4M3, floats + first, 16, -128, 255, &bias));
        take_u64((uint32_t)bias);
    }
}

#endif
