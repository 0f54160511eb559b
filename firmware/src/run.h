// SPDX-License-Identifier: Apache-2.0
// Runs one command from start to end, on a device that is open.
#ifndef FP8RT_RUN_H
#define FP8RT_RUN_H

#include "fp8rt/gemm.h"
#include "stamp.h"

// Clears what FP8RT_GEMM_KEEP_* in `flags` does not keep, submits the command and waits. Clears the
// error state if the command failed. The lock is held; the cache is the caller's. `result` may be
// NULL. Without `counters` they are not written in it, which saves the time of reading them.
fp8rt_status fp8rt_run_descriptor(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t flags,
                                  bool counters, fp8rt_gemm_result *result);

#endif
