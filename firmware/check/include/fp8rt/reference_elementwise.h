// SPDX-License-Identifier: Apache-2.0
// Sums, products, nonlinear functions and pooling in double precision.
#ifndef FP8RT_REFERENCE_ELEMENTWISE_H
#define FP8RT_REFERENCE_ELEMENTWISE_H

#include "fp8rt/arithmetic.h"
#include "fp8rt/nonlinear.h"
#include "fp8rt/pooling.h"
#include "fp8rt/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

void fp8rt_reference_add(fp8rt_reference *reference, const fp8rt_arithmetic_desc *desc);
void fp8rt_reference_multiply(fp8rt_reference *reference, const fp8rt_arithmetic_desc *desc);
// The function of desc->curve, also of a table.
void fp8rt_reference_nonlinear(fp8rt_reference *reference, const fp8rt_nonlinear_desc *desc);
void fp8rt_reference_max_pool(fp8rt_reference *reference, const fp8rt_pooling_desc *desc);
void fp8rt_reference_average_pool(fp8rt_reference *reference, const fp8rt_pooling_desc *desc);
void fp8rt_reference_global_average(fp8rt_reference *reference, const fp8rt_pooling_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
