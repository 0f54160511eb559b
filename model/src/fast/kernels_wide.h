// SPDX-License-Identifier: Apache-2.0
// Steps whose sums do not fit one double are kept in two. vector.h defines the vectors.
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

// `step` products, at most WIDE_STEP, of one row, added to high and low.
INLINE void wide_products(const double *large, const double *small, const double *b, size_t step,
                          vd magic, vd *high, vd *low)
{
    vd sum[4];
    UNROLL for (int j = 0; j < 4; j++)
    {
        sum[j] = splat_double(-0.0);
    }
    for (size_t k = 0; k < step; k++) {
        vd x = splat_double(large[k * MR]), y = splat_double(small[k * MR]);
        UNROLL for (int j = 0; j < 4; j++)
        {
            vd column = load_double(b + k * NR + j * (VL / 2));
            sum[j] = FMA_DOUBLE(x, column, sum[j]);
            low[j] = FMA_DOUBLE(y, column, low[j]);
        }
    }
    UNROLL for (int j = 0; j < 4; j++)
    {
        vd whole_sum, whole_low;
        low[j] += split(sum[j], magic, &whole_sum);
        low[j] = split(low[j], magic, &whole_low);
        high[j] += whole_sum + whole_low;
    }
}

INLINE void wide_row(const fp8mac_tile *tile, size_t row, unsigned group, rounding to)
{
    vd c[4], magic = splat_double(tile->one) * (1.5 * POWER_OF_TWO(52));
    float *acc = (float *)tile->acc + row * NR;
    UNROLL for (int j = 0; j < 4; j++)
    {
        c[j] = load_as_double(acc + j * (VL / 2));
    }
    for (size_t k = 0; k < tile->k;) {
        size_t end = tile->k - k < group ? tile->k : k + group;
        vd high[4], low[4];
        UNROLL for (int j = 0; j < 4; j++)
        {
            high[j] = (vd){0};
            low[j] = splat_double(-0.0);
        }
        while (k < end) {
            size_t step = end - k < WIDE_STEP ? end - k : WIDE_STEP;
            wide_products(tile->a_double + k * MR + row, tile->a_small + k * MR + row,
                          tile->b_double + k * NR, step, magic, high, low);
            k += step;
        }
        UNROLL for (int j = 0; j < 4; j++)
        {
            c[j] = wide_result(c[j], high[j], low[j], magic, to);
        }
    }
    UNROLL for (int j = 0; j < 4; j++)
    {
        store_as_float(acc + j * (VL / 2), c[j]);
    }
}

static void tile_wide_fp32(const fp8mac_tile *tile)
{
    for (size_t row = 0; row < MR; row++) {
        wide_row(tile, row, tile->group, TO_FP32);
    }
}

static void tile_wide_fp16(const fp8mac_tile *tile)
{
    for (size_t row = 0; row < MR; row++) {
        wide_row(tile, row, tile->group, TO_FP16);
    }
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
            wide_products(tile->a_double + k * MR + row, tile->a_small + k * MR + row,
                          tile->b_double + k * NR, step, magic, high, low);
        }
        memcpy(high_part, high, sizeof high);
        memcpy(low_part, low, sizeof low);
    }
}
