// SPDX-License-Identifier: Apache-2.0
// Weights of several groups of a convolution as those of one group, with zeros between them.
#include <string.h>

#include "fp8rt/convolution.h"
#include "layer.h"
#include "window.h"

uint32_t fp8rt_groups_to_join(const fp8rt_caps *caps, fp8mac_format_id format, uint32_t group_out)
{
    const uint32_t bytes = group_out * fp8mac_format_bytes(fp8mac_format_get(format));
    uint32_t joined = 1;
    while (((joined * bytes) & (caps->beat_bytes - 1u)) != 0) {
        joined++;
    }
    return joined;
}

uint32_t fp8rt_channels_to_join(const fp8rt_caps *caps, fp8mac_format_id format, uint32_t channels)
{
    const bool depthwise = (caps->functions & FP8MAC_FUNCTION_DEPTHWISE) != 0;
    return depthwise && channels > caps->cols && (channels & (caps->cols - 1u)) == 0
               ? caps->cols
               : fp8rt_groups_to_join(caps, format, 1);
}

static uint32_t count_groups(const fp8rt_join_desc *desc)
{
    return desc->src->rows / desc->group_out;
}

const char *fp8rt_join_misfit(const fp8rt_join_desc *desc)
{
    const fp8rt_tensor *src = desc->src;
    if (desc->group_in == 0 || desc->group_out == 0 || desc->joined == 0) {
        return desc->group_in == 0    ? "desc->group_in"
               : desc->group_out == 0 ? "desc->group_out"
                                      : "desc->joined";
    }
    if (src->rows == 0 || src->rows % desc->group_out != 0 ||
        !fp8rt_is_product(src->cols, desc->points, desc->group_in, 1)) {
        return "desc->src";
    }
    const uint32_t joined = fp8rt_least(desc->joined, count_groups(desc));
    return fp8rt_tensor_is(desc->dst, src->rows, src->cols * joined) ? NULL : "desc->dst";
}

static fp8rt_status check(const fp8rt_caps *caps, const fp8rt_join_desc *desc)
{
    if (caps == NULL || desc == NULL || desc->src == NULL || desc->dst == NULL ||
        desc->src->data == NULL || desc->dst->data == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (desc->src->format > FP8MAC_E5M2FNUZ || desc->dst->format != desc->src->format) {
        return FP8RT_ERR_FORMAT;
    }
    return fp8rt_join_misfit(desc) == NULL ? FP8RT_OK : FP8RT_ERR_SHAPE;
}

// A row of group number `position` of `joined` groups
static void join_row(const fp8rt_join_desc *desc, const uint8_t *src, uint32_t position,
                     uint32_t joined, uint8_t *dst)
{
    const uint32_t in = desc->group_in;
    memset(dst, 0, desc->dst->cols);
    for (uint32_t point = 0; point < desc->points; point++) {
        memcpy(dst + ((size_t)point * joined + position) * in, src + (size_t)point * in, in);
    }
}

fp8rt_status fp8rt_join_groups(const fp8rt_caps *caps, const fp8rt_join_desc *desc)
{
    const fp8rt_status status = check(caps, desc);
    if (status != FP8RT_OK) {
        return status;
    }
    const uint32_t src_stride = fp8rt_tensor_stride(caps, desc->src);
    const uint32_t dst_stride = fp8rt_tensor_stride(caps, desc->dst);
    const uint32_t groups = count_groups(desc);
    for (uint32_t row = 0; row < desc->src->rows; row++) {
        const uint32_t group = row / desc->group_out, position = group % desc->joined;
        join_row(desc, (const uint8_t *)desc->src->data + (size_t)row * src_stride, position,
                 fp8rt_least(desc->joined, groups - (group - position)),
                 (uint8_t *)desc->dst->data + (size_t)row * dst_stride);
    }
    return FP8RT_OK;
}

// ---- two output lines ---------------------------------------------------------------------------

bool fp8rt_takes_pairs(const fp8rt_caps *caps, uint32_t channels, const fp8rt_window *window,
                       uint32_t out_height)
{
    return (caps->functions & FP8MAC_FUNCTION_DEPTHWISE) != 0 && channels > caps->cols &&
           (channels & (caps->cols / 2u - 1u)) == 0 && out_height > 1 && window->kernel_h > 1 &&
           window->dilation_y <= 1 && window->stride_y <= 127u;
}

const char *fp8rt_pairs_misfit(const fp8rt_caps *caps, const fp8rt_pairs_desc *desc)
{
    const uint32_t h = fp8rt_or_one(desc->kernel_h), w = fp8rt_or_one(desc->kernel_w);
    const uint32_t cols = fp8rt_pairs_cols(caps, h, w, fp8rt_or_one(desc->stride_y));
    if ((desc->src->rows & (caps->cols / 2u - 1u)) != 0 ||
        !fp8rt_is_product(desc->src->cols, h, w, 1)) {
        return "desc->src";
    }
    return fp8rt_tensor_is(desc->dst, fp8rt_pairs_rows(desc->src->rows), cols) ? NULL : "desc->dst";
}

static fp8rt_status check_pairs(const fp8rt_caps *caps, const fp8rt_pairs_desc *desc)
{
    if (caps == NULL || desc == NULL || desc->src == NULL || desc->dst == NULL ||
        desc->src->data == NULL || desc->dst->data == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_tensor *src = desc->src, *dst = desc->dst;
    if ((src->format > FP8MAC_E5M2FNUZ && src->format != FP8MAC_INT8) ||
        dst->format != src->format) {
        return FP8RT_ERR_FORMAT;
    }
    return fp8rt_pairs_misfit(caps, desc) == NULL ? FP8RT_OK : FP8RT_ERR_SHAPE;
}

fp8rt_status fp8rt_pair_lines(const fp8rt_caps *caps, const fp8rt_pairs_desc *desc)
{
    const fp8rt_status status = check_pairs(caps, desc);
    if (status != FP8RT_OK) {
        return status;
    }
    const uint32_t each = caps->cols / 2u,
                   first = fp8rt_or_one(desc->stride_y) * fp8rt_or_one(desc->kernel_w);
    for (uint32_t row = 0; row < desc->dst->rows; row++) {
        const uint32_t second = row % caps->cols / each, number = row % each;
        const uint8_t *src = fp8rt_tensor_row(caps, desc->src, row / caps->cols * each + number);
        uint8_t *dst = fp8rt_tensor_row(caps, desc->dst, row);
        memset(dst, 0, desc->dst->cols);
        for (uint32_t point = 0; point < desc->src->cols; point++) {
            dst[(point + second * first) * each + number] = src[point];
        }
    }
    return FP8RT_OK;
}
