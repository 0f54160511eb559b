// SPDX-License-Identifier: Apache-2.0
// Array conversions by their definition, for arguments that have been checked.
#ifndef FP8MAC_CORE_CONVERT_H
#define FP8MAC_CORE_CONVERT_H

#include "core/internal.h"

void fp8mac_convert_defined(const fp8mac_format *dst_format, void *dst,
                            const fp8mac_format *src_format, const void *src, size_t n,
                            fp8mac_convert_mode mode, fp8mac_flags *flags);
void fp8mac_quantize_defined(const fp8mac_format *dst_format, void *dst, const float *src, size_t n,
                             float scale, fp8mac_convert_mode mode, fp8mac_flags *flags);
void fp8mac_dequantize_defined(float *dst, const fp8mac_format *src_format, const void *src,
                               size_t n, float scale);

#endif
