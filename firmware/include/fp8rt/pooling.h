// SPDX-License-Identifier: Apache-2.0
// Maxima and averages of windows of images.
//
//   maximum          commands that take the larger of two matrices: of lines, then of pixels. 16 x
//                    16 x 32 with 2 x 2: 8,800 cycles of the core, 1,110 of the accelerator;
//                    recorded 1,070 in all. The core compares four channels of a word, 46 cycles an
//                    output with 2 x 2, 84 with 3 x 3: without element-wise commands, where no
//                    place of a window is in the image for all of them, and unrecorded where that
//                    is quicker. A recorded network pauses for it
//   average          convolutions with weights of 1 (fp8rt/convolution.h), which are depthwise
//                    commands where channels are a multiple of the array's columns. The core writes
//                    the weights, and without the padding the inverse of each window's pixels,
//                    unless the caller gives them. 16 x 16 x 32 with 2 x 2: 19,300 cycles of the
//                    core, 1,170 of the accelerator
//   global average   with `ones`, the average of one window: by depthwise commands, recorded, 4
//                    images of 7 x 7 x 72 take 1,840 cycles of the accelerator and none of the
//                    core. Else one GEMM for each image with a row of ones: the accelerator reads
//                    the image transposed, and the core gathers the outputs, unless they are a
//                    column. 7 x 7 x 64: 7,800 cycles of the core, 1,370 of the accelerator
//
// A recorded network pauses for what the core writes or gathers. With the constants that the
// functions below write once, at the start, it has no such pause:
//
//   size_t bytes = fp8rt_average_pool_ones(&run, &desc, NULL);
//   void *ones = ...; // bytes of them, at a beat
//   fp8rt_average_pool_ones(&run, &desc, ones);
//   desc.ones = ones; // likewise fp8rt_average_pool_inverses and desc.inverses
//
// The cycles are those of `make run APP=layers FAMILY=pooling` on the chip.
#ifndef FP8RT_POOLING_H
#define FP8RT_POOLING_H

#include "fp8rt/convolution.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_pooling_desc {
    const fp8rt_tensor *x;  // images * height * width x channels, FP8
    uint32_t images;        // 0: 1
    uint32_t height, width; // of an image. 0: 1
    // Without dilation. Padding is below the kernel's sizes, so that each window has a pixel.
    fp8rt_window window;
    // Of an average: its divisor counts the pixels in the image alone, not those of the padding.
    bool exclude_padding;
    // Of an average: the codes of fp8rt_average_pool_ones, or of fp8rt_global_average_ones, at a
    // beat. NULL: the core writes them to the scratch.
    const void *ones;
    // Of an average with exclude_padding: the numbers of fp8rt_average_pool_inverses, at a
    // beat. NULL: as before
    const float *inverses;
    fp8rt_tensor *out; // images * lines * pixels of them x channels
} fp8rt_pooling_desc;

// out has x's format, and gets x's scale. Pixels outside the image do not count. A window
// with a NaN has the maximum NaN, as in PyTorch: 0x7f in e4m3fn, 0x7e in e5m2, 0x80 in the
// FNUZ formats. Of +0 and -0 the maximum is +0. Only commands raise flags. FP8RT_ERR_SCRATCH:
// less than a query counts.
//
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT,
// FP8RT_ERR_STRIDE, FP8RT_ERR_IMAGE (the window), FP8RT_ERR_OVERLAP (of out and x): nothing was
// written.
fp8rt_status fp8rt_max_pool(fp8rt_run *run, const fp8rt_pooling_desc *desc);
// out has any format. Errors as for fp8rt/linear.h with weights of 1 / (kernel_h * kernel_w).
// Status as above, and FP8RT_ERR_SCRATCH and those of fp8rt_gemm_run.
fp8rt_status fp8rt_average_pool(fp8rt_run *run, const fp8rt_pooling_desc *desc);
// What an average multiplies by: the codes of 1, and for exclude_padding the inverse of the number
// of pixels that each window has in the image. Each function returns the bytes, and writes them if
// the second argument is not NULL. Without exclude_padding there are no inverses: 0 bytes. Of the
// descriptor all but ones and inverses counts, and of tensors their sizes and formats and the
// address of x. The outputs are the same bytes, whoever writes the constants. `run` has a device.
size_t fp8rt_average_pool_ones(const fp8rt_run *run, const fp8rt_pooling_desc *desc, void *codes);
size_t fp8rt_average_pool_inverses(const fp8rt_run *run, const fp8rt_pooling_desc *desc,
                                   float *inverses);
// One output of each channel and image: out has a row for each image. At most 65,535 pixels of an
// image, and as many channels. The window does not count. With `ones` a recorded network needs no
// core for it, if a line has 255 pixels at most, and an image 65,535 codes of the channels that a
// command adds together: those of a column of the array by depthwise commands, else as many as are
// whole beats of outputs. Larger images are gathered. Of one image, out may be a column: a row for
// each channel. Then nothing is gathered. A layer behind reads the column as a signal of one
// channel: fp8rt_convolution with kernel_w = channels is fp8rt_linear.
fp8rt_status fp8rt_global_average(fp8rt_run *run, const fp8rt_pooling_desc *desc);
// The codes of 1 that a global average multiplies by: returns their bytes and writes them to
// `codes`, if that is not NULL. Of the descriptor images, height, width, x and out count, and of x
// its address and row length. `run` has a device. Without depthwise commands and with FP8 outputs
// these are as many rows for each pixel as a beat has bytes, each of a beat: 12.5 KB for 7 x 7
// pixels on a bus of 128 bits.
size_t fp8rt_global_average_ones(const fp8rt_run *run, const fp8rt_pooling_desc *desc, void *codes);

#ifdef __cplusplus
}
#endif
#endif
