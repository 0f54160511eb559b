// SPDX-License-Identifier: Apache-2.0
// Every operation on floats is one FP32 operation to nearest even, in the library's environment.
// None of them has a special value as operand or result: those are selected before.
#include "core/function.h"

#include "core/environment.h"
#include "core/function_tables.h"

enum { FRACTION = 23, BIAS = 127, STEPS = 10, INDEX = FP8MAC_TABLE_ENTRIES - 1 };
#define INFINITE 0x7f800000u
#define SIGN 0x80000000u

static float entry(const uint32_t *table, uint32_t i)
{
    return fp8mac_float_from_bits(table[i]);
}

static uint32_t invalid(fp8mac_flags *flags)
{
    fp8mac_raise(flags, FP8MAC_FLAG_INVALID);
    return FP8MAC_FP32_NAN;
}

static uint32_t infinite(uint32_t sign, fp8mac_flags *flags)
{
    fp8mac_raise(flags, FP8MAC_FLAG_OVERFLOW);
    return sign | INFINITE;
}

// significand * 2^exponent, rounded once. A significand is a float, or the exact product of two of
// them, which a double holds, also scaled.
static uint32_t scaled(double significand, int exponent, fp8mac_flags *flags)
{
    const uint64_t field = (uint64_t)(1023 + exponent) << 52;
    double power;
    memcpy(&power, &field, sizeof power);
    const uint32_t bits = fp8mac_float_bits((float)(significand * power));
    return bits == INFINITE ? infinite(0, flags) : bits;
}

// ---- exponentials -------------------------------------------------------------------------------

// The least integer that is not below x, for |x| < 2^15.
static int ceiling(float x)
{
    const int whole = (int)x;
    return whole + (x > (float)whole);
}

// An exact power: significand * 2^exponent.
typedef struct power {
    double significand;
    int exponent;
} power;

// 2^t for t from -151 up to 129. A positive t is moved below 0.
//
//   |u| = | a, integer | i, 5 bits | j, 5 bits | -r * 2^10 ... |
//
// 2^u = 2^-a * 2^(-i/32) * (2^(-j/1024) * 2^r), and the last factor is a line.
static power power_of(float t)
{
    const int whole = t > 0 ? ceiling(t) : 0;
    const float u = whole == 0 ? t : t - (float)whole;
    const uint32_t steps = (uint32_t)(-u * 1024.0f);
    const float r = u + (float)steps / 1024.0f; // exact: the bits of u behind the last step
    const uint32_t i = steps >> FP8MAC_TABLE_BITS & INDEX, j = steps & INDEX;
    const float product = entry(fp8mac_table_exp2_slope, j) * r;
    const float line = entry(fp8mac_table_exp2_value, j) + product;
    const double both = (double)entry(fp8mac_table_exp2_coarse, i) * (double)line;
    return (power){both, whole - (int)(steps >> STEPS)};
}

// exp2 and exp of NaN, of Inf, and of numbers that no finite result other than 0 belongs to.
// `power` is the logarithm of the result to base 2.
static bool power_is_special(uint32_t x, float power, fp8mac_flags *flags, uint32_t *special)
{
    if (fp8mac_fp32_is_nan(x)) {
        *special = FP8MAC_FP32_NAN;
    } else if (power >= 129.0f) {
        *special = x == INFINITE ? INFINITE : infinite(0, flags);
    } else if (power <= -151.0f) {
        *special = 0;
    } else {
        return false;
    }
    return true;
}

uint32_t fp8mac_exp2_of(uint32_t x, fp8mac_flags *flags)
{
    uint32_t special;
    const float t = fp8mac_float_from_bits(x);
    if (power_is_special(x, t, flags, &special)) {
        return special;
    }
    const power y = power_of(t);
    return scaled(y.significand, y.exponent, flags);
}

// ln 2 in two parts. The first has 16 bits, so its product with an integer of 8 bits is exact.
#define LN2_HIGH 0x3f317200u
#define LN2_LOW 0x35bfbe8eu

// x = k * ln 2 + rest with k = ceil(x / ln 2), so exp(x) = 2^k * 2^(rest / ln 2). The rest may be
// slightly above 0.
uint32_t fp8mac_exp_of(uint32_t x, fp8mac_flags *flags)
{
    uint32_t special;
    const float log2_e = fp8mac_float_from_bits(FP8MAC_LOG2_E);
    const float value = fp8mac_float_from_bits(x), t = value * log2_e;
    if (power_is_special(x, t, flags, &special)) {
        return special;
    }
    const int whole = ceiling(t);
    const float high = (float)whole * fp8mac_float_from_bits(LN2_HIGH);
    const float low = (float)whole * fp8mac_float_from_bits(LN2_LOW);
    const float rest = value - high;
    const float less = rest - low;
    const power y = power_of(less * log2_e);
    return scaled(y.significand, y.exponent + whole, flags);
}

// ---- reciprocals: a line, then one step of Newton's iteration -----------------------------------

// significand * 2^exponent
typedef struct result {
    float significand;
    int exponent;
} result;

// x = m * 2^e of a finite magnitude that is not 0, with m from 1 up to 2.
static result normalised(uint32_t magnitude)
{
    int exponent = (int)(magnitude >> FRACTION) - BIAS;
    uint32_t fraction = magnitude & ((1u << FRACTION) - 1u);
    if (magnitude < 1u << FRACTION) {
        for (exponent = 1 - BIAS; fraction < 1u << FRACTION; exponent--) {
            fraction <<= 1;
        }
        fraction -= 1u << FRACTION;
    }
    return (result){fp8mac_float_from_bits((uint32_t)BIAS << FRACTION | fraction), exponent};
}

static uint32_t interval_of(float m)
{
    return fp8mac_float_bits(m) >> (FRACTION - FP8MAC_TABLE_BITS) & INDEX;
}

// 2 / m, for m from 1 up to 2
static float twice_reciprocal(float m)
{
    const uint32_t i = interval_of(m);
    const float product = entry(fp8mac_table_reciprocal_slope, i) * m;
    const float first = entry(fp8mac_table_reciprocal_value, i) - product;
    const float one = first * 0.5f * m;
    const float error = 1.0f - one;
    const float correction = first * error;
    return first + correction;
}

// 2 / sqrt(m), for m from 1 up to 4
static float twice_root(float m)
{
    const uint32_t i = interval_of(m) + (m < 2.0f ? 0u : FP8MAC_TABLE_ENTRIES);
    const float product = entry(fp8mac_table_root_slope, i) * m;
    const float first = entry(fp8mac_table_root_value, i) - product;
    const float half = first * 0.5f;
    const float root = half * m;
    const float one = half * root;
    const float error = 1.0f - one;
    const float correction = half * error;
    return first + correction;
}

uint32_t fp8mac_reciprocal_of(uint32_t x, fp8mac_flags *flags)
{
    const uint32_t sign = x & SIGN, magnitude = x & ~SIGN;
    if (magnitude >= INFINITE) {
        return magnitude == INFINITE ? sign : FP8MAC_FP32_NAN;
    }
    if (magnitude == 0) {
        return infinite(sign, flags);
    }
    const result of = normalised(magnitude);
    return sign | scaled(twice_reciprocal(of.significand), -of.exponent - 1, flags);
}

uint32_t fp8mac_rsqrt_of(uint32_t x, fp8mac_flags *flags)
{
    if (fp8mac_fp32_is_nan(x)) {
        return FP8MAC_FP32_NAN;
    }
    if ((x & ~SIGN) == 0) {
        return infinite(x, flags);
    }
    if ((x & SIGN) != 0) {
        return invalid(flags);
    }
    if (x == INFINITE) {
        return 0;
    }
    const result of = normalised(x);
    const int odd = of.exponent & 1;
    const float m = odd != 0 ? of.significand * 2.0f : of.significand;
    return scaled(twice_root(m), -(of.exponent - odd) / 2 - 1, flags);
}

// ---- in any floating-point environment ----------------------------------------------------------

FP8MAC_APART static uint32_t apart(uint32_t (*function)(uint32_t, fp8mac_flags *), uint32_t x,
                                   fp8mac_flags *flags)
{
    return function(x, flags);
}

uint32_t fp8mac_fp32_exp2(uint32_t x, fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(uint32_t, apart(fp8mac_exp2_of, x, flags));
}

uint32_t fp8mac_fp32_exp(uint32_t x, fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(uint32_t, apart(fp8mac_exp_of, x, flags));
}

uint32_t fp8mac_fp32_reciprocal(uint32_t x, fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(uint32_t, apart(fp8mac_reciprocal_of, x, flags));
}

uint32_t fp8mac_fp32_rsqrt(uint32_t x, fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(uint32_t, apart(fp8mac_rsqrt_of, x, flags));
}
