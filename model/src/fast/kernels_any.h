// SPDX-License-Identifier: Apache-2.0
// Tiles of outputs for every setting of a floating-point accumulator. vector.h defines the vectors.
//
// All values of a step are doubles. Where a sum needs more than 53 bits, it is rounded to odd: its
// last bit is set if anything was lost. Every later rounding looks at fewer than 50 bits, so it
// gives the result of the whole sum.

// ---- sums ---------------------------------------------------------------------------------------

// x + y = the result + *lost, exactly; NaN is lost if the sum is infinite.
INLINE vd two_sum(vd x, vd y, vd *lost)
{
    vd sum = x + y;
    vd second = sum - x;
    *lost = (x - (sum - second)) + (y - second);
    return sum;
}

// x + y rounded to odd. An even sum that lost something moves by one place, toward what was lost.
INLINE vd add_odd(vd x, vd y)
{
    vd lost, sum = two_sum(x, y, &lost);
    vul bits = (vul)sum; // unsigned: a lane that is not selected may wrap
    vul toward = 1 - (((vul)lost ^ bits) >> 63 << 1);
    vul even = (bits & 1) - 1;
    dmask inexact = GREATER_DOUBLE((vd)((vl)lost & ~DOUBLE_SIGN), (vd){0});
    return SELECT_WHERE(inexact, (vd)(bits + (toward & even)), sum);
}

// x + y + z rounded to odd, where y + z is exact in two doubles.
INLINE vd add_three_odd(vd x, vd y, vd z)
{
    vd low, lost, rest = two_sum(y, z, &low), sum = two_sum(x, rest, &lost);
    vd least = add_odd(lost, low);
    dmask some = GREATER_DOUBLE((vd)((vl)least & ~DOUBLE_SIGN), (vd){0});
    return add_odd(sum, SELECT_WHERE(some, least, splat_double(-0.0))); // -0 changes no sum
}

// ---- normalise, round ---------------------------------------------------------------------------

INLINE vd random_fraction(const uint32_t *r, int j)
{
    half_vi words;
    memcpy(&words, r + j * (VL / 2), sizeof words);
    return DOUBLE_OF_INTS(words);
}

// Stochastic rounding to the first bits, as if the exponent had no limits. What is added to the bits
// of a double carries into its exponent.
//
//   63 62      52 51        shift  shift-1         0
//   [s][ exponent ][   kept      ][      rest       ]
INLINE vd round_relative(const fp8mac_round_to *to, vd x, const uint32_t *r, int j)
{
    unsigned shift = 53 - to->bits;
    half_vi words;
    memcpy(&words, r + j * (VL / 2), sizeof words);
    vul random = (vul)LONG_OF_INTS(words) << (shift - to->random_bits);
    vul rest = (vul){0} + (UINT64_C(1) << shift) - 1;
    return (vd)(((vul)x + random) & ~rest);
}

// Rounds to a format. Adding 2^52 quanta to a magnitude rounds it to a multiple of the quantum,
// nearest even. If that went up, one quantum less is the truncated value. `r` holds the random bits
// of NR columns; x are those of the quarter j.
INLINE vd round_any(const fp8mac_round_to *to, vd x, const uint32_t *r, int j, dmask *over)
{
    if (to->relative) {
        return round_relative(to, x, r, j);
    }
    vl sign = (vl)x & DOUBLE_SIGN;
    vd magnitude = (vd)((vl)x ^ sign);
    vd power = (vd)((vl)magnitude & DOUBLE_EXPONENT);
    power = MIN_DOUBLE(MAX_DOUBLE(power, splat_double(to->least)), splat_double(to->most));
    vd magic = power * to->magic, result;
    if (to->rounding == FP8MAC_ROUND_NEAREST_EVEN) {
        result = (magnitude + magic) - magic;
    } else {
        vd quantum = power * to->quantum, y = magnitude;
        if (to->rounding == FP8MAC_ROUND_STOCHASTIC) {
            y += random_fraction(r, j) * (quantum * to->random_unit);
        }
        result = (y + magic) - magic;
        result -= SELECT_WHERE(GREATER_DOUBLE(result, y), quantum, (vd){0});
        if (to->rounding == FP8MAC_ROUND_ODD) {
            vd odd = (vd)((vl)(result + magic) | 1) - magic;
            result = SELECT_WHERE(GREATER_DOUBLE(y, result), odd, result);
        }
    }
    if (to->flush) {
        result = SELECT_WHERE(GREATER_DOUBLE(splat_double(to->least), magnitude), (vd){0}, result);
    }
    if (to->may_overflow) {
        dmask more = GREATER_DOUBLE(result, splat_double(to->largest));
        result = SELECT_WHERE(more, splat_double(to->overflow), result);
        *over = MASK_DOUBLE_OR(*over, more);
    }
    return (vd)((vl)result | sign);
}

// The same for a result that is stored as a float: where the accumulator is one, rounded to nearest
// even, the conversion rounds.
INLINE vd round_stored(const fp8mac_round_to *to, vd x, const uint32_t *r, int j, dmask *over)
{
    return to->as_float ? x : round_any(to, x, r, j, over);
}

// ---- exact sums ---------------------------------------------------------------------------------

// Where a step of one row stands: its first term and the number of terms, the row's operands, and
// the accumulators of NR columns.
typedef struct any_step {
    size_t k, terms;
    int row;
    float *acc;
    const uint32_t *r;
} any_step;

// The products' sum of a step; from_a is the panel of all values of A, or of its small ones.
INLINE void sum_any(const fp8mac_tile *tile, const any_step *at, const double *from_a, vd sum[4])
{
    const double *a = from_a + at->k * MR + at->row;
    const double *b = tile->b_double + at->k * NR;
    UNROLL for (int j = 0; j < 4; j++)
    {
        sum[j] = load_double(b + j * (VL / 2)) * a[0];
    }
    for (size_t i = 1; i < at->terms; i++) {
        vd x = splat_double(a[i * MR]);
        UNROLL for (int j = 0; j < 4; j++)
        {
            sum[j] = FMA_DOUBLE(x, load_double(b + i * NR + j * (VL / 2)), sum[j]);
        }
    }
}

INLINE vl widen(vi x, int h)
{
    return LONG_OF_INTS(HALF(x, h));
}

// 2^e
INLINE vd power_of(vl e)
{
    return (vd)((e + 1023) << 52);
}

// The exponent of what multiplies the products of the columns j * VL on, with block scales.
INLINE vi scale_exponent(const fp8mac_tile *tile, const any_step *at, int j)
{
    size_t block = at->k / FP8MAC_MX_BLOCK;
    vi columns;
    memcpy(&columns, tile->b_block + block * NR + j * VL, sizeof columns);
    return columns + (tile->a_block[block * MR + (size_t)at->row] + tile->any->scale);
}

INLINE void scale_any(const fp8mac_tile *tile, const any_step *at, vd sum[4])
{
    UNROLL for (int j = 0; j < 2; j++)
    {
        vi e = tile->any->blocks ? scale_exponent(tile, at, j) : splat((uint32_t)tile->any->scale);
        sum[2 * j] *= power_of(widen(e, 0));
        sum[2 * j + 1] *= power_of(widen(e, 1));
    }
}

INLINE void exact_step(const fp8mac_tile *tile, const any_step *at, vd sum[4])
{
    const fp8mac_any *any = tile->any;
    bool two = any->sums == FP8MAC_ANY_TWO_SUMS;
    sum_any(tile, at, two ? tile->a_large : tile->a_double, sum);
    scale_any(tile, at, sum);
    vd small[4];
    if (two) {
        sum_any(tile, at, tile->a_small, small);
        scale_any(tile, at, small);
    }
    UNROLL for (int j = 0; j < 4; j++)
    {
        vd acc = load_as_double(at->acc + j * (VL / 2));
        switch (any->sums) {
        case FP8MAC_ANY_EXACT: sum[j] += acc; break;
        case FP8MAC_ANY_ODD: sum[j] = add_odd(acc, sum[j]); break;
        case FP8MAC_ANY_TWO_SUMS: sum[j] = add_three_odd(acc, sum[j], small[j]); break;
        }
    }
}

// ---- truncated alignment ------------------------------------------------------------------------

enum { NO_EXPONENT = FP8MAC_FAST_NO_EXPONENT };

// The largest exponent of the products first, first + stride, ..., in NR columns, without scale.
// Exponents count from the format's least, so that only a zero makes a sum negative.
INLINE void products_exponent(const fp8mac_tile *tile, const any_step *at, size_t first,
                              size_t stride, vi e[2])
{
    const int8_t *a = tile->a_exponent + at->k * MR + at->row;
    const int8_t *b = tile->b_exponent + at->k * NR;
    vb most = (vb){0} - (int8_t)127;
    int8_t most_a = -127;
    for (size_t i = first; i < at->terms; i += stride) {
        vb column;
        memcpy(&column, b + i * NR, sizeof column);
        if (tile->any->by_operands) {
            most_a = a[i * MR] > most_a ? a[i * MR] : most_a;
        } else {
            column += a[i * MR];
        }
        most = MAX_BYTE(most, column);
    }
    for (int j = 0; j < 2; j++) {
        half_vb half;
        memcpy(&half, (const int8_t *)&most + j * VL, sizeof half);
        vi wide = WIDEN_SIGNED(half);
        vi sum = wide + (tile->any->by_operands ? most_a : 0);
        e[j] = SELECT(GREATER(wide, splat(UINT32_MAX)), sum + tile->any->exponent,
                      splat((uint32_t)NO_EXPONENT));
        if (tile->any->by_operands && most_a < 0) {
            e[j] = splat((uint32_t)NO_EXPONENT);
        }
    }
}

// Products in units of 2^(e-F), truncated to integers. A product of 8-bit codes is a float, and so
// is its integer part.
INLINE vi truncate_products(vf products, fp8mac_align_round round)
{
    vi units = __builtin_convertvector(products, vi);
    if (round == FP8MAC_ALIGN_TOWARD_ZERO) {
        return units;
    }
    vf kept = __builtin_convertvector(units, vf);
    if (round == FP8MAC_ALIGN_FLOOR) {
        return units + (vi)(kept > products);
    }
    // To odd: an even integer moves away from zero by one.
    vi away = ((vi)products >> 31) | 1;
    return units + ((vi)(kept != products) & ((units & 1) - 1) & away);
}

// The sum of the truncated products first, first + stride, ...; e is their exponent without scale.
INLINE void sum_truncated(const fp8mac_tile *tile, const any_step *at, size_t first, size_t stride,
                          const vi e[2], vd sum[4])
{
    const fp8mac_any *any = tile->any;
    const float *a = tile->a + at->k * MR + at->row, *b = tile->b + at->k * NR;
    vf to_unit[2];
    for (int j = 0; j < 2; j++) {
        // Below the limit every product is less than one unit, and it must not underflow.
        vi exponent = MAX_INT((int32_t)any->frac_bits - e[j], splat((uint32_t)any->least_to_unit));
        to_unit[j] = powers(exponent);
        sum[2 * j] = sum[2 * j + 1] = (vd){0};
    }
    for (size_t i = first; i < at->terms;) {
        vi units[2] = {{0}, {0}};
        for (unsigned count = 0; count < tile->chunk && i < at->terms; count++, i += stride) {
            for (int j = 0; j < 2; j++) {
                vf product = load(b + i * NR + j * VL) * a[i * MR];
                units[j] += truncate_products(product * to_unit[j], any->align_round);
            }
        }
        for (int j = 0; j < 2; j++) {
            sum[2 * j] += half_as_double(units[j], 0);
            sum[2 * j + 1] += half_as_double(units[j], 1);
        }
    }
}

// x, below 2^51, as an integer.
INLINE vd truncate_any(vd x, fp8mac_align_round round)
{
    vd magic = splat_double(POWER_OF_TWO(52)), one = splat_double(1), none = {0};
    if (round == FP8MAC_ALIGN_FLOOR) {
        vd middle = magic * 1.5, near = (x + middle) - middle;
        return near - SELECT_WHERE(GREATER_DOUBLE(near, x), one, none);
    }
    vl sign = (vl)x & DOUBLE_SIGN;
    vd magnitude = (vd)((vl)x ^ sign), result = (magnitude + magic) - magic;
    result -= SELECT_WHERE(GREATER_DOUBLE(result, magnitude), one, none);
    if (round == FP8MAC_ALIGN_ODD) {
        vd odd = (vd)((vl)(result + magic) | 1) - magic;
        result = SELECT_WHERE(GREATER_DOUBLE(magnitude, result), odd, result);
    }
    return (vd)((vl)result | sign);
}

// The exponent of acc's binade, at least the format's least; NO_EXPONENT for zero.
INLINE vi acc_exponent(const fp8mac_any *any, vf acc)
{
    vi field = (vi)((vu)acc >> 23) & 255;
    vi own = MAX_INT(field - 127, splat((uint32_t)any->acc_min_exponent));
    return SELECT(EQUAL((vi)acc & 0x7fffffff, splat(0)), splat((uint32_t)NO_EXPONENT), own);
}

// The products' sum of a step in units of 2^(e-F), and e. Without late accumulation, acc takes part
// in e. The products are multiplied by 2^scale.
INLINE void products_any(const fp8mac_tile *tile, const any_step *at, const vi scale[2],
                         const vi acc_e[2], vi e[2], vd sum[4])
{
    const fp8mac_any *any = tile->any;
    vi parts_e[2][2], own[2];
    vi least = splat((uint32_t)any->min_exponent);
    size_t parts = any->even_odd ? 2 : 1;
    e[0] = e[1] = least;
    for (size_t part = 0; part < parts; part++) {
        products_exponent(tile, at, part, parts, parts_e[part]);
        for (int j = 0; j < 2; j++) {
            vi *own_e = &parts_e[part][j];
            *own_e = MAX_INT(*own_e + scale[j], least);
            *own_e = any->late ? *own_e : MAX_INT(*own_e, acc_e[j]);
            e[j] = MAX_INT(e[j], *own_e);
        }
    }
    for (size_t part = 0; part < parts; part++) {
        vd some[4];
        for (int j = 0; j < 2; j++) {
            own[j] = parts_e[part][j] - scale[j];
        }
        sum_truncated(tile, at, part, parts, own, part == 0 ? sum : some);
        for (int q = 0; q < 4 && parts > 1; q++) {
            vd *one = part == 0 ? &sum[q] : &some[q];
            vl distance = widen(parts_e[part][q / 2] - e[q / 2], q % 2);
            *one = truncate_any(*one * power_of(distance), any->late_round);
            if (part > 0) {
                sum[q] += *one;
            }
        }
    }
}

// Late accumulation with fraction bits of its own.
INLINE vd add_late(const fp8mac_any *any, vd sum, vd acc, vl e, vl acc_e)
{
    vl most = (vl)SELECT_DOUBLE(acc_e > e, acc_e, e);
    vd products = sum * power_of(e - most + ((int64_t)any->late_bits_sum - any->frac_bits));
    vd addend = acc * power_of((int64_t)any->late_bits_acc - most);
    products = truncate_any(products, any->late_round);
    addend = truncate_any(addend, any->late_round);
    if (any->late_drop != 0) {
        vl dropped = acc_e < most - (int64_t)any->late_drop;
        addend = (vd)((vl)addend & ~dropped);
    }
    vd unit = power_of(most - (int64_t)any->late_bits_sum);
    double between = double_from_bits(
        (uint64_t)(1023 + (int64_t)any->late_bits_sum - (int64_t)any->late_bits_acc) << 52);
    return (products + addend * between) * unit;
}

INLINE void aligned_any(const fp8mac_tile *tile, const any_step *at, vd sum[4], dmask *over)
{
    const fp8mac_any *any = tile->any;
    vi scale[2], acc_e[2], e[2];
    for (int j = 0; j < 2; j++) {
        scale[j] = any->blocks ? scale_exponent(tile, at, j) : splat((uint32_t)any->scale);
        acc_e[j] = acc_exponent(any, load(at->acc + j * VL));
    }
    products_any(tile, at, scale, acc_e, e, sum);
    UNROLL for (int q = 0; q < 4; q++)
    {
        vd acc = load_as_double(at->acc + q * (VL / 2));
        vl own = widen(e[q / 2], q % 2);
        vl from_unit = own - (int64_t)any->frac_bits;
        if (!any->late) {
            vd units = truncate_any(acc * power_of(-from_unit), any->align_round);
            sum[q] = (sum[q] + units) * power_of(from_unit);
        } else if (any->late_bits_sum != 0) {
            sum[q] = add_late(any, sum[q], acc, own, widen(acc_e[q / 2], q % 2));
        } else {
            vd exact = sum[q] * power_of(from_unit) + 0.0;
            sum[q] = add_odd(round_any(&any->to, exact, at->r, q, over), acc);
            continue; // two zeros of one sign keep it
        }
        sum[q] += 0.0; // an aligned sum of zero is +0
    }
}

// ---- alignment by operands ----------------------------------------------------------------------
// The exponent of a step is the sum of A's and B's. The panels hold the operands divided by theirs,
// and A's also multiplied by 2^F, so that a product is in units of 2^(e-F) at once.

INLINE void sum_by_operands(const fp8mac_tile *tile, const any_step *at, vd sum[4])
{
    const float *a = tile->a + at->k * MR + at->row, *b = tile->b + at->k * NR;
    size_t chunk = at->terms < tile->chunk ? at->terms : tile->chunk;
    UNROLL for (int q = 0; q < 4; q++)
    {
        sum[q] = (vd){0};
    }
    for (size_t i = 0, end = chunk;; end = at->terms - i < chunk ? at->terms : i + chunk) {
        vi units[2] = {{0}, {0}};
        for (; i < end; i++) {
            vf x = splat_float(a[i * MR]);
            UNROLL for (int j = 0; j < 2; j++)
            {
                units[j] += __builtin_convertvector(load(b + i * NR + j * VL) * x, vi);
            }
        }
        UNROLL for (int q = 0; q < 4; q++)
        {
            sum[q] += half_as_double(units[q / 2], q % 2);
        }
        if (i == at->terms) {
            return;
        }
    }
}

// x as an integer, rounded to odd.
INLINE vd round_odd(vd x)
{
    vd magic = splat_double(1.5 * POWER_OF_TWO(52)), below = FLOOR_DOUBLE(x),
       shifted = below + magic;
    vd odd = (vd)((vl)shifted | 1);
    return SELECT_WHERE(GREATER_DOUBLE(x, below), odd, shifted) - magic;
}

// acc + the products' sum. Both are rounded to odd in units of 2^(most - late_bits).
INLINE void operands_any(const fp8mac_tile *tile, const any_step *at, size_t step, vd sum[4])
{
    const fp8mac_any *any = tile->any;
    int32_t late = (int32_t)any->late_bits_sum;
    int32_t a_e = tile->a_group[step * MR + (size_t)at->row] + any->scale;
    vi sum_unit[2], acc_unit[2], unit[2];
    sum_by_operands(tile, at, sum);
    UNROLL for (int j = 0; j < 2; j++)
    {
        vi b_e, acc_e = acc_exponent(any, load(at->acc + j * VL));
        memcpy(&b_e, tile->b_group + step * NR + j * VL, sizeof b_e);
        vi e = MAX_INT(b_e + a_e, splat((uint32_t)any->min_exponent)), most = MAX_INT(e, acc_e);
        sum_unit[j] = e - most + (late - (int32_t)any->frac_bits + 1023);
        acc_unit[j] = late + 1023 - most;
        unit[j] = most + (1023 - late);
    }
    UNROLL for (int q = 0; q < 4; q++)
    {
        vd products = sum[q] * (vd)(widen(sum_unit[q / 2], q % 2) << 52);
        vd acc = load_as_double(at->acc + q * (VL / 2));
        acc *= (vd)(widen(acc_unit[q / 2], q % 2) << 52);
        vd units = round_odd(products) + round_odd(acc);
        sum[q] = units * (vd)(widen(unit[q / 2], q % 2) << 52) + 0.0; // a sum of zero is +0
    }
}

// ---- the second accumulator ---------------------------------------------------------------------

// What the steps of a tile raise.
typedef struct any_flags {
    dmask over, invalid, inexact, underflow;
} any_flags;

// x was rounded to `written`; x is exact, or rounded to odd, which no format holds. A number is tiny
// if it is still below the smallest normal one after it is rounded with an unbounded exponent, and
// not zero.
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
