// SPDX-License-Identifier: Apache-2.0
#include "core/internal.h"

// Line or column out * stride + tap * dilation - pad, or `limit` if it is outside 0 .. limit - 1.
// The products are below 2^64; their sum may not be.
static uint64_t coordinate(uint64_t out, uint32_t stride, uint64_t tap, uint32_t dilation,
                           uint32_t pad, uint32_t limit)
{
    const uint64_t first = out * stride, further = tap * dilation;
    if (first > UINT64_MAX - further || first + further < pad) {
        return limit;
    }
    const uint64_t at = first + further - pad;
    return at < limit ? at : limit;
}

static uint8_t code_at(const fp8mac_image *image, uint32_t row, uint32_t k)
{
    const uint32_t position = k / image->channels, c = k % image->channels;
    const uint64_t y = coordinate(row / image->out_w, image->stride_y, position / image->kernel_w,
                                  image->dilation_y, image->pad_top, image->height);
    const uint64_t x = coordinate(row % image->out_w, image->stride_x, position % image->kernel_w,
                                  image->dilation_x, image->pad_left, image->width);
    if (y == image->height || x == image->width) {
        return 0;
    }
    return image->data[(size_t)y * image->line_bytes + (size_t)x * image->pixel_bytes + c];
}

fp8mac_status fp8mac_image_row(const fp8mac_image *image, uint32_t row, uint32_t first,
                               uint32_t count, uint8_t *codes)
{
    if (image == NULL || image->data == NULL || (codes == NULL && count > 0)) {
        return FP8MAC_ERR_NULL;
    }
    if (image->channels == 0 || image->kernel_w == 0 || image->out_w == 0 ||
        (count > 0 && first > UINT32_MAX - (count - 1))) {
        return FP8MAC_ERR_SHAPE;
    }
    if (image->pixel_bytes < image->channels) {
        return FP8MAC_ERR_STRIDE;
    }
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = code_at(image, row, first + i);
    }
    return FP8MAC_OK;
}
