// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_CEIL_DIV_H
#define FP8RT_CEIL_DIV_H

#include <stdint.h>

// ceil(x / by), for every x; 0 gives 0. The core divides slowly, so it divides only
// where x is above `by`.
static inline uint32_t fp8rt_ceil_div(uint32_t x, uint32_t by)
{
    return x <= by ? x != 0 : (x - 1u) / by + 1u;
}

#endif
