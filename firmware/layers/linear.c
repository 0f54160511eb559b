// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/linear.h"

#include "layer.h"

static fp8rt_status check(const fp8rt_run *run, const fp8rt_linear_desc *desc)
{
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, desc->x);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_weights(run, desc->weights, desc->x->cols);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_any(run, desc->out);
    }
    if (status == FP8RT_OK && desc->residual != NULL) {
        status = fp8rt_layer_check_any(run, desc->residual);
    }
    return status;
}

static fp8rt_status compute(fp8rt_run *run, const fp8rt_linear_desc *desc)
{
    const fp8rt_product product = {
        .x = desc->x,
        .weights = desc->weights,
        .c = desc->residual,
        .factor = 1.0f,
        .fused = &desc->fused,
    };
    return fp8rt_layer_gemm(run, &product, desc->out);
}

fp8rt_status fp8rt_linear(fp8rt_run *run, const fp8rt_linear_desc *desc)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, "linear", &scope);
    if (status == FP8RT_OK) {
        status = check(run, desc);
    }
    if (status == FP8RT_OK) {
        status = compute(run, desc);
    }
    return fp8rt_layer_end(run, &scope, status);
}
