// SPDX-License-Identifier: Apache-2.0
// Why kernels_any.h is exact:
//
//   exact sums           A step's products fit one double, or two sums of them do, for A's large
//                        and small values. acc is added with rounding to odd where the whole does
//                        not fit.
//   truncated alignment  A truncated product is an integer below 2^(F+2), and F + 2 <= 31. Sums of
//                        them are doubles.
//   rounding             An accumulator has at most 24 bits and a rounding at most 24 random bits.
#include "fast/any.h"

#include <math.h>

#include "core/accumulator.h"
#include "core/round.h"

#if FP8MAC_FAST

enum { DOUBLE_BITS = 53, FLOAT_LEAST = -149, FLOAT_MOST = 127 };

// ---- operands -----------------------------------------------------------------------------------

bool fp8mac_code_table_init(fp8mac_code_table *table, const fp8mac_format *format, bool normalised)
{
    enum { EXPONENTS = 50 }; // of one format; two of them and a zero's fit a byte
    int32_t exponent[256], least = INT32_MAX, most = INT32_MIN;
    table->most_top = INT32_MIN;
    for (unsigned code = 0; code < 256; code++) {
        fp8mac_value x = fp8mac_decode(format, code);
        bool finite = x.cls == FP8MAC_CLASS_FINITE;
        double value = finite ? fp8mac_value_to_double(x) : 0;
        table->value[code] = x.cls == FP8MAC_CLASS_ZERO && x.sign ? -0.0f : (float)value;
        table->special[code] = x.cls == FP8MAC_CLASS_INF || x.cls == FP8MAC_CLASS_NAN;
        table->exponent[code] = FP8MAC_ANY_ZERO;
        exponent[code] = INT32_MIN;
        if (finite) {
            int32_t top = x.exponent + fp8mac_bit_length(x.significand);
            table->top[code] = (int16_t)top;
            table->most_top = top > table->most_top ? top : table->most_top;
            table->unit[code] = (int16_t)(x.exponent + __builtin_ctzll(x.significand));
            exponent[code] = normalised ? top - 1 : x.exponent + format->mantissa_bits;
            least = exponent[code] < least ? exponent[code] : least;
            most = exponent[code] > most ? exponent[code] : most;
        }
    }
    if (most - least > EXPONENTS || least < FLOAT_LEAST + 8 || most >= FLOAT_MOST) {
        return false;
    }
    for (unsigned code = 0; code < 256; code++) {
        if (exponent[code] != INT32_MIN) {
            table->exponent[code] = (int8_t)(exponent[code] - least);
        }
    }
    table->least = least;
    table->mantissa_bits = format->mantissa_bits;
    return true;
}

static bool has_nan_scale(const uint8_t *mx, size_t blocks)
{
    return mx != NULL && memchr(mx, 0xff, blocks) != NULL;
}

void fp8mac_any_facts(fp8mac_operand_facts *facts, const fp8mac_code_table *table,
                      const fp8mac_gemm_operand *x, size_t rows, size_t k)
{
    int16_t top = INT16_MIN, unit = INT16_MAX;
    for (size_t i = 0; i < rows; i++) {
        unsigned special = has_nan_scale(x->mx != NULL ? x->mx + i * x->mx_stride : NULL,
                                         (k + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK);
        int16_t row_top = INT16_MIN, row_unit = INT16_MAX;
        for (size_t j = 0; j < k; j++) {
            uint8_t code = x->codes[i * x->stride + j];
            special |= table->special[code];
            if (table->exponent[code] != FP8MAC_ANY_ZERO) {
                row_top = table->top[code] > row_top ? table->top[code] : row_top;
                row_unit = table->unit[code] < row_unit ? table->unit[code] : row_unit;
            }
        }
        facts->special[i] = (uint8_t)(special != 0);
        facts->specials += special != 0;
        if (special == 0) {
            top = row_top > top ? row_top : top;
            unit = row_unit < unit ? row_unit : unit;
        }
    }
    bool zero = top == INT16_MIN;
    facts->top = zero ? 1 : top;
    facts->unit = zero ? 0 : unit;
}

void fp8mac_any_pack(const fp8mac_code_table *table, float *panel, int8_t *exponents,
                     unsigned width, const uint8_t *codes, size_t stride, unsigned rows, size_t k,
                     const uint8_t *special)
{
    for (unsigned i = 0; i < width; i++) {
        bool absent = i >= rows || special[i] != 0;
        for (size_t j = 0; j < k; j++) {
            uint8_t code = absent ? 0 : codes[i * stride + j];
            panel[j * width + i] = absent ? 0 : table->value[code];
            if (exponents != NULL) {
                exponents[j * width + i] = absent ? FP8MAC_ANY_ZERO : table->exponent[code];
            }
        }
    }
}

void fp8mac_any_pack_blocks(int32_t *panel, unsigned width, const uint8_t *mx, size_t stride,
                            unsigned rows, size_t blocks, const uint8_t *special)
{
    for (unsigned i = 0; i < width; i++) {
        bool absent = i >= rows || special[i] != 0 || mx == NULL;
        for (size_t j = 0; j < blocks; j++) {
            panel[j * width + i] = absent ? 0 : (int32_t)mx[i * stride + j] - 127;
        }
    }
}

// ---- the plan -----------------------------------------------------------------------------------

static double power_of_two(int32_t e)
{
    return fp8mac_value_to_double(
        (fp8mac_value){.cls = FP8MAC_CLASS_FINITE, .significand = 1, .exponent = e});
}

static int32_t log2_up(uint64_t x)
{
    int32_t bits = 0;
    while (bits < 63 && UINT64_C(1) << bits < x) {
        bits++;
    }
    return bits;
}

static int32_t largest_exponent(const fp8mac_format *format)
{
    return (int32_t)(fp8mac_format_max_code(format) >> format->mantissa_bits) - format->bias;
}

static int32_t precision_of(const fp8mac_format *format)
{
    return format->mantissa_bits + 1;
}

static fp8mac_round_to round_to(const fp8mac_format *format, const fp8mac_dot_config *dot)
{
    int32_t p = precision_of(format);
    double largest = fp8mac_value_to_double(fp8mac_decode(format, fp8mac_format_max_code(format)));
    return (fp8mac_round_to){
        .rounding = dot->acc_rounding,
        .flush = dot->flush,
        .bits = (unsigned)p,
        .random_bits = dot->random_bits,
        .least = power_of_two(1 - format->bias),
        .most = power_of_two(largest_exponent(format) + 1),
        .quantum = power_of_two(1 - p),
        .magic = power_of_two(DOUBLE_BITS - p),
        .random_unit = power_of_two(-(int32_t)dot->random_bits),
        .tiny_below =
            power_of_two(1 - format->bias) *
            (dot->acc_rounding == FP8MAC_ROUND_NEAREST_EVEN ? 1 - power_of_two(-p - 1) : 1),
        .largest = largest,
        .overflow = dot->acc_saturate ? largest : (double)INFINITY,
    };
}

// Ranges of what is added: each product is below 2^top and a multiple of 2^unit.
typedef struct range {
    int32_t top, unit;         // of a product, without scale
    int32_t scale, scale_most; // the least and the largest exponent of what multiplies it
} range;

static void widen_range(range *r, const fp8mac_gemm_operand *x, size_t rows, size_t k)
{
    uint8_t least = 0xff, most = 0;
    for (size_t i = 0; i < rows && x->mx != NULL; i++) {
        for (size_t j = 0; j < (k + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK; j++) {
            uint8_t code = x->mx[i * x->mx_stride + j];
            least = code < least ? code : least;
            most = code > most && code != 0xff ? code : most;
        }
    }
    if (least <= most) {
        r->scale += least - 127;
        r->scale_most += most - 127;
    }
}

static range find_range(const fp8mac_gemm_desc *desc, const fp8mac_operand_facts *a,
                        const fp8mac_operand_facts *b)
{
    int32_t scale = fp8mac_dot_scale_exponent(&desc->dot);
    range r = {a->top + b->top, a->unit + b->unit, scale, scale};
    widen_range(&r, &desc->a, desc->m, desc->k);
    widen_range(&r, &desc->b, desc->n, desc->k);
    return r;
}

// log2 of what an accumulator can reach after K products below 1. Each of its roundings enlarges it
// by at most two units in the last place.
static int32_t growth(size_t k, int32_t precision)
{
    double roundings = (double)k * 3 * power_of_two(1 - precision);
    return log2_up(k) + 1 + (roundings < 100000 ? (int32_t)roundings : 100000);
}

static bool plan_exact(fp8mac_fast_plan *plan, fp8mac_any *any, const fp8mac_operand_facts *a,
                       const fp8mac_operand_facts *b, const fp8mac_code_table *a_table,
                       const range *r, int32_t grown, const fp8mac_acc_range *loaded)
{
    int32_t group_bits = log2_up(plan->tile.group);
    plan->kernel = plan->kernels->any_exact;
    plan->needs_double = true;
    int32_t top = r->top + r->scale, unit = r->unit + r->scale;
    if (loaded->is_loaded) {
        top = loaded->top > top ? loaded->top : top;
        unit = loaded->unit < unit ? loaded->unit : unit;
    }
    if (r->scale == r->scale_most && top + grown - unit <= DOUBLE_BITS) {
        any->sums = FP8MAC_ANY_EXACT;
        return true;
    }
    if (r->top + group_bits - r->unit <= DOUBLE_BITS) {
        any->sums = FP8MAC_ANY_ODD;
        return true;
    }
    // The largest products of A's small values have DOUBLE_BITS bits above the unit.
    int32_t large = DOUBLE_BITS + r->unit - group_bits - b->top;
    int32_t large_unit = large - (int32_t)a_table->mantissa_bits;
    large_unit = a->unit > large_unit ? a->unit : large_unit;
    any->sums = FP8MAC_ANY_TWO_SUMS;
    plan->a_large = power_of_two(large);
    plan->refusal = FP8MAC_REFUSED_WIDE_GROUPS;
    return r->top + group_bits - (large_unit + b->unit) <= DOUBLE_BITS;
}

// Whether the kernel for alignment by operands has the settings.
static bool is_by_operands(const fp8mac_any *any, const fp8mac_code_table *a,
                           const fp8mac_code_table *b, const range *r)
{
    enum { LEAST = -126 };
    bool late = any->late && any->late_bits_sum != 0 && any->late_bits_sum == any->late_bits_acc &&
                any->late_drop == 0 && any->late_round == FP8MAC_ALIGN_ODD;
    return late && any->by_operands && any->align_round == FP8MAC_ALIGN_TOWARD_ZERO &&
           any->exponent + r->scale >= any->min_exponent && a->least >= LEAST &&
           b->least >= LEAST && (int32_t)any->frac_bits - a->least <= FLOAT_MOST;
}

static bool plan_aligned(fp8mac_fast_plan *plan, fp8mac_any *any, const fp8mac_dot_config *dot,
                         const fp8mac_code_table *a, const fp8mac_code_table *b, const range *r)
{
    enum { F_MOST = 29, LATE_MOST = 51 };
    int32_t group_bits = log2_up(plan->tile.group);
    int32_t late = (int32_t)(dot->late_bits_sum > dot->late_bits_acc ? dot->late_bits_sum
                                                                     : dot->late_bits_acc);
    const fp8mac_format *format = fp8mac_acc_code_format(dot->acc_format);
    bool two = a->mantissa_bits == 7 || b->mantissa_bits == 7; // -128 is twice its binade
    plan->kernel = plan->kernels->any_aligned;
    plan->needs_exponents = true;
    plan->tile.chunk = dot->frac_bits < F_MOST ? 1u << (F_MOST - dot->frac_bits) : 1;
    any->by_operands = dot->align_by == FP8MAC_ALIGN_BY_OPERANDS;
    any->late = dot->acc_late;
    any->even_odd = dot->even_odd;
    any->align_round = dot->align_round;
    any->late_round = dot->late_round;
    any->frac_bits = dot->frac_bits;
    any->late_bits_sum = dot->late_bits_sum;
    any->late_bits_acc = dot->late_bits_acc;
    any->late_drop = dot->late_drop;
    any->exponent = a->least + b->least;
    any->acc_min_exponent = 1 - format->bias;
    // Below every exponent of a term, the limit has no effect.
    int32_t product = any->exponent + r->scale;
    int32_t least = product < any->acc_min_exponent ? product : any->acc_min_exponent;
    int32_t limit = fp8mac_acc_min_exponent(dot);
    any->min_exponent = limit > least ? limit : least;
    any->least_to_unit = -r->top - 1;
    if (is_by_operands(any, a, b, r)) {
        plan->kernel = plan->kernels->any_operands;
        plan->needs_exponents = false;
        plan->needs_groups = true;
    }
    bool is_late = late + 2 + group_bits <= LATE_MOST;
    bool in_range = any->least_to_unit >= -126 && r->unit + any->least_to_unit >= FLOAT_LEAST &&
                    (int32_t)dot->frac_bits - any->exponent <= FLOAT_MOST;
    plan->refusal = two || dot->frac_bits > F_MOST ? FP8MAC_REFUSED_FRACTION
                    : !is_late                     ? FP8MAC_REFUSED_LATE_BITS
                                                   : FP8MAC_REFUSED_EXPONENTS;
    return !two && dot->frac_bits <= F_MOST && is_late && in_range;
}

// Whether every step lies within one block of each scale.
static bool blocks_fit(const fp8mac_gemm_desc *desc, unsigned group)
{
    return !fp8mac_gemm_has_mx(desc) || FP8MAC_MX_BLOCK % group == 0;
}

// The same with `inexact` and `underflow`, for which every step is also computed exactly.
static bool plan_tracked(fp8mac_fast_plan *plan, fp8mac_any *any, const fp8mac_dot_config *dot)
{
    plan->needs_groups = false;
    plan->needs_exponents = dot->frac_bits != 0;
    plan->kernel =
        dot->frac_bits == 0 ? plan->kernels->tracked_exact : plan->kernels->tracked_aligned;
    plan->specials_are_nan = false;
    plan->refusal = FP8MAC_REFUSED_RANDOM_FLAGS;
    return any->to.rounding != FP8MAC_ROUND_STOCHASTIC;
}

bool fp8mac_any_plan_init(fp8mac_fast_plan *plan, fp8mac_any *any, const fp8mac_kernels *kernels,
                          const fp8mac_gemm_desc *desc, const fp8mac_operand_facts *a,
                          const fp8mac_operand_facts *b, const fp8mac_code_table *a_table,
                          const fp8mac_code_table *b_table, const fp8mac_acc_range *loaded,
                          bool track)
{
    const fp8mac_dot_config *dot = &desc->dot;
    const fp8mac_format *format = fp8mac_acc_rounded_format(dot->acc_format);
    unsigned group = dot->group == 0 ? 1 : dot->group;
    if (format == NULL || !blocks_fit(desc, group)) {
        plan->refusal = format == NULL ? FP8MAC_REFUSED_FIXED : FP8MAC_REFUSED_BLOCKS;
        return false;
    }
    range r = find_range(desc, a, b);
    int32_t e_max = largest_exponent(format);
    int32_t grown = growth(desc->k, precision_of(format));
    int32_t room = e_max - r.scale_most - grown;
    bool overflows = r.top > room || (loaded->is_loaded && loaded->top > e_max - grown);
    // Rows that hold Inf or NaN are not in the range; their finite codes may be larger.
    int32_t top_of_all = (a->specials != 0 ? a_table->most_top : a->top) +
                         (b->specials != 0 ? b_table->most_top : b->top);
    bool second = dot->promote != 0 || dot->chunk != 0;
    *any = (fp8mac_any){
        .to = round_to(format, dot),
        .overflow_flag = dot->acc_saturate ? FP8MAC_FLAG_SATURATED : FP8MAC_FLAG_OVERFLOW,
        .scale = fp8mac_dot_scale_exponent(dot),
        .blocks = fp8mac_gemm_has_mx(desc),
        .draw = {.key = {(uint32_t)dot->seed, (uint32_t)(dot->seed >> 32)},
                 .bits = dot->random_bits},
        .period = dot->promote != 0 ? dot->promote : dot->chunk,
    };
    any->to.may_overflow = overflows;
    any->to.as_float = !overflows && !dot->flush && format == fp8mac_format_get(FP8MAC_FP32) &&
                       dot->acc_rounding == FP8MAC_ROUND_NEAREST_EVEN;
    // Rounding keeps what is a multiple of a unit a multiple of it.
    any->to.relative = !overflows && !dot->flush && dot->acc_rounding == FP8MAC_ROUND_STOCHASTIC &&
                       r.unit + r.scale >= 1 - format->bias - format->mantissa_bits;
    any->to_second = any->to;
    if (dot->promote != 0) {
        fp8mac_dot_config nearest = {.acc_saturate = dot->acc_saturate};
        any->to_second = round_to(fp8mac_format_get(FP8MAC_FP32), &nearest);
        any->to_second.may_overflow = overflows;
        any->to_second.as_float = !overflows;
    }
    *plan = (fp8mac_fast_plan){
        .kernels = kernels,
        .tile = {.group = group, .any = any},
        .acc_bytes = (second ? 2 : 1) * sizeof(float),
        .second = second,
        .a_scale = 1,
        .may_overflow = overflows || top_of_all > room,
        .overflow_flag = any->overflow_flag,
        // Two accumulators may also raise `invalid` before they meet a NaN.
        .specials_are_nan = !dot->a.format->has_inf && !dot->b.format->has_inf &&
                            !(second && (overflows || top_of_all > room)),
    };
    bool own_nan = dot->acc_format == FP8MAC_ACC_FP32 || dot->acc_format == FP8MAC_ACC_E8M13;
    plan->nan = dot->nan_code != 0 && own_nan ? dot->nan_code : FP8MAC_FP32_NAN;
    if (track) {
        return plan_exact(plan, any, a, b, a_table, &r, grown, loaded) &&
               (dot->frac_bits == 0 || plan_aligned(plan, any, dot, a_table, b_table, &r)) &&
               plan_tracked(plan, any, dot);
    }
    return dot->frac_bits == 0 ? plan_exact(plan, any, a, b, a_table, &r, grown, loaded)
                               : plan_aligned(plan, any, dot, a_table, b_table, &r);
}

// Terms are multiples of 2^unit and all sums are below 2^top. Rounding and truncation keep
// multiples of 2^unit what they are.
fp8mac_flags fp8mac_any_may_raise(const fp8mac_gemm_desc *desc, const fp8mac_operand_facts *a,
                                  const fp8mac_operand_facts *b, const fp8mac_acc_range *loaded)
{
    const fp8mac_dot_config *dot = &desc->dot;
    const fp8mac_format *format = fp8mac_acc_rounded_format(dot->acc_format);
    range r = find_range(desc, a, b);
    int32_t unit = r.unit + r.scale, top = r.top + r.scale_most;
    if (loaded->is_loaded) {
        unit = loaded->unit < unit ? loaded->unit : unit;
        top = loaded->top > top ? loaded->top : top;
    }
    if (format == NULL) { // at read-out `inexact` is found
        return unit >= 1 - FLOAT_MOST + 1 ? 0 : FP8MAC_FLAG_UNDERFLOW;
    }
    int32_t least = 1 - format->bias, quantum = least - format->mantissa_bits;
    bool exact = dot->frac_bits == 0 && !dot->flush;
    fp8mac_flags may = unit >= (exact ? quantum : least) ? 0 : FP8MAC_FLAG_UNDERFLOW;
    top += log2_up(desc->k) + 1;
    bool fits = exact && unit >= quantum && top - unit <= precision_of(format) &&
                top <= largest_exponent(format);
    return fits ? may : may | FP8MAC_FLAG_INEXACT;
}
#endif
