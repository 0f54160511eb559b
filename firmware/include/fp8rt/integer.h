// SPDX-License-Identifier: Apache-2.0
// Integer layers: INT8 networks of TensorFlow Lite, with the bytes of its reference
// kernels. For an accelerator that requantises (FP8MAC_FUNCTION_REQUANTISE). Others return
// FP8RT_ERR_UNSUPPORTED.
//
// A code of a tensor stands for scale * (code - zero point). The layers get neither: their factors
// come from the scales, and biases have the share of x's zero point. A factor is an
// fp8mac_int_scale; fp8mac/requantise.h says how it is found.
//
//   layer          where                    rounding
//   convolution    accelerator              the sum's product with a factor, twice:
//                                           fp8mac_int_scale_apply
//   linear         sums by the accelerator  the same product, once: to nearest, a tie goes away
//                                           from zero
//   add            core                     each operand with 20 bits behind the point, then the
//                                           sum: twice each
//   average        core                     the quotient, once: to nearest, a tie goes away from
//                                           zero
//   maximum, pad   core                     none: codes stay as they are
//   softmax        core                     exp and reciprocal in fixed point of 32 bits
//
// The core's parts are calls in a recorded network. Tensors are FP8MAC_INT8 without a scaling.
#ifndef FP8RT_INTEGER_H
#define FP8RT_INTEGER_H

#include "fp8rt/convolution.h"

#ifdef __cplusplus
extern "C" {
#endif

// What finishes the sums of n outputs
typedef struct fp8rt_int_finish {
    const fp8mac_int_scale *scales; // n, at a beat
    // bias[n] - zero point of x * (sum of the codes of row n), modulo 2^32, at a beat. Of an image
    // with a zero point: one such row for each band
    const int32_t *bias;
    uint32_t bias_stride; // values from row to row, whole beats; 0: one row
    int8_t zero_point;    // of out
    int8_t lo, hi;        // codes that the activation leaves
} fp8rt_int_finish;

// out[m][n] = clamp(scaled(sum over k of x[m][k] * weights[n][k] + bias[n]) + zero_point)
typedef struct fp8rt_int_linear_desc {
    const fp8rt_tensor *x;       // rows x k
    const fp8rt_tensor *weights; // n x k
    fp8rt_int_finish finish;
    fp8rt_tensor *out; // rows x n
} fp8rt_int_linear_desc;

// The accelerator's sums are in the scratch: 4 bytes for each output. FP8RT_ERR_NULL,
// FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (a shift above 30 or below -31, a negative
// multiplier), FP8RT_ERR_ACTIVATION (lo > hi), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE,
// FP8RT_ERR_OVERLAP, FP8RT_ERR_SCRATCH, FP8RT_ERR_UNSUPPORTED: nothing was written.
fp8rt_status fp8rt_int_linear(fp8rt_run *run, const fp8rt_int_linear_desc *desc);

// As fp8rt_convolution of one image. TensorFlow Lite pads an image with its zero point, the
// accelerator with zeros. A zero point in the bias therefore needs another bias where a window goes
// over the image's edges: outputs are in bands of lines and of pixels, which have the same
// positions of the kernel in the image. Row (band of lines) * (bands of pixels) + (band of pixels)
// of the bias belongs to the positions that both have.
//
// Each band of lines is one command for each group, with the bias of the widest band of
// pixels. A pixel of the other bands is one command more: it writes that pixel of all
// lines of the band again.
typedef struct fp8rt_int_convolution_desc {
    const fp8rt_tensor *x;  // height * width x channels
    uint32_t height, width; // 0: 1
    fp8rt_window window;
    // Output channels x kernel_h * kernel_w * channels of a group, in the order ky, kx, c
    const fp8rt_tensor *weights;
    // Channels of x and of out that belong to a group; 0: all of them. With several groups those
    // of out are whole beats: fp8rt_join_groups makes such weights, of a depthwise convolution
    // too. Groups of caps.cols channels, of x and of out, are depthwise commands for a beat of
    // channels each, where the accelerator has them (FP8MAC_FUNCTION_DEPTHWISE) and channels are a
    // multiple of caps.cols.
    uint32_t group_in, group_out;
    bool pairs;              // as in fp8rt_convolution_desc
    fp8rt_int_finish finish; // bias_stride 0: x has the zero point 0, and all outputs have one bias
    fp8rt_tensor *out;       // lines * pixels x output channels
} fp8rt_int_convolution_desc;

// Status as fp8rt_convolution, and FP8RT_ERR_ACTIVATION. FP8RT_ERR_HW_SCALE: a scale is out of its
// range.
fp8rt_status fp8rt_int_convolution(fp8rt_run *run, const fp8rt_int_convolution_desc *desc);

// out = clamp(scaled(2^20 * (x - zero) by its factor + 2^20 * (y - zero) by its factor) by
// out's factor + zero_point)
typedef struct fp8rt_int_add_desc {
    const fp8rt_tensor *x, *y; // as out
    int8_t x_zero, y_zero;
    // Shifts are 0 or less. Those of TensorFlow Lite are of scale / (2 * the larger scale), and of
    // 2 * the larger scale / (2^20 * scale of out)
    fp8mac_int_scale x_scale, y_scale, out_scale;
    int8_t zero_point, lo, hi;
    fp8rt_tensor *out; // may have the data of x or y
} fp8rt_int_add_desc;

// The scratch has 2,048 bytes. FP8RT_ERR_SCALE: a factor is out of its range. Others as
// fp8rt_int_linear.
fp8rt_status fp8rt_int_add(fp8rt_run *run, const fp8rt_int_add_desc *desc);

// Averages or maxima of the codes of windows, whose places beside the image do not count. out has
// x's scale and zero point. lo and hi are the codes that the activation leaves.
typedef struct fp8rt_int_pool_desc {
    const fp8rt_tensor *x;  // height * width x channels
    uint32_t height, width; // 0: 1
    fp8rt_window window;    // without dilation; padding is below the kernel's sizes
    int8_t lo, hi;
    fp8rt_tensor *out; // lines * pixels x channels
} fp8rt_int_pool_desc;

// FP8RT_ERR_IMAGE: a dilation, or padding that is not below the kernel's size. Others as
// fp8rt_int_linear.
fp8rt_status fp8rt_int_average_pool(fp8rt_run *run, const fp8rt_int_pool_desc *desc);
fp8rt_status fp8rt_int_max_pool(fp8rt_run *run, const fp8rt_int_pool_desc *desc);

// The image x with lines and pixels of one code around it. out has x's scale and zero point, so the
// zero point as `code` stands for zeros.
typedef struct fp8rt_int_pad_desc {
    const fp8rt_tensor *x;  // height * width x channels
    uint32_t height, width; // 0: 1
    uint32_t top, bottom;   // lines
    uint32_t left, right;   // pixels
    int8_t code;
    fp8rt_tensor *out; // (top + height + bottom) * (left + width + right) x channels
} fp8rt_int_pad_desc;

// FP8RT_ERR_IMAGE: a size above 65535. FP8RT_ERR_STRIDE: pixels of x or out do not lie one behind
// the other. Others as fp8rt_int_linear.
fp8rt_status fp8rt_int_pad(fp8rt_run *run, const fp8rt_int_pad_desc *desc);

// Softmax of each row. out has the scale 1 / 256 and the zero point -128.
typedef struct fp8rt_int_softmax_desc {
    const fp8rt_tensor *x;
    // x's scale * beta * 2^26, 2^31 - 1 at most: a difference of codes becomes a number with 5 bits
    // in front of the point
    fp8mac_int_scale scale;
    int32_t least;     // differences below it count as 0; -31 * 2^(26 - shift) .. 0
    fp8rt_tensor *out; // as x; may have the data of x
} fp8rt_int_softmax_desc;

// A row has fewer than 4,096 columns (FP8RT_ERR_SHAPE). FP8RT_ERR_SCALE: a shift out of 0 .. 30, a
// negative multiplier, or least out of its range. Others as fp8rt_int_linear.
fp8rt_status fp8rt_int_softmax(fp8rt_run *run, const fp8rt_int_softmax_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
