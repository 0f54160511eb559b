// SPDX-License-Identifier: Apache-2.0
// Convolutions as the layer library gives them to the accelerator (fp8rt/convolution.h): the image
// is read in place, by a command for each group and image.
#ifndef FP8MAC_CLI_CONVOLUTION_H
#define FP8MAC_CLI_CONVOLUTION_H

#include "workload.h"

typedef struct convolution {
    uint32_t images; // 0: the layer is a GEMM
    uint32_t height, width, channels;
    uint32_t filters; // output channels
    uint32_t kernel_h, kernel_w;
    uint32_t stride_y, stride_x, dilation_y, dilation_x;
    uint32_t pad_y, pad_x; // pixels of zeros on each side
    uint32_t groups;       // divides channels and filters. Depthwise: as many as channels
    uint32_t pixel_bytes;  // from pixel to pixel; 0: a pixel begins at each beat that it can
} convolution;

// Output pixels along a side of `size` pixels; 0: the kernel does not fit.
uint64_t convolution_outputs(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t dilation,
                             uint32_t pad);

// The commands of a layer, in their order, and whether each fits as one tile command. Another
// status than FP8MAC_OK ends it; then *why is a sentence.
typedef fp8mac_status convolution_listener(void *context, const fp8mac_cycles_command *command,
                                           uint32_t image, bool fits, const char **why);

// Gives the listener each command:
//   - One of 1 x 1 pixel without strides and padding is a GEMM of the pixels.
//   - Images whose kernel has one line, without stride_y and pad_y, are one high image.
//   - Groups are joined until their part of D is whole beats. Weights of other groups are zeros.
// `work` has the formats and the sizes of the GEMM of gathered rows: m = images * output pixels,
// n = filters, k = kernel_h * kernel_w * channels of a group. Returns as workload_command, and
// FP8MAC_ERR_SHAPE: a field of the image is beyond the accelerator's.
fp8mac_status convolution_each(const fp8mac_cycles_config *config, const convolution *layer,
                               const workload *work, convolution_listener *listener, void *context,
                               const char **why);
// Runs them, each from an idle accelerator, and gives the sum of their counters. `turn` is the
// config's image_turn, and gets that of the run that follows.
fp8mac_status convolution_run(const fp8mac_cycles_config *config, const convolution *layer,
                              const workload *work, uint32_t *turn, workload_result *result,
                              const char **why);

#endif
