// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/to_mx.h"

#include "convert_fp8.h"
#include "layer.h"
#include "mx_columns.h"
#include "record.h"

enum { BLOCK = FP8MAC_MX_BLOCK, VALUES_OF_CALL = 1 << 16 };

// A call of the core: some rows of the matrix.
typedef struct rows_of_mx {
    fp8rt_mx_desc desc;
    float *factors; // of these rows in the first 32 columns
    size_t stride;  // numbers from there to those of the next 32 columns
} rows_of_mx;
_Static_assert(sizeof(rows_of_mx) <= FP8RT_CALL_BYTES, "the context of a call");

static void scale_rows(void *context)
{
    const rows_of_mx *r = context;
    float *factors = r->factors;
    for (uint32_t col = 0; col < r->desc.cols; col += BLOCK, factors += r->stride) {
        fp8rt_mx_scale_columns(&r->desc, col, factors);
    }
}

static void clear_rows(void *context)
{
    const rows_of_mx *r = context;
    for (uint32_t col = 0; col < r->desc.cols; col += BLOCK) {
        fp8rt_mx_clear_nonfinite(&r->desc, col);
    }
}

// A list waits for a call for 2^24 cycles only, so a large matrix takes several calls.
static fp8rt_status for_rows(fp8rt_run *run, const rows_of_mx *all, fp8rt_core_function *function)
{
    const fp8rt_mx_desc *whole = &all->desc;
    const uint32_t fit = VALUES_OF_CALL / whole->cols, most = fit == 0 ? 1 : fit;
    fp8rt_status status = FP8RT_OK;
    for (uint32_t row = 0; row < whole->rows && status == FP8RT_OK; row += most) {
        rows_of_mx some = *all;
        some.desc.rows = whole->rows - row < most ? whole->rows - row : most;
        some.desc.values = (const uint8_t *)whole->values + (size_t)row * whole->values_stride;
        some.desc.codes = whole->codes + (size_t)row * whole->codes_stride;
        some.desc.scales = whole->scales + (size_t)row * whole->scales_stride;
        some.factors = all->factors + row;
        status = fp8rt_layer_core(run, function, &some, sizeof some);
    }
    return status;
}

static fp8rt_status convert(fp8rt_run *run, const rows_of_mx *all, const fp8rt_tensor *x,
                            const fp8rt_tensor *out)
{
    fp8rt_tensor codes = *out;
    codes.mx = NULL;
    codes.scale = 1.0f;
    const float *factors = all->factors;
    fp8rt_status status = FP8RT_OK;
    for (uint32_t col = 0; col < x->cols && status == FP8RT_OK; col += BLOCK) {
        const uint32_t cols = x->cols - col < BLOCK ? x->cols - col : BLOCK;
        const fp8rt_tensor from = fp8rt_tensor_part(run, x, 0, x->rows, 1, col, cols);
        fp8rt_tensor to = fp8rt_tensor_part(run, &codes, 0, x->rows, 1, col, cols);
        const fp8rt_combination e = {
            .operation = FP8RT_OPERATION_ADD, .x = &from, .x_scale = factors};
        status = fp8rt_layer_combine(run, &e, &to);
        factors += all->stride;
    }
    return status;
}

static fp8rt_status by_parts(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const size_t used = run->used;
    const size_t stride = fp8rt_packed_stride(caps, x->rows * (uint32_t)sizeof(float));
    const rows_of_mx all = {
        .desc = {.rows = x->rows,
                 .cols = x->cols,
                 .values = x->data,
                 .values_format = x->format,
                 .values_stride = fp8rt_tensor_stride(caps, x),
                 .codes = out->data,
                 .format = out->format,
                 .codes_stride = fp8rt_tensor_stride(caps, out),
                 .scales = out->mx,
                 .scales_stride = fp8rt_tensor_mx_stride(caps, out)},
        .factors = fp8rt_layer_take(run, fp8rt_mx_blocks(x->cols) * stride),
        .stride = stride / sizeof(float),
    };
    fp8rt_status status =
        all.factors == NULL && !run->query ? FP8RT_ERR_SCRATCH : for_rows(run, &all, scale_rows);
    if (status == FP8RT_OK) {
        status = convert(run, &all, x, out);
    }
    if (status == FP8RT_OK) {
        status = for_rows(run, &all, clear_rows);
    }
    run->used = used;
    return status;
}

fp8rt_status fp8rt_layer_to_mx(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    return fp8rt_layer_has_rows(run) ? fp8rt_layer_rows_to_mx(run, x, out) : by_parts(run, x, out);
}

// ---- the layer ----------------------------------------------------------------------------------

static bool is_one(const fp8rt_tensor *tensor)
{
    return fp8rt_fp32_bits(fp8rt_layer_scale(tensor->scale)) == FP8RT_FP32_ONE;
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_to_mx_desc *desc = layer;
    if (desc == NULL || (desc->out != NULL && desc->out->mx == NULL)) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_any(run, desc->x);
    if (status == FP8RT_OK && fp8rt_is_fp8(desc->x->format)) {
        status = FP8RT_ERR_FORMAT;
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_mx(run, desc->out, FP8MAC_E4M3FN, FP8MAC_E5M2FNUZ);
    }
    if (status == FP8RT_OK && !(is_one(desc->x) && is_one(desc->out))) {
        status = FP8RT_ERR_SCALE;
    }
    return status == FP8RT_OK && !fp8rt_tensor_is_as(desc->out, desc->x)
               ? fp8rt_layer_fit(run, "desc->out")
               : status;
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_to_mx_desc *desc = layer;
    return fp8rt_layer_to_mx(run, desc->x, desc->out);
}

fp8rt_status fp8rt_to_mx(fp8rt_run *run, const fp8rt_to_mx_desc *desc)
{
    return fp8rt_layer(run, "to_mx", desc, check, compute);
}
