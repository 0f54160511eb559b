// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/softmax.h"

#include "exponential.h"

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_softmax_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_any(run, desc->x);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_fp8(run, desc->out);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    if (desc->out->rows != desc->x->rows || desc->out->cols != desc->x->cols ||
        desc->seen > desc->x->cols) {
        return FP8RT_ERR_SHAPE;
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
    fp8rt_tensor words = fp8rt_layer_tensor(run, desc->x->rows, desc->x->cols, FP8MAC_FP32);
    if (words.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    const float factor = fp8rt_layer_scale(desc->factor) * FP8RT_LOG_FACTOR;
    const fp8rt_status status =
        fp8rt_fixed_from(run, desc->x, factor, NULL, FP8RT_LOG_LIMIT, &words);
    if (status != FP8RT_OK || !fp8rt_layer_computes(run)) {
        return status;
    }
    const fp8rt_exponential exponential = {.seen = desc->seen == 0 ? desc->x->cols : desc->seen,
                                           .causal = desc->causal,
                                           .normalise = desc->row_scale == NULL};
    desc->out->scale = fp8rt_exponential_unit(desc->out->format);
    fp8rt_exponential_rows(&run->dev->caps, &exponential, &words, desc->out, desc->row_scale);
    return FP8RT_OK;
}

fp8rt_status fp8rt_softmax(fp8rt_run *run, const fp8rt_softmax_desc *desc)
{
    return fp8rt_layer(run, "softmax", desc, check, compute);
}
