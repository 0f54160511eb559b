// SPDX-License-Identifier: Apache-2.0
// What the candidates for the tiles of a GEMM are made of.
#ifndef FP8RT_GEMM_SHAPE_H
#define FP8RT_GEMM_SHAPE_H

#include "ceil_div.h"
#include "gemm_tiles.h"

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// What the candidates have in common.
typedef struct shape {
    const fp8rt_caps *caps;
    bool forwards; // the rows of A are visited once, in their order
    bool scaled;   // blocks have MX scales
    uint32_t m, n, k;
    uint32_t granule_m, granule_n, granule_k, granule_m_log2, granule_n_log2;
    uint32_t granule_words; // beats of granule_k in a row RAM
    uint32_t rows_log2, cols_log2, lanes_log2, beat_log2;
    uint32_t d_log2;                // of the bytes of an element of D
    uint32_t max_log2, square_log2; // of max_mn; of the side of a square of acc_tiles tiles
    // Estimates count in units of 2^scale_log2 cycles, so that those of a tile fit 32 bits. Steps and
    // beats are those of all of K, in this unit.
    uint32_t scale_log2, k_steps, k_beats;
} shape;

// log2 of a power of two: the upper bits of its product with a de Bruijn sequence differ for each
// (Leiserson, Prokop, Randall, "Using de Bruijn Sequences to Index a 1 in a Computer Word", 1998).
static inline uint32_t log2_of(uint32_t power)
{
    static const uint8_t log2[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                     31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return log2[(power * 0x077cb531u) >> 27];
}

static inline uint32_t ceil_shift(uint32_t x, uint32_t shift)
{
    return (x >> shift) + ((x & ((1u << shift) - 1u)) != 0);
}

static inline uint32_t round_up(uint32_t x, uint32_t power)
{
    return (x + power - 1u) & ~(power - 1u);
}

// How the rows (columns) of D are divided: into tiles that are about equal, the last one not larger.
typedef struct side {
    uint32_t total, tile, count, last;
    uint32_t tile_units, last_units; // tiles of the array in them
} side;

// No more tiles than tiles of 2^cap_log2 need.
static inline side divide(uint32_t total, uint32_t cap_log2, uint32_t granule, uint32_t unit_log2)
{
    side s = {.total = total, .tile = total, .count = ceil_shift(total, cap_log2), .last = total};
    if (s.count > 1) {
        uint32_t even = s.count == 2 ? (total + 1u) >> 1 : fp8rt_ceil_div(total, s.count);
        s.tile = round_up(even, granule);
        s.last = total - (s.count - 1u) * s.tile;
    }
    s.tile_units = ceil_shift(s.tile, unit_log2);
    s.last_units = ceil_shift(s.last, unit_log2);
    return s;
}

typedef struct candidate {
    const side *m, *n;
    uint32_t tile_k, first_k;
    uint32_t chunks; // of a tile
    bool b_resident;
} candidate;

static inline uint32_t pass_tiles(const shape *s, uint32_t down, uint32_t across)
{
    uint32_t passes;
    fp8rt_pass_shape(down, across, &passes);
    return passes * s->caps->pass_tiles;
}

#endif
