// SPDX-License-Identifier: Apache-2.0
// Runs one command from start to end, on a device that is open.
#ifndef FP8RT_RUN_H
#define FP8RT_RUN_H

#include "fp8rt/gemm.h"

// FP8RT_ERR_NULL without a device, FP8RT_ERR_NOT_OPEN, or FP8RT_OK.
static inline fp8rt_status fp8rt_open_status(const fp8rt_device *dev)
{
    if (dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    return dev->stamp == 0 ? FP8RT_ERR_NOT_OPEN : FP8RT_OK;
}

// Clears what FP8RT_GEMM_KEEP_* in `flags` does not keep, submits the command and waits. Clears the
// error state if the command failed. The lock is held; the cache is the caller's. `result` may be NULL.
// Without `counters` they are not written in it, which saves the time of reading them.
fp8rt_status fp8rt_run_descriptor(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t flags,
                                  bool counters, fp8rt_gemm_result *result);

#endif
