// SPDX-License-Identifier: Apache-2.0
// Convolutions of images and signals, read in place by the accelerator: no operand is gathered.
//
//   out[oy][ox][n] = fused(bias[n] + residual[oy][ox][n] + sum over ky, kx, c of
//       weights[n][ky][kx][c] * x[oy * stride_y + ky * dilation_y - pad_top]
//                                [ox * stride_x + kx * dilation_x - pad_left][c])
//
// Pixels outside the image are 0. A tensor of images has a row for each pixel and a column for each
// channel, one image after the other. A signal is an image of height 1.
//
// Commands of the accelerator: one for each group and image. Images of height 1 (signals), and
// images with a kernel of height 1 without vertical stride and padding, are one command together.
//
// Grouped convolution: output channels see the input channels of their group alone. Depthwise
// convolution has one channel in a group. The accelerator writes whole beats of output channels, so
// fp8rt_join_groups puts neighbouring groups together and fills their weights up with zeros. Of the
// products of a depthwise convolution into FP8, one in 16 then counts (128-bit bus), and one in
// four where the accelerator has depthwise commands (fp8rt_channels_to_join). Commands that give
// the outputs of two lines at once take half as many cycles (fp8rt_pair_lines).
//
// Cycles on the chip of 128 bits (`make run APP=layers FAMILY=convolution`):
//
//   layer                                                core   accelerator
//   28 x 28 x 8 to 16 channels, 3 x 3                    6,800         5,300
//   5 signals of 64 x 12 to 24 channels, 7, stride 2     7,300         2,900
//   10 x 10 x 64 to 40, 3 x 3, 3 groups, dynamic scale  25,300         5,700
//   14 x 14 x 64, 3 x 3, depthwise                      22,700         5,500
//   transposed, 8 x 8 x 32 to 16 x 16 x 16, 2 x 2       32,300         2,900
//
// Some 5,000 core cycles of each command are its checks and plan. A kept plan (fp8rt_plans)
// saves 3,000 of them. Recorded (fp8rt/network.h), the commands overlap: the depthwise layer
// takes 4,700 cycles then.
//
// Errors as for fp8rt/linear.h, with the kernel's products in the order ky, kx, c.
#ifndef FP8RT_CONVOLUTION_H
#define FP8RT_CONVOLUTION_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Ranges of fields: fp8rt_image of fp8rt/gemm.h.
typedef struct fp8rt_window {
    uint32_t kernel_h, kernel_w;                       // 0: 1
    uint32_t stride_y, stride_x;                       // 0: 1
    uint32_t dilation_y, dilation_x;                   // 0: 1
    uint32_t pad_top, pad_bottom, pad_left, pad_right; // pixels
} fp8rt_window;

// Output lines (pixels of a line) for `size` input lines (pixels); 0 if the kernel does not fit.
// The first three of 0 stand for 1.
uint32_t fp8rt_window_count(uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t size,
                            uint32_t padding);

typedef struct fp8rt_convolution_desc {
    const fp8rt_tensor *x;  // images * height * width x channels, FP8
    uint32_t images;        // 0: 1
    uint32_t height, width; // of an image. 0: 1
    // From pixel to pixel of x, if that is not x's stride: any number of bytes, at least the
    // channels. x's data may then begin at any byte.
    uint32_t pixel_bytes;
    fp8rt_window window;
    // output channels x kernel_h * kernel_w * channels of a group, in the order ky, kx, c
    const fp8rt_weights *weights;
    // Channels of x and of `out` that belong to a group; 0: all of them. The last group has the
    // rest, and its rows of weights are accordingly shorter. With several groups the bytes of
    // group_out channels of `out` are whole beats.
    uint32_t group_in, group_out;
    // A depthwise convolution whose weights are those of fp8rt_pair_lines, which has the rules. The
    // groups have caps.cols / 2 channels, whose rows are not shorter.
    bool pairs;
    const fp8rt_tensor *residual; // as `out`, of any format; NULL: none
    fp8rt_fused fused;
    fp8rt_tensor *out; // images * lines * pixels of them x output channels, of any format
} fp8rt_convolution_desc;

// As fp8rt_linear, and FP8RT_ERR_IMAGE: a field of the window is out of its range.
// FP8RT_ERR_ALIGNMENT: also a group_out that is not whole beats.
fp8rt_status fp8rt_convolution(fp8rt_run *run, const fp8rt_convolution_desc *desc);

// ---- weights of small groups --------------------------------------------------------------------

// `joined` groups become one: dst has the rows of src, each with the codes of `joined` groups, of
// which those of other groups are 0. The last group of dst has what remains. src has rows of points
// * group_in codes; dst has rows of points * group_in * min(joined, groups) codes.
typedef struct fp8rt_join_desc {
    const fp8rt_tensor *src;      // output channels x points * group_in
    uint32_t points;              // kernel_h * kernel_w
    uint32_t group_in, group_out; // of src; depthwise: 1, and 1 or the multiplier of channels
    uint32_t joined;              // fp8rt_groups_to_join
    fp8rt_tensor *dst;            // FP8, of src's format; data is provided
} fp8rt_join_desc;

// The fewest groups that can be joined: group_out of them are whole beats of `format`.
uint32_t fp8rt_groups_to_join(const fp8rt_caps *caps, fp8mac_format_id format, uint32_t group_out);
// The same for a depthwise convolution of `channels` channels with one output each. Where the
// accelerator has depthwise commands (FP8MAC_FUNCTION_DEPTHWISE) and channels are a multiple of
// caps.cols, it is caps.cols: then fp8rt_convolution makes one command of the groups of each beat
// of channels, if the pixels of x begin at beats.
uint32_t fp8rt_channels_to_join(const fp8rt_caps *caps, fp8mac_format_id format, uint32_t channels);
// Work of the core, once for each network. Scales and biases stay as they are.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT: nothing was written.
fp8rt_status fp8rt_join_groups(const fp8rt_caps *caps, const fp8rt_join_desc *desc);
// What does not fit, if that was FP8RT_ERR_SHAPE: "desc->src", say. NULL: everything fits.
// src and dst are there.
const char *fp8rt_join_misfit(const fp8rt_join_desc *desc);

// ---- weights of two output lines ----------------------------------------------------------------

// Depthwise commands with pairs read the pixels of two output lines together, y and y + 1: a kernel
// of kernel_h + stride_y lines. dst has two rows for each channel: of the outputs of the first
// line, and of those of the second. The first rows of caps.cols / 2 channels follow each other,
// then their second rows. A row has caps.cols / 2 codes for each pixel of that kernel: 0 but for
// its channel and the pixels of its line.
typedef struct fp8rt_pairs_desc {
    const fp8rt_tensor *src;               // channels x kernel_h * kernel_w
    uint32_t kernel_h, kernel_w, stride_y; // 0: 1
    // FP8 or INT8, of src's format and as large as fp8rt_pairs_rows and _cols say; data is provided
    fp8rt_tensor *dst;
} fp8rt_pairs_desc;

// Whether a depthwise convolution can have pairs, and gains by them: the accelerator has depthwise
// commands (FP8MAC_FUNCTION_DEPTHWISE), channels are a multiple of caps.cols / 2 and more than
// caps.cols, there are several output lines, kernel_h is more than 1, dilation_y 1, and stride_y at
// most 127. The pixels of x must begin at beats. `out` must have one byte a value and a static
// scale, and there is no residual: else fp8rt_convolution returns FP8RT_ERR_FORMAT or
// FP8RT_ERR_UNSUPPORTED.
bool fp8rt_takes_pairs(const fp8rt_caps *caps, uint32_t channels, const fp8rt_window *window,
                       uint32_t out_height);
static inline uint32_t fp8rt_pairs_rows(uint32_t channels)
{
    return 2u * channels;
}
static inline uint32_t fp8rt_pairs_cols(const fp8rt_caps *caps, uint32_t kernel_h,
                                        uint32_t kernel_w, uint32_t stride_y)
{
    return (kernel_h + stride_y) * kernel_w * (caps->cols / 2u);
}
// As fp8rt_join_groups
fp8rt_status fp8rt_pair_lines(const fp8rt_caps *caps, const fp8rt_pairs_desc *desc);
// As fp8rt_join_misfit
const char *fp8rt_pairs_misfit(const fp8rt_caps *caps, const fp8rt_pairs_desc *desc);

// ---- transposed convolution ---------------------------------------------------------------------

//   out[iy * stride_y + ky - pad_top][ix * stride_x + kx - pad_left][n] +=
//       weights[n][ky][kx][c] * x[iy][ix][c]
//
// The outputs whose line and pixel have the same remainders by the strides form a sub-grid.
// Each sub-grid is a convolution with its part of the kernel, and one command for each image.
// With stride_y = 1, if stride_x divides out_width, the commands write `out` in turns.
// Otherwise they write the lines of equal remainder to the scratch, and one command more moves
// these to their positions.
typedef struct fp8rt_transposed_desc {
    const fp8rt_tensor *x; // images * height * width x channels, FP8
    uint32_t images;       // 0: 1
    uint32_t height, width;
    uint32_t out_height, out_width;
    uint32_t kernel_h, kernel_w; // 0: 1
    uint32_t stride_y, stride_x; // 0: 1
    uint32_t pad_top, pad_left;  // below the kernel's sizes
    // Codes of fp8rt_split_kernel. row_scale and bias have a value for each output channel.
    const fp8rt_weights *weights;
    fp8rt_fused fused;
    fp8rt_tensor *out; // images * out_height * out_width x output channels, of any format
} fp8rt_transposed_desc;

// As fp8rt_convolution. FP8RT_ERR_IMAGE also if a sub-grid sees no line or pixel of the image.
// Bytes between out's rows may be written.
fp8rt_status fp8rt_transposed_convolution(fp8rt_run *run, const fp8rt_transposed_desc *desc);

// Positions of the kernel that a sub-grid has: ceil(kernel_h / stride_y) * ceil(kernel_w /
// stride_x).
uint32_t fp8rt_subgrid_points(const fp8rt_transposed_desc *desc);
// Work of the core, once for each network: dst (stride_y * stride_x * output channels x
// fp8rt_subgrid_points * channels) from src (output channels x kernel_h * kernel_w * channels),
// both FP8 of one format. Of `desc` the sizes of the kernel, strides and padding count.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT: nothing was written.
fp8rt_status fp8rt_split_kernel(const fp8rt_caps *caps, const fp8rt_transposed_desc *desc,
                                const fp8rt_tensor *src, const fp8rt_tensor *dst);
// As fp8rt_join_misfit: "src", "dst" or NULL
const char *fp8rt_split_misfit(const fp8rt_transposed_desc *desc, const fp8rt_tensor *src,
                               const fp8rt_tensor *dst);

#ifdef __cplusplus
}
#endif
#endif
