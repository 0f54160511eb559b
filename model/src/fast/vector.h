// SPDX-License-Identifier: Apache-2.0
// Vectors of VL floats, and vectors of other types that match them. There is no include guard: each
// instruction set's source includes this file once.

#define VECTOR(bytes) __attribute__((vector_size(bytes), may_alias))
typedef float vf VECTOR(4 * VL);
typedef int32_t vi VECTOR(4 * VL);
typedef uint32_t vu VECTOR(4 * VL);
typedef double vd VECTOR(4 * VL); // VL / 2 of them
typedef int64_t vl VECTOR(4 * VL);
typedef uint64_t vul VECTOR(4 * VL);
typedef float half_vf VECTOR(2 * VL); // as many floats as a vd has doubles
typedef int32_t half_vi VECTOR(2 * VL);
typedef uint8_t vc VECTOR(4 * VL);
typedef int8_t vb VECTOR(2 * VL); // one byte for each column of a tile
typedef int8_t half_vb VECTOR(VL);
typedef uint8_t v_code8 VECTOR(VL);
typedef uint16_t v_code16 VECTOR(2 * VL);

enum { NR = 2 * VL };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

INLINE vi splat(uint32_t x)
{
    return (vi){0} + (int32_t)x;
}

INLINE vf splat_float(float x)
{
    return (vf)splat(fp8mac_float_bits(x));
}

INLINE vf load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

// The first `left` elements, at most VL; the others are zero.
INLINE vf load_some(const float *p, size_t left)
{
    if (left >= VL) {
        return load(p);
    }
    vf v = {0};
    memcpy(&v, p, left * sizeof(float));
    return v;
}

INLINE void store_some(float *p, vf v, size_t left)
{
    memcpy(p, &v, left >= VL ? sizeof v : left * sizeof(float));
}

// Products of two signed 16-bit halves of each element, added.
INLINE vi __attribute__((unused)) add_products(vi a, vi b)
{
    vi low_a = (vi)((vu)a << 16) >> 16, low_b = (vi)((vu)b << 16) >> 16;
    return low_a * low_b + (a >> 16) * (b >> 16);
}

INLINE bool any(vi mask)
{
    int32_t all = 0;
    for (int i = 0; i < VL; i++) {
        all |= mask[i];
    }
    return all != 0;
}

// Codes of four vectors as bytes, in order.
INLINE vc __attribute__((unused)) narrow_four(vi a, vi b, vi c, vi d)
{
    vi all[4] = {a, b, c, d};
    vc codes;
    UNROLL for (int i = 0; i < 4; i++)
    {
        v_code8 some = __builtin_convertvector(all[i], v_code8);
        memcpy((uint8_t *)&codes + i * VL, &some, sizeof some);
    }
    return codes;
}

// The elements h * VL / 2 on.
INLINE half_vi __attribute__((unused)) half_of(vi x, int h)
{
    half_vi half;
    memcpy(&half, (const int32_t *)&x + h * (VL / 2), sizeof half);
    return half;
}

INLINE vd load_double(const double *p)
{
    vd v;
    memcpy(&v, p, sizeof v);
    return v;
}

// Minus zero stays what it is.
INLINE vd splat_double(double x)
{
    return x - (vd){0};
}

INLINE double double_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define POWER_OF_TWO(e) double_from_bits((uint64_t)(1023 + (e)) << 52)

#define DOUBLE_SIGN ((vl){0} + INT64_MIN)
#define DOUBLE_EXPONENT ((vl){0} + INT64_C(0x7ff0000000000000))
// Vector comparisons in double have no common instruction; powers of two compare as they are.
#define SELECT_DOUBLE(mask, a, b) ((vd)(((mask) & (vl)(a)) | (~(mask) & (vl)(b))))

// Of magnitudes below 2^51.
INLINE vd __attribute__((unused)) floor_double(vd x)
{
    vd magic = splat_double(1.5 * POWER_OF_TWO(52)), near = (x + magic) - magic;
    vl above = (vl)(near > x);
    return near - (vd)(above & (vl)splat_double(1));
}

// Nearest even to FP16, from a double, by adding a number whose last place is FP16's:
//
//   x in [2^e, 2^(e+1))      magic = 1.5 * 2^(e+42), last place 2^(e-10)        x + magic - magic
//
// e is at least -14, where FP16's last place is 2^-24; above 17 everything is Inf. The product with
// 2^1008 overflows from 65536 = 2^16 on, which is what FP16 rounds to Inf.
INLINE vd round_fp16_double(vd x)
{
    vd power = (vd)((vl)x & DOUBLE_EXPONENT);
    vd least = splat_double(POWER_OF_TWO(-14)), most = splat_double(POWER_OF_TWO(17));
    power = SELECT_DOUBLE(power < least, least, power);
    power = SELECT_DOUBLE(power > most, most, power);
    vd magic = power * (1.5 * POWER_OF_TWO(42));
    vd rounded = (x + magic) - magic;
    rounded = rounded * POWER_OF_TWO(1008) * POWER_OF_TWO(-1008);
    return (vd)(((vl)rounded & ~DOUBLE_SIGN) |
                ((vl)x & DOUBLE_SIGN)); // a zero keeps the sign of what it was
}

// The same from a float.
INLINE vf __attribute__((unused)) round_fp16(vf x)
{
    vi sign = splat(0x80000000u);
    vf power = (vf)((vi)x & splat(0x7f800000u));
    vf least = splat_float(0x1p-14f), most = splat_float(0x1p17f);
    vi small = power<least, big = power> most;
    power = (vf)((small & (vi)least) | (~small & (vi)power));
    power = (vf)((big & (vi)most) | (~big & (vi)power));
    vf magic = power * (1.5f * 0x1p13f);
    vf rounded = (x + magic) - magic;
    rounded = rounded * 0x1p112f * 0x1p-112f;
    return (vf)(((vi)rounded & ~sign) | ((vi)x & sign));
}
