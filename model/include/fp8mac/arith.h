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

// The functions on values take values with significands below 2^32, of whatever formats: what
// fp8mac_decode gives.

// Exact comparison.
fp8mac_order fp8mac_compare(fp8mac_value a, fp8mac_value b);
// Exact sum and product, with a sticky last bit at least 48 bits below the larger operand's last,
// which no rounding to a format can tell from the whole. Signs and specials as in IEEE 754, a NaN
// being positive; Inf - Inf and Inf * 0 are NaN and raise `invalid`.
fp8mac_value fp8mac_value_add(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags);
fp8mac_value fp8mac_value_mul(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags);
// -x and |x| as codes of the format: exact, except that -128 of an integer format becomes 127 (flag
// `saturated`). A FNUZ 0x00 or 0x80 is its own negative and magnitude; a NaN keeps its payload; a
// code of an unsigned format other than 0 has no negative: NaN if the format has one, else 0, and
// `invalid`.
uint32_t fp8mac_neg(const fp8mac_format *format, uint32_t code, fp8mac_flags *flags);
uint32_t fp8mac_abs(const fp8mac_format *format, uint32_t code, fp8mac_flags *flags);

// a + b and a * b of two codes of one format, rounded once as fp8mac_encode does. A NaN result is
// the positive one.
uint32_t fp8mac_add(const fp8mac_format *format, uint32_t a, uint32_t b, fp8mac_convert_mode mode,
                    fp8mac_flags *flags);
uint32_t fp8mac_mul(const fp8mac_format *format, uint32_t a, uint32_t b, fp8mac_convert_mode mode,
                    fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
