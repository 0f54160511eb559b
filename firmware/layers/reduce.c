// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reduce.h"

#include "layer.h"

static bool is_one(float scale)
{
    return fp8rt_fp32_bits(fp8rt_layer_scale(scale)) == FP8RT_FP32_ONE;
}

// The columns' numbers are words without a scale.
static fp8rt_status check_argmax(const fp8rt_tensor *out)
{
    if (out->format != FP8MAC_FP32) {
        return FP8RT_ERR_FORMAT;
    }
    return is_one(out->scale) ? FP8RT_OK : FP8RT_ERR_SCALE;
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_reduce_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status = fp8rt_layer_check_ends(run, desc->x, desc->out);
    if (status != FP8RT_OK) {
        return status;
    }
    if (!fp8mac_rows_is_reduction(desc->operation)) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (desc->x->cols > FP8MAC_ROWS_MAX_COLS) {
        return fp8rt_layer_fit(run, "desc->x");
    }
    if (!fp8rt_tensor_is(desc->out, desc->x->rows, 1)) {
        return fp8rt_layer_fit(run, "desc->out");
    }
    return desc->operation == FP8MAC_ROWS_ARGMAX ? check_argmax(desc->out) : FP8RT_OK;
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_reduce_desc *desc = layer;
    const bool squares = desc->operation == FP8MAC_ROWS_SUM_OF_SQUARES;
    const fp8rt_row_operation rows = {
        .operation = desc->operation,
        .x = desc->x,
        .factor = squares ? fp8rt_layer_scale(desc->x->scale) : 1.0f,
    };
    return fp8rt_layer_rows(run, &rows, desc->out);
}

fp8rt_status fp8rt_reduce(fp8rt_run *run, const fp8rt_reduce_desc *desc)
{
    return fp8rt_layer(run, "reduce", desc, check, compute);
}
