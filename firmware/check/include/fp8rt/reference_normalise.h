// SPDX-License-Identifier: Apache-2.0
// Layer norm, RMS norm and reductions of rows in double precision.
#ifndef FP8RT_REFERENCE_NORMALISE_H
#define FP8RT_REFERENCE_NORMALISE_H

#include "fp8rt/normalise.h"
#include "fp8rt/reduce.h"
#include "fp8rt/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

// x's data must not be the output's.
void fp8rt_reference_normalise(fp8rt_reference *reference, const fp8rt_norm_desc *desc);
// Not of argmax, whose output is no value.
void fp8rt_reference_reduce(fp8rt_reference *reference, const fp8rt_reduce_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
