// SPDX-License-Identifier: Apache-2.0
// The public functions of the dot product: they check, the engine computes.
#include "dot_engine.h"

enum { GROUP_MAX = 1024, GUARD_BITS_MAX = 40, FIXED_BITS = 128 };

// Bits of a format's largest value in units of its smallest subnormal.
static unsigned operand_bits(const fp8mac_format *f)
{
    unsigned field = fp8mac_format_max_code(f) >> f->mantissa_bits;
    return f->mantissa_bits + (field == 0 ? 0 : field);
}

bool fp8mac_is_operand_format(const fp8mac_format *f)
{
    // E5M2 without Inf takes 33 bits: two of them, and the sum of 1024 such products, fit the engine's 128 with room
    // for the accumulator beside it.
    return fp8mac_format_validate(f) == FP8MAC_OK && fp8mac_format_bits(f) <= 8 && operand_bits(f) <= 33;
}

static unsigned guard_bits(const fp8mac_dot_config *config)
{
    return config->guard_bits == 0 ? FP8MAC_GUARD_BITS_DEFAULT : config->guard_bits;
}

static fp8mac_status validate_accumulator(const fp8mac_dot_config *config)
{
    switch (config->acc_format) {
    case FP8MAC_ACC_FP32:
    case FP8MAC_ACC_FP16: return config->guard_bits == 0 ? FP8MAC_OK : FP8MAC_ERR_ACCUMULATOR;
    case FP8MAC_ACC_FIXED: break;
    default: return FP8MAC_ERR_ACCUMULATOR;
    }
    unsigned width = operand_bits(config->a_format) + operand_bits(config->b_format) + 1;
    bool ok = !config->acc_saturate && guard_bits(config) <= GUARD_BITS_MAX && width + guard_bits(config) <= FIXED_BITS;
    return ok ? FP8MAC_OK : FP8MAC_ERR_ACCUMULATOR;
}

static bool scale_exponent_in_range(int exponent)
{
    return exponent >= FP8MAC_SCALE_EXPONENT_MIN && exponent <= FP8MAC_SCALE_EXPONENT_MAX;
}

fp8mac_status fp8mac_dot_config_validate(const fp8mac_dot_config *config)
{
    if (config == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (!fp8mac_is_operand_format(config->a_format) || !fp8mac_is_operand_format(config->b_format)) {
        return FP8MAC_ERR_FORMAT;
    }
    fp8mac_status status = validate_accumulator(config);
    if (status != FP8MAC_OK) {
        return status;
    }
    if (config->group > GROUP_MAX) {
        return FP8MAC_ERR_GROUP;
    }
    if (!scale_exponent_in_range(config->scale_exp_a) || !scale_exponent_in_range(config->scale_exp_b)) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    return FP8MAC_OK;
}

bool fp8mac_dot_k_fits(const fp8mac_dot_config *config, uint64_t consumed, uint64_t k)
{
    uint64_t limit = UINT64_C(1) << guard_bits(config);
    return config->acc_format != FP8MAC_ACC_FIXED || (consumed <= limit && k <= limit - consumed);
}

static fp8mac_status validate_terms(const fp8mac_dot_config *config, const fp8mac_acc *acc, const uint8_t *a,
                                    const uint8_t *b, size_t k)
{
    if (acc == NULL || a == NULL || b == NULL) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status = fp8mac_dot_config_validate(config);
    if (status != FP8MAC_OK) {
        return status;
    }
    if (config->acc_format == FP8MAC_ACC_FIXED && acc->fixed_terms > 0 &&
        acc->fixed_scale != config->scale_exp_a + config->scale_exp_b) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    if (k == 0) {
        return FP8MAC_ERR_SHAPE;
    }
    return fp8mac_dot_k_fits(config, acc->fixed_terms, k) ? FP8MAC_OK : FP8MAC_ERR_K_LIMIT;
}

fp8mac_status fp8mac_dot_step(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a, const uint8_t *b,
                              unsigned n, fp8mac_flags *flags)
{
    fp8mac_status status = validate_terms(config, acc, a, b, n);
    if (status == FP8MAC_OK && n > (config->group == 0 ? 1 : config->group)) {
        status = FP8MAC_ERR_GROUP;
    }
    return status == FP8MAC_OK ? fp8mac_dot(config, acc, a, b, n, flags) : status;
}

fp8mac_status fp8mac_dot(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a, const uint8_t *b,
                         size_t k, fp8mac_flags *flags)
{
    fp8mac_status status = validate_terms(config, acc, a, b, k);
    if (status != FP8MAC_OK) {
        return status;
    }
    fp8mac_dot_engine engine;
    fp8mac_dot_engine_init(&engine, config);
    fp8mac_dot_engine_run(&engine, acc, a, b, k, flags);
    return FP8MAC_OK;
}
