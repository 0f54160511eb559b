// SPDX-License-Identifier: Apache-2.0
#include "fp8mac/image.h"

static uint8_t code_at(const fp8mac_image *image, uint32_t row, uint32_t k)
{
    const uint32_t position = k / image->channels, c = k % image->channels;
    const int64_t ky = position / image->kernel_w, kx = position % image->kernel_w;
    const int64_t oy = row / image->out_w, ox = row % image->out_w;
    const int64_t y = oy * image->stride_y + ky * image->dilation_y - image->pad_top;
    const int64_t x = ox * image->stride_x + kx * image->dilation_x - image->pad_left;
    if (y < 0 || y >= image->height || x < 0 || x >= image->width) {
        return 0;
    }
    return image->data[(size_t)y * image->line_bytes + (size_t)x * image->pixel_bytes + c];
}

void fp8mac_image_row(const fp8mac_image *image, uint32_t row, uint32_t first, uint32_t count,
                      uint8_t *codes)
{
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = code_at(image, row, first + i);
    }
}
