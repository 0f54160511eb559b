// SPDX-License-Identifier: Apache-2.0
// A GEMM that kernels compute: what its parts share.
#ifndef FP8MAC_FAST_WORK_H
#define FP8MAC_FAST_WORK_H

#include "fast/any.h"

enum {
    ROW_TILES = 16,
    BLOCK_N = 1024,
    BLOCK_K = 384,
    BLOCK_K_DOUBLE = 128,
    ALIGNMENT = 64,
    BEYOND = 16
};

typedef struct fp8mac_work {
    const fp8mac_gemm_desc *desc;
    const fp8mac_operand_facts *a, *b;
    fp8mac_fast_plan plan;
    fp8mac_epilogue epilogue;
    size_t block_k;
    fp8mac_any any; // every setting, if the plan has it
    fp8mac_acc_range loaded;
    fp8mac_code_table a_table, b_table;
    fp8mac_flags seen;
    bool tracks;   // `inexact` and `underflow` are asked for
    bool identity; // the epilogue leaves t0 unchanged
    float *a_panel, *b_panel;
    double *a_double, *a_large, *a_small, *b_double;
    double *a_reach, *b_most;
    int8_t *a_exponent, *b_exponent;
    int32_t *a_block, *b_block, *a_group, *b_group;
    void *acc;
    float t0[BLOCK_N], c[BLOCK_N], out[BLOCK_N];
} fp8mac_work;

static inline size_t tiles_of(size_t n, size_t side)
{
    return (n + side - 1) / side;
}

static inline bool is_any(const fp8mac_work *w)
{
    return w->plan.tile.any != NULL;
}

static inline size_t blocks_of(size_t k)
{
    return (k + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK;
}

static inline size_t groups_of(const fp8mac_work *w, size_t k)
{
    return (k + w->plan.tile.group - 1) / w->plan.tile.group;
}

// Columns of a panel for k terms.
static inline size_t panel_terms(const fp8mac_work *w, size_t k)
{
    return w->plan.is_int8 ? (k + 1) / 2 : k;
}

static inline void *acc_tile(const fp8mac_work *w, size_t i, size_t j, size_t columns)
{
    const fp8mac_kernels *kernels = w->plan.kernels;
    return (uint8_t *)w->acc + (i * columns + j) * kernels->mr * kernels->nr * w->plan.acc_bytes;
}

// `inexact` and `underflow`, as far as they are asked for and have not been raised.
static inline fp8mac_flags missing_flags(const fp8mac_work *w, const fp8mac_gemm_totals *totals)
{
    fp8mac_flags asked = w->tracks ? FP8MAC_FLAG_INEXACT | FP8MAC_FLAG_UNDERFLOW : 0u;
    return asked & ~(totals->flags | w->seen);
}

// Rows n0.. of B, rows m0.. of A, as the plan's kernel takes them.
void fp8mac_pack_b(fp8mac_work *w, size_t n0, size_t n);
void fp8mac_pack_a(fp8mac_work *w, size_t m0, size_t m);

// Whether T * scale_d equals t0.
bool fp8mac_epilogue_is_identity(const fp8mac_work *w);
// One row of a block's accumulators as FP32, to w->t0. The block's first column is n0. A sum in one
// double or in two is rounded here, once.
void fp8mac_read_out(fp8mac_work *w, size_t i, size_t n0, size_t n);
// Writes the outputs of w->t0 to row m of D, from column n0 on, but for special columns.
void fp8mac_finish_row(fp8mac_work *w, size_t m, size_t n0, size_t n, fp8mac_gemm_totals *totals);

// Carries out w->plan. False if there is no memory; nothing has been written then.
bool fp8mac_run_plan(fp8mac_work *w, fp8mac_gemm_totals *totals);

#endif
