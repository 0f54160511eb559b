// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/normalise.h"

#include "layer.h"

#define LEAST_NORMAL 0x00800000u

// Positive, finite and not subnormal
static bool is_normal(uint32_t bits)
{
    return bits - LEAST_NORMAL < FP8RT_FP32_INF - LEAST_NORMAL;
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_norm_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_any(run, desc->x);
    if (status == FP8RT_OK) {
        status =
            fp8rt_layer_check_rows(run, desc->out, FP8MAC_E4M3FN, fp8rt_layer_last_format(run));
    }
    if (status != FP8RT_OK) {
        return status;
    }
    if (desc->x->cols > FP8MAC_ROWS_MAX_COLS) {
        return fp8rt_layer_fit(run, "desc->x");
    }
    if (!fp8rt_tensor_is_as(desc->out, desc->x)) {
        return fp8rt_layer_fit(run, "desc->out");
    }
    if (!is_normal(fp8rt_fp32_bits(desc->eps))) {
        return FP8RT_ERR_SCALE;
    }
    return desc->rms && desc->beta != NULL ? FP8RT_ERR_UNSUPPORTED : FP8RT_OK;
}

// The vector at a beat: itself, or a copy in the scratch.
static fp8rt_status align(fp8rt_run *run, const float *from, uint32_t count, const float **to)
{
    *to = from;
    if (((uintptr_t)from & (run->dev->caps.beat_bytes - 1u)) == 0) {
        return FP8RT_OK;
    }
    if (run->recorder != NULL) {
        return FP8RT_ERR_ALIGNMENT;
    }
    float *copy = fp8rt_layer_take(run, count * sizeof *copy);
    *to = copy;
    if (copy == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    if (!run->query) {
        memcpy(copy, from, count * sizeof *copy);
    }
    return FP8RT_OK;
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_norm_desc *desc = layer;
    fp8rt_row_operation rows = {
        .operation = desc->rms ? FP8MAC_ROWS_RMS_NORM : FP8MAC_ROWS_LAYER_NORM,
        .x = desc->x,
        .eps = desc->eps,
    };
    fp8rt_status status = align(run, desc->gamma, desc->x->cols, &rows.gamma);
    if (status == FP8RT_OK) {
        status = align(run, desc->beta, desc->x->cols, &rows.beta);
    }
    return status == FP8RT_OK ? fp8rt_layer_rows(run, &rows, desc->out) : status;
}

fp8rt_status fp8rt_normalise(fp8rt_run *run, const fp8rt_norm_desc *desc)
{
    return fp8rt_layer(run, "normalise", desc, check, compute);
}
