// SPDX-License-Identifier: Apache-2.0
// One step written down as it is defined: every term is put into one wide integer, which is rounded once.
#include "dot_engine.h"
#include "round.h"

// Two's complement, least significant limb first, in units of 2^WIDE_UNIT. Exponents of products of valid rows,
// scaled, lie in -600..640 with 16 significand bits; 1024 terms add 10 bits.
enum { WIDE_LIMBS = 24, WIDE_UNIT = -700 };

typedef struct wide {
    uint64_t limb[WIDE_LIMBS];
} wide;

static void wide_add_at(wide *w, size_t first, uint64_t x)
{
    for (size_t i = first; i < WIDE_LIMBS && x != 0; i++) {
        w->limb[i] += x;
        x = w->limb[i] < x ? 1 : 0; // carry
    }
}

static void wide_negate(wide *w)
{
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        w->limb[i] = ~w->limb[i];
    }
    wide_add_at(w, 0, 1);
}

// w += value; -x is ~(~w + x).
static void wide_add(wide *w, fp8mac_value value)
{
    if (value.cls != FP8MAC_CLASS_FINITE) {
        return;
    }
    uint32_t position = (uint32_t)(value.exponent - WIDE_UNIT);
    size_t first = position / 64;
    uint32_t offset = position % 64;
    uint64_t low = value.significand << offset;
    uint64_t high = offset == 0 ? 0 : value.significand >> (64 - offset);
    if (value.sign) {
        wide_negate(w);
    }
    wide_add_at(w, first, low);
    wide_add_at(w, first + 1, high);
    if (value.sign) {
        wide_negate(w);
    }
}

// The first 64 bits of the sum, the last of them sticky.
static fp8mac_value wide_value(wide w)
{
    fp8mac_value value = {.cls = FP8MAC_CLASS_ZERO, .sign = w.limb[WIDE_LIMBS - 1] >> 63 != 0};
    if (value.sign) {
        wide_negate(&w);
    }
    for (size_t bit = 64 * WIDE_LIMBS; bit-- > 0;) {
        bool one = (w.limb[bit / 64] >> (bit % 64) & 1) != 0;
        if (value.cls == FP8MAC_CLASS_ZERO && one) {
            value.cls = FP8MAC_CLASS_FINITE;
            value.exponent = (int32_t)bit + WIDE_UNIT + 1;
        }
        if (value.significand >> 63 != 0) {
            value.significand |= one ? 1 : 0;
        } else if (value.cls == FP8MAC_CLASS_FINITE) {
            value.significand = value.significand << 1 | (one ? 1 : 0);
            value.exponent--;
        }
    }
    return value;
}

// What the terms of one sum amount to.
typedef struct term_facts {
    bool nan, invalid_product, plus_inf, minus_inf, all_minus_zero;
    wide sum;
} term_facts;

static void add_term(term_facts *facts, fp8mac_value term)
{
    facts->nan |= term.cls == FP8MAC_CLASS_NAN;
    facts->plus_inf |= term.cls == FP8MAC_CLASS_INF && !term.sign;
    facts->minus_inf |= term.cls == FP8MAC_CLASS_INF && term.sign;
    facts->all_minus_zero &= term.cls == FP8MAC_CLASS_ZERO && term.sign;
    wide_add(&facts->sum, term);
}

static fp8mac_value multiply(fp8mac_value a, fp8mac_value b, int32_t scale_exponent)
{
    fp8mac_value product = fp8mac_value_mul_finite(a, b);
    product.exponent += scale_exponent;
    if (a.cls == FP8MAC_CLASS_NAN || b.cls == FP8MAC_CLASS_NAN) {
        product.cls = FP8MAC_CLASS_NAN;
    } else if (a.cls == FP8MAC_CLASS_INF || b.cls == FP8MAC_CLASS_INF) {
        bool with_zero = a.cls == FP8MAC_CLASS_ZERO || b.cls == FP8MAC_CLASS_ZERO;
        product.cls = with_zero ? FP8MAC_CLASS_NAN : FP8MAC_CLASS_INF;
    }
    return product;
}

static fp8mac_value facts_value(const term_facts *facts)
{
    if (facts->nan || (facts->plus_inf && facts->minus_inf)) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_NAN};
    }
    if (facts->plus_inf || facts->minus_inf) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_INF, .sign = facts->minus_inf};
    }
    fp8mac_value sum = wide_value(facts->sum);
    if (sum.cls == FP8MAC_CLASS_ZERO) {
        sum.sign = facts->all_minus_zero;
    }
    return sum;
}

void fp8mac_dot_step_definition(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a, const uint8_t *b,
                                unsigned n, fp8mac_flags *flags)
{
    const fp8mac_format *row = fp8mac_acc_row(config->acc_format);
    term_facts facts = {.all_minus_zero = true};
    add_term(&facts, fp8mac_decode(row, acc->code));
    for (unsigned i = 0; i < n; i++) {
        fp8mac_value x = fp8mac_decode(config->a_format, a[i]);
        fp8mac_value y = fp8mac_decode(config->b_format, b[i]);
        fp8mac_value product = multiply(x, y, config->scale_exp_a + config->scale_exp_b);
        if (x.cls == FP8MAC_CLASS_NAN || y.cls == FP8MAC_CLASS_NAN) {
            fp8mac_raise(flags, FP8MAC_FLAG_NAN);
        } else if (product.cls == FP8MAC_CLASS_NAN) {
            facts.invalid_product = true;
        }
        add_term(&facts, product);
    }
    if (facts.invalid_product || (facts.plus_inf && facts.minus_inf)) {
        fp8mac_raise(flags, FP8MAC_FLAG_INVALID);
    }
    fp8mac_overflow overflow = config->acc_saturate ? FP8MAC_OVERFLOW_SATURATE_FINITE : FP8MAC_OVERFLOW_IEEE;
    acc->code = fp8mac_encode_independent(row, facts_value(&facts), FP8MAC_ROUND_NEAREST_EVEN, overflow, flags);
}
