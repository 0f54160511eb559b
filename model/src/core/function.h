// SPDX-License-Identifier: Apache-2.0
// The functions of fp8mac/function.h for callers that have established the library's floating-point
// environment. Any NaN is canonical when it is seen as bits.
#ifndef FP8MAC_CORE_FUNCTION_H
#define FP8MAC_CORE_FUNCTION_H

#include "core/internal.h"

#define FP8MAC_LOG2_E 0x3fb8aa3bu // log2(e), to nearest

uint32_t fp8mac_exp2_of(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_exp_of(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_reciprocal_of(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_rsqrt_of(uint32_t x, fp8mac_flags *flags);
// These have no flags, and need no environment.
uint32_t fp8mac_sigmoid_of(uint32_t x);
uint32_t fp8mac_tanh_of(uint32_t x);

#endif
