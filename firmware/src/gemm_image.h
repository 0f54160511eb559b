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

static inline bool fp8rt_has_pairs(const fp8rt_gemm_desc *desc)
{
    return fp8rt_is_depthwise(desc) && desc->image.pairs;
}

// Whether the pixels of a kernel line are neighbours, in a descriptor that is filled
static inline bool fp8rt_image_is_joined(const fp8rt_image *image)
{
    return image->dilation_x == 1 && image->pixel_bytes == image->channels;
}

// With pairs: the rows of A, m of them, that have a result of a second output line
static inline uint32_t fp8rt_image_seconds(const fp8rt_image *image, uint32_t m)
{
    return m - (image->odd ? image->out_w : 0);
}

// Rows of D of m rows of A
static inline uint32_t fp8rt_image_d_rows(const fp8rt_image *image, uint32_t m)
{
    return image->pairs ? m + fp8rt_image_seconds(image, m) : m;
}

// Columns of D of `rows` rows of B
static inline uint32_t fp8rt_image_d_cols(const fp8rt_image *image, uint32_t rows)
{
    return image->pairs ? rows / 2u : rows;
}

// Columns of the products, and rows of B
static inline uint32_t fp8rt_gemm_columns(const fp8rt_gemm_desc *desc)
{
    return fp8rt_has_pairs(desc) ? 2u * desc->n : desc->n;
}

// Rows of D
static inline uint32_t fp8rt_gemm_d_rows(const fp8rt_gemm_desc *desc)
{
    return fp8rt_has_pairs(desc) ? fp8rt_image_d_rows(&desc->image, desc->m) : desc->m;
}

// Puts 1, and the bytes of pixels and lines, where the descriptor has 0.
void fp8rt_image_fill(fp8rt_gemm_desc *desc);
// FP8RT_ERR_IMAGE, FP8RT_ERR_UNSUPPORTED or FP8RT_OK, for a descriptor that is filled
fp8rt_status fp8rt_image_check(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc);
// The image of the command
void fp8rt_image_command(const fp8rt_image *image, fp8mac_command_image *to);

#endif
