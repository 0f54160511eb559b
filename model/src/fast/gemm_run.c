// SPDX-License-Identifier: Apache-2.0
// A GEMM by the kernels. Columns of B are packed once, in blocks; so are rows of A. K is divided
// into blocks that are multiples of the group, in ascending order. Between them the accumulators
// stay in their own format.
#include "fast/work.h"

#include <stdlib.h>

#if FP8MAC_FAST

// The accumulators that a block begins with, where the caller loads them.
static void load_acc(const fp8mac_work *w, size_t m0, size_t m, size_t n0, size_t n)
{
    const fp8mac_gemm_desc *desc = w->desc;
    const fp8mac_format *format = fp8mac_acc_loaded_format(&desc->dot);
    size_t mr = w->plan.kernels->mr, nr = w->plan.kernels->nr, columns = tiles_of(n, nr);
    unsigned bytes = fp8mac_format_bytes(format);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            float *tile = acc_tile(w, i / mr, j / nr, columns);
            size_t at = i % mr * nr + j % nr + (w->plan.second ? mr * nr : 0);
            uint32_t code = fp8mac_load_code(desc->acc, (m0 + i) * desc->ldacc + n0 + j, bytes);
            tile[at] = (float)fp8mac_value_to_double(fp8mac_decode(format, code));
        }
    }
}

// All tiles of a block, all of K. The block's first output is m0, n0.
static void run_tiles(fp8mac_work *w, size_t m0, size_t m, size_t n0, size_t n)
{
    size_t mr = w->plan.kernels->mr, nr = w->plan.kernels->nr, k_all = w->desc->k;
    size_t k = panel_terms(w, k_all);
    size_t rows = tiles_of(m, mr), columns = tiles_of(n, nr), blocks = blocks_of(k);
    size_t groups = groups_of(w, k);
    memset(w->acc, 0, rows * columns * mr * nr * w->plan.acc_bytes);
    if (w->desc->acc != NULL) {
        load_acc(w, m0, m, n0, n);
    }
    for (size_t k0 = 0; k0 < k; k0 += w->block_k) {
        fp8mac_tile tile = w->plan.tile;
        size_t block = k0 / FP8MAC_MX_BLOCK, group = k0 / w->plan.tile.group;
        tile.k = k - k0 < w->block_k ? k - k0 : w->block_k;
        tile.k_first = k0;
        tile.k_all = k_all;
        tile.seen = &w->seen;
        for (size_t j = 0; j < columns; j++) {
            tile.b = w->b_panel + (j * k + k0) * nr;
            tile.b_double = w->b_double + (j * k + k0) * nr;
            tile.b_exponent = w->b_exponent + (j * k + k0) * nr;
            tile.b_block = w->b_block + (j * blocks + block) * nr;
            tile.b_most = w->b_most + (j * groups + group) * nr;
            tile.b_group = w->b_group + (j * groups + group) * nr;
            tile.n = w->desc->origin_n + (uint32_t)(n0 + j * nr);
            for (size_t i = 0; i < rows; i++) {
                tile.a = w->a_panel + (i * k + k0) * mr;
                tile.a_double = w->a_double + (i * k + k0) * mr;
                tile.a_large = w->a_large + (i * k + k0) * mr;
                tile.a_small = w->a_small + (i * k + k0) * mr;
                tile.a_exponent = w->a_exponent + (i * k + k0) * mr;
                tile.a_block = w->a_block + (i * blocks + block) * mr;
                tile.a_reach = w->a_reach + (i * groups + group) * mr;
                tile.a_group = w->a_group + (i * groups + group) * mr;
                tile.m = w->desc->origin_m + (uint32_t)(m0 + i * mr);
                tile.acc = acc_tile(w, i, j, columns);
                w->plan.kernel(&tile);
            }
        }
    }
}

// ---- the whole ----------------------------------------------------------------------------------

static void *allocate(size_t count, size_t size)
{
    if (count > (SIZE_MAX / 2 - ALIGNMENT) / size) {
        return NULL;
    }
    return aligned_alloc(ALIGNMENT, (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static bool allocate_panels(fp8mac_work *w)
{
    size_t mr = w->plan.kernels->mr, nr = w->plan.kernels->nr, k = w->desc->k;
    size_t m = mr * (tiles_of(w->desc->m, mr) < ROW_TILES ? tiles_of(w->desc->m, mr) : ROW_TILES);
    size_t n = nr * tiles_of(w->desc->n < BLOCK_N ? w->desc->n : BLOCK_N, nr);
    if (k > SIZE_MAX / 64 / n) {
        return false;
    }
    bool exponents = w->plan.needs_exponents;
    w->a_panel = allocate(m * k + BEYOND, sizeof(float));
    w->b_panel = allocate(n * k + BEYOND, sizeof(float));
    w->a_double = allocate(w->plan.needs_double ? m * k : 1, sizeof(double));
    w->b_double = allocate(w->plan.needs_double ? n * k : 1, sizeof(double));
    w->a_large = allocate(w->plan.a_large != 0 ? m * k : 1, sizeof(double));
    w->a_small = allocate(w->plan.a_large != 0 ? m * k : 1, sizeof(double));
    w->a_reach = allocate(w->plan.reach != 0 ? m * groups_of(w, k) : 1, sizeof(double));
    w->b_most = allocate(w->plan.reach != 0 ? n * groups_of(w, k) : 1, sizeof(double));
    w->a_exponent = allocate(exponents ? m * k + BEYOND : 1, 1);
    w->b_exponent = allocate(exponents ? n * k + BEYOND : 1, 1);
    w->a_block = allocate(w->any.blocks ? m * blocks_of(k) : 1, sizeof(int32_t));
    w->b_block = allocate(w->any.blocks ? n * blocks_of(k) : 1, sizeof(int32_t));
    w->a_group = allocate(w->plan.needs_groups ? m * groups_of(w, k) + BEYOND : 1, sizeof(int32_t));
    w->b_group = allocate(w->plan.needs_groups ? n * groups_of(w, k) + BEYOND : 1, sizeof(int32_t));
    w->acc = allocate(m * n, w->plan.acc_bytes);
    return w->b_double != NULL && w->a_block != NULL && w->b_block != NULL && w->a_panel != NULL &&
           w->b_panel != NULL && w->a_double != NULL && w->a_large != NULL && w->a_small != NULL &&
           w->a_reach != NULL && w->b_most != NULL && w->a_exponent != NULL &&
           w->b_exponent != NULL && w->a_group != NULL && w->b_group != NULL && w->acc != NULL;
}

static void free_panels(fp8mac_work *w)
{
    free(w->a_panel);
    free(w->b_panel);
    free(w->a_double);
    free(w->a_large);
    free(w->a_small);
    free(w->b_double);
    free(w->a_reach);
    free(w->b_most);
    free(w->a_exponent);
    free(w->b_exponent);
    free(w->a_block);
    free(w->b_block);
    free(w->a_group);
    free(w->b_group);
    free(w->acc);
}

static void run_blocks(fp8mac_work *w, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    size_t block_m = ROW_TILES * (size_t)w->plan.kernels->mr;
    for (size_t n0 = 0; n0 < desc->n; n0 += BLOCK_N) {
        size_t n = desc->n - n0 < BLOCK_N ? desc->n - n0 : BLOCK_N;
        fp8mac_pack_b(w, n0, n);
        for (size_t m0 = 0; m0 < desc->m; m0 += block_m) {
            size_t m = desc->m - m0 < block_m ? desc->m - m0 : block_m;
            fp8mac_pack_a(w, m0, m);
            run_tiles(w, m0, m, n0, n);
            for (size_t i = 0; i < m; i++) {
                if (!w->a->special[m0 + i]) {
                    fp8mac_read_out(w, i, n0, n);
                    fp8mac_finish_row(w, m0 + i, n0, n, totals);
                }
            }
        }
    }
}

// Outputs that are known to be NaN have an epilogue too. Where it is the same for each of them, one
// is computed and copied. Once the overflow flag is set, later overflows need not be detected.
static void finish_nans(const fp8mac_work *w, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    bool uniform = desc->bias == NULL && desc->beta == 0 &&
                   desc->a.scale.mode != FP8MAC_SCALE_VECTOR &&
                   desc->b.scale.mode != FP8MAC_SCALE_VECTOR;
    unsigned bytes = fp8mac_format_bytes(desc->d_format);
    bool known = false;
    uint32_t code = 0;
    for (size_t m = 0; m < desc->m; m++) {
        for (size_t n = 0; n < desc->n; n++) {
            if (!w->a->special[m] && !w->b->special[n]) {
                continue;
            }
            if (known) {
                fp8mac_store_code(desc->d, m * desc->ldd + n, bytes, code);
                continue;
            }
            if (w->plan.may_overflow && (totals->flags & w->plan.overflow_flag) == 0) {
                fp8mac_gemm_desc part = fp8mac_gemm_part(desc, m, 1, n, 1);
                fp8mac_gemm_defined(&part, totals);
                continue;
            }
            totals->flags |= FP8MAC_FLAG_NAN;
            fp8mac_gemm_finish(desc, &w->epilogue, m, n, w->plan.nan, totals);
            code = fp8mac_load_code(desc->d, m * desc->ldd + n, bytes);
            known = uniform;
        }
    }
}

// The definition computes the outputs of rows of A with Inf or NaN. In the other rows, it computes
// the outputs of columns of B with Inf or NaN.
static void run_specials(const fp8mac_work *w, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    for (size_t m = 0; m < desc->m;) {
        size_t end = m;
        while (end < desc->m && w->a->special[end] == w->a->special[m]) {
            end++;
        }
        for (size_t n = 0; n < desc->n;) {
            size_t n_end = n;
            while (n_end < desc->n && (w->a->special[m] || w->b->special[n_end])) {
                n_end++;
            }
            if (n_end > n) {
                fp8mac_gemm_desc part = fp8mac_gemm_part(desc, m, end - m, n, n_end - n);
                fp8mac_gemm_defined(&part, totals);
            }
            n = n_end > n ? n_end : n + 1;
        }
        m = end;
    }
}

bool fp8mac_run_plan(fp8mac_work *w, fp8mac_gemm_totals *totals)
{
    size_t group = w->plan.tile.group;
    size_t block_k = w->plan.needs_double ? BLOCK_K_DOUBLE : BLOCK_K; // B's block fits L1
    w->block_k = tiles_of(block_k, group) * group;
    w->epilogue = fp8mac_gemm_epilogue(w->desc);
    w->identity = fp8mac_epilogue_is_identity(w);
    bool ok = allocate_panels(w);
    w->plan.refusal = ok ? FP8MAC_NOT_REFUSED : FP8MAC_REFUSED_MEMORY;
    if (ok) {
        run_blocks(w, totals);
        totals->flags |= w->seen;
        if (w->a->specials + w->b->specials == 0) {
            // no output is left
        } else if (w->plan.specials_are_nan && missing_flags(w, totals) == 0) {
            finish_nans(w, totals);
        } else {
            run_specials(w, totals);
        }
    }
    free_panels(w);
    return ok;
}
#endif
