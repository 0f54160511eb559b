// SPDX-License-Identifier: Apache-2.0
#include "window.h"

#include "layer.h"

uint32_t fp8rt_window_count(uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t size,
                            uint32_t padding)
{
    const uint64_t extent = (uint64_t)fp8rt_or_one(dilation) * (fp8rt_or_one(kernel) - 1u) + 1u;
    const uint64_t padded = (uint64_t)size + padding, steps = padded - extent;
    if (padded < extent) {
        return 0;
    }
    // The core has no fast division of 64 bits.
    return (steps <= UINT32_MAX ? (uint32_t)steps / fp8rt_or_one(stride)
                                : (uint32_t)(steps / fp8rt_or_one(stride))) +
           1u;
}

fp8rt_window fp8rt_window_fill(const fp8rt_window *window)
{
    fp8rt_window full = *window;
    full.kernel_h = fp8rt_or_one(window->kernel_h);
    full.kernel_w = fp8rt_or_one(window->kernel_w);
    full.stride_y = fp8rt_or_one(window->stride_y);
    full.stride_x = fp8rt_or_one(window->stride_x);
    full.dilation_y = fp8rt_or_one(window->dilation_y);
    full.dilation_x = fp8rt_or_one(window->dilation_x);
    return full;
}

fp8rt_status fp8rt_pixels_check(fp8rt_run *run, const fp8rt_tensor *x, uint32_t pixel_bytes)
{
    if (x == NULL || pixel_bytes == 0) {
        return fp8rt_layer_check_operand_named(run, x, "desc->x");
    }
    // Bytes between pixels and the address of the first one do not matter.
    fp8rt_tensor tensor = *x;
    tensor.stride = 0;
    tensor.data = x->data == NULL ? NULL : (void *)(uintptr_t)run->dev->caps.beat_bytes;
    const fp8rt_status status = fp8rt_layer_check_operand_named(run, &tensor, "desc->x");
    return status == FP8RT_OK && pixel_bytes < x->cols ? FP8RT_ERR_STRIDE : status;
}

bool fp8rt_is_product(uint32_t total, uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t ab = (uint64_t)a * b;
    return ab <= UINT32_MAX && ab * c == total && total != 0;
}

void fp8rt_frame_complete(const fp8rt_caps *caps, const fp8rt_tensor *x, uint32_t filters,
                          fp8rt_frame *f)
{
    const fp8rt_window *w = &f->window;
    f->out_h = fp8rt_window_count(w->kernel_h, w->stride_y, w->dilation_y, f->height,
                                  w->pad_top + w->pad_bottom);
    f->out_w = fp8rt_window_count(w->kernel_w, w->stride_x, w->dilation_x, f->width,
                                  w->pad_left + w->pad_right);
    f->pixel_bytes = f->pixel_bytes != 0 ? f->pixel_bytes : fp8rt_tensor_stride(caps, x);
    f->group_in = f->group_in == 0 ? x->cols : f->group_in;
    f->group_out = f->group_out == 0 ? filters : f->group_out;
    f->groups = fp8rt_ceil_div(x->cols, f->group_in);
    f->group_codes = f->group_in;
}

// In whole quads or groups of so many
static bool takes_channels(const fp8rt_caps *caps, const fp8rt_tensor *x, uint32_t pixel_bytes,
                           uint32_t channels)
{
    return (caps->functions & FP8MAC_FUNCTION_DEPTHWISE) != 0 && (x->cols & (channels - 1u)) == 0 &&
           (((uintptr_t)x->data | pixel_bytes) & (caps->beat_bytes - 1u)) == 0;
}

bool fp8rt_takes_quads(const fp8rt_caps *caps, const fp8rt_tensor *x, uint32_t pixel_bytes)
{
    return takes_channels(caps, x, pixel_bytes, caps->cols);
}

bool fp8rt_frame_is_depthwise(const fp8rt_caps *caps, const fp8rt_tensor *x, const fp8rt_frame *f)
{
    const uint32_t channels = f->pairs ? caps->cols / 2u : caps->cols;
    return f->groups > 1 && f->group_in == channels && f->group_out == channels &&
           takes_channels(caps, x, f->pixel_bytes, channels);
}

void fp8rt_frame_image(const fp8rt_frame *f, uint32_t out_h, fp8rt_image *image)
{
    image->depthwise = f->depthwise;
    if (f->pairs) {
        image->pairs = true;
        image->odd = out_h % 2u != 0;
        image->stride_y *= 2u;
    }
}

fp8rt_status fp8rt_frame_check_pairs(const fp8rt_caps *caps, const fp8rt_tensor *x,
                                     const fp8rt_frame *f)
{
    if (!f->pairs) {
        return FP8RT_OK;
    }
    if ((caps->functions & FP8MAC_FUNCTION_DEPTHWISE) == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (f->window.dilation_y != 1) {
        return FP8RT_ERR_IMAGE;
    }
    return fp8rt_frame_is_depthwise(caps, x, f) ? FP8RT_OK : FP8RT_ERR_ALIGNMENT;
}

const char *fp8rt_frame_misfit(const fp8rt_frame *f, uint32_t images, const fp8rt_tensor *x,
                               const fp8rt_tensor *weights, const fp8rt_tensor *out)
{
    return !fp8rt_is_product(x->rows, images, f->height, f->width) ? "desc->x"
           : f->out_h == 0 || f->out_w == 0                        ? "desc->window"
           : !fp8rt_is_product(weights->cols, fp8rt_frame_lines(f), f->window.kernel_w, f->group_in)
               ? "desc->weights"
           : !fp8rt_is_product(out->rows, images, f->out_h, f->out_w) ||
                   weights->rows != fp8rt_frame_filters(f, out->cols)
               ? "desc->out"
           : fp8rt_ceil_div(out->cols, f->group_out) != f->groups ? "desc->group_out"
                                                                  : NULL;
}

void fp8rt_frame_join(const fp8rt_caps *caps, const fp8rt_tensor *x, fp8rt_frame *f)
{
    if (fp8rt_frame_is_depthwise(caps, x, f)) {
        f->depthwise = true;
        f->group_in = f->group_out = caps->beat_bytes;
        f->groups = fp8rt_ceil_div(x->cols, f->group_in);
    }
}
