// SPDX-License-Identifier: Apache-2.0
// Exact sums as 128-bit integers with an exponent, and their conversion to a value. The compiler
// has such integers on 64-bit machines; elsewhere they are two halves. Only the functions below
// tell them apart. Results must fit 128 bits in two's complement.
#ifndef FP8MAC_WIDE_H
#define FP8MAC_WIDE_H

#include "core/internal.h"
#include "core/round.h"

// FP8MAC_HALVES selects two halves where both are possible, for tests.
#if defined(__SIZEOF_INT128__) && !defined(FP8MAC_HALVES)

__extension__ typedef __int128 fp8mac_wide;
__extension__ typedef unsigned __int128 fp8mac_wide_bits;

static inline fp8mac_wide fp8mac_wide_of(int64_t x)
{
    return x;
}

static inline fp8mac_wide fp8mac_wide_of_halves(uint64_t high, uint64_t low)
{
    return (fp8mac_wide)((fp8mac_wide_bits)high << 64 | low);
}

static inline uint64_t fp8mac_wide_low(fp8mac_wide x)
{
    return (uint64_t)x;
}

static inline uint64_t fp8mac_wide_high(fp8mac_wide x)
{
    return (uint64_t)((fp8mac_wide_bits)x >> 64);
}

static inline fp8mac_wide fp8mac_wide_product(int64_t a, int64_t b)
{
    return (fp8mac_wide)a * b;
}

// Modulo 2^128.
static inline fp8mac_wide fp8mac_wide_sum(fp8mac_wide a, fp8mac_wide b)
{
    return (fp8mac_wide)((fp8mac_wide_bits)a + (fp8mac_wide_bits)b);
}

static inline fp8mac_wide fp8mac_wide_negated(fp8mac_wide x)
{
    return (fp8mac_wide) - (fp8mac_wide_bits)x;
}

// x * 2^n, 0 <= n < 128.
static inline fp8mac_wide fp8mac_wide_shifted(fp8mac_wide x, int32_t n)
{
    return (fp8mac_wide)((fp8mac_wide_bits)x << n);
}

// x / 2^n for an x >= 0, truncated, 0 <= n < 128.
static inline fp8mac_wide fp8mac_wide_truncated(fp8mac_wide x, int32_t n)
{
    return (fp8mac_wide)((fp8mac_wide_bits)x >> n);
}

#else

typedef struct fp8mac_wide {
    uint64_t high, low;
} fp8mac_wide;

static inline fp8mac_wide fp8mac_wide_of(int64_t x)
{
    return (fp8mac_wide){x < 0 ? UINT64_MAX : 0, (uint64_t)x};
}

static inline fp8mac_wide fp8mac_wide_of_halves(uint64_t high, uint64_t low)
{
    return (fp8mac_wide){high, low};
}

static inline uint64_t fp8mac_wide_low(fp8mac_wide x)
{
    return x.low;
}

static inline uint64_t fp8mac_wide_high(fp8mac_wide x)
{
    return x.high;
}

// Modulo 2^128.
static inline fp8mac_wide fp8mac_wide_sum(fp8mac_wide a, fp8mac_wide b)
{
    const uint64_t low = a.low + b.low;
    return (fp8mac_wide){a.high + b.high + (low < a.low), low};
}

static inline fp8mac_wide fp8mac_wide_negated(fp8mac_wide x)
{
    return (fp8mac_wide){~x.high + (x.low == 0), -x.low};
}

// Magnitudes are multiplied by 32-bit digits:
//
//        [ high * high ]
//            [ middle  ]        high * low + low * high, with a carry
//                [  low * low  ]
static inline fp8mac_wide fp8mac_wide_product(int64_t a, int64_t b)
{
    const uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    const uint64_t x_low = x & UINT32_MAX, y_low = y & UINT32_MAX;
    const uint64_t low = x_low * y_low, first = (x >> 32) * y_low + (low >> 32),
                   second = x_low * (y >> 32) + (first & UINT32_MAX);
    const fp8mac_wide product = {(x >> 32) * (y >> 32) + (first >> 32) + (second >> 32),
                                 second << 32 | (low & UINT32_MAX)};
    return (a < 0) != (b < 0) ? fp8mac_wide_negated(product) : product;
}

// x * 2^n, 0 <= n < 128.
static inline fp8mac_wide fp8mac_wide_shifted(fp8mac_wide x, int32_t n)
{
    return n == 0   ? x
           : n < 64 ? (fp8mac_wide){x.high << n | x.low >> (64 - n), x.low << n}
                    : (fp8mac_wide){x.low << (n - 64), 0};
}

// x / 2^n for an x >= 0, truncated, 0 <= n < 128.
static inline fp8mac_wide fp8mac_wide_truncated(fp8mac_wide x, int32_t n)
{
    return n == 0   ? x
           : n < 64 ? (fp8mac_wide){x.high >> n, x.low >> n | x.high << (64 - n)}
                    : (fp8mac_wide){0, x.high >> (n - 64)};
}

#endif

static inline bool fp8mac_wide_is_negative(fp8mac_wide x)
{
    return fp8mac_wide_high(x) >> 63 != 0;
}

static inline bool fp8mac_wide_is_zero(fp8mac_wide x)
{
    return (fp8mac_wide_high(x) | fp8mac_wide_low(x)) == 0;
}

static inline fp8mac_wide fp8mac_wide_magnitude(fp8mac_wide x)
{
    return fp8mac_wide_is_negative(x) ? fp8mac_wide_negated(x) : x;
}

// x / 2^n, truncated toward zero.
static inline fp8mac_wide fp8mac_wide_divided(fp8mac_wide x, int32_t n)
{
    const fp8mac_wide magnitude = fp8mac_wide_truncated(fp8mac_wide_magnitude(x), n);
    return fp8mac_wide_is_negative(x) ? fp8mac_wide_negated(magnitude) : magnitude;
}

// (-1)^sign * significand, for a significand below 2^63.
static inline fp8mac_wide fp8mac_wide_signed(bool sign, uint64_t significand)
{
    return fp8mac_wide_of(sign ? -(int64_t)significand : (int64_t)significand);
}

// Bits of x without its sign.
static inline int32_t fp8mac_wide_bit_length(fp8mac_wide x)
{
    const fp8mac_wide magnitude = fp8mac_wide_magnitude(x);
    const uint64_t high = fp8mac_wide_high(magnitude);
    return high != 0 ? 64 + fp8mac_bit_length(high) : fp8mac_bit_length(fp8mac_wide_low(magnitude));
}

// x * 2^exponent, reduced to its first 64 bits. Dropped bits are ORed into the last of them, which
// is sticky. A rounding to at most 62 bits gives the result of the whole.
static inline fp8mac_value fp8mac_value_from_wide(fp8mac_wide x, int32_t exponent)
{
    if (fp8mac_wide_is_zero(x)) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_ZERO};
    }
    const fp8mac_wide magnitude = fp8mac_wide_magnitude(x);
    const int32_t length = fp8mac_wide_bit_length(x), shift = length > 64 ? length - 64 : 0;
    const uint64_t kept = fp8mac_wide_low(fp8mac_wide_truncated(magnitude, shift));
    const bool is_sticky = shift > 0 && fp8mac_wide_low(magnitude) << (64 - shift) != 0;
    return (fp8mac_value){.cls = FP8MAC_CLASS_FINITE,
                          .sign = fp8mac_wide_is_negative(x),
                          .significand = kept | is_sticky,
                          .exponent = exponent + shift};
}

#endif
