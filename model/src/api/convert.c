// SPDX-License-Identifier: Apache-2.0
// The public array conversions. They check the arguments; then a kernel or the definition computes.
#include "core/convert.h"
#include "core/environment.h"
#include "fast/fast.h"

fp8mac_status fp8mac_convert(const fp8mac_format *dst_format, void *dst,
                             const fp8mac_format *src_format, const void *src, size_t n,
                             fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    return fp8mac_convert_run(dst_format, dst, src_format, src, n, mode, NULL, flags);
}

FP8MAC_APART static fp8mac_status convert_run(const fp8mac_format *dst_format, void *dst,
                                              const fp8mac_format *src_format, const void *src,
                                              size_t n, fp8mac_convert_mode mode,
                                              const fp8mac_run *run, fp8mac_flags *flags)
{
    const fp8mac_kernels *kernels;
    if (!fp8mac_kernels_find(run != NULL ? run->isa : FP8MAC_ISA_BEST, &kernels)) {
        return FP8MAC_ERR_UNSUPPORTED;
    }
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_format_validate(src_format) != FP8MAC_OK) {
        return FP8MAC_ERR_FORMAT;
    }
    fp8mac_status status = fp8mac_convert_mode_validate(dst_format, mode);
    if (status != FP8MAC_OK) {
        return status;
    }
    if (FP8MAC_FAST && kernels != NULL && !fp8mac_tracks_inexact(flags) &&
        fp8mac_fast_convert(kernels, dst_format, dst, src_format, src, n, mode, flags)) {
        return FP8MAC_OK;
    }
    fp8mac_convert_defined(dst_format, dst, src_format, src, n, mode, flags);
    return FP8MAC_OK;
}

fp8mac_status fp8mac_convert_run(const fp8mac_format *dst_format, void *dst,
                                 const fp8mac_format *src_format, const void *src, size_t n,
                                 fp8mac_convert_mode mode, const fp8mac_run *run,
                                 fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(
        fp8mac_status, convert_run(dst_format, dst, src_format, src, n, mode, run, flags));
}

FP8MAC_APART static fp8mac_status quantize(const fp8mac_format *dst_format, void *dst,
                                           const float *src, size_t n, float scale,
                                           fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status = fp8mac_convert_mode_validate(dst_format, mode);
    if (status != FP8MAC_OK) {
        return status;
    }
    uint32_t scale_bits = fp8mac_float_bits(scale);
    if (!fp8mac_fp32_is_scale(scale_bits)) {
        return FP8MAC_ERR_SCALE;
    }
    const fp8mac_kernels *kernels = fp8mac_kernels_best();
    if (!FP8MAC_FAST || kernels == NULL || fp8mac_tracks_inexact(flags) ||
        !fp8mac_fast_quantize(kernels, dst_format, dst, src, n, scale, mode, flags)) {
        fp8mac_quantize_defined(dst_format, dst, src, n, scale, mode, flags);
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_quantize(const fp8mac_format *dst_format, void *dst, const float *src,
                              size_t n, float scale, fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(fp8mac_status,
                                       quantize(dst_format, dst, src, n, scale, mode, flags));
}

FP8MAC_APART static fp8mac_status dequantize(float *dst, const fp8mac_format *src_format,
                                             const void *src, size_t n, float scale)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_format_validate(src_format) != FP8MAC_OK) {
        return FP8MAC_ERR_FORMAT;
    }
    if (!fp8mac_fp32_is_scale(fp8mac_float_bits(scale))) {
        return FP8MAC_ERR_SCALE;
    }
    const fp8mac_kernels *kernels = fp8mac_kernels_best();
    if (!FP8MAC_FAST || kernels == NULL ||
        !fp8mac_fast_dequantize(kernels, dst, src_format, src, n, scale)) {
        fp8mac_dequantize_defined(dst, src_format, src, n, scale);
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_dequantize(float *dst, const fp8mac_format *src_format, const void *src,
                                size_t n, float scale)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(fp8mac_status, dequantize(dst, src_format, src, n, scale));
}
