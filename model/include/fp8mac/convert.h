// SPDX-License-Identifier: Apache-2.0
// Conversion of exact values to a format: round, then judge overflow.
//
//   1. Round as if the exponent were unbounded above; subnormals have their fixed quantum.
//   2. If the rounded magnitude exceeds the largest finite value, apply the overflow mode.
//   3. A NaN keeps its sign where the format has one; formats without NaN give +0 and raise `invalid`.
//      A negative value that rounds to zero is -0 where there is one, else code 0.
//   4. Formats that leave a gap above exponent field 0 (CFloat8's denormals, HFP8 around zero): the two codes at its ends
//      are neighbours like any other; stochastic rounding divides the gap evenly.
//   5. Unsigned formats: a negative number has no code; NaN where there is one, else 0, and `invalid`.
//   6. A format of powers of two (E8M0): floor(log2 x), clamped at both ends, whatever the mode; 0 gives code 0; negative,
//      Inf and NaN give NaN. No flag but `saturated` where an upper clamp changed a finite value.
#ifndef FP8MAC_CONVERT_H
#define FP8MAC_CONVERT_H

#include <stddef.h>

#include "fp8mac/format.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8mac_rounding {
    FP8MAC_ROUND_NEAREST_EVEN = 0,
    FP8MAC_ROUND_TOWARD_ZERO = 1,
    // With n random bits r: |x| in units of the last place, plus r / 2^n, truncated. Conversions
    // take it only where there are random bits: fp8mac_encode_stochastic,
    // fp8mac_convert_stochastic, accumulators, fp8mac_gemm.
    FP8MAC_ROUND_STOCHASTIC = 2,
    // Truncated, and the last bit set if anything was lost: a later rounding to fewer bits is then
    // as of the exact value. For accumulators only.
    FP8MAC_ROUND_ODD = 3,
} fp8mac_rounding;

typedef enum fp8mac_overflow {
    FP8MAC_OVERFLOW_SATURATE = 0,        // finite overflow and Inf become +-max
    FP8MAC_OVERFLOW_SATURATE_FINITE = 1, // finite overflow +-max, Inf as FP8MAC_OVERFLOW_IEEE
    FP8MAC_OVERFLOW_IEEE = 2, // Inf where the format has one, else NaN with the value's sign
} fp8mac_overflow;

// How to convert. All zero is nearest even, saturate. FP16, BF16 and FP32 results are always
// FP8MAC_OVERFLOW_IEEE: their `overflow`, any of the three, is not consulted. Toward zero, a finite
// value gives at most +-max (flag `saturated`).
typedef struct fp8mac_convert_mode {
    fp8mac_rounding rounding;
    fp8mac_overflow overflow;
} fp8mac_convert_mode;

#define FP8MAC_RANDOM_BITS_MAX 24

// FP8MAC_OK if `mode` is legal for results of `format`.
fp8mac_status fp8mac_convert_mode_validate(const fp8mac_format *format, fp8mac_convert_mode mode);

// The code of `value` in `format`; ORs FP8MAC_FLAG_OVERFLOW (finite became Inf or NaN),
// FP8MAC_FLAG_SATURATED or FP8MAC_FLAG_INVALID into *flags (flags may be NULL). `format` and `mode`
// must be valid.
uint32_t fp8mac_encode(const fp8mac_format *format, fp8mac_value value, fp8mac_convert_mode mode,
                       fp8mac_flags *flags);

// Array conversions; n elements, containers of fp8mac_format_bytes, little-endian in memory as the
// host's integers. dst and src must not overlap. n may be 0, and the arrays NULL then. Rounds once.
// Flags are those of fp8mac_encode.
fp8mac_status fp8mac_convert(const fp8mac_format *dst_format, void *dst,
                             const fp8mac_format *src_format, const void *src, size_t n,
                             fp8mac_convert_mode mode, fp8mac_flags *flags);
// dst[i] = encode(src[i] * scale), the product being one FP32 nearest-even multiplication. The
// scale must be finite and greater than zero. A NaN result of the product is canonical (0x7fc00000)
// before it is converted. Flags are those of fp8mac_fp32_mul and of fp8mac_encode.
fp8mac_status fp8mac_quantize(const fp8mac_format *dst_format, void *dst, const float *src,
                              size_t n, float scale, fp8mac_convert_mode mode, fp8mac_flags *flags);
// dst[i] = decode(src[i]) * scale, one FP32 nearest-even multiplication; a NaN is canonical. The
// scale must be finite and greater than zero.
fp8mac_status fp8mac_dequantize(float *dst, const fp8mac_format *src_format, const void *src,
                                size_t n, float scale);

// ---- stochastic rounding ------------------------------------------------------------------------

// fp8mac_encode with n = 1..24 random bits r < 2^n; r = 0 is toward zero apart from overflow, which
// is judged after the rounding like any other. `overflow` as in fp8mac_convert_mode.
uint32_t fp8mac_encode_stochastic(const fp8mac_format *format, fp8mac_value value,
                                  fp8mac_overflow overflow, uint32_t r, unsigned n,
                                  fp8mac_flags *flags);

// ---- float64 (not in firmware) ------------------------------------------------------------------

// As fp8mac_convert, from doubles: rounded once.
fp8mac_status fp8mac_convert_from_double(const fp8mac_format *dst_format, void *dst,
                                         const double *src, size_t n, fp8mac_convert_mode mode,
                                         fp8mac_flags *flags);
// To doubles: exact for every format. A NaN has its sign and is quiet.
fp8mac_status fp8mac_convert_to_double(double *dst, const fp8mac_format *src_format,
                                       const void *src, size_t n);

#ifdef __cplusplus
}
#endif
#endif
