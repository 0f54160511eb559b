// SPDX-License-Identifier: Apache-2.0
// Tiles of outputs, with ascending k in each, and the epilogue's arithmetic. vector.h defines the
// vectors.

// ---- one product a step: two vectors of columns, MR rows, accumulators in registers -------------

INLINE void tile_single(const fp8mac_tile *tile, bool to_fp16)
{
    vf c[MR][2];
    float *acc = tile->acc;
    UNROLL for (int i = 0; i < MR; i++)
    {
        c[i][0] = load(acc + i * NR);
        c[i][1] = load(acc + i * NR + VL);
    }
    const float *a = tile->a, *b = tile->b;
    for (size_t k = tile->k; k > 0; k--, a += MR, b += NR) {
        vf b0 = load(b), b1 = load(b + VL);
        UNROLL for (int i = 0; i < MR; i++)
        {
            vf x = splat_float(a[i]);
            c[i][0] = FMA(x, b0, c[i][0]);
            c[i][1] = FMA(x, b1, c[i][1]);
            if (to_fp16) {
                c[i][0] = ROUND_FP16(c[i][0]);
                c[i][1] = ROUND_FP16(c[i][1]);
            }
        }
    }
    UNROLL for (int i = 0; i < MR; i++)
    {
        store(acc + i * NR, c[i][0]);
        store(acc + i * NR + VL, c[i][1]);
    }
}

static void tile_fp32(const fp8mac_tile *tile)
{
    tile_single(tile, false);
}

// Rounding to FP32 and then to FP16 equals one rounding here. A product has at most 11 bits, and so
// has acc. FP32 cannot hold their sum only if one is much smaller than the other; the sum is then
// far from any point where FP16's rounding changes.
static void tile_fp16(const fp8mac_tile *tile)
{
    tile_single(tile, true);
}

// ---- INT8: the same, two products a step --------------------------------------------------------

INLINE vi load_ints(const void *p)
{
    vi v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void tile_int8(const fp8mac_tile *tile)
{
    vi c[MR][2];
    int32_t *acc = tile->acc;
    UNROLL for (int i = 0; i < MR; i++)
    {
        c[i][0] = load_ints(acc + i * NR);
        c[i][1] = load_ints(acc + i * NR + VL);
    }
    const float *a = tile->a, *b = tile->b;
    for (size_t k = tile->k; k > 0; k--, a += MR, b += NR) {
        vi b0 = load_ints(b), b1 = load_ints(b + VL);
        UNROLL for (int i = 0; i < MR; i++)
        {
            vi x = (vi)splat_float(a[i]);
            c[i][0] += ADD_PRODUCTS(x, b0);
            c[i][1] += ADD_PRODUCTS(x, b1);
        }
    }
    UNROLL for (int i = 0; i < MR; i++)
    {
        memcpy(acc + i * NR, &c[i][0], sizeof(vi));
        memcpy(acc + i * NR + VL, &c[i][1], sizeof(vi));
    }
}

// ---- sums exact in double: four vectors of columns, half the rows at a time ---------------------

typedef enum rounding { TO_NOTHING, TO_FP32, TO_FP16 } rounding;
enum { HALF_MR = MR / 2 };

INLINE vd load_as_double(const float *p)
{
    half_vf v;
    memcpy(&v, p, sizeof v);
    return DOUBLE_OF_FLOATS(v);
}

INLINE void store_as_float(float *p, vd x)
{
    half_vf v = __builtin_convertvector(x, half_vf);
    memcpy(p, &v, sizeof v);
}

INLINE vd rounded(vd x, rounding to)
{
    switch (to) {
    case TO_FP32: return DOUBLE_OF_FLOATS(__builtin_convertvector(x, half_vf));
    case TO_FP16: return round_fp16_double(x);
    default: return x;
    }
}

// Half the rows of a tile's accumulators: doubles if nothing is rounded, else floats.
INLINE void load_rows(vd c[HALF_MR][4], const fp8mac_tile *tile, int first, rounding to)
{
    const float *acc_float = (const float *)tile->acc + first * NR;
    const double *acc_double = (const double *)tile->acc + first * NR;
    UNROLL for (int i = 0; i < HALF_MR; i++)
    {
        UNROLL for (int j = 0; j < 4; j++)
        {
            c[i][j] = to == TO_NOTHING ? load_double(acc_double + i * NR + j * (VL / 2))
                                       : load_as_double(acc_float + i * NR + j * (VL / 2));
        }
    }
}

INLINE void store_rows(const fp8mac_tile *tile, int first, vd c[HALF_MR][4], rounding to)
{
    float *acc_float = (float *)tile->acc + first * NR;
    double *acc_double = (double *)tile->acc + first * NR;
    UNROLL for (int i = 0; i < HALF_MR; i++)
    {
        UNROLL for (int j = 0; j < 4; j++)
        {
            if (to == TO_NOTHING) {
                memcpy(acc_double + i * NR + j * (VL / 2), &c[i][j], sizeof c[i][j]);
            } else {
                store_as_float(acc_float + i * NR + j * (VL / 2), c[i][j]);
            }
        }
    }
}

INLINE void fused_rows(const fp8mac_tile *tile, int first, unsigned group, rounding to)
{
    vd c[HALF_MR][4];
    load_rows(c, tile, first, to);
    const double *a = tile->a_double + first, *b = tile->b_double;
    for (size_t left = tile->k; left > 0;) {
        size_t step = left < group ? left : group;
        left -= step;
        for (; step > 0; step--, a += MR, b += NR) {
            vd column[4];
            UNROLL for (int j = 0; j < 4; j++)
            {
                column[j] = load_double(b + j * (VL / 2));
            }
            UNROLL for (int i = 0; i < HALF_MR; i++)
            {
                vd x = splat_double(a[i]);
                UNROLL for (int j = 0; j < 4; j++)
                {
                    c[i][j] = FMA_DOUBLE(x, column[j], c[i][j]);
                }
            }
        }
        UNROLL for (int i = 0; i < HALF_MR; i++)
        {
            UNROLL for (int j = 0; j < 4; j++)
            {
                c[i][j] = rounded(c[i][j], to);
            }
        }
    }
    store_rows(tile, first, c, to);
}

INLINE void tile_fused(const fp8mac_tile *tile, rounding to)
{
    for (int first = 0; first < MR; first += HALF_MR) {
        if (tile->group == 4) { // worth a copy with its inner loop unrolled
            fused_rows(tile, first, 4, to);
        } else {
            fused_rows(tile, first, tile->group, to);
        }
    }
}

static void tile_fused_fp32(const fp8mac_tile *tile)
{
    tile_fused(tile, TO_FP32);
}

static void tile_fused_fp16(const fp8mac_tile *tile)
{
    tile_fused(tile, TO_FP16);
}

static void tile_sum(const fp8mac_tile *tile)
{
    for (int first = 0; first < MR; first += HALF_MR) {
        fused_rows(tile, first, UINT32_MAX, TO_NOTHING);
    }
}

// ---- truncated alignment ------------------------------------------------------------------------

// The exponent of a zero product is below this, that of any other product is not. See
// pack_exponents.
enum { ZERO_BELOW = -32 };

// The largest exponent among the products of a step, for NR columns of one row, as int32.
INLINE void largest_exponents(const fp8mac_tile *tile, const int8_t *a, const int8_t *b,
                              size_t step, vi e[2])
{
    vb most = (vb){0} - (int8_t)127;
    _Pragma("GCC unroll 4") for (size_t k = 0; k < step; k++)
    {
        vb column;
        memcpy(&column, b + k * NR, sizeof column);
        vb sum = column + a[k * MR];
        most = MAX_BYTE(most, sum);
    }
    for (int j = 0; j < 2; j++) {
        half_vb half;
        memcpy(&half, (const int8_t *)&most + j * VL, sizeof half);
        vi wide = WIDEN_SIGNED(half);
        e[j] = SELECT(GREATER(wide, splat((uint32_t)(ZERO_BELOW - 1))), wide + tile->scale,
                      splat((uint32_t)-4096));
    }
}

// 2^e as floats; e is clamped to 127, which only a step whose terms are all zero reaches.
INLINE vf powers(vi e)
{
    vi clamped = SELECT(GREATER(e, splat(127)), splat(127), e);
    return (vf)((clamped + 127) << 23);
}

INLINE vd half_as_double(vi x, int h)
{
    return DOUBLE_OF_INTS(HALF(x, h));
}

// Converts a sum in units of 2^(e - F) to a value, and truncates or rounds it to the accumulator's
// format.
INLINE half_vf finish_aligned(const fp8mac_tile *tile, vd sum, vl e, vd acc)
{
    vd unit = (vd)((e - (int64_t)tile->frac_bits + 1023) << 52);
    vd exact = sum * unit;
    if (!tile->to_fp16) {
        return __builtin_convertvector((vd)((vl)exact & (int64_t)tile->keep), half_vf);
    }
    vd fp16 = round_fp16_double(exact);
    vl infinite = ((vl)acc & DOUBLE_EXPONENT) == DOUBLE_EXPONENT;
    return __builtin_convertvector(SELECT_DOUBLE(infinite, acc, fp16), half_vf);
}

// The exponent of a step: the largest of the products' exponents, acc's and min_exponent.
INLINE vi step_exponent(const fp8mac_tile *tile, vi products, vf acc)
{
    vi field = (vi)((vu)acc >> 23) & 255;
    vi own = MAX_INT(field - 127, splat((uint32_t)tile->acc_min_exponent));
    own = SELECT(EQUAL((vi)acc & 0x7fffffff, splat(0)), splat((uint32_t)-4096), own);
    return MAX_INT(MAX_INT(products, own), splat((uint32_t)tile->min_exponent));
}

// Adds acc to a step's sum, in units of 2^(e - F), and writes the new acc. It works on half a
// vector at a time.
INLINE void join_acc(const fp8mac_tile *tile, vd sum[2], vi e, float *acc)
{
    for (int h = 0; h < 2; h++) {
        vl wide_e = LONG_OF_INTS(HALF(e, h));
        vd before = load_as_double(acc + h * (VL / 2));
        vd units = before * (vd)(((int64_t)tile->frac_bits - wide_e + 1023) << 52);
        sum[h] += DOUBLE_OF_INTS(__builtin_convertvector(units, half_vi));
        half_vf after = finish_aligned(tile, sum[h], wide_e, before);
        memcpy(acc + h * (VL / 2), &after, sizeof after);
    }
}

// One step of one row.
INLINE void aligned_step(const fp8mac_tile *tile, const float *a, const float *b, size_t step,
                         vi e[2], float *acc)
{
    vf to_unit[2];
    vd sum[2][2] = {{{0}, {0}}, {{0}, {0}}};
    for (int j = 0; j < 2; j++) {
        e[j] = step_exponent(tile, e[j], load(acc + j * VL));
        to_unit[j] = powers((int32_t)tile->frac_bits - e[j]);
    }
    for (size_t k = 0; k < step;) {
        size_t end = step - k > tile->chunk ? k + tile->chunk : step;
        vi units[2] = {{0}, {0}};
        _Pragma("GCC unroll 4") for (; k < end; k++)
        {
            for (int j = 0; j < 2; j++) { // truncates toward zero
                vf product = load(b + k * NR + j * VL) * a[k * MR];
                units[j] += __builtin_convertvector(product * to_unit[j], vi);
            }
        }
        for (int j = 0; j < 2; j++) {
            sum[j][0] += half_as_double(units[j], 0);
            sum[j][1] += half_as_double(units[j], 1);
        }
    }
    for (int j = 0; j < 2; j++) {
        join_acc(tile, sum[j], e[j], acc + j * VL);
    }
}

static void tile_aligned(const fp8mac_tile *tile)
{
    for (size_t k = 0; k < tile->k; k += tile->group) {
        size_t step = tile->k - k < tile->group ? tile->k - k : tile->group;
        for (int i = 0; i < MR; i++) {
            vi e[2];
            largest_exponents(tile, tile->a_exponent + k * MR + i, tile->b_exponent + k * NR, step,
                              e);
            aligned_step(tile, tile->a + k * MR + i, tile->b + k * NR, step, e,
                         (float *)tile->acc + i * NR);
        }
    }
}

// ---- the epilogue -------------------------------------------------------------------------------

INLINE vf activated(const fp8mac_fast_outputs *o, vf t)
{
    if (o->activation == FP8MAC_ACT_RELU) {
        return (vf)SELECT(GREATER(splat(0), t), splat(0), t); // the sign bit set
    }
    if (o->activation == FP8MAC_ACT_CLAMP) {
        vf lo = splat_float(o->clamp_lo), hi = splat_float(o->clamp_hi);
        vi below = t<lo, above = t> hi;
        vf low = (vf)((below & (vi)lo) | (~below & (vi)t));
        return (vf)((above & (vi)hi) | (~above & (vi)low)); // both are never true
    }
    return t;
}

// Where a product may be inexact and tiny, also after rounding. A sum is exact if it is tiny.
INLINE vi tiny_product(vf x, vf y, vf product)
{
    return (vi)(x != 0) & (vi)(y != 0) & (((vi)product & 0x7fffffff) < 0x01000000);
}

// Likewise D's rounding of x.
INLINE vi tiny_output(const fp8mac_fast_outputs *o, vf x)
{
    return (vi)(x != 0) & (((vi)x & 0x7fffffff) < (int32_t)fp8mac_float_bits(o->d_least));
}

static void outputs(fp8mac_fast_outputs *o)
{
    vi tiny = {0};
    vi most = {0}, amax = {0}; // of every intermediate result, of T; as bits without the sign
    for (size_t i = 0; i < o->n && o->identity; i += VL) {
        vf t = load_some(o->t0 + i, o->n - i);
        amax = MAX_INT(amax, (vi)t & 0x7fffffff);
        most = amax;
        tiny |= o->find_tiny ? tiny_output(o, t) : tiny;
    }
#define MEET(v) most = MAX_INT(most, (vi)(v) & 0x7fffffff)
    for (size_t i = 0; i < o->n && !o->identity; i += VL) {
        size_t left = o->n - i;
        vf s_b = o->scales_b != NULL ? load_some(o->scales_b + i, left) : splat_float(o->scale_b);
        vf s = s_b * o->scale_a, t0 = load_some(o->t0 + i, left), t = t0 * s;
        MEET(s);
        MEET(t);
        if (o->find_tiny) {
            tiny |= tiny_product(splat_float(o->scale_a), s_b, s) | tiny_product(t0, s, t);
        }
        if (o->bias != NULL) {
            t = t + load_some(o->bias + i, left);
            MEET(t);
        }
        if (o->c != NULL) {
            vf c0 = load_some(o->c + i, left), c = c0 * o->beta;
            MEET(c);
            tiny |= o->find_tiny ? tiny_product(c0, splat_float(o->beta), c) : tiny;
            t = t + c;
            MEET(t);
        }
        t = activated(o, t);
        amax = MAX_INT(amax, (vi)t & 0x7fffffff);
        vf scaled = t * o->scale_d;
        MEET(scaled);
        if (o->find_tiny) {
            tiny |= tiny_product(t, splat_float(o->scale_d), scaled) | tiny_output(o, scaled);
        }
        store_some(o->out + i, scaled, left);
    }
#undef MEET
    o->amax = 0;
    o->nonfinite = false;
    o->tiny = any(tiny);
    for (int i = 0; i < VL; i++) {
        o->amax = (uint32_t)amax[i] > o->amax ? (uint32_t)amax[i] : o->amax;
        o->nonfinite |= most[i] >= 0x7f800000;
    }
}
