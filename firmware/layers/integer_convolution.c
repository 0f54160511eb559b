// SPDX-License-Identifier: Apache-2.0
// Integer convolutions: bands of outputs, and a command for each part of a band and each
// group.
#include "ceil_div.h"
#include "integer.h"
#include "window.h"

#define MAX_SIDE 65535u // lines of an image, or pixels of a line

typedef struct layer {
    const fp8rt_int_convolution_desc *desc;
    fp8rt_frame frame;
    bool banded;
} layer;

static layer layer_of(const fp8rt_run *run, const fp8rt_int_convolution_desc *desc)
{
    layer l = {.desc = desc,
               .frame = {.window = fp8rt_window_fill(&desc->window),
                         .height = fp8rt_or_one(desc->height),
                         .width = fp8rt_or_one(desc->width),
                         .group_in = desc->group_in,
                         .group_out = desc->group_out,
                         .pairs = desc->pairs},
               .banded = desc->finish.bias_stride != 0};
    fp8rt_frame_complete(&run->dev->caps, desc->x, desc->out->cols, &l.frame);
    return l;
}

static fp8rt_status check_tensors(fp8rt_run *run, const fp8rt_int_convolution_desc *desc)
{
    return desc == NULL
               ? FP8RT_ERR_NULL
               : fp8rt_int_check_product(run, desc->x, desc->weights, desc->out, &desc->finish);
}

static fp8rt_status check_window(fp8rt_run *run, const layer *l)
{
    const fp8rt_int_convolution_desc *desc = l->desc;
    const fp8rt_window *w = &l->frame.window;
    if (w->pad_top > MAX_SIDE || w->pad_bottom > MAX_SIDE || w->pad_left > MAX_SIDE ||
        w->pad_right > MAX_SIDE) {
        return FP8RT_ERR_IMAGE;
    }
    fp8rt_status status =
        fp8rt_layer_fit(run, fp8rt_frame_misfit(&l->frame, 1, desc->x, desc->weights, desc->out));
    if (status == FP8RT_OK) {
        status = fp8rt_frame_check_pairs(&run->dev->caps, desc->x, &l->frame);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    // Outputs of a group begin at a beat, and so do its scales and biases, which are longer.
    return !fp8rt_frame_is_depthwise(&run->dev->caps, desc->x, &l->frame) && l->frame.groups > 1 &&
                   (l->frame.group_out & (run->dev->caps.beat_bytes - 1u)) != 0
               ? FP8RT_ERR_ALIGNMENT
               : FP8RT_OK;
}

// Outputs along an axis of which the same positions of the kernel, begin to end, lie in the image
typedef struct band {
    uint32_t first, count, begin, end;
} band;

typedef struct axis {
    uint32_t kernel, stride, dilation, pad, size, outputs;
} axis;

static band at_output(const axis *a, uint32_t place)
{
    const int64_t start = (int64_t)place * a->stride - a->pad, left = (int64_t)a->size - start;
    const uint32_t before = start < 0 ? fp8rt_ceil_div((uint32_t)-start, a->dilation) : 0;
    const uint32_t within = left > 0 ? fp8rt_ceil_div((uint32_t)left, a->dilation) : 0;
    const uint32_t begin = before < a->kernel ? before : a->kernel;
    const uint32_t end = within < a->kernel ? within : a->kernel;
    return (band){place, 1, begin, end < begin ? begin : end};
}

// The band that begins at an output. Without a zero point it is all outputs.
static band next_band(const layer *l, const axis *a, uint32_t first)
{
    band b = at_output(a, first);
    if (!l->banded) {
        b.count = a->outputs;
    }
    while (b.first + b.count < a->outputs) {
        const band next = at_output(a, b.first + b.count);
        if (next.begin != b.begin || next.end != b.end) {
            break;
        }
        b.count++;
    }
    return b;
}

static axis lines_of(const layer *l)
{
    const fp8rt_window *w = &l->frame.window;
    return (axis){w->kernel_h, w->stride_y,     w->dilation_y,
                  w->pad_top,  l->frame.height, l->frame.out_h};
}

static axis pixels_of(const layer *l)
{
    const fp8rt_window *w = &l->frame.window;
    return (axis){w->kernel_w, w->stride_x,    w->dilation_x,
                  w->pad_left, l->frame.width, l->frame.out_w};
}

// Lines y .. y + lines and pixels x .. x + pixels of the output, with one bias. One pixel of
// several lines is a column; more pixels are whole lines.
typedef struct part {
    uint32_t y, lines, x, pixels, bias_row;
} part;

// A kernel of one pixel multiplies the pixels as the rows of a matrix.
static bool is_matrix(const layer *l)
{
    const fp8rt_window *w = &l->frame.window;
    return w->kernel_h * w->kernel_w == 1 && w->stride_y == 1 && w->stride_x == 1 &&
           l->frame.groups == 1 && !l->frame.depthwise && l->frame.out_h == l->frame.height &&
           l->frame.out_w == l->frame.width;
}

// Pixels of padding before the part, and where in the image it begins
static uint32_t skip(uint32_t start, uint32_t stride, uint32_t pad, uint32_t *first)
{
    const uint64_t at = (uint64_t)start * stride;
    *first = at > pad ? (uint32_t)(at - pad) : 0;
    return at < pad ? (uint32_t)(pad - at) : 0;
}

static fp8rt_status run_group(fp8rt_run *run, const layer *l, const part *p, uint32_t group)
{
    const fp8rt_int_convolution_desc *desc = l->desc;
    const fp8rt_caps *caps = &run->dev->caps;
    const fp8rt_window *w = &l->frame.window;
    const uint32_t first_in = group * l->frame.group_in, first_out = group * l->frame.group_out;
    const uint32_t left_in = desc->x->cols - first_in, left_out = desc->out->cols - first_out;
    const uint32_t channels = left_in < l->frame.group_in ? left_in : l->frame.group_in;
    const uint32_t codes = l->frame.depthwise ? l->frame.group_codes : channels;
    const uint32_t outputs = left_out < l->frame.group_out ? left_out : l->frame.group_out;
    const fp8rt_tensor weights =
        fp8rt_tensor_part(run, desc->weights, fp8rt_frame_filters(&l->frame, first_out),
                          fp8rt_frame_filters(&l->frame, outputs), 1, 0,
                          fp8rt_frame_lines(&l->frame) * w->kernel_w * codes);
    uint32_t line, pixel;
    const uint32_t pad_top = skip(p->y, w->stride_y, w->pad_top, &line),
                   pad_left = skip(p->x, w->stride_x, w->pad_left, &pixel);
    if (line >= l->frame.height || pixel >= l->frame.width) { // windows in the padding alone
        return FP8RT_ERR_IMAGE;
    }
    const uint32_t line_bytes = l->frame.width * l->frame.pixel_bytes,
                   out_bytes = fp8rt_tensor_stride(caps, desc->out);
    fp8rt_int_command c = {
        .x = (const uint8_t *)desc->x->data + (size_t)line * line_bytes +
             (size_t)pixel * l->frame.pixel_bytes + first_in,
        .x_stride = line_bytes,
        .m = fp8rt_frame_rows(&l->frame, p->lines, p->pixels),
        .weights = &weights,
        .requantise = {.scales = desc->finish.scales + first_out,
                       .bias = desc->finish.bias + (size_t)p->bias_row * desc->finish.bias_stride +
                               first_out,
                       .zero_point = desc->finish.zero_point,
                       .lo = desc->finish.lo,
                       .hi = desc->finish.hi},
        .d = (uint8_t *)desc->out->data + ((size_t)p->y * l->frame.out_w + p->x) * out_bytes +
             first_out,
        .d_stride = p->pixels == 1 ? l->frame.out_w * out_bytes : out_bytes,
        .d_format = FP8MAC_INT8,
    };
    if (is_matrix(l)) {
        c.x_stride = l->frame.pixel_bytes;
        return fp8rt_int_multiply(run, &c);
    }
    c.image = (fp8rt_image){
        .height = l->frame.height - line,
        .width = l->frame.width - pixel,
        .channels = l->frame.depthwise ? l->frame.group_in : channels,
        .pixel_bytes = l->frame.pixel_bytes,
        .out_w = p->pixels,
        .kernel_w = w->kernel_w,
        .stride_y = w->stride_y,
        .stride_x = w->stride_x,
        .dilation_y = w->dilation_y,
        .dilation_x = w->dilation_x,
        .pad_top = pad_top,
        .pad_left = pad_left,
    };
    fp8rt_frame_image(&l->frame, p->lines, &c.image);
    return fp8rt_int_multiply(run, &c);
}

static fp8rt_status run_part(fp8rt_run *run, const layer *l, const part *p)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t group = 0; group < l->frame.groups && status == FP8RT_OK; group++) {
        status = run_group(run, l, p, group);
    }
    return status;
}

// The first of the bands that have most pixels, and the number of bands
static uint32_t widest_band(const layer *l, const axis *a, uint32_t *count)
{
    uint32_t widest = 0, most = 0, number = 0;
    for (uint32_t first = 0; first < a->outputs; number++) {
        const band b = next_band(l, a, first);
        if (b.count > most) {
            most = b.count;
            widest = number;
        }
        first = b.first + b.count;
    }
    *count = number;
    return widest;
}

// Whole lines with the bias of the widest band of pixels. Then the pixels of the other
// bands are written again.
static fp8rt_status run_lines(fp8rt_run *run, const layer *l, const band *lines, uint32_t number)
{
    const axis a = pixels_of(l);
    uint32_t count;
    const uint32_t widest = widest_band(l, &a, &count), row = number * count;
    const part whole = {lines->first, lines->count, 0, l->frame.out_w, row + widest};
    fp8rt_status status = run_part(run, l, &whole);
    uint32_t other = 0;
    for (uint32_t first = 0; first < a.outputs && status == FP8RT_OK; other++) {
        const band b = next_band(l, &a, first);
        for (uint32_t i = 0; other != widest && i < b.count && status == FP8RT_OK; i++) {
            const part column = {lines->first, lines->count, b.first + i, 1, row + other};
            status = run_part(run, l, &column);
        }
        first = b.first + b.count;
    }
    return status;
}

static fp8rt_status compute(fp8rt_run *run, const layer *l)
{
    const axis a = lines_of(l);
    fp8rt_status status = FP8RT_OK;
    uint32_t number = 0;
    for (uint32_t first = 0; first < a.outputs && status == FP8RT_OK; number++) {
        const band b = next_band(l, &a, first);
        status = run_lines(run, l, &b, number);
        first = b.first + b.count;
    }
    return status;
}

fp8rt_status fp8rt_int_convolution(fp8rt_run *run, const fp8rt_int_convolution_desc *desc)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, "int_convolution", &scope);
    if (status == FP8RT_OK) {
        status = check_tensors(run, desc);
    }
    if (status == FP8RT_OK) {
        layer l = layer_of(run, desc);
        status = check_window(run, &l);
        fp8rt_frame_join(&run->dev->caps, desc->x, &l.frame);
        if (status == FP8RT_OK) {
            fp8rt_layer_observe(run, &scope, desc);
            status = compute(run, &l);
        }
    }
    return fp8rt_layer_end(run, &scope, status);
}
