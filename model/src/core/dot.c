// SPDX-License-Identifier: Apache-2.0
// The public functions of the dot product: they check, the engine computes.
#include "core/dot_definition.h"
#include "core/dot_engine.h"

enum { GUARD_BITS_MAX = 40, FIXED_BITS = 128, OPERAND_BITS_MAX = 34 };

// Bits of a format's largest magnitude in units of its smallest one.
static unsigned operand_bits(const fp8mac_format *f)
{
    unsigned field = fp8mac_format_max_code(f) >> f->mantissa_bits;
    bool gradual = f->exponent_bits != 0 && f->exponent_zero == FP8MAC_EXPONENT_ZERO_SUBNORMAL;
    return f->mantissa_bits + field + (gradual && field != 0 ? 0 : 1);
}

bool fp8mac_is_operand_format(const fp8mac_format *f)
{
    // CFloat8's E5M2 takes 34 bits: two of them, and the sum of 1024 such products, fit the
    // engine's 128 with room for the accumulator beside it.
    return fp8mac_format_validate(f) == FP8MAC_OK && fp8mac_format_bits(f) <= 8 &&
           operand_bits(f) <= OPERAND_BITS_MAX;
}

static unsigned guard_bits(const fp8mac_dot_config *config)
{
    return config->guard_bits == 0 ? FP8MAC_GUARD_BITS_DEFAULT : config->guard_bits;
}

// Every option beyond the accumulator's format is as zero leaves it.
static bool has_options(const fp8mac_dot_config *c)
{
    return c->acc_rounding != FP8MAC_ROUND_NEAREST_EVEN || c->random_bits != 0 ||
           c->frac_bits != 0 || c->align_round != FP8MAC_ALIGN_TOWARD_ZERO ||
           c->align_by != FP8MAC_ALIGN_BY_PRODUCTS || c->min_exponent != 0 || c->acc_late ||
           c->late_bits_sum != 0 || c->late_bits_acc != 0 || c->late_drop != 0 ||
           c->late_round != FP8MAC_ALIGN_TOWARD_ZERO || c->even_odd || c->flush ||
           c->nan_code != 0 || c->lscale != 0 || c->promote != 0 || c->chunk != 0 ||
           c->static_exponent != 0 || c->k_order != FP8MAC_K_ASCENDING;
}

static bool is_int8(const fp8mac_format *f)
{
    return f->exponent_bits == 0 && f->mantissa_bits == 7 && fp8mac_format_unit_exponent(f) == 0;
}

static bool in_range(int64_t x, int64_t low, int64_t high)
{
    return x >= low && x <= high;
}

static bool static_exponent_is_valid(const fp8mac_dot_config *c)
{
    return c->frac_bits == 0 ? c->static_exponent == 0
                             : c->frac_bits <= FP8MAC_FRAC_BITS_MAX &&
                                   in_range(c->static_exponent, FP8MAC_STATIC_EXPONENT_MIN,
                                            FP8MAC_STATIC_EXPONENT_MAX);
}

// A product is below 4 * 2^static_exponent where there is one.
static fp8mac_status validate_fixed(const fp8mac_dot_config *config)
{
    fp8mac_dot_config others = *config;
    others.frac_bits = 0;
    others.static_exponent = 0;
    unsigned product = config->frac_bits != 0
                           ? config->frac_bits + 2
                           : operand_bits(config->a.format) + operand_bits(config->b.format);
    bool ok = static_exponent_is_valid(config) && !config->acc_saturate &&
              guard_bits(config) <= GUARD_BITS_MAX &&
              product + guard_bits(config) + 1 <= FIXED_BITS && !has_options(&others);
    return ok ? FP8MAC_OK : FP8MAC_ERR_ACCUMULATOR;
}

static fp8mac_status validate_int32(const fp8mac_dot_config *config)
{
    if (!is_int8(config->a.format) || !is_int8(config->b.format)) {
        return FP8MAC_ERR_FORMAT;
    }
    if (config->a.scale_exp != 0 || config->b.scale_exp != 0) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    return config->guard_bits == 0 && !config->acc_saturate && !has_options(config)
               ? FP8MAC_OK
               : FP8MAC_ERR_ACCUMULATOR;
}

static fp8mac_status validate_rounding(const fp8mac_dot_config *c)
{
    if ((unsigned)c->acc_rounding > FP8MAC_ROUND_ODD) {
        return FP8MAC_ERR_ROUNDING;
    }
    bool stochastic = c->acc_rounding == FP8MAC_ROUND_STOCHASTIC;
    bool ok =
        stochastic ? in_range(c->random_bits, 1, FP8MAC_RANDOM_BITS_MAX) : c->random_bits == 0;
    return ok ? FP8MAC_OK : FP8MAC_ERR_ROUNDING;
}

static bool late_is_valid(const fp8mac_dot_config *c)
{
    if (!c->acc_late) {
        return c->late_bits_sum == 0 && c->late_bits_acc == 0 && c->late_drop == 0 &&
               !c->even_odd && c->late_round == FP8MAC_ALIGN_TOWARD_ZERO;
    }
    if (c->late_bits_sum == 0 && c->late_bits_acc == 0) {
        return c->late_drop == 0 && (unsigned)c->late_round <= FP8MAC_ALIGN_ODD;
    }
    return in_range(c->late_bits_sum, 1, FP8MAC_LATE_BITS_MAX) &&
           in_range(c->late_bits_acc, 1, FP8MAC_LATE_BITS_MAX) && c->late_drop <= 1000 &&
           (unsigned)c->late_round <= FP8MAC_ALIGN_ODD;
}

static bool align_by_is_valid(const fp8mac_dot_config *c)
{
    return c->align_by == FP8MAC_ALIGN_BY_PRODUCTS ||
           (c->align_by == FP8MAC_ALIGN_BY_OPERANDS && !c->even_odd);
}

static bool alignment_is_valid(const fp8mac_dot_config *c)
{
    if (c->static_exponent != 0) {
        return false;
    }
    if (c->frac_bits == 0) {
        return c->align_round == FP8MAC_ALIGN_TOWARD_ZERO &&
               c->align_by == FP8MAC_ALIGN_BY_PRODUCTS && c->min_exponent == 0 && !c->acc_late &&
               late_is_valid(c);
    }
    return c->frac_bits <= FP8MAC_FRAC_BITS_MAX && (unsigned)c->align_round <= FP8MAC_ALIGN_ODD &&
           align_by_is_valid(c) && in_range(c->min_exponent, -1100, FP8MAC_MIN_EXPONENT_ACC) &&
           late_is_valid(c);
}

static bool nan_code_is_valid(const fp8mac_dot_config *c)
{
    const fp8mac_format *format = fp8mac_acc_code_format(c->acc_format);
    bool fits = fp8mac_format_bits(format) == 32 || c->nan_code >> fp8mac_format_bits(format) == 0;
    return c->nan_code == 0 || (fits && fp8mac_decode(format, c->nan_code).cls == FP8MAC_CLASS_NAN);
}

static fp8mac_status validate_float(const fp8mac_dot_config *c)
{
    fp8mac_status status = validate_rounding(c);
    if (status != FP8MAC_OK) {
        return status;
    }
    if (c->guard_bits != 0 || !alignment_is_valid(c) || !nan_code_is_valid(c) ||
        (c->promote != 0 && c->chunk != 0) || (unsigned)c->k_order > FP8MAC_K_PAIRS) {
        return FP8MAC_ERR_ACCUMULATOR;
    }
    unsigned group = c->group == 0 ? 1 : c->group;
    bool pairs = c->k_order == FP8MAC_K_PAIRS;
    unsigned block = pairs ? 2 * group : group;
    if (c->promote % block != 0 || c->chunk % block != 0 || (pairs && group % 2 != 0)) {
        return FP8MAC_ERR_GROUP;
    }
    return c->lscale <= (c->acc_format == FP8MAC_ACC_FP16 ? 15 : 127) ? FP8MAC_OK
                                                                      : FP8MAC_ERR_SCALE_EXPONENT;
}

static fp8mac_status validate_accumulator(const fp8mac_dot_config *config)
{
    switch (config->acc_format) {
    case FP8MAC_ACC_FIXED: return validate_fixed(config);
    case FP8MAC_ACC_INT32: return validate_int32(config);
    case FP8MAC_ACC_FP32:
    case FP8MAC_ACC_FP16:
    case FP8MAC_ACC_BF16:
    case FP8MAC_ACC_E8M13:
    case FP8MAC_ACC_E6M9: return validate_float(config);
    }
    return FP8MAC_ERR_ACCUMULATOR;
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
    if (!fp8mac_is_operand_format(config->a.format) ||
        !fp8mac_is_operand_format(config->b.format)) {
        return FP8MAC_ERR_FORMAT;
    }
    if (config->group > FP8MAC_GROUP_MAX) {
        return FP8MAC_ERR_GROUP;
    }
    fp8mac_status status = validate_accumulator(config);
    if (status != FP8MAC_OK) {
        return status;
    }
    if (!scale_exponent_in_range(config->a.scale_exp) ||
        !scale_exponent_in_range(config->b.scale_exp)) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    return FP8MAC_OK;
}

bool fp8mac_dot_k_fits(const fp8mac_dot_config *config, uint64_t consumed, uint64_t k)
{
    if (config->acc_format != FP8MAC_ACC_FIXED && config->acc_format != FP8MAC_ACC_INT32) {
        return true;
    }
    uint64_t limit = config->acc_format == FP8MAC_ACC_INT32 ? FP8MAC_INT8_K_MAX
                                                            : UINT64_C(1) << guard_bits(config);
    return consumed <= limit && k <= limit - consumed;
}

static fp8mac_status validate_terms(const fp8mac_dot_config *config, const fp8mac_acc *acc,
                                    const uint8_t *a, const uint8_t *b, size_t k)
{
    if (acc == NULL || a == NULL || b == NULL) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status = fp8mac_dot_config_validate(config);
    if (status != FP8MAC_OK) {
        return status;
    }
    bool changed = acc->fixed_scale != config->a.scale_exp + config->b.scale_exp ||
                   acc->fixed_static_exponent != config->static_exponent;
    if (config->acc_format == FP8MAC_ACC_FIXED && acc->fixed_terms > 0 && changed) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    if (k == 0) {
        return FP8MAC_ERR_SHAPE;
    }
    return fp8mac_dot_k_fits(config, acc->fixed_terms, k) ? FP8MAC_OK : FP8MAC_ERR_K_LIMIT;
}

fp8mac_status fp8mac_dot_step(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                              const uint8_t *b, unsigned n, fp8mac_flags *flags)
{
    fp8mac_status status = validate_terms(config, acc, a, b, n);
    if (status == FP8MAC_OK && n > (config->group == 0 ? 1 : config->group)) {
        status = FP8MAC_ERR_GROUP;
    }
    if (status != FP8MAC_OK) {
        return status;
    }
    fp8mac_dot_config one = *config; // the terms are those of one step
    one.k_order = FP8MAC_K_ASCENDING;
    return fp8mac_dot(&one, acc, a, b, n, flags);
}

fp8mac_status fp8mac_dot(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                         const uint8_t *b, size_t k, fp8mac_flags *flags)
{
    fp8mac_status status = validate_terms(config, acc, a, b, k);
    if (status != FP8MAC_OK) {
        return status;
    }
    fp8mac_dot_engine engine;
    fp8mac_dot_engine_init_for(&engine, config, a, b, k);
    if (!fp8mac_dot_products_fit(&engine, a, b, k)) {
        return FP8MAC_ERR_SCALE_EXPONENT;
    }
    fp8mac_dot_engine_run(&engine, acc, a, b, k, flags);
    return FP8MAC_OK;
}

fp8mac_status fp8mac_dot_mx(const fp8mac_dot_config *config, fp8mac_acc *acc, fp8mac_dot_terms a,
                            fp8mac_dot_terms b, size_t k, fp8mac_flags *flags)
{
    fp8mac_status status = validate_terms(config, acc, a.codes, b.codes, k);
    if (status != FP8MAC_OK) {
        return status;
    }
    if (fp8mac_acc_rounded_format(config->acc_format) == NULL) {
        return FP8MAC_ERR_ACCUMULATOR;
    }
    fp8mac_dot_run_defined(config, acc, a, b, k, flags);
    return FP8MAC_OK;
}
