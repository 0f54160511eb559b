// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 multiplication and addition on bit patterns, in integer arithmetic: nearest
// even, with subnormals. A NaN result is 0x7fc00000 whatever the operands' payloads. Flags:
// `invalid` for Inf * 0 and Inf - Inf (not for NaN operands), `overflow` when finite operands give
// Inf; ORed into *flags, which may be NULL.
#ifndef FP8MAC_FP32_H
#define FP8MAC_FP32_H

#include "fp8mac/format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FP8MAC_FP32_NAN 0x7fc00000u
#define FP8MAC_FP32_ONE 0x3f800000u

uint32_t fp8mac_fp32_mul(uint32_t a, uint32_t b, fp8mac_flags *flags);
uint32_t fp8mac_fp32_add(uint32_t a, uint32_t b, fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
