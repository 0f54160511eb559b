// SPDX-License-Identifier: Apache-2.0
#ifndef FP8MAC_CYCLES_RUN_H
#define FP8MAC_CYCLES_RUN_H

#include "core/internal.h"
#pragma GCC visibility push(default)
#include "fp8mac/cycles.h"
#pragma GCC visibility pop

// fp8mac_cycles_run. *left_out: cycles that leaps have left out; NULL: there are no leaps.
fp8mac_status fp8mac_cycles_run_with(const fp8mac_cycles_config *config,
                                     const fp8mac_cycles_command *commands, size_t count,
                                     uint64_t *completed, size_t *refused,
                                     fp8mac_cycles_counters *counters, uint64_t *left_out);

#endif
