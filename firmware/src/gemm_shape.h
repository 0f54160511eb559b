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

// An image as A: what tells the time in which its rows are read. `line` = 0: there is none.
typedef struct lines {
    uint32_t line;     // codes of a kernel line
    uint32_t segment;  // of its codes, those that lie beside each other in the image
    uint32_t segments; // of a kernel line
    uint32_t
        step; // what a row adds to the strip of the one beside it: codes; if a line has several
              // segments, segments
    uint32_t out_w;
} lines;

// What the candidates have in common.
typedef struct shape {
    const fp8rt_caps *caps;
    bool forwards; // the rows of A are visited once, in their order
    bool scaled;   // blocks have MX scales
    uint32_t m, n, k;
    uint32_t granule_m, granule_n, granule_k, granule_m_log2, granule_n_log2;
    uint32_t granule_words; // beats of granule_k in a row RAM
    uint32_t a_words_log2;  // of the beats that A has for one of B: a depthwise convolution's
    uint32_t rows_log2, cols_log2, lanes_log2, beat_log2;
    uint32_t d_log2;                // of the bytes of an element of D
    uint32_t max_log2, square_log2; // of max_mn; of the side of a square of acc_tiles tiles
    uint32_t results_log2; // of the cycles in which the epilogue finishes a tile of the array
    uint32_t row_words, column_words; // of the vectors, for each row and column of D
    lines image;
} shape;

static inline uint32_t ceil_shift(uint32_t x, uint32_t shift)
{
    return (x >> shift) + ((x & ((1u << shift) - 1u)) != 0);
}

static inline uint32_t round_up(uint32_t x, uint32_t power)
{
    return (x + power - 1u) & ~(power - 1u);
}

// How the rows (columns) of D are divided: into tiles that are about equal, the last one not
// larger.
typedef struct side {
    uint32_t total, tile, count, last;
    uint32_t tile_units, last_units; // tiles of the array in them
} side;

typedef struct candidate {
    const side *m, *n;
    uint32_t tile_k, first_k;
    uint32_t chunks; // of a tile
    bool b_resident;
} candidate;

#endif
