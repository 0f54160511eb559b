// SPDX-License-Identifier: Apache-2.0
// Compares a finished GEMM with the golden model, on the simulated chip and in the host build.
#ifndef FP8RT_CHECK_H
#define FP8RT_CHECK_H

#include "fp8rt/check_record.h"
#include "fp8rt/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

// Compares D, amax and flags of the GEMM that has just run, bit by bit, with the golden model over
// the same memory. Returns the number of outputs that differ, plus 1 for amax and 1 for the flags
// where they differ. FP8RT_CHECK_MALFORMED: the GEMM could not be compared.
// FP8RT_CHECK_ABSENT: there is no golden model, and nothing was compared.
uint32_t fp8rt_check_gemm(const fp8rt_caps *caps, const fp8rt_gemm_plan *plan,
                          const fp8rt_gemm_result *result);

#ifdef __cplusplus
}
#endif
#endif
