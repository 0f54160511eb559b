// SPDX-License-Identifier: Apache-2.0
// Softmax and attention in double precision.
#ifndef FP8RT_REFERENCE_ATTENTION_H
#define FP8RT_REFERENCE_ATTENTION_H

#include "fp8rt/attention.h"
#include "fp8rt/reference.h"
#include "fp8rt/softmax.h"

#ifdef __cplusplus
extern "C" {
#endif

void fp8rt_reference_softmax(fp8rt_reference *reference, const fp8rt_softmax_desc *desc);
// The query's data must not be the output's.
void fp8rt_reference_attention(fp8rt_reference *reference, const fp8rt_attention_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
