// SPDX-License-Identifier: Apache-2.0
// GEMMs that neither continue nor keep accumulators, as the model's own GEMMs. An image is gathered
// in A's buffer, as many rows at a time as fit there.
#include "accelerator/machine.h"

// Single scales, as floats that a descriptor can point to
typedef struct values {
    float scale_a, scale_b, scale_d;
} values;

static bool is_plain(const job *j)
{
    const fp8mac_command *c = j->c;
    return j->x->fault.part == FP8MAC_FAULT_NONE && !c->mode.acc_continue && !c->mode.acc_keep &&
           !c->a.reuse && !c->b.reuse && !fp8mac_command_is_depthwise(c) &&
           (!c->mode.conv_a || c->k <= FP8MAC_ACCELERATOR_BUFFER);
}

static fp8mac_scale scale_of(const job *j, const fp8mac_command_operand *x, fp8mac_region_of of,
                             float *value)
{
    *value = x->scale_vec ? 1.0f : fp8mac_float_from_bits((uint32_t)x->scale);
    return x->scale_vec
               ? (fp8mac_scale){FP8MAC_SCALE_VECTOR, (const float *)(const void *)j->place[of].at}
               : (fp8mac_scale){FP8MAC_SCALE_TENSOR, value};
}

static void set_operands(const job *j, values *v, fp8mac_gemm_desc *g)
{
    const fp8mac_command *c = j->c;
    const uint32_t blocks = fp8mac_command_scales(c->k);
    g->m = c->m, g->n = c->n, g->k = c->k;
    g->a.codes = j->place[FP8MAC_REGION_A].at;
    g->a.stride = c->m == 1 ? c->k : c->a.stride;
    g->b.codes = j->place[FP8MAC_REGION_B].at;
    g->b.stride = c->n == 1 ? c->k : c->b.stride;
    g->a.scale = scale_of(j, &c->a, FP8MAC_REGION_SCALE_A, &v->scale_a);
    g->b.scale = scale_of(j, &c->b, FP8MAC_REGION_SCALE_B, &v->scale_b);
    if (fp8mac_command_has_mx(c)) {
        g->a.mx = j->place[FP8MAC_REGION_MX_A].at;
        g->a.mx_stride = c->m == 1 ? blocks : c->a.mx_stride;
        g->b.mx = j->place[FP8MAC_REGION_MX_B].at;
        g->b.mx_stride = c->n == 1 ? blocks : c->b.mx_stride;
    }
}

static size_t elements(uint32_t rows, uint32_t stride, uint32_t n, uint8_t fmt)
{
    return rows == 1 ? n : stride >> fp8mac_command_size_log2(fmt);
}

static void set_results(const job *j, values *v, fp8mac_gemm_desc *g)
{
    const fp8mac_command *c = j->c;
    v->scale_d = fp8mac_float_from_bits(c->d.scale);
    g->bias =
        c->finish.bias_en ? (const float *)(const void *)j->place[FP8MAC_REGION_BIAS].at : NULL;
    if (fp8mac_command_reads_c(c)) {
        g->beta = fp8mac_float_from_bits(c->c.beta);
        g->c = j->place[FP8MAC_REGION_C].at;
        g->c_format = format_of(c->c.fmt);
        g->ldc = elements(c->m, c->c.stride, c->n, c->c.fmt);
    }
    g->activation = (fp8mac_activation)c->finish.act;
    if (c->finish.act == FP8MAC_ACT_CLAMP) {
        g->clamp_lo = fp8mac_float_from_bits(c->finish.clamp_lo);
        g->clamp_hi = fp8mac_float_from_bits(c->finish.clamp_hi);
    }
    g->d = j->place[FP8MAC_REGION_D].at;
    g->d_format = format_of(c->d.fmt);
    g->ldd = elements(c->m, c->d.stride, c->n, c->d.fmt);
    g->d_mode.overflow = (fp8mac_overflow)c->finish.overflow;
    g->scale_d = &v->scale_d;
    g->d_table = j->table;
    if (c->finish.stochastic) {
        g->d_mode.rounding = FP8MAC_ROUND_STOCHASTIC;
        g->d_generator = FP8MAC_GENERATOR_SIMON;
        g->d_random_bits = 16;
        g->dot.seed = c->finish.seed;
    }
}

// Rows first to first + m - 1 of the command, of which `all` is the descriptor
static fp8mac_gemm_desc part_of(const job *j, const fp8mac_gemm_desc *all, uint32_t first,
                                uint32_t m)
{
    const fp8mac_command *c = j->c;
    fp8mac_gemm_desc g = *all;
    g.m = m;
    g.origin_m = first;
    g.a.codes = j->x->a.codes;
    g.a.stride = c->k;
    if (c->a.scale_vec) {
        g.a.scale.values += first;
    }
    if (g.c != NULL) {
        g.c = (const uint8_t *)g.c + (size_t)first * c->c.stride;
    }
    g.d = (uint8_t *)g.d + (size_t)first * c->d.stride;
    return g;
}

static void gather(const job *j, uint32_t first, uint32_t rows)
{
    for (uint32_t r = 0; r < rows; r++) {
        fp8mac_accelerator_image(j, first + r, 0, j->c->k, j->x->a.codes + (size_t)r * j->c->k);
    }
}

static bool run(const job *j, const fp8mac_gemm_desc *g)
{
    fp8mac_gemm_result result;
    if (fp8mac_gemm(g, &result) != FP8MAC_OK) {
        return false;
    }
    observe(j->x, result.flags, result.amax_nonfinite, fp8mac_float_bits(result.amax));
    return true;
}

static bool multiply_image(const job *j, const fp8mac_gemm_desc *g)
{
    const uint32_t most = FP8MAC_ACCELERATOR_BUFFER / j->c->k;
    for (uint32_t first = 0; first < j->c->m; first += most) {
        const uint32_t left = j->c->m - first, rows = left < most ? left : most;
        gather(j, first, rows);
        const fp8mac_gemm_desc part = part_of(j, g, first, rows);
        if (!run(j, &part)) {
            return false;
        }
    }
    return true;
}

static bool multiply(const job *j)
{
    fp8mac_gemm_desc g = {.m = 0};
    values v;
    if (!fp8mac_accelerator_dot(j->x, j->c, &g.dot)) {
        return false;
    }
    set_operands(j, &v, &g);
    set_results(j, &v, &g);
    return j->c->mode.conv_a ? multiply_image(j, &g) : run(j, &g);
}

// ---- an accelerator that requantises ------------------------------------------------------------

static bool multiply_integers(const job *j)
{
    const fp8mac_command *c = j->c;
    const fp8mac_int_scale one = fp8mac_accelerator_int_scale(j, 0);
    const uint32_t most = c->mode.conv_a ? FP8MAC_ACCELERATOR_BUFFER / c->k : c->m;
    fp8mac_int8_gemm_desc g = {
        .n = c->n,
        .k = c->k,
        .a = (const int8_t *)j->place[FP8MAC_REGION_A].at,
        .b = (const int8_t *)j->place[FP8MAC_REGION_B].at,
        .lda = c->m == 1 ? c->k : c->a.stride,
        .ldb = c->n == 1 ? c->k : c->b.stride,
        .bias = c->finish.bias_en ? (const int32_t *)(const void *)j->place[FP8MAC_REGION_BIAS].at
                                  : NULL,
        .scales = c->b.scale_vec
                      ? (const fp8mac_int_scale *)(const void *)j->place[FP8MAC_REGION_SCALE_B].at
                      : &one,
        .scale_per_column = c->b.scale_vec,
        .to = fp8mac_accelerator_limits(c),
        .sums = c->d.fmt != FP8MAC_INT8,
        .ldd = elements(c->m, c->d.stride, c->n, c->d.fmt),
    };
    for (uint32_t first = 0; first < c->m; first += most) {
        const uint32_t left = c->m - first;
        g.m = left < most ? left : most;
        g.d = j->place[FP8MAC_REGION_D].at + (size_t)first * c->d.stride;
        if (c->mode.conv_a) {
            gather(j, first, (uint32_t)g.m);
            g.a = (const int8_t *)j->x->a.codes;
            g.lda = c->k;
        }
        if (fp8mac_int8_gemm(&g) != FP8MAC_OK) {
            return false;
        }
    }
    return true;
}

bool fp8mac_accelerator_product(const job *j)
{
    if (!is_plain(j)) {
        return false;
    }
    return !j->requantises ? multiply(j) : j->table == NULL && multiply_integers(j);
}
