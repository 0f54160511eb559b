// SPDX-License-Identifier: Apache-2.0
// Rules that the plan and the run of a GEMM share: tiles, chunks of K, and passes over the array.
#ifndef FP8RT_GEMM_TILES_H
#define FP8RT_GEMM_TILES_H

#include "fp8rt/device.h"

// ceil(x / step) for a step that is a power of two. The time does not depend on x.
static inline uint32_t fp8rt_count_pow2(uint32_t x, uint32_t step)
{
    for (; step > 1; step >>= 1) {
        x = (x >> 1) + (x & 1u);
    }
    return x;
}

// The codes of the next chunk of K. `left` codes remain; a chunk has at most `cap`. Both are in
// whole granules, except the end of K. The last two chunks are about equal, so that none is much
// shorter than its neighbours.
static inline uint32_t fp8rt_next_chunk(uint32_t left, uint32_t cap, uint32_t granule)
{
    if (left <= cap) {
        return left;
    }
    return left < 2u * cap ? ((left + 1u) / 2u + granule - 1u) & ~(granule - 1u) : cap;
}

// The shape of the passes, a code of MODE.pass_shape, that computes down x across tiles of the
// array in the fewest passes, and their number. Of equal shapes the widest is chosen, because its
// results fill whole beats of D.
static inline uint32_t fp8rt_pass_shape(uint32_t down, uint32_t across, uint32_t *passes)
{
    const uint32_t counts[3] = {
        down * ((across + 3u) >> 2),
        ((down + 1u) >> 1) * ((across + 1u) >> 1),
        ((down + 3u) >> 2) * across,
    };
    uint32_t best = 0;
    for (uint32_t shape = 1; shape < 3; shape++) {
        if (counts[shape] < counts[best]) {
            best = shape;
        }
    }
    *passes = counts[best];
    return best;
}

#endif
