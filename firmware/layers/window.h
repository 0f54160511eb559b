// SPDX-License-Identifier: Apache-2.0
// What layers that move a window over images have in common.
#ifndef FP8RT_WINDOW_H
#define FP8RT_WINDOW_H

#include "ceil_div.h"
#include "fp8rt/convolution.h"

static inline uint32_t fp8rt_or_one(uint32_t x)
{
    return x == 0 ? 1 : x;
}

// With the defaults filled in.
fp8rt_window fp8rt_window_fill(const fp8rt_window *window);
// An FP8 tensor of pixels, which may lie at any byte if `pixel_bytes` is not 0.
fp8rt_status fp8rt_pixels_check(fp8rt_run *run, const fp8rt_tensor *x, uint32_t pixel_bytes);

// Whether a * b * c is `total`, which is not 0.
bool fp8rt_is_product(uint32_t total, uint32_t a, uint32_t b, uint32_t c);

#endif
