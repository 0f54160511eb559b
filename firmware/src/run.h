// SPDX-License-Identifier: Apache-2.0
// Runs one command from start to end.
#ifndef FP8RT_RUN_H
#define FP8RT_RUN_H

#include "fp8rt/gemm.h"

// Clears what FP8RT_GEMM_KEEP_* in `flags` does not keep, submits the command and waits. Clears the
// error state if the command failed. Takes the lock; the cache is the caller's.
fp8rt_gemm_result fp8rt_run_command(fp8rt_device *dev, const fp8rt_command *command,
                                    uint32_t flags);

#endif
