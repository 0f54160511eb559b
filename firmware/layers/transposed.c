// SPDX-License-Identifier: Apache-2.0
// Output line oy = oy' * stride_y + py sees kernel line ky = (py + pad_top) % stride_y + stride_y *
// j of input line oy' + (py + pad_top) / stride_y - j, for j from 0 on. So the lines of a sub-grid
// are a convolution with every stride_y-th line of the kernel, in reverse. Pixels likewise.
#include "parts.h"
#include "record.h"
#include "window.h"

// One dimension of a sub-grid: position t of its kernel is kernel line `first` + stride * (taps - 1
// - t).
typedef struct axis {
    uint32_t first, stride, taps;
    uint32_t padding, skipped; // lines of zeros before the image, lines of the image that none sees
} axis;

static axis axis_of(uint32_t kernel, uint32_t stride, uint32_t padding, uint32_t remainder)
{
    const uint32_t taps = fp8rt_ceil_div(kernel, stride);
    const uint32_t whole = (remainder + padding) / stride;
    return (axis){.first = (remainder + padding) % stride,
                  .stride = stride,
                  .taps = taps,
                  .padding = whole < taps ? taps - 1u - whole : 0,
                  .skipped = whole < taps ? 0 : whole - (taps - 1u)};
}

static fp8rt_transposed_desc fill(const fp8rt_transposed_desc *desc)
{
    fp8rt_transposed_desc full = *desc;
    full.images = fp8rt_or_one(desc->images);
    full.height = fp8rt_or_one(desc->height);
    full.width = fp8rt_or_one(desc->width);
    full.kernel_h = fp8rt_or_one(desc->kernel_h);
    full.kernel_w = fp8rt_or_one(desc->kernel_w);
    full.stride_y = fp8rt_or_one(desc->stride_y);
    full.stride_x = fp8rt_or_one(desc->stride_x);
    return full;
}

// ---- weights ------------------------------------------------------------------------------------

static uint32_t points_of(const fp8rt_transposed_desc *full)
{
    return fp8rt_ceil_div(full->kernel_h, full->stride_y) *
           fp8rt_ceil_div(full->kernel_w, full->stride_x);
}

uint32_t fp8rt_subgrid_points(const fp8rt_transposed_desc *desc)
{
    const fp8rt_transposed_desc full = fill(desc);
    return points_of(&full);
}

static const char *misfit_of_split(const fp8rt_transposed_desc *full, const fp8rt_tensor *src,
                                   const fp8rt_tensor *dst)
{
    const uint64_t points = (uint64_t)full->kernel_h * full->kernel_w;
    if (src->rows == 0 || points > src->cols || src->cols % (uint32_t)points != 0) {
        return "src";
    }
    const uint32_t channels = src->cols / (uint32_t)points;
    return fp8rt_tensor_is(dst, full->stride_y * full->stride_x * src->rows,
                           points_of(full) * channels)
               ? NULL
               : "dst";
}

static fp8rt_status check_split(const fp8rt_transposed_desc *full, const fp8rt_tensor *src,
                                const fp8rt_tensor *dst)
{
    if (src == NULL || dst == NULL || src->data == NULL || dst->data == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (src->format > FP8MAC_E5M2FNUZ || dst->format != src->format) {
        return FP8RT_ERR_FORMAT;
    }
    return misfit_of_split(full, src, dst) == NULL ? FP8RT_OK : FP8RT_ERR_SHAPE;
}

const char *fp8rt_split_misfit(const fp8rt_transposed_desc *desc, const fp8rt_tensor *src,
                               const fp8rt_tensor *dst)
{
    const fp8rt_transposed_desc full = fill(desc);
    return misfit_of_split(&full, src, dst);
}

// A row of a sub-grid. Positions behind the kernel are zeros.
static void split_row(const fp8rt_transposed_desc *full, const axis *y, const axis *x,
                      uint32_t channels, const uint8_t *src, uint8_t *dst)
{
    for (uint32_t ty = 0; ty < y->taps; ty++) {
        const uint32_t ky = y->first + y->stride * (y->taps - 1u - ty);
        for (uint32_t tx = 0; tx < x->taps; tx++, dst += channels) {
            const uint32_t kx = x->first + x->stride * (x->taps - 1u - tx);
            if (ky < full->kernel_h && kx < full->kernel_w) {
                memcpy(dst, src + (size_t)(ky * full->kernel_w + kx) * channels, channels);
            } else {
                memset(dst, 0, channels);
            }
        }
    }
}

fp8rt_status fp8rt_split_kernel(const fp8rt_caps *caps, const fp8rt_transposed_desc *desc,
                                const fp8rt_tensor *src, const fp8rt_tensor *dst)
{
    if (caps == NULL || desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_transposed_desc full = fill(desc);
    const fp8rt_status status = check_split(&full, src, dst);
    if (status != FP8RT_OK) {
        return status;
    }
    const uint32_t channels = src->cols / (full.kernel_h * full.kernel_w);
    const uint32_t from = fp8rt_tensor_stride(caps, src), to = fp8rt_tensor_stride(caps, dst);
    uint8_t *row = dst->data;
    for (uint32_t py = 0; py < full.stride_y; py++) {
        const axis y = axis_of(full.kernel_h, full.stride_y, full.pad_top, py);
        for (uint32_t px = 0; px < full.stride_x; px++) {
            const axis x = axis_of(full.kernel_w, full.stride_x, full.pad_left, px);
            for (uint32_t n = 0; n < src->rows; n++, row += to) {
                split_row(&full, &y, &x, channels, (const uint8_t *)src->data + (size_t)n * from,
                          row);
            }
        }
    }
    return FP8RT_OK;
}

// ---- checks -------------------------------------------------------------------------------------

static fp8rt_status check_tensors(fp8rt_run *run, const fp8rt_transposed_desc *desc)
{
    if (desc == NULL || desc->weights == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_operand(run, desc->x);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_operand_named(run, &desc->weights->codes, "desc->weights");
    }
    return status == FP8RT_OK ? fp8rt_layer_check_any(run, desc->out) : status;
}

// The last sub-grid skips most.
static bool sees_image(const fp8rt_transposed_desc *full)
{
    const axis y = axis_of(full->kernel_h, full->stride_y, full->pad_top, full->stride_y - 1u);
    const axis x = axis_of(full->kernel_w, full->stride_x, full->pad_left, full->stride_x - 1u);
    return y.skipped < full->height && x.skipped < full->width && full->pad_top < full->kernel_h &&
           full->pad_left < full->kernel_w;
}

// The argument that does not fit, or NULL
static const char *misfit(const fp8rt_caps *caps, const fp8rt_transposed_desc *full)
{
    const fp8rt_tensor *x = full->x, *out = full->out, *codes = &full->weights->codes;
    if (!fp8rt_is_product(x->rows, full->images, full->height, full->width)) {
        return "desc->x";
    }
    if (!fp8rt_is_product(out->rows, full->images, full->out_height, full->out_width)) {
        return "desc->out";
    }
    if (!fp8rt_is_product(codes->rows, full->stride_y, full->stride_x, out->cols) ||
        !fp8rt_is_product(codes->cols, points_of(full), x->cols, 1) ||
        !fp8rt_element_holds(&caps->element, codes->cols)) {
        return "desc->weights";
    }
    return NULL;
}

static fp8rt_status check(fp8rt_run *run, const fp8rt_transposed_desc *full)
{
    const fp8rt_status status = fp8rt_layer_fit(run, misfit(&run->dev->caps, full));
    return status == FP8RT_OK && !sees_image(full) ? FP8RT_ERR_IMAGE : status;
}

// ---- commands -----------------------------------------------------------------------------------

typedef struct subgrid {
    const fp8rt_transposed_desc *desc; // filled in
    uint32_t image, py, px;
    uint32_t lines, pixels; // of the output
} subgrid;

static fp8rt_status run_subgrid(fp8rt_run *run, const subgrid *p, const fp8rt_fused *fused,
                                fp8rt_tensor *out)
{
    const fp8rt_transposed_desc *desc = p->desc;
    const axis ay = axis_of(desc->kernel_h, desc->stride_y, desc->pad_top, p->py);
    const axis ax = axis_of(desc->kernel_w, desc->stride_x, desc->pad_left, p->px);
    const uint32_t channels = desc->out->cols;
    const uint32_t first = (p->py * desc->stride_x + p->px) * channels;
    const uint32_t skipped = (p->image * desc->height + ay.skipped) * desc->width + ax.skipped;
    const fp8rt_tensor x =
        fp8rt_tensor_part(run, desc->x, skipped, desc->x->rows - skipped, 1, 0, desc->x->cols);
    const fp8rt_weights weights = {.codes =
                                       fp8rt_tensor_part(run, &desc->weights->codes, first,
                                                         channels, 1, 0, desc->weights->codes.cols),
                                   .row_scale = desc->weights->row_scale,
                                   .bias = desc->weights->bias};
    const fp8rt_product product = {.x = &x,
                                   .weights = &weights,
                                   .image = {.height = desc->height - ay.skipped,
                                             .width = desc->width - ax.skipped,
                                             .channels = x.cols,
                                             .out_w = p->pixels,
                                             .kernel_w = ax.taps,
                                             .pad_top = ay.padding,
                                             .pad_left = ax.padding},
                                   .line_bytes = desc->width * x.stride,
                                   .m = p->lines * p->pixels,
                                   .fused = fused};
    return fp8rt_layer_gemm(run, &product, out);
}

// The sub-grids of all lines write every stride_x-th pixel of the output.
static fp8rt_status run_direct(fp8rt_run *run, const fp8rt_transposed_desc *desc,
                               fp8rt_parts *parts, uint32_t image)
{
    subgrid p = {.desc = desc,
                 .image = image,
                 .lines = desc->out_height,
                 .pixels = desc->out_width / desc->stride_x};
    fp8rt_status status = FP8RT_OK;
    for (p.px = 0; p.px < desc->stride_x && status == FP8RT_OK; p.px++) {
        fp8rt_tensor out =
            fp8rt_tensor_part(run, &parts->whole, image * desc->out_height * desc->out_width + p.px,
                              p.lines * p.pixels, desc->stride_x, 0, desc->out->cols);
        status = run_subgrid(run, &p, &parts->fused, &out);
        parts->whole.scale = out.scale;
    }
    return status;
}

// Lines as rows of a tensor, the bytes between their pixels included. Codes are moved as they are.
static fp8rt_tensor as_lines(const fp8rt_tensor *pixels, uint32_t element_bytes, uint32_t lines,
                             uint32_t count, uint32_t line_bytes)
{
    fp8rt_tensor tensor = *pixels;
    tensor.rows = lines;
    tensor.cols = (count - 1u) * (pixels->stride / element_bytes) + pixels->cols;
    tensor.stride = line_bytes;
    tensor.scale = 1.0f;
    return tensor;
}

// Lines py, py + stride_y, ... of the output: from the scratch to their lines.
static fp8rt_status move_lines(fp8rt_run *run, const subgrid *p, const fp8rt_tensor *scratch,
                               const fp8rt_tensor *whole)
{
    const fp8rt_transposed_desc *desc = p->desc;
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(whole->format));
    const fp8rt_tensor part = fp8rt_tensor_part(
        run, whole, (p->image * desc->out_height + p->py) * desc->out_width, 1, 1, 0, whole->cols);
    const fp8rt_tensor from = as_lines(scratch, bytes, p->lines, desc->out_width,
                                       p->pixels * desc->stride_x * scratch->stride);
    fp8rt_tensor to = as_lines(&part, bytes, p->lines, desc->out_width,
                               desc->stride_y * desc->out_width * part.stride);
    return fp8rt_layer_convert(run, &from, NULL, &to);
}

static fp8rt_status run_lines(fp8rt_run *run, subgrid *p, const fp8rt_parts *parts,
                              const fp8rt_tensor *scratch)
{
    const fp8rt_transposed_desc *desc = p->desc;
    fp8rt_status status = FP8RT_OK;
    for (p->px = 0; p->px < desc->stride_x && status == FP8RT_OK; p->px++) {
        fp8rt_tensor out = fp8rt_tensor_part(run, scratch, p->px, p->lines * p->pixels,
                                             desc->stride_x, 0, desc->out->cols);
        status = run_subgrid(run, p, &parts->fused, &out);
    }
    return status == FP8RT_OK ? move_lines(run, p, scratch, &parts->whole) : status;
}

static fp8rt_status run_through_scratch(fp8rt_run *run, const fp8rt_transposed_desc *desc,
                                        const fp8rt_parts *parts, uint32_t image)
{
    const fp8rt_caps *caps = &run->dev->caps;
    subgrid p = {
        .desc = desc, .image = image, .pixels = fp8rt_ceil_div(desc->out_width, desc->stride_x)};
    const uint32_t lines = fp8rt_ceil_div(desc->out_height, desc->stride_y);
    const size_t used = run->used;
    fp8rt_tensor scratch = parts->whole;
    scratch.rows = lines * p.pixels * desc->stride_x;
    scratch.stride = fp8rt_tensor_stride(caps, &parts->whole);
    scratch.data = fp8rt_layer_take(run, fp8rt_tensor_bytes(caps, &scratch));
    if (scratch.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    // The bytes between pixels are moved, too.
    fp8rt_status status =
        fp8rt_layer_fill(run, scratch.data, 0, fp8rt_tensor_bytes(caps, &scratch));
    for (p.py = 0; p.py < desc->stride_y && p.py < desc->out_height && status == FP8RT_OK; p.py++) {
        p.lines = fp8rt_ceil_div(desc->out_height - p.py, desc->stride_y);
        status = run_lines(run, &p, parts, &scratch);
    }
    run->used = used;
    return status;
}

static fp8rt_status compute(fp8rt_run *run, const fp8rt_transposed_desc *desc)
{
    const bool direct = desc->stride_y == 1 && desc->out_width % desc->stride_x == 0;
    const uint32_t commands = desc->images * desc->stride_y * desc->stride_x;
    fp8rt_parts parts;
    fp8rt_status status =
        fp8rt_parts_begin(run, &desc->fused, desc->out, direct ? commands : 2, &parts);
    for (uint32_t image = 0; image < desc->images && status == FP8RT_OK; image++) {
        status = direct ? run_direct(run, desc, &parts, image)
                        : run_through_scratch(run, desc, &parts, image);
    }
    return status == FP8RT_OK ? fp8rt_parts_end(run, &parts, desc->out) : status;
}

fp8rt_status fp8rt_transposed_convolution(fp8rt_run *run, const fp8rt_transposed_desc *desc)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, "transposed_convolution", &scope);
    if (status == FP8RT_OK) {
        status = check_tensors(run, desc);
    }
    if (status == FP8RT_OK) {
        const fp8rt_transposed_desc full = fill(desc);
        status = check(run, &full);
        if (status == FP8RT_OK) {
            fp8rt_layer_observe(run, &scope, desc);
            status = compute(run, &full);
        }
    }
    return fp8rt_layer_end(run, &scope, status);
}
