// SPDX-License-Identifier: Apache-2.0
#include "core/internal.h"

static uint32_t fp32_round(fp8mac_value value, fp8mac_flags *flags)
{
    return fp8mac_encode_independent(fp8mac_format_get(FP8MAC_FP32), value,
                                     FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_IEEE, flags);
}

static uint32_t fp32_invalid(fp8mac_flags *flags)
{
    fp8mac_raise(flags, FP8MAC_FLAG_INVALID);
    return FP8MAC_FP32_NAN;
}

fp8mac_value fp8mac_value_mul_finite(fp8mac_value a, fp8mac_value b)
{
    fp8mac_value product = {.cls = FP8MAC_CLASS_ZERO, .sign = a.sign != b.sign};
    if (a.cls == FP8MAC_CLASS_FINITE && b.cls == FP8MAC_CLASS_FINITE) {
        product.cls = FP8MAC_CLASS_FINITE;
        product.significand = a.significand * b.significand;
        product.exponent = a.exponent + b.exponent;
    }
    return product;
}

uint32_t fp8mac_fp32_mul_values(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags)
{
    if (a.cls == FP8MAC_CLASS_NAN || b.cls == FP8MAC_CLASS_NAN) {
        return FP8MAC_FP32_NAN;
    }
    if (a.cls == FP8MAC_CLASS_INF || b.cls == FP8MAC_CLASS_INF) {
        if (a.cls == FP8MAC_CLASS_ZERO || b.cls == FP8MAC_CLASS_ZERO) {
            return fp32_invalid(flags);
        }
        return fp32_round((fp8mac_value){.cls = FP8MAC_CLASS_INF, .sign = a.sign != b.sign}, flags);
    }
    return fp32_round(fp8mac_value_mul_finite(a, b), flags);
}

// ---- normal numbers with a normal result: most operations, and without flags --------------------

enum { FRACTION = 23, BIAS = 127, GUARD_BITS = 3, LARGEST_FIELD = 254 };
#define HIDDEN (1u << FRACTION)
#define SIGN 0x80000000u

static uint32_t field_of(uint32_t x)
{
    return x >> FRACTION & 0xffu;
}

static uint32_t significand_of(uint32_t x)
{
    return (x & (HIDDEN - 1u)) | HIDDEN;
}

static bool are_normal(uint32_t a, uint32_t b, const fp8mac_flags *flags)
{
    return field_of(a) - 1u < LARGEST_FIELD && field_of(b) - 1u < LARGEST_FIELD &&
           !fp8mac_tracks_inexact(flags);
}

// A carry out of the significand increments the exponent field. False: the result may not be
// normal.
static bool pack(uint32_t sign, int32_t field, uint32_t significand, uint32_t *result)
{
    *result = sign | (((uint32_t)field << FRACTION) + significand - HIDDEN);
    return field >= 1 && field < LARGEST_FIELD;
}

//   46                     23                     0       47 if the product of significands is 2 or
//                                                         more
//  [ significand, 24 bits  ][ below, 23 bits       ]
static bool multiply_normal(uint32_t a, uint32_t b, uint32_t *result)
{
    const uint64_t product = (uint64_t)significand_of(a) * significand_of(b);
    const uint32_t carry = (uint32_t)(product >> (2 * FRACTION + 1)), shift = FRACTION + carry;
    const uint32_t kept = (uint32_t)(product >> shift), half = 1u << (shift - 1u);
    const uint32_t below = (uint32_t)product & ((half << 1) - 1u);
    const uint32_t up = below > half || (below == half && (kept & 1u) != 0);
    return pack((a ^ b) & SIGN, (int32_t)(field_of(a) + field_of(b) + carry) - BIAS, kept + up,
                result);
}

// The operand of smaller magnitude, in units of the larger one's last place / 8. The last bit is
// set if bits are lost.
static uint32_t aligned(uint32_t significand, uint32_t distance)
{
    const uint32_t x = significand << GUARD_BITS;
    if (distance > FRACTION + GUARD_BITS) {
        return 1;
    }
    return x >> distance | ((x & ((1u << distance) - 1u)) != 0);
}

static bool add_normal(uint32_t a, uint32_t b, uint32_t *result)
{
    const uint32_t big = (a << 1) >= (b << 1) ? a : b, small = big ^ a ^ b;
    int32_t field = (int32_t)field_of(big);
    uint32_t sum = significand_of(big) << GUARD_BITS;
    const uint32_t other = aligned(significand_of(small), field_of(big) - field_of(small));
    sum = ((a ^ b) & SIGN) == 0 ? sum + other : sum - other;
    if (sum == 0) {
        *result = 0;
        return true;
    }
    if (sum >> (FRACTION + GUARD_BITS + 1) != 0) {
        sum = sum >> 1 | (sum & 1u);
        field++;
    }
    for (; sum >> (FRACTION + GUARD_BITS) == 0; field--) {
        sum <<= 1;
    }
    const uint32_t odd = sum >> GUARD_BITS & 1u;
    return pack(big & SIGN, field, (sum + 3u + odd) >> GUARD_BITS, result);
}

uint32_t fp8mac_fp32_mul(uint32_t a, uint32_t b, fp8mac_flags *flags)
{
    uint32_t result;
    if (are_normal(a, b, flags) && multiply_normal(a, b, &result)) {
        return result;
    }
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    return fp8mac_fp32_mul_values(fp8mac_decode(fp32, a), fp8mac_decode(fp32, b), flags);
}

// The sum of two finite FP32 values that are not zero. It is exact except for a sticky last bit far
// below the rounding position.
//
//   63 62 61            38                    0
//   [0][c][ big, 24 bits  ][   GUARD bits      ]        c: the carry of the addition
//             [ small, 24 bits, shifted right  ]s       s: ORed into bit 0 if small loses bits
//
// Bits are lost only if the exponents differ by more than GUARD; then big is normal, so the sum
// keeps at least 24 + GUARD - 1 significant bits and the sticky bit is far below the 25th.
static fp8mac_value add_finite(fp8mac_value a, fp8mac_value b)
{
    enum { GUARD = 38 };
    fp8mac_value big = a.exponent >= b.exponent ? a : b;
    fp8mac_value small = a.exponent >= b.exponent ? b : a;
    int32_t distance = big.exponent - small.exponent;
    uint64_t x = big.significand << GUARD;
    uint64_t y = small.significand << GUARD;
    uint64_t aligned = distance < 64 ? y >> distance : 0;
    bool lost = distance < 64 ? (aligned << distance) != y : true;

    fp8mac_value sum = {
        .cls = FP8MAC_CLASS_FINITE, .sign = big.sign, .exponent = big.exponent - GUARD};
    if (big.sign == small.sign) {
        sum.significand = (x + aligned) | (lost ? 1 : 0);
    } else if (x >= aligned) {
        sum.significand = (x - aligned - (lost ? 1 : 0)) | (lost ? 1 : 0);
    } else {
        sum.significand = aligned - x; // nothing is lost here: the exponents are equal or nearly so
        sum.sign = small.sign;
    }
    if (sum.significand == 0) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_ZERO, .sign = false};
    }
    return sum;
}

uint32_t fp8mac_fp32_add(uint32_t a_code, uint32_t b_code, fp8mac_flags *flags)
{
    uint32_t result;
    if (are_normal(a_code, b_code, flags) && add_normal(a_code, b_code, &result)) {
        return result;
    }
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    fp8mac_value a = fp8mac_decode(fp32, a_code);
    fp8mac_value b = fp8mac_decode(fp32, b_code);
    if (a.cls == FP8MAC_CLASS_NAN || b.cls == FP8MAC_CLASS_NAN) {
        return FP8MAC_FP32_NAN;
    }
    if (a.cls == FP8MAC_CLASS_INF || b.cls == FP8MAC_CLASS_INF) {
        if (a.cls == b.cls && a.sign != b.sign) {
            return fp32_invalid(flags);
        }
        return a.cls == FP8MAC_CLASS_INF ? a_code : b_code;
    }
    if (a.cls == FP8MAC_CLASS_ZERO && b.cls == FP8MAC_CLASS_ZERO) {
        return a_code & b_code; // -0 only if both are
    }
    if (a.cls == FP8MAC_CLASS_ZERO || b.cls == FP8MAC_CLASS_ZERO) {
        return a.cls == FP8MAC_CLASS_ZERO ? b_code : a_code;
    }
    return fp32_round(add_finite(a, b), flags);
}
