// SPDX-License-Identifier: Apache-2.0
// Operand A of a convolution, read from its image in place (NHWC: neighbouring pixels of a line,
// and neighbouring channels of a pixel, are neighbours in memory). Row r of A belongs to the output
// pixel (oy, ox) = (r / out_w, r % out_w), and code k of it to the kernel's position (ky, kx) and
// channel c, where k = (ky * kernel_w + kx) * channels + c. Its byte is
//
//   data[(oy * stride_y + ky * dilation_y - pad_top) * line_bytes +
//        (ox * stride_x + kx * dilation_x - pad_left) * pixel_bytes + c]
//
// or 0x00 (+0 in every format) if that pixel is outside the image.
#ifndef FP8MAC_IMAGE_H
#define FP8MAC_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "fp8mac/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8mac_image {
    const uint8_t *data; // pixel (0, 0)
    size_t line_bytes;   // from line to line
    size_t pixel_bytes;  // from pixel to pixel; >= channels
    uint32_t height, width;
    uint32_t channels; // >= 1
    // >= 1. The kernel's height is that of k: ceil(k / (kernel_w * channels)) lines
    uint32_t kernel_w;
    uint32_t stride_y, stride_x, dilation_y, dilation_x;
    uint32_t pad_top, pad_left; // pixels of zeros before the image; those behind follow from out_w
    uint32_t out_w;             // >= 1
} fp8mac_image;

// Codes first .. first + count - 1 of a row of A; first + count is at most 2^32. The numbers of the
// structure without a limit may have any value. FP8MAC_ERR_NULL; FP8MAC_ERR_SHAPE (channels,
// kernel_w or out_w is 0, or first + count); FP8MAC_ERR_STRIDE (pixel_bytes).
fp8mac_status fp8mac_image_row(const fp8mac_image *image, uint32_t row, uint32_t first,
                               uint32_t count, uint8_t *codes);

#ifdef __cplusplus
}
#endif
#endif
