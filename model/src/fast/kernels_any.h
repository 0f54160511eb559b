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

// Stochastic rounding to the first bits, as if the exponent had no limits. What is added to the
// bits of a double carries into its exponent.
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
