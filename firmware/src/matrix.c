// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/matrix.h"

#include <string.h>

#include "convert_fp8.h"
#include "fp32_bits.h"

fp8rt_status fp8rt_pack(const fp8rt_caps *caps, void *dst, fp8rt_operand_view view)
{
    if (caps == NULL || dst == NULL || view.src == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (view.rows == 0 || view.k == 0) {
        return FP8RT_ERR_SHAPE;
    }
    if (((uintptr_t)dst & (caps->beat_bytes - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    const uint32_t stride = fp8rt_packed_stride(caps, view.k);
    const uint8_t *src = view.src;
    uint8_t *row = dst;
    for (uint32_t r = 0; r < view.rows; r++, row += stride, src += view.row_stride) {
        if (view.k_stride == 1) {
            memcpy(row, src, view.k);
        } else {
            for (uint32_t i = 0; i < view.k; i++) {
                row[i] = src[i * view.k_stride];
            }
        }
        memset(row + view.k, 0, stride - view.k);
    }
    return FP8RT_OK;
}

// Maps the status codes that a conversion can return. The others concern arguments that are fixed
// here.
static fp8rt_status from_model(fp8mac_status status)
{
    switch (status) {
    case FP8MAC_OK: return FP8RT_OK;
    case FP8MAC_ERR_NULL: return FP8RT_ERR_NULL;
    case FP8MAC_ERR_OVERFLOW_MODE: return FP8RT_ERR_OVERFLOW_MODE;
    case FP8MAC_ERR_SCALE: return FP8RT_ERR_SCALE;
    default: return FP8RT_ERR_FORMAT;
    }
}

static fp8rt_status quantize_fp8(const fp8mac_format *format, uint8_t *dst, uint32_t dst_stride,
                                 const float *src, uint32_t src_stride, uint32_t rows,
                                 uint32_t cols, float scale, fp8mac_overflow overflow,
                                 fp8mac_flags *flags)
{
    const uint32_t bits = fp8rt_fp32_bits(scale);
    fp8mac_flags raised = 0;
    if ((unsigned)overflow > FP8MAC_OVERFLOW_IEEE) {
        return FP8RT_ERR_OVERFLOW_MODE;
    }
    if (!fp8rt_fp32_is_scale(bits)) {
        return FP8RT_ERR_SCALE;
    }
    for (uint32_t r = 0; r < rows; r++) {
        raised |= fp8rt_fp8_quantize(format, dst + (size_t)r * dst_stride,
                                     src + (size_t)r * src_stride, cols, bits, overflow);
    }
    if (flags != NULL) {
        *flags |= raised;
    }
    return FP8RT_OK;
}

fp8rt_status fp8rt_quantize(fp8mac_format_id format, void *dst, uint32_t dst_stride,
                            const float *src, uint32_t src_stride, uint32_t rows, uint32_t cols,
                            float scale, fp8mac_overflow overflow, fp8mac_flags *flags)
{
    const fp8mac_format *row_format = fp8mac_format_get(format);
    const fp8mac_convert_mode mode = {.overflow = overflow};
    if (dst == NULL || src == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (row_format == NULL) {
        return FP8RT_ERR_FORMAT;
    }
    if (rows > 1 && (src_stride < cols || dst_stride < cols * fp8mac_format_bytes(row_format))) {
        return FP8RT_ERR_STRIDE;
    }
    const bool tracks = flags != NULL && (*flags & FP8MAC_FLAG_TRACK_INEXACT) != 0;
    if (fp8rt_is_fp8(format) && !tracks) {
        return quantize_fp8(row_format, dst, dst_stride, src, src_stride, rows, cols, scale,
                            overflow, flags);
    }
    fp8mac_status status = FP8MAC_OK;
    for (uint32_t r = 0; r < rows && status == FP8MAC_OK; r++) {
        status = fp8mac_quantize(row_format, (uint8_t *)dst + (size_t)r * dst_stride,
                                 src + (size_t)r * src_stride, cols, scale, mode, flags);
    }
    return from_model(status);
}

fp8rt_status fp8rt_dequantize(float *dst, uint32_t dst_stride, fp8mac_format_id format,
                              const void *src, uint32_t src_stride, uint32_t rows, uint32_t cols,
                              float scale)
{
    const fp8mac_format *row_format = fp8mac_format_get(format);
    if (dst == NULL || src == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (row_format == NULL) {
        return FP8RT_ERR_FORMAT;
    }
    if (rows > 1 && (dst_stride < cols || src_stride < cols * fp8mac_format_bytes(row_format))) {
        return FP8RT_ERR_STRIDE;
    }
    if (fp8rt_is_fp8(format)) {
        const uint32_t bits = fp8rt_fp32_bits(scale);
        for (uint32_t r = 0; r < rows && fp8rt_fp32_is_scale(bits); r++) {
            fp8rt_fp8_dequantize(row_format, dst + (size_t)r * dst_stride,
                                 (const uint8_t *)src + (size_t)r * src_stride, cols, bits);
        }
        return fp8rt_fp32_is_scale(bits) ? FP8RT_OK : FP8RT_ERR_SCALE;
    }
    fp8mac_status status = FP8MAC_OK;
    for (uint32_t r = 0; r < rows && status == FP8MAC_OK; r++) {
        status = fp8mac_dequantize(dst + (size_t)r * dst_stride, row_format,
                                   (const uint8_t *)src + (size_t)r * src_stride, cols, scale);
    }
    return from_model(status);
}
