// SPDX-License-Identifier: Apache-2.0
// An element-wise command that may run any number of times, for callers within the library.
#ifndef FP8RT_ELEMENTWISE_PLAN_H
#define FP8RT_ELEMENTWISE_PLAN_H

#include "fp8rt/elementwise.h"

typedef struct fp8rt_elementwise_plan {
    fp8rt_descriptor descriptor; // without the numbers: scales and beta
    uint32_t stamp;              // as fp8rt_gemm_plan
    fp8rt_elementwise_desc desc; // strides filled in
} fp8rt_elementwise_plan;

// The strides that are 0 get their values. The shapes are legal.
void fp8rt_elementwise_fill(const fp8rt_caps *caps, fp8rt_elementwise_desc *desc);
// Checks plan->desc and makes the plan. `stamp` is that of `caps`.
fp8rt_status fp8rt_elementwise_prepare(const fp8rt_caps *caps, uint32_t stamp,
                                       fp8rt_elementwise_plan *plan);
// A run in two parts, as those of a GEMM (gemm_prepare.h). The first checks scales and
// plan->desc.beta, which may have changed; whether beta is 0 may not.
fp8rt_status fp8rt_elementwise_complete(fp8rt_device *dev, fp8rt_elementwise_plan *plan);
fp8rt_status fp8rt_elementwise_execute(fp8rt_device *dev, fp8rt_elementwise_plan *plan,
                                       bool counters, fp8rt_gemm_result *result);

#endif
