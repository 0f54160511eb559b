// SPDX-License-Identifier: Apache-2.0
// A GEMM by its definition, for a description that has been checked.
#ifndef FP8MAC_CORE_GEMM_DEFINITION_H
#define FP8MAC_CORE_GEMM_DEFINITION_H

#include "core/internal.h"

// Results that are collected over all outputs.
typedef struct fp8mac_gemm_totals {
    uint32_t amax;
    bool amax_nonfinite;
    fp8mac_flags flags;
} fp8mac_gemm_totals;

static inline bool fp8mac_gemm_has_mx(const fp8mac_gemm_desc *desc)
{
    return desc->a.mx != NULL || desc->b.mx != NULL;
}

// Computes every output.
void fp8mac_gemm_defined(const fp8mac_gemm_desc *desc, fp8mac_gemm_totals *totals);
// The epilogue of one output, from the accumulator's t0 to the code of D.
void fp8mac_gemm_finish(const fp8mac_gemm_desc *desc, const fp8mac_epilogue *epilogue, size_t m,
                        size_t n, uint32_t t0, fp8mac_gemm_totals *totals);
fp8mac_epilogue fp8mac_gemm_epilogue(const fp8mac_gemm_desc *desc);
// The same problem for the outputs m0 .. m0 + m - 1, n0 .. n0 + n - 1 alone.
fp8mac_gemm_desc fp8mac_gemm_part(const fp8mac_gemm_desc *desc, size_t m0, size_t m, size_t n0,
                                  size_t n);

#endif
