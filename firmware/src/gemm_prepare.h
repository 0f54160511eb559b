// SPDX-License-Identifier: Apache-2.0
// Plans and their runs, for callers within the library.
#ifndef FP8RT_GEMM_PREPARE_H
#define FP8RT_GEMM_PREPARE_H

#include "fp8rt/gemm.h"

// Makes a plan of plan->desc, as fp8rt_gemm_plan_make. `stamp` is that of `caps`.
fp8rt_status fp8rt_gemm_prepare(const fp8rt_caps *caps, uint32_t stamp, fp8rt_gemm_plan *plan);
// A run in two parts. The first checks single scales and the scratch, as fp8rt_gemm_run, and
// completes the descriptor. The second runs it as it stands, so that a plan whose scales have
// not changed may run again without the first, if it has no scratch. `known`: the plan had
// the same scratch in its last run, which was completed. Without `counters` those of *result
// are not written, which
// saves the time of reading them.
fp8rt_status fp8rt_gemm_complete(fp8rt_device *dev, fp8rt_gemm_plan *plan, void *scratch,
                                 size_t scratch_bytes, bool known);
fp8rt_status fp8rt_gemm_execute(fp8rt_device *dev, fp8rt_gemm_plan *plan, bool counters,
                                fp8rt_gemm_result *result);

#endif
