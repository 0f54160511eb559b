// SPDX-License-Identifier: Apache-2.0
// Conversion of exact values to a format. A value is rounded first; overflow is judged afterwards.
//
//   1. The value is rounded as if the exponent had no upper limit. Subnormals have a fixed quantum.
//      Ties to nearest go to the even code, but between two powers of two of a format without
//      mantissa bits to the larger one: its significands are all 1, which is odd.
//   2. If the rounded magnitude exceeds the largest finite value, the overflow mode applies.
//   3. A NaN keeps its sign if the format has NaNs of both signs. A format without NaN gives +0 and
//      raises `invalid`. A negative value that rounds to zero gives -0 if the format has one, else
//      code 0.
//   4. Some formats leave a gap above exponent field 0: CFloat8 above its denormals, HFP8 around
//      zero. The codes at the gap's two ends are neighbours like any other. Stochastic rounding
//      divides the gap evenly.
//   5. An unsigned format gives NaN for a negative number, or 0 if it has no NaN, and raises
//      `invalid`.
//   6. A format of powers of two (E8M0) gives floor(log2 x), clamped at both ends, in every mode.
//      The upper clamp raises `saturated`. Zero gives code 0. NaN gives NaN and raises no flag. A
//      negative number or an infinity gives NaN and raises `invalid`.
#ifndef FP8MAC_CONVERT_H
#define FP8MAC_CONVERT_H

#include <stddef.h>

#include "fp8mac/codes.h"
#include "fp8mac/format.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8mac_rounding {
    FP8MAC_ROUND_NEAREST_EVEN = 0,
    FP8MAC_ROUND_TOWARD_ZERO = 1,
    // Takes n random bits r: adds r / 2^n to |x| in units of the last place, then truncates. Legal
    // only where random bits are provided: fp8mac_encode_stochastic, fp8mac_convert_stochastic,
    // accumulators, fp8mac_gemm.
    FP8MAC_ROUND_STOCHASTIC = 2,
    // Truncates, and sets the last bit if anything was lost. A later rounding to fewer bits then
    // gives what the exact value would give. For accumulators only.
    FP8MAC_ROUND_ODD = 3,
} fp8mac_rounding;

// How to convert. All zero is nearest even, saturate. FP16, BF16 and FP32 results always use
// FP8MAC_OVERFLOW_IEEE, whatever `overflow` says. Rounding toward zero gives at most +-max for a
// finite value and raises `saturated`.
typedef struct fp8mac_convert_mode {
    fp8mac_rounding rounding;
    fp8mac_overflow overflow;
} fp8mac_convert_mode;

#define FP8MAC_RANDOM_BITS_MAX 24

// FP8MAC_OK if `mode` is legal for results of `format`.
fp8mac_status fp8mac_convert_mode_validate(const fp8mac_format *format, fp8mac_convert_mode mode);

// Returns the code of `value` in `format`. ORs FP8MAC_FLAG_OVERFLOW (a finite value became Inf or
// NaN), FP8MAC_FLAG_SATURATED or FP8MAC_FLAG_INVALID into *flags, which may be NULL. `format` and
// `mode` must be valid.
uint32_t fp8mac_encode(const fp8mac_format *format, fp8mac_value value, fp8mac_convert_mode mode,
                       fp8mac_flags *flags);

// Converts n elements and rounds each once. A code is stored in fp8mac_format_bytes bytes, as the
// host stores an integer: little-endian. dst and src must not overlap and need no alignment, here
// and in every conversion below. If n is 0, they may be NULL. Flags are those of fp8mac_encode.
fp8mac_status fp8mac_convert(const fp8mac_format *dst_format, void *dst,
                             const fp8mac_format *src_format, const void *src, size_t n,
                             fp8mac_convert_mode mode, fp8mac_flags *flags);
// dst[i] = encode(src[i] * scale). The product is one FP32 nearest-even multiplication, and its NaN
// is canonical (0x7fc00000). The scale must be finite and greater than zero. Flags are those of
// fp8mac_fp32_mul and of fp8mac_encode.
fp8mac_status fp8mac_quantize(const fp8mac_format *dst_format, void *dst, const float *src,
                              size_t n, float scale, fp8mac_convert_mode mode, fp8mac_flags *flags);
// dst[i] = decode(src[i]) * scale. The product is one FP32 nearest-even multiplication, and its NaN
// is canonical. The scale must be finite and greater than zero.
fp8mac_status fp8mac_dequantize(float *dst, const fp8mac_format *src_format, const void *src,
                                size_t n, float scale);

// ---- stochastic rounding ------------------------------------------------------------------------

// fp8mac_encode with n = 1..24 random bits r < 2^n. r = 0 rounds toward zero. Overflow is judged
// after the rounding, by `overflow`, as for rounding to nearest.
uint32_t fp8mac_encode_stochastic(const fp8mac_format *format, fp8mac_value value,
                                  fp8mac_overflow overflow, uint32_t r, unsigned n,
                                  fp8mac_flags *flags);

// ---- float64 (not in firmware) ------------------------------------------------------------------

// As fp8mac_convert, from doubles. Each is rounded once.
fp8mac_status fp8mac_convert_from_double(const fp8mac_format *dst_format, void *dst,
                                         const double *src, size_t n, fp8mac_convert_mode mode,
                                         fp8mac_flags *flags);
// Converts to doubles, exactly for every format. A NaN keeps its sign and is quiet.
fp8mac_status fp8mac_convert_to_double(double *dst, const fp8mac_format *src_format,
                                       const void *src, size_t n);

#ifdef __cplusplus
}
#endif
#endif
