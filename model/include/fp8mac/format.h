// SPDX-License-Identifier: Apache-2.0
// Number formats as data: the arithmetic never branches on a format's name.
//
// A value is (-1)^sign * significand * 2^exponent. After fp8mac_decode nothing knows the format.
#ifndef FP8MAC_FORMAT_H
#define FP8MAC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
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
    // exponent field 0 is a normal binade at -bias, except that a mantissa of 0 is zero itself
    // (HFP8). A format without mantissa bits then has no zero: its code 0 is the power of two
    // 2^-bias (E8M0)
    FP8MAC_EXPONENT_ZERO_NORMAL,
} fp8mac_exponent_zero;

// One format. Layout of a code, from the top: sign (if signed), exponent, mantissa. A signed format
// without exponent bits is an integer in two's complement (INT8, MXINT8): mantissa_bits besides the
// sign, in units of 2^(1 - bias - mantissa_bits); conversions to it are clamped to
// +-(2^mantissa_bits - 1).
typedef struct fp8mac_format {
    const char *name; // as NumPy's ml_dtypes spells it
    bool is_signed;
    uint8_t exponent_bits; // 1..8; 0: two's complement
    uint8_t mantissa_bits; // 0..23
    int16_t bias;          // value of a normal code: 1.mantissa * 2^(field - bias)
    bool has_inf;
    bool has_negative_zero;
    fp8mac_nan_encoding nan_encoding;
    fp8mac_exponent_zero exponent_zero;
} fp8mac_format;

// Identifiers 0..3 are the codes that the RTL's registers use for A and B, 0..7 those for D.
typedef enum fp8mac_format_id {
    FP8MAC_E4M3FN = 0,
    FP8MAC_E5M2 = 1,
    FP8MAC_E4M3FNUZ = 2,
    FP8MAC_E5M2FNUZ = 3,
    FP8MAC_FP16 = 4,
    FP8MAC_BF16 = 5,
    FP8MAC_FP32 = 6,
    FP8MAC_INT8 = 7, // two's complement in units of 1
    // The number of formats above, which C and D may have. FP8MAC_FORMAT_COUNT counts all.
    FP8MAC_ARRAY_FORMAT_COUNT = 8,
    // FP8MAC_E3M2FN, _E2M3FN and _E2M1FN are formats of A and B too. The others are for the model
    // alone.
    FP8MAC_E4M3 = 8,         // IEEE-like: Inf and NaN above 240 (ml_dtypes float8_e4m3)
    FP8MAC_E3M4 = 9,         // IEEE-like: Inf and NaN above 15.5 (ml_dtypes float8_e3m4)
    FP8MAC_E4M3B11FNUZ = 10, // bias 11, max 30 (ml_dtypes float8_e4m3b11fnuz)
    // IBM's hybrid FP8 forward format: +-30, no Inf, NaN or subnormals (NeurIPS 2019)
    FP8MAC_HFP8_E4M3 = 11,
    // Tesla Dojo, bias 0..63 (here 7), every code finite, denormals 0.mmm * 2^-bias
    FP8MAC_CFLOAT8_E4M3 = 12,
    FP8MAC_CFLOAT8_E5M2 = 13, // likewise (here 15)
    // Qualcomm's studies (arXiv 2208.09225): every code finite, flexible bias (here 15)
    FP8MAC_QC_E5M2 = 14,
    FP8MAC_QC_E4M3 = 15, // (here 7)
    FP8MAC_QC_E3M4 = 16, // (here 3)
    FP8MAC_QC_E2M5 = 17, // (here 1)
    // Intel Gaudi 2: IEEE-like, max 240 at bias 7; bias 3, 7, 11 or 15 (here 7)
    FP8MAC_GAUDI_E4M3 = 18,
    FP8MAC_E3M2FN = 19, // OCP MX elements: every code finite
    FP8MAC_E2M3FN = 20,
    FP8MAC_E2M1FN = 21,
    FP8MAC_MXINT8 = 22,  // OCP MX: two's complement in units of 2^-6
    FP8MAC_E8M0FNU = 23, // OCP MX scale: a power of two, 0xff is NaN, no zero, no sign
    // Hopper's FP8 accumulator: FP32 without its low 10 fraction bits, 22 bits here
    FP8MAC_E8M13 = 24,
    FP8MAC_E6M9 = 25, // 1-6-9, IBM's accumulator: bias 31, IEEE-like, 16 bits
    FP8MAC_FORMAT_COUNT
} fp8mac_format_id;

// The format of `id`, or NULL if there is none. Formats live for the whole program.
const fp8mac_format *fp8mac_format_get(fp8mac_format_id id);
// The format whose name is `name` ("e4m3fn", ..., "float16", "bfloat16", "float32"; "fp16", "bf16",
// "fp32" and "1-6-9" are accepted too), or NULL.
const fp8mac_format *fp8mac_format_by_name(const char *name);
// A copy of the format with another bias: FP8MAC_CFLOAT8_* 0..63; FP8MAC_GAUDI_E4M3 3, 7, 11 or 15;
// FP8MAC_QC_* -128..255. A bias that the format cannot have gives a format
// that fp8mac_format_validate refuses.
fp8mac_format fp8mac_format_with_bias(fp8mac_format_id id, int bias);
// FP8MAC_OK if this library can compute with the format, else FP8MAC_ERR_FORMAT. A valid format has
// at most 8 exponent bits and 23 mantissa bits, at least two bits besides the sign, a bias in
// -128..255, and special values that fit together. An unsigned format has no negative zero. A
// format without exponent bits is signed, gradual and without Inf and NaN.
fp8mac_status fp8mac_format_validate(const fp8mac_format *format);
// The reason why fp8mac_format_validate refuses the format, as one sentence in English. NULL if it
// accepts the format.
const char *fp8mac_format_refusal(const fp8mac_format *format);

// Width of a code in bits (8, 16 or 32 for the formats that the array uses) and of its container in
// bytes (1, 2 or 4).
unsigned fp8mac_format_bits(const fp8mac_format *format);
unsigned fp8mac_format_bytes(const fp8mac_format *format);

typedef enum fp8mac_class {
    FP8MAC_CLASS_ZERO,
    FP8MAC_CLASS_FINITE, // non-zero
    FP8MAC_CLASS_INF,
    FP8MAC_CLASS_NAN,
} fp8mac_class;

// (-1)^sign * significand * 2^exponent for FP8MAC_CLASS_FINITE; for the other classes significand
// and exponent are 0. A decoded code has significand < 2^(mantissa_bits + 1), not normalised: a
// subnormal keeps the minimum exponent. Zero and NaN carry the sign of their code. The exponent
// that alignment sees is `exponent` + mantissa_bits: the significand is then in [0, 2).
typedef struct fp8mac_value {
    fp8mac_class cls;
    bool sign;
    int32_t exponent;
    uint64_t significand;
} fp8mac_value;

// Decodes the low fp8mac_format_bits(format) bits of `code`. Exact. `format` must be valid.
fp8mac_value fp8mac_decode(const fp8mac_format *format, uint32_t code);

// The value as a double: exact for every format of the table (NaN gives a quiet NaN with the
// value's sign).
double fp8mac_value_to_double(fp8mac_value value);
// Exact decomposition of a double.
fp8mac_value fp8mac_value_from_double(double x);

// Largest finite code (positive), and the canonical positive NaN code (0 where there is no NaN).
uint32_t fp8mac_format_max_code(const fp8mac_format *format);
uint32_t fp8mac_format_nan_code(const fp8mac_format *format);

// The significand's unit in the format's smallest binade: every finite value is a multiple of
// 2^this.
int32_t fp8mac_format_unit_exponent(const fp8mac_format *format);

// ---- values by value, for people, tests and scoreboards (not in firmware) -----------------------

// One code taken apart.
typedef struct fp8mac_record {
    uint32_t code; // the format's bits alone
    fp8mac_class cls;
    bool sign;
    bool subnormal; // finite, in the binade of the smallest exponent, without the hidden one
    // finite: of the significand read as d.ddd, i.e. fp8mac_value's exponent + mantissa_bits
    int32_t exponent;
    uint64_t significand; // finite: as in fp8mac_value
    double value;         // exact
} fp8mac_record;

fp8mac_record fp8mac_record_of(const fp8mac_format *format, uint32_t code);

typedef enum fp8mac_text_style {
    FP8MAC_TEXT_DECIMAL = 0, // every digit: "-0.001953125", "448", "0", "-0", "inf", "nan"
    FP8MAC_TEXT_HEX = 1,     // as C's %a, one hidden digit: "0x1.cp+8", "-0x1p-9", "0x0p+0"
} fp8mac_text_style;

// Writes the exact value and a NUL; at most `size` bytes are touched. Returns the length without
// the NUL that it has or would have, as snprintf does. 400 bytes hold every value of every format,
// and 2300 bytes every value. A value is written in the style HEX if it is not a multiple of
// 2^-2148, or is a multiple of 2^2049: its decimal digits would be too many. Products of two
// doubles have every digit.
size_t fp8mac_value_text(fp8mac_value value, fp8mac_text_style style, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
