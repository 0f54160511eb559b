// SPDX-License-Identifier: Apache-2.0
// Looks for the steps along K that explain a wrong output.
#ifndef FP8RT_EXPLAIN_H
#define FP8RT_EXPLAIN_H

#include <stdint.h>
#include <stdio.h>

#include "fp8mac/gemm.h"

typedef enum fp8rt_cause {
    FP8RT_CAUSE_UNKNOWN, // none of the steps that were tried
    FP8RT_CAUSE_PREFIX,  // the output is that of the products before `first`
    FP8RT_CAUSE_WITHOUT, // it is that without the products first..last
    FP8RT_CAUSE_TWICE,   // it is that with the products first..last twice
} fp8rt_cause;

typedef struct fp8rt_explanation {
    fp8rt_cause cause;
    uint32_t first, last; // products along K, counted from 0
    uint32_t others;      // causes of the same kind that explain the output as well
} fp8rt_explanation;

enum { FP8RT_EXPLAIN_STEPS = 256 }; // the first ones, which are tried

// Whether one step explains the code `got` of D[m][n]. The causes are tried in the order
// above. `gemm` must be valid; its D is not used. With MX scales or accumulators to begin
// with, no step is tried.
fp8rt_explanation fp8rt_explain(const fp8mac_gemm_desc *gemm, uint32_t m, uint32_t n, uint32_t got);
// Prints the explanation, and what the model's accumulator holds after the first steps and the last
// one.
void fp8rt_explain_print(FILE *out, const fp8mac_gemm_desc *gemm, uint32_t m, uint32_t n,
                         uint32_t got);

#endif
