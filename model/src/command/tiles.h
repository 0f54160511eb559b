// SPDX-License-Identifier: Apache-2.0
// What walk and check share.
#ifndef FP8MAC_COMMAND_TILES_H
#define FP8MAC_COMMAND_TILES_H

#pragma GCC visibility push(default)
#include "fp8mac/tiles.h"
#pragma GCC visibility pop

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t ceil_div(uint64_t x, uint32_t by)
{
    return (uint32_t)((x + by - 1u) / by);
}

// x / 2^log2, rounded up
static inline uint32_t ceil_log2(uint32_t x, uint32_t log2)
{
    return (uint32_t)(((uint64_t)x + (1u << log2) - 1u) >> log2);
}

static inline uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

static inline uint32_t scale_b_bytes(const fp8mac_caps *caps)
{
    return (caps->functions & FP8MAC_FUNCTION_REQUANTISE) != 0 ? 8 : 4;
}

// ---- row commands (rows.c) ----------------------------------------------------------------------

uint32_t fp8mac_rows_last_phase(const fp8mac_command *c);
fp8mac_rows_step fp8mac_rows_step_of(const fp8mac_command *c, uint32_t phase);
// Whether the accelerator refuses the command's mode
bool fp8mac_rows_mode_bad(const fp8mac_command *c);

#endif
