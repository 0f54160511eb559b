// SPDX-License-Identifier: Apache-2.0
// Chooses the tiles and chunks into which the accelerator divides a GEMM.
//
// While one tile command computes, the next one loads. An m x n tile computes for m*n*k / MACs-per-cycle
// cycles and loads (m + n) * k bytes, so that large tiles hide their loads. K is divided into chunks
// that fit the operand buffers; the accumulators of a tile stay in the array from chunk to chunk. If
// the whole K fits, one chunk serves, and the operand that two tile commands have in common is loaded
// once. The plan is the candidate with the least estimated time. The core has no fast division, and
// plans are made on the way to a GEMM, so that the candidates are few and their estimates short.
#include "gemm_choose.h"

#include "gemm_image.h"
#include "gemm_regions.h"
#include "gemm_shape.h"

// Cycles from one tile command to the next, at least: those of its check, and until its operands are
// free for the load of the one after the next.
#define COMMAND_CYCLES 20u
// Cycles of the read bus between the loads of two commands.
#define LOAD_GAP 4u
// Commands of a plan that is limited by the bus read about this many beats each: the last one
// computes alone.
#define SHORT_LOAD 512u
// Longer K are scaled down for the estimates.
#define LARGE_K (1u << 18)

// Tile sizes are multiples of a granule. Parts of D's rows and of the vectors then start at a beat.
static uint32_t granule_m(const fp8rt_caps *caps)
{
    return max_u32(caps->rows, fp8rt_count_pow2(caps->beat_bytes, sizeof(float)));
}

static uint32_t granule_n(const fp8rt_caps *caps, uint32_t d_element_bytes)
{
    return max_u32(caps->cols, fp8rt_count_pow2(caps->beat_bytes, d_element_bytes));
}

// log2 of a power of two: the upper bits of its product with a de Bruijn sequence differ for each
// (Leiserson, Prokop, Randall, "Using de Bruijn Sequences to Index a 1 in a Computer Word", 1998).
static uint32_t log2_of(uint32_t power)
{
    static const uint8_t log2[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                     31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return log2[(power * 0x077cb531u) >> 27];
}

// No more tiles than tiles of 2^cap_log2 need.
static side divide(uint32_t total, uint32_t cap_log2, uint32_t granule, uint32_t unit_log2)
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

static uint32_t pass_tiles(const shape *s, uint32_t down, uint32_t across)
{
    uint32_t passes;
    fp8rt_pass_shape(down, across, &passes);
    return passes * s->caps->pass_tiles;
}

// ---- chunks of K --------------------------------------------------------------------------------

// The largest chunk of K with which the tiles fit the buffers: whole granules, or all of K. 0 if a
// granule does not fit.
static uint32_t chunk_that_fits(const shape *s, const side *m, const side *n)
{
    uint32_t units = max_u32(m->tile_units << s->a_words_log2, n->tile_units);
    return min_u32(s->caps->buf_beats / (units * s->granule_words) * s->granule_k, s->k);
}

// Commands of a tile whose first chunk has at most `first` codes; each cap is twice the one before.
static uint32_t count_chunks(const shape *s, uint32_t tile_k, uint32_t first)
{
    uint32_t count = 0, left = s->k;
    for (uint32_t cap = first; cap < tile_k && left != 0; cap *= 2u) {
        left -= fp8rt_next_chunk(left, cap, s->granule_k);
        count++;
    }
    return count + fp8rt_ceil_div(left, tile_k); // those behind the first ones do not grow
}

// The products of the last of the chunks of at most `cap` into which `left` is divided
static uint32_t last_chunk(const shape *s, uint32_t left, uint32_t cap)
{
    uint32_t count = fp8rt_ceil_div(left, cap);
    if (count < 2) {
        return left;
    }
    uint32_t both = left - (count - 2u) * cap;
    return both - fp8rt_next_chunk(both, cap, s->granule_k);
}

// ---- estimated time of a candidate --------------------------------------------------------------

// Cycles of a tile of m x n outputs while its neighbours load and store. `load_rows` rows are loaded
// over all of K.
static uint32_t tile_cycles(const shape *s, const candidate *c, bool last_m, bool last_n,
                            uint32_t load_rows)
{
    const uint32_t m = last_m ? c->m->last : c->m->tile, n = last_n ? c->n->last : c->n->tile;
    const uint32_t down = last_m ? c->m->last_units : c->m->tile_units;
    const uint32_t across = last_n ? c->n->last_units : c->n->tile_units;
    const uint32_t row_beats = s->k_beats + (s->scaled ? c->chunks : 0);
    const uint32_t load = load_rows * row_beats + c->chunks * LOAD_GAP;
    const uint32_t store = m * ceil_shift(n << s->d_log2, s->beat_log2) >> s->scale_log2;
    const uint32_t compute = pass_tiles(s, down, across) * s->k_steps;
    uint32_t cycles = max_u32(max_u32(compute, store), load);
    cycles = max_u32(cycles, c->chunks * COMMAND_CYCLES);
    return cycles + (load >> 5); // of equal plans the one that needs the bus less
}

// Cycles of the tiles that are in one column (row) of tiles: a resident tile with all streamed ones.
static uint64_t panel_cycles(const shape *s, const candidate *c, bool last_resident)
{
    const side *streamed = c->b_resident ? c->m : c->n, *resident = c->b_resident ? c->n : c->m;
    const bool whole = c->tile_k == s->k;
    const uint32_t resident_rows = last_resident ? resident->last : resident->tile;
    uint64_t cycles = 0;
    for (uint32_t part = 0; part < 2; part++) {
        const bool last = part == 1;
        const uint32_t rows = last ? streamed->last : streamed->tile;
        uint32_t tiles = last ? 1u : streamed->count - 1u;
        if (!last && (tiles == 0 || streamed->last == streamed->tile)) {
            continue;
        }
        const bool last_m = c->b_resident ? last : last_resident;
        const bool last_n = c->b_resident ? last_resident : last;
        if (streamed->last == streamed->tile) {
            tiles = streamed->count;
        }
        // At the turn the resident operand is loaded and the streamed one is there.
        if (whole && last) {
            cycles += tile_cycles(s, c, last_m, last_n, resident_rows);
            tiles--;
        }
        if (tiles != 0) {
            const uint32_t load_rows = whole ? rows : rows + resident_rows;
            cycles += (uint64_t)tiles * tile_cycles(s, c, last_m, last_n, load_rows);
        }
    }
    return cycles;
}

static bool is_bus_bound(const shape *s, uint32_t rows, uint32_t tiles)
{
    return tiles * (s->granule_k >> s->lanes_log2) < rows * (s->granule_k >> s->beat_log2);
}

// The cycles by which the computation of a chunk is shorter than the load of the next one behind it
static uint32_t stall(const shape *s, uint32_t rows, uint32_t tiles, uint32_t chunk, uint32_t next)
{
    const uint32_t compute = tiles * ceil_shift(chunk, s->lanes_log2);
    const uint32_t load = rows * ceil_shift(next, s->beat_log2);
    return load > compute ? load - compute : 0;
}

// Those of the chunks that grow, in the first tile. *last: the products of its last chunk
static uint32_t ramp_stalls(const shape *s, uint32_t rows, uint32_t tiles, uint32_t first_k,
                            uint32_t tile_k, uint32_t *last)
{
    uint32_t cap = first_k, left = s->k, stalls = 0;
    while (cap < tile_k && left > cap) {
        const uint32_t chunk = fp8rt_next_chunk(left, cap, s->granule_k);
        cap = min_u32(2u * cap, tile_k);
        left -= chunk;
        stalls += stall(s, rows, tiles, chunk, fp8rt_next_chunk(left, cap, s->granule_k));
    }
    *last = cap < tile_k ? left : last_chunk(s, left, tile_k);
    return stalls;
}

// Those of the first tile. Loads of equal chunks are hidden. The last load is the second tile's.
static uint32_t first_tile_stalls(const shape *s, const candidate *c, uint32_t tiles, uint32_t rows)
{
    uint32_t last;
    const uint32_t stalls = ramp_stalls(s, rows, tiles, c->first_k, c->tile_k, &last);
    return stalls + stall(s, rows, tiles, last, c->tile_k);
}

// What overlaps with nothing: the first load, and the last computation if the loads are the limit.
static uint32_t ends_cycles(const shape *s, const candidate *c, uint32_t tiles)
{
    const uint32_t rows = c->m->tile + c->n->tile;
    const uint32_t compute = tiles * ceil_shift(c->tile_k, s->lanes_log2);
    const uint32_t first = rows * ceil_shift(c->first_k, s->beat_log2);
    if (rows * ceil_shift(c->tile_k, s->beat_log2) > compute) {
        return first + compute;
    }
    const bool ramp = c->first_k < c->tile_k && (c->m->count > 1 || c->n->count > 1);
    return ramp ? first + first_tile_stalls(s, c, tiles, rows) : first;
}

static uint64_t estimate(const shape *s, const candidate *c, uint32_t tiles)
{
    const side *resident = c->b_resident ? c->n : c->m;
    const bool equal = resident->last == resident->tile;
    const uint32_t whole = equal ? resident->count : resident->count - 1u;
    uint64_t cycles = ends_cycles(s, c, tiles) >> s->scale_log2;
    cycles += whole == 0 ? 0 : whole * panel_cycles(s, c, equal);
    return equal ? cycles : cycles + panel_cycles(s, c, true);
}

// ---- the candidates -----------------------------------------------------------------------------

typedef struct choice {
    candidate best;
    uint64_t cycles; // of the best; 0: there is none yet
} choice;

// Whether one tile command could have all of D. Images take their own ways.
static bool is_small(const shape *s)
{
    return max_u32(s->m, s->n) <= s->caps->max_mn && !s->forwards;
}

// The shortest chunk that computes for as long as a tile command takes to be checked
static uint32_t shortest_chunk(const shape *s, uint32_t tiles, uint32_t most)
{
    uint32_t chunk = s->granule_k;
    uint32_t cycles = tiles * (chunk >> s->lanes_log2);
    for (; chunk < most && cycles < COMMAND_CYCLES; cycles *= 2u) {
        chunk *= 2u;
    }
    return min_u32(chunk, most);
}

// The first chunk of the first tile: short, because nothing hides its load. Each next chunk is
// twice as long, so that its load is hidden if a tile computes for twice the time of its load.
static uint32_t first_chunk(const shape *s, const candidate *c, uint32_t tiles, bool chains)
{
    const uint32_t rows = c->m->tile + c->n->tile;
    if (!chains || is_bus_bound(s, rows, tiles)) {
        return c->tile_k;
    }
    return shortest_chunk(s, tiles, c->tile_k);
}

// A later candidate must be better by 1/256, because it has shorter commands, or by 1/512 if D is small: then the start and
// the end are much of it.
static void consider(const shape *s, choice *choice, candidate c, uint32_t tiles, bool chains)
{
    c.first_k = first_chunk(s, &c, tiles, chains);
    c.chunks = c.tile_k == s->k ? 1 : fp8rt_ceil_div(s->k, c.tile_k);
    const uint64_t cycles = estimate(s, &c, tiles);
    if (choice->cycles == 0 || cycles + (cycles >> (is_small(s) ? 9 : 8)) < choice->cycles) {
        choice->best = c;
        choice->cycles = cycles;
    }
}

// Chunks that grow from the shortest one to `chunk` wait for their loads if a tile computes for less
// than twice the time of its load. Shortest ones all over wait for the gaps between loads, and for D,
// which leaves while the last chunk computes. They are worth it where the growing ones wait for 1/128
// of all steps. Chunks of images and of MX scales cost reads of their own.
static bool stays_short(const shape *s, const side *m, const side *n, uint32_t shortest,
                        uint32_t chunk)
{
    const uint32_t tiles = pass_tiles(s, m->tile_units, n->tile_units), rows = m->tile + n->tile;
    const uint64_t count = (uint64_t)m->count * n->count;
    const uint32_t compute = tiles * (shortest >> s->lanes_log2);
    const uint32_t beats = rows * (shortest >> s->beat_log2);
    if (s->forwards || s->scaled || compute >= 2u * beats) {
        return false;
    }
    uint32_t last, ramp = ramp_stalls(s, rows, tiles, shortest, chunk, &last);
    ramp += count > 1 ? stall(s, rows, tiles, last, chunk) : 0;
    if (ramp == 0 || ramp < count * tiles * s->k_steps >> 7) {
        return false;
    }
    const uint32_t store = m->tile * ceil_shift(n->tile << s->d_log2, s->beat_log2);
    const uint32_t longer = max_u32(beats + 2u * LOAD_GAP, store);
    return longer <= compute || count * (s->k >> log2_of(shortest)) * (longer - compute) < ramp;
}

// Chunks of a chain: as long as the buffers allow where the array is the limit, but at most half of
// K, so that the chunks of the first tile reach this length, and less if the rest of K is too short to
// hide the next tile's first loads, or if the first tile waits while they grow. Short ones where the
// bus is the limit.
static uint32_t chain_chunk(const shape *s, const side *m, const side *n, uint32_t tiles,
                            uint32_t most)
{
    const uint32_t granule = s->granule_k, rows = m->tile + n->tile;
    if (!is_bus_bound(s, rows, tiles)) {
        const uint32_t half = round_up((s->k + 1u) / 2u, granule), rest = s->k - half;
        // By a quarter, since the estimate of short chunks is too good.
        const bool waits = 5u * tiles * ceil_shift(rest, s->lanes_log2) <
                           4u * rows * ceil_shift(half, s->beat_log2);
        const uint32_t chunk = min_u32(most, waits && half > granule ? half - granule : half);
        const uint32_t shortest = shortest_chunk(s, tiles, chunk);
        return stays_short(s, m, n, shortest, chunk) ? shortest : chunk;
    }
    while (most > granule && rows * ceil_shift(most / 2u, s->beat_log2) >= SHORT_LOAD) {
        most = round_up(most / 2u, granule);
    }
    return most;
}

// Rows that are loaded if all of K fits and one operand stays: `count` times the streamed one, less
// what is there at the turns.
static uint64_t rows_loaded(const side *resident, const side *streamed)
{
    return resident->total + (uint64_t)streamed->total * resident->count -
           (uint64_t)streamed->tile * (resident->count - 1u);
}

// Outputs of the last tile. The streamed tiles turn at each resident one, so an even count ends where it began.
static uint32_t last_outputs(const side *resident, const side *streamed)
{
    return resident->last * ((resident->count & 1u) != 0 ? streamed->last : streamed->tile);
}

// Chunks begin at any byte of a beat of scales.
static bool scales_fit(const shape *s, const side *m, const side *n, uint32_t tile_k)
{
    const uint32_t first = tile_k == s->k ? 0 : s->caps->beat_bytes - 1u;
    return max_u32(m->tile_units, n->tile_units) * fp8rt_scale_words(s->caps, first, tile_k) <=
           fp8rt_scale_beats(s->caps);
}

// Where the bus is the limit and all of K fits, a tile command has all of it, so that operands stay.
// Where the array is the limit, shorter chunks make the first load short.
static void consider_tile(const shape *s, choice *choice, const side *m, const side *n)
{
    const uint32_t most = chunk_that_fits(s, m, n);
    const uint32_t tiles = pass_tiles(s, m->tile_units, n->tile_units), rows = m->tile + n->tile;
    // Parts of kernel lines cannot share their pixels.
    if (s->a_words_log2 != 0 && most != s->k && m->tile_units > 1) {
        return;
    }
    const bool chains = tiles <= s->caps->acc_tiles && most != 0 && s->k > s->granule_k;
    candidate c = {.m = m, .n = n, .tile_k = most};
    if (chains && !(most == s->k && is_bus_bound(s, rows, tiles))) {
        c.tile_k = chain_chunk(s, m, n, tiles, most);
    }
    if (c.tile_k == s->k) {
        c.b_resident = rows_loaded(n, m) < rows_loaded(m, n) && !(s->forwards && n->count > 1);
    } else if (!chains) {
        return;
    } else if (is_small(s)) {
        // No operand stays. A last tile that is clearly smaller has the shorter end.
        c.b_resident = 5u * last_outputs(n, m) < 4u * last_outputs(m, n);
    }
    if (s->scaled && !scales_fit(s, m, n, c.tile_k)) {
        return;
    }
    consider(s, choice, c, tiles, chains);
}

// The candidates are few, because the time of a plan changes little from tile to tile. A square that
// fills the accumulator memory keeps the array busy where D is large. Half of that on one side or on
// both makes the first load and the last computation short where D is small or ragged. If D is small,
// narrow tiles shorten its first load further, and squares of a pass's length: while one of them
// computes, one of its operands is there and half of the loads are left. If D has few rows, the loads
// of B are the limit: its tiles are as narrow as possible, or as wide.
static side rows_of(const shape *s, uint32_t cap_log2)
{
    return divide(s->m, max_u32(cap_log2, s->granule_m_log2), s->granule_m, s->rows_log2);
}

static side columns_of(const shape *s, uint32_t cap_log2)
{
    return divide(s->n, max_u32(cap_log2, s->granule_n_log2), s->granule_n, s->cols_log2);
}

// Where D has a little more rows than squares, tiles of more rows avoid a nearly empty one.
static uint32_t largest_cap_m(const shape *s)
{
    const uint32_t square = min_u32(s->rows_log2 + s->square_log2, s->max_log2);
    const uint32_t rest = s->m & ((1u << square) - 1u);
    const bool little_more = s->m >> square != 0 && rest != 0 && rest <= 1u << square >> 2;
    return min_u32(square + little_more, s->max_log2);
}

// The sides that the candidates point to
typedef struct sides {
    side m[3], n[4];
} sides;

// Equal counts are equal sides: what was considered first is not considered again.
static void consider_other(const shape *s, choice *choice, const side *m, const side *n,
                           const sides *t)
{
    if (m->count != t->m[0].count || n->count != t->n[0].count) {
        consider_tile(s, choice, m, n);
    }
}

static bool is_even(const side *s, uint32_t cap_log2)
{
    return s->tile == 1u << cap_log2 && s->last == s->tile;
}

static void consider_halves(const shape *s, choice *choice, sides *t, uint32_t cap_m,
                            uint32_t cap_n)
{
    t->m[1] = rows_of(s, cap_m - 1u);
    t->n[1] = columns_of(s, cap_n - 1u);
    const bool more_m = t->m[1].count != t->m[0].count, more_n = t->n[1].count != t->n[0].count;
    if (more_n) {
        consider_tile(s, choice, &t->m[0], &t->n[1]);
    }
    if (more_m) {
        consider_tile(s, choice, &t->m[1], more_n ? &t->n[1] : &t->n[0]);
    }
}

static choice choose(const shape *s, sides *t)
{
    const uint32_t cap_m = largest_cap_m(s);
    const uint32_t cap_n = min_u32(s->cols_log2 + s->square_log2, s->max_log2);
    choice choice = {.cycles = 0};
    t->m[0] = rows_of(s, cap_m);
    t->n[0] = columns_of(s, cap_n);
    const uint32_t tiles = t->m[0].count * t->n[0].count;
    consider_tile(s, &choice, &t->m[0], &t->n[0]);
    if (s->m <= 4u << s->rows_log2) {
        t->n[1] = columns_of(s, 0);
        t->n[2] = columns_of(s, s->max_log2);
        consider_other(s, &choice, &t->m[0], &t->n[1], t);
        consider_other(s, &choice, &t->m[0], &t->n[2], t);
    } else if (choice.cycles == 0 || tiles == 1 || !is_even(&t->m[0], cap_m) ||
               !is_even(&t->n[0], cap_n)) {
        consider_halves(s, &choice, t, cap_m, cap_n);
    }
    const uint32_t all = pass_tiles(s, t->m[0].tile_units, t->n[0].tile_units);
    if (choice.cycles == 0 || (tiles == 1 && all <= s->caps->acc_tiles / 4u)) {
        t->m[1] = rows_of(s, 0);
        consider_other(s, &choice, &t->m[1], &t->n[0], t);
    }
    // The first load of such squares has all of K.
    if (tiles == 1 && s->m > 4u << s->rows_log2 && all < s->caps->acc_tiles && s->k < s->m + s->n &&
        !s->forwards) {
        t->m[2] = rows_of(s, s->rows_log2 + 2u);
        t->n[3] = columns_of(s, s->cols_log2 + 2u);
        consider_other(s, &choice, &t->m[2], &t->n[3], t);
    }
    return choice;
}

static uint32_t row_words(const fp8rt_caps *caps, uint32_t k)
{
    const uint32_t codes = fp8rt_bound_codes(caps);
    return fp8rt_count_pow2(k, codes) * fp8rt_count_pow2(codes, caps->beat_bytes);
}

static uint32_t count_commands(const shape *s, const candidate *c)
{
    return count_chunks(s, c->tile_k, c->first_k) + (c->m->count * c->n->count - 1u) * c->chunks;
}

// Field by field, because clearing the structure first takes the core 76 cycles.
static void describe(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc, shape *s)
{
    const uint32_t d_bytes = fp8rt_gemm_d_bytes(desc);
    uint32_t least_bytes = d_bytes; // of an element of C or D
    if (fp8rt_gemm_reads_c(desc)) {
        least_bytes = min_u32(fp8rt_gemm_c_bytes(desc), d_bytes);
    }
    s->caps = caps;
    s->forwards = fp8rt_has_image(desc);
    s->scaled = fp8rt_gemm_has_mx(desc);
    s->m = desc->m;
    s->n = fp8rt_gemm_columns(desc);
    s->k = desc->k;
    s->granule_m = granule_m(caps);
    s->granule_n = granule_n(caps, least_bytes);
    s->granule_k = fp8rt_granule_k(caps);
    s->granule_m_log2 = log2_of(s->granule_m);
    s->granule_n_log2 = log2_of(s->granule_n);
    s->granule_words = row_words(caps, s->granule_k);
    s->rows_log2 = log2_of(caps->rows);
    s->cols_log2 = log2_of(caps->cols);
    s->lanes_log2 = log2_of(caps->lanes);
    s->beat_log2 = log2_of(caps->beat_bytes);
    s->a_words_log2 = 0;
    if (fp8rt_is_depthwise(desc)) {
        const uint32_t pairs = fp8rt_has_pairs(desc);
        s->a_words_log2 = s->beat_log2 - s->cols_log2 + pairs;
        s->granule_n =
            max_u32(s->granule_n, (uint32_t)caps->beat_bytes << pairs); // n is not divided
        s->granule_n_log2 = log2_of(s->granule_n);
        while (pairs && s->granule_k < s->k) { // nor is K
            s->granule_k *= 2u;
        }
        s->granule_words = row_words(caps, s->granule_k);
    }
    s->d_log2 = log2_of(d_bytes);
    s->max_log2 = log2_of(caps->max_mn);
    s->square_log2 = log2_of(caps->acc_tiles) / 2u;
    s->scale_log2 = 0;
    while (s->k >> s->scale_log2 >= LARGE_K) {
        s->scale_log2++;
    }
    s->k_steps = ceil_shift(s->k >> s->scale_log2, s->lanes_log2);
    s->k_beats = ceil_shift(s->k >> s->scale_log2, s->beat_log2);
}

// The rows of a tile of an image whose rows of an output line share the reads of pixels. Many tiles have whole lines, if
// these fit. Few ones are about equal, because each but the first is loaded while the one before is computed.
static uint32_t rows_of_lines(const shape *s, uint32_t out_w, uint32_t tile)
{
    enum { FEW = 8 };
    const uint32_t unit = max_u32(1u << s->rows_log2, s->granule_m);
    const uint32_t words = s->granule_words << s->a_words_log2;
    const uint32_t most =
        min_u32(s->caps->buf_beats / words << s->rows_log2, 1u << s->max_log2) & ~(unit - 1u);
    // Fewer rows than a unit may be all that fit: `most` is 0 then, and they are all rows.
    if (tile >= s->m || most >= s->m) {
        return s->m;
    }
    const uint32_t count = fp8rt_ceil_div(s->m, most);
    const uint32_t lines = most / out_w * out_w;
    return count >= FEW && lines != 0 && (lines & (unit - 1u)) == 0
               ? lines
               : round_up(fp8rt_ceil_div(s->m, count), unit);
}

fp8rt_status fp8rt_gemm_choose_tiles(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                                     fp8rt_gemm_tiles *tiles)
{
    shape s;
    describe(caps, desc, &s);
    sides sides;
    const choice choice = choose(&s, &sides);
    if (choice.cycles == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    *tiles = (fp8rt_gemm_tiles){
        .m = (uint16_t)choice.best.m->tile,
        .n = (uint16_t)choice.best.n->tile,
        .k = (uint16_t)choice.best.tile_k,
        .first_k = (uint16_t)choice.best.first_k,
        .b_resident = choice.best.b_resident,
        .commands = count_commands(&s, &choice.best),
    };
    if (fp8rt_has_pairs(desc)) {
        tiles->m = (uint16_t)rows_of_lines(&s, desc->image.out_w, tiles->m);
        tiles->commands = fp8rt_ceil_div(s.m, tiles->m);
    }
    return FP8RT_OK;
}

bool fp8rt_gemm_is_one_tile(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc, uint32_t *beats,
                            uint32_t *steps)
{
    shape s;
    if (desc->m > caps->max_mn || fp8rt_gemm_columns(desc) > caps->max_mn) {
        return false;
    }
    describe(caps, desc, &s);
    const side m = rows_of(&s, s.max_log2), n = columns_of(&s, s.max_log2);
    *beats = (m.total + n.total) * s.k_beats;
    *steps = pass_tiles(&s, m.tile_units, n.tile_units) * s.k_steps;
    return m.count == 1 && n.count == 1 && chunk_that_fits(&s, &m, &n) == s.k &&
           (!s.scaled || scales_fit(&s, &m, &n, s.k));
}
