// SPDX-License-Identifier: Apache-2.0
// Array conversions by their definition: one element after the other.
#include "core/convert.h"

void fp8mac_convert_defined(const fp8mac_format *dst_format, void *dst,
                            const fp8mac_format *src_format, const void *src, size_t n,
                            fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    unsigned dst_bytes = fp8mac_format_bytes(dst_format);
    unsigned src_bytes = fp8mac_format_bytes(src_format);
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(src_format, fp8mac_load_code(src, i, src_bytes));
        fp8mac_store_code(dst, i, dst_bytes, fp8mac_encode(dst_format, value, mode, flags));
    }
}

void fp8mac_quantize_defined(const fp8mac_format *dst_format, void *dst, const float *src, size_t n,
                             float scale, fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    unsigned bytes = fp8mac_format_bytes(dst_format);
    for (size_t i = 0; i < n; i++) {
        uint32_t product =
            fp8mac_fp32_mul(fp8mac_load_code(src, i, 4), fp8mac_float_bits(scale), flags);
        fp8mac_store_code(dst, i, bytes,
                          fp8mac_encode(dst_format, fp8mac_decode(fp32, product), mode, flags));
    }
}

void fp8mac_dequantize_defined(float *dst, const fp8mac_format *src_format, const void *src,
                               size_t n, float scale)
{
    fp8mac_value factor = fp8mac_decode(fp8mac_format_get(FP8MAC_FP32), fp8mac_float_bits(scale));
    unsigned bytes = fp8mac_format_bytes(src_format);
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(src_format, fp8mac_load_code(src, i, bytes));
        fp8mac_store_code(dst, i, 4, fp8mac_fp32_mul_values(value, factor, NULL));
    }
}
