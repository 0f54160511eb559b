// SPDX-License-Identifier: Apache-2.0
// Operand A as an image: what the accelerator can read of it, and how it is told.
#ifndef FP8RT_GEMM_IMAGE_H
#define FP8RT_GEMM_IMAGE_H

#include "fp8rt/gemm.h"

static inline bool fp8rt_has_image(const fp8rt_gemm_desc *desc)
{
    return desc->image.channels != 0;
}

static inline bool fp8rt_is_depthwise(const fp8rt_gemm_desc *desc)
{
    return fp8rt_has_image(desc) && desc->image.depthwise;
}

// Puts 1, and the bytes of pixels and lines, where the descriptor has 0.
void fp8rt_image_fill(fp8rt_gemm_desc *desc);
// FP8RT_ERR_IMAGE, FP8RT_ERR_UNSUPPORTED or FP8RT_OK, for a descriptor that is filled
fp8rt_status fp8rt_image_check(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc);
// The registers CONV_LINE .. CONV_PAD
void fp8rt_image_words(const fp8rt_image *image, uint32_t words[6]);

#endif
