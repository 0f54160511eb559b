// SPDX-License-Identifier: Apache-2.0
// Operands of a block as panels of the kernels' values.
#include "fast/work.h"

#include <math.h>

#if FP8MAC_FAST

// One of the two matrices, and what its panels hold.
typedef struct side {
    const fp8mac_operand_facts *facts;
    const fp8mac_code_table *table;
    const fp8mac_gemm_operand *operand;
    float *panel, scale;
    int8_t *exponent;
    int32_t *block, *group;
    unsigned width;
    float unit; // of groups
} side;

// Adds the exponents of the block scales to those of the groups, each of which lies in one block.
static void add_blocks(const fp8mac_work *w, const side *s, int32_t *groups, const uint8_t *mx,
                       unsigned rows, const uint8_t *special)
{
    size_t group = w->plan.tile.group;
    for (size_t k = 0; k < w->desc->k; k += group, groups += s->width) {
        for (unsigned i = 0; i < rows; i++) {
            const uint8_t *row = mx + i * s->operand->mx_stride;
            groups[i] += special[i] ? 0 : (int32_t)row[k / FP8MAC_MX_BLOCK] - 127;
        }
    }
}

// Values of a panel, as fp8mac_kernels.pack writes them; special rows are zero.
static void pack_values(const fp8mac_work *w, const side *s, float *panel, const uint8_t *codes,
                        unsigned rows, const uint8_t *special)
{
    size_t k = w->desc->k;
    if (!s->facts->is_vector) {
        fp8mac_any_pack(s->table, panel, NULL, s->width, codes, s->operand->stride, rows, k,
                        special);
        return;
    }
    w->plan.kernels->pack(&s->facts->format, panel, s->width, codes, s->operand->stride, rows, k,
                          s->scale);
    for (unsigned i = 0; i < rows; i++) {
        for (size_t j = 0; special[i] && j < k; j++) {
            panel[j * s->width + i] = 0;
        }
    }
}

static void pack_groups(const fp8mac_work *w, const side *s, size_t at, size_t row, unsigned rows)
{
    size_t k = w->desc->k;
    const fp8mac_gemm_operand *x = s->operand;
    const uint8_t *special = s->facts->special + row;
    float *panel = s->panel + at * k;
    int32_t *groups = s->group + at * groups_of(w, k);
    pack_values(w, s, panel, x->codes + row * x->stride, rows, special);
    w->plan.kernels->pack_groups(panel, groups, s->width, k, w->plan.tile.group, s->unit);
    if (x->mx != NULL) {
        add_blocks(w, s, groups, x->mx + row * x->mx_stride, rows, special);
    }
}

// The panel of `rows` rows from `row` on, of which `width` at most are present; `at` counts rows
// within the block.
static void pack_panel(const fp8mac_work *w, const side *s, size_t at, size_t row, size_t rows)
{
    const fp8mac_kernels *kernels = w->plan.kernels;
    size_t k = panel_terms(w, w->desc->k);
    unsigned present = rows < s->width ? (unsigned)rows : s->width;
    const fp8mac_gemm_operand *x = s->operand;
    const uint8_t *codes = x->codes + row * x->stride;
    float *panel = s->panel + at * k;
    int8_t *exponent = w->plan.needs_exponents ? s->exponent + at * k : NULL;
    if (w->plan.is_int8) {
        kernels->pack_pairs((int32_t *)panel, s->width, codes, x->stride, present, w->desc->k);
        return;
    }
    if (w->plan.needs_groups) {
        pack_groups(w, s, at, row, present);
        return;
    }
    if (is_any(w)) {
        fp8mac_any_pack(s->table, panel, exponent, s->width, codes, x->stride, present, k,
                        s->facts->special + row);
        if (w->any.blocks) {
            fp8mac_any_pack_blocks(s->block + at * blocks_of(k), s->width,
                                   x->mx != NULL ? x->mx + row * x->mx_stride : NULL, x->mx_stride,
                                   present, blocks_of(k), s->facts->special + row);
        }
        return;
    }
    kernels->pack(&s->facts->format, panel, s->width, codes, x->stride, present, k, s->scale);
    if (exponent != NULL) {
        kernels->pack_exponents(&s->facts->format, exponent, s->width, codes, x->stride, present, k,
                                FP8MAC_FAST_ZERO_EXPONENT);
    }
}

// factor * the largest magnitude of each group of `k` terms, for `panels` panels.
static void pack_most(const fp8mac_work *w, double *most, const double *values, size_t panels,
                      size_t width, double factor)
{
    size_t k = w->desc->k, group = w->plan.tile.group;
    for (size_t p = 0; p < panels; p++) {
        for (size_t k0 = 0; k0 < k; k0 += group, most += width) {
            size_t end = k - k0 < group ? k : k0 + group;
            for (size_t j = 0; j < width; j++) {
                most[j] = 0;
            }
            for (size_t i = k0; i < end; i++) {
                for (size_t j = 0; j < width; j++) {
                    double x = fabs(values[(p * k + i) * width + j]);
                    most[j] = x > most[j] ? x : most[j];
                }
            }
            for (size_t j = 0; j < width; j++) {
                most[j] *= factor;
            }
        }
    }
}

void fp8mac_pack_b(fp8mac_work *w, size_t n0, size_t n)
{
    const fp8mac_gemm_desc *desc = w->desc;
    const side b = {w->b,          &w->b_table, &desc->b,   w->b_panel,          1,
                    w->b_exponent, w->b_block,  w->b_group, w->plan.kernels->nr, 1};
    for (size_t j = 0; j < n; j += b.width) {
        pack_panel(w, &b, j, n0 + j, n - j);
    }
    size_t size = tiles_of(n, b.width) * b.width * desc->k;
    for (size_t i = 0; w->plan.needs_double && i < size; i++) {
        w->b_double[i] = (double)w->b_panel[i];
    }
    if (w->plan.reach != 0) {
        pack_most(w, w->b_most, w->b_double, tiles_of(n, b.width), b.width, 1);
    }
}

void fp8mac_pack_a(fp8mac_work *w, size_t m0, size_t m)
{
    const fp8mac_gemm_desc *desc = w->desc;
    size_t mr = w->plan.kernels->mr, k = w->desc->k;
    const side a = {w->a,
                    &w->a_table,
                    &desc->a,
                    w->a_panel,
                    w->plan.a_scale,
                    w->a_exponent,
                    w->a_block,
                    w->a_group,
                    w->plan.kernels->mr,
                    ldexpf(1, (int)w->any.frac_bits)};
    for (size_t i = 0; i < m; i += mr) {
        pack_panel(w, &a, i, m0 + i, m - i);
    }
    size_t size = tiles_of(m, mr) * mr * k;
    for (size_t i = 0; w->plan.needs_double && i < size; i++) {
        w->a_double[i] = (double)w->a_panel[i];
    }
    if (w->plan.reach != 0) {
        pack_most(w, w->a_reach, w->a_double, tiles_of(m, mr), mr, w->plan.reach);
    }
    for (size_t i = 0; w->plan.a_large != 0 && i < size; i++) {
        bool large = fabs(w->a_double[i]) >= w->plan.a_large;
        w->a_small[i] = large ? copysign(0, w->a_double[i]) : w->a_double[i];
        w->a_large[i] = large ? w->a_double[i] : copysign(0, w->a_double[i]);
    }
}
#endif
