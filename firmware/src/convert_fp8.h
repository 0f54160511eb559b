// SPDX-License-Identifier: Apache-2.0
// Conversions between FP32 and FP8 in integers, for cores without floating point. They give the bits
// and flags of fp8mac_quantize and fp8mac_dequantize.
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

// values[i] = decode(codes[i]) * scale, likewise.
void fp8rt_fp8_dequantize(const fp8mac_format *format, float *values, const uint8_t *codes,
                          uint32_t count, uint32_t scale);

#endif
