// SPDX-License-Identifier: Apache-2.0
// What the poolings have in common.
#ifndef FP8RT_LAYERS_POOLING_H
#define FP8RT_LAYERS_POOLING_H

#include "fp8rt/pooling.h"
#include "layer.h"
#include "window.h"

typedef struct fp8rt_pools {
    const fp8rt_pooling_desc *desc;
    fp8rt_window window; // its defaults filled in
    uint32_t images, height, width, out_h, out_w;
    uint32_t pixel_bytes; // of x
} fp8rt_pools;

// Checks the descriptor, out's format excepted, and fills *pools.
fp8rt_status fp8rt_pools_check(fp8rt_run *run, const fp8rt_pooling_desc *desc, fp8rt_pools *pools);

// Lines of the image that the windows of an output line see, and pixels likewise.
typedef struct fp8rt_span {
    uint32_t first, count;
} fp8rt_span;
fp8rt_span fp8rt_pool_lines(const fp8rt_pools *pools, uint32_t oy);
fp8rt_span fp8rt_pool_pixels(const fp8rt_pools *pools, uint32_t ox);

// Whether out has a byte in common with x: an output would be read as a pixel of a later one.
bool fp8rt_pool_overlaps(const fp8rt_run *run, const fp8rt_pooling_desc *desc);

// The maximum by commands of the accelerator. They are taken if it has them, a tap is common to all
// windows, and, unless they are recorded, the core would take longer. A query takes what a
// recording takes. out gets the codes alone. FP8RT_ERR_SCRATCH, and those of fp8rt_elementwise.
bool fp8rt_max_pool_takes_commands(fp8rt_run *run, const fp8rt_pools *pools);
fp8rt_status fp8rt_max_pool_commands(fp8rt_run *run, const fp8rt_pools *pools);

#endif
