// SPDX-License-Identifier: Apache-2.0
// The checks of a GEMM's descriptor.
#ifndef FP8RT_GEMM_DESC_H
#define FP8RT_GEMM_DESC_H

#include "fp8rt/gemm.h"

// The strides and sizes of an image that are 0 get their values. The shapes are legal.
void fp8rt_gemm_fill(const fp8rt_caps *caps, fp8rt_gemm_desc *desc);
// The status that fp8rt_gemm_plan_make returns for the descriptor, which is filled; with FP8RT_OK
// also its command, as fp8rt_gemm_command.
fp8rt_status fp8rt_gemm_validate(const fp8rt_caps *caps, fp8rt_gemm_desc *desc,
                                 fp8rt_command *command);

#endif
