// SPDX-License-Identifier: Apache-2.0
// Why a kernel is exact. After scaling, every product is a multiple of 2^unit and below 2^top.
// There are K products.
//
//   FP32, one product a step   Products are floats. acc is a multiple of 2^unit and below
//                              2^(top + log2 K + 1). If unit >= -149 and that exponent <= 127,
//                              nothing underflows or overflows. The only rounding is that of
//                              acc + product.
//   FP16, one product a step   Likewise, see tile_fp16. Overflow gives Inf, which stays.
//   groups                     acc + products is exact in a double if it has at most 53 bits, from
//                              top to unit. If it has more, see kernels_wide.h.
//   FIXED                      The whole sum is exact in a double, likewise.
//   truncated alignment        See aligned_step: products are integers of F + 3 bits, their sums
//                              doubles.
//
// A sum that starts from +0 becomes -0 only in FP16, when a small negative sum rounds to zero.
// float and double represent it.
#include "fast/plan.h"

#include "core/accumulator.h"
#include "core/round.h"

#if FP8MAC_FAST

enum {
    DOUBLE_BITS = 53,
    LEAST_UNIT = -149,
    MOST_TOP = 127,
    FP16_BITS = 11,
    FP16_UNIT = -24,
    FP16_TOP = 17,
    MOST_WIDE = 64 // terms of a step, so that its rounding can be certain
};

static int32_t log2_up(uint64_t x)
{
    int32_t bits = 0;
    while (bits < 63 && UINT64_C(1) << bits < x) {
        bits++;
    }
    return bits;
}

typedef struct bounds {
    int32_t unit, top, k_bits, group_bits;
} bounds;

static bool plan_single(fp8mac_fast_plan *plan, const fp8mac_gemm_desc *desc, const bounds *x,
                        int32_t product_bits)
{
    if (desc->dot.acc_format == FP8MAC_ACC_FP32) {
        plan->kernel = plan->kernels->fp32;
        return x->top + x->k_bits + 1 <= MOST_TOP;
    }
    plan->kernel = plan->kernels->fp16;
    return product_bits <= FP16_BITS && x->top < MOST_TOP;
}

static double power_of_two(int32_t e)
{
    return fp8mac_value_to_double(
        (fp8mac_value){.cls = FP8MAC_CLASS_FINITE, .significand = 1, .exponent = e});
}

// Large values are those from 2^large on. A sum of four large products has at most 53 bits. So has
// a sum of four small products and the rest of the large ones' sum. The parts above and below `one`
// have at most 53 bits too.
static bool plan_wide(fp8mac_fast_plan *plan, const fp8mac_operand_facts *a,
                      const fp8mac_operand_facts *b, int32_t scale, int32_t top, int32_t unit)
{
    enum { FOUR = 2, LOW_BITS = 50 };
    int32_t a_bits = (int32_t)(23 - a->format.shift);
    int32_t products_unit = a->unit + b->unit + scale;
    int32_t large = a->top + scale + b->top + FOUR - DOUBLE_BITS + a_bits - b->unit;
    int32_t one = unit + LOW_BITS;
    int32_t small_top = large + b->top + FOUR > one ? large + b->top + FOUR : one;
    plan->a_large = power_of_two(large);
    plan->tile.one = power_of_two(one);
    return small_top + 1 - products_unit <= DOUBLE_BITS && top + 1 - one <= LOW_BITS &&
           unit > -400 && top < 400;
}

static bool plan_fixed(fp8mac_fast_plan *plan, const fp8mac_operand_facts *a,
                       const fp8mac_operand_facts *b, const bounds *x, int32_t scale)
{
    int32_t top = x->top + x->k_bits;
    plan->needs_double = true;
    plan->kernel = plan->kernels->sum;
    plan->acc_bytes = sizeof(double);
    plan->a_scale = 1; // FIXED is scaled at read-out
    plan->t0_scale = power_of_two(scale);
    if (top > MOST_TOP) {
        return false;
    }
    if (top - x->unit <= DOUBLE_BITS) {
        return true;
    }
    plan->kernel = plan->kernels->wide_sum;
    plan->acc_bytes = 2 * sizeof(double);
    return plan_wide(plan, a, b, 0, top - scale, x->unit - scale);
}

static bool plan_fused(fp8mac_fast_plan *plan, const fp8mac_gemm_desc *desc,
                       const fp8mac_operand_facts *a, const fp8mac_operand_facts *b,
                       const bounds *x, int32_t scale, const fp8mac_acc_range *loaded)
{
    bool fp32 = desc->dot.acc_format == FP8MAC_ACC_FP32;
    int32_t top = x->top + x->k_bits + 1, unit = x->unit;
    if (fp32 && loaded->is_loaded) {
        top = (loaded->top > top ? loaded->top : top) + 1;
        unit = loaded->unit < unit ? loaded->unit : unit;
    }
    if (!fp32) {
        top = (x->top + x->group_bits > FP16_TOP ? x->top + x->group_bits : FP16_TOP) + 1;
        unit = x->unit < FP16_UNIT ? x->unit : FP16_UNIT;
    }
    plan->needs_double = true;
    if (fp32 && top > MOST_TOP) {
        return false;
    }
    if (top - unit <= DOUBLE_BITS) {
        plan->kernel = fp32 ? plan->kernels->fused_fp32 : plan->kernels->fused_fp16;
        return true;
    }
    plan->kernel = fp32 ? plan->kernels->wide_fp32 : plan->kernels->wide_fp16;
    plan->reach = -(double)plan->tile.group * plan->tile.group * (fp32 ? 0x1p-50 : 0x1p-26);
    return plan->tile.group <= MOST_WIDE && plan_wide(plan, a, b, scale, top, unit);
}

static uint64_t kept_bits(unsigned fraction)
{
    return ~((UINT64_C(1) << (52 - fraction)) - 1);
}

// The mask of a double's bits that the accumulator's rounding keeps, or 0 if no kernel has it.
static uint64_t aligned_keep(const fp8mac_dot_config *dot)
{
    bool zero = dot->acc_rounding == FP8MAC_ROUND_TOWARD_ZERO;
    switch (dot->acc_format) {
    case FP8MAC_ACC_FP32: return zero ? kept_bits(23) : UINT64_MAX;
    case FP8MAC_ACC_E8M13: return zero ? kept_bits(13) : 0;
    case FP8MAC_ACC_FP16: return zero ? 0 : UINT64_MAX;
    default: return 0;
    }
}

static bool plan_aligned(fp8mac_fast_plan *plan, const fp8mac_dot_config *dot,
                         const fp8mac_operand_facts *a, const fp8mac_operand_facts *b,
                         const bounds *x, int32_t scale)
{
    enum { F_MOST = 27, UNIT_BITS = 29, NORMAL = -126, EXPONENT_MOST = 31 };
    fp8mac_tile *tile = &plan->tile;
    bool fp16 = dot->acc_format == FP8MAC_ACC_FP16;
    int32_t least_product = a->e_min + b->e_min;
    int32_t zero_product = FP8MAC_FAST_ZERO_EXPONENT + (a->e_max > b->e_max ? a->e_max : b->e_max);
    plan->kernel = plan->kernels->aligned;
    plan->needs_exponents = true;
    tile->to_fp16 = fp16;
    tile->keep = aligned_keep(dot);
    tile->frac_bits = dot->frac_bits;
    tile->chunk = dot->frac_bits < UNIT_BITS ? 1u << (UNIT_BITS - dot->frac_bits) : 0;
    tile->scale = scale;
    tile->min_exponent = fp8mac_acc_min_exponent(dot);
    tile->acc_min_exponent = fp16 ? -14 : NORMAL;
    return tile->keep != 0 && dot->frac_bits <= F_MOST &&
           dot->align_round == FP8MAC_ALIGN_TOWARD_ZERO &&
           dot->align_by == FP8MAC_ALIGN_BY_PRODUCTS && !dot->acc_late && !dot->even_odd &&
           tile->min_exponent >= NORMAL && a->e_max <= EXPONENT_MOST && b->e_max <= EXPONENT_MOST &&
           least_product >= -32 && zero_product < -32 &&
           least_product + scale - (int32_t)dot->frac_bits >= NORMAL &&
           x->top + x->k_bits + 1 <= MOST_TOP;
}

bool fp8mac_acc_range_init(fp8mac_acc_range *range, const fp8mac_gemm_desc *desc)
{
    const fp8mac_format *format = fp8mac_acc_loaded_format(&desc->dot);
    unsigned bytes = fp8mac_format_bytes(format);
    *range = (fp8mac_acc_range){.top = INT32_MIN, .unit = INT32_MAX};
    for (size_t i = 0; i < desc->m; i++) {
        for (size_t j = 0; j < desc->n; j++) {
            fp8mac_value x =
                fp8mac_decode(format, fp8mac_load_code(desc->acc, i * desc->ldacc + j, bytes));
            if (x.cls == FP8MAC_CLASS_INF || x.cls == FP8MAC_CLASS_NAN) {
                return false;
            }
            if (x.cls == FP8MAC_CLASS_FINITE) {
                int32_t top = x.exponent + fp8mac_bit_length(x.significand),
                        unit = x.exponent + __builtin_ctzll(x.significand);
                range->is_loaded = true;
                range->top = top > range->top ? top : range->top;
                range->unit = unit < range->unit ? unit : range->unit;
            }
        }
    }
    return true;
}

static bool is_plain(const fp8mac_dot_config *dot)
{
    bool random = dot->acc_rounding == FP8MAC_ROUND_STOCHASTIC;
    bool truncates = dot->frac_bits == 0 && dot->acc_rounding != FP8MAC_ROUND_NEAREST_EVEN;
    bool format = dot->acc_format == FP8MAC_ACC_FP32 || dot->acc_format == FP8MAC_ACC_FP16 ||
                  dot->acc_format == FP8MAC_ACC_FIXED ||
                  (dot->acc_format == FP8MAC_ACC_E8M13 && dot->frac_bits != 0);
    bool saturates = dot->acc_saturate && dot->acc_format == FP8MAC_ACC_FP16;
    return format && !random && !truncates && !saturates && !dot->flush && dot->promote == 0 &&
           dot->chunk == 0;
}

// Whether some step may overflow, also in rows that hold Inf or NaN. `bounds` omits these rows, so
// their finite codes count as the formats' largest.
static bool may_overflow(const fp8mac_dot_config *dot, const fp8mac_operand_facts *a,
                         const fp8mac_operand_facts *b, const bounds *x, size_t k)
{
    int32_t scale = x->top - a->top - b->top;
    int32_t top = (a->specials != 0 ? a->e_max + 1 : a->top) +
                  (b->specials != 0 ? b->e_max + 1 : b->top) + scale;
    switch (dot->acc_format) {
    case FP8MAC_ACC_FIXED: return false;
    // K roundings to 11 bits make a sum larger by 2^(K / 1420) at most.
    case FP8MAC_ACC_FP16:
        return k >= 8192 || top + x->k_bits + 1 + (int32_t)(k / 1024) >= FP16_TOP - 1;
    default: return top + x->k_bits + 1 > MOST_TOP;
    }
}

bool fp8mac_fast_plan_init(fp8mac_fast_plan *plan, const fp8mac_kernels *kernels,
                           const fp8mac_gemm_desc *desc, const fp8mac_operand_facts *a,
                           const fp8mac_operand_facts *b, const fp8mac_acc_range *loaded)
{
    const fp8mac_dot_config *dot = &desc->dot;
    // A loaded accumulator may overflow, and may have more bits than the alignment window.
    bool plain_acc = !loaded->is_loaded || (dot->frac_bits == 0 && !dot->acc_saturate);
    if (!is_plain(dot) || fp8mac_gemm_has_mx(desc) || !plain_acc) {
        return false;
    }
    unsigned group = dot->group == 0 ? 1 : dot->group;
    int32_t scale = fp8mac_dot_scale_exponent(dot);
    bounds x = {a->unit + b->unit + scale, a->top + b->top + scale, log2_up(desc->k),
                log2_up(group)};
    int32_t a_unit = 1 - desc->dot.a.format->bias - desc->dot.a.format->mantissa_bits;
    if (x.unit < LEAST_UNIT || a_unit + scale < LEAST_UNIT || a->top + scale > MOST_TOP ||
        scale < -126) {
        return false;
    }
    *plan = (fp8mac_fast_plan){
        .kernels = kernels, .tile = {.group = group}, .acc_bytes = sizeof(float)};
    plan->specials_are_nan = !dot->a.format->has_inf && !dot->b.format->has_inf;
    plan->may_overflow = loaded->is_loaded || may_overflow(dot, a, b, &x, desc->k);
    plan->overflow_flag = dot->acc_saturate ? FP8MAC_FLAG_SATURATED : FP8MAC_FLAG_OVERFLOW;
    bool own_nan = dot->acc_format == FP8MAC_ACC_FP32 || dot->acc_format == FP8MAC_ACC_E8M13;
    plan->nan = dot->nan_code != 0 && own_nan ? dot->nan_code : FP8MAC_FP32_NAN;
    plan->a_scale = fp8mac_float_from_bits((uint32_t)(scale + 127) << 23);
    if (dot->acc_format == FP8MAC_ACC_FIXED) {
        return plan_fixed(plan, a, b, &x, scale);
    }
    if (dot->frac_bits != 0) {
        return plan_aligned(plan, dot, a, b, &x, scale);
    }
    int32_t product_bits = dot->a.format->mantissa_bits + dot->b.format->mantissa_bits + 2;
    return group == 1 ? plan_single(plan, desc, &x, product_bits)
                      : plan_fused(plan, desc, a, b, &x, scale, loaded);
}
#endif
