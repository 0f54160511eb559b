// SPDX-License-Identifier: Apache-2.0
// The regions that a GEMM reads and writes.
#ifndef FP8RT_GEMM_REGIONS_H
#define FP8RT_GEMM_REGIONS_H

#include "fp32_bits.h"
#include "fp8rt/gemm.h"
#include "fp8rt/mx.h"
#include "regions.h"

enum { FP8RT_GEMM_INPUTS = 9 }; // A, B, scales of A, B and D, bias, C, MX scales of A and B

// Whether the GEMM reads C. Plans ask several times.
static inline bool fp8rt_gemm_reads_c(const fp8rt_gemm_desc *desc)
{
    return !fp8rt_fp32_is_zero(fp8rt_fp32_bits(desc->beta));
}

static inline bool fp8rt_gemm_has_mx(const fp8rt_gemm_desc *desc)
{
    return desc->a.mx != NULL;
}

// The regions that the GEMM reads, and their number, without the scratch and a C in the place of D. The descriptor has no
// NULL where a value is needed, sizes of at least 1, and strides.
unsigned fp8rt_gemm_inputs(const fp8rt_gemm_desc *desc, fp8rt_region list[FP8RT_GEMM_INPUTS]);

fp8rt_region fp8rt_gemm_output(const fp8rt_gemm_desc *desc);

#endif
