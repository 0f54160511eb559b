// SPDX-License-Identifier: Apache-2.0
// What layers that move a window over images have in common.
#ifndef FP8RT_WINDOW_H
#define FP8RT_WINDOW_H

#include "ceil_div.h"
#include "fp8rt/convolution.h"

static inline uint32_t fp8rt_or_one(uint32_t x)
{
    return x == 0 ? 1 : x;
}

static inline uint32_t fp8rt_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// With the defaults filled in.
fp8rt_window fp8rt_window_fill(const fp8rt_window *window);
// An FP8 tensor of pixels, which may lie at any byte if `pixel_bytes` is not 0.
fp8rt_status fp8rt_pixels_check(fp8rt_run *run, const fp8rt_tensor *x, uint32_t pixel_bytes);

// Whether a * b * c is `total`, which is not 0.
bool fp8rt_is_product(uint32_t total, uint32_t a, uint32_t b, uint32_t c);

// A convolution's image, window and groups of channels
typedef struct fp8rt_frame {
    fp8rt_window window; // filled in
    uint32_t height, width, out_h, out_w;
    uint32_t pixel_bytes;                 // from pixel to pixel; 0: those of the tensor
    uint32_t group_in, group_out, groups; // channels and filters of a group; 0: all
    uint32_t group_codes;                 // of a pixel, in a row of a group's weights
    bool depthwise;                       // groups of a beat are one command
    bool pairs; // that gives the outputs of two lines at once: its kernel has those of both
} fp8rt_frame;

// Fills in what follows from window, height, width, pixel_bytes, group_in and group_out.
void fp8rt_frame_complete(const fp8rt_caps *caps, const fp8rt_tensor *x, uint32_t filters,
                          fp8rt_frame *frame);
// Whether the accelerator has depthwise commands that take the channels of x, in pixels of whole
// beats.
bool fp8rt_takes_quads(const fp8rt_caps *caps, const fp8rt_tensor *x, uint32_t pixel_bytes);
// Whether the accelerator takes groups together: of as many channels as it has columns, in
// pixels of whole beats.
bool fp8rt_frame_is_depthwise(const fp8rt_caps *caps, const fp8rt_tensor *x,
                              const fp8rt_frame *frame);
// Lines of a row of weights, and rows of A for `lines` output lines of `pixels` each
static inline uint32_t fp8rt_frame_lines(const fp8rt_frame *f)
{
    return f->window.kernel_h + (f->pairs ? f->window.stride_y : 0);
}
static inline uint32_t fp8rt_frame_rows(const fp8rt_frame *f, uint32_t lines, uint32_t pixels)
{
    return (f->pairs ? fp8rt_ceil_div(lines, 2) : lines) * pixels;
}
// Rows of weights for `filters`
static inline uint32_t fp8rt_frame_filters(const fp8rt_frame *f, uint32_t filters)
{
    return f->pairs ? fp8rt_pairs_rows(filters) : filters;
}
// What an image of `out_h` output lines has of depthwise commands
void fp8rt_frame_image(const fp8rt_frame *f, uint32_t out_h, fp8rt_image *image);
// FP8RT_ERR_UNSUPPORTED, FP8RT_ERR_ALIGNMENT or FP8RT_ERR_IMAGE: a frame with pairs cannot have
// them.
fp8rt_status fp8rt_frame_check_pairs(const fp8rt_caps *caps, const fp8rt_tensor *x,
                                     const fp8rt_frame *f);
// The argument of a convolution whose size does not fit the frame: "desc->x" to
// "desc->group_out", or NULL
const char *fp8rt_frame_misfit(const fp8rt_frame *frame, uint32_t images, const fp8rt_tensor *x,
                               const fp8rt_tensor *weights, const fp8rt_tensor *out);
// Joins such groups to beats.
void fp8rt_frame_join(const fp8rt_caps *caps, const fp8rt_tensor *x, fp8rt_frame *frame);

#endif
