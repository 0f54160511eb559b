// SPDX-License-Identifier: Apache-2.0
// One step exactly as dot.h defines it, for every setting. The code is slow and obvious. The fast
// paths must agree with it.
#include "core/dot_definition.h"

#include "core/exact.h"
#include "core/round.h"

// ---- decode, multiply ---------------------------------------------------------------------------

// One product, or the accumulator. `exponent` is what alignment compares: the value's significand
// in units of 2^exponent is below 4. A product also has its operands' exponents, which add up to a
// bound of the same kind.
typedef struct term {
    fp8mac_value value;
    int32_t exponent, a_exponent, b_exponent;
} term;

// The special values among the terms of a step.
typedef struct facts {
    bool nan_operand, invalid_product, plus_inf, minus_inf, acc_is_nan, all_minus_zero;
} facts;

enum { NO_EXPONENT = INT32_MIN };

// floor(log2 |x|) + scale of a finite value that is not zero, else NO_EXPONENT.
static int32_t operand_exponent(fp8mac_value x, int32_t scale)
{
    return x.cls == FP8MAC_CLASS_FINITE ? x.exponent + fp8mac_bit_length(x.significand) - 1 + scale
                                        : NO_EXPONENT;
}

static term multiply(const fp8mac_dot_config *config, uint8_t a_code, uint8_t b_code,
                     fp8mac_mx_pair mx, facts *f)
{
    fp8mac_value a = fp8mac_decode(config->a.format, a_code);
    fp8mac_value b = fp8mac_decode(config->b.format, b_code);
    int32_t a_scale = config->a.scale_exp - (int32_t)config->lscale + mx.a_exponent;
    int32_t b_scale = config->b.scale_exp + mx.b_exponent;
    term product = {.value = fp8mac_value_mul_finite(a, b)};
    product.a_exponent = operand_exponent(a, a_scale);
    product.b_exponent = operand_exponent(b, b_scale);
    product.value.exponent += a_scale + b_scale;
    product.exponent =
        product.value.exponent + config->a.format->mantissa_bits + config->b.format->mantissa_bits;
    if (a.cls == FP8MAC_CLASS_NAN || b.cls == FP8MAC_CLASS_NAN || mx.is_nan) {
        product.value.cls = FP8MAC_CLASS_NAN;
        f->nan_operand = true;
    } else if (a.cls == FP8MAC_CLASS_INF || b.cls == FP8MAC_CLASS_INF) {
        bool with_zero = a.cls == FP8MAC_CLASS_ZERO || b.cls == FP8MAC_CLASS_ZERO;
        product.value.cls = with_zero ? FP8MAC_CLASS_NAN : FP8MAC_CLASS_INF;
        f->invalid_product |= with_zero;
    }
    return product;
}

static void note(facts *f, fp8mac_value value)
{
    f->plus_inf |= value.cls == FP8MAC_CLASS_INF && !value.sign;
    f->minus_inf |= value.cls == FP8MAC_CLASS_INF && value.sign;
    f->all_minus_zero &= value.cls == FP8MAC_CLASS_ZERO && value.sign;
}

static bool is_special(const facts *f)
{
    return f->nan_operand || f->invalid_product || f->plus_inf || f->minus_inf || f->acc_is_nan;
}

static fp8mac_value special_value(const facts *f, fp8mac_flags *flags)
{
    bool both = f->plus_inf && f->minus_inf;
    fp8mac_raise(flags, f->nan_operand ? FP8MAC_FLAG_NAN : 0);
    fp8mac_raise(flags, f->invalid_product || both ? FP8MAC_FLAG_INVALID : 0);
    if (f->nan_operand || f->invalid_product || f->acc_is_nan || both) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_NAN};
    }
    return (fp8mac_value){.cls = FP8MAC_CLASS_INF, .sign = f->minus_inf};
}

// ---- align, add ---------------------------------------------------------------------------------

static fp8mac_value add_exactly(const term *terms, unsigned n, term acc)
{
    fp8mac_exact sum = {{0}};
    fp8mac_exact_add(&sum, acc.value);
    for (unsigned i = 0; i < n; i++) {
        fp8mac_exact_add(&sum, terms[i].value);
    }
    return fp8mac_exact_value(&sum);
}

// The largest exponent of the non-zero products first, first + stride, ..., and at least `least`.
static int32_t largest_exponent(const term *terms, unsigned n, unsigned first, unsigned stride,
                                int32_t least)
{
    for (unsigned i = first; i < n; i += stride) {
        if (terms[i].value.cls == FP8MAC_CLASS_FINITE && terms[i].exponent > least) {
            least = terms[i].exponent;
        }
    }
    return least;
}

// The largest a_exponent plus the largest b_exponent, and at least `least`. Both maxima cover all
// products, also those that are zero.
static int32_t operands_exponent(const term *terms, unsigned n, int32_t least)
{
    int32_t a = NO_EXPONENT, b = NO_EXPONENT;
    for (unsigned i = 0; i < n; i++) {
        a = terms[i].a_exponent > a ? terms[i].a_exponent : a;
        b = terms[i].b_exponent > b ? terms[i].b_exponent : b;
    }
    return a != NO_EXPONENT && b != NO_EXPONENT && a + b > least ? a + b : least;
}

// The sum of the terms first, first + stride, ..., each truncated to a multiple of 2^quantum.
static fp8mac_exact sum_truncated(const term *terms, unsigned n, unsigned first, unsigned stride,
                                  int32_t quantum, fp8mac_align_round round)
{
    fp8mac_exact sum = {{0}};
    for (unsigned i = first; i < n; i += stride) {
        fp8mac_exact one = {{0}};
        fp8mac_exact_add(&one, terms[i].value);
        fp8mac_exact_truncate(&one, quantum, round);
        fp8mac_exact_add_exact(&sum, &one);
    }
    return sum;
}

// The exponent to which the products are aligned, without acc. Even and odd products have separate
// exponents only if align_by is PRODUCTS.
static int32_t products_exponent(const fp8mac_dot_config *config, const term *terms, unsigned n,
                                 unsigned first, unsigned stride)
{
    int32_t least = fp8mac_acc_min_exponent(config);
    return config->align_by == FP8MAC_ALIGN_BY_OPERANDS
               ? operands_exponent(terms, n, least)
               : largest_exponent(terms, n, first, stride, least);
}

static int32_t join_acc(int32_t exponent, term acc)
{
    return acc.value.cls == FP8MAC_CLASS_FINITE && acc.exponent > exponent ? acc.exponent
                                                                           : exponent;
}

// The accumulator is aligned like a product: terms[n] is a copy of it.
static fp8mac_value add_aligned(const fp8mac_dot_config *config, term *terms, unsigned n, term acc)
{
    terms[n] = acc;
    int32_t e = join_acc(products_exponent(config, terms, n, 0, 1), acc);
    fp8mac_exact sum =
        sum_truncated(terms, n + 1, 0, 1, e - (int32_t)config->frac_bits, config->align_round);
    return fp8mac_exact_value(&sum);
}

// The sum of the products and its exponent. Even and odd products are summed separately if the
// configuration says so.
static fp8mac_exact sum_products(const fp8mac_dot_config *config, const term *terms, unsigned n,
                                 int32_t *exponent)
{
    int32_t fraction = (int32_t)config->frac_bits;
    unsigned parts = config->even_odd ? 2 : 1;
    fp8mac_exact sum = {{0}};
    *exponent = products_exponent(config, terms, n, 0, 1);
    for (unsigned part = 0; part < parts; part++) {
        int32_t e = products_exponent(config, terms, n, part, parts);
        fp8mac_exact some = sum_truncated(terms, n, part, parts, e - fraction, config->align_round);
        if (parts > 1) {
            fp8mac_exact_truncate(&some, *exponent - fraction, config->late_round);
        }
        fp8mac_exact_add_exact(&sum, &some);
    }
    return sum;
}

static fp8mac_value add_late(const fp8mac_dot_config *config, const term *terms, unsigned n,
                             term acc)
{
    int32_t e;
    fp8mac_exact sum = sum_products(config, terms, n, &e);
    e = join_acc(e, acc);
    fp8mac_exact_truncate(&sum, e - (int32_t)config->late_bits_sum, config->late_round);
    fp8mac_exact addend = {{0}};
    if (config->late_drop == 0 || acc.exponent >= e - (int32_t)config->late_drop) {
        fp8mac_exact_add(&addend, acc.value);
        fp8mac_exact_truncate(&addend, e - (int32_t)config->late_bits_acc, config->late_round);
    }
    fp8mac_exact_add_exact(&sum, &addend);
    return fp8mac_exact_value(&sum);
}

// ---- normalise, round ---------------------------------------------------------------------------

static fp8mac_round_mode round_mode(const fp8mac_dot_config *config, const fp8mac_acc *acc,
                                    uint64_t step, fp8mac_random_use use)
{
    fp8mac_round_mode mode = {.rounding = config->acc_rounding};
    if (mode.rounding == FP8MAC_ROUND_STOCHASTIC) {
        mode.n = config->random_bits;
        mode.r = fp8mac_random_bits(config->seed, acc->m, acc->n, step, use, mode.n);
    }
    return mode;
}

static bool code_is_fp32(fp8mac_acc_format format)
{
    return format == FP8MAC_ACC_FP32 || format == FP8MAC_ACC_E8M13;
}

static fp8mac_value flush(const fp8mac_format *format, fp8mac_value value)
{
    int32_t top = value.exponent + fp8mac_bit_length(value.significand) - 1;
    if (value.cls == FP8MAC_CLASS_FINITE && top < 1 - format->bias) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_ZERO, .sign = value.sign};
    }
    return value;
}

// The flags without the request for `inexact`: what is written is then judged against the exact
// sum.
static fp8mac_flags without_inexact(const fp8mac_flags *flags)
{
    return flags == NULL ? 0 : *flags & ~(fp8mac_flags)FP8MAC_FLAG_TRACK_INEXACT;
}

// A sum in the accumulator's format, in the format of its code.
static uint32_t round_sum(const fp8mac_dot_config *config, fp8mac_value sum, fp8mac_round_mode mode,
                          fp8mac_flags *flags)
{
    const fp8mac_format *format = fp8mac_acc_rounded_format(config->acc_format);
    if (sum.cls == FP8MAC_CLASS_NAN && config->nan_code != 0) {
        return config->nan_code;
    }
    sum = config->flush ? flush(format, sum) : sum;
    fp8mac_overflow overflow =
        config->acc_saturate ? FP8MAC_OVERFLOW_SATURATE_FINITE : FP8MAC_OVERFLOW_IEEE;
    uint32_t code = fp8mac_encode_rounded(format, sum, mode, overflow, flags);
    unsigned zero_bits =
        fp8mac_acc_code_format(config->acc_format)->mantissa_bits - (unsigned)format->mantissa_bits;
    return code << zero_bits;
}

// The products' sum rounded to the accumulator's format, plus the accumulator.
static fp8mac_value add_rounded(const fp8mac_dot_config *config, const term *terms, unsigned n,
                                fp8mac_value acc, fp8mac_round_mode mode, fp8mac_flags *flags)
{
    int32_t e;
    fp8mac_exact sum = sum_products(config, terms, n, &e);
    uint32_t rounded = round_sum(config, fp8mac_exact_value(&sum), mode, flags);
    return fp8mac_value_add(fp8mac_decode(fp8mac_acc_code_format(config->acc_format), rounded), acc,
                            flags);
}

void fp8mac_dot_step_defined(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                             const uint8_t *b, unsigned n, const fp8mac_mx_pair *mx,
                             fp8mac_flags *flags)
{
    const fp8mac_format *code_format = fp8mac_acc_code_format(config->acc_format);
    facts f = {.all_minus_zero = true};
    term terms[FP8MAC_GROUP_MAX + 1];
    term before = {.value = fp8mac_decode(code_format, acc->code)};
    before.exponent = before.value.exponent + code_format->mantissa_bits;
    f.acc_is_nan = before.value.cls == FP8MAC_CLASS_NAN;
    note(&f, before.value);
    for (unsigned i = 0; i < n; i++) {
        terms[i] = multiply(config, a[i], b[i], mx == NULL ? (fp8mac_mx_pair){0} : mx[i], &f);
        note(&f, terms[i].value);
    }
    fp8mac_round_mode mode = round_mode(config, acc, acc->steps, FP8MAC_RANDOM_STEP);
    fp8mac_flags own = without_inexact(flags);
    fp8mac_value sum;
    if (is_special(&f)) {
        sum = special_value(&f, &own);
    } else if (config->frac_bits == 0) {
        sum = add_exactly(terms, n, before);
        sum.sign |= sum.cls == FP8MAC_CLASS_ZERO && f.all_minus_zero;
    } else if (!config->acc_late) {
        sum = add_aligned(config, terms, n, before);
    } else if (config->late_bits_sum == 0) {
        sum = add_rounded(config, terms, n, before.value, mode, &own);
    } else {
        sum = add_late(config, terms, n, before);
    }
    acc->code = round_sum(config, sum, mode, &own);
    fp8mac_raise(flags, own);
    if (!is_special(&f) && fp8mac_tracks_inexact(flags)) {
        fp8mac_raise_inexact(fp8mac_acc_rounded_format(config->acc_format),
                             add_exactly(terms, n, before), mode,
                             fp8mac_decode(code_format, acc->code), flags);
    }
}

void fp8mac_dot_step_definition(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                                const uint8_t *b, unsigned n, fp8mac_flags *flags)
{
    fp8mac_dot_step_defined(config, acc, a, b, n, NULL, flags);
}

// ---- the second accumulator ---------------------------------------------------------------------

uint32_t fp8mac_acc_joined(const fp8mac_dot_config *config, const fp8mac_acc *acc,
                           fp8mac_flags *flags)
{
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    const fp8mac_format *code_format = fp8mac_acc_code_format(config->acc_format);
    const fp8mac_format *second_format = config->promote != 0 ? fp32 : code_format;
    fp8mac_value sum = fp8mac_value_add(fp8mac_decode(second_format, acc->second),
                                        fp8mac_decode(code_format, acc->code), flags);
    if (config->promote == 0) {
        uint64_t step = acc->steps - 1; // the step that the chunk ended with
        fp8mac_round_mode mode = round_mode(config, acc, step, FP8MAC_RANDOM_OUTER);
        fp8mac_flags own = without_inexact(flags);
        uint32_t code = round_sum(config, sum, mode, &own);
        fp8mac_raise(flags, own);
        fp8mac_raise_inexact(fp8mac_acc_rounded_format(config->acc_format), sum, mode,
                             fp8mac_decode(code_format, code), flags);
        return code;
    }
    if (sum.cls == FP8MAC_CLASS_NAN && config->nan_code != 0 && code_is_fp32(config->acc_format)) {
        return config->nan_code;
    }
    fp8mac_overflow overflow =
        config->acc_saturate ? FP8MAC_OVERFLOW_SATURATE_FINITE : FP8MAC_OVERFLOW_IEEE;
    return fp8mac_encode_independent(fp32, sum, FP8MAC_ROUND_NEAREST_EVEN, overflow, flags);
}

static void count_products(const fp8mac_dot_config *config, fp8mac_acc *acc, unsigned n,
                           fp8mac_flags *flags)
{
    unsigned period = config->promote != 0 ? config->promote : config->chunk;
    if (period == 0) {
        return;
    }
    acc->pending += n;
    if (acc->pending >= period) {
        acc->second = fp8mac_acc_joined(config, acc, flags);
        acc->code = 0;
        acc->pending = 0;
    }
}

// ---- all the steps of K -------------------------------------------------------------------------

static fp8mac_value block_scale(const uint8_t *mx, size_t k)
{
    return mx == NULL ? (fp8mac_value){.cls = FP8MAC_CLASS_FINITE, .significand = 1}
                      : fp8mac_decode(fp8mac_format_get(FP8MAC_E8M0FNU), mx[k / FP8MAC_MX_BLOCK]);
}

// The block scales of one product, and whether one of them is NaN.
static fp8mac_mx_pair mx_pair(const uint8_t *a, const uint8_t *b, size_t k)
{
    const fp8mac_value x = block_scale(a, k), y = block_scale(b, k);
    return (fp8mac_mx_pair){.a_exponent = x.exponent,
                            .b_exponent = y.exponent,
                            .is_nan = x.cls == FP8MAC_CLASS_NAN || y.cls == FP8MAC_CLASS_NAN};
}

// A step's terms. `k` is the position of each among the terms of the call.
typedef struct step_terms {
    size_t k[FP8MAC_GROUP_MAX];
    unsigned n;
} step_terms;

// The next step's terms. `first` is the position of the first term of its block, `part` the number
// of the step in the block.
static void choose_terms(const fp8mac_dot_config *config, size_t first, unsigned part, size_t end,
                         step_terms *terms)
{
    bool pairs = config->k_order == FP8MAC_K_PAIRS;
    unsigned group = config->group == 0 ? 1 : config->group;
    terms->n = 0;
    for (size_t k = first; k < end && k < first + (pairs ? 2 * group : group); k++) {
        if (!pairs || (k % 4 < 2) == (part == 0)) {
            terms->k[terms->n++] = k;
        }
    }
}

void fp8mac_dot_run_defined(const fp8mac_dot_config *config, fp8mac_acc *acc, fp8mac_dot_terms a,
                            fp8mac_dot_terms b, size_t k, fp8mac_flags *flags)
{
    bool scaled = a.mx != NULL || b.mx != NULL;
    unsigned parts = config->k_order == FP8MAC_K_PAIRS ? 2 : 1;
    unsigned block = parts * (config->group == 0 ? 1 : config->group);
    for (size_t step = 0; step / parts < k / block + (k % block != 0); step++) {
        step_terms terms;
        uint8_t step_a[FP8MAC_GROUP_MAX], step_b[FP8MAC_GROUP_MAX];
        fp8mac_mx_pair mx[FP8MAC_GROUP_MAX];
        choose_terms(config, step / parts * block, (unsigned)(step % parts), k, &terms);
        if (terms.n == 0) { // a last block of one or two terms has no second step
            continue;
        }
        for (unsigned i = 0; i < terms.n; i++) {
            step_a[i] = a.codes[terms.k[i]];
            step_b[i] = b.codes[terms.k[i]];
            mx[i] = scaled ? mx_pair(a.mx, b.mx, terms.k[i]) : (fp8mac_mx_pair){0};
        }
        fp8mac_dot_step_defined(config, acc, step_a, step_b, terms.n, scaled ? mx : NULL, flags);
        acc->steps += config->acc_rounding == FP8MAC_ROUND_STOCHASTIC ? 1 : 0;
        count_products(config, acc, terms.n, flags);
    }
}
