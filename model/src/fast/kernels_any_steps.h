// SPDX-License-Identifier: Apache-2.0
// The steps of kernels_any.h, whose sums are exact or aligned, with a second accumulator.

// ---- the second accumulator ---------------------------------------------------------------------

// What the steps of a tile raise.
typedef struct any_flags {
    dmask over, invalid, inexact, underflow;
} any_flags;

// x was rounded to `written`; x is exact, or rounded to odd, which no format holds. A number is
// tiny if it is still below the smallest normal one after it is rounded with an unbounded
// exponent, and not zero.
INLINE void find_inexact(const fp8mac_round_to *to, vd x, vd written, any_flags *flags)
{
    vd magnitude = (vd)((vl)x & ~DOUBLE_SIGN);
    dmask more = GREATER_DOUBLE(x, written), less = GREATER_DOUBLE(written, x);
    dmask differs = MASK_DOUBLE_OR(more, less);
    dmask tiny = MASK_DOUBLE_AND(GREATER_DOUBLE(splat_double(to->tiny_below), magnitude),
                                 GREATER_DOUBLE(magnitude, (vd){0}));
    flags->inexact = MASK_DOUBLE_OR(flags->inexact, differs);
    flags->underflow = MASK_DOUBLE_OR(flags->underflow, MASK_DOUBLE_AND(differs, tiny));
}

// x as the float that is stored.
INLINE vd stored(vd x)
{
    return DOUBLE_OF_FLOATS(__builtin_convertvector(x, half_vf));
}

// second = round(second + acc), acc = +0.
INLINE void join_second(const fp8mac_tile *tile, const any_step *at, bool track, any_flags *flags)
{
    float *second = at->acc + MR * NR;
    UNROLL for (int q = 0; q < 4; q++)
    {
        vd before = load_as_double(second + q * (VL / 2));
        vd sum = add_odd(before, load_as_double(at->acc + q * (VL / 2)));
        vl bits = (vl)sum & ~DOUBLE_SIGN, was = (vl)before & ~DOUBLE_SIGN;
        vl made = (bits > DOUBLE_EXPONENT) & ~(was > DOUBLE_EXPONENT); // Inf - Inf
        flags->invalid = MASK_DOUBLE_OR(flags->invalid,
                                        GREATER_DOUBLE((vd)(made & (vl)splat_double(1)), (vd){0}));
        vd after = round_stored(&tile->any->to_second, sum, at->r, q, &flags->over);
        if (track) {
            find_inexact(&tile->any->to_second, sum, stored(after), flags);
        }
        store_as_float(second + q * (VL / 2), after);
    }
    memset(at->acc, 0, NR * sizeof *at->acc);
}

// ---- the steps ----------------------------------------------------------------------------------

// Where a row's random bits are drawn at a step.
INLINE fp8mac_draw draw_at(const fp8mac_tile *tile, fp8mac_random_use use, int row, uint64_t step)
{
    fp8mac_draw at = tile->any->draw;
    at.m = tile->m + (uint32_t)row;
    at.n = tile->n;
    at.step_low = (uint32_t)step;
    at.step_high = (uint32_t)(step >> 32) | (uint32_t)use << 28;
    return at;
}

// VL blocks give NR columns their random bits for this many steps.
INLINE unsigned steps_of_draw(const fp8mac_tile *tile)
{
    return columns_of_block(&tile->any->draw) * VL / NR;
}

// Random bits of a row for all steps of a draw from `step` on, a multiple of their number; NR for
// each step.
INLINE void draw_steps(const fp8mac_tile *tile, int row, uint64_t step, uint32_t *r)
{
    fp8mac_draw at = draw_at(tile, FP8MAC_RANDOM_STEP, row, step);
    uint32_t columns = columns_of_block(&at), steps = steps_of_draw(tile);
    if (at.n % columns == 0) {
        // A step has VL / 2 or VL / 4 blocks.
        vu block = block_of_lane();
        vu n = block & (VL / steps - 1), own = steps == 2 ? block / (VL / 2) : block / (VL / 4);
        draw_blocks(r, &at, n + at.n / columns, own + at.step_low);
        return;
    }
    for (unsigned i = 0; i < steps; i++, at.step_low++) {
        draw_words(r + i * NR, NR, &at);
    }
}

// Whether a chunk ends after `k` terms of an output.
INLINE bool joins_after(const fp8mac_tile *tile, size_t k)
{
    unsigned period = tile->any->period;
    return period != 0 && (k % period == 0 || k == tile->k_all);
}

typedef enum any_method { EXACT_SUMS, ALIGNED, BY_OPERANDS } any_method;

INLINE void tile_any(const fp8mac_tile *tile, any_method method, bool random, bool track,
                     size_t group)
{
    const fp8mac_any *any = tile->any;
    uint32_t r[MR][4 * NR], outer[NR];
    unsigned steps = steps_of_draw(tile);
    any_flags flags = {MASK_DOUBLE_NONE, MASK_DOUBLE_NONE, MASK_DOUBLE_NONE, MASK_DOUBLE_NONE};
    uint64_t step = tile->k_first / group;
    for (size_t k = 0; k < tile->k; k += group, step++) {
        size_t terms = tile->k - k < group ? tile->k - k : group;
        bool join = joins_after(tile, tile->k_first + k + terms);
        for (int i = 0; i < MR; i++) {
            if (random && (step % steps == 0 || k == 0)) {
                draw_steps(tile, i, step - step % steps, r[i]);
            }
            any_step at = {k, terms, i, (float *)tile->acc + i * NR, r[i] + step % steps * NR};
            vd sum[4], exact[4];
            if (track && method != EXACT_SUMS) {
                exact_step(tile, &at, exact);
            }
            switch (method) {
            case EXACT_SUMS: exact_step(tile, &at, sum); break;
            case ALIGNED: aligned_any(tile, &at, sum, &flags.over); break;
            case BY_OPERANDS: operands_any(tile, &at, k / group, sum); break;
            }
            UNROLL for (int q = 0; q < 4; q++)
            {
                float *acc = at.acc + q * (VL / 2);
                vd after = round_stored(&any->to, sum[q], at.r, q, &flags.over);
                if (any->to.may_overflow) { // Inf stays
                    vd before = load_as_double(acc);
                    vl infinite = ((vl)before & DOUBLE_EXPONENT) == DOUBLE_EXPONENT;
                    after = SELECT_DOUBLE(infinite, before, after);
                }
                if (track) {
                    vd whole = method == EXACT_SUMS ? sum[q] : exact[q];
                    find_inexact(&any->to, whole, stored(after), &flags);
                }
                store_as_float(acc, after);
            }
            if (join) {
                if (random) {
                    const fp8mac_draw last = draw_at(tile, FP8MAC_RANDOM_OUTER, i, step);
                    draw_words(outer, NR, &last);
                    at.r = outer;
                }
                join_second(tile, &at, track, &flags);
            }
        }
    }
    *tile->seen |= (ANY_DOUBLE(flags.over) ? any->overflow_flag : 0) |
                   (ANY_DOUBLE(flags.invalid) ? (fp8mac_flags)FP8MAC_FLAG_INVALID : 0) |
                   (ANY_DOUBLE(flags.inexact) ? (fp8mac_flags)FP8MAC_FLAG_INEXACT : 0) |
                   (ANY_DOUBLE(flags.underflow) ? (fp8mac_flags)FP8MAC_FLAG_UNDERFLOW : 0);
}

static void tile_any_exact(const fp8mac_tile *tile)
{
    bool random = tile->any->to.rounding == FP8MAC_ROUND_STOCHASTIC;
    if (tile->group == 1 && random) {
        tile_any(tile, EXACT_SUMS, true, false, 1);
    } else if (tile->group == 1) {
        tile_any(tile, EXACT_SUMS, false, false, 1);
    } else {
        tile_any(tile, EXACT_SUMS, random, false, tile->group);
    }
}

static void tile_any_aligned(const fp8mac_tile *tile)
{
    bool random = tile->any->to.rounding == FP8MAC_ROUND_STOCHASTIC;
    tile_any(tile, ALIGNED, random, false, tile->group);
}

// FP32 that is only rounded by its conversion, as in this project's elements. The compiler sees
// that as constants.
static void tile_any_operands_fp32(const fp8mac_tile *tile)
{
    fp8mac_any any = *tile->any;
    fp8mac_tile own = *tile;
    own.any = &any;
    any.to.as_float = true;
    any.to.may_overflow = false;
    any.period = 0;
    tile_any(&own, BY_OPERANDS, false, false, own.group);
}

static void tile_any_operands(const fp8mac_tile *tile)
{
    const fp8mac_any *any = tile->any;
    if (any->to.as_float && any->period == 0) {
        tile_any_operands_fp32(tile);
    } else {
        bool random = any->to.rounding == FP8MAC_ROUND_STOCHASTIC;
        tile_any(tile, BY_OPERANDS, random, false, tile->group);
    }
}

// No rounding is stochastic here.
static void tile_tracked_exact(const fp8mac_tile *tile)
{
    tile_any(tile, EXACT_SUMS, false, true, tile->group);
}

static void tile_tracked_aligned(const fp8mac_tile *tile)
{
    tile_any(tile, ALIGNED, false, true, tile->group);
}
