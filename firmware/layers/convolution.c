// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/convolution.h"

#include "parts.h"
#include "window.h"

#define MAX_HEIGHT 65535u // lines of an image

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
        return fp8rt_layer_check_operand(run, x);
    }
    // Bytes between pixels and the address of the first one do not matter.
    fp8rt_tensor tensor = *x;
    tensor.stride = 0;
    tensor.data = x->data == NULL ? NULL : (void *)(uintptr_t)run->dev->caps.beat_bytes;
    const fp8rt_status status = fp8rt_layer_check_operand(run, &tensor);
    return status == FP8RT_OK && pixel_bytes < x->cols ? FP8RT_ERR_STRIDE : status;
}

bool fp8rt_is_product(uint32_t total, uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t ab = (uint64_t)a * b;
    return ab <= UINT32_MAX && ab * c == total && total != 0;
}

// What is computed, with all defaults filled in.
typedef struct layer {
    const fp8rt_convolution_desc *desc;
    fp8rt_window window;
    uint32_t images, height, width, out_h, out_w, pixel_bytes;
    uint32_t points, group_in, group_out, groups;
    uint32_t group_codes; // of a pixel, in a row of a group's weights
    bool depthwise;       // groups of a beat are one command
} layer;

static layer layer_of(const fp8rt_run *run, const fp8rt_convolution_desc *desc)
{
    const fp8rt_window w = fp8rt_window_fill(&desc->window);
    layer l = {.desc = desc,
               .window = w,
               .images = fp8rt_or_one(desc->images),
               .height = fp8rt_or_one(desc->height),
               .width = fp8rt_or_one(desc->width)};
    l.out_h = fp8rt_window_count(w.kernel_h, w.stride_y, w.dilation_y, l.height,
                                 w.pad_top + w.pad_bottom);
    l.out_w =
        fp8rt_window_count(w.kernel_w, w.stride_x, w.dilation_x, l.width, w.pad_left + w.pad_right);
    l.pixel_bytes =
        desc->pixel_bytes != 0 ? desc->pixel_bytes : fp8rt_tensor_stride(&run->dev->caps, desc->x);
    l.points = w.kernel_h * w.kernel_w;
    l.group_in = desc->group_in == 0 ? desc->x->cols : desc->group_in;
    l.group_out = desc->group_out == 0 ? desc->out->cols : desc->group_out;
    l.groups = fp8rt_ceil_div(desc->x->cols, l.group_in);
    l.group_codes = l.group_in;
    return l;
}

// The accelerator takes groups of as many channels as it has columns together, where pixels are whole beats.
static bool is_depthwise(const fp8rt_caps *caps, const layer *l)
{
    const uint32_t beat = caps->beat_bytes;
    return (caps->functions & FP8RT_FUNCTION_DEPTHWISE) != 0 && l->groups > 1 &&
           l->group_in == caps->cols && l->group_out == caps->cols &&
           (l->desc->x->cols & (caps->cols - 1u)) == 0 &&
           (((uintptr_t)l->desc->x->data | l->pixel_bytes) & (beat - 1u)) == 0;
}

static void join_quads(const fp8rt_caps *caps, layer *l)
{
    if (is_depthwise(caps, l)) {
        l->depthwise = true;
        l->group_in = l->group_out = caps->beat_bytes;
        l->groups = fp8rt_ceil_div(l->desc->x->cols, l->group_in);
    }
}

// ---- checks -------------------------------------------------------------------------------------

static fp8rt_status check_tensors(fp8rt_run *run, const fp8rt_convolution_desc *desc)
{
    if (desc == NULL || desc->weights == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_pixels_check(run, desc->x, desc->pixel_bytes);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_operand(run, &desc->weights->codes);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_any(run, desc->out);
    }
    if (status == FP8RT_OK && desc->residual != NULL) {
        status = fp8rt_layer_check_any(run, desc->residual);
    }
    return status;
}

static bool fits(const layer *l)
{
    const fp8rt_convolution_desc *desc = l->desc;
    const fp8rt_tensor *out = desc->out, *residual = desc->residual;
    return fp8rt_is_product(desc->x->rows, l->images, l->height, l->width) &&
           fp8rt_is_product(out->rows, l->images, l->out_h, l->out_w) &&
           fp8rt_is_product(desc->weights->codes.cols, l->window.kernel_h, l->window.kernel_w,
                            l->group_in) &&
           desc->weights->codes.rows == out->cols &&
           fp8rt_ceil_div(out->cols, l->group_out) == l->groups &&
           (residual == NULL || (residual->rows == out->rows && residual->cols == out->cols));
}

static fp8rt_status check(fp8rt_run *run, const layer *l)
{
    const fp8rt_tensor *out = l->desc->out;
    const uint32_t group_bytes = l->group_out * fp8mac_format_bytes(fp8mac_format_get(out->format));
    if (l->window.pad_bottom > MAX_HEIGHT || l->window.pad_right > MAX_HEIGHT) {
        return FP8RT_ERR_IMAGE;
    }
    if (!fits(l)) {
        return FP8RT_ERR_SHAPE;
    }
    return !is_depthwise(&run->dev->caps, l) && l->groups > 1 &&
                   (group_bytes & (run->dev->caps.beat_bytes - 1u)) != 0
               ? FP8RT_ERR_ALIGNMENT
               : FP8RT_OK;
}

// ---- commands -----------------------------------------------------------------------------------

// Lines that depend on no others of their image are lines of one high image.
static void merge_images(layer *l)
{
    const fp8rt_window *w = &l->window;
    if (w->kernel_h == 1 && w->stride_y == 1 && w->pad_top == 0 && w->pad_bottom == 0 &&
        (uint64_t)l->images * l->height <= MAX_HEIGHT) {
        l->height *= l->images;
        l->out_h *= l->images;
        l->images = 1;
    }
}

// A kernel of one pixel multiplies the pixels as the rows of a matrix.
static bool is_matrix(const fp8rt_run *run, const layer *l, const fp8rt_tensor *x)
{
    const uint32_t beat = run->dev->caps.beat_bytes;
    return l->points == 1 && l->images == 1 && l->out_h == l->height && l->out_w == l->width &&
           l->window.stride_y == 1 && l->window.stride_x == 1 && l->window.pad_top == 0 &&
           l->window.pad_left == 0 && (((uintptr_t)x->data | l->pixel_bytes) & (beat - 1u)) == 0;
}

static uint32_t part_size(uint32_t total, uint32_t part, uint32_t number)
{
    const uint32_t left = total - number * part;
    return left < part ? left : part;
}

static fp8rt_weights weights_of(const fp8rt_run *run, const layer *l, uint32_t group,
                                uint32_t channels)
{
    const fp8rt_weights *all = l->desc->weights;
    return fp8rt_weights_part(run, all, group * l->group_out,
                              part_size(all->codes.rows, l->group_out, group),
                              l->points * (l->depthwise ? l->group_codes : channels));
}

static fp8rt_image image_of(const layer *l, uint32_t channels)
{
    const fp8rt_window *w = &l->window;
    return (fp8rt_image){
        .height = l->height,
        .width = l->width,
        .channels = l->depthwise ? l->group_in : channels,
        .pixel_bytes = l->pixel_bytes,
        .out_w = l->out_w,
        .kernel_w = w->kernel_w,
        .stride_y = w->stride_y,
        .stride_x = w->stride_x,
        .dilation_y = w->dilation_y,
        .dilation_x = w->dilation_x,
        .pad_top = w->pad_top,
        .pad_left = w->pad_left,
        .depthwise = l->depthwise,
    };
}

static fp8rt_status run_group(fp8rt_run *run, const layer *l, fp8rt_parts *parts, uint32_t image,
                              uint32_t group)
{
    const fp8rt_convolution_desc *desc = l->desc;
    const uint32_t channels = part_size(desc->x->cols, l->group_in, group);
    const uint32_t row = image * l->out_h * l->out_w, rows = l->out_h * l->out_w;
    const fp8rt_weights weights = weights_of(run, l, group, channels);
    const uint32_t first = group * l->group_out, count = weights.codes.rows;
    fp8rt_tensor x = *desc->x, residual;
    x.data = (uint8_t *)x.data + (size_t)image * l->height * l->width * l->pixel_bytes +
             group * l->group_in;
    x.rows = rows;
    x.cols = channels;
    x.stride = l->pixel_bytes;
    fp8rt_product product = {
        .x = &x, .weights = &weights, .m = rows, .factor = 1.0f, .fused = &parts->fused};
    if (l->depthwise || !is_matrix(run, l, &x)) {
        product.image = image_of(l, channels);
    }
    if (desc->residual != NULL) {
        residual = fp8rt_tensor_part(run, desc->residual, row, rows, 1, first, count);
        product.c = &residual;
    }
    fp8rt_tensor out = fp8rt_tensor_part(run, &parts->whole, row, rows, 1, first, count);
    const fp8rt_status status = fp8rt_layer_gemm(run, &product, &out);
    parts->whole.scale = out.scale;
    return status;
}

static fp8rt_status compute(fp8rt_run *run, layer *l)
{
    fp8rt_parts parts;
    merge_images(l);
    fp8rt_status status =
        fp8rt_parts_begin(run, &l->desc->fused, l->desc->out, l->images * l->groups, &parts);
    for (uint32_t image = 0; image < l->images; image++) {
        for (uint32_t group = 0; group < l->groups && status == FP8RT_OK; group++) {
            status = run_group(run, l, &parts, image, group);
        }
    }
    return status == FP8RT_OK ? fp8rt_parts_end(run, &parts, l->desc->out) : status;
}

fp8rt_status fp8rt_convolution(fp8rt_run *run, const fp8rt_convolution_desc *desc)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, "convolution", &scope);
    if (status == FP8RT_OK) {
        status = check_tensors(run, desc);
    }
    if (status == FP8RT_OK) {
        layer l = layer_of(run, desc);
        status = check(run, &l);
        if (status == FP8RT_OK) {
            join_quads(&run->dev->caps, &l);
            fp8rt_layer_observe(run, &scope, desc);
            status = compute(run, &l);
        }
    }
    return fp8rt_layer_end(run, &scope, status);
}
