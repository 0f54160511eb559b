// SPDX-License-Identifier: Apache-2.0
// Chooses the tiles and chunks into which the accelerator divides a GEMM.
//
// While one tile command computes, the next one loads. An m x n tile computes for m*n*k /
// MACs-per-cycle cycles and loads (m + n) * k bytes, so that large tiles hide their loads. K is
// divided into chunks that fit the operand buffers; the accumulators of a tile stay in the array
// from chunk to chunk. If the whole K fits, one chunk serves, and the operand that two tile
// commands have in common is loaded once. The plan is the candidate with the least estimated
// time (gemm_estimate.c). Plans are made on the way to a GEMM, so the candidates are few and
// their estimates short.
#include "gemm_choose.h"

#include "gemm_estimate.h"
#include "gemm_image.h"
#include "gemm_regions.h"

// A GEMM of less cycles is short: its first load and its end are much of it.
#define SHORT 2048u
// One of more cycles is worth more candidates.
#define LONG 16384u

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

// ---- the candidates -----------------------------------------------------------------------------

typedef struct choice {
    candidate best;
    uint64_t cycles; // of the best; 0: there is none yet
    // No candidate takes less: cycles of the steps, or of the results if these take longer, and its
    // first load; those of the loads, if each operand is read once.
    uint64_t least, loads;
} choice;

static choice nothing_yet(const shape *s)
{
    const uint64_t tiles =
        (uint64_t)ceil_shift(s->m, s->rows_log2) * ceil_shift(s->n, s->cols_log2);
    return (choice){
        .least = tiles * max_u32(ceil_shift(s->k, s->lanes_log2), 1u << s->results_log2),
        .loads = ((uint64_t)s->m + s->n) * ceil_shift(s->k, s->beat_log2),
    };
}

// Whether other candidates could save little, beside the time of a plan. Loads are a limit that few
// reach. Estimates of long images are less close.
static bool is_good(const shape *s, const choice *choice)
{
    const bool bus = choice->loads > choice->least;
    const uint64_t least = bus ? choice->loads : choice->least;
    const bool close = least < SHORT || (least > LONG) == (s->image.line == 0);
    const unsigned shift = bus ? (least > LONG ? 6 : 3) : (close ? 5 : 4);
    return choice->cycles != 0 && choice->cycles <= least + (least >> shift);
}

// The shortest chunk that computes for as long as a tile command takes to be checked
static uint32_t shortest_chunk(const shape *s, uint32_t tiles, uint32_t most)
{
    uint32_t chunk = s->granule_k;
    uint32_t cycles = tiles * (chunk >> s->lanes_log2);
    for (; chunk < most && cycles < FP8RT_COMMAND_CYCLES; cycles *= 2u) {
        chunk *= 2u;
    }
    return min_u32(chunk, most);
}

// A later candidate must be better by 1/512, because it has shorter commands. Most need no
// estimate: `rows` are loaded, with all of K.
static void consider(const shape *s, choice *choice, const candidate *c, uint64_t rows)
{
    const uint32_t first = (c->m->tile + c->n->tile) * ceil_shift(c->first_k, s->beat_log2);
    if (choice->cycles != 0 && (choice->least + first >= choice->cycles ||
                                rows * ceil_shift(s->k, s->beat_log2) >= choice->cycles)) {
        return;
    }
    const uint64_t cycles = fp8rt_estimate(s, c);
    if (choice->cycles == 0 || cycles + (cycles >> 9) < choice->cycles) {
        choice->best = *c;
        choice->cycles = cycles;
    }
}

// Rows that are loaded if all of K fits and one operand stays: `count` times the streamed one, less
// what is there at the turns.
static uint64_t rows_loaded(const side *resident, const side *streamed)
{
    return resident->total + (uint64_t)streamed->total * resident->count -
           (uint64_t)streamed->tile * (resident->count - 1u);
}

// Outputs of the last tile. The streamed tiles turn at each resident one, so an even
// count ends where it began.
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

// The candidate's chunks, all of K or less
static bool is_possible(const shape *s, const candidate *c)
{
    return !s->scaled || scales_fit(s, c->m, c->n, c->tile_k);
}

// All of K in a tile command, if it fits: operands stay.
static void consider_whole(const shape *s, choice *choice, const side *m, const side *n,
                           uint32_t most)
{
    candidate c = {.m = m, .n = n, .tile_k = s->k, .first_k = s->k, .chunks = 1};
    if (most == s->k && is_possible(s, &c)) {
        const uint64_t a_stays = rows_loaded(m, n), b_stays = rows_loaded(n, m);
        c.b_resident = m->count > 1 && n->count > 1 && !s->forwards && b_stays < a_stays;
        consider(s, choice, &c, c.b_resident ? b_stays : a_stays);
    }
}

// K in chunks of `tile_k`. Those of the first tile grow from `first_k` on, because nothing hides
// the first load: each is twice as long as the one before.
static void consider_chain(const shape *s, choice *choice, const side *m, const side *n,
                           uint32_t tile_k, uint32_t first_k)
{
    candidate c = {.m = m, .n = n, .tile_k = tile_k, .first_k = first_k};
    c.chunks = fp8rt_ceil_div(s->k, tile_k);
    // No operand stays. A last tile that is clearly smaller has the shorter end.
    c.b_resident = max_u32(s->m, s->n) <= s->caps->max_mn && !s->forwards &&
                   5u * last_outputs(n, m) < 4u * last_outputs(m, n);
    if (is_possible(s, &c)) {
        consider(s, choice, &c, (uint64_t)s->m * n->count + (uint64_t)s->n * m->count);
    }
}

// Chunks are at most half of K, so that those of the first tile reach this length. Short ones begin
// and end soon, but wait for the gaps between loads. Where there are many, or where they cut the
// kernel lines of an image, ones of two and four times the length are between the two.
static void consider_tile(const shape *s, choice *choice, const side *m, const side *n)
{
    const uint32_t most = chunk_that_fits(s, m, n);
    const uint32_t tiles = fp8rt_pass_tiles(s, m->tile_units, n->tile_units);
    // Parts of kernel lines cannot share their pixels.
    const bool cuts = s->a_words_log2 != 0 && (most == s->k || m->tile_units > 1);
    if (!cuts && tiles <= s->caps->acc_tiles && most != 0 && s->k > s->granule_k) {
        const uint32_t chunk = min_u32(most, round_up((s->k + 1u) / 2u, s->granule_k));
        const uint32_t shortest = shortest_chunk(s, tiles, chunk);
        const bool some = s->image.line != 0 || s->k >= 32u * shortest;
        const uint32_t longest = some ? 4u * shortest : shortest;
        for (uint32_t equal = shortest; equal < chunk && equal <= longest; equal *= 2u) {
            consider_chain(s, choice, m, n, equal, equal);
        }
        // Growing ones save loads' gaps where the loads are the limit.
        const uint32_t load = (m->tile + n->tile) * ceil_shift(shortest, s->beat_log2);
        if (shortest == chunk || some || load >= tiles * ceil_shift(shortest, s->lanes_log2)) {
            consider_chain(s, choice, m, n, chunk, shortest);
        }
    }
    consider_whole(s, choice, m, n, most);
}

// A square that fills the accumulator memory keeps the array busy where D is large. Half of that on
// one side or on both makes the first load and the last computation short where D is small or
// ragged. Narrow tiles with all of K shorten both further, and squares of a pass's length: while
// one of them computes, one of its operands is there and half of the loads are left. If D has few
// rows, the loads of B are the limit: its tiles are as narrow as possible, or as wide.
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
    side m[5], n[4];
} sides;

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

// Narrow tiles where they load B once or little of it, and squares of a pass's length
static void consider_narrow(const shape *s, choice *choice, sides *t)
{
    for (unsigned i = 0; i < 3; i++) { // a row of the array's tiles, two, and four
        side *m = &t->m[2 + i];
        *m = rows_of(s, s->rows_log2 + i);
        if (m->count != t->m[0].count && (t->n[0].count == 1 || choice->least < SHORT)) {
            consider_whole(s, choice, m, &t->n[0], chunk_that_fits(s, m, &t->n[0]));
        }
    }
    t->n[3] = columns_of(s, s->cols_log2 + 2u);
    if (t->n[3].count != t->n[0].count && choice->least < SHORT) {
        consider_whole(s, choice, &t->m[4], &t->n[3], chunk_that_fits(s, &t->m[4], &t->n[3]));
    }
}

static choice choose(const shape *s, sides *t)
{
    const uint32_t cap_m = largest_cap_m(s);
    const uint32_t cap_n = min_u32(s->cols_log2 + s->square_log2, s->max_log2);
    choice choice = nothing_yet(s);
    t->m[0] = rows_of(s, cap_m);
    t->n[0] = columns_of(s, cap_n);
    const uint32_t tiles = t->m[0].count * t->n[0].count;
    const bool few = s->m <= 4u << s->rows_log2;
    if (few) {
        t->n[1] = columns_of(s, 0);
        if (t->n[1].count != t->n[0].count) {
            consider_whole(s, &choice, &t->m[0], &t->n[1], chunk_that_fits(s, &t->m[0], &t->n[1]));
        }
    }
    if (!is_good(s, &choice)) {
        consider_tile(s, &choice, &t->m[0], &t->n[0]);
    }
    if (is_good(s, &choice)) {
        return choice;
    }
    if (few) {
        t->n[2] = columns_of(s, s->max_log2);
        if (t->n[2].count != t->n[0].count) {
            consider_tile(s, &choice, &t->m[0], &t->n[2]);
        }
    } else if (choice.cycles == 0 || tiles == 1 || !is_even(&t->m[0], cap_m) ||
               !is_even(&t->n[0], cap_n)) {
        consider_halves(s, &choice, t, cap_m, cap_n);
    }
    if (choice.cycles == 0 || (!is_good(s, &choice) && s->m > 2u << s->rows_log2)) {
        consider_narrow(s, &choice, t);
    }
    if (choice.cycles == 0) {
        consider_tile(s, &choice, &t->m[2], &t->n[0]);
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

// The epilogue finishes eight outputs a cycle, or a row of the array's tile if it is longer.
static uint32_t results_log2(const fp8rt_caps *caps)
{
    const uint32_t outputs = max_u32(caps->cols, 8);
    const uint32_t all = (uint32_t)caps->rows * caps->cols;
    return all > outputs ? log2_of(all) - log2_of(outputs) : 0;
}

static void describe_lines(const fp8rt_image *image, lines *lines)
{
    const bool joined = fp8rt_image_is_joined(image);
    lines->line = image->kernel_w * image->channels;
    lines->segments = joined ? 1u : image->kernel_w;
    lines->segment = joined ? lines->line : image->channels;
    if (joined) {
        lines->step = min_u32(image->stride_x * image->channels, lines->line);
    } else {
        lines->step = image->stride_x == image->dilation_x ? 1u : image->kernel_w;
    }
    lines->out_w = image->out_w;
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
    s->results_log2 = results_log2(caps);
    s->row_words = fp8rt_scale_vector(&desc->a.scale) != NULL;
    s->column_words = fp8rt_scale_vector(&desc->b.scale) != NULL;
    // C and products of scales that differ share multipliers.
    s->results_log2 += fp8rt_gemm_reads_c(desc) && s->row_words + s->column_words != 0;
    s->column_words += fp8rt_gemm_bias(desc) != NULL;
    s->image.line = 0;
    if (s->forwards && !fp8rt_is_depthwise(desc)) {
        describe_lines(&desc->image, &s->image);
    }
}

// The rows of a tile of an image whose rows of an output line share the reads of pixels. Many tiles
// have whole lines, if these fit. Few ones are about equal, because each but the first is loaded
// while the one before is computed.
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
    *beats = (m.total + n.total) * ceil_shift(s.k, s.beat_log2);
    *steps = fp8rt_pass_tiles(&s, m.tile_units, n.tile_units) * ceil_shift(s.k, s.lanes_log2);
    return m.count == 1 && n.count == 1 && chunk_that_fits(&s, &m, &n) == s.k &&
           (!s.scaled || scales_fit(&s, &m, &n, s.k));
}
