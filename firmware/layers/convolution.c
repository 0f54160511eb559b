// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/convolution.h"

#include "parts.h"
#include "window.h"

#define MAX_HEIGHT 65535u // lines of an image

// What is computed, with all defaults filled in.
typedef struct layer {
    const fp8rt_convolution_desc *desc;
    fp8rt_frame frame;
    uint32_t images, points;
} layer;

static layer layer_of(const fp8rt_run *run, const fp8rt_convolution_desc *desc)
{
    layer l = {.desc = desc,
               .frame = {.window = fp8rt_window_fill(&desc->window),
                         .height = fp8rt_or_one(desc->height),
                         .width = fp8rt_or_one(desc->width),
                         .pixel_bytes = desc->pixel_bytes,
                         .group_in = desc->group_in,
                         .group_out = desc->group_out,
                         .pairs = desc->pairs},
               .images = fp8rt_or_one(desc->images)};
    fp8rt_frame_complete(&run->dev->caps, desc->x, desc->out->cols, &l.frame);
    l.points = fp8rt_frame_lines(&l.frame) * l.frame.window.kernel_w;
    return l;
}

// ---- checks -------------------------------------------------------------------------------------

static fp8rt_status check_tensors(fp8rt_run *run, const fp8rt_convolution_desc *desc)
{
    if (desc == NULL || desc->weights == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_pixels_check(run, desc->x, desc->pixel_bytes);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_operand_named(run, &desc->weights->codes, "desc->weights");
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_any(run, desc->out);
    }
    if (status == FP8RT_OK && desc->residual != NULL) {
        status = fp8rt_layer_check_any(run, desc->residual);
    }
    return status;
}

// The argument that does not fit, or NULL
static const char *misfit(const fp8rt_caps *caps, const layer *l)
{
    const fp8rt_convolution_desc *desc = l->desc;
    const fp8rt_tensor *residual = desc->residual;
    const char *name =
        fp8rt_frame_misfit(&l->frame, l->images, desc->x, &desc->weights->codes, desc->out);
    if (name != NULL) {
        return name;
    }
    if (!fp8rt_element_holds(&caps->element, desc->weights->codes.cols)) {
        return "desc->weights";
    }
    return residual != NULL && !fp8rt_tensor_is_as(residual, desc->out) ? "desc->residual" : NULL;
}

static fp8rt_status check(fp8rt_run *run, const layer *l)
{
    const fp8rt_tensor *out = l->desc->out;
    const uint32_t group_bytes =
        l->frame.group_out * fp8mac_format_bytes(fp8mac_format_get(out->format));
    if (l->frame.window.pad_bottom > MAX_HEIGHT || l->frame.window.pad_right > MAX_HEIGHT) {
        return FP8RT_ERR_IMAGE;
    }
    fp8rt_status status = fp8rt_layer_fit(run, misfit(&run->dev->caps, l));
    if (status == FP8RT_OK) {
        status = fp8rt_frame_check_pairs(&run->dev->caps, l->desc->x, &l->frame);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    return !fp8rt_frame_is_depthwise(&run->dev->caps, l->desc->x, &l->frame) &&
                   l->frame.groups > 1 && (group_bytes & (run->dev->caps.beat_bytes - 1u)) != 0
               ? FP8RT_ERR_ALIGNMENT
               : FP8RT_OK;
}

// ---- commands -----------------------------------------------------------------------------------

// Lines that depend on no others of their image are lines of one high image.
static void merge_images(layer *l)
{
    const fp8rt_window *w = &l->frame.window;
    if (w->kernel_h == 1 && w->stride_y == 1 && w->pad_top == 0 && w->pad_bottom == 0 &&
        (uint64_t)l->images * l->frame.height <= MAX_HEIGHT) {
        l->frame.height *= l->images;
        l->frame.out_h *= l->images;
        l->images = 1;
    }
}

// A kernel of one pixel multiplies the pixels as the rows of a matrix.
static bool is_matrix(const fp8rt_run *run, const layer *l, const fp8rt_tensor *x)
{
    const uint32_t beat = run->dev->caps.beat_bytes;
    return l->points == 1 && l->images == 1 && l->frame.out_h == l->frame.height &&
           l->frame.out_w == l->frame.width && l->frame.window.stride_y == 1 &&
           l->frame.window.stride_x == 1 && l->frame.window.pad_top == 0 &&
           l->frame.window.pad_left == 0 &&
           (((uintptr_t)x->data | l->frame.pixel_bytes) & (beat - 1u)) == 0;
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
    const uint32_t first = group * l->frame.group_out;
    const uint32_t filters = part_size(l->desc->out->cols, l->frame.group_out, group);
    const uint32_t codes = l->points * (l->frame.depthwise ? l->frame.group_codes : channels);
    return fp8rt_weights_part(run, all, first, filters, fp8rt_frame_filters(&l->frame, 1), codes);
}

static fp8rt_image image_of(const layer *l, uint32_t channels)
{
    const fp8rt_window *w = &l->frame.window;
    fp8rt_image image = {
        .height = l->frame.height,
        .width = l->frame.width,
        .channels = l->frame.depthwise ? l->frame.group_in : channels,
        .pixel_bytes = l->frame.pixel_bytes,
        .out_w = l->frame.out_w,
        .kernel_w = w->kernel_w,
        .stride_y = w->stride_y,
        .stride_x = w->stride_x,
        .dilation_y = w->dilation_y,
        .dilation_x = w->dilation_x,
        .pad_top = w->pad_top,
        .pad_left = w->pad_left,
    };
    fp8rt_frame_image(&l->frame, l->frame.out_h, &image);
    return image;
}

static fp8rt_status run_group(fp8rt_run *run, const layer *l, fp8rt_parts *parts, uint32_t image,
                              uint32_t group)
{
    const fp8rt_convolution_desc *desc = l->desc;
    const uint32_t channels = part_size(desc->x->cols, l->frame.group_in, group);
    const uint32_t row = image * l->frame.out_h * l->frame.out_w,
                   rows = l->frame.out_h * l->frame.out_w;
    const fp8rt_weights weights = weights_of(run, l, group, channels);
    const uint32_t first = group * l->frame.group_out,
                   count = part_size(desc->out->cols, l->frame.group_out, group);
    fp8rt_tensor x = *desc->x, residual;
    x.data = (uint8_t *)x.data +
             (size_t)image * l->frame.height * l->frame.width * l->frame.pixel_bytes +
             group * l->frame.group_in;
    x.rows = rows;
    x.cols = channels;
    x.stride = l->frame.pixel_bytes;
    fp8rt_product product = {.x = &x,
                             .weights = &weights,
                             .m = fp8rt_frame_rows(&l->frame, l->frame.out_h, l->frame.out_w),
                             .factor = 1.0f,
                             .fused = &parts->fused};
    if (l->frame.depthwise || !is_matrix(run, l, &x)) {
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
        fp8rt_parts_begin(run, &l->desc->fused, l->desc->out, l->images * l->frame.groups, &parts);
    for (uint32_t image = 0; image < l->images; image++) {
        for (uint32_t group = 0; group < l->frame.groups && status == FP8RT_OK; group++) {
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
            fp8rt_frame_join(&run->dev->caps, desc->x, &l.frame);
            fp8rt_layer_observe(run, &scope, desc);
            status = compute(run, &l);
        }
    }
    return fp8rt_layer_end(run, &scope, status);
}
