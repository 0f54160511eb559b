// SPDX-License-Identifier: Apache-2.0
// Row commands, by the model's own.
#include "accelerator/machine.h"

#include "command/tiles.h"

// The numbers that the description points to
typedef struct numbers {
    float factor, scale_d;
} numbers;

static uint32_t columns_of_d(const fp8mac_command *c)
{
    return fp8mac_command_is_reduction(c) ? 1 : c->n;
}

// A row's distance in elements. A single row may have any stride.
static size_t distance(const fp8mac_command *c, uint32_t stride, uint32_t columns, uint8_t fmt)
{
    return c->m > 1 ? stride >> fp8mac_command_size_log2(fmt) : columns;
}

static void set_epilogue(const job *j, const numbers *n, fp8mac_rows_desc *desc)
{
    const fp8mac_command *c = j->c;
    desc->activation = (fp8mac_activation)c->finish.act;
    desc->clamp_lo = fp8mac_float_from_bits(c->finish.clamp_lo);
    desc->clamp_hi = fp8mac_float_from_bits(c->finish.clamp_hi);
    desc->d_format = format_of(c->d.fmt);
    desc->d_mode.overflow = (fp8mac_overflow)c->finish.overflow;
    desc->scale_d = fp8mac_command_writes_scales(c) ? NULL : &n->scale_d;
    desc->d_table = j->table;
}

static void set_operation(const job *j, const numbers *n, fp8mac_rows_desc *desc)
{
    const fp8mac_command *c = j->c;
    if (fp8mac_command_is_norm(c)) {
        desc->eps = fp8mac_float_from_bits(c->c.beta);
        desc->gamma =
            c->b.scale_vec ? (const float *)(const void *)j->place[FP8MAC_REGION_SCALE_B].at : NULL;
        desc->beta =
            c->finish.bias_en ? (const float *)(const void *)j->place[FP8MAC_REGION_BIAS].at : NULL;
        return;
    }
    desc->seen = c->k < c->n ? c->k : 0;
    desc->causal = c->mode.causal;
    const bool none = desc->operation == FP8MAC_ROWS_ARGMAX ||
                      desc->operation == FP8MAC_ROWS_QUANTISE || fp8mac_command_writes_scales(c);
    desc->factor = none ? NULL : &n->factor;
    desc->base2 = desc->operation == FP8MAC_ROWS_SOFTMAX;
}

bool fp8mac_accelerator_rows(const job *j)
{
    const fp8mac_command *c = j->c;
    const numbers n = {fp8mac_float_from_bits((uint32_t)c->a.scale),
                       fp8mac_float_from_bits(c->d.scale)};
    fp8mac_rows_desc desc = {
        .operation = (fp8mac_rows_operation)c->mode.row_op,
        .rows = c->m,
        .cols = c->n,
        .x = j->place[FP8MAC_REGION_A].at,
        .x_format = format_of(c->x_fmt),
        .ldx = distance(c, c->a.stride, c->n, c->x_fmt),
        .d = j->place[FP8MAC_REGION_D].at,
        .ldd = distance(c, c->d.stride, columns_of_d(c), c->d.fmt),
    };
    if (fp8mac_command_writes_scales(c)) {
        desc.scales = j->place[FP8MAC_REGION_MX_A].at;
        desc.lds = c->m > 1 ? c->a.mx_stride : fp8mac_command_scales(c->n);
    }
    set_operation(j, &n, &desc);
    if (desc.operation != FP8MAC_ROWS_ARGMAX) {
        set_epilogue(j, &n, &desc);
    }
    fp8mac_gemm_result result;
    if (fp8mac_rows(&desc, &result) != FP8MAC_OK) {
        return false;
    }
    observe(j->x, result.flags, result.amax_nonfinite, fp8mac_float_bits(result.amax));
    return true;
}

// ---- beats --------------------------------------------------------------------------------------

// How often the accelerator reads X: in each phase but that of results alone
static uint32_t visits(const fp8mac_command *c)
{
    const uint32_t last = fp8mac_rows_last_phase(c);
    return last + (fp8mac_rows_step_of(c, last) != FP8MAC_STEP_RESULT);
}

enum { BAND_ROWS = 16 };

// Results one behind the other are written band by band, and those of a band four tiles at a time.
static uint32_t dense_beats(const fp8mac_accelerator *x, uint32_t m)
{
    const uint32_t pass = 4u * x->caps.rows, together = pass < BAND_ROWS ? pass : BAND_ROWS;
    return m / together * beats_of(x, together * 4u) + beats_of(x, m % together * 4u);
}

// Codes and the scale of each block
static uint32_t block_beats(const fp8mac_accelerator *x, uint32_t n)
{
    const uint32_t whole = n / FP8MAC_MX_BLOCK, rest = n % FP8MAC_MX_BLOCK;
    return whole * (FP8MAC_MX_BLOCK / x->caps.beat_bytes + 1u) +
           (rest != 0 ? beats_of(x, rest) + 1u : 0);
}

// Gamma and beta are read once for each band of rows.
void fp8mac_accelerator_count_rows(fp8mac_accelerator *x, const fp8mac_command *c)
{
    const uint64_t x_bytes = (uint64_t)c->n << fp8mac_command_size_log2(c->x_fmt),
                   d_bytes = (uint64_t)columns_of_d(c) << fp8mac_command_size_log2(c->d.fmt);
    const uint32_t vectors = (uint32_t)c->b.scale_vec + c->finish.bias_en;
    x->read_beats += c->m * beats_of(x, x_bytes) * visits(c);
    x->read_beats += (c->m + BAND_ROWS - 1u) / BAND_ROWS * vectors * beats_of(x, 4ull * c->n);
    x->write_beats += fp8mac_command_is_dense(c)        ? dense_beats(x, c->m)
                      : fp8mac_command_writes_scales(c) ? c->m * block_beats(x, c->n)
                                                        : c->m * beats_of(x, d_bytes);
}
