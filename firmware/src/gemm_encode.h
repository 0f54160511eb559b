// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_GEMM_ENCODE_H
#define FP8RT_GEMM_ENCODE_H

#include "fp8rt/gemm.h"

// Writes plan->descriptor from plan->desc and plan->tiles.
void fp8rt_gemm_encode(const fp8rt_caps *caps, fp8rt_gemm_plan *plan);

#endif
