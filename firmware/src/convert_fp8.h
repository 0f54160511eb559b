// SPDX-License-Identifier: Apache-2.0
// Conversions between FP32 and FP8 in integers, for cores without floating point. They give the
// bits and flags of fp8mac_quantize and fp8mac_dequantize.
#ifndef FP8RT_CONVERT_FP8_H
#define FP8RT_CONVERT_FP8_H

#include "fp8mac/convert.h"

// Whether the format is one of the array's four FP8 formats.
static inline bool fp8rt_is_fp8(fp8mac_format_id id)
{
    return (unsigned)id <= FP8MAC_E5M2FNUZ;
}

// codes[i] = encode(values[i] * scale), one FP32 product, each rounded to nearest even. `format` is
// FP8, `scale` the bits of a float that is finite and greater than 0. Returns the flags.
fp8mac_flags fp8rt_fp8_quantize(const fp8mac_format *format, uint8_t *codes, const float *values,
                                uint32_t count, uint32_t scale, fp8mac_overflow overflow);

// The same in steps: what the format and the mode make of values that are not simply rounded, and
// then any number of conversions, each with its own scale. The flags are in the target.
typedef struct fp8rt_fp8_target {
    uint32_t shift;                           // fraction bits that FP8 does not have
    uint32_t rebias;                          // difference of the two biases, as an FP32 word
    uint32_t normal;                          // the smallest normal number, as an FP32 word
    uint32_t least;                           // words below it are rounded to 0
    uint32_t max_code;                        // the largest finite magnitude
    uint32_t zero_sign;                       // 0x80 if there is a negative zero
    uint32_t finite_code, inf_code, nan_code; // beyond the range; Inf; NaN
    fp8mac_flags finite_flags, inf_flags, flags;
} fp8rt_fp8_target;
fp8rt_fp8_target fp8rt_fp8_target_of(const fp8mac_format *format, fp8mac_overflow overflow);
void fp8rt_fp8_quantize_to(fp8rt_fp8_target *target, uint8_t *codes, const float *values,
                           uint32_t count, uint32_t scale);

// values[i] = decode(codes[i]) * scale, likewise.
void fp8rt_fp8_dequantize(const fp8mac_format *format, float *values, const uint8_t *codes,
                          uint32_t count, uint32_t scale);

#endif
