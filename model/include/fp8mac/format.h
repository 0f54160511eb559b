// SPDX-License-Identifier: Apache-2.0
// Number formats as rows of data: the arithmetic never branches on a format's name.
//
// A value is (-1)^sign * significand * 2^exponent. After fp8mac_decode nothing knows the format.
#ifndef FP8MAC_FORMAT_H
#define FP8MAC_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8mac_nan_encoding {
    FP8MAC_NAN_NONE,          // every code is a number
    FP8MAC_NAN_IEEE,          // exponent all ones: mantissa 0 is Inf, the others NaN
    FP8MAC_NAN_ALL_ONES,      // exponent and mantissa all ones (OCP e4m3fn); no Inf
    FP8MAC_NAN_NEGATIVE_ZERO, // the code of -0 only (FNUZ); no Inf, no -0
} fp8mac_nan_encoding;

typedef enum fp8mac_exponent_zero {
    FP8MAC_EXPONENT_ZERO_SUBNORMAL, // exponent field 0: gradual underflow at 1 - bias (IEEE 754)
    FP8MAC_EXPONENT_ZERO_AT_BIAS,   // exponent field 0: 0.mmm * 2^-bias (Tesla CFloat8)
    FP8MAC_EXPONENT_ZERO_NORMAL,    // exponent field 0 is a normal binade except for zero itself (HFP8)
} fp8mac_exponent_zero;

// One row. Layout of a code, from the top: sign (if signed), exponent, mantissa.
typedef struct fp8mac_format {
    const char *name;        // as NumPy's ml_dtypes spells it
    bool is_signed;
    uint8_t exponent_bits;   // 1..8
    uint8_t mantissa_bits;   // 0..23
    int16_t bias;            // value of a normal code: 1.mantissa * 2^(field - bias)
    bool has_inf;
    bool has_negative_zero;
    fp8mac_nan_encoding nan_encoding;
    fp8mac_exponent_zero exponent_zero;
} fp8mac_format;

// Identifiers 0..3 are the codes that the RTL's registers use for A and B, 0..6 those for D.
typedef enum fp8mac_format_id {
    FP8MAC_E4M3FN = 0,
    FP8MAC_E5M2 = 1,
    FP8MAC_E4M3FNUZ = 2,
    FP8MAC_E5M2FNUZ = 3,
    FP8MAC_FP16 = 4,
    FP8MAC_BF16 = 5,
    FP8MAC_FP32 = 6,
    FP8MAC_FORMAT_COUNT
} fp8mac_format_id;

// The row of `id`, or NULL if there is none. Rows live for the whole program.
const fp8mac_format *fp8mac_format_get(fp8mac_format_id id);
// The row whose name is `name` ("e4m3fn", ..., "float16", "bfloat16", "float32"; "fp16", "bf16" and "fp32" are
// accepted too), or NULL.
const fp8mac_format *fp8mac_format_by_name(const char *name);
// FP8MAC_OK if the row describes a format this library can compute with, else FP8MAC_ERR_FORMAT: at present signed rows
// with gradual underflow, a bias in -128..255, and specials that fit together.
fp8mac_status fp8mac_format_validate(const fp8mac_format *format);

// Width of a code in bits (8, 16 or 32 for the built-in rows) and of its container in bytes (1, 2 or 4).
unsigned fp8mac_format_bits(const fp8mac_format *format);
unsigned fp8mac_format_bytes(const fp8mac_format *format);

typedef enum fp8mac_class {
    FP8MAC_CLASS_ZERO,
    FP8MAC_CLASS_FINITE, // non-zero
    FP8MAC_CLASS_INF,
    FP8MAC_CLASS_NAN,
} fp8mac_class;

// (-1)^sign * significand * 2^exponent for FP8MAC_CLASS_FINITE; for the other classes significand
// and exponent are 0. A decoded code has significand < 2^(mantissa_bits + 1), not normalised: a subnormal keeps
// the minimum exponent. Zero and NaN carry the sign of their code.
typedef struct fp8mac_value {
    fp8mac_class cls;
    bool sign;
    int32_t exponent;
    uint64_t significand;
} fp8mac_value;

// Decodes the low fp8mac_format_bits(format) bits of `code`. Exact. `format` must be valid.
fp8mac_value fp8mac_decode(const fp8mac_format *format, uint32_t code);

// The value as a double: exact for every format of the table (NaN gives a quiet NaN with the value's sign).
double fp8mac_value_to_double(fp8mac_value value);
// Exact decomposition of a double.
fp8mac_value fp8mac_value_from_double(double x);

// Largest finite code (positive), and the canonical positive NaN code (0 where there is no NaN).
uint32_t fp8mac_format_max_code(const fp8mac_format *format);
uint32_t fp8mac_format_nan_code(const fp8mac_format *format);

#ifdef __cplusplus
}
#endif
#endif
