// SPDX-License-Identifier: Apache-2.0
// The accelerator's rules for tile commands: chunks of K, and passes over the array. The planner
// and the golden model in place of the accelerator share them.
#ifndef FP8RT_GEMM_TILES_H
#define FP8RT_GEMM_TILES_H

#include "fp8mac/dot.h"
#include "fp8rt/device.h"

// ceil(x / step) for a step that is a power of two. The time does not depend on x.
static inline uint32_t fp8rt_count_pow2(uint32_t x, uint32_t step)
{
    for (; step > 1; step >>= 1) {
        x = (x >> 1) + (x & 1u);
    }
    return x;
}

// Codes of a row for which the operand memories keep one bound: a block, and at least 32.
static inline uint32_t fp8rt_bound_codes(const fp8rt_caps *caps)
{
    return caps->block > 32u ? caps->block : 32u;
}

// Products in which chunks of K are counted: whole blocks, whose rows start at a beat and at a
// bound.
static inline uint32_t fp8rt_granule_k(const fp8rt_caps *caps)
{
    const uint32_t codes = fp8rt_bound_codes(caps);
    return codes > caps->beat_bytes ? codes : caps->beat_bytes;
}

// The products of the next chunk of K, of which `left` remain. A chunk has at most `cap`. The last
// two are about equal, so that none is much shorter than its neighbours. `granule` is a power of
// two.
static inline uint32_t fp8rt_next_chunk(uint32_t left, uint32_t cap, uint32_t granule)
{
    if (left <= cap || left <= granule) {
        return left;
    }
    if (left >= 2u * cap) {
        return cap;
    }
    return ((left + 2u * granule - 1u) & ~(2u * granule - 1u)) / 2u;
}

// The beats of a row RAM's MX scales, and those of a row of `k` products, of which the first scale
// is byte `first` of its beat
static inline uint32_t fp8rt_scale_beats(const fp8rt_caps *caps)
{
    const uint32_t side = caps->rows < caps->cols ? caps->rows : caps->cols;
    const uint32_t tiles = fp8rt_count_pow2(caps->max_mn, side);
    uint32_t beats = 2;
    while (beats < caps->buf_beats >> 3 || beats < tiles) {
        beats <<= 1;
    }
    return beats;
}

static inline uint32_t fp8rt_scale_words(const fp8rt_caps *caps, uint32_t first, uint32_t k)
{
    return fp8rt_count_pow2(first + fp8rt_count_pow2(k, FP8MAC_MX_BLOCK), caps->beat_bytes);
}

// MODE.pass_shape: the accelerator chooses.
#define FP8RT_PASS_SHAPE_AUTOMATIC 3u

// The shape of the passes, a code of MODE.pass_shape, that computes down x across tiles of the
// array in the fewest passes, and their number. Of equal shapes the widest is chosen, because its
// results fill whole beats of D. The accelerator chooses like this for MODE.pass_shape = automatic.
static inline uint32_t fp8rt_pass_shape(uint32_t down, uint32_t across, uint32_t *passes)
{
    const uint32_t square = ((down + 1u) >> 1) * ((across + 1u) >> 1);
    const uint32_t tall = ((down + 3u) >> 2) * across;
    uint32_t best = 0;
    *passes = down * ((across + 3u) >> 2);
    if (square < *passes) {
        *passes = square;
        best = 1;
    }
    if (tall < *passes) {
        *passes = tall;
        best = 2;
    }
    return best;
}

#endif
