// SPDX-License-Identifier: Apache-2.0
// The dot product. Products are summed in 128 bits. The unit is the product of the two formats'
// smallest subnormals.
#include "core/dot_engine.h"

#include "core/dot_definition.h"
#include "core/wide.h"

enum { CODES = 256 }; // of a table

// Whether the engine computes the step itself: FIXED; or exact and nearest even, without the
// options that only the definition implements.
static bool is_plain(const fp8mac_dot_config *c)
{
    if (c->acc_format == FP8MAC_ACC_FIXED) {
        return true;
    }
    bool one_rounding =
        c->acc_rounding == FP8MAC_ROUND_NEAREST_EVEN && c->frac_bits == 0 && !c->flush;
    return one_rounding && c->acc_format != FP8MAC_ACC_E8M13 && c->nan_code == 0 &&
           c->promote == 0 && c->chunk == 0 && c->k_order == FP8MAC_K_ASCENDING;
}

static void enter(fp8mac_operand_table *table, const fp8mac_format *f, unsigned code)
{
    fp8mac_value x = fp8mac_decode(f, code);
    int64_t magnitude = 0;
    if (x.cls == FP8MAC_CLASS_FINITE) {
        magnitude = (int64_t)(x.significand << (x.exponent - fp8mac_format_unit_exponent(f)));
    }
    table->value[code] = x.sign ? -magnitude : magnitude;
    table->special[code] = x.cls == FP8MAC_CLASS_INF || x.cls == FP8MAC_CLASS_NAN;
}

static void table_init(fp8mac_operand_table *table, const fp8mac_format *f)
{
    for (unsigned code = 0; code < CODES; code++) {
        enter(table, f, code);
    }
}

static int32_t unit_of_products(const fp8mac_dot_config *config)
{
    return fp8mac_format_unit_exponent(config->a.format) +
           fp8mac_format_unit_exponent(config->b.format);
}

static bool is_static(const fp8mac_dot_config *c)
{
    return c->acc_format == FP8MAC_ACC_FIXED && c->frac_bits != 0;
}

// log2 of a FIXED accumulator's unit.
static int32_t fixed_unit(const fp8mac_dot_config *config)
{
    return is_static(config) ? config->static_exponent - (int32_t)config->frac_bits
                             : unit_of_products(config);
}

static void prepare(fp8mac_dot_engine *engine, const fp8mac_dot_config *config)
{
    engine->config = *config;
    engine->group = config->group == 0 ? 1 : config->group;
    engine->rounded_format = fp8mac_acc_rounded_format(config->acc_format);
    engine->plain = is_plain(config);
    engine->unit_exponent = unit_of_products(config);
    engine->scale_exponent = fp8mac_dot_scale_exponent(config);
}

void fp8mac_dot_engine_init(fp8mac_dot_engine *engine, const fp8mac_dot_config *config)
{
    prepare(engine, config);
    table_init(&engine->a, config->a.format);
    table_init(&engine->b, config->b.format);
}

void fp8mac_dot_engine_init_for(fp8mac_dot_engine *engine, const fp8mac_dot_config *config,
                                const uint8_t *a, const uint8_t *b, size_t k)
{
    if (k >= CODES) {
        fp8mac_dot_engine_init(engine, config);
        return;
    }
    prepare(engine, config);
    for (size_t i = 0; i < k; i++) {
        enter(&engine->a, config->a.format, a[i]);
        enter(&engine->b, config->b.format, b[i]);
    }
}

// Multiplies and adds. *special is set if any operand is Inf or NaN; the sum omits its term.
static fp8mac_wide sum_products(const fp8mac_dot_engine *engine, const uint8_t *a, const uint8_t *b,
                                unsigned n, bool *special)
{
    fp8mac_wide sum = fp8mac_wide_of(0);
    unsigned any = 0;
    for (unsigned i = 0; i < n; i++) {
        sum =
            fp8mac_wide_sum(sum, fp8mac_wide_product(engine->a.value[a[i]], engine->b.value[b[i]]));
        any |= (unsigned)engine->a.special[a[i]] | engine->b.special[b[i]];
    }
    *special = any != 0;
    return sum;
}

// ---- FIXED, static ------------------------------------------------------------------------------

static int32_t floor_log2(int64_t x)
{
    return fp8mac_bit_length(x < 0 ? -(uint64_t)x : (uint64_t)x) - 1;
}

bool fp8mac_dot_products_fit(const fp8mac_dot_engine *engine, const uint8_t *a, const uint8_t *b,
                             size_t k)
{
    for (size_t i = 0; is_static(&engine->config) && i < k; i++) {
        int64_t x = engine->a.value[a[i]], y = engine->b.value[b[i]];
        if (x != 0 && y != 0 &&
            floor_log2(x) + floor_log2(y) + engine->unit_exponent >
                engine->config.static_exponent) {
            return false;
        }
    }
    return true;
}

// product * 2^shift, truncated toward zero as a division does. The result is below 2^(F + 2) for
// any shift.
static fp8mac_wide truncate_product(fp8mac_wide product, int32_t shift)
{
    enum { MOST = 126 }; // more than a product's bits
    if (fp8mac_wide_is_zero(product) || shift < -MOST) {
        return fp8mac_wide_of(0);
    }
    return shift >= 0 ? fp8mac_wide_shifted(product, shift) : fp8mac_wide_divided(product, -shift);
}

// sum_products in the accumulator's unit. Each product is truncated.
static fp8mac_wide sum_truncated_products(const fp8mac_dot_engine *engine, const uint8_t *a,
                                          const uint8_t *b, unsigned n, bool *special,
                                          fp8mac_flags *flags)
{
    int32_t shift = engine->unit_exponent - fixed_unit(&engine->config);
    fp8mac_wide sum = fp8mac_wide_of(0), lost = sum;
    *special = false;
    for (unsigned i = 0; i < n; i++) {
        fp8mac_wide product = fp8mac_wide_product(engine->a.value[a[i]], engine->b.value[b[i]]);
        fp8mac_wide kept = truncate_product(product, shift);
        fp8mac_wide again = shift < 0 ? truncate_product(kept, -shift) : product;
        sum = fp8mac_wide_sum(sum, kept);
        lost = fp8mac_wide_sum(lost, fp8mac_wide_sum(product, fp8mac_wide_negated(again)));
        *special |= engine->a.special[a[i]] != 0 || engine->b.special[b[i]] != 0;
    }
    if (!fp8mac_wide_is_zero(lost) && !*special && fp8mac_tracks_inexact(flags)) {
        fp8mac_raise(flags, FP8MAC_FLAG_INEXACT);
    }
    return sum;
}

// ---- Inf and NaN --------------------------------------------------------------------------------

// The specials among the products of a step.
typedef struct specials {
    bool nan_operand, invalid_product, plus_inf, minus_inf;
} specials;

static specials find_specials(const fp8mac_dot_config *config, const uint8_t *a, const uint8_t *b,
                              unsigned n)
{
    specials found = {.nan_operand = false};
    for (unsigned i = 0; i < n; i++) {
        fp8mac_value x = fp8mac_decode(config->a.format, a[i]);
        fp8mac_value y = fp8mac_decode(config->b.format, b[i]);
        bool zero = x.cls == FP8MAC_CLASS_ZERO || y.cls == FP8MAC_CLASS_ZERO;
        if (x.cls == FP8MAC_CLASS_NAN || y.cls == FP8MAC_CLASS_NAN) {
            found.nan_operand = true;
        } else if (x.cls == FP8MAC_CLASS_INF || y.cls == FP8MAC_CLASS_INF) {
            found.invalid_product |= zero;
            found.plus_inf |= !zero && x.sign == y.sign;
            found.minus_inf |= !zero && x.sign != y.sign;
        }
    }
    return found;
}

static void raise_specials(const specials *found, fp8mac_flags *flags)
{
    if (found->nan_operand) {
        fp8mac_raise(flags, FP8MAC_FLAG_NAN);
    }
    if (found->invalid_product || (found->plus_inf && found->minus_inf)) {
        fp8mac_raise(flags, FP8MAC_FLAG_INVALID);
    }
}

static fp8mac_value specials_value(const specials *found, bool acc_is_nan)
{
    if (acc_is_nan || found->nan_operand || found->invalid_product ||
        (found->plus_inf && found->minus_inf)) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_NAN};
    }
    return (fp8mac_value){.cls = FP8MAC_CLASS_INF, .sign = found->minus_inf};
}

// ---- the steps ----------------------------------------------------------------------------------

// acc + sum * 2^exponent, exact except for a sticky last bit. acc is finite or zero. A zero result
// is +0.
//
// Either the bits of both fit in 126 bits, or both lie so far apart that they do not overlap. The
// sum has at most 66 + 10 bits and acc has 24, so more than 126 - 76 - 24 bits lie between them:
//
//   [   larger   ]                 MOVE zeros ]           larger * 2^MOVE
//                        [  smaller  ]                    counts as +1 or -1 in the last place
//
// Only the sign of the smaller one matters: it is far below half of any place that is rounded to.
static fp8mac_value join(fp8mac_value acc, fp8mac_wide sum, int32_t exponent)
{
    if (acc.cls == FP8MAC_CLASS_ZERO) {
        return fp8mac_value_from_wide(sum, exponent);
    }
    fp8mac_wide addend = fp8mac_wide_signed(acc.sign, acc.significand);
    int32_t sum_top = exponent + fp8mac_wide_bit_length(sum);
    int32_t acc_top = acc.exponent + fp8mac_bit_length(acc.significand);
    int32_t low = exponent < acc.exponent ? exponent : acc.exponent;
    int32_t top = sum_top > acc_top ? sum_top : acc_top;
    fp8mac_wide total;
    if (fp8mac_wide_is_zero(sum)) {
        total = addend;
        low = acc.exponent;
    } else if (top - low <= 126) {
        total = fp8mac_wide_sum(fp8mac_wide_shifted(sum, exponent - low),
                                fp8mac_wide_shifted(addend, acc.exponent - low));
    } else {
        enum { MOVE = 48 };
        bool sum_is_larger = sum_top > acc_top;
        fp8mac_wide larger = sum_is_larger ? sum : addend;
        fp8mac_wide smaller = sum_is_larger ? addend : sum;
        low = (sum_is_larger ? exponent : acc.exponent) - MOVE;
        total = fp8mac_wide_sum(fp8mac_wide_shifted(larger, MOVE),
                                fp8mac_wide_signed(fp8mac_wide_is_negative(smaller), 1));
    }
    return fp8mac_value_from_wide(total, low);
}

// Whether every product of a step is -0.
static bool products_are_minus_zero(const fp8mac_dot_config *config, const uint8_t *a,
                                    const uint8_t *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        fp8mac_value x = fp8mac_decode(config->a.format, a[i]);
        fp8mac_value y = fp8mac_decode(config->b.format, b[i]);
        if ((x.cls != FP8MAC_CLASS_ZERO && y.cls != FP8MAC_CLASS_ZERO) || x.sign == y.sign) {
            return false;
        }
    }
    return true;
}

static void step_float(const fp8mac_dot_engine *engine, fp8mac_acc *acc, const uint8_t *a,
                       const uint8_t *b, unsigned n, fp8mac_flags *flags)
{
    fp8mac_value before = fp8mac_decode(engine->rounded_format, acc->code);
    bool special;
    fp8mac_wide sum = sum_products(engine, a, b, n, &special);
    fp8mac_value after;
    if (special || before.cls == FP8MAC_CLASS_INF || before.cls == FP8MAC_CLASS_NAN) {
        specials found = find_specials(&engine->config, a, b, n);
        found.plus_inf |= before.cls == FP8MAC_CLASS_INF && !before.sign;
        found.minus_inf |= before.cls == FP8MAC_CLASS_INF && before.sign;
        raise_specials(&found, flags);
        after = specials_value(&found, before.cls == FP8MAC_CLASS_NAN);
    } else {
        after = join(before, sum, engine->unit_exponent + engine->scale_exponent);
        if (before.cls == FP8MAC_CLASS_ZERO && before.sign && fp8mac_wide_is_zero(sum)) {
            after.sign = products_are_minus_zero(&engine->config, a, b, n);
        }
    }
    fp8mac_overflow overflow =
        engine->config.acc_saturate ? FP8MAC_OVERFLOW_SATURATE_FINITE : FP8MAC_OVERFLOW_IEEE;
    acc->code = fp8mac_encode_independent(engine->rounded_format, after, FP8MAC_ROUND_NEAREST_EVEN,
                                          overflow, flags);
}

static void step_fixed(const fp8mac_dot_engine *engine, fp8mac_acc *acc, const uint8_t *a,
                       const uint8_t *b, unsigned n, fp8mac_flags *flags)
{
    bool special;
    fp8mac_wide sum = is_static(&engine->config)
                          ? sum_truncated_products(engine, a, b, n, &special, flags)
                          : sum_products(engine, a, b, n, &special);
    fp8mac_wide total = fp8mac_wide_sum(fp8mac_wide_of_halves(acc->fixed_hi, acc->fixed_lo), sum);
    acc->fixed_lo = fp8mac_wide_low(total);
    acc->fixed_hi = fp8mac_wide_high(total);
    acc->fixed_terms += n;
    acc->fixed_scale = (int16_t)engine->scale_exponent;
    acc->fixed_static_exponent = (int16_t)engine->config.static_exponent;
    if (special) {
        specials found = find_specials(&engine->config, a, b, n);
        if (found.plus_inf || found.minus_inf) {
            found.plus_inf |= (acc->fixed_sticky & FP8MAC_FIXED_POS_INF) != 0;
            found.minus_inf |= (acc->fixed_sticky & FP8MAC_FIXED_NEG_INF) != 0;
        }
        raise_specials(&found, flags);
        unsigned sticky = (found.nan_operand || found.invalid_product ? FP8MAC_FIXED_NAN : 0u) |
                          (found.plus_inf ? FP8MAC_FIXED_POS_INF : 0u) |
                          (found.minus_inf ? FP8MAC_FIXED_NEG_INF : 0u);
        acc->fixed_sticky = (uint8_t)(acc->fixed_sticky | sticky);
    }
}

// A sum of signed 8 x 8 products fits 32 bits as long as K is within its limit.
static void run_int32(const fp8mac_dot_engine *engine, fp8mac_acc *acc, const uint8_t *a,
                      const uint8_t *b, size_t k)
{
    uint32_t sum = acc->code;
    for (size_t i = 0; i < k; i++) {
        sum += (uint32_t)(engine->a.value[a[i]] * engine->b.value[b[i]]);
    }
    acc->code = sum;
    acc->fixed_terms += k;
}

void fp8mac_dot_engine_run_mx(const fp8mac_dot_engine *engine, fp8mac_acc *acc, fp8mac_dot_terms a,
                              fp8mac_dot_terms b, size_t k, fp8mac_flags *flags)
{
    if (a.mx == NULL && b.mx == NULL) {
        fp8mac_dot_engine_run(engine, acc, a.codes, b.codes, k, flags);
    } else {
        fp8mac_dot_run_defined(&engine->config, acc, a, b, k, flags);
    }
}

void fp8mac_dot_engine_run(const fp8mac_dot_engine *engine, fp8mac_acc *acc, const uint8_t *a,
                           const uint8_t *b, size_t k, fp8mac_flags *flags)
{
    if (engine->config.acc_format == FP8MAC_ACC_INT32) {
        run_int32(engine, acc, a, b, k);
        return;
    }
    if (!engine->plain) {
        fp8mac_dot_run_defined(&engine->config, acc, (fp8mac_dot_terms){a, NULL},
                               (fp8mac_dot_terms){b, NULL}, k, flags);
        return;
    }
    for (size_t i = 0; i < k; i += engine->group) {
        unsigned n = k - i < engine->group ? (unsigned)(k - i) : engine->group;
        if (engine->rounded_format != NULL) {
            step_float(engine, acc, a + i, b + i, n, flags);
        } else {
            step_fixed(engine, acc, a + i, b + i, n, flags);
        }
    }
}

static fp8mac_value fixed_value(const fp8mac_dot_config *config, const fp8mac_acc *acc)
{
    bool plus_inf = (acc->fixed_sticky & FP8MAC_FIXED_POS_INF) != 0;
    bool minus_inf = (acc->fixed_sticky & FP8MAC_FIXED_NEG_INF) != 0;
    if ((acc->fixed_sticky & FP8MAC_FIXED_NAN) != 0 || (plus_inf && minus_inf)) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_NAN};
    }
    if (plus_inf || minus_inf) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_INF, .sign = minus_inf};
    }
    return fp8mac_value_from_wide(fp8mac_wide_of_halves(acc->fixed_hi, acc->fixed_lo),
                                  fixed_unit(config) + acc->fixed_scale);
}

static fp8mac_value int32_value(const fp8mac_acc *acc)
{
    return fp8mac_value_from_wide(fp8mac_wide_of((int32_t)acc->code), 0);
}

// The floating-point accumulator that is read out, including what is pending.
static fp8mac_value float_value(const fp8mac_dot_config *config, const fp8mac_acc *acc,
                                fp8mac_flags *flags)
{
    const fp8mac_format *code_format = fp8mac_acc_code_format(config->acc_format);
    if (config->promote == 0 && config->chunk == 0) {
        return fp8mac_decode(code_format, acc->code);
    }
    const fp8mac_format *format =
        config->promote != 0 ? fp8mac_format_get(FP8MAC_FP32) : code_format;
    return fp8mac_decode(format,
                         acc->pending == 0 ? acc->second : fp8mac_acc_joined(config, acc, flags));
}

// The FP32 code of a NaN at read-out. nan_code applies only if the accumulator's codes are FP32.
static uint32_t nan_read_out(const fp8mac_dot_config *config)
{
    bool is_fp32 = config->acc_format == FP8MAC_ACC_FP32 || config->acc_format == FP8MAC_ACC_E8M13;
    return is_fp32 && config->nan_code != 0 ? config->nan_code : FP8MAC_FP32_NAN;
}

uint32_t fp8mac_acc_to_fp32(const fp8mac_dot_config *config, const fp8mac_acc *acc,
                            fp8mac_flags *flags)
{
    fp8mac_value value;
    switch (config->acc_format) {
    case FP8MAC_ACC_FIXED: value = fixed_value(config, acc); break;
    case FP8MAC_ACC_INT32: value = int32_value(acc); break;
    default: value = float_value(config, acc, flags); break;
    }
    if (value.cls == FP8MAC_CLASS_NAN) {
        return nan_read_out(config);
    }
    return fp8mac_encode_independent(fp8mac_format_get(FP8MAC_FP32), value,
                                     FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_IEEE, flags);
}
