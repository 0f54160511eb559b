// SPDX-License-Identifier: Apache-2.0
// Steps whose sums do not fit one double. vector.h defines the vectors.
//
// Most of their roundings are certain all the same. A chain of FMAs in double gives s in place of
// the exact sum S = acc + p1 + ... + pn. With P = |p1| + ... + |pn|,
//
//   |S - s| <= n * 2^-53 * (|acc| + P) <= n * 2^-53 * (|s| + 2 P)       to first order
//   P       <= n * largest |a| * largest |b|                           of the group
//
// FP32: S is rounded as s if |s - FP32(s)| + 2 e < h, where e is a bound of |S - s|, and h half of
// the last place of FP32 at s. (The factor 2 is for S and s on two sides of a power of two.)
// FP16: the bound is below 2^-26 |s| if n^2 * 2^-26 * largest |a| * largest |b| <= |s|. So if s
// rounds to a float that is not halfway between two numbers of FP16, S is rounded as that float.
// Otherwise the sum is kept in two doubles.
//
// The sum of four products with large values of A fits a double, and so does the sum of four with
// small ones. Both sums and acc are split at `one`:
//
//   acc + products = high + low       high a multiple of `one`, |low| <= one, both exact
//
// high + low is rounded to odd: the last bit is set if anything was lost. The accumulator's
// rounding follows. It depends on no place as low as the last of the 53 bits.

enum { WIDE_STEP = 4 };

// x = *whole + the result, exactly, the first a multiple of `one`; magic = 1.5 * 2^52 * one.
INLINE vd split(vd x, vd magic, vd *whole)
{
    *whole = (x + magic) - magic;
    return x - *whole;
}

// |high| >= |low|, or high is zero.
INLINE vd add_to_odd(vd high, vd low)
{
    vd sum = high + low;
    vd lost = low - (sum - high);
    vl bits = (vl)sum;
    // One step away from zero if the signs agree, else one toward zero.
    vl toward = (((vl)lost ^ bits) >> 63) | 1;
    vl even = (bits & 1) - 1;
    return (vd)(bits + (toward & even & (lost != 0)));
}

INLINE vd wide_result(vd acc, vd high, vd low, vd magic, rounding to)
{
    vd whole;
    low += split(acc, magic, &whole);
    vd sum = add_to_odd(high + whole, low);
    // low started at -0. It is still -0 only if every product and acc were -0.
    sum = SELECT_DOUBLE((vl)low == DOUBLE_SIGN, low, sum);
    vd after = rounded(sum, to);
    if (to == TO_FP16) {
        vl infinite = ((vl)acc & DOUBLE_EXPONENT) == DOUBLE_EXPONENT;
        after = SELECT_DOUBLE(infinite, acc, after);
    }
    return after;
}

// `step` products, at most WIDE_STEP, of one row and a vector of columns, added to high and low.
INLINE void wide_products(const double *large, const double *small, const double *b, size_t step,
                          vd magic, vd *high, vd *low)
{
    vd sum = splat_double(-0.0), whole_sum, whole_low;
    for (size_t k = 0; k < step; k++) {
        vd column = load_double(b + k * NR);
        sum = FMA_DOUBLE(splat_double(large[k * MR]), column, sum);
        *low = FMA_DOUBLE(splat_double(small[k * MR]), column, *low);
    }
    *low += split(sum, magic, &whole_sum);
    *low = split(*low, magic, &whole_low);
    *high += whole_sum + whole_low;
}

// acc + `step` products of one row and a vector of columns, rounded. `at` is the first one's
// position in the panels of A.
static __attribute__((noinline)) vd wide_step(const fp8mac_tile *tile, size_t at, const double *b,
                                              size_t step, vd acc, rounding to)
{
    vd magic = splat_double(tile->one) * (1.5 * POWER_OF_TWO(52));
    vd high = {0}, low = splat_double(-0.0);
    for (; step > WIDE_STEP; step -= WIDE_STEP, at += WIDE_STEP * MR, b += WIDE_STEP * NR) {
        wide_products(tile->a_large + at, tile->a_small + at, b, WIDE_STEP, magic, &high, &low);
    }
    wide_products(tile->a_large + at, tile->a_small + at, b, step, magic, &high, &low);
    return wide_result(acc, high, low, magic, to);
}

// ---- roundings that are certain -----------------------------------------------------------------

// A vector of sums is in doubt if a lane is negative. Only FP16 has lanes in `half`.
typedef struct doubt {
    vl full;
    half_vi half;
} doubt;

INLINE bool is_in_doubt(doubt d, rounding to)
{
    return ANY_NEGATIVE(d.full) || (to == TO_FP16 && ANY_NEGATIVE_HALF(d.half));
}

// h = power * 2^-24 for s from `power` to 2 * power. 2^-44 * power covers the bound's part with
// |s|, up to 64 terms.
INLINE vd rounded_fp32(vd s, vd reach, vd b_most, doubt *d)
{
    vd single = DOUBLE_OF_FLOATS(__builtin_convertvector(s, half_vf));
    vd power = (vd)((vl)s & DOUBLE_EXPONENT);
    vd minus_away = (vd)((vl)(s - single) | DOUBLE_SIGN);
    vd most = splat_double(POWER_OF_TWO(-24) - POWER_OF_TWO(-44));
    d->full = (vl)FMA_DOUBLE(power, most, FMA_DOUBLE(reach, b_most, minus_away));
    return single;
}

// Below 2^-14, other floats are halfway between two numbers; there all but zero count as such.
INLINE vd rounded_fp16(vd s, vd reach, vd b_most, doubt *d)
{
    vd magnitude = (vd)((vl)s & ~DOUBLE_SIGN);
    half_vf single = __builtin_convertvector(s, half_vf);
    half_vi bits = (half_vi)single, positive = bits & 0x7fffffff;
    half_vi halfway = ((bits & 0x1fff) ^ 0x1000) - 1;
    half_vi subnormal = (positive - 0x38800000) & -positive;
    d->full = (vl)FMA_DOUBLE(reach, b_most, magnitude);
    d->half = halfway | subnormal;
    return DOUBLE_OF_FLOATS(ROUND_FP16_HALF(single));
}

INLINE void wide_rows(const fp8mac_tile *tile, int first, unsigned group, rounding to)
{
    vd c[HALF_MR][4];
    load_rows(c, tile, first, to);
    const double *a = tile->a_double + first, *b = tile->b_double;
    const double *reach = tile->a_reach + first, *most = tile->b_most;
    for (size_t left = tile->k; left > 0; reach += MR, most += NR) {
        size_t step = left < group ? left : group;
        left -= step;
        UNROLL for (int i = 0; i < HALF_MR; i++)
        {
            doubt own[4], all = {{0}, {0}};
            vd s[4];
            UNROLL for (int j = 0; j < 4; j++)
            {
                s[j] = c[i][j];
            }
            for (size_t k = 0; k < step; k++) {
                vd x = splat_double(a[k * MR + (size_t)i]);
                UNROLL for (int j = 0; j < 4; j++)
                {
                    s[j] = FMA_DOUBLE(x, load_double(b + k * NR + j * (VL / 2)), s[j]);
                }
            }
            vd row = splat_double(reach[i]);
            UNROLL for (int j = 0; j < 4; j++)
            {
                vd column = load_double(most + j * (VL / 2));
                s[j] = to == TO_FP32 ? rounded_fp32(s[j], row, column, &own[j])
                                     : rounded_fp16(s[j], row, column, &own[j]);
                all.full |= own[j].full;
                if (to == TO_FP16) {
                    all.half |= own[j].half;
                }
            }
            if (is_in_doubt(all, to)) {
                UNROLL for (int j = 0; j < 4; j++)
                {
                    if (is_in_doubt(own[j], to)) {
                        s[j] = wide_step(tile, (size_t)(a - tile->a_double) + (size_t)i,
                                         b + j * (VL / 2), step, c[i][j], to);
                    }
                }
            }
            UNROLL for (int j = 0; j < 4; j++)
            {
                c[i][j] = s[j];
            }
        }
        a += step * MR;
        b += step * NR;
    }
    store_rows(tile, first, c, to);
}

INLINE void tile_wide(const fp8mac_tile *tile, rounding to)
{
    for (int first = 0; first < MR; first += HALF_MR) {
        if (tile->group == 4) { // worth a copy with its inner loop unrolled
            wide_rows(tile, first, 4, to);
        } else {
            wide_rows(tile, first, tile->group, to);
        }
    }
}

static void tile_wide_fp32(const fp8mac_tile *tile)
{
    tile_wide(tile, TO_FP32);
}

static void tile_wide_fp16(const fp8mac_tile *tile)
{
    tile_wide(tile, TO_FP16);
}

static void tile_wide_sum(const fp8mac_tile *tile)
{
    vd magic = splat_double(tile->one) * (1.5 * POWER_OF_TWO(52));
    for (size_t row = 0; row < MR; row++) {
        double *high_part = (double *)tile->acc + row * NR, *low_part = high_part + MR * NR;
        vd high[4], low[4];
        memcpy(high, high_part, sizeof high);
        memcpy(low, low_part, sizeof low);
        for (size_t k = 0; k < tile->k; k += WIDE_STEP) {
            size_t step = tile->k - k < WIDE_STEP ? tile->k - k : WIDE_STEP;
            UNROLL for (int j = 0; j < 4; j++)
            {
                wide_products(tile->a_large + k * MR + row, tile->a_small + k * MR + row,
                              tile->b_double + k * NR + j * (VL / 2), step, magic, &high[j],
                              &low[j]);
            }
        }
        memcpy(high_part, high, sizeof high);
        memcpy(low_part, low, sizeof low);
    }
}
