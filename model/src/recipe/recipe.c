// SPDX-License-Identifier: Apache-2.0
#include "core/environment.h"
#include "core/internal.h"

#pragma GCC visibility push(default)
#include "fp8mac/recipe.h"
#pragma GCC visibility pop

enum {
    FRACTION_BITS = 23,
    EXPONENT_BIAS = 127,
    LOG2_SMALLEST = -149, // of the smallest subnormal
    LOG2_LARGEST = 127,
};

#define MAGNITUDE_MASK 0x7fffffffu
#define INFINITY_BITS 0x7f800000u
#define LARGEST_BITS 0x7f7fffffu
#define SMALLEST_BITS 0x00000001u

static bool is_scale(float x)
{
    return fp8mac_fp32_is_scale(fp8mac_float_bits(x));
}

static float amax_observed(float amax, bool amax_nonfinite)
{
    return amax_nonfinite ? fp8mac_float_from_bits(INFINITY_BITS) : amax;
}

float fp8mac_recipe_power_of_two(int exponent)
{
    int field = exponent + EXPONENT_BIAS;
    uint32_t bits = field > 0 ? (uint32_t)field << FRACTION_BITS : 1u << (exponent - LOG2_SMALLEST);
    return fp8mac_float_from_bits(bits);
}

int fp8mac_recipe_floor_log2(float x)
{
    uint32_t bits = fp8mac_float_bits(x) & MAGNITUDE_MASK;
    if (bits >> FRACTION_BITS != 0) {
        return (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS;
    }
    int log2 = LOG2_SMALLEST;
    while (bits >>= 1) {
        log2++;
    }
    return log2;
}

FP8MAC_APART static float format_max(const fp8mac_format *format)
{
    fp8mac_value largest = fp8mac_decode(format, fp8mac_format_max_code(format));
    // The significand is below 2^24, so the conversion and the product are exact.
    return (float)(uint32_t)largest.significand * fp8mac_recipe_power_of_two(largest.exponent);
}

float fp8mac_recipe_format_max(const fp8mac_format *format)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, format_max(format));
}

FP8MAC_APART static float inverse(float scale)
{
    return 1.0f / scale;
}

float fp8mac_recipe_inverse(float scale)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, inverse(scale));
}

// The bits of floats' magnitudes have the order of the magnitudes: finite, then Inf, then NaN.
float fp8mac_recipe_reduce(const float *amaxes, size_t n)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = fp8mac_float_bits(amaxes[i]) & MAGNITUDE_MASK;
        largest = bits > largest ? bits : largest;
    }
    return fp8mac_float_from_bits(largest > INFINITY_BITS ? FP8MAC_FP32_NAN : largest);
}

fp8mac_status fp8mac_recipe_formula_validate(fp8mac_recipe_formula formula)
{
    if (!is_scale(formula.fp8_max)) {
        return FP8MAC_ERR_SCALE;
    }
    if (formula.margin < FP8MAC_RECIPE_MARGIN_MIN || formula.margin > FP8MAC_RECIPE_MARGIN_MAX) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    bool known = (unsigned)formula.form <= FP8MAC_RECIPE_POWER_OF_TWO &&
                 (unsigned)formula.division <= FP8MAC_RECIPE_DIVISION_IEEE &&
                 (unsigned)formula.underflow <= FP8MAC_RECIPE_UNDERFLOW_ZERO;
    return known ? FP8MAC_OK : FP8MAC_ERR_UNSUPPORTED;
}

// fp8_max / amax. The reciprocal is assigned first, so that it is rounded by itself.
static float ratio_of(fp8mac_recipe_formula formula, float amax)
{
    if (formula.division == FP8MAC_RECIPE_DIVISION_IEEE) {
        return formula.fp8_max / amax;
    }
    float reciprocal = 1.0f / amax;
    return reciprocal * formula.fp8_max;
}

// ratio / 2^margin. The multiplication by 2^-margin rounds the same exact value.
static float scale_ratio(float ratio, int margin)
{
    return ratio * fp8mac_recipe_power_of_two(-margin);
}

static float scale_power_of_two(float ratio, int margin)
{
    int exponent = fp8mac_recipe_floor_log2(ratio) - margin;
    if (exponent > LOG2_LARGEST) {
        return fp8mac_float_from_bits(INFINITY_BITS);
    }
    return exponent < LOG2_SMALLEST ? 0.0f : fp8mac_recipe_power_of_two(exponent);
}

FP8MAC_APART static float scale_of(fp8mac_recipe_formula formula, float amax, float previous)
{
    uint32_t magnitude = fp8mac_float_bits(amax) & MAGNITUDE_MASK;
    if (!fp8mac_fp32_is_scale(magnitude)) {
        return previous;
    }
    float ratio = ratio_of(formula, fp8mac_float_from_bits(magnitude));
    uint32_t ratio_bits = fp8mac_float_bits(ratio);
    // The margin does not apply to an infinite or zero ratio, whose exponent is unknown.
    if (ratio_bits < INFINITY_BITS && ratio_bits > 0) {
        ratio = formula.form == FP8MAC_RECIPE_POWER_OF_TWO
                    ? scale_power_of_two(ratio, formula.margin)
                    : scale_ratio(ratio, formula.margin);
    }
    uint32_t bits = fp8mac_float_bits(ratio);
    bits = bits > LARGEST_BITS ? LARGEST_BITS : bits;
    bool zero_stays = formula.underflow == FP8MAC_RECIPE_UNDERFLOW_ZERO;
    return fp8mac_float_from_bits(bits == 0 && !zero_stays ? SMALLEST_BITS : bits);
}

float fp8mac_recipe_scale(fp8mac_recipe_formula formula, float amax, float previous)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, scale_of(formula, amax, previous));
}

fp8mac_status fp8mac_recipe_static(float given, float *scale)
{
    if (scale == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (!is_scale(given)) {
        return FP8MAC_ERR_SCALE;
    }
    *scale = given;
    return FP8MAC_OK;
}

fp8mac_status fp8mac_recipe_dynamic(fp8mac_recipe_formula formula, float amax, bool amax_nonfinite,
                                    float *scale)
{
    if (scale == NULL) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status =
        is_scale(*scale) ? fp8mac_recipe_formula_validate(formula) : FP8MAC_ERR_SCALE;
    if (status == FP8MAC_OK) {
        *scale = fp8mac_recipe_scale(formula, amax_observed(amax, amax_nonfinite), *scale);
    }
    return status;
}

static fp8mac_status delayed_config_validate(const fp8mac_recipe_delayed_config *config)
{
    if (config->history == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (config->history_length == 0) {
        return FP8MAC_ERR_SHAPE;
    }
    if (config->window != FP8MAC_RECIPE_MAX && config->window != FP8MAC_RECIPE_MOST_RECENT) {
        return FP8MAC_ERR_UNSUPPORTED;
    }
    return fp8mac_recipe_formula_validate(config->formula);
}

fp8mac_status fp8mac_recipe_delayed_init(fp8mac_recipe_delayed *recipe,
                                         fp8mac_recipe_delayed_config config, float scale)
{
    if (recipe == NULL) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status = delayed_config_validate(&config);
    if (status == FP8MAC_OK && !is_scale(scale)) {
        status = FP8MAC_ERR_SCALE;
    }
    if (status != FP8MAC_OK) {
        return status;
    }
    for (size_t i = 0; i < config.history_length; i++) {
        config.history[i] = 0.0f;
    }
    config.interval = config.interval == 0 ? 1 : config.interval;
    *recipe = (fp8mac_recipe_delayed){.config = config, .scale = scale};
    return FP8MAC_OK;
}

static float window_amax(const fp8mac_recipe_delayed_config *config)
{
    if (config->amax_fn != NULL) {
        return config->amax_fn(config->history, config->history_length, config->context);
    }
    size_t shown = config->window == FP8MAC_RECIPE_MAX ? config->history_length : 1;
    return fp8mac_recipe_reduce(config->history, shown);
}

static float delayed_scale(const fp8mac_recipe_delayed_config *config, float amax, float previous)
{
    if (config->scale_fn == NULL) {
        return fp8mac_recipe_scale(config->formula, amax, previous);
    }
    float scale = config->scale_fn(amax, previous, config->formula, config->context);
    if (fp8mac_float_bits(scale) == INFINITY_BITS) {
        return fp8mac_float_from_bits(LARGEST_BITS);
    }
    return is_scale(scale) ? scale : previous;
}

FP8MAC_APART static float delayed_update(fp8mac_recipe_delayed *recipe, float amax,
                                         bool amax_nonfinite)
{
    const fp8mac_recipe_delayed_config *config = &recipe->config;
    memmove(config->history + 1, config->history,
            (config->history_length - 1) * sizeof *config->history);
    config->history[0] = amax_observed(amax, amax_nonfinite);
    if (recipe->updates == 0) {
        recipe->scale = delayed_scale(config, window_amax(config), recipe->scale);
    }
    recipe->updates = recipe->updates + 1 == config->interval ? 0 : recipe->updates + 1;
    return recipe->scale;
}

float fp8mac_recipe_delayed_update(fp8mac_recipe_delayed *recipe, float amax, bool amax_nonfinite)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, delayed_update(recipe, amax, amax_nonfinite));
}
