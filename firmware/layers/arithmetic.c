// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/arithmetic.h"

#include "layer.h"

static fp8rt_status check(fp8rt_run *run, const fp8rt_arithmetic_desc *desc, uint32_t operation)
{
    if (desc == NULL || (operation == FP8RT_OPERATION_MULTIPLY && desc->y == NULL)) {
        return FP8RT_ERR_NULL;
    }
    if (!fp8rt_fp32_is_finite(fp8rt_fp32_bits(desc->factor))) {
        return FP8RT_ERR_SCALE;
    }
    fp8rt_status status = fp8rt_layer_check_any(run, desc->x);
    if (status == FP8RT_OK && desc->y != NULL) {
        status = fp8rt_layer_check_any(run, desc->y);
    }
    return status == FP8RT_OK ? fp8rt_layer_check_any(run, desc->out) : status;
}

static fp8rt_status apply(fp8rt_run *run, const fp8rt_arithmetic_desc *desc, uint32_t operation,
                          const char *name)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, name, &scope);
    if (status == FP8RT_OK) {
        status = check(run, desc, operation);
    }
    if (status == FP8RT_OK) {
        fp8rt_layer_observe(run, &scope, desc);
        const fp8rt_combination combination = {.operation = operation,
                                               .x = desc->x,
                                               .c = desc->y,
                                               .factor = fp8rt_layer_scale(desc->factor),
                                               .fused = &desc->fused};
        status = fp8rt_layer_combine(run, &combination, desc->out);
    }
    return fp8rt_layer_end(run, &scope, status);
}

fp8rt_status fp8rt_add(fp8rt_run *run, const fp8rt_arithmetic_desc *desc)
{
    return apply(run, desc, FP8RT_OPERATION_ADD, "add");
}

fp8rt_status fp8rt_multiply(fp8rt_run *run, const fp8rt_arithmetic_desc *desc)
{
    return apply(run, desc, FP8RT_OPERATION_MULTIPLY, "multiply");
}
