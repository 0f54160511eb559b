// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/softmax.h"

#include "softmax.h"

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_softmax_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status = fp8rt_layer_check_ends(run, desc->x, desc->out);
    if (status != FP8RT_OK) {
        return status;
    }
    const char *misfit = desc->x->cols > FP8MAC_ROWS_MAX_COLS      ? "desc->x"
                         : !fp8rt_tensor_is_as(desc->out, desc->x) ? "desc->out"
                         : desc->seen > desc->x->cols              ? "desc->seen"
                                                                   : NULL;
    if (misfit != NULL) {
        return fp8rt_layer_fit(run, misfit);
    }
    if (!fp8rt_fp32_is_scale(fp8rt_fp32_bits(fp8rt_layer_scale(desc->factor)))) {
        return FP8RT_ERR_SCALE;
    }
    return fp8rt_layer_scaling(desc->out) != FP8RT_SCALING_STATIC ? FP8RT_ERR_UNSUPPORTED
                                                                  : FP8RT_OK;
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_softmax_desc *desc = layer;
    const fp8rt_row_operation rows = {
        .operation = FP8MAC_ROWS_SOFTMAX,
        .x = desc->x,
        .factor = fp8rt_layer_scale(desc->factor),
        .seen = desc->seen,
        .causal = desc->causal,
    };
    fp8rt_tensor out = *desc->out;
    out.scale = fp8rt_softmax_unit(out.format);
    const fp8rt_status status = fp8rt_layer_rows(run, &rows, &out);
    if (status == FP8RT_OK && !run->query) {
        desc->out->scale = out.scale;
    }
    return status;
}

fp8rt_status fp8rt_softmax(fp8rt_run *run, const fp8rt_softmax_desc *desc)
{
    return fp8rt_layer(run, "softmax", desc, check, compute);
}
