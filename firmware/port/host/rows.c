// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include "ceil_div.h"
#include "coding.h"
#include "fp32_bits.h"
#include "fp8mac/rows.h"
#include "host_memory.h"
#include "mapped.h"
#include "regions.h"
#include "walk.h"

bool fp8rt_host_is_rows(const fp8rt_command *command)
{
    return FP8RT_GET(OPERATION__OP, fp8rt_host_operation(command)) == FP8RT_OPERATION_ROWS;
}

static fp8mac_rows_operation row_operation(const fp8rt_command *c)
{
    return (fp8mac_rows_operation)FP8RT_GET(OPERATION__ROW_OP, c->operation);
}

static bool is_norm(const fp8rt_command *c)
{
    return row_operation(c) == FP8MAC_ROWS_RMS_NORM || row_operation(c) == FP8MAC_ROWS_LAYER_NORM;
}

static uint32_t d_columns(const fp8rt_command *c)
{
    return fp8mac_rows_is_reduction(row_operation(c)) ? 1 : c->n;
}

static bool is_mx(const fp8rt_command *c)
{
    return row_operation(c) == FP8MAC_ROWS_QUANTISE_MX;
}

// Results of four bytes, one behind the other
static bool is_dense(const fp8rt_command *c)
{
    return fp8mac_rows_is_reduction(row_operation(c)) && c->d_stride == 4 &&
           fp8rt_host_d_bytes(c) == 4;
}

// ---- checks -------------------------------------------------------------------------------------

enum { REGION_D = 1, REGION_SCALES = 4, REGIONS = 5 };

// X, D, gamma, beta, MX scales. Those that the command does not have are empty.
static void list_regions(const fp8rt_command *c, fp8rt_region list[REGIONS])
{
    const bool gamma = fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_B_VEC)),
               beta = fp8rt_host_has(c, FP8RT_BIT(MODE__BIAS_EN));
    list[0] = (fp8rt_region){c->a.address, c->m, c->a.stride, c->n * fp8rt_host_x_bytes(c)};
    list[REGION_D] =
        is_dense(c) ? (fp8rt_region){c->d, 1, 0, c->m * 4u}
                    : (fp8rt_region){c->d, c->m, c->d_stride, d_columns(c) * fp8rt_host_d_bytes(c)};
    list[2] = (fp8rt_region){c->b.scale, gamma, 0, c->n * 4u};
    list[3] = (fp8rt_region){c->bias, beta, 0, c->n * 4u};
    list[REGION_SCALES] = (fp8rt_region){c->a.mx, is_mx(c) ? c->m : 0, c->a.mx_stride,
                                         (uint32_t)fp8mac_rows_blocks(c->n)};
}

static bool alignment_is_bad(const fp8rt_caps *caps, const fp8rt_region *r)
{
    const uintptr_t bits = r->address | (r->rows > 1 ? r->stride : 0);
    return r->rows != 0 && (bits & (caps->beat_bytes - 1u)) != 0;
}

static bool range_is_bad(const fp8rt_region *r)
{
    return r->rows != 0 && ((r->rows > 1 && r->stride < r->row_bytes) || !fp8rt_region_fits(r));
}

static bool is_plain(const fp8rt_command *c)
{
    return c->a.scale == FP8RT_FP32_ONE && c->scale_d == FP8RT_FP32_ONE &&
           FP8RT_GET(MODE__ACT, c->mode) == FP8MAC_ACT_NONE;
}

// An operation has no vectors, masks and epilogue but its own.
static bool operation_is_bad(const fp8rt_command *c)
{
    const bool gamma = fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_B_VEC)),
               beta = fp8rt_host_has(c, FP8RT_BIT(MODE__BIAS_EN)),
               causal = FP8RT_GET(OPERATION__CAUSAL, c->operation) != 0;
    if (!gamma && (uint32_t)c->b.scale != FP8RT_FP32_ONE) {
        return true;
    }
    switch (row_operation(c)) {
    case FP8MAC_ROWS_LAYER_NORM: return c->k != 0 || causal;
    case FP8MAC_ROWS_RMS_NORM: return c->k != 0 || causal || beta;
    case FP8MAC_ROWS_ARGMAX:
        return gamma || beta || !is_plain(c) || FP8RT_GET(MODE__D_FMT, c->mode) != FP8MAC_FP32;
    case FP8MAC_ROWS_SIGMOID:
    case FP8MAC_ROWS_TANH:
    case FP8MAC_ROWS_QUANTISE: return gamma || beta || c->k != 0 || causal;
    case FP8MAC_ROWS_QUANTISE_MX:
        return gamma || beta || c->k != 0 || causal || !is_plain(c) ||
               FP8RT_GET(MODE__D_FMT, c->mode) > FP8MAC_E5M2FNUZ ||
               FP8RT_GET(MODE__OVERFLOW, c->mode) != FP8MAC_OVERFLOW_SATURATE ||
               FP8RT_GET(OPERATION__ACT_TABLE, c->operation) != 0;
    default: return gamma || beta || row_operation(c) > FP8MAC_ROWS_QUANTISE_MX;
    }
}

// What a row command has no use for must be off.
static bool mode_is_bad(const fp8rt_caps *caps, const fp8rt_command *c)
{
    const uint32_t off = FP8RT_BIT(MODE__REUSE_A) | FP8RT_BIT(MODE__REUSE_B) |
                         FP8RT_BIT(MODE__ACC_CONTINUE) | FP8RT_BIT(MODE__ACC_KEEP) |
                         FP8RT_BIT(MODE__SCALE_A_VEC);
    const uint32_t none = FP8RT_BIT(OPERATION__C_EN) | FP8RT_BIT(OPERATION__CONV_A) |
                          FP8RT_BIT(OPERATION__MX) | FP8RT_BIT(OPERATION__ROUNDING);
    const uint32_t table = FP8RT_GET(OPERATION__ACT_TABLE, c->operation);
    const fp8mac_overflow overflow = (fp8mac_overflow)FP8RT_GET(MODE__OVERFLOW, c->mode);
    return (caps->functions & FP8RT_FUNCTION_ROWS) == 0 || (c->mode & off) != 0 ||
           (c->operation & none) != 0 || operation_is_bad(c) || table > FP8RT_TABLES ||
           (table != 0 && fp8rt_host_d_bytes(c) != 1) ||
           FP8RT_GET(MODE__ACT, c->mode) > FP8MAC_ACT_CLAMP ||
           !fp8rt_is_overflow(overflow, (fp8mac_format_id)FP8RT_GET(MODE__D_FMT, c->mode));
}

static bool exponent_is_bad(int exponent)
{
    return exponent < FP8MAC_SCALE_EXPONENT_MIN || exponent > FP8MAC_SCALE_EXPONENT_MAX;
}

static bool scale_is_bad(const fp8rt_command *c)
{
    const bool clamps = FP8RT_GET(MODE__ACT, c->mode) == FP8MAC_ACT_CLAMP;
    return !fp8rt_fp32_is_scale((uint32_t)c->a.scale) || !fp8rt_fp32_is_scale(c->scale_d) ||
           (is_norm(c) && (!fp8rt_fp32_is_scale(c->b.stride) ||
                           (c->beta != 0 && !fp8rt_fp32_is_scale(c->beta)))) ||
           (clamps && !fp8rt_fp32_is_interval(c->clamp_lo, c->clamp_hi));
}

static bool is_mapped(const fp8rt_region *r)
{
    return r->rows == 0 || fp8rt_host_is_mapped(r->address, fp8rt_region_span(r) + 1u);
}

static fp8rt_status check_memory(const fp8rt_region list[REGIONS])
{
    for (unsigned i = 0; i < REGIONS; i++) {
        if (!is_mapped(&list[i])) {
            return i == REGION_D || i == REGION_SCALES ? FP8RT_ERR_HW_WRITE_DECERR
                                                       : FP8RT_ERR_HW_READ_DECERR;
        }
    }
    return FP8RT_OK;
}

static fp8rt_status check(const fp8rt_device *dev, const fp8rt_command *c)
{
    const uint32_t table = FP8RT_GET(OPERATION__ACT_TABLE, c->operation);
    fp8rt_region list[REGIONS];
    if (c->m == 0 || c->n == 0 || c->n > FP8MAC_ROWS_MAX_COLS || c->k > c->n) {
        return FP8RT_ERR_HW_SHAPE;
    }
    list_regions(c, list);
    for (unsigned i = 0; i < REGIONS; i++) {
        if (alignment_is_bad(&dev->caps, &list[i])) {
            return FP8RT_ERR_HW_ALIGNMENT;
        }
    }
    for (unsigned i = 0; i < REGIONS; i++) {
        if (range_is_bad(&list[i])) {
            return FP8RT_ERR_HW_RANGE;
        }
    }
    if (mode_is_bad(&dev->caps, c)) {
        return FP8RT_ERR_HW_MODE;
    }
    if (exponent_is_bad(c->a.scale_exp) || exponent_is_bad(c->b.scale_exp)) {
        return FP8RT_ERR_HW_SCALE_EXPONENT;
    }
    if (scale_is_bad(c)) {
        return FP8RT_ERR_HW_SCALE;
    }
    if (table != 0 && !dev->state.loaded[table - 1u]) {
        return FP8RT_ERR_HW_SEQUENCE;
    }
    return check_memory(list);
}

// ---- the run ------------------------------------------------------------------------------------

// The numbers that the description points to
typedef struct numbers {
    float factor, scale_d;
} numbers;

static const fp8mac_format *format_of(uint32_t code)
{
    return fp8mac_format_get((fp8mac_format_id)code);
}

// A row's distance in elements. A single row may have any stride.
static size_t distance(uint32_t rows, uint32_t stride, uint32_t columns, uint32_t bytes)
{
    return rows > 1 ? stride / bytes : columns;
}

static void set_epilogue(const fp8rt_device *dev, const fp8rt_command *c, const numbers *n,
                         fp8mac_rows_desc *desc)
{
    const uint32_t table = FP8RT_GET(OPERATION__ACT_TABLE, c->operation);
    desc->activation = (fp8mac_activation)FP8RT_GET(MODE__ACT, c->mode);
    desc->clamp_lo = fp8rt_fp32_from_bits(c->clamp_lo);
    desc->clamp_hi = fp8rt_fp32_from_bits(c->clamp_hi);
    desc->d_format = format_of(FP8RT_GET(MODE__D_FMT, c->mode));
    desc->d_mode.overflow = (fp8mac_overflow)FP8RT_GET(MODE__OVERFLOW, c->mode);
    desc->scale_d = is_mx(c) ? NULL : &n->scale_d;
    desc->d_table = table != 0 ? dev->state.tables[table - 1u] : NULL;
}

// NULL: the region is empty
static void *place(const fp8rt_region *r)
{
    return r->rows == 0 ? NULL : fp8rt_host_at(r->address, (size_t)fp8rt_region_span(r) + 1u);
}

static void set_operation(const fp8rt_command *c, const numbers *n, fp8mac_rows_desc *desc)
{
    if (is_norm(c)) {
        desc->eps = fp8rt_fp32_from_bits(c->beta);
        return;
    }
    desc->seen = c->k < c->n ? c->k : 0;
    desc->causal = FP8RT_GET(OPERATION__CAUSAL, c->operation) != 0;
    const bool none = desc->operation == FP8MAC_ROWS_ARGMAX ||
                      desc->operation == FP8MAC_ROWS_QUANTISE || is_mx(c);
    desc->factor = none ? NULL : &n->factor;
    desc->base2 = desc->operation == FP8MAC_ROWS_SOFTMAX;
}

static fp8mac_rows_desc desc_of(const fp8rt_device *dev, const fp8rt_command *c, const numbers *n)
{
    fp8rt_region list[REGIONS];
    list_regions(c, list);
    fp8mac_rows_desc desc = {
        .operation = row_operation(c),
        .rows = c->m,
        .cols = c->n,
        .x = place(&list[0]),
        .x_format = format_of(FP8RT_GET(OPERATION__X_FMT, c->operation)),
        .ldx = distance(c->m, c->a.stride, c->n, fp8rt_host_x_bytes(c)),
        .d = place(&list[REGION_D]),
        .ldd = distance(c->m, c->d_stride, d_columns(c), fp8rt_host_d_bytes(c)),
        .gamma = place(&list[2]),
        .beta = place(&list[3]),
    };
    if (is_mx(c)) {
        desc.scales = place(&list[REGION_SCALES]);
        desc.lds = c->m > 1 ? c->a.mx_stride : fp8mac_rows_blocks(c->n);
    }
    set_operation(c, n, &desc);
    if (desc.operation != FP8MAC_ROWS_ARGMAX) {
        set_epilogue(dev, c, n, &desc);
    }
    return desc;
}

// How often the accelerator reads X
static uint32_t passes(fp8mac_rows_operation operation)
{
    switch (operation) {
    case FP8MAC_ROWS_ARGMAX:
    case FP8MAC_ROWS_RMS_NORM:
    case FP8MAC_ROWS_QUANTISE:
    case FP8MAC_ROWS_QUANTISE_MX: return 2;
    case FP8MAC_ROWS_LAYER_NORM:
    case FP8MAC_ROWS_SOFTMAX: return 3;
    default: return 1;
    }
}

// It reads gamma and beta once for each band of rows, and writes results one behind the other band by band.
enum { BAND_ROWS = 16 };

static uint32_t dense_beats(uint32_t m, uint32_t beat)
{
    return m / BAND_ROWS * (BAND_ROWS * 4u / beat) + fp8rt_ceil_div(m % BAND_ROWS * 4u, beat);
}

// Codes and the scale of each block
static uint32_t mx_beats(uint32_t n, uint32_t beat)
{
    const uint32_t whole = n / FP8MAC_MX_BLOCK, rest = n % FP8MAC_MX_BLOCK;
    return whole * (FP8MAC_MX_BLOCK / beat + 1u) +
           (rest != 0 ? fp8rt_ceil_div(rest, beat) + 1u : 0);
}

static void count_beats(fp8rt_device *dev, const fp8rt_command *c)
{
    const uint32_t beat = dev->caps.beat_bytes;
    const uint32_t x = fp8rt_ceil_div(c->n * fp8rt_host_x_bytes(c), beat),
                   d = fp8rt_ceil_div(d_columns(c) * fp8rt_host_d_bytes(c), beat),
                   vectors = (uint32_t)fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_B_VEC)) +
                             fp8rt_host_has(c, FP8RT_BIT(MODE__BIAS_EN));
    dev->state.counters.read_beats += c->m * x * passes(row_operation(c));
    dev->state.counters.read_beats +=
        fp8rt_ceil_div(c->m, BAND_ROWS) * vectors * fp8rt_ceil_div(c->n * 4u, beat);
    dev->state.counters.write_beats += is_dense(c) ? dense_beats(c->m, beat)
                                       : is_mx(c)  ? c->m * mx_beats(c->n, beat)
                                                   : c->m * d;
}

static void observe(fp8rt_observed *seen, const fp8mac_gemm_result *result)
{
    const uint32_t amax = fp8rt_fp32_bits(result->amax);
    seen->flags |= result->flags;
    seen->amax_nonfinite |= result->amax_nonfinite;
    seen->amax = amax > seen->amax ? amax : seen->amax;
}

fp8rt_status fp8rt_host_rows(fp8rt_device *dev, const fp8rt_command *command)
{
    const fp8rt_status status = check(dev, command);
    if (status != FP8RT_OK) {
        return status;
    }
    const numbers n = {fp8rt_fp32_from_bits((uint32_t)command->a.scale),
                       fp8rt_fp32_from_bits(command->scale_d)};
    const fp8mac_rows_desc desc = desc_of(dev, command, &n);
    fp8mac_gemm_result result;
    if (fp8mac_rows(&desc, &result) != FP8MAC_OK) {
        return FP8RT_ERR_HW_MODE;
    }
    observe(&dev->state.observed, &result);
    count_beats(dev, command);
    dev->state.before = dev->state.kept = false;
    return FP8RT_OK;
}
