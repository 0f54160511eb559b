// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/linear.h"

#include "layer.h"

static fp8rt_status check_weights(fp8rt_run *run, const fp8rt_weights *weights,
                                  const fp8rt_tensor *x)
{
    if (weights == NULL || weights->codes.mx == NULL) {
        return x->mx != NULL
                   ? FP8RT_ERR_UNSUPPORTED
                   : fp8rt_layer_check_weights_named(run, weights, x->cols, "desc->weights");
    }
    const fp8rt_status status = fp8rt_layer_check_mx_named(run, &weights->codes, FP8MAC_E4M3FN,
                                                           FP8MAC_E5M2FNUZ, "desc->weights");
    if (status != FP8RT_OK) {
        return status;
    }
    if (weights->codes.cols != x->cols) {
        return fp8rt_layer_fit(run, "desc->weights");
    }
    return x->mx == NULL ? FP8RT_ERR_UNSUPPORTED : FP8RT_OK;
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_linear_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status =
        fp8rt_layer_check_mx(run, desc->x, fp8rt_layer_operand(run), fp8rt_layer_last_operand(run));
    if (status == FP8RT_OK) {
        status = check_weights(run, desc->weights, desc->x);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_mx(run, desc->out, FP8MAC_E4M3FN, fp8rt_layer_last_format(run));
    }
    if (status == FP8RT_OK && desc->residual != NULL) {
        status = fp8rt_layer_check_any(run, desc->residual);
    }
    return status;
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_linear_desc *desc = layer;
    const fp8rt_product product = {
        .x = desc->x,
        .weights = desc->weights,
        .x_scale = desc->x->row_scale,
        .c = desc->residual,
        .factor = 1.0f,
        .fused = &desc->fused,
    };
    return fp8rt_layer_gemm(run, &product, desc->out);
}

fp8rt_status fp8rt_linear(fp8rt_run *run, const fp8rt_linear_desc *desc)
{
    return fp8rt_layer(run, "linear", desc, check, compute);
}
