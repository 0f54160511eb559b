// SPDX-License-Identifier: Apache-2.0
// A row command that may run any number of times, for callers within the library.
#ifndef FP8RT_ROWS_PLAN_H
#define FP8RT_ROWS_PLAN_H

#include "fp8rt/rows.h"
#include "values.h"

typedef struct fp8rt_rows_plan {
    fp8rt_descriptor descriptor; // without the numbers: factor, eps and scale_d
    uint32_t stamp;              // as fp8rt_gemm_plan
    fp8rt_rows_desc desc;        // strides filled in
} fp8rt_rows_plan;

static inline bool fp8rt_rows_is_norm(fp8mac_rows_operation operation)
{
    return operation == FP8MAC_ROWS_RMS_NORM || operation == FP8MAC_ROWS_LAYER_NORM;
}

// A function of each value
static inline bool fp8rt_rows_is_curve(fp8mac_rows_operation operation)
{
    return operation == FP8MAC_ROWS_SIGMOID || operation == FP8MAC_ROWS_TANH;
}

// Codes and scales of MX
static inline bool fp8rt_rows_is_mx(fp8mac_rows_operation operation)
{
    return operation == FP8MAC_ROWS_QUANTISE_MX;
}

// The matrices of a descriptor
fp8rt_values fp8rt_rows_x(const fp8rt_rows_desc *desc);
fp8rt_values fp8rt_rows_d(const fp8rt_rows_desc *desc);
// Those of fp8rt_rows_is_mx alone
fp8rt_values fp8rt_rows_scales(const fp8rt_rows_desc *desc);

// As those of an element-wise command (elementwise_plan.h). The numbers that may change between
// runs are the values of factor and scale_d, and plan->desc.eps.
void fp8rt_rows_fill(const fp8rt_caps *caps, fp8rt_rows_desc *desc);
fp8rt_status fp8rt_rows_prepare(const fp8rt_caps *caps, uint32_t stamp, fp8rt_rows_plan *plan);
fp8rt_status fp8rt_rows_complete(fp8rt_device *dev, fp8rt_rows_plan *plan);
fp8rt_status fp8rt_rows_execute(fp8rt_device *dev, fp8rt_rows_plan *plan, bool counters,
                                fp8rt_gemm_result *result);

#endif
