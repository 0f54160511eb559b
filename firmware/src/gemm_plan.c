// SPDX-License-Identifier: Apache-2.0
// Checks a GEMM and chooses the tiles and chunks into which the accelerator divides it.
//
// While one tile command computes, the next one loads. An m x n tile computes for m*n*k / MACs-per-cycle
// cycles and loads (m + n) * k bytes, so that large tiles hide their loads. K is divided into chunks
// that fit the operand buffers; the accumulators of a tile stay in the array from chunk to chunk. If
// the whole K fits, one chunk serves, and the operand that two tile commands have in common is loaded
// once. The plan is the candidate with the least estimated time.
#include "fp32_bits.h"
#include "fp8rt/gemm.h"
#include "fp8rt/matrix.h"
#include "fp8rt/registers.h"
#include "gemm_tiles.h"

// Cycles from one tile command to the next, at least: those of its check.
#define COMMAND_CYCLES 16u
// Cycles of the read bus between the loads of two commands.
#define LOAD_GAP 8u
// Commands of a plan that is limited by the bus read about this many beats each: the last one
// computes alone.
#define SHORT_LOAD 512u

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t ceil_div(uint32_t x, uint32_t step)
{
    return x <= step ? 1 : (x + step - 1u) / step;
}

static uint32_t d_bytes(const fp8rt_gemm_desc *desc)
{
    return fp8mac_format_bytes(fp8mac_format_get(desc->d_format));
}

// ---- argument checks, one function per kind of error --------------------------------------------

static bool has_null(const fp8rt_gemm_desc *desc)
{
    return desc->a == NULL || desc->b == NULL || desc->d == NULL ||
           (desc->scale_a.mode != FP8MAC_SCALE_NONE && desc->scale_a.values == NULL) ||
           (desc->scale_b.mode != FP8MAC_SCALE_NONE && desc->scale_b.values == NULL);
}

// Whether rows of `row_bytes`, one every `stride` bytes, end within the address space.
static bool fits_addresses(const void *base, uint32_t rows, uint32_t stride, uint32_t row_bytes)
{
    uint64_t room = (uint64_t)UINTPTR_MAX - (uintptr_t)base;
    uint64_t span = (uint64_t)(rows - 1u) * stride;
    return span <= room && row_bytes - 1u <= room - span;
}

static bool strides_are_legal(const fp8rt_gemm_desc *desc)
{
    uint32_t d_row = desc->n * d_bytes(desc);
    return (desc->m == 1 || (desc->a_stride >= desc->k && desc->d_stride >= d_row)) &&
           (desc->n == 1 || desc->b_stride >= desc->k) &&
           fits_addresses(desc->a, desc->m, desc->a_stride, desc->k) &&
           fits_addresses(desc->b, desc->n, desc->b_stride, desc->k) &&
           fits_addresses(desc->d, desc->m, desc->d_stride, d_row);
}

// The stride matters only if there is a second row.
static bool is_aligned(const fp8rt_caps *caps, const void *address, uint32_t rows, uint32_t stride)
{
    return (((uintptr_t)address | (rows > 1 ? stride : 0)) & (caps->beat_bytes - 1u)) == 0;
}

static bool exponent_is_legal(int exponent)
{
    return exponent >= FP8MAC_SCALE_EXPONENT_MIN && exponent <= FP8MAC_SCALE_EXPONENT_MAX;
}

static bool scale_is_legal(const fp8mac_scale *scale)
{
    if (scale->mode == FP8MAC_SCALE_TENSOR) {
        return fp8rt_fp32_is_scale(fp8rt_fp32_bits(scale->values[0]));
    }
    return scale->mode == FP8MAC_SCALE_NONE || scale->mode == FP8MAC_SCALE_VECTOR;
}

static bool activation_is_legal(const fp8rt_gemm_desc *desc)
{
    if (desc->activation != FP8MAC_ACT_CLAMP) {
        return (unsigned)desc->activation < FP8MAC_ACT_CLAMP;
    }
    return fp8rt_fp32_is_interval(fp8rt_fp32_bits(desc->clamp_lo), fp8rt_fp32_bits(desc->clamp_hi));
}

static fp8rt_status check_kinds(const fp8rt_element *element, const fp8rt_gemm_desc *desc)
{
    if (has_null(desc)) {
        return FP8RT_ERR_NULL;
    }
    if (desc->m == 0 || desc->n == 0 || desc->k == 0) {
        return FP8RT_ERR_SHAPE;
    }
    if (!fp8rt_element_takes(element, desc->a_format) ||
        !fp8rt_element_takes(element, desc->b_format) || (unsigned)desc->d_format > FP8MAC_FP32) {
        return FP8RT_ERR_FORMAT;
    }
    if (desc->n > UINT32_MAX / 8 || desc->k > UINT32_MAX / 8) {
        return FP8RT_ERR_SHAPE; // the bytes of a row must fit 32 bits
    }
    if (!fp8rt_element_has(element, desc->acc_format)) {
        return FP8RT_ERR_ACCUMULATOR;
    }
    if (!fp8rt_element_holds(element, desc->k)) {
        return FP8RT_ERR_SHAPE;
    }
    if ((unsigned)desc->overflow > FP8MAC_OVERFLOW_IEEE) {
        return FP8RT_ERR_OVERFLOW_MODE;
    }
    return FP8RT_OK;
}

static fp8rt_status check_values(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    if (!strides_are_legal(desc)) {
        return FP8RT_ERR_STRIDE;
    }
    if (!is_aligned(caps, desc->a, desc->m, desc->a_stride) ||
        !is_aligned(caps, desc->b, desc->n, desc->b_stride) ||
        !is_aligned(caps, desc->d, desc->m, desc->d_stride)) {
        return FP8RT_ERR_ALIGNMENT;
    }
    if (!exponent_is_legal(desc->scale_exp_a) || !exponent_is_legal(desc->scale_exp_b)) {
        return FP8RT_ERR_SCALE_EXPONENT;
    }
    if (!scale_is_legal(&desc->scale_a) || !scale_is_legal(&desc->scale_b)) {
        return FP8RT_ERR_SCALE;
    }
    if (desc->scale_d != NULL && !fp8rt_fp32_is_scale(fp8rt_fp32_bits(*desc->scale_d))) {
        return FP8RT_ERR_SCALE;
    }
    if (!activation_is_legal(desc)) {
        return FP8RT_ERR_ACTIVATION;
    }
    if ((fp8rt_fp32_bits(desc->beta) & ~FP8RT_FP32_SIGN) != 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    return FP8RT_OK;
}

static void fill_strides(const fp8rt_caps *caps, fp8rt_gemm_desc *desc)
{
    if (desc->a_stride == 0) {
        desc->a_stride = fp8rt_packed_stride(caps, desc->k);
    }
    if (desc->b_stride == 0) {
        desc->b_stride = fp8rt_packed_stride(caps, desc->k);
    }
    if (desc->d_stride == 0) {
        desc->d_stride = fp8rt_packed_stride(caps, desc->n * d_bytes(desc));
    }
}

// ---- tiles --------------------------------------------------------------------------------------

// Tile sizes are multiples of a granule. Parts of D's rows and of the vectors then start at a beat.
static uint32_t granule_m(const fp8rt_caps *caps)
{
    return max_u32(caps->rows, fp8rt_count_pow2(caps->beat_bytes, sizeof(float)));
}

static uint32_t granule_n(const fp8rt_caps *caps, uint32_t d_element_bytes)
{
    return max_u32(caps->cols, fp8rt_count_pow2(caps->beat_bytes, d_element_bytes));
}

// What the candidates have in common.
typedef struct shape {
    const fp8rt_caps *caps;
    uint32_t m, n, k;
    uint32_t granule_m, granule_n, granule_k;
    uint32_t d_bytes;
    uint32_t rows_log2, cols_log2, lanes_log2, beat_log2;
} shape;

static uint32_t log2_of(uint32_t power)
{
    uint32_t log2 = 0;
    for (; power > 1; power >>= 1) {
        log2++;
    }
    return log2;
}

static inline uint32_t ceil_shift(uint32_t x, uint32_t shift)
{
    return (x + (1u << shift) - 1u) >> shift;
}

static uint32_t count_passes(const shape *s, uint32_t m, uint32_t n)
{
    uint32_t passes;
    fp8rt_pass_shape(ceil_shift(m, s->rows_log2), ceil_shift(n, s->cols_log2), &passes);
    return passes;
}

typedef struct candidate {
    uint32_t tile_m, tile_n, tile_k, first_k;
    bool b_resident;
} candidate;

// `total` in no more tiles than tiles of `cap` need, and all tiles about equal.
static uint32_t even_out(uint32_t total, uint32_t cap, uint32_t granule)
{
    uint32_t tile = ceil_div(total, ceil_div(total, cap));
    return min_u32((tile + granule - 1u) & ~(granule - 1u), total);
}

static uint32_t row_words(const fp8rt_caps *caps, uint32_t k)
{
    return fp8rt_count_pow2(k, FP8RT_BOUND_CODES) *
           fp8rt_count_pow2(FP8RT_BOUND_CODES, caps->beat_bytes);
}

static uint64_t load_beats(const shape *s, uint32_t rows, uint32_t k)
{
    return (uint64_t)rows * ceil_shift(k, s->beat_log2);
}

static uint64_t compute_cycles(const shape *s, uint32_t m, uint32_t n, uint32_t k)
{
    return (uint64_t)(count_passes(s, m, n) * s->caps->pass_tiles) * ceil_shift(k, s->lanes_log2);
}

// The largest chunk of K with which m rows and n columns fit the buffers: whole granules, or all of
// K. 0 if a granule does not fit.
static uint32_t chunk_that_fits(const shape *s, uint32_t m, uint32_t n)
{
    const fp8rt_caps *caps = s->caps;
    uint32_t rows = max_u32(ceil_shift(m, s->rows_log2), ceil_shift(n, s->cols_log2));
    uint32_t words = row_words(caps, s->granule_k);
    uint32_t chunk = caps->buf_beats / (rows * words) * s->granule_k;
    return min_u32(chunk, s->k);
}

// Commands of a tile whose first chunk has at most `first` codes; each cap is twice the one before.
static uint32_t count_chunks(const candidate *c, uint32_t k, uint32_t first, uint32_t granule)
{
    uint32_t count = 0;
    uint32_t cap = first;
    for (uint32_t left = k; left != 0; count++) {
        left -= fp8rt_next_chunk(left, cap, granule);
        cap = min_u32(2u * cap, c->tile_k);
    }
    return count;
}

// Whether every command has all of K, so that operands can stay for the next one.
static bool is_whole(const shape *s, const candidate *c)
{
    return c->tile_k == s->k;
}

// ---- estimated time of a candidate --------------------------------------------------------------

// Cycles of a tile while its neighbours load and store. `load_rows` rows are loaded over all of K.
static uint64_t tile_cycles(const shape *s, const candidate *c, uint32_t m, uint32_t n,
                            uint32_t load_rows)
{
    uint32_t chunks = c->tile_k == s->k ? 1 : ceil_div(s->k, c->tile_k);
    uint64_t load = load_beats(s, load_rows, s->k) + (uint64_t)chunks * LOAD_GAP;
    uint32_t store = m * ceil_shift(n * s->d_bytes, s->beat_log2);
    uint64_t busy = max_u64(compute_cycles(s, m, n, s->k), store);
    uint64_t cycles = max_u64(max_u64(busy, load), (uint64_t)chunks * COMMAND_CYCLES);
    return cycles + (load >> 5); // of equal plans the one that needs the bus less
}

// A panel is the resident tile with all streamed tiles.
static uint64_t panel_cycles(const shape *s, const candidate *c, uint32_t resident)
{
    uint32_t total = c->b_resident ? s->m : s->n;
    uint32_t tile = c->b_resident ? c->tile_m : c->tile_n;
    uint32_t count = ceil_div(total, tile);
    uint32_t last = total - (count - 1u) * tile;
    uint64_t cycles = 0;
    for (uint32_t part = last == tile ? 1 : 0; part < 2; part++) {
        uint32_t streamed = part == 0 ? tile : last;
        uint32_t tiles = last == tile ? count : part == 0 ? count - 1u : 1u;
        uint32_t m = c->b_resident ? streamed : resident;
        uint32_t n = c->b_resident ? resident : streamed;
        if (!is_whole(s, c)) {
            cycles += tiles * tile_cycles(s, c, m, n, m + n);
            continue;
        }
        // At the turn the resident operand is loaded and the streamed one is there.
        if (part == 1) {
            cycles += tile_cycles(s, c, m, n, resident);
            tiles--;
        }
        cycles += tiles == 0 ? 0 : tiles * tile_cycles(s, c, m, n, streamed);
    }
    return cycles;
}

// The cycles by which the computations of the first tile's chunks are shorter than the loads behind
// them. The last of these is the second tile's.
static uint64_t first_tile_stalls(const shape *s, const candidate *c)
{
    uint32_t m = c->tile_m, n = c->tile_n, cap = c->first_k;
    uint32_t chunk = fp8rt_next_chunk(s->k, cap, s->granule_k);
    uint64_t stalls = 0;
    for (uint32_t left = s->k - chunk;; left -= chunk) {
        uint64_t compute = compute_cycles(s, m, n, chunk);
        cap = min_u32(2u * cap, c->tile_k);
        chunk = left != 0 ? fp8rt_next_chunk(left, cap, s->granule_k) : c->tile_k;
        uint64_t load = load_beats(s, m + n, chunk);
        stalls += load > compute ? load - compute : 0;
        if (left == 0) {
            return stalls;
        }
    }
}

// What overlaps with nothing: the first load, and the last computation if the loads are the limit.
static uint64_t ends_cycles(const shape *s, const candidate *c)
{
    uint32_t m = c->tile_m, n = c->tile_n;
    uint64_t compute = compute_cycles(s, m, n, c->tile_k), first = load_beats(s, m + n, c->first_k);
    if (load_beats(s, m + n, c->tile_k) > compute) {
        return first + compute;
    }
    bool ramp = c->first_k < c->tile_k && (s->m > m || s->n > n);
    return ramp ? first + first_tile_stalls(s, c) : first;
}

static uint64_t estimate(const shape *s, const candidate *c)
{
    uint32_t total = c->b_resident ? s->n : s->m;
    uint32_t tile = c->b_resident ? c->tile_n : c->tile_m;
    uint32_t count = ceil_div(total, tile);
    uint32_t last = total - (count - 1u) * tile;
    uint32_t whole = last == tile ? count : count - 1u;
    uint64_t cycles = ends_cycles(s, c);
    cycles += whole == 0 ? 0 : whole * panel_cycles(s, c, tile);
    return last == tile ? cycles : cycles + panel_cycles(s, c, last);
}

// ---- the candidates -----------------------------------------------------------------------------

typedef struct choice {
    candidate best;
    uint64_t cycles; // of the best; 0: there is none yet
} choice;

// A later candidate must be better by 1/256, because it has shorter commands.
static void consider(const shape *s, choice *choice, candidate c)
{
    uint64_t cycles = estimate(s, &c);
    if (choice->cycles == 0 || cycles + (cycles >> 8) < choice->cycles) {
        choice->best = c;
        choice->cycles = cycles;
    }
}

static bool can_chain(const shape *s, uint32_t m, uint32_t n)
{
    return count_passes(s, m, n) * s->caps->pass_tiles <= s->caps->acc_tiles;
}

// The first chunk of the first tile: short, because nothing hides its load. Each next chunk is
// twice as long, so that its load is hidden if a tile computes for twice the time of its load.
static uint32_t first_chunk(const shape *s, const candidate *c)
{
    uint32_t chunk = s->granule_k;
    if (!can_chain(s, c->tile_m, c->tile_n) || compute_cycles(s, c->tile_m, c->tile_n, chunk) <=
                                                   load_beats(s, c->tile_m + c->tile_n, chunk)) {
        return c->tile_k;
    }
    while (chunk < c->tile_k && compute_cycles(s, c->tile_m, c->tile_n, chunk) < COMMAND_CYCLES) {
        chunk *= 2u;
    }
    return min_u32(chunk, c->tile_k);
}

static void consider_orders(const shape *s, choice *choice, candidate c)
{
    c.first_k = first_chunk(s, &c);
    consider(s, choice, c);
    if (is_whole(s, &c)) {
        c.b_resident = true;
        consider(s, choice, c);
    }
}

// Chunks of a chain: as long as the buffers allow where the array is the limit, but at most half of
// K, so that the chunks of the first tile reach this length. Short ones where the bus is the limit.
static uint32_t chain_chunk(const shape *s, uint32_t m, uint32_t n, uint32_t most)
{
    uint32_t granule = s->granule_k;
    if (compute_cycles(s, m, n, granule) > load_beats(s, m + n, granule)) {
        uint32_t half = ((s->k + 1u) / 2u + granule - 1u) & ~(granule - 1u);
        return min_u32(most, half);
    }
    while (most > granule && load_beats(s, m + n, most / 2u) >= SHORT_LOAD) {
        most = (most / 2u + granule - 1u) & ~(granule - 1u);
    }
    return most;
}

static void consider_tile(const shape *s, choice *choice, uint32_t m, uint32_t n)
{
    uint32_t most = chunk_that_fits(s, m, n);
    candidate c = {.tile_m = m, .tile_n = n, .tile_k = most};
    if (most == s->k) {
        consider_orders(s, choice, c);
    }
    if (most != 0 && s->k > s->granule_k && can_chain(s, m, n)) {
        c.tile_k = chain_chunk(s, m, n, most);
        if (c.tile_k != s->k) {
            consider_orders(s, choice, c);
        }
    }
}

// Tiles of at most max_mn, max_mn / 2, ... rows and columns. The largest come first.
static choice choose(const shape *s)
{
    choice choice = {.cycles = 0};
    uint32_t before_m = 0;
    for (uint32_t cap_m = s->caps->max_mn; cap_m >= s->granule_m; cap_m /= 2u) {
        uint32_t tile_m = even_out(s->m, cap_m, s->granule_m), before_n = 0;
        for (uint32_t cap_n = s->caps->max_mn; cap_n >= s->granule_n && tile_m != before_m;
             cap_n /= 2u) {
            uint32_t tile_n = even_out(s->n, cap_n, s->granule_n);
            if (tile_n != before_n) {
                consider_tile(s, &choice, tile_m, tile_n);
            }
            before_n = tile_n;
        }
        before_m = tile_m;
    }
    return choice;
}

static uint32_t count_commands(const shape *s, const candidate *c)
{
    uint32_t tiles = ceil_div(s->m, c->tile_m) * ceil_div(s->n, c->tile_n);
    return count_chunks(c, s->k, c->first_k, s->granule_k) +
           (tiles - 1u) * count_chunks(c, s->k, c->tile_k, s->granule_k);
}

static fp8rt_status choose_tiles(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    const shape s = {
        .caps = caps,
        .m = desc->m,
        .n = desc->n,
        .k = desc->k,
        .granule_m = granule_m(caps),
        .granule_n = granule_n(caps, d_bytes(desc)),
        .granule_k = fp8rt_granule_k(caps),
        .d_bytes = d_bytes(desc),
        .rows_log2 = log2_of(caps->rows),
        .cols_log2 = log2_of(caps->cols),
        .lanes_log2 = log2_of(caps->lanes),
        .beat_log2 = log2_of(caps->beat_bytes),
    };
    const choice choice = choose(&s);
    if (choice.cycles == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    plan->command.tile_m = (uint16_t)choice.best.tile_m;
    plan->command.tile_n = (uint16_t)choice.best.tile_n;
    plan->command.tile_k = (uint16_t)choice.best.tile_k;
    plan->command.first_k = (uint16_t)choice.best.first_k;
    plan->command.mode |= FP8RT_PUT(MODE__B_RESIDENT, choice.best.b_resident);
    plan->tile_commands = count_commands(&s, &choice.best);
    return FP8RT_OK;
}

// ---- scratch ------------------------------------------------------------------------------------

static size_t reserve(const fp8rt_caps *caps, fp8rt_gemm_plan *plan, size_t bytes)
{
    size_t offset = plan->scratch_bytes;
    plan->scratch_bytes += (bytes + caps->beat_bytes - 1u) & ~((size_t)caps->beat_bytes - 1u);
    return offset;
}

static size_t stage_vector(const fp8rt_caps *caps, fp8rt_gemm_plan *plan, const float *vector,
                           uint32_t count)
{
    if (vector == NULL || is_aligned(caps, vector, 1, 0)) {
        return FP8RT_IN_PLACE;
    }
    return reserve(caps, plan, (size_t)count * sizeof(float));
}

static const float *vector_of(const fp8mac_scale *scale)
{
    return scale->mode == FP8MAC_SCALE_VECTOR ? scale->values : NULL;
}

static void lay_out_scratch(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    plan->scratch_bytes = 0;
    plan->staged.scale_a = stage_vector(caps, plan, vector_of(&desc->scale_a), desc->m);
    plan->staged.scale_b = stage_vector(caps, plan, vector_of(&desc->scale_b), desc->n);
    plan->staged.bias = stage_vector(caps, plan, desc->bias, desc->n);
    if (plan->scratch_bytes > 0) {
        plan->scratch_bytes += caps->beat_bytes - 1u; // to align its start
    }
}

static uint32_t mode_of(const fp8rt_gemm_desc *desc)
{
    return FP8RT_PUT(MODE__A_FMT, desc->a_format) | FP8RT_PUT(MODE__B_FMT, desc->b_format) |
           FP8RT_PUT(MODE__ACC_FMT, desc->acc_format == FP8MAC_ACC_FP16) |
           FP8RT_PUT(MODE__D_FMT, desc->d_format) | FP8RT_PUT(MODE__OVERFLOW, desc->overflow) |
           FP8RT_PUT(MODE__ACT, desc->activation) |
           FP8RT_PUT(MODE__SCALE_A_VEC, vector_of(&desc->scale_a) != NULL) |
           FP8RT_PUT(MODE__SCALE_B_VEC, vector_of(&desc->scale_b) != NULL) |
           FP8RT_PUT(MODE__BIAS_EN, desc->bias != NULL) |
           FP8RT_PUT(MODE__PASS_SHAPE, FP8RT_PASS_SHAPE_AUTOMATIC);
}

// All that is known before the run
static fp8rt_command command_of(const fp8rt_gemm_desc *desc)
{
    return (fp8rt_command){
        .a = (uintptr_t)desc->a,
        .b = (uintptr_t)desc->b,
        .d = (uintptr_t)desc->d,
        .a_stride = desc->a_stride,
        .b_stride = desc->b_stride,
        .d_stride = desc->d_stride,
        .m = desc->m,
        .n = desc->n,
        .k = desc->k,
        .mode = mode_of(desc),
        .scale_exp_a = (int8_t)desc->scale_exp_a,
        .scale_exp_b = (int8_t)desc->scale_exp_b,
        .clamp_lo = fp8rt_fp32_bits(desc->clamp_lo),
        .clamp_hi = fp8rt_fp32_bits(desc->clamp_hi),
    };
}

fp8rt_status fp8rt_gemm_plan_make(const fp8rt_caps *caps, fp8rt_gemm_desc desc,
                                  fp8rt_gemm_plan *plan)
{
    if (caps == NULL || plan == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = check_kinds(&caps->element, &desc);
    if (status != FP8RT_OK) {
        return status;
    }
    fill_strides(caps, &desc);
    status = check_values(caps, &desc);
    if (status != FP8RT_OK) {
        return status;
    }

    fp8rt_gemm_plan made = {.desc = desc, .command = command_of(&desc)};
    status = choose_tiles(caps, &made);
    if (status == FP8RT_OK) {
        lay_out_scratch(caps, &made);
        *plan = made;
    }
    return status;
}
