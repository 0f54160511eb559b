// SPDX-License-Identifier: Apache-2.0
// The choice of the kernels for a GEMM.
#include "fast/work.h"

#include <stdlib.h>

#if FP8MAC_FAST

// ---- what the operands hold ---------------------------------------------------------------------

static bool facts_init(fp8mac_operand_facts *facts, const fp8mac_kernels *kernels,
                       const fp8mac_format *f, const fp8mac_gemm_operand *x, size_t rows, size_t k)
{
    facts->e_min = 1 - f->bias;
    if (fp8mac_format_bits(f) != 8 || !fp8mac_fast_format_init(&facts->format, f)) {
        return false;
    }
    uint8_t most = 0, least_less1 = 0xff;
    facts->specials = 0;
    for (size_t i = 0; i < rows; i++) {
        fp8mac_scan row = kernels->scan(x->codes + i * x->stride, k);
        facts->special[i] = row.most > facts->format.max_code ||
                            (row.minus_zero && facts->format.nan_is_minus_zero);
        if (facts->special[i]) {
            facts->specials++;
            continue;
        }
        most = row.most > most ? row.most : most;
        least_less1 = row.least_less1 < least_less1 ? row.least_less1 : least_less1;
    }
    int32_t top_field = most >> f->mantissa_bits,
            unit_field = (uint8_t)(least_less1 + 1) >> f->mantissa_bits;
    facts->e_max = (int32_t)(facts->format.max_code >> f->mantissa_bits) - f->bias;
    facts->top = (top_field == 0 ? 1 : top_field) - f->bias + 1;
    facts->unit = (unit_field == 0 ? 1 : unit_field) - f->bias - f->mantissa_bits;
    return true;
}

// ---- the kernels that are tried -----------------------------------------------------------------

// The kernels for one setting each, the fastest.
static bool run_special_kernels(fp8mac_work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                                const fp8mac_kernels *kernels, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    bool done = facts_init(a, kernels, desc->dot.a.format, &desc->a, desc->m, desc->k) &&
                facts_init(b, kernels, desc->dot.b.format, &desc->b, desc->n, desc->k) &&
                fp8mac_fast_plan_init(&w->plan, kernels, desc, a, b, &w->loaded);
    bool few = a->specials <= desc->m / 2 && b->specials <= desc->n / 2;
    return done && (few || w->plan.specials_are_nan) && fp8mac_run_plan(w, totals);
}

// Facts by vectors where a format has them. Sums of values that are not truncated need the units of
// all values, not those of their binades.
static void find_facts(const fp8mac_work *w, const fp8mac_kernels *kernels,
                       fp8mac_operand_facts *facts, const fp8mac_code_table *table,
                       const fp8mac_format *format, const fp8mac_gemm_operand *x, size_t rows)
{
    size_t k = w->desc->k;
    facts->specials = 0;
    facts->is_vector =
        w->desc->dot.frac_bits != 0 && facts_init(facts, kernels, format, x, rows, k);
    if (!facts->is_vector) {
        fp8mac_any_facts(facts, table, x, rows, k);
        return;
    }
    for (size_t i = 0; x->mx != NULL && i < rows; i++) {
        bool nan =
            !facts->special[i] && memchr(x->mx + i * x->mx_stride, 0xff, blocks_of(k)) != NULL;
        facts->special[i] |= (uint8_t)nan;
        facts->specials += nan;
    }
}

// The kernels for every setting.
static bool find_all_facts(fp8mac_work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                           const fp8mac_kernels *kernels)
{
    const fp8mac_gemm_desc *desc = w->desc;
    bool normalised = desc->dot.align_by == FP8MAC_ALIGN_BY_OPERANDS;
    if (!fp8mac_code_table_init(&w->a_table, desc->dot.a.format, normalised) ||
        !fp8mac_code_table_init(&w->b_table, desc->dot.b.format, normalised)) {
        w->plan.refusal = FP8MAC_REFUSED_EXPONENTS;
        return false;
    }
    find_facts(w, kernels, a, &w->a_table, desc->dot.a.format, &desc->a, desc->m);
    find_facts(w, kernels, b, &w->b_table, desc->dot.b.format, &desc->b, desc->n);
    return true;
}

static bool run_any_kernels(fp8mac_work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                            const fp8mac_kernels *kernels, bool track, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    if (!find_all_facts(w, a, b, kernels)) {
        return false;
    }
    bool few = a->specials <= desc->m / 2 && b->specials <= desc->n / 2;
    if (!fp8mac_any_plan_init(&w->plan, &w->any, kernels, desc, a, b, &w->a_table, &w->b_table,
                              &w->loaded, track)) {
        return false;
    }
    w->plan.refusal = FP8MAC_REFUSED_SPECIAL_ROWS;
    return (few || w->plan.specials_are_nan) && fp8mac_run_plan(w, totals);
}

// INT8 has no special values.
static bool run_int8(fp8mac_work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                     const fp8mac_kernels *kernels, fp8mac_gemm_totals *totals)
{
    if (w->desc->dot.acc_format != FP8MAC_ACC_INT32) {
        return false;
    }
    memset(a->special, 0, w->desc->m);
    memset(b->special, 0, w->desc->n);
    w->plan = (fp8mac_fast_plan){.kernels = kernels,
                                 .kernel = kernels->int8,
                                 .tile = {.group = 1},
                                 .acc_bytes = sizeof(int32_t),
                                 .is_int8 = true};
    return fp8mac_run_plan(w, totals);
}

// Outputs here and there by the definition, because most GEMMs raise `inexact` at one of a few.
static void run_samples(const fp8mac_gemm_desc *desc, fp8mac_gemm_totals *totals)
{
    enum { MOST = 64, OUTPUTS_FOR_ONE = 1024 };
    size_t count = desc->m * desc->n / OUTPUTS_FOR_ONE;
    count = count < MOST ? count : MOST;
    for (size_t i = 0; i < count && (totals->flags & FP8MAC_FLAG_INEXACT) == 0; i++) {
        const fp8mac_gemm_desc part =
            fp8mac_gemm_part(desc, i * desc->m / count, 1, i * desc->n / count, 1);
        fp8mac_gemm_defined(&part, totals);
    }
}

// With `inexact` and `underflow`. Where the steps cannot raise what is missing, the fastest kernels
// are right.
static bool run_tracked(fp8mac_work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                        const fp8mac_kernels *kernels, fp8mac_gemm_totals *totals)
{
    run_samples(w->desc, totals);
    if (!find_all_facts(w, a, b, kernels)) {
        return false;
    }
    fp8mac_flags may = fp8mac_any_may_raise(w->desc, a, b, &w->loaded);
    if ((may & missing_flags(w, totals)) != 0) {
        return run_any_kernels(w, a, b, kernels, true, totals);
    }
    return run_special_kernels(w, a, b, kernels, totals) ||
           run_any_kernels(w, a, b, kernels, false, totals);
}

static fp8mac_refusal gemm_ascending(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                     fp8mac_gemm_totals *totals)
{
    fp8mac_acc_range acc = {0};
    if (desc->acc != NULL && !fp8mac_acc_range_init(&acc, desc)) {
        return FP8MAC_REFUSED_SPECIAL_ACC;
    }
    fp8mac_operand_facts a = {.special = malloc(desc->m)}, b = {.special = malloc(desc->n)};
    fp8mac_work *w = malloc(sizeof *w);
    fp8mac_refusal refusal = FP8MAC_REFUSED_MEMORY;
    if (w != NULL && a.special != NULL && b.special != NULL) {
        *w = (fp8mac_work){.desc = desc, .a = &a, .b = &b, .loaded = acc};
        w->tracks = fp8mac_tracks_inexact(&totals->flags);
        bool done = run_int8(w, &a, &b, kernels, totals) ||
                    (w->tracks ? run_tracked(w, &a, &b, kernels, totals)
                               : run_special_kernels(w, &a, &b, kernels, totals) ||
                                     run_any_kernels(w, &a, &b, kernels, false, totals));
        refusal = done ? FP8MAC_NOT_REFUSED : w->plan.refusal;
    }
    free(a.special);
    free(b.special);
    free(w);
    return refusal;
}

// ---- terms in another order ---------------------------------------------------------------------

// The codes of an operand with its terms at other places: place i has term order[i], or the code
// `absent` where order[i] is SIZE_MAX.
static uint8_t *reordered(const fp8mac_gemm_operand *x, size_t rows, const size_t *order,
                          size_t places, uint8_t absent)
{
    uint8_t *codes = malloc(rows * places);
    for (size_t i = 0; codes != NULL && i < rows; i++) {
        for (size_t j = 0; j < places; j++) {
            codes[i * places + j] =
                order[j] == SIZE_MAX ? absent : x->codes[i * x->stride + order[j]];
        }
    }
    return codes;
}

// Terms with k mod 4 < 2 come first in each block of two groups. Where the first step of the last
// block is short and a second one follows, the first is filled with products of -0, which change
// nothing: a sum is -0 only if all terms are.
static fp8mac_refusal gemm_pairs(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                 fp8mac_gemm_totals *totals)
{
    size_t group = desc->dot.group, places = 0;
    const fp8mac_format *f = desc->dot.a.format;
    bool whole = desc->k % (2 * group) == 0;
    if (desc->k > SIZE_MAX / sizeof(size_t) / 4 - 2 * group || (!whole && !f->has_negative_zero) ||
        (fp8mac_gemm_has_mx(desc) && (!whole || FP8MAC_MX_BLOCK % (2 * group) != 0))) {
        return FP8MAC_REFUSED_PAIRS;
    }
    size_t *order = malloc((desc->k + 2 * group) * sizeof *order);
    for (size_t first = 0; order != NULL && first < desc->k; first += 2 * group) {
        size_t end = desc->k - first < 2 * group ? desc->k : first + 2 * group;
        for (unsigned half = 0; half < 2; half++) {
            for (size_t k = first; k < end; k++) {
                if (k % 4 / 2 == half) {
                    order[places++] = k;
                }
            }
            while (half == 0 && places % group != 0 && end - first > 2) {
                order[places++] = SIZE_MAX;
            }
        }
    }
    fp8mac_gemm_desc other = *desc;
    other.k = places;
    other.a.stride = other.b.stride = places;
    uint8_t minus_zero = (uint8_t)(1u << (fp8mac_format_bits(f) - 1));
    uint8_t *a = order == NULL ? NULL : reordered(&desc->a, desc->m, order, places, minus_zero);
    uint8_t *b = order == NULL ? NULL : reordered(&desc->b, desc->n, order, places, 0);
    other.a.codes = a;
    other.b.codes = b;
    other.dot.k_order = FP8MAC_K_ASCENDING;
    fp8mac_refusal refusal =
        a == NULL || b == NULL ? FP8MAC_REFUSED_MEMORY : gemm_ascending(kernels, &other, totals);
    free(order);
    free(a);
    free(b);
    return refusal;
}

fp8mac_refusal fp8mac_fast_gemm(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                fp8mac_gemm_totals *totals)
{
    return desc->dot.k_order == FP8MAC_K_PAIRS ? gemm_pairs(kernels, desc, totals)
                                               : gemm_ascending(kernels, desc, totals);
}
#endif
