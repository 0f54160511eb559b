// SPDX-License-Identifier: Apache-2.0
// While a tile command computes, the next one loads, and the results of the one before are finished
// and written. So the longest of these counts; beside it, the first load and the end of the last
// tile do. The constants are fitted to the model of cycles (fp8mac/cycles.h): 500 small GEMMs and
// convolutions, each with a hundred divisions. Over these, the planner's choice takes 1 to 2 % more
// cycles than the best division.
#include "gemm_estimate.h"

// Cycles of the read bus between the loads of two commands, and those with an image
#define LOAD_GAP 2u
#define IMAGE_GAP 7u
// Cycles of the array between tile commands
#define TILE_GAP 2u
// Of a longer K this counts: no candidate gets better or worse by the rest.
#define LONGEST 65536u

uint32_t fp8rt_pass_tiles(const shape *s, uint32_t down, uint32_t across)
{
    uint32_t passes;
    fp8rt_pass_shape(down, across, &passes);
    return passes * s->caps->pass_tiles;
}

// ---- loads --------------------------------------------------------------------------------------

// Groups of rows that lie side by side in an output line, one for each row of the array: they share
// the strips of the image.
static uint32_t groups_of(const shape *s, uint32_t rows)
{
    const uint32_t groups = ceil_shift(rows, s->rows_log2);
    const uint32_t out_w = s->image.out_w;
    const bool breaks = (out_w & ((1u << s->rows_log2) - 1u)) != 0;
    return min_u32(groups + (breaks ? (rows + (out_w >> 1)) / out_w : 0), rows);
}

// Cycles in which strips are requested. A part of a kernel line is one of its strips. Rows with
// such parts share no pixels that have gaps between them.
static uint32_t strip_cycles(const shape *s, uint32_t rows, uint32_t codes)
{
    const lines *image = &s->image;
    const bool parts = codes != s->k && codes % image->line != 0;
    const uint32_t pieces =
        codes == s->k ? fp8rt_ceil_div(codes, image->line) : codes / image->line + parts;
    const uint32_t groups = groups_of(s, rows), beside = rows - groups;
    if (image->segments == 1) {
        const uint32_t step = min_u32(image->step, codes); // rows of shorter pieces do not touch
        const uint32_t bytes = pieces * (beside * step + (groups << s->beat_log2 >> 1));
        return max_u32(ceil_shift(bytes + groups * codes, s->beat_log2), 2u * groups * pieces);
    }
    const uint32_t beats = ceil_shift(image->segment, s->beat_log2);
    const uint32_t segments = fp8rt_ceil_div(codes, image->segment) + parts;
    const uint32_t shared = groups * segments + beside * pieces * image->step;
    return max_u32((parts ? rows * segments : shared) * beats, groups * (segments + pieces));
}

// A word of an image is assembled in each cycle.
static __attribute__((noinline)) uint32_t load_image(const shape *s, uint32_t rows_a,
                                                     uint32_t rows_b, uint32_t codes)
{
    const uint32_t words = ceil_shift(codes, s->beat_log2) + s->scaled;
    return max_u32(rows_a * words, strip_cycles(s, rows_a, codes)) + rows_b * words + IMAGE_GAP;
}

// Cycles of a load of rows of A and B. Most loads are of matrices, so this is short.
static inline uint32_t load_of(const shape *s, uint32_t rows_a, uint32_t rows_b, uint32_t codes)
{
    return s->image.line != 0 && rows_a != 0
               ? load_image(s, rows_a, rows_b, codes)
               : (rows_a + rows_b) * (ceil_shift(codes, s->beat_log2) + s->scaled) + LOAD_GAP;
}

// ---- tile commands ------------------------------------------------------------------------------

// The size of a tile
typedef struct size {
    uint32_t m, n;            // rows and columns
    uint32_t steps;           // of a code for each lane: units with those that the passes lack
    uint32_t finish, vectors; // cycles in which results are finished and written; beats
} size;

static size size_of(const shape *s, const candidate *c, bool last_m, bool last_n)
{
    const side *m = c->m, *n = c->n;
    const uint32_t down = last_m ? m->last_units : m->tile_units;
    const uint32_t across = last_n ? n->last_units : n->tile_units;
    size t = {.m = last_m ? m->last : m->tile, .n = last_n ? n->last : n->tile};
    t.steps = fp8rt_pass_tiles(s, down, across);
    t.finish = max_u32((down * across) << s->results_log2,
                       t.m * ceil_shift(t.n << s->d_log2, s->beat_log2));
    t.vectors = ceil_shift(4u * (t.m * s->row_words + t.n * s->column_words), s->beat_log2);
    return t;
}

// Whether all tiles have the size of the last one
static bool is_even(const candidate *c)
{
    return c->m->last == c->m->tile && c->n->last == c->n->tile;
}

static uint32_t steps_of(const shape *s, const size *t, uint32_t codes)
{
    return t->steps * ceil_shift(codes, s->lanes_log2);
}

// Cycles of a tile while its neighbours load and are finished
static uint32_t tile_cycles(const shape *s, const size *t, uint32_t k, uint32_t chunks,
                            uint32_t load)
{
    const uint32_t work = max_u32(steps_of(s, t, k), t->finish) + TILE_GAP;
    return max_u32(max_u32(work, chunks * FP8RT_COMMAND_CYCLES), load + t->vectors);
}

// From the first step of the last chunk of the last tile on
static uint32_t end_cycles(const shape *s, const size *last, uint32_t codes)
{
    return max_u32(steps_of(s, last, codes), last->finish);
}

// All of K in a tile command: the operand that two of them have in common is loaded once. At a
// turn it is the other one.
static uint64_t whole_cycles(const shape *s, const candidate *c, uint32_t k)
{
    const side *streamed = c->b_resident ? c->m : c->n, *resident = c->b_resident ? c->n : c->m;
    const size last = size_of(s, c, true, true);
    const bool even = is_even(c);
    const uint32_t first = load_of(s, c->m->tile, c->n->tile, k) + last.vectors;
    uint64_t cycles = first + end_cycles(s, &last, k), loads = first;
    for (unsigned part = 0; part < 3; part++) { // but the last tile
        const bool last_r = part == 2, turn = part == 1;
        const uint64_t count =
            (uint64_t)(last_r ? 1u : resident->count - 1u) * (turn ? 1u : streamed->count - 1u);
        if (count != 0) {
            const bool last_m = c->b_resident ? turn : last_r;
            const bool last_n = c->b_resident ? last_r : turn;
            const size t = even ? last : size_of(s, c, last_m, last_n);
            const bool loads_a = c->b_resident != turn;
            const uint32_t load = load_of(s, loads_a ? t.m : 0, loads_a ? 0 : t.n, k);
            cycles += count * tile_cycles(s, &t, k, 1, load);
            loads += count * load;
        }
    }
    return cycles + (loads >> 5);
}

// Cycles of the chunks of a tile but the last one: each computes while the next one loads. *last:
// the products of the last one
static uint32_t chunks_cycles(const shape *s, const candidate *c, const size *t, uint32_t k,
                              uint32_t *last)
{
    uint32_t cap = c->first_k, left = k, cycles = 0;
    for (;;) {
        const uint32_t chunk = fp8rt_next_chunk(left, cap, s->granule_k);
        left -= chunk;
        if (left == 0) {
            *last = chunk;
            return cycles;
        }
        const bool steady = cap == c->tile_k;
        cap = min_u32(2u * cap, c->tile_k);
        const uint32_t load = load_of(s, t->m, t->n, fp8rt_next_chunk(left, cap, s->granule_k));
        const uint32_t each = max_u32(max_u32(steps_of(s, t, chunk), load), FP8RT_COMMAND_CYCLES);
        uint32_t times = 1;
        if (steady && left >= 3u * cap) { // equal ones
            times = left / cap - 1u;
            left -= (times - 1u) * cap;
        }
        cycles += times * each;
    }
}

// Chunks of K: no operand stays. Those of one tile grow.
static uint64_t chain_cycles(const shape *s, const candidate *c, uint32_t k)
{
    const size last = size_of(s, c, true, true);
    const bool even = is_even(c);
    uint32_t last_chunk;
    uint64_t cycles = load_of(s, c->m->tile, c->n->tile, c->first_k) + last.vectors;
    cycles += chunks_cycles(s, c, &last, k, &last_chunk);
    cycles += end_cycles(s, &last, last_chunk);
    uint64_t loads = c->chunks * load_of(s, last.m, last.n, c->tile_k);
    for (unsigned part = 0; part < 3; part++) { // but the last tile
        const bool last_m = part == 2, last_n = part == 1;
        const uint64_t count =
            (uint64_t)(last_m ? 1u : c->m->count - 1u) * (last_n ? 1u : c->n->count - 1u);
        if (count != 0) {
            const size t = even ? last : size_of(s, c, last_m, last_n);
            const uint32_t load = c->chunks * load_of(s, t.m, t.n, c->tile_k);
            cycles += count * tile_cycles(s, &t, k, c->chunks, load);
            loads += count * load;
        }
    }
    return cycles + (loads >> 5);
}

uint64_t fp8rt_estimate(const shape *s, const candidate *c)
{
    return c->tile_k == s->k ? whole_cycles(s, c, min_u32(s->k, LONGEST))
                             : chain_cycles(s, c, min_u32(s->k, LONGEST));
}
