// SPDX-License-Identifier: Apache-2.0
// The checks of a GEMM's descriptor.
#ifndef FP8RT_GEMM_DESC_H
#define FP8RT_GEMM_DESC_H

#include "fp8rt/gemm.h"
#include "regions.h"

// The strides and sizes of an image that are 0 get their values. The shapes are legal.
void fp8rt_gemm_fill(const fp8rt_caps *caps, fp8rt_gemm_desc *desc);
// The status that fp8rt_gemm_plan_make returns for the descriptor, which is filled.
fp8rt_status fp8rt_gemm_validate(const fp8rt_caps *caps, fp8rt_gemm_desc *desc);
// `d`, the region of D, may not be where anything is read. FP8RT_OK, FP8RT_ERR_STRIDE (a region does not
// fit the address space), FP8RT_ERR_OVERLAP.
fp8rt_status fp8rt_gemm_check_regions(const fp8rt_gemm_desc *desc, const fp8rt_region *d);

#endif
