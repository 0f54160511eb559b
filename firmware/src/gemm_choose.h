// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_GEMM_CHOOSE_H
#define FP8RT_GEMM_CHOOSE_H

#include "fp8rt/gemm.h"

// The tiles and chunks into which the accelerator divides a GEMM whose descriptor was checked.
// FP8RT_ERR_UNSUPPORTED: no tile fits the accelerator's memories.
fp8rt_status fp8rt_gemm_choose_tiles(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                                     fp8rt_gemm_tiles *tiles);

// Whether one tile command can have the whole GEMM. Then its operands are read once each. *beats:
// those of A and B, *steps: the cycles of its steps.
bool fp8rt_gemm_is_one_tile(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc, uint32_t *beats,
                            uint32_t *steps);

#endif
