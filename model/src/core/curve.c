// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh. Only integers compute, so that a core without floating point takes these
// functions, too.
#include "core/function.h"

#include "core/function_tables.h"

// The argument of tanh is a whole number of 2^-14, and its magnitude below 8. tanh is a
// whole number of 2^-24.
enum {
    FRACTION = 23,
    UNIT_BITS = 14,
    SATURATED = 8 << UNIT_BITS,
    ONE = 1 << 24,
    REST_BITS = 9, // of the argument behind the beginning of an interval
};
#define SIGN 0x80000000u
#define INFINITE 0x7f800000u

// |x| * 2^bits, rounded to nearest even; SATURATED for more, Inf included. x is no NaN.
static inline uint32_t fixed_of(uint32_t x, uint32_t bits)
{
    const uint32_t exponent = x << 1 >> (FRACTION + 1), places = 150 - bits - exponent;
    if (exponent >= 144 - bits) {
        return SATURATED;
    }
    if (places > 24) {
        return 0;
    }
    const uint32_t significand = (x & ((1u << FRACTION) - 1u)) | 1u << FRACTION;
    return (significand + (1u << (places - 1)) - 1u + (significand >> places & 1u)) >> places;
}

// tanh(argument * 2^-14) * 2^24
//
//   argument   | 0 1 .. | 5 bits | 9 bits |      below 2: the interval is what precedes the rest
//   argument   | 1 | 5 bits | 9 bits | 1 bit |   from 2 up to 4: the bit is dropped
//                                                from 4 on: two bits are dropped
static inline uint32_t tanh_of(uint32_t argument)
{
    if (argument >= SATURATED) {
        return ONE;
    }
    const uint32_t dropped = argument >> 16 != 0 ? 2 : argument >> 15;
    const uint32_t kept = argument >> dropped, rest = kept & ((1u << REST_BITS) - 1u);
    const uint16_t *at = &fp8mac_table_tanh[(kept >> REST_BITS) + 32 * dropped];
    return ((uint32_t)at[0] << REST_BITS) + (uint32_t)(at[1] - at[0]) * rest;
}

// number * 2^(exponent - 150), which is exact for a number of 2^24 at most
static inline uint32_t float_of(uint32_t number, uint32_t exponent)
{
    if (number == 0) {
        return 0;
    }
    while (number < 1u << FRACTION) {
        number <<= 1;
        exponent--;
    }
    return ((exponent - 1u) << FRACTION) + number;
}

static inline bool is_nan(uint32_t x)
{
    return (x & ~SIGN) > INFINITE;
}

uint32_t fp8mac_tanh_of(uint32_t x)
{
    if (is_nan(x)) {
        return FP8MAC_FP32_NAN;
    }
    const uint32_t number = tanh_of(fixed_of(x, UNIT_BITS));
    return number == 0 ? 0 : float_of(number, 126) | (x & SIGN);
}

// (1 + tanh(x / 2)) / 2. From 0 on it has 25 bits in units of 2^-25, of which the last is rounded.
uint32_t fp8mac_sigmoid_of(uint32_t x)
{
    if (is_nan(x)) {
        return FP8MAC_FP32_NAN;
    }
    const uint32_t number = tanh_of(fixed_of(x, UNIT_BITS - 1));
    if ((x & SIGN) != 0) {
        return float_of(ONE - number, 125);
    }
    const uint32_t sum = ONE + number;
    return (125u << FRACTION) + ((sum + (sum >> 1 & 1u)) >> 1);
}

uint32_t fp8mac_fp32_tanh(uint32_t x, fp8mac_flags *flags)
{
    (void)flags;
    return fp8mac_tanh_of(x);
}

uint32_t fp8mac_fp32_sigmoid(uint32_t x, fp8mac_flags *flags)
{
    (void)flags;
    return fp8mac_sigmoid_of(x);
}
