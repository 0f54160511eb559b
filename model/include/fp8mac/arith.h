// SPDX-License-Identifier: Apache-2.0
// Arithmetic by value, for every format: decode, compute exactly, encode once. Not in firmware.
#ifndef FP8MAC_ARITH_H
#define FP8MAC_ARITH_H

#include "fp8mac/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8mac_order {
    FP8MAC_LESS = -1,
    FP8MAC_EQUAL = 0, // also -0 and +0
    FP8MAC_GREATER = 1,
    FP8MAC_UNORDERED = 2, // a NaN
} fp8mac_order;

// The functions on values take values of any formats, also of two different ones. Significands must
// be below 2^32, as those that fp8mac_decode returns are.

// Exact comparison.
fp8mac_order fp8mac_compare(fp8mac_value a, fp8mac_value b);
// Exact sum and product, except that a sum of far distant operands ends in a sticky bit. The sticky
// bit lies at least 48 bits below the larger operand's last bit. Every rounding to a format
// therefore gives the result of the exact sum. Signs and special values are those of IEEE 754. A
// NaN result is positive. Inf - Inf and Inf * 0 give NaN and raise `invalid`.
fp8mac_value fp8mac_value_add(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags);
fp8mac_value fp8mac_value_mul(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags);
// -x and |x| as codes of the format. Both are exact, except that -128 of an integer format becomes
// 127 and raises `saturated`. A NaN keeps its payload. In a FNUZ format, each of 0x00 and 0x80 is
// its own negative and magnitude. In an unsigned format, only 0 has a negative. Any other code then
// gives NaN, or 0 if the format has no NaN, and raises `invalid`.
uint32_t fp8mac_neg(const fp8mac_format *format, uint32_t code, fp8mac_flags *flags);
uint32_t fp8mac_abs(const fp8mac_format *format, uint32_t code, fp8mac_flags *flags);

// a + b and a * b of two codes of one format, rounded once as fp8mac_encode does. A NaN result is
// positive.
uint32_t fp8mac_add(const fp8mac_format *format, uint32_t a, uint32_t b, fp8mac_convert_mode mode,
                    fp8mac_flags *flags);
uint32_t fp8mac_mul(const fp8mac_format *format, uint32_t a, uint32_t b, fp8mac_convert_mode mode,
                    fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
